"""The report for a person, as plain text or Markdown: first what it covers, then what hurts most."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Optional

from conformance.text import bounded, count_of, one_line, printable
from conformance.upgrade.model import AffectedPlace, Report, ReportCoverage, ReportEntry
from conformance.upgrade.severity import MEANING, SEVERITIES, SHOWN
from conformance.usage import Evidence, Use
from conformance.views.addresses import site_url
from conformance.views.releases import minor

_MOST_CLAIMS, _MOST_FILES, _MOST_LINES, _MOST_LISTED, _MOST_MAYBE, _MOST_OF_TORCH = 3, 4, 8, 4, 12, 10
_WORTH_LISTING, _MOST_IN_SHORT = 3, 20
#: How many places of an entry the JSON report lists.
MOST_PLACES = 50
_TITLE, _SECTION, _ENTRY, _LINE, _FIELD, _CODE = range(6)
_NOUNS = {"breaks": "break", "changes": "change", "warns": "warning"}
_Line = tuple[int, str]


def text_report(report: Report, *, brief: bool = False, everything: bool = False) -> str:
    """Write the report as plain text.

    Parameters
    ----------
    brief
        One line for each entry.
    everything
        What is only counted otherwise, too, and every entry.
    """
    lines: list[str] = []
    for kind, text in _lines(report, brief, everything):
        if kind == _SECTION:
            lines += ["", text]
        elif kind == _ENTRY:
            lines += ([] if brief else [""]) + [f"  {text}"]
        elif kind == _CODE:
            lines += [f"        {line}".rstrip() for line in text.splitlines()]
        else:
            lines.append(f"      {text}" if kind == _FIELD else text)
    return printable("\n".join(lines).rstrip() + "\n")


def markdown_report(report: Report, *, brief: bool = False, everything: bool = False) -> str:
    """Write the report as Markdown; what comes from specs, results or the code can't become markup."""
    lines: list[str] = []
    for kind, text in _lines(report, brief, everything):
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


def _lines(report: Report, brief: bool, everything: bool) -> Iterator[_Line]:
    yield _TITLE, _title(report)
    yield from ((_LINE, remark) for remark in report.remarks)
    if report.coverage is not None:
        yield from ((_LINE, line) for line in _coverage(report.coverage, None if everything else _MOST_LISTED))
    yield from ((_LINE, line) for line in _scope(report))
    if report.unused_ignores:
        yield _LINE, f"ignores that match nothing: {_some(report.unused_ignores, None if everything else _MOST_LISTED)}"
    yield _LINE, ""
    yield _LINE, summary(report)
    if report.coverage is not None and not brief:
        yield from ((_LINE, line) for line in _in_short(report))
    for severity in SEVERITIES if everything else SHOWN:
        entries = report.of(severity)
        if entries:
            yield _SECTION, f"{severity.upper()}: {MEANING[severity]}"
            shown = entries
            if report.coverage is None and not everything:
                shown = [entry for entry in entries if entry.claims][:_MOST_OF_TORCH]
                yield from ((_ENTRY, line) for line in _by_module([entry for entry in entries if not entry.claims]))
            for entry in shown:
                yield from [(_ENTRY, _brief(entry))] if brief else _entry(entry)
            yield from _left(entries, shown)
    if report.maybe:
        yield _SECTION, "MAYBE: what the object or the arguments are can't be told from the code"
        some = report.maybe[: None if everything else _MOST_MAYBE]
        yield from ((_ENTRY, _brief(entry)) for entry in some) if brief else ((_LINE, f"  {_brief(e)}") for e in some)
        yield from _left(report.maybe, some)


def _in_short(report: Report) -> Iterator[str]:
    """Yield a line for each entry, where there are several: details fill the first screen otherwise."""
    told = [(_NOUNS[severity], entry) for severity in SHOWN for entry in report.of(severity)]
    if len(told) >= _WORTH_LISTING:
        yield from ["", *(f"  {noun:8} {_brief(entry)}" for noun, entry in told[:_MOST_IN_SHORT])]
        if len(told) > _MOST_IN_SHORT:
            yield f"  and {len(told) - _MOST_IN_SHORT} more"


def _left(entries: Sequence[ReportEntry], shown: Sequence[ReportEntry]) -> Iterator[_Line]:
    left = sum(bool(entry.claims) or entry in shown for entry in entries) - len(shown)
    if left > 0:
        yield _LINE, f"  and {left} more; --all shows them"


def _title(report: Report) -> str:
    devices = list(dict.fromkeys(measured.device for measured in report.path))
    return f"torch {report.old} → {report.new}" + (f" on {' → '.join(devices)}" if devices else "")


def _coverage(coverage: ReportCoverage, most: Optional[int]) -> Iterator[str]:
    """Yield what the report covers, and what it does not; ``most``: how many of a kind are named, all without it."""
    known = coverage.names - len(coverage.unknown) - len(coverage.missing)
    yield (
        f"{count_of(coverage.files, 'file')} read; {known:,} of {count_of(coverage.names, 'torch name')} known"
        f" ({coverage.claimed:,} with measured claims), {coverage.known_calls:,} of"
        f" {count_of(coverage.calls, 'call')} by signature"
    )
    yield from _named("nothing is known of", coverage.unknown, most)
    yield from _named("gone from both releases", coverage.missing, most)
    if not coverage.files:
        yield "no Python file was read: nothing can be said of the code"
    elif not coverage.names:
        yield "no use of torch was found: nothing can be said of the code"
    causes: dict[str, list[str]] = {}
    for unread in coverage.not_read:
        causes.setdefault(unread.cause.value, []).append(_place(unread.path, unread.line, unread.cell))
    yield from (f"not read ({cause}): {_some(paths, most)}" for cause, paths in causes.items())
    doubts: dict[str, list[str]] = {}
    for unclear in coverage.unclear:
        doubts.setdefault(unclear.doubt.value, []).append(_place(unclear.path, unclear.line, unclear.cell))
    yield from (f"not fully analysed, because it {doubt}: {_some(places, most)}" for doubt, places in doubts.items())
    if coverage.skipped:
        yield f"skipped, because excluded or not written for the project: {_some(coverage.skipped, most)}"


def _named(what: str, names: Mapping[str, tuple[Use, str]], most: Optional[int]) -> Iterator[str]:
    if names:
        told = [f"{name} ({_place(use.path, use.line, use.cell)})" for name, (use, _) in names.items()]
        yield f"{what}: {_some(told, most)}"


def _scope(report: Report) -> Iterator[str]:
    if report.path:
        compared = f"{count_of(report.compared, 'claim')} compared"
        yield (
            compared
            if not report.gaps
            else f"{compared}; {len(report.gaps):,} could not be: "
            + "; ".join(f"{reason} ({count:,})" for reason, count in report.reasons().items())
        )
    if report.coverage is None:
        between = [measured.torch for measured in report.path[1:-1]]
        yield f"releases between that were measured: {', '.join(between) or 'none'}"
        others = other_differences(report)
        if others:
            yield f"the two were measured with other differences too: {', '.join(others)}"


def other_differences(report: Report) -> list[str]:
    """Return what else differs between the two environments, such as ``NumPy 1.26.4 → 2.0.0``."""
    if not report.path:
        return []
    old, new = report.path[0].environment, report.path[-1].environment
    named = (
        ("Python", old.python, new.python),
        ("NumPy", old.numpy, new.numpy),
        ("system", old.system, new.system),
        ("machine", old.machine, new.machine),
        ("build of torch", old.build, new.build),
    )
    return [f"{name} {before} → {after}" for name, before, after in named if before != after]


def summary(report: Report) -> str:
    """Return the counts in one line; an all-clear only where everything was read and known."""
    told = [count_of(len(found), _NOUNS[severity]) for severity in SHOWN if (found := report.of(severity))]
    told += [f"{len(report.maybe):,} maybe"] if report.maybe else []
    rest = [f"{len(found):,} {severity}" for severity in SEVERITIES[len(SHOWN) :] if (found := report.of(severity))]
    counted = f"; only counted (--all): {', '.join(rest)}" if rest else ""
    ignored = f"; {report.ignored:,} ignored" if report.ignored else ""
    if told:
        return f"{', '.join(told)}{counted}{ignored}."
    if report.is_silent:
        return f"Nothing was found to differ, but not all was read and known: this is no all-clear{counted}{ignored}."
    return f"Nothing that was measured differs{counted}{ignored}."


def _by_module(entries: Iterable[ReportEntry]) -> Iterator[str]:
    """Yield a line for each module and kind, since nobody reads a thousand names."""
    modules: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        owner = ".".join(entry.subject.split(".")[:2]) if entry.subject.count(".") > 1 else "torch"
        modules.setdefault((owner, entry.kind), []).append(entry.subject[len(owner) + 1 :])
    for (module, kind), names in sorted(modules.items(), key=lambda pair: (pair[0][0].count("."), pair[0])):
        yield f"{module}, {kind}: {_some(names)}"


def _brief(entry: ReportEntry) -> str:
    places = entry.places
    where = f"  [{places[0]}{f' and {len(places) - 1} more' if len(places) > 1 else ''}]" if places else ""
    return f"{bounded(entry.headline, 200)} ({entry.when}){where}"


def _entry(entry: ReportEntry) -> Iterator[_Line]:
    yield _ENTRY, entry.headline
    yield from ((_FIELD, line) for line in _where(entry))
    yield _FIELD, f"changed  {entry.when}"
    for word, seen in (("before", entry.before), ("after", entry.after)):
        promised = seen == "true" and entry.claims
        yield _FIELD, f"{word:8} {f'as promised: {entry.claims[0].title}' if promised else seen}"
    if entry.instead:
        yield _FIELD, f"instead  {entry.instead}"
    yield from ((_FIELD, f"note     {note}") for note in entry.notes[:_MOST_CLAIMS])
    for note in entry.announced[:_MOST_CLAIMS]:
        yield _FIELD, f"release  notes of {minor(note.release)}, {note.section}: {note.title}"
    told = [f"{claim.id} ({claim.title})" for claim in entry.claims]
    yield from ((_FIELD, f"claim    {claim}") for claim in told[:_MOST_CLAIMS])
    if len(told) > _MOST_CLAIMS:
        yield _FIELD, f"claim    and {len(told) - _MOST_CLAIMS} more"
    if entry.page:
        yield _FIELD, f"more     {_more(entry)}"
    if entry.script:
        yield _FIELD, "script"
        yield _CODE, entry.script.strip()


def _more(entry: ReportEntry) -> str:
    """Return the address of the page, or the command that shows it if the pages have no address."""
    site = site_url()
    return (
        f"{site}{entry.page}" if site else f"conformance show {entry.claims[0].id if entry.claims else entry.subject}"
    )


def _where(entry: ReportEntry) -> Iterator[str]:
    """Yield where the code is concerned, and how sure that is."""
    sure = [place for place in entry.places if place.evidence is not Evidence.MAYBE]
    if entry.places:
        yield f"at       {_places(sure or entry.places)}"
    if sure and len(sure) < len(entry.places):
        listed = "them" if len(entry.places) <= MOST_PLACES else f"the first {MOST_PLACES} places"
        yield f"maybe    at {count_of(len(entry.places) - len(sure), 'more place')}; --json lists {listed}"
    if entry.places and entry.evidence is not Evidence.CERTAIN:
        unclear = all(place.use.guarded or place.use.evidence is not Evidence.CERTAIN for place in sure)
        yield f"likely   {_UNCLEAR_CODE if unclear else _UNCLEAR_VALUES}"


_UNCLEAR_CODE = "which object this is, or whether the line runs, can't be told for certain from the code"
_UNCLEAR_VALUES = "the source does not show whether the values meet the condition"


def _places(places: Sequence[AffectedPlace]) -> str:
    """Return places by file, such as ``a.py:3, 17; b.py:2``."""
    files: dict[str, list[str]] = {}
    for place in places:
        cell = "" if place.use.cell is None else f"cell {place.use.cell}:"
        files.setdefault(place.use.path, []).append(f"{cell}{place.use.line}")
    told = []
    count = sum(map(len, files.values()))
    for path, lines in files.items():
        unique = list(dict.fromkeys(lines))
        more = f" and {len(unique) - _MOST_LINES} more" if len(unique) > _MOST_LINES else ""
        told.append(f"{path}:{', '.join(unique[:_MOST_LINES])}{more}")
    left = f"; and {len(told) - _MOST_FILES} more files" if len(told) > _MOST_FILES else ""
    head = f"{count_of(count, 'place')} in {count_of(len(told), 'file')}: " if left or " and " in "".join(told) else ""
    return head + "; ".join(told[:_MOST_FILES]) + left


def _place(path: str, line: Optional[int], cell: Optional[int]) -> str:
    inside = "" if cell is None else f":cell {cell}"
    return f"{path}{inside}" if line is None else f"{path}{inside}:{line}"


def _some(told: Sequence[str], most: Optional[int] = _MOST_LISTED) -> str:
    left = len(told) - (most or len(told))
    return ", ".join(told[:most]) + (f" and {left} more" if left > 0 else "")
