"""The hand-written pages say what the code does."""

from __future__ import annotations

import argparse
import re
import textwrap
from pathlib import Path
from typing import get_args

import pytest

from conformance.__main__ import parser
from conformance.lab.reference.commands import commands
from conformance.lab.reference.fields import fields_of
from conformance.language.corpus import load_corpus
from conformance.language.forms import FORMS
from conformance.language.model import DIVERGENCE_KINDS, FAMILIES, PROMISES
from conformance.results.model import VERSION, Verdict
from conformance.results.schema import line_schemas

DOCS = Path(__file__).parent.parent.parent / "docs"


def page(name: str) -> str:
    return (DOCS / f"{name}.rst").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "words",
    [
        *(tuple(FORMS[name].keys) for name in ("file", "claim", "row", "applies", "divergence")),
        FAMILIES,
        PROMISES,
        DIVERGENCE_KINDS,
    ],
)
def test_language_page_names_every_word(words: tuple[str, ...]) -> None:
    text = page("language")
    assert [word for word in words if f"``{word}``" not in text] == []


def test_contract_names_every_verdict_and_every_line() -> None:
    text = page("interpreting")
    assert [verdict for verdict in get_args(Verdict) if f"``{verdict}``" not in text] == []
    assert [name for name in ("header", "entry") if f".. claim:fields:: {name}\n" not in text] == []


def test_fields_of_a_line_are_those_of_its_schema() -> None:
    found = dict(fields_of(line_schemas()["definitions"]["entry"]))
    assert found["claim"] == "Fingerprint of what was measured."
    assert found["verdict"] == "What came of it."
    assert {"covered.axes", "facts.names.flags.leaf", "facts.raises.type", "weak_evidence.code"} <= set(found)
    assert all(found.values())


def test_contract_has_the_version_of_the_format() -> None:
    assert f"**version {VERSION}**" in page("interpreting")


def test_commands_page_has_every_command() -> None:
    text = page("commands")
    assert [name for name in commands(parser()) if f".. claim:command:: {name}\n" not in text] == []


def test_options_of_a_command_are_those_of_its_parser() -> None:
    made = argparse.ArgumentParser()
    some = made.add_subparsers().add_parser("try")
    some.add_argument("paths", nargs="*", help="what to try")
    some.add_argument("-n", "--number", metavar="N", default=7, help="how often, %(default)s by default, not 100%%")
    some.add_argument("--fast", action="store_true", help="be fast")
    found = commands(made)["try"]
    assert found.usage.endswith("try [-n N] [--fast] [paths ...]")
    assert found.options == (
        (("paths",), "what to try"),
        (("-n", "--number N"), "how often, 7 by default, not 100%"),
        (("--fast",), "be fast"),
    )


def test_examples_of_the_tutorial_have_no_mistakes() -> None:
    corpus, problems = load_corpus([DOCS / "examples" / "squeeze.yaml", DOCS / "examples" / "divergence.yaml"])
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
