"""The names that a text may mean: a name in any spelling, code that uses it, or an operator."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Optional, Union

from conformance.base.special_methods import BINARY, COMPARISON, UNARY

#: What people call the modules of torch.
MODULES = {
    "F": "torch.nn.functional",
    "T": "torch",
    "th": "torch",
    "nn": "torch.nn",
    "optim": "torch.optim",
    "init": "torch.nn.init",
    "dist": "torch.distributed",
    "autograd": "torch.autograd",
    "cuda": "torch.cuda",
    "linalg": "torch.linalg",
    "fft": "torch.fft",
    "utils": "torch.utils",
    "lr_scheduler": "torch.optim.lr_scheduler",
    "Tensor": "torch.Tensor",
}
#: The classes of what people call their variables so; any other is a tensor first.
VARIABLES = {
    **dict.fromkeys(("model", "module", "net", "layer", "self", "m"), "torch.nn.Module"),
    **dict.fromkeys(("optimizer", "opt", "optim"), "torch.optim.Optimizer"),
    **dict.fromkeys(("scheduler", "sched"), "torch.optim.lr_scheduler.LRScheduler"),
}
_OPERATORS: dict[type, str] = {
    **BINARY,
    **COMPARISON,
    **UNARY,
    ast.In: "contains",
    ast.NotIn: "contains",
    ast.Not: "bool",
}
#: Functions of Python and of its library by the method of a tensor that they call.
FUNCTIONS = {
    **{
        name: f"__{name}__" for name in ("len", "bool", "float", "int", "complex", "abs", "iter", "hash", "repr", "dir")
    },
    "list": "__iter__",
    "tuple": "__iter__",
    "str": "__repr__",
    "print": "__repr__",
    "reversed": "__reversed__",
    "copy.copy": "__copy__",
    "copy.deepcopy": "__deepcopy__",
    "deepcopy": "__deepcopy__",
    "pickle.dumps": "__reduce_ex__",
}
_SYMBOL = re.compile(r"[-+*/%@&|^~<>=!\[\]]{1,3}|\[\.\.\.\]|\bin\b")
CODE = re.compile(
    r"\w+\[(?:[^\[\]]|\[[^\[\]]*\])*\](?:\s*=(?!=)\s*\w)?|[A-Za-z_]?[\w.]*\.\w+\(?|\b[A-Za-z]\w*(?:\(|_\w*\b(?!=[^=]))|\b[A-Z][a-z]+[A-Z]\w*|[-+*/]=|==|//"
    r"|\s[*@]+\s"
)


def spellings(text: str) -> tuple[str, ...]:
    """Return dotted names, or the ends of such names, that a text may mean, the likeliest first; none for prose.

    ``F.relu`` gives ``torch.nn.functional.relu``, ``x.reshape(-1)`` gives ``torch.Tensor.reshape`` and ``reshape``,
    ``x += 1`` gives ``torch.Tensor.__iadd__``.
    """
    code = text.strip().strip("`").removeprefix(">>>").strip().rstrip("?;:,").strip()
    code = code.removeprefix("@") if re.match(r"@\s*[A-Za-z]", code) else code
    symbol = re.sub(r"\s", "", code)
    if _SYMBOL.fullmatch(symbol):
        code = {"[]": "x[0]", "[...]": "x[0]", "[]=": "x[0] = y", "~": "~x", "!": "not x"}.get(symbol, f"x {symbol} y")
    code = code.removeprefix("with ")
    if " " in code and re.fullmatch(r"[\w ?']+", code):
        return ()
    node = _parsed(code)
    return tuple(dict.fromkeys(_names(node))) if node is not None else ()


def code_in(text: str) -> list[str]:
    """Return the pieces of a question that are code, of a chain of calls the last first."""
    found: list[str] = []
    for match in CODE.finditer(text):
        found.insert(0 if match[0].startswith(".") else len(found), match[0].strip())
    return found


def without_variables(text: str) -> str:
    """Return a question without what people call their variables: of `conv.weight` only `weight` is a word of torch."""
    known = {*MODULES, *VARIABLES, "torch", "np", "numpy"}
    return re.sub(r"(?<![\w.])([A-Za-z_]\w*)\.(?=[A-Za-z_])", lambda match: match[0] if match[1] in known else "", text)


def _parsed(code: str) -> Union[ast.stmt, None]:
    # `.detach()` and `()` at the end of a name are as people write them.
    for text in (code, f"x{code}", f"{code})", f"x{code})", f"{code}: pass"):
        try:
            body = ast.parse(text).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if len(body) == 1:
            return body[0]
    return None


def _names(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.AugAssign):
        yield f"torch.Tensor.__i{_OPERATORS[type(node.op)]}__"
        return
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target = node.targets[0]
        if isinstance(target, ast.Subscript):
            yield "torch.Tensor.__setitem__"
            return
        if isinstance(target, ast.Attribute) and isinstance(node.value, (ast.Name, ast.Constant)):
            yield from _expression(target)
            return
    value: Optional[ast.expr] = getattr(node, "value", None)
    if isinstance(node, (ast.Expr, ast.Assign)) and value is not None:
        yield from _expression(value)
    elif isinstance(node, (ast.If, ast.While, ast.Assert)):
        yield "torch.Tensor.__bool__"
    elif isinstance(node, ast.For):
        yield "torch.Tensor.__iter__"


def _expression(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Call):
        dotted = _dotted(node.func)
        if dotted in FUNCTIONS and node.args and "." not in dotted:
            yield f"torch.Tensor.{FUNCTIONS[dotted]}"
        yield from _expression(node.func)
    elif isinstance(node, (ast.Name, ast.Attribute)):
        yield from _of_dotted(_dotted(node))
    elif isinstance(node, ast.Subscript):
        yield "torch.Tensor.__getitem__"
    elif isinstance(node, (ast.BinOp, ast.UnaryOp)):
        yield f"torch.Tensor.__{_OPERATORS[type(node.op)]}__"
    elif isinstance(node, ast.Compare):
        operator = _OPERATORS.get(type(node.ops[0]))
        yield from [f"torch.Tensor.__{operator}__"] if operator else []


def _of_dotted(dotted: str) -> Iterator[str]:
    first, _, rest = dotted.partition(".")
    if rest and dotted in FUNCTIONS:
        yield f"torch.Tensor.{FUNCTIONS[dotted]}"
    if first in ("np", "numpy") and rest:
        yield from [] if rest in ("array", "asarray") else [rest]  # the name in torch that does the same
        yield "torch.Tensor.__array__"
    elif first in ("torch", "functorch") or not rest:
        yield dotted
    elif first in MODULES:
        yield f"{MODULES[first]}.{rest}"
        yield rest
    else:
        # A call of a method of what another call gives, or of a variable.
        owner = VARIABLES.get(first, "torch.Tensor")
        last = dotted.rpartition(".")[2]
        yield from [dotted] if first[:1].isupper() else []
        yield f"{owner}.{last}"
        yield last


def _dotted(node: ast.expr) -> str:
    """Return the names of a chain of attributes; ``x`` stands for what is no name, such as a call."""
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "x"
