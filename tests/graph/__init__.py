"""Tests of the expression graph."""
