"""Reading YAML strictly: text, lists and mappings with places, and nothing that YAML would guess.

A spec file may come from a stranger. So it is parsed as events with bounds on size and depth, no object is ever
constructed, anchors, aliases, tags and merge keys are refused, and no value is turned into a number, a date or a
truth value because of how it looks.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, Optional, Union

import yaml

from conformance.language.model import Place
from conformance.language.problems import Problems

MAXIMUM_BYTES = 256 * 1024
MAXIMUM_DEPTH = 16
MAXIMUM_LINE = 4000
# How often one file is told the same.
MAXIMUM_REPEATS = 20

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# What an editor may show as nothing or as a space; the bidirectional controls can make code read as other code.
_FORBIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\xa0\xad\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3000\ufeff\ufff0-\ufffb\ufffe\uffff]"
)

_FORBIDDEN_NAMES = {
    "\t": "a tab; use spaces",
    "\r": "a carriage return; end lines with a line feed",
    "\xa0": "a no-break space; use an ordinary space",
    "\ufeff": "a byte order mark; save the file as UTF-8 without one",
}

_SURPRISES = [
    (re.compile(r"(?i:yes|no|on|off|true|false)"), "a truth value"),
    (re.compile(r"~|(?i:null)"), "nothing"),
    (re.compile(r"[-+]?0o?[0-7_]+"), "an octal number"),
    (re.compile(r"[-+]?0[xb][0-9a-fA-F_]+"), "a number in another base"),
    (re.compile(r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?"), "a number in base 60"),
    (re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt \t].*)?"), "a date"),
    (
        re.compile(r"[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9_]*)?)[eE][-+]?[0-9]+"),
        "a number to some programs, text to others",
    ),
    (re.compile(r"[-+]?\.(?i:inf|nan)"), "a number"),
    (re.compile(r"[-+]?[0-9][0-9_]*"), "a whole number"),
    (re.compile(r"[-+]?([0-9][0-9_]*\.[0-9_]*|\.[0-9_]+)"), "a number"),
    (re.compile(r"="), "a special value"),
]

_PLAIN_IN_CODE = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?|True|False")
_WHOLE_NUMBER = re.compile(r"0|[1-9][0-9]*")

_SYNTAX_ADVICE = [
    ("mapping values are not allowed", "text that contains ': ' needs quotes"),
    (
        "could not find expected ':'",
        "a key needs a colon and a space after it, and text over several lines needs '|' or quotes",
    ),
    ("cannot start any token", "text that starts with one of @ ` % needs quotes"),
    (
        "did not find expected ',' or",
        "inside {} and [] text that contains one of , [ ] { } needs quotes; and every bracket must be closed",
    ),
    ("did not find expected key", "look at the indentation, and for text that goes on after a closing quote"),
    ("did not find expected '-'", "look at the indentation of this list"),
    ("did not find expected alphabetic or numeric", "text that starts with * or & needs quotes"),
    ("did not find expected node content", "a value is missing here, or a bracket is not closed"),
    ("unexpected end of stream", "a quote or a bracket is never closed"),
    ("unknown escape character", "in double quotes a backslash starts an escape; use single quotes"),
    ("block sequence entries are not allowed", "a list starts on its own line"),
]


class Scalar:
    """A piece of text.

    ``style`` is empty for plain text, else the mark that YAML has for it; ``inline`` inside ``{}`` or ``[]``.
    """

    __slots__ = ("column", "inline", "line", "style", "value")

    def __init__(self, value: str, style: str, line: int, column: int, inline: bool = False) -> None:
        self.inline = inline
        self.value = value
        self.style = style
        self.line = line
        self.column = column


class Listing:
    """A list; ``damaged`` where something directly in it was refused."""

    __slots__ = ("column", "damaged", "inline", "items", "line")

    def __init__(self, line: int, column: int) -> None:
        self.items: list[Node] = []
        self.damaged = False
        self.inline = False
        self.line = line
        self.column = column


class Mapping:
    """A mapping; keys are text, in the order of the file, each at most once. ``damaged`` as for a list."""

    __slots__ = ("column", "damaged", "entries", "inline", "keys", "line")

    def __init__(self, line: int, column: int) -> None:
        self.entries: dict[str, Node] = {}
        self.keys: dict[str, Scalar] = {}
        self.damaged = False
        self.inline = False
        self.line = line
        self.column = column


class Broken:
    """Stands for something already reported, so that nothing is reported about it again."""

    __slots__ = ("column", "line")

    def __init__(self, line: int, column: int) -> None:
        self.line = line
        self.column = column


Node = Union[Scalar, Listing, Mapping, Broken]


class Document:
    """A file's text and its tree; knows the place of every character of every scalar."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.root: Optional[Node] = None
        # Whether a character that can't stand in a spec was replaced, so that the text is not what the author wrote.
        self.replaced = False
        self._starts: Optional[list[int]] = None

    def place(self, node: Node) -> Place:
        """Where a node starts."""
        return Place(self.path, node.line, node.column)

    def place_in(self, scalar: Scalar, offset: int) -> Place:
        """Where a character of a scalar's value stands in the file."""
        if offset <= 0 and not scalar.style:
            return Place(self.path, scalar.line, scalar.column)
        value = scalar.value
        starts = self._line_starts()
        if offset <= 0 and scalar.style in ("'", '"'):
            first = self.text[starts[scalar.line - 1] + scalar.column]
            if first == value[:1] and first.isalnum():
                return Place(self.path, scalar.line, scalar.column + 1)
        beyond = max(0, offset - len(value) + 1)
        if beyond:
            offset = len(value) - 1
        index = self._index(scalar, offset) + beyond
        low, high = 0, len(starts)
        while high - low > 1:
            middle = (low + high) // 2
            if starts[middle] <= index:
                low = middle
            else:
                high = middle
        return Place(self.path, low + 1, index - starts[low] + 1)

    def _line_starts(self) -> list[int]:
        if self._starts is None:
            self._starts = [0] + [match.end() for match in re.finditer("\n", self.text)]
        return self._starts

    def _index(self, scalar: Scalar, offset: int) -> int:
        """Find the position in the whole text of ``scalar.value[offset]``."""
        text, value, starts = self.text, scalar.value, self._line_starts()
        position = starts[scalar.line - 1] + scalar.column - 1
        if scalar.style == "|":
            return self._index_in_block(scalar, offset)
        if scalar.style == ">":
            position = starts[scalar.line] if scalar.line < len(starts) else len(text)
        elif scalar.style:
            position += 1
        found = position
        for character in value[: offset + 1]:
            if position >= len(text):
                return found
            if scalar.style == '"' and not character.isspace():
                # A backslash before the end of a line joins the lines and stands for no character.
                while text[position : position + 2] == "\\\n" or text[position].isspace():
                    position += 2 if text[position] == "\\" else 1
            if scalar.style == '"' and text[position] == "\\":
                found = position
                position += {"x": 4, "u": 6, "U": 10}.get(text[position + 1], 2)
            elif not character.isspace():
                while position < len(text) - 1 and text[position].isspace():
                    position += 1
                found = position
                position += 2 if scalar.style == "'" and character == "'" else 1
            else:
                found = position
                if text[position] == character and character != "\n":
                    position += 1
                elif character == "\n":
                    position = text.find("\n", position) + 1 or len(text)
        return found

    def _index_in_block(self, scalar: Scalar, offset: int) -> int:
        """As `_index`, for a literal block, whose lines lose their common indentation."""
        starts = self._line_starts()
        lines = scalar.value.split("\n")
        indentation = 0
        for number, line in enumerate(lines):
            if line.strip() and scalar.line + number < len(starts):
                start = starts[scalar.line + number]
                end = self.text.find(line.strip(), start)
                indentation = end - start - (len(line) - len(line.lstrip()))
                break
        before = scalar.value[:offset]
        number = before.count("\n")
        column = offset - (before.rfind("\n") + 1)
        if scalar.line + number >= len(starts):
            return len(self.text)
        start = starts[scalar.line + number]
        end = self.text.find("\n", start)
        return min(start + indentation + column, end if end >= 0 else len(self.text))


def read_text(path: str, content: bytes, problems: Problems) -> Optional[str]:
    """Decode a file; report what can't stand in a spec."""
    if len(content) > MAXIMUM_BYTES:
        problems.add(
            Place(path, 1, 1),
            "E004",
            f"the file has {len(content):,} bytes and a spec file at most {MAXIMUM_BYTES:,}; one subject to a file",
        )
        return None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        good = content[: error.start].decode("utf-8")
        line = good.count("\n") + 1
        column = len(good) - (good.rfind("\n") + 1) + 1
        problems.add(
            Place(path, line, column),
            "E002",
            f"byte 0x{content[error.start]:02x} is not UTF-8; save the file in the UTF-8 encoding",
        )
        return None
    text = text.replace("\r\n", "\n")
    for number, line_text in enumerate(text.split("\n"), 1):
        if len(line_text) > MAXIMUM_LINE:
            problems.add(
                Place(path, number, 1),
                "E004",
                f"this line has {len(line_text):,} characters, and {MAXIMUM_LINE:,} are the most; break it",
            )
            return None
    for match in islice(_FORBIDDEN.finditer(text), MAXIMUM_REPEATS):
        character = match.group()
        good = text[: match.start()]
        line = good.count("\n") + 1
        column = match.start() - (good.rfind("\n") + 1) + 1
        what = _FORBIDDEN_NAMES.get(character, "an invisible character; remove it, or write it as an escape in Python")
        problems.add(Place(path, line, column), "E003", f"U+{ord(character):04X} is {what}")
    return text


def read_document(path: str, content: bytes, problems: Problems) -> Optional[Document]:
    """Read a file into a tree, or None where it is no such tree; everything wrong goes to ``problems``."""
    text = read_text(path, content, problems)
    if text is None:
        return None
    clean = _FORBIDDEN.sub(" ", text)
    document = Document(path, clean)
    document.replaced = clean != text
    try:
        document.root = _compose(_events(clean), document, problems)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        place = Place(path, mark.line + 1, mark.column + 1) if mark else Place(path, 1, 1)
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
        context = getattr(error, "context", None)
        advice = next(
            (text for part, text in _SYNTAX_ADVICE if part in problem), "look at the quotes, brackets and indentation"
        )
        problems.add(place, "E005", f"not YAML: {problem}{f' {context}' if context else ''}; {advice}")
        return None
    except _TooDeep:
        return None
    except RecursionError:
        problems.add(Place(path, 1, 1), "E004", f"nested deeper than {MAXIMUM_DEPTH} levels; a claim needs fewer")
        return None
    return document


def _events(text: str) -> Iterator[Any]:
    """As `yaml.parse`, which asks for each event twice."""
    parser = _LOADER(text)
    try:
        while (event := parser.get_event()) is not None:
            yield event
    finally:
        parser.dispose()


class _TooDeep(Exception):
    """Ends the reading of a file whose depth is reported."""


def _compose(events: Iterable[Any], document: Document, problems: Problems) -> Optional[Node]:
    """Build the tree from a parser's events, refusing what a spec has no use for."""
    path = document.path
    root: Optional[Node] = None
    documents = 0
    # For each open list or mapping: itself, and for a mapping the key whose value comes next.
    stack: list[tuple[Union[Listing, Mapping], list[Node]]] = []

    def put(node: Node) -> None:
        nonlocal root
        if not stack:
            root = node if root is None else root
            return
        parent, waiting = stack[-1]
        if isinstance(parent, Listing):
            parent.items.append(node)
        elif not waiting:
            waiting.append(node)
        else:
            _put_entry(parent, waiting.pop(), node, document, problems)

    for event in events:
        kind = type(event)
        if kind is yaml.ScalarEvent:
            mark = event.start_mark
            if event.anchor is not None or event.tag is not None:
                _refuse(event, path, problems)
                put(Broken(mark.line + 1, mark.column + 1))
            else:
                inline = bool(stack) and stack[-1][0].inline
                put(Scalar(event.value, event.style or "", mark.line + 1, mark.column + 1, inline))
        elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
            mark = event.start_mark
            if event.anchor is not None or event.tag is not None:
                _refuse(event, path, problems)
            if len(stack) >= MAXIMUM_DEPTH:
                problems.add(
                    Place(path, mark.line + 1, mark.column + 1),
                    "E004",
                    f"nested deeper than {MAXIMUM_DEPTH} levels; a claim needs fewer",
                )
                raise _TooDeep
            shape = Mapping if kind is yaml.MappingStartEvent else Listing
            opened = shape(mark.line + 1, mark.column + 1)
            opened.inline = event.flow_style
            opened.damaged = event.anchor is not None or event.tag is not None
            stack.append((opened, []))
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            node, _ = stack.pop()
            put(node)
        elif kind is yaml.AliasEvent:
            _refuse(event, path, problems)
            put(Broken(event.start_mark.line + 1, event.start_mark.column + 1))
        elif kind is yaml.DocumentStartEvent:
            documents += 1
            if documents == 2:
                mark = event.start_mark
                problems.add(
                    Place(path, mark.line + 1, mark.column + 1),
                    "E006",
                    "a second document ('---') in one file; put it into a file of its own",
                )
            if event.version or event.tags:
                mark = event.start_mark
                problems.add(Place(path, mark.line + 1, mark.column + 1), "E006", "a YAML directive ('%'); remove it")
    return root


def _refuse(event: Any, path: str, problems: Problems) -> None:
    mark = event.start_mark
    place = Place(path, mark.line + 1, mark.column + 1)
    if type(event) is yaml.AliasEvent:
        message = f"'*{event.anchor}' is a YAML alias; write the value out (text that starts with * needs quotes)"
    elif event.anchor is not None:
        message = (
            f"'&{event.anchor}' is a YAML anchor; remove it, `each` repeats (text that starts with & needs quotes)"
        )
    else:
        message = f"'{event.tag}' is a YAML tag; remove it (text that starts with ! needs quotes)"
    problems.add(place, "E006", message)


def _put_entry(parent: Mapping, key: Node, value: Node, document: Document, problems: Problems) -> None:
    """Add a key and its value, or report the key."""
    if isinstance(key, Scalar):
        name = key.value
        problem = _key_problem(parent, key)
        if problem is not None:
            problems.add(document.place(key), *problem)
            parent.damaged = True
        # A key that YAML may read as something else stays, so that nobody says that it is missing as well.
        if name not in parent.keys and (key.style or name != "<<"):
            parent.keys[name] = key
            parent.entries[name] = value
        return
    parent.damaged = True
    if not isinstance(key, Broken):
        message = "a key must be a word, not a list or a mapping; look for a '{' or '[' that needs quotes"
        problems.add(document.place(key), "E103", message)


def _key_problem(parent: Mapping, key: Scalar) -> Optional[tuple[str, str]]:
    name = key.value
    if name in parent.keys:
        return "E007", f"'{name}' is already given in line {parent.keys[name].line}; keep one of the two"
    if key.style:
        return None
    if name == "<<":
        return "E006", "'<<' is a YAML merge key; write the keys out, or use `each`"
    what = surprise(name)
    if what is not None:
        return "E008", f"YAML may read the key {name} as {what}; choose another name, or quote it"
    return None


@lru_cache(maxsize=8192)
def surprise(value: str) -> Optional[str]:
    """Tell what some YAML program reads plain text as, where that is not text."""
    if len(value) > 40 or (" " in value and not value[:1].isdigit()):
        return None
    return next((what for pattern, what in _SURPRISES if pattern.fullmatch(value)), None)


def is_plain_code(value: str) -> bool:
    """Whether plain text that YAML reads as a number or truth value means the same to Python."""
    return _PLAIN_IN_CODE.fullmatch(value) is not None


def is_whole_number(value: str) -> bool:
    """Whether text is a decimal whole number that every program reads alike."""
    return _WHOLE_NUMBER.fullmatch(value) is not None


def cut_at_comma(text: str) -> bool:
    """Whether text looks like a part of a call that YAML cut at a comma: its brackets don't match."""
    return any(text.count(opening) != text.count(closing) for opening, closing in ("()", "[]", "{}"))


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """``; did you mean 'near'?``, or where nothing is near, nothing."""
    near = difflib.get_close_matches(name, list(names), n=1, cutoff=0.6)
    return f"; did you mean '{near[0]}'?" if near else ""


def listed(names: Sequence[str]) -> str:
    """Names as a phrase: ``a, b or c``."""
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + " or " + names[-1]


def children(node: Node) -> Iterator[Node]:
    """Yield the nodes directly inside a node."""
    if isinstance(node, Listing):
        yield from node.items
    elif isinstance(node, Mapping):
        yield from node.entries.values()


def has_broken(node: Node) -> bool:
    """Whether something inside was refused while reading."""
    if isinstance(node, Broken) or (isinstance(node, (Listing, Mapping)) and node.damaged):
        return True
    return any(has_broken(child) for child in children(node))
