"""The type stub: the kernels of a model as methods on arrays, and the functions of its compiled library."""

from __future__ import annotations

import keyword
from collections.abc import Sequence

from kanegen.codegen.emit.identifiers import NameTable, identifier
from kanegen.codegen.emit.layout import INDENT, comment_text, paragraph, signature
from kanegen.codegen.emit.model import Model
from kanegen.codegen.emit.naming import PARAMETERS, PLACES, PREPARED, ROWS, STRIDE, VALUES, VARIED
from kanegen.codegen.emit.precision import Precision
from kanegen.codegen.emit.skeletons import fill
from kanegen.codegen.emit.specification import CArgument, Kernel, Specification, specify
from kanegen.codegen.version import GENERATOR

_TIME = "t"
_TAKEN = (*keyword.kwlist, "self")
_KEYWORDS = ("out", "threads", "parameters", _TIME)
"""What calls on arrays take by keyword."""


def type_stub(model: Model) -> str:
    """The stub: ``KernelName``, ``FrameName``, ``Kernels`` (array calls), ``Library`` (C functions)."""
    spec = specify(model)
    table = NameTable(_TAKEN)
    return (
        fill(
            "c99/stub.pyi",
            prefix=model.prefix,
            generator=GENERATOR,
            kernel_names=_literal([kernel.name for kernel in spec.kernels]),
            frame_names=_literal(model.frame_names),
            methods="\n".join(
                _method(kernel, table.take(kernel.name, longest=None), spec.live) for kernel in spec.kernels
            ),
            functions="\n".join(_functions(spec)),
        )
        + "\n"
    )


def _literal(names: Sequence[str]) -> str:
    if not names:
        return 'Literal[""]'
    lines = "".join(f"\n{INDENT}{_quoted(name)}," for name in names)
    return f"Literal[{lines}\n]"


def _quoted(text: str) -> str:
    escaped = text.encode("unicode_escape").decode("ascii").replace('"', '\\"')
    return f'"{escaped}"'


def _method(kernel: Kernel, name: str, live: bool) -> str:
    array = f"NDArray[np.{'float64' if kernel.precision is Precision.DOUBLE else 'float32'}]"
    table = NameTable((*_TAKEN, *_KEYWORDS))
    parameters = "".join(
        f", {table.take(item.argument.name)}: ArrayLike"
        for item in kernel.inputs
        if item.argument.name != _TIME
    )
    keywords = "".join(
        f", {name}: {kind}"
        for name, kind, is_taken in (
            ("threads", "int = 1", True),
            ("t", "ArrayLike | None = None", any(item.argument.name == _TIME for item in kernel.inputs)),
            ("parameters", "Mapping[str, ArrayLike] | None = None", live),
        )
        if is_taken
    )
    many = len(kernel.outputs) > 1
    result = f"tuple[{', '.join([array] * len(kernel.outputs))}]" if many else array
    shapes = f"{_shapes(kernel.inputs)} -> {_shapes(kernel.outputs)}"
    body = "\n".join(paragraph(f'"""{comment_text(kernel.schedule.program.title)}: {shapes}."""', 8))
    head = signature(
        f"def {name}(self{parameters}, *, out: {result} | None = None{keywords}) -> {result}:", 1
    )
    return f"{head}\n{body}"


def _shapes(items: Sequence[CArgument]) -> str:
    return ", ".join(
        f"{identifier(item.argument.name)} ({', '.join(('...', *map(str, item.argument.shape)))})"
        for item in items
    )


def _functions(spec: Specification) -> list[str]:
    lines: list[str] = []
    shared = [PREPARED] if spec.live else []
    if spec.live:
        lines += [_function(spec.defaults_function, [PARAMETERS])]
        lines += [_function(spec.prepare_function(p), [PARAMETERS, PREPARED]) for p in spec.precisions]
        batch = [PARAMETERS, VARIED, PLACES, VALUES, ROWS, STRIDE, PREPARED]
        lines += [_function(spec.prepare_batch(p), batch) for p in spec.precisions]
    for kernel in spec.kernels:
        arguments = [item.name for item in kernel.inputs + kernel.outputs]
        lines += [_function(kernel.function, shared + arguments)]
        lines += [_function(kernel.batch, [*shared, ROWS, *arguments])]
        lines += [_function(kernel.soa, [*shared, ROWS, STRIDE, *arguments])]
        if spec.live:
            lines += [_function(kernel.varied, [*shared, ROWS, STRIDE, *arguments])]
    return lines


def _function(name: str, parameters: Sequence[str]) -> str:
    table = NameTable(_TAKEN)
    typed = "".join(
        f", {table.take(p)}: {'int' if p in (ROWS, STRIDE, VARIED) else 'Any'}" for p in parameters
    )
    return signature(f"def {name}(self{typed}) -> None: ...", 1)
