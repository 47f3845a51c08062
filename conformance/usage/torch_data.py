"""What the functions of torch return, and what the methods of its classes are called: data for `rules`.

Taken from the stubs of torch 2.13 and from functions that older releases had; an in-place method (`add_`) is told by
the name without the underscore.
"""

from __future__ import annotations

#: Functions of torch, and methods of a tensor, that return one tensor.
RETURN_TENSOR = """
abs absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr adjoint all amax amin angle any arccos arccosh
arcsin arcsinh arctan arctan2 arctanh argmax argmin argsort argwhere as_strided as_strided_scatter asin asinh atan
atan2 atanh baddbmm bernoulli bincount bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
bitwise_xor bmm broadcast_to ceil cholesky cholesky_inverse cholesky_solve clamp clamp_max clamp_min clip clone conj
conj_physical copysign corrcoef cos cosh count_nonzero cov cross cumprod cumsum deg2rad dequantize det detach diag
diag_embed diagflat diagonal diagonal_scatter diff digamma dist div divide dot eq erf erfc erfinv exp exp2 expm1
fill_ fix flatten flip fliplr flipud float_power floor floor_divide fmax fmin fmod frac gather gcd ge ger greater
greater_equal gt hardshrink hash_tensor heaviside histc hypot i0 igamma igammac index_add index_fill index_put
index_reduce index_select inner int_repr inverse isclose isfinite isinf isnan isneginf isposinf isreal istft kron
lcm ldexp le lerp less less_equal lgamma log log10 log1p log2 log_softmax logaddexp logaddexp2 logcumsumexp logdet
logical_and logical_not logical_or logical_xor logit logsumexp lt lu_solve masked_fill masked_scatter masked_select
matmul matrix_exp matrix_power matrix_rank max maximum mean median min minimum mm moveaxis movedim msort mul
multinomial multiply mv mvlgamma nan_to_num nanmean nanmedian nanquantile nansum narrow ne neg negative nextafter
nonzero nonzero_static norm not_equal orgqr ormqr outer permute pinverse polygamma positive pow prelu prod put
q_per_channel_scales q_per_channel_zero_points quantile rad2deg ravel reciprocal relu remainder renorm
repeat_interleave reshape resize_as_ resize_as_sparse_ resolve_conj resolve_neg roll rot90 round rsqrt scatter
scatter_add scatter_reduce select select_scatter sgn sigmoid sign signbit sin sinc sinh slice_inverse slice_scatter
smm softmax sqrt square squeeze sspaddmm std stft sub subtract sum swapaxes swapdims t take take_along_dim tan tanh
tile trace transpose tril triu true_divide trunc unflatten unsqueeze var vdot where xlogy zero_
"""
#: Functions of torch alone that return one tensor.
FUNCTIONS = """
adaptive_avg_pool1d affine_grid_generator alpha_dropout arange as_tensor asarray atleast_1d atleast_2d atleast_3d
avg_pool1d bartlett_window batch_norm bilinear binary_cross_entropy_with_logits binomial blackman_window block_diag
bucketize cartesian_prod cat cdist celu chain_matmul channel_shuffle column_stack combinations complex concat
concatenate constant_pad_nd conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d
convolution cosine_embedding_loss cosine_similarity ctc_loss cumulative_trapezoid dropout dstack einsum embedding
embedding_renorm_ empty empty_like empty_permuted empty_quantized empty_strided eye fake_quantize_per_channel_affine
fake_quantize_per_tensor_affine feature_alpha_dropout feature_dropout fill frobenius_norm from_dlpack from_file
from_numpy frombuffer full full_like grid_sampler grid_sampler_2d grid_sampler_3d group_norm gru_cell hamming_window
hann_window hinge_embedding_loss hstack imag instance_norm irfft isin kaiser_window kl_div layer_norm linspace
logspace margin_ranking_loss max_pool1d max_pool2d max_pool3d norm_except_dim normal nuclear_norm ones ones_like
pairwise_distance pdist pixel_shuffle pixel_unshuffle poisson poisson_nll_loss polar quantize_per_channel
quantize_per_tensor quantize_per_tensor_dynamic rand rand_like randint randint_like randn randn_like randperm range
real rfft rms_norm rnn_relu_cell rnn_tanh_cell row_stack rrelu rsub scalar_tensor searchsorted segment_reduce selu
sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor
spmm stack tensor tensordot threshold trapezoid trapz tril_indices triplet_margin_loss triu_indices vander
view_as_complex view_as_real vstack zeros zeros_like
"""
#: Functions and methods that return a tensor of bools, whatever they are given.
RETURN_BOOL = """
eq ne lt le gt ge greater greater_equal less less_equal not_equal isclose isfinite isinf isnan isneginf isposinf isreal
isin logical_and logical_not logical_or logical_xor signbit bool
"""
#: Functions and methods that return a tensor of integers, and of floating point numbers where they are given no dtype.
RETURN_INTEGER = """
argmax argmin argsort bincount bucketize byte char count_nonzero int long randint randint_like randperm searchsorted
short tril_indices triu_indices
"""
RETURN_FLOAT = "bfloat16 double empty eye float half linspace logspace ones rand randn zeros"
RETURN_COMPLEX = "cdouble cfloat chalf complex polar view_as_complex"
#: Functions of `torch.fft` whose result need not be complex.
FFT_OF_REAL = "fftfreq fftshift hfft hfft2 hfftn ifftshift irfft irfft2 irfftn rfftfreq"
#: Methods of a tensor that keep its dtype, unless they are given another by name; `to` may be given one in a variable.
KEEPS_DTYPE = """
clone contiguous cpu cuda detach expand expand_as flatten flip permute repeat reshape squeeze t transpose unsqueeze view
view_as
"""
#: Methods of a tensor alone that return one tensor.
METHODS = """
align_as align_to apply_ as_subclass bfloat16 bool byte cauchy_ ccol_indices chalf char coalesce col_indices
contiguous copy_ cpu crow_indices cuda double expand expand_as exponential_ fill_diagonal_ float geometric_ half
index int ipu log_normal_ long map2_ map_ mps new new_empty new_empty_strided new_full new_ones new_tensor new_zeros
normal_ pin_memory random_ refine_names rename rename_ repeat requires_grad_ reshape_as resize resize_ resize_as
row_indices set_ share_memory_ short sparse_mask sparse_resize_ sparse_resize_and_clear_ sum_to_size to to_dense
to_mkldnn to_padded_tensor to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr type_as
unfold uniform_ values view view_as xpu
"""

#: Functions, and methods of a tensor, that return several tensors.
RETURN_TENSORS = """
aminmax broadcast_tensors chunk cummax cummin dsplit eig frexp geqrf histogram hsplit kthvalue lstsq lu lu_unpack
meshgrid mode qr slogdet solve sort split split_with_sizes std_mean svd symeig tensor_split topk triangular_solve
unbind unsafe_chunk unsafe_split unsafe_split_with_sizes var_mean vsplit align_tensors pca_lowrank svd_lowrank
histogramdd gels
"""
#: Functions and methods that return several tensors once they are given a second argument, or a `dim`.
TENSORS_WITH_DIM = "max min median nanmedian"
#: Functions and methods that return one tensor, or several where a keyword asks for them.
TENSORS_WITH_KEYWORD = {"unique": ("return_inverse", "return_counts"), "nonzero": ("as_tuple",)}
TENSORS_WITH_KEYWORD["unique_consecutive"] = TENSORS_WITH_KEYWORD["unique"]
#: Methods and attributes of a tensor that are no tensor.
NO_TENSOR = """
allclose equal is_coalesced is_complex is_conj is_contiguous is_distributed is_floating_point is_inference is_neg
is_nonzero is_pinned is_same_size is_set_to is_signed is_shared data_ptr dense_dim dim dim_order element_size get_device
ndimension nelement numel q_per_channel_axis q_scale q_zero_point qscheme sparse_dim item numpy size storage
storage_offset storage_type untyped_storage stride tolist type backward record_stream register_hook reinforce
register_post_accumulate_grad_hook retain_grad module_load
"""
NO_TENSOR_ATTRIBUTES = """
device dtype grad_fn is_cpu is_cuda is_leaf is_meta is_mkldnn is_mps is_mtia is_nested is_quantized is_sparse
is_sparse_csr is_vulkan is_xpu itemsize layout name names nbytes ndim output_nr requires_grad retains_grad shape
_version _backward_hooks
"""
TENSOR_ATTRIBUTES = "data grad real imag T H mT mH _base _grad"
#: Methods that nothing but a tensor has: what they return is likely a tensor, whatever they are called on.
ONLY_OF_TENSORS = """
detach detach_ unsqueeze unsqueeze_ masked_fill masked_fill_ masked_select index_select index_add_ scatter_ scatter_add_
requires_grad_ new_zeros new_ones new_full new_empty new_tensor type_as view_as expand_as addmm bmm baddbmm
contiguous logsumexp log_softmax repeat_interleave clamp_min clamp_max as_strided to_dense to_sparse
"""
#: Attributes that nothing but a tensor has.
ATTRIBUTES_ONLY_OF_TENSORS = "grad_fn is_leaf output_nr retains_grad"
#: Methods besides those that show that a file which never names torch handles its objects all the same.
SIGNS = "backward cpu cuda load_state_dict named_parameters numpy requires_grad state_dict to train zero_grad"
MODULE_METHODS = """
add_module apply bfloat16 buffers children compile cpu cuda double eval extra_repr float forward get_buffer
get_extra_state get_parameter get_submodule half ipu load_state_dict modules mtia named_buffers named_children
named_modules named_parameters parameters register_backward_hook register_buffer register_forward_hook
register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook
register_load_state_dict_post_hook register_load_state_dict_pre_hook register_module register_parameter
register_state_dict_post_hook register_state_dict_pre_hook requires_grad_ set_extra_state set_submodule share_memory
state_dict to to_empty train type xpu zero_grad _apply _load_from_state_dict _save_to_state_dict _named_members
_register_load_state_dict_pre_hook _register_state_dict_hook _get_name __call__ __setstate__
"""
#: Methods of a module that return the module.
MODULE_SELF = """
apply bfloat16 cpu cuda double eval float half ipu requires_grad_ share_memory to to_empty train type xpu
"""
MODULE_ATTRIBUTES = "training weight bias running_mean running_var in_features out_features in_channels out_channels"
#: Modules whose call returns a tensor and something else.
RETURN_TUPLE = "LSTM GRU RNN LSTMCell MultiheadAttention AdaptiveLogSoftmaxWithLoss"
#: Modules whose call returns what the user's own modules return.
RETURN_ANYTHING = "Module ModuleList ModuleDict DataParallel DistributedDataParallel ScriptModule"
#: Modules that hold others under names of the user's own, and what they have besides.
CONTAINERS = """
Module Sequential ModuleList ModuleDict DataParallel DistributedDataParallel ScriptModule
"""
CONTAINER_METHODS = "append extend insert pop items keys values update clear no_sync join"
#: Attributes that objects of all kinds have: no sign of a tensor.
COMMON_ATTRIBUTES = "name names"
OPTIMIZER_METHODS = """
add_param_group load_state_dict register_load_state_dict_post_hook register_load_state_dict_pre_hook
register_state_dict_post_hook register_state_dict_pre_hook register_step_post_hook register_step_pre_hook state_dict
step zero_grad
"""
OPTIMIZER_ATTRIBUTES = "param_groups defaults state"
SCHEDULER_METHODS = "get_last_lr get_lr load_state_dict print_lr state_dict step"
#: Methods that subclasses of these classes override.
OVERRIDDEN = {
    "torch.autograd.Function": "forward backward setup_context jvp vmap",
    "torch.utils.data.Dataset": "__getitem__ __len__ __getitems__",
    "torch.utils.data.IterableDataset": "__iter__ __len__",
    "torch.utils.data.Sampler": "__iter__ __len__",
    "torch.utils.data.Subset": "__getitem__ __len__ __getitems__",
    "torch.distributions.Distribution": "sample rsample log_prob entropy expand cdf icdf mean variance support",
}
#: Functions in lower case that are classes.
CLASSES = """
device dtype layout memory_format finfo iinfo no_grad enable_grad inference_mode set_grad_enabled autocast
detect_anomaly profile record_function
"""
#: Modules whose functions in lower case return one tensor, but for those in RETURN_TENSORS and these.
TENSOR_MODULES = ("torch.nn.functional", "torch.fft", "torch.special", "torch.linalg", "torch.nn.init")
MODULE_EXCEPTIONS = """
calculate_gain multi_head_attention_forward eigh cholesky_ex inv_ex ldl_factor ldl_factor_ex lu_factor lu_factor_ex
solve_ex has_torch_function handle_torch_function boolean_dispatch assert_int_or_pair
"""
#: Other functions that return one tensor, and that return several.
TENSOR_FUNCTIONS = """
torch.nn.utils.parameters_to_vector torch.nn.utils.rnn.pad_sequence torch.nn.utils.clip_grad_norm_
torch.nn.utils.clip_grad_norm torch.sparse.mm torch.sparse.sum torch.sparse.softmax torch.sparse.log_softmax
torch.sparse.addmm torch.nested.nested_tensor torch.autograd.functional.jacobian torch.autograd.functional.hessian
torch.utils.dlpack.from_dlpack torch.cuda.get_rng_state torch.get_rng_state torch.randn torch.Tensor.clone
torch.masked.sum torch.masked.mean torch.signal.windows.hann torch.signal.windows.hamming
"""
TENSORS_FUNCTIONS = "torch.autograd.grad torch.nn.utils.rnn.pad_packed_sequence torch.linalg.svd torch.linalg.qr"
#: Functions that return an object of a class.
RESULTS = {
    "torch.export.export": "torch.export.ExportedProgram",
    "torch.export.load": "torch.export.ExportedProgram",
    "torch.onnx.dynamo_export": "torch.onnx.ONNXProgram",
}
#: Functions and modules whose results are neither tensors nor modules.
OTHER_FUNCTIONS = """
allclose equal is_tensor is_storage is_complex is_floating_point is_nonzero is_conj is_grad_enabled numel manual_seed
seed initial_seed get_default_dtype set_default_dtype set_default_tensor_type get_num_threads set_num_threads
set_printoptions can_cast result_type promote_types use_deterministic_algorithms typename save
"""
OTHER_MODULES = ("torch.cuda", "torch.version", "torch.backends", "torch.distributed", "torch.__version__", "torch.mps")
DTYPES = """
float32 float float64 double float16 half bfloat16 uint8 int8 int16 short int32 int int64 long bool complex32 complex64
cfloat complex128 cdouble chalf quint8 qint8 qint32 float8_e4m3fn float8_e5m2 uint16 uint32 uint64
"""
#: Constants of torch besides dtypes: layouts, memory formats and numbers.
CONSTANTS = """
strided sparse_coo sparse_csr preserve_format contiguous_format channels_last channels_last_3d inf nan pi e
"""
TENSOR_CLASSES = """
torch.Tensor torch.nn.Parameter torch.nn.Buffer torch.FloatTensor torch.DoubleTensor torch.HalfTensor
torch.BFloat16Tensor torch.LongTensor torch.IntTensor torch.ShortTensor torch.CharTensor torch.ByteTensor
torch.BoolTensor torch.cuda.FloatTensor torch.cuda.LongTensor torch.cuda.HalfTensor torch.cuda.DoubleTensor
torch.cuda.IntTensor torch.cuda.ByteTensor torch.cuda.BoolTensor torch.autograd.Variable
torch.nn.parameter.UninitializedParameter
"""
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
OTHER_PACKAGES = """
PIL argparse array base64 bisect builtins cv2 calendar collections configparser csv ctypes dataclasses datetime
decimal difflib enum fnmatch fractions gc getpass glob gzip hashlib heapq html imageio inspect io ipaddress json
locale logging math matplotlib mimetypes multiprocessing numbers numpy omegaconf os pandas pathlib platform pprint
re requests scipy seaborn shlex shutil signal skimage sklearn socket sqlite3 stat statistics string struct
subprocess sys sysconfig tempfile textwrap threading time timeit tomllib traceback typing typing_extensions unittest
urllib uuid warnings weakref wandb yaml zipfile zlib pytest
"""
