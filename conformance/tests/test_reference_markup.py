"""The building blocks of pages, and their colours."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

pytest.importorskip("docutils", reason="the reference is built where Sphinx is installed")
pytest.importorskip("sphinx", reason="the reference is built where Sphinx is installed")

import conformance.lab.reference
from conformance.lab.reference.docstring import Part, docstring_blocks
from conformance.lab.views.running_text import bounded, link, plain, prose
from conformance.results.model import FAILING, Verdict
from conformance.results.verdicts import APPEARANCES, NOT_MEASURED
from conformance.show.sentences import without_roles


@pytest.mark.parametrize(
    "address",
    ["https://github.com/pytorch/pytorch/issues/1", "http://example.org", "https://example.org/a?b=c&d=%20#e"],
)
def test_web_address_becomes_a_link(address: str) -> None:
    assert [(piece.text, piece.address) for piece in link("shown", address)] == [("shown", address)]


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        " https://example.org",
        "java\nscript:alert(1)",
        "data:text/html,x",
        "//example.org",
        "https:",
        "https://",
        "file:///etc/passwd",
        "none-filed",
        "https://example.org/\x00",
        "https:\\\\example.org",
        "https://[",
        None,
    ],
)
def test_anything_else_stays_text(address: str) -> None:
    assert [(piece.text, piece.address) for piece in link("shown", address)] == [("shown", None)]


def test_prose_takes_only_whole_words_in_backquotes_as_code() -> None:
    parts = prose("Call `x.add_(1)` or ``y``; a ` alone and it`s nothing")
    assert [part.text for part in parts if part.code] == ["x.add_(1)", "y"]
    assert plain(parts) == "Call x.add_(1) or y; a ` alone and it`s nothing"


def test_quoted_sentence_loses_what_only_sphinx_reads() -> None:
    said = without_roles("If :attr:`force` is ``True``, see :func:`~torch.clone` and `the note <https://x>`_.")
    assert said == "If `force` is ``True``, see `torch.clone` and `the note`_."


def test_long_text_is_cut_and_says_so() -> None:
    assert bounded("x" * 30_000).endswith("… 10000 more characters")


def test_every_verdict_has_a_word_and_a_sign() -> None:
    assert set(APPEARANCES) == set(get_args(Verdict))
    looks = [*APPEARANCES.values(), NOT_MEASURED]
    assert len({look.word for look in looks}) == len(looks)
    assert all(look.symbol and look.meaning for look in looks)


def test_verdicts_that_fail_a_run_look_bad_and_no_other() -> None:
    assert {verdict for verdict, look in APPEARANCES.items() if look.style == "bad"} == set(FAILING)


def test_docstring_keeps_parameters_and_examples() -> None:
    blocks = docstring_blocks(
        "True when so.\n\nParameters\n----------\na, b : tensor\n    Two `things`.\n\nExamples\n--------\n>>> f(1)\n2"
    )
    assert blocks[0].parts == (Part("True when so."),)
    assert (blocks[1].heading, blocks[1].fields) == ("Parameters", (("a, b", "tensor", "Two `things`."),))
    assert (blocks[2].heading, blocks[2].parts) == ("Examples", (Part(">>> f(1)\n2", "pycon"),))


def _luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = [one / 12.92 if one <= 0.03928 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _palettes() -> list[dict[str, str]]:
    style = (Path(conformance.lab.reference.__file__).parent / "static" / "reference.css").read_text(encoding="utf-8")
    blocks = [block for block in re.findall(r"{([^{}]*)}", style) if "--good-text:" in block]
    return [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in blocks]


# What the theme puts behind text in light and in dark mode, twice for its two ways into dark mode.
BACKGROUNDS = ("#ffffff", "#131416", "#131416")


@pytest.mark.parametrize("mode", range(3))
def test_verdicts_can_be_read_in_light_and_dark_mode(mode: int) -> None:
    palette = _palettes()[mode]
    for style in ("good", "known", "bad", "open", "none"):
        assert _contrast(palette[f"{style}-text"], palette[f"{style}-back"]) >= 4.5, style
    assert _contrast(palette["gap-text"], BACKGROUNDS[mode]) >= 4.5
    assert _contrast(palette["gap-edge"], BACKGROUNDS[mode]) >= 3
