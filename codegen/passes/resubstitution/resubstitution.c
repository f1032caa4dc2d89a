/* Resubstitution: see resubstitution.h.

A table holds the ratio of the residues at two points of every value, and of the sum, difference and product of every two.
So one look tells from what another value, less or over a third one, can be had: see residues.h. */

#include "residues.h"

#include <math.h>
#include <stdlib.h>

#define MULTIPLICATION KANEGEN_MULTIPLICATION
#define ADDITION KANEGEN_ADDITION
#define FARTHEST 8000   /* changes that cost more thousandths are not taken */
#define LARGER 64       /* terms that are so many times their sum lose digits */
#define SAMPLES 400     /* pairs looked at in the place of one value */
#define MOST_BORN 16
#define APART 500       /* steps between webs of one price that are kept */
#define HEADS 4096

typedef kanegen_definition definition;

typedef struct {
    definition made;
    int uses, live, rank; /* what a value is made from has a lower rank */
    int needs; /* whether it needs the value of a step, and twice the step that found it out */
    int left, counted, dead, closed; /* uses that are left, valid in the step that counted them; when it died; its last closing */
} value;

/* Another definition of v, from a (a1, or a1 aop a2) and t = [k] base, the base being b or b bop c. */
typedef struct {
    enum { TERM, SUM_WITH, DIFFERENCE, PRODUCT_WITH, COMBINED, SHIFT, SHIFTED_FACTOR } form;
    int a1, aop, a2, b, bop, c, scaled, price;
} candidate;

/* a1 aop a2, with its residues */
typedef struct {
    uint64_t at[POINTS];
    int a1, aop, a2, sums; /* whether sums with it keep their digits */
} addend;

typedef struct {
    int most, count, leaves, outputs, operands, constants, most_constants;
    value *values;
    place *places;
    numbers *numbers;
    numbers *constant;
    int *output, *operand;
    const uint64_t *primes;
    int *live, living, shown; /* what takes part, leaves first, and how many leaves do */
    char *inside;             /* by value: whether it takes part */
    int price;
    ratio_table table;
    int turn, closing, *moved; /* the step, the closing, and where values are moved to */
    uint64_t seed;
    addend *addends;
    uint64_t *ratios, *room, *more;
    int *who, *next, heads[HEADS];
    candidate *found;
    int offered, most_offered, failed;
    double weights[2 * FARTHEST + 1];
    int born[MOST_BORN], births;
} web;

/* -- the web ------------------------------------------------------------------------------------------------------- */

static uint64_t draw(web *w)
{
    uint64_t x = w->seed += 0x9e3779b97f4a7c15u; /* splitmix64 */
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static const uint64_t *at_points(const web *w, int i)
{
    return w->places[i].at;
}

static int index_of(int reference)
{
    return abs(reference) - 1;
}

static int operands_of(const definition *d, const int *operand, const int **found, int room[2])
{
    if (d->kind == KANEGEN_LEAF)
        return 0;
    if (d->kind == KANEGEN_OPAQUE) {
        *found = operand + d->a;
        return d->b;
    }
    room[0] = d->a;
    room[1] = d->b;
    *found = room;
    return d->kind == KANEGEN_SUM || d->kind == KANEGEN_PRODUCT ? 2 : 1;
}

#define EACH_OPERAND(w, i, r)                                                                                          \
    const int *refs_##r = 0;                                                                                           \
    int room_##r[2], n_##r = operands_of(&(w)->values[i].made, (w)->operand, &refs_##r, room_##r);                     \
    for (int at_##r = 0, r; at_##r < n_##r && (r = index_of(refs_##r[at_##r]), 1); at_##r++)

static int price_of(const definition *d)
{
    switch (d->kind) {
    case KANEGEN_LEAF:
        return 0;
    case KANEGEN_OPAQUE:
        return d->constant;
    case KANEGEN_PRODUCT:
    case KANEGEN_SCALED:
        return MULTIPLICATION;
    default:
        return ADDITION;
    }
}

static int price_of_op(int op)
{
    return op == ALONE ? 0 : op == TIMES ? MULTIPLICATION : ADDITION;
}

static int price_of_web(const web *w)
{
    int price = 0;
    for (int i = 0; i < w->count; i++)
        price += i < w->leaves || w->values[i].live ? price_of(&w->values[i].made) : 0;
    return price;
}

static void chain_up(web *w, int k, uint64_t key)
{
    int *head = &w->heads[key_of(key) >> 52];
    w->next[k] = *head;
    *head = k;
}

static int is_fixed(const web *w, int i)
{
    return w->values[i].made.kind == KANEGEN_LEAF && w->values[i].made.a;
}

/* Enter a value in the table, and all that can be made from it and another one that lives. */
static void enter(web *w, int i)
{
    const place *x = &w->places[i];
    int n = 0;
    if (x->at[1])
        put(&w->table, x->ratio, i, -1, ALONE);
    for (int k = 0; k < w->living; k++) {
        const uint64_t *y = at_points(w, w->live[k]);
        if (is_fixed(w, i) && is_fixed(w, w->live[k]))
            continue;
        w->who[n] = w->live[k];
        w->ratios[n++] = times(plus(x->at[1], y[1]), minus(x->at[1], y[1]));
    }
    invert_all(w->ratios, n, w->room);
    for (int k = 0; k < n; k++) {
        int j = w->who[k];
        const place *y = &w->places[j];
        if (i != j) {
            uint64_t below, above;
            inverses(x->at[1], y->at[1], w->ratios[k], &below, &above);
            if (above)
                put(&w->table, times(plus(x->at[0], y->at[0]), above), i, j, PLUS);
            if (below)
                put(&w->table, times(minus(x->at[0], y->at[0]), below), i, j, MINUS);
        }
        if (x->at[1] && y->at[1])
            put(&w->table, times(x->ratio, y->ratio), i, j, TIMES);
    }
}

/* Where a value is now that was moved; 0 where it has died. */
static int moved_reference(const web *w, int r)
{
    int i = r ? w->moved[index_of(r)] : -1;
    return i < 0 ? 0 : r > 0 ? i + 1 : -(i + 1);
}

static definition moved_definition(const web *w, const definition *d)
{
    definition made = *d;
    if (d->kind == KANEGEN_LEAF || d->kind == KANEGEN_OPAQUE)
        return made;
    made.a = moved_reference(w, d->a);
    if (d->kind == KANEGEN_SUM || d->kind == KANEGEN_PRODUCT)
        made.b = moved_reference(w, d->b);
    return made;
}

static int rank_of(web *w, int i)
{
    value *x = &w->values[i];
    if (x->rank < 0) {
        int rank = 0;
        EACH_OPERAND(w, i, j) {
            int below = rank_of(w, j);
            rank = below > rank ? below : rank;
        }
        x->rank = rank + 1;
    }
    return x->rank;
}

static void rank_all(web *w)
{
    for (int i = 0; i < w->count; i++)
        w->values[i].rank = i < w->leaves ? 0 : -1;
    for (int i = w->leaves; i < w->count; i++)
        if (w->values[i].live)
            rank_of(w, i);
}

/* Close up what has died, and make the table anew. */
static void compact(web *w)
{
    int n = 0, constants = 0;
    for (int i = 0; i < w->count; i++)
        w->moved[i] = i < w->leaves || w->values[i].live ? n++ : -1;
    numbers *kept = w->constant + w->most_constants;
    int *renamed = w->next;
    memset(renamed, 0, w->constants * sizeof(int));
    for (int i = 0; i < w->count; i++) {
        int to = w->moved[i];
        if (to < 0)
            continue;
        w->values[to] = w->values[i];
        w->places[to] = w->places[i];
        w->numbers[to] = w->numbers[i];
        definition *d = &w->values[to].made;
        *d = moved_definition(w, d);
        if (d->kind != KANEGEN_SCALED && d->kind != KANEGEN_SHIFTED)
            continue;
        if (!renamed[d->constant]) {
            kept[constants] = w->constant[d->constant];
            renamed[d->constant] = ++constants;
        }
        d->constant = renamed[d->constant] - 1;
    }
    memcpy(w->constant, kept, constants * sizeof(numbers));
    w->constants = constants;
    for (int k = 0; k < w->outputs; k++)
        w->output[k] = moved_reference(w, w->output[k]);
    for (int k = 0; k < w->operands; k++)
        w->operand[k] = moved_reference(w, w->operand[k]);
    for (int k = 0; k < w->living; k++)
        w->live[k] = w->moved[w->live[k]];
    w->count = n;
    rank_all(w);
    for (int i = 0; i < n; i++)
        w->values[i].needs = w->values[i].counted = w->values[i].dead = w->values[i].closed = 0;
    w->turn = w->closing = 0;
    empty(&w->table);
    int living = w->living;
    for (int k = 0; k < living; k++) { /* each pair once */
        w->living = k + 1;
        enter(w, w->live[k]);
    }
    memset(w->inside, 0, n);
    for (int k = 0; k < living; k++)
        w->inside[w->live[k]] = 1;
    for (int i = 0; i < n; i++) /* the others only as they are */
        if (!w->inside[i])
            put(&w->table, w->places[i].ratio, i, -1, ALONE);
}

/* Whether i needs v; what was found out in this step is remembered. */
static int depends(web *w, int i, int v)
{
    value *x = &w->values[i];
    if (i == v)
        return 1;
    if (x->rank <= w->values[v].rank)
        return 0;
    if (x->needs / 2 == w->turn)
        return x->needs % 2;
    int found = 0;
    EACH_OPERAND(w, i, j)
        found = found || depends(w, j, v);
    x->needs = 2 * w->turn + found;
    return found;
}

/* The price of all that dies when i loses its definition, each marked. */
static int dying(web *w, int i)
{
    int price = 0;
    EACH_OPERAND(w, i, j) {
        if (j < w->leaves)
            continue;
        value *x = &w->values[j];
        if (x->counted != w->turn) {
            x->counted = w->turn;
            x->left = x->uses;
        }
        if (--x->left == 0) {
            x->dead = w->turn;
            price += price_of(&x->made) + dying(w, j);
        }
    }
    return price;
}

/* The price of what a use of i keeps from dying, and no use before it in this closing. */
static int kept_by(web *w, int i)
{
    value *x = &w->values[i];
    if (i < w->leaves || x->dead != w->turn || x->closed == w->closing)
        return 0;
    x->closed = w->closing;
    int price = price_of(&x->made);
    EACH_OPERAND(w, i, j)
        price += kept_by(w, j);
    return price;
}

static int constant_of(web *w, const numbers *k)
{
    for (int i = 0; i < w->constants; i++)
        if (w->constant[i].residues[0] == k->residues[0])
            return i;
    w->constant[w->constants] = *k;
    return w->constants++;
}

static void release(web *w, int i)
{
    EACH_OPERAND(w, i, j) {
        if (--w->values[j].uses == 0 && w->values[j].live && j >= w->leaves) {
            w->values[j].live = 0;
            w->price -= price_of(&w->values[j].made);
            release(w, j);
        }
    }
}

static void hold(web *w, const definition *d)
{
    w->values[index_of(d->a)].uses++;
    if (d->kind == KANEGEN_SUM || d->kind == KANEGEN_PRODUCT)
        w->values[index_of(d->b)].uses++;
}

static int rank_above(const web *w, const definition *d)
{
    int a = w->values[index_of(d->a)].rank, two = d->kind == KANEGEN_SUM || d->kind == KANEGEN_PRODUCT;
    int b = two ? w->values[index_of(d->b)].rank : 0;
    return (a > b ? a : b) + 1;
}

/* The value that lives with these numbers, as a reference; 0 where there is none. */
static int living_with(const web *w, const numbers *n)
{
    uint64_t key = key_of(times(n->residues[0], inverse_of(n->residues[1]))), at = slot_of(&w->table, key);
    for (; w->table.entries[at].with != EMPTY; at = (at + 1) & w->table.mask) {
        const entry *e = &w->table.entries[at];
        if (e->key != key || op_of(e) != ALONE || !w->values[e->b].live)
            continue;
        int sign = likeness(&w->numbers[e->b], n);
        if (sign)
            return sign * (e->b + 1);
    }
    return 0;
}

/* Whether there is a value with these numbers, that lives or was just made.  Its reference is 0 where it needs v. */
static int there_is(web *w, const numbers *n, int v, int *reference)
{
    *reference = living_with(w, n);
    if (*reference) {
        if (depends(w, index_of(*reference), v))
            *reference = 0;
        return 1;
    }
    for (int j = 0; j < w->births; j++) {
        int sign = likeness(&w->numbers[w->born[j]], n);
        *reference = sign * (w->born[j] + 1);
        if (sign)
            return 1;
    }
    return 0;
}

/* A reference to a value with these numbers: one that is there, or a new one so defined.  0 where it would need v. */
static int made(web *w, definition d, const numbers *k, const numbers *n, int v)
{
    int reference;
    if (there_is(w, n, v, &reference))
        return reference;
    int i = w->count++;
    value *x = &w->values[i];
    memset(x, 0, sizeof *x);
    w->numbers[i] = *n;
    x->made = d;
    if (k)
        x->made.constant = constant_of(w, k);
    x->rank = rank_above(w, &x->made);
    hold(w, &x->made);
    w->born[w->births++] = i;
    return i + 1;
}

/* b op c, with its numbers */
static int base_of(web *w, int b, int op, int c, int v, numbers *n)
{
    if (op == ALONE) {
        *n = w->numbers[b];
        return b + 1;
    }
    definition d = {op == TIMES ? KANEGEN_PRODUCT : KANEGEN_SUM, b + 1, op == MINUS ? -(c + 1) : c + 1, 0};
    combine(w->primes, op == TIMES, &w->numbers[b], 1, &w->numbers[c], op == MINUS ? -1 : 1, n);
    return made(w, d, 0, n, v);
}

/* A reference to what has the numbers n, and is a multiple of the base referred to. */
static int multiple(web *w, int base, const numbers *base_numbers, const numbers *n, int v)
{
    numbers k;
    int reference, sign = likeness(base_numbers, n);
    if (sign)
        return sign * base;
    if (there_is(w, n, v, &reference))
        return reference;
    divide(w->primes, n, base_numbers, &k);
    if (base < 0)
        negate(w->primes, &k, &k);
    definition d = {KANEGEN_SCALED, abs(base), 0, 0};
    return made(w, d, &k, n, v);
}

/* The definition of v that the candidate stands for, and the number in it; what it needs is made.  0 where it cannot be. */
static int defined(web *w, int v, const candidate *c, definition *own, numbers *k)
{
    const numbers *target = &w->numbers[v];
    numbers a, base, rest;
    int first, second;
    *own = (definition){KANEGEN_SUM, 0, 0, -1};
    switch (c->form) {
    case TERM:
        if (c->scaled) {
            second = base_of(w, c->b, c->bop, c->c, v, &base);
            if (!second)
                return 0;
            divide(w->primes, target, &base, k);
            if (second < 0)
                negate(w->primes, k, k);
            *own = (definition){KANEGEN_SCALED, abs(second), 0, 0};
            return 1;
        }
        combine(w->primes, c->bop == TIMES, &w->numbers[c->b], 1, &w->numbers[c->c], c->bop == MINUS ? -1 : 1, &base);
        int sign = likeness(&base, target);
        own->kind = c->bop == TIMES ? KANEGEN_PRODUCT : KANEGEN_SUM;
        own->a = sign * (c->b + 1);
        own->b = c->bop == TIMES ? c->c + 1 : c->bop == MINUS ? -sign * (c->c + 1) : sign * (c->c + 1);
        return sign;
    case SUM_WITH:
    case DIFFERENCE:
    case PRODUCT_WITH:
        first = base_of(w, c->a1, c->aop, c->a2, v, &a);
        if (!first)
            return 0;
        if (c->form == PRODUCT_WITH)
            divide(w->primes, target, &a, &rest);
        else
            combine(w->primes, 0, target, 1, &a, c->form == SUM_WITH ? -1 : 1, &rest);
        second = base_of(w, c->b, c->bop, c->c, v, &base);
        second = second ? multiple(w, second, &base, &rest, v) : 0;
        if (!second)
            return 0;
        if (c->form == PRODUCT_WITH)
            *own = (definition){KANEGEN_PRODUCT, (first > 0) == (second > 0) ? abs(first) : -abs(first), abs(second), -1};
        else
            *own = (definition){KANEGEN_SUM, c->form == SUM_WITH ? first : -first, second, -1};
        return 1;
    case COMBINED:
        if (!share(w->primes, target, &w->numbers[c->a1], &w->numbers[c->b], &rest)
            || !share(w->primes, target, &w->numbers[c->b], &w->numbers[c->a1], &base))
            return 0;
        combine(w->primes, 1, &rest, 1, &w->numbers[c->a1], 1, &a);
        combine(w->primes, 1, &base, 1, &w->numbers[c->b], 1, &base);
        combine(w->primes, 0, &a, 1, &base, 1, &rest);
        if (likeness(&rest, target) != 1)
            return 0;
        first = multiple(w, c->a1 + 1, &w->numbers[c->a1], &a, v);
        second = first ? multiple(w, c->b + 1, &w->numbers[c->b], &base, v) : 0;
        *own = (definition){KANEGEN_SUM, first, second, -1};
        return second != 0;
    case SHIFT:
        combine(w->primes, 0, target, 1, &w->numbers[c->a1], -1, k);
        *own = (definition){KANEGEN_SHIFTED, c->a1 + 1, 0, 0};
        return 1;
    default:
        divide(w->primes, target, &w->numbers[c->a1], &rest);
        combine(w->primes, 0, &rest, 1, &w->numbers[c->b], -1, k);
        second = made(w, (definition){KANEGEN_SHIFTED, c->b + 1, 0, 0}, k, &rest, v);
        *own = (definition){KANEGEN_PRODUCT, second > 0 ? c->a1 + 1 : -(c->a1 + 1), abs(second), -1};
        return second != 0;
    }
}

/* Whether value i is made as [k] b, or [k] (b op c), k if it is scaled. */
static int is_made_so(const web *w, int i, int b, int op, int c, int scaled)
{
    const definition *d = &w->values[i].made;
    if (scaled) {
        if (d->kind != KANEGEN_SCALED)
            return 0;
        i = index_of(d->a);
        d = &w->values[i].made;
    }
    if (op == ALONE)
        return i == b;
    if (d->kind != (op == TIMES ? KANEGEN_PRODUCT : KANEGEN_SUM))
        return 0;
    int x = index_of(d->a), y = index_of(d->b);
    return (x == b && y == c) || (x == c && y == b);
}

/* Whether a candidate is what v is made by already. */
static int is_as_before(const web *w, int v, const candidate *c)
{
    const definition *d = &w->values[v].made;
    int kind = c->form == PRODUCT_WITH || c->form == SHIFTED_FACTOR ? KANEGEN_PRODUCT : KANEGEN_SUM;
    if (c->form == TERM)
        return is_made_so(w, v, c->b, c->bop, c->c, c->scaled);
    if (c->form == SHIFT)
        return d->kind == KANEGEN_SHIFTED && index_of(d->a) == c->a1;
    if (d->kind != kind)
        return 0;
    int x = index_of(d->a), y = index_of(d->b);
    for (int turn = 0; turn < 2; turn++) {
        int second;
        if (c->form == SHIFTED_FACTOR)
            second = w->values[y].made.kind == KANEGEN_SHIFTED && index_of(w->values[y].made.a) == c->b;
        else
            second = is_made_so(w, y, c->b, c->bop, c->c, c->scaled);
        if (second && is_made_so(w, x, c->a1, c->aop, c->a2, c->form == COMBINED))
            return 1;
        x = y;
        y = index_of(d->a);
    }
    return 0;
}

static void take(web *w, int v, const candidate *c)
{
    if (is_as_before(w, v, c))
        return;
    definition own;
    numbers k;
    int count = w->count, constants = w->constants;
    w->births = 0;
    if (!defined(w, v, c, &own, &k)) { /* take back what was made for it */
        for (int j = w->births - 1; j >= 0; j--) {
            EACH_OPERAND(w, w->born[j], i)
                w->values[i].uses--;
        }
        w->count = count;
        w->constants = constants;
        return;
    }
    hold(w, &own);
    release(w, v);
    if (own.constant >= 0)
        own.constant = constant_of(w, &k);
    w->price += price_of(&own) - price_of(&w->values[v].made);
    w->values[v].made = own;
    int rank = rank_above(w, &own);
    for (int j = w->births - 1; j >= 0; j--) {
        w->values[w->born[j]].live = w->values[w->born[j]].uses > 0;
        if (w->values[w->born[j]].live)
            w->price += price_of(&w->values[w->born[j]].made);
        else
            release(w, w->born[j]);
    }
    int n = 0;
    for (int i = 0; i < w->living; i++)
        if (w->live[i] < w->leaves || w->values[w->live[i]].live)
            w->live[n++] = w->live[i];
    w->living = n;
    for (int j = 0; j < w->births; j++) {
        value *x = &w->values[w->born[j]];
        if (!x->live)
            continue;
        w->places[w->born[j]] = place_of(&w->numbers[w->born[j]]);
        w->live[w->living++] = w->born[j];
        enter(w, w->born[j]);
    }
    if (rank > w->values[v].rank)
        rank_all(w);
}

/* -- candidates ---------------------------------------------------------------------------------------------------- */

static void offer(web *w, candidate c)
{
    if (w->offered == w->most_offered) {
        candidate *more = realloc(w->found, 2 * w->most_offered * sizeof(candidate));
        if (!more) {
            w->failed = 1;
            return;
        }
        w->found = more;
        w->most_offered *= 2;
    }
    w->found[w->offered++] = c;
}

/* Whether terms of which this is one would lose digits in a sum. */
static int loses(const double *term, const double *sum)
{
    for (int i = 0; i < STATES; i++)
        if (fabs(term[i]) < LARGER * fabs(sum[i]))
            return 0;
    return 1;
}

static int usable(web *w, int i, int v)
{
    return w->values[i].live && !depends(w, i, v);
}

/* What the candidate costs more than the definition that v has, ``fresh`` being the operations that come to life. */
static void price(web *w, candidate *c, int fresh, int saved)
{
    w->closing++;
    if (c->form != TERM)
        fresh += kept_by(w, c->a1);
    if (c->aop != ALONE)
        fresh += kept_by(w, c->a2);
    if (c->form != SHIFT)
        fresh += kept_by(w, c->b);
    if (c->bop != ALONE)
        fresh += kept_by(w, c->c);
    c->price = fresh - saved;
}

/* Offer all in the table with this ratio that the target of a candidate is a multiple of. */
static void look_up(web *w, int v, const candidate *with, const uint64_t target[POINTS], uint64_t key, int saved)
{
    for (uint64_t at = slot_of(&w->table, key); w->table.entries[at].with != EMPTY; at = (at + 1) & w->table.mask) {
        const entry *e = &w->table.entries[at];
        int op = op_of(e), other = other_of(e);
        if (e->key != key || e->b == v || other == v || !usable(w, e->b, v) || (op != ALONE && !usable(w, other, v)))
            continue;
        const place *b = &w->places[e->b], *c = op == ALONE ? b : &w->places[other];
        uint64_t p[POINTS];
        two(b->at, c->at, op, p);
        if (times(p[0], target[2]) != times(p[2], target[0]))
            continue;
        candidate found = *with;
        found.b = e->b;
        found.bop = op;
        found.c = other;
        found.scaled = !((p[0] == target[0] && p[1] == target[1])
                         || (plus(p[0], target[0]) == 0 && plus(p[1], target[1]) == 0));
        if (found.form == TERM && op == ALONE && !found.scaled)
            continue; /* v itself */
        if (op == PLUS || op == MINUS) {
            double sum[STATES];
            for (int i = 0; i < STATES; i++)
                sum[i] = op == PLUS ? b->doubles[i] + c->doubles[i] : b->doubles[i] - c->doubles[i];
            if (loses(b->doubles, sum))
                continue;
        }
        int fresh = price_of_op(op) + (found.scaled ? MULTIPLICATION : 0) + price_of_op(found.aop);
        if (found.form != TERM)
            fresh += found.form == PRODUCT_WITH ? MULTIPLICATION : ADDITION;
        price(w, &found, fresh, saved);
        offer(w, found);
    }
}

/* v = x a + y b: such a and b point the same way beside v. */
static void combinations(web *w, int v, int saved)
{
    const uint64_t *t = at_points(w, v);
    uint64_t *above = w->more, *ratio = w->ratios;
    int n = 0;
    for (int k = 0; k < w->living; k++) {
        const uint64_t *x = at_points(w, w->live[k]);
        if (depends(w, w->live[k], v))
            continue;
        above[n] = minus(times(x[1], t[0]), times(x[0], t[1]));
        ratio[n] = minus(times(x[2], t[0]), times(x[0], t[2]));
        w->who[n++] = w->live[k];
    }
    invert_all(ratio, n, w->room);
    memset(w->heads, -1, sizeof w->heads);
    for (int k = 0; k < n; k++) {
        ratio[k] = times(ratio[k], above[k]);
        if (!ratio[k])
            continue;
        for (int j = w->heads[key_of(ratio[k]) >> 52]; j >= 0; j = w->next[j]) {
            if (ratio[j] != ratio[k])
                continue;
            candidate c = {COMBINED, w->who[j], ALONE, 0, w->who[k], ALONE, 0, 1, 0};
            price(w, &c, 2 * MULTIPLICATION + ADDITION, saved);
            offer(w, c);
        }
        chain_up(w, k, ratio[k]);
    }
}

/* v = a (b + k): v / a differs from b by a number. */
static void shifted_factors(web *w, int v, int singles, int saved)
{
    const uint64_t *x = at_points(w, v);
    memset(w->heads, -1, sizeof w->heads);
    for (int k = 0; k < w->living; k++) {
        const uint64_t *y = at_points(w, w->live[k]);
        if (!depends(w, w->live[k], v))
            chain_up(w, k, minus(y[0], y[1]));
    }
    for (int k = 0; k < singles; k++) {
        int i = w->addends[k].a1;
        uint64_t t[POINTS];
        two(x, w->places[i].inverse, TIMES, t);
        uint64_t difference = minus(t[0], t[1]);
        for (int j = w->heads[key_of(difference) >> 52]; j >= 0; j = w->next[j]) {
            const uint64_t *y = at_points(w, w->live[j]);
            if (minus(y[0], y[1]) != difference || minus(t[0], t[2]) != minus(y[0], y[2]) || y[0] == t[0])
                continue;
            candidate c = {SHIFTED_FACTOR, i, ALONE, 0, w->live[j], ALONE, 0, 1, 0};
            price(w, &c, MULTIPLICATION + ADDITION, saved);
            offer(w, c);
        }
    }
}

/* Look for what v is of this form with an addend or a factor, the ratio of what is left being known. */
static void aim(web *w, int v, int form, const addend *a, uint64_t ratio, int saved)
{
    uint64_t key = key_of(ratio), left[POINTS];
    int itself = form != PRODUCT_WITH && a->aop == ALONE; /* v less a is there, as a pair */
    if (most_with(&w->table, key) <= itself)
        return;
    candidate with = {form, a->a1, a->aop, a->a2, 0, ALONE, 0, 0, 0};
    if (form == PRODUCT_WITH)
        two(at_points(w, v), w->places[a->a1].inverse, TIMES, left);
    else
        two(at_points(w, v), a->at, form == SUM_WITH ? MINUS : PLUS, left);
    look_up(w, v, &with, left, key, saved);
}

/* Offer every other definition of v with up to three new operations. */
static void candidates(web *w, int v)
{
    const place x = w->places[v];
    const uint64_t *t = x.at;
    int saved = dying(w, v) + price_of(&w->values[v].made), n = 0;
    w->offered = 0;
    for (int k = 0; k < w->living; k++) {
        int i = w->live[k];
        const place *y = &w->places[i];
        if (depends(w, i, v))
            continue;
        addend *a = &w->addends[n++];
        *a = (addend){{y->at[0], y->at[1], y->at[2]}, i, ALONE, 0, !loses(y->doubles, x.doubles)};
        uint64_t rest = minus(t[0], a->at[0]);
        if (a->sums && rest == minus(t[1], a->at[1]) && rest == minus(t[2], a->at[2])) {
            candidate c = {SHIFT, i, ALONE, 0, 0, ALONE, 0, 0, 0};
            price(w, &c, ADDITION, saved);
            offer(w, c);
        }
    }
    int singles = n;
    for (int k = draw(w) % 4 ? SAMPLES : 0; k < SAMPLES; k++) { /* sums and products in the place of a */
        const entry *e = &w->table.entries[draw(w) & w->table.mask];
        int op = op_of(e), other = other_of(e);
        if (op < PLUS || !usable(w, e->b, v) || !usable(w, other, v))
            continue;
        addend *a = &w->addends[n++];
        *a = (addend){{0}, e->b, op, other, 1};
        two(at_points(w, e->b), at_points(w, other), op, a->at);
    }
    for (int k = 0; k < n; k++)
        w->ratios[k] = times(plus(t[1], w->addends[k].at[1]), minus(t[1], w->addends[k].at[1]));
    invert_all(w->ratios, n, w->room);
    uint64_t key = key_of(x.ratio);
    candidate term = {TERM, 0, ALONE, 0, 0, ALONE, 0, 0, 0};
    if (t[1])
        look_up(w, v, &term, t, key, saved);
    for (int k = 0; k < n; k++) {
        const addend *a = &w->addends[k];
        uint64_t below, above;
        if (a->sums) {
            inverses(t[1], a->at[1], w->ratios[k], &below, &above);
            if (below)
                aim(w, v, SUM_WITH, a, times(minus(t[0], a->at[0]), below), saved);
            if (above)
                aim(w, v, DIFFERENCE, a, times(plus(t[0], a->at[0]), above), saved);
        }
        if (k < singles)
            aim(w, v, PRODUCT_WITH, a, times(x.ratio, w->places[a->a1].inverse_ratio), saved);
    }
    if (draw(w) % 4 == 0)
        combinations(w, v, saved);
    if (draw(w) % 4 == 0)
        shifted_factors(w, v, singles, saved);
}

/* -- the search ---------------------------------------------------------------------------------------------------- */

/* e^(-price / (1000 temperature)), by products alone: the same on every machine */
static void weigh(web *w, double temperature)
{
    double x = -1.0 / (1000 * temperature), step = 1, term = 1, power_of_it = 1;
    for (int i = 1; i < 12; i++) {
        term = term * x / i;
        step = step + term;
    }
    for (int i = 0; i <= FARTHEST; i++) {
        w->weights[FARTHEST + i] = power_of_it;
        w->weights[FARTHEST - i] = 1 / power_of_it;
        power_of_it = power_of_it * step;
    }
}

static double weight(const web *w, int price)
{
    return price > FARTHEST ? 0 : w->weights[FARTHEST + (price < -FARTHEST ? -FARTHEST : price)];
}

/* Another definition for one value, by heat bath: the one it has is among what is offered. */
static void step(web *w)
{
    if (w->count + MOST_BORN > w->most || w->constants + MOST_BORN > w->most_constants
        || 2 * w->table.filled > (long)w->table.mask)
        compact(w);
    int v = w->live[w->shown + (int)(draw(w) % (uint64_t)(w->living - w->shown))];
    if (w->values[v].made.kind == KANEGEN_OPAQUE)
        return;
    w->turn++;
    candidates(w, v);
    double total = 0;
    for (int k = 0; k < w->offered; k++)
        total += weight(w, w->found[k].price);
    double at = (double)(draw(w) >> 11) / 9007199254740992.0 * total;
    for (int k = 0; k < w->offered; k++) {
        at -= weight(w, w->found[k].price);
        if (at < 0) {
            take(w, v, &w->found[k]);
            return;
        }
    }
}

/* Refer to the first of values that are equal or opposite in place of the others, whatever those are made by. */
static void merge_alike(web *w)
{
    int *same = w->moved; /* references */
    memset(w->heads, -1, sizeof w->heads);
    for (int i = 0; i < w->count; i++) {
        uint64_t x = at_points(w, i)[0], either = x < MODULUS - x ? x : MODULUS - x;
        int sign = 0, j = w->heads[key_of(either) >> 52];
        while (j >= 0 && !(sign = likeness(&w->numbers[j], &w->numbers[i])))
            j = w->next[j];
        same[i] = sign ? sign * (j + 1) : i + 1;
        if (!sign)
            chain_up(w, i, either);
    }
#define MERGE(r) ((r) > 0 ? same[(r) - 1] : -same[-(r) - 1])
    for (int i = 0; i < w->count; i++) {
        definition *d = &w->values[i].made;
        if (d->kind == KANEGEN_LEAF || d->kind == KANEGEN_OPAQUE)
            continue;
        d->a = MERGE(d->a);
        if (d->kind == KANEGEN_SUM || d->kind == KANEGEN_PRODUCT)
            d->b = MERGE(d->b);
    }
    for (int k = 0; k < w->operands; k++)
        w->operand[k] = MERGE(w->operand[k]);
    for (int k = 0; k < w->outputs; k++)
        w->output[k] = MERGE(w->output[k]);
#undef MERGE
}

/* The numbers of a value that is made from those before it. */
static void find_numbers(web *w, int i)
{
    const definition *d = &w->values[i].made;
    int sum = d->kind == KANEGEN_SUM || d->kind == KANEGEN_SHIFTED, one = d->kind == KANEGEN_SCALED || d->kind == KANEGEN_SHIFTED;
    const numbers *other = one ? &w->constant[d->constant] : &w->numbers[index_of(d->b)];
    combine(w->primes, !sum, &w->numbers[index_of(d->a)], d->a < 0 ? -1 : 1, other, !one && d->b < 0 ? -1 : 1, &w->numbers[i]);
}

static void load(web *w, const kanegen_web *given, const int32_t *window, int size)
{
    const numbers *known = given->numbers;
    w->leaves = given->leaves;
    w->count = given->values;
    w->shown = 0;
    w->outputs = given->outputs;
    w->operands = given->operands;
    w->constants = given->constants;
    memcpy(w->output, given->output, given->outputs * sizeof(int));
    memcpy(w->operand, given->operand, given->operands * sizeof(int));
    memcpy(w->constant, given->constant_numbers, given->constants * sizeof(numbers));
    memset(w->values, 0, given->values * sizeof(value));
    for (int i = 0; i < given->values; i++) {
        value *x = &w->values[i];
        x->made = given->definitions[i];
        if (x->made.kind == KANEGEN_LEAF || x->made.kind == KANEGEN_OPAQUE)
            w->numbers[i] = *known++;
        else
            find_numbers(w, i);
        w->places[i] = place_of(&w->numbers[i]);
        x->live = 1;
        x->uses = i < w->leaves;
    }
    merge_alike(w);
    for (int i = 0; i < given->values; i++) {
        EACH_OPERAND(w, i, j)
            w->values[j].uses++;
    }
    for (int k = 0; k < w->outputs; k++)
        w->values[index_of(w->output[k])].uses++;
    for (int i = given->values - 1; i >= w->leaves; i--) { /* what was merged is needed no more */
        if (w->values[i].uses || !w->values[i].live)
            continue;
        w->values[i].live = 0;
        release(w, i);
    }
    w->living = 0;
    for (int k = 0; k < size; k++)
        if (window[k] < w->leaves || w->values[window[k]].live)
            w->live[w->living++] = window[k];
    for (int k = 0; k < w->living; k++)
        w->shown += w->live[k] < w->leaves;
    compact(w);
    w->price = price_of_web(w);
}

/* Copy what lives. */
static void keep(web *w, kanegen_web *best)
{
    int n = 0;
    for (int i = 0; i < w->count; i++)
        w->moved[i] = i < w->leaves || w->values[i].live ? n++ : -1;
    best->values = n;
    best->leaves = w->leaves;
    best->constants = w->constants;
    best->outputs = w->outputs;
    best->operands = w->operands;
    for (int i = 0; i < w->count; i++) {
        if (w->moved[i] < 0)
            continue;
        best->definitions[w->moved[i]] = moved_definition(w, &w->values[i].made);
    }
    memcpy(best->constant_numbers, w->constant, w->constants * sizeof(numbers));
    for (int k = 0; k < w->outputs; k++)
        best->output[k] = moved_reference(w, w->output[k]);
    for (int k = 0; k < w->operands; k++)
        best->operand[k] = moved_reference(w, w->operand[k]);
}

static void *room_for(web *w, long n, size_t size)
{
    void *found = calloc((size_t)n, size);
    w->failed |= !found;
    return found;
}

int kanegen_resubstitute(const kanegen_web *given, kanegen_web *best, int most_values, const uint64_t *primes,
                         uint64_t seed, const int32_t *window, int size, long steps, double hot, double cold, int rise)
{
    web *w = calloc(1, sizeof *w);
    int lowest = -1;
    long pairs = 3 * (long)(size + MOST_BORN) * (size + MOST_BORN) / 2 + given->values, slots = 1024;
    if (!w)
        return -1;
    while (slots < 4 * pairs)
        slots *= 2;
    w->most = most_values;
    w->most_constants = most_values;
    w->primes = primes;
    w->seed = seed;
    w->table.mask = (uint64_t)slots - 1;
    w->values = room_for(w, most_values, sizeof(value));
    w->numbers = room_for(w, most_values, sizeof(numbers));
    w->constant = room_for(w, 2 * (long)most_values, sizeof(numbers));
    w->output = room_for(w, given->outputs + 1, sizeof(int));
    w->operand = room_for(w, given->operands + 1, sizeof(int));
    w->live = room_for(w, most_values, sizeof(int));
    w->places = room_for(w, most_values, sizeof(place));
    w->table.entries = room_for(w, slots, sizeof(entry));
    w->table.filter = room_for(w, slots, 1);
    w->inside = room_for(w, most_values, sizeof(char));
    w->moved = room_for(w, most_values, sizeof(int));
    long targets = 3 * (long)most_values + 2 * SAMPLES + 2;
    w->addends = room_for(w, targets, sizeof(addend));
    w->ratios = room_for(w, targets, sizeof(uint64_t));
    w->room = room_for(w, targets, sizeof(uint64_t));
    w->more = room_for(w, targets, sizeof(uint64_t));
    w->who = room_for(w, targets, sizeof(int));
    w->next = room_for(w, targets, sizeof(int));
    w->most_offered = 4096;
    w->found = room_for(w, w->most_offered, sizeof(candidate));
    if (!w->failed && given->values + MOST_BORN <= most_values) {
        load(w, given, window, size);
        keep(w, best);
        lowest = w->price;
        int now = lowest, cooled = -1;
        long last = 0;
        for (long s = 0; s < steps && w->living > w->shown && !w->failed; s++) {
            /* what has risen far cools at once; a twentieth of the steps has one temperature */
            int above = now > lowest + rise, stage = above ? 20 : (int)(20 * s / steps);
            if (stage != cooled)
                weigh(w, hot + (cold - hot) * stage / 20);
            cooled = stage;
            step(w);
            now = w->price;
            /* in the second half the last of equal ones is kept, so that the next search begins elsewhere */
            if (now < lowest || (now == lowest && stage >= 10 && s - last > APART)) {
                lowest = now;
                last = s;
                keep(w, best);
            }
        }
        if (w->failed)
            lowest = -1;
    }
    void *rooms[] = {w->values, w->numbers, w->constant, w->output, w->operand, w->live, w->moved, w->addends, w->ratios,
                     w->room, w->more, w->who, w->next, w->found, w->inside, w->places, w->table.entries, w->table.filter};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        free(rooms[i]);
    free(w);
    return lowest;
}
