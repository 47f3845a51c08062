"""The checks in a few lines of plain torch each, for scripts that must run without this package.

They decide as the real ones do on ordinary tensors; the real ones also look below torch, at the memory itself.
"""

from __future__ import annotations

PLAIN_CHECKS: dict[str, str] = {
    "shares_storage": '''def shares_storage(a, b):
    place = lambda t: t.__array_interface__["data"][0] if isinstance(t, np.ndarray) else (
        t.untyped_storage() if hasattr(t, "untyped_storage") else t.storage()).data_ptr()
    return place(a) == place(b)
''',
    "sees_writes": '''def sees_writes(a, b):  # does a write to b show in a?
    shown = lambda: a.tolist() if isinstance(a, np.ndarray) else a.detach().resolve_neg().clone()
    raw = b if isinstance(b, np.ndarray) else b.data
    old = shown()
    raw[(0,) * raw.ndim] = 1 if bool(raw[(0,) * raw.ndim] == 0) else 0
    new = shown()
    return old != new if isinstance(old, (list, int, float, complex, bool)) else not torch.equal(old, new)
''',
    "independent": '''def independent(a, b):
    place = lambda t: t.__array_interface__["data"][0] if isinstance(t, np.ndarray) else (
        t.untyped_storage() if hasattr(t, "untyped_storage") else t.storage()).data_ptr()
    return place(a) != place(b)
''',
    "same_object": '''def same_object(a, b):
    return a is b
''',
    "is_view_of": '''def is_view_of(a, b):
    return a._is_view() and (a._base is b or a._base is b._base)
''',
    "equal": '''def equal(a, b):
    same = lambda t: (t.dtype, tuple(t.shape), str(t.tolist()))
    return same(a) == same(b) if hasattr(a, "tolist") else a == b
''',
    "same_values": '''def same_values(a, b):
    values = lambda t: str(t.tolist()) if hasattr(t, "tolist") else str(t)
    return values(a) == values(b)
''',
    "same_strides": '''def same_strides(a, b):
    return a.stride() == b.stride()
''',
    "grad_fn": '''def grad_fn(x):
    return type(x.grad_fn).__name__ if x.grad_fn is not None else None
''',
    "version": '''def version(x):
    return x._version
''',
    "printed": '''def printed(x):
    return repr(x)
''',
}
