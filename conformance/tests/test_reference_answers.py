"""Pages made of answers, trials and messages: what a reader sees first, and that nothing unknown is left blank."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the reference is built where Sphinx is installed")
pytest.importorskip("furo", reason="the reference is built where the theme is installed")

from conformance.tests import reference_site as sites
from conformance.tests.reference_site import DETACH, Site

TRIALS = Path(__file__).parent / "fixtures" / "trials"
ANSWER = """subject: torch.Tensor.detach
answer:
  - says: A new tensor that shares memory with x.
    claims: [shares-storage]
  - says: A later write raises in backward.
    claims: [write-before-backward-raises]
see: [torch.Tensor.reshape]
"""
RESHAPE = """subject: torch.Tensor.reshape
answer:
  - {says: "A view, or a copy.", claims: [torch.Tensor.detach/shares-storage]}
"""
UNTRIED = """subject: torch.Tensor.flatten
answer:
  - {says: As reshape., claims: [torch.Tensor.detach/shares-storage]}
"""
ARANGE = UNTRIED.replace("Tensor.flatten", "arange")
ADD = UNTRIED.replace("flatten", "add_")
FURTHER_TRIALS = {
    "torch.txt": """== torch.arange
call\ttorch.arange(3)
2.1-\tbase\ttried=modes\ttype=Tensor\tdtype=int64
""",
    "torch.Tensor.txt": """== torch.Tensor.add_
call\ttorch.ones(2).add_(1)
2.1-\tbase\ttried=modes\ttype=Tensor
call\tx.add_(1)
2.1-\tbase\ttried=tensor\tgiven x=torch.arange(6.).reshape(2, 3)\ttype=Tensor\tmemory x=same object
2.1-\tnon-leaf\tgradient x=flows\trequires grad=yes\tleaf=no
""",
}
MESSAGES = """messages:
  - id: modified
    message: one of the variables has been modified
    type: RuntimeError
    raised: a write to a saved tensor
    because: Its old values are gone.
    do: Write to a clone.
    names: [torch.Tensor.detach]
    claims: [torch.Tensor.detach/write-before-backward-raises]
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("site")
    spec = folder / "spec"
    shutil.copytree(sites.SPEC, spec)
    detach = spec / "detach.yaml"
    detach.write_text(detach.read_text(encoding="utf-8").replace(f"subject: {DETACH}\n", ANSWER, 1), encoding="utf-8")
    (spec / "reshape.yaml").write_text(RESHAPE, encoding="utf-8")
    (spec / "flatten.yaml").write_text(UNTRIED, encoding="utf-8")
    (spec / "arange.yaml").write_text(ARANGE, encoding="utf-8")
    (spec / "add_.yaml").write_text(ADD, encoding="utf-8")
    (spec / "messages").mkdir()
    (spec / "messages" / "autograd.yaml").write_text(MESSAGES, encoding="utf-8")
    index = sites.INDEX.replace("Site\n====\n", "Site\n====\n\n.. claim:answers::\n.. claim:messages::\n", 1)
    conf = 'exclude_patterns = ["out", "spec"]\n'
    sites.write_source(folder, [sites.results("1.9.0"), sites.results("2.13.0")], spec=spec, index=index, conf=conf)
    trials = shutil.copytree(TRIALS, folder / "results" / "trials")
    for name, text in FURTHER_TRIALS.items():
        with open(trials / name, "a", encoding="utf-8") as file:
            file.write(text)
    return sites.build(folder)


def test_a_page_begins_with_the_answer_then_example_then_trials_then_claims(site: Site) -> None:
    text = sites.text_of(site.page(f"reference/{DETACH}"))
    parts = ("A new tensor that shares memory with x.", "import torch", "What was tried", "See ", "Changed", "Claims")
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_each_line_of_an_answer_has_its_releases_and_its_claims(site: Site) -> None:
    page = site.page(f"reference/{DETACH}")
    lines = [sites.text_of(line) for line in re.findall(r"<p>(A new.*?|A later.*?)</p>", page)]
    assert lines == [
        "A new tensor that shares memory with x. ✓ all 2 releases [1]",
        "A later write raises in backward. ✓ 2.13 ✗ false on 1.9 [1]",
    ]
    assert 'href="#write-before-backward-raises"' in page


def test_the_example_runs_and_shows_the_usual_case_and_the_exception(site: Site) -> None:
    pytest.importorskip("torch")
    [script] = sites.blocks_of_code(site.page("reference/torch.Tensor.reshape"))
    usual, exception = (line for line in script.splitlines() if line.startswith("x.reshape(-1)"))
    assert "# view of x" in usual
    assert "# transposed: memory of its own" in exception
    before, after = script.replace("x.reshape(-1)", "y = x.reshape(-1)").split("\n\nx = ")[1:]
    scope: dict[str, object] = {}
    exec(f"import torch\nx = {before}", scope)
    assert scope["y"].data_ptr() == scope["x"].data_ptr()  # type: ignore[attr-defined]
    exec(f"x = {after}", scope)
    assert scope["y"].data_ptr() != scope["x"].data_ptr()  # type: ignore[attr-defined]


def test_a_subject_without_claims_has_a_page_for_its_answer(site: Site) -> None:
    text = sites.text_of(site.page("reference/torch.Tensor.reshape"))
    assert "A view, or a copy. ✓ all 2 releases" in text
    assert "transposed, expanded memory of its own" in text
    assert "2.1 x.reshape(5): RuntimeError → ValueError" in text


def test_every_name_with_an_answer_has_a_row_without_a_blank_cell(site: Site) -> None:
    [table] = re.findall(r'<table class="[^"]*answers.*?</table>', site.page("index"), re.S)
    rows = re.findall(r"<tr><td>(.*?)</tr>", table, re.S)
    cells = [[sites.text_of(cell) for cell in re.split(r"</td>\s*<td[^>]*>", row)] for row in rows]
    assert [row[0] for row in cells] == [
        "torch.arangetorch.arange(3)",
        "torch.Tensor.add_x.add_(1)",
        f"{DETACH}x.detach()",
        "torch.Tensor.flattennot tried",
        "torch.Tensor.reshapex.reshape(-1)",
    ]
    assert all(cell for row in cells for cell in row)
    by_name = {row[0]: row[2:] for row in cells}
    assert by_name["torch.Tensor.flattennot tried"] == ["not tried"] * 5
    assert by_name["torch.Tensor.reshapex.reshape(-1)"] == ["view of x, or own", "no", "flows to x", "no", "ValueError"]


def test_a_call_without_inputs_has_nothing_to_share(site: Site) -> None:
    text = sites.text_of(site.page("index"))
    assert "torch.arange(3) As reshape. no input no input no gradient yes nothing that was tried" in text


def test_in_place_the_gradient_is_that_of_a_result_and_calls_on_inputs_come_first(site: Site) -> None:
    text = sites.text_of(site.page("index"))
    assert "x.add_(1) As reshape. x itself yes flows to x no nothing that was tried" in text


def test_messages_stand_by_area_with_what_to_do(site: Site) -> None:
    text = sites.text_of(site.page("index"))
    assert "Raised by a write to a saved tensor. Its old values are gone. Do: Write to a clone." in text
    assert "seen on torch 1.9 to 2.13" in text
    # What nobody wrote of is loaded.
    assert "shape '[…]' is invalid for input of size N" in site.loaded("index", "recorded")
