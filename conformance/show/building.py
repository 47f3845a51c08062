"""What the index holds, from the corpus, the recorded results, names and trials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, Optional

from conformance.base.codec import encode, to_line
from conformance.base.recorded_folder import NAMES, TRIALS
from conformance.base.release_spans import as_version
from conformance.language.corpus import default_root, load_corpus
from conformance.language.corpus_cache import load_own_corpus
from conformance.language.model import Change
from conformance.names.lookup import Names
from conformance.names.signatures import default_of, parse_signature
from conformance.names.store import uses_of
from conformance.results.recorded import load_recorded
from conformance.results.trials.recorded import RecordedTrials
from conformance.results.wording import key_of
from conformance.show.answer import answer_view
from conformance.show.change_page import change_page
from conformance.show.claim_lines import claim_line
from conformance.show.claim_page import claim_page
from conformance.show.matching import plain, words_of
from conformance.show.messages import message_views, seen_messages
from conformance.show.model import AnswerView, MessageView
from conformance.show.name import load_names, name_facts

Row = tuple[Any, ...]


def tables_of(folder: Path, spec: Path) -> dict[str, list[Row]]:
    """Return the rows of each table of the index, of a corpus and of a folder of results."""
    corpus = load_own_corpus()[0] if spec == default_root() else load_corpus([spec], spec)[0]
    recorded = load_recorded(folder)
    claims = {claim.id: claim for claim in corpus.claims}
    answers = {answer.subject: answer_view(answer, claims, recorded) for answer in corpus.answers}
    by_place = sorted(corpus.claims, key=lambda claim: (claim.subject, claim.place))
    lines = {
        subject: tuple(claim_line(claim, recorded) for claim in group)
        for subject, group in groupby(by_place, key=lambda claim: claim.subject)
    }
    names = load_names(folder)
    uses = uses_of(folder / NAMES)
    newest = names.releases[-1] if names.releases else ""
    subjects = sorted({*names.public_names(), *answers, *lines, *uses})
    trials = RecordedTrials(folder / TRIALS)
    messages = message_views(corpus.messages, seen_messages(recorded, trials), uses)
    # The facts of any other name are read when somebody asks for it.
    looked_up = {name for name in (*answers, *lines, *uses, *trials.names) if "/" not in name}
    return {
        "subject": [
            (
                name,
                _last(name).lower(),
                uses.get(name, 0),
                names.canonical(name, newest) if newest else None,
                _json(answers.get(name)),
                _json(lines.get(name)),
                _json(name_facts(names, trials, name)) if name in looked_up else None,
            )
            for name in subjects
        ],
        "argument": [
            (argument, taker, _last(taker).lower(), default)
            for argument, taker, default in (_arguments(names, newest) if newest else ())
        ],
        "claim": [
            *((claim.id, claim.id, claim_page(claim, recorded)) for claim in corpus.claims),
            *((old, claim.id, "") for claim in corpus.claims for old in claim.was),
            *(
                (f"{change.release}/{change.id}", f"{change.release}/{change.id}", change_page(change))
                for change in corpus.changes
            ),
            *_by_slug(corpus.changes),
        ],
        "message": [(key, " ".join(words_of(key)), _json(view)) for key, view in _by_wording(messages.values())],
        "answer_words": [
            (answer.subject, weight, " ".join(words))
            for answer in answers.values()
            for weight, words in answer_parts(answer)
        ],
        "phrase": [(plain(text), it.subject) for it in answers.values() for text in (_last(it.subject), *it.asked)],
        "change": list(_changes(corpus.changes)),
        "claim_words": [(claim.id, " ".join(words_of(f"{claim.title} {claim.subject}"))) for claim in corpus.claims],
    }


def _json(value: object) -> Optional[str]:
    return None if value is None else to_line(encode(value))


def _arguments(names: Names, release: str) -> Iterator[tuple[str, str, str]]:
    """Yield each argument of each public name of torch in a release: argument, the name in full, default or nothing."""
    for name, record in names.records(release):
        read = [signature for text in record.signatures if (signature := parse_signature(text))]
        taken = {one.name: one for signature in reversed(read) for one in signature.parameters.values()}
        yield from ((argument, name, default_of(one) or "") for argument, one in taken.items())


def _changes(changes: Iterable[Change]) -> Iterator[Row]:
    """Yield each name that a change is about with a line on it, the newest first."""
    for change in sorted(changes, key=lambda change: as_version(change.release), reverse=True):
        line = f"{change.release} {change.title.replace('`', '')} [{change.release}/{change.id}]"
        yield from ((name, line) for name in dict.fromkeys(match.name for match in change.match))


def _by_slug(changes: Iterable[Change]) -> Iterator[Row]:
    """Yield a row for each change that alone has its id."""
    count = Counter(change.id for change in changes)
    for change in changes:
        if count[change.id] == 1:
            yield change.id, f"{change.release}/{change.id}", ""


def _by_wording(views: Iterable[MessageView]) -> Iterator[tuple[str, MessageView]]:
    """Yield each message by the key of every wording of it."""
    for view in views:
        yield from ((key, view) for key in dict.fromkeys(map(key_of, (*view.texts, *view.wordings))) if key)


def _last(name: str) -> str:
    return name.rpartition(".")[2].rpartition("/")[2]


def answer_parts(answer: AnswerView) -> Iterator[tuple[float, list[str]]]:
    """Yield the words of each part of an answer, with how much they count: those of the name the most."""
    last = _last(answer.subject)
    yield 1.5, words_of(last)
    for phrase in answer.asked:
        yield 0.9, words_of(phrase)
    yield 0.6, words_of(" ".join(line.says for line in answer.lines))
    yield 0.5, words_of(answer.subject[: -len(last)].replace("/", " "))
