"""What the functions and methods of the installed torch return, from its stubs: words for a reader of code."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

from conformance.lab.names.modules import NoTorch

_TENSOR = ("Tensor", "Self", "Tensor | None")
#: What a list of words is called by the kinds of results that a name has.
_RETURNS = {
    frozenset(("one",)): "one tensor",
    frozenset(("several",)): "several tensors",
    frozenset(("one", "several")): "one or several tensors",
    frozenset(("other",)): "no tensor",
}
#: Classes whose methods are listed: the file, the class, and what its lists are called.
_CLASSES = (
    ("nn/modules/module.py", "Module", "torch.nn.Module"),
    ("optim/optimizer.py", "Optimizer", "torch.optim.Optimizer"),
    ("optim/lr_scheduler.py", "LRScheduler", "torch.optim.lr_scheduler.LRScheduler"),
)

#: Words by what they are, such as "functions of one tensor".
Words = dict[str, set[str]]


def installed_results() -> Words:
    """Return what the functions, methods and attributes of the installed torch give.

    Raises
    ------
    NoTorch
        If torch can't be imported.
    """
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        raise NoTorch("torch is not installed here; install it, then try again")
    folder = Path(spec.origin).parent
    native = _body(folder / "_C/__init__.pyi")
    tensor = _class(native, "TensorBase")
    words: Words = {}
    _add(words, "functions", (*_functions(_body(folder / "_C/_VariableFunctions.pyi")), *_functions(native)))
    _add(words, "methods", _functions(tensor))
    _add(words, "functional", _functions(_body(folder / "nn/functional.pyi")))
    for name, annotation in _annotated(tensor):
        words.setdefault(f"attributes: {'one tensor' if annotation in _TENSOR else 'no tensor'}", set()).add(name)
    for name, annotation in _annotated(native):
        if annotation in ("dtype", "layout", "memory_format"):
            words.setdefault(annotation, set()).add(name)
    for file, cls, name in _CLASSES:
        methods = dict(_functions(_class(_body(folder / file), cls)))
        words[f"{name}: methods"] = set(methods)
        words[f"{name}: methods that return the object"] = {key for key, given in methods.items() if given == "Self"}
    return words


def write_results(words: Words, torch: str, path: Path) -> None:
    """Write words to a file, a paragraph for each list: its name, a colon, and the words by the alphabet."""
    lines = [f"# torch {torch}, from its stubs; 'python -m conformance names results' writes this file."]
    for heading, listed in words.items():
        lines += ["", f"== {heading}", *textwrap.wrap(" ".join(sorted(listed)), 118)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _add(words: Words, what: str, functions: Iterable[tuple[str, str]]) -> None:
    kinds: dict[str, set[str]] = {}
    for name, annotation in functions:
        kinds.setdefault(name, set()).add(_kind(annotation))
    for name, found in kinds.items():
        heading = _RETURNS.get(frozenset(found))
        if heading is not None:
            words.setdefault(f"{what}: {heading}", set()).add(name)


def _kind(annotation: str) -> str:
    if annotation in _TENSOR:
        return "one"
    if annotation.startswith(("tuple[Tensor", "list[Tensor", "Sequence[Tensor", "torch.return_types.")):
        return "several"
    return "other" if annotation not in ("", "Any", "S") else "unknown"


def _body(path: Path) -> list[ast.stmt]:
    return ast.parse(path.read_text(encoding="utf-8")).body


def _class(body: list[ast.stmt], name: str) -> list[ast.stmt]:
    return next(node.body for node in body if isinstance(node, ast.ClassDef) and node.name == name)


def _functions(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for node in body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node.name, ast.unparse(node.returns) if node.returns is not None else ""


def _annotated(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for node in body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, ast.unparse(node.annotation)
