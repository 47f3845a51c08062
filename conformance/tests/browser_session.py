"""A browser that stays open: a test loads pages, presses keys and looks; it speaks DevTools through a pipe."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conformance.tests.browser import NAMES

#: Seconds within which the browser answers, and within which what a page was told to do has happened.
_PATIENCE = 60.0
#: Keys as a test names them: the code of each, and the text that it types.
_KEYS = {"Tab": (9, ""), "Enter": (13, "\r"), "Escape": (27, ""), "Space": (32, " "), "ArrowDown": (40, "")}


class BrowserSession:
    """A page of a browser without a window.

    Parameters
    ----------
    asks, answers
        The pipe: file descriptors to write to and to read from.
    """

    def __init__(self, asks: int, answers: int) -> None:
        self._asks, self._answers = asks, answers
        self._left, self._number, self._page = b"", 0, ""
        self._events: list[dict[str, Any]] = []
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._page = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime"):
            self._call(f"{domain}.enable")

    def open(self, address: str, *, width: int = 1400, height: int = 900, dark: bool = False) -> None:
        """Load a page; return when its scripts have run."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self._call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._call("Emulation.setEmulatedMedia", features=[scheme])
        self._call("Page.navigate", url="about:blank")
        self._events.clear()
        self._call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def value(self, script: str) -> Any:
        """Return what an expression of JavaScript gives, which may be a promise."""
        told = self._call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True
        )
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    def wait(self, script: str) -> Any:
        """Return what an expression gives as soon as that counts as true."""
        end = time.monotonic() + _PATIENCE
        while not (found := self.value(script)):
            assert time.monotonic() < end, f"never true: {script}"
            time.sleep(0.05)
        return found

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press a key."""
        code, text = _KEYS[key]
        facts = {
            "key": " " if key == "Space" else key,
            "code": key,
            "windowsVirtualKeyCode": code,
            "modifiers": 8 * shift,
        }
        self._call("Input.dispatchKeyEvent", type="keyDown", text=text, **facts)
        self._call("Input.dispatchKeyEvent", type="keyUp", **facts)

    def type(self, text: str) -> None:
        """Type a text into what has the focus."""
        self._call("Input.insertText", text=text)

    def click(self, selector: str) -> None:
        """Click into the middle of an element, as a person does: what lies above it gets the click."""
        place = self.value(
            f"(() => {{ const one = document.querySelector({json.dumps(selector)});"
            " one.scrollIntoView({ block: 'center', behavior: 'instant' });"
            " const box = one.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        at = {"x": place[0], "y": place[1], "button": "left", "clickCount": 1}
        self._call("Input.dispatchMouseEvent", type="mousePressed", **at)
        self._call("Input.dispatchMouseEvent", type="mouseReleased", **at)

    def allow_clipboard(self) -> None:
        """Let pages read and write the clipboard, as a person at a window does."""
        permissions = ["clipboardReadWrite", "clipboardSanitizedWrite"]
        self._call("Browser.grantPermissions", permissions=permissions)

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """Write what the page looks like to a file of PNG."""
        told = self._call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(told["data"]))

    def requests(self) -> list[str]:
        """List the addresses that the page has loaded since it was opened."""
        self.value("0")  # what the browser has to say stands before its answer
        told = [event for event in self._events if event["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in told]

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        asked: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._page and not method.startswith("Browser."):
            asked["sessionId"] = self._page
        os.write(self._asks, json.dumps(asked).encode() + b"\0")
        while True:
            told = self._read()
            if told.get("id") == self._number:
                assert "error" not in told, f"{method}: {told['error']}"
                result: dict[str, Any] = told["result"]
                return result
            if "method" in told:
                self._events.append(told)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._left:
            more = os.read(self._answers, 1 << 20)
            assert more, "the browser has ended"
            self._left += more
        text, _, self._left = self._left.partition(b"\0")
        told: dict[str, Any] = json.loads(text)
        return told


@contextmanager
def browser_session() -> Iterator[BrowserSession]:
    """Start a browser, and end it."""
    program = next(filter(None, map(shutil.which, NAMES)))
    (their_asks, asks), (answers, their_answers) = os.pipe(), os.pipe()
    # It reads from 3 and writes to 4, whichever of the two ends have these numbers here.
    theirs = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (their_asks, their_answers)]
    ends = " ".join(f"{number}{sign}&{end}" for number, sign, end in zip((3, 4), "<>", theirs))

    profile = tempfile.mkdtemp(prefix="conformance-browser-")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--hide-scrollbars"]
    command = [str(program), *flags, "--remote-debugging-pipe", f"--user-data-dir={profile}"]
    process = subprocess.Popen(
        ["bash", "-c", f'exec "$@" {ends}', "-", *command],
        pass_fds=theirs,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    for end in (their_asks, their_answers, *theirs):
        os.close(end)
    try:
        yield BrowserSession(asks, answers)
    finally:
        os.close(asks)
        os.close(answers)
        process.terminate()
        process.wait(timeout=30)
        shutil.rmtree(profile, ignore_errors=True)  # its processes may still write
