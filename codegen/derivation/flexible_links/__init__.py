"""Arms with flexible links: assumed modes on Book's kinematics (1983)."""

from kanegen.codegen.derivation.flexible_links.kernels import (
    book_kernels,
    flexible_kernels,
    optional_flexible_kernels,
)

__all__ = ["book_kernels", "flexible_kernels", "optional_flexible_kernels"]
