"""Names for everything in a compiled model, where the file gave none too."""

from __future__ import annotations

from typing import Any

from kanegen.codegen.mechanism.findings import Finding, Severity
from kanegen.codegen.mechanism.records import BASE
from kanegen.errors import ModelError


class Names:
    """Names of bodies, joints and sites by number: those of the file, or made from the names around.

    The world is ``BASE``; a body that is itself called so, and a site called like a body, get another name.
    """

    def __init__(self, mujoco: Any, model: Any) -> None:
        self._mujoco, self._model = mujoco, model
        self.findings: list[Finding] = []
        self._loops: set[str] = set()
        self.bodies = self._bodies()
        self.joints = self._joints()
        self.frames = set(self.bodies)
        self.sites = self._sites()

    def given(self, kind: str, index: int) -> str | None:
        """The name in the file of, say, the tendon of that number."""
        number = getattr(self._mujoco.mjtObj, f"mjOBJ_{kind.upper()}")
        try:
            found = self._mujoco.mj_id2name(self._model, number, index)
        except UnicodeDecodeError:
            raise ModelError(
                f"{kind} number {index}", "has a name that is not UTF-8", "UTF-8", "Save the file as UTF-8."
            ) from None
        return None if not found else str(found)

    def described(self, kind: str, index: int) -> str:
        """How messages call it."""
        name = self.given(kind, index)
        return f"{kind} {name!r}" if name is not None else f"{kind} number {index}"

    def fresh_frame(self, wanted: str) -> str:
        """A name that no body and no frame has yet, now taken."""
        name = _fresh(wanted, self.frames)
        self.frames.add(name)
        return name

    def loop(self, e: int, otherwise: str) -> str:
        """The name of an equality that closes a loop, and a new one where the file gave none."""
        name = self.given("equality", e)
        if name is None:
            name = _fresh(
                otherwise, {*self._loops, *(self.given("equality", k) for k in range(self._model.neq))}
            )
        self._loops.add(name)
        return name

    def _bodies(self) -> tuple[str, ...]:
        count = self._model.nbody
        known = {self.given("body", i) for i in range(1, count)}
        names = [BASE]
        for index in range(1, count):
            name = self.given("body", index)
            if name is None:
                name = _fresh(f"body{index}", {*known, *names})
            elif name == BASE:
                name = _fresh(f"{BASE}_body", {*known, *names})
                self._renamed(f"body {BASE!r}", name, "the fixed frame is called so here")
            names.append(name)
        return tuple(names)

    def _joints(self) -> tuple[str, ...]:
        model = self._model
        known = {self.given("joint", i) for i in range(model.njnt)}
        names: list[str] = []
        for index in range(model.njnt):
            name = self.given("joint", index)
            if name is None:
                body = int(model.jnt_bodyid[index])
                several = int(model.body_jntnum[body]) > 1
                place = index - int(model.body_jntadr[body]) + 1
                wanted = f"{self.bodies[body]}_joint{place if several else ''}"
                name = _fresh(wanted, {*known, *names})
            names.append(name)
        return tuple(names)

    def _sites(self) -> dict[int, str]:
        names: dict[int, str] = {}
        for index in range(self._model.nsite):
            name = self.given("site", index)
            if name is None:
                continue
            names[index] = self.fresh_frame(name if name not in self.frames else f"{name}_site")
            if names[index] != name:
                self._renamed(f"site {name!r}", names[index], "a body is called so")
        return names

    def _renamed(self, where: str, name: str, why: str) -> None:
        self.findings.append(
            Finding(
                Severity.NOTE,
                where,
                f"is called {name!r} here, for {why}",
                "a name of its own",
                "Rename it in the file if the name matters to you.",
            )
        )


def _fresh(wanted: str, taken: set[str | None] | set[str]) -> str:
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name
