"""Errors and warnings that people meet, with what to do: files in the folder ``messages``, one for each area."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Callable, Optional

from conformance.base.text import did_you_mean, one_line
from conformance.language.documents import Document, Node, open_document
from conformance.language.documents import Mapping as Table
from conformance.language.forms import MAXIMUM_MESSAGE, MESSAGE, MESSAGES, SLUG, Shape
from conformance.language.model import Message
from conformance.language.problems import Problems
from conformance.language.shapes import Shapes

FOLDER = "messages"


def message_files(root: Path) -> list[Path]:
    """Return the files with the messages of a corpus."""
    return sorted((root / FOLDER).glob("*.yaml"))


def read_messages(path: Path, found: dict[str, Message], problems: Problems) -> None:
    """Read a file of messages and add them by id; those with a mistake are left out."""
    document = open_document(path, problems)
    if document is None or document.root is None:
        return
    reader = _Reader(document, problems)
    for node in reader.entries(document.root):
        before = len(problems)
        message = reader.message(node)
        if message is not None and message.id in found:
            told = f"the message '{message.id}' stands at {found[message.id].place} too; give this one another id"
            problems.add(message.place, "E302", told)
        if message is not None and len(problems) == before:
            found[message.id] = message


def check_claims(messages: Sequence[Message], claims: Collection[str], problems: Problems) -> None:
    """Check that the corpus has the claims that messages give."""
    for message in messages:
        for claim in message.claims:
            if claim not in claims:
                near = did_you_mean(claim, claims) or "; write it first"
                problems.add(message.place, "EA02", f"the corpus has no claim '{claim}'{near}")


def check_names(messages: Sequence[Message], has_name: Callable[[str], bool], problems: Problems) -> None:
    """Check that some recorded release has each name that messages give."""
    for message in messages:
        for name in message.names:
            if not has_name(name):
                told = f"`names`: no recorded release has the name '{name}'; correct or remove it"
                problems.add(message.place, "EA04", told)


class _Reader:
    """Reads one file."""

    def __init__(self, document: Document, problems: Problems) -> None:
        self.document = document
        self.problems = problems
        self.shapes = Shapes(document, problems)

    def entries(self, root: Node) -> Sequence[Node]:
        top = self.shapes.form(root, MESSAGES)
        if top is None or "messages" not in top.entries:
            return ()
        return self.shapes.listing(top.entries["messages"], "`messages`", "a list of messages") or ()

    def message(self, node: Node) -> Optional[Message]:
        table = self.shapes.form(node, MESSAGE)
        if table is None:
            return None
        read = {key: tuple(self._texts(table, key)) for key in MESSAGE.keys}
        if not all(read[key] for key in MESSAGE.required):
            return None
        one = {key: texts[0] if texts else "" for key, texts in read.items()}
        if not re.fullmatch(SLUG, one["id"]):
            message = f"'{one['id']}' is not an id: small letters and digits, words joined by single hyphens"
            self.problems.add(self.document.place(table.entries["id"]), "E301", message)
        place = self.document.place(table)
        return Message(
            *(one["id"], read["message"], one["type"], one["raised"], one["because"], one["do"], read["names"]),
            *(place, read["claims"], one["unmeasured"]),
        )

    def _texts(self, table: Table, name: str) -> Iterator[str]:
        """Yield the texts of a key, each on one line; what is too long or too much is reported."""
        if name not in table.entries:
            return
        key, node, what = MESSAGE.keys[name], table.entries[name], f"`{name}`"
        nodes = self.shapes.one_or_list(node, what, key.wanted) if key.shape is Shape.TEXTS else [node]
        most = MAXIMUM_MESSAGE.get(name, len(nodes))
        if len(nodes) > most:
            message = f"{what} has {len(nodes)} entries, and {most} are the most; leave some out"
            self.problems.add(self.document.place(nodes[most]), "EA03", message)
        for node in nodes:
            scalar = self.shapes.text(node, what)
            text = one_line(scalar.value) if scalar is not None else ""
            if key.longest is not None and len(text) > key.longest:
                message = f"{what} has {len(text)} characters, and {key.longest} are the most; shorten it"
                self.problems.add(self.document.place(node), "EA03", message)
            if text:
                yield text
