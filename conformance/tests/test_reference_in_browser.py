"""The first screen, search, filters, the comparison of releases, copying, folding and a phone's menu."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the reference is built where Sphinx is installed")
pytest.importorskip("furo", reason="the reference is built where the theme is installed")

from conformance.lab.reference import directives
from conformance.tests import reference_site as sites
from conformance.tests.browser import needs_browser, page_after_scripts, value_of
from conformance.tests.browser_session import BrowserSession, browser_session
from conformance.tests.reference_site import DETACH, Site

AXE = "axe-core@4.14.1"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return sites.build(sites.write_full_source(tmp_path_factory.mktemp("start")))


@pytest.fixture(scope="module")
def browser() -> Iterator[BrowserSession]:
    with browser_session() as found:
        yield found


def page_of(site: Site, name: str) -> Path:
    return site.source / "out" / f"{name}.html"


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


@needs_browser
def test_a_person_who_types_finds_a_page_with_the_keyboard_alone(site: Site, browser: BrowserSession) -> None:
    browser.open(page_of(site, "index").as_uri())
    browser.type("does detach copy")
    browser.wait("document.querySelectorAll('#found li a').length")
    browser.press("Enter")
    browser.wait("document.activeElement.matches('#found li a')")
    browser.press("Enter")
    browser.wait(f"location.href.endsWith('reference/{DETACH}.html') && document.readyState === 'complete'")
    browser.press("Tab")
    assert "content" in browser.value("document.activeElement.textContent").lower()
    browser.press("Enter")
    browser.press("Tab")
    assert browser.value("document.activeElement.closest('article, .content') !== null")


@needs_browser
@pytest.mark.parametrize("width", [390, 820])
def test_what_is_outside_of_a_narrow_screen_is_no_stop(site: Site, browser: BrowserSession, width: int) -> None:
    browser.open(page_of(site, f"reference/{DETACH}").as_uri(), width=width)
    stops = 0
    while not browser.value("document.activeElement.closest('article') !== null"):
        browser.press("Tab")
        stops += 1
        assert stops <= 10
    assert browser.value("document.documentElement.scrollWidth <= innerWidth")


@needs_browser
def test_the_menu_of_a_phone_opens_and_leads_on(site: Site, browser: BrowserSession) -> None:
    browser.open(page_of(site, f"reference/{DETACH}").as_uri(), width=390)
    seen = "document.elementsFromPoint(40, 400).some((one) => one.closest('.sidebar-drawer'))"
    assert not browser.value(seen)
    browser.click("label.nav-overlay-icon, .mobile-header .nav-overlay-icon")
    browser.wait(f"{seen} && document.querySelector('.sidebar-drawer').getBoundingClientRect().left === 0")
    browser.click(".sidebar-tree a[href$='changes.html']")
    browser.wait("location.href.endsWith('changes.html') && document.readyState === 'complete'")


@needs_browser
def test_code_that_is_copied_is_on_the_clipboard(site: Site, browser: BrowserSession) -> None:
    browser.allow_clipboard()
    browser.open(page_of(site, f"reference/{DETACH}").as_uri())
    browser.click("article div.highlight:not(.output) button.copy")
    browser.wait("document.querySelector('button.copy').textContent === 'copied'")
    copied = browser.value("navigator.clipboard.readText()")
    assert copied == browser.value("document.querySelector('article div.highlight:not(.output) pre').textContent")


@needs_browser
def test_a_comparison_is_chosen_and_its_address_gives_the_same(site: Site, browser: BrowserSession) -> None:
    browser.open(page_of(site, "index").as_uri())
    browser.click("form.releases-chosen button")
    browser.wait("document.querySelectorAll('#changes-found details').length === 3")
    browser.value(
        "(() => { const field = document.querySelector('select[name=module]'); field.value = 'torch.nn';"
        "field.dispatchEvent(new Event('change', { bubbles: true })); })()"
    )
    titles = "[...document.querySelectorAll('#changes-found summary')].map((one) => one.textContent)"
    chosen = browser.wait(titles)
    assert len(chosen) == 2
    browser.open(browser.value("location.href"))
    assert browser.wait(titles) == chosen


@needs_browser
def test_an_address_opens_what_it_names_in_a_folded_part(site: Site, browser: BrowserSession) -> None:
    page = page_of(site, f"reference/{DETACH}")
    folded = '<details id="outer"><summary>more</summary><p id="deep">here</p></details></article>'
    copy = page.with_name("folded.html")
    copy.write_text(page.read_text(encoding="utf-8").replace("</article>", folded, 1), encoding="utf-8")
    browser.open(f"{copy.as_uri()}#deep")
    browser.wait("document.getElementById('outer').open")


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The text of axe, which finds what people with disabilities cannot use; npm brings it."""
    if shutil.which("npm") is None:
        pytest.skip("needs npm, which brings axe")
    folder = tmp_path_factory.mktemp("axe")
    done = subprocess.run(["npm", "pack", "--silent", AXE], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"npm could not bring {AXE}")
    with tarfile.open(next(folder.glob("*.tgz"))) as packed:
        text = packed.extractfile("package/axe.min.js")
        assert text is not None
        return text.read().decode("utf-8")


@needs_browser
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(
    "name",
    [
        *("index", "changes", "messages", "documented-and-false", "timings", "search"),
        *(f"reference/{DETACH}", "reference/releases/index", "reference/releases/2.13.0", "reference/index"),
    ],
)
def test_axe_finds_nothing_serious(site: Site, browser: BrowserSession, axe: str, name: str, dark: bool) -> None:
    browser.open(page_of(site, name).as_uri(), dark=dark)
    browser.value("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    browser.value(axe)
    found = browser.value(
        "axe.run().then((found) => found.violations.filter((one) => ['serious', 'critical'].includes(one.impact))"
        ".map((one) => [one.id, one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200))]))"
    )
    assert found == []


@pytest.fixture(scope="module")
def folded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The site as it would be with many claims and changes."""
    with pytest.MonkeyPatch.context() as patch:
        for name, most in (("_IN_FULL", 1), ("_UNFOLDED", 2), ("_CHANGES_IN_FULL", 0)):
            patch.setattr(directives, name, most)
        yield sites.build(sites.write_full_source(tmp_path_factory.mktemp("folded")))


def test_of_many_claims_the_first_are_in_full_and_the_others_are_loaded(folded: Site) -> None:
    name = f"reference/{DETACH}"
    assert re.search(r"<details><summary>\d more claims</summary>", folded.page(name))
    assert folded.page(name).count('<p class="part">Sources</p>') == 2  # also of a claim with a table of times
    told = folded.loaded(name, "write-before-backward-raises/body")
    assert "RuntimeError" in told
    assert "Sources" in told
    assert "Encoded in detach.yaml" in told


def test_of_many_changes_of_a_release_the_others_are_loaded(folded: Site) -> None:
    assert '<details class="loads" data-key="cpu/' in folded.page("reference/releases/2.13.0")
    assert "before" in folded.loaded("reference/releases/2.13.0")


@needs_browser
def test_an_address_of_a_folded_claim_opens_and_loads_it(folded: Site, browser: BrowserSession) -> None:
    slug = "write-before-backward-raises"
    browser.open(f"{page_of(folded, f'reference/{DETACH}').as_uri()}#{slug}")
    browser.wait(f"document.getElementById('{slug}').querySelectorAll('details.body pre').length > 0")
    links = browser.value(f"[...document.querySelectorAll('#{slug} details.body a')].map((one) => one.href)")
    assert any(link.startswith("https://") for link in links)
    browser.wait(f"document.getElementById('{slug}').getBoundingClientRect().top < innerHeight")


@needs_browser
def test_a_long_table_shows_its_first_rows_until_it_is_filtered(site: Site, browser: BrowserSession) -> None:
    page = page_of(site, "messages")
    rows = "".join(f"<tr><td>row {number}</td></tr>" for number in range(200))
    table = f'<table class="sortable"><thead><tr><th>Name</th></tr></thead><tbody>{rows}</tbody></table></article>'
    copy = page.with_name("long.html")
    copy.write_text(page.read_text(encoding="utf-8").replace("</article>", table, 1), encoding="utf-8")
    browser.open(copy.as_uri())
    shown = "[...document.querySelectorAll('table.sortable tbody')].pop().querySelectorAll('tr:not([hidden])').length"
    assert browser.wait(shown) == 60
    browser.value("[...document.querySelectorAll('input.filter')].pop().focus()")
    browser.type("row 19")
    assert browser.value(shown) == 12
    browser.open(copy.as_uri())
    browser.click("button.more:last-of-type")
    browser.wait(f"{shown} === 200")
