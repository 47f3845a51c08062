"""The arguments of a call, and whether a call matches."""

from __future__ import annotations

from pathlib import Path
from typing import Optional

import pytest

from conformance.usage import Call, Kind, TorchName, read_project
from conformance.usage.matching import (
    Breakage,
    Signature,
    bind,
    breakage,
    known_names,
    parse_signature,
)


def call_of(text: str, folder: Path, before: str = "") -> Call:
    path = folder / "code.py"
    path.write_text(f"import torch\nfrom torch import nn\n{before}\n{text}\n")
    last = [use for use in read_project([path]).uses() if use.kind is Kind.CALL][-1]
    assert last.call is not None
    return last.call


def signature(text: str) -> Signature:
    found = parse_signature(text)
    assert found is not None
    return found


DTYPES = [
    ("x < 0", "bool"),
    ("~(x < 0)", "bool"),
    ("(x < 0) & torch.isnan(x)", "bool"),
    ("x.eq(0).unsqueeze(0)", "bool"),
    ("torch.ones(2, dtype=torch.bool)", "bool"),
    ("x.to(torch.bool).cpu()", "bool"),
    ("torch.ones(2, dtype=torch.uint8)", "integer"),
    ("(x < 0).to(torch.uint8)", "integer"),
    ("(x < 0).view(torch.int8)", "integer"),
    ("x", None),
    ("unknown", None),
    ("(x < 0) * 2", "integer"),
    ("(x < 0) & unknown", None),
    ("-x.bool()", None),
    ("x.bool().sum()", None),
    ("x.bool().to(unknown)", None),
    ("x.bool() if unknown else x", None),
    ("x.eq_(0)", None),
    ("x.add(torch.inf)", None),
]


@pytest.mark.parametrize(
    ("form", "text", "expected"),
    [(form, *known) for form in ("torch.f({})", "y = {}; torch.f(y)") for known in DTYPES]
    # What is bound may be a number, or the tensor of another library.
    + [("torch.f({})", "unknown == 0", "bool"), ("y = {}; torch.f(y)", "unknown == 0", None)],
)
def test_it_is_known_what_an_argument_is_made_of(form: str, text: str, expected: Optional[str], tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text(f"import torch\ndef g(unknown, x: torch.Tensor):\n    {form.format(text)}\n")
    (call,) = (use.call for use in read_project([path]).uses() if use.names == ("torch.f",))
    assert call is not None
    assert call.positional[0].dtype == expected


VALUES = [
    ("torch.f(1)", 1),
    ("torch.f(-1.5)", -1.5),
    ("torch.f(None)", None),
    ("torch.f(True)", True),
    ("torch.f('abc')", "abc"),
    ("torch.f((1, -2))", (1, -2)),
    ("torch.f([1, 2])", (1, 2)),
    ("torch.f(torch.float64)", TorchName("torch.float64")),
    ("torch.f(nn.functional.relu)", TorchName("torch.nn.functional.relu")),
]


@pytest.mark.parametrize(("text", "value"), VALUES)
def test_a_literal_argument_is_known(text: str, value: object, tmp_path: Path) -> None:
    (argument,) = call_of(text, tmp_path).positional
    assert argument.known
    assert argument.value == value
    assert type(argument.value) is type(value)


BEFORE = [
    ("K = 3", "torch.f(K)", 3),
    ("K = 3\ndef g():\n    return K", "def h(): torch.f(K)", 3),
    ("def g():\n    k = 'a'", "    torch.f(k)", "a"),
]
UNKNOWN = [
    ("K = 3\nK = 4", "def h(): torch.f(K)"),
    ("if x: K = 3\nelse: K = 4", "torch.f(K)"),
    ("K = 3\nfor x in y:\n    K = x", "torch.f(K)"),
    ("K = 3\nwhile y:", "    torch.f(K); K = 4"),
    ("K = 3\ndef g():\n    global K\n    K = 4", "def h(): torch.f(K)"),
    ("", "def h(k=3): torch.f(k)"),
    ("", "torch.f(1 + 1)"),
    ("", "torch.f(g())"),
    ("", "torch.f('" + "a" * 500 + "')"),
    ("", "torch.f(1" + "0" * 500 + ")"),
]


@pytest.mark.parametrize(("before", "text", "value"), BEFORE)
def test_a_constant_is_known_by_its_name(before: str, text: str, value: object, tmp_path: Path) -> None:
    assert call_of(text, tmp_path, before).positional[0].value == value


@pytest.mark.parametrize(("before", "text"), UNKNOWN)
def test_what_may_change_is_not_known(before: str, text: str, tmp_path: Path) -> None:
    assert not call_of(text, tmp_path, before).positional[0].known


def test_the_class_of_an_argument_is_known_where_its_value_is_not(tmp_path: Path) -> None:
    path = tmp_path / "code.py"
    path.write_text("import torch\ntorch.f(torch.zeros(3), x=torch.nn.Linear(1, 2))\n")
    (use,) = [use for use in read_project([path]).uses() if use.names == ("torch.f",)]
    assert use.call is not None
    assert use.call.positional[0].type == "torch.Tensor"
    assert use.call.keywords[0][1].type == "torch.nn.Linear"


def test_stars_leave_arguments_open(tmp_path: Path) -> None:
    call = call_of("torch.f(1, *a, b=2, **c)", tmp_path)
    assert len(call.positional) == 1
    assert (call.more_positional, call.more_keywords) == (True, True)
    assert [name for name, _ in call.keywords] == ["b"]


@pytest.mark.parametrize("text", ["x.view(2)", "torch.Tensor.view(x, 2)"])
def test_the_object_of_a_method_is_no_argument(text: str, tmp_path: Path) -> None:
    assert [each.value for each in call_of(text, tmp_path, "x = torch.zeros(3)").positional] == [2]


BREAKAGES = [
    ("torch.f(1, b=2)", "(a, b=None)", "(a)", Breakage(gone=("b",))),
    ("torch.f(1, 2)", "(a, b=None)", "(a)", Breakage(gone=("b",))),
    ("torch.f(1)", "(a, b=None)", "(a)", Breakage()),
    ("torch.f(1, b=2)", "(a, b=None)", "(a, **k)", Breakage()),
    ("torch.f(1, z=2)", "(a)", "(a)", Breakage()),
    ("torch.f(1)", "(a)", "(a, b)", Breakage(missing=("b",))),
    ("torch.f(1, b=2)", "(a, b=0)", "(a, b)", Breakage()),
    ("torch.f(1)", "(a, b=0)", "(a, b)", Breakage(missing=("b",))),
    ("torch.f(1, **k)", "(a, b=0)", "(a, b)", Breakage(missing=("b",), is_certain=False)),
    ("torch.f(1)", "(a, b=0)", "(a, b=1)", Breakage(defaults=(("b", "0", "1"),))),
    ("torch.f(1, 5)", "(a, b=0)", "(a, b=1)", Breakage()),
    ("torch.f(1, 2)", "(a, b)", "(b, a)", Breakage(moved=(("a", "b"), ("b", "a")))),
    ("torch.f(1, 2)", "(a, b, c=0)", "(a, c=0)", Breakage(moved=(("b", "c"),))),
    ("torch.f(1)", "(a)", "(x)", Breakage()),
    ("torch.f(a=1)", "(a)", "(x)", Breakage(gone=("a",), missing=("x",))),
]


@pytest.mark.parametrize(("text", "old", "new", "expected"), BREAKAGES)
def test_a_new_signature_breaks_calls_by_what_they_pass(
    text: str, old: str, new: str, expected: Breakage, tmp_path: Path
) -> None:
    found = breakage(call_of(text, tmp_path), signature(old), signature(new))
    assert found == expected
    assert bool(found) == (expected != Breakage())


def test_arguments_are_bound_to_parameters(tmp_path: Path) -> None:
    bound = bind(call_of("torch.f(1, 2, 3, d=4, e=5)", tmp_path), signature("(a, /, b, *, c, d=0)"))
    assert {name: argument.value for name, argument in bound.passed.items()} == {"a": 1, "b": 2, "d": 4}
    assert (bound.unexpected, bound.missing, bound.too_many) == (("e",), ("c",), 1)


@pytest.mark.parametrize("text", ["", "no", "(a", "(" * 500])
def test_no_signature_is_read_where_there_is_none(text: str) -> None:
    assert parse_signature(text) in (None, ())


NAMES = [
    ("torch.load(p)", {"torch.load"}, ["torch.load"]),
    ("torch.jit.load(p)", {"torch.load"}, []),
    ("torch.linalg.svd(p)", {"torch.svd", "torch.Tensor.svd"}, []),
    ("torch.nn.modules.conv.Conv2d(1, 2, 3)", {"torch.nn.Conv2d"}, ["torch.nn.Conv2d"]),
    ("torch.nn.parameter.Parameter(x)", {"torch.nn.Parameter"}, ["torch.nn.Parameter"]),
    ("torch.optim.sgd.SGD(x)", {"torch.optim.SGD", "torch.optim.sgd.SGD"}, ["torch.optim.sgd.SGD"]),
    ("x.to(1)", {"torch.nn.Module.to", "torch.nn.utils.rnn.PackedSequence.to"}, ["torch.nn.Module.to"]),
]


@pytest.mark.parametrize(("text", "known", "expected"), NAMES)
def test_a_name_is_known_as_itself_or_as_it_is_documented(
    text: str, known: set[str], expected: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "code.py"
    path.write_text(f"import torch\n{text}\n")
    (use,) = read_project([path]).uses()
    assert list(known_names(use, known)) == expected
