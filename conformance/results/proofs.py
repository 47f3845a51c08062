"""Whether what we wrote is what was recorded: the lines of answers, and the messages of errors and warnings.

Run as ``python -m conformance.results.proofs RECORDED`` it prints each line that the newest release does not prove, and
each message that nothing recorded.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, Optional

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from conformance.base.json_files import ResultError
from conformance.base.recorded_folder import TRIALS
from conformance.base.text import count_of, listed
from conformance.language.model import Answer, AnswerLine, Change, Claim, Message
from conformance.language.problems import Problem, Problems
from conformance.results.messages import Seen, seen_in_claims, seen_in_trials, shows
from conformance.results.model import Entry
from conformance.results.record import stored_results
from conformance.results.store import Results
from conformance.results.trials.recorded import RecordedTrials

#: What a release says of a claim or of a line. ``sometimes`` is for a claim that nobody promised and that is true on
#: some examples only; ``absent`` for a release without the subject.
Standing = Literal["true", "false", "sometimes", "absent", "unmeasured"]


def standing_of(entry: Optional[Entry]) -> Standing:
    """Return what a release says of a claim."""
    if entry is None or entry.verdict in ("inapplicable", "unsupported", "timed-out", "invalid"):
        return "unmeasured"
    if entry.verdict == "unspecified":
        tiers = (entry.tiers.error, entry.tiers.type) if entry.tiers else ()
        seen = [*entry.observed, *(tier for tier in tiers if tier is not None)]
        return "true" if set(seen) == {"always"} else "sometimes"
    if entry.verdict == "absent":
        return "absent"
    return "true" if entry.verdict == "holds" else "false"


def is_about(line: AnswerLine, torch: str) -> bool:
    """Return whether a line is about a release."""
    return not line.torch or SpecifierSet(line.torch).contains(Version(torch).base_version, prereleases=True)


def needs_gpu(claim: Claim) -> bool:
    """Return whether a claim is about other devices than the CPU, so that nothing there can show it."""
    return claim.applies.device not in (None, "cpu")


def check_lines(
    answers: Sequence[Answer], claims: Mapping[str, Claim], releases: Sequence[Results], problems: Problems
) -> None:
    """Check that each line is proven by the newest release that it is about and that has its subject.

    A claim about a GPU may stand beside one that is measured on the processor. An exception may be about a GPU alone.

    Parameters
    ----------
    claims
        The claims of the corpus by id.
    releases
        Recorded results on the processor, the oldest first.
    """
    for line in (line for answer in answers for line in answer.lines):
        about = [results for results in releases if is_about(line, results.environment.torch)]
        on_gpu = {claim for claim in line.claims if claim in claims and needs_gpu(claims[claim])}
        judged = [claim for claim in line.claims if claim not in on_gpu] or line.claims
        standings = {claim: _newest(claim, about) for claim in judged}
        named = {wanted: [claim for claim, found in standings.items() if found == wanted] for wanted in _CODES}
        for wanted, (code, message) in _CODES.items():
            if named[wanted] and not (wanted == "false" and line.exception):
                problems.add(line.place, code, message.format(listed([f"'{claim}'" for claim in named[wanted]])))
        diverges = [it.when.device for name in line.claims if name in claims for it in claims[name].diverges]
        if line.exception and not named["false"] and {*diverges} <= {None, "cpu"}:
            problems.add(line.place, "EA06", "`except`, but no claim of this line is false; remove it")


def check_messages(messages: Sequence[Message], recorded: Iterable[Seen], problems: Problems) -> None:
    """Check that a claim or a trial that a message names recorded it, or that it says why none could."""
    unseen = {message.id: message for message in messages}
    for seen in recorded:
        for message in [message for message in unseen.values() if shows(message, seen)]:
            del unseen[message.id]
    for message in messages:
        if message.id in unseen and not message.unmeasured:
            told = "no claim and no trial that it names recorded this message; correct it, or add such a claim"
            problems.add(message.place, "EA09", told)
        elif message.id not in unseen and message.unmeasured:
            problems.add(message.place, "EA10", "`unmeasured`, but this message was recorded; remove it")


def check_changes(changes: Iterable[Change], releases: Sequence[Results], problems: Problems) -> None:
    """Check that some recorded release shows each side of the example of a change."""

    def holds(claim: Claim) -> bool:
        entries = (release.claims.get(claim.id) for release in releases)
        return any(
            entry is not None and (entry.claim, entry.verdict) == (claim.fingerprint(), "holds") for entry in entries
        )

    for change in changes:
        for claim in change.examples:
            if not holds(claim):
                problems.add(change.place, "EB04", f"no recorded release shows '{claim.id}'; measure it, or correct it")


_CODES: dict[Standing, tuple[str, str]] = {
    "false": ("EA05", "{} is false on the newest release; correct the line, or name the exception in `except`"),
    "sometimes": ("EA07", "{} is not true on every example; correct the line, or name a claim that is"),
    "unmeasured": ("EA08", "{} has no verdict on the newest release; measure it, or say in `torch` where it has one"),
}


def _newest(claim: str, releases: Sequence[Results]) -> Standing:
    """Return what the newest release that has the subject says of a claim."""
    standings = (standing_of(release.claims.get(claim)) for release in reversed(releases))
    return next((standing for standing in standings if standing != "absent"), "unmeasured")


def recorded_releases(folder: Path) -> list[Results]:
    """Return the results of each release in a folder on the processor, the oldest release first."""
    found = [results for name, results in stored_results(folder).items() if name.endswith("-cpu")]
    return sorted(found, key=lambda results: Version(results.environment.torch))


def _mistakes(folder: Path) -> list[Problem]:
    from conformance.language.corpus_cache import load_own_corpus  # what uses this module otherwise reads no YAML

    corpus, problems = load_own_corpus()
    found = Problems()
    releases, trials = recorded_releases(folder), RecordedTrials(folder / TRIALS)
    check_lines(corpus.answers, {claim.id: claim for claim in corpus.claims}, releases, found)
    check_changes(corpus.changes, releases, found)
    newest = trials.releases[-1] if trials.releases else ""
    check_messages(corpus.messages, (*seen_in_claims(releases), *seen_in_trials(trials, newest)), found)
    return problems or found.sorted()


def main(arguments: list[str]) -> int:
    """Print what is not proven; the exit status is 1 where there is one, and 2 without usable results."""
    try:
        mistakes = _mistakes(Path(arguments[0]))
    except ResultError as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    for mistake in mistakes:
        print(mistake)
    if mistakes:
        print(
            f"{count_of(len(mistakes), 'mistake')} in answers, messages and changes; the reference explains the codes",
            file=sys.stderr,
        )
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
