/*
 * The rows of a motion, and looks at the motion between steps: is its rate of change that of the mechanism there?
 *
 * The difference, the defect, is what the interpolant does not know. Where steps and their errors are what they seem to be it
 * is small, in proportion to the tolerance. A force that acts between two stages of a step and at none of them, such as a
 * short pulse, is all defect.
 */
#include "kanegen_rows.h"

#include "kanegen_formulas.h"

#include <string.h>

/* Write the next row: the state y, and the force acting there, which is left in run->tau_there. */
static kanegen_status write_row(kanegen_integration *run, const double *y)
{
    const size_t row = run->done->rows, nq = run->system->nq, nv = run->system->nv, works = run->m - run->n;
    double *tau = run->tau_there;
    const double t = run->rows->every > 0 ? run->done->t : run->rows->t[row];
    kanegen_at(run, t);
    memcpy(run->rows->q + row * nq, y, nq * sizeof *y);
    memcpy(run->rows->v + row * nv, kanegen_speeds_at(run, y), nv * sizeof *y);
    if (run->nx > 0) memcpy(run->rows->x + row * run->nx, y + run->n - run->nx, run->nx * sizeof *y);
    if (run->rows->work) memcpy(run->rows->work + row * works, y + run->n, works * sizeof *y);
    memcpy(tau, run->tau, run->forces * sizeof *tau);
    const kanegen_status status = kanegen_find_force(run, t, y, tau);
    if (status != KANEGEN_DONE) return status;
    memcpy(run->rows->tau + row * nv, kanegen_controller_part(run, tau), nv * sizeof *tau);
    run->done->rows++;
    return KANEGEN_DONE;
}

/* The row of the present step, if each so many have one and it is one of these. */
static kanegen_status write_row_of_step(kanegen_integration *run)
{
    const kanegen_rows *rows = run->rows;
    if (run->has_row || run->done->accepted % rows->every != 0) return KANEGEN_DONE;
    rows->step_t[run->done->rows] = run->done->t;
    run->has_row = true;
    const kanegen_status status = write_row(run, run->y);
    if (status != KANEGEN_DONE || run->done->rows < rows->count) return status;
    rows->full(rows->full_data);
    run->done->rows = 0;
    return run->system->stop && *run->system->stop ? KANEGEN_STOPPED : KANEGEN_DONE;
}

kanegen_status kanegen_write_rows_here(kanegen_integration *run)
{
    const double t = run->done->t;
    if (run->rows->every > 0) return write_row_of_step(run);
    while (run->done->rows < run->rows->count) {
        const double t_row = run->rows->t[run->done->rows];
        if (t_row > t && !kanegen_same_instant(run, t_row, t)) break;
        const kanegen_status status = write_row(run, run->y);
        if (status != KANEGEN_DONE) return status;
    }
    return KANEGEN_DONE;
}

static bool is_before(const kanegen_integration *run, size_t index, size_t count, const double *times, double t_next)
{
    return index < count && times[index] < t_next && !kanegen_same_instant(run, times[index], t_next);
}

static bool is_row_before(const kanegen_integration *run, double t_next)
{
    return run->rows->every == 0 && is_before(run, run->done->rows, run->rows->count, run->rows->t, t_next);
}

static bool is_probe_before(const kanegen_integration *run, double t_next)
{
    return kanegen_force_varies(run) && is_before(run, run->probes, run->rows->probe_count, run->rows->probes, t_next);
}

bool kanegen_row_before(const kanegen_integration *run, double t_next)
{
    return is_row_before(run, t_next) || is_probe_before(run, t_next);
}

void kanegen_lay_interpolant(kanegen_integration *run, double t_next, const double *k_begin, const double *k_end)
{
    const double h = t_next - run->done->t;
    for (size_t i = 0; i < run->m; ++i) {
        const double d = run->y_next[i] - run->y[i];
        run->c3[i] = kanegen_c3(d, h, k_begin[i]);
        run->c4[i] = kanegen_c4(d, h, k_end[i], run->c3[i]);
    }
}

kanegen_status kanegen_interpolate(kanegen_integration *run, double s, double *y_there)
{
    const double *y = run->y, *y_next = run->y_next, *c3 = run->c3, *c4 = run->c4, *c5 = run->c5;
    for (size_t i = 0; i < run->m; ++i) y_there[i] = kanegen_between(y[i], y_next[i] - y[i], s, c3[i], c4[i], c5[i]);
    return kanegen_project(run, y_there);
}

/* Hold the rate of change there against that of the mechanism at the state y_there, under the forces run->tau_there. */
static kanegen_status look(kanegen_integration *run, double t, double s, double h, const double *y_there)
{
    const double *y = run->y, *y_next = run->y_next, *c3 = run->c3, *c4 = run->c4, *c5 = run->c5, r = 1.0 - s;
    kanegen_statistics *done = run->done;
    double multiple = 0.0;
    kanegen_rate_under(run, y_there, run->tau_there, run->rate);
    done->probes++;
    for (size_t i = 0; i < run->n; ++i) {
        const double inner = c4[i] + r * c5[i], outer = c3[i] + s * inner;
        const double slope = y_next[i] - y[i] + (r - s) * outer + s * r * (inner - s * c5[i]);
        run->defect[i] = slope / h - run->rate[i];
    }
    const kanegen_status status = run->method->judge(run, h, t, y_there, &multiple);
    if (status == KANEGEN_DONE && multiple > done->defect) {
        done->defect = multiple;
        done->defect_t = t;
    }
    return status;
}

kanegen_status kanegen_write_interpolated_rows(kanegen_integration *run, double t_next)
{
    const double t = run->done->t, h = t_next - t;
    const bool looks = kanegen_force_varies(run);
    double *y_there = run->stage;
    kanegen_status status;
    while (is_row_before(run, t_next)) {
        const double t_row = run->rows->t[run->done->rows], s = (t_row - t) / h;
        kanegen_at(run, t_row);
        if ((status = kanegen_interpolate(run, s, y_there)) != KANEGEN_DONE) return status;
        if ((status = write_row(run, y_there)) != KANEGEN_DONE) return status;
        if (!looks) continue;
        if ((status = look(run, t_row, s, h, y_there)) != KANEGEN_DONE) return status;
    }
    for (; is_probe_before(run, t_next); run->probes++) {
        const double t_probe = run->rows->probes[run->probes], s = (t_probe - t) / h;
        if (t_probe <= t) continue;
        kanegen_at(run, t_probe);
        if ((status = kanegen_interpolate(run, s, y_there)) != KANEGEN_DONE) return status;
        memcpy(run->tau_there, run->tau, run->forces * sizeof(double));
        if ((status = kanegen_find_force(run, t_probe, y_there, run->tau_there)) != KANEGEN_DONE) return status;
        if ((status = look(run, t_probe, s, h, y_there)) != KANEGEN_DONE) return status;
    }
    return KANEGEN_DONE;
}
