"""Pictures of mechanisms and of motions by matplotlib, which is optional: nothing of it is imported before it is needed."""
