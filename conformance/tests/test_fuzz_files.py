"""Files from strangers: whatever they hold, a spec gives claims or problems and a result file results or a refusal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.base.codec import decode
from conformance.base.json_files import LARGEST, ResultError
from conformance.language.corpus import load_corpus, load_file
from conformance.language.problems import Problems
from conformance.language.sources import SourceList, read_sources
from conformance.results.model import Header
from conformance.results.origin import Origin
from conformance.results.store import load_results
from conformance.results.unfinished import read_unfinished
from conformance.tests.conftest import HEADER, claim_text
from conformance.tests.hanging import ends

TESTS = Path(__file__).parent
FOUND = TESTS / "fixtures" / "fuzz"
ROOT = TESTS.parents[1]

ordinary = settings(
    max_examples=200, deadline=5000, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.fixture(scope="module")
def sources() -> SourceList:
    return read_sources(ROOT / "spec" / "sources.yaml", Problems())


# What a spec or a result file is made of, so that the changes get past the first error.
PIECES = [
    *("subject", "claims", "id", "title", "family", "sources", "given", "do", "expect", "raises", "each", "diverges"),
    *("docs", "key", "article", "row", "torch.Tensor.detach", "tensor()", "y = x", "y is x", "values", "$name", "was"),
    *(
        ": ",
        "- ",
        "\n",
        "\n  ",
        "\n    ",
        "{",
        "}",
        "[",
        "]",
        "'",
        '"',
        "|",
        ">",
        "&a ",
        "*a",
        "<<",
        "!!python/name:os.system ",
    ),
    *(
        "---\n",
        "...",
        "%YAML 1.1\n",
        "# ",
        "\t",
        "\r\n",
        "\ufeff",
        "\x00",
        "\x1b[31m",
        "\u202e",
        "\ud7ff",
        "\U0001f600",
    ),
    *("verdict", "holds", "environment", "schema", "1", "-1", "1e999", "NaN", "null", "true", "<script>", "../../etc"),
]
text = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=60).map("".join)


def spoilt(content: bytes) -> st.SearchStrategy[bytes]:
    """Change a good file in a few places."""

    def change(places: list[tuple[int, int, bytes]]) -> bytes:
        changed = bytearray(content)
        for start, length, piece in places:
            start %= len(changed) + 1
            changed[start : start + length] = piece
        return bytes(changed)

    piece = st.sampled_from(PIECES).map(lambda piece: piece.encode("utf-8", "surrogatepass")) | st.binary(max_size=4)
    return st.lists(st.tuples(st.integers(0, len(content)), st.integers(0, 40), piece), max_size=6).map(change)


def check_spec(path: Path, sources: SourceList) -> None:
    claims, problems = load_file(path, sources)
    assert all(claim.id == f"{claim.subject}/{claim.slug}" for claim in claims)
    for problem in problems:
        assert len(str(problem)) < 1000
        assert str(problem).isprintable()


def check_results(path: Path) -> None:
    refused = ""
    try:
        assert all(entry.verdict for entry in load_results(path).claims.values())
    except ResultError as refusal:
        refused = str(refusal)
    assert len(refused) < 1000
    assert refused.isprintable()


GOOD_SPEC = (
    HEADER + claim_text("given: {x: tensor()}\ndo: y = x.detach()\nexpect: [y is not x, y.ndim == 1]")
).encode()
ENTRY: dict[str, Any] = {
    "id": "torch.a/b",
    "claim": "0123abcd",
    "verdict": "holds",
    "examples": 3,
    "covered": {"x": {"axes": [1, 2], "pairs": 1, "admitted": 2}},
    "example": {"x": "1"},
    "facts": {
        "names": {"y": {"value": "1", "flags": {"dtype": "float32", "leaf": True}}},
        "warns": [{"type": "UserWarning", "message": "so"}],
    },
    "sentences": ["0123abcd", None],
}
ENVIRONMENT = dict.fromkeys(("torch", "build", "python", "numpy", "hypothesis", "system", "machine"), "1") | {
    "device": "cpu"
}
HEAD: dict[str, Any] = {"schema": 2, "environment": ENVIRONMENT, "corpus": "0123456789ab", "examples": 20, "seed": 0}


def result_file(*documents: object) -> bytes:
    return "".join(f"{json.dumps(one, separators=(',', ':'))}\n" for one in documents).encode()


@ordinary
@given(
    content=spoilt(GOOD_SPEC) | text.map(lambda text: text.encode("utf-8", "surrogatepass")) | st.binary(max_size=300)
)
def test_any_spec_gives_claims_or_problems(tmp_path: Path, sources: SourceList, content: bytes) -> None:
    path = tmp_path / "made_up.yaml"
    path.write_bytes(content)
    check_spec(path, sources)


@ordinary
@given(content=spoilt(result_file(HEAD, ENTRY)) | text.map(str.encode) | st.binary(max_size=300))
def test_any_result_file_is_read_or_refused(tmp_path: Path, content: bytes) -> None:
    folder = tmp_path / "unfinished"
    folder.mkdir(exist_ok=True)
    path = folder / f"torch-1-cpu.{Origin.here(decode(Header, HEAD)).mark}.x.jsonl"
    path.write_bytes(content)
    check_results(path)
    for results in read_unfinished(tmp_path):
        assert all(entry.verdict for entry in results.claims.values())


documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(PIECES), inner, max_size=3),
    max_leaves=8,
)


@ordinary
@given(where=st.sampled_from([*HEAD, *ENTRY]), value=documents)
def test_any_value_anywhere_is_read_or_refused(tmp_path: Path, where: str, value: object) -> None:
    head, entry = ({**one, **({where: value} if where in one else {})} for one in (HEAD, ENTRY))
    path = tmp_path / "torch-1-cpu.jsonl"
    path.write_bytes(result_file(head, entry))
    check_results(path)


@pytest.mark.parametrize("path", sorted(FOUND.iterdir()), ids=lambda path: path.name)
def test_what_fuzzing_found_stays_mended(path: Path, sources: SourceList, tmp_path: Path) -> None:
    copy = tmp_path / path.name
    copy.write_bytes(path.read_bytes())
    with ends():
        if path.suffix == ".yaml":
            check_spec(copy, sources)
        else:
            check_results(copy)


HOSTILE_RESULTS = {
    "deep lists": b'{"schema": 2, "claims": ' + b"[" * 10**6,
    "deep mappings": b'{"a":' * 10**6,
    "a deep entry": result_file(HEAD) + b'{"id":"torch.a/b","facts":' + b"[" * 10**6,
    "a long number": b'{"schema": 2, "seed": ' + b"9" * 10**6 + b"}",
    "a long text": b'{"schema": "' + b"x" * 10**7 + b'"}',
    "many claims": result_file(HEAD) + b"".join(b'{"id":"%d",}\n' % n for n in range(200_000)),
    "a long id": result_file(HEAD) + b'{"id":"' + b"x" * 10**7 + b'",}\n',
    "zeros": bytes(10**6),
    "UTF-16": '{"schema": 2}'.encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf" + result_file(HEAD),
    "terminal escapes as format": json.dumps({"schema": "\x1b[31m"}).encode(),
    "a long format": json.dumps({"schema": "x" * 10**6}).encode(),
    "a deep format": b'{"schema": ' + b"[" * 500 + b"]" * 500 + b"}",
    "terminal escapes as a key": result_file({**HEAD, "\x1b[31m": 1}),
    "terminal escapes as an id": result_file(HEAD, {**ENTRY, "id": "\x1b[31m"}),
    "infinity": result_file({**HEAD, "examples": float("inf")}),
}


@pytest.mark.parametrize("name", HOSTILE_RESULTS)
def test_a_hostile_result_file_is_refused_in_bounded_time(name: str, tmp_path: Path) -> None:
    path = tmp_path / "torch-1-cpu.jsonl"
    path.write_bytes(HOSTILE_RESULTS[name])
    with ends(), pytest.raises(ResultError) as refused:
        dict(load_results(path).claims)
    assert len(str(refused.value)) < 1000
    assert str(refused.value).isprintable()


def test_a_result_file_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "torch-1-cpu.jsonl"
    with open(path, "wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(ResultError, match="larger than 64 MiB"):
        load_results(path)


@pytest.mark.parametrize("link", ["/etc/passwd", "..", "/dev/zero", "made_up.yaml"])
def test_a_link_that_leaves_the_folder_is_no_trap(tmp_path: Path, link: str) -> None:
    (tmp_path / "made_up.yaml").symlink_to(link)
    with ends():
        corpus, problems = load_corpus([tmp_path])
    assert not corpus.claims
    assert all(str(problem).isprintable() and "root:" not in str(problem) for problem in problems)


def test_the_name_of_a_file_does_not_drive_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "\x1b[31m\nE000.yaml").write_text("nothing\n")
    _, problems = load_corpus([tmp_path])
    assert problems
    assert all(str(problem).isprintable() for problem in problems)
