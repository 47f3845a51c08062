"""The expectation vocabulary: what a claim may say about tensors and arrays.

One module holds one family of checks. A check is a plain function: it gives a fact about its arguments, leaves them
and torch's global state as they were, and raises :class:`NotJudged` where the example proves nothing.
"""

from __future__ import annotations

# Each module adds its checks to the vocabulary.
from conformance.checks import allocation, gradients, memory, metadata, timing, values, views  # noqa: F401
from conformance.checks.registry import NotJudged, check, vocabulary

__all__ = ["NotJudged", "check", "vocabulary"]
