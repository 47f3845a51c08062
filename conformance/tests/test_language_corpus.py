"""Loading a corpus: what claims come out, and that problems in one never hide another's."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Optional

import pytest

from conformance.language.corpus import default_root, load_corpus, load_file
from conformance.language.model import SAYS, Claim, Conditions, Raises
from conformance.language.problems import Problems
from conformance.language.rules.context import Context
from conformance.language.sources import SourceList, read_sources
from conformance.language.vocabulary import checks, dtype_classes, input_kinds

LINT = Path(__file__).parent / "fixtures" / "lint"
CONTEXT = Context(
    checks(LINT / "vocabulary" / "checks"),
    input_kinds(LINT / "vocabulary" / "inputs"),
    dtype_classes(LINT / "vocabulary" / "inputs"),
)
SOURCES = read_sources(LINT / "spec" / "sources.yaml", Problems())

CLAIM = """\
  - id: {id}
    title: The result is a leaf
    family: leaf
    sources: [{{article: A, row: A1, says: states}}]
    given: {{x: tensor()}}
    do: y = x.detach()
    expect: {expect}
"""


def spec(*claims: str, subject: str = "torch.Tensor.detach") -> str:
    return f"subject: {subject}\nclaims:\n" + "".join(claims)


def claim(id: str = "is-leaf", expect: str = "y.is_leaf") -> str:
    return CLAIM.format(id=id, expect=expect)


def good_claims() -> dict[str, Claim]:
    claims, problems = load_file(LINT / "good.yaml", SOURCES, context=CONTEXT)
    assert problems == []
    return {claim.id: claim for claim in claims}


def only(text: str, folder: Path, sources: Optional[SourceList] = None) -> Claim:
    path = folder / "spec.yaml"
    path.write_text(text, encoding="utf-8")
    claims, problems = load_file(path, sources or SOURCES, context=CONTEXT)
    assert problems == []
    (found,) = claims
    return found


def test_a_claim_has_what_its_file_says() -> None:
    claim = good_claims()["torch.Tensor.detach/shares-storage"]
    assert claim.slug == "shares-storage"
    assert claim.title == "The result shares storage with its input"
    assert [(source.kind, source.name, source.key, source.row, source.says) for source in claim.sources] == [
        ("docs", "torch.Tensor.detach", "shares the same storage", None, "states"),
        ("note", "autograd-mechanics", "few words", None, None),
        ("release", "0.4.0", "few words", None, None),
        ("article", "A", None, "A2", None),
    ]
    assert claim.because == "The sum of an integer is another matter"
    assert [(name, str(kind)) for name, kind in claim.given] == [
        ("x", "tensor(floating, min_size=1)"),
        ("dim", "dim_of(x)"),
        ("n", "one_of(1, 2)"),
    ]
    assert [str(expression) for expression in claim.assume] == ["x.ndim > 0", "not x.is_contiguous()"]
    assert str(claim.do).split("\n") == [
        "import copy",
        "y = x.detach()",
        "for i in range(n):",
        "  z = y.sum(dim)",
    ]
    assert claim.applies == Conditions(">=1.11", "<2", ">=3.10", "cuda", "linux")
    assert claim.was == ("torch.Tensor.detach/shares-memory", "torch.Tensor.detach/same-memory")
    assert claim.unkillable == "No impostor changes this"
    (divergence,) = claim.diverges
    assert divergence.kind == "docs-wrong"
    assert divergence.when == Conditions(torch=">=2", device="cuda")
    assert str(divergence.where) == "x.dtype == torch.bool"
    assert [str(expression) for expression in divergence.instead.expect] == ["not shares_storage(y, x)"]
    assert [(name, str(recipe)) for name, recipe in divergence.example] == [
        ("x", "torch.zeros(2)"),
        ("dim", "0"),
        ("n", "1"),
    ]
    assert divergence.note == "Why it is so, in our own words"
    assert divergence.wording == "Better words"


def test_every_fragment_has_the_place_of_its_first_character() -> None:
    lines = (LINT / "good.yaml").read_text(encoding="utf-8").split("\n")
    for claim in good_claims().values():
        fragments = [fragment for _, fragment in claim.given] + list(claim.assume) + list(claim.expectation.expect)
        fragments += [claim.do] if claim.do else []
        for fragment in fragments:
            if "each" in lines[claim.place.line - 2] or claim.subject != "torch.Tensor.detach":
                continue
            first = fragment.text.split("\n")[0]
            rest = lines[fragment.place.line - 1][fragment.place.column - 1 :]
            if "$" not in rest:
                assert rest.startswith(first[:12])


def test_an_error_claim_promises_the_most_specific_that_it_gives(tmp_path: Path) -> None:
    forms = {
        "error": (None, None, "error"),
        "RuntimeError": ("RuntimeError", None, "type"),
        "{message: some words}": (None, "some words", "message"),
        "{type: RuntimeError, message: some words}": ("RuntimeError", "some words", "message"),
        "{type: RuntimeError, message: some words, promised: error}": ("RuntimeError", "some words", "error"),
        "{type: torch.cuda.OutOfMemoryError}": ("torch.cuda.OutOfMemoryError", None, "type"),
    }
    for written, (kind, message, promised) in forms.items():
        found = only(spec(claim(expect="x.is_leaf") + f"    raises: {written}\n"), tmp_path).expectation.raises
        assert isinstance(found, Raises)
        assert (found.type, found.message, found.promised) == (kind, message, promised)


def test_each_row_is_a_claim_of_its_own() -> None:
    claims = good_claims()
    rows = [id for id, claim in claims.items() if claim.title.endswith("is a view")]
    assert sorted(rows) == ["torch.Tensor.detach/t", "torch.Tensor.real/real", "torch.Tensor.squeeze/view-operations"]


def test_a_row_replaces_key_subject_sources_and_title() -> None:
    claims = good_claims()
    t, squeeze, real = (
        claims[id] for id in ("torch.Tensor.detach/t", "torch.Tensor.squeeze/view-operations", "torch.Tensor.real/real")
    )
    assert [t.title, squeeze.title, real.title] == [
        "The result of t is a view",
        "The result of squeeze is a view",
        "The real part is a view",
    ]
    assert [(source.name, source.key) for source in t.sources] == [("torch.Tensor.detach", "few words")]
    assert [(source.name, source.key) for source in squeeze.sources] == [("torch.Tensor.squeeze", "other words")]
    assert [(source.name, source.row) for source in real.sources] == [("A", "A2")]
    assert [str(claim.do) for claim in (t, squeeze, real)] == ["y = x.t()", "y = x.squeeze()", "y = x.real()"]


def test_a_row_overrides_any_key_of_the_claim() -> None:
    copies, keeps = (good_claims()[f"torch.Tensor.clone/{slug}"] for slug in ("copies", "keeps"))
    assert (str(copies.do), str(keeps.do)) == ("y = x.clone()", "y = z.detach()")
    assert [str(expression) for expression in keeps.expectation.expect] == ["shares_storage(y, z)"]
    assert [name for name, _ in keeps.given] == ["z"]
    assert (copies.family, keeps.family) == ("sharing", "leaf")


def test_a_source_without_a_name_is_the_documentation_of_the_subject(tmp_path: Path) -> None:
    (source,) = good_claims()["torch.Tensor.clone/copies"].sources
    assert (source.kind, source.name, source.key) == ("docs", "torch.Tensor.clone", "few words")
    text = spec(
        claim().replace("{article: A, row: A1, says: states}", "{key: few words}"), subject="notes/autograd-mechanics"
    )
    (source,) = only(text, tmp_path).sources
    assert (source.kind, source.name) == ("note", "autograd-mechanics")


def test_a_broken_claim_leaves_the_others(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text(spec(claim(), claim("second", "zzz.is_leaf"), claim("third")))
    (tmp_path / "two.yaml").write_text("subject: [\n")
    (tmp_path / "three.yaml").write_text(spec(claim("fourth", "True")))
    corpus, problems = load_corpus([tmp_path], LINT / "spec", CONTEXT)
    assert [claim.slug for claim in corpus.claims] == ["is-leaf", "third"]
    assert [(Path(problem.place.path).name, problem.code) for problem in problems] == [
        ("one.yaml", "E202"),
        ("three.yaml", "E208"),
        ("two.yaml", "E005"),
    ]


@pytest.mark.parametrize(
    "line", ["    given: {x: tensor(), x: dim_of(x)}\n", "    do: y\t= x.detach()\n", "    do: &a y = x.detach()\n"]
)
def test_a_claim_that_was_not_read_as_written_is_left_out(tmp_path: Path, line: str) -> None:
    key = line.split(":")[0] + ":"
    text = "".join(line if old.startswith(key) else old for old in spec(claim()).splitlines(keepends=True))
    (tmp_path / "spec.yaml").write_text(text)
    corpus, problems = load_corpus([tmp_path], LINT / "spec", CONTEXT)
    assert corpus.claims == ()
    assert len(problems) == 1


def test_one_claim_can_have_many_problems(tmp_path: Path) -> None:
    (tmp_path / "spec.yaml").write_text(
        "subject: torch.Tensor.detach\n"
        "claims:\n"
        "  - id: Is_Leaf\n"
        "    title: The result should be a leaf.\n"
        "    family: leafs\n"
        "    sources: [{article: A, row: A9}, {note: none, key: few words}]\n"
        "    given: {x: tensr(), y: tensor(flaoting)}\n"
        "    do: z = x.detach(\n"
        "    expect: [w == = 1, 'share_storage(x, y)', 'equal(x)']\n"
        "    applies: {torch: '>=3,<2'}\n"
        "    colour: red\n"
    )
    codes = [problem.code for problem in load_corpus([tmp_path], LINT / "spec", CONTEXT)[1]]
    expected = "E301 E306 E307 E104 E403 E402 E204 E206 E201 E201 E203 E205 E602 E101"
    assert codes == expected.split()


@pytest.mark.parametrize(
    ("module", "codes"), [("secrets", []), ("xml.dom", []), ("numpy.linalg", []), ("mylib", []), (".mylib", ["E211"])]
)
def test_a_program_outside_the_corpus_may_import_any_module(tmp_path: Path, module: str, codes: list[str]) -> None:
    statement = f"from {module} import flat" if module.startswith(".") else f"import {module} as m"
    text = spec(claim()).replace("do: y = ", f"do: {statement}; y = ")
    assert statement in text
    (tmp_path / "a.yaml").write_text(text)
    assert [problem.code for problem in load_corpus([tmp_path], LINT / "spec", CONTEXT)[1]] == codes


def test_ids_are_unique_across_files(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(spec(claim()))
    (tmp_path / "b.yaml").write_text(spec(claim()))
    corpus, problems = load_corpus([tmp_path], LINT / "spec", CONTEXT)
    assert len(corpus.claims) == 1
    (problem,) = problems
    assert problem.code == "E302"
    assert problem.place.path.endswith("b.yaml")
    assert "a.yaml:3:9" in problem.message


def test_a_path_given_twice_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(spec(claim()))
    corpus, problems = load_corpus([path, tmp_path, path], LINT / "spec", CONTEXT)
    assert len(corpus.claims) == 1
    assert problems == []


def test_a_folder_may_bring_its_own_sources(tmp_path: Path) -> None:
    (tmp_path / "sources.yaml").write_text(
        "articles: {Z: {title: Mine, language: en, rows: {Z1: It is a leaf}}}\nreleases: {'9.9': {title: T, url: https://a.b}}\n"
    )
    text = spec(claim()).replace("{article: A, row: A1}", "{article: Z, row: Z1}, {article: A, row: A1}")
    (tmp_path / "a.yaml").write_text(text)
    corpus, problems = load_corpus([tmp_path], LINT / "spec", CONTEXT)
    assert problems == []
    assert set(corpus.sources.articles) == {"A", "Z"}
    assert set(corpus.sources.releases) == {"0.4.0", "2.0.0", "9.9"}


def test_paths_are_relative_to_the_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.yaml").write_text(spec(claim(expect="True")))
    monkeypatch.chdir(tmp_path)
    assert str(load_corpus([tmp_path], LINT / "spec", CONTEXT)[1][0]).startswith("deep/a.yaml:9:13 E208 ")
    monkeypatch.chdir(tmp_path / "deep")
    assert load_corpus([tmp_path], LINT / "spec", CONTEXT)[1][0].place.path == "a.yaml"


def test_an_empty_folder_is_a_problem(tmp_path: Path) -> None:
    assert [problem.code for problem in load_corpus([tmp_path], LINT / "spec")[1]] == ["E001"]


@pytest.mark.parametrize(
    ("subject", "path"),
    [
        ("torch.Tensor.detach", "tensor/detach.yaml"),
        ("torch.Tensor", "tensor/Tensor.yaml"),
        ("torch.tensor", "torch/tensor.yaml"),
        ("torch.Generator.seed", "torch/Generator.seed.yaml"),
        ("torch.nn.Parameter", "nn/Parameter.yaml"),
        ("torch.nn.functional.relu", "nn/functional/relu.yaml"),
        ("torch.autograd.grad", "autograd/grad.yaml"),
        (
            "torch.autograd.function.FunctionCtx.save_for_backward",
            "autograd/function/FunctionCtx.save_for_backward.yaml",
        ),
        ("notes/autograd-mechanics", "notes/autograd-mechanics.yaml"),
    ],
)
def test_a_subject_has_its_place(tmp_path: Path, subject: str, path: str) -> None:
    text = spec(claim(), subject=subject)
    (tmp_path / "sources.yaml").write_bytes((LINT / "spec" / "sources.yaml").read_bytes())
    for place, codes in ((path, []), (path.replace(".yaml", "x.yaml"), ["E106"])):
        file = tmp_path / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        assert [problem.code for problem in load_corpus([file], tmp_path, CONTEXT)[1]] == codes


def test_the_revision_follows_what_is_measured_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"

    def revision(text: str) -> str:
        path.write_text(text)
        corpus, problems = load_corpus([path], LINT / "spec", CONTEXT)
        assert problems == []
        return corpus.revision()

    first = revision(spec(claim()))
    assert len(first) == 12
    assert revision("# a comment\n" + spec(claim()).replace("The result is", "It is")) == first
    assert revision(spec(claim(expect="not y.is_leaf"))) != first
    assert revision(spec(claim("other"))) != first


def test_how_a_source_says_it_is_no_part_of_what_is_measured(tmp_path: Path) -> None:
    text = spec(claim()).replace("says: states", "says: $")
    found = {says: only(text.replace("$", says), tmp_path) for says in SAYS}
    assert {says: one.sources[0].says for says, one in found.items()} == {says: says for says in SAYS}
    reasoned = only(spec(claim()).replace("    do:", "    because: Why\n    do:"), tmp_path)
    assert {one.fingerprint() for one in (*found.values(), reasoned)} == {found["states"].fingerprint()}


def test_a_row_says_for_itself_how_firm_its_sentence_is(tmp_path: Path) -> None:
    sources = "sources: [{key: few words, says: states}, {article: A, row: A1, says: implies}]"
    text = spec(claim()).replace("sources: [{article: A, row: A1, says: states}]", sources)
    rows = "    each: [{id: is-leaf}, {id: is-no-leaf, says: limits}]\n"
    (tmp_path / "a.yaml").write_text(text.replace("  - id: is-leaf\n    ", "  - ") + rows)
    claims, problems = load_file(tmp_path / "a.yaml", SOURCES, context=CONTEXT)
    assert problems == []
    assert [[source.says for source in one.sources] for one in claims] == [["states", "implies"], ["limits", "implies"]]


def test_rows_of_a_table_share_an_entry() -> None:
    claims = good_claims().values()
    assert len({one.entry for one in claims}) == 7
    assert len(claims) == 10


def test_windows_line_ends_change_nothing(tmp_path: Path) -> None:
    text = (LINT / "good.yaml").read_text(encoding="utf-8")
    (tmp_path / "a.yaml").write_bytes(text.replace("\n", "\r\n").encode())
    claims, problems = load_file(tmp_path / "a.yaml", SOURCES, context=CONTEXT)
    assert problems == []
    assert [claim.fingerprint() for claim in claims] == [claim.fingerprint() for claim in good_claims().values()]


def test_the_projects_own_corpus_has_no_problem() -> None:
    assert load_corpus([default_root()])[1] == []


def test_a_divergence_takes_from_its_cause_what_it_does_not_say_itself() -> None:
    corpus, problems = load_corpus([LINT / "spec"], LINT / "spec", CONTEXT)
    assert problems == []
    (found,) = corpus.claims
    (divergence,) = found.diverges
    assert divergence.cause == corpus.sources.causes["detached-is-no-leaf"]
    assert divergence.cause.harm == "imprecise"
    assert (divergence.kind, divergence.link, divergence.wording) == ("docs-wrong", "none-filed", "Better words")
    assert divergence.note == "It has a history, though nobody sees it."


def test_a_cause_is_no_part_of_the_fingerprint(tmp_path: Path) -> None:
    shutil.copytree(LINT / "spec", tmp_path / "spec")
    (before,) = load_corpus([LINT / "spec"], LINT / "spec", CONTEXT)[0].claims
    file = tmp_path / "spec" / "tensor" / "is_leaf.yaml"
    own = "kind: torch-bug, note: Other words, link: none-filed"
    file.write_text(file.read_text().replace("cause: detached-is-no-leaf", own))
    (tmp_path / "spec" / "causes" / "leaf.yaml").unlink()
    corpus, problems = load_corpus([tmp_path / "spec"], tmp_path / "spec", CONTEXT)
    assert problems == []
    (after,) = corpus.claims
    assert after.diverges[0].note == "Other words"
    assert after.fingerprint() == before.fingerprint()


def test_a_document_is_wrong_if_one_claim_of_a_cause_has_it_stated(tmp_path: Path) -> None:
    root = tmp_path / "spec"
    shutil.copytree(LINT / "spec", root)
    file = root / "tensor" / "is_leaf.yaml"
    text = file.read_text()
    implied = text.replace("says: states", "says: implies")
    file.write_text(implied)
    assert [problem.code for problem in load_corpus([root], root, CONTEXT)[1]] == ["E705"]
    second = text[text.index("  - id") :].replace("id: is-leaf", "id: is-leaf-too")
    file.write_text(implied + second)
    assert load_corpus([root], root, CONTEXT)[1] == []


def test_causes_are_checked_where_their_file_is_given(tmp_path: Path) -> None:
    shutil.copytree(LINT / "spec", tmp_path / "spec")
    file = tmp_path / "spec" / "causes" / "leaf.yaml"
    file.write_text(file.read_text().replace("harm: imprecise", "harm: huge"))
    assert [problem.code for problem in load_corpus([file], LINT / "spec", CONTEXT)[1]] == ["E104"]
