"""Impostors: wrong torches, each with one idea, that prove that claims can fail.

An impostor is a function that stands in for one use of torch (a call, an operator, a read or an assignment of an
attribute). It runs the real one and spoils what comes back, or what happens on the way. While a claim's program and
expressions run, it takes the place of one operation that they name: the attribute of ``torch``, of a class or of a
module is replaced, and put back afterwards whatever happens. Uses from inside torch and from the checks get the real
torch, so that a claim sees a wrong torch and its judge does not.

Torch's own override mechanisms are not what carries this: a ``TorchFunctionMode`` or ``TorchDispatchMode`` also reaches
the calls of the checks and does not exist before torch 1.13, while an attribute can be replaced on every version.

One module holds one family of impostors. To add one, write a function with the decorator
``conformance.impostors.registry.impostor``; ``conformance impostors --add FILE`` takes them from any file of Python.
Nothing is imported here, since the reports and records do not need torch.
"""
