"""From generated C to a loaded module: the compiler, the cache of what it made, and whom it is trusted from."""
