"""The kinds of input that ``given`` may name, one idea to a module."""
