/*
 * The method of Dormand and Prince, order 5 with an error estimate of order 4.
 *
 * Sources: E. Hairer, S. P. Norsett, G. Wanner, "Solving Ordinary Differential Equations I", 2nd ed., Springer
 * 1993 (HNW): table II.5.2, section II.6 (interpolant); E. Hairer, G. Wanner, "Solving Ordinary Differential Equations
 * II", 2nd ed., Springer 1996 (HNW II), section IV.2 (when stability limits the steps).
 */
#include "kanegen_adaptive.h"
#include "kanegen_driver.h"

/* Nodes, coefficients, and E = weights of order 5 less those of order 4. The weights of order 5 are the last row
 * of A, so the seventh stage of a step is the first of the next. D: weights of the interpolant. */
static const double C2 = 1.0 / 5.0, C3 = 3.0 / 10.0, C4 = 4.0 / 5.0, C5 = 8.0 / 9.0;

static const double A21 = 1.0 / 5.0;
static const double A31 = 3.0 / 40.0, A32 = 9.0 / 40.0;
static const double A41 = 44.0 / 45.0, A42 = -56.0 / 15.0, A43 = 32.0 / 9.0;
static const double A51 = 19372.0 / 6561.0, A52 = -25360.0 / 2187.0, A53 = 64448.0 / 6561.0;
static const double A54 = -212.0 / 729.0;
static const double A61 = 9017.0 / 3168.0, A62 = -355.0 / 33.0, A63 = 46732.0 / 5247.0, A64 = 49.0 / 176.0;
static const double A65 = -5103.0 / 18656.0;
static const double A71 = 35.0 / 384.0, A73 = 500.0 / 1113.0, A74 = 125.0 / 192.0, A75 = -2187.0 / 6784.0;
static const double A76 = 11.0 / 84.0;

static const double E1 = 71.0 / 57600.0, E3 = -71.0 / 16695.0, E4 = 71.0 / 1920.0, E5 = -17253.0 / 339200.0;
static const double E6 = 22.0 / 525.0, E7 = -1.0 / 40.0;

static const double D1 = -12715105075.0 / 11282082432.0, D3 = 87487479700.0 / 32700410799.0;
static const double D4 = -10690763975.0 / 1880347072.0, D5 = 701980252875.0 / 199316789632.0;
static const double D6 = -1453857185.0 / 822651844.0, D7 = 69997945.0 / 29380423.0;

/* A step is limited by stability where h |lambda| is at least this for its fastest part, to which the imaginary axis is
 * stable (the negative real one is to 3.3), and that part this many times faster than the motion. */
static const double STABLE = 1.0, FASTER = 4.0;

/* All stages of a step, k1 given, and y_next; k7 is the rate of change there. */
static kanegen_status dopri5_step(kanegen_integration *run, double t, double h)
{
    const size_t n = run->m;
    const double *y = run->y;
    double *s = run->stage, *y_next = run->y_next;
    double *k1 = run->k[0], *k2 = run->k[1], *k3 = run->k[2], *k4 = run->k[3];
    double *k5 = run->k[4], *k6 = run->k[5], *k7 = run->k[6];
    kanegen_status status;

    for (size_t i = 0; i < n; ++i) s[i] = y[i] + h * (A21 * k1[i]);
    if ((status = kanegen_rate_of_change(run, t + C2 * h, s, k2)) != KANEGEN_DONE) return status;

    for (size_t i = 0; i < n; ++i) s[i] = y[i] + h * (A31 * k1[i] + A32 * k2[i]);
    if ((status = kanegen_rate_of_change(run, t + C3 * h, s, k3)) != KANEGEN_DONE) return status;

    for (size_t i = 0; i < n; ++i) s[i] = y[i] + h * (A41 * k1[i] + A42 * k2[i] + A43 * k3[i]);
    if ((status = kanegen_rate_of_change(run, t + C4 * h, s, k4)) != KANEGEN_DONE) return status;

    for (size_t i = 0; i < n; ++i) {
        s[i] = y[i] + h * (A51 * k1[i] + A52 * k2[i] + A53 * k3[i] + A54 * k4[i]);
    }
    if ((status = kanegen_rate_of_change(run, t + C5 * h, s, k5)) != KANEGEN_DONE) return status;

    for (size_t i = 0; i < n; ++i) {
        s[i] = y[i] + h * (A61 * k1[i] + A62 * k2[i] + A63 * k3[i] + A64 * k4[i] + A65 * k5[i]);
    }
    if ((status = kanegen_rate_of_change(run, t + h, s, k6)) != KANEGEN_DONE) return status;

    for (size_t i = 0; i < n; ++i) {
        y_next[i] = y[i] + h * (A71 * k1[i] + A73 * k3[i] + A74 * k4[i] + A75 * k5[i] + A76 * k6[i]);
    }
    return kanegen_rate_of_change(run, t + h, y_next, k7);
}

/* Whether the step was limited by the stability of the method rather than by its error. Stages 6 and 7 belong to the same
 * time, so that |k7 - k6| / |y7 - y6| is how fast the fastest part of the motion is (HNW II, section IV.2); the motion
 * itself is as fast as |k7 - k1| / |y7 - y1|. y6 is in run->stage, the tolerances of the entries in run->scale. */
static bool is_stiff(const kanegen_integration *run, double h)
{
    const double *y1 = run->y, *y6 = run->stage, *y7 = run->y_next, *scale = run->scale;
    const double *k1 = run->k[0], *k6 = run->k[5], *k7 = run->k[6];
    double change = 0.0, distance = 0.0, motion_change = 0.0, motion_distance = 0.0;
    for (size_t i = 0; i < run->n; ++i) {
        const double weight = 1.0 / (scale[i] * scale[i]);
        change += weight * (k7[i] - k6[i]) * (k7[i] - k6[i]);
        distance += weight * (y7[i] - y6[i]) * (y7[i] - y6[i]);
    }
    if (!(distance > 0.0 && h * h * change >= STABLE * STABLE * distance)) return false;
    for (size_t i = 0; i < run->n; ++i) {
        const double weight = 1.0 / (scale[i] * scale[i]);
        motion_change += weight * (k7[i] - k1[i]) * (k7[i] - k1[i]);
        motion_distance += weight * (y7[i] - y1[i]) * (y7[i] - y1[i]);
    }
    return change * motion_distance >= FASTER * FASTER * motion_change * distance;
}

/* One step, and its error as a multiple of the tolerance; not a number if a stage or y_next is not. */
static kanegen_status dopri5_attempt(kanegen_integration *run, double t, double h, double *error)
{
    const double *k1 = run->k[0], *k3 = run->k[2], *k4 = run->k[3], *k5 = run->k[4], *k6 = run->k[5];
    const double *k7 = run->k[6];
    double *difference = run->c4;  /* free until rows are written */
    const kanegen_status status = dopri5_step(run, t, h);
    *error = NAN;
    if (status != KANEGEN_DONE || !kanegen_all_finite(run->n, run->y_next)) return status;
    for (size_t i = 0; i < run->n; ++i) {
        difference[i] = h * (E1 * k1[i] + E3 * k3[i] + E4 * k4[i] + E5 * k5[i] + E6 * k6[i] + E7 * k7[i]);
    }
    *error = kanegen_scaled_norm(run, difference, run->y, run->y_next);
    run->stiff = is_stiff(run, h);
    return KANEGEN_DONE;
}

/* The interpolant of an accepted step. The fifth coefficient raises the Hermite interpolant to order 4 (HNW II.6). */
static kanegen_status lay_interpolant(kanegen_integration *run, double t_next)
{
    const double h = t_next - run->done->t;
    const double *k1 = run->k[0], *k3 = run->k[2], *k4 = run->k[3], *k5 = run->k[4], *k6 = run->k[5];
    const double *k7 = run->k[6];
    for (size_t i = 0; i < run->m; ++i) {
        run->c5[i] = h * (D1 * k1[i] + D3 * k3[i] + D4 * k4[i] + D5 * k5[i] + D6 * k6[i] + D7 * k7[i]);
    }
    kanegen_lay_interpolant(run, t_next, k1, k7);
    return KANEGEN_DONE;
}

/* Make the step's end the state, and its last stage the first of the next step; computed anew where the state was
 * projected since. */
static kanegen_status accept(kanegen_integration *run, double t_next, double t_end)
{
    double *k7 = run->k[6];
    run->k[6] = run->k[0];
    run->k[0] = k7;
    const kanegen_status status = kanegen_accept_step(run, t_next);
    if (status != KANEGEN_DONE || !run->system->constraints || t_next >= t_end) return status;
    return kanegen_rate_of_change(run, t_next, run->y, run->k[0]);
}

static const kanegen_adaptive_method DOPRI5 = {5.0, dopri5_attempt, lay_interpolant, accept};

static kanegen_status dopri5_advance(kanegen_integration *run, double t_begin, double t_end)
{
    return kanegen_advance_adaptively(&DOPRI5, run, t_begin, t_end);
}

static kanegen_status judge(kanegen_integration *run, double h, double t, const double *y, double *multiple)
{
    (void)t, (void)y;
    for (size_t i = 0; i < run->n; ++i) run->defect[i] *= h;
    *multiple = kanegen_adaptive_defect(run, run->defect);
    return KANEGEN_DONE;
}

static const kanegen_method METHOD = {dopri5_advance, .judge = judge};

kanegen_status kanegen_dopri5(const kanegen_system *system, const kanegen_options *options, double *q, double *v,
                              const kanegen_rows *rows, double *workspace, kanegen_statistics *statistics)
{
    const bool valid = kanegen_tolerances_are_valid(options);
    return kanegen_integrate(&METHOD, valid, system, options, q, v, rows, workspace, statistics);
}
