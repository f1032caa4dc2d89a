"""The mechanisms of the benchmarks built in other engines, independently of kanegen."""
