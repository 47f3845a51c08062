"""Reading YAML: hostile files get a clear message in bounded time, and places are exact."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import yaml

from conformance.language import documents
from conformance.language.documents import MAXIMUM_BYTES, Mapping, Scalar, read_document
from conformance.language.problems import Problems
from conformance.language.yaml_lookalikes import surprise
from conformance.tests.hanging import ends

LINT = Path(__file__).parent / "fixtures" / "lint"


def read(text: str) -> tuple[documents.Document, list[str]]:
    problems = Problems()
    document = read_document("spec.yaml", text.encode(), problems)
    assert document is not None
    return document, [problem.code for problem in problems.sorted()]


def hostile() -> dict[str, bytes]:
    aliases = "a: &a [x, x, x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(20)
    )
    return {
        "many brackets": b"[" * 200_000,
        "many lines of brackets": b"[\n" * 100_000,
        "many braces": b"{a: " * 60_000,
        "many dashes": b"- " * 100_000,
        "lines of dashes": b"".join(b" " * n + b"-\n" for n in range(600)),
        "many questions": b"? " * 100_000,
        "aliases of aliases": aliases.encode(),
        "an object": b"subject: !!python/object/apply:os.system [exit]\n",
        "zeros": b"\0" * 200_000,
        "random bytes": bytes(range(256)) * 900,
        "too large": b"a" * (MAXIMUM_BYTES + 1),
        "one long line": b"subject: " + b"x" * 200_000,
        "many keys": b"".join(b"k%d: 1\n" % n for n in range(20_000)),
        "many equal keys": b"k: 1\n" * 20_000,
        "many tabs": b"\t\n" * 100_000,
        "many surprises": b"claims:\n" + b"- no\n" * 40_000,
        "a never closed quote": b"subject: '" + b"x\n" * 100_000,
        "many documents": b"---\n" * 60_000,
        "many anchors": b"- &a x\n" * 30_000,
        "deep python": b"subject: torch.Tensor.x\nclaims:\n- do: |\n   " + b"(" * 3000 + b"\n",
        "long python": b"subject: torch.Tensor.x\nclaims:\n- do: |\n" + b"   x = 1\n" * 20_000,
        "unary python": b"subject: torch.Tensor.x\nclaims:\n- expect: '" + b"-" * 3900 + b"x'\n",
        "powers": b"subject: torch.Tensor.x\nclaims:\n- expect: x == 9**9**9**9**9\n",
    }


@pytest.mark.parametrize("name", sorted(hostile()))
def test_a_hostile_file_gets_problems_in_bounded_time(name: str, tmp_path: Path) -> None:
    from conformance.language.corpus import load_corpus

    path = tmp_path / "hostile.yaml"
    path.write_bytes(hostile()[name])
    with ends():
        corpus, problems = load_corpus([path])
    assert corpus.claims == ()
    assert problems
    for problem in problems:
        assert len(str(problem)) < 700
        assert str(problem).isprintable()


def test_no_change_to_a_file_makes_the_checker_fail(tmp_path: Path) -> None:
    from conformance.language.corpus import load_corpus

    choose = random.Random(0)
    originals = [path.read_bytes() for path in sorted(LINT.glob("*.yaml"))]
    pieces = [
        piece.encode()
        for piece in ("'", '"', "{", "}", "[", "]", ": ", "- ", "\n", "  ", "$op", "|", ">", "(", ")", "é")
    ]
    path = tmp_path / "changed.yaml"
    for _ in range(300):
        content = bytearray(choose.choice(originals))
        for _ in range(choose.randint(1, 5)):
            start = choose.randrange(len(content) + 1)
            if choose.random() < 0.5:
                content[start:start] = choose.choice(pieces)
            else:
                del content[start : start + choose.randint(1, 30)]
        path.write_bytes(bytes(content))
        lines = bytes(content).decode("utf-8", "replace").split("\n")
        for problem in load_corpus([path], LINT / "spec")[1]:
            place = problem.place
            assert 1 <= place.line <= len(lines) + 1
            assert 1 <= place.column <= len([*lines, ""][place.line - 1]) + 2


def test_the_slow_parser_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a: {b: 'it''s', c: [x, y]}\nd: |\n  one\n  two\n"
    fast, _ = read(text)
    monkeypatch.setattr(documents, "_LOADER", yaml.SafeLoader)
    slow, codes = read(text)
    assert codes == []
    assert shown(slow.root) == shown(fast.root)


def shown(node: object) -> object:
    if isinstance(node, Scalar):
        return node.value, node.style, node.line, node.column
    if isinstance(node, Mapping):
        return {name: shown(value) for name, value in node.entries.items()}
    return [shown(item) for item in node.items]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "written",
    [
        "plain text here",
        "'quoted text'",
        "'日本語 and é'",
        "|\n   first\n     indented\n\n   last",
        "|2\n    indented from the start\n  end",
        "|-\n   stripped",
    ],
)
def test_every_character_is_found_where_it_stands(written: str) -> None:
    text = f"before: 1\nkey: {written}\nafter: 2\n"
    document, scalar = key_of(text)
    lines = text.split("\n")
    for offset, character in enumerate(scalar.value):
        place = document.place_in(scalar, offset)
        assert lines[place.line - 1][place.column - 1 :][:1] == character.strip("\n")


@pytest.mark.parametrize(
    ("written", "start"),
    [
        ("plain text\n   on two lines", "2:6"),
        ("'quoted ''with'' quotes'", "2:7"),
        ('"escaped \\u00e9"', "2:7"),
        ("'''quoted'' at the start'", "2:6"),
        (">\n   folded\n   words\n", "3:4"),
    ],
)
def test_text_that_yaml_folds_or_unescapes_is_found_where_it_starts(written: str, start: str) -> None:
    document, scalar = key_of(f"before: 1\nkey: {written}\nafter: 2\n")
    places = {str(document.place_in(scalar, offset)) for offset in range(len(scalar.value))}
    assert places == {f"spec.yaml:{start}"}


def key_of(text: str) -> tuple[documents.Document, Scalar]:
    document, _ = read(text)
    assert isinstance(document.root, Mapping)
    scalar = document.root.entries["key"]
    assert isinstance(scalar, Scalar)
    return document, scalar


@pytest.mark.parametrize(
    ("value", "surprising"),
    [
        *((word, True) for word in ("yes", "No", "ON", "off", "true", "False", "null", "~", "=", ".inf", "-.NaN")),
        *(
            (word, True)
            for word in ("010", "0o17", "0x1F", "1:30", "190:20:30", "1e3", "1.5E-3", "1_000", "3", "1.5", "+2")
        ),
        *((word, True) for word in ("2023-02-26", "2023-02-26 10:00:00")),
        *(
            (word, False)
            for word in ("y", "n", "nope", "0.4.0", "1.2.3", "A1", "x", "e3", "one 1", "-", "1 + 1", "none")
        ),
    ],
)
def test_what_yaml_may_read_as_something_else(value: str, surprising: bool) -> None:
    assert bool(surprise(value)) is surprising


def test_everything_that_pyyaml_reads_as_something_else_is_a_surprise() -> None:
    for word in ["yes", "Off", "012", "0b11", "1_0", "1:2:3", "1.", ".5", "1.0e+3", "2020-01-01", "~", "0", "-1"]:
        assert not isinstance(yaml.safe_load(word), str)
        assert surprise(word)
