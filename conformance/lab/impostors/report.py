"""The report of a mutation run, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Optional

from conformance.lab.impostors.outcome import MutationOutcome
from conformance.lab.impostors.record import Missed, MutationRecord, Noticing, missed_arguments
from conformance.language.corpus import Corpus, Counts
from conformance.language.model import Claim


class Report:
    """What a mutation run found, sorted by what to do about it.

    Parameters
    ----------
    corpus, outcomes
        The claims, and what the mutants did to them.
    operators
        The names of the operators, in order.
    known
        An earlier record; what survived there too is reported but is not a failure.
    whole
        All claims were run under all operators; only then are useless operators reported.

    Attributes
    ----------
    survivors : list
        Claims with a part that no operator kills, and without a reason for it in the spec.
    """

    def __init__(
        self,
        corpus: Corpus,
        outcomes: Mapping[str, MutationOutcome],
        operators: Iterable[str],
        *,
        known: Optional[MutationRecord] = None,
        whole: bool,
    ) -> None:
        pairs = [(claim, outcomes[claim.id]) for claim in corpus.claims if claim.id in outcomes]
        self._operators = list(operators)
        self._known = known
        self._whole = whole
        self._judged = [(claim, outcome) for claim, outcome in pairs if outcome.status == "judged"]
        self._unsound = [(claim, outcome) for claim, outcome in pairs if outcome.status == "unsound"]
        self._others = Counter(outcome.status for _, outcome in pairs if outcome.status not in ("judged", "unsound"))
        self.survivors = [(c, o) for c, o in self._judged if o.survivors and c.unkillable is None]
        self._noticing = [(claim, outcome.arguments) for claim, outcome in self._judged]
        earlier = [(c, e.arguments) for c in corpus.claims if known and (e := known.entry(c)) and c.id not in outcomes]
        missed = missed_arguments([*self._noticing, *earlier])
        self._missed = [(claim, missed[claim.id]) for claim, _ in self._judged if claim.id in missed]

    @property
    def failed(self) -> bool:
        """True if a claim has to be corrected."""
        new = [claim for claim, outcome in self.survivors if not self._is_known(claim, outcome)]
        unnoticed = any(self._is_new(claim, item) for claim, missed in self._missed for item in missed)
        return bool(new or unnoticed or list(self._corrections()))

    def _is_known(self, claim: Claim, outcome: MutationOutcome) -> bool:
        entry = self._known.entry(claim) if self._known else None
        return entry is not None and {part.name for part in outcome.survivors} <= {*entry.standing}

    def _is_new(self, claim: Claim, missed: Missed) -> bool:
        """Return whether nothing notices an argument to be wrong, by an operator that the earlier record has."""
        if missed.sibling or missed.reason or self._known is None or missed.operator not in self._known.impostors:
            return False
        entry = self._known.entry(claim)
        return entry is None or missed.argument not in entry.arguments.missed.get(missed.operator, ())

    def lines(self, *, verbose: bool = False) -> list[str]:
        """Return the report; a verbose one names the operators that kill each claim."""
        lines = [f"{claim.id}: {' '.join(outcome.killers) or '-'}" for claim, outcome in self._judged if verbose]
        excused = [(claim, claim.unkillable or "") for claim, outcome in self._judged if outcome.survivors]
        off_subject = [(claim, ", ".join(outcome.only_off_subject)) for claim, outcome in self._judged]
        in_assertion = [(claim, ", ".join(outcome.only_in_assertion)) for claim, outcome in self._judged]
        lines += _section(excused, "survive, for a reason that the spec gives")
        lines += _section(
            off_subject, "have parts that are killed only by mutants of something else than their subject"
        )
        lines += _section(in_assertion, "have parts that are killed only by mutating a call inside the assertion")
        lines += missed_lines(self._missed)
        lines += self._useless() if self._whole else []
        # What must be done comes last, where it is seen.
        to_do = [
            *(
                f"{part.place} {claim.id}: no impostor kills {part.name}: {part.text}"
                for claim, outcome in self.survivors
                for part in outcome.survivors
            ),
            *self._corrections(),
        ]
        slow = [claim.id for claim, outcome in self._judged if outcome.out_of_time and outcome.survivors]
        late = [f"\nout of time before all impostors were tried: {', '.join(slow)}"] if slow else []
        return [*lines, *([""] if lines and to_do else []), *to_do, *late, "", *self._score()]

    def _corrections(self) -> Iterator[str]:
        """Yield what is wrong with claims apart from their survivors."""
        for claim, outcome in self._judged:
            if claim.unkillable is not None and not outcome.survivors:
                killers = ", ".join(outcome.killers)
                yield f"{claim.place} {claim.id}: remove 'unkillable': it is killed by {killers}"
        for claim, outcome in self._judged:
            if outcome.only_skipped:
                yield f"{claim.place} {claim.id}: only skipping a call kills it; look at what the call does"
        for claim, outcome in self._judged:
            for name in sorted({*outcome.idle} - {*claim.regardless}):
                yield (
                    f"{claim.place} {claim.id}: input {name} changes nothing that is looked at; look at more, draw no"
                    f" {name}, or add 'regardless: {name}' if the claim says that it makes no difference"
                )
            for name in sorted({*outcome.moving} & {*claim.regardless}):
                yield f"{claim.place} {claim.id}: remove {name} from 'regardless': it changes what is looked at"
        for claim, outcome in self._unsound:
            yield f"{claim.place} {claim.id}: fails on the real torch: {outcome.detail}"

    def _useless(self) -> list[str]:
        """Return the operators that could be removed: any one of them, not all at once."""
        outcomes = [outcome for _, outcome in self._judged]
        needed = {names[0] for outcome in outcomes for names in outcome.killed_by.values() if len(names) == 1}
        of_arguments = {name for o in outcomes for name in (*o.arguments.noticed, *o.arguments.missed)}
        kills = {name for outcome in outcomes for name in outcome.killers} - of_arguments
        noticed = {name for outcome in outcomes for name in outcome.detected_by_error}
        useless = {
            "kill nothing": [name for name in self._operators if name not in kills | noticed | of_arguments],
            "only make programs raise": [name for name in self._operators if name in noticed - kills],
            "are no part's only killer": [name for name in self._operators if name in kills - needed],
        }
        return [f"\nimpostors that {what}: {', '.join(names)}" for what, names in useless.items() if names]

    def _score(self) -> Iterator[str]:
        judged = Counts(len(self._judged), len({claim.entry for claim, _ in self._judged}))
        parts = sum(len(outcome.parts) for _, outcome in self._judged)
        survivors = sum(len(outcome.survivors) for _, outcome in self._judged)
        killed = sum(not outcome.survivors for _, outcome in self._judged)
        kills = sum(len(outcome.killers) for _, outcome in self._judged)
        yield (
            f"{killed} of {judged.in_words()} killed, {parts - survivors} of {parts} assertions; "
            f"{len(self._operators)} impostors, {kills / max(len(self._judged), 1):.0f} kills per claim"
        )
        yield from score_of_arguments(self._noticing, self._missed)
        if excused := len(self._judged) - killed - len(self.survivors):
            yield f"{excused} survive for a reason that the spec gives"
        if self._unsound:
            yield f"{len(self._unsound)} fail on the real torch"
        if self._others:
            yield "not judged: " + ", ".join(f"{count} {status}" for status, count in sorted(self._others.items()))


def missed_lines(missed: Iterable[tuple[Claim, list[Missed]]]) -> list[str]:
    """Return the arguments that nothing notices to be wrong, by claim, and those that only another claim notices."""
    missed = list(missed)
    alone = [
        (c, ", ".join(f"{i.operator} {i.argument}" for i in m if not i.sibling and not i.reason)) for c, m in missed
    ]
    excused = [(c, ", ".join(f"{i.operator} {i.argument}: {i.reason}" for i in m if i.reason)) for c, m in missed]
    by_sibling = [(c, ", ".join(f"{i.operator} {i.argument} ({i.sibling})" for i in m if i.sibling)) for c, m in missed]
    return [
        *_section(by_sibling, "leave it to another claim of their subject to notice"),
        *_section(excused, "do not notice it, for a reason that the spec gives"),
        *_section(alone, "are about an argument, and no claim notices that it is wrong"),
    ]


def score_of_arguments(
    noticing: Iterable[tuple[Claim, Noticing]], missed: Iterable[tuple[Claim, list[Missed]]]
) -> Iterator[str]:
    """Yield how many wrong arguments the claims notice, in all and by operator."""
    noticed: Counter[str] = Counter()
    for _, arguments in noticing:
        noticed.update({operator: len(names) for operator, names in arguments.noticed.items()})
    every = [item for _, items in missed for item in items]
    by_sibling = Counter(item.operator for item in every if item.sibling)
    excused = Counter(item.operator for item in every if item.reason)
    survived = Counter(item.operator for item in every if not item.sibling and not item.reason)
    if not sum(noticed.values()) and not every:
        return
    yield (
        f"wrong arguments: {sum(noticed.values())} noticed, {sum(by_sibling.values())} by another claim of the subject,"
        f" {sum(excused.values())} by none for a reason that the spec gives, {sum(survived.values())} by none"
    )
    for name in sorted({*noticed, *by_sibling, *excused, *survived}):
        yield f"  {name}: {noticed[name]}, {by_sibling[name]}, {excused[name]}, {survived[name]}"


def _section(claims: Iterable[tuple[Claim, str]], what: str) -> list[str]:
    """Return the claims with a text, below a heading that counts them."""
    lines = [f"  {claim.place} {claim.id}: {text}" for claim, text in claims if text]
    return [f"\n{len(lines)} claims {what}:", *lines] if lines else []
