"""Decision files: written in one form, read back, and decisions taken in from elsewhere; pages as sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.census.coverage import Entry
from conformance.census.files import adopt, load_decisions, read_foreign, write_decisions
from conformance.census.objects import PublicObject
from conformance.census.pages import page_sentences
from conformance.language.decisions import ENCODED, NO_CLAIM, TODO, UNTESTABLE, Decision, Decisions

NUMBER = "12345678"
POWER = "1234e567"


def entry(name: str, digest: str, state: str, claims: tuple[str, ...] = (), reason: str = "") -> Entry:
    return Entry(name, "torch", digest, "A sentence.", 0, ("sharing",), state, claims, reason)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "sources.yaml").write_text("docs: {base: 'https://x.org/{object}'}\n")
    return tmp_path


def test_what_is_written_is_read_back(root: Path) -> None:
    claims = tuple(f"torch.frob/claim-with-a-rather-long-name-{number}" for number in range(4))
    written = [
        entry("torch.frob", "aaaaaaaa", ENCODED, ("torch.frob/is-a-view",)),
        entry("torch.frob", NUMBER, NO_CLAIM),
        entry("torch.frob", POWER, UNTESTABLE, reason="It's a matter of taste: see 'frob'."),
        entry("torch.frob", "0000000a", TODO),
        entry("torch.frob", "bbbbbbbb", ENCODED, claims),
        entry("torch.Tensor.frob_", "cccccccc", NO_CLAIM),
        entry("notes/tensor-views", "dddddddd", NO_CLAIM),
    ]
    changed = write_decisions(root, written)
    assert [path.name for path in changed] == ["notes.tensor-views.yaml", "torch.yaml", "torch.Tensor.yaml"]
    found, problems = load_decisions(root)
    assert not problems
    assert list(found["torch.frob"]) == ["aaaaaaaa", NUMBER, POWER, "0000000a", "bbbbbbbb"]
    for item in written:
        assert found[item.name][item.hash].same_as(item.decision)


def test_the_same_decisions_give_the_same_file(root: Path) -> None:
    written = [entry("torch.frob", "aaaaaaaa", TODO), entry("torch.add", "bbbbbbbb", TODO)]
    assert write_decisions(root, written) != []
    before = (root / "census" / "torch.yaml").read_text()
    assert write_decisions(root, reversed(written)) == []
    assert before.index("torch.add") < before.index("torch.frob")
    assert all(len(line) <= 120 for line in before.splitlines())


def test_decisions_are_taken_in_and_standing_ones_win(tmp_path: Path) -> None:
    foreign = tmp_path / "elsewhere.yaml"
    foreign.write_text(
        "torch.special.frob:\n  12345678: no-claim\n  bbbbbbbb: {untestable: Needs a frob.}\n  cccccccc: no-claim\n"
        "  dddddddd: no-claim\n  eeeeeeee: todo\ntorch.gone:\n  ffffffff: no-claim\n"
    )
    given, problems = read_foreign([foreign])
    assert not problems
    known: Decisions = {"torch.frob": {"bbbbbbbb": Decision(NO_CLAIM), "12345678": Decision(TODO)}}
    entries = [
        entry("torch.frob", NUMBER, TODO),
        entry("torch.frob", "bbbbbbbb", NO_CLAIM),
        entry("torch.frob", "cccccccc", ENCODED, ("torch.frob/x",)),
        entry("torch.frob", "eeeeeeee", TODO),
    ]
    result = adopt(given, known, entries, [PublicObject("torch.frob", ("torch.special.frob",), "Frobs.")])
    assert (result.taken, result.needless, result.unknown) == (1, 1, 2)
    assert known["torch.frob"][NUMBER].kind == NO_CLAIM
    assert known["torch.frob"]["bbbbbbbb"].kind == NO_CLAIM
    assert len(result.conflicts) == 1
    assert "bbbbbbbb is no-claim in the corpus and untestable here" in result.conflicts[0]
    assert str(foreign.name) in result.conflicts[0]


def test_a_file_with_mistakes_is_not_taken_in(tmp_path: Path) -> None:
    foreign = tmp_path / "elsewhere.yaml"
    foreign.write_text("torch.frob:\n  aaaaaaaa: perhaps\n")
    assert [problem.code for problem in read_foreign([foreign])[1]] == ["EC01"]


RST = """\
.. _frob-doc:

Frobbing
========

.. currentmodule:: torch

A frob is a view. It shares its memory
with its base::

    >>> no = code

All frobs:

- :meth:`~torch.Tensor.frob` is one
- another one

.. note::
   Frobs are blue.

.. code-block:: python

   no = code

.. a comment
   that goes on

The end.
"""
MYST = """\
(frob-doc)=
# Frobbing

A frob is a view. It shares its memory
with its base:

```python
no = code
```

All frobs:

- :meth:`~torch.Tensor.frob` is one
- another one

:::{note}
Frobs are blue.
:::

$$
no = formula
$$

The end.
"""


@pytest.mark.parametrize(("name", "text"), [("frob.rst", RST), ("frob.md", MYST)])
def test_a_page_falls_into_sentences(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert page_sentences(path) == [
        "A frob is a view.",
        "It shares its memory with its base:",
        "All frobs:",
        "- :meth:`~torch.Tensor.frob` is one",
        "- another one",
        "Frobs are blue.",
        "The end.",
    ]
