"""Every mechanism, kernel and formulation, each against a witness that shares nothing with the derivations."""
