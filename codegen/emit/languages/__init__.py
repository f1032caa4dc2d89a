"""The languages that kernels are written in.  To add one, add a module with its record, a folder of templates, and a row."""

from __future__ import annotations

from collections.abc import Mapping

from kanegen.codegen.emit.language import Language
from kanegen.codegen.emit.languages.c99 import C99
from kanegen.codegen.emit.languages.cuda import CUDA

LANGUAGES: Mapping[str, Language] = {"c99": C99, "cuda": CUDA}
"""By the word for the option ``language``."""
