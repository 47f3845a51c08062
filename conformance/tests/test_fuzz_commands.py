"""Each command, on a result file or a spec changed at random, works or says what is wrong: never a traceback."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.__main__ import main
from conformance.base import recorded_folder as recorded
from conformance.base.codec import encode
from conformance.language.corpus import Corpus, default_root, load_corpus
from conformance.results.model import (
    Coverage,
    Entry,
    Environment,
    Fact,
    Facts,
    FailedPart,
    Flags,
    Header,
    Signal,
    Tiers,
    WeakEvidence,
)

ROOT = Path(__file__).resolve().parents[2]
SPEC = """subject: torch.Tensor.detach
claims:
  - id: shares
    title: The result shares memory
    family: sharing
    sources: [{docs: torch.Tensor.detach, key: detached from the current graph, says: states}]
    given: {x: tensor()}
    do: y = x.detach()
    expect: ["shares_storage(y, x)", not y.requires_grad]
    diverges:
      - where: x.is_neg()
        kind: torch-bug
        instead: {expect: ["not shares_storage(y, x)"]}
        example: {x: "torch.zeros(2)"}
        note: A copy is made.
        link: none-filed
  - id: raises
    title: A wrong shape is an error
    family: errors
    sources: [{docs: torch.Tensor.detach, key: detached from the current graph, says: states}]
    given: {x: tensor(min_ndim=1)}
    do: x.reshape(-2)
    raises: {type: RuntimeError, message: invalid shape}
  - id: open
    title: Whether it is a view is left open
    family: sharing
    sources: [{docs: torch.Tensor.detach, key: detached from the current graph, says: states}]
    given: {x: tensor()}
    do: y = x.detach()
    guarantee: unspecified
    expect: y.is_leaf
"""
ENVIRONMENT = Environment("2.13.0", "cpu", "3.11", "2.0.0", "cpu", "linux", "x86_64", "6.1")
HEADER = Header(2, ENVIRONMENT, "0123456789ab", 20, 0)
FLAGS = Flags("float32", leaf=True, grad_fn="AliasBackward0", shares=("x",))
FULL = Entry(
    "00000000",
    "diverges",
    5,
    {"x": Coverage((1, 2), 3, 4)},
    {"RuntimeError": ("Half",)},
    ("Half",),
    (WeakEvidence("V001", "weak"),),
    Tiers("always", "sometimes", "never"),
    ("always",),
    {"x": "torch.zeros(2)"},
    Facts(Signal("RuntimeError", "N"), (Signal("UserWarning", "so"),), {"y": Fact("tensor([1.])", FLAGS)}),
    ("0123abcd",),
    (0,),
    (1, 64),
    {"clone": (1.0, 2.5)},
    FailedPart("expect", 0, "shares_storage(y, x)"),
    "y = tensor([1.])",
    "import torch\n",
)
HOSTILE = "\x1b[2J\u202e\r\u2028\ud800<script>"
#: What a stranger may write where something else is expected.
values: st.SearchStrategy[object] = st.sampled_from(
    [
        *(None, True, -1, 0.0, 1.5, 1e308, 99, 2**53, 10**4000, "", "x" * 20_001, "9" * 100, "9" * 5000, HOSTILE),
        *([], [0.0], [-1], [99], [None], [HOSTILE], {}, {"raises": []}, {"y": {}}, {HOSTILE: HOSTILE}),
        *("holds", "refuted", "crashed", "inapplicable", "cuda", "0.0.0", "none", "nan", "2.13", "../../etc"),
    ]
)
bounded = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    """A checkout of its own, whose corpus is small."""
    root = tmp_path_factory.mktemp("checkout")
    (root / "spec" / "tensor").mkdir(parents=True)
    (root / "spec" / "tensor" / "detach.yaml").write_text(SPEC, encoding="utf-8")
    (root / "spec" / "sources.yaml").write_bytes((ROOT / "spec" / "sources.yaml").read_bytes())
    (root / "docs" / "results" / "names").mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recorded, "_PACKAGE", root / "conformance")
        corpus, problems = load_corpus([default_root()])
        assert problems == []
        yield corpus


def run(*arguments: object) -> tuple[int, str]:
    """Run a command in this process; return its status and all that it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        status = main([str(argument) for argument in arguments])
    return status, printed.getvalue()


def harmless(*arguments: object) -> None:
    """Check that a command ends as commands do, says something, and drives no terminal."""
    status, printed = run(*arguments)
    assert status in (0, 1, 2, 3), printed
    assert printed.strip()
    assert printed.replace("\n", "").isprintable(), printed


def result_lines(corpus: Corpus) -> list[dict[str, Any]]:
    """Return the lines of a result file in which each entry has every field."""
    entries = [{"id": claim.id, **encode(replace(FULL, claim=claim.fingerprint()))} for claim in corpus.claims]
    return [encode(HEADER), *entries]


def places(document: object) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each value in a document of JSON."""
    pairs = document.items() if isinstance(document, dict) else enumerate(document) if type(document) is list else ()
    for key, inner in pairs:
        yield (key,)
        yield from ((key, *rest) for rest in places(inner))


def put(document: Any, way: tuple[Any, ...], value: object) -> None:
    """Replace a value in a document of JSON, where an earlier change has left the way to it."""
    with contextlib.suppress(LookupError, TypeError):
        for key in way[:-1]:
            document = document[key]
        document[way[-1]] = deepcopy(value)


def as_line(document: object) -> str:
    return json.dumps(document, separators=(",", ":")) + "\n"


def write_results(folder: Path, lines: list[dict[str, Any]]) -> Path:
    path = folder / "torch-2.13.0-cpu.jsonl"
    path.write_text("".join(map(as_line, lines)), encoding="utf-8")
    return path


def check_commands(folder: Path, lines: list[dict[str, Any]], old: list[dict[str, Any]]) -> None:
    older = folder / "old" / "torch-2.12.1-cpu.jsonl"
    older.parent.mkdir(exist_ok=True)
    older.write_text("".join(map(as_line, old)), encoding="utf-8")
    path = write_results(folder, lines)
    for name in ("detach", "torch.Tensor.detach/shares"):
        harmless("show", name, "--results", folder)
    harmless("upgrade", older, path, "--results", folder, "--all")
    harmless("upgrade", path, older, "--results", folder, "--json")
    harmless("merge", path, older, "--output", folder / "merged")
    harmless("report-docs", "torch.Tensor.detach/shares", "--results", folder)


WAYS = list(places([encode(HEADER), {"id": "", **encode(FULL)}]))


@bounded
@given(changes=st.lists(st.tuples(st.sampled_from(WAYS), values), min_size=1, max_size=3), everywhere=st.booleans())
def test_a_changed_result_file_is_used_or_refused(
    small: Corpus, tmp_path: Path, changes: list[tuple[tuple[Any, ...], object]], everywhere: bool
) -> None:
    old, lines = result_lines(small), result_lines(small)
    for (number, *way), value in changes:
        for line in [number] if number == 0 or not everywhere else range(1, len(lines)):
            put(lines, (line, *way), value)
    check_commands(tmp_path, lines, old)


@pytest.mark.parametrize(
    ("way", "value"),
    [
        (("environment", "torch"), "none"),
        (("environment", "torch"), "9" * 100),
        (("environment", "torch"), "9" * 5000),
        (("environment", "torch"), HOSTILE),
        (("environment", "build"), HOSTILE),
        (("void",), HOSTILE),
        (("divergence",), [0.0]),
        (("divergence",), [-1]),
        (("divergence",), [99]),
        (("facts",), {"raises": []}),
        (("failed",), {"kind": "expect", "position": 99}),
        (("failed",), {"kind": "raises", "tier": None}),
        (("observed",), ["always"] * 9),
        (("sentences",), [None] * 9),
        (("example",), {HOSTILE: HOSTILE}),
        (("detail",), HOSTILE),
        (("counterexample",), HOSTILE),
        (("verdict",), "unspecified"),
    ],
)
def test_a_field_that_a_stranger_wrote_is_used_or_refused(
    small: Corpus, tmp_path: Path, way: tuple[str, ...], value: object
) -> None:
    old, lines = result_lines(small), result_lines(small)
    for line in lines[:1] if way[0] in ("environment", "void") else lines[1:]:
        put(line, way, value)
    check_commands(tmp_path, lines, old)


def spoilt(content: bytes) -> st.SearchStrategy[bytes]:
    """Change a good file in a few places."""
    pieces = st.sampled_from(
        [
            *(b"", b"\n", b": ", b"- ", b"{", b"}", b"[", b"]", b"'", b'"', b"|", b"$a", b"&a", b"*a", b"<<", b"\x1b"),
            *(
                b'"\\e[31m"',
                b'"\\u202e"',
                b'"\\uD800"',
                "\u202e".encode(),
                b"\xff",
                b"x.is_leaf",
                b"claims",
                b"lambda: 0",
            ),
        ]
    )

    def change(places: list[tuple[int, int, bytes]]) -> bytes:
        changed = bytearray(content)
        for start, length, piece in places:
            changed[start : start + length] = piece
        return bytes(changed)

    places = st.tuples(st.integers(0, len(content)), st.integers(0, 12), pieces)
    return st.lists(places, min_size=1, max_size=4).map(change)


@bounded
@given(content=spoilt(SPEC.encode()))
def test_a_changed_spec_is_used_or_refused(small: Corpus, tmp_path: Path, content: bytes) -> None:
    path = small.root / "tensor" / "detach.yaml"
    folder = tmp_path / "results"
    folder.mkdir(exist_ok=True)
    results = write_results(folder, result_lines(small))
    try:
        path.write_bytes(content)
        harmless("check", path)
        harmless("show", "detach", "--results", folder)
        harmless("upgrade", results, results, "--specs", path)
        harmless("report-docs", "--results", folder, "--output", tmp_path / "issues")
    finally:
        path.write_text(SPEC, encoding="utf-8")


@pytest.mark.parametrize("escape", ["\\e[31m", "\\u202e", "\\uD800", "\\x9b", "\\L", "\\0"])
@pytest.mark.parametrize("key", ["title", "do", "key", "note"])
def test_an_escape_of_yaml_makes_no_control_character(small: Corpus, tmp_path: Path, escape: str, key: str) -> None:
    lines = [
        line if line.strip().split(": ")[0].lstrip("- ") != key else f'{line.split(": ")[0]}: "a = 1 {escape}"'
        for line in SPEC.splitlines()
    ]
    text = (
        "\n".join(lines).replace("key: detached", f'key: "{escape}", x: detached') if key == "key" else "\n".join(lines)
    )
    path = tmp_path / "detach.yaml"
    path.write_text(text + "\n", encoding="utf-8")
    status, printed = run("check", path)
    assert status == 2
    assert printed.replace("\n", "").isprintable()
    assert "E003" in printed or "not YAML" in printed
    assert load_corpus([path])[0].claims == ()
