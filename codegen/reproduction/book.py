"""The book: papers as Markdown and as one HTML page, and their figures as drawings that print in grey."""

from __future__ import annotations

import html
import importlib
from collections import Counter
from collections.abc import Iterator, Sequence

from kanegen.codegen.reproduction.records import Claim, Figure, Paper, Part, Table, Verdict
from kanegen.errors import KanegenError, did_you_mean
from kanegen.figures.canvas import check_plot, content

PAPERS = (
    "kane_levinson_1983",
    "agrawal_1988",
    "freeman_tesar_1988",
    "purushotham_anjaneyulu_2013",
    "sim_yoo_lee_1985",
    "book_1983",
)
"""Names of the papers, which are those of the modules that know them."""

TITLE = "The papers reproduced"
_SUFFIX = ".png"
_COUNTED = {
    Verdict.AGREES: "agree",
    Verdict.CORRECTED: "agree once the print is corrected",
    Verdict.ILLEGIBLE: "not legible in the scan",
    Verdict.DIFFERS: "differ",
    Verdict.FAILED: "not reproduced",
}
_INTRODUCTION = (
    "Every table, figure and numeric claim of the papers that kanegen grew from: what is printed beside what is "
    "computed. Differences "
    "are told by the bounds that they stay below; a bound is a few hundred roundings of 1.1e-16, or what a note says."
)
_STYLES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)))
"""Dashes tell curves apart where colours do not print."""
_GREYS = ("0.0", "0.35", "0.0", "0.35", "0.6")


def paper(name: str) -> Paper:
    """A paper's claims, computed now.  Raises KanegenError for an unknown name."""
    if name not in PAPERS:
        cure = did_you_mean(name, PAPERS, "Mend the name.")
        raise KanegenError(f"there is no paper {name!r}; expected one of {', '.join(PAPERS)}. {cure}")
    module = importlib.import_module(f"kanegen.codegen.reproduction.{name}")
    found: Paper = module.paper()
    return found


def files(papers: Sequence[Paper]) -> dict[str, bytes]:
    """The book's files by name: README.md, index.html, a page for each paper, and the figures."""
    check_plot(_SUFFIX)
    written = {"README.md": _contents(papers), "index.html": _page(papers)}
    written |= {f"{one.key}.md": _markdown(one) for one in papers}
    found = {name: text.encode() for name, text in written.items()}
    for one in papers:
        found |= {f"{figure.name}{_SUFFIX}": _drawn(figure) for figure in one.figures}
    return found


def summary(one: Paper) -> str:
    """How many claims there are of each verdict."""
    counted = Counter(claim.verdict for claim in one.claims)
    told = ", ".join(f"{counted[verdict]} {words}" for verdict, words in _COUNTED.items() if counted[verdict])
    return f"{len(one.claims)} claims: {told}"


# -- Markdown ----------------------------------------------------------------------------------------------------------


def _contents(papers: Sequence[Paper]) -> str:
    lines = [f"# {TITLE}", "", _INTRODUCTION, "", "`kanegen reproduce` makes these pages anew.", ""]
    lines += ["| paper | claims |", "|---|---|"]
    lines += [f"| [{_cell(one.citation)}]({one.key}.md) | {summary(one)} |" for one in papers]
    return "\n".join(lines) + "\n"


def _markdown(one: Paper) -> str:
    lines = [f"# {one.citation}", "", f"{summary(one)}.", ""]
    for section in one.sections:
        lines += [f"## {section.title}", ""]
        for parts in _grouped(section.parts):
            first = parts[0]
            if isinstance(first, Claim):
                claims = [part for part in parts if isinstance(part, Claim)]
                lines += _rows(_CLAIM_HEADER, [_claim_cells(claim) for claim in claims])
            elif isinstance(first, Table):
                lines += [f"**{first.place}: {first.title}**", "", *_rows(first.header, first.rows)]
            elif isinstance(first, Figure):
                lines += [f"![{first.title}]({first.name}{_SUFFIX})", "", f"*{first.place}: {first.title}.*"]
            if not isinstance(first, Claim) and first.note:
                lines += ["", first.note]
            lines.append("")
    return "\n".join(lines).rstrip() + "\n"


_CLAIM_HEADER = ("place", "what", "printed", "computed", "", "note")


def _claim_cells(claim: Claim) -> tuple[str, ...]:
    return claim.place, claim.says, claim.printed, claim.computed, claim.verdict.value, claim.note


def _rows(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [
        f"| {' | '.join(map(_cell, header))} |",
        "|---" * len(header) + "|",
        *(f"| {' | '.join(map(_cell, row))} |" for row in rows),
    ]


def _cell(text: str) -> str:
    return (
        text.replace("|", "\\|").replace("\n", " ").replace("*", "\\*")
        if "`" not in text
        else text.replace("|", "\\|")
    )


def _grouped(parts: Sequence[Part]) -> Iterator[Sequence[Part]]:
    """Claims that follow one another are one table."""
    claims: list[Part] = []
    for part in parts:
        if isinstance(part, Claim):
            claims.append(part)
            continue
        if claims:
            yield claims
            claims = []
        yield [part]
    if claims:
        yield claims


# -- HTML --------------------------------------------------------------------------------------------------------------

_STYLE = (
    "body{font-family:serif;max-width:70em;margin:2em auto;padding:0 1em;color:#111}h1,h2,h3{font-weight:normal}"
    "table{border-collapse:collapse;margin:1em 0;font-size:90%}td,th{border:1px solid #bbb;padding:.2em "
    ".5em;text-align:left;"
    "vertical-align:top;font-weight:normal}th{background:#eee}img{max-width:100%}figure{margin:1em 0}.note{color:#444}"
    "@media print{body{max-width:none}h2{break-before:page}}"
)


def _page(papers: Sequence[Paper]) -> str:
    """All papers on one page, which needs nothing but the figures beside it."""
    text = html.escape
    body = [f"<h1>{TITLE}</h1>", f"<p>{text(_INTRODUCTION)}</p>", "<ul>"]
    body += [
        f'<li><a href="#{one.key}">{text(one.citation)}</a>: {text(summary(one))}</li>' for one in papers
    ]
    body.append("</ul>")
    for one in papers:
        body.append(f'<h2 id="{one.key}">{text(one.citation)}</h2>')
        for section in one.sections:
            body.append(f"<h3>{text(section.title)}</h3>")
            for parts in _grouped(section.parts):
                body += _html_parts(parts)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{TITLE}</title>'
        f"<style>{_STYLE}</style></head>\n"
        f"<body>\n{chr(10).join(body)}\n</body></html>\n"
    )


def _html_parts(parts: Sequence[Part]) -> Iterator[str]:
    first, text = parts[0], html.escape
    if isinstance(first, Claim):
        yield _html_table(_CLAIM_HEADER, [_claim_cells(part) for part in parts if isinstance(part, Claim)])
        return
    if isinstance(first, Table):
        yield f"<p>{text(first.place)}: {text(first.title)}</p>"
        yield _html_table(first.header, first.rows)
    else:
        yield (
            f'<figure><img src="{first.name}{_SUFFIX}" alt="{text(first.title)}"><figcaption>{text(first.place)}: '
            f"{text(first.title)}.</figcaption></figure>"
        )
    if first.note:
        yield f'<p class="note">{text(first.note)}</p>'


def _html_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(x.replace('`', ''))}</{tag}>" for x in cells) + "</tr>"

    return "<table>" + line(header, "th") + "\n".join(line(row, "td") for row in rows) + "</table>"


# -- figures -----------------------------------------------------------------------------------------------------------


def _drawn(figure: Figure) -> bytes:
    """A figure as a PNG: panels one above the other, curves told apart by dashes and grey, a light title."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Drawing

    count = len(figure.panels)
    drawn = Drawing(figsize=(6.4, 2.0 * count + 0.9), layout="constrained")
    FigureCanvasAgg(drawn)
    axes = drawn.subplots(count, 1, sharex=True, squeeze=False)[:, 0]
    for axis, panel in zip(axes, figure.panels, strict=True):
        for k, (name, values) in enumerate(panel.curves.items()):
            axis.plot(
                figure.t,
                values,
                linestyle=_STYLES[k % len(_STYLES)],
                color=_GREYS[k % len(_GREYS)],
                linewidth=1.2,
                label=name,
            )
        for name, value in panel.targets.items():
            axis.axhline(value, color="0.7", linewidth=0.8, zorder=0, label=name)
        axis.set_ylabel(f"{panel.quantity} [{panel.unit}]")
        axis.set_xlim(figure.t[0], figure.t[-1])
        axis.legend(loc="best", fontsize="x-small", frameon=False, ncols=1 + (len(panel.curves) > 3))
        axis.spines[["top", "right"]].set_visible(False)
    axes[-1].set_xlabel(figure.abscissa)
    drawn.suptitle(figure.title, fontsize=9, color="0.3")
    return content(drawn, _SUFFIX)
