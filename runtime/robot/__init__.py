"""A robot: the kernels of a mechanism behind calls that take and return NumPy arrays."""

from __future__ import annotations

from kanegen.robot.core import Core
from kanegen.robot.derivatives import (
    Derivatives,
    ForwardDynamicsDerivatives,
    InverseDynamicsDerivatives,
    Linearisation,
    NaturalModes,
)
from kanegen.robot.dynamics import Dynamics
from kanegen.robot.identification import Identification
from kanegen.robot.inverse_kinematics import IKSolution, InverseKinematics
from kanegen.robot.operational import OperationalSpace
from kanegen.robot.pictures import Pictures
from kanegen.robot.quantities import Quantities

__all__ = [
    "ForwardDynamicsDerivatives",
    "IKSolution",
    "InverseDynamicsDerivatives",
    "Linearisation",
    "NaturalModes",
    "Robot",
]


class Robot(
    Dynamics, OperationalSpace, Derivatives, Identification, InverseKinematics, Pictures, Quantities, Core
):
    """A mechanism ready to compute.  ``kanegen.load`` makes one.

    Shapes: coordinates ``q`` are (..., nq), in the order of ``coordinate_names``; speeds ``v``, accelerations ``a`` and
    generalized forces ``tau`` are (..., nv), in the order of ``speed_names``.  Spherical and floating joints have a unit
    quaternion (x, y, z, w) in q, and in v velocities along the child's axes (linear, then angular), so that nq exceeds nv.
    Leading dimensions are a batch of states and broadcast.  Any real arrays or lists are accepted, and values by name, as
    ``{"elbow": 0.3}``, others being those of home, or 0 (``configuration``, ``speeds``).  Results are new arrays, or ``out``
    where it is given: a C-contiguous array of doubles of exactly the result's shape, which may share memory with the inputs;
    the arrays of several outputs share none with each other.  Units are SI, angles radians.

    Where prescribed motions or constraints contain time (``depends_on_time``), calls take it as ``t`` [s], 0 by default: a
    number, or an array that broadcasts with the batch.  Where such equations decide all of the motion, nv is 0: v and a are
    arrays (..., 0), or left out, and kernels that give nothing but what belongs to speeds are not there.

    A kernel that is not among those loaded by default is generated and compiled when it is first asked for, which takes
    seconds, and kept in the cache; the next time it is there at once.  A robot loaded with ``kernels=[…]`` has these alone.

    Every call raises TypeError for elements that are not real numbers, ValueError for wrong shapes, and
    MissingKernelError when the robot has no such kernel.  A constrained mechanism raises DeadCentreError
    where its speeds do not determine its motion, rather than return infinity or NaN for finite arguments, and warns with a
    ModelWarning where q does not close its loops (``with_open_loops`` makes that an error).  Calls may run
    in several threads at once; batches release the interpreter lock for the whole batch.
    """
