"""Physics to expressions: one module for each formulation."""
