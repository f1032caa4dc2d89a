"""Skeletons of the generated files: plain text with $names, filled by string.Template."""
