"""Pinocchio's C++ algorithms compiled here with the flags of the generated C."""
