"""The decisions of the census: what the corpus says of a sentence that no claim encodes. Nothing here needs torch.

A file ``spec/census/<module>.yaml`` maps the name of an object, then the hash of one of its sentences, to

- ``no-claim``: it promises nothing that a program could contradict, or
- ``{untestable: reason}``: it does, and no program can try it.

The sentences of an object stand in the order of its docstring. A page of the documentation that is no docstring is
decided on in the same way, under ``notes/`` and its name. Which sentences claims encode, and which are to do, is
derived and stored nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

from conformance.base.text import did_you_mean
from conformance.language.documents import Document, Listing, Mapping, Node, Scalar, open_document
from conformance.language.model import Place
from conformance.language.problems import Problems
from conformance.language.shapes import Shapes

FOLDER = "census"
NO_CLAIM = "no-claim"
UNTESTABLE = "untestable"
TODO = "todo"
ENCODED = "encoded"

_HASH = re.compile(r"[0-9a-f]{8}")
_NAME = re.compile(r"torch(\.[A-Za-z_][A-Za-z0-9_]*)*|notes/[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Decision:
    """What is decided about a sentence.

    Attributes
    ----------
    kind : str
        ``no-claim`` or ``untestable``.
    reason : str
        Why a program can't try it.
    """

    kind: str
    reason: str = ""
    place: Optional[Place] = None


# For each object, its sentences' hashes in the order of the docstring.
Decisions = dict[str, dict[str, Decision]]

_MODULES = re.compile(
    r"amp|autograd|fft|func|linalg|multiprocessing|nested|nn|optim|random|serialization|sparse|special|storage|utils"
)
_PARTS = {
    "nn": ("attention", "functional", "init", "parallel", "utils"),
    "utils": ("checkpoint", "data", "dlpack", "hooks"),
}


def module_of(name: str) -> str:
    """Return the part of torch that an object is counted under, such as ``torch.Tensor``; a page is its own."""
    if name.startswith("notes/"):
        return name
    parts = name.split(".")
    if parts[1:2] == ["Tensor"]:
        return "torch.Tensor"
    if len(parts) > 2 and parts[2] in _PARTS.get(parts[1], ()):
        return ".".join(parts[:3])
    return ".".join(parts[:2]) if len(parts) > 1 and _MODULES.fullmatch(parts[1]) else "torch"


def file_of(module: str) -> str:
    """Return the name of the file with the decisions about a module."""
    return f"{module.replace('/', '.')}.yaml"


def read_decisions(path: Path, problems: Problems) -> Decisions:
    """Read one file; what is wrong is added to the problems, and is not in the result."""
    document = open_document(path, problems)
    if document is None or document.root is None:
        return {}
    return _DecisionReader(document, problems, path).read(document.root)


class _DecisionReader:
    def __init__(self, document: Document, problems: Problems, path: Path) -> None:
        self.document = document
        self.problems = problems
        self.shapes = Shapes(document, problems)
        # A file from elsewhere, to be taken in, may hold any module's objects.
        self.expected = path.name if path.parent.name == FOLDER else None

    def read(self, root: Node) -> Decisions:
        found: Decisions = {}
        if isinstance(root, Mapping) and not root.entries:
            return found
        table = self.shapes.any_mapping(root, "a file of decisions", "the decisions of each object")
        for name, value in table.entries.items() if table else ():
            assert table is not None
            if self._right_name(name, table.keys[name]):
                found[name] = dict(self._object(name, value))
        return found

    def _right_name(self, name: str, key: Scalar) -> bool:
        place = self.document.place(key)
        if not _NAME.fullmatch(name):
            message = f"'{name}' is no object's name; write it in full, from torch on, or notes/ and a page"
            self.problems.add(place, "EC05", message)
            return False
        if self.expected not in (None, file_of(module_of(name))):
            message = f"{name} belongs in {file_of(module_of(name))}; move it there"
            self.problems.add(place, "EC05", message)
            return False
        return True

    def _object(self, name: str, node: Node) -> Iterator[tuple[str, Decision]]:
        table = self.shapes.any_mapping(node, f"'{name}'", "a decision for each hash")
        for digest, value in table.entries.items() if table else ():
            assert table is not None
            key = table.keys[digest]
            if not _HASH.fullmatch(digest):
                message = f"'{digest}' is no hash of a sentence, eight of 0-9 and a-f; 'conformance census' prints it"
                self.problems.add(self.document.place(key), "EC02", message)
                continue
            decision = self._decision(value)
            if decision is not None:
                yield digest, decision

    def _decision(self, node: Node) -> Optional[Decision]:
        if isinstance(node, Mapping):
            return self._untestable(node)
        if isinstance(node, Listing):
            message = "which claims encode a sentence is derived; leave this sentence out"
            self.problems.add(self.document.place(node), "EC01", message)
            return None
        word = self.shapes.text(node, "a decision")
        if word is None:
            return None
        place = self.document.place(word)
        if word.value == NO_CLAIM:
            return Decision(NO_CLAIM, place=place)
        if word.value == UNTESTABLE:
            self.problems.add(place, "EC03", "a sentence is untestable for a reason; write {untestable: why}")
            return None
        derived = word.value in (TODO, ENCODED)
        advice = "; it is derived, so leave it out" if derived else did_you_mean(word.value, (NO_CLAIM, UNTESTABLE))
        message = f"'{word.value}' is no decision: no-claim or {{untestable: why}}{advice}"
        self.problems.add(place, "EC01", message)
        return None

    def _untestable(self, node: Mapping) -> Optional[Decision]:
        if UNTESTABLE not in node.entries:
            wrong = next(iter(node.keys.values()), None)
            if wrong is not None:
                advice = did_you_mean(wrong.value, (UNTESTABLE,))
                message = f"'{wrong.value}' is no decision; the one with a reason is {{untestable: why}}{advice}"
                self.problems.add(self.document.place(wrong), "EC01", message)
            return None
        value = node.entries[UNTESTABLE]
        self.shapes.mapping(node, "a decision", (UNTESTABLE,))
        if isinstance(value, Scalar) and not value.value.strip():
            self.problems.add(self.document.place(value), "EC03", "the reason is empty; say why no program can try it")
            return None
        reason = self.shapes.text(value, "the reason")
        return Decision(UNTESTABLE, " ".join(reason.value.split()), place=self.document.place(node)) if reason else None
