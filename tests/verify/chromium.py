"""Headless Chromium over its debugging pipe: no driver, no package, no port."""

from __future__ import annotations

import base64
import contextlib
import itertools
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
from typing import Any, Optional

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
PATIENCE = 60.0

# The pipe is where Chromium looks for it: descriptors 3 and 4, which may be taken by others before.
AS_3_AND_4 = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 100) for end in sys.argv[1:3]]
for end, place in zip(ends, (3, 4)):
    os.dup2(end, place)
os.execvp(sys.argv[3], sys.argv[3:])
"""


def find() -> Optional[str]:
    """The browser, where there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Page:
    """One page; what it logs, and what it asks the network for, is kept."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._to, self._from = to_browser, from_browser
        self._numbers, self._rest = itertools.count(1), b""
        self._session: Optional[str] = None
        self.events: list[dict[str, Any]] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def _message(self) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._from], [], [], max(0.0, end - time.monotonic()))
            data = os.read(self._from, 1 << 20) if ready else b""
            if not data:
                raise RuntimeError("the browser says nothing")
            self._rest += data
        message, _, self._rest = self._rest.partition(b"\0")
        return dict(json.loads(message))

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        os.write(
            self._to,
            json.dumps({**message, **({"sessionId": self._session} if self._session else {})}).encode() + b"\0",
        )
        while True:
            answer = self._message()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return dict(answer["result"])
            self.events.append(answer)

    def wait_for(self, event: str) -> None:
        while not any(one.get("method") == event for one in self.events):
            self.events.append(self._message())

    def open(self, path: Path, width: int = 1280, dark: bool = False, scripts: bool = True) -> None:
        """Show a file, in a window of this width."""
        self.events.clear()
        phone = width < 600
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=phone)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self.send("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.send("Page.navigate", url=path.as_uri())
        self.wait_for("Page.loadEventFired")

    def run(self, code: str) -> Any:
        """The value of an expression, a promise awaited."""
        answer = self.send("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def press(self, key: str, code: int, text: str = "") -> None:
        for kind in ("keyDown", "keyUp"):
            given = {"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code}
            self.send("Input.dispatchKeyEvent", **given, **({"text": text} if kind == "keyDown" and text else {}))

    def complaints(self) -> list[Any]:
        """Errors and warnings of the console, and exceptions."""
        self.run("0")
        kinds = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [one["params"] for one in self.events if one.get("method") in kinds]

    def requests(self) -> list[str]:
        """Everything that the page asked for."""
        sent = [
            one["params"]["request"]["url"] for one in self.events if one.get("method") == "Network.requestWillBeSent"
        ]
        return [url for url in sent if not url.startswith("data:")]

    def picture(self, path: Path, height: Optional[int] = None) -> None:
        """A picture of the page from its top, of the whole page without a height."""
        size = self.run("[document.documentElement.clientWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": size[0], "height": min(height or size[1], size[1]), "scale": 1}
        data = self.send("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))


@contextlib.contextmanager
def opened() -> Iterator[Page]:
    """A browser with one page, ended at the end."""
    browser = find()
    assert browser is not None
    read_by_browser, to_browser = os.pipe()
    from_browser, written_by_browser = os.pipe()
    with tempfile.TemporaryDirectory() as folder:
        command = [browser, *FLAGS, f"--user-data-dir={folder}"]
        process = subprocess.Popen(
            [sys.executable, "-c", AS_3_AND_4, str(read_by_browser), str(written_by_browser), *command],
            pass_fds=(read_by_browser, written_by_browser),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(read_by_browser)
        os.close(written_by_browser)
        try:
            yield Page(to_browser, from_browser)
        finally:
            os.close(to_browser)
            os.close(from_browser)
            process.terminate()
            process.wait(PATIENCE)
