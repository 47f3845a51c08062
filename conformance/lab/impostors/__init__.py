"""Impostors: mutation testing of claims. A claim that no wrong torch makes false could never fail.

A *mutant* is the real torch with one function, method or attribute (the *target*) wrong in one way (the *operator*),
such as ``detach`` that copies. While the program and the expressions of a claim run, the target is replaced in the
module or class where it stands, and put back afterwards whatever happens. A part of the claim that is then false is
*killed*; what no mutant kills *survives*. Uses from inside torch and from the checks get the real torch, so that a
claim sees a wrong torch and its judge does not.

Torch's own override mechanisms are not what carries this: a ``TorchFunctionMode`` or ``TorchDispatchMode`` also reaches
the calls of the checks and does not exist before torch 1.13, while an attribute can be replaced on every version.

The modules here start the processes, and keep and report what was found; they don't import torch. ``engine`` runs the
mutants, ``operators`` holds the operators.
"""
