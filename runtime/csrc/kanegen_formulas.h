/*
 * Private to the integrators: the formulas of the methods that one motion and many in lanes share, entry by entry.
 *
 * Sources: E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I", 2nd ed., Springer 1993 (HNW):
 * tables II.1.2 (Kutta 1901) and II.5.2 (Dormand and Prince), section II.6 (interpolants), section II.4 (error norm, first
 * step); E. Hairer, G. Wanner, "Solving Ordinary Differential Equations II", 2nd ed., Springer 1996, section IV.2 (PI
 * control).
 */
#ifndef KANEGEN_FORMULAS_H
#define KANEGEN_FORMULAS_H

#include "kanegen_integration.h"

/* ---- Kutta's method of order 4 ---- */

static inline double kanegen_rk4_half(double y, double h, double k)
{
    return y + 0.5 * h * k;
}

static inline double kanegen_rk4_whole(double y, double h, double k)
{
    return y + h * k;
}

static inline double kanegen_rk4_next(double y, double h, double k1, double k2, double k3, double k4)
{
    return y + h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4);
}

/* ---- Dormand and Prince, order 5, with an error estimate of order 4 ---- */

/* Nodes, coefficients, and E = weights of order 5 less those of order 4. The weights of order 5 are the last row
 * of A, so the seventh stage of a step is the first of the next. D: weights of the interpolant. */
#define C2 (1.0 / 5.0)
#define C3 (3.0 / 10.0)
#define C4 (4.0 / 5.0)
#define C5 (8.0 / 9.0)

static inline double kanegen_dopri5_2(double y, double h, double k1)
{
    return y + h * (1.0 / 5.0 * k1);
}

static inline double kanegen_dopri5_3(double y, double h, double k1, double k2)
{
    return y + h * (3.0 / 40.0 * k1 + 9.0 / 40.0 * k2);
}

static inline double kanegen_dopri5_4(double y, double h, double k1, double k2, double k3)
{
    return y + h * (44.0 / 45.0 * k1 + -56.0 / 15.0 * k2 + 32.0 / 9.0 * k3);
}

static inline double kanegen_dopri5_5(double y, double h, double k1, double k2, double k3, double k4)
{
    return y + h * (19372.0 / 6561.0 * k1 + -25360.0 / 2187.0 * k2 + 64448.0 / 6561.0 * k3 + -212.0 / 729.0 * k4);
}

static inline double kanegen_dopri5_6(double y, double h, double k1, double k2, double k3, double k4, double k5)
{
    return y + h * (9017.0 / 3168.0 * k1 + -355.0 / 33.0 * k2 + 46732.0 / 5247.0 * k3 + 49.0 / 176.0 * k4
                    + -5103.0 / 18656.0 * k5);
}

static inline double kanegen_dopri5_next(double y, double h, double k1, double k3, double k4, double k5, double k6)
{
    return y + h * (35.0 / 384.0 * k1 + 500.0 / 1113.0 * k3 + 125.0 / 192.0 * k4 + -2187.0 / 6784.0 * k5 + 11.0 / 84.0 * k6);
}

static inline double kanegen_dopri5_error(double h, double k1, double k3, double k4, double k5, double k6, double k7)
{
    return h * (71.0 / 57600.0 * k1 + -71.0 / 16695.0 * k3 + 71.0 / 1920.0 * k4 + -17253.0 / 339200.0 * k5
                + 22.0 / 525.0 * k6 + -1.0 / 40.0 * k7);
}

/* The coefficient that raises the Hermite interpolant to order 4 (HNW II.6). */
static inline double kanegen_dopri5_c5(double h, double k1, double k3, double k4, double k5, double k6, double k7)
{
    return h * (-12715105075.0 / 11282082432.0 * k1 + 87487479700.0 / 32700410799.0 * k3
                + -10690763975.0 / 1880347072.0 * k4 + 701980252875.0 / 199316789632.0 * k5
                + -1453857185.0 / 822651844.0 * k6 + 69997945.0 / 29380423.0 * k7);
}

/* ---- interpolants ---- */

/* With h = t_next - t and d = y_next - y,
 *
 *     y(t + s h) = y + s (d + (1 - s) (c3 + s (c4 + (1 - s) c5))),   c3 = h k_begin - d,   c4 = d - h k_end - c3
 *
 * is the cubic Hermite interpolant for c5 = 0; any c5 leaves values and rates of change at both ends alone. */
static inline double kanegen_c3(double d, double h, double k_begin)
{
    return h * k_begin - d;
}

static inline double kanegen_c4(double d, double h, double k_end, double c3)
{
    return d - h * k_end - c3;
}

static inline double kanegen_between(double y, double d, double s, double c3, double c4, double c5)
{
    const double r = 1.0 - s;
    return y + s * (d + r * (c3 + s * (c4 + r * c5)));
}

/* ---- the length of steps ---- */

/* The number of equal steps of a stretch. The margin lets 0.1 s be ten steps of 0.01 s although the quotient of the two may
 * round up. */
static inline double kanegen_equal_steps(double t_begin, double t_end, double step)
{
    return larger(1.0, ceil((t_end - t_begin) / step - 1e-9));
}

/* What the tolerance makes of an entry of the state that is a and then b. */
static inline double kanegen_scale(const kanegen_options *options, double a, double b)
{
    return options->atol + options->rtol * larger(fabs(a), fabs(b));
}

/* A first step (HNW II.4): h0 = 1 % of |y| / |dy/dt|, then h1 such that h1^order max(|dy/dt|, |d2y/dt2|) = 1 %, the second
 * derivative taken from an Euler step over h0. The norms are d0, d1 and d2. */
static inline double kanegen_trial_step(double d0, double d1, double h_max)
{
    const bool tells = d0 >= 1e-5 && d1 >= 1e-5 && isfinite(d0) && isfinite(d1);
    return smaller(h_max, tells ? 0.01 * d0 / d1 : 1e-6);
}

static inline double kanegen_first_step(double order, double d1, double d2, double h0, double h_max)
{
    const double steepest = larger(d1, d2);
    const double h1 = steepest <= 1e-15 ? larger(1e-6, 1e-3 * h0) : pow(0.01 / steepest, 1.0 / order);
    return isfinite(d2) ? smaller(h_max, smaller(100.0 * h0, h1)) : h0;
}

/* Step control: h_new = h SAFETY error^-ALPHA last_error^BETA, within bounds, where ALPHA = 1/order - 3/4 BETA. */
#define SAFETY 0.9
#define SHRINK_MOST 0.2
#define GROW_MOST 10.0
#define BETA 0.04
#define SMALLEST_LAST_ERROR 1e-4

/* What a step towards t_end leads to; whether it lands there. The margins: no step of a sliver at the end, though the
 * quotient of the stretch and the longest step round up. */
static inline bool kanegen_plan_step(double t, double t_end, double proposed, double longest, double *t_next)
{
    const bool lands = t_end - t <= smaller(1.01 * proposed, (1.0 + 1e-9) * longest);
    *t_next = lands ? t_end : t + smaller(proposed, longest);
    return lands;
}

/* The next step after one of h, and whether that is accepted: its error is a multiple of the tolerance, or not a number where
 * a stage left the domain of the dynamics, in which a shorter step may stay. *status: where no shorter one is left. */
static inline bool kanegen_judge_step(kanegen_control *control, double order, double h, double error, bool lands, double t,
                                      double duration, kanegen_status *status)
{
    const double alpha = 1.0 / order - 0.75 * BETA, proposed = control->step;
    *status = KANEGEN_DONE;
    if (!(error <= 1.0)) {
        const double shortest_at_zero = DBL_EPSILON * DBL_EPSILON * duration;
        control->just_rejected = true;
        control->step = h * (isnan(error) ? SHRINK_MOST : larger(SHRINK_MOST, SAFETY * pow(error, -alpha)));
        /* Any shorter, the rounding of t + step could undo that the step shrinks. */
        if (control->step <= larger(shortest_at_zero, 10.0 * DBL_EPSILON * fabs(t))) {
            *status = isnan(error) ? KANEGEN_NOT_FINITE : KANEGEN_STEP_UNDERFLOW;
        }
        return false;
    }
    /* No growth right after a rejection; a step cut short by t_end does not shorten the one after it. */
    const double factor = SAFETY * pow(error, -alpha) * pow(control->last_error, BETA);
    control->step = h * smaller(control->just_rejected ? 1.0 : GROW_MOST, larger(SHRINK_MOST, factor));
    if (lands) control->step = larger(control->step, proposed);
    control->last_error = larger(error, SMALLEST_LAST_ERROR);
    control->just_rejected = false;
    return true;
}

#endif
