"""Whatever a spec or a result file says is shown as text, and can't become a script, a tag or a link."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Callable, Optional

import pytest

pytest.importorskip("sphinx", reason="the reference is built where Sphinx is installed")
pytest.importorskip("furo", reason="the reference is built where the theme is installed")

from conformance.base.text import drives_terminal, printable
from conformance.lab.impostors.record import Killed, MutationRecord, save_record
from conformance.results.model import Entry, Fact, Facts, FailedPart, Flags, Signal
from conformance.results.store import SUFFIX, save_results
from conformance.tests import reference_site as sites
from conformance.tests.reference_site import DETACH, Site

PAYLOAD = "\"'><script>EVIL()</script><img src=x onerror=EVIL()>`EVIL`_ |EVIL| .. raw:: html {{ EVIL }} </title></svg>"
#: What would drive a terminal, or turn the text around it.
CONTROLS = "\x1b[31m\x9b\u202e\u2066\u2028\x00"
#: As much of it as the name of a release or a build may have.
LABEL = "\"'><script>EVIL()</script><img src=x onerror=EVIL()>"
ADDRESS = "javascript:EVIL()"

# Claims that no checker would let through: the site must not lean on it.
CONF = f"""
PAYLOAD = {PAYLOAD + CONTROLS!r}
ADDRESS = {ADDRESS!r}


def poison(app):
    from dataclasses import replace
    from pathlib import Path

    from conformance.lab.reference.loading import library_of
    from conformance.results.recorded import Measured, Recorded

    def evil(fragment):
        return replace(fragment, text=PAYLOAD)

    def poisoned(claim):
        sources = tuple(replace(source, key=PAYLOAD) if source.key else source for source in claim.sources)
        expectation = replace(claim.expectation, expect=tuple(evil(part) for part in claim.expectation.expect))
        if expectation.raises:
            expectation = replace(expectation, raises=replace(expectation.raises, type=PAYLOAD, message=PAYLOAD))
        diverges = tuple(
            replace(one, note=PAYLOAD, link=ADDRESS, wording=PAYLOAD, where=evil(one.where), kind="torch-bug")
            for one in claim.diverges
        )
        return replace(
            claim, title=PAYLOAD, sources=sources, expectation=expectation, diverges=diverges,
            family=claim.family if claim.is_timed else PAYLOAD,
            do=replace(claim.do, text="y = " + repr(PAYLOAD)) if claim.do else None, was=(PAYLOAD,),
            given=tuple((name, evil(value)) for name, value in claim.given),
            applies=replace(claim.applies, torch=PAYLOAD, system=PAYLOAD),
        )

    library = library_of(app.config)
    content = library.content
    articles = {{
        letter: replace(
            article, title=PAYLOAD, original=PAYLOAD, site=PAYLOAD, author=PAYLOAD, date=PAYLOAD, language=PAYLOAD,
            url=ADDRESS, environment=PAYLOAD,
            rows={{name: replace(row, text=PAYLOAD) for name, row in article.rows.items()}},
        )
        for letter, article in content.corpus.sources.articles.items()
    }}
    given = content.corpus.claims
    claims = tuple(poisoned(claim) for claim in given)
    prints = {{old.fingerprint(): new.fingerprint() for old, new in zip(given, claims)}}

    def moved(entries):
        return {{name: replace(entry, claim=prints[entry.claim]) for name, entry in entries.items()}}

    def measured(one):
        results = one.results and replace(one.results, claims=moved(one.results.claims))
        timings = one.timings and replace(one.timings, claims=moved(one.timings.claims))
        return Measured(one.name, one.environment, results, timings, one.position)

    recorded = Recorded(tuple(measured(one) for one in content.recorded.environments))
    docs = replace(content.corpus.sources, docs=ADDRESS, elsewhere={{}}, articles=articles)
    corpus = replace(content.corpus, claims=claims, sources=docs)
    mutation = replace(content.mutation, claims=moved(content.mutation.claims))
    library.content = replace(content, corpus=corpus, recorded=recorded, mutation=mutation)


def setup(app):
    app.connect("builder-inited", poison, priority=900)
"""


class Looker(HTMLParser):
    """Collects what could run or lead away."""

    def __init__(self) -> None:
        super().__init__()
        self.attributes: list[tuple[str, str, str]] = []
        self.scripts: list[str] = []
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, Optional[str]]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag in ("script", "style"):
            self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self._inside:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.scripts.append(data)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    plain = sites.results("2.13.0")
    results = replace(
        plain,
        environment=replace(plain.environment, build=LABEL, machine=LABEL),
        claims={name: hostile(entry, PAYLOAD + CONTROLS) for name, entry in plain.claims.items()},
    )
    results = sites.changed(results, "shares-storage", verdict="refuted")
    named = replace(sites.results("1.9.0"), environment=replace(sites.environment("1.9.0"), torch=LABEL))
    timed = sites.timings("2.13.0")
    timed = replace(
        timed,
        environment=replace(timed.environment, processor=PAYLOAD),
        claims={name: replace(entry, kernels={PAYLOAD: (1.0, 2.0, 3.0)}) for name, entry in timed.claims.items()},
    )
    sentences = {"torch": PAYLOAD, "sentences": {DETACH: {"aaaaaaaa": PAYLOAD, "bbbbbbbb": PAYLOAD}}}
    older = replace(
        results,
        environment=sites.environment("2.12.1"),
        claims={name: hostile(entry, "OtherError") for name, entry in results.claims.items()},
    )
    older = sites.changed(older, "shares-storage", verdict="holds")
    index = "Site\n====\n\n.. claim:impostors::\n.. claim:answers::\n\n" + sites.INDEX.split("====\n", 1)[1]
    folder = sites.write_source(
        tmp_path_factory.mktemp("hostile"), [older, results], timed, sentences, conf=CONF, index=index
    )
    killed = {name: Killed(entry.claim, 1, (PAYLOAD,)) for name, entry in older.claims.items()}
    record = MutationRecord(
        1, replace(sites.environment("2.13.0"), build=LABEL), results.corpus, {PAYLOAD: PAYLOAD}, killed
    )
    save_record(record, folder / "results" / "impostors")
    save_results(named, folder / "results" / f"torch-named-cpu{SUFFIX}")
    return sites.build(folder)


def hostile(entry: Entry, raised: str) -> Entry:
    """Put the payload into every text of an entry."""
    flags = Flags(LABEL, leaf=True, grad_fn=PAYLOAD, shares=(PAYLOAD,))
    text = PAYLOAD + CONTROLS
    signal = Signal(text, text)
    return replace(
        entry,
        facts=Facts(Signal(raised, text), (signal,), {"y": Fact(text, flags)}),
        failed=FailedPart("expect", 0, text),
        detail=text,
        counterexample=text,
        missing_kernels={text: (text,)},
        no_kernel=(text,),
        example=dict.fromkeys(entry.example, text),
    )


def look(path: Path) -> Looker:
    looker = Looker()
    looker.feed(path.read_text(encoding="utf-8"))
    return looker


def test_payload_reaches_the_pages(site: Site) -> None:
    text = site.section(f"reference/{DETACH}", "shares-storage")
    assert text.count("<script>EVIL()</script>") >= 10


def test_payload_reaches_what_is_loaded_as_text_in_a_string(site: Site) -> None:
    assert site.loaded(f"reference/{DETACH}").count("<script>EVIL()</script>") >= 5
    assert PAYLOAD + printable(CONTROLS) in site.scripts(f"reference/{DETACH}")
    for path in (site.source / "out" / "_loaded").rglob("*.js"):
        text = path.read_text(encoding="utf-8")
        assert text.isascii(), path
        assert not set("<>&") & set(text), path


def test_no_control_character_reaches_a_page_or_what_it_loads(site: Site) -> None:
    for path in site.pages():
        assert not drives_terminal(path.read_text(encoding="utf-8").replace("\n", "").replace("\t", "")), path
    for path in (site.source / "out" / "_loaded").rglob("*.js"):
        # What stands there is ASCII, and the script of the page shows what it stands for.
        escaped = re.findall(r"(?<!\\)(?:\\\\)*\\u([0-9a-f]{4})", path.read_text(encoding="utf-8"))
        assert not drives_terminal("".join(chr(int(code, 16)) for code in escaped)), path
    assert printable(CONTROLS) in site.section(f"reference/{DETACH}", "shares-storage")


def test_what_is_loaded_is_shown_as_text(site: Site) -> None:
    for name in ("loaded", "search", "changes", "false", "copy"):
        script = (site.source / "out" / "_static" / f"{name}.js").read_text(encoding="utf-8")
        for unsafe in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval"):
            assert unsafe not in script


def test_payload_reaches_the_pages_about_releases_and_impostors(site: Site) -> None:
    assert "<script>EVIL()</script>" in sites.text_of(site.page("reference/releases/2.13.0"))
    assert sites.text_of(site.page("index")).count("<script>EVIL()</script>") >= 3


def test_no_tag_runs_a_script(site: Site) -> None:
    for path in site.pages():
        looker = look(path)
        assert not [script for script in looker.scripts if "EVIL" in script], path
        assert not [one for one in looker.attributes if one[1].startswith("on")], path
        assert not [one for one in looker.attributes if one[1] == "src" and one[2] == "x"], path


def test_no_link_leads_to_a_script(site: Site) -> None:
    for path in site.pages():
        for tag, name, value in look(path).attributes:
            if name in ("href", "src", "action", "xlink:href"):
                assert not re.match(r"\s*(javascript|data|vbscript):", value, re.I), (path, tag, value)


def test_address_that_is_no_web_address_is_shown_as_text(site: Site) -> None:
    assert ADDRESS in site.section(f"reference/{DETACH}", "makes-a-copy")


def test_generated_sources_hold_nothing_of_a_spec_but_names(site: Site) -> None:
    for path in (site.source / "reference").rglob("*.rst"):
        assert "EVIL" not in path.read_text(encoding="utf-8")


def test_very_long_text_is_cut(tmp_path: Path) -> None:
    results = sites.results("2.13.0")
    long = {name: replace(entry, detail="x" * 20_000, verdict="refuted") for name, entry in results.claims.items()}
    results = replace(results, claims=long)
    folder = sites.write_source(tmp_path, [results])
    site = sites.attempt(folder)
    assert site.status == 0
    assert len(site.page(f"reference/{DETACH}")) < 1_000_000


@pytest.mark.parametrize("place", ["results/torch-9.9-cpu.jsonl", "results/timings/torch-9.9-cpu.jsonl"])
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to(path.name)], ids=["pipe", "circle"])
def test_what_is_no_file_ends_the_build_with_a_message(
    make: Callable[[Path], None], place: str, tmp_path: Path
) -> None:
    folder = sites.write_source(tmp_path, [sites.results("2.13.0")])
    (folder / place).parent.mkdir(exist_ok=True)
    make(folder / place)
    built = sites.attempt(folder)
    assert built.status != 0
    # Sphinx adds where it was raised to the message of every error of an extension.
    assert built.output.strip().startswith("Extension error")
    assert f"{place}: " in built.output
    assert "it was not read" in built.output


def test_what_a_result_file_says_of_parts_that_a_claim_lacks_is_no_traceback(tmp_path: Path) -> None:
    results = sites.results("2.13.0")
    strange = {
        name: replace(
            entry,
            verdict="diverges",
            divergence=(99,),
            failed=FailedPart("expect", 99),
            observed=("always",) * 9,
            sentences=(None,) * 9,
        )
        for name, entry in results.claims.items()
    }
    older = replace(results, environment=replace(sites.environment("1.0"), torch="9" * 100), claims=strange)
    folder = sites.write_source(tmp_path, [replace(results, claims=strange)])
    save_results(older, folder / "results" / f"torch-9-cpu{SUFFIX}")
    built = sites.attempt(folder)
    assert "Traceback" not in built.output
    assert built.status == 0, built.output
