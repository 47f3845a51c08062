"""The recorded names agree with what is known of the releases of torch."""

from __future__ import annotations

import re
import subprocess
import sys
import time

import pytest

from conformance.base.recorded_folder import recorded_folder
from conformance.base.release_spans import as_version, minor
from conformance.lab.names.summary import summary_lines
from conformance.names.lookup import Names
from conformance.names.model import Found, Gone, Never, NotMeasured, NotYet
from conformance.names.signatures import compare_parameters
from conformance.names.store import file_name
from conformance.results.record import stored_results

FOLDER = recorded_folder() / "names"


@pytest.fixture(scope="module")
def names() -> Names:
    return Names()


def test_every_release_with_results_has_its_names(names: Names) -> None:
    measured = [results.environment.torch for results in stored_results(recorded_folder()).values()]
    assert list(names.releases) == sorted(set(measured), key=as_version)


@pytest.mark.parametrize(
    ("name", "since", "replacement"),
    [
        ("torch.symeig", "2.0", "torch.linalg.eigh"),
        ("torch.Tensor.symeig", "2.0", "torch.linalg.eigh"),
        ("torch.eig", "1.13", "torch.linalg.eig"),
        ("torch.lstsq", "1.13", "torch.linalg.lstsq"),
        ("torch.matrix_rank", "1.13", "torch.linalg.matrix_rank"),
        ("torch.solve", "1.12", "torch.linalg.solve"),
        ("torch.Tensor.solve", "1.12", "torch.linalg.solve"),
        ("torch.qr", "2.14", "torch.linalg.qr"),
        ("torch.Tensor.qr", "2.14", "torch.linalg.qr"),
        ("torch.cholesky", "2.14", "torch.linalg.cholesky"),
        ("torch.set_deterministic", "1.10", "torch.use_deterministic_algorithms"),
        ("torch._six.container_abcs", "1.9", "collections.abc"),
        ("torch._six", "2.0", None),
        ("torch._six.string_classes", "2.0", None),
        ("torch.utils.ffi", "1.8", None),
    ],
)
def test_removed_names_are_gone_since_their_release(
    names: Names, name: str, since: str, replacement: str | None
) -> None:
    answer = names.lookup(name, names.releases[-1])
    assert isinstance(answer, Gone)
    assert answer.since == since
    assert replacement is None or replacement in answer.replacements


def test_a_removed_name_is_said_as_show_says_it(names: Names) -> None:
    told = "torch.symeig: gone since 2.0; use torch.linalg.eigvalsh or torch.linalg.eigh"
    assert summary_lines(names, "torch.symeig")[0] == told


def test_a_name_removed_before_the_first_release_is_in_none(names: Names) -> None:
    assert names.lookup("torch.gels", "2.4") == Never("torch.gels")


@pytest.mark.parametrize(
    ("name", "since"),
    [
        ("torch.concat", "1.10"),
        ("torch.testing.assert_close", "1.9"),
        ("torch.inference_mode", "1.9"),
        ("torch.compile", "2.0"),
        ("torch.vmap", "2.0"),
        ("torch.set_default_device", "2.0"),
        ("torch.optim.lr_scheduler.LRScheduler", "2.0"),
        ("torch.nn.functional.scaled_dot_product_attention", "2.0"),
        ("torch.Tensor.untyped_storage", "2.0"),
        ("torch.nn.utils.parametrizations.weight_norm", "2.1"),
        ("torch.nn.RMSNorm", "2.4"),
        ("torch.amp.custom_fwd", "2.4"),
    ],
)
def test_new_names_are_there_since_their_release(names: Names, name: str, since: str) -> None:
    assert names.lookup(name, "1.8") == NotYet(name, since)
    assert isinstance(names.lookup(name, since), Found)


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("torch.nn.Linear", "torch.nn.modules.linear.Linear"),
        ("torch.nn.Linear.forward", "torch.nn.modules.linear.Linear.forward"),
        ("torch.nn.Linear.in_features", "torch.nn.modules.linear.Linear.in_features"),
        ("torch.nn.Linear.register_full_backward_hook", "torch.nn.modules.module.Module.register_full_backward_hook"),
        ("torch.nn.functional.relu", "torch.nn.functional.relu"),
        ("torch.relu", "torch.relu"),
        ("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"),
        ("torch.Size.count", "torch.Size.count"),
        ("torch.optim.Adam.param_groups", "torch.optim.optimizer.Optimizer.param_groups"),
        ("torch.optim.lr_scheduler._LRScheduler", "torch.optim.lr_scheduler._LRScheduler"),
    ],
)
def test_names_of_every_release_have_one_place(names: Names, name: str, canonical: str) -> None:
    for release in names.releases:
        answer = names.lookup(name, release)
        assert isinstance(answer, Found), release
        assert answer.canonical == canonical


def test_a_member_is_found_behind_aliases_and_bases_in_deep_modules(names: Names) -> None:
    assert isinstance(names.lookup("torch.quantization.observer.HistogramObserver.to", "2.4"), Found)


def test_an_alias_and_a_function_of_that_name_are_told_apart(names: Names) -> None:
    assert names.lookup("torch.nn.functional.relu", "2.4") != names.lookup("torch.relu", "2.4")
    layer, other = (names.lookup(name, "2.4") for name in ("torch.nn.Linear", "torch.nn.modules.linear.Linear"))
    assert isinstance(layer, Found)
    assert isinstance(other, Found)
    assert (layer.canonical, layer.record) == (other.canonical, other.record)


@pytest.mark.parametrize(
    ("name", "change", "release"),
    [
        ("torch.load", ("weights_only", "added"), "1.13"),
        ("torch.load", ("weights_only", "default"), "2.4"),
        ("torch.nn.Module.load_state_dict", ("assign", "added"), "2.1"),
        ("torch.nn.Module.register_full_backward_hook", ("prepend", "added"), "2.0"),
        ("torch.nn.Linear", ("device", "added"), "1.9"),
        ("torch.onnx.export", ("export_raw_ir", "removed"), "1.10"),
        ("torch.optim.lr_scheduler.StepLR", ("verbose", "removed"), "2.7"),
    ],
)
def test_parameters_changed_in_their_release(names: Names, name: str, change: tuple[str, str], release: str) -> None:
    releases = [minor(item) for item in names.releases]
    before, after = (names.lookup(name, item) for item in (releases[releases.index(release) - 1], release))
    assert isinstance(before, Found)
    assert isinstance(after, Found)
    assert change in [(item.parameter, item.what) for item in compare_parameters(before.record, after.record)]


@pytest.mark.parametrize(
    ("name", "warns", "since", "replacement"),
    [
        ("torch.cuda.amp.autocast", True, "2.4", "torch.amp.autocast"),
        ("torch.cuda.amp.GradScaler", True, "2.4", "torch.amp.GradScaler"),
        ("torch.range", False, "1.8", "torch.arange"),
        ("torch.ger", False, "1.8", "torch.outer"),
        ("torch.norm", False, "1.8", "torch.linalg.vector_norm"),
        ("torch.nn.init.xavier_uniform", True, "1.8", "torch.nn.init.xavier_uniform_"),
        ("torch.testing.assert_allclose", True, "1.12", "torch.testing.assert_close"),
        ("torch.jit.script", True, "2.10", "torch.compile"),
        ("torch.lu_solve", False, "1.13", "torch.linalg.lu_solve"),
    ],
)
def test_deprecations_began_in_their_release(
    names: Names, name: str, warns: bool, since: str, replacement: str
) -> None:
    deprecated = {}
    for release in names.releases:
        answer = names.lookup(name, release)
        assert isinstance(answer, Found)
        if answer.record.deprecated:
            deprecated[release] = answer.record
    first = next(iter(deprecated))
    assert first.startswith(f"{since}.")
    assert all(bool(record.warns) == warns for record in deprecated.values())
    last = deprecated[names.releases[-1]]
    assert replacement in names.replacements(last.deprecated, name, names.releases[-1])


@pytest.mark.parametrize("name", ["torch.stft", "torch.nn.BCELoss", "torch.Tensor.T", "torch.add", "torch.nn.Linear"])
def test_what_is_only_deprecated_in_part_is_not_deprecated(names: Names, name: str) -> None:
    for release in names.releases:
        answer = names.lookup(name, release)
        assert isinstance(answer, Found)
        assert not answer.record.deprecated, release


@pytest.mark.parametrize(
    ("name", "reason"),
    [("torch.ops.aten.add", "torch.ops"), ("torch._inductor.config.nothing", "deep inside torch")],
)
def test_what_is_not_recorded_is_not_said_to_be_missing(names: Names, name: str, reason: str) -> None:
    answer = names.lookup(name, "2.4")
    assert isinstance(answer, NotMeasured)
    assert reason in answer.reason


@pytest.mark.parametrize("name", ["torch.utils.tensorboard.SummaryWriter", "torch.utils.cpp_extension.CppExtension"])
def test_popular_modules_with_needs_are_measured_everywhere(names: Names, name: str) -> None:
    for release in names.releases:
        assert isinstance(names.lookup(name, release), Found), release


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("torch.nn.Linaer", "torch.nn.Linear"),
        ("torch.rfft", "torch.fft.rfft"),
        ("torch.nn.Sofmax", "torch.nn.Softmax"),
        ("torch.lingalg.eigh", "torch.linalg.eigh"),
        ("torch.linlag.solve", "torch.linalg.solve"),
        ("torch.nn.functional.sofmax", "torch.nn.functional.softmax"),
        ("Tensor.reshpe", "torch.Tensor.reshape"),
    ],
)
def test_suggestions_are_names_that_people_meant(names: Names, asked: str, meant: str) -> None:
    assert meant in names.suggest(asked)


def test_what_is_far_from_the_best_suggestion_is_left_out(names: Names) -> None:
    assert names.suggest("torch.reshpe") == ("torch.reshape",)


def test_an_upgrade_over_all_releases_lists_the_removed_functions(names: Names) -> None:
    gone = {change.name for change in names.compare("1.8", names.releases[-1]) if _is_gone(change.after)}
    assert {"torch.symeig", "torch.solve", "torch.lstsq", "torch.set_deterministic"} <= gone
    assert not {"torch.add", "torch.nn.Linear", "torch.nn.Linear.forward"} & gone


def _is_gone(record: object) -> bool:
    return record is None or bool(getattr(record, "removed", ""))


def test_a_name_is_looked_up_in_a_tenth_of_a_second_without_torch() -> None:
    code = (
        "import sys, time; sys.modules['torch'] = None\n"
        "from conformance.names.lookup import Names\n"
        "begun = time.process_time()\n"
        "print(Names().lookup('torch.Tensor.symeig', '2.15'))\n"
        "print(time.process_time() - begun)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    answer, seconds = ran.stdout.splitlines()
    assert answer.startswith("Gone(")
    assert float(seconds) < 0.1


def test_suggestions_take_less_than_two_seconds() -> None:
    begun = time.process_time()
    assert Names().suggest("torch.nn.Linaer")
    assert time.process_time() - begun < 2


def test_the_files_are_small_and_hold_nothing_of_the_machine() -> None:
    files = sorted(FOLDER.glob("*.txt"))
    assert sum(path.stat().st_size for path in files) < 5e6
    machine = re.compile(r"0x[0-9a-f]{6,}|/(tmp|home|root|usr|opt)/|site-packages")
    for path in files:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            assert not machine.search(line), f"{path.name}:{number}: {line[:200]}"


def test_each_module_is_in_the_file_of_its_top_level_module() -> None:
    for path in FOLDER.glob("*.txt"):
        modules = re.findall(r"^== (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert {file_name(module) for module in modules} == {path.name}
        assert modules == sorted(modules)
