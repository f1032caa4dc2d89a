"""Kernels behind calls: compiled or interpreted, by name, and looked after where a mechanism has dead centres or loops."""
