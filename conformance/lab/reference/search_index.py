"""What the search of the pages looks in, as the data that ``search.js`` loads.

The words of a text, their stems and how much each part of an answer counts are those of ``conformance show``; so are
the phrases that lead to an answer. There are three files: names, answers and messages that we wrote of, which
the first key loads; then names without an answer, what is false and what changed; then recorded messages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Callable

from sphinx.environment import BuildEnvironment

from conformance.base.release_spans import minor
from conformance.lab.reference.loaded import Block, data_file
from conformance.lab.reference.pages import Places
from conformance.lab.views.changes import written_changes
from conformance.lab.views.content import Content
from conformance.lab.views.falsehoods import false_somewhere
from conformance.lab.views.running_text import Target, plain, prose
from conformance.results import wording
from conformance.results.wording import key_of
from conformance.show import matching, spelling
from conformance.show.building import answer_parts
from conformance.show.matching import words_of
from conformance.show.model import LineView, MessageView

#: Returns the address of a document, from the root of the pages.
Uri = Callable[[str], str]
FIRST, MORE, ERRORS, PAGES = "search-names", "search-more", "search-errors", "search-pages"
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_MARKS = {
    "true": ("good", "✓"),
    "except": ("known", "✓ with an exception on"),
    "false": ("bad", "✗ false on"),
    "unknown": ("gap", "□ not measured on"),
}
_LONGEST = 90
#: The document that lists messages.
_MESSAGES = "messages"
#: Answers of which the first line is loaded with their names: those of the names that programs use most.
_MOST_LINES = 250
_MOST_NAMES = 4
_MOST_WORDINGS = 3
_MOST_OF_MESSAGE = 140


def search_files(content: Content, places: Places, uri: Uri) -> dict[str, str]:
    """Return the files of the search by their names."""
    by_use = sorted(content.pages, key=lambda name: (name not in content.answers, -content.uses.get(name, 0), name))
    return {
        FIRST: data_file({"first": [_first(content, by_use, places, uri)]}, {}),
        MORE: data_file({"more": [_more(content, by_use, places, uri)]}, {}),
        ERRORS: data_file({"errors": [_errors(content, by_use)]}, {}),
    }


def pages_file(env: BuildEnvironment, uri: Uri) -> str:
    """Return the file of the titles and headings of the pages that people wrote."""
    written = sorted(name for name in env.titles if "orphan" not in env.metadata.get(name, {}))
    rows = [[env.titles[name].astext(), uri(name), _headings(env, name)] for name in written]
    return data_file({"pages": [{"pages": rows}]}, {})


def _headings(env: BuildEnvironment, name: str) -> str:
    toc = env.tocs[name].astext() if name in env.tocs else ""
    return " ".join(toc.split()[:200])


def _first(content: Content, by_use: Sequence[str], places: Places, uri: Uri) -> Block:
    """Return the names, the answers and the messages that we wrote of."""
    answers = [content.answers[name] for name in by_use if name in content.answers]
    # The script makes the words of the names itself, which are the first part and the last.
    stems, parts = _encoded([[words for _, words in answer_parts(answer)][1:-1] for answer in answers])
    marks = [_mark(answer.lines[0]) for answer in answers]
    kinds = list(dict.fromkeys(marks))
    owners = [name for name, _ in Counter(_owner(name) for name in by_use).most_common()]
    number = {owner: position for position, owner in enumerate(owners)}
    return {
        "address": [*uri(places.page("x")).rsplit("x", 1), uri(_MESSAGES)],
        "patterns": [
            [name, pattern.pattern]
            for name, pattern in {
                "word": matching.WORD,
                "split": matching.SPLIT,
                "size": matching.SIZE,
                "endings": matching.ENDINGS,
                "plural": matching.PLURAL,
                "code": spelling.CODE,
                "dtype": wording.DTYPE,
            }.items()
        ],
        "stop": " ".join(sorted(matching.STOP)),
        "same": [list(pair) for pair in matching.SAME.items()],
        "modules": [list(pair) for pair in spelling.MODULES.items()],
        "variables": [list(pair) for pair in spelling.VARIABLES.items()],
        "functions": [list(pair) for pair in spelling.FUNCTIONS.items()],
        "owners": owners,
        "names": " ".join(f"{number[_owner(name)]}:{name[len(_owner(name)) + 1 :]}" for name in by_use),
        "says": [_cut(answer.lines[0].says) for answer in answers[:_MOST_LINES]],
        "marks": kinds,
        "marked": [kinds.index(mark) for mark in marks],
        "stems": stems,
        "parts": parts,
        "messages": [
            _message(one.id, content.messages[key_of(one.texts[0])], by_use) for one in content.corpus.messages
        ],
    }


def _more(content: Content, by_use: Sequence[str], places: Places, uri: Uri) -> Block:
    """Return the names without an answer, what is false and what changed."""
    answered = [name for name in by_use if name in content.answers]
    others = by_use[len(answered) :]
    claims = [content.subjects[name] for name in others]
    counts = [(sum(false_somewhere(content.cells(claim)) for claim in ones), len(ones)) for ones in claims]
    stems, parts = _encoded([[words_of(" ".join(claim.title for claim in ones))] for ones in claims])
    seen = [view for view in content.causes if view.environments]
    return {
        "lines": [_cut(content.answers[name].lines[0].says) for name in answered[_MOST_LINES:]],
        "says": [_cut(ones[0].title) for ones in claims],
        "counts": [list(pair) for pair in counts],
        "stems": stems,
        "parts": parts,
        "false": [
            [
                view.cause.title.replace("`", ""),
                " ".join(sorted({claim.subject for claim in view.claims})[:_MOST_NAMES]),
                view.harm,
                _address(Target("cause", view.cause.id), places, uri),
            ]
            for view in seen
        ],
        "releases": [[minor(one), _address(Target("release", one), places, uri)] for one in content.releases],
        "changes": [
            [plain(prose(it.title)), it.release, it.harm, it.id, " ".join(one.names[:2])]
            for one in written_changes(content)
            for it in (one.change,)
            if one.page
        ],
    }


def _errors(content: Content, by_use: Sequence[str]) -> Block:
    """Return the messages that nobody wrote of, with the page that each leads to."""
    pages = {name: position for position, name in enumerate(by_use)}
    found = (
        (view.type, _cut(view.texts[0]), next((pages[name] for name in view.names if name in pages), -1))
        for view in content.messages.values()
        if not view.do
    )
    return {"errors": [list(row) for row in found if row[2] >= 0]}


def _message(identity: str, view: MessageView, by_use: Sequence[str]) -> list[object]:
    names = [by_use.index(name) for name in view.names if name in by_use]
    span = f"{view.releases[0]} to {view.releases[-1]}" if view.releases else ""
    return [
        identity,
        view.type,
        [text[:_MOST_OF_MESSAGE] for text in view.texts[:_MOST_WORDINGS]],
        _cut(view.do),
        span,
        names,
    ]


def _mark(line: LineView) -> str:
    """Return the style and the words of the newest releases on which a line is as true."""
    if not line.chips:
        return "gap|□ not measured"
    chip = line.chips[0]
    style, words = _MARKS[chip.truth]
    if len(chip.releases) == 1:
        return f"{style}|{words} {chip.releases[0]}"
    if len(line.chips) == 1:
        return f"{style}|{words} all {len(chip.releases)} releases"
    return f"{style}|{words} {chip.releases[0]} to {chip.releases[-1]}"


def _encoded(documents: Sequence[Sequence[Sequence[str]]]) -> tuple[str, list[str]]:
    """Return the stems of documents, and each document as its parts: the places of their stems there, in base 36."""
    counts = Counter(stem for parts in documents for words in parts for stem in words)
    stems = [stem for stem, _ in counts.most_common()]
    digits = {stem: _base36(position) for position, stem in enumerate(stems)}
    return " ".join(stems), [
        ",".join(" ".join(map(digits.__getitem__, words)) for words in parts) for parts in documents
    ]


def _base36(number: int) -> str:
    found = ""
    while number or not found:
        number, digit = divmod(number, 36)
        found = _DIGITS[digit] + found
    return found


def _address(target: Target, places: Places, uri: Uri) -> str:
    place = places.of(target)
    if place is None:
        return ""
    document, anchor = place
    return f"{uri(document)}#{anchor}" if anchor else uri(document)


def _owner(name: str) -> str:
    """Return the module or class of a name; of a page of notes its folder."""
    return name.rpartition("/" if "/" in name else ".")[0]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rpartition(' ')[0]} …"
