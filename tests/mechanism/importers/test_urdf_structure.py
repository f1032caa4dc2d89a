"""URDF: links and joints that are no tree, and mimics that follow nothing."""

from __future__ import annotations

import pytest

from kanegen.codegen.mechanism import ModelError
from kanegen.codegen.mechanism.importers.urdf import from_urdf
from tests.refusals import refused as of_call

from .documents import joint, link, pendulum, robot


def refused(text: str, **options: bool) -> ModelError:
    error: ModelError = of_call(lambda: from_urdf(text, **options), where="line ")
    assert error.expected
    return error


@pytest.mark.parametrize(
    ("text", "where", "what", "cure"),
    [
        # names
        (robot(link("a"), link("b"), joint("j", "a", "c")), "line 4: joint 'j'", "its child 'c' is no", ""),
        (
            robot(link("arm_1"), link("arm_2"), joint("j", "arm1", "arm_2")),
            "line 4: joint 'j'",
            "its parent 'arm1'",
            "'arm_1'",
        ),
        (
            robot(link("a"), link("b"), link("b"), joint("j", "a", "b")),
            "line 4: link 'b'",
            "given twice, also in line 3",
            "Rename",
        ),
        (
            robot(link("a"), link("b"), link("c"), joint("j", "a", "b"), joint("j", "b", "c")),
            "line 6: joint 'j'",
            "also in line 5",
            "",
        ),
        # trees
        (robot(), "line 1: robot 'r'", "has no links", "whole file"),
        (robot(link("a"), link("b")), "line 3: robot 'r'", "2 links without a parent: 'a' (line", "fixed"),
        (robot(link("a"), link("b"), joint("j", "a", "a")), "line 4: joint 'j'", "the link 'a' with", ""),
        (
            robot(link("a"), link("b"), joint("j", "a", "b"), joint("k", "b", "a")),
            "line 5: joints 'k' (line 5), 'j' (line 4)",
            "form a cycle",
            "Exchange",
        ),
        (
            robot(link("r"), link("a"), link("b"), joint("j", "a", "b"), joint("k", "b", "a")),
            "line 6: joints 'k' (line 6)",
            "form a cycle",
            "",
        ),
        # mimics
        (pendulum('<mimic joint="x"/>'), "line 4: joint 'j', <mimic>", "follows 'x', which is unknown", ""),
        (pendulum('<mimic joint="j"/>'), "line 4: joints 'j'", "mimics itself", ""),
        (pendulum("<mimic/>"), "line 4: joint 'j', <mimic>", "no attribute 'joint'", ""),
        (pendulum('<mimic joint="j"/>', kind="floating"), "line 4: joint 'j', <mimic>", "type floating", ""),
        (
            robot(
                link("a"),
                link("b"),
                link("c"),
                joint("j", "a", "b", '<mimic joint="k"/>'),
                joint("k", "b", "c", '<mimic joint="j"/>'),
            ),
            "line 6: joints 'j', 'k'",
            "in a circle",
            "Remove one",
        ),
        (
            robot(
                link("a"),
                link("b"),
                link("c"),
                joint("f", "a", "b", kind="fixed"),
                joint("k", "b", "c", '<mimic joint="f"/>'),
            ),
            "line 6: joint 'k', <mimic>",
            "follows 'f', which is of type fixed",
            "",
        ),
    ],
)
def test_refusals(text: str, where: str, what: str, cure: str) -> None:
    error = refused(text)
    assert error.where == where or error.where.startswith(f"{where}, ")
    assert what in error.what
    assert cure in error.cure
