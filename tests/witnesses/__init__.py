"""What tests hold kanegen against: mechanics written down a second time, and other engines."""
