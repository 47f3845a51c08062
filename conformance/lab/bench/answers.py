"""What it costs to answer a question: processor time of a command, and of an interpreter that imports as much."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence

#: Commands, each with the processor time in seconds that is aimed at.
QUESTIONS: dict[str, float] = {
    "--version": 0.15,
    "--help": 0.15,
    "show numpy": 0.6,
    "check": 1,
    "upgrade 2.4 2.15": 1.2,
    "census": 3,
}
_TIMES = 5

_ASK = "import sys; from conformance.__main__ import main; sys.exit(main(sys.argv[1:]))"
_IMPORTED = """
import contextlib, io, json, sys
from conformance.__main__ import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main(sys.argv[1:])
print(json.dumps([name for name in sys.modules if name.partition(".")[0] not in ("conformance", "__main__")]))
"""
_IMPORT = """
import contextlib, importlib, json, sys
for name in json.loads(sys.argv[1]):
    with contextlib.suppress(ImportError):
        importlib.import_module(name)
"""


def ask(question: str) -> dict[str, float]:
    """Return the seconds of a command whose cache is warm, and those of the imports of other packages that it makes."""
    arguments = question.split()
    modules = _python(_IMPORTED, arguments)[1].splitlines()[-1]  # this also fills the cache
    return {
        "command": min(_python(_ASK, arguments)[0] for _ in range(_TIMES)),
        "imports": min(_python(_IMPORT, [modules])[0] for _ in range(_TIMES)),
        "modules": len(json.loads(modules)),
    }


def _python(program: str, arguments: Sequence[str]) -> tuple[float, str]:
    """Run a program in an interpreter; return its processor time, that of its processes included, and its output."""
    before = os.times()
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system, done.stdout
