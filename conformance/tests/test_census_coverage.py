"""Objects, claims and decisions put together: the state of each sentence, what is new, and what comes first."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.lab.census.coverage import ClaimedSentence, ReadSentences, page_census, stored_page, take_census
from conformance.lab.census.families import Labels
from conformance.lab.census.objects import PublicObject
from conformance.language.corpus import Corpus
from conformance.language.decisions import NO_CLAIM, TODO, UNTESTABLE, Decision, Decisions
from conformance.language.sentences import sentence_hash
from conformance.tests.small_corpora import small_corpus

VIEW = "The result is a view of its input."
GRADIENT = "The gradient flows through it."
RAISES = "Frobbing a rusty tensor raises."
REFERENCE = "See :func:`torch.frob`, or :func:`torch.frob`."
DETAIL = "copy (bool): whether the result is a copy of the data"
OBJECTS = [
    PublicObject("torch.frob", ("torch.special.frob",), f"{VIEW} {RAISES}\n\n{DETAIL}"),
    PublicObject("torch.nn.Frob", (), f"{GRADIENT} {REFERENCE}"),
]
SPEC = """\
subject: torch.special.frob
claims:
  - id: is-a-view
    title: The result is a view
    family: sharing
    sources:
      - {docs: torch.special.frob, key: is a view of, says: states}
      - {note: frobbing, key: frobs are, says: states}
    given: {x: tensor()}
    do: y = x.detach()
    expect: shares_storage(y, x)
"""


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    sources = (
        "docs: {base: 'https://x.org/{object}'}\nnotes: {frobbing: {title: Frobbing, url: 'https://x.org/frobbing'}}\n"
    )
    return small_corpus(tmp_path, sources, {"special/frob.yaml": SPEC})


NOTHING = ReadSentences()


def entries(corpus: Corpus, decisions: Decisions, before: ReadSentences = NOTHING) -> dict[str, ClaimedSentence]:
    return {entry.text: entry for entry in take_census(OBJECTS, corpus.claims, decisions, before).entries}


def test_a_key_in_a_sentence_encodes_it_under_any_name_of_the_object(corpus: Corpus) -> None:
    found = entries(corpus, {})
    assert found[VIEW].state == "encoded"
    assert found[VIEW].claims == ("torch.special.frob/is-a-view",)
    assert found[VIEW].name == "torch.frob"
    assert found[RAISES].state == TODO


def test_a_decision_counts_where_no_claim_encodes(corpus: Corpus) -> None:
    decisions = {
        "torch.frob": {
            sentence_hash(VIEW): Decision(NO_CLAIM),
            sentence_hash(RAISES): Decision(UNTESTABLE, "Nothing rusts here."),
        }
    }
    found = entries(corpus, decisions)
    assert found[VIEW].state == "encoded"
    assert (found[RAISES].state, found[RAISES].reason) == (UNTESTABLE, "Nothing rusts here.")


def test_what_a_claim_encodes_no_longer_is_to_do(corpus: Corpus) -> None:
    read = ReadSentences.from_entries(entries(corpus, {}).values())
    without = take_census(OBJECTS, [], {}, read).entries
    assert [(entry.state, entry.change) for entry in without if entry.text == VIEW] == [(TODO, "")]


def test_a_sentence_that_the_last_reading_did_not_have_is_new_or_reworded(corpus: Corpus) -> None:
    gone, view, detail = (sentence_hash(text) for text in ("It raised once.", VIEW, DETAIL))
    added = entries(corpus, {}, ReadSentences({"torch.frob": (view, detail)}))
    assert (added[VIEW].change, added[RAISES].change) == ("", "new")
    replaced = entries(corpus, {}, ReadSentences({"torch.frob": (view, gone, detail)}))
    assert (replaced[RAISES].change, replaced[RAISES].state) == ("reworded", TODO)
    assert entries(corpus, {})[GRADIENT].change == "new"


def test_what_is_to_do_begins_with_torch_and_with_statements(corpus: Corpus) -> None:
    taken = take_census(OBJECTS, [], {}, NOTHING)
    assert [entry.text for entry in taken.left()] == [VIEW, RAISES, DETAIL, GRADIENT]


def test_the_table_counts_a_sentence_in_each_of_its_families(corpus: Corpus) -> None:
    taken = take_census(OBJECTS, corpus.claims, {}, NOTHING)
    assert taken.table(taken.entries) == {
        "torch": {
            "sharing": {"encoded": 1, "no-claim": 0, "untestable": 0, "todo": 1},
            "errors": {"encoded": 0, "no-claim": 0, "untestable": 0, "todo": 1},
        },
        "torch.nn": {"gradients": {"encoded": 0, "no-claim": 0, "untestable": 0, "todo": 1}},
    }
    assert (taken.objects, taken.beyond) == (2, 0)


def test_a_label_counts_where_it_is_not_what_the_rules_say(corpus: Corpus) -> None:
    labels: Labels = {sentence_hash(VIEW): ("leaf",), sentence_hash(RAISES): (), sentence_hash(REFERENCE): ("errors",)}
    found = take_census(OBJECTS, corpus.claims, {}, NOTHING, labels).entries
    assert {entry.text: entry.families for entry in found} == {
        VIEW: ("leaf",),
        DETAIL: ("sharing",),
        GRADIENT: ("gradients",),
        REFERENCE: ("errors",),
    }


def test_every_sentence_of_a_page_counts(corpus: Corpus) -> None:
    text = ["A frob can be blue.", "Where frobs are, sheep are."]
    found = page_census("notes/frobbing", text, corpus.claims, {}, NOTHING)
    assert [(entry.state, entry.families) for entry in found] == [(TODO, ()), ("encoded", ())]
    assert {entry.module for entry in found} == {"notes/frobbing"}


def test_a_page_that_is_not_at_hand_is_counted_from_its_last_reading(corpus: Corpus) -> None:
    text = ["A frob can be blue.", "Where frobs are, sheep are.", "No frob is green."]
    decisions = {"notes/frobbing": {sentence_hash(text[2]): Decision(NO_CLAIM)}}
    read = page_census("notes/frobbing", text, corpus.claims, decisions, NOTHING)
    before = ReadSentences.from_entries(read)
    stored = stored_page("notes/frobbing", corpus.claims, decisions, before)
    assert [(entry.hash, entry.state, entry.claims) for entry in stored] == [
        (entry.hash, entry.state, entry.claims) for entry in read
    ]
    assert [entry.state for entry in stored_page("notes/frobbing", [], decisions, before)] == [TODO, TODO, NO_CLAIM]
