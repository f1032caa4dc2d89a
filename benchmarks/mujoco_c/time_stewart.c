/* Nanoseconds per call of MuJoCo's inverse dynamics of a Stewart platform's open tree, one core.
 *
 *     time_stewart MODEL STATES COUNT KERNEL REPEATS RESULTS
 *
 * MODEL    MJCF: six joints of the platform first, then for each of six legs two hinges and a slide
 * STATES   binary doubles, three blocks of COUNT rows of 24: q, dq/dt, d2q/dt2 of all joints, consistent with the loops
 * KERNEL   "open" (mj_inverse alone) or "projected" (mj_inverse and the projection of its forces on the six legs)
 * RESULTS  file that receives COUNT rows of 6 doubles: the forces of the legs, projected in either case
 * One line per repeat on standard output: nanoseconds per call, the whole set of states being one repeat.
 *
 * The projection.  A leg's top moves with J (3 x 3) times the rates of its joints and, on the platform, with P (3 x 6)
 * times the platform's.  With y = J^-T f, the force at the top that stands for the forces f on the leg's joints, and
 * z = J^-T e3, the virtual power of all forces gives  sum P^T z tau = f_platform + sum P^T y.  J's columns and P's come
 * from the axes and anchors that mj_inverse has already computed.
 */
#define _POSIX_C_SOURCE 199309L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mujoco/mujoco.h>

enum { LEGS = 6, JOINTS = 24, PLATFORM = 6 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* The velocity of a point that a unit rate of the joint causes. */
static void joint_column(const mjModel *m, const mjData *d, int joint, const double *point, double *column)
{
    const double *const axis = d->xaxis + 3 * joint;
    if (m->jnt_type[joint] == mjJNT_SLIDE) {
        memcpy(column, axis, 3 * sizeof(double));
        return;
    }
    const double *const anchor = d->xanchor + 3 * joint;
    const double arm[3] = {point[0] - anchor[0], point[1] - anchor[1], point[2] - anchor[2]};
    cross(axis, arm, column);
}

/* Solve 6 equations in place by Gaussian elimination with row pivoting; the solution replaces b. */
static void solve6(double a[LEGS][LEGS], double b[LEGS])
{
    for (int k = 0; k < LEGS; ++k) {
        int pivot = k;
        for (int i = k + 1; i < LEGS; ++i)
            if (fabs(a[i][k]) > fabs(a[pivot][k])) pivot = i;
        if (pivot != k) {
            for (int j = k; j < LEGS; ++j) {
                const double kept = a[k][j];
                a[k][j] = a[pivot][j];
                a[pivot][j] = kept;
            }
            const double kept = b[k];
            b[k] = b[pivot];
            b[pivot] = kept;
        }
        const double inverse = 1.0 / a[k][k];
        for (int i = k + 1; i < LEGS; ++i) {
            const double factor = a[i][k] * inverse;
            for (int j = k + 1; j < LEGS; ++j)
                a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = LEGS - 1; k >= 0; --k) {
        for (int j = k + 1; j < LEGS; ++j)
            b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
}

static void project(const mjModel *m, const mjData *d, double tau[LEGS])
{
    const double *const forces = d->qfrc_inverse;
    double matrix[LEGS][LEGS];
    memcpy(tau, forces, PLATFORM * sizeof(double));
    for (int leg = 0; leg < LEGS; ++leg) {
        const int first = PLATFORM + 3 * leg;
        const double *const top = d->xpos + 3 * m->jnt_bodyid[first + 2];
        const double *const f = forces + first;
        double column[3][3], minors[3][3], y[3], z[3];
        for (int k = 0; k < 3; ++k)
            joint_column(m, d, first + k, top, column[k]);
        for (int k = 0; k < 3; ++k)
            cross(column[(k + 1) % 3], column[(k + 2) % 3], minors[k]);
        const double inverse = 1.0 / dot(column[0], minors[0]);
        for (int i = 0; i < 3; ++i) {
            z[i] = inverse * minors[2][i];
            y[i] = inverse * (minors[0][i] * f[0] + minors[1][i] * f[1] + minors[2][i] * f[2]);
        }
        for (int k = 0; k < PLATFORM; ++k) {
            double moved[3];
            joint_column(m, d, k, top, moved);
            matrix[k][leg] = dot(moved, z);
            tau[k] += dot(moved, y);
        }
    }
    solve6(matrix, tau);
}

static void inverse(const mjModel *m, mjData *d, const double *q, const double *v, const double *a)
{
    memcpy(d->qpos, q, JOINTS * sizeof(double));
    memcpy(d->qvel, v, JOINTS * sizeof(double));
    memcpy(d->qacc, a, JOINTS * sizeof(double));
    mj_inverse(m, d);
}

/* Written at the end of every pass, so that no result is dead. */
static volatile double sink;

int main(int argc, char **argv)
{
    if (argc != 7) {
        fprintf(stderr, "usage: %s MODEL STATES COUNT KERNEL REPEATS RESULTS\n", argv[0]);
        return 2;
    }
    const size_t count = strtoull(argv[3], NULL, 10);
    const size_t repeats = strtoull(argv[5], NULL, 10);
    const int projected = strcmp(argv[4], "projected") == 0;
    if (count == 0 || (!projected && strcmp(argv[4], "open") != 0)) {
        fprintf(stderr, "unknown kernel %s, or no states\n", argv[4]);
        return EXIT_FAILURE;
    }
    char error[300] = "";
    mjModel *const m = mj_loadXML(argv[1], NULL, error, sizeof error);
    if (!m || m->nv != JOINTS || m->nq != JOINTS) {
        fprintf(stderr, "cannot use the model: %s\n", m ? "24 joints are wanted" : error);
        return EXIT_FAILURE;
    }
    mjData *const d = mj_makeData(m);
    const size_t block = count * JOINTS;
    double *const states = malloc(3 * block * sizeof(double));
    double *const out = malloc(count * LEGS * sizeof(double));
    FILE *const input = fopen(argv[2], "rb");
    if (!d || !states || !out || !input || fread(states, sizeof(double), 3 * block, input) != 3 * block) {
        fprintf(stderr, "cannot read %zu states from %s\n", count, argv[2]);
        return EXIT_FAILURE;
    }
    fclose(input);
    const double *const q = states, *const v = q + block, *const a = v + block;

    for (size_t repeat = 0; repeat <= repeats; ++repeat) { /* the first one warms up */
        const double start = now();
        for (size_t i = 0; i < count; ++i) {
            inverse(m, d, q + i * JOINTS, v + i * JOINTS, a + i * JOINTS);
            if (projected) project(m, d, out + i * LEGS);
        }
        const double elapsed = now() - start;
        sink = d->qfrc_inverse[0] + (projected ? out[0] : 0.0);
        if (repeat > 0) printf("%.6g\n", elapsed / (double)count);
    }

    for (size_t i = 0; i < count; ++i) {
        inverse(m, d, q + i * JOINTS, v + i * JOINTS, a + i * JOINTS);
        project(m, d, out + i * LEGS);
    }
    FILE *const results = fopen(argv[6], "wb");
    if (!results || fwrite(out, sizeof(double), count * LEGS, results) != count * LEGS || fclose(results) != 0) {
        fprintf(stderr, "cannot write %s\n", argv[6]);
        return EXIT_FAILURE;
    }
    free(out);
    free(states);
    mj_deleteData(d);
    mj_deleteModel(m);
    return EXIT_SUCCESS;
}
