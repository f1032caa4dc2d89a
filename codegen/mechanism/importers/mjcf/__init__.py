"""MJCF, the format of MuJoCo, read by MuJoCo's own parser (the extra ``mujoco``).

What is read is the compiled model: defaults, includes, frames, composites and inertias from geoms are MuJoCo's business,
and what it makes of them is what counts.  Coordinates keep their meaning: q of a hinge or a slide is its ``qpos`` (with
``ref``), in MuJoCo's order.  Quaternions change their order, from MuJoCo's (w, x, y, z) to (x, y, z, w), and the speeds of
a free joint their axes: MuJoCo's linear velocity is along the axes of the world, here it is along those of the body, as
the angular one.

A compiled model knows no lines of the file: findings name elements.
"""

from kanegen.codegen.mechanism.importers.mjcf.reading import from_mjcf, read

__all__ = ["from_mjcf", "read"]
