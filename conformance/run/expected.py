"""What is known to be otherwise on a device than on the CPU, and why: a YAML file that somebody keeps beside a backend.

It has a mapping for each device type. The id of a claim has its verdict and the reason, and so has the name of a kernel
that the device lacks, for all claims that are unsupported for want of it::

    mydevice:
      aten::histc: {verdict: unsupported, reason: "planned, issue 11"}
      torch.kthvalue/smallest-first: {verdict: refuted, reason: "ties are ordered otherwise, issue 12"}

With such a file a run fails where something else fails or is unsupported, and where something of it no longer is so. If
the CPU is in the run too, it also fails where a claim has another verdict than there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import yaml

from conformance.base.json_files import replace_file
from conformance.base.text import did_you_mean
from conformance.language.corpus import Corpus
from conformance.language.documents import Document, Node, Scalar, open_document
from conformance.language.documents import Mapping as Table
from conformance.language.model import Place
from conformance.language.problems import Problems
from conformance.language.shapes import Shapes
from conformance.results.model import FAILING, Entry, Verdict

#: The reason of an entry that ``--accept`` writes.
NO_REASON = "not looked at yet"
_LARGEST = 4 * 2**20
_DEVICE_TYPE = re.compile(r"[a-z][a-z0-9_]*")
_FIELDS = ("verdict", "reason")
_UNSUPPORTED: Verdict = "unsupported"
#: Verdicts of claims that were judged and do not fail.
_PASSING: tuple[Verdict, ...] = ("holds", "diverges", "unspecified")
_HEAD = """\
# What is otherwise on a device than on the CPU, with the reason: verdicts of claims, and kernels that it lacks.
# `conformance run --expected` reads this file: whatever else fails or is unsupported, and whatever of this no longer is
# so, makes the run fail. `--accept` writes down what is so now.
"""


class UnusableExpectations(Exception):
    """A file of expected failures can't be read; the message says where and why."""


@dataclass(frozen=True)
class ExpectedFailure:
    """The verdict of a claim, or of all that need a kernel; why, and where that was read."""

    verdict: str
    reason: str
    place: Optional[Place] = None


#: Expected failures by device type, and by claim or kernel; the id of a claim has a slash, the name of a kernel none.
Expectations = Mapping[str, Mapping[str, ExpectedFailure]]


def device_type(device: str) -> str:
    """Return the type of a device, without its index."""
    return device.partition(":")[0]


def missing_kernels(entry: Entry) -> tuple[str, ...]:
    """Return the kernels for want of which a claim is unsupported."""
    if entry.verdict != _UNSUPPORTED:
        return ()
    return tuple(dict.fromkeys(name for names in entry.missing_kernels.values() for name in names))


def expected_of(
    expectations: Optional[Expectations], claim: str, device: str, entry: Entry
) -> Optional[ExpectedFailure]:
    """Return what was expected of a claim: by its id, or else for want of a kernel."""
    known = {} if expectations is None else expectations.get(device_type(device), {})
    return next((known[name] for name in (claim, *missing_kernels(entry)) if name in known), None)


def review(expectations: Optional[Expectations], claim: str, device: str, entry: Entry) -> str:
    """Return how an outcome compares with what was expected.

    Returns
    -------
    str
        Empty where the verdict decides alone; ``unreviewed`` for a failure on another device than the CPU where nobody
        wrote down what is expected; ``expected``; ``passes`` for an expected failure that does not happen; or
        ``unexpected`` for another verdict than was expected, and where a device does not support what nobody wrote
        down.
    """
    on_cpu = device_type(device) == "cpu"
    if expectations is None:
        return "unreviewed" if entry.fails and not on_cpu else ""
    known = expected_of(expectations, claim, device, entry)
    if known is not None and known.verdict == entry.verdict:
        return "expected"
    if entry.fails:
        return ""
    if entry.verdict == _UNSUPPORTED:
        return "" if on_cpu and known is None else "unexpected"
    return "" if known is None else "unexpected" if known.verdict in _PASSING else "passes"


def unexplained(
    expectations: Expectations, device: str, entries: Mapping[str, Entry], of_cpu: Mapping[str, Entry], *, whole: bool
) -> Iterator[str]:
    """Yield a line for whatever `review` can't see, since it looks at one claim on one device.

    Parameters
    ----------
    entries, of_cpu
        What was measured on the device and on the CPU, by claim.
    whole
        They are all claims about torch: a kernel that none of them lacks is not missing.
    """
    known = expectations.get(device_type(device), {})
    for claim, entry in entries.items():
        on_cpu = of_cpu.get(claim)
        if on_cpu is None:
            continue
        if claim not in known and _is_otherwise(entry, on_cpu):
            yield f"{entry.verdict:9} {claim}[{device}], {on_cpu.verdict} on the CPU"
        elif claim in known and on_cpu.verdict == known[claim].verdict:
            yield f"{known[claim].place}: remove that: on the CPU, too, the verdict on {claim} is {on_cpu.verdict}"
    lacking = {name for entry in entries.values() for name in missing_kernels(entry)}
    for name, one in known.items():
        if whole and "/" not in name and name not in lacking:
            yield f"{one.place}: remove that: no claim is unsupported for want of {name}"


def _is_otherwise(entry: Entry, on_cpu: Entry) -> bool:
    """Whether a claim was judged on a device and on the CPU, does not fail, and has another verdict."""
    return {entry.verdict, on_cpu.verdict} <= set(_PASSING) and on_cpu.verdict != entry.verdict


def read_expectations(path: Path) -> Expectations:
    """Read a file of expected failures.

    Raises
    ------
    UnusableExpectations
        If it is not there, no YAML, or has something else in it; each mistake is a line of the message.
    """
    problems = Problems()
    document = open_document(path, problems, _LARGEST)
    found = {} if document is None or document.root is None else _read(document, document.root, problems)
    if len(problems):
        raise UnusableExpectations("\n".join(map(str, problems.sorted())))
    return found


def unknown_claims(expectations: Expectations, corpus: Corpus, *, whole: bool) -> Iterator[str]:
    """Yield a line for each claim of the expectations that is not in a corpus, though its subject is.

    Parameters
    ----------
    whole
        The corpus is all of the project's own, which has every claim about torch.
    """
    known = {claim.id for claim in corpus.claims}
    subjects = {claim.subject for claim in corpus.claims}
    for claims in expectations.values():
        for claim, expected in claims.items():
            is_read = claim.rpartition("/")[0] in subjects or (whole and claim.startswith("torch."))
            if is_read and claim not in known:
                yield f"{expected.place}: there is no claim {claim}{did_you_mean(claim, known) or '; remove it'}"


def accepted(
    known: Expectations, device: str, entries: Mapping[str, Entry], of_cpu: Mapping[str, Entry], *, whole: bool
) -> dict[str, dict[str, ExpectedFailure]]:
    """Return expectations with what is otherwise now than on the CPU, and without what no longer is; reasons stay.

    Parameters
    ----------
    entries, of_cpu
        What was measured on the device and on the CPU, by claim; what was not measured stays as it is known.
    whole
        They are all claims about torch: a kernel that none of them lacks is not missing.
    """
    before = known.get(device_type(device), {})
    lacking = {name for entry in entries.values() for name in missing_kernels(entry)}
    kept = (name for name in before if name not in entries and ("/" in name or name in lacking or not whole))
    now: dict[str, Verdict] = {}
    for claim, entry in entries.items():
        by_id = claim in before and before[claim].verdict == entry.verdict
        # A dtype, such as Float8_e5m2, is for one claim what another has kernels for.
        operators = [name for name in missing_kernels(entry) if name[:1].islower()]
        if operators and not by_id:
            now.update(dict.fromkeys(operators, _UNSUPPORTED))
            continue
        # Without the CPU there is nothing to compare an entry with, and it stays.
        is_otherwise = _is_otherwise(entry, of_cpu[claim]) if claim in of_cpu else by_id
        if is_otherwise or entry.fails or entry.verdict == _UNSUPPORTED:
            now[claim] = entry.verdict
    of_device = {name: before[name] for name in kept}
    for name, verdict in now.items():
        reason = before[name].reason if name in before and before[name].verdict == verdict else NO_REASON
        of_device[name] = ExpectedFailure(verdict, reason)
    return {**{name: dict(claims) for name, claims in known.items()}, device_type(device): of_device}


def write_expectations(path: Path, expectations: Expectations) -> None:
    """Write a file of expected failures."""
    document = {
        device: {claim: {"verdict": one.verdict, "reason": one.reason} for claim, one in sorted(claims.items())}
        for device, claims in sorted(expectations.items())
        if claims
    }
    text = yaml.safe_dump(document, sort_keys=False, width=120, allow_unicode=True) if document else ""
    replace_file(path, _HEAD + text)


def _read(document: Document, root: Node, problems: Problems) -> Expectations:
    shapes = Shapes(document, problems)
    found: dict[str, dict[str, ExpectedFailure]] = {}
    for device, claims in _items(shapes, root, "the file", "a mapping from device types"):
        if _DEVICE_TYPE.fullmatch(device.value) is None:
            told = f"'{device.value}' is not the type of a device, such as cuda (without an index)"
            problems.add(document.place(device), "E104", told)
        of_device = found[device.value] = {}
        for claim, node in _items(shapes, claims, f"`{device.value}`", "a mapping from ids of claims and from kernels"):
            table = shapes.mapping(node, f"`{claim.value}`", _FIELDS, _FIELDS)
            if table is not None:
                verdicts = (*FAILING, _UNSUPPORTED, *_PASSING) if "/" in claim.value else (_UNSUPPORTED,)
                verdict = shapes.choice(table.entries.get("verdict"), "`verdict`", verdicts)
                reason = shapes.text(table.entries.get("reason"), "`reason`")
                if verdict is not None and reason is not None:
                    of_device[claim.value] = ExpectedFailure(verdict, reason.value, document.place(claim))
    return found


def _items(shapes: Shapes, node: Node, what: str, wanted: str) -> Iterator[tuple[Scalar, Node]]:
    if isinstance(node, Table):
        yield from ((node.keys[name], value) for name, value in node.entries.items())
    else:
        shapes.wrong(node, what, wanted)
