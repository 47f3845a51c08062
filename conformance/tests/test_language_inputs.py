"""What the checker accepts of an input, a run can draw: each kind is tried with all sorts of values."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from inspect import Parameter
from pathlib import Path

import pytest

from conformance.inputs.choices import CanonicalChoices, Choices, SweepChoices
from conformance.inputs.given import Given, NoSuchInput
from conformance.language.corpus import load_corpus
from conformance.language.model import Claim
from conformance.language.vocabulary import Word, input_kinds
from conformance.names.signatures import is_positional, is_single

#: Values to give to each argument, separated by spaces.
VALUES = """
None True False 0 1 3 5 7 -1 1.5 1e999 () (2,3) [2,-1] (2,'a') 'contiguous' 'conj' 'fortran' 'leaf' 'inference' 'C'
'swapped' 'cpu' 'meta' 'bogus' ['sliced','offset'] ['sliced','bogus'] 'float32' 'float' 'str' ['int8','float64'] '23'
torch.float32 torch.double torch.bogus [torch.int8,torch.float32] [torch.int8,None] torch.bool np.float32 np.bool_
np.bogus np.pi np.array float bytes dict floating unsupported numeric complex 'floating' x a m
device (lambda:0) {'k':1} [{'k':torch.int8}] print ... b'x' 2j tensor()
""".split()  # noqa: SIM905
BEFORE = {"x": "tensor(min_size=1, min_ndim=1)", "a": "array(min_size=1)", "n": "integer(1, 2)", "m": "module()"}
CLAIM = """
  - id: call-{number}
    title: Something is so
    family: values
    sources: [{{key: few words}}]
    given: {given}
    do: y = repr((x, a, n, m, value))
    expect: y != 'z'
"""
#: Calls in which two arguments matter together.
PAIRS = """
tensor(min_ndim=5)
tensor(max_ndim=6, min_ndim=5)
tensor(min_ndim=3, max_ndim=2)
tensor(ndim=5, min_ndim=6)
tensor(dtype=x.dtype)
tensor(min_ndim=x.ndim)
tensor(shape=(1,), min_ndim=5)
tensor(floating, dtype=torch.int8)
tensor('floating', complex)
array(min_ndim=5)
array(max_ndim=0, min_ndim=1)
integer(3, 1)
integer(max=0, min=1)
numbers(min_ndim=4)
numbers(max_ndim=0, min_ndim=0)
shape(min_ndim=5)
shape(0, 5)
one_of(1, 'a', None)
one_of(*[1, 2])
one_of(n)
""".strip().splitlines()
USUAL = """
tensor(dtype=torch.float32)
tensor(dtype=torch.double)
tensor(dtype='float32')
tensor(dtype=x.dtype)
tensor(ndim=3)
tensor(max_ndim=6, min_ndim=5)
tensor(layout=['sliced','offset'])
tensor(state='inference')
tensor(shape=(2,3))
tensor(requires_grad=None)
tensor(device=device)
tensor(numeric)
tensor('floating')
tensor_like(x, numeric)
array(unsupported)
array(order='C')
array(dtype=np.float32)
array(dtype=float)
dim_of(x)
dim_of(a)
one_of(torch.float32)
one_of({'k':1})
one_of(n)
one_of(1, 'a', None)
number(numeric)
numbers(max_ndim=0, min_ndim=0)
integer(1, 3)
""".strip().splitlines()


def calls() -> Iterator[str]:
    for kind in input_kinds().values():
        required = {one.name: one for one in kind.parameters if is_single(one) and one.default is Parameter.empty}
        for parameter in kind.parameters:
            for value in VALUES:
                yield _call(kind, {**dict.fromkeys(required, "x" if "x" in required else "1"), parameter.name: value})
    yield from PAIRS


def _call(kind: Word, values: dict[str, str]) -> str:
    variable = [one.name for one in kind.parameters if one.kind is Parameter.VAR_POSITIONAL]
    plain = [values[one.name] for one in kind.parameters if one.name in values and is_positional(one)]
    more = [values[name] for name in variable if name in values]
    named = [
        f"{one.name}={values[one.name]}"
        for one in kind.parameters
        if one.kind is Parameter.KEYWORD_ONLY and one.name in values
    ]
    return f"{kind.name}({', '.join((*plain, *more, *named))})"


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], dict[str, Claim]]:
    """All calls, and the claims on those that the checker accepts."""
    every = list(dict.fromkeys(calls()))
    folder = tmp_path_factory.mktemp("specs")
    for first in range(0, len(every), 500):
        claims = [
            CLAIM.format(number=number, given=json.dumps({**BEFORE, "value": call}))
            for number, call in enumerate(every[first : first + 500], first)
        ]
        text = "subject: mylib.flat\nclaims:" + "".join(claims)
        (folder / f"calls-{first}.yaml").write_text(text, encoding="utf-8")
    corpus, problems = load_corpus([folder])
    assert {problem.code for problem in problems} <= {"E202", "E206", "E216"}, problems[:3]
    return every, {every[int(claim.slug.partition("-")[2])]: claim for claim in corpus.claims}


def _draw(claim: Claim, choices: Choices) -> None:
    with suppress(NoSuchInput):  # this torch lacks it, or nothing has all the properties
        Given(claim.given, "cpu").draw(choices)


def test_what_the_checker_accepts_can_be_drawn(checked: tuple[list[str], dict[str, Claim]]) -> None:
    every, accepted = checked
    assert len(every) > 2000
    assert len(accepted) > 300
    refused = []
    for call, claim in accepted.items():
        try:
            for choices in (CanonicalChoices(), SweepChoices(1), SweepChoices(2)):
                _draw(claim, choices)
        except Exception as error:
            refused.append(f"{call}: {type(error).__name__}: {error}")
    assert refused == []


def test_the_checker_accepts_what_is_usual(checked: tuple[list[str], dict[str, Claim]]) -> None:
    every, accepted = checked
    assert set(USUAL) - set(every) == set()
    assert set(USUAL) - set(accepted) == set()


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        ("tensor(torch.float32)", "torch.float32 is not a class of dtypes; write dtype=torch.float32"),
        ("tensor(layout='transpose')", "did you mean 'transposed'?"),
        ("tensor(dtype='float')", "a dtype of a tensor is torch.float32, 'float32' or the like"),
        ("tensor(min_ndim=5)", "min_ndim is 5, and max_ndim is only 4"),
        ("tensor(ndim=7)", "ndim=7: it is a whole number from 0 to 6"),
        ("one_of(print)", "the repr of print does not give it back"),
        ("dim_of(3)", "x=3: it is an earlier input of tensor,"),
    ],
)
def test_a_value_that_no_kind_takes_is_told_with_what_it_takes(tmp_path: Path, call: str, advice: str) -> None:
    text = f"""\
        subject: mylib.flat
        claims:
          - id: one
            title: Something is so
            family: values
            sources: [{{key: few words}}]
            given: {{value: "{call}"}}
            do: y = repr(value)
            expect: y != 'z'
        """
    (tmp_path / "one.yaml").write_text(textwrap.dedent(text), encoding="utf-8")
    [problem] = load_corpus([tmp_path])[1]
    assert advice in problem.message
