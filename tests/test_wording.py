"""What errors say, a row for each kind: where, what is wrong, and what helps.  Other tests ask for the kind and the place.

``…`` stands for what another machine, or a longer list of built-in mechanisms, would write otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import kanegen
from kanegen import errors
from kanegen.codegen.mechanism import LoopKind, MechanismBuilder
from kanegen.codegen.mechanism.importers import read_file
from tests.cases.machines import pendulum


@cache
def rod() -> kanegen.Robot:
    return kanegen.load(pendulum(), interpreted=True, kernels=["mass_matrix"])


def described(change: Callable[[MechanismBuilder], object]) -> object:
    builder = MechanismBuilder("rod")
    builder.body("rod", 1, (0, 0, "0.5"), ("0.1", "0.1", "0.01"))
    builder.revolute("hinge", "base", "rod", (0, 1, 0))
    change(builder)
    return builder.build()


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


SAID: list[tuple[type[Exception], Callable[[Path], object], str]] = [
    (
        errors.UnknownModelError,
        lambda _: kanegen.load("stanford_am"),
        (
            "'stanford_am' is neither a built-in mechanism nor a file. Built-in: stanford_arm, …"
            ". Did you mean 'stanford_arm'?"
        ),
    ),
    (
        errors.UnknownModelError,
        lambda folder: kanegen.load(folder / "arm.urdf"),
        "…arm.urdf does not exist; expected a model file. Check the path and its spelling",
    ),
    (
        errors.ModelError,
        lambda _: kanegen.load(pendulum(), kernels=["mass_matrx"]),
        "model 'pendulum': has no kernel 'mass_matrx'; expected some of inverse_dynamics, …. Did you mean 'mass_matrix'?",
    ),
    (
        errors.MissingKernelError,
        lambda _: rod().forward_dynamics([0], [0], [0]),
        (
            "'pendulum' was loaded without the kernel 'forward_dynamics'. It has: mass_matrix. "
            "Ask for it: kanegen.load(model, kernels=[..., 'forward_dynamics'])"
        ),
    ),
    (
        errors.MissingKernelError,
        lambda _: rod().frame_pose([0], "hand"),
        "'pendulum' has no frame 'hand'. It has: bob",
    ),
    (
        errors.KanegenError,
        lambda _: rod().with_parameters({"m": 1}),
        (
            "'pendulum' has no live parameter 'm'. It has: none. Load it with live=[...] (--live on the "
            "command line), such as live=['masses'], or 'all declared' for those that it declares. "
            "Parameters that none of its kernels depends on are left out"
        ),
    ),
    (
        errors.NotCompiledError,
        lambda _: rod().kernel_address("mass_matrix"),
        (
            "'pendulum' is interpreted, so pendulum_mass_matrix has no address. "
            "Install a C compiler and load the robot without interpreted=True"
        ),
    ),
    (ValueError, lambda _: rod().mass_matrix(np.zeros(5)), "mass_matrix, q: expected (..., 1), got (5,)"),
    (TypeError, lambda _: rod().call("mass_matrix"), "mass_matrix: expected 1 argument (q), got 0"),
    (
        TypeError,
        lambda _: rod().mass_matrix(["a"]),
        "mass_matrix, q: expected real numbers, got elements of type <U1",
    ),
    (
        ValueError,
        lambda _: kanegen.load(pendulum(), search=-1),
        "search must be a whole number that is not negative, got -1",
    ),
    (
        errors.ModelError,
        lambda _: described(lambda b: b.body("tip", -1)),
        (
            "body 'tip': hangs on nothing; expected one joint of which it is the child. "
            "Attach it with a joint, to 'base' for example, or remove it."
        ),
    ),
    (
        errors.ModelError,
        lambda _: described(lambda b: b.body("rod", 1)),
        "body 'rod': the name is given twice; expected unique body names. Rename one.",
    ),
    (
        errors.ModelError,
        lambda _: described(lambda b: b.loop("closing", LoopKind.SPHERICAL, "rod", "pin")),
        (
            "loop 'closing': its second frame 'pin' is not a frame; expected one of 'base', 'rod'. "
            "Mend the name, or add the frame to a body."
        ),
    ),
    (
        errors.ModelError,
        lambda folder: read_file(written(folder / "arm.urdf", '<robot name="r">\n<link/>\n</robot>')),
        "…arm.urdf:2: …",
    ),
    (
        errors.ManifestError,
        lambda folder: kanegen.load(written(folder / "manifest.json", "{").parent),
        "…manifest.json: cannot be read (…). Generate the mechanism again",
    ),
]


@pytest.mark.parametrize(("kind", "call", "said"), SAID, ids=[said[:40] for _, _, said in SAID])
def test_what_is_said(
    tmp_path: Path, kind: type[Exception], call: Callable[[Path], object], said: str
) -> None:
    with pytest.raises(kind) as caught:
        call(tmp_path)
    pattern = ".*".join(re.escape(part) for part in said.split("…"))
    assert re.fullmatch(pattern, str(caught.value), re.DOTALL), str(caught.value)
