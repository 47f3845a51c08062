"""The device under test: where inputs are that name no device."""

from __future__ import annotations

_device = "cpu"


def current_device() -> str:
    """Return the device under test."""
    return _device


def set_current_device(device: str) -> None:
    """Set the device under test.

    Parameters
    ----------
    device
        Its name, such as ``cpu`` or ``cuda:1``.
    """
    global _device
    _device = device
