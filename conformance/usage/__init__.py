"""Reads somebody's code, and runs nothing of it.

In: files and folders of Python and notebooks. Out: a `Project`: which names and calls of torch each file uses, where,
with which arguments and with what evidence, and what could not be read.
"""

from __future__ import annotations

from conformance.usage.model import (
    Argument,
    Call,
    Cause,
    Doubt,
    Evidence,
    FileUses,
    IgnoreComment,
    Kind,
    NotRead,
    Parameter,
    Project,
    TorchName,
    Unclear,
    Use,
    UseGroup,
)
from conformance.usage.project import read_project

__all__ = [
    "Argument",
    "Call",
    "Cause",
    "Doubt",
    "Evidence",
    "FileUses",
    "IgnoreComment",
    "Kind",
    "NotRead",
    "Parameter",
    "Project",
    "TorchName",
    "Unclear",
    "Use",
    "UseGroup",
    "read_project",
]
