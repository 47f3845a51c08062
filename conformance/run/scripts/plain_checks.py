"""The checks in a few lines of plain torch each, for scripts that must run without this package.

They decide as the real ones do on ordinary tensors; the real ones also look below torch, at the memory itself.
"""

from __future__ import annotations

PLAIN_CHECKS: dict[str, str] = {
    "shares_storage": """def shares_storage(a, b):
    def place(t):
        if isinstance(t, np.ndarray):
            base = t if t.base is None or not isinstance(t.base, np.ndarray) else t.base
            return base.__array_interface__["data"][0]
        return (t.untyped_storage() if hasattr(t, "untyped_storage") else t.storage()).data_ptr()
    return place(a) == place(b)
""",
    "sees_writes": """def sees_writes(a, b):  # does a write to b show in a?
    def shown(t):
        return str(t.tolist())
    raw = b if isinstance(b, np.ndarray) else b.detach()
    before = shown(a)
    for place in np.ndindex(*raw.shape):
        raw[place] = 0 if bool(raw[place]) else 1
    return shown(a) != before
""",
    "independent": """def independent(a, b):
    def place(t):
        if isinstance(t, np.ndarray):
            return t.__array_interface__["data"][0]
        return (t.untyped_storage() if hasattr(t, "untyped_storage") else t.storage()).data_ptr()
    return place(a) != place(b)
""",
    "same_memory": """def same_memory(a, b):
    def place(t):
        if isinstance(t, np.ndarray):
            return t.__array_interface__["data"][0], t.shape, t.strides
        return t.data_ptr(), tuple(t.shape), tuple(s * t.element_size() for s in t.stride())
    return place(a) == place(b)
""",
    "same_object": """def same_object(a, b):
    return a is b
""",
    "is_view_of": """def is_view_of(a, b):
    return a._is_view() and (a._base is b or a._base is b._base)
""",
    "equal": """def equal(a, b):
    def content(t):
        return (t.dtype, tuple(t.shape), str(t.tolist())) if hasattr(t, "tolist") else t
    return content(a) == content(b)
""",
    "same_values": """def same_values(a, b):
    def values(t):
        t = t.detach().double() if torch.is_tensor(t) and t.is_floating_point() else t
        return t.tolist() if hasattr(t, "tolist") else t
    return str(values(a)) == str(values(b)) or values(a) == values(b)
""",
    "same_strides": """def same_strides(a, b):
    return a.stride() == b.stride()
""",
    "same_metadata": """def same_metadata(a, b):
    def metadata(t):
        return t.shape, t.stride(), t.dtype, t.device, t.layout
    return metadata(a) == metadata(b)
""",
    "version": """def version(x):
    return x._version
""",
    "printed": """def printed(x):
    return repr(x)
""",
    "grad_fn": """def grad_fn(x):
    return type(x.grad_fn).__name__ if x.grad_fn is not None else None
""",
    "graph_nodes": """def graph_nodes(y):
    found, waiting = [], [y.grad_fn]
    while waiting:
        node = waiting.pop(0)
        if node is not None and node not in found:
            found.append(node)
            waiting += [before for before, _ in node.next_functions]
    return [type(node).__name__ for node in found]
""",
    "reaches": """def reaches(y, x):
    waiting, seen = [y.grad_fn], set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        if getattr(node, "variable", None) is x or (x.grad_fn is not None and node is x.grad_fn):
            return True
        seen.add(node)
        waiting += [before for before, _ in node.next_functions]
    return False
""",
    "gradient": """def gradient(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), retain_graph=True, allow_unused=True)[0]
""",
    "grad_flows": """def grad_flows(y, x):
    if not (y.requires_grad and x.requires_grad):
        return False
    return torch.autograd.grad(y, x, torch.ones_like(y), retain_graph=True, allow_unused=True)[0] is not None
""",
    "allocates": """def allocates(thunk):
    with torch.autograd.profiler.profile(profile_memory=True) as profile:
        thunk()
    return sum(event.self_cpu_memory_usage for event in profile.function_events if event.self_cpu_memory_usage > 0)
""",
    "timed": """def timed(setup, kernels, sizes):
    from torch.utils.benchmark import Timer
    def median(kernel, n):
        timer = Timer(kernel, setup, globals={"torch": torch, "n": n})
        return timer.blocked_autorange(min_run_time=0.2).median
    medians = {name: [median(kernel, n) for n in sizes] for name, kernel in kernels.items()}
    return lambda one, other: [a / b for a, b in zip(medians[one], medians[other])]
""",
}
