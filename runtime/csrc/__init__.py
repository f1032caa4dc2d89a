"""Hand-written C: the integrators, and the script that builds their extension."""
