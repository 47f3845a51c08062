"""What false statements cost people, and how many stand on a page."""

from __future__ import annotations

from pathlib import Path

from conformance.lab.views.content import Content
from conformance.lab.views.costs import by_cost
from conformance.lab.views.falsehood_pages import false_pages, harm_rows
from conformance.lab.views.running_text import plain
from conformance.results.recorded import in_order
from conformance.tests.result_files import entry, release
from conformance.tests.small_corpora import small_corpus

CAUSES = """\
causes:
  - id: of-few
    title: frob() of a sparse tensor is wrong
    kind: torch-bug
    harm: silently-wrong
    note: It is so.
    link: none-filed
  - id: of-many
    title: The result is wrong
    kind: torch-bug
    harm: silently-wrong
    note: It is so.
    link: none-filed
  - id: of-words
    title: The words are wrong
    kind: torch-bug
    harm: imprecise
    note: It is so.
    link: none-filed
  - id: of-little-use
    title: The result is off
    kind: torch-bug
    harm: silently-wrong
    note: It is so.
    link: none-filed
"""
CLAIM = """\
  - id: {id}
    title: The result of number {id} is a leaf
    family: leaf
    sources: [{{docs: {subject}, key: the result is a leaf, says: states}}]
    given: {{x: tensor()}}
    do: y = x.detach()
    expect: y.is_leaf
    diverges: [{{{said}, instead: {{expect: not y.is_leaf}}, example: {{x: torch.zeros(2)}}}}]
"""
OWN = "kind: torch-bug, note: Why, link: none-filed"


def content_of(folder: Path, subjects: dict[str, dict[str, str]]) -> Content:
    files = {"causes/x.yaml": CAUSES}
    for subject, said in subjects.items():
        claims = "".join(CLAIM.format(id=name, subject=subject, said=text) for name, text in said.items())
        files[f"{subject.replace('.', '/')}.yaml"] = f"subject: {subject}\nclaims:\n{claims}"
    corpus = small_corpus(folder, "docs: {base: 'https://x.org'}\n", files)
    entries = {claim.id: entry(claim, "diverges", divergence=(0,)) for claim in corpus.claims}
    return Content(corpus, in_order([release("2.1.2", entries)]), uses={"torch.frob": 40})


def test_what_much_code_has_and_harms_most_costs_most(tmp_path: Path) -> None:
    frob = {"a": "cause: of-few", "b": "cause: of-words", "c": "cause: of-many"}
    content = content_of(tmp_path, {"torch.frob": frob, "torch.rare": {"d": "cause: of-little-use"}})
    assert [plain(row.title) for row in by_cost(content)] == [
        "The result is wrong",
        "frob() of a sparse tensor is wrong",
        "The result is off",
        "The words are wrong",
    ]
    assert plain(by_cost(content)[0].said) == "The result of number c is a leaf"


def test_a_page_has_few_causes_and_the_next_has_the_rest(tmp_path: Path) -> None:
    named = {"a": "cause: of-few", "b": "cause: of-words", "c": "cause: of-many", "d": "cause: of-little-use"}
    content = content_of(tmp_path, {"torch.frob": {**named, **{f"own-{number}": OWN for number in range(25)}}})
    pages = false_pages(content)
    names = ("not-said-everywhere", "not-said-everywhere-2", "not-said-everywhere-3")
    assert [len(pages[name].causes) for name in names] == [12, 12, 1]
    assert pages["not-said-everywhere-2"].heading == "harm not said yet, everywhere (2 of 3)"
    assert pages["not-said-everywhere"].parts == names
    cells = dict(harm_rows(content))["Harm not said yet"]
    assert cells[0] == ("not-said-everywhere", "harm not said yet, everywhere", 25)
