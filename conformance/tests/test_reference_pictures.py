"""Pictures on pages: drawn in the colours of the scheme, with the same numbers as a table."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

pytest.importorskip("sphinx", reason="the reference is built where Sphinx is installed")
pytest.importorskip("furo", reason="the reference is built where the theme is installed")
pytest.importorskip("pygal", reason="pictures are drawn where pygal is installed")

from conformance.lab.reference.pictures import draw, legend
from conformance.lab.views.pictures import Picture, Series
from conformance.lab.views.running_text import plain
from conformance.tests import reference_site as sites
from conformance.tests.reference_site import Site

LINES = Picture(
    "lines",
    "Times of <two> ways",
    "Less is faster.",
    "Elements",
    ("1", "64"),
    (Series("clone()", (1, 1)), Series("copy()", (1.5, 2.25))),
)
BARS = Picture(
    "bars",
    "Changes",
    "How many.",
    "Release",
    ("2.0", "2.1"),
    (Series("breaks", (3, 1), "bad"), Series("warns", (0, 1200), "open")),
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return sites.build(sites.write_full_source(tmp_path_factory.mktemp("pictures")))


@pytest.mark.parametrize("picture", [LINES, BARS])
def test_a_picture_has_the_colours_of_the_scheme_no_script_and_no_date(picture: Picture) -> None:
    drawn = str(draw(picture, 0))
    assert drawn == str(draw(picture, 0))
    found = ElementTree.fromstring(drawn)
    assert (found.get("role"), found.get("aria-label")) == ("img", f"{picture.title}. {picture.says}")
    assert "<script" not in drawn
    assert "<!--" not in drawn
    assert not re.search(r"(?:fill|stroke): ?#", drawn)
    for swatch in legend(picture):
        assert f"{swatch.colour}" in drawn


def test_lines_differ_in_more_than_their_colour() -> None:
    swatches = legend(LINES)
    assert len({swatch.dashes for swatch in swatches}) == len(swatches)
    assert f"stroke-dasharray:{swatches[1].dashes}" in str(draw(LINES, 0)).replace(": ", ":")


def test_the_table_has_the_same_numbers() -> None:
    assert [[plain(cell) for cell in row] for row in LINES.table.rows] == [
        ["1", "1.00", "1.50"],
        ["64", "1.00", "2.25"],
    ]
    assert [[plain(cell) for cell in row] for row in BARS.table.rows] == [["2.0", "3", "0"], ["2.1", "1", "1,200"]]


def test_pages_of_times_and_of_releases_begin_with_pictures(site: Site) -> None:
    times = site.page("timings")
    [figure] = re.findall(r'<figure class="picture">.*?</figure>', times, re.S)
    assert "3.00" in sites.text_of(figure)
    assert "Time relative to detach, over the number of elements, on torch 2.13.0, cpu, A processor." in figure
    by_harm, by_truth = re.findall(r'<figure class="picture">.*?</figure>', site.page("reference/releases/index"), re.S)
    assert "Release breaks changes warns 1.9 1 0 1 2.13 1 1 1" in sites.text_of(by_harm)
    assert "Release false crash 1.9 2 0 2.13 1 0" in sites.text_of(by_truth)
