"""Walks the installed torch for its public names, and records them."""
