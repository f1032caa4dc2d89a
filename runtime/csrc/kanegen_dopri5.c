/*
 * The method of Dormand and Prince, order 5 with an error estimate of order 4.
 *
 * Its formulas and their sources are in kanegen_formulas.h. When stability limits the steps: E. Hairer, G. Wanner, "Solving
 * Ordinary Differential Equations II", 2nd ed., Springer 1996 (HNW II), section IV.2.
 */
#include "kanegen_adaptive.h"
#include "kanegen_driver.h"
#include "kanegen_formulas.h"

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

    for (size_t i = 0; i < n; ++i) s[i] = kanegen_dopri5_2(y[i], h, k1[i]);
    if ((status = kanegen_rate_of_change(run, t + C2 * h, s, k2)) != KANEGEN_DONE) return status;

    for (size_t i = 0; i < n; ++i) s[i] = kanegen_dopri5_3(y[i], h, k1[i], k2[i]);
    if ((status = kanegen_rate_of_change(run, t + C3 * h, s, k3)) != KANEGEN_DONE) return status;

    for (size_t i = 0; i < n; ++i) s[i] = kanegen_dopri5_4(y[i], h, k1[i], k2[i], k3[i]);
    if ((status = kanegen_rate_of_change(run, t + C4 * h, s, k4)) != KANEGEN_DONE) return status;

    for (size_t i = 0; i < n; ++i) s[i] = kanegen_dopri5_5(y[i], h, k1[i], k2[i], k3[i], k4[i]);
    if ((status = kanegen_rate_of_change(run, t + C5 * h, s, k5)) != KANEGEN_DONE) return status;

    for (size_t i = 0; i < n; ++i) s[i] = kanegen_dopri5_6(y[i], h, k1[i], k2[i], k3[i], k4[i], k5[i]);
    if ((status = kanegen_rate_of_change(run, t + h, s, k6)) != KANEGEN_DONE) return status;

    for (size_t i = 0; i < n; ++i) y_next[i] = kanegen_dopri5_next(y[i], h, k1[i], k3[i], k4[i], k5[i], k6[i]);
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
        difference[i] = kanegen_dopri5_error(h, k1[i], k3[i], k4[i], k5[i], k6[i], k7[i]);
    }
    *error = kanegen_scaled_norm(run, difference, run->y, run->y_next);
    run->stiff = is_stiff(run, h);
    return KANEGEN_DONE;
}

/* The interpolant of an accepted step. */
static kanegen_status lay_interpolant(kanegen_integration *run, double t_next)
{
    const double h = t_next - run->done->t;
    const double *k1 = run->k[0], *k3 = run->k[2], *k4 = run->k[3], *k5 = run->k[4], *k6 = run->k[5];
    const double *k7 = run->k[6];
    for (size_t i = 0; i < run->m; ++i) {
        run->c5[i] = kanegen_dopri5_c5(h, k1[i], k3[i], k4[i], k5[i], k6[i], k7[i]);
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
