"""The words of the language, read from source without importing it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.language.vocabulary import checks, dtype_classes, input_kinds
from conformance.names.signatures import default_of


def package(folder: Path, **modules: str) -> Path:
    path = folder / "pack" / "words"
    path.mkdir(parents=True)
    for name, text in modules.items():
        (path / f"{name}.py").write_text(text)
    return path


def test_decorated_functions_are_entries(tmp_path: Path) -> None:
    path = package(
        tmp_path,
        one='@check\ndef same(a: "Tensor", b=1, *more, exact: bool = True, **rest):\n'
        '    """True when\n    same.\n\n    More."""\n'
        "def not_one(): pass\n",
        two="import registry\n@registry.check\ndef other(): pass\n@check(family='x')\ndef third(a, *, b): pass\n",
        broken="raise SystemExit('imported')\n",
    )
    found = checks(path)
    assert list(found) == ["other", "same", "third"]
    same = found["same"]
    assert same.signature == "same(a, b=1, *more, exact=True, **rest)"
    assert same.summary == "True when same."
    assert same.doc == "True when\nsame.\n\nMore."
    assert [(each.name, each.kind.name, default_of(each)) for each in same.parameters] == [
        ("a", "POSITIONAL_OR_KEYWORD", None),
        ("b", "POSITIONAL_OR_KEYWORD", "1"),
        ("more", "VAR_POSITIONAL", None),
        ("exact", "KEYWORD_ONLY", "True"),
        ("rest", "VAR_KEYWORD", None),
    ]
    assert found["third"].signature == "third(a, *, b)"


def test_dtype_classes_are_the_keys_of_a_constant(tmp_path: Path) -> None:
    path = package(tmp_path, dtypes="from x import y\nDTYPE_CLASSES: dict = {'floating': y, 'complex': y}\n")
    assert dtype_classes(path) == ("floating", "complex")


def test_dtype_classes_that_can_not_be_read_are_an_error(tmp_path: Path) -> None:
    path = package(tmp_path, dtypes="DTYPE_CLASSES = dict(floating=1)\n")
    with pytest.raises(ValueError, match="DTYPE_CLASSES"):
        dtype_classes(path)


def test_a_folder_that_is_not_there_has_no_words(tmp_path: Path) -> None:
    assert (checks(tmp_path / "no"), input_kinds(tmp_path / "no"), dtype_classes(tmp_path / "no")) == ({}, {}, ())


def test_the_projects_own_words_are_found_and_documented() -> None:
    assert {"shares_storage", "sees_writes", "equal", "same_object"} <= set(checks())
    assert {"tensor", "array", "dim_of", "one_of"} <= set(input_kinds())
    assert {"floating", "complex", "integral", "boolean", "differentiable"} <= set(dtype_classes())
    for entry in [*checks().values(), *input_kinds().values()]:
        assert entry.summary, entry.name


def test_no_part_of_the_language_imports_torch() -> None:
    code = (
        "import sys\nfrom conformance.language import corpus, schema\n"
        "corpus.load_corpus([corpus.default_root()])\nschema.spec_schema()\n"
        "sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
    )
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, timeout=60, check=False).returncode == 0
