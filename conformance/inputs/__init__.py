"""Inputs of claims: what ``given`` may ask for, how one example is chosen, and the recipe that builds it."""
