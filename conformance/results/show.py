"""``conformance show``: what is promised about a name, and where it holds, as text."""

from __future__ import annotations

import difflib
from itertools import groupby
from pathlib import Path
from typing import Any, Optional

from conformance.language.corpus import Corpus, default_root, load_corpus
from conformance.language.model import Claim, Source
from conformance.results.cells import cell, false_in_part
from conformance.results.documentation import documentation_states
from conformance.results.recorded import recorded_folder
from conformance.results.store import Results, load_folder

_MARKS = {
    "holds": "yes",
    "diverges": "NO",
    "refuted": "NO!",
    "fixed": "fixed!",
    "changed": "NO!",
    "unspecified": "open",
    "absent": "absent",
    "inapplicable": "n/a",
    "crashed": "crash!",
    "timed-out": "hang!",
    "invalid": "invalid!",
}
_HOLE = "?"
_IN_PART = "partly"
_LEGEND = (
    "yes: holds · NO: documented but false, as recorded · partly: false for some inputs, as recorded · "
    "open: left open · absent: no such name · n/a: does not apply · ?: not measured"
)


class UnknownName(Exception):
    """Nothing in the corpus has that name; the message offers near ones."""


def show(name: str, folder: Optional[Path] = None) -> str:
    """Return the table of a subject, or the page of one claim.

    Raises
    ------
    UnknownName
        If no subject and no claim has that name.
    ResultError
        If a result file can't be used.
    """
    corpus, _ = load_corpus([default_root()])
    results = load_folder(folder or recorded_folder())
    exact = [claim for claim in corpus.claims if name == claim.id or name in claim.was]
    if exact:
        return _clean("\n".join(_page(exact[0], results)))
    subjects = sorted({claim.subject for claim in corpus.claims if _matches(claim.subject, name)})
    if not subjects:
        raise UnknownName(_not_found(name, corpus))
    return _clean("\n\n".join("\n".join(_table(subject, corpus, results)) for subject in subjects) + f"\n\n{_LEGEND}")


def _matches(subject: str, name: str) -> bool:
    return subject == name or subject.endswith("." + name) or subject.rsplit(".", 1)[-1] == name


def _table(subject: str, corpus: Corpus, results: list[Results]) -> list[str]:
    claims = sorted((claim for claim in corpus.claims if claim.subject == subject), key=lambda claim: claim.place)
    lines = [subject, f"measured on {_environments(results)}", ""]
    for claim in claims:
        first, *others = _runs(claim, results)
        uniform = not others
        lines.append(f"  {first.split(' ')[0] if uniform else '':7} {claim.title}")
        lines.append(f"          {claim.id}")
        lines += [] if uniform else [f"          {run}" for run in (first, *others)]
        lines += [f"          instead{condition}: {note}" for condition, note in _notes(claim)]
    return lines


def _environments(results: list[Results]) -> str:
    described = []
    for device, of_device in _by_device(results):
        versions = [item.environment["torch"] for item in of_device]
        span = versions[0] if len(versions) == 1 else f"{versions[0]} to {versions[-1]} ({len(versions)} releases)"
        described.append(f"torch {span} on {device}")
    return ", ".join(described) or "nothing yet: 'conformance run --results=DIR' measures"


def _by_device(results: list[Results]) -> list[tuple[str, list[Results]]]:
    devices = sorted({item.environment["device"] for item in results})
    return [(device, [item for item in results if item.environment["device"] == device]) for device in devices]


def _runs(claim: Claim, results: list[Results]) -> list[str]:
    """Tell the marks of a claim as ranges of releases, such as ``yes 1.10.2 to 2.15.0 cpu``."""
    runs = []
    for device, of_device in _by_device(results):
        for mark, group in groupby(of_device, key=lambda item: _mark(claim, item)):
            runs.append(f"{mark} {_span([item.environment['torch'] for item in group])} {device}")
    return runs or [f"{_HOLE} "]


def _documentation(claim: Claim, results: list[Results]) -> list[str]:
    """Tell how documentation and truth go together, as ranges of releases, for each device."""
    told = []
    for device, of_device in _by_device(results):
        states = documentation_states(claim, of_device)
        for state, group in groupby(states.items(), key=lambda item: item[1]):
            if state is not None:
                told.append(f"{state}: {_span([release for release, _ in group])} {device}")
    return told


def _span(versions: list[str]) -> str:
    return versions[0] if len(versions) == 1 else f"{versions[0]} to {versions[-1]}"


def _mark(claim: Claim, results: Results) -> str:
    entry = cell(claim, results).entry
    if entry is None:
        return _HOLE
    return _IN_PART if false_in_part(claim, entry) else _MARKS[entry["verdict"]]


def _notes(claim: Claim) -> list[tuple[str, str]]:
    """Return, for each divergence, where it applies and what happens there."""
    notes = []
    for divergence in claim.diverges:
        when = [f"{name} {value}" for name, value in vars(divergence.when).items() if value]
        where = [f"where {divergence.where.text.strip()}"] if divergence.where else []
        condition = f" ({', '.join(when + where)})" if when or where else ""
        notes.append((condition, " ".join(divergence.note.split())))
    return notes


def _page(claim: Claim, results: list[Results]) -> list[str]:
    lines = [claim.id, claim.title, ""]
    lines += [f"  source: {_source(source)}" for source in claim.sources]
    lines += [f"  spec:   {claim.place}", ""]
    lines += [f"  {run}" for run in _runs(claim, results)]
    lines += [f"  {run}" for run in _documentation(claim, results)]
    lines += [f"  instead{condition}: {note}" for condition, note in _notes(claim)]
    lines += ["", *_program(claim)]
    entries = [item.claims[claim.id] for item in results if claim.id in item.claims]
    if entries and "facts" in entries[-1]:
        lines += ["", f"  on torch {results[-1].environment['torch']}, with {_inputs(entries[-1])}:"]
        lines += [f"    {name}: {' | '.join(map(str, fact))}" for name, fact in entries[-1]["facts"].items()]
    scripts = [entry["counterexample"] for entry in entries if "counterexample" in entry]
    if scripts:
        lines += ["", "  where it is false:", "", *(f"    {line}" for line in scripts[-1].splitlines())]
    return lines


def _program(claim: Claim) -> list[str]:
    lines = [f"    {name} = {fragment.text.strip()}" for name, fragment in claim.given]
    lines += [f"    {line}" for line in (claim.do.text.strip().splitlines() if claim.do else [])]
    lines += [f"    assert {fragment.text.strip()}" for fragment in claim.expectation.expect]
    raises = claim.expectation.raises
    if raises is not None:
        lines.append(f"    # raises {raises.type or 'an error'}" + (f": {raises.message}" if raises.message else ""))
    return lines


def _inputs(entry: dict[str, Any]) -> str:
    return ", ".join(f"{name} = {recipe}" for name, recipe in entry.get("example", {}).items()) or "no input"


def _source(source: Source) -> str:
    if source.kind == "article":
        return f"article {source.name}, row {source.row}"
    return f"{source.kind} {source.name}, at “{source.key}”"


def _not_found(name: str, corpus: Corpus) -> str:
    known = {claim.subject for claim in corpus.claims} | {claim.id for claim in corpus.claims}
    short = {subject.rsplit(".", 1)[-1] for subject in known if "/" not in subject}
    near = difflib.get_close_matches(name, sorted(known | short), n=3)
    hint = f"; did you mean {', '.join(near)}?" if near else "; the reference lists every subject"
    return f"nothing in the corpus is called {name!r}{hint}"


def _clean(text: str) -> str:
    # Titles and results may come from anywhere; they must not drive the terminal.
    return "".join(c if c == "\n" or c.isprintable() else f"\\x{ord(c):02x}" for c in text)
