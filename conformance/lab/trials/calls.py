"""The calls that are tried, read from YAML and checked; nothing is run.

A call stands in ``spec/calls`` under the name that it calls: ``calls: {NAME: [...]}``. The lists ``out`` and ``outs``
name functions of which the first call is also tried with ``out=``, a tensor or a tuple of tensors.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Optional

from conformance.base.files import NotEntered, files_below, print_passed_over
from conformance.base.text import did_you_mean
from conformance.language import documents
from conformance.language.corpus import CALLS_FOLDER, default_root
from conformance.language.documents import Document, Node, Scalar, open_document
from conformance.language.expressions import BUILTINS, Code, expression, statements
from conformance.language.model import Place
from conformance.language.problems import Problem, Problems
from conformance.language.shapes import Shapes

#: Modules that every call may name without importing them, beside ``torch`` and ``np``.
MODULES = ("copy", "gc", "io", "math", "operator", "os", "pickle", "tempfile")
_NAMES = frozenset(("torch", "np", *MODULES))
_KEYS = ("call", "given")
#: The inputs that a call may name without giving them; see `conformance.lab.trials.inputs`.
_USUAL_INPUTS = frozenset(("x", "y", "a"))
#: How the tensors for ``out=`` are made from the call without it, by the key that lists a function.
_OUT = {"out": "torch.empty_like({})", "outs": "tuple(map(torch.empty_like, {}))"}


@dataclass(frozen=True)
class Call:
    """One way of calling a name.

    Attributes
    ----------
    subject
        The name that is called.
    setup
        Statements that prepare the call; empty for most.
    text
        The expression or statement that is observed: the last one.
    given
        Name and expression of each input that is not derived, in order.
    place
        Where the call stands.
    is_plainest
        Whether it is the first of its name, which is tried on all inputs.
    """

    subject: str
    setup: str
    text: str
    given: Mapping[str, str]
    place: Place
    is_plainest: bool = True

    @property
    def names(self) -> frozenset[str]:
        """All names in the call and in the expressions of its inputs."""
        texts = (self.setup, self.text, *self.given.values())
        return frozenset(node.id for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name))


def load_calls(paths: Optional[Sequence[Path]] = None) -> tuple[tuple[Call, ...], list[Problem]]:
    """Read the calls in files and folders, by default those of the project's own corpus.

    Returns
    -------
    calls
        The calls without a mistake, by subject, in the order in which they are written.
    problems
        All mistakes, by place.
    """
    problems = Problems()
    calls: dict[tuple[str, str, str], Call] = {}
    with_out: dict[str, tuple[str, Place]] = {}
    for file in _files([default_root() / CALLS_FOLDER] if paths is None else paths):
        document = open_document(file, problems)
        if document is None:
            continue
        reader = _Reader(document, problems)
        for key, made in _OUT.items():
            with_out.update({name: (made, place) for name, place in reader.names(key).items()})
        for call in reader.calls():
            other = calls.setdefault((call.subject, call.setup, call.text), call)
            if other is not call:
                problems.add(call.place, "E302", f"the same call of {call.subject} stands at {other.place}; remove one")
    first = {call.subject: call for call in reversed(calls.values())}
    for subject, (_, place) in with_out.items():
        if subject not in first:
            advice = did_you_mean(subject, first) or ""
            problems.add(place, "E304", f"no call of '{subject}' is written{advice}")
    every = [*calls.values(), *(_with_out(first[name], *made) for name, made in with_out.items() if name in first)]
    marked = (replace(call, is_plainest=call is first[call.subject]) for call in every)
    return tuple(sorted(marked, key=lambda call: call.subject)), problems.sorted()


def _with_out(call: Call, made: str, place: Place) -> Call:
    """Return the call with ``out=``: tensors with the shape and dtype of what it returns without."""
    text = f"{call.text.rstrip()[:-1]}, out=out)"
    return Call(call.subject, call.setup, text, {**call.given, "out": made.format(call.text)}, place)


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if not os.path.isdir(path):  # noqa: PTH112 - a `Path` raises where it may not look
            yield path
            continue
        not_entered: list[NotEntered] = []
        yield from sorted(Path(file) for file in files_below(path, not_entered) if file.endswith(".yaml"))
        print_passed_over(not_entered)


class _Reader:
    """Reads one file."""

    def __init__(self, document: Document, problems: Problems) -> None:
        self._document = document
        self._problems = problems
        self._shapes = Shapes(document, problems)
        root = document.root or Scalar("", "", 1, 1)
        table = self._shapes.mapping(root, "a file of calls", ("calls", *_OUT))
        self._entries = table.entries if table is not None else {}

    def names(self, key: str) -> Mapping[str, Place]:
        """Return the names that the file lists under a key, and where."""
        node = self._entries.get(key)
        items = self._shapes.listing(node, f"`{key}`", "a list of names") if node is not None else None
        names = (self._shapes.text(item, f"a name in `{key}`") for item in items or ())
        return {name.value: self._document.place(name) for name in names if name is not None}

    def calls(self) -> Iterator[Call]:
        """Yield the calls without a mistake."""
        table = self._table(self._entries.get("calls"), "`calls`", "a list of calls by name")
        if table is None:
            return
        for name, node in table.entries.items():
            if not name.startswith("torch."):
                self._add(table.keys[name], "E304", f"'{name}' is no name in torch; write torch.…")
            for item in self._shapes.listing(node, f"`{name}`", "a list of calls") or ():
                before = len(self._problems)
                call = self._call(name, item)
                if call is not None and len(self._problems) == before:
                    yield call

    def _table(self, node: Optional[Node], what: str, wanted: str) -> Optional[documents.Mapping]:
        return self._shapes.any_mapping(node, what, wanted) if node is not None else None

    def _call(self, subject: str, node: Node) -> Optional[Call]:
        entries: Mapping[str, Node] = {"call": node}
        if isinstance(node, documents.Mapping):
            self._shapes.mapping(node, "a call", _KEYS, ("call",))
            entries = node.entries
        given = self._table(entries.get("given"), "`given`", "Python by name, such as {x: 'torch.ones(3)'}")
        items = given.entries.items() if given is not None else ()
        inputs = {name: self._shapes.code(item, f"the input {name}") for name, item in items}
        text = self._shapes.code(entries.get("call"), "a call")
        if text is None:
            return None
        return self._checked(subject, text, {name: item for name, item in inputs.items() if item is not None})

    def _checked(self, subject: str, node: Scalar, given: Mapping[str, Scalar]) -> Optional[Call]:
        code = self._read(node, statements)
        inputs = {name: self._read(item, expression) for name, item in given.items()}
        if code is None or None in inputs.values():
            return None
        read = {name.name for part in (code, *inputs.values()) if part is not None for name in part.needs}
        for name in sorted(set(given) - read):
            self._add(given[name], "E209", f"nothing reads the input '{name}'; remove it")
        self._check_names(node, code, set(given))
        for name, item in given.items():
            known = inputs[name]
            assert known is not None
            self._check_names(item, known, set(list(given)[: list(given).index(name)]))
        setup, text = _split(node.value.strip())
        return Call(
            subject, setup, text, {name: item.value for name, item in given.items()}, self._document.place(node)
        )

    def _check_names(self, node: Scalar, code: Code, given: set[str]) -> None:
        for name in code.undefined(BUILTINS | _NAMES | _USUAL_INPUTS | given):
            advice = did_you_mean(name.name, sorted(_NAMES)) or "; add it to 'given'"
            self._add(node, "E202", f"nothing defines '{name.name}'{advice}", name.offset)

    def _read(self, node: Scalar, read: Callable[[str], Code]) -> Optional[Code]:
        code = read(node.value)
        if code.mistake is None:
            return code
        self._add(node, "E201", f"not Python: {code.mistake.message}", code.mistake.offset)
        return None

    def _add(self, node: Node, code: str, message: str, offset: int = 0) -> None:
        place = self._document.place(node)
        if isinstance(node, Scalar) and node.style in ("", "'", '"'):
            place = Place(place.path, place.line, place.column + offset + (len(node.style) if offset else 0))
        self._problems.add(place, code, message)


def _split(text: str) -> tuple[str, str]:
    """Return the statements before the last one, and the last one."""
    body = ast.parse(text).body
    call = ast.get_source_segment(text, body[-1]) or text
    return text[: text.rindex(call)].strip("; \n"), call
