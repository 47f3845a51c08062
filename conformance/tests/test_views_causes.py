"""Causes: what makes claims false, how far each reaches, and in which order they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.lab.views.causes import is_current, ranked_causes, status
from conformance.lab.views.falsehoods import report
from conformance.lab.views.reach import reach_of
from conformance.lab.views.running_text import plain
from conformance.language.corpus import Corpus
from conformance.language.model import Claim, Conditions, Divergence, Expectation, Fragment, Place
from conformance.results.recorded import Recorded, in_order
from conformance.tests.result_files import entry, release
from conformance.tests.small_corpora import small_corpus

PLACE = Place("spec.yaml", 1, 1)
CAUSES = """\
causes:
  - id: expanded-is-copied
    title: An expanded tensor is copied
    kind: torch-bug
    harm: silently-wrong
    note: It is a copy.
    link: none-filed
  - id: dies
    title: The interpreter dies
    kind: torch-bug
    harm: crash
    note: It dies.
    link: none-filed
"""
CLAIM = """\
  - id: {id}
    title: The result of number {id} is a leaf
    family: leaf
    sources: [{{docs: torch.frob, key: the result is a leaf, says: states}}]
    given: {{x: tensor()}}
    do: y = x.detach()
    expect: y.is_leaf
    diverges: [{{{said}, instead: {{expect: not y.is_leaf}}, example: {{x: torch.zeros(2)}}}}]
"""
EXPANDED = 'cause: expanded-is-copied, where: "any(n > 1 and s == 0 for n, s in zip(x.shape, x.stride()))"'
OWN = "kind: docs-wrong, note: Why, link: none-filed"


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    said = {"a": EXPANDED, "b": "cause: dies", "c": OWN, "d": "cause: expanded-is-copied"}
    claims = "".join(CLAIM.format(id=name, said=text) for name, text in said.items())
    spec = f"subject: torch.frob\nclaims:\n{claims}"
    return small_corpus(tmp_path, "docs: {base: 'https://x.org'}\n", {"torch/frob.yaml": spec, "causes/x.yaml": CAUSES})


def test_claims_with_one_cause_count_once_and_the_worst_comes_first(corpus: Corpus) -> None:
    views = ranked_causes(corpus.claims, Recorded())
    assert [view.cause.id for view in views] == ["dies", "expanded-is-copied", "torch.frob/c/0"]
    assert [view.named for view in views] == [True, True, False]
    assert [claim.slug for claim in views[1].claims] == ["a", "d"]
    assert views[2].harm == "harm not said yet"


def test_reach_and_releases_come_from_what_was_seen(corpus: Corpus) -> None:
    a, d = (claim for claim in corpus.claims if claim.slug in "ad")
    old, new = (
        release("2.0.1", {a.id: entry(a, "diverges", divergence=(0,)), d.id: entry(d)}),
        release("2.1.2", {a.id: entry(a, "diverges", divergence=(0,)), d.id: entry(d, "holds")}),
    )
    [view] = ranked_causes([a, d], in_order([old, new]))
    assert str(view.reach) == "rare inputs (expanded)"
    assert view.where == "torch 2.0.1 and 2.1.2 (cpu)"
    assert str(ranked_causes([a, d], Recorded())[0].reach) == "everywhere"


def test_status_says_whether_it_is_mended_and_whether_it_was_reported(corpus: Corpus) -> None:
    a, d = (claim for claim in corpus.claims if claim.slug in "ad")
    false = {a.id: entry(a, "diverges", divergence=(0,)), d.id: entry(d)}
    true = {a.id: entry(a), d.id: entry(d)}
    for newer, told in (
        (false, "not reported"),
        (true, "mended in torch 2.1.2; not reported"),
        ({a.id: entry(a)}, "not seen since torch 2.1.2; not reported"),
    ):
        recorded = in_order([release("2.0.1", false), release("2.1.2", newer)])
        [view] = ranked_causes([a, d], recorded)
        assert plain(status(view, recorded)) == told


def test_a_report_is_named_by_its_number() -> None:
    assert plain(report("https://github.com/pytorch/pytorch/issues/12")) == "reported: pytorch/pytorch#12"
    assert plain(report("https://github.com/pytorch/pytorch/pull/12")) == "pull request pytorch/pytorch#12"
    assert plain(report("https://example.org/x")) == "reported: https://example.org/x"


def crashing(tmp_path: Path, more: str = "") -> Claim:
    said = "cause: dies, when: {torch: '>=2'}"
    dead = CLAIM.format(id="a", said=said).replace("expect: not y.is_leaf", "crashes: true")
    other = CAUSES[: CAUSES.index("  - id: exp")] + CAUSES[CAUSES.index("  - id: dies") :]
    spec = f"subject: torch.frob\nclaims:\n{dead.replace('diverges: [', f'diverges: [{more}')}"
    files = {"torch/frob.yaml": spec, "causes/x.yaml": other}
    [claim] = small_corpus(tmp_path, "docs: {base: 'https://x.org'}\n", files).claims
    return claim


def test_a_crash_is_seen_though_its_entry_names_no_divergence(tmp_path: Path) -> None:
    claim = crashing(tmp_path)
    [view] = ranked_causes([claim], in_order([release("2.0.1", {claim.id: entry(claim, "diverges")})]))
    assert view.where == "torch 2.0.1 (cpu)"


def test_a_crash_is_seen_where_its_condition_admits_the_release_though_another_divergence_is_named(
    tmp_path: Path,
) -> None:
    claim = crashing(tmp_path, f"{{{OWN}, instead: {{expect: not y.is_leaf}}, example: {{x: torch.zeros(2)}}}}, ")
    false = entry(claim, "diverges", divergence=(0,))
    recorded = in_order([release(torch, {claim.id: false}) for torch in ("1.13.1", "2.0.1")])
    dies, other = ranked_causes([claim], recorded)
    assert dies.where == "torch 2.0.1 (cpu)"
    assert other.where == "torch 1.13.1 and 2.0.1 (cpu)"


def test_what_the_newest_release_has_comes_before_what_it_mended(corpus: Corpus) -> None:
    [c] = [claim for claim in corpus.claims if claim.slug == "c"]
    other = Claim("torch.frob/b", "torch.frob", "It is", "leaf", (), PLACE, diverges=(divergence(""),))
    false, good = entry(c, "diverges", divergence=(0,)), entry(c, "holds")
    mended = {c.id: good, other.id: entry(other, "diverges", divergence=(0,))}
    recorded = in_order([release("2.0.1", {c.id: false}), release("2.1.2", mended)])
    assert [view.cause.id for view in ranked_causes([c, other], recorded)] == ["torch.frob/b/0", "torch.frob/c/0"]


def test_what_a_device_alone_does_is_current_though_its_newest_release_is_older(corpus: Corpus) -> None:
    [c] = [claim for claim in corpus.claims if claim.slug == "c"]
    false, good = {c.id: entry(c, "diverges", divergence=(0,))}, {c.id: entry(c, "holds")}
    on_cuda = release("2.0.1", false, device="cuda")
    for on_cpu, current in ((good, True), (false, False)):
        recorded = in_order([release("2.0.1", on_cpu), release("2.1.2", good), on_cuda])
        [view] = ranked_causes([c], recorded)
        assert is_current(view, recorded) is current


def divergence(where: str) -> Divergence:
    fragment = Fragment(where, PLACE) if where else None
    return Divergence("torch-bug", Conditions(), fragment, Expectation(), (), "note", "none-filed", None, PLACE)


@pytest.mark.parametrize(
    ("where", "reach"),
    [
        ("", "everywhere"),
        ("x.is_complex()", "ordinary inputs"),
        ("x.numel() == 0", "rare inputs (empty)"),
        ("x.is_conj() or x.is_neg()", "rare inputs (conjugate, negative bit)"),
        ("x.is_conj() or x.is_complex()", "ordinary inputs"),
        ("x.is_conj() and x.is_complex()", "rare inputs (conjugate)"),
        ("not x.is_conj()", "ordinary inputs"),
        ("x.numel() != 0", "ordinary inputs"),
        ("not a.dtype.isnative", "rare inputs (foreign byte order)"),
        ("layout in ('sparse_bsr', 'sparse_bsc')", "rare inputs (sparse)"),
        ("(", "ordinary inputs"),
    ],
)
def test_reach_is_read_from_the_condition(where: str, reach: str) -> None:
    claim = Claim("torch.frob/a", "torch.frob", "It is", "leaf", (), PLACE)
    assert str(reach_of(claim, divergence(where))) == reach


def test_a_rare_input_is_none_for_a_subject_that_is_about_it() -> None:
    claim = Claim("torch.Tensor.conj/a", "torch.Tensor.conj", "It is", "leaf", (), PLACE)
    assert str(reach_of(claim, divergence("x.is_conj()"))) == "ordinary inputs"


def test_inputs_that_are_drawn_rare_are_rare() -> None:
    given = (("x", Fragment('tensor(layout=["conj", "neg"])', PLACE)),)
    claim = Claim("torch.frob/a", "torch.frob", "It is", "leaf", (), PLACE, given=given)
    assert str(reach_of(claim, divergence(""))) == "rare inputs (conjugate, negative bit)"
