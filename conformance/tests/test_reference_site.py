"""The site as a reader gets it: every page is built from a small corpus and small result files."""

from __future__ import annotations

import re
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the reference is built where Sphinx is installed")
pytest.importorskip("furo", reason="the reference is built where the theme is installed")

from conformance.lab.reference.loading import collect_sentences
from conformance.lab.views.content import module_of
from conformance.language.corpus import load_corpus
from conformance.language.corpus_cache import load_own_corpus
from conformance.results.store import SUFFIX, save_results
from conformance.tests import reference_site as sites
from conformance.tests.reference_site import DETACH, Site

PAGE = f"reference/{DETACH}"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("site")
    measured = [sites.results("1.9.0"), sites.results("2.13.0")]
    sites.write_source(folder, measured, sites.timings("2.13.0"), sites.SENTENCES)
    return sites.build(folder)


@pytest.fixture(scope="module")
def unmeasured(tmp_path_factory: pytest.TempPathFactory) -> Site:
    return sites.build(sites.write_source(tmp_path_factory.mktemp("unmeasured")))


def test_build_needs_no_torch(tmp_path: Path) -> None:
    folder = sites.write_source(tmp_path, [sites.results("2.13.0")], conf="conformance_collect_sentences = True\n")
    program = "import sys; sys.modules['torch'] = None; from sphinx.cmd.build import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "-q", "-W", "-n", "-b", "html", str(folder), str(folder / "out")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "It is shown when built where torch is installed" in Site(folder, 0, "").section(PAGE, "shares-storage")


def test_sentences_are_collected_again_where_claims_cite_others(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    kept = tmp_path / "sentences.json"
    corpus, _ = load_own_corpus()
    assert collect_sentences(kept, None)
    whole = kept.read_text(encoding="utf-8")
    kept.write_text(whole.replace(corpus.cited(), "0" * 64), encoding="utf-8")
    assert not collect_sentences(kept, None)
    assert collect_sentences(kept, corpus)
    assert kept.read_text(encoding="utf-8") == whole
    assert not collect_sentences(kept, corpus)


SHOWN = {
    "write-before-backward-raises": (
        "1.9.0 ✗ refuted",
        "2.13.0 ✓ holds",
        "the source promises only that it happens",
        "torch 1.9.0 and 2.13.0 (cpu) always always sometimes",
        "RuntimeError: one of the variables has been modified",
        "not there in torch 1.9.0 (cpu)",
    ),
    "stays-on-the-gpu": ("cuda, on dense tensors □ not measured",),
    "shares-storage": (
        "Gives on torch 1.9.0 and 2.13.0 (cpu):",
        "The sentence about storage.",
        "worded otherwise in torch 1.9.0 (cpu); there in torch 2.13.0 (cpu)",
    ),
    "keeps-strides": (
        "Nothing is promised here. What happens is recorded.",
        "y.is_contiguous() sometimes on torch 1.9.0 and 2.13.0 (cpu)",
    ),
    "makes-a-copy": (
        "The source is wrong",
        "Seen on torch 1.9.0 and 2.13.0 (cpu)",
        "The result is a view, as shares_storage shows.",
        "Where: torch >=1.8",
        "x.numel() > 0",
        "https://example.org/report/1",
        "Gives a view of the tensor.",
        "What happens instead",
    ),
    "faster-than-a-clone": ("Time relative to detach on torch 2.13.0, cpu, A processor", "4,096 1.00× 3.00×"),
}


@pytest.mark.parametrize("slug", SHOWN)
def test_a_claim_shows_what_it_is_and_what_was_measured(site: Site, slug: str) -> None:
    text = site.section(PAGE, slug)
    assert [part for part in SHOWN[slug] if part not in text] == []


def test_what_was_not_measured_is_a_gap(site: Site) -> None:
    text = site.section("reference/torch.Tensor.detach_", "returns-itself")
    assert "1.9.0 □ not measured" in text
    assert "refuted" not in text


def test_page_without_results_says_so(unmeasured: Site) -> None:
    text = sites.text_of(unmeasured.page(PAGE))
    assert "6 claims, none of them tried yet. Not measured in any environment." in text
    assert "□ not measured" in unmeasured.section(PAGE, "shares-storage")


def test_result_of_an_earlier_form_of_a_claim_is_a_gap(tmp_path: Path) -> None:
    results = sites.changed(sites.results("2.13.0"), "shares-storage", claim="00000000")
    text = sites.build(sites.write_source(tmp_path, [results])).section(PAGE, "shares-storage")
    assert "2.13.0 □ measured in an older form of the claim" in text
    assert "✓ holds" not in text


def test_a_claim_that_no_environment_could_judge_is_not_called_true(tmp_path: Path) -> None:
    results = sites.changed(sites.results("2.13.0"), "shares-storage", verdict="inapplicable", facts=None)
    text = sites.text_of(sites.build(sites.write_source(tmp_path, [results])).page(PAGE))
    assert "1 of them false somewhere, 3 not tried yet." in text


def test_a_void_file_is_full_of_gaps(tmp_path: Path) -> None:
    void = replace(sites.results("2.13.0"), void="a slice does not share")
    site = sites.build(sites.write_source(tmp_path, [void]))
    assert "2.13.0 □ the whole file is void" in site.section(PAGE, "shares-storage")
    assert "is void: a slice does not share" in sites.text_of(site.page("index"))


def test_front_page_counts_what_was_measured(site: Site) -> None:
    text = sites.text_of(site.page("index"))
    assert "7 claims" in text
    assert "2 subjects" in text
    assert "2 environments" in text
    # one is refuted on 1.9.0, one diverges on both
    assert "2 documented and false, by cause" in text
    assert "✗ refuted 1 0" in text
    assert "□ not measured 2 0" in text


def test_a_subject_says_which_releases_have_the_name(site: Site) -> None:
    assert "In torch: 1.8 to 2.15" in sites.text_of(site.page(PAGE))


def test_example_is_a_script_with_its_output(site: Site) -> None:
    blocks = sites.blocks_of_code(site.page(PAGE))
    script = 'import torch\n\nx = torch.tensor([1., 2., 3.])\ny = x.detach()\nprint(f"{y = }")\n'
    assert script in blocks
    assert "y = tensor([1., 2., 3.])\n    # float32, leaf, shares memory with x\n" in blocks


def test_evidence_says_what_was_covered(site: Site) -> None:
    text = site.loaded(PAGE, "shares-storage")
    assert "Inputs it is tried on x: tensor() Evidence" in text
    assert "431 examples; x in 21 dtypes, 9 layouts, 6 sizes, 6 autograd states, 612 pairs of these" in text
    assert "no kernel for Float8_e4m3fn: these" in text
    assert "no kernel for Float8_e4m3fn, Float8_e5m2 (NotImplementedError): these" in text


def test_sources_lead_to_the_documentation_and_to_the_article(site: Site) -> None:
    page = site.page(PAGE)
    assert 'href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html"' in page
    assert 'href="articles/D.html#d2"' in page


def test_counterexample_can_be_copied_as_it_is(site: Site) -> None:
    script = sites.entries("2.13.0")[f"{DETACH}/makes-a-copy"].counterexample
    assert "Smallest counterexample, ready to run" in site.section(PAGE, "makes-a-copy")
    assert script in site.scripts(PAGE)


def test_what_is_loaded_can_be_read_without_scripts(site: Site) -> None:
    folded = site.page(PAGE).partition('<details class="loads" data-key="makes-a-copy/0">')[2]
    assert folded.startswith("<summary>Smallest counterexample, ready to run</summary> <a href=")
    assert (site.source / "out" / "reference" / folded.partition('href="')[2].partition('"')[0]).is_file()


def test_what_is_false_is_listed_by_cause_and_the_unexplained_apart(site: Site) -> None:
    index = site.page("false")
    text = sites.text_of(index)
    assert "1 recorded cause, 1 of them seen" in text
    assert "1 claim false without a recorded divergence" in text
    assert "torch.Tensor.detach: not so: The result is a copy of its input" in text
    assert 'href="reference/false/not-said-ordinary.html#torch._Tensor.detach-makes-a-copy-0"' in index
    numbered = 'href="reference/false/not-said-ordinary.html" aria-label="harm not said yet, ordinary inputs: 1">1</a>'
    assert numbered in index
    assert "Backward raises after a write" in sites.text_of(site.page("reference/false/unexplained"))
    page = sites.text_of(site.page("reference/false/not-said-ordinary"))
    assert "Reach: ordinary inputs." in page
    assert "Seen on torch 1.9.0 and 2.13.0 (cpu)." in page
    assert "Wording that would be true" in page


def test_article_page_shows_its_rows_and_their_verdicts(site: Site) -> None:
    page = site.page("reference/articles/C")
    text = sites.text_of(page)
    assert 'id="c5"' in page
    assert "? loose" in text
    assert "1.9.0 ◐ false for some inputs" in text
    assert "No claim encodes this row yet." in text


def test_every_page_names_version_corpus_and_environments(site: Site) -> None:
    revision = load_corpus([sites.SPEC])[0].revision()
    for path in site.pages():
        text = sites.text_of(path.read_text(encoding="utf-8"))
        assert f"Corpus {revision}, 7 claims" in text, path
        assert "Measured in 2 environments" in text, path
    assert "torch 1.9.0 (cpu build), Python 3.11, NumPy 2.4.0" in site.loaded("environments")


def test_claims_are_in_the_inventory_and_their_subject_in_the_index(site: Site) -> None:
    inventory = (site.source / "out" / "objects.inv").read_bytes()
    listed = zlib.decompress(inventory.split(b"zlib.\n", 1)[1]).decode()
    assert f"{DETACH}/shares-storage claim:claim 1 {PAGE}.html#shares-storage -" in listed
    assert f"{DETACH} claim:subject" in listed
    assert f'href="{PAGE}.html#">{DETACH}</a>' in site.page("genindex")


def test_role_links_to_the_claim(site: Site) -> None:
    assert f'href="{PAGE}.html#shares-storage"' in site.page("index")


def test_role_for_an_unknown_claim_is_a_warning(tmp_path: Path) -> None:
    index = "Site\n====\n\n:claim:`torch.Tensor.detach/no-such`\n\n" + sites.INDEX.split("====\n", 1)[1]
    built = sites.attempt(sites.write_source(tmp_path, index=index))
    assert built.status == 1
    assert "no claim 'torch.Tensor.detach/no-such' in the corpus" in built.output


def test_mistake_in_a_spec_is_a_warning_with_its_place(tmp_path: Path) -> None:
    spec = tmp_path / "spec"
    spec.mkdir()
    (spec / "broken.yaml").write_text("subject: torch.Tensor.detach\nclaimz: []\n", encoding="utf-8")
    built = sites.attempt(sites.write_source(tmp_path / "site", spec=spec, index="Site\n====\n"), options=["-n"])
    assert "broken.yaml:2:1 E101" in built.output


def test_broken_result_file_stops_the_build_with_its_name(tmp_path: Path) -> None:
    folder = sites.write_source(tmp_path)
    (folder / "results" / f"torch-2.13.0-cpu{SUFFIX}").write_text('{"schema": 1, "claims": 3}', encoding="utf-8")
    built = sites.attempt(folder)
    assert built.status != 0
    assert "torch-2.13.0-cpu.jsonl: format 1; this conformance reads format 2" in built.output


def test_broken_entry_stops_the_build_with_its_line(tmp_path: Path) -> None:
    folder = sites.write_source(tmp_path, [sites.results("2.13.0")])
    path = folder / "results" / f"torch-2.13.0-cpu{SUFFIX}"
    path.write_text(path.read_text(encoding="utf-8").replace('"holds"', '"held"', 1), encoding="utf-8")
    built = sites.attempt(folder)
    assert built.status != 0
    assert re.search(r"torch-2.13.0-cpu.jsonl:\d+: verdict: 'held'", built.output)


def test_changed_results_change_the_pages_of_a_second_build(tmp_path: Path) -> None:
    folder = sites.write_source(tmp_path, [sites.results("2.13.0")])
    assert "refuted" not in sites.build(folder).section(PAGE, "shares-storage")
    results = sites.changed(sites.results("2.13.0"), "shares-storage", verdict="refuted")
    save_results(results, folder / "results" / f"torch-2.13.0-cpu{SUFFIX}")
    again = sites.build(folder)
    assert "2.13.0 ✗ refuted" in again.section(PAGE, "shares-storage")
    assert "✗ refuted" in again.page("index")


def test_page_of_a_subject_that_is_gone_is_removed(tmp_path: Path) -> None:
    folder = sites.write_source(tmp_path)
    (folder / "reference").mkdir()
    (folder / "reference" / "torch.gone.rst").write_text("torch.gone\n==========\n", encoding="utf-8")
    sites.build(folder)
    assert not (folder / "reference" / "torch.gone.rst").exists()


def test_subjects_stand_under_their_modules_and_not_in_every_sidebar(site: Site) -> None:
    index = site.page("reference/index")
    assert f'href="{DETACH}.html"' in index
    assert "torch.Tensor" in [heading.strip() for heading in re.findall(r"<h2>([^<]*)", index)]
    assert f'href="{DETACH}.html"' not in site.page("reference/torch.Tensor.detach_").partition('<div class="main">')[0]


@pytest.mark.parametrize(
    ("subject", "module"),
    [
        ("torch.Tensor.detach", "torch.Tensor"),
        ("torch.nn.Module.state_dict", "torch.nn"),
        ("torch.autograd.Function.vmap", "torch.autograd"),
        ("torch.nn.functional.relu", "torch.nn.functional"),
        ("torch.clone", "torch"),
        ("notes/tensor-views", "Notes"),
    ],
)
def test_a_subject_has_a_module(subject: str, module: str) -> None:
    assert module_of(subject) == module


def test_name_with_a_trailing_underscore_keeps_it(site: Site) -> None:
    assert "<title>torch.Tensor.detach_ -" in site.page("reference/torch.Tensor.detach_")


def test_names_that_differ_in_case_only_get_files_that_differ_in_more(tmp_path: Path) -> None:
    spec = tmp_path / "spec"
    spec.mkdir()
    text = (sites.SPEC / "detach_.yaml").read_text(encoding="utf-8")
    for name in ("torch.Tensor", "torch.tensor"):
        (spec / f"{len(list(spec.iterdir()))}.yaml").write_text(
            text.replace("torch.Tensor.detach_", name), encoding="utf-8"
        )
    index = "Site\n====\n\n:subject:`torch.Tensor` and :subject:`torch.tensor`\n\n.. toctree::\n\n   reference/index\n"
    site = sites.attempt(sites.write_source(tmp_path / "site", spec=spec, index=index), options=["-n"])
    assert "no subject" not in site.output
    names = [path.relative_to(site.source / "out").as_posix().lower() for path in site.pages()]
    assert len(names) == len(set(names)), names
    assert "reference/torch.tensor-class.html" in names


def test_many_versions_are_told_as_ranges(tmp_path: Path) -> None:
    versions = [f"2.{minor}.0" for minor in range(10)]
    site = sites.build(sites.write_source(tmp_path, [sites.results(version) for version in versions]))
    text = site.section(PAGE, "shares-storage")
    assert "✓ holds in all 10 releases, 2.0.0 to 2.9.0" in text
    assert "Gives on torch 2.0.0 to 2.9.0 (cpu):" in text


def test_nothing_is_fetched_from_elsewhere(site: Site) -> None:
    for path in site.pages():
        page = path.read_text(encoding="utf-8")
        for attribute in ('src="http', 'src="//', '<link rel="stylesheet" href="http'):
            assert attribute not in page, path


@pytest.mark.parametrize("builder", ["text", "man", "latex", "dirhtml"])
def test_other_builders_make_pages_too(tmp_path: Path, builder: str) -> None:
    from sphinx.cmd.build import build_main

    folder = sites.write_source(tmp_path / "site", [sites.results("2.13.0")])
    assert build_main(["-q", "-N", "-b", builder, str(folder), str(tmp_path / "out")]) == 0
    if builder == "text":
        text = (tmp_path / "out" / "reference" / f"{DETACH}.txt").read_text(encoding="utf-8")
        assert "shares_storage(y, x)" in text
        assert "<code>" not in text
