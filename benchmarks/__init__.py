"""Measurements: all of them in one run, or scripts for one question each, run as modules from the repository's root.

    python -m benchmarks
    python -m benchmarks.gpu

Times are recorded, never asserted: a claim about speed is a ratio of two figures of one run.
"""
