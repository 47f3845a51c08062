"""A name is found without reading the whole corpus, and what is found is the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conformance.language import lookup
from conformance.language.corpus import default_root, load_corpus
from conformance.language.lookup import UnknownName, find_anywhere, find_claims, may_have


@pytest.mark.parametrize(
    "text",
    [
        "subject: torch.Tensor.detach",
        "subject: 'torch.Tensor.detach'  # a comment",
        '"subject": "torch.Tensor.detach"',
        "each: [{id: a, subject: torch.Tensor.detach}, {id: b, subject: torch.add}]",
        "subject: torch.Tensor.$op",
        "subject: ${name}",
        'subject: "torch.\\x54ensor.detach"',
        "subject:\n  torch.Tensor.detach",
        "? subject\n: torch.Tensor.detach",
        "subject: &name torch.Tensor.detach",
        "each: {columns: [id, subject], rows: [[a, torch.Tensor.detach]]}",
    ],
)
@pytest.mark.parametrize("name", ["detach", "Tensor.detach", "torch.Tensor.detach", "torch.Tensor.detach/a/b"])
def test_a_file_that_may_have_the_name_is_read(text: str, name: str) -> None:
    assert may_have(text.encode(), name)


@pytest.mark.parametrize(
    "text",
    ["subject: torch.add", "docs: $subject", "do: y = x.detach()", "subject: torch.detach_", "# its own subject."],
)
def test_a_file_of_other_subjects_is_not_read(text: str) -> None:
    assert not may_have(text.encode(), "detach")


def test_no_claim_of_the_corpus_is_overlooked() -> None:
    corpus, _ = load_corpus([default_root()])
    contents = {path: Path(path).read_bytes() for path in {claim.place.path for claim in corpus.claims}}
    named = {(claim.place.path, claim.subject) for claim in corpus.claims}
    assert [one for one in named if not may_have(contents[one[0]], one[1].rsplit(".", 1)[-1])] == []
    ids = [claim for claim in corpus.claims if not may_have(contents[claim.place.path], claim.id)]
    assert ids == []


def test_a_short_name_finds_the_claims_of_every_subject_that_ends_in_it() -> None:
    claims = find_claims("reshape")
    assert {claim.subject for claim in claims} == {"torch.Tensor.reshape", "torch.reshape"}
    assert list(claims) == sorted(claims, key=lambda claim: (claim.subject, claim.place))


def test_an_id_finds_one_claim() -> None:
    [claim] = find_claims("torch.Tensor.detach/shares-storage")
    assert claim.id == "torch.Tensor.detach/shares-storage"


def test_an_earlier_id_finds_the_claim_in_any_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (default_root() / "tensor" / "detach.yaml").read_text(encoding="utf-8")
    moved = re.sub(r"- id: shares-storage\n", "- id: shares-storage\n    was: [torch.gone/old-id]\n", text)
    (tmp_path / "tensor").mkdir()
    (tmp_path / "tensor" / "detach.yaml").write_text(moved, encoding="utf-8")
    sources = (default_root() / "sources.yaml").read_text(encoding="utf-8")
    (tmp_path / "sources.yaml").write_text(sources, encoding="utf-8")
    monkeypatch.setattr(lookup, "default_root", lambda: tmp_path)
    monkeypatch.setattr("conformance.language.kept.default_root", lambda: tmp_path)
    assert find_claims("torch.gone/old-id") == ()
    [claim] = find_anywhere("torch.gone/old-id")
    assert claim.id == "torch.Tensor.detach/shares-storage"


def test_a_misspelt_name_gets_near_ones() -> None:
    unknown = "no claim and no recorded release of torch has the name 'torch.Tensor.detatch'; did you mean"
    with pytest.raises(UnknownName, match=f"{unknown} 'torch.Tensor.detach'"):
        find_anywhere("torch.Tensor.detatch")
    with pytest.raises(UnknownName, match=f"{unknown} 'a' or 'b'"):
        find_anywhere("torch.Tensor.detatch", ("a", "b"))
