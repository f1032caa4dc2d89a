"""From a file or a text to a compiled model of MuJoCo, with the angles that are meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.importers.mjcf.placing import to_fraction
from kanegen.codegen.mechanism.importers.model_file import model_bytes
from kanegen.codegen.mechanism.rounded_angles import ANGLE_TOLERANCE, AngleRule, Written, decimals_of
from kanegen.errors import ModelError
from kanegen.extras import install_command
from kanegen.files import exists, is_file

_DOCTYPE = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s++|<\?.*?\?>|<!--.*?-->)*+<!DOCTYPE", re.DOTALL)
_NAMED = re.compile(rb"<\s*(include\b)?[^<>]*?\bfile\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_FOLDER = re.compile(rb"\b(?:meshdir|texturedir|assetdir)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


def check_files(path: Path) -> list[bytes]:
    """The contents of a model and of the files that it includes.

    Raises ModelError where one of them, or of their assets, is no regular file of its size, and for a document type
    declaration.  Files that do not exist are left to MuJoCo.
    """
    folder = path.parent
    read: dict[Path, bytes] = {}
    waiting, assets, folders = [path], set[Path](), {Path()}
    while waiting:
        current = waiting.pop()
        if current in read:
            continue
        raw = read[current] = model_bytes(current)
        refuse_doctype(raw, str(current))
        folders.update(_path(one or other) for one, other in _FOLDER.findall(raw))
        for include, one, other in _NAMED.findall(raw):
            named = _path(one or other)
            if include:
                waiting += [found for found in (folder / named, current.parent / named) if exists(found)]
            else:
                assets.add(named)
    for named in assets:
        for beside in folders:
            found = folder / beside / named
            if exists(found) and not is_file(found) and not found.is_dir():
                raise ModelError(
                    str(path), f"names {str(named)!r}, which is no regular file", "a file", "Name a file."
                )
    return list(read.values())


def refuse_doctype(raw: bytes, file: str | None) -> None:
    """Raise ModelError for a document type declaration: MuJoCo skips it, and would read its entities as plain letters."""
    if found := _DOCTYPE.match(raw):
        line = found.group().count(b"\n") + 1
        raise ModelError(
            f"line {line}" if file is None else f"{file}:{line}",
            "has a document type declaration",
            "plain XML: MuJoCo knows no entities beyond those of XML itself",
            "Remove <!DOCTYPE ...> and write out the entities that it declares.",
        )


def _path(name: bytes) -> Path:
    return Path(name.decode("utf-8", "surrogateescape").replace("\0", "?"))


_ANGLES = re.compile(rb"""\b(?:euler|axisangle)\s*=\s*["']([^"']*)""")


def can_mend(mujoco: Any) -> bool:
    """Whether this release of MuJoCo lets a parsed model be edited; with earlier ones angles stay as written."""
    parts = ("bodies", "frames", "geoms", "sites", "compiler")
    return all(hasattr(getattr(mujoco, "MjSpec", None), part) for part in parts)


def written_angles(contents: Iterable[bytes]) -> dict[float, Written]:
    """The numbers of orientations in files, as they are written; where one is written in two ways, with more decimals."""
    found: dict[float, Written] = {}
    for raw in contents:
        for word in b" ".join(_ANGLES.findall(raw)).decode("ascii", "replace").split():
            try:
                number = Written(word)
            except ValueError:  # MuJoCo says what is wrong with it
                continue
            found[number] = max(number, found.get(number, number), key=decimals_of)
    return found


def mend_angles(mujoco: Any, spec: Any, rule: AngleRule, written: Mapping[float, Written]) -> None:
    """Give a parsed model the angles that are meant, where orientations are written as angles in radians.

    ``written`` has their texts, as MuJoCo hands over doubles.  Degrees are exact as they stand; quaternions and axes are
    normalised by MuJoCo, so that equal components are equal.
    """
    kinds = mujoco.mjtOrientation

    def meant(angle: float) -> float:
        return float(rule.meant_by(to_fraction(angle), written.get(angle)))

    for orientation in _orientations(spec):
        if orientation.type == kinds.mjORIENTATION_EULER:
            orientation.euler = [meant(x) for x in orientation.euler]
        elif orientation.type == kinds.mjORIENTATION_AXISANGLE:
            *axis, angle = orientation.axisangle
            orientation.axisangle = [*axis, meant(angle)]


def _orientations(spec: Any) -> Iterator[Any]:
    for group in (spec.bodies, spec.frames, spec.geoms, spec.sites):
        for element in group:
            if not getattr(element, "compiler", spec.compiler).degree:
                yield element.alt
                if hasattr(element, "ialt"):
                    yield element.ialt


_LINE = re.compile(r"\bline (?:number)?\s*=?\s*(\d+)|Line number\s*=\s*(\d+)")
_ELEMENT = re.compile(r"Element (?:name )?'([^']*)'")
_NO_FILE = re.compile(r"opening file|resource provider|not found|could not (?:open|load|find)", re.IGNORECASE)


@contextmanager
def warnings_of(mujoco: ModuleType) -> Iterator[list[str]]:
    """Collects MuJoCo's warnings, which otherwise go to the terminal and into a file in the working directory."""
    before = mujoco.get_mju_user_warning()
    messages: list[str] = []
    mujoco.set_mju_user_warning(messages.append)
    try:
        yield messages
    finally:
        mujoco.set_mju_user_warning(before)


@dataclass(frozen=True)
class Source:
    """A compiled model: ``mujoco`` itself, the ``MjModel``, a name of the file for messages, and what was noticed.

    ``angles`` has what became of angles; where some were changed, ``written`` is the model without these changes.
    """

    mujoco: ModuleType
    model: Any
    file: str | None
    findings: tuple[Finding, ...]
    angles: AngleRule
    written: Any = None


def mujoco_module() -> ModuleType:
    """MuJoCo's Python package.  Raises ModelError where it is not installed."""
    try:
        import mujoco
    except ImportError:
        raise ModelError(
            "MJCF",
            "reading it needs MuJoCo's own parser, and the Python package 'mujoco' is not installed",
            "the package 'mujoco'",
            f"Install it: {install_command('mujoco')}.",
        ) from None
    module: ModuleType = mujoco
    return module


def compiled(path_or_text: Path | str, angle_tolerance: float = ANGLE_TOLERANCE) -> Source:
    """The compiled model of a file, or of a text that is MJCF itself, with the angles that are meant.  Raises ModelError.

    Where files of meshes, textures or height fields are missing the model is compiled without them, if every body that they
    belong to has its inertia written down.
    """
    mujoco = mujoco_module()
    text = path_or_text if isinstance(path_or_text, str) else None
    file = None if text is not None else str(path_or_text)
    if file is not None:
        contents = check_files(Path(file))
    else:
        contents = [str(path_or_text).encode("utf-8", "surrogatepass")]
        refuse_doctype(contents[0], None)
    angles = AngleRule(angle_tolerance)
    with warnings_of(mujoco) as warnings:
        written, findings, spec = _compiled(mujoco, text, file)
    with warnings_of(mujoco):  # the same once more
        model = _with_angles(mujoco, spec, angles, contents)
    told = [
        Finding(
            Severity.WARNING,
            "model",
            f"MuJoCo warns: {' '.join(warning.split())}",
            "a model without warnings",
            "Mend it.",
            file,
        )
        for warning in warnings
    ]
    if model is None:
        return Source(mujoco, written, file, (*findings, *told), angles)
    return Source(mujoco, model, file, (*findings, *told), angles, written)


def _with_angles(mujoco: ModuleType, spec: Any, angles: AngleRule, contents: list[bytes]) -> Any:
    """The model with the angles that are meant; None where that is the model as written."""
    if spec is None or not can_mend(mujoco):
        return None
    mend_angles(mujoco, spec, angles, written_angles(contents))
    return spec.compile() if angles.distances else None


def _compiled(mujoco: ModuleType, text: str | None, file: str | None) -> tuple[Any, tuple[Finding, ...], Any]:
    """The compiled model, what was left out of it, and the parsed one that it can be compiled from."""
    try:
        maker = mujoco.MjModel
        model = maker.from_xml_string(text) if text is not None else maker.from_xml_path(file)
        if not can_mend(mujoco):
            return model, (), None
        spec = mujoco.MjSpec.from_string(text) if text is not None else mujoco.MjSpec.from_file(file)
        return model, (), spec
    except ValueError as error:
        refusal = _refusal(file, str(error))
        if not _NO_FILE.search(str(error)):
            raise refusal from None
    spec = _parsed(mujoco, text, file, refusal)
    return _without_assets(mujoco, spec, file, refusal)


def _parsed(mujoco: ModuleType, text: str | None, file: str | None, refusal: ModelError) -> Any:
    try:
        return mujoco.MjSpec.from_string(text) if text is not None else mujoco.MjSpec.from_file(file)
    except ValueError:
        raise refusal from None


def _without_assets(
    mujoco: ModuleType, spec: Any, file: str | None, refusal: ModelError
) -> tuple[Any, tuple[Finding, ...], Any]:
    """The model without meshes, textures and height fields: dynamics needs none of them where inertias are given."""
    shapes = {mujoco.mjtGeom.mjGEOM_MESH, mujoco.mjtGeom.mjGEOM_HFIELD, mujoco.mjtGeom.mjGEOM_SDF}
    from_geoms = mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    removed = [geom for geom in spec.geoms if geom.type in shapes or geom.meshname]
    for geom in removed:
        body = geom.parent
        weighs = body.name != "world" and (
            not body.explicitinertial or spec.compiler.inertiafromgeom == from_geoms
        )
        if weighs and geom.mass != 0 and geom.density != 0:
            raise ModelError(
                refusal.where,
                f"{refusal.what}; the inertia of body {body.name!r} is to come from that shape",
                "files of meshes beside the model, or an <inertial> in each body that has one",
                "Put the files in their places, or write down the inertia.",
            )
    for geom in spec.geoms:
        geom.material = ""
    for site in spec.sites:
        site.material = ""
    _drop_users_of(spec, {geom.name for geom in removed if geom.name})
    for group in (removed, spec.skins, spec.meshes, spec.hfields, spec.materials, spec.textures):
        for element in list(group):
            spec.delete(element)
    try:
        model = spec.compile()
    except ValueError as error:
        raise _refusal(file, str(error)) from None
    note = Finding(
        Severity.NOTE,
        "files of meshes",
        f"left out, as one of them cannot be read ({refusal.what})",
        "nothing more: every inertia is written down in the model",
        "Put the files in their places if their shapes matter to you.",
        file,
    )
    return model, (note,), spec


def _drop_users_of(spec: Any, geoms: set[str]) -> None:
    """Remove what refers to geoms that are gone and does not move anything: pairs for contact, sensors."""
    for element in [*spec.pairs]:
        if element.geomname1 in geoms or element.geomname2 in geoms:
            spec.delete(element)
    for element in [*spec.sensors]:
        spec.delete(element)


def _refusal(file: str | None, message: str) -> ModelError:
    """MuJoCo's complaint with its line in front, where it names one."""
    text = " ".join(message.split())
    found = _LINE.search(text)
    line = next((group for group in found.groups() if group), None) if found else None
    element = _ELEMENT.search(text)
    place = file or "MJCF"
    if "'mujocoinclude'" in text:
        return ModelError(
            place,
            "is a fragment (<mujocoinclude>) for other files to include",
            "a file whose root element is <mujoco>",
            "Name the file that includes it.",
        )
    if line is not None and line != "0":
        place += f":{line}"
    where = f"{place}: element {element.group(1)!r}" if element and element.group(1) else place
    cut = re.split(r"\s*Element (?:name )?'", text)[0]
    for prefix in ("Error: ", "XML Error: ", "ParseXML: "):
        cut = cut.removeprefix(prefix)
    return ModelError(where, f"MuJoCo refuses it: {cut}", "a model that MuJoCo compiles", "Mend it there.")
