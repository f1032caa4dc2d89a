"""Another engine that tests hold kanegen against: mechanisms as Pinocchio builds them from records."""
