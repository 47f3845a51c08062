"""Whether a recorded result file is what a run gives now.

Run as ``python -m conformance.results.staleness RECORDED`` it compares the recorded folder with the corpus, as
``… RECORDED FRESH`` also each fresh file with the recorded one of its name, and as ``… --only FILE`` one file with the
corpus. A claim that a file of the folder does not have is a gap: it is reported, and is a fault with ``--only`` alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from conformance.base.json_files import ResultError
from conformance.base.text import printable
from conformance.language.corpus import Corpus
from conformance.language.corpus_cache import load_own_corpus
from conformance.language.model import Claim
from conformance.results.comparison import compare
from conformance.results.model import FAILING
from conformance.results.record import stored_results
from conformance.results.store import Results, result_lines

_MOST_SHOWN = 20
_LONGEST_LINE = 300


def against_corpus(recorded: Results, corpus: Corpus) -> Iterator[str]:
    """Yield what is left over, out of date or failing in a recorded file.

    Another device than the CPU may not be at hand when a claim changes: what is out of date of it is a gap, no mistake.
    """
    living, is_on_cpu = _measurable(corpus), _is_on_cpu(recorded)
    for identity, claim in living.items():
        entry = recorded.claims.get(identity)
        if entry is None:
            continue  # a gap says nothing, so nothing false
        quoted = sum(source.kind == "docs" for source in claim.sources)
        if entry.claim != claim.fingerprint():
            if is_on_cpu:
                yield f"{recorded.name}: {identity} was measured in an older form"
        elif is_on_cpu and len(entry.sentences) != quoted:
            yield f"{recorded.name}: {identity} was measured with fewer or more sources"
        elif entry.verdict in FAILING:
            yield f"{recorded.name}: {identity} is {entry.verdict}"
    for identity in sorted(set(recorded.claims) - set(living)) if is_on_cpu else ():
        yield f"{recorded.name}: {identity} is not in the corpus"


def gaps(recorded: Results, corpus: Corpus) -> list[str]:
    """Return the claims that a recorded file does not have: nobody has measured them there, or not in this form."""
    entries, is_on_cpu = recorded.claims, _is_on_cpu(recorded)
    return [
        identity
        for identity, claim in _measurable(corpus).items()
        if (entry := entries.get(identity)) is None or (not is_on_cpu and entry.claim != claim.fingerprint())
    ]


def _is_on_cpu(recorded: Results) -> bool:
    return recorded.environment.device == "cpu"


def _measurable(corpus: Corpus) -> dict[str, Claim]:
    return {claim.id: claim for claim in corpus.claims if not claim.is_timed}


def against_fresh(recorded: Results, fresh: Results) -> Iterator[str]:
    """Yield what a fresh run gives otherwise: each line where the environments are the same, else the verdicts."""
    if recorded.environment == fresh.environment:
        before = set(result_lines(recorded))
        for line in result_lines(fresh):
            if line not in before:
                yield f"{recorded.name}: a fresh run gives {line[:_LONGEST_LINE].rstrip()}"
        return
    for identity, told in compare(fresh, recorded).differing.items():
        yield f"{recorded.name}: {identity}: {told}"


def main(arguments: list[str]) -> int:
    """Print what is stale; the exit status is 1 where anything is, and 2 where a file can't be used."""
    try:
        return _report(_stale(arguments))
    except ResultError as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2


def _stale(arguments: list[str]) -> list[str]:
    corpus, _ = load_own_corpus()
    if arguments[0] == "--only":
        only = stored_results(Path(arguments[2]))[arguments[1]]
        missing = [f"{only.name}: {identity} was not measured" for identity in gaps(only, corpus)]
        return [*against_corpus(only, corpus), *missing]
    folder = Path(arguments[0])
    stale: list[str] = []
    known = stored_results(folder)
    for results in known.values():
        stale += against_corpus(results, corpus)
        if missing := gaps(results, corpus):
            on_device = f"nox -s conformance -- --record --device {results.environment.device}"
            measuring = "nox -s matrix" if _is_on_cpu(results) else on_device
            print(f"{results.name}: {len(missing)} claims are not measured; '{measuring}' measures them")
    for name, fresh in stored_results(Path(arguments[1])).items() if len(arguments) > 1 else ():
        if name in known:
            stale += against_fresh(known[name], fresh)
    return stale


def _report(stale: list[str]) -> int:
    for line in stale[:_MOST_SHOWN]:
        print(printable(line, keep=""))
    if stale:
        print(f"{len(stale)} stale entries; measure with 'nox -s conformance -- --record' and commit the result files")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
