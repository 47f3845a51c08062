"""From the text that a person types to what is known of it: a name, two, an argument, a message or a question."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Optional

from conformance.base.text import did_you_mean
from conformance.results.wording import key_of, split_class
from conformance.show.index import Index, Subject
from conformance.show.matching import nearest, plain, weights, words_of
from conformance.show.model import (
    ArgumentFinding,
    ClaimFinding,
    ClaimsFinding,
    Finding,
    LineView,
    MessageFinding,
    MessageView,
    NameFinding,
    NoFinding,
    PairFinding,
)
from conformance.show.names import NameFinder
from conformance.show.spelling import code_in, without_variables

#: How much of a question must be in what answers it.
_LEAST = 0.4
#: How much of a text must be in a message that does not have it as it is; of a long text, before it is a question.
_LEAST_OF_MESSAGE = 0.6
_MOST_OF_MESSAGE = 0.85
_MANY_WORDS = 6
#: What a name has more that stands in a question as code, as a mere word such as `no_grad`, and before all others.
_OF_CODE = 0.5
_OF_WORD = 0.25
_OF_FIRST = 0.1
#: A line of an answer comes first where its words of a question tell so much more than those of the first line.
_CLEARLY = 0.8
#: A line that tells of an error has so much more where the question does.
_OF_ERROR = 1.0
#: How much of the shorter line is in the other where two answers begin alike.
_ALIKE = 0.5
_ARGUMENT = re.compile(r"([A-Za-z_]\w*)(?:\s*=\s*\S+)?")
_MOST_TAKERS = 6
_MOST_LINES = 3
_MOST_MESSAGES = 3
_MOST_OTHERS = 4
_MOST_CLAIMS = 6
#: A text with fewer words is no message, and one with fewer letters no part of one.
_FEWEST_WORDS = 3
#: So many words of a message in a row are a piece of it.
_RUN = 5
_LONG = 20
#: How two names are compared: by the text on both sides, and how many words of prose may stand between name and cue.
_COMPARISONS = (
    (re.compile(r"(?:.*\s)?between\s+(.+?)\s+and\s+(.+)", re.I), 4),
    (re.compile(r"(.+?)\s+(?:vs\.?|versus)\s+(.+)", re.I), 4),
    (re.compile(r"(.+?)\s+(?:or|against)\s+(.+)", re.I), 1),
    (re.compile(r"(.+?)(?:\s+and\s+|\s*[,/]\s*)(.+)|(\S+)\s+(\S+)", re.I), 0),
)
#: Words that say nothing beside a name.
_BESIDE = re.compile(
    r"\b(?:in|with|using|for)\s+(?:py)?torch\b|\bpytorch\b:?|\b(?:the|a|an|method|function)\s|[?\"`]", re.I
)
#: The id of a claim or a change, which may be mistyped. After a name without claims, one word is a division, as in
#: `torch.pi/x`; after one with claims it is an id, or else a second name to compare.
_ID = re.compile(r"(?:(torch\.[\w.]+)/(?:\w+(-)[\w-]+|[a-z]\w+)|\d+\.\d+/[a-z][\w-]*)")
_ERROR = re.compile(r"Error|Warning|\braises?\b|\bwarns?\b")
_NO_ATTRIBUTE = re.compile(r"(?:module '(torch[\w.]*)'|'Tensor' object) has no attribute '(\w+)'")
_FAILS = re.compile(r"\b(?:errors?|raises?|raising|fails?|failing|crash(?:es)?)\b", re.I)


class Asking:
    """Finds what is known of a text.

    Parameters
    ----------
    folder
        The folder of recorded results.
    """

    def __init__(self, index: Index, folder: Path) -> None:
        self._index = index
        self._names = NameFinder(index, folder)

    def ask(self, text: str) -> tuple[Finding, ...]:
        """Return what is known of a text, what it most likely means first.

        Raises
        ------
        NoFinding
            If nothing is.
        """
        text = text.strip()
        page = self._index.page(text)
        if page is not None:
            return (ClaimFinding(*page),)
        if match := _ID.fullmatch(text):
            subject = self._index.subject(match[1]) if match[1] else None
            claims = subject.claims if subject is not None else ()
            if match[2] or not match[1] or (claims and not self._pair(text)):
                where = "; 'conformance show NAME --all' lists claims, and 'conformance upgrade OLD NEW' changes"
                near = did_you_mean(text.rpartition("/")[2], (claim.id.rpartition("/")[2] for claim in claims))
                raise NoFinding(f"no claim or change has the id {text!r}{near or where}")
        kind, said = split_class(text)
        found = self._error(said, kind) if kind else self._plain_text(text)
        if not found:
            advice = "give a name of torch, a message as it is printed, or fewer words"
            raise NoFinding(f"nothing is known of {text!r}; {advice}")
        return found

    def _plain_text(self, text: str) -> tuple[Finding, ...]:
        """Return what the first way finds that finds anything."""
        exact = (self._word, self._message, self._part_of_message, self._pair, self._exact)
        alike = (self._long_message, self._question, self._like_message, self._claims)
        # A word that no answer has is misspelt before it is a question, and so is one with a single letter wrong.
        ways = (
            (*exact, self._misspelt, *alike)
            if self._is_no_word(text)
            else (*exact, self._slightly_misspelt, *alike, self._rare, self._misspelt)
        )
        return next(filter(None, (way(text) for way in ways)), ())

    def _rare(self, text: str) -> tuple[Finding, ...]:
        """Return the name that a text is, though no program uses it and it is a word too."""
        named = self._names.named(text)
        return (self._names.finding(named),) if named is not None else ()

    def _is_no_word(self, text: str) -> bool:
        words = {word for parts in self._index.answer_words.values() for _, found in parts for word in found}
        return " " not in text and not words.issuperset(words_of(text)[-1:])

    def _error(self, said: str, kind: str) -> tuple[Finding, ...]:
        """Return what is known of a message and its class."""
        missing = _NO_ATTRIBUTE.search(said)
        if missing:  # other releases have it, or it is misspelt
            name = f"{missing[1] or 'torch.Tensor'}.{missing[2]}"
            return self._rare(name) or self._misspelt(name)
        exact = self._message(said, kind) or self._part_of_message(said, kind) or self._exact(said, is_error=True)
        found = exact or self._like_message(said, kind)
        return found if found or len(words_of(said)) < _FEWEST_WORDS else self._question(said)

    def _word(self, text: str) -> tuple[Finding, ...]:
        """Return the name, the concept and the argument that a text is, as far as programs use them."""
        named, concept = self._names.named(text), self._concept(text)
        has_answer = named is not None and named.answer is not None
        argument = None if has_answer else _argument(text, self._index)
        if named is not None and not (named.uses or has_answer) and text.isidentifier():
            # A name that few use may be a word first, such as `copy`, a concept or an argument, such as `inplace`.
            named = None if concept or argument or not self._is_no_word(text) else named
        if named is not None and argument is not None and argument.uses <= named.uses:
            argument = None
        of_name, of_concept = (
            self._by_words(self._names.finding(one), text) if one else None for one in (named, concept)
        )
        in_order = (of_name, of_concept) if has_answer else (of_concept, of_name)
        return tuple(one for one in (*in_order, argument) if one is not None)

    def _concept(self, text: str) -> Optional[Subject]:
        wanted = plain(text)
        spelled = {wanted, wanted.removesuffix("s"), wanted.removesuffix("tensor"), wanted.removesuffix("tensors")}
        found = (name for phrase, name in self._index.phrases("concepts/%") if phrase in spelled)
        return next(map(self._index.subject, found), None)

    def _pair(self, text: str) -> tuple[Finding, ...]:
        """Return two names that a text asks to compare, each with the line first that is about the difference."""
        asked = _BESIDE.sub(" ", text).strip()
        for pattern, most in _COMPARISONS:
            match = pattern.fullmatch(asked)
            before, after = filter(None, match.groups()) if match else ("", "")
            left = self._compared(before, before.split()[::-1][:most])
            right = self._compared(after, after.split()[:most])
            if left is not None and right is not None:
                one, other = (self._names.finding(subject) for subject in (left, right))
                if one.name == other.name:
                    return (one,)
                return (PairFinding(self._against(one, other, text), self._against(other, one, text)),)
        return ()

    def _compared(self, side: str, words: Sequence[str]) -> Optional[Subject]:
        """Return the name that a side of a comparison is, or one of the words beside the other side."""
        whole = self._names.named(side.strip())
        if whole is not None and (whole.answer is not None or ("." in side and (whole.is_known or whole.uses))):
            return whole
        named = (self._names.named(word) for word in words)
        return next((one for one in named if one is not None and one.answer is not None), None)

    def _against(self, finding: NameFinding, other: NameFinding, text: str) -> NameFinding:
        """Return one of two names with the line first that a text is about; if both begin alike, that on the other."""
        found = self._by_words(finding, text, {*words_of(other.name)})
        if found.answer is None or other.answer is None or found != finding:
            return found
        one, another = ({*words_of(answer.lines[0].says)} for answer in (found.answer, other.answer))
        if len(one & another) < _ALIKE * min(len(one), len(another)):
            return found
        name = re.compile(rf"\b{re.escape(other.name.rpartition('.')[2])}\b")
        lines = sorted(found.answer.lines, key=lambda line: not name.search(line.says))
        return replace(found, answer=replace(found.answer, lines=tuple(lines)))

    def _exact(self, text: str, *, is_error: bool = False) -> tuple[Finding, ...]:
        """Return the subject that a text is said to lead to, in just these words or with a part of the message."""
        wanted = plain(text)
        names = dict.fromkeys(name for phrase, name in self._index.phrases() if _leads(phrase, wanted))
        return self._shown([one for name in names if (one := self._index.subject(name)) is not None], text, is_error)

    def _question(self, text: str) -> tuple[Finding, ...]:
        """Return what answers a question, sooner a name that stands in it as code."""
        named = {piece: self._names.named(piece) for piece in code_in(text)}
        known = {one.name: piece for piece, one in reversed(named.items()) if one is not None and one.is_known}
        first = next(reversed(known), "")
        favours = {
            name: (_OF_WORD if piece.isidentifier() else _OF_CODE) + _OF_FIRST * (name == first)
            for name, piece in known.items()
        }
        best = nearest(words_of(without_variables(text)), self._index.answer_words, _LEAST, favours)
        subjects = (self._index.subject(name) for name in (best or [*known])[: _MOST_OTHERS + 1])
        return self._shown([one for one in subjects if one is not None], text)

    def _claims(self, text: str) -> tuple[Finding, ...]:
        """Return the claims that have the words of a question in their titles."""
        documents = {identity: [(1.0, words)] for identity, words in self._index.claim_words().items()}
        best = nearest(words_of(text), documents, _LEAST)[:_MOST_CLAIMS]
        return (ClaimsFinding(tuple(map(self._index.claim, best))),) if best else ()

    def _shown(self, subjects: Sequence[Subject], text: str, is_error: bool = False) -> tuple[Finding, ...]:
        """Return the first of some subjects, and the others by name."""
        if not subjects:
            return ()
        finding = self._by_words(self._names.finding(subjects[0]), text, is_error=is_error)
        others = tuple(one.name for one in subjects[1:])
        return (replace(finding, others=others or finding.others),)

    def _message(self, text: str, kind: str = "") -> tuple[Finding, ...]:
        """Return the messages that a text is, whole or in part, with the answer that it leads to."""
        key, known = key_of(text), self._index.message_words
        if len(key.split()) < _FEWEST_WORDS and not kind:
            return ()
        whole = {stored for stored in known if f"{stored} " in f"{key} " and len(stored.split()) >= _FEWEST_WORDS}
        same = [stored for stored in known if stored in whole or f"{key} " in f"{stored} "]
        return self._of_messages(same, text, kind)

    def _part_of_message(self, text: str, kind: str = "") -> tuple[Finding, ...]:
        """Return the messages of which a piece stands in a text, as where a person says more about it."""
        words = key_of(text).split()
        runs = [f" {' '.join(words[place : place + _RUN])} " for place in range(len(words) - _RUN + 1)]
        shared = {stored: sum(run in f"{stored} " for run in runs) for stored in self._index.message_words}
        most = max(shared.values(), default=0)
        return (
            self._of_messages([stored for stored, count in shared.items() if count == most], text, kind) if most else ()
        )

    def _long_message(self, text: str) -> tuple[Finding, ...]:
        """Return the messages that have nearly all words of a long text."""
        return self._like_message(text, least=_MOST_OF_MESSAGE) if len(words_of(text)) >= _MANY_WORDS else ()

    def _like_message(self, text: str, kind: str = "", least: float = _LEAST_OF_MESSAGE) -> tuple[Finding, ...]:
        """Return the messages that have most words of a text."""
        documents = {stored: [(1.0, words)] for stored, words in self._index.message_words.items()}
        return self._of_messages(
            nearest(words_of(without_variables(text)), documents, least)[:_MOST_MESSAGES], text, kind
        )

    def _of_messages(self, keys: Sequence[str], text: str, kind: str) -> tuple[Finding, ...]:
        views = sorted(self._index.messages(keys), key=lambda one: _rank_of_message(one, text, kind))
        if kind and len(key_of(text).split()) < _RUN:
            views = [one for one in views if one.type.endswith(kind)]  # "division by zero" is of Python, too
        if not views:
            return ()
        found = MessageFinding(tuple(views[:_MOST_MESSAGES]))
        return (found,) if views[0].do else (*self._exact(text, is_error=True), found)

    def _by_words(
        self, finding: NameFinding, text: str, known: Container[str] = (), *, is_error: bool = False
    ) -> NameFinding:
        """Return a finding with the line first that a text is about: that has most of its words, or tells of an error.

        Parameters
        ----------
        known
            Words that say nothing, beside those of the name.
        """
        if finding.answer is None:
            return finding
        beside = {*words_of(finding.name)}
        asked = [word for word in words_of(text) if word not in beside and word not in known]
        tells = weights(asked, self._index.answer_words)
        lines = list(finding.answer.lines)
        fails = is_error or _FAILS.search(text) is not None
        common = {
            line: sum(tells.get(word, 0) for word in words_of(line.says))
            + _OF_ERROR * (fails and _tells_of_error(line))
            for line in lines
        }
        about = [line for line in lines if _tells_of_error(line)] if is_error else lines
        best = max(about or lines, key=common.__getitem__)
        if is_error or common[best] > common[lines[0]] + _CLEARLY:
            lines = [best, *(line for line in lines if line != best)]
        return replace(finding, answer=replace(finding.answer, lines=tuple(lines)))

    def _slightly_misspelt(self, text: str) -> tuple[Finding, ...]:
        return self._misspelt(text, 1)

    def _misspelt(self, text: str, most: int = 3) -> tuple[Finding, ...]:
        found = self._names.misspelt(text, most)
        return (found,) if found is not None else ()


def _argument(text: str, index: Index) -> Optional[ArgumentFinding]:
    """Return what is known of an argument of functions."""
    match = _ARGUMENT.fullmatch(text.rstrip("?"))
    takers = index.takers(match[1]) if match is not None else {}
    if match is None or not takers:
        return None
    argument = match[1]
    mentions = re.compile(rf"\b{re.escape(argument)}\b")
    lines = [
        (answer.subject, line)
        for answer in index.answers(argument)
        for line in answer.lines
        if mentions.search(line.says)
    ]
    # A line with `copy=` speaks of the argument, one with "a copy" does not.
    lines = [pair for pair in lines if f"{argument}=" in pair[1].says] or lines
    names: dict[str, tuple[str, str]] = {}
    for name, taker, default in index.public_takers(argument):
        names.setdefault(taker, (name, default))
    public = [*names.values()] or sorted(takers.items())
    subjects = [subject for name, _ in public if (subject := index.subject(name)) is not None]
    claims = [claim for subject in subjects for claim in subject.claims if mentions.search(claim.title)]
    places = {name: place for place, (name, _) in enumerate(public)}
    lines.sort(key=lambda pair: places.get(pair[0], len(places)))
    uses = max((subject.uses for subject in subjects), default=0)
    shown = tuple(public[:_MOST_TAKERS])
    return ArgumentFinding(argument, shown, len(takers), tuple(lines[:_MOST_LINES]), tuple(claims), uses)


def _tells_of_error(line: LineView) -> bool:
    return _ERROR.search(line.says) is not None


def _leads(asked: str, wanted: str) -> bool:
    """Return whether a phrase is what is wanted, or one of them is a message and the other a part of it."""
    return asked == wanted or (min(len(asked), len(wanted)) >= _LONG and (asked in wanted or wanted in asked))


def _rank_of_message(view: MessageView, text: str, kind: str) -> tuple[object, ...]:
    """Return what sorts messages that a text is part of."""
    words = {*words_of(text)}
    unlike = min(len({*words_of(one)} ^ words) for one in (*view.texts, *view.wordings))
    return (bool(kind) and not view.type.endswith(kind), not view.do, unlike, -len(view.releases))
