"""One record of options for ``load``, ``generate``, the command line and the generator."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

import kanegen
from kanegen import laws
from kanegen.codegen import cli
from kanegen.codegen.commands.option_flags import FLAGS, add_options, asked_options
from kanegen.codegen.commands.parser import Parser
from kanegen.options import FIELDS, Asked, Options, options


def parsed(*words: str) -> Options:
    parser = Parser()
    add_options(parser, FLAGS)
    return asked_options(parser.parse_args(words), FLAGS)


def test_the_types_and_the_record_have_the_same_options() -> None:
    assert [*Asked.__annotations__, "with_residual"] == list(FIELDS)


@pytest.mark.parametrize("function", [kanegen.load, kanegen.generate])
def test_signatures_name_the_options_with_their_defaults(function: object) -> None:
    parameters = inspect.signature(function).parameters  # type: ignore[arg-type]  # it is callable
    for name in Asked.__annotations__:
        assert parameters[name].default == FIELDS[name].default
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY


def test_the_command_line_has_every_option_with_the_same_default() -> None:
    assert set(FLAGS) == set(Asked.__annotations__)
    assert parsed() == options({}) == Options()


def test_flags_say_what_keywords_say() -> None:
    words = (
        "--kernels mass_matrix bias_forces --formulation kane --speeds kane_levinson --gravity 0 0 -1.6 --live-parameters "
        "--friction --floating-base --allow-unphysical --angle-tolerance 1e-6 --arg side:=left "
        "--payload tool=1,0,0,0.1 --payload a=b=2 --lock elbow=-0.3 --lock wrist=0,0,0,1 --remove gripper --rename j1=first "
        "--base 0 0 -1 --add-law hold=pd(kp=9,kd={'a':2}) --add-law pid(kp=1,ki=2) "
        "--live payload,link.mass --language cuda --float32 --sincos libm --search 7 --recipes mine.txt --verify"
    )
    asked = options(
        {
            "kernels": ["mass_matrix", "bias_forces"],
            "formulation": "kane",
            "speeds": "kane_levinson",
            "gravity": (0, 0, -1.6),
            "live_parameters": True,
            "friction": True,
            "floating_base": True,
            "allow_unphysical": True,
            "angle_tolerance": 1e-6,
            "arguments": {"side": "left"},
            "payload": {"tool": (1, (0, 0, 0.1)), "a=b": 2},
            "lock": {"elbow": -0.3, "wrist": [0, 0, 0, 1]},
            "remove": ["gripper"],
            "rename": {"j1": "first"},
            "base": (0, 0, -1),
            "laws": {"hold": laws.pd(9, {"a": 2}), "pid": "pid(1, 2, limit=None)"},
            "live": ["payload", "link.mass"],
            "language": "cuda",
            "float32": True,
            "sincos": "libm",
            "search": 7,
            "recipes": "mine.txt",
            "verify": True,
        }
    )
    assert parsed(*words.split()) == asked
    assert {*asked.asked(), "language"} == set(
        Asked.__annotations__
    )  # none was forgotten here; that one has one value
    assert not asked.plain


@pytest.mark.parametrize(
    ("words", "option", "value"),
    [
        (("--kernels", "a,b"), "kernels", ("a", "b")),
        (("--kernels", "a", "b"), "kernels", ("a", "b")),
        (("--kernels", "a, b", "c"), "kernels", ("a", "b", "c")),
        (("--kernels=a,b",), "kernels", ("a", "b")),
        (("--kern", "a,b"), "kernels", ("a", "b")),
        (("--kernels", "a", "--kernels", "b,c"), "kernels", ("a", "b", "c")),
        (("--live", "masses", "all declared"), "live", ("masses", "all declared")),
        (("--live", "masses,all declared,link.mass"), "live", ("masses", "all declared", "link.mass")),
        (("--live", '"left,hand.mass",payload'), "live", ("left,hand.mass", "payload")),
        (("--remove", "hand,wrist", "--remove", "tool"), "remove", ("hand", "wrist", "tool")),
        (("--remove", '"left,hand"'), "remove", ("left,hand",)),
        (("--gravity", "0,0,-1.6"), "gravity", (0, 0, -1.6)),
        (("--gravity", "-1,0,-.5"), "gravity", (-1, 0, -0.5)),
        (("--gravity", "0", "0", "-1.6"), "gravity", (0, 0, -1.6)),
        (("--gravity=-1,0,2",), "gravity", (-1, 0, 2)),
        (("--base", "0,0,1"), "base", (0, 0, 1, 0, 0, 0)),
        (("--base", "-1", "0", "1,0,0,3"), "base", (-1, 0, 1, 0, 0, 3)),
        (("--rename", "left,hand=palm"), "rename", (("left,hand", "palm"),)),
        (("--recipes", "a,b.txt"), "recipes", "a,b.txt"),
    ],
)
def test_lists_have_spaces_or_commas(words: tuple[str, ...], option: str, value: object) -> None:
    """And where a command is about something, it stands before the flags or after them."""
    assert getattr(parsed(*words), option) == value
    for place in (
        (*words, "my,robot.urdf"),
        ("my,robot.urdf", *words),
        ("--friction", *words, "my,robot.urdf"),
    ):
        parser = Parser()
        parser.add_model()
        add_options(parser, FLAGS)
        given = parser.parse_args(place)
        assert given.model == "my,robot.urdf"
        assert getattr(asked_options(given, FLAGS), option) == value


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"kernel": ["a"]}, TypeError, "there is no option 'kernel'; did you mean 'kernels'"),
        ({"kernels": [1]}, TypeError, "kernels: expected a list of names"),
        ({"kernels": 3}, TypeError, "kernels: expected a list of names"),
        ({"floating_base": "false"}, TypeError, "floating_base: expected True or False, got 'false'"),
        ({"friction": 2}, TypeError, "friction: expected True or False, got 2"),
        ({"kernels": "mass_matrix"}, TypeError, "pass \\['mass_matrix'\\]"),
        ({"kernels": []}, kanegen.MissingKernelError, "at least one name"),
        *(
            ({"gravity": gravity}, ValueError, "three finite numbers")
            for gravity in ((1, 2), (0, 0, 0, 0), (0, 0, float("nan")), "abc", 9.81)
        ),
        ({"gravity": (True, 0, 0)}, ValueError, "three finite numbers"),
        ({"angle_tolerance": -1.0}, ValueError, "must not be negative"),
        *(
            ({"payload": {"tool": payload}}, ValueError, "mass")
            for payload in (
                "1",
                (1, 2),
                (1, (0, 0)),
                (1, (0, 0, 0), (1, 2)),
                (float("inf"), (0, 0, 0)),
                (1, (0, 0, 0), ((1, 2, 3), (0, 1, 0), (0, 0, 1))),
            )
        ),
        ({"payload": 1.5}, TypeError, "by name"),
        ({"lock": {"elbow": "far"}}, ValueError, "a number"),
        ({"lock": {"elbow": (1, 2)}}, ValueError, "a number"),
        ({"lock": [("elbow", 1), ("elbow", 2)]}, ValueError, "twice"),
        ({"remove": "hand"}, TypeError, "list of names"),
        ({"rename": {"a": 1}}, TypeError, "text"),
        *(
            ({"laws": {"hold": law}}, ValueError, "'hold'")
            for law in ("lqr(1)", "pd(kp=f(1))", "pd()", "pd", 3, "__import__('os')")
        ),
        ({"base": (1, 2)}, ValueError, "roll"),
        ({"live": [1]}, TypeError, "list of names"),
        ({"live": "masses,,"}, TypeError, "list of names"),
        ({"search": -1}, ValueError, "not negative"),
        ({"search": 1.5}, ValueError, "whole number"),
        ({"sincos": "table"}, ValueError, "'vector' or 'libm'"),
        ({"arguments": {"a": 1}}, TypeError, "names and values that are text"),
        ({"speeds": 3}, TypeError, "expected a name"),
    ],
)
def test_wrong_options(given: dict[str, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        kanegen.load("stanford_arm", **given)  # type: ignore[arg-type]  # which is the point


def test_what_was_asked_stands_in_manifest_and_header(tmp_path: Path) -> None:
    words = [
        "--kernels",
        "gravity_forces",
        "--gravity",
        "0",
        "0",
        "-1.6",
        "--search",
        "2",
        "--formulation",
        "kane",
    ]
    assert cli.main(["generate", "stanford_arm", *words, "-o", str(tmp_path / "a")]) == 0
    folder = kanegen.generate(
        "stanford_arm",
        tmp_path / "b",
        kernels=["gravity_forces"],
        gravity=(0, 0, -1.6),
        search=2,
        formulation="kane",
    )
    one, other = (tmp_path / "a" / "stanford_arm.h", folder / "stanford_arm.h")
    assert one.read_bytes() == other.read_bytes()
    asked = json.loads((folder / "manifest.json").read_text(encoding="ascii"))["asked"]
    assert asked == {"gravity": [0.0, 0.0, -1.6], "search": 2, "formulation": "kane"}
    header = " ".join(other.read_text(encoding="ascii").replace(" * ", " ").split())
    assert all(x in header for x in ("gravity [0.0, 0.0, -1.6]", "search 2", "formulation kane"))
