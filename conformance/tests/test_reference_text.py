"""The hand-written pages say what the code does."""

from __future__ import annotations

import argparse
import re
import textwrap
from pathlib import Path

import pytest

from conformance.cli import _parser
from conformance.language.corpus import load_corpus
from conformance.language.model import DIVERGENCE_KINDS, FAMILIES, PROMISES
from conformance.language.reading import CLAIM_KEYS, CONDITION_KEYS, DIVERGENCE_KEYS, RESERVED_COLUMNS
from conformance.results.schema import VERDICTS, VERSION, result_schema

DOCS = Path(__file__).parent.parent.parent / "docs"


def page(name: str) -> str:
    return (DOCS / f"{name}.rst").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "words", [CLAIM_KEYS, CONDITION_KEYS, DIVERGENCE_KEYS, RESERVED_COLUMNS, FAMILIES, PROMISES, DIVERGENCE_KINDS]
)
def test_language_page_names_every_word(words: tuple[str, ...]) -> None:
    text = page("language")
    assert [word for word in words if f"``{word}``" not in text] == []


def test_contract_names_every_verdict_and_field() -> None:
    text = page("interpreting")
    schema = result_schema()["properties"]
    fields = [*schema, *schema["environment"]["properties"], *schema["claims"]["additionalProperties"]["properties"]]
    assert [word for word in [*VERDICTS, *fields] if f"``{word}``" not in text] == []


def test_contract_has_the_version_of_the_format() -> None:
    assert f"**version {VERSION}**" in page("interpreting")


def test_commands_page_names_every_command_and_option() -> None:
    text = page("commands")
    actions = [action for action in _parser()._actions if isinstance(action, argparse._SubParsersAction)]
    for command, parser in actions[0].choices.items():
        assert f"conformance {command}" in text
        options = [option for action in parser._actions for option in action.option_strings if option.startswith("--")]
        assert [option for option in options if option != "--help" and f"``{option}" not in text] == []


def test_examples_of_the_tutorial_have_no_mistakes() -> None:
    corpus, problems = load_corpus([DOCS / "examples"])
    assert problems == []
    assert sum(claim.subject == "torch.Tensor.squeeze" for claim in corpus.claims) == 2
    assert "2 claims, no mistakes" in page("writing-claims")


def claims_on(name: str) -> list[str]:
    blocks = re.findall(r"code-block:: yaml\n\n((?:   .*\n|\n)+)", page(name))
    return [textwrap.dedent(block) for block in blocks if textwrap.dedent(block).startswith(("- ", "subject"))]


def test_claims_on_the_language_page_have_no_mistakes(tmp_path: Path) -> None:
    texts = claims_on("language")
    assert len(texts) >= 3
    for number, text in enumerate(texts):
        whole = (
            text
            if text.startswith("subject")
            else "subject: torch.Tensor.view\nclaims:\n" + textwrap.indent(text, "  ")
        )
        path = tmp_path / f"example-{number}.yaml"
        path.write_text(whole, encoding="utf-8")
        assert load_corpus([path])[1] == [], whole
