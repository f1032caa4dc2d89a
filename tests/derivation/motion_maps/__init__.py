"""Constrained mechanisms: equations, plan, elimination, springs."""
