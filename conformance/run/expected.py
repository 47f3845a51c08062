"""What is known to fail on a device, and why: a YAML file that somebody keeps beside a backend.

It has a mapping for each device type, from the id of a claim to its verdict and the reason::

    mydevice:
      torch.kthvalue/smallest-first: {verdict: refuted, reason: "ties are ordered otherwise, issue 12"}

With such a file a run fails where something else fails, and where something of it no longer does.
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
from conformance.results.model import FAILING, Entry

#: The reason of an entry that ``--accept`` writes.
NO_REASON = "not looked at yet"
_LARGEST = 4 * 2**20
_DEVICE_TYPE = re.compile(r"[a-z][a-z0-9_]*")
_FIELDS = ("verdict", "reason")
_HEAD = """\
# Claims that fail on a device, each with its verdict and the reason. `conformance run --expected` reads this file:
# whatever else fails, and whatever of this no longer fails, makes the run fail. `--accept` writes down what fails now.
"""


class UnusableExpectations(Exception):
    """A file of expected failures can't be read; the message says where and why."""


@dataclass(frozen=True)
class ExpectedFailure:
    """The verdict of a claim that fails, why, and where that was read."""

    verdict: str
    reason: str
    place: Optional[Place] = None


#: Expected failures by device type and claim.
Expectations = Mapping[str, Mapping[str, ExpectedFailure]]


def device_type(device: str) -> str:
    """Return the type of a device, without its index."""
    return device.partition(":")[0]


def review(expectations: Optional[Expectations], claim: str, device: str, entry: Entry) -> str:
    """Return how an outcome compares with what was expected.

    Returns
    -------
    str
        Empty where the verdict decides alone; ``unreviewed`` for a failure on another device than the CPU where nobody
        wrote down what is expected; ``expected``; or ``passes`` for an expected failure that does not happen.
    """
    known = None if expectations is None else expectations.get(device_type(device), {}).get(claim)
    if known is not None:
        return "expected" if known.verdict == entry.verdict else "" if entry.fails else "passes"
    return "unreviewed" if entry.fails and device_type(device) != "cpu" and expectations is None else ""


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


def accepted(known: Expectations, device: str, entries: Mapping[str, Entry]) -> dict[str, dict[str, ExpectedFailure]]:
    """Return expectations with what failed now, and without what no longer does; reasons stay.

    Parameters
    ----------
    entries
        What was measured, by claim; what was not measured stays as it is known.
    """
    kind = device_type(device)
    found = {name: dict(claims) for name, claims in known.items()}
    of_device = found.setdefault(kind, {})
    for claim, entry in entries.items():
        before = of_device.pop(claim, None)
        if entry.fails:
            reason = before.reason if before is not None and before.verdict == entry.verdict else NO_REASON
            of_device[claim] = ExpectedFailure(entry.verdict, reason)
    return found


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
        for claim, node in _items(shapes, claims, f"`{device.value}`", "a mapping from ids of claims"):
            table = shapes.mapping(node, f"`{claim.value}`", _FIELDS, _FIELDS)
            if table is not None:
                verdict = shapes.choice(table.entries.get("verdict"), "`verdict`", FAILING)
                reason = shapes.text(table.entries.get("reason"), "`reason`")
                if verdict is not None and reason is not None:
                    of_device[claim.value] = ExpectedFailure(verdict, reason.value, document.place(claim))
    return found


def _items(shapes: Shapes, node: Node, what: str, wanted: str) -> Iterator[tuple[Scalar, Node]]:
    if isinstance(node, Table):
        yield from ((node.keys[name], value) for name, value in node.entries.items())
    else:
        shapes.wrong(node, what, wanted)
