"""A short program that calls the first kernel of a model."""

from __future__ import annotations

from kanegen.codegen.emit.layout import statement
from kanegen.codegen.emit.skeletons import fill
from kanegen.codegen.emit.specification import CArgument, Specification, call_arguments


def example(spec: Specification) -> str:
    """Ten lines of C (more with live parameters) that print the first output at home, or at an arbitrary state."""
    kernel = spec.kernels[0]
    lines: list[str] = []
    if spec.live:
        lines += statement(f"{spec.parameters_type} parameters;")
        lines += statement(f"{spec.prepared_type(kernel.precision)} values, *prepared = &values;")
        lines += statement(f"{spec.defaults_function}(&parameters);")
        lines += statement(f"{spec.prepare_function(kernel.precision)}(&parameters, prepared);")
    lines += [line for argument in kernel.inputs for line in statement(_input(spec, argument))]
    lines += statement(f"double {', '.join(f'{a.name}{a.bounds}' for a in kernel.outputs)};")
    output = kernel.outputs[0]
    return fill(
        "example.c",
        prefix=spec.model.prefix,
        declarations="\n".join(lines),
        function=kernel.function,
        arguments=call_arguments(spec, kernel),
        size=str(output.argument.size),
        output=output.name,
    )


def _input(spec: Specification, item: CArgument) -> str:
    home = spec.model.home
    if item.argument.name == "q" and item.argument.size == len(home):
        values = ", ".join(repr(float(q)) for q in home)
    else:
        values = ", ".join(f"0.{1 + i % 9}" for i in range(item.argument.size))
    return f"const double {item.name}{item.bounds} = {{{values}}};"
