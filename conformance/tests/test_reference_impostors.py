"""Impostors on the pages; a record that is missing or broken breaks nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Optional

import pytest

pytest.importorskip("sphinx", reason="the reference is built where Sphinx is installed")
pytest.importorskip("furo", reason="the reference is built where the theme is installed")

from conformance.lab.impostors.record import Killed, MutationRecord, save_record
from conformance.language.corpus import load_corpus
from conformance.tests import reference_site as sites
from conformance.tests.reference_site import DETACH, Site

PAGE = f"reference/{DETACH}"
INDEX = "Site\n====\n\n.. claim:impostors::\n\n" + sites.INDEX.split("====\n", 1)[1]
EVIL = "<script>EVIL()</script>"


def record() -> MutationRecord:
    found = sites.claims()
    prints = {slug: claim.fingerprint() for slug, claim in found.items()}
    entries = {
        "shares-storage": Killed(prints["shares-storage"], 2, ("view-becomes-copy", "does-nothing")),
        "keeps-strides": Killed(prints["keeps-strides"], 1, (), ("expect[0]",)),
        "makes-a-copy": Killed("00000000", 1, ("does-nothing",)),
    }
    claims = {found[slug].id: entry for slug, entry in entries.items()}
    meanings = {"view-becomes-copy": f"A view is copied {EVIL}", "does-nothing": "It does nothing", "idle": "Nothing"}
    return MutationRecord(1, sites.environment("2.13.0"), load_corpus([sites.SPEC])[0].revision(), meanings, claims)


def build(tmp_path: Path, made: Optional[MutationRecord]) -> Site:
    folder = sites.write_source(tmp_path, [sites.results("2.13.0")], index=INDEX)
    if made is not None:
        save_record(made, folder / "results" / "impostors")
    return sites.build(folder)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return build(tmp_path_factory.mktemp("impostors"), record())


def test_claim_names_the_impostors_that_it_detects(site: Site) -> None:
    assert "Inputs, evidence, 2 impostors detected" in site.section(PAGE, "shares-storage")
    assert "does-nothing: It does nothing" in site.loaded(PAGE, "shares-storage")


def test_claim_that_stands_says_so(site: Site) -> None:
    assert "No impostor makes false: expect[0]." in site.section(PAGE, "keeps-strides")


def test_entry_of_an_earlier_form_of_a_claim_does_not_count(site: Site) -> None:
    assert "impostor" not in site.section(PAGE, "makes-a-copy")


def test_page_has_the_score_and_the_kills(site: Site) -> None:
    text = sites.text_of(site.page("index"))
    assert "1 of 2 claims detect a fault in every assertion" in text
    assert "does-nothing It does nothing 1" in text
    assert "idle Nothing 0" in text


def test_meaning_is_shown_as_text(site: Site) -> None:
    for path in site.pages():
        assert EVIL not in path.read_text(encoding="utf-8"), path
    assert EVIL in sites.text_of(site.page("index"))


def test_missing_record_breaks_nothing(tmp_path: Path) -> None:
    built = build(tmp_path, None)
    assert "No mutation run has been recorded yet" in sites.text_of(built.page("index"))


@pytest.mark.parametrize("text", ["", "{", json.dumps({"schema": 99}), json.dumps([])])
def test_record_of_another_format_breaks_nothing(tmp_path: Path, text: str) -> None:
    folder = sites.write_source(tmp_path, [sites.results("2.13.0")], index=INDEX)
    (folder / "results" / "impostors").mkdir()
    (folder / "results" / "impostors" / "torch-2.13.0-cpu.json").write_text(text, encoding="utf-8")
    built = sites.build(folder)
    assert "No mutation run has been recorded yet" in sites.text_of(built.page("index"))
