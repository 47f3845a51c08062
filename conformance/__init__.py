"""A documentation-driven conformance test corpus for PyTorch."""

__version__ = "0.1.0"
