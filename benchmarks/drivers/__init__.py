"""Native timing programs and how they are built."""
