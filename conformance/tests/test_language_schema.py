"""The JSON Schema for editors."""

from __future__ import annotations

from pathlib import Path

import fastjsonschema
import pytest
import yaml

from conformance.language.corpus import default_root, is_decision_file
from conformance.language.reading import (
    CLAIM_KEYS,
    COMPARE_KEYS,
    CONDITION_KEYS,
    DIVERGENCE_KEYS,
    FILE_KEYS,
    INSTEAD_KEYS,
    RAISES_KEYS,
    RESERVED_COLUMNS,
)
from conformance.language.schema import FILE_NAME, schema_text, spec_schema

LINT = Path(__file__).parent / "fixtures" / "lint"


def test_the_committed_schema_is_current() -> None:
    committed = (default_root() / FILE_NAME).read_text(encoding="utf-8")
    assert committed == schema_text(), "run: python -m conformance.language.schema"


def test_the_schema_has_the_keys_of_the_language() -> None:
    schema = spec_schema()
    parts = schema["$defs"]
    assert set(schema["properties"]) == set(FILE_KEYS)
    assert set(parts["claim"]["properties"]) == set(CLAIM_KEYS)
    assert set(parts["row"]["properties"]) == set(RESERVED_COLUMNS)
    assert set(parts["conditions"]["properties"]) == set(CONDITION_KEYS)
    assert set(parts["divergence"]["properties"]) == set(DIVERGENCE_KEYS)
    assert set(parts["divergence"]["properties"]["instead"]["properties"]) == set(INSTEAD_KEYS)
    assert set(parts["comparison"]["properties"]) == set(COMPARE_KEYS)
    assert set(parts["raises"]["anyOf"][1]["properties"]) == set(RAISES_KEYS)


def test_every_key_has_a_description() -> None:
    for name, part in spec_schema()["$defs"].items():
        for key, value in part.get("properties", {}).items():
            assert value.get("description") or "anyOf" in value, (name, key)


SPECS = [path for path in sorted(default_root().glob("*/*.yaml")) if not is_decision_file(path)]


@pytest.mark.parametrize("path", [LINT / "good.yaml", *SPECS], ids=lambda path: path.stem)
def test_good_files_fit_the_schema(path: Path) -> None:
    fastjsonschema.compile(spec_schema())(yaml.safe_load(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "name",
    [
        "E101-unknown-key",
        "E102-missing-key",
        "E103-wrong-shape",
        "E104-unknown-family",
        "E105-empty-list",
        "E107-two-documents",
        "E301-malformed-id",
        "E304-malformed-subject",
        "E901-one-kernel",
    ],
)
def test_files_of_the_wrong_shape_do_not(name: str) -> None:
    content = yaml.safe_load((LINT / f"{name}.yaml").read_text(encoding="utf-8"))
    with pytest.raises(fastjsonschema.JsonSchemaValueException):
        fastjsonschema.compile(spec_schema())(content)
