"""Arms with flexible links: the oracle of Book 1983, other routes to the same equations, and laws they keep."""
