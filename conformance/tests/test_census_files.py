"""Decision files: written in one form, read back; pages as sentences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from conformance.lab.census.coverage import ClaimedSentence, ReadSentences
from conformance.lab.census.files import (
    load_decisions,
    load_read_sentences,
    write_decisions,
    write_read_sentences,
)
from conformance.lab.census.pages import page_sentences
from conformance.language.decisions import ENCODED, NO_CLAIM, TODO, UNTESTABLE

NUMBER = "12345678"
POWER = "1234e567"


def entry(name: str, digest: str, state: str, claims: tuple[str, ...] = (), reason: str = "") -> ClaimedSentence:
    return ClaimedSentence(name, "torch", digest, "A sentence.", 0, ("sharing",), state, claims, reason)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "sources.yaml").write_text("docs: {base: 'https://x.org/{object}'}\n")
    return tmp_path


def test_what_is_written_is_read_back(root: Path) -> None:
    written = [
        entry("torch.frob", NUMBER, NO_CLAIM),
        entry("torch.frob", POWER, UNTESTABLE, reason="It's a matter of taste: see 'frob'."),
        entry("torch.Tensor.frob_", "cccccccc", NO_CLAIM),
        entry("notes/tensor-views", "dddddddd", NO_CLAIM),
    ]
    changed = write_decisions(root, written)
    assert [path.name for path in changed] == ["notes.tensor-views.yaml", "torch.yaml", "torch.Tensor.yaml"]
    found, problems = load_decisions(root)
    assert not problems
    assert list(found["torch.frob"]) == [NUMBER, POWER]
    read = {(name, digest): (it.kind, it.reason) for name, of_name in found.items() for digest, it in of_name.items()}
    assert read == {(item.name, item.hash): (item.state, item.reason) for item in written}


def test_only_decisions_are_written(root: Path) -> None:
    derived = [entry("torch.frob", "aaaaaaaa", ENCODED, ("torch.frob/is-a-view",)), entry("torch.frob", NUMBER, TODO)]
    assert write_decisions(root, derived) == []
    (path,) = write_decisions(root, [*derived, entry("torch.frob", POWER, NO_CLAIM)])
    assert "aaaaaaaa" not in path.read_text()
    assert NUMBER not in path.read_text()
    assert write_decisions(root, derived) == [path]
    assert not path.exists()


def test_the_same_decisions_give_the_same_file(root: Path) -> None:
    written = [entry("torch.frob", "aaaaaaaa", NO_CLAIM), entry("torch.add", "bbbbbbbb", NO_CLAIM)]
    assert write_decisions(root, written) != []
    before = (root / "census" / "torch.yaml").read_text()
    assert write_decisions(root, reversed(written)) == []
    assert before.index("torch.add") < before.index("torch.frob")


def test_what_was_read_is_written_and_read_back(root: Path) -> None:
    entries = [
        entry("torch.frob", "aaaaaaaa", TODO),
        entry("torch.frob", NUMBER, NO_CLAIM),
        entry("notes/frobs", "bbbbbbbb", TODO),
        replace(entry("notes/frobs", "cccccccc", ENCODED), keys=(POWER,)),
    ]
    read = ReadSentences({"torch.frob": ("aaaaaaaa", NUMBER)}, {"notes/frobs": {"bbbbbbbb": (), "cccccccc": (POWER,)}})
    assert load_read_sentences(root) == ReadSentences()
    (path,) = write_read_sentences(root, entries)
    assert write_read_sentences(root, entries) == []
    assert load_read_sentences(root) == read
    path.write_text("[]")
    with pytest.raises(ValueError, match="--write' makes it anew"):
        load_read_sentences(root)


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
(Frobbing, in short)=
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
