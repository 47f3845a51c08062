"""The report for a person: plain text, or Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from conformance.upgrade.entries import Entry, Report
from conformance.upgrade.severity import MEANING, SEVERITIES

_MOST_CLAIMS, _MOST_PLACES, _MOST_UNKNOWN, _MOST_BETWEEN = 8, 10, 12, 40


def text_report(report: Report, *, brief: bool = False) -> str:
    """Write the report as plain text.

    Parameters
    ----------
    brief
        One line for each entry.
    """
    lines = [_title(report), "", *_scope(report), "", f"{_counted(report)}."]
    for severity in SEVERITIES:
        entries = [entry for entry in report.entries if entry.severity == severity]
        if entries:
            lines += ["", f"{severity.upper()}: {MEANING[severity]}", ""]
            for entry in entries:
                lines += [_line(entry)] if brief else _text_entry(entry)
    lines += _text_unknown(report)
    return clean("\n".join(lines).rstrip() + "\n")


def markdown_report(report: Report, *, brief: bool = False) -> str:
    """Write the report as Markdown; what comes from specs and result files can't become markup."""
    lines = [f"# {escaped(_title(report))}", "", *[f"{escaped(line)}  " for line in _scope(report)], ""]
    lines += [f"{escaped(_counted(report))}."]
    for severity in SEVERITIES:
        entries = [entry for entry in report.entries if entry.severity == severity]
        if entries:
            lines += ["", f"## {severity.capitalize()}", "", f"{MEANING[severity].capitalize()}.", ""]
            for entry in entries:
                lines += [f"- {escaped(_line(entry).strip())}"] if brief else _markdown_entry(entry)
    if report.uses is not None and report.uses.unknown:
        lines += ["", "## What could not be told", ""]
        lines += [f"- {escaped(line)}" for line in _shortened(report.uses.unknown, _MOST_UNKNOWN)]
    return clean("\n".join(lines).rstrip() + "\n")


def clean(text: str) -> str:
    """Make control characters visible: what is printed must not drive a terminal."""
    return "".join(c if c == "\n" or c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def escaped(text: str) -> str:
    """Escape what Markdown and HTML would take as markup."""
    return re.sub(r"([\\`*_{}\[\]<>#|~&!])", r"\\\1", " ".join(text.split()))


def headline(entry: Entry) -> str:
    """Tell an entry in one line."""
    subjects = entry.subjects
    named = subjects[0] if len(subjects) == 1 else f"{len(subjects)} subjects"
    return entry.what if entry.kind == "sentence" or entry.what.startswith(named) else f"{named}: {entry.what}"


def _title(report: Report) -> str:
    old, new = report.old.environment, report.new.environment
    device = old["device"] if old["device"] == new["device"] else f"{old['device']} → {new['device']}"
    return f"torch {old['torch']} → {new['torch']} on {device}"


def _scope(report: Report) -> list[str]:
    old, new = report.old.environment, report.new.environment
    lines = [f"{report.compared} claims compared" + (f", {len(report.holes)} not" if report.holes else "")]
    if report.uses is not None:
        lines[0] += (
            f"; {report.left_out} more are about names that your code does not use ({_files(report.uses.files)} read)"
        )
    reasons: dict[str, int] = {}
    for reason in report.holes.values():
        reasons[reason] = reasons.get(reason, 0) + 1
    lines += [f"not compared: {count} claims, {reason}" for reason, count in sorted(reasons.items())]
    if report.between:
        lines.append(f"releases between that were measured: {', '.join(report.between[:_MOST_BETWEEN])}")
    else:
        lines.append("no release between them was measured, so when something changed is not known more exactly")
    names = {"python": "Python", "numpy": "NumPy", "system": "system", "machine": "machine", "build": "build of torch"}
    others = [f"{text} {old[name]} → {new[name]}" for name, text in names.items() if old.get(name) != new.get(name)]
    if others:
        lines.append(f"the two were measured with other differences too: {', '.join(others)}")
    return lines


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"


def _counted(report: Report) -> str:
    told = [f"{count} {severity}" for severity, count in report.counts().items() if count]
    return ", ".join(told) or "Nothing that was measured differs"


def _line(entry: Entry) -> str:
    more = f" and {len(entry.uses) - 1} more" if len(entry.uses) > 1 else ""
    places = f"  [{entry.uses[0]}{more}]" if entry.uses else ""
    return f"  {headline(entry)} ({entry.when}){places}"


def _text_entry(entry: Entry) -> list[str]:
    lines = [f"  {headline(entry)}"]
    lines += [f"      before   {entry.before}", f"      after    {entry.after}", f"      changed  {entry.when}"]
    lines += [f"      note     {note}" for note in entry.notes[:_MOST_CLAIMS]]
    lines += [f"      claim    {claim}" for claim in _claims(entry)]
    lines += [f"      page     {entry.page}"]
    lines += [f"      used at  {place}" for place in _places(entry)]
    if entry.script:
        lines += ["      script", *(f"        {line}".rstrip() for line in entry.script.strip().splitlines())]
    return [*lines, ""]


def _markdown_entry(entry: Entry) -> list[str]:
    lines = [f"### {escaped(headline(entry))}", ""]
    lines += [f"- **before:** {escaped(entry.before)}", f"- **after:** {escaped(entry.after)}"]
    lines += [f"- **changed:** {escaped(entry.when)}"]
    lines += [f"- {escaped(note)}" for note in entry.notes[:_MOST_CLAIMS]]
    lines += [f"- claim {escaped(claim)}" for claim in _claims(entry)]
    lines += [f"- page `{entry.page}`"]
    lines += [f"- used at {escaped(place)}" for place in _places(entry)]
    if entry.script:
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", entry.script)), default=0))
        lines += ["", f"{fence}python", entry.script.strip(), fence]
    return [*lines, ""]


def _claims(entry: Entry) -> list[str]:
    return _shortened([f"{claim.id} ({claim.title})" for claim in entry.claims], _MOST_CLAIMS)


def _places(entry: Entry) -> list[str]:
    told = [f"{use} {use.name}" + ("" if use.certain else " (if that is a tensor)") for use in entry.uses]
    return _shortened(told, _MOST_PLACES)


def _text_unknown(report: Report) -> list[str]:
    if report.uses is None or not report.uses.unknown:
        return []
    told = _shortened(report.uses.unknown, _MOST_UNKNOWN)
    return ["", "WHAT COULD NOT BE TOLD", "", *(f"  {line}" for line in told)]


def _shortened(lines: Sequence[str], most: int) -> list[str]:
    left = len(lines) - most
    return [*lines[:most], *([f"and {left} more"] if left > 0 else [])]
