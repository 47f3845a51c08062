"""The report for a person, as plain text or Markdown: what hurts most first, then what the report covers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Optional

from conformance.base.release_spans import minor
from conformance.base.text import bounded, count_of, one_line, printable
from conformance.language.addresses import site_url
from conformance.upgrade.harm import SHOWN
from conformance.upgrade.model import AffectedPlace, Report, ReportCoverage, ReportEntry
from conformance.usage import Evidence, Use

_MOST_FILES, _MOST_LISTED, _MOST_MAYBE, _MOST_NOTES, _SHOWN_PLACES = 4, 4, 12, 3, 5
_WORTH_LISTING, _MOST_IN_SHORT = 4, 20
#: How many places of an entry the JSON report lists.
MOST_PLACES = 50
_TITLE, _SECTION, _ENTRY, _LINE, _FIELD, _CODE = range(6)
_NOUNS = {"breaks": "break", "changes": "change", "warns": "warning"}
_Line = tuple[int, str]


def text_report(report: Report, *, brief: bool = False, everything: bool = False, coverage: bool = False) -> str:
    """Write the report as plain text.

    Parameters
    ----------
    brief
        One line for each entry.
    everything
        Every entry and every place.
    coverage
        All that was not read or resolved, too.
    """
    lines: list[str] = []
    for kind, text in _lines(report, brief, everything, coverage):
        if kind in (_SECTION, _ENTRY):
            lines += ["", text] if not (brief and kind == _ENTRY) else [text]
        elif kind == _CODE:
            lines += [f"    {line}".rstrip() for line in text.splitlines()]
        else:
            lines.append(f"  {text}" if kind == _FIELD else text)
    return printable("\n".join(lines).rstrip() + "\n")


def markdown_report(report: Report, *, brief: bool = False, everything: bool = False, coverage: bool = False) -> str:
    """Write the report as Markdown; what comes from specs, results or the code can't become markup."""
    lines: list[str] = []
    for kind, text in _lines(report, brief, everything, coverage):
        if kind == _CODE:
            fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
            lines += ["", f"{fence}python", text, fence, ""]
        else:
            before, after = _MARKS[kind] if not (brief and kind == _ENTRY) else ("- ", "")
            lines += [f"{before}{escaped(text.strip())}{after}"]
    return printable("\n".join(lines).rstrip() + "\n")


_MARKS = {
    _TITLE: ("# ", "\n"),
    _SECTION: ("\n## ", "\n"),
    _ENTRY: ("\n### ", "\n"),
    _LINE: ("", "  "),
    _FIELD: ("- ", ""),
}


def escaped(text: str) -> str:
    """Escape what Markdown and HTML would take as markup."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&!])", r"\\\1", one_line(text))


def summary(report: Report) -> str:
    """Return the counts in one line; an all-clear only where torch is used, and everything was read and resolved."""
    counts = report.counts()
    numbers = [count_of(counts[harm], _NOUNS[harm]) for harm in SHOWN if counts[harm]]
    numbers += [f"{len(report.maybe):,} maybe"] if report.maybe else []
    numbers += [f"{report.ignored:,} ignored"] if report.ignored else []
    if numbers:
        return ", ".join(numbers)
    coverage = report.coverage
    nothing = "no differences found" if coverage is None or coverage.names else "nothing to compare"
    is_whole = coverage is None or coverage.is_analysed
    return nothing if is_whole else f"{nothing}, but parts of the code could not be analysed"


def _lines(report: Report, brief: bool, everything: bool, coverage: bool) -> Iterator[_Line]:
    files = "" if report.coverage is None else f" ({count_of(report.coverage.files, 'file')} read)"
    yield _TITLE, f"torch {report.old} → {report.new}: {summary(report)}{files}"
    yield from ((_LINE, remark) for remark in report.remarks)
    if report.coverage is not None and not brief:
        yield from _contents(report)
    for harm in SHOWN:
        entries = report.of(harm)
        if report.coverage is None and not everything:
            # Nobody reads a thousand names: what people wrote, then the others by module.
            yield from [(_SECTION, f"{harm.upper()}: {len(entries)}")] if entries else []
            measured = [entry for entry in entries if entry.kind not in ("change", "claim")]
            yield from ((_FIELD, line) for line in _by_module(measured))
            yield from ((_FIELD, _brief(entry)) for entry in entries if entry not in measured)
        elif brief:
            yield from ((_ENTRY, f"{harm:8} {_brief(entry)}") for entry in entries)
        else:
            for entry in entries:
                yield from _entry(entry, everything)
    if report.maybe:
        yield _SECTION, "MAYBE: the code does not show whether it is concerned"
        some = report.maybe[: None if everything else _MOST_MAYBE]
        yield from ((_FIELD, _brief(entry, entry.condition)) for entry in some)
        left = len(report.maybe) - len(some)
        yield from [(_FIELD, f"and {left} more; --all lists them")] if left else []
    if report.pending:
        yield _SECTION, f"PENDING: already so in {report.old}"
        yield from ((_FIELD, _brief(entry)) for entry in report.pending)
    yield _LINE, ""
    if report.unused_ignores:
        most = None if coverage else _MOST_LISTED
        yield _LINE, f"ignores that match nothing: {_some(report.unused_ignores, most)}"
    if report.coverage is not None:
        details = list(_details(report.coverage, None if coverage else _MOST_LISTED))
        yield _LINE, _covered(report.coverage, hint=bool(details) and not coverage)
        yield from ((_FIELD, line) for line in details if coverage or report.is_silent)


def _contents(report: Report) -> Iterator[_Line]:
    """Yield a line for each entry, where there are several: details fill the first screen otherwise."""
    entries = [entry for harm in SHOWN for entry in report.of(harm)]
    if len(entries) >= _WORTH_LISTING:
        yield _LINE, ""
        yield from ((_FIELD, f"{entry.severity:8} {_brief(entry)}") for entry in entries[:_MOST_IN_SHORT])
        if len(entries) > _MOST_IN_SHORT:
            yield _FIELD, f"and {len(entries) - _MOST_IN_SHORT} more"


def _covered(coverage: ReportCoverage, *, hint: bool) -> str:
    if not coverage.files:
        return "covered: no Python file was read; nothing can be said of the code"
    if not coverage.names:
        return "covered: no use of torch was found; nothing can be said of the code"
    unknown = len(coverage.unknown) + len(coverage.missing)
    names = f"{count_of(coverage.names, 'torch name')}, {f'{unknown:,} unknown' if unknown else 'all known'}"
    calls = f"{coverage.known_calls:,} of {count_of(coverage.calls, 'call')} by signature"
    rest = [f"{count_of(len(coverage.not_read), 'place')} not read"] if coverage.not_read else []
    rest += [f"{count_of(len(coverage.unclear), 'place')} not fully analysed"] if coverage.unclear else []
    return f"covered: {'; '.join([names, calls, *rest])}{' (--coverage)' if hint else ''}"


def _details(coverage: ReportCoverage, most: Optional[int]) -> Iterator[str]:
    """Yield what the report does not cover; ``most``: how many of a kind are named, all without it."""
    reasons: dict[str, dict[str, Use]] = {}
    for name, (use, why) in coverage.unknown.items():
        reasons.setdefault(why, {})[name] = use
    yield from (f"unknown ({why}): {_named(names, most)}" for why, names in reasons.items())
    if coverage.missing:
        missing = {name: use for name, (use, _) in coverage.missing.items()}
        yield f"gone from both releases: {_named(missing, most)}"
    causes: dict[str, list[str]] = {}
    for unread in coverage.not_read:
        causes.setdefault(unread.cause.value, []).append(_place(unread.path, unread.line, unread.cell))
    yield from (f"not read ({cause}): {_some(paths, most)}" for cause, paths in causes.items())
    doubts: dict[str, dict[str, None]] = {}
    for unclear in coverage.unclear:
        doubts.setdefault(unclear.doubt.value, {})[_place(unclear.path, unclear.line, unclear.cell)] = None
    for doubt, places in doubts.items():
        yield f"not fully analysed, because it {doubt}: {_some(list(places), most)}"
    if coverage.skipped:
        yield f"skipped, because excluded or not written for the project: {_some(coverage.skipped, most)}"


def _named(names: Mapping[str, Use], most: Optional[int]) -> str:
    return _some([f"{name} ({_place(use.path, use.line, use.cell)})" for name, use in names.items()], most)


def _by_module(entries: Iterable[ReportEntry]) -> Iterator[str]:
    """Yield a line for each module and kind."""
    modules: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        owner = ".".join(entry.subject.split(".")[:2]) if entry.subject.count(".") > 1 else "torch"
        modules.setdefault((owner, entry.kind), []).append(entry.subject[len(owner) + 1 :])
    for (module, kind), names in sorted(modules.items(), key=lambda pair: (pair[0][0].count("."), pair[0])):
        yield f"{module}, {kind}: {_some(names)}"


def _brief(entry: ReportEntry, condition: str = "") -> str:
    places = entry.places
    only = f", only if {condition}" if condition else ""
    where = f"  [{places[0]}{f' and {len(places) - 1} more' if len(places) > 1 else ''}]" if places else ""
    return f"{bounded(entry.what, 200)} ({entry.when}){only}{where}"


def _entry(entry: ReportEntry, everything: bool) -> Iterator[_Line]:
    sure = [place for place in entry.places if place.evidence is not Evidence.MAYBE]
    where = f"  {_places(sure, None if everything else _SHOWN_PLACES)}" if sure else ""
    yield _ENTRY, f"{entry.severity.upper()}{where}"
    yield _FIELD, f"{entry.what}  ({entry.when})"
    if entry.condition:
        yield _FIELD, f"only if  {entry.condition}"
    if entry.places and entry.evidence is not Evidence.CERTAIN and not entry.condition:
        yield _FIELD, "likely   the code does not show for certain which object this is, or whether the line runs"
    yield _FIELD, f"before   {entry.before}"
    yield _FIELD, f"after    {entry.after}"
    if entry.instead:
        yield _FIELD, f"write    {entry.instead}"
    if len(sure) < len(entry.places):
        yield _FIELD, f"maybe    at {count_of(len(entry.places) - len(sure), 'more place')}; --json lists them"
    yield from ((_FIELD, f"note     {note}") for note in entry.notes[:_MOST_NOTES])
    for note in entry.announced[:_MOST_NOTES]:
        yield _FIELD, f"notes    of {minor(note.release)}, {note.section}: {note.title}"
    site = site_url()
    yield _FIELD, f"more     {f'{site}{entry.page}' if site and entry.page else f'conformance show {_shown(entry)}'}"
    if everything and entry.script:
        yield _FIELD, "script"
        yield _CODE, entry.script.strip()


def _shown(entry: ReportEntry) -> str:
    return entry.id if entry.kind in ("change", "claim") else entry.subject


def _places(places: Sequence[AffectedPlace], most: Optional[int]) -> str:
    """Return places by file, such as ``a.py:3, 17; b.py:2``."""
    files: dict[str, list[str]] = {}
    lines = dict.fromkeys((place.use.path, place.use.cell, place.use.line) for place in places)
    for path, cell, line in list(lines)[:most]:
        files.setdefault(path, []).append(f"cell {cell}:{line}" if cell is not None else str(line))
    left = len(lines) - (most or len(lines))
    more = f" and {left:,} more" if left > 0 else ""
    return "; ".join(f"{path}:{', '.join(at)}" for path, at in files.items()) + more


def _place(path: str, line: Optional[int], cell: Optional[int]) -> str:
    inside = "" if cell is None else f":cell {cell}"
    return f"{path}{inside}" if line is None else f"{path}{inside}:{line}"


def _some(names: Sequence[str], most: Optional[int] = _MOST_LISTED) -> str:
    left = len(names) - (most or len(names))
    return ", ".join(names[:most]) + (f" and {left} more" if left > 0 else "")
