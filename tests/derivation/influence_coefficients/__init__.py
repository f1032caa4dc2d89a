"""Influence coefficients: kinematics, dynamics, springs and transfer."""
