"""``kanegen.load``: from the name of a built-in, a model file or a mechanism to a robot that computes."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from kanegen import generator, option_values
from kanegen.boundary import boundary
from kanegen.builds.cache_place import distrust_of_neighbour
from kanegen.builds.extensions import generated, write_generated
from kanegen.errors import ManifestError, MissingKernelError, NotCompiledError
from kanegen.files import is_file
from kanegen.generator import Model, ParameterCheck
from kanegen.identity import builtin_names, committed, identity_of, title_of
from kanegen.kernel_sets import (
    call_of,
    compiled_or_interpreted,
    content_of,
    from_model,
    installed,
    key_of,
    of_files,
)
from kanegen.kernel_sets import interpreted as all_interpreted
from kanegen.kernels.table import KernelSet
from kanegen.manifest import FILE_NAME, Manifest, read_manifest
from kanegen.model_warnings import Told, once, warn
from kanegen.options import OF_EXPLANATIONS, OF_FILES, Asked, Options, with_options
from kanegen.options import options as options_of
from kanegen.robot import Robot
from kanegen.robot.core import QuantitiesOf, SkeletonOf
from kanegen.waiting import Maker, may_wait, of_another_mechanism, require_same, waiting, waiting_for_numpy

if TYPE_CHECKING:
    from kanegen.codegen.mechanism.records import Mechanism
    from kanegen.codegen.symbolic.account import Explanation
    from kanegen.codegen.symbolic.written import Equations

T = TypeVar("T")


@with_options
def load(
    model: Model,
    *,
    interpreted: bool = False,
    eager: bool = False,
    jobs: int | None = None,
    **asked: Unpack[Asked],
) -> Robot:
    """A robot from the name of a built-in mechanism, the path of a model file, a Mechanism, or generated C.

    Built-ins were compiled when the package was installed.  Of anything else the description is read and checked here, and
    each kernel is generated and compiled when it is first called or asked for, which takes seconds, and kept in a cache
    ($KANEGEN_CACHE_DIR, or the user's cache directory).  ``eager=True`` makes all of them here, as naming ``kernels``, live
    parameters and ``verify=True`` do.  ``jobs`` processes derive kernels at once, by default as many as there are cores.  On
    a terminal, standard error shows what is being made.  A directory that ``generate`` wrote is compiled as it is; one that
    another user put where you work must be given as a path (``./name``).
    Without a C compiler, or with ``interpreted=True``, NumPy evaluates the same expressions: right, and slow.

    ``kernels`` names the kernels wanted, and there are no others then (but for ``constraint_residual`` of a linkage, by
    which calls tell configurations that do not close it).  By default all usual ones are there, and the rest
    (``Robot.optional_kernels``: derivatives, regressors, …) is made when it is first asked for.  ``speeds`` names a set of
    generalized speeds of the mechanism (``"kane_levinson"`` for the Stanford Arm).  ``gravity`` is the acceleration of free
    fall [m/s^2] in the base frame, by default the model's own, which is 9.81 downwards unless it says otherwise.
    ``payload={"frame": 1.5}`` holds a body at a frame: its mass [kg] at the origin, or (mass, centre, inertia about the
    centre) in the frame's axes.  ``lock={"joint": 0.02}`` holds joints [rad, m], ``remove=["link"]`` leaves links out with
    all beyond them, ``base=(x, y, z, roll, pitch, yaw)`` [m, rad] places the model in the base frame, and
    ``rename={"old": "new"}`` renames joints, links and frames before all other changes.
    ``live=["payload", "masses"]`` keeps numbers changeable, see ``Robot.with_parameters``: groups of them ("payload",
    "masses", "centers", "inertias", "gravity", "lengths", "damping", "friction", "rotors", "springs", "all declared"), or
    single ones ("link.mass", a declared parameter); ``live_parameters=True`` is ``live="all declared"``.  ``formulation``
    derives the equations in another way: "recursive" (the default), "kane", "dual_vectors", "influence_coefficients",
    "euler_parameters", and historical methods such as "luh_walker_paul_1980"; for arms with flexible links "book_1983".

    ``friction=True`` lets the damping and the Coulomb friction of the model's joints act, in inverse and in forward dynamics
    alike.  Of model files: ``floating_base=True`` lets the root move freely instead of fixing it to the base;
    ``allow_unphysical=True`` lets masses and inertias through that no body has; angles within ``angle_tolerance`` [rad] of
    a multiple of pi/2 are taken for it, by default 1e-11 where that changes forces and accelerations by less than 1e-12;
    ``arguments={"name": "value"}`` are those of a xacro file.

    Of the C: ``float32=True`` adds every function in single precision, under its name with ``_f32``; ``sincos="libm"`` takes
    sines and cosines from the C library, where ``"vector"`` evaluates all angles of a kernel together; ``search`` bounds the
    derivations tried for each kernel.  What is compiled is always compared with what it was printed from before it is used
    for the first time; with ``verify=True`` nothing is interpreted instead where there is no compiler.

    What in a model was left out or changed is a ``ModelWarning``.

    Raises UnknownModelError for a name or path that leads nowhere, ModelError for a model with something wrong in it.  What
    makes kernels, here or later, raises BuildError when the compiler fails, and ArithmeticError where kernels fail a check,
    which is an error of kanegen.
    """
    jobs = option_values.jobs("jobs", jobs)
    options = replace(options_of(asked), with_residual=asked.get("kernels") is not None)
    if not options.loadable:
        raise NotCompiledError(
            f"language: {options.language!r} is nothing to be loaded here; kanegen.generate writes it"
        )
    generator.check_model(model)
    with boundary("loading", title_of(model)), once() as told:
        found, more, check, skeleton = _found(model, options, interpreted, eager, jobs, told)
        if not told.read:  # what was said when these kernels were made
            for warning in found.manifest.warnings:
                warn(_with_folder(warning, model))
    quantities = None if skeleton is None else _quantities(found, model, options, told)
    return Robot(found.manifest, found.backend, more, check, skeleton, quantities)


def _with_folder(warning: str, model: Model) -> str:
    """What was kept of a warning, which has the names of files alone, with the path of the model file where it is its."""
    if isinstance(model, str | os.PathLike) and (path := os.fspath(model)):
        name = os.path.basename(path)  # noqa: PTH119  (the path stays as it was written)
        if name and warning.startswith(f"{name}:"):
            return path + warning.removeprefix(name)
    return warning


@with_options
def generate(
    model: Model, out_dir: str | os.PathLike[str], *, jobs: int | None = None, **asked: Unpack[Asked]
) -> Path:
    """Write the C of a mechanism into a directory, for a microcontroller or another build.  Returns the directory.

    The options are those of ``load``, and ``language``.  ``jobs`` processes derive kernels at once, by default as many as
    there are cores; what is written is the same.  With ``verify=True`` the C is compiled afterwards and compared with
    what it was printed from; how far they differ goes into the certificate.

    Raises UnknownModelError and ModelError, TypeError and ValueError for wrong options; nothing is written then.  With
    ``verify=True`` BuildError, and CertificateError where the C differs, which is left as it is to be looked at.
    """
    jobs = option_values.jobs("jobs", jobs)
    options = options_of(asked)
    generator.check_model(model)
    directory = Path(out_dir)
    with boundary("generating the C of", title_of(model)), once():
        identity_of(model, options, builtin_names())
        if options.verify:
            verify = generator.generate_to_verify(model, options, directory, jobs)
            verify(functools.partial(call_of, of_files(*generated(directory))))
        else:
            generator.generate(model, options, directory, jobs=jobs)
    return directory


def convert(
    model: Model, path: str | os.PathLike[str], *, strict: bool = False, **asked: Unpack[Asked]
) -> Path:
    """Write a model into a model file, whose suffix says the format: ``.urdf``, ``.xml`` or ``.mjcf``, ``.toml``.

    What the format cannot say is left out, and each such thing a ``ModelWarning`` that names it; with ``strict=True`` it is
    refused.  TOML says everything, exactly, so that the same mechanism is read back; URDF and MJCF have numbers in doubles
    where the mechanism has parameters.  The options say how a file is read, as in ``load``.  Returns the path; a file there
    is replaced.

    Raises ModelError for a suffix that is not known, for a wrong model, and for what ``strict`` refuses; FileError where
    the file cannot be written.  Nothing is written then.
    """
    options = options_of(asked, OF_FILES)
    generator.check_model(model)
    out = Path(path)
    with boundary("converting", title_of(model)), once():
        generator.convert(model, options, out, strict)
    return out


convert = with_options(convert, OF_FILES)


def attach(
    a: Model,
    b: Model,
    *,
    at: str,
    placement: Sequence[float] = (0.0, 0.0, 0.0),
    names: str | Mapping[str, str] = "",
) -> Mechanism:
    """One mechanism of two models, each a built-in's name, a file or a mechanism: ``b`` stands on the frame ``at`` of ``a``.

    What ``b`` calls its base is at ``placement``, (x, y, z) or (x, y, z, roll, pitch, yaw) [m, rad], in that frame, which is
    "base" for the base of ``a``.  ``names`` is what all names of ``b`` are to begin with, such as "left_", or new ones for
    its joints, links and frames, old to new; no two things of a kind may have one name.  Coordinates, speeds and home are
    those of ``a``, then those of ``b``; gravity is that of ``a``.  ``MechanismBuilder.from_mechanism`` closes loops
    between the two.

    Control laws that refer to entries of other kernels are left out with a ``ModelWarning``.  Raises ModelError for a wrong
    model, a frame that ``a`` does not have, and names that both have; TypeError and ValueError for wrong arguments.
    """
    for model in (a, b):
        generator.check_model(model)
    if not isinstance(names, str):
        names = dict(option_values.texts("names", names))
    where = option_values.placement("placement", placement)
    if not isinstance(at, str) or where is None:
        raise TypeError(f"attach: expected the name of a frame and a placement, got {at!r}, {placement!r}")
    with boundary("attaching", title_of(b)), once():
        return generator.attach(a, b, at, where, names)


@with_options
def equations(
    model: Model, *, as_compiled: bool = False, named: bool = False, **asked: Unpack[Asked]
) -> Equations:
    """The equations of kernels in symbols, in the model's own names; those of inverse dynamics unless ``kernels`` says.

    The options are those of ``load``.  Numbers that are ``live`` stay symbols, all others are exact.  The equations are
    those of the derivation, before frames are turned, inertia is moved and forms are searched for, in which every quantity
    has a meaning; ``as_compiled=True`` gives those of the C.  With ``named=True`` only quantities that have a name of their
    own are defined, and long shared expressions; otherwise whatever is used twice.

    What comes is a list of definitions in order and the outputs over them, for SymPy; ``latex()``, ``markdown()``,
    ``html()`` and ``python()`` write them, ``expanded()`` multiplies them out, ``function()`` evaluates them.

    Raises UnknownModelError and ModelError, TypeError and ValueError for wrong options.
    """
    options = options_of(asked)
    generator.check_model(model)
    with boundary("writing the equations of", title_of(model)), once():
        identity_of(model, options, builtin_names())
        return generator.equations(model, options, as_compiled, named)


def explain(model: Model, *, state: Mapping[str, Any] | None = None, **asked: Unpack[Asked]) -> Explanation:
    """Kane's method of a model step by step, whatever it has beside flexible links: loops, rolling contacts, balls, springs.

    ``markdown()`` and ``html()`` of what comes write it: bodies, frames and points; coordinates and speeds; velocities and
    partial velocities; accelerations; inertia torques and forces; generalized inertia and active forces of each body and
    speed; the equations of motion; forces of constraints from auxiliary speeds.  ``quantities`` lists all intermediate
    quantities with symbol, meaning, unit and equation, ``tables`` has the results as SymPy expressions over them.  With a
    ``state``, {"q": …, "v": …, "a": …}, each an array or values by name, all have values, too.

    Options say how a model file is read, as in ``load``; ``speeds`` are generalized speeds by name, ``live`` and
    ``live_parameters`` keep numbers as symbols.  The derivation is the textbook's, without any search for what is cheaper.

    Raises UnknownModelError, ModelError for a wrong model and one with flexible links, KanegenError for a wrong state.
    """
    options = options_of(asked, OF_EXPLANATIONS)
    generator.check_model(model)
    with boundary("explaining", title_of(model)), once():
        identity_of(model, options, builtin_names())
        return generator.explain(model, options, state)


explain = with_options(explain, OF_EXPLANATIONS)


def _found(
    model: Model, options: Options, interpreted: bool, eager: bool, jobs: int | None, told: Told
) -> tuple[KernelSet, Callable[[str], KernelSet] | None, ParameterCheck | None, SkeletonOf | None]:
    """The kernels of a model, where more of them come from, if they do, what checks values of their parameters, and what a
    picture needs to know of it.
    """
    if isinstance(model, str) and options.plain and model in builtin_names():
        manifest = read_manifest(committed(model))
        if options.kernels is None or set(options.kernels) <= set(manifest.kernels):
            found = all_interpreted(model, options) if interpreted else _builtin(model, options, manifest)
            more = _more(found, model, options, interpreted, told)
            return found, more, None, _skeleton(found, model, options, told)
    if isinstance(model, str | os.PathLike) and is_file(Path(model) / FILE_NAME):
        return _generated(Path(model), model, options, interpreted), None, None, None
    key = key_of(model, options)
    maker = None
    if not eager and may_wait(options):
        maker = (
            waiting_for_numpy(model, options, told)
            if interpreted
            else waiting(model, options, key, told, jobs)
        )
    found = from_model(model, options, interpreted, key, jobs) if maker is None else maker.outline
    return (
        found,
        _more(found, model, options, interpreted, told, maker),
        _parameter_check(found, model, options, told),
        _skeleton(found, model, options, told),
    )


def _parameter_check(found: KernelSet, model: Model, options: Options, told: Told) -> ParameterCheck | None:
    """What checks values of the live parameters against the model, which it reads when it is first asked."""
    if not found.manifest.parameters:
        return None
    of_model = _read_later(
        found,
        model,
        told,
        lambda: generator.parameter_check(model, options),
        "values of its parameters cannot be checked. Load it again, or take them as they are with allow_unphysical=True",
    )
    return lambda *values: of_model()(*values)


def _skeleton(found: KernelSet, model: Model, options: Options, told: Told) -> SkeletonOf:
    """What a picture needs to know of a model, which is read when it is first asked for."""
    return _read_later(
        found,
        model,
        told,
        lambda: generator.skeleton(model, options),
        "a picture would be of another mechanism. Load it again",
    )


def _quantities(found: KernelSet, model: Model, options: Options, told: Told) -> QuantitiesOf:
    """What gives intermediate quantities of the model in a formulation, each derived when it is first asked for."""

    @functools.cache
    def of_formulation(formulation: str, kernel: str) -> generator.Quantities:
        asked = replace(options, formulation=formulation)
        return _read_later(
            found,
            model,
            told,
            lambda: generator.quantities(model, asked, kernel),
            "its quantities would be those of another mechanism. Load it again",
        )()

    return of_formulation


def _read_later(
    found: KernelSet, model: Model, told: Told, read: Callable[[], tuple[str, T]], otherwise: str
) -> Callable[[], T]:
    """What is read of a model when it is first asked for, with the model's hash, which must be that of the kernels."""

    @functools.cache
    def of_model() -> T:
        with boundary("reading", title_of(model)), once(told):
            model_hash, result = read()
        require_same(model, found.manifest, model_hash, otherwise)
        return result

    return of_model


def _more(
    found: KernelSet,
    model: Model,
    options: Options,
    interpreted: bool,
    told: Told,
    maker: Maker | None = None,
) -> Callable[[str], KernelSet] | None:
    """Further kernels of the same model, as a robot needs them; none where the kernels were named."""
    if options.kernels is not None:
        return None

    @functools.cache
    def more(kernel: str) -> KernelSet:
        if maker is not None and kernel in found.manifest.waiting:
            return maker.kernel_set(kernel)
        with boundary(f"making the kernel {kernel} of", title_of(model)), once(told):
            made = from_model(model, replace(options, kernels=(kernel,)), interpreted)
        require_same(model, found.manifest, made.manifest.hash, of_another_mechanism(kernel))
        return made

    return more


def _builtin(model: Model, options: Options, manifest: Manifest) -> KernelSet:
    """A built-in: its installed extension; else its committed C, compiled into the cache; else interpreted."""
    directory = committed(str(model))
    backend = installed(directory.name, manifest)
    if backend is not None:
        return KernelSet(manifest, backend)
    _, files = generated(directory)
    return compiled_or_interpreted(
        model, options, content_of(files), lambda work: write_generated(files, work)
    )


def _generated(directory: Path, model: Model, options: Options, interpreted: bool) -> KernelSet:
    """A mechanism whose C was generated before.  Raises NotCompiledError where nothing but the C could serve."""
    stranger = distrust_of_neighbour(directory) if model == directory.name else None
    if stranger is not None:
        raise ManifestError(
            f"{stranger}, and its C would run as a part of this program. If that is meant, load './{directory.name}'"
        )
    manifest, files = generated(directory)
    missing = [name for name in options.kernels or () if name not in manifest.kernels]
    if missing or not options.plain:
        raise MissingKernelError(
            f"{directory} holds generated C, which stays as it is; it has the kernels {', '.join(manifest.kernels)}. "
            "Load the model that it was generated from"
        )
    if interpreted:
        raise NotCompiledError(f"{directory} holds generated C, not a model; there is nothing to interpret")
    return of_files(manifest, files)
