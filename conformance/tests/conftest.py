"""Fixtures that several test files share."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Callable

import pytest

from conformance.language.corpus import default_root, load_corpus
from conformance.language.model import Claim
from conformance.results.model import Entry
from conformance.run.supervisor import Supervisor

HEADER = "subject: torch.Tensor.detach\nclaims:\n"
PROVENANCE = "family: values\nsources: [{docs: torch.Tensor.detach, key: detached from the current graph}]\n"


def claim_text(body: str, *, identity: str = "made-up", title: str = "Something is so") -> str:
    """Return one claim of a spec file, with everything but what a test is about filled in."""
    content = f"title: {title}\n{PROVENANCE}{textwrap.dedent(body).strip()}\n"
    return f"  - id: {identity}\n" + textwrap.indent(content, "    ")


@pytest.fixture(scope="session", autouse=True)
def _own_machine(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let runs in tests be those of a machine of its own, so that the user's folder stays as it is."""
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))


@pytest.fixture(scope="session")
def supervisor() -> Iterator[Supervisor]:
    """A supervisor with its worker, shared since importing torch takes a second."""
    shared = Supervisor(examples=10, seed=0, judged_again=0)
    yield shared
    shared.close()


@pytest.fixture
def read_claim(tmp_path: Path) -> Callable[[str], Claim]:
    """Read the body of a claim as YAML."""

    def read(body: str) -> Claim:
        path = tmp_path / "made_up.yaml"
        path.write_text(HEADER + claim_text(body), encoding="utf-8")
        corpus, problems = load_corpus([path], default_root())
        assert not problems, "\n".join(map(str, problems))
        return corpus.claims[0]

    return read


@pytest.fixture
def judge(supervisor: Supervisor, read_claim: Callable[[str], Claim]) -> Callable[[str], Entry]:
    """Judge the body of a claim on the CPU."""
    return lambda body: supervisor.judge(read_claim(body), "cpu").entry
