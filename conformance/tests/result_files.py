"""Small result files and corpora for tests of what compares releases."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Optional

from conformance.language.corpus import Corpus, default_root, load_corpus
from conformance.language.model import Claim
from conformance.results.model import Entry, Environment, Verdict
from conformance.results.recorded import Measured
from conformance.results.store import Results, save_results

DOCS = "[{docs: torch.Tensor.detach, key: detached from the current graph}]"


def make_corpus(folder: Path, *bodies: str, subject: str = "torch.Tensor.detach") -> Corpus:
    """Read claims from the bodies of YAML entries; each lacks an id, and a family and sources unless it has some."""
    lines = [f"subject: {subject}", "claims:"]
    for number, body in enumerate(bodies):
        text = textwrap.dedent(body).strip()
        if "sources:" not in text:
            text += f"\nsources: {DOCS}"
        if "family:" not in text:
            text += "\nfamily: values"
        lines += [f"  - id: claim-{number}", f"    title: Claim number {number}", textwrap.indent(text, "    ")]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{subject.rpartition('.')[2].rpartition('/')[2]}.yaml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    corpus, problems = load_corpus([folder], default_root())
    assert not problems, "\n".join(map(str, problems))
    return corpus


def make_claim(folder: Path, body: str, subject: str = "torch.Tensor.detach") -> Claim:
    """Read one claim, as `make_corpus` does."""
    return make_corpus(folder, body, subject=subject).claims[0]


SIMPLE = "given: {x: tensor()}\ndo: y = x.detach()\nexpect: shares_storage(y, x)"
RAISING = "given: {x: tensor()}\ndo: x.item()\nraises: {type: RuntimeError, promised: error}"


def entry(claim: Claim, verdict: Verdict = "holds", **fields: Any) -> Entry:
    """Make an entry of a result file; ``facts`` of a canonical example come with the example."""
    if fields.get("facts") is not None:
        fields.setdefault("example", {"x": "torch.tensor([1., 2.])"})
    return Entry(claim.fingerprint(), verdict, **fields)


def release(torch: str, claims: Mapping[str, Entry], *, void: Optional[str] = None, **changes: Any) -> Measured:
    """Make what one release shows."""
    environment = Environment(torch, "cpu", "3.11", "2.0.0", "cpu", "linux", "x86_64", "6.1")
    return Measured.of(Results(replace(environment, **changes), "0123456789ab", 20, 0, claims, void))


def releases(claim: Claim, **entries: Optional[Entry]) -> list[Measured]:
    """Make what releases show of one claim: ``v2_4_1=entry``; None leaves the claim out."""
    return [
        release(name[1:].replace("_", "."), {} if measured is None else {claim.id: measured})
        for name, measured in entries.items()
    ]


def save(folder: Path, *found: Measured) -> Path:
    """Write results to a folder, each under its plain name."""
    for measured in found:
        assert measured.results is not None
        save_results(measured.results, folder / f"{measured.name}.jsonl")
    return folder
