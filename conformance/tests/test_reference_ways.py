"""A YAML file among the sources of a site is a page: its questions lead to rows, and its cells to claims."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the reference is built where Sphinx is installed")
pytest.importorskip("furo", reason="the reference is built where the theme is installed")

from conformance.tests import reference_site as sites
from conformance.tests.reference_site import Site

TRIALS = Path(__file__).parent / "fixtures" / "trials"
PAGE = """
title: Ways & means
intro: Of `x`.
questions:
  - asks: Does it copy?
    says: "`x.detach()` does not, `x.other()` is no row."
columns: {memory: Memory, later: A later write, cost: Cost, more: More}
ways:
  - call: x.reshape(-1)
    name: torch.Tensor.reshape
    later: {says: "It shows in x. <b>", claims: [torch.Tensor.detach/shares-storage]}
  - call: x.detach()
    name: torch.Tensor.detach
    later: {says: It raises., claims: [write-before-backward-raises], except: on `y`}
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("site")
    conf = 'source_suffix = {".rst": "restructuredtext", ".yaml": "ways"}\nexclude_patterns = ["out", "results"]\n'
    index = sites.INDEX.replace("   false\n", "   false\n   means\n")
    measured = [sites.results("1.9.0"), sites.results("2.13.0")]
    sites.write_source(folder, measured, sites.timings("2.13.0"), index=index, conf=conf)
    shutil.copytree(TRIALS, folder / "results" / "trials")
    (folder / "means.yaml").write_text(PAGE, encoding="utf-8")
    return sites.build(folder)


def test_the_page_has_the_title_of_the_file_and_a_place_in_the_contents(site: Site) -> None:
    assert "<h1>Ways &amp; means" in site.page("means")
    assert 'href="means.html">Ways &amp; means</a>' in site.page("index")


def test_a_question_leads_to_the_row_that_its_answer_names(site: Site) -> None:
    [answer] = re.findall(r"<dd>(.*?)</dd>", site.page("means"), re.S)
    assert re.findall(r'<a href="#(.*?)"><code>(.*?)</code></a>', answer) == [("way-2", "x.detach()")]
    assert '<tr id="way-2"><td><code>x.detach()</code>' in site.page("means")


def test_a_row_shows_trials_lines_with_releases_and_claims_and_what_was_timed(site: Site) -> None:
    page = site.page("means")
    [row] = re.findall(r'<tr id="way-2">(.*?)</tr>', page, re.S)
    assert [sites.text_of(cell) for cell in re.findall(r"<td.*?</td>", row, re.S)] == [
        "x.detach()torch.Tensor.detach",
        "shared with x1.13: view of x",
        "It raises. Except: on y. ✗ false on 1.9 [1]",
        "1×",
        "–",
    ]
    assert 'href="reference/torch.Tensor.detach.html#write-before-backward-raises"' in row
    assert 'data-column="A later write"' in row
    assert '<td data-column="More" class="none">–</td>' in row
    assert "–: does not arise" in sites.text_of(page)
    assert "1 to 4,096 elements on torch 2.13.0, cpu, A processor" in sites.text_of(page)


def test_what_a_page_says_is_text(site: Site) -> None:
    assert "<b>" not in site.page("means")
    assert "It shows in x. &lt;b&gt;" in site.page("means")
