"""Which calls give a tensor, as far as their names tell."""

from __future__ import annotations

_OTHER_RESULTS = """
no_grad enable_grad inference_mode set_grad_enabled device manual_seed is_tensor is_storage load save compile
get_default_dtype set_default_dtype set_default_device get_num_threads set_num_threads is_grad_enabled finfo iinfo
promote_types can_cast result_type initial_seed seed typename numel is_floating_point is_complex is_nonzero
use_deterministic_algorithms set_printoptions autocast split chunk unbind meshgrid max min sort topk allclose equal
"""
_OTHER_MODULES = """
cuda utils jit distributed optim nn backends hub onnx package profiler overrides multiprocessing testing version
"""
_METHODS = """
clone detach detach_ contiguous to cpu cuda float double half bfloat16 int long bool view reshape flatten squeeze
unsqueeze transpose permute t expand sum mean abs exp log sqrt add sub mul div pow matmul mm bmm requires_grad_ zero_
fill_ copy_ type_as new_tensor new_zeros new_ones new_empty repeat narrow select masked_fill clamp sin cos tanh sigmoid
relu softmax log_softmax cumsum gather scatter index_select
"""
#: Functions of torch that give something else, or several tensors.
_NO_TENSOR = frozenset(_OTHER_RESULTS.split())
#: Parts of torch whose functions give no tensor, or nothing that a name tells.
_NO_TENSOR_MODULES = frozenset(_OTHER_MODULES.split())
#: Classes of tensors.
TENSOR_CLASSES = frozenset(("torch.Tensor", "torch.nn.Parameter", "torch.nn.parameter.Parameter"))
#: Methods of a tensor that give a tensor.
TENSOR_METHODS = frozenset(_METHODS.split())


def gives_tensor(name: str) -> bool:
    """Say whether calling a dotted torch name gives a tensor."""
    parts = name.split(".")
    if name in TENSOR_CLASSES:
        return True
    if parts[0] != "torch" or not 2 <= len(parts) <= 3 or parts[1] in _NO_TENSOR_MODULES:
        return False
    return parts[-1] not in _NO_TENSOR and parts[-1].islower() and not parts[-1].startswith("_")
