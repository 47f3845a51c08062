"""One recorded divergence as the text of an issue, from the corpus and the recorded results; nothing is run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Optional

from conformance.language.corpus import Corpus
from conformance.language.model import Claim, Divergence, Source
from conformance.scripts.observation import observing_script
from conformance.text import one_line
from conformance.views.cells import Cell
from conformance.views.conditions import conditions_in_words
from conformance.views.recorded import Recorded
from conformance.views.releases import runs
from conformance.views.sources import OFFICIAL, source_view
from conformance.views.verdicts import APPEARANCES

#: What concerns PyTorch; the other kinds say what changed, or depends on the platform.
KINDS = ("docs-wrong", "torch-bug")

#: Finds the sentence of a source in the documentation at hand, where there is one.
Quote = Callable[[Source], Optional[str]]


@dataclass(frozen=True)
class Unfiled:
    """A divergence that nobody has reported, and the claims that share it: the rows of one table have one.

    Attributes
    ----------
    position : int
        Which of the claims' divergences it is.
    """

    claims: tuple[Claim, ...]
    position: int

    @property
    def divergence(self) -> Divergence:
        """The record of the spec."""
        return self.claims[0].diverges[self.position]

    @property
    def name(self) -> str:
        """A name for a file."""
        subject, _, slug = self.claims[0].id.rpartition("/")
        # Tensor and tensor are one file on some systems.
        marked = re.sub(r"([A-Z])", r"_\1", subject.replace("/", "."))
        return f"{marked}-{slug}-{self.position}"


def unfiled(corpus: Corpus) -> list[Unfiled]:
    """Return the divergences to report, by the id of their first claim."""
    found: dict[tuple[object, int], list[Claim]] = {}
    for claim in corpus.claims:
        if not any(source.kind in OFFICIAL for source in claim.sources):
            continue
        for position, divergence in enumerate(claim.diverges):
            if divergence.kind in KINDS and divergence.link == "none-filed":
                found.setdefault((divergence.place, position), []).append(claim)
    reports = [Unfiled(tuple(claims), position) for (_, position), claims in found.items()]
    return sorted(reports, key=lambda report: (report.claims[0].id, report.position))


def issue_title(report: Unfiled) -> str:
    """Return a title for the issue."""
    claim = report.claims[0]
    subject = claim.subject if len(report.claims) == 1 else f"{claim.subject} and {len(report.claims) - 1} more"
    if report.divergence.kind == "torch-bug":
        return f"{subject}: documented and not so: {_lowered(claim.title)}"
    return f"[docs] {subject}: the documentation is wrong: {_lowered(claim.title)}"


def issue_text(report: Unfiled, corpus: Corpus, recorded: Recorded, quote: Quote) -> str:
    """Write the issue in Markdown.

    Parameters
    ----------
    quote
        Finds a sentence in the documentation at hand.
    """
    divergence = report.divergence
    cells = _cells(report, recorded)
    parts = [
        f"# {issue_title(report)}",
        "## What the documentation says\n\n" + "\n".join(_said(report.claims, corpus, quote)),
        f"## What happens instead\n\n{one_line(divergence.note)}",
        f"## A script that shows it\n\n{_shown(report, [cell for path in cells.values() for cell in path])}",
        "## Where\n\n" + "\n".join([*_conditions(divergence), *_releases(report, cells)]),
    ]
    if divergence.wording:
        parts.append(f"## Proposed wording\n\n> {one_line(divergence.wording)}")
    parts.append(f"<sub>Claim `{report.claims[0].id}` of torch-conformance, {divergence.place}</sub>")
    return "\n\n".join(parts) + "\n"


def _said(claims: Iterable[Claim], corpus: Corpus, quote: Quote) -> list[str]:
    lines: dict[str, None] = {}
    for source in (source for claim in claims for source in claim.sources if source.kind in OFFICIAL):
        view = source_view(source, corpus.sources)
        name = f"`{view.title}`" if source.kind == "docs" else view.title
        where = f"[{name}]({view.url})" if view.url else name
        sentence = quote(source)
        lines[f"- {where}, {view.place}" + (f":\n  > {sentence}" if sentence else "")] = None
    meaning = dict.fromkeys(f"- {claim.title}" for claim in claims)
    return [*lines, "", "Read as:", "", *meaning]


def _shown(report: Unfiled, cells: Sequence[Cell]) -> str:
    """Return the script, from the newest release where it was seen, and what came of it there."""
    for cell in sorted(cells, key=lambda cell: cell.measured.version, reverse=True):
        entry = cell.entry
        if _is_seen(report, cell) and entry is not None and entry.counterexample is not None:
            shown = "\n".join(str(part) for part in (entry.failed, entry.detail) if part)
            told = f"\n\nOn torch {cell.release}, {cell.measured.device}:\n\n{_fenced(shown)}" if shown else ""
            return f"{_fenced(entry.counterexample, 'python')}{told}"
    example = {name: recipe.text for name, recipe in report.divergence.example}
    return _fenced(observing_script(report.claims[0], example, "judged"), "python")


def _fenced(text: str, language: str = "") -> str:
    # A fence inside would end the block.
    return f"```{language}\n{text.strip().replace('```', '` ` `')}\n```"


def _conditions(divergence: Divergence) -> list[str]:
    when = conditions_in_words(divergence.when)
    lines = [f"- recorded for {when}"] if when else []
    return lines + ([f"- for inputs with `{one_line(divergence.where.text)}`"] if divergence.where else [])


def _releases(report: Unfiled, cells: dict[str, list[Cell]]) -> list[str]:
    lines = [
        f"- {run.value}: torch {run.span}, {device}"
        for device, path in cells.items()
        for run in runs((cell.release, _state(report, cell)) for cell in path)
    ]
    return lines or ["- not measured yet in this form of the claim"]


def _state(report: Unfiled, cell: Cell) -> str:
    verdict = cell.verdict
    return "false" if _is_seen(report, cell) or verdict is None else APPEARANCES[verdict].word


def _cells(report: Unfiled, recorded: Recorded) -> dict[str, list[Cell]]:
    """Return what was measured of the first claim, for each device, oldest release first."""
    found: dict[str, list[Cell]] = {}
    for device, path in recorded.by_device.items():
        cells = [cell for cell in (measured.cell(report.claims[0]) for measured in path) if cell.entry is not None]
        if cells:
            found[device] = cells
    return found


def _is_seen(report: Unfiled, cell: Cell) -> bool:
    return cell.verdict == "diverges" and cell.entry is not None and report.position in cell.entry.divergence


def _lowered(title: str) -> str:
    first, rest = title[:1], title[1:]
    return first.lower() + rest if rest[:1].islower() or rest[:1] == " " else title
