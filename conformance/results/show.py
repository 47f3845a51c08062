"""``conformance show``: what is promised about a name, and where it holds, as text."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any, Optional

from conformance.language.corpus import Corpus, default_root, load_corpus
from conformance.language.model import Claim, Source
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
_LEGEND = (
    "yes: holds · NO: documented but false, as recorded · open: left open · absent: no such name · "
    "n/a: does not apply · ?: not measured"
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
    claims = [claim for claim in corpus.claims if claim.subject == subject]
    headers = [f"{item.environment['torch']} {item.environment['device']}" for item in results]
    width = max(len(claim.title) for claim in claims)
    lines = [subject, "", f"  {'':{width}}  " + "  ".join(headers)]
    for claim in claims:
        marks = [_mark(claim, item).ljust(len(header)) for item, header in zip(results, headers)]
        lines.append(f"  {claim.title:{width}}  " + "  ".join(marks).rstrip())
        lines.append(f"    {claim.id}")
        lines += [f"    instead: {note}" for note in _notes(claim)]
    return lines


def _mark(claim: Claim, results: Results) -> str:
    entry = results.claims.get(claim.id)
    # An entry of an older form of the claim says nothing about this one.
    if entry is None or results.void or entry["claim"] != claim.fingerprint():
        return _HOLE
    return _MARKS[entry["verdict"]]


def _notes(claim: Claim) -> list[str]:
    return [" ".join(divergence.note.split()) for divergence in claim.diverges]


def _page(claim: Claim, results: list[Results]) -> list[str]:
    lines = [claim.id, claim.title, ""]
    lines += [f"  source: {_source(source)}" for source in claim.sources]
    lines += [f"  spec:   {claim.place}", ""]
    for item in results:
        entry: dict[str, Any] = item.claims.get(claim.id, {})
        counted = f", {entry['examples']} examples" if "examples" in entry else ""
        lines.append(f"  {item.name}: {_mark(claim, item)}{counted}")
    lines += [f"  instead: {note}" for note in _notes(claim)]
    lines += ["", *_program(claim)]
    entries = [item.claims[claim.id] for item in results if claim.id in item.claims]
    for name, fact in (entries[-1].get("facts", {}) if entries else {}).items():
        lines.append(f"    # {name}: {' | '.join(map(str, fact))}")
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
