"""Runs mutants: finds what a program uses of torch, puts an operator in its place, and judges the claim again."""
