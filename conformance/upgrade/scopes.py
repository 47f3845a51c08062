"""The names of one source file: imports and aliases resolved, scopes respected, nothing run."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Optional, Union

from conformance.upgrade.tensors import TENSOR_CLASSES, TENSOR_METHODS, gives_tensor

_MOST_MEANINGS, _LONGEST_NAME = 8, 200
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_Function = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]


@dataclass
class FileUses:
    """What one file uses: (name, line, certain) of torch names and attributes; (line, text) of what can't be told."""

    names: list[tuple[str, int, bool]] = field(default_factory=list)
    attributes: list[tuple[str, int, bool]] = field(default_factory=list)
    unknown: list[tuple[int, str]] = field(default_factory=list)


@dataclass
class _Scope:
    """The names that one block binds: to dotted names where these are known, to nothing where they are not."""

    is_class: bool = False
    known: dict[str, set[str]] = field(default_factory=dict)
    bound: set[str] = field(default_factory=set)
    tensors: set[str] = field(default_factory=set)


def read_uses(source: Union[str, bytes], torch_names: Optional[Mapping[str, str]] = None) -> FileUses:
    """Find what a source uses of torch.

    Parameters
    ----------
    torch_names
        Names that are bound from outside, with what they stand for.

    Raises
    ------
    SyntaxError, ValueError, RecursionError, MemoryError
        If it can't be parsed.
    """
    reader = _Reader(torch_names or {})
    reader.read(ast.parse(source))
    return reader.found


class _Reader:
    """Walks a tree with the scopes that surround each node."""

    def __init__(self, outer: Mapping[str, str]) -> None:
        self.found = FileUses()
        self._called: set[int] = set()
        self._stars: list[str] = []
        self._scopes = [_Scope(known={name: {dotted} for name, dotted in outer.items()})]

    def read(self, tree: ast.Module) -> None:
        self._block(tree, tree.body, _Scope())

    # Scopes

    def _block(self, owner: ast.AST, body: list[ast.stmt], scope: _Scope) -> None:
        self._scopes.append(scope)
        _bind(owner, scope)
        for argument in _arguments(owner):
            if argument.annotation is not None and self._means_tensor(argument.annotation):
                scope.tensors.add(argument.arg)
        # Twice: an alias may be used above the line that makes it, and may be made from another alias.
        for _ in range(2):
            for node in _own_nodes(body):
                self._learn(node, scope)
        for statement in body:
            self._visit(statement)
        self._scopes.pop()

    def _learn(self, node: ast.AST, scope: _Scope) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                scope.known.setdefault(name, set()).add(alias.name if alias.asname else name)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            for alias in node.names:
                if alias.name != "*":
                    scope.known.setdefault(alias.asname or alias.name, set()).add(f"{node.module}.{alias.name}")
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            dotted = {name for name in self._dotted(node.value) if name.partition(".")[0] == "torch"}
            annotated = isinstance(node, ast.AnnAssign) and self._means_tensor(node.annotation)
            for target in targets:
                if isinstance(target, ast.Name):
                    # Bounded, since x = x.y a thousand times over would have a thousand meanings.
                    if dotted and len(scope.known.get(target.id, ())) < _MOST_MEANINGS:
                        scope.known.setdefault(target.id, set()).update(
                            name for name in dotted if len(name) <= _LONGEST_NAME
                        )
                    if annotated or self._is_tensor(node.value):
                        scope.tensors.add(target.id)

    def _dotted(self, node: ast.expr) -> set[str]:
        """Return the dotted names that an expression may stand for: more than one after a conditional import."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if isinstance(node, ast.Call) and _is_getattr(node):
            name = node.args[1]
            assert isinstance(name, ast.Constant)
            return {".".join([base, str(name.value), *reversed(parts)]) for base in self._dotted(node.args[0])}
        if not isinstance(node, ast.Name):
            return set()
        return {".".join([base, *reversed(parts)]) for base in self._resolved(node.id)}

    def _resolved(self, name: str) -> set[str]:
        for position in range(len(self._scopes) - 1, -1, -1):
            scope = self._scopes[position]
            if scope.is_class and position != len(self._scopes) - 1:
                continue
            if name in scope.known:
                return scope.known[name]
            if name in scope.bound:
                return set()
        return set()

    def _is_free(self, name: str) -> bool:
        """Say whether nothing in the file binds a name."""
        return not any(name in scope.known or name in scope.bound for scope in self._scopes) and not hasattr(
            builtins, name
        )

    # What an expression is

    def _means_tensor(self, annotation: ast.expr) -> bool:
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            return annotation.value in ("torch.Tensor", "Tensor")
        return bool(self._dotted(annotation) & TENSOR_CLASSES)

    def _is_tensor(self, node: ast.expr) -> bool:
        """Say whether an expression is a tensor for certain, as far as a look at it shows."""
        if isinstance(node, ast.Name):
            for scope in reversed(self._scopes):
                if node.id in scope.tensors:
                    return True
                if node.id in scope.bound or node.id in scope.known:
                    return False
            return False
        if isinstance(node, ast.BinOp):
            return self._is_tensor(node.left) or self._is_tensor(node.right)
        if isinstance(node, ast.Subscript):
            return self._is_tensor(node.value)
        if not isinstance(node, ast.Call):
            return False
        if (
            isinstance(node.func, ast.Attribute)
            and node.func.attr in TENSOR_METHODS
            and self._is_tensor(node.func.value)
        ):
            return True
        return any(gives_tensor(name) for name in self._dotted(node.func))

    def _is_other(self, node: ast.expr) -> bool:
        """Say whether an expression is no tensor for certain: a literal, or a module that is not torch."""
        literal = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set, *_COMPREHENSIONS)
        if isinstance(node, literal):
            return True
        if isinstance(node, ast.Name):
            return any("." not in name and name != "torch" for name in self._resolved(node.id))
        return False

    # Walking

    def _visit(self, node: ast.AST) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            self._visit_function(node)
        elif isinstance(node, ast.ClassDef):
            self._called.update(map(id, node.bases))
            for part in (*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)):
                self._visit(part)
            self._block(node, node.body, _Scope(is_class=True))
        elif isinstance(node, _COMPREHENSIONS):
            scope = _Scope(bound={name for part in node.generators for name in _stored(part.target)})
            self._scopes.append(scope)
            self._children(node)
            self._scopes.pop()
        elif isinstance(node, ast.Attribute):
            self._visit_attribute(node)
        elif isinstance(node, ast.Name):
            self._visit_name(node)
        elif isinstance(node, ast.Call):
            self._visit_call(node)
        elif isinstance(node, ast.ImportFrom):
            self._visit_stars(node)
        elif isinstance(node, ast.AnnAssign):
            # An annotation is no use of what it names.
            self._visit(node.target)
            if node.value is not None:
                self._visit(node.value)
        elif isinstance(node, ast.Subscript) and self._is_tensor(node.value):
            name = "__getitem__" if isinstance(node.ctx, ast.Load) else "__setitem__"
            self.found.attributes.append((name, node.lineno, True))
            self._children(node)
        else:
            self._children(node)

    def _children(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            self._visit(child)

    def _visit_function(self, node: _Function) -> None:
        arguments = node.args
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self._visit(default)
        if isinstance(node, ast.Lambda):
            self._block(node, [ast.Expr(node.body)], _Scope())
            return
        for decorator in node.decorator_list:
            self._visit(decorator)
        self._block(node, node.body, _Scope())

    def _visit_name(self, node: ast.Name) -> None:
        if not isinstance(node.ctx, ast.Load):
            return
        self._use(self._resolved(node.id), node)
        if self._is_free(node.id):
            self.found.names.extend((f"{module}.{node.id}", node.lineno, False) for module in self._stars)

    def _visit_attribute(self, node: ast.Attribute) -> None:
        dotted = {name for name in self._dotted(node) if name.partition(".")[0] == "torch"}
        if dotted:
            self._use(dotted, node)
            return
        if not self._is_other(node.value):
            self.found.attributes.append((node.attr, node.end_lineno or node.lineno, self._is_tensor(node.value)))
        self._visit(node.value)

    def _visit_call(self, node: ast.Call) -> None:
        self._called.add(id(node.func))
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in ("getattr", "setattr", "hasattr", "delattr") and len(node.args) >= 2:
            self._visit_getattr(node)
        elif name in ("eval", "exec", "__import__") and not self._resolved(name):
            self.found.unknown.append((node.lineno, f"{name}() runs code that is not read"))
        elif any(dotted.startswith("importlib.") for dotted in self._dotted(node.func)):
            self.found.unknown.append(
                (node.lineno, "a module is imported under a name that is made when the program runs")
            )
        self._children(node)

    def _visit_getattr(self, node: ast.Call) -> None:
        owner, name = node.args[0], node.args[1]
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            dotted = {f"{base}.{name.value}" for base in self._dotted(owner) if base.partition(".")[0] == "torch"}
            if dotted:
                self._use(dotted, node)
            elif not self._is_other(owner):
                self.found.attributes.append((name.value, node.lineno, self._is_tensor(owner)))
        elif self._is_tensor(owner) or any(base.partition(".")[0] == "torch" for base in self._dotted(owner)):
            self.found.unknown.append(
                (node.lineno, "an attribute of torch or of a tensor is looked up by a name made at run time")
            )
        else:
            self.found.unknown.append((node.lineno, "an attribute is looked up by a name made at run time"))

    def _visit_stars(self, node: ast.ImportFrom) -> None:
        if not any(alias.name == "*" for alias in node.names):
            return
        module = "." * node.level + (node.module or "")
        if module.partition(".")[0] == "torch":
            self._stars.append(module)
        self.found.unknown.append(
            (node.lineno, f"all names of {module} are imported: which of them are used is a guess")
        )

    def _use(self, dotted: set[str], node: ast.expr) -> None:
        for name in sorted(dotted):
            # A class that is only named, as isinstance() does, is not used: its claims are about making one.
            if name.startswith("torch.") and (id(node) in self._called or not _names_class(name)):
                self.found.names.append((name, node.lineno, len(dotted) == 1))


def _names_class(name: str) -> bool:
    last = name.rpartition(".")[2]
    return last[:1].isupper() and last != last.upper()


def _is_getattr(node: ast.Call) -> bool:
    return (
        isinstance(node.func, ast.Name)
        and node.func.id == "getattr"
        and len(node.args) >= 2
        and isinstance(node.args[1], ast.Constant)
        and isinstance(node.args[1].value, str)
    )


def _bind(owner: ast.AST, scope: _Scope) -> None:
    """Note every name that a block binds itself, so that it hides a name of a block around it."""
    scope.bound.update(argument.arg for argument in _arguments(owner))
    body = [owner.body] if isinstance(owner, ast.Lambda) else getattr(owner, "body", [])
    free: set[str] = set()
    for node in _own_nodes(body):
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            scope.bound.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)):
            scope.bound.add(node.name or "")
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            free.update(node.names)
        elif isinstance(node, ast.ImportFrom) and node.level:
            scope.bound.update(alias.asname or alias.name for alias in node.names)
    scope.bound -= free


def _arguments(owner: ast.AST) -> list[ast.arg]:
    if not isinstance(owner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return []
    every = owner.args
    found = [*every.posonlyargs, *every.args, *every.kwonlyargs, every.vararg, every.kwarg]
    return [argument for argument in found if argument is not None]


def _own_nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes of a block, but not those of functions and classes inside it."""
    waiting: list[ast.AST] = list(body)[::-1]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef, *_COMPREHENSIONS)):
            continue
        waiting.extend(reversed(list(ast.iter_child_nodes(node))))


def _stored(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}
