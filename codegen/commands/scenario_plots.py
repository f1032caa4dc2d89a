"""Drawings of scenarios: small panels of curves against time, as in the figures of the paper."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kanegen.codegen.commands.scenario_report import coordinate_units, force_units
from kanegen.codegen.commands.scenario_run import Array, Result
from kanegen.codegen.mechanism.folding import with_numbers
from kanegen.codegen.mechanism.scenarios import PrescribedMotion
from kanegen.codegen.mechanism.values import numeric
from kanegen.figures.canvas import check_plot, content

_TITLE_LETTERS = 55
"""Letters that fit above one panel."""
_GREEK = ("tau", "sigma")


@dataclass(frozen=True, eq=False)
class Panel:
    """One curve against time, the value that it aims at, and how far it may go from where it begins, if any."""

    name: str
    unit: str
    values: Array
    target: float | None = None
    band: float | None = None


def panels(result: Result) -> list[Panel]:
    """What is drawn of a scenario: actuator forces of a prescribed motion; else what is conserved and watched."""
    scenario, mechanism = result.scenario, result.mechanism
    if isinstance(scenario, PrescribedMotion):
        columns = zip(result.actuator_names, force_units(mechanism), result.forces.T, strict=True)
        return [Panel(name, unit, values) for name, unit, values in columns]
    chosen = []
    if scenario.conserved is not None and result.conserved is not None:
        conserved = scenario.conserved
        chosen.append(Panel(conserved.name, conserved.unit, result.conserved, band=conserved.bound))
    chosen += _deflections(result, scenario.deflected)
    units = coordinate_units(mechanism)
    for name in scenario.watched:
        k = mechanism.coordinates.index(name)
        chosen.append(Panel(name, units[k], result.q[:, k], scenario.targets[k]))
    return chosen


def _deflections(result: Result, links: Iterable[str]) -> list[Panel]:
    """How far the ends of flexible links are deflected in y and z of their frames, where their modes move them."""
    mechanism, found = with_numbers(result.mechanism), []
    for name in links:
        link = mechanism.flexible_link(name)
        assert link is not None, "the catalogue knows its links"
        places = [mechanism.coordinates.index(mode) for mode in link.modes]
        for axis in (1, 2):
            shares = np.array([float(numeric(d[axis], mechanism)) for d in link.end.displacements])
            if shares.any():
                found.append(Panel(f"{'xyz'[axis]} of {name}", "m", result.q[:, places] @ shares))
    return found


def plot(result: Result, suffix: str) -> bytes:
    """The drawing of a scenario as the content of a file that ends in ``suffix`` (".png", ".svg", ".pdf", ...).

    Raises KanegenError where matplotlib is missing or cannot write such files.
    """
    check_plot(suffix)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    chosen = panels(result)
    columns = 2 if len(chosen) > 3 else 1
    rows = -(-len(chosen) // columns)
    figure = Figure(figsize=(4.2 * columns, 1.9 * rows + 0.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, sharex=True, squeeze=False)
    for k, panel in enumerate(chosen):
        axis = axes[k // columns][k % columns]
        _draw(axis, result.t, panel)
        axis.set_ylabel(f"{_symbol(panel.name)} [{panel.unit}]")
        axis.set_xlim(result.t[0], result.t[-1])
        axis.spines[["top", "right"]].set_visible(False)
    told: set[str] = set()
    for axis in axes.flat:
        labels = set(axis.get_legend_handles_labels()[1])
        if labels - told:  # what a line means is said once
            axis.legend(loc="best", fontsize="small", frameon=False)
            told |= labels
    for axis in axes[-1]:
        axis.set_xlabel(r"$t$ [s]")
    figure.align_ylabels()
    title = f"{result.mechanism.name}: {result.scenario.title}"
    figure.suptitle(textwrap.fill(title, _TITLE_LETTERS * columns), fontsize=10)
    return content(figure, suffix)


def _draw(axis: Any, t: Array, panel: Panel) -> None:
    """A curve in its panel, with what else is to be seen there."""
    axis.axhline(0.0, color="0.6", linewidth=0.5, zorder=0)
    if panel.band is not None:
        start = float(panel.values[0])
        axis.axhspan(
            start - panel.band,
            start + panel.band,
            color="0.9",
            zorder=0,
            label=f"±{panel.band:.0e}, asked for",
        )
        reach = max(panel.band, float(np.abs(panel.values - start).max()))
        axis.set_ylim(start - 1.5 * reach, start + 1.5 * reach)
    if panel.target is not None:
        axis.axhline(panel.target, color="black", linewidth=0.6, linestyle="--", label="target")
    axis.plot(t, panel.values, color="black", linewidth=1.0)


def _symbol(name: str) -> str:
    """A name as mathematics: tau1 as a Greek letter with an index; any other name as it is."""
    parts = re.fullmatch(r"([A-Za-z]+)(\d*)", name)
    if parts is None:
        return name.replace("$", r"\$")
    letters, index = parts.groups()
    if letters in _GREEK:
        letters = "\\" + letters
    elif len(letters) > 1:
        letters = rf"\mathrm{{{letters}}}"
    return f"${letters}_{{{index}}}$" if index else f"${letters}$"
