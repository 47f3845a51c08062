"""Calls: the ways of calling a name that are measured, read from YAML and checked; nothing is run.

A call stands in a table file under the name that it calls: ``calls: {NAME: [...]}``. Every release measures the first
call of each name, and all calls of the names that a table file lists under ``most_used``.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional

from conformance.files import NotEntered, files_below, print_passed_over
from conformance.language import documents
from conformance.language.corpus import CALLS_FOLDER, default_root
from conformance.language.documents import Document, Listing, Node, Scalar, open_document
from conformance.language.expressions import BUILTINS, Code, expression, statements
from conformance.language.model import Fragment, Place
from conformance.language.problems import Problem, Problems
from conformance.language.vocabulary import Word, dtype_classes, input_kinds
from conformance.text import did_you_mean, listed

#: Modules that every call may name without importing them, beside ``torch`` and ``np``.
MODULES = ("copy", "gc", "io", "math", "operator", "os", "pickle", "tempfile")
_NAMES = frozenset(("torch", "np", "device", *MODULES))
_KEYS = ("call", "given", "values")
#: The inputs that a call may name without giving them.
USUAL_INPUTS = {"x": "tensor()", "y": "tensor_like(x)"}
_SUBJECT = re.compile(r"torch(\.\w+)+")


@dataclass(frozen=True)
class Call:
    """One way of calling a name.

    Attributes
    ----------
    subject
        The name that is called.
    text
        An expression, or statements of which the last one is observed.
    given
        Name and expression of each input, in order.
    values
        Whether the result is printed; not for what is random or reads uninitialised memory.
    place
        Where the call stands.
    every_release
        Whether it is measured on every release.
    """

    subject: str
    text: str
    given: tuple[tuple[str, Fragment], ...]
    values: bool
    place: Place
    every_release: bool = False

    @property
    def fingerprint(self) -> str:
        """Eight hexadecimal digits of what is measured."""
        content = [self.subject, self.text, [(name, fragment.text) for name, fragment in self.given]]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:8]


def load_calls(paths: Optional[Sequence[Path]] = None) -> tuple[tuple[Call, ...], list[Problem]]:
    """Read the calls in files and folders, by default those of the project's own corpus.

    Returns
    -------
    calls
        The calls without a mistake, by subject and text.
    problems
        All mistakes, by place.
    """
    problems = Problems()
    found: dict[str, Call] = {}
    most_used: dict[str, Place] = {}
    for file in _files([default_root() / CALLS_FOLDER] if paths is None else paths):
        document = open_document(file, problems)
        if document is None:
            continue
        most_used.update(_read_most_used(document, problems))
        for call in read_calls(document, problems):
            other = found.setdefault(call.fingerprint, call)
            if other is not call:
                problems.add(call.place, "E302", f"the same call of {call.subject} stands at {other.place}; remove one")
    first = {call.subject: call for call in reversed(found.values())}
    for subject, place in most_used.items():
        if subject not in first:
            advice = did_you_mean(subject, first) or ""
            problems.add(place, "E304", f"no call of '{subject}' is written{advice}")
    marked = (
        replace(call, every_release=call.subject in most_used or call is first[call.subject]) for call in found.values()
    )
    return tuple(sorted(marked, key=lambda call: (call.subject, call.text, call.fingerprint))), problems.sorted()


def _read_most_used(document: Document, problems: Problems) -> Mapping[str, Place]:
    """Return the names that a table file lists as most used, and where."""
    node = document.root.entries.get("most_used") if isinstance(document.root, documents.Mapping) else None
    if node is None:
        return {}
    if not isinstance(node, Listing) or not all(isinstance(item, Scalar) for item in node.items):
        problems.add(document.place(node), "E103", "'most_used' is a list of names; begin each with '- '")
        return {}
    return {item.value: document.place(item) for item in node.items if isinstance(item, Scalar)}


def read_calls(document: Document, problems: Problems) -> list[Call]:
    """Return the calls in a table file."""
    root = document.root
    if not isinstance(root, documents.Mapping):
        problems.add(Place(document.path, 1, 1), "E103", "a file of calls is a mapping with the key 'calls'")
        return []
    node = root.entries.get("calls")
    if node is None:
        return []
    reader = _Reader(document, problems)
    if not isinstance(node, documents.Mapping):
        reader.wrong(node, "'calls' is a mapping from a name to a list of calls")
        return []
    calls: list[Call] = []
    for name, items in node.entries.items():
        if not _SUBJECT.fullmatch(name):
            problems.add(document.place(node.keys[name]), "E304", f"'{name}' is no name in torch; write torch.…")
        calls += reader.listed_calls(name, items)
    return calls


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if not os.path.isdir(path):  # noqa: PTH112 - a `Path` raises where it may not look
            yield path
            continue
        not_entered: list[NotEntered] = []
        yield from sorted(Path(file) for file in files_below(path, not_entered) if file.endswith(".yaml"))
        print_passed_over(not_entered)


class _Reader:
    """Reads the calls of one file."""

    def __init__(self, document: Document, problems: Problems) -> None:
        self._document = document
        self._problems = problems

    def wrong(self, node: Node, message: str) -> None:
        if not isinstance(node, documents.Broken):
            self._problems.add(self._document.place(node), "E103", message)

    def listed_calls(self, subject: str, node: Node) -> Iterator[Call]:
        if not isinstance(node, Listing):
            self.wrong(node, f"the calls of {subject} are a list; begin each with '- '")
            return
        for item in node.items:
            before = len(self._problems)
            call = self._call(subject, item)
            if call is not None and len(self._problems) == before:
                yield call

    def _call(self, subject: str, node: Node) -> Optional[Call]:
        if isinstance(node, Scalar):
            return self._checked(subject, node, None, True)
        if not isinstance(node, documents.Mapping):
            self.wrong(node, f"a call is Python, or a mapping with {listed(_KEYS)}")
            return None
        for name, key in node.keys.items():
            if name not in _KEYS:
                advice = did_you_mean(name, _KEYS) or f"; a call has {listed(_KEYS)}"
                self._problems.add(self._document.place(key), "E101", f"a call has no key '{name}'{advice}")
        text = node.entries.get("call")
        if not isinstance(text, Scalar):
            self._problems.add(self._document.place(node), "E102", "a call in braces lacks 'call'; add it")
            return None
        values = node.entries.get("values")
        if values is not None and not (isinstance(values, Scalar) and values.value in ("true", "false")):
            self.wrong(values, "'values' is true or false")
        printed = not (isinstance(values, Scalar) and values.value == "false")
        given = node.entries.get("given")
        return self._checked(subject, text, None if given is None else self._given(given), printed)

    def _given(self, given: Node) -> tuple[tuple[str, Fragment], ...]:
        if not isinstance(given, documents.Mapping):
            self.wrong(given, "'given' is a mapping from names to inputs, such as {x: tensor()}")
            return ()
        found: list[tuple[str, Fragment]] = []
        for name, item in given.entries.items():
            if not isinstance(item, Scalar):
                self.wrong(item, f"the input {name} is a call of an input kind, such as tensor()")
                continue
            self._check_input(name, item, {earlier for earlier, _ in found})
            found.append((name, Fragment(item.value.strip(), self._document.place(item))))
        return tuple(found)

    def _check_input(self, name: str, node: Scalar, earlier: set[str]) -> None:
        code = self._look(node, expression)
        if code is None:
            return
        kinds = input_kinds()
        call = code.tree.body if code.tree is not None else None
        kind = call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else None
        if kind not in kinds:
            advice = did_you_mean(kind, kinds) if kind else ", such as tensor()"
            self._report(node, 0, "E204", f"the input {name} is no call of an input kind{advice}")
            return
        assert isinstance(call, ast.Call)
        self._check_keywords(node, call, kinds[kind])
        self._check_names(node, code, BUILTINS | _NAMES | set(kinds) | set(dtype_classes()) | earlier)

    def _check_keywords(self, node: Scalar, call: ast.Call, kind: Word) -> None:
        names = [parameter.name for parameter in kind.parameters if parameter.is_single]
        for keyword in call.keywords:
            if keyword.arg is not None and keyword.arg not in names:
                advice = did_you_mean(keyword.arg, names) or f": {kind.signature}"
                self._report(node, keyword.col_offset, "E205", f"{kind.name} has no argument '{keyword.arg}'{advice}")

    def _checked(
        self, subject: str, node: Scalar, given: Optional[tuple[tuple[str, Fragment], ...]], values: bool
    ) -> Optional[Call]:
        code = self._look(node, statements)
        if code is None:
            return None
        if given is None:
            given = _usual_inputs(code, self._document.place(node))
        inputs = {name for name, _ in given}
        self._check_names(node, code, BUILTINS | _NAMES | inputs)
        read = {name.name for name in code.needs}
        read |= {name.name for _, fragment in given for name in expression(fragment.text).needs}
        for name in sorted(inputs - read):
            self._report(node, 0, "E209", f"nothing reads the input '{name}'; remove it")
        return Call(subject, node.value.strip(), given, values, self._document.place(node))

    def _check_names(self, node: Scalar, code: Code, defined: frozenset[str] | set[str]) -> None:
        for name in code.undefined(defined):
            advice = did_you_mean(name.name, sorted(_NAMES)) or "; add it to 'given'"
            self._report(node, name.offset, "E202", f"nothing defines '{name.name}'{advice}")

    def _look(self, node: Scalar, look: Callable[[str], Code]) -> Optional[Code]:
        code = look(node.value)
        if code.mistake is None:
            return code
        self._report(node, code.mistake.offset, "E201", f"not Python: {code.mistake.message}")
        return None

    def _report(self, node: Scalar, offset: int, code: str, message: str) -> None:
        place = self._document.place(node)
        if node.style in ("", "'", '"'):
            place = Place(place.path, place.line, place.column + offset + len(node.style))
        self._problems.add(place, code, message)


def _usual_inputs(code: Code, place: Place) -> tuple[tuple[str, Fragment], ...]:
    """Return those of the usual inputs that code names; a later one needs the earlier ones."""
    needed = {name.name for name in code.undefined(BUILTINS | _NAMES)}
    names = list(USUAL_INPUTS)
    count = max((position for position, name in enumerate(names, start=1) if name in needed), default=0)
    return tuple((name, Fragment(USUAL_INPUTS[name], place)) for name in names[:count])


def given_texts(call: Call) -> Mapping[str, str]:
    """Return the expression of each input of a call, in order."""
    return {name: fragment.text for name, fragment in call.given}
