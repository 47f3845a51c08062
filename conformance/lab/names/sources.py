"""What the source of torch says of a callable: that it is removed or deprecated, and which attributes a class sets."""

from __future__ import annotations

import ast
import inspect
import re
import types
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Optional, Union

from conformance.lab.names.settings import answered_names

_Definition = Union[ast.FunctionDef, ast.AsyncFunctionDef]
_LONGEST_MESSAGE = 800
SAYS_REMOVED = re.compile(
    r"\b(now |been |was |is |were |are )+removed|no longer (supported|available|exist|needed)|is not supported any|"
    r"is deprecated|was deprecated|has been deprecated",
    re.IGNORECASE,
)
#: A call at the margin; parsing every file of torch would take longer than importing it.
_WARNS_ON_IMPORT = re.compile(r"^[\w.]*warn\w*\(", re.MULTILINE)
_WARNINGS = ("DeprecationWarning", "FutureWarning", "PendingDeprecationWarning")
#: How many calls deep a message is looked for: ``Tensor.symeig`` calls a function that raises.
_DEPTH = 3


@dataclass(frozen=True)
class Deprecation:
    """What the source says of a deprecation; `category` is empty where no call warns."""

    message: str
    category: str = ""


class Sources:
    """The syntax trees of torch's files, each parsed when it is first asked for."""

    def __init__(self) -> None:
        self._files: dict[str, _File] = {}

    def removed(self, function: object, depth: int = _DEPTH) -> str:
        """Return the message of a function that does nothing but raise that it is gone, else ``""``."""
        found = self._definition(function)
        if found is None:
            return ""
        plain, node = found
        body = _body(node)
        if not body or any(not isinstance(statement, _SIMPLE) for statement in body[:-1]):
            return ""
        *before, last = body
        if isinstance(last, ast.Raise):
            message = _message(last.exc)
            return message if SAYS_REMOVED.search(message) else ""
        if depth and isinstance(last, ast.Return) and isinstance(last.value, ast.Call):
            called = _resolve(last.value.func, plain, before)
            return self.removed(called, depth - 1) if called is not None else ""
        return ""

    def deprecated(self, function: object, depth: int = 1) -> Optional[Deprecation]:
        """Return the deprecation that every call of a function tells, else None."""
        marked = getattr(function, "__deprecated__", None)
        # The mark is also left on what was wrapped, which may go on under a new name.
        if isinstance(marked, str) and (isinstance(function, type) or hasattr(function, "__wrapped__")):
            return Deprecation(clean(marked), "FutureWarning")
        found = self._definition(function)
        if found is None:
            return None
        plain, node = found
        for decorator in node.decorator_list:
            told = _from_decorator(decorator)
            if told is not None:
                return told
        for statement in _always_run(_body(node)):
            told = self._from_statement(statement, plain, depth)
            if told is not None:
                return told
        return None

    def module_deprecated(self, module: types.ModuleType) -> Optional[Deprecation]:
        """Return the deprecation that importing a module tells, else None."""
        path = getattr(module, "__file__", None)
        if not path or not _WARNS_ON_IMPORT.search(self._file(path).text):
            return None
        for statement in self._file(path).tree.body:
            told = _from_warning(statement)
            if told is not None:
                return told
        return None

    def instance_attributes(self, cls: type) -> list[str]:
        """Return the public attributes that a class annotates, sets on ``self``, or answers to in ``__getattr__``."""
        try:
            path = inspect.getsourcefile(cls)
        except (TypeError, OSError):
            return []
        node = self._file(path).classes.get(cls.__qualname__) if path else None
        if node is None:
            return []
        names = {name for statement in node.body for name in _attributes_in(statement)}
        return sorted(name for name in names if name.isidentifier() and not name.startswith("_"))

    def _definition(self, function: object) -> Optional[tuple[types.FunctionType, _Definition]]:
        plain = function
        if not isinstance(plain, types.FunctionType):
            return None
        code = plain.__code__
        node = self._file(code.co_filename).functions.get((code.co_name, code.co_firstlineno))
        return None if node is None else (plain, node)

    def _from_statement(self, statement: ast.stmt, plain: types.FunctionType, depth: int) -> Optional[Deprecation]:
        told = _from_warning(statement, _closure(plain))
        if told is not None or not depth or not isinstance(statement, ast.Expr):
            return told
        call = statement.value
        if isinstance(call, ast.Call) and re.search("warn|deprecat", _last_name(call.func)):
            helper = _resolve(call.func, plain, [])
            found = self._definition(helper)
            for node in ast.walk(found[1]) if found else ():
                inner = _from_warning(node, _passed(call, found[1]) if found else None)
                if inner is not None:
                    return inner
        return None

    def _file(self, path: str) -> _File:
        if path not in self._files:
            self._files[path] = _File(path)
        return self._files[path]


def documented_deprecation(name: str, docstring: str) -> str:
    """Return the sentence with which a docstring deprecates the object itself, else ``""``.

    Sentences on a single argument, which stand in the list of arguments, don't count.
    """
    if "deprecat" not in docstring.lower():
        return ""
    own = re.escape(name.rsplit(".", 1)[-1])
    things = "function|method|class|module|api|feature|operator|property|decorator|package"
    subject = rf"(this ({things})|\b{own}\b|^it\b|^this (is|was|has))"
    paragraphs = list(_paragraphs(inspect.cleandoc(docstring)))
    for position, (paragraph, directive) in enumerate(paragraphs):
        following = [text for text, place in paragraphs[position + 1 :] if place == directive]
        advice = following[0] if following and re.match("Use |Please |Instead", following[0]) else ""
        if directive == "deprecated" and not _is_about_argument(own, paragraph):
            return clean(re.sub(r"^[\d.]+\s+(?=\S)", "", paragraph))
        for sentence in re.split(r"(?<=[.!])\s+(?=[A-Z:`])", paragraph):
            if "deprecat" in sentence.lower() and _is_about(subject, sentence):
                return clean(f"{paragraph[paragraph.index(sentence) :]} {advice}")
    return ""


def _is_about_argument(own: str, paragraph: str) -> bool:
    """Return whether a deprecation names something in backquotes that is not the object itself."""
    return bool(re.match(rf"[\d.]*\s*``(?!\S*{own}\b)\S+?``.{{0,20}} deprecated", paragraph))


def clean(text: str) -> str:
    """Return a message as one line of bounded length."""
    text = " ".join(text.replace("\x00", "").split())
    return text if len(text) <= _LONGEST_MESSAGE else text[: _LONGEST_MESSAGE - 1] + "…"


_SIMPLE = (ast.Assign, ast.AnnAssign, ast.Expr, ast.Import, ast.ImportFrom, ast.Delete)


class _File:
    """The definitions of one file: functions by name and first line, classes by qualified name."""

    def __init__(self, path: str) -> None:
        self.text = _read(path)

    @cached_property
    def tree(self) -> ast.Module:
        try:
            return ast.parse(self.text)
        except (SyntaxError, ValueError):
            return ast.Module(body=[], type_ignores=[])

    @cached_property
    def functions(self) -> dict[tuple[str, int], _Definition]:
        return {
            (node.name, min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])): node
            for _, node in _definitions(self.tree, "")
            if not isinstance(node, ast.ClassDef)
        }

    @cached_property
    def classes(self) -> dict[str, ast.ClassDef]:
        return {name: node for name, node in _definitions(self.tree, "") if isinstance(node, ast.ClassDef)}


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, ValueError):
        return ""


def _definitions(node: ast.AST, prefix: str) -> Iterator[tuple[str, Union[_Definition, ast.ClassDef]]]:
    """Yield the functions and classes in a statement or module with their qualified names, outer ones first."""
    for field in ("body", "orelse", "handlers", "finalbody"):
        for child in getattr(node, field, ()):
            if isinstance(child, ast.ClassDef):
                yield prefix + child.name, child
                yield from _definitions(child, f"{prefix}{child.name}.")
            elif isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield prefix + child.name, child
                yield from _definitions(child, f"{prefix}{child.name}.<locals>.")
            else:
                yield from _definitions(child, prefix)


def _body(node: _Definition) -> list[ast.stmt]:
    """Return the statements after the docstring."""
    first = node.body[0]
    has_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return node.body[1:] if has_docstring else node.body


def _resolve(called: ast.expr, function: types.FunctionType, before: list[Any]) -> object:
    """Return the function that an expression names in another one, None where that can't be told.

    `before` are the statements of the function up to there: a function may import what it calls.
    """
    parts = _dotted(called)
    if not parts:
        return None
    scope: dict[str, Any] = dict(function.__globals__)
    for statement in before:
        if isinstance(statement, ast.ImportFrom):
            scope.update(_imported(statement, function.__globals__))
    value = scope.get(parts[0])
    for part in parts[1:]:
        value = inspect.getattr_static(value, part, None)
    return value


def _imported(statement: ast.ImportFrom, scope: dict[str, Any]) -> dict[str, Any]:
    import importlib

    package = scope.get("__package__") or ""
    try:
        module = importlib.import_module("." * statement.level + (statement.module or ""), package)
    except Exception:  # a module of torch may fail in any way
        return {}
    return {alias.asname or alias.name: getattr(module, alias.name, None) for alias in statement.names}


def _from_decorator(decorator: ast.expr) -> Optional[Deprecation]:
    if not isinstance(decorator, ast.Call) or "deprecat" not in _last_name(decorator.func).lower():
        return None
    category = next((_last_name(word.value) for word in decorator.keywords if word.arg == "category"), "FutureWarning")
    texts = [_text(argument) for argument in [*decorator.args, *(word.value for word in decorator.keywords)]]
    return Deprecation(clean(" ".join(text for text in texts if text)) or "deprecated", category)


def _always_run(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that every call runs; a choice between versions of Python counts as both."""
    for statement in body:
        if isinstance(statement, ast.If) and "version_info" in ast.dump(statement.test):
            yield from [*statement.orelse, *statement.body]  # what is for newer versions stands first
        else:
            yield statement


def _closure(function: types.FunctionType) -> dict[str, str]:
    """Return the strings that a function took from the one around it: names in the messages of a decorator."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or ())
    return {name: cell.cell_contents for name, cell in cells if isinstance(_content(cell), str)}


def _passed(call: ast.Call, function: _Definition) -> dict[str, str]:
    """Return the strings that a call passes to a function, by parameter."""
    given = [*zip((one.arg for one in function.args.args), call.args), *((one.arg, one.value) for one in call.keywords)]
    return {name: _text(value) for name, value in given if name and isinstance(value, ast.Constant) and _text(value)}


def _content(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # nothing was assigned
        return None


def _from_warning(node: ast.AST, filled: Optional[dict[str, str]] = None) -> Optional[Deprecation]:
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not re.fullmatch("warn|warn_once|_?warning", _last_name(call.func)):
        return None
    named = [_last_name(argument) for argument in [*call.args, *(word.value for word in call.keywords)]]
    category = next((name for name in named if name.endswith("Warning")), "UserWarning")
    message = _text(call.args[0], filled) if call.args else ""
    if category not in _WARNINGS and "deprecat" not in message.lower():
        return None
    return Deprecation(clean(message) or "deprecated", category)


def _message(raised: Optional[ast.expr]) -> str:
    return clean(_text(raised.args[0])) if isinstance(raised, ast.Call) and raised.args else ""


def _text(node: ast.AST, filled: Optional[dict[str, str]] = None) -> str:
    """Return the text of an expression of strings; what is filled in later, and not known, becomes ``{…}``."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.FormattedValue):
        return (filled or {}).get(_last_name(node.value), "{…}")
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part, filled) for part in node.values)
    if isinstance(node, ast.BinOp):
        return _text(node.left, filled) + (_text(node.right, filled) if isinstance(node.op, ast.Add) else "")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        text = _text(node.func.value, filled)  # "…{}…".format(name)
        for argument in node.args:
            text = text.replace("{}", (filled or {}).get(_last_name(argument), "{…}"), 1)
        return text
    return ""


def _last_name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _dotted(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return [*before, node.attr] if before else []
    return []


_SETTERS = ("register_buffer", "register_parameter", "add_module", "register_module")


def _attributes_in(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        yield statement.target.id
    if not isinstance(statement, ast.FunctionDef) or not statement.args.args:
        return
    this = statement.args.args[0].arg
    yield from answered_names(statement)
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and _last_name(node.value) == this:
            yield node.attr
        elif isinstance(node, ast.Call) and node.args and _dotted(node.func)[:1] == [this]:
            if _last_name(node.func) in _SETTERS:
                yield _text(node.args[0])
        elif isinstance(node, ast.Call) and _last_name(node.func) == "setattr" and len(node.args) == 3:
            yield _text(node.args[1]) if _last_name(node.args[0]) == this else ""


def _paragraphs(docstring: str) -> Iterator[tuple[str, str]]:
    """Yield the paragraphs that stand before the list of arguments, and those of warnings, with their directive."""
    directive = ""
    ended = False
    for block in re.split(r"\n\s*\n", docstring):
        lines = block.strip("\n").splitlines()
        if not lines:
            continue
        match = re.match(r"\.\. (\w+)::\s*(.*)", lines[0])
        if match:
            directive, lines = match.group(1), [match.group(2), *lines[1:]]
        elif not block.startswith((" ", "\t")):
            directive = ""
        ended = ended or bool(
            re.match(r"(args|arguments|parameters|keyword args|returns|example)\b.*:", lines[0].lower())
        )
        if directive in ("warning", "deprecated", "note") or (not ended and not directive):
            yield " ".join(line.strip() for line in lines), directive


def _is_about(subject: str, sentence: str) -> bool:
    """Return whether a sentence says that its subject, and not something about it, is deprecated."""
    before = re.split("deprecat", sentence, maxsplit=1, flags=re.IGNORECASE)[0]
    if not before.strip(" .(:[*`"):
        return True  # "Deprecated: use ..."
    if re.search(
        r"argument|parameter|keyword|option|using|passing|calling|when\b|if\b|attribute|use of\b", before, re.IGNORECASE
    ):
        return False
    verb = re.search(r"\b(is|are|was|were|been|being|now)\s+(now\s+|going to be\s+)?$", before.lower())
    return bool(verb and re.search(subject, before, re.IGNORECASE))
