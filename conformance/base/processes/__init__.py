"""Runs work in processes that may die, hang, print megabytes or leak; it never imports torch itself."""
