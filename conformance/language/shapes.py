"""Taking a tree apart: the keys that a mapping may have, and what may stand as their values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Optional

from conformance.base.text import did_you_mean, listed
from conformance.language.documents import Broken, Document, Listing, Mapping, Node, Scalar
from conformance.language.forms import Form
from conformance.language.problems import Problems
from conformance.language.yaml_lookalikes import cut_at_comma, is_plain_code, surprise

NOT_FILED = "none-filed"

_URL = re.compile(r"https?://[^\s<>\"']+")
_CALLED = {Scalar: "text", Listing: "a list", Mapping: "a mapping"}


class Shapes:
    """Reads the nodes of one document, and reports each that has the wrong shape."""

    def __init__(self, document: Document, problems: Problems) -> None:
        self.document = document
        self.problems = problems

    def wrong(self, node: Node, what: str, wanted: str) -> None:
        """Report a node of the wrong shape, unless it is already reported."""
        if isinstance(node, Broken):
            return
        if isinstance(node, Scalar) and not node.value and not node.style:
            message = f"{what} has no value; give {wanted} or remove the key"
            self.problems.add(self.document.place(node), "E105", message)
            return
        self.problems.add(self.document.place(node), "E103", f"{what} is {_CALLED[type(node)]} and must be {wanted}")

    def mapping(self, node: Node, what: str, keys: Sequence[str], required: Sequence[str] = ()) -> Optional[Mapping]:
        """Take a mapping with no keys but these, and all the required ones."""
        if not isinstance(node, Mapping):
            self.wrong(node, what, f"a mapping with {listed(keys)}")
            return None
        for name, key in node.keys.items():
            if name not in keys and (key.style or not surprise(name)):
                if cut_at_comma(name):
                    advice = "; it is the rest of a text that YAML cut at a comma, so put that text in quotes"
                else:
                    advice = did_you_mean(name, keys) or f"; {what} has {listed(keys)}"
                self.problems.add(self.document.place(key), "E101", f"{what} has no key '{name}'{advice}")
        for name in required:
            # A key that was refused while reading is not also missing.
            if name not in node.entries:
                self.problems.add(self.document.place(node), "E102", f"{what} lacks '{name}'; add it")
        return node

    def form(self, node: Node, form: Form, what: str = "") -> Optional[Mapping]:
        """Take a mapping of a form."""
        return self.mapping(node, what or form.called, tuple(form.keys), form.required)

    def any_mapping(self, node: Node, what: str, wanted: str) -> Optional[Mapping]:
        """Take a mapping whose keys are the author's own; not empty."""
        if not isinstance(node, Mapping):
            self.wrong(node, what, wanted)
            return None
        if not node.entries:
            self.problems.add(self.document.place(node), "E105", f"{what} is empty; give {wanted} or remove it")
            return None
        return node

    def listing(self, node: Node, what: str, wanted: str) -> Optional[list[Node]]:
        """Take the items of a list that is not empty."""
        if not isinstance(node, Listing):
            self.wrong(node, what, wanted)
            return None
        if not node.items:
            self.problems.add(self.document.place(node), "E105", f"{what} is empty; give {wanted} or remove it")
            return None
        return node.items

    def one_or_list(self, node: Node, what: str, wanted: str) -> list[Node]:
        """Take the items of a list, or one item that stands by itself."""
        if isinstance(node, Listing):
            return self.listing(node, what, wanted) or []
        return [node]

    def text(self, node: Optional[Node], what: str) -> Optional[Scalar]:
        """Text that every YAML program reads as text."""
        return self._scalar(node, what, "text", None)

    def code(self, node: Optional[Node], what: str, wanted: str = "Python") -> Optional[Scalar]:
        """Python; plain numbers and truth values are it, where YAML and Python agree on them."""
        return self._scalar(node, what, wanted, is_plain_code)

    def truth(self, node: Optional[Node], what: str) -> Optional[bool]:
        """Take ``true`` or ``false``."""
        if isinstance(node, Scalar) and not node.style and node.value in ("true", "false"):
            return node.value == "true"
        if isinstance(node, Scalar) and not node.style and surprise(node.value) == "a truth value":
            self.problems.add(self.document.place(node), "E008", f"{what} is {node.value}; write true or false")
        elif node is not None:
            self.wrong(node, what, "true or false")
        return None

    def choice(self, node: Optional[Node], what: str, choices: Sequence[str]) -> Optional[str]:
        """One of a few words."""
        scalar = self.text(node, what)
        if scalar is None or scalar.value in choices:
            return scalar.value if scalar else None
        message = f"{what} is '{scalar.value}' and must be {listed(choices)}{did_you_mean(scalar.value, choices)}"
        self.problems.add(self.document.place(scalar), "E104", message)
        return None

    def address(self, node: Optional[Node], what: str, *, may_lack: bool = False) -> Optional[str]:
        """Take the full address of a page; where there may be none, `NOT_FILED` says so."""
        scalar = self.text(node, what)
        if scalar is None or is_url(scalar.value) or (may_lack and scalar.value == NOT_FILED):
            return scalar.value if scalar else None
        other = f", or {NOT_FILED}" if may_lack else ""
        message = f"{what} is not an address; write it in full, from https:// on{other}"
        self.problems.add(self.document.place(scalar), "E703", message)
        return None

    def _scalar(self, node: Optional[Node], what: str, wanted: str, admitted: Optional[object]) -> Optional[Scalar]:
        if node is None:
            return None
        if not isinstance(node, Scalar):
            self.wrong(node, what, wanted)
            return None
        if not node.style:
            if not node.value:
                self.wrong(node, what, wanted)
                return None
            surprising = surprise(node.value)
            if surprising and not (callable(admitted) and admitted(node.value)):
                message = f"YAML may read {node.value} as {surprising}; put it in quotes: '{node.value}'"
                self.problems.add(self.document.place(node), "E008", message)
                return None
        elif not node.value.strip():
            self.problems.add(self.document.place(node), "E105", f"{what} is empty; give {wanted} or remove the key")
            return None
        return node


def is_url(text: str) -> bool:
    """Return whether text is the full address of a page."""
    return _URL.fullmatch(text) is not None
