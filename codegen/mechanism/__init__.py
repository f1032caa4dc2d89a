"""What a mechanism is: validated records, the builder, and the catalogue of built-in mechanisms."""

from kanegen.codegen.mechanism import force_laws
from kanegen.codegen.mechanism.builder import MechanismBuilder
from kanegen.codegen.mechanism.constraints import (
    KnifeEdge,
    Loop,
    LoopKind,
    PositionConstraint,
    PrescribedMotion,
    PrescribedRate,
    RollingContact,
    TorsionalSpringDamper,
    TranslationalSpringDamper,
    VelocityConstraint,
)
from kanegen.codegen.mechanism.control_law import quantity, reference
from kanegen.codegen.mechanism.force_elements import Bushing, ForceElement, ForceLaw, JointSum, PathLength
from kanegen.codegen.mechanism.motion_builder import state
from kanegen.codegen.mechanism.names import c_names
from kanegen.codegen.mechanism.records import (
    BASE,
    IDENTITY3,
    ZERO3,
    Actuator,
    BallJoint,
    Body,
    Frame,
    Inertia,
    Joint,
    JointKind,
    JointLimits,
    Matrix3,
    Mechanism,
    Mimic,
    Parameter,
    Value,
    Vector3,
)
from kanegen.codegen.mechanism.reduction import without_fixed_joints
from kanegen.codegen.mechanism.speeds import (
    AngularVelocityComponent,
    CombinedSpeed,
    DistanceRate,
    GeneralizedSpeed,
    JointRate,
    PointVelocityComponent,
    combined_speed,
)
from kanegen.codegen.mechanism.validation import validated
from kanegen.codegen.mechanism.values import Lift, lift, numeric, to_value
from kanegen.errors import ModelError

__all__ = [
    "BASE",
    "IDENTITY3",
    "ZERO3",
    "Actuator",
    "AngularVelocityComponent",
    "BallJoint",
    "Body",
    "Bushing",
    "CombinedSpeed",
    "DistanceRate",
    "ForceElement",
    "ForceLaw",
    "Frame",
    "GeneralizedSpeed",
    "Inertia",
    "Joint",
    "JointKind",
    "JointLimits",
    "JointRate",
    "JointSum",
    "KnifeEdge",
    "Lift",
    "Loop",
    "LoopKind",
    "Matrix3",
    "Mechanism",
    "MechanismBuilder",
    "Mimic",
    "ModelError",
    "Parameter",
    "PathLength",
    "PointVelocityComponent",
    "PositionConstraint",
    "PrescribedMotion",
    "PrescribedRate",
    "RollingContact",
    "TorsionalSpringDamper",
    "TranslationalSpringDamper",
    "Value",
    "Vector3",
    "VelocityConstraint",
    "c_names",
    "combined_speed",
    "force_laws",
    "lift",
    "numeric",
    "quantity",
    "reference",
    "state",
    "to_value",
    "validated",
    "without_fixed_joints",
]
