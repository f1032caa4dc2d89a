"""Mechanisms in other engines, as independent witnesses."""
