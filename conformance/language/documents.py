"""Reading YAML strictly: text, lists and mappings with places, and nothing that YAML would guess.

A spec file may come from a stranger. So it is parsed as events with bounds on size and depth, no object is ever
constructed, anchors, aliases, tags and merge keys are refused, and no value is turned into a number, a date or a
truth value because of how it looks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Optional, Union

import yaml

from conformance.base.files import Unreadable, Why, read_bounded
from conformance.base.text import drives_terminal
from conformance.language.display_path import display_path
from conformance.language.model import Place
from conformance.language.problems import Problems
from conformance.language.yaml_lookalikes import surprise

MAXIMUM_BYTES = 256 * 1024
MAXIMUM_DEPTH = 16
MAXIMUM_LINE = 4000
# How often one file is told the same.
MAXIMUM_REPEATS = 20

_DEEP = f"nested deeper than {MAXIMUM_DEPTH} levels; a claim needs fewer"

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# What an editor may show as nothing or as a space; the bidirectional controls can make code read as other code.
_FORBIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\xa0\xad\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3000\ufeff\ufff0-\ufffb\ufffe\uffff"
    "\u061c\u180e\ud800-\udfff\U000e0000-\U000e007f]"
)

_FORBIDDEN_NAMES = {
    "\t": "a tab; use spaces",
    "\r": "a carriage return; end lines with a line feed",
    "\xa0": "a no-break space; use an ordinary space",
    "\ufeff": "a byte order mark; save the file as UTF-8 without one",
}

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
    """A file's text and its tree."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.lines = text.split("\n")
        self.root: Optional[Node] = None
        # Whether a character that can't stand in a spec was replaced, so that the text is not what the author wrote.
        self.replaced = False

    def place(self, node: Node) -> Place:
        """Return where a node starts."""
        return Place(self.path, node.line, node.column)

    def place_in(self, scalar: Scalar, offset: int) -> Place:
        """Return where a character of a scalar stands; in text that YAML folds or unescapes, where the text starts."""
        if scalar.style in ("|", ">"):
            return self._place_in_block(scalar, offset if scalar.style == "|" else 0)
        start = scalar.column + bool(scalar.style)
        written = self.lines[scalar.line - 1][start - 1 :]
        exact = written.startswith(scalar.value)
        if not exact and scalar.style and not written[:1].isalnum():
            start = scalar.column
        return Place(self.path, scalar.line, start + offset if exact else start)

    def _place_in_block(self, scalar: Scalar, offset: int) -> Place:
        before = scalar.value[:offset]
        number = scalar.line + before.count("\n")
        first = next((line for line in self.lines[scalar.line :] if line.strip()), "")
        # The lines of a block lose their common indentation.
        value = next((line for line in scalar.value.split("\n") if line.strip()), "")
        indentation = len(first) - len(first.lstrip()) - (len(value) - len(value.lstrip()))
        return Place(self.path, min(number + 1, len(self.lines)), indentation + offset - (before.rfind("\n") + 1) + 1)


def open_document(path: Path, problems: Problems, most: int = MAXIMUM_BYTES) -> Optional[Document]:
    """Read a file of at most so many bytes as `read_document` does; what can't be read is reported too."""
    name = display_path(path)
    try:
        if drives_terminal(name):
            raise Unreadable(Why.NAME)
        return read_document(name, read_bounded(path, most), problems)
    except Unreadable as error:
        code = "E004" if error.why is Why.LARGE else "E001"
        advice = {Why.LARGE: "one subject to a file", Why.NAME: "rename it"}.get(error.why, "give another path")
        problems.add(Place(name, 1, 1), code, f"{error}; {advice}")
        return None


def read_text(path: str, content: bytes, problems: Problems) -> Optional[str]:
    """Decode a file; report what can't stand in a spec."""
    if len(content) > MAXIMUM_BYTES:
        most = f"a spec file at most {MAXIMUM_BYTES:,}; one subject to a file"
        problems.add(Place(path, 1, 1), "E004", f"the file has {len(content):,} bytes and {most}")
        return None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"byte 0x{content[error.start]:02x} is not UTF-8; save the file in the UTF-8 encoding"
        problems.add(_behind(path, content[: error.start].decode("utf-8")), "E002", message)
        return None
    text = text.replace("\r\n", "\n")
    for number, line_text in enumerate(text.split("\n"), 1):
        if len(line_text) > MAXIMUM_LINE:
            message = f"this line has {len(line_text):,} characters, and {MAXIMUM_LINE:,} are the most; break it"
            problems.add(Place(path, number, 1), "E004", message)
            return None
    for match in islice(_FORBIDDEN.finditer(text), MAXIMUM_REPEATS):
        character = match.group()
        what = _FORBIDDEN_NAMES.get(character, "an invisible character; remove it, or write it as an escape in Python")
        problems.add(_behind(path, text[: match.start()]), "E003", f"U+{ord(character):04X} is {what}")
    return text


def _behind(path: str, text: str) -> Place:
    """Return the place that follows the first part of a file."""
    return Place(path, text.count("\n") + 1, len(text) - text.rfind("\n"))


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
        problems.add(Place(path, 1, 1), "E004", _DEEP)
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
        line, column = event.start_mark.line + 1, event.start_mark.column + 1
        refused = getattr(event, "anchor", None) is not None or getattr(event, "tag", None) is not None
        if refused:
            _refuse(event, Place(path, line, column), problems)
        if kind is yaml.AliasEvent or (refused and kind is yaml.ScalarEvent):
            put(Broken(line, column))
        elif kind is yaml.ScalarEvent:
            if event.style == '"' and _report_forbidden(event.value, Place(path, line, column), problems):
                document.replaced = True
            inline = bool(stack) and stack[-1][0].inline
            put(Scalar(event.value, event.style or "", line, column, inline))
        elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
            if len(stack) >= MAXIMUM_DEPTH:
                problems.add(Place(path, line, column), "E004", _DEEP)
                raise _TooDeep
            opened = Mapping(line, column) if kind is yaml.MappingStartEvent else Listing(line, column)
            opened.inline = event.flow_style
            opened.damaged = refused
            stack.append((opened, []))
        elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            put(stack.pop()[0])
        elif kind is yaml.DocumentStartEvent:
            documents += 1
            if documents == 2:
                message = "a second document ('---') in one file; put it into a file of its own"
                problems.add(Place(path, line, column), "E006", message)
            if event.version or event.tags:
                problems.add(Place(path, line, column), "E006", "a YAML directive ('%'); remove it")
    return root


def _report_forbidden(value: str, place: Place, problems: Problems) -> bool:
    """Report a character that an escape of YAML puts into a text where the file itself must not have it."""
    found = _FORBIDDEN.search(value)
    if found is None:
        return False
    what = "write it as an escape in Python, in single quotes or after '|'"
    problems.add(place, "E003", f"an escape of YAML for U+{ord(found.group()):04X}; {what}")
    return True


def _refuse(event: Any, place: Place, problems: Problems) -> None:
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
