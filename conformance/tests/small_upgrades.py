"""Upgrades of small corpora between made-up releases, for tests of their entries."""

from __future__ import annotations

from pathlib import Path

from conformance.language.corpus import Corpus
from conformance.results.model import Entry, Fact, Facts, Flags, Signal
from conformance.tests.result_files import make_corpus, release
from conformance.upgrade.claims import compare_claims
from conformance.upgrade.model import ReportEntry
from conformance.views.recorded import Measured

FALSE_BELOW_2 = """
given: {x: tensor()}
do: y = x.detach()
expect: shares_storage(y, x)
diverges:
  - when: {torch: "<2"}
    kind: %s
    instead: {expect: ["not shares_storage(y, x)"]}
    example: {x: "torch.zeros(2)"}
    note: The first way.
    link: none-filed
  - when: {torch: ">=2"}
    where: x.dtype == torch.%s
    kind: torch-bug
    instead: {expect: ["not shares_storage(y, x)"]}
    example: {x: "torch.zeros(2, dtype=torch.%s)"}
    note: The second way.
    link: none-filed
"""


LEAF = Flags("float32", leaf=True)


def showing(value: str, flags: Flags = LEAF) -> Facts:
    return Facts(names={"y": Fact(value, flags)})


def raising(name: str, message: str = "no") -> Facts:
    return Facts(Signal(name, message))


def diverging(kind: str = "torch-bug", dtype: str = "bool") -> str:
    return FALSE_BELOW_2 % (kind, dtype, dtype)


def corpus_of(folder: Path, *bodies: str) -> Corpus:
    return make_corpus(folder / "specs", *bodies)


def path_of(corpus: Corpus, *columns: tuple[str, list[Entry]]) -> list[Measured]:
    """Make the path of an upgrade: release and an entry for each claim of the corpus."""
    return [release(torch, {claim.id: one for claim, one in zip(corpus.claims, entries)}) for torch, entries in columns]


def changed(corpus: Corpus, before: Entry, after: Entry) -> list[ReportEntry]:
    """Compare two releases of a corpus of one claim."""
    return list(compare_claims(corpus, path_of(corpus, ("1.13.1", [before]), ("2.0.1", [after]))).entries)


def only(corpus: Corpus, before: Entry, after: Entry) -> ReportEntry:
    [found] = changed(corpus, before, after)
    return found


OLD_WARNING = Signal("UserWarning", "use clone().detach() rather than tensor(x)")
