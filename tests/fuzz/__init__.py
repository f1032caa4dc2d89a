"""Damaged inputs for every reader: ``python -m tests.fuzz 20000`` runs many, the tests run some."""
