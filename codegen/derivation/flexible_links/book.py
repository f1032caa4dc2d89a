"""Book's recursive Lagrangian equations (1983) as he writes them, with 4 x 4 matrices: a second way to the same M and h.

Equation numbers are Book's; misprints are mended (docs/guide/flexible-links.md lists them).  Points are (1, x, y, z), A_j is
the transformation of joint j, E_j that of link j, W_j = A_1 E_1 A_2 ... A_j and What_j = W_j E_j; U_j = dA_j/dq_j.
``truncated`` leaves out what Book leaves out: terms of second order in the deflections in G (37), and W in the traces of a
link's own modes (72, 73).  Energy is then not kept, and on a soft link M may become indefinite.  Book's factors 2 and 1/2 at
traces cancel, as matrices of integrals are taken twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any

from kanegen.codegen.derivation.flexible_links.dynamics import FlexibleDynamics, Vector
from kanegen.codegen.derivation.flexible_links.motion import Motion
from kanegen.codegen.graph import Expression
from kanegen.codegen.graph import linear as vec
from kanegen.codegen.graph.meaning import Meaning
from kanegen.codegen.mechanism.records import JointKind
from kanegen.errors import ModelError

Matrix = tuple[tuple[Any, ...], ...]

_UNIT: Matrix = tuple(tuple(int(i == j) for j in range(4)) for i in range(4))
_NONE: Matrix = ((0,) * 4,) * 4


def homogeneous(R: Matrix, r: Sequence[Any], corner: int = 1) -> Matrix:
    """(1; r R), or a derivative of such a matrix with a zero in its ``corner``."""
    return ((corner, 0, 0, 0), *((r[i], *R[i]) for i in range(3)))


_MEANINGS = {
    # letter: (LaTeX, what it is, equation, units of first row and column, and of the rest)
    "W": ("W", "transformation from link {} to the base", "eq. 3", ("1", "m", "1")),
    "dW": (r"\dot{W}", "rate of the transformation from link {} to the base", "eq. 9", ("1/s", "m/s", "1/s")),
    "ddW": (
        r"\ddot{W}",
        "second rate of the transformation from link {} to the base, without accelerations of coordinates",
        "eq. 10",
        ("1/s^2", "m/s^2", "1/s^2"),
    ),
    "G": ("2G", "twice the inertia matrix of link {}", "eq. 37", ("kg m", "kg m", "kg m^2")),
    "D": ("2D", "twice the inertia matrix of a mode of link {}", "eq. 36", ("", "", "")),
    "Q": (
        "Q",
        "inertia forces of link {} and what it carries",
        "eqs. 87, 88",
        ("kg m/s^2", "", "kg m^2/s^2"),
    ),
    "P": (
        "P",
        "mass and first moments of link {} and what it carries",
        "eqs. 89, 90",
        ("kg m", "kg m", "kg m"),
    ),
}


def _meant(letter: str, link: int, matrix: Matrix, mode: int | None = None) -> Matrix:
    """The matrix, whose entries have said what they are: rows and columns are numbered from 1, as in the paper."""
    latex, text, source, (in_row, in_column, inside) = _MEANINGS[letter]
    place = f"{link + 1}" if mode is None else f"{link + 1}{mode + 1}"
    for r, row in enumerate(matrix):
        for c, x in enumerate(row):
            if isinstance(x, Expression):
                entry = f"{r + 1}{c + 1}" if len(matrix) > 1 else f"{c + 1}"
                unit = inside if r and c else in_row if c else in_column
                said = f"{text.format(link + 1)}, entry {entry}"
                x.mean(
                    Meaning(
                        f"{letter}_{place}_{entry}", said, unit, f"{latex}^{{{place}}}_{{{entry}}}", source
                    )
                )
    return matrix


class BookDynamics(FlexibleDynamics):
    """Forces and mass matrix of a serial arm by Book's own equations; everything else is as with ``FlexibleDynamics``."""

    source = "recursive Lagrangian dynamics of flexible arms with 4 x 4 matrices (Book 1983)"

    def __init__(self, *given: Any, truncated: bool) -> None:
        super().__init__(*given)
        self.truncated = truncated

    @cached_property
    def _book(self) -> BookEquations:
        return BookEquations(self._motion(described=True), self.truncated)

    def _inertial(self, a: Vector | None) -> list[Any]:
        h = self._book.bias(self.v)
        if a is None:
            return h
        return [x + vec.dot(row, a) for x, row in zip(h, self._book.matrix(), strict=True)]

    def _inertia(self) -> list[list[Any]]:
        return self._book.matrix()


class BookEquations:
    """M and h of a serial arm, which ``motion`` shows at rest with its mass as described."""

    def __init__(self, motion: Motion, truncated: bool) -> None:
        self.motion, self.truncated = motion, truncated
        self.segments, self.q = motion.arm.segments, motion.q
        self.n = len(self.segments)
        if any(segment.parent != i - 1 for i, segment in enumerate(self.segments)):
            raise ModelError(
                f"mechanism {motion.arm.name!r}",
                "branches, which Book's equations do not know",
                "a serial arm",
                "Use the recursive formulation.",
            )
        self.A = [self._joint(i) for i in range(self.n)]
        self.E = [self._link(i, self.q, _UNIT) for i in range(self.n)]
        self.W: list[Matrix] = []
        for i in range(self.n):
            self.W.append(_meant("W", i, vec.multiply(self.W_hat(i - 1), self.A[i])))

    # -- transformations ---------------------------------------------------------------------------------------------

    def W_hat(self, i: int) -> Matrix:
        """What_i of eq. 13; the base's is 1."""
        return _UNIT if i < 0 else vec.multiply(self.W[i], self.E[i])

    def _joint(self, i: int) -> Matrix:
        """A_i."""
        return homogeneous(self.motion.turn(i), self.motion.offset(i))

    def _U(self, i: int, power: int = 1) -> Matrix | None:
        """U_i or its derivative (eqs 11 and 12), None where there is no joint."""
        segment = self.segments[i]
        if segment.coordinate is None:
            return None
        if segment.joint.kind is JointKind.PRISMATIC:
            return homogeneous(((0,) * 3,) * 3, self.motion.sliding(i), 0) if power == 1 else _NONE
        turned = self.motion.turn(i)
        for _ in range(power):
            turned = vec.multiply(turned, vec.skew(self.motion.axis(i)))
        return homogeneous(turned, (0, 0, 0), 0)

    def _M(self, i: int, k: int) -> Matrix:
        """M_ik of eq. 7: what a mode does to the end."""
        end = self._end(i)
        theta = self.motion.lifted(end.rotations[k])
        return homogeneous(vec.skew(theta), self.motion.lifted(end.displacements[k]), 0)

    def _end(self, i: int) -> Any:
        link = self.segments[i].link
        assert link is not None
        return link.end

    def _link(self, i: int, by: Sequence[Any], start: Matrix) -> Matrix:
        """E_i, or the sum of M_ik times rates (eqs 5, 6, 16)."""
        segment = self.segments[i]
        if not segment.bends:
            return start
        parts = [vec.matrix_scale(by[place], self._M(i, k)) for k, place in enumerate(segment.modes)]
        if start is _UNIT:
            parts.append(homogeneous(vec.UNIT, self.motion.lifted(self._end(i).position)))
        return vec.matrix_add(*parts)

    # -- integrals ---------------------------------------------------------------------------------------------------

    def _C(self, i: int, k: int, n: int) -> Matrix:
        """2 C_ikn of eq. 25."""
        pair = self.motion.lifted(self.segments[i].integrals.mode_products[k][n])
        return homogeneous(pair, (0, 0, 0), 0)

    def _C1(self, i: int, k: int) -> Matrix:
        """2 C_ik of eq. 28."""
        m = self.segments[i].integrals
        first, mixed = self.motion.lifted(m.mode_first[k]), self.motion.lifted(m.mode_mixed[k])
        return ((0, *first), *((0, *mixed[r]) for r in range(3)))

    def _D(self, i: int, k: int) -> Matrix:
        """2 D_ik of eq. 36."""
        modes = self.segments[i].modes
        found = vec.matrix_add(
            self._C1(i, k),
            *(vec.matrix_scale(self.q[place], self._C(i, n, k)) for n, place in enumerate(modes)),
        )
        return _meant("D", i, found, mode=k)

    def _G(self, i: int) -> Matrix:
        """2 G_i of eq. 37, with what eq. 35 has beside unless truncated."""
        m = self.segments[i].integrals
        first, second = self.motion.lifted(m.first), self.motion.lifted(m.second)
        found: Matrix = (
            (self.motion.number(m.mass), *first),
            *((first[r], *second[r]) for r in range(3)),
        )
        for k, place in enumerate(self.segments[i].modes):
            C = self._C1(i, k)
            quadratic: list[Matrix] = []
            if not self.truncated:
                quadratic = [
                    vec.matrix_scale(self.q[other], self._C(i, k, n))
                    for n, other in enumerate(self.segments[i].modes)
                ]
            found = vec.matrix_add(
                found, vec.matrix_scale(self.q[place], vec.matrix_add(C, vec.transpose(C), *quadratic))
            )
        return _meant("G", i, found)

    # -- inertia coefficients ----------------------------------------------------------------------------------------

    def _F_tilde(self) -> list[list[Matrix]]:
        """jF~h by [j][h], from (77) to (79); what is below the diagonal is what is above, transposed."""
        found: list[list[Matrix]] = [[_NONE] * self.n for _ in range(self.n)]
        for h in reversed(range(self.n)):
            own = self._G(h)
            if h + 1 < self.n:
                step = vec.multiply(self.E[h], self.A[h + 1])
                own = vec.matrix_add(
                    own, vec.multiply(vec.multiply(step, found[h + 1][h + 1]), vec.transpose(step))
                )
            found[h][h] = own
            for j in reversed(range(h)):
                found[j][h] = vec.multiply(vec.multiply(self.E[j], self.A[j + 1]), found[j + 1][h])
                found[h][j] = vec.transpose(found[j][h])
        return found

    def matrix(self) -> list[list[Any]]:
        """M: (66), (68) to (70), (72) to (75)."""
        F_tilde = self._F_tilde()

        def F(j: int, h: int) -> Matrix:  # (80)
            return vec.multiply(F_tilde[j][h + 1], vec.transpose(self.A[h + 1])) if h + 1 < self.n else _NONE

        def Phi(j: int, h: int) -> Matrix:  # (81)
            return vec.multiply(self.A[j + 1], F(j + 1, h)) if j + 1 < self.n else _NONE

        @cache
        def across(j: int, h: int) -> Matrix:
            """jW~h = E_j A_j+1 ... A_h."""
            return _UNIT if j == h else vec.multiply(vec.multiply(self.E[j], self.A[j + 1]), across(j + 1, h))

        count = len(self.q)
        found: list[list[Any]] = [[0] * count for _ in range(count)]

        def put(row: int, column: int, x: Any) -> None:
            found[row][column] = found[column][row] = x

        for j, one in enumerate(self.segments):
            U = self._U(j)
            if one.coordinate is not None and U is not None:
                left = vec.multiply(self.W_hat(j - 1), U)
                for h in range(j, self.n):
                    other, U_h = self.segments[h], self._U(h)
                    if other.coordinate is not None and U_h is not None:  # (66)
                        right = vec.multiply(self.W_hat(h - 1), U_h)
                        put(
                            one.coordinate,
                            other.coordinate,
                            vec.double_dot(vec.multiply(left, F_tilde[j][h]), right),
                        )
                    for k, place in enumerate(other.modes):  # (68), (69)
                        inside = vec.matrix_add(
                            vec.multiply(F(j, h), vec.transpose(self._M(h, k))),
                            vec.multiply(across(j, h), self._D(h, k)),
                        )
                        put(one.coordinate, place, vec.double_dot(vec.multiply(left, inside), self.W[h]))
                for h in range(j):  # (70)
                    for k, place in enumerate(self.segments[h].modes):
                        inside = vec.multiply(F(j, h), vec.transpose(self._M(h, k)))
                        put(one.coordinate, place, vec.double_dot(vec.multiply(left, inside), self.W[h]))
                rotor = self.motion.number(one.joint.rotor_inertia)
                found[one.coordinate][one.coordinate] += rotor
            self._modes_with_modes(j, Phi, across, put)
        return found

    def _modes_with_modes(self, j: int, Phi: Any, across: Any, put: Any) -> None:
        W = self.W[j]
        for f, row in enumerate(self.segments[j].modes):
            M = self._M(j, f)
            for k, column in enumerate(self.segments[j].modes[: f + 1]):  # (72), (73)
                inside = vec.matrix_add(
                    vec.multiply(vec.multiply(M, Phi(j, j)), vec.transpose(self._M(j, k))), self._C(j, f, k)
                )
                own = (
                    vec.double_dot(inside, _UNIT)
                    if self.truncated
                    else vec.double_dot(vec.multiply(W, inside), W)
                )
                put(row, column, own)
            for h in range(j + 1, self.n):  # (74), (75)
                for k, column in enumerate(self.segments[h].modes):
                    onward = vec.multiply(self.A[j + 1], across(j + 1, h))
                    inside = vec.matrix_add(
                        vec.multiply(Phi(j, h), vec.transpose(self._M(h, k))),
                        vec.multiply(onward, self._D(h, k)),
                    )
                    put(row, column, vec.double_dot(vec.multiply(vec.multiply(W, M), inside), self.W[h]))

    # -- right-hand side ---------------------------------------------------------------------------------------------

    def bias(self, v: Vector | None) -> list[Any]:
        """h = F - R: (64), (65), (83) to (90), but for springs and friction of joints; ``v`` None stands for rest."""
        rates: Sequence[Any] = [0] * len(self.q) if v is None else v
        dW, ddW = self._rates(rates)
        gravity = (0, *self.motion.lifted(self.motion.arm.gravity))
        found: list[Any] = [0] * len(self.q)
        Q, P = _NONE, ((0,) * 4)
        for j in reversed(range(self.n)):
            segment = self.segments[j]
            onward = (
                (vec.multiply(self.A[j + 1], Q), vec.apply(self.A[j + 1], P))
                if j + 1 < self.n
                else (_NONE, (0,) * 4)
            )
            for f, place in enumerate(segment.modes):
                found[place] = self._on_mode(j, f, rates, (dW[j], ddW[j]), onward, gravity)
            swinging = _NONE
            for k, place in enumerate(segment.modes):
                swinging = vec.matrix_add(swinging, vec.matrix_scale(rates[place], self._D(j, k)))
            own = vec.matrix_add(
                vec.multiply(self._G(j), vec.transpose(ddW[j])),
                vec.matrix_scale(2, vec.multiply(swinging, vec.transpose(dW[j]))),
            )
            Q = _meant("Q", j, vec.matrix_add(own, vec.multiply(self.E[j], onward[0])))  # (87), (88)
            (P,) = _meant(
                "P",
                j,
                (
                    tuple(
                        x + y for x, y in zip(self._weight(j), vec.apply(self.E[j], onward[1]), strict=True)
                    ),
                ),
            )  # (89), (90)
            U = self._U(j)
            if segment.coordinate is not None and U is not None:  # (83), (84)
                left = vec.multiply(self.W_hat(j - 1), U)
                falling = vec.dot(gravity, vec.apply(left, P))
                found[segment.coordinate] = sum(
                    [vec.double_dot(left, vec.transpose(Q)), -falling if falling != 0 else 0]
                )
        return found

    def _rates(self, v: Sequence[Any]) -> tuple[list[Matrix], list[Matrix]]:
        """dW_j/dt, and d2W_j/dt2 without second derivatives of coordinates (eqs 9, 10, 14, 64, 65)."""
        dW: list[Matrix] = []
        ddW: list[Matrix] = []
        rate, second = _NONE, _NONE  # of What_j-1
        for j, segment in enumerate(self.segments):
            before, A, U = self.W_hat(j - 1), self.A[j], self._U(j)
            dA, ddA = _NONE, _NONE
            if segment.coordinate is not None and U is not None and not vec.is_zero(v[segment.coordinate]):
                q = v[segment.coordinate]
                U2 = self._U(j, 2)
                assert U2 is not None
                dA, ddA = vec.matrix_scale(q, U), vec.matrix_scale(q * q, U2)
            dW.append(_meant("dW", j, vec.matrix_add(vec.multiply(rate, A), vec.multiply(before, dA))))
            found = vec.matrix_add(
                vec.multiply(second, A),
                vec.matrix_scale(2, vec.multiply(rate, dA)),
                vec.multiply(before, ddA),
            )
            ddW.append(_meant("ddW", j, found))
            E, dE = self.E[j], self._link(j, v, _NONE)
            rate = vec.matrix_add(vec.multiply(dW[j], E), vec.multiply(self.W[j], dE))
            second = vec.matrix_add(vec.multiply(ddW[j], E), vec.matrix_scale(2, vec.multiply(dW[j], dE)))
        return dW, ddW

    def _weight(self, j: int) -> tuple[Any, ...]:
        """Mass, and mass times the mass centre (eq. 51)."""
        segment, lifted = self.segments[j], self.motion.lifted
        own = self.motion.number(segment.integrals.mass), *lifted(segment.integrals.first)
        return vec.add(own, *(vec.scale(self.q[p], self._epsilon(j, k)) for k, p in enumerate(segment.modes)))

    def _epsilon(self, j: int, k: int) -> tuple[Any, ...]:
        """epsilon_jk of eq. 52, the top row of 2 C_jk."""
        return 0, *self.motion.lifted(self.segments[j].integrals.mode_first[k])

    def _on_mode(
        self,
        j: int,
        f: int,
        v: Sequence[Any],
        moving: tuple[Matrix, Matrix],
        onward: tuple[Matrix, tuple[Any, ...]],
        gravity: tuple[Any, ...],
    ) -> Any:
        """What a mode needs where nothing accelerates (eqs 85, 86)."""
        segment, W = self.segments[j], self.W[j]
        assert segment.link is not None
        dW, ddW = moving
        WM = vec.multiply(W, self._M(j, f))
        spinning = _NONE
        for k, place in enumerate(segment.modes):
            spinning = vec.matrix_add(spinning, vec.matrix_scale(v[place], self._C(j, k, f)))
        own = vec.matrix_add(
            vec.multiply(ddW, self._D(j, f)), vec.matrix_scale(2, vec.multiply(dW, spinning))
        )
        terms = [vec.double_dot(WM, vec.transpose(onward[0])), vec.double_dot(own, W)]
        weights = vec.apply(WM, onward[1]), vec.apply(W, self._epsilon(j, f))
        falling = [vec.dot(gravity, x) for x in weights]
        terms += [-x for x in falling if not vec.is_zero(x)]
        for k, place in enumerate(segment.modes):
            terms.append(self.motion.number(segment.link.stiffness[f][k]) * self.q[place])
            terms.append(self.motion.number(segment.link.damping[f][k]) * v[place])
        return sum([x for x in terms if not vec.is_zero(x)])
