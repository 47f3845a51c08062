"""One recorded divergence as the text of an issue, from the corpus and the recorded results; nothing is run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Optional

from conformance.language.corpus import Corpus
from conformance.language.model import Claim, Conditions, Divergence, Source
from conformance.results.cells import as_version, cell
from conformance.results.store import Results
from conformance.upgrade.script import observing_script

#: What concerns PyTorch; the other kinds say what changed, or depends on the platform.
KINDS = ("docs-wrong", "torch-bug")
#: What PyTorch publishes; an article's mistakes are its author's.
_OFFICIAL = ("docs", "note", "release")

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
        marked = re.sub(r"([A-Z])", r"^\1", subject.replace("/", "."))
        return f"{marked}-{slug}-{self.position}".replace("^", "_")


def unfiled(corpus: Corpus) -> list[Unfiled]:
    """Give the divergences to report, by the id of their first claim."""
    found: dict[tuple[object, int], list[Claim]] = {}
    for claim in corpus.claims:
        if not any(source.kind in _OFFICIAL for source in claim.sources):
            continue
        for position, divergence in enumerate(claim.diverges):
            if divergence.kind in KINDS and divergence.link == "none-filed":
                found.setdefault((divergence.place, position), []).append(claim)
    reports = [Unfiled(tuple(claims), position) for (_, position), claims in found.items()]
    return sorted(reports, key=lambda report: (report.claims[0].id, report.position))


def issue_title(report: Unfiled) -> str:
    """Give a title for the issue."""
    claim = report.claims[0]
    subject = claim.subject if len(report.claims) == 1 else f"{claim.subject} and {len(report.claims) - 1} more"
    if report.divergence.kind == "torch-bug":
        return f"{subject}: documented and not so: {_lowered(claim.title)}"
    return f"[docs] {subject}: the documentation is wrong: {_lowered(claim.title)}"


def issue_text(report: Unfiled, corpus: Corpus, results: Sequence[Results], quote: Quote) -> str:
    """Write the issue in Markdown.

    Parameters
    ----------
    results
        The recorded result files.
    quote
        Finds a sentence in the documentation at hand.
    """
    divergence = report.divergence
    parts = [
        f"# {issue_title(report)}",
        "## What the documentation says\n\n" + "\n".join(_said(report.claims, corpus, quote)),
        f"## What happens instead\n\n{_one_line(divergence.note)}",
        _shown(report, results),
        "## Where\n\n" + "\n".join(_where(report, results)),
    ]
    if divergence.wording:
        parts.append(f"## Proposed wording\n\n> {_one_line(divergence.wording)}")
    parts.append(f"<sub>Claim `{report.claims[0].id}` of torch-conformance, {divergence.place}</sub>")
    return "\n\n".join(parts) + "\n"


def _said(claims: Iterable[Claim], corpus: Corpus, quote: Quote) -> list[str]:
    lines: list[str] = []
    for claim in claims:
        for source in claim.sources:
            if source.kind not in _OFFICIAL:
                continue
            url = corpus.sources.url(source)
            name = f"`{source.name}`" if source.kind == "docs" else corpus.sources.title(source)
            where = f"[{name}]({url})" if url else name
            sentence = quote(source)
            told = f"- {where}, at “{source.key}”" + (f":\n  > {sentence}" if sentence else "")
            if told not in lines:
                lines.append(told)
    meaning = "\n".join(dict.fromkeys(f"- {claim.title}" for claim in claims))
    return [*lines, "", "Read as:", "", meaning]


def _shown(report: Unfiled, results: Sequence[Results]) -> str:
    """Give the script, from the newest release where it was seen, and what came of it there."""
    for release, device, entry in reversed(_entries(report, results)):
        if _is_seen(report, entry) and entry.get("counterexample"):
            shown = "\n".join(str(entry[key]) for key in ("failed", "detail") if entry.get(key))
            told = f"\n\nOn torch {release}, {device}:\n\n{_fenced(shown)}" if shown else ""
            return f"## A script that shows it\n\n{_fenced(entry['counterexample'], 'python')}{told}"
    example = {name: recipe.text for name, recipe in report.divergence.example}
    script = observing_script(report.claims[0], {"example": example}, "judged")
    return f"## A script that shows it\n\n{_fenced(script, 'python')}"


def _fenced(text: str, language: str = "") -> str:
    # A fence inside would end the block.
    return f"```{language}\n{text.strip().replace('```', '` ` `')}\n```"


def _where(report: Unfiled, results: Sequence[Results]) -> list[str]:
    lines = [f"- {line}" for line in _conditions(report.divergence)]
    entries = _entries(report, results)
    for device in sorted({device for _, device, _ in entries}):
        states = [
            (release, "false" if _is_seen(report, entry) else entry["verdict"])
            for release, of_device, entry in entries
            if of_device == device
        ]
        for state, group in groupby(states, key=lambda item: item[1]):
            releases = [release for release, _ in group]
            span = releases[0] if len(releases) == 1 else f"{releases[0]} to {releases[-1]}"
            lines.append(f"- {state}: torch {span}, {device}")
    return lines if entries else [*lines, "- not measured yet in this form of the claim"]


def _conditions(divergence: Divergence) -> list[str]:
    when = [f"{name} {value}" for name, value in vars(divergence.when).items() if value]
    told = [f"recorded for {', '.join(when)}"] if divergence.when != Conditions() and when else []
    return told + ([f"for inputs with `{_one_line(divergence.where.text)}`"] if divergence.where else [])


def _entries(report: Unfiled, results: Sequence[Results]) -> list[tuple[str, str, dict[str, Any]]]:
    """Give the entries of the first claim by release and device, oldest release first."""
    found = []
    for item in sorted(results, key=lambda item: as_version(item.environment["torch"])):
        entry = cell(report.claims[0], item).entry
        if entry is not None:
            found.append((item.environment["torch"], item.environment["device"], entry))
    return found


def _is_seen(report: Unfiled, entry: dict[str, Any]) -> bool:
    return entry.get("verdict") == "diverges" and report.position in entry.get("divergence", [])


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _lowered(title: str) -> str:
    first, rest = title[:1], title[1:]
    return first.lower() + rest if rest[:1].islower() or rest[:1] == " " else title
