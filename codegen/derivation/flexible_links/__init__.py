"""Arms with flexible links: assumed modes on Book's kinematics (1983)."""
