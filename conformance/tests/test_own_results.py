"""Results of claims that are not the corpus's: written for any specs, and read beside those of the corpus."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from conformance.base.recorded_folder import recorded_folder
from conformance.language.corpus import load_corpus
from conformance.results.model import Verdict
from conformance.results.record import stored_results
from conformance.results.store import load_results, save_results
from conformance.tests import reference_site as sites
from conformance.tests.own_library import conformance, make_library

HOLDS, FALSE = "mylib.flat/contiguous-shares-storage", "mylib.flat/copies-otherwise"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library of the example, with the results of its claims in a folder ``results``."""
    folder = make_library(tmp_path_factory.mktemp("own"))
    ran = conformance(folder, "run", "claims", "--results=results")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "result file: results/torch-" in ran.stdout
    return folder


def result_file(library: Path) -> Path:
    [path] = (library / "results").glob("torch-*.jsonl")
    return path


def test_a_result_file_is_written_for_any_specs(library: Path) -> None:
    results = load_results(result_file(library))
    assert {name: entry.verdict for name, entry in results.claims.items()} == {HOLDS: "holds", FALSE: "refuted"}
    assert results.corpus == load_corpus([library / "claims"])[0].revision()


@pytest.mark.parametrize("specs", [["more"], []])
def test_a_file_with_other_claims_is_not_replaced(library: Path, specs: list[str]) -> None:
    (library / "more").mkdir(exist_ok=True)
    text = (library / "claims" / "flat.yaml").read_text(encoding="utf-8").replace("mylib.flat\n", "torch.flatten\n", 1)
    (library / "more" / "flatten.yaml").write_text(text, encoding="utf-8")
    before = result_file(library).read_bytes()
    ran = conformance(library, "run", *specs, "--results=results")
    assert ran.returncode == 2
    assert f"has 2 claims that these specs do not have, such as {HOLDS}; give another folder" in ran.stderr
    assert "holds" not in ran.stdout
    assert result_file(library).read_bytes() == before


@pytest.mark.parametrize("more", [[], ["--record"]])
def test_claims_of_ones_own_are_measured_again_since_the_library_may_have_changed(
    library: Path, tmp_path: Path, more: list[str]
) -> None:
    changed = Path(shutil.copytree(library, tmp_path / "changed"))
    text = (changed / "mylib.py").read_text(encoding="utf-8")
    (changed / "mylib.py").write_text(text.replace("x.reshape(-1)", "x.reshape(-1).clone()"), encoding="utf-8")
    conformance(changed, "run", "claims", "--results=results", *more)
    entries = load_results(result_file(changed)).claims
    assert (entries[HOLDS].verdict, entries[FALSE].verdict) == ("refuted", "holds")


def test_show_has_them_beside_the_corpus(library: Path) -> None:
    shown = conformance(library, "show", "mylib.flat", "--specs", "claims", "--results", "results").stdout
    assert shown == (
        "mylib.flat\n"
        f"  NO!         The result is a copy of an input that is not contiguous [{FALSE}]\n"
        "  claims      1 holds (--all lists them)\n"
    )
    claim = conformance(library, "show", FALSE, "--specs", "claims", "--results", "results").stdout
    assert "assert not shares_storage(y, x)" in claim
    both = conformance(library, "show", "clone", "--specs", "claims", "--results", "results").stdout
    assert both.startswith("torch.Tensor.clone ")
    assert "all 22" in both


def test_a_name_of_no_torch_says_how_to_show_it(library: Path) -> None:
    shown = conformance(library, "show", "mylib.flat").stdout
    assert shown.startswith("no name 'mylib.flat'; shown is torch.")
    assert shown.partition("\n")[0].endswith("; --specs PATH shows claims of your own")


def test_merge_joins_them_with_the_corpus(library: Path, tmp_path: Path) -> None:
    own = load_results(result_file(library))
    corpus = stored_results(recorded_folder())["torch-2.13.0-cpu"]
    save_results(replace(corpus, environment=own.environment), tmp_path / "torch-corpus.jsonl")
    merged = conformance(library, "merge", "results", str(tmp_path), "--output", str(tmp_path / "all"))
    assert merged.returncode == 0, merged.stderr
    [path] = (tmp_path / "all").glob("*.jsonl")
    assert set(load_results(path).claims) == {*own.claims, *corpus.claims}
    shown = conformance(library, "show", HOLDS, "--specs", "claims", "--results", str(tmp_path / "all")).stdout
    assert "\n  yes 2" in shown or "\n  yes 1" in shown


@pytest.fixture
def releases(library: Path, tmp_path: Path) -> Path:
    """A folder of results in which a claim of one's own is true on torch 2.12.1 and false on 2.15.0."""
    results = load_results(result_file(library))
    verdicts: dict[str, Verdict] = {"2.12.1": "holds", "2.15.0": "refuted"}
    for torch, verdict in verdicts.items():
        entries = {FALSE: replace(results.claims[FALSE], verdict=verdict)}
        measured = replace(results, environment=replace(results.environment, torch=torch), claims=entries)
        save_results(measured, tmp_path / "releases" / f"{measured.name}.jsonl")
    return tmp_path / "releases"


@pytest.mark.parametrize("more", [(), ("--uses", "mylib.py")])
def test_upgrade_tells_them_beside_the_corpus(library: Path, releases: Path, more: tuple[str, ...]) -> None:
    arguments = ("2.12", "2.15", "--specs", "claims", "--results", str(releases), "--all", *more)
    ran = conformance(library, "upgrade", *arguments)
    assert ran.returncode in (0, 3), ran.stderr
    assert "The result is a copy of an input that is not contiguous" in ran.stdout
    assert "reference/mylib" not in ran.stdout
    assert ("torch.cuda" in ran.stdout) is not bool(more)


def test_upgrade_says_which_release_is_missing_of_them(library: Path) -> None:
    ran = conformance(library, "upgrade", "2.12", "2.15", "--specs", "claims", "--results", "results", "--brief")
    assert ran.returncode == 0
    assert "claims is not compared: torch 2.12 is not recorded (recorded: " in ran.stdout
    assert "measure it with: conformance run claims --results=results" in ran.stdout


def test_upgrade_asks_for_their_results(library: Path) -> None:
    ran = conformance(library, "upgrade", "2.12", "2.15", "--specs", "claims")
    assert ran.returncode == 2
    assert (
        "--specs needs --results=DIR, the folder of their results; conformance run claims --results=DIR" in ran.stderr
    )


def test_pages_have_them_beside_the_corpus(library: Path, tmp_path: Path) -> None:
    pytest.importorskip("furo", reason="the reference is built where the theme is installed")
    own = load_results(result_file(library)).environment.torch
    folder = sites.write_source(tmp_path / "site", [sites.results("1.9.0"), sites.results(own)])
    with (folder / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write(f"conformance_spec = [{str(sites.SPEC)!r}, {str(library / 'claims')!r}]\n")
        conf.write(f"conformance_results = ['results', {str(library / 'results')!r}]\n")
    (folder / "timings.rst").unlink()
    index = (folder / "index.rst").read_text(encoding="utf-8").replace("   timings\n", "")
    (folder / "index.rst").write_text(index, encoding="utf-8")
    site = sites.build(folder)
    page = sites.text_of(site.page("reference/mylib.flat"))
    assert "in no recorded release" not in page
    assert f"Refuted on torch {own} (cpu)" in page
    assert "docs.pytorch.org/docs/stable/generated/mylib" not in site.page("reference/mylib.flat")
    assert "holds" in site.section("reference/mylib.flat", "contiguous-shares-storage")
    assert f"{own} □" not in site.section("reference/mylib.flat", "contiguous-shares-storage")
    assert "holds" in site.section("reference/torch.Tensor.detach", "shares-storage")
