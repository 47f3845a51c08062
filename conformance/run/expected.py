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
from typing import Any, Optional

import yaml

from conformance.base.files import Unreadable, read_bounded
from conformance.base.json_files import replace_file
from conformance.results.model import DEVICE, FAILING, Entry

#: The reason of an entry that ``--accept`` writes.
NO_REASON = "not looked at yet"
_LARGEST = 4 * 2**20
_HEAD = """\
# Claims that fail on a device, each with its verdict and the reason. `conformance run --expected` reads this file:
# whatever else fails, and whatever of this no longer fails, makes the run fail. `--accept` writes down what fails now.
"""


class UnusableExpectations(Exception):
    """A file of expected failures can't be read; the message says where and why."""


@dataclass(frozen=True)
class ExpectedFailure:
    """The verdict of a claim that fails, and why."""

    verdict: str
    reason: str


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
        If it is not there, no YAML, or has something else in it.
    """
    try:
        tree = yaml.compose(read_bounded(path, _LARGEST).decode(), yaml.SafeLoader)
    except (Unreadable, UnicodeDecodeError) as error:
        raise UnusableExpectations(f"{path}: {error}") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise UnusableExpectations(f"{path}{where}: {error.problem}") from None
    found: dict[str, dict[str, ExpectedFailure]] = {}
    for device, claims in _items(path, tree, "a device type") if tree is not None else ():
        if re.match(DEVICE, device.value) is None:
            raise _wrong(path, device, f"{device.value!r} is no device type")
        of_device = found.setdefault(device.value, {})
        for claim, told in _items(path, claims, "the id of a claim"):
            fields = {key.value: (key, value) for key, value in _items(path, told, "verdict and reason")}
            for name in ("verdict", "reason"):
                if name not in fields or not getattr(fields[name][1], "value", ""):
                    raise _wrong(path, claim, f"{claim.value} has no {name}; write both verdict and reason")
            verdict, reason = fields["verdict"][1], fields["reason"][1]
            if verdict.value not in FAILING:
                raise _wrong(path, verdict, f"{verdict.value!r} is no verdict that fails: {', '.join(FAILING)}")
            of_device[claim.value] = ExpectedFailure(verdict.value, str(reason.value))
    return found


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


def _items(path: Path, node: Any, keys: str) -> Iterator[tuple[Any, Any]]:
    if not isinstance(node, yaml.MappingNode):
        raise _wrong(path, node, f"a mapping by {keys} is expected here")
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise _wrong(path, key, f"{keys} is expected here")
        yield key, value


def _wrong(path: Path, node: Any, told: str) -> UnusableExpectations:
    return UnusableExpectations(f"{path}:{node.start_mark.line + 1}:{node.start_mark.column + 1}: {told}")
