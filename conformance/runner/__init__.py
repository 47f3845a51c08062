"""Trying claims: one example, the search, the worker process, and the run as a whole."""
