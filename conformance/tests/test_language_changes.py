"""Files of changes: what they say, the claims that their examples make, and the code that they match."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Union

import pytest

from conformance.language.changes import check_matches
from conformance.language.corpus import default_root, load_corpus, load_file
from conformance.language.model import Change, CodeMatch
from conformance.language.problems import Problems
from conformance.names.lookup import Names
from conformance.results.model import Entry, Environment
from conformance.results.proofs import check_changes
from conformance.results.store import Results
from conformance.upgrade.matching import concern, concerned
from conformance.usage import Evidence, read_project

SOURCES = "releases:\n  '2.0.0': {title: Notes, url: https://example.org/2.0}\n"
CHANGE = """\
release: '2.0.0'
changes:
  - id: ones-are-zeros
    title: '`torch.ones` gives zeros'
    harm: changes
    reach: common
    match: [{call: torch.ones}]
    before: Ones.
    after: Zeros.
    instead: torch.zeros(2) + 1
    example:
      do: y = torch.ones(2)
      before: {expect: y.all(), torch: '>=1.9'}
      after: {expect: not y.any()}
    hits: [torch.ones(2)]
    misses: [torch.zeros(2)]
"""


INTS = "x = torch.arange(3)\nx"
LEAF = "x = torch.ones(2, requires_grad=True)\n"
FUNCTION = "class F(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return x"
LOSS = "likely"
PLAIN = "class T(torch.Tensor):\n    def __torch_function__(self, f, types, args=(), kwargs=None):\n        return 1"
OF_CLASS = PLAIN.replace("    def", "    @classmethod\n    def")
MODULE = "class M(torch.nn.Module):\n    def f(self):\n        "
TRANSFORMER = "class M(torch.nn.Transformer):\n    def __init__(self):\n        "


def written(folder: Path, text: str = CHANGE) -> Path:
    (folder / "changes").mkdir(exist_ok=True)
    (folder / "sources.yaml").write_text(SOURCES)
    path = folder / "changes" / "2.0.yaml"
    path.write_text(text)
    return path


def read(folder: Path, text: str = CHANGE) -> Change:
    corpus, problems = load_corpus([written(folder, text)], folder)
    assert not problems, problems[0]
    return corpus.changes[0]


def matching(folder: Path, match: str) -> Change:
    return read(folder, CHANGE.replace("[{call: torch.ones}]", match).replace("harm: changes", "harm: breaks"))


def test_a_change_says_what_happens_and_what_to_write(tmp_path: Path) -> None:
    change = read(tmp_path)
    assert (change.release, change.id, change.harm, change.reach) == ("2.0", "ones-are-zeros", "changes", "common")
    assert (change.before, change.after, change.instead) == ("Ones.", "Zeros.", "torch.zeros(2) + 1")
    assert change.match == (CodeMatch("torch.ones", "call"),)
    limited = read(tmp_path, CHANGE.replace("    before: Ones.", "    if: x is empty\n    before: Ones."))
    assert (change.condition, limited.condition) == ("", "x is empty")


def test_an_example_is_a_claim_about_each_side(tmp_path: Path) -> None:
    before, after = read(tmp_path).examples
    assert (before.id, before.applies.torch) == ("changes/2.0/ones-are-zeros-before", "<2.0,>=1.9")
    assert (after.id, after.applies.torch) == ("changes/2.0/ones-are-zeros-after", ">=2.0")
    assert before.do == after.do
    assert [str(part) for part in after.expectation.expect] == ["not y.any()"]


def test_examples_are_claims_of_the_corpus_and_of_their_file(tmp_path: Path) -> None:
    path = written(tmp_path)
    corpus, _ = load_corpus([tmp_path], tmp_path)
    assert [claim.slug for claim in corpus.claims] == ["ones-are-zeros-after", "ones-are-zeros-before"]
    assert load_file(path, corpus.sources, tmp_path)[0] == list(corpus.changes[0].examples)


def test_the_folder_of_changes_is_its_files(tmp_path: Path) -> None:
    path = written(tmp_path)
    alone, problems = load_corpus([path.parent])
    assert (problems, alone.changes) == ([], load_corpus([path])[0].changes)
    assert alone.changes


def test_a_change_is_proven_by_a_release_on_each_side(tmp_path: Path) -> None:
    change = read(tmp_path)
    sides = [(claim.id, Entry(claim.fingerprint(), "holds")) for claim in change.examples]
    environment = Environment("2.0.0", "default", "3.13", "2.3", "cpu", "linux", "x86_64")
    old, new = (Results(environment, "0" * 12, 0, 0, {name: entry}) for name, entry in sides)
    assert mistakes(change, old, new) == []
    assert mistakes(change, new) == ["EB04"]
    other = Results(environment, "0" * 12, 0, 0, {sides[0][0]: Entry("0" * 8, "holds")})
    assert mistakes(change, other, new) == ["EB04"]


def mistakes(change: Change, *releases: Results) -> list[str]:
    problems = Problems()
    check_changes([change], releases, problems)
    return [problem.code for problem in problems.sorted()]


CAUGHT = "[{call: torch.cat, caught: RuntimeError}]"
HANDLER = "except RuntimeError:\n    pass\n"
COMPLEX = "[{call: torch.Tensor.sum_to_size, object: complex tensor}]"


@pytest.mark.parametrize(
    ("match", "code", "expected"),
    [
        ("[{call: torch.load}]", "torch.load(f)", True),
        ("[{call: torch.load}]", "from torch import load\nload(f)", True),
        ("[{call: torch.load}]", "torch.jit.load(f)", False),
        ("[{call: torch.load}]", "f = torch.load", False),
        ("[{use: torch.load}]", "f = torch.load", True),
        ("[{use: torch._six}]", "from torch._six import inf", True),
        ("[{use: torch._six}]", "try:\n    from torch._six import inf\nexcept ImportError:\n    inf = 1", False),
        ("[{call: torch.load, without: [weights_only]}]", "torch.load(f, weights_only=True)", False),
        ("[{call: torch.load, without: [map_location]}]", "torch.load(f, 'cpu')", False),
        ("[{call: torch.load, without: [map_location]}]", "torch.load(f, **options)", None),
        ("[{call: torch.load, with: [map_location]}]", "torch.load(f, **options)", None),
        ("[{call: torch.load, with: [weights_only=True]}]", "torch.load(f, weights_only=True)", True),
        ("[{call: torch.load, with: [weights_only=True]}]", "torch.load(f, weights_only=False)", False),
        ("[{call: torch.load, with: [weights_only=True]}]", "torch.load(f)", False),
        ("[{call: torch.load, with: [weights_only=True]}]", "torch.load(f, weights_only=unknown)", None),
        ("[{call: torch.load, without: [weights_only=True]}]", "torch.load(f, weights_only=True)", False),
        ("[{call: torch.load, without: [weights_only=True]}]", "torch.load(f)", True),
        ("[{call: torch.load, with: [map_location='cpu']}]", "D = 'cpu'\ntorch.load(f, D)", True),
        ("[{call: torch.zeros, with: [dtype=torch.long]}]", "torch.zeros(2, dtype=torch.long)", True),
        ("[{call: torch.zeros, with: [dtype=torch.long]}]", "torch.zeros(2, dtype=torch.int)", False),
        ("[{call: torch.Tensor.permute, with: [dims is a list]}]", "torch.ones(2, 2).permute([1, 0])", True),
        ("[{call: torch.Tensor.permute, with: [dims is a list]}]", "torch.ones(2, 2).permute((1, 0))", False),
        ("[{call: torch.Tensor.permute, with: [dims is a list]}]", "torch.ones(2, 2).permute(d)", None),
        ("[{call: torch.Tensor.permute, positional: 2}]", "torch.ones(2, 2).permute(1, 0)", True),
        ("[{call: torch.Tensor.permute, positional: 2}]", "torch.ones(2, 2).permute(*d)", None),
        ("[{call: torch.Tensor.clamp_, object: integer tensor, with: [min is a float]}]", INTS + ".clamp_(0.5)", True),
        ("[{call: torch.Tensor.clamp_, object: integer tensor, with: [min is a float]}]", INTS + ".clamp_(1)", False),
        ("[{call: torch.Tensor.clamp_, object: integer tensor}]", "torch.rand(2).clamp_(0.5)", False),
        ("[{call: torch.Tensor.clamp_, object: integer tensor}]", "torch.ones(2, dtype=d).clamp_(0.5)", None),
        ("[{call: torch.clamp, object: integer tensor}]", "torch.clamp(torch.arange(3), 0.5)", True),
        ("[{call: torch.Tensor.__floordiv__}]", "torch.ones(2) // 2", True),
        ("[{call: torch.Tensor.__floordiv__}]", "torch.ones(2) / 2", False),
        ("[{call: torch.Tensor.__sub__, object: bool tensor}]", "x = torch.ones(2) > 0\nx - x", True),
        ("[{call: torch.Tensor.__sub__, object: bool tensor}]", "x = torch.ones(2)\nx - x", False),
        ("[{call: torch.Tensor.__invert__}]", "~(torch.ones(2) > 0)", True),
        ("[{call: torch.Tensor.__float__, object: tensor that requires grad}]", LEAF + "float(x.sum() * 2)", True),
        (
            "[{call: torch.Tensor.__float__, object: tensor that requires grad}]",
            LEAF + "float(x.detach().sum())",
            False,
        ),
        ("[{call: torch.Tensor.__float__, object: tensor that requires grad}]", LEAF + "float((x > 0).any())", False),
        ("[{call: torch.Tensor.__float__, object: tensor that requires grad}]", LEAF + "float(x.argmax())", False),
        ("[{call: torch.Tensor.__float__, object: tensor that requires grad}]", "float(torch.ones(2, dtype=d))", None),
        (
            "[{call: torch.Tensor.__float__, object: tensor that requires grad}]",
            "l = f(x)\nl.backward()\nfloat(l)",
            LOSS,
        ),
        ("[{call: torch.export.ExportedProgram.__call__}]", "p = torch.export.export(m, (x,))\np(x)", True),
        ("[{call: functorch.vmap}]", "from functorch import vmap\nvmap(f)", True),
        ("[{override: torch.Tensor.__torch_function__, without: [classmethod]}]", PLAIN, True),
        ("[{override: torch.Tensor.__torch_function__, without: [classmethod]}]", OF_CLASS, False),
        ("[{call: torch.Tensor.__array__}]", "import numpy as np\nnp.asarray(torch.ones(2))", True),
        ("[{isinstance: torch.device}]", "isinstance(x, (str, torch.device))", True),
        ("[{isinstance: torch.device}]", "issubclass(x, torch.device)", True),
        ("[{isinstance: torch.device}]", "torch.device('cpu')", False),
        ("[{except: torch.nn.ParameterList}]", "try:\n    f()\nexcept torch.nn.ParameterList:\n    pass", True),
        ("[{except: torch.nn.ParameterList}]", "torch.nn.ParameterList", False),
        ("[{set: torch.backends.cudnn.benchmark}]", "torch.backends.cudnn.benchmark = True", True),
        ("[{set: torch.backends.cudnn.benchmark}]", "print(torch.backends.cudnn.benchmark)", False),
        ("[{call: torch.backends.cudnn.benchmark}]", "torch.backends.cudnn.benchmark = True", False),
        ("[{decorator: torch.jit.script}]", "@torch.jit.script\ndef f(x):\n    return x", True),
        ("[{decorator: torch.jit.script}]", "torch.jit.script(f)", False),
        ("[{override: torch.autograd.Function.forward}]", FUNCTION, True),
        ("[{override: torch.autograd.Function.forward, without: [ctx]}]", FUNCTION, False),
        ("[{use: torch.autograd.Function.forward}]", FUNCTION, False),
        ("[{call: torch.nn.Module.register_backward_hook}]", MODULE + "self.register_backward_hook(h)", True),
        ("[{call: torch.nn.Module.register_backward_hook}]", MODULE + "self.inner.step()", False),
        ("[{call: torch.nn.Transformer, with: [d_model]}]", TRANSFORMER + "super().__init__(8)", True),
        ("[{use: torch.package._importlib}]", "from torch.package import _importlib", True),
        ("[{call: torch.load, with: [map_location]}]", "torch.load(f, 'cpu')", True),
        ("[{call: torch.load, positional: 2}]", "torch.load(f, map_location='cpu')", False),
        ("[{call: torch.load, positional: 2}]", "torch.load(f, 'cpu')", True),
        ("[{base: torch.nn.Module}]", "class M(torch.nn.Module):\n    pass", True),
        ("[{base: torch.nn.Module}]", "isinstance(m, torch.nn.Module)", False),
        ("[{read: torch.nn.Module}]", "isinstance(m, torch.nn.Module)", True),
        ("[{read: torch.nn.Module}]", "class M(torch.nn.Module):\n    pass", False),
        ("[{class decorator: torch.no_grad}]", "@torch.no_grad()\nclass M:\n    pass", True),
        ("[{class decorator: torch.no_grad}]", "@torch.no_grad()\ndef f():\n    pass", False),
        ("[{use: torch.symeig}, {use: torch.qr}]", "torch.qr(x)", True),
        ("[{call: torch.Tensor.qr}]", "x = torch.ones(2, 2)\nx.qr()", True),
        ("[{call: torch.Tensor.qr}]", "x.qr()", False),
        (CAUGHT, "try:\n    torch.cat(x)\nexcept RuntimeError:\n    pass", True),
        (CAUGHT, "try:\n    try:\n        torch.cat(x)\n    except KeyError:\n        pass\n" + HANDLER, True),
        (CAUGHT, "try:\n    try:\n        torch.cat(x)\n    except Exception:\n        pass\n" + HANDLER, False),
        (CAUGHT, "try:\n    torch.cat(x)\nexcept (KeyError, RuntimeError):\n    pass", True),
        (CAUGHT, "try:\n    torch.cat(x)\nexcept ValueError:\n    pass", False),
        (CAUGHT, "try:\n    pass\n" + HANDLER + "else:\n    torch.cat(x)", False),
        (CAUGHT, "try:\n    def f(x):\n        torch.cat(x)\n" + HANDLER, False),
        (CAUGHT, "import contextlib\nwith contextlib.suppress(RuntimeError):\n    torch.cat(x)", True),
        (CAUGHT, "import pytest\nwith pytest.raises(RuntimeError, match='x'):\n    torch.cat(x)\ntorch.cat(x)", True),
        (CAUGHT, "import pytest\nwith pytest.raises(RuntimeError):\n    f()\ntorch.cat(x)", False),
        (CAUGHT, "torch.cat(x)", False),
        (COMPLEX, "torch.ones(2, dtype=torch.complex64).sum_to_size(2)", True),
        (COMPLEX, "(torch.ones(2) * 1j).sum_to_size(2)", True),
        (COMPLEX, "torch.fft.fft(x).sum_to_size(2)", True),
        (COMPLEX, "torch.fft.irfft(x).sum_to_size(2)", False),
        (COMPLEX, "torch.rand(2).sum_to_size(2)", False),
        ("[{call: torch.optim.SGD, with: [params is a set]}]", "torch.optim.SGD({p}, 0.1)", True),
        ("[{call: torch.optim.SGD, with: [params is a set]}]", "torch.optim.SGD(set(p), 0.1)", True),
        ("[{call: torch.optim.SGD, with: [params is a set]}]", "torch.optim.SGD([p], 0.1)", False),
        ("[{call: torch.optim.SGD, with: [params is a set]}]", "torch.optim.SGD(p, 0.1)", None),
        ("[{call: torch.cuda.FloatTensor}]", "x.type(torch.cuda.FloatTensor)", False),
        ("[{call: torch.cuda.FloatTensor}]", "torch.set_default_tensor_type(torch.cuda.FloatTensor)", False),
        ("[{call: torch.cuda.FloatTensor}]", "T = torch.cuda.FloatTensor\nT(2)", True),
    ],
)
def test_a_match_finds_the_code_that_it_describes(
    tmp_path: Path, match: str, code: str, expected: Union[bool, str, None]
) -> None:
    found = concerned([(matching(tmp_path, match), code)], Names())
    assert found == [{True: Evidence.CERTAIN, LOSS: Evidence.LIKELY, None: Evidence.MAYBE, False: None}[expected]]


OLDER = [
    "if torch.__version__ < '2.0':\n    torch.qr(x)",
    "if not torch.__version__ >= '2.0':\n    torch.qr(x)",
    "if torch.__version__ >= '2.0':\n    pass\nelse:\n    torch.qr(x)",
    "if torch.__version__ < '2.0' and y:\n    torch.qr(x)",
    "if not (torch.__version__ >= '2.0' or y):\n    torch.qr(x)",
    "def f(x):\n    if torch.__version__ >= '2.0':\n        return x\n    torch.qr(x)",
    "y = x if torch.__version__ >= '2' else torch.qr(x)",
    "NEW = torch.__version__ >= '2.0'\nif not NEW:\n    torch.qr(x)",
    "def is_new():\n    return torch.__version__ >= '2.0'\nif not is_new():\n    torch.qr(x)",
    "from packaging import version\nif version.parse(torch.__version__) < version.parse('2.0.0'):\n    torch.qr(x)",
    "from packaging.version import Version as V\nif V(torch.__version__).release < (2, 0):\n    torch.qr(x)",
    "from packaging import version\nv = version.parse(torch.__version__.split('+')[0])\n"
    "if v < version.parse('2.0'):\n    torch.qr(x)",
    "if tuple(map(int, torch.__version__.split('.')[:2])) < (2, 0):\n    torch.qr(x)",
    "if tuple(int(n) for n in torch.__version__.split('.')[:2]) < (1, 9):\n    torch.qr(x)",
    "major, minor = map(int, torch.__version__.split('.')[:2])\nif major < 2:\n    torch.qr(x)",
    "if int(torch.__version__.split('.')[0]) < 2:\n    torch.qr(x)",
    "if torch.__version__.startswith('1.'):\n    torch.qr(x)",
    "if torch.__version__[0] == '1':\n    torch.qr(x)",
    "from importlib.metadata import version as v\nif v('torch') < '2.0':\n    torch.qr(x)",
    "def at_least(wanted):\n    return torch.__version__ >= wanted\nif not at_least('2.0'):\n    torch.qr(x)",
    "from x import is_torch_greater_or_equal\nif not is_torch_greater_or_equal('2.0'):\n    torch.qr(x)",
    "from x import is_torch_version\nif is_torch_version('<', '2.0'):\n    torch.qr(x)",
    "from x import is_torch_less_than_1_11\nif is_torch_less_than_1_11:\n    torch.qr(x)",
    "from x import TORCH_2_0\nif not TORCH_2_0:\n    torch.qr(x)",
    "from x import TORCH_VERSION\nif TORCH_VERSION < (2, 0):\n    torch.qr(x)",
]


@pytest.mark.parametrize("code", OLDER)
def test_code_that_runs_on_one_side_alone_is_not_concerned(tmp_path: Path, code: str) -> None:
    change = matching(tmp_path, "[{call: torch.qr}]")
    old = code.replace("2.0", "1.9").replace("2, 0", "1, 9").replace("1_11", "1_8").replace("2_0", "1_9")
    assert concerned([(change, code), (change, f"{code}\ntorch.qr(x)")], Names()) == [None, Evidence.CERTAIN]
    if "<" in code and old != code:
        mirrored = old.replace("<", ">=")
        assert concerned([(change, mirrored)], Names()) == [Evidence.CERTAIN]


@pytest.mark.parametrize("text", ["TORCH_2_0 = torch.__version__ >= '2.0'", "from other import TORCH_2_0"])
def test_a_comparison_of_versions_is_followed_through_the_project(tmp_path: Path, text: str) -> None:
    (tmp_path / "other.py").write_text("import torch\nTORCH_2_0 = torch.__version__ >= '2.0'\n")
    (tmp_path / "checks.py").write_text(f"import torch\n{text}\n")
    code = "import torch\nfrom checks import TORCH_2_0 as NEW\nif NEW:\n    torch.qr(x)\nelse:\n    torch.qr(y)\n"
    (tmp_path / "main.py").write_text(code)
    both = [use for use in read_project([tmp_path]).uses() if "torch.qr" in use.names]
    (tmp_path / "change").mkdir()
    for release, expected in (
        ("2.0", [None, None]),
        ("1.13", [None, Evidence.CERTAIN]),
        ("2.1", [Evidence.CERTAIN, None]),
    ):
        change = replace(matching(tmp_path / "change", "[{call: torch.qr}]"), release=release)
        assert [concern(change, use, Names()) for use in both] == expected


def test_the_changes_of_the_corpus_match_their_hits_and_not_their_misses() -> None:
    changes = load_corpus(sorted((default_root() / "changes").glob("*.yaml")))[0].changes
    assert len(changes) > 60
    problems = Problems()
    check_matches(changes, partial(concerned, names=Names()), problems)
    assert problems.sorted() == []


def test_a_difference_may_be_decided_to_be_none(tmp_path: Path) -> None:
    decision = "no change:\n  - {names: ['torch.zeros*'], what: strides, because: Nobody promised them.}\n"
    corpus, problems = load_corpus([written(tmp_path, CHANGE + decision)], tmp_path)
    assert problems == []
    [found] = corpus.no_changes
    assert (found.release, found.what, found.concerns("torch.zeros_like"), found.concerns("torch.ones")) == (
        *("2.0", "strides"),
        True,
        False,
    )


def test_a_rewrite_is_a_keyword_or_a_name(tmp_path: Path) -> None:
    fix = "    fix: [{of: torch.ones, keyword: a=1}, {of: torch.ones, name: torch.zeros, first: '2', unsafe: true}]\n"
    first, second = read(tmp_path, CHANGE.replace("    example:\n", f"{fix}    example:\n")).fixes
    assert (first.keyword, second.name, second.first, second.unsafe) == ("a=1", "torch.zeros", "2", True)
    both = fix.replace("keyword: a=1", "keyword: a=1, name: b")
    path = written(tmp_path, CHANGE.replace("    example:\n", f"{both}    example:\n"))
    assert [one.code for one in load_corpus([path], tmp_path)[1]] == ["EB01"]


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("match: [{call: torch.ones}]", "match: [{use: torch.ones, caught: RuntimeError}]", "E107"),
        ("match: [{call: torch.ones}]", "match: [{call: torch.ones, object: a whole tensor}]", "E107"),
        ("match: [{call: torch.ones}]", "match: [{call: torch.ones, with: [size is a number]}]", "E107"),
        ("    before: Ones.", "    undoes: '1.9'\n    before: Ones.", "E402"),
        ("    before: Ones.", "    undoes: '2.0'\n    before: Ones.", "E402"),
    ],
)
def test_a_mistake_in_a_match_or_in_what_is_taken_back_is_reported(
    tmp_path: Path, old: str, new: str, code: str
) -> None:
    assert old in CHANGE
    assert [one.code for one in load_corpus([written(tmp_path, CHANGE.replace(old, new))], tmp_path)[1]] == [code]
