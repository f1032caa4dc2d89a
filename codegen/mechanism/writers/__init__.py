"""Model files from a ``Mechanism``."""
