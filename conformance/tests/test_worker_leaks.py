"""What a claim leaves in its process is named, the claim is invalid, and the next one does not feel it."""

from __future__ import annotations

import textwrap
from typing import Callable

import pytest

from conformance.results.model import Entry

Judge = Callable[[str], Entry]

#: What a program leaves, how that is named, and an expression that is true where it is gone.
LEFT = {
    "a new name in torch": ("torch.left_here = 1", "torch.left_here", "not hasattr(torch, 'left_here')"),
    "another function": ("torch.sin = torch.cos", "torch.sin", "torch.sin is not torch.cos"),
    "a method gone": ("del torch.Tensor.backward", "torch.Tensor.backward", "hasattr(x, 'backward')"),
    "a new method": ("torch.Tensor.add = lambda self, x: x", "torch.Tensor.add", "int(torch.ones(1).add(1)) == 2"),
    "another builtin": ("__import__('builtins').divmod = max", "builtins.divmod", "divmod(7, 2) == (3, 1)"),
    "a module that is none": (
        "import sys\nsys.modules['ftplib'] = None",
        "sys.modules['ftplib']",
        "__import__('ftplib') is not None",
    ),
    "an object beside an import": (
        "import sys, types, xml.sax.saxutils\nsys.modules['beside'] = types.SimpleNamespace()",
        "sys.modules['beside']",
        "'beside' not in __import__('sys').modules",
    ),
    "a module replaced": (
        "import sys, types\nsys.modules['json'] = types.ModuleType('json')",
        "sys.modules['json']",
        "hasattr(__import__('json'), 'dumps')",
    ),
    "a module forgotten": (
        "import sys\nsys.modules.pop('torch.nn', None)",
        "sys.modules['torch.nn']",
        "__import__('sys').modules['torch.nn'] is torch.nn",
    ),
    "the folder for temporary files": (
        "import tempfile\ntempfile.tempdir = '/no/such/folder'",
        "tempfile.tempdir",
        "__import__('tempfile').gettempdir() != '/no/such/folder'",
    ),
    "denormal numbers flushed": (
        "torch.set_flush_denormal(True)",
        "flushing of denormal numbers",
        "(torch.tensor([1e-310], dtype=torch.float64) * 1).item() > 0",
    ),
    "NumPy's print options": (
        "np.set_printoptions(precision=2)",
        "NumPy's print options",
        "np.get_printoptions()['precision'] == 8",
    ),
    "a library of operators": (
        "global kept\nkept = torch.library.Library('left_a', 'DEF')\n_ = kept.define('f(Tensor x) -> Tensor')",
        "operators of torch.library",
        "not hasattr(torch.ops.left_a, 'f')",
    ),
    "an operator": (
        "torch.library.define('left_b::f', '(Tensor x) -> Tensor')",
        "operators of torch.library",
        "not hasattr(torch.ops.left_b, 'f')",
    ),
    "another kernel": (
        "import sys\nsys.kept = torch.library.Library('aten', 'IMPL')\n"
        "sys.kept.impl('logaddexp', lambda a, b: a, 'CPU')",
        "operators of torch.library",
        "torch.logaddexp(torch.ones(1), torch.ones(1)).item() > 1",
    ),
}

LEFT.update(
    {
        "a function of torch.nn": (
            "torch.nn.functional.relu = torch.nn.functional.gelu",
            "torch.nn.functional.relu",
            "torch.nn.functional.relu is not torch.nn.functional.gelu",
        ),
        "a method of all modules": (
            "torch.nn.Module.zero_grad = lambda module: None",
            "torch.nn.Module.zero_grad",
            "torch.nn.Module.zero_grad.__name__ == 'zero_grad'",
        ),
        "a function of NumPy": ("np.zeros = np.ones", "numpy.zeros", "np.zeros is not np.ones"),
        "a function of json": ("__import__('json').dumps = None", "json.dumps", "__import__('json').dumps is not None"),
        "the precision of products": (
            "torch.set_float32_matmul_precision('medium')",
            "float32_matmul_precision",
            "torch.get_float32_matmul_precision() == 'highest'",
        ),
        "TF32 in cuDNN": (
            "torch._C._set_cudnn_allow_tf32(False)",
            "_get_cudnn_allow_tf32",
            "torch._C._get_cudnn_allow_tf32()",
        ),
        "TF32 in products": (
            "torch._C._set_cublas_allow_tf32(True)",
            "_get_cublas_allow_tf32",
            "not torch._C._get_cublas_allow_tf32()",
        ),
        "how cuDNN chooses kernels": (
            "torch.backends.cudnn.benchmark = True",
            "_get_cudnn_benchmark",
            "not torch.backends.cudnn.benchmark",
        ),
        "a library that is not used": (
            "torch.backends.mkldnn.set_flags(False)",
            "mkldnn_enabled",
            "torch._C._get_mkldnn_enabled()",
        ),
        "a kind of attention": (
            "torch.backends.cuda.enable_math_sdp(False)",
            "math_sdp_enabled",
            "torch.backends.cuda.math_sdp_enabled()",
        ),
        "the fast path of attention": (
            "torch.backends.mha.set_fastpath_enabled(False)",
            "torch.backends.mha",
            "torch.backends.mha.get_fastpath_enabled()",
        ),
        "the dtype of autocast": (
            "torch.set_autocast_dtype('cpu', torch.float16)",
            "get_autocast_dtype",
            "torch.get_autocast_dtype('cpu') == torch.bfloat16",
        ),
        "the cache of autocast": (
            "torch.set_autocast_cache_enabled(False)",
            "is_autocast_cache_enabled",
            "torch.is_autocast_cache_enabled()",
        ),
        "hooks on saved tensors forbidden": (
            "torch._C._autograd._saved_tensors_hooks_disable('no')",
            "saved_tensors_hooks_is_enabled",
            "torch._C._autograd._saved_tensors_hooks_is_enabled()",
        ),
        "checks of sparse tensors": (
            "torch.sparse.check_sparse_tensor_invariants.enable()",
            "check_sparse_tensor_invariants",
            "not torch.sparse.check_sparse_tensor_invariants.is_enabled()",
        ),
        "what conversions do": (
            "torch.__future__.set_swap_module_params_on_conversion(True)",
            "torch.__future__",
            "not torch.__future__.get_swap_module_params_on_conversion()",
        ),
        "no functions of subclasses": (
            "torch.left = torch._C.DisableTorchFunctionSubclass()\ntorch.left.__enter__()",
            "is_torch_function_enabled",
            "torch._C._is_torch_function_enabled()",
        ),
        "a profile being taken": (
            "import sys\nsys.left = torch.autograd.profiler.profile()\nsys.left.__enter__()",
            "profiler_enabled",
            "not torch.autograd._profiler_enabled()",
        ),
        "a class that may be loaded": (
            "class Left: pass\ntorch.serialization.add_safe_globals([Left])",
            "get_safe_globals",
            "all(safe.__name__ != 'Left' for safe in torch.serialization.get_safe_globals())",
        ),
        "how files are loaded": (
            "torch.serialization.set_crc32_options(False)",
            "torch.utils.serialization.config",
            "torch.serialization.get_crc32_options()",
        ),
        "a class that is a tree": (
            "import torch.utils._pytree as tree\nclass Left: pass\n"
            "tree.register_pytree_node(Left, lambda left: ([], None), lambda values, context: Left())",
            "torch.utils._pytree",
            "all(kind.__name__ != 'Left' for kind in __import__('torch.utils._pytree').utils._pytree.SUPPORTED_NODES)",
        ),
        "the validation of distributions": (
            "torch.distributions.Distribution.set_default_validate_args(False)",
            "validation of distributions",
            "__import__('torch.distributions').distributions.Distribution._validate_args",
        ),
        "where NumPy's errors go": (
            "np.seterrcall(lambda *arguments: None)",
            "NumPy's handling of errors",
            "np.geterrcall() is None",
        ),
        "the locale": (
            "import locale\nlocale.setlocale(locale.LC_ALL, 'C' if 'UTF' in locale.setlocale(0) else 'C.UTF-8')",
            "locale",
            "__import__('locale').setlocale(0) == __import__('locale').setlocale(0, '')",
        ),
        "the precision of decimals": (
            "import decimal\ndecimal.getcontext().prec = 3",
            "decimal",
            "__import__('decimal').getcontext().prec == 28",
        ),
        "where modules are": (
            "import sys\nsys.path.insert(0, '/left')",
            "sys.path",
            "'/left' not in __import__('sys').path",
        ),
        "how modules are found": (
            "import sys\nsys.meta_path.insert(0, object())",
            "sys.meta_path",
            "type(__import__('sys').meta_path[0]) is not object",
        ),
        "the mask of new files": (
            "import os\nos.umask(0o777)",
            "umask",
            "b'777' not in __import__('subprocess').run(['sh', '-c', 'umask'], capture_output=True).stdout",
        ),
        "how many files may be open": (
            "import resource as r\nr.setrlimit(r.RLIMIT_NOFILE, (77, r.getrlimit(r.RLIMIT_NOFILE)[1]))",
            "resource limits",
            "__import__('resource').getrlimit(__import__('resource').RLIMIT_NOFILE)[0] != 77",
        ),
        "the time zone": (
            "import os, time\nos.environ['TZ'] = 'Asia/Tokyo'\ntime.tzset()",
            "time.tzname",
            "__import__('time').tzname[0] != 'JST'",
        ),
        "when garbage is looked for": (
            "import gc\ngc.set_threshold(1)",
            "gc.get_threshold",
            "__import__('gc').get_threshold()[0] > 1",
        ),
        "what is logged": (
            "import logging\nlogging.disable(50)",
            "root logger",
            "__import__('logging').root.manager.disable == 0",
        ),
        "how objects are pickled": (
            "import copyreg\ncopyreg.pickle(complex, lambda number: (complex, ()))",
            "copyreg",
            "complex(2) == __import__('copy').copy(complex(2))",
        ),
        "what shows errors": ("import sys\nsys.excepthook = None", "sys.excepthook", "__import__('sys').excepthook"),
        "a function that traces calls": (
            "import sys\nsys.settrace(lambda *arguments: None)",
            "traces or profiles calls",
            "__import__('sys').gettrace() is None",
        ),
        "a function for profiles": (
            "import sys\nsys.setprofile(lambda *arguments: None)",
            "traces or profiles calls",
            "__import__('sys').getprofile() is None",
        ),
        "a function that traces the calls of threads": (
            "import threading\nthreading.settrace(lambda *arguments: None)",
            "threading.gettrace",
            "__import__('threading').gettrace() is None",
        ),
    }
)


def body(program: str, expect: str) -> str:
    lines = textwrap.indent(f"{program}\ny = x.detach()", "  ")
    return f'given: {{x: tensor()}}\ndo: |\n{lines}\nexpect: "y is not None and {expect}"'


@pytest.mark.parametrize("name", LEFT)
def test_what_a_claim_leaves_is_named_and_gone_for_the_next(name: str, judge: Judge) -> None:
    program, told, gone = LEFT[name]
    # A second library of one name, or operator, would raise: the program goes on then.
    once = (
        f"try:\n{textwrap.indent(program, '    ')}\nexcept RuntimeError:\n    pass" if "library" in program else program
    )
    left = judge(body(once, "y is not x"))
    assert (left.verdict, told in (left.detail or "")) == ("invalid", True), left
    assert judge(body("pass", gone)).verdict == "holds"


RAISING = "def left(*arguments, **named):\n    raise ValueError('left')\n"
SPOILING = {
    "builtins that this package calls": (
        RAISING + "import builtins\nbuiltins.map = builtins.zip = builtins.all = builtins.list = left",
        "builtins.all, builtins.list, builtins.map, builtins.zip",
    ),
    "what an exception is shown with": (
        RAISING + "import builtins\nbuiltins.str = builtins.getattr = builtins.isinstance = builtins.dict = left",
        "builtins.str",
    ),
    "imports": (RAISING + "import builtins\nbuiltins.__import__ = left", "builtins.__import__"),
    "a builtin that is no function": ("import builtins\nbuiltins.len = None", "builtins.len"),
    "calls that are traced": (RAISING + "import sys\nz = x.clone()\nsys.settrace(left)", "traces or profiles calls"),
}


@pytest.mark.parametrize("name", SPOILING)
def test_what_spoils_the_interpreter_is_invalid_and_gone_for_the_next(name: str, judge: Judge) -> None:
    """No such claim is taken for a mistake of this package."""
    program, told = SPOILING[name]
    left = judge(f"given: {{x: tensor()}}\ndo: |\n{textwrap.indent(program, '  ')}\nexpect: x.detach() is not x")
    assert (left.verdict, told in (left.detail or "")) == ("invalid", True), left
    assert judge(body("pass", "y is not x")).verdict == "holds"


def test_files_are_gone_for_the_next(judge: Judge) -> None:
    program = (
        "import os, tempfile\nopen('left', 'w').close()\nos.makedirs('folder/left', exist_ok=True)\n"
        "os.chmod('.', 0o500)\nopen(os.path.join(tempfile.gettempdir(), 'left too'), 'w').close()"
    )
    assert judge(body(program, "y is not x")).verdict == "holds"
    assert judge(body("import os", "os.listdir() == []")).verdict == "holds"


ORDINARY = {
    "an import": "__import__('xml.dom.minidom')",
    "an import of torch": "import torch.utils.benchmark",
    "an optimizer, which imports Dynamo": "torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1).step()",
    "pickling": "import copy, pickle\npickle.dumps(x.detach())",
    "a transform": "torch.vmap(torch.sin)(torch.ones(3)) if hasattr(torch, 'vmap') else 0",
    "a module of torch that puts an object in its place": (
        "import sys, types\nkind = type('Settings', (types.ModuleType,), {'__module__': 'torch.backends.made_up'})\n"
        "sys.modules['torch.backends.made_up'] = kind('made_up')"
    ),
    "a library that puts objects beside its modules, as Cython does": (
        "import sys\n"
        "with open('made_up_library.py', 'w') as file:\n"
        "    _ = file.write('import sys\\nclass Part: pass\\nsys.modules[\"made_up_library.part\"] = Part()')\n"
        "sys.path.insert(0, '.')\n"
        "_ = __import__('made_up_library')\n"
        "sys.path.pop(0)"
    ),
    "a patch that is undone": "old = torch.Tensor.add\ntorch.Tensor.add = max\ntorch.Tensor.add = old",
    "the folder for temporary files is asked for": "import tempfile\ntempfile.gettempdir()",
    "a warning that torch gives": "torch.set_default_tensor_type(torch.FloatTensor)",
}


@pytest.mark.parametrize("name", ORDINARY)
def test_what_torch_and_python_do_themselves_is_no_leak(name: str, judge: Judge) -> None:
    entry = judge(body(ORDINARY[name], "y is not x"))
    assert (entry.verdict, entry.detail) == ("holds", None)


def test_what_dynamo_turns_off_is_on_for_the_next(judge: Judge) -> None:
    assert judge(body("torch.compile(torch.sin, backend='eager')", "y is not x")).verdict == "holds"
    assert (
        judge(body("pass", "__import__('torch.distributions').distributions.Distribution._validate_args")).verdict
        == "holds"
    )
