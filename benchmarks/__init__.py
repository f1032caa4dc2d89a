"""Measurements: one script per question, run as modules from the repository's root.

    python -m benchmarks.kernels_stanford_arm
    python -m benchmarks.simulation_stanford_arm

Times are recorded, never asserted: a claim about speed is a ratio of two figures of one run.
"""
