"""What is timed, how two kernels compare, and how a claim about it is judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.checks import vocabulary
from conformance.cli import main
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


def test_timing_claims_are_judged_apart(tmp_path: Path) -> None:
    spec = tmp_path / "timed.yaml"
    spec.write_text(HEADER + "".join(timing_claim(*claim) for claim in CLAIMS.items()), encoding="utf-8")
    assert main(["run", "--timings", f"--results={tmp_path}", str(spec)]) == 0
    [written] = (tmp_path / "timings").iterdir()
    entries = load_results(written).claims
    assert {name.split("/")[1]: entry.verdict for name, entry in entries.items()} == {name: name for name in CLAIMS}
    assert all(set(entry.kernels) == set(KERNELS) and entry.sizes == (1, 8) for entry in entries.values())


def test_a_program_that_fails_is_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "timed.yaml"
    spec.write_text(HEADER + timing_claim("broken", CLAIMS["holds"]).replace("[1, 8]", "[]"), encoding="utf-8")
    assert main(["run", "--timings", str(spec)]) == 0
    assert "broken: refuted" in capfd.readouterr().out
