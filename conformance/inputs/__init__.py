"""Draws the inputs of claims: what ``given`` may ask for, how an example is chosen, and the recipe that builds it.

In: the domains of a claim and a source of choices (Hypothesis, or the covering set). Out: recipes, which are Python
source, and the tensors, arrays and numbers that they build. A kind of input is a module of ``kinds``.
"""
