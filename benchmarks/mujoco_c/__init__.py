"""MuJoCo's C functions called from C, and what a user has to add to them for a closed mechanism."""
