"""A real browser, without a window: what a page is after its scripts have run."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
#: Scripts may take so many milliseconds of the browser's own time.
_BUDGET = 60_000

needs_browser = pytest.mark.skipif(
    not any(map(shutil.which, NAMES)), reason="needs Chromium: its Debian package is chromium"
)


def page_after_scripts(path: Path, query: str = "", *, width: int = 1400) -> str:
    """Return the HTML of a page from a file after its scripts have run."""
    program = next(filter(None, map(shutil.which, NAMES)))
    with tempfile.TemporaryDirectory(prefix="conformance-browser-") as profile:
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"]
        command += [f"--window-size={width},1000", f"--virtual-time-budget={_BUDGET}", "--dump-dom"]
        done = subprocess.run(
            [*command, f"{path.as_uri()}{query}"], capture_output=True, text=True, timeout=180, check=True
        )
    return done.stdout


def value_of(script: str, page: Path, *, width: int = 1400) -> Any:
    """Return what an expression of JavaScript gives, which may be a promise, after a page and its scripts are loaded.

    Parameters
    ----------
    page
        The page; a copy of it beside it has the expression too.
    """
    text = page.read_text(encoding="utf-8")
    run = (
        '<pre id="value-of-test"></pre><script>addEventListener("load", async () => {'
        f"let told; try {{ told = JSON.stringify(await ({script})); }} "
        "catch (error) { told = `failed: ${error.stack}`; }"
        'document.getElementById("value-of-test").textContent = told; });</script>'
    )
    copy = page.with_name(f"tested-{page.name}")
    copy.write_text(text.replace("</body>", f"{run}</body>"), encoding="utf-8")
    found = re.search(r'<pre id="value-of-test">(.*?)</pre>', page_after_scripts(copy, width=width), re.S)
    assert found is not None
    told = html.unescape(found[1])
    assert told, "the page is not done in time"
    assert not told.startswith("failed:"), told
    return json.loads(told)
