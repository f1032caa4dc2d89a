"""Links that bend: shapes, integrals, stiffness, tables, and what is refused."""
