"""Messages are the same whatever the numbers, shapes and dtypes in them, and not otherwise."""

from __future__ import annotations

import pytest

from conformance.results.wording import is_about_machine, is_like, key_of, split_class


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The size of tensor a (3) must match", "The size of tensor a (N) must match"),
        ("shape '[2, 7]' is invalid for input of size 12", "shape '[…]' is invalid for input of size N"),
        ("expected scalar type Float but found Double", "expected scalar type DTYPE but found DTYPE"),
        ("[torch.FloatTensor [3]] is at version 1", "[torch.cuda.HalfTensor [N, N]] is at version N"),
        ("not supported (Triggered internally at ../aten/src/ATen/x.cpp:12.)", "not supported"),
    ],
)
def test_what_varies_is_no_part_of_the_key(one: str, other: str) -> None:
    assert key_of(one) == key_of(other)


def test_other_words_are_another_message() -> None:
    assert key_of("Can't call numpy() on Tensor that requires grad") != key_of("Can't call numpy() on Tensor")


LONG = "Trying to backward through the graph a second time (or directly access saved tensors after they have been freed"


@pytest.mark.parametrize(
    ("text", "recorded", "like"),
    [
        ("shape '…' is invalid for input of size …", "shape '[N]' is invalid for input of size N", True),
        ("'…' object has no attribute '…'", "'Tensor' object has no attribute 'foo'", True),
        ("object has no attribute", "'Tensor' object has no attribute 'foo'", True),
        ("no attribute … object", "'Tensor' object has no attribute 'foo'", False),
        ("the attribute", "'Tensor' object has no attribute 'foo'", False),
        (f"{LONG}). Use retain_graph", f"{LONG}). Use ret".rjust(200), True),
        (f"{LONG}). Use retain_graph", f"{LONG}). Use", False),
        ("shape is invalid for input and more", "shape is invalid for input", False),
    ],
)
def test_a_text_with_gaps_is_like_what_was_recorded(text: str, recorded: str, like: bool) -> None:
    assert is_like(text, recorded) is like


def test_the_class_stands_before_the_last_message_of_a_traceback() -> None:
    pasted = (
        "Traceback (most recent call last):\n  x.to(1)\nValueError: a\n\nDuring\n\ntorch.cuda.OutOfMemoryError: b c"
    )
    assert split_class(pasted) == ("OutOfMemoryError", "b c")
    assert split_class("UserWarning: it is deprecated") == ("UserWarning", "it is deprecated")
    assert split_class("why is grad None: a question") == ("", "why is grad None: a question")
    assert split_class("") == ("", "")


def test_a_driver_that_is_missing_is_about_the_machine() -> None:
    assert is_about_machine("Torch not compiled with CUDA enabled")
    assert is_about_machine("Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU")
    assert not is_about_machine("a leaf Variable that requires grad is being used in an in-place operation.")
