"""A tree ready for derivations: where its frames and its inertia sit, and answers to decision points."""
