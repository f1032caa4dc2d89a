"""What all pictures share: matplotlib where it is there, figures, and files that appear whole or not at all."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

from kanegen.errors import KanegenError
from kanegen.extras import install_command

WITHOUT_DATE = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "ps": {}, "eps": {}}


def matplotlib() -> Any:
    """The library.  Raises KanegenError where it is missing."""
    try:
        import matplotlib as mpl
        import matplotlib.figure
    except ImportError:
        raise KanegenError(
            f"plots need matplotlib, which is not installed. Install it: {install_command('plots')}"
        ) from None
    return mpl


def check_plot(suffix: str) -> None:
    """Raise KanegenError where matplotlib is missing or cannot write files that end in ``suffix``."""
    matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    known = sorted(FigureCanvasAgg.get_supported_filetypes())
    if suffix.lower().removeprefix(".") not in known:
        raise KanegenError(
            f"the name of the plot ends in {suffix!r}; expected one of .{', .'.join(known)}. Name it so"
        )


def figure(path: str | os.PathLike[str] | None, **words: Any) -> Any:
    """A new figure: one of pyplot's, which shows it, or where it goes to a file one of its own.  Raises KanegenError."""
    mpl = matplotlib()
    if path is None:
        import matplotlib.pyplot as plt

        return plt.figure(**words)
    check_plot(Path(path).suffix)
    return mpl.figure.Figure(**words)


def content(drawn: Any, suffix: str) -> bytes:
    """A figure as the content of a file that ends in ``suffix`` (".png", …), the same for the same figure."""
    form, written = suffix.lower().removeprefix("."), io.BytesIO()
    with matplotlib().rc_context({"svg.hashsalt": "kanegen"}):
        drawn.savefig(written, format=form, dpi=150, metadata=WITHOUT_DATE.get(form))
    return written.getvalue()
