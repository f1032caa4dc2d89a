"""Names that C and Python cannot spell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kanegen.codegen.mechanism.doctor.subject import Place
from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.names import c_names, file_name


def check_model_name(place: Place, name: str, what: str) -> Iterator[Finding]:
    """Findings about the name of a model, which is that of its files, too."""
    return _findings([place], [name], what, {name: file_name(name)})


def check_names(names: Iterable[Place], originals: Iterable[str], what: str) -> Iterator[Finding]:
    """Findings about names of one kind; ``names`` says where each of the ``originals`` is."""
    listed = list(originals)
    return _findings(names, listed, what, c_names(listed))


def _findings(
    names: Iterable[Place], listed: list[str], what: str, identifiers: Mapping[str, str]
) -> Iterator[Finding]:
    for place, name in zip(names, listed, strict=True):
        if name != name.strip():
            yield place.finding(
                Severity.DOUBT,
                "name",
                "begins or ends with white space",
                "a name without",
                "Remove it wherever the name occurs.",
            )
        if identifiers[name] != name:
            yield place.finding(
                Severity.NOTE,
                "name",
                f"becomes {identifiers[name]!r} in the names of files and in C",
                f"a {what} that C and Python can spell",
                "Nothing: in Python the name works as it is.",
            )
