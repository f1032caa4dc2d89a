/* Residues: values of a program as what they leave modulo primes, and a table of the ratios of those.

Equal residues mean equal values, whatever they were written as: ring axioms, c^2 + s^2 = 1 and what a turn keeps all follow
from them without a rule.  What is a multiple of a number has the same ratio of the residues at two points: a table of ratios
tells what another value is a multiple of at one look.

All functions are static and inline: they are the innermost of a search. */

#ifndef KANEGEN_RESIDUES_H
#define KANEGEN_RESIDUES_H

#include <stdint.h>
#include <string.h>

#include "resubstitution.h"

typedef unsigned __int128 wide;

#define MODULUS (((uint64_t)1 << 61) - 1)
#define POINTS KANEGEN_POINTS
#define RESIDUES (KANEGEN_POINTS + 2 * KANEGEN_PRIMES)
#define STATES KANEGEN_STATES

typedef kanegen_numbers numbers;

/* -- modulo 2^61 - 1 ----------------------------------------------------------------------------------------------- */

static inline uint64_t times(uint64_t a, uint64_t b)
{
    wide x = (wide)a * b;
    uint64_t y = (uint64_t)(x & MODULUS) + (uint64_t)(x >> 61);
    return y >= MODULUS ? y - MODULUS : y;
}

static inline uint64_t plus(uint64_t a, uint64_t b)
{
    uint64_t y = a + b;
    return y >= MODULUS ? y - MODULUS : y;
}

static inline uint64_t minus(uint64_t a, uint64_t b)
{
    return a >= b ? a - b : a + MODULUS - b;
}

/* The inverse modulo a prime below 2^61, by Euclid's algorithm; 0 has 0. */
static inline uint64_t inverse_modulo(uint64_t a, uint64_t p)
{
    int64_t x = 1, y = 0;
    uint64_t b = p;
    while (a > 1) {
        uint64_t q = b / a, rest = b % a;
        int64_t next = y - (int64_t)q * x;
        b = a;
        a = rest;
        y = x;
        x = next;
    }
    return a ? (uint64_t)(x < 0 ? x + (int64_t)p : x) : 0;
}

static inline uint64_t inverse_of(uint64_t a)
{
    return inverse_modulo(a, MODULUS);
}

/* Inverses of n residues in place, by one inversion; 0 stays 0. */
static inline void invert_all(uint64_t *x, int n, uint64_t *room)
{
    uint64_t product = 1;
    for (int i = 0; i < n; i++) {
        room[i] = product;
        if (x[i])
            product = times(product, x[i]);
    }
    product = inverse_of(product);
    for (int i = n - 1; i >= 0; i--) {
        if (!x[i])
            continue;
        uint64_t own = x[i];
        x[i] = times(product, room[i]);
        product = times(product, own);
    }
}

/* 1 / (x - y) and 1 / (x + y), of which d is the inverse of the product, or 0 where one of them is. */
static inline void inverses(uint64_t x, uint64_t y, uint64_t d, uint64_t *of_difference, uint64_t *of_sum)
{
    uint64_t difference = minus(x, y), sum = plus(x, y);
    *of_difference = d ? times(d, sum) : inverse_of(difference);
    *of_sum = d ? times(d, difference) : inverse_of(sum);
}

enum { EMPTY, ALONE, PLUS, MINUS, TIMES };

/* out = x, or x op y */
static inline void two(const uint64_t *x, const uint64_t *y, int op, uint64_t out[POINTS])
{
    for (int i = 0; i < POINTS; i++)
        out[i] = op == ALONE ? x[i] : op == PLUS ? plus(x[i], y[i]) : op == MINUS ? minus(x[i], y[i]) : times(x[i], y[i]);
}

/* -- all numbers of a value ---------------------------------------------------------------------------------------- */

/* What residue i is taken modulo: 2^61 - 1 at the points, then each of the further ``primes``. */
static inline uint64_t prime_of(const uint64_t *primes, int i)
{
    return i < POINTS ? MODULUS : primes[(i - POINTS) / 2];
}

/* out = sa a op sb b, the operation being a sum or a product */
static inline void combine(const uint64_t *primes, int product, const numbers *a, int sa, const numbers *b, int sb,
                           numbers *out)
{
    numbers made;
    for (int i = 0; i < RESIDUES; i++) {
        uint64_t p = prime_of(primes, i), x = a->residues[i], y = b->residues[i];
        x = sa < 0 && x ? p - x : x;
        y = sb < 0 && y ? p - y : y;
        made.residues[i] = (uint64_t)(product ? (wide)x * y % p : ((wide)x + y) % p);
    }
    for (int i = 0; i < STATES; i++)
        made.doubles[i] = product ? sa * a->doubles[i] * (sb * b->doubles[i]) : sa * a->doubles[i] + sb * b->doubles[i];
    *out = made;
}

static inline void negate(const uint64_t *primes, const numbers *a, numbers *out)
{
    numbers zero;
    memset(&zero, 0, sizeof zero);
    combine(primes, 0, &zero, 1, a, -1, out);
}

/* Inverses modulo p of n residues, at most POINTS; 0 has 0. */
static inline void inverses_modulo(const uint64_t *x, int n, uint64_t p, uint64_t *found)
{
    uint64_t before[POINTS], product = 1;
    for (int i = 0; i < n; i++) {
        before[i] = product;
        product = x[i] ? (uint64_t)((wide)product * x[i] % p) : product;
    }
    product = inverse_modulo(product, p);
    for (int i = n - 1; i >= 0; i--) {
        found[i] = x[i] ? (uint64_t)((wide)product * before[i] % p) : 0;
        product = x[i] ? (uint64_t)((wide)product * x[i] % p) : product;
    }
}

static inline void divide(const uint64_t *primes, const numbers *a, const numbers *b, numbers *out)
{
    numbers made;
    for (int i = 0, n = POINTS; i < RESIDUES; i += n, n = 2) {
        uint64_t p = prime_of(primes, i), inverse[POINTS];
        inverses_modulo(b->residues + i, n, p, inverse);
        for (int j = 0; j < n; j++)
            made.residues[i + j] = (uint64_t)((wide)a->residues[i + j] * inverse[j] % p);
    }
    for (int i = 0; i < STATES; i++)
        made.doubles[i] = a->doubles[i] / b->doubles[i];
    *out = made;
}

/* The number x of t = x a + y b; 0 is returned where a and b are not independent. */
static inline int share(const uint64_t *primes, const numbers *t, const numbers *a, const numbers *b, numbers *x)
{
    for (int i = 0; i < RESIDUES; i += i ? 2 : POINTS) {
        uint64_t p = prime_of(primes, i);
        const uint64_t *u = a->residues + i, *v = b->residues + i, *s = t->residues + i;
        uint64_t d = (uint64_t)(((wide)u[0] * v[1] % p + p - (wide)u[1] * v[0] % p) % p);
        uint64_t n = (uint64_t)(((wide)s[0] * v[1] % p + p - (wide)s[1] * v[0] % p) % p);
        if (!d || !n)
            return 0;
        uint64_t k = (uint64_t)((wide)n * inverse_modulo(d, p) % p);
        for (int j = i; j < (i ? i + 2 : POINTS); j++)
            x->residues[j] = k;
    }
    const double *u = a->doubles, *v = b->doubles, *s = t->doubles;
    for (int i = 0; i < STATES; i++)
        x->doubles[i] = (s[0] * v[1] - s[1] * v[0]) / (u[0] * v[1] - u[1] * v[0]);
    return 1;
}

/* 1 where the two are equal, -1 where they are opposite, else 0 */
static inline int likeness(const numbers *a, const numbers *b)
{
    int same = 1, opposite = 1;
    for (int i = 0; i < POINTS; i++) {
        same &= a->residues[i] == b->residues[i];
        opposite &= plus(a->residues[i], b->residues[i]) == 0;
    }
    return same ? 1 : opposite ? -1 : 0;
}

/* Those numbers of a value that every step looks at: residues at the points, their inverses, the ratio of the first two
   both ways, and doubles. */
typedef struct {
    uint64_t at[POINTS], inverse[POINTS], ratio, inverse_ratio;
    double doubles[STATES];
} place;

static inline place place_of(const numbers *n)
{
    place x;
    for (int k = 0; k < POINTS; k++) {
        x.at[k] = n->residues[k];
        x.inverse[k] = inverse_of(x.at[k]);
    }
    memcpy(x.doubles, n->doubles, sizeof x.doubles);
    x.ratio = times(x.at[0], x.inverse[1]);
    x.inverse_ratio = times(x.at[1], x.inverse[0]);
    return x;
}

/* -- the table of ratios ------------------------------------------------------------------------------------------- */

/* b, or b op c, by the ratio of its residues; ``with`` is 8 c + op. */
typedef struct {
    uint64_t key;
    int32_t b, with;
} entry;

/* Open addressing: entries with one key follow the slot of it, up to the first that is empty. */
typedef struct {
    entry *entries;
    uint64_t mask;    /* how many entries there is room for, a power of 2, less 1 */
    uint64_t *filter; /* four pairs of bits for each entry: how many there are with a key, at most 3 */
    long filled;
} ratio_table;

static inline uint64_t key_of(uint64_t ratio)
{
    return ratio * 0x9e3779b97f4a7c15u;
}

static inline uint64_t slot_of(const ratio_table *t, uint64_t key)
{
    return (key >> 20) & t->mask;
}

static inline uint64_t filter_bit(const ratio_table *t, uint64_t key)
{
    return 2 * ((key >> 36) & (4 * t->mask + 3));
}

/* No less than how many entries have a key, if they are fewer than 3. */
static inline int most_with(const ratio_table *t, uint64_t key)
{
    uint64_t bit = filter_bit(t, key);
    return (int)(t->filter[bit / 64] >> bit % 64 & 3);
}

static inline int op_of(const entry *e)
{
    return e->with & 7;
}

static inline int other_of(const entry *e)
{
    return e->with >> 3;
}

static inline void put(ratio_table *t, uint64_t ratio, int b, int c, int op)
{
    uint64_t key = key_of(ratio), at = slot_of(t, key), bit = filter_bit(t, key);
    while (t->entries[at].with != EMPTY)
        at = (at + 1) & t->mask;
    t->entries[at] = (entry){key, b, 8 * c + op};
    if (most_with(t, key) < 3)
        t->filter[bit / 64] += (uint64_t)1 << bit % 64;
    t->filled++;
}

static inline void empty(ratio_table *t)
{
    memset(t->entries, 0, (t->mask + 1) * sizeof(entry));
    memset(t->filter, 0, t->mask + 1);
    t->filled = 0;
}

#endif
