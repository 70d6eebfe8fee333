"""A headless Chromium, spoken to through pipes in its own protocol (Chrome DevTools): no driver, no package."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless_shell")
CHROMIUM = os.environ.get("CHROMIUM") or next((found for name in NAMES if (found := shutil.which(name))), "")

# The browser reads commands on file descriptor 3 and answers on 4.
_LAUNCH = """
import os, sys
reading, writing = (os.dup(int(number)) for number in sys.argv[1:3])
far = [os.dup2(reading, 64), os.dup2(writing, 65)]
os.dup2(64, 3)
os.dup2(65, 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""
_FLAGS = (
    *("--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
    *("--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-component-update"),
    *("--hide-scrollbars", "--mute-audio", "--force-color-profile=srgb", "--lang=en"),
)
_KEYS = {"Enter": (13, "\r"), " ": (32, " "), "Tab": (9, ""), "ArrowDown": (40, ""), "End": (35, ""), "Home": (36, "")}


class Browser:
    """One page of a headless Chromium."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers = commands, answers
        self._number = 0
        self._left = b""
        self._session = ""
        self.events: list[dict[str, Any]] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer; events that come before it are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read(60)
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _write(self, message: bytes) -> None:
        while message:
            message = message[os.write(self._commands, message) :]

    def _read(self, seconds: float) -> dict[str, Any]:
        end = time.monotonic() + seconds
        while b"\0" not in self._left:
            ready, _, _ = select.select([self._answers], [], [], max(0.0, end - time.monotonic()))
            more = os.read(self._answers, 1 << 20) if ready else b""
            if not more:
                raise TimeoutError("Chromium gives no answer")
            self._left += more
        message, self._left = self._left.split(b"\0", 1)
        record: dict[str, Any] = json.loads(message)
        return record

    def evaluate(self, script: str) -> Any:
        """The value of a JavaScript expression; a promise is waited for."""
        said = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in said, said["exceptionDetails"]
        return said["result"].get("value")

    def wait_for(self, script: str, seconds: float = 30.0) -> Any:
        """Wait until an expression is true, and return its value."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = self.evaluate(script)
            if value:
                return value
            time.sleep(0.01)
        raise TimeoutError(script)

    def open(self, path: Path) -> float:
        """Open a report's page and return the seconds until its items can be used and are drawn."""
        self.events.clear()
        begin = time.perf_counter()
        self.send("Page.navigate", url=path.resolve().as_uri())
        self.wait_for("location.protocol === 'file:' && document.readyState === 'complete'")
        self.wait_for("!document.getElementById('list') || !!document.querySelector('.item')")
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return time.perf_counter() - begin

    def size(self, width: int, height: int, *, is_phone: bool = False) -> None:
        """Set the size of the window in CSS pixels."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone}
        self.send("Emulation.setDeviceMetricsOverride", **metrics)

    def prefer(self, scheme: str) -> None:
        """Say that the user prefers 'light' or 'dark'."""
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def press(self, key: str) -> None:
        """Press and release a key."""
        code, text = _KEYS[key]
        keys = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": code}
        self.send("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **keys)
        self.send("Input.dispatchKeyEvent", type="keyUp", **keys)

    def picture(self, path: Path, *, is_whole: bool = False) -> None:
        """Take a screenshot, of the window or of the whole page."""
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=is_whole)
        path.write_bytes(base64.b64decode(shot["data"]))


@contextlib.contextmanager
def browsing() -> Iterator[Browser]:
    """A browser that is closed at the end."""
    in_read, in_write = os.pipe()
    out_read, out_write = os.pipe()
    profile = tempfile.mkdtemp(prefix="chromium-")
    launch = [sys.executable, "-c", _LAUNCH, str(in_read), str(out_write), CHROMIUM, *_FLAGS]
    process = subprocess.Popen(
        [*launch, f"--user-data-dir={profile}", "about:blank"],
        pass_fds=(in_read, out_write),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(in_read)
    os.close(out_write)
    try:
        yield Browser(in_write, out_read)
    finally:
        os.close(in_write)
        os.close(out_read)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        shutil.rmtree(profile, ignore_errors=True)
