"""A linter for models: everything that is wrong or doubtful in one, at once, with severity and cure.

Each check is a pure function from records to findings.  ``examine`` looks at any mechanism; ``examine_urdf`` also at what
only the file shows: lines, spelling, angles that are nearly quarter turns, and models that are too wrong to become one.
"""

from kanegen.codegen.mechanism.doctor.general import examine
from kanegen.codegen.mechanism.doctor.urdf import examine_urdf

__all__ = ["examine", "examine_urdf"]
