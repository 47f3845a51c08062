"""Python inside a spec, looked at and never run: its syntax, the names it needs, the names it gives.

Everything is parsed as Python 3.9, the oldest that a claim can run on, whatever runs the checker.
"""

from __future__ import annotations

import ast
import builtins
import warnings
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Optional, Union

MAXIMUM_LENGTH = 4000
OLDEST_PYTHON = (3, 9)

# Builtins that came after OLDEST_PYTHON; written out so that a spec has the same problems under every Python.
_LATER_BUILTINS = {
    "BaseExceptionGroup",
    "EncodingWarning",
    "ExceptionGroup",
    "PythonFinalizationError",
    "aiter",
    "anext",
}
# Set by the interactive interpreter or by `site` only.
_INTERACTIVE_BUILTINS = {"_", "copyright", "credits", "exit", "license", "quit"}


BUILTINS = frozenset(dir(builtins)) - _LATER_BUILTINS - _INTERACTIVE_BUILTINS


@dataclass(frozen=True)
class Name:
    """A name that code needs, and its offset in the code. Deferred: only when a function defined there is called."""

    name: str
    offset: int
    deferred: bool = False


@dataclass(frozen=True)
class Call:
    """A call of a plain name.

    ``arguments`` has the name and offset of each positional argument that is a plain name, else None for its name.
    ``complete`` is False where ``*`` or ``**`` hides how many there are.
    """

    name: str
    offset: int
    arguments: tuple[tuple[Optional[str], int], ...]
    keywords: tuple[tuple[str, int], ...]
    complete: bool


@dataclass(frozen=True)
class Step:
    """A top-level statement: what it needs and what it binds.

    ``inside`` is what it binds for the code in itself: all of it in a ``for`` or ``with``, else what ``:=`` binds.
    """

    needs: tuple[Name, ...]
    binds: frozenset[str]
    inside: frozenset[str]


@dataclass(frozen=True)
class SyntaxMistake:
    """Why code is not Python, and the offset where that shows."""

    message: str
    offset: int
    too_much: bool = False


@dataclass(frozen=True)
class Code:
    """What is known of a piece of Python without running it."""

    tree: Optional[ast.Expression]
    mistake: Optional[SyntaxMistake] = None
    steps: tuple[Step, ...] = ()
    calls: tuple[Call, ...] = ()
    # Attributes taken of plain names: (name, attribute, offset of the attribute's owner).
    attributes: tuple[tuple[str, str, int], ...] = ()
    imports: tuple[tuple[str, int], ...] = ()

    @cached_property
    def needs(self) -> tuple[Name, ...]:
        """Every name needed from outside or from an earlier statement."""
        return tuple(name for step in self.steps for name in step.needs)

    @cached_property
    def binds(self) -> frozenset[str]:
        """Every name bound at the top level."""
        return frozenset().union(*(step.binds for step in self.steps))

    def undefined(self, defined: Container[str]) -> Iterator[Name]:
        """Yield the names that neither ``defined`` nor an earlier statement gives."""
        bound: set[str] = set()
        for step in self.steps:
            for name in step.needs:
                if name.name in defined:
                    continue
                if name.name not in self.binds if name.deferred else name.name not in bound | step.inside:
                    yield name
            bound |= step.binds


@lru_cache(maxsize=32768)
def statements(text: str) -> Code:
    """Look at statements."""
    return _look(text, "exec")


@lru_cache(maxsize=32768)
def expression(text: str) -> Code:
    """Look at one expression."""
    return _look(text, "eval")


def _look(text: str, mode: str) -> Code:
    if len(text) > MAXIMUM_LENGTH:
        message = f"{len(text):,} characters of Python, and {MAXIMUM_LENGTH:,} are the most; make it shorter"
        return Code(None, SyntaxMistake(message, 0, too_much=True))
    try:
        with warnings.catch_warnings():
            # A doubtful escape is for whoever runs the code; here it would only go to the checker's stderr.
            warnings.simplefilter("ignore")
            # The line end makes every Python report a cut-off expression at its end.
            source = text.strip() + "\n" if mode == "eval" else text
            tree = ast.parse(source, mode=mode, feature_version=OLDEST_PYTHON)
    except SyntaxError as error:
        return Code(None, _mistake(text, error, mode))
    except ValueError as error:
        return Code(None, SyntaxMistake(str(error), 0))
    except (RecursionError, MemoryError, OverflowError):
        return Code(None, _too_deep())
    base = len(text) - len(text.lstrip()) if mode == "eval" else 0
    looker = _Looker(_Offsets(text[base:], base), ":=" in text)
    try:
        if isinstance(tree, ast.Expression):
            steps = [looker.step(tree.body)]
        else:
            assert isinstance(tree, ast.Module)
            steps = [looker.step(statement) for statement in tree.body]
    except RecursionError:
        return Code(None, _too_deep())
    if looker.misplaced:
        return Code(None, looker.misplaced)
    # Nobody needs the tree of statements any more, and it is large.
    kept = tree if isinstance(tree, ast.Expression) else None
    return Code(kept, None, tuple(steps), tuple(looker.calls), tuple(looker.attributes), tuple(looker.imports))


def _too_deep() -> SyntaxMistake:
    return SyntaxMistake("this Python is nested too deeply; make it simpler", 0, too_much=True)


def _mistake(text: str, error: SyntaxError, mode: str) -> SyntaxMistake:
    base = len(text) - len(text.lstrip()) if mode == "eval" else 0
    lines = text[base:].split("\n")
    line = min(max(error.lineno or 1, 1), len(lines))
    column = min(max((error.offset or 1) - 1, 0), len(lines[line - 1]))
    offset = base + sum(len(before) + 1 for before in lines[: line - 1]) + column
    message = (error.msg or "invalid syntax").split(". Maybe")[0]
    if mode == "eval" and not isinstance(error, IndentationError):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(text.strip(), feature_version=OLDEST_PYTHON)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
        else:
            return SyntaxMistake("a statement stands where an expression must; write it in `do`", base)
    return SyntaxMistake(message, offset)


class _Offsets:
    """From the line and UTF-8 column that `ast` gives to an offset."""

    def __init__(self, text: str, base: int) -> None:
        self._lines = text.split("\n")
        self._ascii = text.isascii()
        self._base = base
        self._starts = [base]
        for line in self._lines[:-1]:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def of(self, node: Union[ast.expr, ast.stmt, ast.keyword]) -> int:
        line, column = node.lineno - 1, node.col_offset
        if not self._ascii:
            column = len(self._lines[line].encode()[:column].decode(errors="ignore"))
        return self._starts[line] + column


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Assert, ast.Delete, ast.Raise, ast.expr)


class _Looker:
    """Walks code with its scopes."""

    def __init__(self, offsets: _Offsets, has_walrus: bool) -> None:
        self.offsets = offsets
        self._has_walrus = has_walrus
        self.needs: list[Name] = []
        self.calls: list[Call] = []
        self.attributes: list[tuple[str, str, int]] = []
        self.imports: list[tuple[str, int]] = []
        self.misplaced: Optional[SyntaxMistake] = None

    def step(self, node: ast.AST) -> Step:
        self.needs = []
        self.visit(node, frozenset(), False)
        # Most statements bind by their targets alone: all of a statement is searched where more may bind in it.
        if self._has_walrus or not isinstance(node, _SIMPLE):
            binds = frozenset(_bound([node]))
            return Step(tuple(self.needs), binds, _walrus_targets(node) if isinstance(node, _SIMPLE) else binds)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        binds = frozenset(_bound(target for target in targets if target is not None))
        return Step(tuple(self.needs), binds, frozenset())

    def visit(self, node: ast.AST, local: frozenset[str], deferred: bool) -> None:
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Store):
                self._need(node.id, node, local, deferred)
        elif isinstance(node, ast.Call):
            self._call(node, local)
        elif isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id not in local:
                self.attributes.append((node.value.id, node.attr, self.offsets.of(node)))
        elif isinstance(node, ast.AugAssign):
            if isinstance(node.target, ast.Name):
                self._need(node.target.id, node.target, local, deferred)
        elif isinstance(node, _FUNCTIONS):
            self._visit_all(node.decorator_list, local, deferred)
            self._defaults(node.args, local, deferred)
            inner = local | _parameters(node.args) | _bound(node.body)
            self._visit_all(node.body, inner, True)
            return
        elif isinstance(node, ast.Lambda):
            self._defaults(node.args, local, deferred)
            self.visit(node.body, local | _parameters(node.args), True)
            return
        elif isinstance(node, ast.ClassDef):
            self._visit_all([*node.decorator_list, *node.bases, *node.keywords], local, deferred)
            self._visit_all(node.body, local | _bound(node.body), deferred)
            return
        elif isinstance(node, _COMPREHENSIONS):
            self._comprehension(node, local, deferred)
            return
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            module = "." * node.level + (node.module or "") if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                self.imports.append((module or alias.name, self.offsets.of(node)))
            return
        elif isinstance(node, ast.ExceptHandler) and node.name:
            local = local | {node.name}
        elif isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom, ast.Await)) and not (deferred or self.misplaced):
            word = type(node).__name__.lower().replace("from", " from")
            self.misplaced = SyntaxMistake(f"'{word}' outside a function", self.offsets.of(node))
        for child in ast.iter_child_nodes(node):
            self.visit(child, local, deferred)

    def _visit_all(self, nodes: Iterable[ast.AST], local: frozenset[str], deferred: bool) -> None:
        for node in nodes:
            self.visit(node, local, deferred)

    def _need(self, name: str, node: ast.expr, local: frozenset[str], deferred: bool) -> None:
        if name not in local:
            self.needs.append(Name(name, self.offsets.of(node), deferred))

    def _defaults(self, arguments: ast.arguments, local: frozenset[str], deferred: bool) -> None:
        self._visit_all(arguments.defaults, local, deferred)
        self._visit_all([default for default in arguments.kw_defaults if default is not None], local, deferred)

    def _comprehension(self, node: ast.AST, local: frozenset[str], deferred: bool) -> None:
        generators: list[ast.comprehension] = node.generators  # type: ignore[attr-defined]
        self.visit(generators[0].iter, local, deferred)
        inner = local.union(*(_targets(generator.target) for generator in generators))
        for number, generator in enumerate(generators):
            if number:
                self.visit(generator.iter, inner, deferred)
            self._visit_all(generator.ifs, inner, deferred)
        if isinstance(node, ast.DictComp):
            self._visit_all([node.key, node.value], inner, deferred)
        else:
            self.visit(node.elt, inner, deferred)  # type: ignore[attr-defined]

    def _call(self, node: ast.Call, local: frozenset[str]) -> None:
        if not isinstance(node.func, ast.Name) or node.func.id in local:
            return
        complete = all(keyword.arg is not None for keyword in node.keywords)
        arguments = []
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                complete = False
            else:
                arguments.append((argument.id if isinstance(argument, ast.Name) else None, self.offsets.of(argument)))
        keywords = tuple(
            (keyword.arg, self.offsets.of(keyword)) for keyword in node.keywords if keyword.arg is not None
        )
        self.calls.append(Call(node.func.id, self.offsets.of(node), tuple(arguments), keywords, complete))


def _parameters(arguments: ast.arguments) -> set[str]:
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return {argument.arg for argument in every if argument is not None}


def _targets(node: ast.AST) -> set[str]:
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}


def _walrus_targets(node: ast.AST) -> frozenset[str]:
    """Collect the names that ``:=`` binds."""
    return frozenset(inner.target.id for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr))


def _bound(nodes: Iterable[ast.AST]) -> set[str]:
    """Collect the names that code binds in its own scope."""
    found: set[str] = set()
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                found.add(node.id)
            continue
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            found.add(node.name)
            continue
        if isinstance(node, ast.Lambda):
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                found.add(alias.asname or alias.name.split(".")[0])
            continue
        if isinstance(node, _COMPREHENSIONS):
            # A comprehension's own targets stay inside; `:=` in it binds outside.
            found |= _walrus_targets(node)
            continue
        if isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        pending.extend(ast.iter_child_nodes(node))
    return found
