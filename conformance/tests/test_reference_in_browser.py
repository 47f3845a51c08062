"""The first screen, search, filters, the comparison of releases, copying, folding and a phone's menu."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the reference is built where Sphinx is installed")
pytest.importorskip("furo", reason="the reference is built where the theme is installed")

from conformance.tests import reference_site as sites
from conformance.tests.browser import needs_browser, page_after_scripts, value_of
from conformance.tests.browser_session import BrowserSession, browser_session
from conformance.tests.reference_site import DETACH, Site


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return sites.build(sites.write_full_source(tmp_path_factory.mktemp("start")))


@pytest.fixture(scope="module")
def browser() -> Iterator[BrowserSession]:
    with browser_session() as found:
        yield found


def page_of(site: Site, name: str) -> Path:
    return site.source / "out" / f"{name}.html"


def test_build_gives_no_warning(site: Site) -> None:
    assert (site.status, site.output) == (0, "")


def test_first_screen_leads_to_names_messages_releases_and_what_is_false(site: Site) -> None:
    page = site.page("index")
    assert f'<a href="reference/{DETACH}.html"><code>x.detach()</code></a>' in page
    assert '<a href="messages.html#numpy-requires-grad">' in page
    assert 'id="numpy-requires-grad"' in site.page("messages")
    assert re.search(r'<form class="releases-chosen" action="changes.html">', page)
    assert [re.findall(r"<option[^>]*>([\d.]+)", part) for part in page.split("<select")[1:]] == [["1.9"], ["2.13"]]
    assert "In fact:" in sites.text_of(page)


def test_every_page_of_content_has_a_description(site: Site) -> None:
    for name in ("index", "changes", f"reference/{DETACH}", "reference/false/not-said-ordinary"):
        found = re.findall(r'<meta name="description" content="([^"]+)">', site.page(name))
        assert len(found) == 1, name
        assert len(found[0]) <= 160
    assert "&lt;meta" not in site.page("index")


def test_search_of_sphinx_is_gone(site: Site) -> None:
    assert not (site.source / "out" / "searchindex.js").exists()
    assert "searchtools.js" not in site.page("search")


@needs_browser
def test_search_box_has_the_focus_and_is_on_a_narrow_screen(site: Site) -> None:
    shown = "(() => { const box = document.querySelector('input.ask'), at = box.getBoundingClientRect();"
    measured = f"{shown} return [document.activeElement === box, at.bottom, at.left, at.right, innerWidth]; }})()"
    focused, bottom, left, right, width = value_of(measured, page_of(site, "index"), width=500)
    assert focused
    assert bottom < 400
    assert 0 <= left < right <= width


@needs_browser
def test_search_page_finds_what_its_address_asks_for(site: Site) -> None:
    page = page_after_scripts(page_of(site, "search"), "?q=x.detach()")
    first = re.search(r'<ol class="results"><li><a href="([^"]+)"><code>([^<]+)', page)
    assert first is not None
    assert first[2] == DETACH
    assert page_of(site, "search").parent.joinpath(first[1]).is_file()


@needs_browser
@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ("?from=1.9&to=2.13", ["torch.cat is gone", "Linear gives more", "relu() warns"]),
        ("#from=1.9&to=2.13&module=torch.nn", ["Linear gives more", "relu() warns"]),
        ("#from=1.9&to=2.13&reach=common", ["Linear gives more"]),
    ],
)
def test_changes_between_two_releases_are_those_that_the_address_names(
    site: Site, chosen: str, found: list[str]
) -> None:
    page = page_after_scripts(page_of(site, "changes"), chosen)
    summaries = re.findall(r"<summary>(.*?) <span class=\"chip", page)
    assert [sites.text_of(one) for one in summaries] == found
    assert 'href="reference/releases/2.13.0.html#linear-gives-more"' in page


@needs_browser
def test_a_choice_changes_the_address_and_the_list(site: Site) -> None:
    choose = (
        "(async () => { const form = document.getElementById('changes-chosen');"
        "while (!document.querySelector('#changes-found h2')) await new Promise((go) => setTimeout(go, 20));"
        "form.elements.reach.value = 'rare'; form.dispatchEvent(new Event('change'));"
        "return [location.hash, document.querySelectorAll('#changes-found details').length]; })()"
    )
    address, count = value_of(choose, page_of(site, "changes"))
    assert "from=1.9" in address
    assert "to=2.13" in address
    assert "reach=rare" in address
    assert count == 2


@needs_browser
def test_code_has_a_button_that_copies_it_also_where_it_is_loaded_later(site: Site) -> None:
    count = "document.querySelectorAll('article div.highlight:not(.output)').length"
    buttons = "document.querySelectorAll('article div.highlight:not(.output) button.copy').length"
    outputs = "document.querySelectorAll('div.output button').length"
    opened = (
        f"(async () => {{ const before = {count};"
        "document.querySelectorAll('details.loads').forEach((one) => { one.open = true; });"
        f"while (document.querySelector('article details.loads > a')) await new Promise((go) => setTimeout(go, 20));"
        f"return [before, {count}, {buttons}, {outputs}]; }})()"
    )
    before, after, with_button, of_outputs = value_of(opened, page_of(site, f"reference/{DETACH}"))
    assert 0 < before < after
    assert with_button == after
    assert of_outputs == 0


def test_subjects_fold_by_module(site: Site) -> None:
    page = site.page("reference/index")
    assert re.search(r"<details><summary>2 names, 1 with something that is documented and false</summary>", page)


@needs_browser
def test_what_is_false_is_chosen_by_module_release_harm_and_kind(site: Site, browser: BrowserSession) -> None:
    address = page_of(site, "documented-and-false").as_uri()
    count = "document.querySelectorAll('#false-found li').length"
    browser.open(address)
    every = browser.wait(count)
    names = browser.value("[...document.querySelectorAll('#false-chosen select')].map((one) => one.name)")
    assert names == ["module", "release", "harm", "kind"]
    choose = (
        "(() => { const field = document.querySelector('select[name=release]'); field.value = '2.13';"
        "field.dispatchEvent(new Event('change', { bubbles: true })); return location.hash; })()"
    )
    assert browser.value(choose) == "#release=2.13"
    of_release = browser.value(count)
    assert 0 < of_release <= every
    browser.open(f"{address}#release=2.13")
    assert browser.wait(count) == of_release
    for link in browser.value("[...document.querySelectorAll('#false-found li > a')].map((one) => one.href)"):
        path = Path(link.partition("#")[0].removeprefix("file://"))
        assert f'id="{link.partition("#")[2]}"' in path.read_text(encoding="utf-8")
