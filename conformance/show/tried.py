"""The kinds of tensors on which a claim was tried, which its verdict names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from conformance.language.model import Claim

#: What draws dense tensors, and what a program builds of other kinds.
_DRAWN = re.compile(r"\b(tensor|tensor_like|broadcastable_with|module)\(")
_MADE = {
    "sparse": re.compile(r"\bsparse_\w+_tensor|\.to_sparse|torch\.sparse\b|layout=torch\.sparse"),
    "nested": re.compile(r"torch\.nested\b|\bnested_tensor\("),
    "quantized": re.compile(r"(?<!fake_)quantize_per_|\.qint8|\.quint8"),
    "meta": re.compile(r"""["']meta["']"""),
    "inference": re.compile(r"""inference_mode\(|state=\[?["']inference|["']inference["']"""),
    "subclassed": re.compile(r"""as_subclass\(|\(torch\.Tensor\):|["']subclass["']"""),
}


def kinds_tried(claim: Claim) -> tuple[str, ...]:
    """Return the kinds of tensors that a claim draws or builds, dense ones first; none if it is about no tensor."""
    drawn = " ".join(kind.text for _, kind in claim.given)
    text = f"{drawn} {claim.do.text if claim.do else ''}"
    others = tuple(name for name, made in _MADE.items() if made.search(text))
    is_dense = _DRAWN.search(drawn) or (not others and re.search(r"\btorch\.\w+\(", text))
    return ("dense", *others) if is_dense else others


def on_kinds(kinds: Iterable[str]) -> str:
    """Return kinds of tensors in words, such as ``on dense and sparse tensors``; empty for none."""
    named = list(dict.fromkeys(kinds))
    return (
        f"on {' and '.join([', '.join(named[:-1]), named[-1]] if len(named) > 1 else named)} tensors" if named else ""
    )
