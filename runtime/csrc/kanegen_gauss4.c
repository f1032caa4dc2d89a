/*
 * Gauss' collocation method with two stages, of order 4, symmetric, that keeps the balance of energy and works.
 *
 * Sources: E. Hairer, C. Lubich, G. Wanner, "Geometric Numerical Integration", 2nd ed., Springer 2006 (HLW): section II.1.3
 * (the method), section VIII.6 (starting values from the steps before, iteration until rounding), section IV.4 (projection).
 *
 * The energy that a step of h misses is of order h^5. It is given to the rates, all by the same factor: along v, which is the
 * steepest direction of the energy in the metric of the kinetic energy, whatever the units are; rates that satisfy
 * constraints do so afterwards. What is kept is the energy in the beginning plus all works since, so that errors do not add up.
 */
#include "kanegen_driver.h"
#include "kanegen_equal_steps.h"

/* k[0], k[1]: rates of change at the stages; k[2], k[3]: at the beginning and the end, for the interpolant; k[4] to k[7]: at the
 * stages of the last step and of that before; k[8]: scratch. */
enum { STAGES = 2, BEGIN = 2, END = 3, LAST = 4, MOST_KEPT = 2, FRESH = 8, MOST_ITERATIONS = 100 };

/* 1/2 -+ sqrt(3)/6 */
static const double C[STAGES] = {0.21132486540518711775, 0.78867513459481288225};
static const double A[STAGES][STAGES] = {{0.25, -0.038675134594812882255}, {0.53867513459481288225, 0.25}};

/* Changes by iteration that no longer fall are rounding where they are below this, relative to the state. */
static const double STAGNANT = 1e-10;

/* The part of the kinetic energy that a step may be given or lose: where less moves, at a turning point, what is missing waits
 * for a later step. */
static const double MOST_CORRECTION = 1e-3;

static double balance(kanegen_integration *run, const double *y, double *T)
{
    const kanegen_energies *energies = run->system->energies;
    const double *v = kanegen_speeds_at(run, y);
    double U, works = 0.0;
    KANEGEN_CALL(energies, kinetic_energy, energies->prepared_kinetic, y, v, T);
    KANEGEN_CALL(energies, potential_energy, energies->prepared_potential, y, &U);
    for (size_t i = run->n; i < run->m; ++i) works += y[i];
    return *T + U - works;
}

static kanegen_status begin(kanegen_integration *run, double t)
{
    double T;
    (void)t;
    if (!run->known) run->kept = 0;
    if (isnan(run->reference)) run->reference = balance(run, run->y, &T);
    return KANEGEN_DONE;
}

/* Rates of change at the stages to begin with: polynomials through those of the steps before, where these are as long. */
static kanegen_status guess(kanegen_integration *run, double t, double h)
{
    const size_t kept = fabs(h - run->kept_step) <= 1e-6 * h ? run->kept : 0;
    if (kept == 0) {
        const kanegen_status status = kanegen_rate_of_change(run, t, run->y, run->k[0]);
        for (size_t m = 0; m < run->m; ++m) run->k[1][m] = run->k[0][m];
        return status;
    }
    for (size_t i = 0; i < STAGES; ++i) {
        for (size_t m = 0; m < run->m; ++m) run->k[i][m] = 0.0;
        for (size_t j = 0; j < STAGES * kept; ++j) {
            const double node = C[j % STAGES] - 1.0 - (double)(j / STAGES);
            double weight = 1.0;
            for (size_t l = 0; l < STAGES * kept; ++l) {
                const double other = C[l % STAGES] - 1.0 - (double)(l / STAGES);
                if (l != j) weight *= (C[i] - other) / (node - other);
            }
            kanegen_add(run->m, run->k[i], weight, run->k[LAST + j]);
        }
    }
    return KANEGEN_DONE;
}

/* Evaluate both stages anew. *change: the largest change of the state by that, *size: the largest entry of the state. */
static kanegen_status iterate(kanegen_integration *run, double t, double h, double *change, double *size)
{
    double *y = run->stage;
    *change = *size = 0.0;
    for (size_t i = 0; i < STAGES; ++i) {
        double *fresh = run->k[FRESH], *old = run->k[i];
        for (size_t m = 0; m < run->m; ++m) y[m] = run->y[m] + h * (A[i][0] * run->k[0][m] + A[i][1] * run->k[1][m]);
        const kanegen_status status = kanegen_rate_of_change(run, t + C[i] * h, y, fresh);
        if (status != KANEGEN_DONE) return status;
        for (size_t m = 0; m < run->n; ++m) {
            const double moved = h * fabs(fresh[m] - old[m]);
            if (!isfinite(fresh[m])) return KANEGEN_NOT_FINITE;
            *change = larger(*change, moved);
            *size = larger(*size, fabs(y[m]) + h * fabs(fresh[m]));
        }
        run->k[i] = fresh;
        run->k[FRESH] = old;
    }
    return KANEGEN_DONE;
}

static kanegen_status gauss4_attempt(kanegen_integration *run, double t, double h, double *error)
{
    double change = INFINITY, size;
    kanegen_status status;
    *error = NAN;
    if ((status = guess(run, t, h)) != KANEGEN_DONE) return status;
    for (int iteration = 0;; ++iteration) {
        const double before = change;
        if (iteration == MOST_ITERATIONS) return KANEGEN_NOT_SOLVED;
        status = iterate(run, t, h, &change, &size);
        if (status == KANEGEN_NOT_FINITE && iteration > 0) return KANEGEN_NOT_SOLVED;
        if (status != KANEGEN_DONE) return status;
        /* The iteration contracts by change / before: what is left to change is a geometric series. */
        if (iteration > 0 && change < before && change * change <= 0.1 * DBL_EPSILON * size * (before - change)) break;
        if (change == 0.0 || (change >= before && change <= STAGNANT * size)) break;
    }
    for (size_t m = 0; m < run->m; ++m) run->y_next[m] = run->y[m] + 0.5 * h * (run->k[0][m] + run->k[1][m]);
    if (kanegen_all_finite(run->n, run->y_next)) *error = 0.0;
    return KANEGEN_DONE;
}

static kanegen_status lay_interpolant(kanegen_integration *run, double t_next)
{
    kanegen_status status;
    if ((status = kanegen_rate_of_change(run, run->done->t, run->y, run->k[BEGIN])) != KANEGEN_DONE) return status;
    if ((status = kanegen_rate_of_change(run, t_next, run->y_next, run->k[END])) != KANEGEN_DONE) return status;
    kanegen_lay_interpolant(run, t_next, run->k[BEGIN], run->k[END]);
    return KANEGEN_DONE;
}

/* Keep the rates at the stages of the step of h. */
static void keep_rates(kanegen_integration *run, double h)
{
    const bool equal = fabs(h - run->kept_step) <= 1e-6 * h;
    for (size_t i = 0; i < STAGES; ++i) {
        double *oldest = run->k[LAST + STAGES + i];
        run->k[LAST + STAGES + i] = run->k[LAST + i];
        run->k[LAST + i] = run->k[i];
        run->k[i] = oldest;
    }
    run->kept = !equal ? 1 : run->kept < MOST_KEPT ? run->kept + 1 : MOST_KEPT;
    run->kept_step = h;
    run->known = true;
}

/* Scale the rates so that energy less works is what it is to be. */
static void keep_energy(kanegen_integration *run)
{
    const kanegen_system *system = run->system;
    const size_t half = system->constraints ? system->nq : system->nv;
    double T, *rates = run->y + system->nq;
    const double missing = run->reference - balance(run, run->y, &T);
    if (!(fabs(missing) <= MOST_CORRECTION * T)) return;
    const double factor = sqrt(1.0 + missing / T);
    for (size_t i = 0; i < half; ++i) rates[i] *= factor;
}

static kanegen_status accept(kanegen_integration *run, double t_next, bool laid)
{
    (void)laid;
    keep_rates(run, t_next - run->done->t);
    const kanegen_status status = kanegen_accept_step(run, t_next);
    if (status == KANEGEN_DONE) keep_energy(run);
    return status;
}

static const kanegen_equal_method GAUSS4 = {begin, gauss4_attempt, lay_interpolant, NULL, accept};

static kanegen_status gauss4_advance(kanegen_integration *run, double t_begin, double t_end)
{
    return kanegen_advance_equally(&GAUSS4, run, t_begin, t_end);
}

static const kanegen_method METHOD = {gauss4_advance, .balances = true, .seen = 4, .judge = kanegen_judge_equal_steps};

kanegen_status kanegen_gauss4(const kanegen_system *system, const kanegen_options *options, double *q, double *v,
                              const kanegen_rows *rows, double *workspace, kanegen_statistics *statistics)
{
    const kanegen_energies *energies = system->energies;
    const bool valid = options->step > 0.0 && energies && KANEGEN_HAS(energies, kinetic_energy)
        && KANEGEN_HAS(energies, potential_energy);
    return kanegen_integrate(&METHOD, valid, system, options, q, v, rows, workspace, statistics);
}
