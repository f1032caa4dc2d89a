/*
 * The extension kanegen._calls: from NumPy's arrays to kernels and back, by the buffer protocol, in Python's stable ABI.
 *
 * `kernel` has what all robots of a mechanism share of one, `kernel_call` returns a function call(*inputs, out, threads) for a
 * robot, which asks what it is for when it is first called. Arrays that fit as they are go to the kernel without a copy;
 * everything else (lists, other types, strides, other broadcasting, mistakes) goes to a function of Python, which gets
 * the same arguments. What fits: exact arrays of the kernel's type, C-contiguous, aligned, with the same leading dimensions or
 * none, which are then repeated; a float or an int for a number. An output may be an input whose rows are as long, and must
 * not overlap one otherwise.
 * `bound_call` returns a function without arguments for a kernel with arrays of its own.
 */
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <stdint.h>
#include <string.h>

enum { MOST_ARRAYS = 16, MOST_AXES = 8 };
static const double TWO_53 = 9007199254740992.0; /* ints below are doubles */

typedef void one_state(void **arrays);
typedef void some_states(void *arrays, size_t first, size_t last);
typedef void share(size_t threads, size_t n, size_t grain, some_states *task, void *context);

static share *pool; /* kanegen_parallel_for, once somebody has wanted threads */

/* An argument of a kernel: the last dimensions of its arrays, and how many numbers a state has. An output has an array where
 * it is left for one state, and what copies that. */
struct argument {
    int axes;
    Py_ssize_t shape[MOST_AXES], size;
    Py_buffer room;
    PyObject *copy;
};

struct kernel {
    one_state *one;
    some_states *some;
    int inputs, outputs;
    size_t grain, brief; /* states that are worth a thread's while, and that others can wait for */
    Py_ssize_t number; /* bytes */
    struct argument arguments[MOST_ARRAYS];
    PyObject *ndarray, *empty, *type, *thread_count, *one_thread;
    PyObject *from; /* the tuple that keeps all of them */
};

/* A kernel of a robot: what all robots of the mechanism share, and what it prepared. That is found when it is first called:
 * robots that are kept by the thousand may never call it. */
struct own {
    const struct kernel *kernel;
    void *prepared;               /* what comes before the arrays; NULL where nothing does */
    PyObject *of, *spec, *shared; /* of.describe(spec) is (shared, prepared): a capsule with the kernel, and an address */
    PyObject *general;            /* of.general_call(spec), for what does not fit; NULL as long as all did */
};

/* What one call has: buffers, of which so many are held; where the kernel reads and writes; and results. */
struct call {
    Py_buffer views[MOST_ARRAYS];
    void *arrays[MOST_ARRAYS + 1]; /* the first is for what comes before */
    union {
        double d;
        float f;
    } numbers[MOST_ARRAYS]; /* arguments that are a number and no array */
    int held, batch_axes; /* how many leading dimensions there are */
    const Py_ssize_t *batch;
    size_t count;
    int alone[MOST_ARRAYS]; /* inputs of one state */
    void *repeated[MOST_ARRAYS]; /* where these are for all states; NULL */
    PyObject *results[MOST_ARRAYS];
};

/* The buffer of an array that fits as it is, or of one state where it is an input: 1, or 0. */
static int hold(const struct kernel *kernel, struct call *call, int k, PyObject *array)
{
    const struct argument *argument = &kernel->arguments[k];
    const int is_input = k < kernel->inputs;
    Py_buffer *view = &call->views[call->held];
    const char format = kernel->number == sizeof(double) ? 'd' : 'f';
    int batch_axes, i;
    if (Py_TYPE(array) != (PyTypeObject *)kernel->ndarray) return 0;
    if (PyObject_GetBuffer(array, view, (is_input ? 0 : PyBUF_WRITABLE) | PyBUF_ND | PyBUF_FORMAT) != 0) {
        PyErr_Clear(); /* not contiguous, or not to be written */
        return 0;
    }
    call->held++;
    call->arrays[k + 1] = view->buf;
    batch_axes = view->ndim - argument->axes;
    if (view->format[0] != format || view->format[1] != '\0' || batch_axes < 0) return 0;
    if ((uintptr_t)view->buf % (size_t)kernel->number != 0) return 0;
    for (i = 0; i < argument->axes; i++)
        if (view->shape[batch_axes + i] != argument->shape[i]) return 0;
    call->alone[k] = is_input && batch_axes == 0;
    if (call->alone[k]) return 1;
    if (call->batch_axes == 0 && is_input) {
        call->batch_axes = batch_axes;
        call->batch = view->shape;
        for (i = 0; i < batch_axes; i++) call->count *= (size_t)view->shape[i];
    }
    if (call->batch_axes != batch_axes) return 0;
    for (i = 0; i < batch_axes; i++)
        if (view->shape[i] != call->batch[i]) return 0;
    return 1;
}

/* A number, which needs no array: 1, or 0. */
static int hold_number(const struct kernel *kernel, struct call *call, int i, PyObject *given)
{
    const double number = PyFloat_AsDouble(given);
    if (number == -1.0 && PyErr_Occurred()) { /* an int beyond all doubles */
        PyErr_Clear();
        return 0;
    }
    if (PyLong_Check(given) && !(-TWO_53 < number && number < TWO_53)) return 0; /* it may be rounded */
    if (kernel->number == sizeof number)
        call->numbers[i].d = number;
    else
        call->numbers[i].f = (float)number;
    call->arrays[i + 1] = &call->numbers[i];
    call->alone[i] = 1;
    return 1;
}

/* An input of one state for all states: 1, or -1 with an exception. */
static int repeat(const struct kernel *kernel, struct call *call, int i)
{
    const size_t bytes = (size_t)kernel->arguments[i].size * (size_t)kernel->number, all = call->count * bytes;
    char *room = call->count > (size_t)PY_SSIZE_T_MAX / (bytes + 1) ? NULL : PyMem_Malloc(all);
    size_t done, part;
    if (!room) {
        PyErr_NoMemory();
        return -1;
    }
    if (all > 0) memcpy(room, call->arrays[i + 1], bytes);
    for (done = bytes; done < all; done += part) {
        part = done < all - done ? done : all - done;
        memcpy(room + done, room, part);
    }
    call->repeated[i] = call->arrays[i + 1] = room;
    return 1;
}

/* Whether states of two arrays overlap, but for the same array with states as large. */
static int overlap(const struct kernel *kernel, const struct call *call, int i, int k)
{
    const uintptr_t x = (uintptr_t)call->arrays[i + 1], y = (uintptr_t)call->arrays[k + 1];
    const size_t n = (size_t)kernel->arguments[i].size, m = (size_t)kernel->arguments[k].size;
    const size_t bytes = call->count * (size_t)kernel->number;
    return (x != y || n != m || i >= kernel->inputs) && x < y + m * bytes && y < x + n * bytes;
}

/* Whether others should do something meanwhile. */
static int is_long(const struct kernel *kernel, const struct call *call)
{
    return call->count > kernel->brief;
}

/* A new array for an output. */
static PyObject *made(const struct kernel *kernel, const struct call *call, const struct argument *argument)
{
    PyObject *array, *shape = PyTuple_New(call->batch_axes + argument->axes);
    int i;
    if (!shape) return NULL;
    for (i = 0; i < call->batch_axes + argument->axes; i++) {
        const Py_ssize_t n = i < call->batch_axes ? call->batch[i] : argument->shape[i - call->batch_axes];
        PyObject *dimension = PyLong_FromSsize_t(n);
        if (!dimension || PyTuple_SetItem(shape, i, dimension) != 0) {
            Py_DECREF(shape);
            return NULL;
        }
    }
    array = PyObject_CallFunctionObjArgs(kernel->empty, shape, kernel->type, NULL);
    Py_DECREF(shape);
    return array;
}

/* Arrays of inputs and outputs: 1, 0 where something does not fit, -1 for an error. */
static int hold_all(const struct kernel *kernel, struct call *call, PyObject *const *arguments)
{
    PyObject *out = arguments[kernel->inputs];
    const int all = kernel->inputs + kernel->outputs, given = out != Py_None;
    int i, k;
    for (i = 0; i < kernel->inputs; i++) {
        const int is_number = PyFloat_Check(arguments[i]) || PyLong_CheckExact(arguments[i]);
        if (kernel->arguments[i].axes == 0 && is_number) {
            if (!hold_number(kernel, call, i, arguments[i])) return 0;
        } else if (!hold(kernel, call, i, arguments[i])) {
            return 0;
        }
    }
    if (given && kernel->outputs > 1 && (!PyTuple_CheckExact(out) || PyTuple_Size(out) != kernel->outputs)) return 0;
    for (i = 0; call->batch_axes > 0 && i < kernel->inputs; i++)
        if (call->alone[i] && repeat(kernel, call, i) < 0) return -1;
    for (i = kernel->inputs; i < all; i++) {
        const struct argument *argument = &kernel->arguments[i];
        PyObject **result = &call->results[i - kernel->inputs];
        if (!given && call->batch_axes == 0 && argument->axes == 0) {
            call->arrays[i + 1] = &call->numbers[i]; /* comes back as a number */
            continue;
        }
        if (!given && call->batch_axes == 0 && !is_long(kernel, call)) {
            call->arrays[i + 1] = argument->room.buf; /* nobody else does this kernel while this thread has Python's lock */
            continue;
        }
        if (given) {
            *result = kernel->outputs > 1 ? PyTuple_GetItem(out, i - kernel->inputs) : out;
            Py_INCREF(*result);
        } else if (!(*result = made(kernel, call, argument))) {
            return -1;
        }
        if (!hold(kernel, call, i, *result)) return 0;
        for (k = 0; given && k < i; k++)
            if (overlap(kernel, call, k, i)) return 0;
    }
    return 1;
}

static void run(const struct own *own, struct call *call, size_t threads)
{
    const struct kernel *kernel = own->kernel;
    void **arrays = call->arrays + 1;
    if (own->prepared) {
        call->arrays[0] = own->prepared;
        arrays = call->arrays;
    }
    if (call->batch_axes == 0)
        kernel->one(arrays);
    else if (threads > 1 && pool)
        pool(threads, call->count, kernel->grain, kernel->some, arrays);
    else if (call->count > 0)
        kernel->some(arrays, 0, call->count);
}

/* What the call returns: the output, a number where it is one, or a tuple where there are several. */
static PyObject *returned(const struct kernel *kernel, struct call *call)
{
    PyObject *all;
    int i;
    for (i = 0; i < kernel->outputs; i++) {
        const int at = kernel->inputs + i, is_double = kernel->number == sizeof(double);
        PyObject *plain;
        if (call->results[i]) continue;
        if (kernel->arguments[at].axes > 0) {
            if (!(call->results[i] = PyObject_CallNoArgs(kernel->arguments[at].copy))) return NULL;
            continue;
        }
        plain = PyFloat_FromDouble(is_double ? call->numbers[at].d : (double)call->numbers[at].f);
        if (!plain) return NULL;
        call->results[i] = PyObject_CallFunctionObjArgs(kernel->type, plain, NULL);
        Py_DECREF(plain);
        if (!call->results[i]) return NULL;
    }
    if (kernel->outputs == 1) {
        Py_INCREF(call->results[0]);
        return call->results[0];
    }
    all = PyTuple_New(kernel->outputs);
    for (i = 0; all && i < kernel->outputs; i++) {
        Py_INCREF(call->results[i]);
        PyTuple_SetItem(all, i, call->results[i]);
    }
    return all;
}

static PyObject *as_python(struct own *own, PyObject *const *arguments, Py_ssize_t count)
{
    PyObject *all, *result = NULL;
    Py_ssize_t i;
    if (!own->general) {
        PyObject *general = PyObject_CallMethod(own->of, "general_call", "O", own->spec);
        if (!general) return NULL;
        if (own->general) /* another thread was here meanwhile */
            Py_DECREF(general);
        else
            own->general = general;
    }
    if (!(all = PyTuple_New(count))) return NULL;
    for (i = 0; i < count; i++) {
        Py_INCREF(arguments[i]);
        PyTuple_SetItem(all, i, arguments[i]);
    }
    result = PyObject_Call(own->general, all, NULL);
    Py_DECREF(all);
    return result;
}

static void free_kernel(struct kernel *kernel)
{
    int i;
    for (i = 0; i < kernel->inputs + kernel->outputs; i++) {
        if (!kernel->arguments[i].copy) continue;
        PyBuffer_Release(&kernel->arguments[i].room);
        Py_DECREF(kernel->arguments[i].copy);
    }
    Py_XDECREF(kernel->from);
    PyMem_Free(kernel);
}

/* An argument like an array, which is its room where it is an output: 1, or 0 with an exception. */
static int like(struct argument *argument, PyObject *array, int is_output)
{
    Py_buffer view;
    if (PyObject_GetBuffer(array, &view, PyBUF_WRITABLE | PyBUF_ND) != 0) return 0;
    if (view.ndim > MOST_AXES) {
        PyErr_SetString(PyExc_ValueError, "kernel: too many dimensions");
    } else {
        argument->axes = view.ndim;
        argument->size = view.len / view.itemsize;
        if (view.ndim > 0) memcpy(argument->shape, view.shape, (size_t)view.ndim * sizeof *view.shape);
        if (is_output && (argument->copy = PyObject_GetAttrString(array, "copy"))) {
            argument->room = view;
            return 1;
        }
    }
    PyBuffer_Release(&view);
    return !PyErr_Occurred();
}

/* A kernel from the tuple that describes it, NULL with an exception. */
static struct kernel *read_kernel(PyObject *from)
{
    unsigned long long one, some;
    Py_ssize_t grain, brief, inputs, outputs, i;
    PyObject *arrays[2];
    struct kernel *kernel = PyMem_Calloc(1, sizeof *kernel);
    if (!kernel) {
        PyErr_NoMemory();
        return NULL;
    }
    if (!PyArg_ParseTuple(from, "KKnnnO!O!OOOOO:kernel", &one, &some, &grain, &brief, &kernel->number, &PyTuple_Type,
                          &arrays[0], &PyTuple_Type, &arrays[1], &kernel->ndarray, &kernel->empty, &kernel->type,
                          &kernel->thread_count, &kernel->one_thread)) {
        free_kernel(kernel);
        return NULL;
    }
    Py_INCREF(from); /* which has all these objects */
    kernel->from = from;
    kernel->one = (one_state *)(uintptr_t)one;
    kernel->some = (some_states *)(uintptr_t)some;
    kernel->grain = (size_t)grain;
    kernel->brief = (size_t)brief;
    inputs = PyTuple_Size(arrays[0]);
    outputs = PyTuple_Size(arrays[1]);
    if (inputs + outputs > MOST_ARRAYS || outputs < 1) {
        PyErr_SetString(PyExc_ValueError, "kernel: too many arguments, or no output");
        free_kernel(kernel);
        return NULL;
    }
    kernel->inputs = (int)inputs;
    kernel->outputs = (int)outputs;
    for (i = 0; i < inputs + outputs; i++) {
        PyObject *array = PyTuple_GetItem(arrays[i >= inputs], i < inputs ? i : i - inputs);
        if (!array || !like(&kernel->arguments[i], array, i >= inputs)) {
            free_kernel(kernel);
            return NULL;
        }
    }
    return kernel;
}

static const char SHARED[] = "kanegen kernel of all robots", NAME[] = "kanegen kernel";

static void forget_shared(PyObject *capsule)
{
    free_kernel(PyCapsule_GetPointer(capsule, SHARED));
}

static PyObject *shared_kernel(PyObject *module, PyObject *from)
{
    struct kernel *kernel = read_kernel(from);
    PyObject *capsule;
    (void)module;
    if (!kernel) return NULL;
    if (!(capsule = PyCapsule_New(kernel, SHARED, forget_shared))) free_kernel(kernel);
    return capsule;
}

/* Find the kernel if it was not yet found: 1, or 0 with an exception. */
static int find(struct own *own)
{
    unsigned long long prepared;
    PyObject *found, *shared;
    const struct kernel *kernel = NULL;
    if (own->kernel) return 1;
    if (!(found = PyObject_CallMethod(own->of, "describe", "O", own->spec))) return 0;
    if (PyArg_ParseTuple(found, "OK:describe", &shared, &prepared)) kernel = PyCapsule_GetPointer(shared, SHARED);
    if (kernel && !own->kernel) { /* nor by another thread meanwhile */
        Py_INCREF(shared);
        own->shared = shared;
        own->prepared = (void *)(uintptr_t)prepared;
        own->kernel = kernel;
    }
    Py_DECREF(found);
    return kernel != NULL;
}

/* call(*inputs, out, threads) */
static PyObject *call_kernel(PyObject *self, PyObject *const *arguments, Py_ssize_t given)
{
    struct own *own = PyCapsule_GetPointer(self, NAME);
    const struct kernel *kernel;
    PyObject *result = NULL;
    struct call call;
    size_t threads = 1;
    int i, fits = 0;
    if (!own || !find(own)) return NULL;
    kernel = own->kernel;
    if (given != kernel->inputs + 2) return as_python(own, arguments, given);
    if (arguments[given - 1] != kernel->one_thread) {
        PyObject *count = PyObject_CallFunctionObjArgs(kernel->thread_count, arguments[given - 1], NULL);
        if (!count) return NULL;
        threads = PyLong_AsSize_t(count);
        Py_DECREF(count);
        if (PyErr_Occurred()) return NULL;
    }
    call.held = 0;
    call.batch_axes = 0;
    call.batch = NULL;
    call.count = 1;
    for (i = 0; i < kernel->inputs; i++) call.repeated[i] = NULL;
    for (i = 0; i < kernel->outputs; i++) call.results[i] = NULL;
    fits = hold_all(kernel, &call, arguments);
    if (fits > 0) {
        if (is_long(kernel, &call)) {
            Py_BEGIN_ALLOW_THREADS
            run(own, &call, threads);
            Py_END_ALLOW_THREADS
        } else {
            run(own, &call, threads);
        }
        result = returned(kernel, &call);
    }
    for (i = 0; i < kernel->inputs; i++) PyMem_Free(call.repeated[i]);
    for (i = 0; i < call.held; i++) PyBuffer_Release(&call.views[i]);
    for (i = 0; i < kernel->outputs; i++) Py_XDECREF(call.results[i]);
    return fits == 0 ? as_python(own, arguments, given) : result;
}

static PyMethodDef call_method = {"call", (PyCFunction)(void (*)(void))call_kernel, METH_FASTCALL,
                                  "call(*inputs, out, threads)"};

static void forget(PyObject *capsule)
{
    struct own *own = PyCapsule_GetPointer(capsule, NAME);
    Py_XDECREF(own->shared);
    Py_XDECREF(own->general);
    Py_DECREF(own->of);
    Py_DECREF(own->spec);
    PyMem_Free(own);
}

static PyObject *kernel_call(PyObject *module, PyObject *given)
{
    PyObject *of, *spec, *capsule, *result;
    struct own *own;
    (void)module;
    if (!PyArg_ParseTuple(given, "OO:kernel_call", &of, &spec)) return NULL;
    if (!(own = PyMem_Calloc(1, sizeof *own))) return PyErr_NoMemory();
    if (!(capsule = PyCapsule_New(own, NAME, forget))) {
        PyMem_Free(own);
        return NULL;
    }
    Py_INCREF(of);
    Py_INCREF(spec);
    own->of = of;
    own->spec = spec;
    result = PyCFunction_NewEx(&call_method, capsule, NULL);
    Py_DECREF(capsule);
    return result;
}

/* A kernel with arrays of its own. */
struct bound {
    one_state *one;
    void **arrays;
    int is_long;
    PyObject *kept; /* what the arrays are in */
};

static const char BOUND[] = "kanegen bound kernel";

static PyObject *call_bound(PyObject *self, PyObject *nothing)
{
    const struct bound *bound = PyCapsule_GetPointer(self, BOUND);
    (void)nothing;
    if (!bound) return NULL;
    if (bound->is_long) {
        Py_BEGIN_ALLOW_THREADS
        bound->one(bound->arrays);
        Py_END_ALLOW_THREADS
    } else {
        bound->one(bound->arrays);
    }
    Py_RETURN_NONE;
}

static PyMethodDef bound_method = {"step", call_bound, METH_NOARGS, "step()"};

static void forget_bound(PyObject *capsule)
{
    struct bound *bound = PyCapsule_GetPointer(capsule, BOUND);
    Py_DECREF(bound->kept);
    PyMem_Free(bound);
}

static PyObject *bound_call(PyObject *module, PyObject *given)
{
    unsigned long long one, arrays;
    PyObject *kept, *capsule, *result;
    struct bound *bound;
    int is_long;
    (void)module;
    if (!PyArg_ParseTuple(given, "KKpO:bound_call", &one, &arrays, &is_long, &kept)) return NULL;
    if (!(bound = PyMem_Calloc(1, sizeof *bound))) return PyErr_NoMemory();
    bound->one = (one_state *)(uintptr_t)one;
    bound->arrays = (void **)(uintptr_t)arrays;
    bound->is_long = is_long;
    bound->kept = kept;
    if (!(capsule = PyCapsule_New(bound, BOUND, forget_bound))) {
        PyMem_Free(bound);
        return NULL;
    }
    Py_INCREF(kept);
    result = PyCFunction_NewEx(&bound_method, capsule, NULL);
    Py_DECREF(capsule);
    return result;
}

static PyObject *use_pool(PyObject *module, PyObject *address)
{
    const size_t pointer = PyLong_AsSize_t(address);
    (void)module;
    if (PyErr_Occurred()) return NULL;
    pool = (share *)(uintptr_t)pointer;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"kernel", shared_kernel, METH_VARARGS,
     "kernel(one, some, grain, brief, bytes, inputs, outputs, ndarray, empty, type, thread_count, 1)"},
    {"kernel_call", kernel_call, METH_VARARGS,
     "kernel_call(of, spec); of.describe(spec) -> (kernel, address of what is prepared), of.general_call(spec)"},
    {"bound_call", bound_call, METH_VARARGS, "bound_call(one, arrays, is_long, kept)"},
    {"use_pool", use_pool, METH_O, "use_pool(address of kanegen_parallel_for)"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "kanegen._calls", NULL, 0, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__calls(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddStringConstant(module, "kanegen_sources_digest", KANEGEN_DIGEST) != 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
