"""What is said of a name in a release: found, gone, not there yet, never there, or not known."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.lab.names.record import record
from conformance.lab.names.summary import summary_lines
from conformance.names.answers import describe, differences
from conformance.names.lookup import Names, UnknownRelease
from conformance.names.model import Found, Gone, MeasuredNames, NameRecord, Never, NotMeasured, NotYet, Section
from conformance.names.replacements import find_replacements, without_gaps
from conformance.names.signatures import ParameterChange, compare_parameters, parse_signature

MODULE = NameRecord("module")


def function(*signatures: str, deprecated: str = "", warns: str = "", removed: str = "") -> NameRecord:
    return NameRecord("function", "", signatures, "inspect", (), removed, deprecated, warns)


def alias(target: str) -> NameRecord:
    return NameRecord("alias", target)


OLD: dict[str, Section] = {
    "torch": {
        "": MODULE,
        "add": function("(input, other)"),
        "solve": function("(input, A)", deprecated="torch.solve is deprecated in favor of torch.linalg.solve."),
        "symeig": function("(input)"),
        "Tensor": NameRecord("class", bases=("torch._C.TensorBase",)),
        "Size": NameRecord("class", bases=("builtins.tuple",)),
        "Odd": NameRecord("class", bases=("somewhere.Else",)),
        "float32": NameRecord("constant", "torch.dtype"),
        "dtype": NameRecord("class"),
        "dtype.is_complex": NameRecord("property"),
        "ops": NameRecord("module"),
        "circle": alias("torch.circle"),
    },
    "torch._C": {
        "": MODULE,
        "TensorBase": NameRecord("class"),
        "TensorBase.view": NameRecord("method", signatures=("(self, *size)",), origin="stub"),
    },
    "torch.nn": {"": MODULE, "Linear": alias("torch.nn.linear.Linear")},
    "torch.nn.linear": {"": MODULE, "Linear": NameRecord("class"), "Linear.forward": function("(self, input)")},
    "torch._six": {"": MODULE, "container_abcs": NameRecord("external", "collections.abc")},
    "torch.tensorboard": {"": NameRecord("module", error="ModuleNotFoundError: No module named 'tensorboard'")},
    "torch.variable": {"": MODULE, "Variable": NameRecord("class")},
    "torch._deep": {"": MODULE},
    "torch._deep.inside": {"": MODULE, "Kept": NameRecord("class")},
}
MESSAGE = "This function is now removed. L = torch.symeig(A) should be replaced with: L = torch.linalg.eigh(A)"
NEW: dict[str, Section] = {
    **{module: section for module, section in OLD.items() if module not in ("torch._six", "torch.nn.linear")},
    "torch": {
        **{name: item for name, item in OLD["torch"].items() if name != "solve"},
        "add": function("(input, other, *, alpha=1)"),
        "symeig": alias("torch._old.symeig"),
        "compile": function("(model)"),
        "tensor": function("(data)"),
        "variable": function("(x)", deprecated="use torch.tensor", warns="FutureWarning"),
    },
    "torch.linalg": {"": MODULE, "eigh": function("(A)"), "solve": function("(A, B)")},
    "torch._old": {"": MODULE, "symeig": function("(input)", removed=MESSAGE)},
    "torch.nn": {"": MODULE, "Linear": alias("torch.nn.modules.linear.Linear")},
    "torch.nn.modules": {"": MODULE},
    "torch.nn.modules.linear": {
        "": MODULE,
        "Linear": NameRecord("class", bases=("torch.nn.modules.linear.Module",)),
        "Module": NameRecord("class"),
        "Module.forward": function("(self, input)"),
    },
}


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Names:
    folder = tmp_path_factory.mktemp("names")
    record(
        [
            MeasuredNames("1.13.1", "3.10", OLD),
            MeasuredNames("2.0.1", "3.11", NEW),
            MeasuredNames("2.1.2", "3.11", NEW),
        ],
        folder,
    )
    return Names(folder)


@pytest.mark.parametrize(
    ("name", "release", "canonical"),
    [
        ("torch.add", "1.13.1", "torch.add"),
        ("nn.Linear", "1.13", "torch.nn.linear.Linear"),
        ("torch.nn.Linear", "2.0.1", "torch.nn.modules.linear.Linear"),
        ("torch.nn.Linear.forward", "2.1", "torch.nn.modules.linear.Module.forward"),
        ("torch.Tensor.view", "2.0", "torch._C.TensorBase.view"),
        ("torch.float32.is_complex", "2.0", "torch.dtype.is_complex"),
        ("torch.Size.count", "2.0", "torch.Size.count"),
        ("torch.nn", "2.0", "torch.nn"),
        ("torch.variable.Variable", "2.0", "torch.variable.Variable"),
        ("torch.variable", "2.0", "torch.variable"),
    ],
)
def test_a_name_is_found_through_aliases_bases_and_types(names: Names, name: str, release: str, canonical: str) -> None:
    answer = names.lookup(name, release)
    assert isinstance(answer, Found)
    assert answer.canonical == canonical


def test_a_name_that_is_not_there_any_more_is_gone_since_the_first_release_without_it(names: Names) -> None:
    message = "torch.solve is deprecated in favor of torch.linalg.solve."
    assert names.lookup("torch.solve", "2.1.2") == Gone("torch.solve", "2.0", message, ("torch.linalg.solve",))


def test_a_callable_that_only_raises_is_gone(names: Names) -> None:
    assert names.lookup("torch.symeig", "2.1.2") == Gone("torch.symeig", "2.0", MESSAGE, ("torch.linalg.eigh",))


def test_what_came_from_elsewhere_is_replaced_by_its_owner(names: Names) -> None:
    answer = names.lookup("torch._six.container_abcs", "2.0")
    assert isinstance(answer, Gone)
    assert answer.replacements == ("collections.abc",)


def test_a_later_name_is_not_there_yet(names: Names) -> None:
    assert names.lookup("torch.compile", "1.13.1") == NotYet("torch.compile", "2.0")


def test_a_name_of_no_release_is_never_there(names: Names) -> None:
    assert names.lookup("torch.nn.Linaer", "2.0") == Never("torch.nn.Linaer")
    assert names.lookup("torch.Size.nothing", "2.0") == Never("torch.Size.nothing")
    assert names.lookup("torch.circle", "2.0") == Never("torch.circle")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("torch.tensorboard.SummaryWriter", "No module named 'tensorboard'"),
        ("torch.ops.aten.add", "torch.ops is a module; what is in it is not recorded"),
        ("torch.Odd.thing", "inherits from somewhere.Else"),
        ("torch._deep.inside.other", "deep inside torch"),
        ("torch._deep.inside.Kept.run", "members are not recorded"),
        ("torch.add.something", "torch.add is a function"),
    ],
)
def test_what_was_not_looked_at_is_not_said_to_be_missing(names: Names, name: str, reason: str) -> None:
    answer = names.lookup(name, "2.0")
    assert isinstance(answer, NotMeasured)
    assert reason in answer.reason


def test_a_release_that_is_not_recorded_is_named_with_those_that_are(names: Names) -> None:
    with pytest.raises(UnknownRelease, match=r"torch 1\.12\.0 .* 1\.13\.1, 2\.0\.1, 2\.1\.2"):
        names.lookup("torch.add", "1.12.0")


def test_history_joins_releases_with_the_same_answer(names: Names) -> None:
    spans = names.history("torch.nn.Linear.forward")
    assert [span.releases for span in spans] == [("1.13.1", "2.0.1", "2.1.2")]
    spans = names.history("torch.symeig")
    assert [(span.releases, type(span.answer)) for span in spans] == [(("1.13.1",), Found), (("2.0.1", "2.1.2"), Gone)]


def test_compare_tells_what_is_gone_new_or_another_and_nothing_else(names: Names) -> None:
    changes = {change.name: change for change in names.compare("1.13", "2.0")}
    assert sorted(changes) == [
        "torch.add",
        "torch.compile",
        "torch.linalg",
        "torch.linalg.eigh",
        "torch.linalg.solve",
        "torch.nn.linear",
        "torch.nn.linear.Linear",
        "torch.nn.linear.Linear.forward",
        "torch.nn.modules",
        "torch.nn.modules.linear",
        "torch.nn.modules.linear.Linear",
        "torch.nn.modules.linear.Module",
        "torch.nn.modules.linear.Module.forward",
        "torch.solve",
        "torch.symeig",
        "torch.tensor",
        "torch.variable",
    ]
    assert changes["torch.solve"].after is None
    assert changes["torch.compile"].before is None
    assert names.compare("2.0", "2.1") == ()
    assert {change.name for change in names.compare("1.13", "2.0", under="torch.nn.Linear")} == set()


@pytest.mark.parametrize(
    ("asked", "meant"),
    [("torch.nn.Linaer", "torch.nn.Linear"), ("torch.symeigh", "torch.symeig"), ("linear", "torch.nn.Linear")],
)
def test_suggestions_are_names_that_people_meant(names: Names, asked: str, meant: str) -> None:
    assert meant in names.suggest(asked)


@pytest.mark.parametrize(
    ("message", "name", "replacements"),
    [
        (
            "Please use the `torch.linalg.matrix_rank` function instead.",
            "torch.matrix_rank",
            ("torch.linalg.matrix_rank",),
        ),
        (
            "`nn.init.normal` is now deprecated in favor of `nn.init.normal_`.",
            "torch.nn.init.normal",
            ("torch.nn.init.normal_",),
        ),
        ("deprecated in favor of :func:`torch.a` and :func:`torch.b`.", "torch.c", ("torch.a", "torch.b")),
        ("`cuda_time` is deprecated, please use `device_time` instead.", "torch.F.cuda_time", ("torch.F.device_time",)),
        (
            "Please use `torch.amp.autocast('cuda', args...)` instead.",
            "torch.cuda.amp.autocast",
            ("torch.amp.autocast",),
        ),
        (
            "L, _ = torch.symeig(A) should be replaced with:\nL = torch.linalg.eigh(A)",
            "torch.symeig",
            ("torch.linalg.eigh",),
        ),
        ("Please use cpp extensions instead.", "torch.utils.ffi", ()),
        ("in favor of :ref:`torchrun <launcher-api>`.", "torch.distributed.launch", ()),
        ("If you must use it, please revisit our documentation", "torch.x", ()),
        ("should be replaced with: X = torch.linalg.s…", "torch.solve", ()),
    ],
)
def test_replacements_are_the_names_that_torch_gives(message: str, name: str, replacements: tuple[str, ...]) -> None:
    assert find_replacements(message, name) == replacements


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("torch.a.{…} is deprecated, use {…} instead.", "torch.a.B is deprecated."),
        ("'{…}.{…}' is deprecated. Please use `torch.c`.", "'torch.a.B' is deprecated. Please use `torch.c`."),
        ("{…} is deprecated! Use torch.c.", "B is deprecated! Use torch.c."),
        ("version 2 no longer uses function {…}", "version 2 no longer uses function B"),
        ("Choosing {…} is deprecated. Pass dim.", "Pass dim."),
        ("C.{…} is replaced by {…}.", "deprecated"),
        ("Use {this} or that.", "Use {this} or that."),
    ],
)
def test_a_message_is_told_without_its_gaps(message: str, told: str) -> None:
    assert without_gaps(message, "torch.a.B") == told


def test_a_message_of_a_constructor_names_the_class() -> None:
    assert without_gaps("{…} is deprecated!", "torch.a.B.__init__") == "B is deprecated!"


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("(a, b=1)", "(a)", [ParameterChange("b", "removed")]),
        ("(a)", "(a, b)", [ParameterChange("b", "required")]),
        ("(a)", "(a, *, b=None)", [ParameterChange("b", "added", after="None")]),
        ("(a, b=False)", "(a, b=True)", [ParameterChange("b", "default", "False", "True")]),
        ("(a, b=False)", "(a, b)", [ParameterChange("b", "required", before="False")]),
        ("(a, b=1)", "(a, *, b=1)", [ParameterChange("b", "keyword-only")]),
        (
            "(a, b=1, c=2)",
            "(a, c=2, b=1)",
            [ParameterChange("b", "moved", "2", "3"), ParameterChange("c", "moved", "3", "2")],
        ),
        ("(a, b=1)", "(a, **kwargs)", []),
        ("(a, **kwargs)", "(a, b=1, **kwargs)", [ParameterChange("b", "added", after="1")]),
        ("(a, b=...)", "(a, b=1)", []),
        ("(a -> nonsense", "(a)", []),
    ],
)
def test_parameters_are_compared_by_what_a_call_would_see(old: str, new: str, changes: list[ParameterChange]) -> None:
    assert list(compare_parameters(function(old), function(new))) == changes


@pytest.mark.parametrize("text", ["()", "(a, /, b, *, c=[1, 2], **rest)", "(self, *args, dim=-1)", "(a='x', b=...)"])
def test_a_signature_is_written_as_it_was_read(text: str) -> None:
    assert str(parse_signature(text)) == text


@pytest.mark.parametrize("text", ["(a, a)", "(a=1, b)", "(input -> Tensor)", "): pass\nclass C(object"])
def test_what_python_refuses_is_no_signature(text: str) -> None:
    assert parse_signature(text) is None


def test_a_parameter_is_accepted_where_one_of_the_signatures_has_it() -> None:
    old, new = function("(input)", "(input, dim)"), function("(input, dim, keepdim=False)")
    assert compare_parameters(old, new) == (ParameterChange("keepdim", "added", after="False"),)


def test_a_docstring_is_not_compared_with_a_signature() -> None:
    told = NameRecord("builtin", signatures=("(input)",), origin="doc")
    assert compare_parameters(told, function("(input, out)")) == ()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("torch.solve", [("gone", "2.0", ("torch.linalg.solve",))]),
        ("torch.symeig", [("gone", "2.0", ("torch.linalg.eigh",))]),
        ("torch.compile", [("new", "2.0", ())]),
        ("torch.add", []),
        ("torch.variable", [("warns", "2.0", ("torch.tensor",))]),
        ("torch.nn.Linear.forward", []),
        ("torch.nothing", []),
        ("torch.tensorboard.SummaryWriter", [("unknown", "2.1", ())]),
    ],
)
def test_differences_are_what_an_upgrade_has_to_say(
    names: Names, name: str, expected: list[tuple[str, str, tuple[str, ...]]]
) -> None:
    found = [(item.what, item.since, item.replacements) for item in differences(names, name, "1.13", "2.1")]
    assert found == expected


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("torch.symeig", ["torch.symeig: gone since 2.0; use torch.linalg.eigh", "  1.13         (input)"]),
        (
            "torch.add",
            ["torch.add: function", "  1.13         (input, other)", "  2.0 to 2.1   (input, other, *, alpha=1)"],
        ),
        ("torch.nothing", []),
        ("torch.compile", ["torch.compile: function, since 2.0", "  2.0 to 2.1   (model)"]),
        (
            "torch.variable",
            [
                "torch.variable: function; deprecated, seen since 2.0 (each call warns); use torch.tensor",
                "  2.0 to 2.1   (x)",
            ],
        ),
        ("nn.Linear", ["torch.nn.Linear: class", "  defined as torch.nn.modules.linear.Linear"]),
    ],
)
def test_a_summary_begins_with_what_the_name_is_today(names: Names, name: str, told: list[str]) -> None:
    assert summary_lines(names, name) == told


def test_a_summary_does_not_say_since_when_where_earlier_releases_are_unknown(tmp_path: Path) -> None:
    broken: dict[str, Section] = {"torch": {"": MODULE}, "torch.x": {"": NameRecord("module", error="ImportError: no")}}
    works: dict[str, Section] = {"torch": {"": MODULE}, "torch.x": {"": MODULE, "y": function("()")}}
    record(
        [
            MeasuredNames("1.8.1", "3.9", broken),
            MeasuredNames("1.9.0", "3.9", works),
            MeasuredNames("1.10.2", "3.9", broken),
        ],
        tmp_path,
    )
    names = Names(tmp_path)
    status = "function; in 1.10 not known: torch.x can't be imported where it was measured: ImportError: no"
    assert summary_lines(names, "torch.x.y")[0] == f"torch.x.y: {status}"
    assert summary_lines(names, "torch.x.z")  # no release could be looked at but one


def test_a_replacement_that_the_release_does_not_have_is_not_given(names: Names) -> None:
    assert names.replacements("use torch.linalg.eigh or torch.linalg.nothing", "torch.x", "2.0") == (
        "torch.linalg.eigh",
    )
    assert names.replacements("use torch.linalg.eigh", "torch.x", "1.13") == ()


def test_an_answer_is_one_line(names: Names) -> None:
    assert describe(names.lookup("torch.compile", "1.13")) == "new in 2.0"
    assert describe(names.lookup("torch.nothing", "1.13")) == "in no recorded release"
