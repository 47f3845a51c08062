"""Many releases: strips, change points, documentation and truth, and a page for each release."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the reference is built where Sphinx is installed")
pytest.importorskip("furo", reason="the reference is built where the theme is installed")

from conformance.base.release_spans import in_ranges
from conformance.lab.trials.calls import Call
from conformance.lab.trials.measuring import Measured
from conformance.lab.trials.record import record
from conformance.language.model import Place
from conformance.results.model import Environment, Facts, FailedPart, Signal
from conformance.results.store import SUFFIX, Results, save_results
from conformance.results.trials.model import BASE, Fact
from conformance.results.trials.rows import Row
from conformance.tests import reference_site as sites
from conformance.tests.reference_site import DETACH, Site

PAGE = f"reference/{DETACH}"
RELEASES = ("1.8.1", "1.9.0", "2.0.1", "2.1.2", "2.2.2", "2.3.1", "2.13.0")


def measured() -> list[Results]:
    """Make a matrix with a gap, a change under an unchanged verdict, and a claim that is false in between."""
    found = {release: sites.results(release) for release in RELEASES}
    found["2.1.2"] = sites.changed(found["2.1.2"], "shares-storage", claim="00000000")
    raised = Facts(raises=Signal("ValueError", "changed"))
    for release in ("2.3.1", "2.13.0"):
        found[release] = sites.changed(found[release], "write-before-backward-raises", facts=raised)
    kept = {name: entry for name, entry in found["2.2.2"].claims.items() if name != f"{DETACH}/keeps-strides"}
    found["2.2.2"] = replace(found["2.2.2"], claims=kept)
    script, failed = "import torch\n\nassert False\n", FailedPart("expect", 0, "False")
    found["2.3.1"] = sites.changed(
        found["2.3.1"], "shares-storage", verdict="refuted", counterexample=script, failed=failed
    )
    return list(found.values())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    source = sites.write_source(tmp_path_factory.mktemp("history"), measured())
    call = Call(DETACH, "", "x.detach()  # <script>", {}, Place("calls.yaml", 1, 1))
    for torch, memory in (("2.3.1", "same object"), ("2.13.0", "own memory")):
        environment = Environment(torch, "cpu", "3.11", "2.0.0", "cpu", "linux", "x86_64")
        row = Row((BASE,), (Fact("memory", "x", memory),), (("x", "torch.ones(2, 3)"),), ("x",))
        record(Measured(environment, ("float64",), ((call, (row,)),)), source / "results" / "trials", whole=True)
    return sites.build(source)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ("aaa", {"a": "in all 3 releases, 0 to 2"}),
        ("a", {"a": "0"}),
        ("aab", {"a": "0 to 1", "b": "since 2"}),
        ("aba", {"a": "0 and since 2", "b": "1"}),
        ("abaab.a", {"a": "0, 2 to 3 and since 6", "b": "1 and 4"}),
        ("a.", {"a": "0"}),
    ],
)
def test_ranges(values: str, told: dict[str, str]) -> None:
    named = [(str(position), None if value == "." else value) for position, value in enumerate(values)]
    assert in_ranges(named) == told


def test_strip_has_a_cell_for_each_release_and_says_the_same_in_words(site: Site) -> None:
    page = site.page(PAGE)
    section = page[page.index('id="shares-storage"') :]
    bar = re.search(r'<span class="bar" role="img" aria-label="([^"]*)">(.*?)</span> <span', section, re.S)
    assert bar is not None
    gap = "measured in an older form of the claim"
    assert bar.group(1) == f"holds 1.8.1 to 2.0.1, 2.2.2 and since 2.13.0; {gap} 2.1.2; refuted 2.3.1"
    assert re.findall(r'title="(\d[^:]*):', bar.group(2)) == list(RELEASES)
    assert bar.group(2).count('class="gap"') == 1
    assert f"□ {gap} 2.1.2; ✗ refuted 2.3.1" in site.section(PAGE, "shares-storage")


def test_change_points_and_documentation_are_told_where_there_is_something_to_tell(site: Site) -> None:
    text = site.section(PAGE, "shares-storage")
    assert "Change points: true from 1.8.1; false since 2.3; true since some release between 2.3.1 and 2.13.0" in text
    assert "documented and true 1.8.1 to 2.0.1, 2.2.2 and since 2.13.0; documented and false 2.3.1" in text
    assert "Change points" not in site.section(PAGE, "keeps-strides")
    assert "Documentation:" not in site.section(PAGE, "write-before-backward-raises")
    assert "Documentation:" not in site.section("reference/torch.Tensor.detach_", "returns-itself")


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("false/unexplained", "false from 1.8.1; true since some release between 1.9.0 and 2.0.1 (1.10"),
        ("releases/2.13.0", "2.4 to 2.12 was not measured"),
        ("releases/2.1.2", "measured in an older form of the claim"),
        ("releases/1.8.1", "No older release was measured"),
        (DETACH, "2.13 x.detach() # <script>: x itself → memory of its own"),
    ],
)
def test_a_page_tells_since_when_and_what_is_not_known(site: Site, page: str, told: str) -> None:
    assert told in sites.text_of(site.page(f"reference/{page}"))


def test_release_page_shows_what_changed_by_severity(site: Site) -> None:
    page = site.page("reference/releases/2.3.1")
    text = sites.text_of(page)
    assert "Compared with 2.2.2, the release measured before it, on cpu" in text
    assert "The result shares storage with its input verdict before: holds now: refuted" in text
    assert f'href="../{DETACH}.html#shares-storage"' in page
    assert "before: RuntimeError" in text
    assert "A script that shows it" in text
    assert "import torch\n\nassert False\n" in site.scripts("reference/releases/2.3.1")


def test_release_page_lists_the_calls_that_changed(site: Site) -> None:
    page = site.page("reference/releases/2.13.0")
    section = page[page.index("Calls that changed") :]
    assert "Calls of torch were tried in 2.3.1 and in 2.13.0." in section
    changed = "a plain tensor: memory of its own; before: x itself"
    assert f"<td>{changed}</td> <td><code>x.detach()  # &lt;script&gt;</code></td>" in section
    assert "Calls that changed" not in site.page("reference/releases/2.3.1")


def test_release_page_tells_what_its_notes_announced(site: Site) -> None:
    page = site.page("reference/releases/2.0.1")
    text = sites.text_of(page[page.index("What its notes announced") :])
    assert "Release notes of 2.0, in our own words. Read of its two sections: a part." in text
    assert "torch._six is gone came true torch._six: gone, came in 2.0." in text
    assert "never came torch.cat: gone, in no measured release. Nobody here read its passage" in text
    assert "Announced for 2.3." in text
    assert "The result shares storage with its input: true, seen in 2.0." in text
    assert "It is about CUDA not tried It needs CUDA." in text
    assert "<b>bold</b>" not in page
    assert "What its notes announced" not in site.page("reference/releases/2.3.1")


def test_index_of_releases_counts_changes(site: Site) -> None:
    text = sites.text_of(site.page("reference/releases/index"))
    assert text.index("2.13.0 since 2.3.1") < text.index("1.8.1 the oldest release measured")


def test_release_with_a_strange_name_gets_no_page(tmp_path: Path) -> None:
    strange = sites.results("2.13.0")
    strange = replace(strange, environment=replace(strange.environment, torch="../evil"))
    folder = sites.write_source(tmp_path, [sites.results("1.9.0")])
    save_results(strange, folder / "results" / f"torch-strange-cpu{SUFFIX}")
    sites.build(folder)
    assert sorted(path.name for path in (folder / "reference" / "releases").iterdir()) == ["1.9.0.rst", "index.rst"]
