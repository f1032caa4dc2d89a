"""Tests of the room that prints: each module alone, without a compiler."""
