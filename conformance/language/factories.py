"""What makes a tensor on the CPU unless it is told another device."""

from __future__ import annotations

import ast
import re

from conformance.language.model import Claim

#: Functions that take ``device=``, and put what they make on the CPU without it.
FACTORIES = frozenset(
    f"torch.{name}"
    for name in (
        *("Generator", "arange", "as_tensor", "asarray", "bartlett_window", "blackman_window", "empty"),
        *("empty_permuted", "empty_strided", "eye", "fft.fftfreq", "fft.rfftfreq", "full", "hamming_window"),
        *("hann_window", "kaiser_window", "linspace", "logspace", "nested.nested_tensor", "normal", "ones", "rand"),
        *("randint", "randn", "randperm", "range", "scalar_tensor", "sparse_bsc_tensor", "sparse_bsr_tensor"),
        *("sparse_compressed_tensor", "sparse_coo_tensor", "sparse_csc_tensor", "sparse_csr_tensor", "tensor"),
        *("tril_indices", "triu_indices", "zeros"),
    )
)
_WINDOWS = "torch.signal.windows."
# Of these, the result is where the tensors among the arguments are.
_FOLLOWS = frozenset(("torch.as_tensor", "torch.asarray", "torch.normal"))
# Parameters take a tensor, containers take modules, and both stay where these are.
_NO_MODULES = frozenset(
    (
        *("Parameter", "Buffer", "UninitializedParameter", "UninitializedBuffer"),
        *("Module", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"),
    )
)


# A claim that speaks of these is about the CPU, or says itself what is where.
_SAYS_WHERE = re.compile(
    r"\b(?:device\w*|cpu|cuda|numpy|np|dlpack|from_dlpack|__array\w*|pin_memory|is_pinned|share_memory\w*|is_shared"
    r"|multiprocessing|DataLoader|default_device|get_default_device|from_file|frombuffer|from_blob|quantize\w*|mkldnn"
    r"|to_mkldnn|get_rng_state|set_rng_state|initial_seed|default_generator)\b"
)


def dotted(node: ast.AST) -> str:
    """Return the dotted name that an expression is; empty where it is none."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def lacks_device(call: ast.Call) -> bool:
    """Return whether a call makes a tensor or a generator, and does not say on which device."""
    name = dotted(call.func)
    if name not in FACTORIES and not name.startswith(_WINDOWS):
        return False
    if any(keyword.arg in ("device", "out", None) for keyword in call.keywords):
        return False
    if name == "torch.Generator":
        return not call.args
    return name not in _FOLLOWS or all(map(_is_literal, call.args))


def makes_module(call: ast.Call) -> bool:
    """Return whether a call makes a module of ``torch.nn`` that may have parameters, and does not say where."""
    name = dotted(call.func)
    kind = name.rpartition(".")[2]
    if not name.startswith("torch.nn.") or name.count(".") != 2 or not kind[:1].isupper():
        return False
    if kind in _NO_MODULES or kind.endswith("Options"):
        return False
    return not any(keyword.arg in ("device", None) for keyword in call.keywords)


def says_where(claim: Claim) -> bool:
    """Return whether a claim says itself on which devices its tensors are, or is about what only the CPU has."""
    texts = [claim.do.text] if claim.do else []
    texts += [fragment.text for fragment in claim.expectation.expect]
    return any(_SAYS_WHERE.search(text) for text in texts)


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True
