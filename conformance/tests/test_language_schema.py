"""The JSON Schema for editors."""

from __future__ import annotations

from pathlib import Path

import fastjsonschema
import pytest
import yaml

from conformance.language.corpus import default_root, spec_files
from conformance.language.schema import FILE_NAME, schema_text, spec_schema

LINT = Path(__file__).parent / "fixtures" / "lint"


def test_the_committed_schema_is_current() -> None:
    committed = (default_root() / FILE_NAME).read_text(encoding="utf-8")
    assert committed == schema_text(), "run: python -m conformance.language.schema"


def test_every_key_has_a_description() -> None:
    for name, part in spec_schema()["$defs"].items():
        for key, value in part.get("properties", {}).items():
            assert value.get("description") or "anyOf" in value, (name, key)


FITS = fastjsonschema.compile(spec_schema())


def test_good_files_fit_the_schema() -> None:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for path in (LINT / "good.yaml", *spec_files(default_root())):
        FITS(yaml.load(path.read_text(encoding="utf-8"), loader))


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
    ],
)
def test_files_of_the_wrong_shape_do_not(name: str) -> None:
    content = yaml.safe_load((LINT / f"{name}.yaml").read_text(encoding="utf-8"))
    with pytest.raises(fastjsonschema.JsonSchemaValueException):
        FITS(content)
