"""TOML, for mechanisms that people write by hand: everything that ``MechanismBuilder`` has, in SI units and radians.

The keys are listed in ``schema``; docs/guide/importing-mjcf-toml-dh.md explains them by examples.  A number may be written
as text with plain arithmetic in the parameters of the file: "m/2 + 0.1", "-pi/2", "30*deg".
"""

from kanegen.codegen.mechanism.importers.toml.reading import from_toml, read

__all__ = ["from_toml", "read"]
