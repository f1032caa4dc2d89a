"""xacro: URDF written with macros, expanded by the package ``xacro`` of ROS (the extra ``xacro``).

A xacro file is a program: it evaluates expressions and reads the files that it includes.  Expand only what you would run.
Included files are read by this package's own parser, so that they are as safe as any XML here and errors have lines.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from types import TracebackType
from typing import Any
from xml.dom.minidom import Document
from xml.dom.minidom import Element as Node

from kanegen.codegen.mechanism.findings import Finding, Severity, tell
from kanegen.codegen.mechanism.importers.model_file import Imported
from kanegen.codegen.mechanism.importers.urdf import first_mark, import_element
from kanegen.codegen.mechanism.importers.xacro_packages import find_package
from kanegen.codegen.mechanism.importers.xml_tree import Element, parse_file
from kanegen.codegen.mechanism.records import Mechanism
from kanegen.codegen.mechanism.rounded_angles import ANGLE_TOLERANCE
from kanegen.errors import ModelError
from kanegen.extras import install_command

Place = tuple[str | None, int | None]
"""File and line."""

_KEY = "kanegen-place"
_NAMED = re.compile(r"\$\(\s*arg\s+([^\s()]+)\s*\)|\bxacro\.arg\(\s*['\"]([^'\"]+)['\"]")


class _Copied:
    """Hands the place of a node on to its copies: macros and conditions make them."""

    def handle(self, operation: int, key: str, data: Any, src: Any, dst: Any) -> None:
        if dst is not None:
            dst.setUserData(key, data, self)


_COPIED = _Copied()


def document_of(root: Element) -> Document:
    """A document of nodes that know where they were written."""
    document = Document()
    document.appendChild(_node(root, document))
    return document


def element_of(node: Node, above: Element | None = None) -> Element:
    """The element of a node, with its place, or that of what it is in where xacro has made it anew."""
    file, line = place_of(node) or ((above.file, above.line) if above else (None, None))
    attributes = {str(name): str(value) for name, value in node.attributes.items()}
    shell = Element(node.tagName, attributes, (), file, line)
    content: list[Element | str] = []
    for child in node.childNodes:
        if child.nodeType == child.ELEMENT_NODE:
            content.append(element_of(child, shell))
        elif child.nodeType in (child.TEXT_NODE, child.CDATA_SECTION_NODE):
            content.append(str(child.data))
    return Element(node.tagName, attributes, tuple(content), file, line)


def place_of(node: Node) -> Place | None:
    """Where a node was written, if it is known."""
    place: Place | None = node.getUserData(_KEY)
    return place


def place_of_failure(trace: TracebackType | None) -> Place | None:
    """Where the node was written that was worked on when an error was raised: the innermost one that a call had at hand."""
    found: Place | None = None
    while trace is not None:
        known = trace.tb_frame.f_locals
        for value in (
            list(known.values()) if isinstance(known, dict) else ()
        ):  # xacro evaluates in a mapping of its own
            if isinstance(value, Node):
                found = place_of(value) or found
        trace = trace.tb_next
    return found


def argument_names(root: Element) -> set[str]:
    """The arguments that a file declares or asks for."""
    found: set[str] = set()
    for element in root.walk():
        if element.tag == "xacro:arg":
            found.add(element.attributes.get("name", ""))
        for text in (*element.attributes.values(), element.text):
            found.update(name for names in _NAMED.findall(text) for name in names)
    return found - {""}


def text_of(root: Element) -> str:
    """An element as XML."""
    return str(document_of(root).toxml())


def _node(element: Element, document: Document) -> Node:
    node = document.createElement(element.tag)
    for name, value in element.attributes.items():
        node.setAttribute(name, value)
    place: Any = (element.file, element.line)
    node.setUserData(_KEY, place, _COPIED)
    for part in element.content:
        node.appendChild(
            _node(part, document) if isinstance(part, Element) else document.createTextNode(part)
        )
    return node


_UNDEFINED = "Undefined substitution argument"
_LONGEST = 500  # characters of what xacro says

_ONE_AT_A_TIME = threading.Lock()
"""xacro keeps its state in its module."""


def from_xacro(
    path: str | os.PathLike[str],
    *,
    arguments: Mapping[str, str] | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    floating_base: bool = False,
    allow_unphysical: bool = False,
    angle_tolerance: float = ANGLE_TOLERANCE,
) -> Mechanism:
    """The mechanism of a xacro file.  Raises ModelError.

    ``arguments`` are those that it declares with <xacro:arg>.  ``packages`` are folders of ROS packages by name; others are
    found by package.xml upwards from the file, in ROS_PACKAGE_PATH, and by the names of folders.  The rest is as in
    ``from_urdf``.
    """
    imported = read(
        Path(path),
        arguments=arguments,
        packages=packages,
        floating_base=floating_base,
        allow_unphysical=allow_unphysical,
        angle_tolerance=angle_tolerance,
    )
    tell(imported.findings)
    return imported.mechanism


def read(
    path: Path,
    *,
    arguments: Mapping[str, str] | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    floating_base: bool = False,
    allow_unphysical: bool = False,
    angle_tolerance: float = ANGLE_TOLERANCE,
) -> Imported:
    """The mechanism of a xacro file with findings; see ``from_xacro``."""
    root, findings = expand(path, arguments, packages)
    imported = import_element(root, floating_base, allow_unphysical, angle_tolerance)
    return replace(imported, findings=(*findings, *imported.findings))


def expand(
    path: Path,
    arguments: Mapping[str, str] | None = None,
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
) -> tuple[Element, tuple[Finding, ...]]:
    """The root element of the URDF that a xacro file stands for, and what xacro said.  Raises ModelError.

    Elements keep the file and line in which they were written, in a macro or in an included file.
    """
    written = parse_file(path)
    if not has_xacro(written, path):
        _check_names(path, arguments or {}, set())
        return written, ()
    expanded, said = _expanded(path, arguments or {}, packages or {})
    if not expanded.named("link") and not expanded.named("joint"):
        macros = [element.attributes.get("name", "") for element in written.named("xacro:macro")]
        listed = f": {', '.join(macros[:5])}{', ...' if len(macros) > 5 else ''}" if macros else ""
        raise ModelError(
            written.place,
            f"xacro fragment without a robot{f', macros only{listed}' if macros else ''}",
            "a file that expands to links and joints",
            "Read the file that includes this one.",
        )
    findings = [
        Finding(
            Severity.NOTE,
            "xacro",
            line.strip(),
            "no remarks of xacro",
            "See the documentation of xacro.",
            str(path),
        )
        for line in said.splitlines()
        if line.strip()
    ]
    return expanded, tuple(findings)


def urdf_text(path: Path) -> str:
    """The URDF that a xacro file stands for, for other programs to read.  Raises ModelError."""
    return text_of(expand(path)[0])


def has_xacro(root: Element, path: Path) -> bool:
    """Whether there is anything for xacro to work on; in a file not called .xacro, in what the mechanism depends on."""
    return first_mark(root, plain=path.suffix.lower() != ".xacro") is not None


def _expanded(
    path: Path, arguments: Mapping[str, str], packages: Mapping[str, str | os.PathLike[str]]
) -> tuple[Element, str]:
    xacro, substitution = _package(path)
    said = io.StringIO()
    start = path.resolve().parent
    names: set[str] = set()

    def find(package: str) -> str:
        known = packages.get(package)
        return os.fspath(find_package(package, start) if known is None else known)

    with (
        _ONE_AT_A_TIME,
        _replaced(xacro, substitution, names, find),
        contextlib.redirect_stderr(said),
    ):
        xacro.init_stacks(str(path))
        try:
            document = xacro.parse(None, str(path))
            xacro.process_doc(document, mappings=dict(arguments), verbosity=0)
        except RecursionError as error:
            raise ModelError(
                _where(error, xacro, path),
                "its macros or included files call themselves without end",
                "macros that end, and files that do not include themselves",
                "Mend the recursion.",
            ) from None
        except Exception as error:  # noqa: BLE001 - expressions in the file may raise anything
            refusal = _explained(error, xacro, path)
            if _UNDEFINED in refusal.what:
                _check_names(path, arguments, names)
            raise refusal from None
    _check_names(path, arguments, names)
    return element_of(document.documentElement), said.getvalue()


def _check_names(path: Path, arguments: Mapping[str, str], known: set[str]) -> None:
    """Raise ModelError for arguments that the file does not have."""
    for name in arguments:
        if name not in known:
            near = get_close_matches(name, sorted(known), 1)
            raise ModelError(
                str(path),
                f"has no argument {name!r}",
                f"one of {', '.join(map(repr, sorted(known)))}"
                if known
                else "no arguments: it declares none",
                f"Did you mean {near[0]!r}?" if near else "Leave it out.",
            )


def _package(path: Path) -> tuple[Any, Any]:
    try:
        import xacro
        import xacro.substitution_args as substitution
    except ModuleNotFoundError as error:
        raise ModelError(
            str(path),
            f"this looks like xacro, and the package {error.name!r}, which expands it, is not installed",
            "the package 'xacro', or a URDF",
            f"Install it: {install_command('xacro')}, or expand the file where xacro is: xacro FILE > robot.urdf.",
        ) from None
    return xacro, substitution


@contextlib.contextmanager
def _replaced(xacro: Any, substitution: Any, names: set[str], find: Callable[[str], str]) -> Iterator[None]:
    """xacro with this package's parser for every file, and a $(find ...) that needs no ROS.

    ``names`` collects the arguments that the files have.
    """

    def parse(_: object, filename: str) -> Document:
        if not Path(filename).is_file():
            missing = FileNotFoundError(f"included file {filename!r} does not exist")
            xacro.filestack.pop()  # what is wrong is in the file that includes it
            raise xacro.XacroException(exc=missing)
        root = parse_file(Path(filename))
        names.update(argument_names(root))
        return document_of(root)

    saved = xacro.parse, substitution._eval_find, substitution._eval_dict["find"]  # noqa: SLF001
    xacro.parse, substitution._eval_find = parse, find  # noqa: SLF001
    substitution._eval_dict["find"] = find  # noqa: SLF001
    try:
        yield
    finally:
        xacro.parse, substitution._eval_find, substitution._eval_dict["find"] = saved  # noqa: SLF001


def _explained(error: Exception, xacro: Any, path: Path) -> ModelError:
    """The reason of a failed expansion, in the file, line and macro where it happened."""
    reason: BaseException | None = error
    while reason is not None:
        if isinstance(reason, ModelError):
            return ModelError(f"{path}: {reason.where}", reason.what, reason.expected, reason.cure)
        reason = getattr(reason, "exc", None)
    what = " ".join(str(error).split()) or type(error).__name__
    return ModelError(
        _where(error, xacro, path),
        f"xacro cannot expand it: {what[:_LONGEST]}{'...' if len(what) > _LONGEST else ''}",
        "a xacro file that expands by itself",
        _cure_of_missing(what)
        if _UNDEFINED in what
        else "Mend it until xacro FILE works; macros of other files need the file that includes both.",
    )


def _cure_of_missing(what: str) -> str:
    """How to give the argument that xacro misses."""
    name = what.partition(_UNDEFINED)[2].split()
    given = name[0].strip("'\"") if name else "name"
    return f"Give the argument: arguments={{{given!r}: value}} in Python, --arg {given}:=value on the command line."


def _where(error: Exception, xacro: Any, path: Path) -> str:
    """The file, the line as far as it can be found, and the macro."""
    where = str(xacro.filestack[-1] if xacro.filestack else path)
    causes: list[BaseException | None] = [error, getattr(error, "exc", None), error.__cause__]
    places = [place_of_failure(cause.__traceback__) for cause in causes if isinstance(cause, BaseException)]
    place = next((place for place in places if place is not None), None)
    if place is not None and place[0] is not None:
        where = f"{place[0]}:{place[1]}"
    if xacro.macrostack:
        where += f": macro {xacro.macrostack[-1].body.getAttribute('name')!r}"
    return where
