"""XML: lines, encodings, and everything hostile."""

from __future__ import annotations

from pathlib import Path

import pytest

from kanegen.codegen.mechanism import ModelError
from kanegen.codegen.mechanism.importers.xml_tree import parse_bytes, parse_file, parse_text
from kanegen.limits import DEEPEST_XML

LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10 if i else "lol"}">' for i in range(10))


def refused(raw: bytes | str) -> ModelError:
    with pytest.raises(ModelError) as caught:
        parse_text(raw) if isinstance(raw, str) else parse_bytes(raw, "m.urdf")
    return caught.value


def test_elements_know_their_lines() -> None:
    root = parse_bytes(
        b'<?xml version="1.0"?>\n<!-- a\n comment -->\n<a>\n  <b x="1"\n y="2"/>\n<c>text</c></a>', "f"
    )
    b, c = root.children
    assert (root.tag, root.file, root.line) == ("a", "f", 4)
    assert (b.tag, dict(b.attributes), b.line) == ("b", {"x": "1", "y": "2"}, 5)
    assert (c.text, c.line) == ("text", 7)
    assert [element.tag for element in root.walk()] == ["a", "b", "c"]


def test_space_before_the_declaration_is_harmless() -> None:
    """Forbidden by XML and found in many files; lines are those of the file."""
    assert next(parse_bytes(b'\n\n<?xml version="1.0"?>\n<a><b/></a>').children).line == 4


def test_the_declared_encoding_of_a_text_does_not_matter() -> None:
    assert parse_text("\ufeff<?xml version='1.0' encoding='latin-1'?><a n='ü'/>").attributes["n"] == "ü"


@pytest.mark.parametrize(
    ("raw", "what"),
    [
        (b"", "no element found"),
        (b"   \n", "no element found"),
        (b"hello", "is no XML: it begins with 'hello'"),
        (b"<a>\n<b></a>", "mismatched tag"),
        (b"<a x='1' x='2'/>", "duplicate attribute"),
        (b"<a x=1/>", "not well-formed"),
        (b"<a>&nbsp;</a>", "undefined entity"),
        (b"<a n='\xfc'/>", "not well-formed"),
        (b"<?xml version='1.0' encoding='nonsense'?><a/>", "encoding"),
        (b"<a/><b/>", "junk after document element"),
        (b"\x00\x01", "not well-formed"),
    ],
)
def test_what_is_no_xml(raw: bytes, what: str) -> None:
    error = refused(raw)
    assert what in error.what
    assert error.where.startswith("m.urdf:")


def test_the_line_of_a_mistake() -> None:
    assert refused(b"<a>\n\n<b></c></a>").where == "m.urdf:3"
    assert refused("<a>\n<").where == "line 2"


@pytest.mark.parametrize(
    "declaration",
    [
        f"<!DOCTYPE a [{LAUGHS}]>",
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE a SYSTEM "http://127.0.0.1/a.dtd">',
        '<!DOCTYPE a [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]>',
        "<!DOCTYPE a>",
    ],
)
def test_declarations_are_refused_at_once(declaration: str) -> None:
    """Case 16: nothing is expanded, nothing is fetched."""
    error = refused(f"<?xml version='1.0'?>\n{declaration}<a>&l9;</a>")
    assert error.where == "line 2"
    assert "document type" in error.what


def test_depth_is_bounded() -> None:
    assert "nested" in refused("<a>" * (DEEPEST_XML.value + 1) + "</a>" * (DEEPEST_XML.value + 1)).what
    assert (
        len(list(parse_text("<a>" * DEEPEST_XML.value + "</a>" * DEEPEST_XML.value).walk()))
        == DEEPEST_XML.value
    )
    assert "nested" in refused("<a>" * 10**6).what


def test_files(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="is a directory"):
        parse_file(tmp_path)
    with pytest.raises(ModelError, match="does not exist"):
        parse_file(tmp_path / "missing.urdf")
    path = tmp_path / "ü ;$(x).urdf"
    path.write_bytes(b"<a/>")
    assert parse_file(path).file == str(path)
