"""The inputs that calls are tried on: base inputs, and what differs from them in one thing, as Python expressions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: The base inputs, the plainest first; none is a view. The base of a call is the first on which it returns.
BASES = (
    "torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)",
    "torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])",
    "torch.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True)",
    "torch.tensor([[2.0, 1.0], [1.0, 3.0]])",
    "torch.arange(1.0, 4.0).requires_grad_()",
    "torch.arange(1.0, 4.0)",
    "torch.arange(1.0, 25.0).reshape(2, 3, 4).clone().requires_grad_()",
    "torch.tensor(1.5, requires_grad=True)",
    "torch.tensor([[0.5, 0.25, 0.75], [0.0, 1.0, 0.5]], requires_grad=True)",
    "torch.tensor([[0.5, 0.25, 0.75], [0.0, 1.0, 0.5]])",
    "torch.tensor([[1, 2, 3], [4, 5, 6]])",
    "torch.arange(3)",
    "torch.tensor([[True, False, True], [False, True, True]])",
    "torch.tensor([[1 + 2j, 2 - 1j], [3j, 4 + 0j]], requires_grad=True)",
    "torch.arange(1.0, 65.0).reshape(1, 4, 4, 4).clone().requires_grad_()",
)
#: How ``y`` is made where a call names it and gives none: as ``x``, with other elements, without a gradient.
OTHER = "torch.ones(x.shape, dtype=x.dtype)"
#: How ``a`` is made, an array of NumPy.
ARRAY_BASE = "np.arange(6, dtype=np.float32).reshape(2, 3)"
#: What makes a tensor that a call gives one that requires grad; tried before it is taken as it is.
REQUIRING_GRAD = "({}).requires_grad_()"

# In the expressions of changes, ``x`` is the base input without autograd history, and what they make requires grad
# where the base input does and the dtype admits it.
_DTYPES = (
    *("float64", "float16", "bfloat16", "complex64", "complex128", "int64", "int32", "int16", "int8", "uint8", "bool"),
    *("uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2"),
)
_LAYOUTS = {
    "transposed": "x.transpose(-1, -2).contiguous().transpose(-1, -2)",
    "sliced": "torch.stack([x, x], -1)[..., 0]",
    "offset": "torch.cat([x.flatten()[:1], x.flatten()])[1:].view(x.shape)",
    "offset and sliced": "torch.stack([x, x], -1)[..., 1]",
    "expanded": "x[:1].clone().expand(x.shape)",
    "channels-last": "torch.arange(1.0, 49.0).reshape(2, 2, 3, 4).to(x.dtype, memory_format=torch.channels_last)",
    "conjugate": "(x + 1j).conj()",
    "negative": "(x - 1j * x).conj().imag",
}
_SHAPES = {
    "(0,)": "torch.ones(0, dtype=x.dtype)",
    "(0, 3)": "torch.ones(0, 3, dtype=x.dtype)",
    "(1,)": "torch.ones(1, dtype=x.dtype)",
    "(1, 1)": "torch.ones(1, 1, dtype=x.dtype)",
    "0-d": "torch.tensor(1.5).to(x.dtype)",
    "1-d": "torch.arange(1.0, 4.0).to(x.dtype)",
    "2-d": "torch.arange(1.0, 7.0).reshape(2, 3).to(x.dtype)",
    "square": "torch.tensor([[2.0, 1.0], [1.0, 3.0]]).to(x.dtype)",
    "3-d": "torch.arange(1.0, 25.0).reshape(2, 3, 4).to(x.dtype)",
    "4-d": "torch.arange(1.0, 49.0).reshape(2, 2, 3, 4).to(x.dtype)",
    "6-d": "torch.arange(1.0, 9.0).reshape(1, 2, 1, 2, 1, 2).to(x.dtype)",
}
_AUTOGRAD = {
    "no grad": "x",
    "requires grad": "x.requires_grad_()",
    "non-leaf": "x.requires_grad_().clone()",
    "parameter": "torch.nn.Parameter(x)",
    "view of a leaf": "x.requires_grad_().view_as(x)",
    "detached": "x.requires_grad_().detach()",
    "with .grad": "(x.requires_grad_(), setattr(x, 'grad', torch.ones_like(x)))[0]",
    "inference tensor": "torch.inference_mode()(torch.clone)(x)",
}
_MODES = {"no_grad()": "torch.no_grad()", "inference_mode()": "torch.inference_mode()"}
_OTHER = {
    "y requires grad": "y.requires_grad_()",
    "y float64": "y.to(torch.float64)",
    "y int64": "y.to(torch.int64)",
    "y transposed": "y.transpose(-1, -2).contiguous().transpose(-1, -2)",
    "y (1,)": "torch.ones(1, dtype=y.dtype)",
    "y 0-d": "torch.tensor(1.0).to(y.dtype)",
}
_ARRAYS = {
    **{f"array {name}": f"a.astype(np.{name})" for name in ("float64", "int64", "uint8", "complex64")},
    "array bool": "a.astype(bool)",
    "array transposed": "np.ascontiguousarray(a.T).T",
    "array sliced": "np.repeat(a, 2, -1)[..., ::2]",
    "array reversed": "a[::-1]",
    "array read-only": "(a.setflags(write=False), a)[1]",
    "array of the other byte order": "a.astype(a.dtype.newbyteorder())",
    "array (0, 3)": "np.ones((0, 3), a.dtype)",
    "array 0-d": "np.array(1.5, a.dtype)",
}
#: The set of what runs on the base input in a mode.
MODE = "mode"
_X: Mapping[str, Mapping[str, str]] = {
    "dtype": {name: f"x.to(torch.{name})" for name in _DTYPES},
    "layout": _LAYOUTS,
    "shape": _SHAPES,
    "autograd": _AUTOGRAD,
}
#: The sets of changes of each input, for the plainest call of a name and for its further calls.
SETS = {"x": tuple(_X), "y": ("y",), "a": ("a",)}
FURTHER_SETS = {"x": ("layout", "autograd"), "y": (), "a": ("a",)}


@dataclass(frozen=True)
class Change:
    """An input that differs from the base input in one thing.

    Attributes
    ----------
    set
        What is changed: a property of ``x``; or ``y``, ``a`` or the mode.
    expression
        What makes the input from that of the base trial; of a mode, its context.
    """

    set: str
    name: str
    expression: str

    @property
    def input(self) -> str:
        """The input that is changed."""
        return "x" if self.set in _X else self.set

    @property
    def is_of_autograd(self) -> bool:
        """Whether the autograd state is what is changed; else the input requires grad where the base input does."""
        return self.set == "autograd" or self.name == "y requires grad"


CHANGES = tuple(
    Change(kind, name, expression)
    for kind, table in ({**_X, "y": _OTHER, "a": _ARRAYS, MODE: _MODES}).items()
    for name, expression in table.items()
)
