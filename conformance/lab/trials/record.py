"""Writing trials beside those of other releases: only the lines of what changed change."""

from __future__ import annotations

from pathlib import Path

from conformance.base.json_files import read_recorded
from conformance.base.release_spans import as_version, minor
from conformance.lab.names.record import contract
from conformance.lab.trials.inputs import CHANGES
from conformance.lab.trials.measuring import Measured
from conformance.names.store import split_sections
from conformance.results.trials.recorded import INPUTS, RELEASES, read_inputs, read_trial_releases
from conformance.results.trials.rows import (
    CALL,
    SECTION,
    CallRows,
    Row,
    file_name,
    read_section,
    row_fields,
)

_EXPLANATION = (
    "# How each input is made of the x, y or a of the base trial, copied and without history. Where that requires\n"
    "# grad, so does the input if its dtype can, unless the change is one of the autograd state.\n"
)
#: The calls of a name by their setup and text.
Calls = dict[tuple[str, str], CallRows]


def record(measured: Measured, folder: Path, *, whole: bool) -> list[Path]:
    """Write what calls did on a release beside what a folder holds of the others; return the files.

    Parameters
    ----------
    whole
        Whether all calls were tried: calls that the folder has and that are not written any more go then.
    """
    release = minor(measured.environment.torch)
    old = read_trial_releases(folder)
    old_minors = tuple(map(minor, old))
    releases = sorted(
        {*(torch for torch in old if minor(torch) != release), measured.environment.torch}, key=as_version
    )
    minors = tuple(map(minor, releases))
    makes = {line.name: set(line.releases) for line in read_inputs(folder, old_minors)}
    known: dict[str, Calls] = {}
    for path in sorted(folder.glob("torch*.txt")):
        for name, section in split_sections(read_recorded(path)).items():
            known[name] = {(call.setup, call.call): call for call in read_section(section, old_minors)}
    sections: dict[str, Calls] = {} if whole else known
    for call, rows in measured.calls:
        key = _one_line(call.setup), _one_line(call.text)
        here = known.get(call.subject, {}).get(key) or CallRows(*key)
        here.rows.pop(release, None)
        if rows:
            here.rows[release] = list(rows)
        sections.setdefault(call.subject, {})[key] = here
    for name in {*makes, *measured.inputs}:
        makes.setdefault(name, set()).discard(release)
        if name in measured.inputs:
            makes[name].add(release)
    folder.mkdir(parents=True, exist_ok=True)
    files: dict[str, list[str]] = {}
    for name, calls in sorted(sections.items()):
        files.setdefault(file_name(name), []).extend(_lines(name, calls, minors))
    lines = [
        "\t".join((change.set, contract(makes[change.name], minors), change.name, change.expression))
        for change in CHANGES
        if makes.get(change.name)
    ]
    header = f"{RELEASES}{' '.join(releases)}\n{_EXPLANATION}"
    (folder / INPUTS).write_text(header + "\n".join(lines) + "\n", encoding="utf-8")
    for file, content in files.items():
        (folder / file).write_text("\n".join(content) + "\n", encoding="utf-8")
    for path in folder.glob("torch*.txt"):
        if path.name not in files:
            path.unlink()
    return sorted(folder / file for file in (INPUTS, *files))


def _one_line(text: str) -> str:
    return text.replace("\n", "; ")


def _lines(name: str, calls: Calls, minors: tuple[str, ...]) -> list[str]:
    lines = [SECTION + name]
    for (setup, text), call in calls.items():
        states: dict[Row, list[str]] = {}
        for release in minors:
            for row in call.rows.get(release, ()):
                states.setdefault(row, []).append(release)
        if states:
            lines.append("\t".join((CALL, setup, text) if setup else (CALL, text)))
            rows = sorted(states.items(), key=lambda item: (not item[0].is_base, minors.index(item[1][0])))
            lines += ["\t".join((contract(known, minors), *row_fields(row))) for row, known in rows]
    return lines if len(lines) > 1 else []
