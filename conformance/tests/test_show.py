"""``conformance show``: what is printed for whatever a person types."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from conformance.__main__ import main
from conformance.base.recorded_folder import default_root, recorded_folder
from conformance.language.corpus import Corpus, load_corpus
from conformance.results.model import Fact, Facts, Flags, Signal, Tiers
from conformance.show import index
from conformance.show.asking import Asking
from conformance.show.index import open_index
from conformance.show.model import Finding, MessageFinding, NoFinding, PairFinding
from conformance.show.printing import as_text
from conformance.show.spelling import code_in, spellings
from conformance.tests.result_files import entry, release, save

TRIALS = Path(__file__).parent / "fixtures" / "trials"
SOURCES = "notes: {autograd-mechanics: {title: Mechanics, url: https://example.org/notes}}\n"
RESHAPE = """\
subject: torch.Tensor.reshape
answer:
  - says: A view if the strides allow it, otherwise a copy.
    claims: [views-where-it-can]
    except: tensors with the negative bit
  - says: RuntimeError for another number of elements.
    claims: [other-size-raises]
    torch: '>=2.0'
  - says: TypeError on a GPU.
    claims: [on-a-gpu, other-size-raises]
see: [torch.Tensor.view, concepts/leaf]
asked: [does reshape copy, "shape '[4]' is invalid for input of size 6"]
"""
VIEW = """\
subject: torch.Tensor.view
answer:
  - says: Always a view, never a copy.
    claims: [torch.Tensor.reshape/other-size-raises]
"""
LEAF = """\
subject: concepts/leaf
answer:
  - says: A tensor without history.
    claims: [torch.Tensor.reshape/views-where-it-can]
see: [torch.Tensor.is_leaf]
asked: [leaf variable]
"""
CLAIMS = """\
claims:
  - id: views-where-it-can
    title: The result is a view where it can be one
    family: sharing
    sources: [{key: must be compatible, says: states}]
    given: {x: tensor()}
    do: y = x.reshape(-1)
    expect: shares_storage(y, x)
    diverges:
      - kind: torch-bug
        where: x.is_neg()
        instead: {expect: not y.is_leaf}
        example: {x: torch.zeros(2)}
        note: A copy is made.
        link: none-filed
  - id: other-size-raises
    was: another-size-raises
    title: Another number of elements raises
    family: errors
    guarantee: unspecified
    sources: [{key: must be compatible, says: requires}]
    given: {x: tensor()}
    do: x.reshape(4)
    raises: RuntimeError
  - id: on-a-gpu
    title: A GPU raises
    family: errors
    guarantee: unspecified
    sources: [{key: must be compatible, says: requires}]
    given: {x: tensor()}
    do: x.reshape(4)
    raises: TypeError
    applies: {device: cuda}
"""
MESSAGES = """\
messages:
  - id: invalid-shape
    message: shape '…' is invalid for input of size …
    type: RuntimeError
    raised: x.reshape(s) if s has another number of elements
    because: The elements of x must all have a place.
    do: Use -1 for one of the sizes.
    names: [torch.Tensor.reshape]
    claims: [torch.Tensor.reshape/other-size-raises]
"""
RAISED = Facts(Signal("RuntimeError", "shape '[N]' is invalid for input of size N"))
BROKEN = Facts(Signal("ValueError", "the sizes of both operands must be the same"))


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    root = tmp_path / "spec"
    files = {
        "sources.yaml": SOURCES,
        "tensor/reshape.yaml": RESHAPE + CLAIMS,
        "tensor/view.yaml": VIEW,
        "concepts/leaf.yaml": LEAF,
        "messages/shapes.yaml": MESSAGES,
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    found, problems = load_corpus([root], root)
    assert problems == []
    return found


@pytest.fixture
def results(corpus: Corpus, tmp_path: Path) -> Path:
    views, raises, on_gpu = (
        next(claim for claim in corpus.claims if claim.slug == slug)
        for slug in ("views-where-it-can", "other-size-raises", "on-a-gpu")
    )
    always, never = (
        entry(raises, "unspecified", tiers=Tiers(often, often), facts=RAISED) for often in ("always", "never")
    )
    diverges = entry(views, "diverges", divergence=(0,), facts=Facts(names={"y": Fact("1", Flags("float32"))}))
    excluded = {on_gpu.id: entry(on_gpu, "inapplicable")}
    folder = save(
        tmp_path / "results",
        release("1.13.1", {views.id: entry(views, "refuted", facts=BROKEN), raises.id: never, **excluded}),
        release("2.0.1", {views.id: entry(views), raises.id: never, **excluded}),
        release("2.1.2", {views.id: diverges, raises.id: always, **excluded}),
    )
    shutil.copytree(TRIALS, folder / "trials")
    return folder


@pytest.fixture
def ask(corpus: Corpus, results: Path) -> Asking:
    return Asking(open_index(results, corpus.root), results)


def lines(findings: tuple[Finding, ...], **options: bool) -> list[str]:
    return as_text(findings, **options).splitlines()


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("reshape", "reshape"),
        ("`reshape`", "reshape"),
        ("detach()", "detach"),
        (".detach()", "torch.Tensor.detach"),
        ("Tensor.add_", "torch.Tensor.add_"),
        ("torch.nn.functional.relu", "torch.nn.functional.relu"),
        ("F.relu", "torch.nn.functional.relu"),
        ("nn.Linear(2, 3)", "torch.nn.Linear"),
        ("optim.Adam.step", "torch.optim.Adam.step"),
        ("x.reshape(-1)", "torch.Tensor.reshape"),
        ("y = x.reshape(-1)", "torch.Tensor.reshape"),
        ("x.detach().clone()", "torch.Tensor.clone"),
        ("model.eval()", "torch.nn.Module.eval"),
        ("optimizer.step()", "torch.optim.Optimizer.step"),
        ("loss.backward(retain_graph=True)", "torch.Tensor.backward"),
        ("np.asarray(x)", "torch.Tensor.__array__"),
        ("numpy", "numpy"),
        ("with torch.no_grad():", "torch.no_grad"),
        ("@torch.no_grad()", "torch.no_grad"),
        ("x += 1", "torch.Tensor.__iadd__"),
        ("+=", "torch.Tensor.__iadd__"),
        ("//", "torch.Tensor.__floordiv__"),
        ("==", "torch.Tensor.__eq__"),
        ("x[0]", "torch.Tensor.__getitem__"),
        ("x[mask] = 0", "torch.Tensor.__setitem__"),
        ("-x", "torch.Tensor.__neg__"),
        ("len(x)", "torch.Tensor.__len__"),
        ("copy.deepcopy(model)", "torch.Tensor.__deepcopy__"),
        ("for row in x: pass", "torch.Tensor.__iter__"),
    ],
)
def test_a_name_is_read_in_every_spelling(text: str, first: str) -> None:
    assert spellings(text)[0] == first


@pytest.mark.parametrize(
    "text", ["does reshape copy", "a leaf Variable", "Can't call numpy()", "", "((", "\0", "x" * 5000 + "("]
)
def test_prose_is_no_name(text: str) -> None:
    assert not any(one.startswith("torch.") for one in spellings(text))


def test_the_answer_comes_first_with_the_releases_of_each_line(ask: Asking) -> None:
    heading, first, second, third, *more = lines(ask.ask("reshape"))
    assert heading.split() == ["torch.Tensor.reshape", "torch", "1.8", "to", "2.15,", "cpu,", "on", "dense", "tensors"]
    assert (
        first.split("  ")[1]
        == "A view if the strides allow it, otherwise a copy. Except: tensors with the negative bit."
    )
    assert first.endswith("✓ 2.0 to 2.1  ✗ 1.13")
    assert second.endswith("✓ 2.1  ✗ 2.0")  # the line is about 2.0 and later
    assert third.endswith("✓ 2.1  ✗ 1.13 to 2.0  (GPU not measured)")
    assert "  see         view, leaf" in more


def test_then_what_was_tried_then_claims_false_first(ask: Asking) -> None:
    shown = lines(ask.ask("torch.Tensor.reshape"))
    text = "\n".join(shown)
    assert (
        "  tried       x.reshape(-1) with x = torch.arange(6.).reshape(2, 3).requires_grad_(): view of x, requires"
        in text
    )
    assert "  other when  transposed, expanded: memory of its own" in text
    assert "  the same    " in text
    assert "  wrong       x.reshape(5): ValueError: shape '[…]' is invalid for input of size N" in text
    order = ["  A view if", "  tried ", "  other when", "  wrong ", "  partly      The result is a view"]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert shown[-1] == "  claims      1 is not promised, 1 does not apply (--all lists them)"
    assert not any("Another number" in line for line in shown)
    assert any("Another number" in line for line in lines(ask.ask("torch.Tensor.reshape"), everything=True))


def test_a_device_is_named_where_a_line_is_about_it_and_where_it_alone_is_false(corpus: Corpus, results: Path) -> None:
    views, on_gpu = (
        next(claim for claim in corpus.claims if claim.slug == slug) for slug in ("views-where-it-can", "on-a-gpu")
    )
    always = entry(on_gpu, "unspecified", tiers=Tiers("always", "always"), facts=RAISED)
    on_cuda = {views.id: entry(views, "refuted", facts=BROKEN), on_gpu.id: always}
    save(results, release("2.2.1", {views.id: entry(views)}))
    for torch, mark in (("2.0.1", "NO!"), ("1.13.1", "yes")):  # 1.13 is false on the CPU too
        folder = save(results, release(torch, on_cuda, device="cuda"))
        asking = Asking(open_index(folder, corpus.root), folder)
        shown = lines(asking.ask("torch.Tensor.reshape"), everything=True)
        assert any("TypeError on a GPU." in line and line.endswith(f"✓ {torch[:-2]} on cuda") for line in shown)
        assert any(line.split()[:1] == [mark] and "The result is a view" in line for line in shown)
        (folder / f"torch-{torch}-cuda.jsonl").unlink()


def test_what_the_machine_lacks_is_not_told_of_torch(corpus: Corpus, results: Path) -> None:
    path = results / "trials" / "torch.Tensor.txt"
    lacking = (
        "== torch.Tensor.cuda\ncall\tx.cuda()\n1.13-\tbase\ttried=tensor modes\tgiven x=torch.ones(2)\t"
        "error=RuntimeError\tmessage=Found no NVIDIA driver on your system.\n"
    )
    path.write_text(path.read_text(encoding="utf-8") + lacking, encoding="utf-8")
    text = as_text(Asking(open_index(results, corpus.root), results).ask("torch.Tensor.cuda"))
    assert "x.cuda(): not possible where it was measured" in text
    assert "RuntimeError" not in text


def test_two_names_stand_side_by_side(ask: Asking) -> None:
    for text in (
        "view vs reshape",
        "view reshape",
        "what is the difference between view and reshape?",
        "view or reshape",
    ):
        first, line, *_ = lines(ask.ask(text))
        assert [side.strip() for side in first.split("│")] == ["torch.Tensor.view", "torch.Tensor.reshape"]
        assert "Always a view" in line.split("│")[0]
        assert "A view if" in line.split("│")[1]


def test_prose_with_two_names_is_no_comparison(ask: Asking) -> None:
    for text in ("strides of reshape and view of a copy", "is a view of strides or reshape"):
        assert "│" not in lines(ask.ask(text))[0]


def test_of_two_that_begin_alike_the_line_on_the_other_comes_first(corpus: Corpus, results: Path) -> None:
    view = VIEW.replace("Always a view, never a copy.", "A view if the strides allow it.")
    view = (
        view.replace("see:", "")
        + "  - says: Unlike reshape() it never copies.\n    claims: [torch.Tensor.reshape/other-size-raises]\n"
    )
    (corpus.root / "tensor" / "view.yaml").write_text(view, encoding="utf-8")
    ask = Asking(open_index(results, corpus.root), results)
    assert "Unlike reshape()" in lines(ask.ask("view vs reshape"))[1]


def test_a_concept_is_found_by_its_name_and_by_what_people_call_it(ask: Asking) -> None:
    for text in ("leaf", "leaf tensor", "Leaf Variable"):
        assert lines(ask.ask(text))[:1] == ["leaf, a concept"]


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: shape '[4]' is invalid for input of size 6",
        "Traceback (most recent call last):\n  x.view(2, 7)\nRuntimeError: shape '[2]' is invalid for input of size 7",
        "shape '[4]' is invalid for input",
    ],
)
def test_a_message_is_found_whatever_its_numbers(ask: Asking, text: str) -> None:
    shown = lines(ask.ask(text))
    assert shown[:4] == [
        "RuntimeError: shape '…' is invalid for input of size …",
        "  raised by   x.reshape(s) if s has another number of elements",
        "  do          Use -1 for one of the sizes.",
        "  because     The elements of x must all have a place.",
    ]
    assert "  seen on     torch 1.13 to 2.1" in shown


@pytest.mark.parametrize(
    "text",
    [
        "my reshape: shape '[2, 4]' is invalid for input of size 6, why?",
        "RuntimeError: in forward, shape '[2]' is invalid for input of size 7 ...",
        "training of my network stops: is invalid for input of size 6, only since yesterday on this machine",
    ],
)
def test_a_message_is_found_in_what_people_say_of_it(ask: Asking, text: str) -> None:
    assert lines(ask.ask(text))[0] == "RuntimeError: shape '…' is invalid for input of size …"


def test_a_message_of_another_class_is_not_taken_for_a_short_one(ask: Asking) -> None:
    assert lines(ask.ask("RuntimeError: invalid for input"))[0].startswith("RuntimeError: shape")
    with pytest.raises(NoFinding):
        ask.ask("KeyError: invalid for input")


def test_a_message_that_nobody_explained_says_where_it_was_seen(ask: Asking) -> None:
    shown = lines(ask.ask("sizes of both operands must be the same"))
    assert shown[0] == "ValueError: the sizes of both operands must be the same"
    assert "  seen in     torch.Tensor.reshape/views-where-it-can" in shown


def test_a_question_leads_to_the_answer_and_its_line(ask: Asking) -> None:
    heading, first, *_ = lines(ask.ask("is there a copy in reshape?"))
    assert heading.startswith("torch.Tensor.reshape ")
    assert "otherwise a copy" in first
    assert lines(ask.ask("Does reshape copy?"))[0].startswith("torch.Tensor.reshape ")


def test_the_line_comes_first_that_a_question_is_about(ask: Asking) -> None:
    assert "RuntimeError for another number" in lines(ask.ask("x.reshape(-1) fails"))[1]
    assert "A view if the strides" in lines(ask.ask("does reshape copy"))[1]


@pytest.mark.parametrize("text", ["x.view(2).reshape(-1) copies", "what does reshape(-1) do with x.shape"])
def test_of_code_in_a_question_the_last_call_is_asked_about(ask: Asking, text: str) -> None:
    assert lines(ask.ask(text))[0].startswith("torch.Tensor.reshape ")


def test_an_argument_in_code_is_no_name() -> None:
    assert code_in("why is torch.randn(2, requires_grad=True) no leaf") == ["torch.randn("]
    assert code_in("is x.requires_grad == True") == ["x.requires_grad", "=="]


def test_a_word_with_a_letter_wrong_is_misspelt_before_it_is_a_question(ask: Asking) -> None:
    for text in ("reshap", "reshapes"):
        assert lines(ask.ask(text))[0].startswith(f"no name '{text}'; shown is torch.Tensor.reshape")


def test_a_misspelt_name_is_sought_in_the_module_that_is_named(ask: Asking) -> None:
    assert lines(ask.ask("torch.Tensor.veiw"))[0].startswith("no name 'torch.Tensor.veiw'; shown is torch.Tensor.view")
    with pytest.raises(NoFinding):
        ask.ask("torch.foo.vie")


def test_a_misspelt_name_is_what_was_meant(ask: Asking) -> None:
    note, heading, *_ = lines(ask.ask("x.rehsape(-1)"))
    assert note.startswith("no name 'x.rehsape(-1)'; shown is torch.Tensor.reshape")
    assert heading.startswith("torch.Tensor.reshape ")


def test_a_claim_is_shown_by_its_id_and_by_an_earlier_one(ask: Asking) -> None:
    for slug in ("other-size-raises", "another-size-raises"):
        shown = lines(ask.ask(f"torch.Tensor.reshape/{slug}"))
        assert shown[:2] == ["torch.Tensor.reshape/other-size-raises", "Another number of elements raises"]
        assert "    # looks for RuntimeError" in shown


@pytest.mark.parametrize(
    ("slug", "told"),
    [
        ("othersizeraises", "did you mean 'other-size-raises'"),
        ("other-size-rises", "did you mean 'other-size-raises'"),
        ("nothing-like-it", "'conformance show NAME --all' lists claims"),
    ],
)
def test_a_mistyped_id_is_no_division(ask: Asking, slug: str, told: str) -> None:
    with pytest.raises(NoFinding, match=f"no claim or change has the id 'torch.Tensor.reshape/{slug}'; {told}"):
        ask.ask(f"torch.Tensor.reshape/{slug}")


def test_nothing_found_is_said(ask: Asking) -> None:
    for text in ("zxqv", "which colour has the sky", "x" * 500, "🙂"):
        with pytest.raises(NoFinding, match="nothing is known of"):
            ask.ask(text)


def test_what_a_file_says_can_not_drive_the_terminal(
    corpus: Corpus, results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("conformance.base.recorded_folder.default_root", lambda: corpus.root)
    path = results / "torch-1.13.1-cpu.jsonl"
    text = path.read_text(encoding="utf-8")
    assert "both operands" in text
    path.write_text(text.replace("both operands", "both\\u001b[2J\\u202e operands"), encoding="utf-8")
    for options in ([], ["--all"], ["--json"]):
        assert main(["show", "sizes of both", "operands must be the same", "--results", str(results), *options]) == 0
        shown = capsys.readouterr().out
        assert "2J" in shown
        assert shown.replace("\n", "").isprintable()


def test_the_index_is_built_once_and_anew_where_a_file_changes(
    corpus: Corpus, results: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    open_index(results, corpus.root)
    with monkeypatch.context() as patch:
        patch.delattr(index, "_built")
        open_index(results, corpus.root)
    (corpus.root / "tensor" / "view.yaml").write_text(VIEW.replace("Always", "Ever"), encoding="utf-8")
    assert "Ever a view" in as_text(Asking(open_index(results, corpus.root), results).ask("view"))
    [*_, newest] = sorted((tmp_path / "cache").rglob("*.index"), key=lambda path: path.stat().st_mtime)
    newest.write_bytes(b"no database")
    assert "Ever a view" in as_text(Asking(open_index(results, corpus.root), results).ask("view"))


def test_without_a_cache_it_is_found_all_the_same(
    corpus: Corpus, results: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert lines(Asking(open_index(results, corpus.root), results).ask("leaf"))[0] == "leaf, a concept"


def test_claims_of_ones_own_stand_before_what_the_corpus_has(
    corpus: Corpus, results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("conformance.base.recorded_folder.default_root", lambda: corpus.root)
    monkeypatch.setattr("conformance.base.recorded_folder.recorded_folder", lambda given=None: given or results)
    path = tmp_path / "own" / "leaf.yaml"
    path.parent.mkdir()
    path.write_text(
        f"subject: torch.is_leaf.leaf\n{CLAIMS}".replace("{key:", "{docs: torch.clone, key:"), encoding="utf-8"
    )
    assert main(["show", "leaf", "--specs", str(path)]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(
        "torch.is_leaf.leaf\n  claims      3 are not measured (--all lists them)\n\nleaf, a concept\n"
    )
    assert main(["show", "torch.is_leaf.leaf/on-a-gpu", "--specs", str(path)]) == 0
    assert capsys.readouterr().out.startswith("torch.is_leaf.leaf/on-a-gpu\nA GPU raises\n")
    path.write_text("subject: [\n", encoding="utf-8")
    assert main(["show", "leaf", "--specs", str(path)]) == 2
    assert "E005 yaml-syntax" in capsys.readouterr().err


def test_the_command_prints_text_or_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "torch.symeig"]) == 0
    heading, standing, *_ = capsys.readouterr().out.splitlines()
    assert heading.endswith("torch 1.8 to 1.13, cpu")
    assert standing == "  gone since 2.0; use torch.linalg.eigvalsh or torch.linalg.eigh"
    assert main(["show", "weights_only", "--json"]) == 0
    [found] = json.loads(capsys.readouterr().out)
    assert found["kind"] == "ArgumentFinding"
    assert found["takers"][0] == ["torch.load", "None"]
    assert main(["show", "zxqv"]) == 2
    assert "nothing is known of 'zxqv'" in capsys.readouterr().err


def test_a_name_that_the_index_lacks_is_looked_up(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "torch.nn.Linear.eval"]) == 0
    heading, answered, *_ = capsys.readouterr().out.splitlines()
    assert heading.endswith("torch 1.8 to 2.15, cpu, on dense tensors")
    assert answered == "  as torch.nn.Module.eval:"


def test_an_attribute_that_is_missing_is_shown_where_another_release_has_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "AttributeError: module 'torch' has no attribute 'symeig'"]) == 0
    assert "gone since 2.0; use torch.linalg.eigvalsh" in capsys.readouterr().out
    assert main(["show", "AttributeError: module 'torch.nn' has no attribute 'Liner'"]) == 0
    assert "shown is torch.nn.Linear" in capsys.readouterr().out
    assert main(["show", "AttributeError: module 'torch' has no attribute 'zxqv'"]) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("expected scalar type Double but found Float", "expected m1 and m2 to have the same dtype"),
        ("expected scalar type Long but found Int", "expected target dtype to be Long or Byte"),
        (
            "RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place operation.",
            "a view of",
        ),
        ("Unsupported global: GLOBAL my.Class was not an allowed global by default", "Weights only load failed"),
        (
            "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!",
            "Expected all",
        ),
        ("RuntimeError: size mismatch for fc.bias: copying a param with shape", "Error(s) in loading state_dict"),
    ],
)
def test_a_message_is_found_in_each_wording(text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", text]) == 0
    heading, raised, *more = capsys.readouterr().out.splitlines()
    assert f"Error: {message}" in heading
    assert raised.startswith("  raised by ")
    first = more[: more.index("")] if "" in more else more
    assert any(line.startswith("  seen on ") for line in first)


def test_an_argument_is_no_prose_that_begins_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "requires_grad = True on a result raises"]) == 0
    assert "an argument" not in capsys.readouterr().out.splitlines()[0]
    assert main(["show", "copy"]) == 0
    assert "copy=True" in capsys.readouterr().out


#: Questions of which the answer is that of another name than those which were written down.
ANSWERED_ELSEWHERE = {
    "a11": "torch.contiguous_format",
    "a19": "torch.Tensor.__mul__",
    "a46": "torch.nn.BatchNorm1d.running_mean",
    "a55": "torch.nn.Linear.weight",
}


def test_questions_of_public_threads_lead_to_what_answers_them() -> None:
    folder = recorded_folder()
    ask = Asking(open_index(folder, default_root()), folder)
    questions = yaml.safe_load((Path(__file__).parent / "data" / "questions-show.yaml").read_text(encoding="utf-8"))
    elsewhere = {}
    for question in questions:
        found = ask.ask(question["question"])[0]
        sides = (found.left, found.right) if isinstance(found, PairFinding) else (found,)
        names = {getattr(side, "name", "") for side in sides}
        about = {name.replace("torch.", prefix) for name in question["about"] for prefix in ("torch.", "torch.Tensor.")}
        if not isinstance(found, MessageFinding) and names.isdisjoint(about):
            elsewhere[question["id"]] = ", ".join(names)
    assert elsewhere == ANSWERED_ELSEWHERE


def test_a_look_up_runs_through_few_modules_and_reads_no_pickle() -> None:
    code = (
        "import pickle, sys; from conformance.__main__ import main; main(['show', 'reshape']); "
        "pickle.loads = None; main(['show', 'reshape']); print(*sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)  # builds the index
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    modules = ran.stdout.splitlines()[-1].split()
    assert not {"yaml", "torch", "numpy", "pytest"} & {*modules}
    assert len([name for name in modules if name.partition(".")[0] == "conformance"]) <= 25
