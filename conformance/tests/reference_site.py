"""Small sites to look at in the tests of the reference."""

from __future__ import annotations

import html
import json
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Optional

from conformance.language.corpus import load_corpus
from conformance.language.model import Claim
from conformance.results.model import (
    Coverage,
    Entry,
    Environment,
    Fact,
    Facts,
    FailedPart,
    Flags,
    Signal,
    Tiers,
)
from conformance.results.store import SUFFIX, Results, save_results

SPEC = Path(__file__).parent / "fixtures" / "reference" / "spec"
DETACH = "torch.Tensor.detach"
SENTENCES = {
    "torch": "2.13.0",
    "sentences": {DETACH: {"aaaaaaaa": "The sentence about storage.", "bbbbbbbb": "The sentence about errors."}},
}

CONF = """
project = "site"
extensions = ["conformance.lab.reference"]
conformance_spec = [{spec!r}]
conformance_results = "results"
conformance_sentences = "sentences.json"
html_theme = "furo"
smartquotes = False
nitpicky = True
templates_path = [{templates!r}]
exclude_patterns = ["out"]
"""

INDEX = """
Site
====

.. claim:numbers::
.. claim:environments::
.. claim:verdicts::

See :claim:`torch.Tensor.detach/shares-storage` and :subject:`torch.Tensor.detach` and :article:`B`.

.. toctree::

   reference/index
   reference/articles/index
   reference/releases/index
   false
   timings
"""


_CHANGE = """\
  - id: {id}
    title: '{title}'
    harm: {harm}
    reach: {reach}
    match: [{{call: {call}}}]
    before: It was so.
    after: It is `otherwise`.
    instead: something else
    unmeasured: Only a test has it.
    hits: ['{call}(x)']
    misses: ['print(1)']
"""
_ANSWER = """\
answer:
  - says: The result shares memory with x.
    claims: [shares-storage]
see: [torch.Tensor.detach_]
asked: [does detach copy]
"""
_MESSAGE = """\
messages:
  - id: numpy-requires-grad
    message: Can't call numpy() on Tensor that requires grad.
    type: RuntimeError
    raised: x.numpy() if x requires grad
    because: NumPy arrays have no history.
    do: x.detach().numpy() shares memory with x.
    names: [torch.Tensor.detach]
    claims: [torch.Tensor.detach/shares-storage]
"""
_FULL_INDEX = """
Site
====

.. claim:start::

See :claim:`torch.Tensor.detach/shares-storage`.

.. toctree::
   :hidden:
   :caption: How torch behaves

   reference/index
   changes
   messages
   reference/articles/index
   reference/releases/index
   documented-and-false
   timings
   glossary
"""


@dataclass(frozen=True)
class Site:
    """A site that was built."""

    source: Path
    status: int
    output: str

    def page(self, name: str) -> str:
        """Read a page."""
        return (self.source / "out" / f"{name}.html").read_text(encoding="utf-8")

    def section(self, name: str, anchor: str) -> str:
        """Read the part of a page from one anchor to the next claim, as text."""
        found = re.search(
            rf'<section class="claim" id="{anchor}">(.*?)(?=<section class="claim"|<footer)', self.page(name), re.S
        )
        assert found, f"{name} has no section {anchor}"
        return text_of(found.group(1))

    def loaded(self, name: str, key: str = "") -> str:
        """Read what a page loads when a part is opened, as text; without a key all of it."""
        parts, impostors = self._data(name)
        blocks = parts[key] if key else [block for found in parts.values() for block in found]
        return " ".join(" ".join(_strings(block, impostors)) for block in blocks)

    def scripts(self, name: str) -> list[str]:
        """List the blocks of code that a page loads."""
        return [block["code"] for found in self._data(name)[0].values() for block in found if "code" in block]

    def _data(self, name: str) -> tuple[dict[str, Any], list[list[str]]]:
        text = (self.source / "out" / "_loaded" / f"{name}.js").read_text(encoding="utf-8")
        call = re.fullmatch(r"conformanceLoaded\((.*)\);\n", text, re.S)
        assert call, f"{name}.js is no call"
        parts, impostors = json.loads(f"[{call.group(1)}]")
        return parts, impostors

    def pages(self) -> list[Path]:
        """List the pages."""
        return sorted((self.source / "out").rglob("*.html"))


def _strings(block: dict[str, Any], impostors: list[list[str]]) -> list[str]:
    if "impostors" in block:
        return [": ".join(impostors[number]) for number in block["impostors"]]
    if "items" in block:
        return ["".join(text for text, *_ in pieces) for pieces in block["items"]]
    if "table" in block:
        return ["".join(text for text, *_ in cell) for row in block["table"] for cell in row]
    return list(block.values())


def claims() -> dict[str, Claim]:
    """Load the claims of the fixture by slug."""
    corpus, problems = load_corpus([SPEC])
    assert not problems, "\n".join(map(str, problems))
    return {claim.slug: claim for claim in corpus.claims}


def environment(torch: str) -> Environment:
    """Name an environment."""
    return Environment(torch, "cpu", "3.11", "2.4.0", "cpu", "linux", "x86_64", hypothesis="6.155.2")


def entries(torch: str) -> dict[str, Entry]:
    """Write the entries of a result file."""
    found = claims()
    old = torch.startswith("1.")
    prints = {slug: claim.fingerprint() for slug, claim in found.items()}
    example = {"x": "torch.tensor([1., 2., 3.])"}
    raised = Entry(
        prints["write-before-backward-raises"],
        "refuted" if old else "holds",
        examples=97,
        example={"x": "torch.tensor([1., 2., 3.], requires_grad=True)"},
        facts=Facts(raises=Signal("RuntimeError", "one of the variables has been modified")),
        tiers=Tiers("always", "always", "sometimes"),
        sentences=(None if old else "bbbbbbbb",),
    )
    if old:
        failed = FailedPart("raises", tier="error")
        raised = replace(raised, failed=failed, detail="nothing was raised", counterexample="import torch\n\nx = 1\n")
    measured = {
        "shares-storage": Entry(
            prints["shares-storage"],
            "holds",
            examples=431,
            covered={"x": Coverage((21, 9, 6, 6), 612, 700)},
            no_kernel=("Float8_e4m3fn",) if old else (),
            missing_kernels={} if old else {"NotImplementedError": ("Float8_e4m3fn", "Float8_e5m2")},
            example=example,
            facts=Facts(names={"y": Fact("tensor([1., 2., 3.])", Flags("float32", leaf=True, shares=("x",)))}),
            sentences=("cccccccc" if old else "aaaaaaaa",),
        ),
        "write-before-backward-raises": raised,
        "makes-a-copy": Entry(
            prints["makes-a-copy"],
            "diverges",
            examples=12,
            divergence=(0,),
            counterexample='import torch\n\nx = torch.tensor([1., 2.])\nassert "a" < "b" and x is not None\n',
            example=example,
        ),
        "stays-on-the-gpu": Entry(prints["stays-on-the-gpu"], "inapplicable"),
        "keeps-strides": Entry(prints["keeps-strides"], "unspecified", examples=50, observed=("always", "sometimes")),
    }
    if not old:
        measured["returns-itself"] = Entry(prints["returns-itself"], "holds", examples=3)
    return {found[slug].id: entry for slug, entry in measured.items()}


def results(torch: str) -> Results:
    """Make a result file's content."""
    corpus, _ = load_corpus([SPEC])
    return Results(environment(torch), corpus.revision(), 20, 0, entries(torch))


def changed(results: Results, slug: str, **fields: Any) -> Results:
    """Change an entry of a result file's content."""
    identity = claims()[slug].id
    return replace(results, claims={**results.claims, identity: replace(results.claims[identity], **fields)})


def timings(torch: str) -> Results:
    """Make a timing file's content."""
    claim = claims()["faster-than-a-clone"]
    kernels = {"clone": (2.0, 2.5, 3.0), "detach": (1.0, 1.0, 1.0)}
    entry = Entry(claim.fingerprint(), "holds", sizes=(1, 64, 4096), kernels=kernels)
    here = replace(environment(torch), processor="A processor")
    return replace(results(torch), environment=here, claims={claim.id: entry})


def write_source(
    folder: Path,
    measured: Iterable[Results] = (),
    timed: Optional[Results] = None,
    sentences: Optional[dict[str, Any]] = None,
    spec: Path = SPEC,
    conf: str = "",
    index: str = INDEX,
) -> Path:
    """Write the source of a site."""
    templates = Path(__file__).parent.parent.parent / "docs" / "_templates"
    (folder / "results").mkdir(parents=True)
    (folder / "conf.py").write_text(CONF.format(spec=str(spec), templates=str(templates)) + conf, encoding="utf-8")
    (folder / "index.rst").write_text(index, encoding="utf-8")
    (folder / "false.rst").write_text("False\n=====\n\n.. claim:false::\n", encoding="utf-8")
    (folder / "timings.rst").write_text("Timings\n=======\n\n.. claim:timings::\n", encoding="utf-8")
    for result in measured:
        save_results(result, folder / "results" / f"{result.name}{SUFFIX}")
    if timed is not None:
        save_results(timed, folder / "results" / "timings" / f"torch-2.13.0-cpu{SUFFIX}")
    if sentences is not None:
        (folder / "sentences.json").write_text(json.dumps(sentences), encoding="utf-8")
    return folder


def write_full_source(folder: Path, conf: str = "") -> Path:
    """Write the source of a site with an answer, changes, a message and a glossary beside the claims."""
    spec = shutil.copytree(SPEC, folder / "spec")
    of_releases = {
        "1.9": [
            ("load-is-strict", "`torch.load` is strict", "breaks", "common", "torch.load"),
            ("detach-warns", "detach() warns", "warns", "rare", DETACH),
        ],
        "2.13": [
            ("relu-warns", "relu() warns", "warns", "rare", "torch.nn.functional.relu"),
            ("cat-is-gone", "`torch.cat` is gone", "breaks", "rare", "torch.cat"),
            ("linear-gives-more", "Linear gives more", "changes", "common", "torch.nn.Linear"),
        ],
    }
    head, _, claims = (spec / "detach.yaml").read_text(encoding="utf-8").partition("\nclaims:")
    (spec / "detach.yaml").write_text(f"{head}\n{_ANSWER}claims:{claims}", encoding="utf-8")
    (spec / "changes").mkdir()
    for release, changes in of_releases.items():
        fields = ("id", "title", "harm", "reach", "call")
        entries = "".join(_CHANGE.format(**dict(zip(fields, change))) for change in changes)
        text = f"release: '{release}.0'\nchanges:\n{entries}"
        (spec / "changes" / f"{release}.yaml").write_text(text, encoding="utf-8")
    (spec / "messages").mkdir()
    (spec / "messages" / "types.yaml").write_text(_MESSAGE, encoding="utf-8")
    measured = [results("1.9.0"), results("2.13.0")]
    source = write_source(folder / "site", measured, timings("2.13.0"), spec=spec, conf=conf, index=_FULL_INDEX)
    (source / "false.rst").rename(source / "documented-and-false.rst")
    for name in ("changes", "messages"):
        (source / f"{name}.rst").write_text(f"{name}\n========\n\n.. claim:{name}::\n", encoding="utf-8")
    terms = "".join(f"   {term}\n      A word.\n\n" for term in ("cause", "claim", "harm", "reach", "trial"))
    (source / "glossary.rst").write_text(f"Glossary\n========\n\n.. glossary::\n\n{terms}", encoding="utf-8")
    return source


def build(folder: Path) -> Site:
    """Build a site, which gives no warning."""
    site = attempt(folder)
    assert (site.status, site.output) == (0, "")
    return site


def attempt(folder: Path, options: Sequence[str] = ("-W", "--keep-going", "-n")) -> Site:
    """Build a site in this process, whatever comes of it."""
    import contextlib
    import io

    from sphinx.cmd.build import build_main

    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        status = build_main(["-q", "-N", *options, "-b", "html", str(folder), str(folder / "out")])
    return Site(folder, status, output.getvalue())


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def text_of(markup: str) -> str:
    """Give the text of HTML, with runs of space as one."""
    parser = _Text()
    parser.feed(markup)
    return " ".join("".join(parser.parts).split())


def blocks_of_code(markup: str) -> list[str]:
    """Give the text of every block of code."""
    return [html.unescape(re.sub(r"<[^>]*>", "", block)) for block in re.findall(r"<pre>(.*?)</pre>", markup, re.S)]
