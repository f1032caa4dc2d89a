"""Kane's method for motions as they are given, and with nonholonomic partial velocities."""
