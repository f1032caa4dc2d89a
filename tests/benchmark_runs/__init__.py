"""The benchmarks as a program, and what they have written."""
