"""Studies of what authors have published: their algorithms as they wrote them, beside today's derivations."""
