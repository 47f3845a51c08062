"""What programs and other sites read: data beside pages, the feed, the map of the site, badges and answers to embed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

pytest.importorskip("sphinx", reason="the reference is built where Sphinx is installed")
pytest.importorskip("furo", reason="the reference is built where the theme is installed")

from conformance.tests import reference_site as sites
from conformance.tests.reference_site import DETACH, Site
from conformance.tests.small_checkout import ROOT

BASE = "https://example.org/torch"
ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("published")
    source = sites.write_full_source(folder, conf=f"html_baseurl = {BASE!r}\n")
    return sites.build(source)


def read(site: Site, name: str) -> str:
    return (site.source / "out" / name).read_text(encoding="utf-8")


def fields_of(value: Any) -> set[str]:
    """Return the names in a value of JSON that are no names of devices, verdicts, modules and the like."""
    if isinstance(value, list):
        return set().union(*map(fields_of, value))
    if not isinstance(value, dict):
        return set()
    inside = [item for name, item in value.items() if name not in ("verdicts", "releases")]
    return {*value, *fields_of(inside)}


@pytest.mark.parametrize(
    "page", [f"reference/{DETACH}", "reference/releases/2.13.0", "changes", "documented-and-false", "messages"]
)
def test_data_of_a_page_is_beside_it_and_documented(site: Site, page: str) -> None:
    data = json.loads(read(site, f"{page}.json"))
    documented = set(re.findall(r"``(\w+)``", (ROOT / "docs" / "data.rst").read_text(encoding="utf-8")))
    assert fields_of(data) <= documented
    assert all(data.values()), "every field says something"
    link = re.search(r'<link rel="alternate" type="application/json" href="([^"]+)">', site.page(page))
    assert link is not None
    assert (site.source / "out" / f"{page}.html").parent.joinpath(link[1]).is_file()


def test_data_of_a_subject_has_its_verdicts_by_device_and_its_answer(site: Site) -> None:
    data = json.loads(read(site, f"reference/{DETACH}.json"))
    [claim] = [one for one in data["claims"] if one["id"].endswith("/shares-storage")]
    assert claim["verdicts"] == {"cpu": {"holds": ["1.9.0", "2.13.0"]}}
    assert data["answer"][0]["releases"] == {"true": ["1.9", "2.13"]}
    assert data["documentation"].startswith("https://")


def test_data_of_a_change_is_the_same_on_every_page_that_has_it(site: Site) -> None:
    of_all = json.loads(read(site, "changes.json"))["changes"]
    of_release = json.loads(read(site, "reference/releases/2.13.0.json"))["changes"]
    assert of_release == [change for change in of_all if change["release"] == "2.13"]
    assert {"condition", "module", "names"} <= of_release[0].keys()


def test_feed_has_an_entry_for_each_release_with_changes_newest_first(site: Site) -> None:
    feed = ElementTree.fromstring(read(site, "changes.atom"))
    entries = feed.findall(f"{ATOM}entry")
    assert [entry.findtext(f"{ATOM}title") for entry in entries] == [
        "torch 2.13.0: 3 changes for code",
        "torch 1.9.0: 2 changes for code",
    ]
    assert feed.get("{http://www.w3.org/XML/1998/namespace}base") == f"{BASE}/"
    assert "<li><code>torch.cat</code> is gone: It is <code>otherwise</code>.</li>" in (
        entries[0].findtext(f"{ATOM}content") or ""
    )
    for entry in entries:
        link = entry.find(f"{ATOM}link")
        assert link is not None
        page, _, anchor = link.attrib["href"].partition("#")
        assert f'id="{anchor}"' in read(site, page)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", entry.findtext(f"{ATOM}updated") or "")
    assert 'href="../changes.atom"' in site.page(f"reference/{DETACH}")


def test_map_of_the_site_has_every_page(site: Site) -> None:
    places = ElementTree.fromstring(read(site, "sitemap.xml"))
    listed = {one.text or "" for one in places.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")}
    assert f"{BASE}/reference/{DETACH}.html" in listed
    out = site.source / "out"
    assert all((out / one[len(BASE) + 1 :]).is_file() for one in listed)
    of_sphinx = {"genindex.html", "search.html"}
    made = {str(path.relative_to(out)) for path in site.pages() if not path.is_relative_to(out / "embed")}
    assert {f"{BASE}/{one}" for one in made - of_sphinx} == listed


def test_a_page_says_how_to_link_to_it_and_to_show_its_answer(site: Site) -> None:
    page = sites.text_of(site.page(f"reference/{DETACH}"))
    assert f"[{DETACH}]({BASE}/reference/{DETACH}.html)" in page
    for ending in ("svg", "html"):
        assert f"{BASE}/embed/{DETACH}.{ending}" in page
    badge = ElementTree.fromstring(read(site, f"embed/{DETACH}.svg"))
    assert re.fullmatch(rf"{DETACH}: \d+ of \d+ promises true on torch 2.13", badge.attrib["aria-label"])
    answer = read(site, f"embed/{DETACH}.html")
    assert "The result shares memory with x." in sites.text_of(answer)
    assert f'href="../reference/{DETACH}.html"' in answer


def test_a_link_elsewhere_can_show_title_and_description(site: Site) -> None:
    page = site.page(f"reference/{DETACH}")
    assert f'<meta property="og:title" content="{DETACH}">' in page
    assert re.search(r'<meta property="og:description" content="The result shares memory with x.', page)


def test_without_an_address_nothing_names_one(tmp_path: Path) -> None:
    site = sites.build(sites.write_full_source(tmp_path))
    assert not (site.source / "out" / "sitemap.xml").exists()
    assert "xml:base" not in read(site, "changes.atom")
    assert "[![" not in site.page(f"reference/{DETACH}")


def test_words_with_a_meaning_of_their_own_lead_to_the_glossary(site: Site) -> None:
    links = re.findall(r'<a class="term" href="\.\./glossary\.html#(term-\w+)"', site.page(f"reference/{DETACH}"))
    assert "term-claim" in links
    assert all(f'id="{one}"' in site.page("glossary") for one in links)
