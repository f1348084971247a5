"""A headless Chromium driven over its debugging pipe, with the standard library alone."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)
# the browser reads from descriptor 3 and writes to 4
LAUNCH = """if 1:
    import os, sys
    from fcntl import F_DUPFD, fcntl
    ends = [fcntl(int(fd), F_DUPFD, 10) for fd in sys.argv[1:3]]
    for fd, end in zip((3, 4), ends):
        os.dup2(end, fd)
    os.execvp(sys.argv[3], sys.argv[3:])
"""


def chromium() -> str | None:
    """The browser to test with: TORSEUR_CHROMIUM, or the first one found."""
    return os.environ.get("TORSEUR_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One browser with one tab.  Everything the tab logs or asks for is kept."""

    def __init__(self, folder, size=(1280, 800), patience=60.0):
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        command = [
            sys.executable,
            "-c",
            LAUNCH,
            str(to_read),
            str(to_write),
            chromium(),
            *FLAGS,
            f"--user-data-dir={folder}",
            f"--window-size={size[0]},{size[1]}",
            "about:blank",
        ]
        self.process = subprocess.Popen(
            command,
            pass_fds=(to_read, to_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self.patience, self.number, self.buffer, self.session = patience, 0, b"", None
        self.events: list[dict] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        os.close(self._read)
        os.close(self._write)

    def _message(self, until) -> dict:
        while b"\0" not in self.buffer:
            if not select.select([self._read], [], [], max(0.0, until - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self._read, 1 << 20)
            if not data:
                raise ConnectionError("the browser has gone")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def ask(self, method, **params):
        """Call a method of the DevTools protocol and wait for its answer."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + self.patience
        while True:
            got = self._message(until)
            if got.get("id") == self.number:
                assert "error" not in got, f"{method}: {got['error']}"
                return got["result"]
            self.events.append(got)

    def run(self, script):
        """Value of a JavaScript expression; a promise is awaited."""
        got = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in got, got["exceptionDetails"]
        return got["result"].get("value")

    def until(self, script):
        """Wait for a JavaScript condition."""
        end = time.monotonic() + self.patience
        while not self.run(script):
            assert time.monotonic() < end, f"never came true: {script}\n{self.complaints()}"
            time.sleep(0.05)

    def open(self, url):
        self.ask("Page.navigate", url=url)
        self.until(
            f"location.href === {json.dumps(url)}"
            " && document.documentElement?.dataset.ready === 'yes'"
        )

    def click(self, selector, x=0.5, y=0.5):
        """A press of the mouse inside an element, at shares of its width and height."""
        box = self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            " e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect();"
            " return [r.x, r.y, r.width, r.height]; })()"
        )
        at = {"x": box[0] + x * box[2], "y": box[1] + y * box[3]}
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **at)

    def key(self, name):
        text = {"text": " "} if name == " " else {}
        code = {" ": 32, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowRight": 39}[name]
        for kind in ("keyDown", "keyUp"):
            self.ask(
                "Input.dispatchKeyEvent",
                type=kind,
                key=name,
                windowsVirtualKeyCode=code,
                **(text if kind == "keyDown" else {}),
            )

    def write(self, text):
        self.ask("Input.insertText", text=text)

    def requests(self) -> list[str]:
        """Every address the page asked for."""
        return [
            e["params"]["request"]["url"]
            for e in self.events
            if e.get("method") == "Network.requestWillBeSent"
        ]

    def complaints(self) -> list:
        """Errors on the console, uncaught exceptions, refused requests."""
        out = []
        for e in self.events:
            p = e.get("params", {})
            match e.get("method"):
                case "Runtime.exceptionThrown":
                    out.append(p["exceptionDetails"].get("exception", {}).get("description"))
                case "Runtime.consoleAPICalled" if p["type"] in ("error", "assert", "warning"):
                    out.append([a.get("value", a.get("description")) for a in p["args"]])
                case "Log.entryAdded" if p["entry"]["level"] == "error":
                    out.append(p["entry"]["text"])
        return out
