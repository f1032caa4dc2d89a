/* Resubstitution: other definitions for the values of a program, found by fingerprints and taken by heat bath. */

#ifndef KANEGEN_RESUBSTITUTION_H
#define KANEGEN_RESUBSTITUTION_H

#include <stdint.h>

/* <declarations> */
enum {
    KANEGEN_POINTS = 3,  /* at which values are known modulo 2^61 - 1 */
    KANEGEN_PRIMES = 24, /* further ones, from which constants are read again as fractions, at two points each */
    KANEGEN_MULTIPLICATION = 1001, /* prices, in thousandths of an addition: those of graph/operations.py */
    KANEGEN_ADDITION = 1000,
    KANEGEN_STATES = 4,  /* at which values are known in doubles, lest a sum be the small difference of large terms */
};
enum { KANEGEN_LEAF, KANEGEN_OPAQUE, KANEGEN_SUM, KANEGEN_PRODUCT, KANEGEN_SCALED, KANEGEN_SHIFTED };

/* What a value is made from.  References are the index of a value + 1, with a sign.

   LEAF: given; a is 1 where it is a number.  OPAQUE: b operands from operands[a] on, at the price of ``constant``.
   SUM: a + b.  PRODUCT: a b.  SCALED: constants[constant] a.  SHIFTED: constants[constant] + a. */
typedef struct {
    int32_t kind, a, b, constant;
} kanegen_definition;

/* Residues: at the points modulo 2^61 - 1, then modulo each further prime at two points. */
typedef struct {
    uint64_t residues[51];
    double doubles[4];
} kanegen_numbers;

/* A program as a web of values, each from one or two others: leaves first, then operands before what is made from them. */
typedef struct {
    int32_t values, leaves, constants, outputs, operands;
    kanegen_definition *definitions;
    kanegen_numbers *numbers;         /* of leaves and opaque values */
    kanegen_numbers *constant_numbers;
    int32_t *output;                  /* references */
    int32_t *operand;                 /* references, of opaque values */
} kanegen_web;

/* Search for a web of the same outputs at a lower price, and leave the best one found in ``best``.

   The ``size`` values of the ``window``, by their indices, leaves first, may be made otherwise, out of one another and of
   what else there is.  ``best`` has room for ``most_values`` values and constants.  Prices are in thousandths of an addition.
   In so many ``steps`` it cools from ``hot`` to ``cold``, temperatures in additions; what is more than ``rise`` thousandths
   above the best cools at once.  ``seed`` decides everything.

   Returns the price of the best one, or -1 where there is no memory or the web has more values than there is room for. */
int kanegen_resubstitute(const kanegen_web *web, kanegen_web *best, int most_values, const uint64_t *primes,
                         uint64_t seed, const int32_t *window, int size, long steps, double hot, double cold, int rise);
/* </declarations> */

#endif
