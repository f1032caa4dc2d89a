/* MuJoCo's inverse and forward dynamics of a robot as functions of a state, for time_kernels.c.
 *
 * Compile with -DMUJOCO_MODEL='"<model>.mjb"' and -DMUJOCO_ORDER='{...}': which coordinate each of the model's joints is.
 */
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>

static const int order[] = MUJOCO_ORDER;
enum { JOINTS = sizeof order / sizeof order[0] };

static mjModel *model;
static mjData *data;

static void put(double *to, const double *from)
{
    for (int j = 0; j < JOINTS; ++j) to[j] = from[order[j]];
}

static void state(const double *q, const double *v)
{
    if (!data) {
        model = mj_loadModel(MUJOCO_MODEL, NULL);
        data = model ? mj_makeData(model) : NULL;
        if (!data || model->nv != JOINTS) {
            fprintf(stderr, "no model of %d joints\n", JOINTS);
            exit(EXIT_FAILURE);
        }
    }
    put(data->qpos, q);
    put(data->qvel, v);
}

static void mujoco_inverse_dynamics(const double *q, const double *v, const double *a, double *tau)
{
    state(q, v);
    put(data->qacc, a);
    mj_inverse(model, data);
    for (int j = 0; j < JOINTS; ++j) tau[order[j]] = data->qfrc_inverse[j];
}

static void mujoco_forward_dynamics(const double *q, const double *v, const double *tau, double *a)
{
    state(q, v);
    put(data->qfrc_applied, tau);
    mj_forward(model, data);
    for (int j = 0; j < JOINTS; ++j) a[order[j]] = data->qacc[j];
}
