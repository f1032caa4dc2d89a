"""Tests of generated C: compiled, run, parsed and counted."""
