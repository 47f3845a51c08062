"""The summary of a run: counts, and what needs attention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from statistics import median
from typing import Optional, Union, get_args

from conformance.base.text import count_of, printable
from conformance.language.corpus import Counts
from conformance.language.model import Place
from conformance.results.comparison import Comparison
from conformance.results.model import Environment, Verdict
from conformance.results.store import Results
from conformance.run.protocol import ItemRecord

# What a claim may cost, in medians, before the summary names it, from how many claims on, and how many it names.
_COSTLY = 10
_FEWEST_CLAIMS = 20
_MOST_NAMED = 5
_MOST_DIFFERING = 10
_LONGEST_REASON = 200
# The code of weak evidence for a claim that puts nothing on the device under test.
_UNTOUCHED = "V005"


class Summary:
    """Collects what is worth reporting about the items of a session.

    Parameters
    ----------
    kept_from
        Where entries that are kept come from; empty where none can be.

    Attributes
    ----------
    comparisons
        How what was measured here compares with what is recorded.
    messages
        The last lines: what was written.
    unjudged
        Items without a verdict, and the reason if it is known.
    stopped
        The session ended before all items were run.
    left_out
        How many timing claims were left out.
    unexplained
        Lines about verdicts that are not the CPU's, and about expectations that no longer apply.
    """

    def __init__(self, kept_from: str = "") -> None:
        self.comparisons: dict[Environment, Comparison] = {}
        self.messages: list[str] = []
        self.unjudged: dict[str, str] = {}
        self.stopped = False
        self.left_out = 0
        self.unexplained: list[str] = []
        self._failed: list[tuple[str, str]] = []
        self._untouched: dict[str, list[str]] = {}
        self._unreviewed: dict[str, list[str]] = {}
        self._weak: list[tuple[str, str]] = []
        self._influenced: list[str] = []
        self._unsure = 0
        self._written: dict[str, Union[Place, str]] = {}
        self._seconds: dict[str, float] = {}
        self._kept_from = kept_from
        self._kept: Counter[Environment] = Counter()

    def add(self, item: str, record: ItemRecord, seconds: Optional[float]) -> None:
        """Add the record of an item, and how long it took if it was measured now."""
        self._kept[record.environment] += record.kept
        if seconds is not None:
            self._seconds[item] = seconds
        self._weak += [(item, str(weak)) for weak in record.entry.weak_evidence if weak.code != _UNTOUCHED]
        if any(weak.code == _UNTOUCHED for weak in record.entry.weak_evidence):
            self._untouched.setdefault(record.environment.device, []).append(record.claim)
        self._written[record.claim] = record.written or record.claim
        if record.influenced is not None:
            told = f"{item}: {record.influenced} after other claims, {record.entry.verdict} alone"
            self._influenced.append(f"{told}: its neighbours influence it")
        self._unsure += record.unsure
        if record.review == "unreviewed":
            told = f"{record.entry.verdict:9} {record.claim}"
            self._unreviewed.setdefault(record.environment.device, []).append(told)
        if record.fails:
            told = "passes" if record.review == "passes" else record.entry.verdict
            self._failed.append((item, told))

    def counts(self) -> str:
        """Return how many claims have a verdict, and how many entries of spec files they come from; empty if none."""
        number = sum(self._kept.values())
        kept = f", {number:,} kept" if number else ""
        return f"{self._in_words(self._written)}{kept}" if self._written else ""

    def lines(self, columns: Sequence[Results]) -> list[str]:
        """Return the lines to print; ``columns`` has the entries of each environment."""
        told = self._told(columns) if columns or self.unjudged else []
        if self.left_out:
            told.append(f"{count_of(self.left_out, 'timing claim')} left out; conformance run --timings measures them")
        return [printable(line, keep="") for line in (*told, *self.messages)]

    def _told(self, columns: Sequence[Results]) -> list[str]:
        lines = [line for results in columns for line in self._about(results)]
        times = [line for results in columns for line in _times(results)]
        lines += self._costly()
        weak = [f"{item}: {told}" for item, told in sorted(self._weak)]
        lines += _listed(weak, "with weak evidence: the claim proves too little")
        for device, claims in sorted(self._untouched.items()):
            lines += _first(claims, f"of the claims put nothing on {device}; they are not counted ({_UNTOUCHED})")
        for device, told in sorted(self._unreviewed.items()):
            lines += _first(
                told,
                f"unreviewed on {device}: nobody has looked at what fails; --expected FILE --accept writes it down",
            )
        lines += _listed(
            sorted(self._influenced), "run again in a process of its own, with another verdict, which counts"
        )
        attention = [f"{verdict:9} {item}" for item, verdict in sorted(self._failed)]
        attention += [f"no verdict {item}: {_reason(told)}" for item, told in sorted(self.unjudged.items())]
        attention += self.unexplained
        lines += _listed(attention, f"need{'' if len(attention) > 1 else 's'} attention")
        if self._unsure:
            was = "was" if self._unsure == 1 else "were"
            lines.append(
                f"{self._unsure} of these {was} not run again alone: claims that ran before may have an influence"
            )
        if times:
            lines += [*times, "times are relative to the kernel at 1.0; they depend on the machine and fail no run"]
        elif not attention:
            every = "every other verdict" if self._unreviewed else "every verdict"
            so_far = f"stopped before the end; {every} so far" if self.stopped else every
            lines.append(f"{so_far} is as expected")
        return lines

    def _about(self, results: Results) -> Iterator[str]:
        """Yield the lines about one environment: counts, where they come from, and how they compare with a record."""
        yield from _counts(results, self._in_words(results.claims))
        if self._kept_from:
            kept = self._kept[results.environment]
            source = f" from {self._kept_from}; --again measures all" if kept else ""
            yield f"  {len(results.claims) - kept:,} measured here, {kept:,} kept{source}"
        if results.environment in self.comparisons:
            yield from _compared(self.comparisons[results.environment], results.environment)

    def _in_words(self, claims: Collection[str]) -> str:
        return Counts(len(claims), len({self._written[claim] for claim in claims})).in_words()

    def _costly(self) -> list[str]:
        """Return lines about claims that took far longer than the others."""
        if len(self._seconds) < _FEWEST_CLAIMS:
            return []
        usual = median(self._seconds.values())
        costly = sorted(
            ((seconds, item) for item, seconds in self._seconds.items() if seconds > _COSTLY * usual), reverse=True
        )
        if not costly:
            return []
        more = f", the first {_MOST_NAMED}" if len(costly) > _MOST_NAMED else ""
        return [
            f"{len(costly)} took more than {_COSTLY} times the median of {usual:.3f} s{more}:",
            *(f"  {seconds:7.3f} s {item}" for seconds, item in costly[:_MOST_NAMED]),
        ]


def _counts(results: Results, claims: str) -> list[str]:
    counts = Counter(entry.verdict for entry in results.claims.values())
    shown = ", ".join(f"{counts[verdict]} {verdict}" for verdict in get_args(Verdict) if counts[verdict])
    examples = sum(entry.examples or 0 for entry in results.claims.values())
    lines = [f"{_in_words(results.environment)}: {claims}, {count_of(examples, 'example')}", f"  {shown}"]
    if results.void:
        lines.append(f"  VOID: {results.void}; ignore all results of this environment")
    return lines


def _compared(comparison: Comparison, environment: Environment) -> Iterator[str]:
    """Yield whether what was measured is what is recorded, or which entries differ."""
    where = f"recorded for torch {environment.torch} on {environment.device}"
    if not comparison.compared:
        yield f"  not {where}: {count_of(comparison.new, 'claim')}"
        return
    what = " verdicts" if comparison.elsewhere else ""
    other = f" (recorded with {', '.join(comparison.elsewhere)})" if comparison.elsewhere else ""
    new = f"; {count_of(comparison.new, 'claim')} new or changed since" if comparison.new else ""
    if comparison.differing:
        number = len(comparison.differing)
        differ = "differs" if number == 1 else "differ"
        yield f"  {number:,} of {comparison.compared:,}{what} {differ} from what is {where}{other}{new}:"
        yield from (f"    {name}: {told}" for name, told in islice(comparison.differing.items(), _MOST_DIFFERING))
        if number > _MOST_DIFFERING:
            yield f"    and {number - _MOST_DIFFERING:,} more"
    else:
        yield f"  as {where}: the same{what}{other}{new}"


def _times(results: Results) -> Iterator[str]:
    for identity, entry in results.claims.items():
        if entry.kernels:
            yield f"  {identity}: {entry.verdict}"
            for label, numbers in {"size": entry.sizes, **entry.kernels}.items():
                yield f"    {label:24}{''.join(f'{number:>10}' for number in numbers)}"


def _listed(lines: Sequence[str], heading: str) -> list[str]:
    """Return a heading with the number of lines, and the lines; nothing if there are none."""
    return [f"{len(lines)} {heading}:", *(f"  {line}" for line in lines)] if lines else []


def _first(lines: Sequence[str], heading: str) -> list[str]:
    """Return a heading with the number of lines, and the first lines; nothing if there are none."""
    more = [f"  and {len(lines) - _MOST_DIFFERING:,} more"] if len(lines) > _MOST_DIFFERING else []
    return [f"{len(lines):,} {heading}:", *(f"  {line}" for line in sorted(lines)[:_MOST_DIFFERING]), *more]


def _reason(told: str) -> str:
    """Return the most useful line of a pytest report: the last one of an error's message."""
    lines = told.strip().splitlines() or ["the reason is unknown"]
    messages = [line[1:].strip() for line in lines if line.startswith("E  ")]
    line = (messages or lines)[-1].strip()
    return printable(line, keep="")[:_LONGEST_REASON]


def _in_words(environment: Environment) -> str:
    return (
        f"torch {environment.torch} ({environment.build}) on {environment.device}, "
        f"Python {environment.python}, NumPy {environment.numpy}"
    )
