"""The list of checks."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import conformance.checks
from conformance.checks import NotJudged, check, vocabulary


def test_the_vocabulary_has_the_checks_by_name() -> None:
    names = vocabulary()
    assert list(names) == sorted(names)
    assert {"shares_storage", "sees_writes", "independent", "equal", "is_view_of", "grad_fn", "allocates"} <= set(names)
    for name, function in names.items():
        assert function.__name__ == name


def test_changing_the_answer_does_not_change_the_vocabulary() -> None:
    vocabulary().clear()
    assert vocabulary()


def test_a_name_is_taken_once() -> None:
    def equal(a: object, b: object) -> bool:
        return True

    with pytest.raises(ValueError, match="two checks are named equal"):
        check(equal)
    assert vocabulary()["equal"] is not equal


def test_not_judged_is_no_failure() -> None:
    assert not issubclass(NotJudged, AssertionError)


def test_every_check_is_documented() -> None:
    for name, function in vocabulary().items():
        doc = inspect.getdoc(function)
        assert doc is not None, name
        assert doc.startswith(("True when ", "Return ")), name
        assert "Parameters\n----------\n" in doc, name
        for parameter in inspect.signature(function).parameters:
            assert parameter in doc, (name, parameter)


def test_the_decorator_finds_the_same_checks_in_the_source() -> None:
    found = set()
    for path in Path(conformance.checks.__file__).parent.glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and any(
                isinstance(mark, ast.Name) and mark.id == "check" for mark in node.decorator_list
            ):
                found.add(node.name)
    assert found == set(vocabulary())
