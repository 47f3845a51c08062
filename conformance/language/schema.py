"""The JSON Schema of spec files, for editors: it completes keys, families and kinds, and shows what they mean.

``python -m conformance.language.schema`` writes it to ``spec/schema.json``. It says less than the checker, which alone
decides what is right.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from conformance.language.corpus import default_root
from conformance.language.model import DIVERGENCE_KINDS, FAMILIES, PROMISES
from conformance.language.reading import ANYTHING, DEVICES, SYSTEMS
from conformance.language.rules.identity import MAXIMUM_TITLE
from conformance.language.vocabulary import input_kinds

FILE_NAME = "schema.json"

_SLUG = "^[a-z0-9]+(-[a-z0-9]+)*$"
_SUBJECT = r"^(torch(\.[A-Za-z_][A-Za-z0-9_]*)+|notes/[a-z0-9]+(-[a-z0-9]+)*)$"

_FAMILY_MEANINGS = {
    "sharing": "which tensors share memory, and which see each other's writes",
    "gradients": "what requires grad, what is recorded, what backward gives",
    "errors": "what raises or warns, and how",
    "leaf": "what is a leaf",
    "dtype": "dtypes, and how they follow from the inputs",
    "values": "values, shapes and everything else that a result is",
    "timing": "how long it takes, as ratios (`compare`)",
}
_KIND_MEANINGS = {
    "docs-wrong": "torch does what it means to do, and the document says otherwise",
    "torch-bug": "the document says what is meant, and torch does otherwise",
    "changed": "it was or became so in some versions",
    "platform": "it depends on the device, the system or the build",
}
_PROMISE_MEANINGS = {
    "error": "only that it happens",
    "type": "the class too",
    "message": "the message too",
}


def spec_schema() -> dict[str, Any]:
    """Build the schema of a spec file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Conformance spec",
        "description": "Claims about one subject: what its documentation promises, as inputs, program and expectation.",
        "type": "object",
        "required": ["subject", "claims"],
        "additionalProperties": False,
        "properties": {
            "subject": _text(
                "The public name that the claims are about, in full (torch.Tensor.detach), or notes/ and a page.",
                pattern=_SUBJECT,
                examples=["torch.Tensor.detach", "torch.nn.Parameter", "notes/autograd-mechanics"],
            ),
            "claims": {
                "description": "About ten claims, one promise each.",
                "type": "array",
                "minItems": 1,
                "items": {"$ref": "#/$defs/claim"},
            },
        },
        "$defs": {
            "claim": _claim(),
            "row": _row(),
            "source": _source(),
            "code": _code("A Python expression."),
            "expressions": _one_or_list({"$ref": "#/$defs/code"}, "One expression, or a list of them."),
            "raises": _raises("raises"),
            "warns": _raises("warns"),
            "conditions": _conditions(),
            "divergence": _divergence(),
            "comparison": _comparison(),
        },
    }


def schema_text() -> str:
    """Write the schema as the file has it."""
    return json.dumps(spec_schema(), indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    """Write ``spec/schema.json``."""
    path = default_root() / FILE_NAME
    path.write_text(schema_text(), encoding="utf-8")
    print(path)
    return 0


def _text(description: str, **more: Any) -> dict[str, Any]:
    return {"description": description, "type": "string", "minLength": 1, **more}


def _code(description: str, **more: Any) -> dict[str, Any]:
    # A plain 3 or True is Python as it stands.
    return {"description": description, "type": ["string", "number", "boolean"], **more}


def _choice(description: str, meanings: dict[str, str]) -> dict[str, Any]:
    return {
        "description": description + "\n\n" + "\n".join(f"- {word}: {meaning}" for word, meaning in meanings.items()),
        "enum": list(meanings),
    }


def _one_or_list(item: dict[str, Any], description: str) -> dict[str, Any]:
    return {"description": description, "anyOf": [item, {"type": "array", "minItems": 1, "items": item}]}


def _object(
    description: str, properties: dict[str, Any], required: tuple[str, ...] = (), **more: Any
) -> dict[str, Any]:
    return {
        "description": description,
        "type": "object",
        "additionalProperties": False,
        "minProperties": 1,
        "required": list(required),
        "properties": properties,
        **more,
    }


def _reference(name: str, description: str) -> dict[str, Any]:
    return {"description": description, "$ref": f"#/$defs/{name}"}


def _shared_by_claims_and_rows() -> dict[str, Any]:
    return {
        "title": _text(
            "A fact in the present tense: no 'should', no 'test that', no full stop.",
            # Longer where a $column stands for a shorter word; the checker counts.
            maxLength=2 * MAXIMUM_TITLE,
            examples=["The result shares storage with its input"],
        ),
        "sources": {
            "description": "The documents that make the promise.",
            "type": "array",
            "minItems": 1,
            "items": {"$ref": "#/$defs/source"},
        },
        "applies": _reference("conditions", "The environments that the promise is about; absent for all."),
        "diverges": {
            "description": "Where the claim is false, and what happens there instead.",
            "type": "array",
            "minItems": 1,
            "items": {"$ref": "#/$defs/divergence"},
        },
        "was": _one_or_list(_text("A former id."), "Former ids of this claim; a bare slug is one of the same subject."),
    }


def _claim() -> dict[str, Any]:
    kinds = ", ".join(input_kinds())
    properties = {
        "id": _text("The slug of the permanent id, subject/slug. With `each`, rows have their own.", pattern=_SLUG),
        **_shared_by_claims_and_rows(),
        "family": _choice("What the promise is about.", {name: _FAMILY_MEANINGS[name] for name in FAMILIES}),
        "given": {
            "description": f"The inputs, drawn in order; each is a call of an input kind: {kinds}.",
            "type": "object",
            "minProperties": 1,
            "additionalProperties": _text(
                f"A call of an input kind: {kinds}. A bare tensor() is the whole domain; narrow it as the source does.",
                examples=[f"{name}()" for name in input_kinds()],
            ),
        },
        "assume": _reference(
            "expressions", "Examples on which this is false are not tried; for what no argument says."
        ),
        "do": _code("The program, in Python. Its last statement is the one under test."),
        "expect": _reference(
            "expressions",
            "What is true afterwards. Names: the inputs, what `do` assigned, torch, np, device, before.x (x untouched),"
            " and the checks.",
        ),
        "raises": _reference("raises", "The error that the last statement raises."),
        "warns": _reference("warns", "The warning that the last statement gives."),
        "each": {
            "description": "A table: the claim is made once for each row, with $column replaced by the row's cell.",
            "type": "array",
            "minItems": 1,
            "items": {"$ref": "#/$defs/row"},
        },
        "compare": _reference("comparison", "A timing claim: kernels over sizes. Then `expect` is about ratio(...)."),
        "guarantee": _choice(
            "What the source promises.",
            {"unspecified": "the source leaves it open: `expect` is recorded, never judged"},
        ),
        "unkillable": _text("Why no impostor can kill the claim."),
    }
    return _object("One promise, encoded as its source means it.", properties, ("title", "family"))


def _row() -> dict[str, Any]:
    shared = _shared_by_claims_and_rows()
    properties = {
        "id": _text("The row's slug.", pattern=_SLUG),
        "subject": _text("The row's own subject.", pattern=_SUBJECT),
        "key": _text("Takes the place of the key of the claim's docs sources, and with `subject` of their object."),
        **shared,
    }
    return {
        "description": "Columns: those of your own are put in for $name; the others take the place of the claim's key.",
        "type": "object",
        "minProperties": 1,
        "properties": properties,
        "additionalProperties": {"type": ["string", "number", "boolean"]},
    }


def _source() -> dict[str, Any]:
    key = _text("The few words that find the sentence; never the sentence itself.")
    forms = {
        "docs": _text(
            "The object whose docstring makes the promise.", pattern=r"^(torch|\$)", examples=["torch.Tensor.detach"]
        ),
        "note": _text("A page of the documentation, by its name in sources.yaml.", examples=["autograd-mechanics"]),
        "article": _text("An article, by its letter in sources.yaml.", examples=["A"]),
        "release": _text("Release notes, by version.", examples=["0.4.0"]),
    }
    properties = {**forms, "key": key, "row": _text("The row of the article's list of claims.", examples=["A1"])}
    return _object(
        "A document that makes the promise: docs, note or release with a key, or article with a row.",
        properties,
        oneOf=[{"required": [name]} for name in forms],
    )


def _raises(key: str) -> dict[str, Any]:
    what = "exception" if key == "raises" else "warning"
    named = _text(
        f"The class of the {what}; '{ANYTHING[key]}' for any.",
        examples=["RuntimeError" if key == "raises" else "UserWarning"],
    )
    long = _object(
        f"An {what}." if key == "raises" else f"A {what}.",
        {
            "type": named,
            "message": _text("A literal part of the message."),
            "promised": _choice(
                "How far the promise goes, which decides the verdict; if absent, the most specific given.",
                {name: _PROMISE_MEANINGS[name] for name in PROMISES},
            ),
        },
    )
    return {"anyOf": [named, long]}


def _conditions() -> dict[str, Any]:
    specifier = "A PEP 440 specifier for the version of {}, such as '>=1.11,<2'."
    return _object(
        "Properties of an environment; an absent one admits every value.",
        {
            "torch": _text(specifier.format("torch")),
            "numpy": _text(specifier.format("NumPy")),
            "python": _text(specifier.format("Python")),
            "device": {"description": "The device under test.", "enum": list(DEVICES)},
            "system": {"description": "The operating system.", "enum": list(SYSTEMS)},
        },
    )


def _divergence() -> dict[str, Any]:
    instead = _object(
        "What holds there in place of the claim's expectation.",
        {
            "expect": _reference("expressions", "What is true there."),
            "raises": _reference("raises", "The error raised there."),
            "warns": _reference("warns", "The warning given there."),
            "crashes": {"description": "The interpreter dies.", "const": True},
        },
    )
    return _object(
        "A recorded, explained way in which the claim is false somewhere.",
        {
            "kind": _choice("Whose mistake it is.", {name: _KIND_MEANINGS[name] for name in DIVERGENCE_KINDS}),
            "when": _reference("conditions", "The environments; absent for all."),
            "where": _code("An expression over the inputs that chooses the examples; absent for all."),
            "instead": instead,
            "example": {
                "description": "A recipe for each input, in torch and np alone, on which the claim is false.",
                "type": "object",
                "additionalProperties": _code("Python that builds the input."),
            },
            "note": _text("Why, and what happens instead, in your own words."),
            "link": _text("The address of the report, or none-filed.", examples=["none-filed"]),
            "wording": _text("Better wording for the documentation."),
        },
        ("kind", "instead", "note", "link"),
    )


def _comparison() -> dict[str, Any]:
    return _object(
        "Named kernels over sizes, judged on ratios of medians, never on absolute times.",
        {
            "setup": _code(
                "Statements that build what the kernels use, for the size n.", examples=["x = torch.randn(n)"]
            ),
            "kernels": {
                "description": "What is timed, by name.",
                "type": "object",
                "minProperties": 2,
                "additionalProperties": _code("Python that is timed."),
            },
            "sizes": {
                "description": "Values of n, each larger than the one before.",
                "type": "array",
                "minItems": 1,
                "items": {"type": "integer", "minimum": 1},
            },
        },
        ("setup", "kernels", "sizes"),
    )


if __name__ == "__main__":
    sys.exit(main())
