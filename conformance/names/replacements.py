"""What to write for what is deprecated or removed: names that torch gives in a message, and what is known besides."""

from __future__ import annotations

import re

#: What stands in a message for a name that torch fills in when it warns.
GAP = "{…}"
_COLLECTIVES = "torch.distributed._functional_collectives"
#: What to write for names of which torch's message says it in other words, or not at all.
WRITTEN = {
    "torch._six.FileNotFoundError": "FileNotFoundError",
    "torch._six.PY37": "sys.version_info >= (3, 7)",
    "torch._six.StringIO": "io.StringIO",
    "torch._six.inf": "math.inf",
    "torch._six.int_classes": "int",
    "torch._six.istuple": "isinstance(obj, tuple)",
    "torch._six.nan": "math.nan",
    "torch._six.string_classes": "(str, bytes)",
    "torch._six.with_metaclass": "class C(metaclass=Meta)",
    "torch._utils._accumulate": "itertools.accumulate",
    "torch.distributed.launch.main": "torchrun",
    "torch.nn.modules.rnn.apply_permutation": "tensor.index_select(dim, permutation)",
    "torch.onnx.select_model_mode_for_export": "model.train() or model.eval() before the export",
    "torch.onnx.utils.select_model_mode_for_export": "model.train() or model.eval() before the export",
    **{
        f"torch.distributed.{name}_multigpu": f"torch.distributed.{name} of each tensor"
        for name in ("all_gather", "all_reduce", "broadcast", "reduce", "reduce_scatter")
    },
    **{
        f"torch.distributed.nn.functional.{name}": f"{_COLLECTIVES}.{other}"
        for name, other in {
            "all_gather": "all_gather_single",
            "all_reduce": "all_reduce",
            "all_to_all_single": "all_to_all_single",
            "broadcast": "broadcast",
            "reduce_scatter": "reduce_scatter_single",
        }.items()
    },
    **{
        f"torch.{place}quantization.{name}": "torchao.quantization.quantize_"
        for place in ("", "ao.")
        for name in ("quantize", "quantize_dynamic")
    },
    **{
        f"torch.{verb}_autocast_{name}_{what}": f"torch.{verb}_autocast_{what}('{device}'{more})"
        for name, device in (("gpu", "cuda"), ("cpu", "cpu"), ("ipu", "ipu"), ("xla", "xla"))
        for verb, what, more in (
            ("get", "dtype", ""),
            ("set", "dtype", ", dtype"),
            ("is", "enabled", ""),
            ("set", "enabled", ", enabled"),
        )
        if name != "gpu" or what == "dtype"
    },
}
_VERBOSE = "leave verbose out; print scheduler.get_last_lr()"
_SAMPLER = "call super().__init__() without arguments"
_NAME = r"[`'\"*]*(?::\w+:)?[`'\"]*[~!]?((?:torch\.|nn\.|functorch\.)?[A-Za-z_]\w*(?:\.\w+)*)"
_BEFORE = (
    r"should be replaced with:?\s+(?:[\w, ]+=\s*)?",
    r"replaced (?:by|with):?\s+(?:the\s+)?",
    r"in favou?r of\s+(?:the\s+)?",
    r"renamed to\s+",
    r"(?:switch|migrate|moved?) to\s+(?:the\s+)?",
    r"\b[uU]se\s+(?:the\s+)?",
    r"now calls\s+",
    r"[Pp]lease see\s+(?:the\s+)?",
)
_WORDS = re.compile(f"(?:{'|'.join(_BEFORE)}){_NAME}")
_MORE = re.compile(rf"^(?:\([^)]*\))?[`'\"]*(?:\s*,\s*|\s+(?:or|and)\s+){_NAME}")


def written_instead(name: str) -> str:
    """Return what to write for a name of which torch's message does not give it; empty where it does."""
    return WRITTEN.get(name, "")


def instead_of_argument(name: str, argument: str) -> str:
    """Return what to write where a callable no longer takes an argument, or warns of it."""
    if name.startswith("torch.optim.lr_scheduler.") and argument == "verbose":
        return _VERBOSE
    is_sampler = name in ("torch.utils.data.Sampler", "torch.utils.data.sampler.Sampler")
    return _SAMPLER if is_sampler and argument == "data_source" else f"leave {argument} out"


def dotted_name(text: str) -> str:
    """Return the dotted name with which a text begins, such as ``torch.f`` of ``torch.f('cpu')``."""
    return re.split(r"[^\w.]", text, maxsplit=1)[0]


def find_replacements(message: str, name: str) -> tuple[str, ...]:
    """Return the full names that a message about `name` says to use instead, in its order.

    Words that are no name of torch are left out; ``nn.X`` and a bare name in backquotes are completed from `name`.
    """
    if written_instead(name):
        return (written_instead(name),)
    found: dict[str, None] = {}
    for match in _WORDS.finditer(message):
        _note(found, message, match.start(1), match.end(1), name)
        more = _MORE.match(message[match.end(1) :])
        if more:
            _note(found, message, match.end(1) + more.start(1), match.end(1) + more.end(1), name)
    return tuple(found)


def _note(found: dict[str, None], message: str, start: int, end: int, name: str) -> None:
    word = message[start:end].rstrip(".")
    full = word
    if word.startswith("nn."):
        full = f"torch.{word}"
    elif not word.startswith(("torch.", "functorch.")):
        if message[:start].endswith(":ref:`"):
            return
        quoted = message[start - 1 : start] in "`~" and message[start - 2 : start] != "``" and start > 0
        parent = name.rpartition(".")[0]
        full = f"{parent}.{word}" if quoted and "." not in word and parent else ""
    if full and full != name and message[end : end + 1] != "…":
        found[full] = None


def without_gaps(message: str, name: str) -> str:
    """Return what is told of a name, with the name where it fills a gap, and without the clauses that have others."""
    if GAP not in message:
        return message
    owner, _, last = name.rpartition(".")
    own = owner.rpartition(".")[2] if last == "__init__" else last
    message = message.replace(f"{GAP}.{GAP}", name).replace(f"{owner}.{GAP}", name)
    message = re.sub(rf"^{GAP}|(?<=\bfunction ){GAP}", own, message)
    sentences = re.split(r"(?<=[.!]) +", message)
    return " ".join(told for sentence in sentences if (told := _without(sentence))) or "deprecated"


def _without(sentence: str) -> str:
    clauses = [clause for clause in sentence.split(", ") if GAP not in clause]
    told = ", ".join(clauses)
    return f"{told}." if told and told[-1] not in ".!" and sentence[-1] in ".!" else told
