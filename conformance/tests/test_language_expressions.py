"""Names and syntax of Python in a spec."""

from __future__ import annotations

import pytest

from conformance.language.expressions import BUILTINS, expression, statements


def undefined(text: str, *defined: str) -> list[str]:
    code = statements(text)
    assert code.mistake is None
    return [name.name for name in code.undefined(BUILTINS | set(defined))]


@pytest.mark.parametrize(
    "text",
    [
        "y = x; z = y",
        "for i, (a, b) in enumerate(x): c = i + a\nd = c",
        "with open(x) as f: y = f\nz = y",
        "def f(a, *b, c=x, **d): return a, b, c, d, later\nlater = 1\nf(1)",
        "y = [a + b for a in x for b in a if b]",
        "y = {a: b for a, b in x}",
        "y = lambda a, b=x: a + b",
        "import copy, os.path\nfrom math import pi as p\ncopy, os, p",
        "try:\n  y = x\nexcept ValueError as error:\n  y = error",
        "if (n := x): m = n\nm",
        "class A(list):\n  k = 1\n  def f(self): return self\nA",
        "y = [n := 1, n]",
        "y = [(m := a) for a in x]\nm",
        "while x: break",
        "y: int = x",
        "x += 1",
        "del x",
        "y, *z = x\nz",
        "é = x\né",
        "def f():\n  return g()\ndef g(): return f\nf()",
        "y = (lambda: (yield))",
        "global_ = [x for x in x]",
    ],
)
def test_names_that_code_defines_are_defined(text: str) -> None:
    assert undefined(text, "x") == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("y = z", ["z"]),
        ("y = z\nz = 1", ["z"]),
        ("y += 1", ["y"]),
        ("y = [a for a in b]\na", ["b", "a"]),
        ("y = [a for a in a]", ["a"]),
        ("def f(a=b): return c", ["b", "c"]),
        ("y = lambda a: a + b", ["b"]),
        ("for i in j: pass", ["j"]),
        ("try: pass\nexcept Missing as e: e", ["Missing"]),
        ("del y", ["y"]),
        ("y = f'{z}'", ["z"]),
        ("ExceptionGroup", ["ExceptionGroup"]),
        ("exit()", ["exit"]),
        ("y.z = 1", ["y"]),
        ("y[i] = 1", ["y", "i"]),
    ],
)
def test_names_that_nothing_defines_are_found_in_order(text: str, names: list[str]) -> None:
    assert undefined(text) == names


@pytest.mark.parametrize(
    ("text", "offset"),
    [("x == = 1", 5), ("x ==", 4), ("  x == = 1", 7), ("é == = 1", 5), ("(x,\n y == = 1)", 10), ("x if", 4)],
)
def test_a_mistake_is_found_where_it_is(text: str, offset: int) -> None:
    mistake = expression(text).mistake
    assert mistake is not None
    assert mistake.offset == offset


@pytest.mark.parametrize(
    "text", ["match x:\n  case 1: pass", "y = 1\nreturn y", "yield x", "await x", "x = 1\n  y = 2", "\0"]
)
def test_what_python_3_9_can_not_run_at_the_top_is_a_mistake(text: str) -> None:
    assert statements(text).mistake is not None


def test_a_statement_is_not_an_expression() -> None:
    mistake = expression("y = 1").mistake
    assert mistake is not None
    assert "write it in `do`" in mistake.message
