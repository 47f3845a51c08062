"""Between JSON and dataclasses: a decoder that trusts nothing, an encoder, and the JSON Schema of a class.

A class is its own declaration. Types may be ``str``, ``int``, ``float``, ``bool``, ``Literal``, ``Optional``,
``tuple[T, ...]``, ``tuple[T, U]``, ``Mapping[str, T]`` and dataclasses of these. A field's metadata may bound it:
``pattern`` and ``longest`` (characters) for its texts, ``least`` for its numbers. A field with a default may be
missing, and is not written where it has that default.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Callable, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
#: A value as the ``json`` module reads it.
Json = Any
_Decode = Callable[[Json], Any]

_LONGEST_TEXT = 20_000
_MOST_ITEMS = 100_000
#: Whole numbers that every reader of JSON keeps exactly.
_GREATEST = 2**53
_SURROGATE = re.compile("[\ud800-\udfff]")


class DecodeError(ValueError):
    """A document does not fit a class; the message says where and why."""


def decode(cls: type[T], document: Json) -> T:
    """Make an object of a class from a JSON document.

    Raises
    ------
    DecodeError
        If a field is missing, unknown, of another type or out of bounds.
    """
    declaration: Any = cls
    made: T = _class_decoder(declaration)(document)
    return made


def encode(value: Any) -> Json:
    """Return an object of such a class as JSON; fields that have their default are left out."""
    if dataclasses.is_dataclass(value):
        declaration: Any = type(value)
        fields = ((name, getattr(value, name), default) for name, default in _defaults(declaration))
        return {name: encode(item) for name, item, default in fields if item != default}
    if isinstance(value, Mapping):
        return {name: encode(value[name]) for name in sorted(value)}
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    return value


def to_line(document: Json) -> str:
    """Return a document as one line of JSON."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)


def schema(cls: type) -> dict[str, Json]:
    """Return the JSON Schema of a class."""
    properties: dict[str, Json] = {}
    required = []
    for item, hint in _fields(cls):
        described = {"description": item.metadata["description"]} if "description" in item.metadata else {}
        properties[item.name] = {**described, **_schema_of(hint, item.metadata)}
        if _is_required(item):
            required.append(item.name)
    return {"type": "object", "required": required, "additionalProperties": False, "properties": properties}


@cache
def _fields(cls: Any) -> tuple[tuple[dataclasses.Field[Any], Any], ...]:
    hints = get_type_hints(cls)
    return tuple((item, hints[item.name]) for item in dataclasses.fields(cls))


@cache
def _defaults(cls: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(
        (item.name, item.default if item.default_factory is dataclasses.MISSING else item.default_factory())
        for item, _ in _fields(cls)
    )


def _is_required(item: dataclasses.Field[Any]) -> bool:
    return item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING


@cache
def _class_decoder(cls: Any) -> _Decode:
    decoders = {item.name: _decoder(hint, item.metadata) for item, hint in _fields(cls)}
    required = [item.name for item, _ in _fields(cls) if _is_required(item)]

    def read(document: Json) -> Any:
        if not isinstance(document, dict):
            raise DecodeError(f"{_kind(document)} where an object is expected")
        values = {}
        for name, item in document.items():
            if name not in decoders:
                raise DecodeError(f"unknown field {name[:40]!r}")
            values[name] = _located(name, decoders[name], item)
        for name in required:
            if name not in values:
                raise DecodeError(f"field {name!r} is missing")
        return cls(**values)

    return read


def _located(name: str, decoder: _Decode, item: Json) -> Any:
    try:
        return decoder(item)
    except DecodeError as error:
        raise DecodeError(f"{name[:40]}: {error}") from None


def _decoder(hint: Any, bounds: Mapping[str, Any]) -> _Decode:
    origin, arguments = get_origin(hint), get_args(hint)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _class_decoder(hint)
    if origin is Union:
        decoder = _decoder(_without_none(arguments), bounds)
        return lambda item: None if item is None else decoder(item)
    if origin is Literal:
        return _one_of(arguments)
    if origin is tuple and arguments[-1] is not Ellipsis:
        return _row([_decoder(argument, bounds) for argument in arguments])
    if origin is tuple:
        return _sequence(_decoder(arguments[0], bounds))
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(_decoder(arguments[1], bounds))
    if hint in (int, float):
        return _number(bounds, whole=hint is int)
    return {str: _text(bounds), bool: _truth}[hint]


def _without_none(arguments: tuple[Any, ...]) -> Any:
    return next(argument for argument in arguments if argument is not type(None))


def _one_of(values: tuple[Any, ...]) -> _Decode:
    def read(item: Json) -> Any:
        if not isinstance(item, str) or item not in values:
            raise DecodeError(f"{_kind(item)} where one of {', '.join(values)} is expected")
        return item

    return read


def _sequence(decoder: _Decode) -> _Decode:
    def read(items: Json) -> Any:
        if not isinstance(items, list) or len(items) > _MOST_ITEMS:
            raise DecodeError(f"{_kind(items)} where a list of at most {_MOST_ITEMS} items is expected")
        return tuple(decoder(item) for item in items)

    return read


def _row(decoders: Sequence[_Decode]) -> _Decode:
    def read(items: Json) -> Any:
        if not isinstance(items, list) or len(items) != len(decoders):
            raise DecodeError(f"{_kind(items)} where a list of {len(decoders)} items is expected")
        return tuple(decoder(item) for decoder, item in zip(decoders, items))

    return read


def _mapping(decoder: _Decode) -> _Decode:
    def read(items: Json) -> Any:
        if not isinstance(items, dict) or len(items) > _MOST_ITEMS:
            raise DecodeError(f"{_kind(items)} where an object of at most {_MOST_ITEMS} items is expected")
        return {_whole_characters(name): _located(name, decoder, item) for name, item in items.items()}

    return read


def _text(bounds: Mapping[str, Any]) -> _Decode:
    longest = bounds.get("longest") or _LONGEST_TEXT
    pattern = re.compile(bounds["pattern"]) if bounds.get("pattern") else None

    def read(item: Json) -> str:
        if not isinstance(item, str) or len(item) > longest:
            raise DecodeError(f"{_kind(item)} where a text of at most {longest} characters is expected")
        if pattern is not None and not pattern.fullmatch(item):
            raise DecodeError(f"{item[:40]!r} does not match {pattern.pattern}")
        return _whole_characters(item)

    return read


def _whole_characters(text: str) -> str:
    # A half of a surrogate pair can be written in JSON but not to a file or a terminal.
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _number(bounds: Mapping[str, Any], *, whole: bool) -> _Decode:
    least = _least(bounds)

    def read(item: Json) -> Union[int, float]:
        if whole and type(item) is float and item.is_integer():  # 1.0 is a whole number to JSON and its schemas
            item = int(item)
        if type(item) not in ((int,) if whole else (int, float)) or not least <= item <= _GREATEST:
            what = "a whole number" if whole else "a number"
            raise DecodeError(f"{_kind(item)} where {what} of at least {least} is expected")
        return int(item) if whole else float(item)

    return read


def _least(bounds: Mapping[str, Any]) -> int:
    return -_GREATEST if bounds.get("least") is None else int(bounds["least"])


def _truth(item: Json) -> bool:
    if not isinstance(item, bool):
        raise DecodeError(f"{_kind(item)} where true or false is expected")
    return item


def _kind(item: Json) -> str:
    names = {dict: "an object", list: "a list", type(None): "null", bool: str(item).lower()}
    shown: str = names.get(type(item)) or repr(item)[:40]
    return shown


def _schema_of(hint: Any, bounds: Mapping[str, Any]) -> dict[str, Json]:
    origin, arguments = get_origin(hint), get_args(hint)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return schema(hint)
    if origin is Union:
        return {"anyOf": [_schema_of(_without_none(arguments), bounds), {"type": "null"}]}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin is tuple:
        assert arguments[-1] is Ellipsis, "no schema is made of a class with a row"
        return {"type": "array", "maxItems": _MOST_ITEMS, "items": _schema_of(arguments[0], bounds)}
    if origin is not None and issubclass(origin, Mapping):
        items = _schema_of(arguments[1], bounds)
        return {"type": "object", "maxProperties": _MOST_ITEMS, "additionalProperties": items}
    if hint is str:
        pattern = {"pattern": bounds["pattern"]} if bounds.get("pattern") else {}
        return {"type": "string", "maxLength": bounds.get("longest") or _LONGEST_TEXT, **pattern}
    if hint is bool:
        return {"type": "boolean"}
    return {"type": "integer" if hint is int else "number", "minimum": _least(bounds), "maximum": _GREATEST}
