"""What a call did, one property at a time, as the cells of a table say it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from conformance.results.trials.model import Group, Trials
from conformance.results.wording import is_about_machine

NO_TENSOR = "no tensor"
#: What does not arise.
NONE = "–"
_MEMORY = {
    "same object": "{0} itself",
    "view": "view of {0}",
    "shares storage": "shared with {0}",
    "own memory": "own",
}
_WRITES = {
    "elements": "its elements",
    "metadata": "its shape or strides",
    "storage": "its memory",
    "storage and metadata": "its memory, shape and strides",
}
_GRADIENT = {"flows": "flows", "does not flow": "cut"}
#: Inputs that people have, by their names, in the order in which they are listed.
_MET = (
    *("float64", "int64", "bool", "0-d", "(0,)", "(1,)", "1-d", "3-d", "4-d"),
    *("transposed", "sliced", "offset and sliced", "expanded", "channels-last"),
    *("no grad", "requires grad", "non-leaf", "parameter", "view of a leaf", "with .grad", "inference tensor"),
    *("array reversed", "array read-only", "array of the other byte order"),
)
#: Inputs that require grad as the first of them does, and need no word where that is named.
_LIKE_REQUIRES_GRAD = ("parameter", "with .grad")


def memory_on(groups: Iterable[Group]) -> Mapping[str, tuple[str, ...]]:
    """Return what shares memory with the result, in words, and the inputs on which it does."""
    found: dict[str, tuple[str, ...]] = {}
    for group in groups:
        shared = [fact for fact in group.facts if fact.aspect == "memory" and fact.value != "own memory"]
        own = [fact for fact in group.facts if fact.aspect == "memory" and fact.value == "own memory"]
        for fact in shared or own[:1]:
            words = _MEMORY.get(fact.value, fact.value).format(fact.input)
            found[words] = (*found.get(words, ()), *group.inputs)
    return found


def unseen(call: Trials) -> str:
    """Return why a result can't be said to share memory with an input."""
    if not has_tensor(call):
        return NO_TENSOR
    return "cannot be compared" if call.given.keys() - {"out"} else "no input"


def same_object(call: Trials) -> str:
    """Return whether the result is one of the inputs."""
    memory = [fact.value for fact in call.base.facts if fact.aspect == "memory"]
    return unseen(call) if not memory else "yes" if "same object" in memory else "no"


def leaf(call: Trials) -> str:
    """Return whether the result is a leaf; what cannot require grad is one, and is not recorded."""
    return call.base.value("leaf") or ("yes" if has_tensor(call) else NO_TENSOR)


def has_tensor(call: Trials) -> bool:
    """Return whether the result is a tensor, or has some."""
    return "Tensor" in call.base.value("type") or "Parameter" in call.base.value("type")


def _memory(call: Trials) -> str:
    return ", ".join(memory_on([call.base])) or unseen(call)


def _memory_elsewhere(call: Trials) -> str:
    """Return the inputs that people have on which the result shares other memory than on the base input."""
    usual = _memory(call)
    others = memory_on(group for group in call.other if not group.error)
    # A view of an inference tensor is not on record as one: that it shares the memory is no news.
    named = {
        words: _met(name for name in inputs if name != "inference tensor")
        for words, inputs in others.items()
        if words != usual
    }
    return "; ".join(f"{words}: {', '.join(inputs)}" for words, inputs in named.items() if inputs) or NONE


def _requires_grad(call: Trials) -> str:
    return call.base.value("requires grad") or ("no" if has_tensor(call) else NO_TENSOR)


def _gradient(call: Trials) -> str:
    flows = [_GRADIENT.get(fact.value, fact.value) for fact in call.base.facts if fact.aspect == "gradient"]
    if flows or not has_tensor(call):
        return ", ".join(dict.fromkeys(flows)) or NO_TENSOR
    return "cut" if call.base.value("requires grad") == "no" else NONE


def _raises(call: Trials) -> str:
    """Return the classes of errors with the inputs that people have and that give them, and that of a warning."""
    if not call.returns:
        return f"always {call.base.value('error')}"
    errors: dict[str, list[str]] = {}
    for group in call.other:
        if group.error and not is_about_machine(group.error):
            errors.setdefault(group.value("error"), []).extend(group.inputs)
    named = {error: _met(inputs) for error, inputs in sorted(errors.items())}
    warned = call.base.value("warning").partition(":")[0]
    told = [f"always warns {warned}"] if warned else []
    return "; ".join([*told, *(f"{error}: {', '.join(on)}" for error, on in named.items() if on)]) or "nothing"


def _write(call: Trials) -> str:
    """Return what a later write to the result does, which follows from whose memory it has."""
    written = {"own": "It stays in the result.", NO_TENSOR: NONE}
    told = []
    for words in memory_on([call.base]) or [unseen(call)]:
        kind, _, input = words.rpartition(" ")
        told.append(
            written.get(words) or (f"It is a write to {kind}." if input == "itself" else f"It shows in {input}.")
        )
    return " ".join(told)


def _met(inputs: Iterable[str]) -> list[str]:
    """Return the inputs that people have."""
    names = {*inputs}
    implied = _LIKE_REQUIRES_GRAD if "requires grad" in names else ()
    return [name for name in _MET if name in names and name not in implied]


def _of_inputs(aspect: str, words: Mapping[str, str], usual: str) -> Callable[[Trials], str]:
    def of(call: Trials) -> str:
        found = [words.get(it.value, it.value) for it in call.base.facts if it.aspect == aspect and it.input != "y"]
        return ", ".join(dict.fromkeys(found)) or usual

    return of


#: What a trial says of a call, by the name of the property.
PROPERTIES: Mapping[str, Callable[[Trials], str]] = {
    "memory": _memory,
    "memory elsewhere": _memory_elsewhere,
    "same object": same_object,
    "requires grad": _requires_grad,
    "gradient": _gradient,
    "leaf": leaf,
    "raises": _raises,
    "write": _write,
    "writes": _of_inputs("writes", _WRITES, "nothing"),
    "counter": _of_inputs("version counter", {}, "stays"),
    "state": _of_inputs("autograd state", {}, "nothing"),
}
