"""Random URDFs: the records of the importer against Pinocchio's own parser, which shares no line with it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from kanegen.codegen.mechanism.importers.urdf import from_urdf
from tests.witnesses.pinocchio_trees import PinocchioTree, pinocchio

from .documents import joint, link, robot

Array = NDArray[np.float64]
SIZE = 8
TOLERANCE = 1e-12
"""Of the largest component: eight bodies of order one, some thousand roundings, random signs."""


def numbers(values: Array) -> str:
    return " ".join(map(repr, values.tolist()))


def random_text(seed: int) -> str:
    """A tree with all joint types of one coordinate or none, frames and inertias turned everywhere."""
    random = np.random.default_rng(seed)

    def uniform(*shape: int) -> Array:
        return random.uniform(-1, 1, shape)

    def origin() -> str:
        choice = random.integers(4)
        angles = uniform(3) if choice else np.pi / 2 * random.integers(-2, 3, 3)
        return f'<origin xyz="{numbers(uniform(3))}" rpy="{numbers(angles)}"/>' if choice < 3 else ""

    def inertial() -> str:
        a = uniform(3, 3)
        second = a @ a.T  # of the distribution of mass: the tensor is then possible
        i = np.trace(second) * np.eye(3) - second
        names = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2), "ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
        entries = " ".join(f'{name}="{float(i[at])!r}"' for name, at in names.items())
        return (
            f'<inertial>{origin()}<mass value="{random.uniform(0.5, 2)!r}"/><inertia {entries}/></inertial>'
        )

    def axis() -> str:
        choice = random.integers(3)
        if choice == 0:
            return ""
        direction = (
            uniform(3)
            if choice == 1
            else np.roll([random.choice([-1.0, 1.0, 2.0]), 0, 0], random.integers(3))
        )
        return f'<axis xyz="{numbers(direction)}"/>'

    links = [link("l0", inertial())]
    joints = []
    for k in range(1, SIZE):
        kind = "revolute" if k == 1 else random.choice(["revolute", "prismatic", "fixed", "continuous"])
        limit = '<limit lower="-1" upper="1" velocity="1" effort="1"/>' if kind != "fixed" else ""
        links.append(link(f"l{k}", inertial() if random.integers(5) else ""))
        parent = f"l{random.integers(k)}"
        joints.append(joint(f"j{k}", parent, f"l{k}", origin() + axis() + limit, kind=str(kind)))
    return robot(*links, *joints)


@pytest.mark.parametrize("seed", range(30))
def test_random_trees(seed: int) -> None:
    text = random_text(seed)
    arm = from_urdf(text)
    ours = PinocchioTree(arm)
    model = pinocchio().buildModelFromXML(text)
    data = model.createData()
    q, v, a = np.random.default_rng(seed).uniform(-1, 1, (3, arm.dof))
    theirs = [model.joints[model.getJointId(name)] for name in arm.coordinates]
    q_theirs, v_theirs, a_theirs = pinocchio().neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    for k, j in enumerate(theirs):
        # Pinocchio's continuous joints have cosine and sine for a coordinate
        q_theirs[j.idx_q : j.idx_q + j.nq] = [q[k]] if j.nq == 1 else [np.cos(q[k]), np.sin(q[k])]
        v_theirs[j.idx_v], a_theirs[j.idx_v] = v[k], a[k]
    order = [j.idx_v for j in theirs]
    close(ours.inverse_dynamics(q, v, a), pinocchio().rnea(model, data, q_theirs, v_theirs, a_theirs)[order])
    upper = np.triu(pinocchio().crba(model, data, q_theirs))
    full = upper + np.triu(upper, 1).T
    close(ours.mass_matrix(q), full[np.ix_(order, order)])
    pinocchio().framesForwardKinematics(model, data, q_theirs)
    for frame in arm.frames:
        index = model.getFrameId(frame.name, pinocchio().FrameType.BODY)
        close(ours.frame_pose(q, frame.name), data.oMf[index].homogeneous)


def close(ours: Array, theirs: Array) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=TOLERANCE * max(1.0, np.abs(theirs).max()))
