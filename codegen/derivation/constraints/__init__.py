"""Constrained mechanisms: a tree of joints, equations between them, and independent generalized speeds."""
