"""What the functions of torch return, and what its classes have: the words that its stubs give, and those by hand.

The stubs know neither what is written in Python without annotations, nor what older releases had, nor dtypes.
"""

from __future__ import annotations

from pathlib import Path

#: The file that ``conformance names results`` writes: paragraphs of words under headings.
RESULTS = Path(__file__).with_name("torch_results.txt")


def words(*texts: str) -> frozenset[str]:
    """Return the words in some texts."""
    return frozenset(word for text in texts for word in text.split())


def _read() -> dict[str, frozenset[str]]:
    paragraphs = RESULTS.read_text(encoding="utf-8").split("\n== ")[1:] if RESULTS.is_file() else []
    parts = (paragraph.partition("\n") for paragraph in paragraphs)
    return {heading: words(text) for heading, _, text in parts}


_WALKED = _read()


def _walked(heading: str, more: str = "") -> frozenset[str]:
    return _WALKED.get(heading, frozenset()) | words(more)


#: What older releases had besides, or what Python defines, as a function and as a method of a tensor.
_BOTH = "cholesky dequantize matrix_rank nonzero norm stft"
FUNCTIONS_OF_ONE = _walked(
    "functions: one tensor",
    f"""{_BOTH} atleast_1d atleast_2d atleast_3d block_diag cartesian_prod cdist chain_matmul einsum from_dlpack irfft
    quantize_per_tensor rfft tensordot where""",
)
METHODS_OF_ONE = _walked(
    "methods: one tensor",
    f"""{_BOTH} align_as align_to as_subclass index ipu mps refine_names rename rename_ resize resize_as share_memory_
    to_sparse_coo""",
)
_SEVERAL = "eig gels lstsq lu qr solve symeig"
FUNCTIONS_OF_SEVERAL = _walked(
    "functions: several tensors", f"{_SEVERAL} align_tensors broadcast_tensors meshgrid pca_lowrank split svd_lowrank"
)
METHODS_OF_SEVERAL = _walked("methods: several tensors", _SEVERAL)
FUNCTIONS_OF_NONE = _walked(
    "functions: no tensor",
    """initial_seed is_storage is_tensor manual_seed save seed set_default_dtype set_default_tensor_type
    set_printoptions typename use_deterministic_algorithms""",
)
METHODS_OF_NONE = _walked(
    "methods: no tensor",
    """backward dim_order is_shared module_load register_hook register_post_accumulate_grad_hook reinforce storage
    type""",
)
TENSOR_ATTRIBUTES = _walked("attributes: one tensor")
NO_TENSOR_ATTRIBUTES = _walked("attributes: no tensor", "name names")
FUNCTIONAL_OF_SEVERAL = _walked("functional: several tensors")
MODULE_METHODS = _walked(
    "torch.nn.Module: methods",
    """forward __call__ __setstate__ _apply _get_name _load_from_state_dict _named_members _register_state_dict_hook
    _register_load_state_dict_pre_hook _save_to_state_dict""",
)
#: Methods of a module that return the module.
MODULE_SELF = _walked("torch.nn.Module: methods that return the object", "to")
OPTIMIZER_METHODS = _walked("torch.optim.Optimizer: methods")
SCHEDULER_METHODS = _walked("torch.optim.lr_scheduler.LRScheduler: methods", "print_lr")
DTYPES = _walked("dtype")
#: Constants of torch: dtypes, layouts, memory formats and numbers.
CONSTANTS = DTYPES | _walked("layout") | _walked("memory_format", "inf nan pi e")
#: Functions and methods that return a tensor of bools, whatever they are given.
RETURN_BOOL = words("""
eq ne lt le gt ge greater greater_equal less less_equal not_equal isclose isfinite isinf isnan isneginf isposinf isreal
isin logical_and logical_not logical_or logical_xor signbit bool
""")
#: Functions and methods that return a tensor of integers, and of floating point numbers where they are given no dtype.
RETURN_INTEGER = words("""
argmax argmin argsort bincount bucketize byte char count_nonzero int long randint randint_like randperm searchsorted
short tril_indices triu_indices
""")
RETURN_FLOAT = words("bfloat16 double empty eye float half linspace logspace ones rand randn zeros")
RETURN_COMPLEX = words("cdouble cfloat chalf complex polar view_as_complex")
#: Functions and methods that give a tensor of floating point numbers for one of complex numbers.
FLOAT_OF_COMPLEX = words("abs absolute angle view_as_real")
#: Methods of a tensor that may return the tensor itself.
MAY_RETURN_SELF = words("bfloat16 contiguous cpu cuda double float half to type type_as")
#: Context managers under which no tensor requires grad, and those that end this.
WITHOUT_GRAD = words("torch.no_grad torch.inference_mode torch.autograd.no_grad torch.autograd.inference_mode")
MAYBE_WITH_GRAD = words("torch.enable_grad torch.set_grad_enabled torch.autograd.enable_grad")
#: Functions of `torch.fft` whose result is not complex; the shifts keep what they are given.
FFT_OF_REAL = words("fftfreq hfft hfft2 hfftn irfft irfft2 irfftn rfftfreq")
#: Methods of a tensor that keep its dtype, unless they are given another by name; `to` may be given one in a variable.
KEEPS_DTYPE = words("""
clone contiguous cpu cuda detach expand expand_as flatten flip permute repeat reshape squeeze t transpose unsqueeze view
view_as
""")

#: Functions and methods that return several tensors once they are given a second argument, or a `dim`.
TENSORS_WITH_DIM = words("max min median nanmedian")
#: Functions and methods that return one tensor, or several where a keyword asks for them.
TENSORS_WITH_KEYWORD = {"unique": ("return_inverse", "return_counts"), "nonzero": ("as_tuple",)}
TENSORS_WITH_KEYWORD["unique_consecutive"] = TENSORS_WITH_KEYWORD["unique"]
#: Methods that nothing but a tensor has: what they return is likely a tensor, whatever they are called on.
ONLY_OF_TENSORS = words("""
detach detach_ unsqueeze unsqueeze_ masked_fill masked_fill_ masked_select index_select index_add_ scatter_ scatter_add_
requires_grad_ new_zeros new_ones new_full new_empty new_tensor type_as view_as expand_as addmm bmm baddbmm
contiguous logsumexp log_softmax repeat_interleave clamp_min clamp_max as_strided to_dense to_sparse
""")
#: Attributes that nothing but a tensor has.
ATTRIBUTES_ONLY_OF_TENSORS = words("grad_fn is_leaf output_nr retains_grad")
#: Methods besides those that show that a file which never names torch handles its objects all the same.
SIGNS = words("backward cpu cuda load_state_dict named_parameters numpy requires_grad state_dict to train zero_grad")
MODULE_ATTRIBUTES = words(
    "training weight bias running_mean running_var in_features out_features in_channels out_channels"
)
#: Modules whose call returns a tensor and something else.
RETURN_TUPLE = words("LSTM GRU RNN LSTMCell MultiheadAttention AdaptiveLogSoftmaxWithLoss")
#: Modules whose call returns what the user's own modules return.
RETURN_ANYTHING = words("Module ModuleList ModuleDict DataParallel DistributedDataParallel ScriptModule")
#: Modules that hold others under names of the user's own, and what they have besides.
CONTAINERS = words("Module Sequential ModuleList ModuleDict DataParallel DistributedDataParallel ScriptModule")
CONTAINER_METHODS = words("append extend insert pop items keys values update clear no_sync join")
#: Attributes that objects of all kinds have: no sign of a tensor.
COMMON_ATTRIBUTES = words("name names")
OPTIMIZER_ATTRIBUTES = words("param_groups defaults state")
#: Methods that subclasses of these classes override.
OVERRIDDEN = {
    "torch.autograd.Function": words("forward backward setup_context jvp vmap"),
    "torch.utils.data.Dataset": words("__getitem__ __len__ __getitems__"),
    "torch.utils.data.IterableDataset": words("__iter__ __len__"),
    "torch.utils.data.Sampler": words("__iter__ __len__"),
    "torch.utils.data.Subset": words("__getitem__ __len__ __getitems__"),
    "torch.distributions.Distribution": words("sample rsample log_prob entropy expand cdf icdf mean variance support"),
}
#: Functions in lower case that are classes.
CLASSES = words("""
device dtype layout memory_format finfo iinfo no_grad enable_grad inference_mode set_grad_enabled autocast
detect_anomaly profile record_function
""")
#: Modules whose functions in lower case return one tensor, but for those in RETURN_TENSORS and these.
TENSOR_MODULES = ("torch.nn.functional", "torch.fft", "torch.special", "torch.linalg", "torch.nn.init")
MODULE_EXCEPTIONS = words("""
calculate_gain multi_head_attention_forward eigh cholesky_ex inv_ex ldl_factor ldl_factor_ex lu_factor lu_factor_ex
solve_ex has_torch_function handle_torch_function boolean_dispatch assert_int_or_pair
""")
#: Other functions that return one tensor, and that return several.
TENSOR_FUNCTIONS = words("""
torch.nn.utils.parameters_to_vector torch.nn.utils.rnn.pad_sequence torch.nn.utils.clip_grad_norm_
torch.nn.utils.clip_grad_norm torch.sparse.mm torch.sparse.sum torch.sparse.softmax torch.sparse.log_softmax
torch.sparse.addmm torch.nested.nested_tensor torch.autograd.functional.jacobian torch.autograd.functional.hessian
torch.utils.dlpack.from_dlpack torch.cuda.get_rng_state torch.get_rng_state torch.randn torch.Tensor.clone
torch.masked.sum torch.masked.mean torch.signal.windows.hann torch.signal.windows.hamming
""")
TENSORS_FUNCTIONS = words("torch.autograd.grad torch.nn.utils.rnn.pad_packed_sequence torch.linalg.svd torch.linalg.qr")
#: Functions that return an object of a class.
OBJECTS = {
    "torch.export.export": "torch.export.ExportedProgram",
    "torch.export.load": "torch.export.ExportedProgram",
    "torch.onnx.dynamo_export": "torch.onnx.ONNXProgram",
}
#: What iterators of a DataLoader had besides `__next__`.
DATA_LOADER_NEXT = "torch.utils.data.dataloader._BaseDataLoaderIter.next"
OTHER_MODULES = ("torch.cuda", "torch.version", "torch.backends", "torch.distributed", "torch.__version__", "torch.mps")
TENSOR_CLASSES = words("""
torch.Tensor torch.nn.Parameter torch.nn.Buffer torch.FloatTensor torch.DoubleTensor torch.HalfTensor
torch.BFloat16Tensor torch.LongTensor torch.IntTensor torch.ShortTensor torch.CharTensor torch.ByteTensor
torch.BoolTensor torch.cuda.FloatTensor torch.cuda.LongTensor torch.cuda.HalfTensor torch.cuda.DoubleTensor
torch.cuda.IntTensor torch.cuda.ByteTensor torch.cuda.BoolTensor torch.autograd.Variable
torch.nn.parameter.UninitializedParameter
""")
#: Parts of torch that define what a documented module names: (where it is defined, where it is documented).
ALIASES = (
    ("torch.nn.parameter.", "torch.nn."),
    ("torch._tensor.Tensor", "torch.Tensor"),
    ("torch.autograd.variable.", "torch.autograd."),
    ("torch.autograd.function.Function", "torch.autograd.Function"),
    ("torch.optim.optimizer.", "torch.optim."),
    ("torch.utils.data.dataloader.", "torch.utils.data."),
    ("torch.utils.data.dataset.", "torch.utils.data."),
    ("torch.utils.data.sampler.", "torch.utils.data."),
    ("torch.utils.data.distributed.", "torch.utils.data."),
    ("torch.distributions.distribution.", "torch.distributions."),
)
#: Modules of which each submodule defines classes that the module itself names.
FLATTENED = ("torch.nn.modules", "torch.optim")
#: Classes of other packages that are a class of torch.
SUBCLASSES = {
    "pytorch_lightning.LightningModule": "torch.nn.Module",
    "lightning.LightningModule": "torch.nn.Module",
    "lightning.pytorch.LightningModule": "torch.nn.Module",
    "transformers.PreTrainedModel": "torch.nn.Module",
}
#: Packages whose functions and classes never return a tensor or a module.
OTHER_PACKAGES = words("""
PIL argparse array base64 bisect builtins cv2 calendar collections configparser csv ctypes dataclasses datetime
decimal difflib enum fnmatch fractions gc getpass glob gzip hashlib heapq html imageio inspect io ipaddress json
locale logging math matplotlib mimetypes multiprocessing numbers numpy omegaconf os pandas pathlib platform pprint
re requests scipy seaborn shlex shutil signal skimage sklearn socket sqlite3 stat statistics string struct
subprocess sys sysconfig tempfile textwrap threading time timeit tomllib traceback typing typing_extensions unittest
urllib uuid warnings weakref wandb yaml zipfile zlib pytest
""")
