"""Reads somebody's code: which names and calls of torch it uses, and with what evidence. Nothing is run."""

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
