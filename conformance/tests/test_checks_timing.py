"""What is timed, how two kernels compare, and how a claim about it is judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.__main__ import main
from conformance.checks import vocabulary
from conformance.results.store import load_results
from conformance.tests.conftest import HEADER, claim_text
from conformance.tests.test_scripts_plain_checks import plain

timed = vocabulary()["timed"]
KERNELS = {"once": "x + 1", "often": "for _ in range(50): x + 1"}


def timing_claim(identity: str, rest: str) -> str:
    program = f'do: |\n  ratio = timed("x = torch.ones(n)", {KERNELS}, [1, 8])\n'
    return claim_text(program + rest, identity=identity).replace("family: values", "family: timing")


CLAIMS = {
    "holds": "expect: min(ratio('often', 'once')) > 1\n",
    "refuted": "expect: max(ratio('often', 'once')) < 1\n",
    "unspecified": "expect: max(ratio('often', 'once')) < 1\nguarantee: unspecified\n",
    **{
        verdict: f"expect: {expected}\ndiverges:\n- kind: docs-wrong\n  note: It takes longer.\n  link: none-filed\n"
        f"  instead:\n    expect: {instead}\n"
        for verdict, expected, instead in (
            ("diverges", "max(ratio('often', 'once')) < 1", "min(ratio('often', 'once')) > 2"),
            ("diverges-differently", "max(ratio('often', 'once')) < 1", "min(ratio('often', 'once')) > 9999"),
            ("unexpected-pass", "min(ratio('often', 'once')) > 1", "min(ratio('often', 'once')) > 2"),
        )
    },
}


def test_kernels_are_compared_for_each_size() -> None:
    ratio = timed("x = torch.ones(n)", KERNELS, [1, 8])
    assert min(ratio("often", "once")) > 5
    assert max(ratio("once", "often")) < 1
    assert ratio("often", "once") == timed("x = torch.ones(n)", KERNELS, [1, 8])("often", "once")
    assert ratio.sizes == (1, 8)


def test_the_short_form_compares_them_too() -> None:
    ratio = plain("timed")("x = torch.ones(n)", KERNELS, [1, 8])
    assert min(ratio("often", "once")) > 5


def run(folder: Path, text: str, capfd: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    spec = folder / "timed.yaml"
    spec.write_text(HEADER + text, encoding="utf-8")
    status = main(["run", *options, str(spec)])
    told = capfd.readouterr()
    return status, told.out + told.err


@pytest.mark.parametrize(
    ("setup", "kernels", "sizes"),
    [
        ("x = torch.ones(n)", {"a": "x + 1"}, [1]),
        ("x = torch.ones(n)", KERNELS, []),
        ("x = torch.ones(n)", KERNELS, [0, 1]),
        ("x = torch.ones(n)", KERNELS, [8, 1]),
        ("x = torch.ones(9)", KERNELS, [1, 8]),
    ],
)
def test_ratios_that_would_say_nothing_are_an_error(setup: str, kernels: dict[str, str], sizes: list[int]) -> None:
    with pytest.raises(ValueError, match="needs two kernels or more, increasing sizes"):
        timed(setup, kernels, sizes)


def test_timing_claims_are_judged_by_ratios(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = "".join(timing_claim(*claim) for claim in CLAIMS.items())
    status, told = run(tmp_path, text, capfd, "--timings", f"--results={tmp_path / 'out'}")
    assert status == 0
    assert all(f"  torch.Tensor.detach/{name}: {name}\n" in told for name in CLAIMS)
    assert told.count("    once                           1.0       1.0\n") == len(CLAIMS)
    [written] = (tmp_path / "out" / "timings").glob("torch-*.jsonl")
    assert len(load_results(written).claims) == len(CLAIMS)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("x + 1", "y + 1", "do: NameError: name 'y' is not defined"),
        ("x + 1", "x.plus(1)", "raised AttributeError: 'Tensor' object has no attribute 'plus'"),
        ("'once')", "'ones')", "expect[0]: no kernel is called 'ones'; they are"),
    ],
)
def test_a_claim_that_can_not_be_timed_is_an_error(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], old: str, new: str, why: str
) -> None:
    text = timing_claim("broken", CLAIMS["holds"]).replace(old, new)
    status, told = run(tmp_path, text, capfd, "--timings")
    assert status == 1
    assert "timed.yaml::torch.Tensor.detach/broken[cpu]" in told
    assert why in told


def test_fresh_memory_is_not_filled_where_times_are_measured(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    expected = "expect: os.environ['GLIBC_TUNABLES'].endswith('perturb=0') and min(ratio('often', 'once')) > 0\n"
    text = timing_claim("plain", expected).replace("do: |\n", "do: |\n      import os\n")
    status, told = run(tmp_path, text, capfd, "--timings")
    assert status == 0
    assert "torch.Tensor.detach/plain: holds" in told


def test_a_run_says_that_it_leaves_them_out(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, told = run(tmp_path, timing_claim("holds", CLAIMS["holds"]), capfd)
    assert status == 0
    assert "1 timing claim left out; conformance run --timings measures them" in told


def test_where_nothing_can_be_timed_it_is_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, told = run(tmp_path, claim_text("do: y = torch.ones(2)\nexpect: y.is_leaf"), capfd, "--timings")
    assert status == 2
    assert "no claim matches" in told


def test_all_timing_claims_of_the_corpus_make_a_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--timings", f"--results={tmp_path}"]) == 0
    assert f"result file: {tmp_path / 'timings'}" in capfd.readouterr().out
    [written] = (tmp_path / "timings").glob("torch-*.jsonl")
    results = load_results(written)
    assert results.environment.processor
    assert all(entry.kernels and entry.sizes for entry in results.claims.values())
    assert len(results.claims) == 2
