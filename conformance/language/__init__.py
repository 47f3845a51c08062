"""Reads specs, and reports every mistake that an author can make with its place and a code.

In: the YAML below ``spec/``. Out: a `Corpus` of claims, causes, answers, messages and changes (`model`), or a list of
`Problem`. Nothing from a spec runs here.
"""
