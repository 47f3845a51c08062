"""Docstrings as sentences: where they begin and end, and how a key finds one."""

from __future__ import annotations

import pytest

from conformance.language.sentences import find_sentences, sentence_hash, sentences
from conformance.run.worker.docstrings import docstring, exists, key_hash

TEXT = """
frob(x, *, deep=False) -> Tensor

Returns a frobbed tensor, i.e. one that was frobbed. It shares
memory with :attr:`x`.

.. note::
    In-place writes raise.

Args:
    x (Tensor): the input.
    deep (bool, optional): if set, goes deeper. Default: ``False``.

Example::

    >>> frob(x)
    >>> # No sentence.
"""


def test_a_docstring_falls_into_sentences() -> None:
    found = sentences(TEXT)
    for sentence in (
        "Returns a frobbed tensor, i.e. one that was frobbed.",
        "It shares memory with :attr:`x`.",
        "In-place writes raise.",
        "x (Tensor): the input.",
        "deep (bool, optional): if set, goes deeper.",
    ):
        assert sentence in found


def test_code_is_no_sentence() -> None:
    assert not any("No sentence" in sentence for sentence in sentences(TEXT))


def test_a_key_is_found_across_lines() -> None:
    assert find_sentences(TEXT, "It shares memory") == ["It shares memory with :attr:`x`."]
    assert find_sentences(TEXT, "no such words") == []
    assert find_sentences(None, "anything") == []


def test_white_space_does_not_change_a_hash() -> None:
    assert sentence_hash("It  shares\n memory.") == sentence_hash("It shares memory.") != sentence_hash("It shares it.")


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("torch.Tensor.detach", True),
        ("torch.Tensor.grad", True),
        ("torch.autograd.grad", True),
        ("torch.nn.Parameter", True),
        ("notes/autograd-mechanics", True),
        ("torch.no_such_function", False),
        ("torch.Tensor.no_such_method", False),
        ("no_such_module.thing", False),
    ],
)
def test_a_public_name_is_looked_up_in_this_torch(name: str, there: bool) -> None:
    assert exists(name) is there


def test_the_docstring_of_an_attribute_is_found_without_reading_it() -> None:
    assert "None" in str(docstring("torch.Tensor.grad"))


def test_a_missing_sentence_has_no_hash() -> None:
    assert key_hash("torch.Tensor.detach", "detached from the current graph") is not None
    assert key_hash("torch.Tensor.detach", "attached to the current graph") is None
