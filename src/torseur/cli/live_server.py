"""The server of `torseur live`: one page on this machine, a run for every move of a slider."""

from __future__ import annotations

import json
import math
import os
import secrets
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ..errors import AssemblyError, TorseurError
from ..model.formats import load
from ..results import Trajectory
from ..show import collect_contents, page, preview_contents
from ..simulation import simulate
from ..system import start_of

LARGEST = 100_000  # bytes of a question
LAST = 1e300  # numbers up to which are taken
PATIENCE = 20.0  # s that a page waits for the file to change
WRITTEN = ("run", "model")  # tabs whose texts change with a run
ROWS = 401  # of a live run, unless the file says so


class LiveModel:
    """A model file, read again when it changes, and runs of it with other numbers."""

    def __init__(self, path: Path):
        self.path, self.lock = Path(path), threading.Lock()
        self.stamp, self.trouble = "", ""
        self.read()

    def now(self) -> str:
        """What changes when the file does."""
        try:
            s = self.path.stat()
        except OSError:
            return self.stamp  # an editor replaces it: look again
        return f"{s.st_mtime_ns}-{s.st_size}"

    def read(self) -> None:
        """Read the file; what is wrong with a later version is told, the last good one stays."""
        stamp = self.now()
        first = not self.stamp
        try:
            model = load(self.path)
            system = model.check()
            initial, options = start_of(system)
            self.model, self.system, self.initial = model, system, initial
            self.options = {"t_end": 1.0, "output": ROWS} | options
            self.trouble = ""
        except TorseurError as e:
            if first:
                raise
            self.trouble = str(e)
        self.stamp = stamp

    def offer(self, token: str) -> dict[str, Any]:
        """What sliders the page has."""
        system = self.system
        units = {p.name: p.unit for p in system.ports}
        numbers = {n: float(x) for n, x in system.parameters.items() if x is not None}
        state = [n for n in (*system.coordinates, *system.speeds) if not _quaternion(n)]
        given = self.options.get("inputs") or {}
        inputs = {
            i.name: float(given.get(i.name, 0.0))
            for i in system.inputs
            if i.size == 1 and isinstance(given.get(i.name, 0.0), int | float)
        }
        return {
            "token": token,
            "stamp": self.stamp,
            "parameters": [_slider(n, x, units.get(n, "")) for n, x in numbers.items()],
            "initial": [
                _slider(n, float(self.initial.get(n, 0.0)), units.get(n, "")) for n in state
            ],
            "inputs": [_slider(n, x, units.get(n, "")) for n, x in inputs.items()],
        }

    def run(self, asked: dict[str, Any]) -> Trajectory:
        """A run with the numbers asked for; others are the file's."""
        known = {"parameters", "initial", "inputs"}
        if not isinstance(asked, dict) or not set(asked) <= known:
            raise TorseurError(f"live: expected numbers of {', '.join(sorted(known))}")
        told: dict[str, dict[str, float]] = {}
        for kind in known:
            given = asked.get(kind) or {}
            if not isinstance(given, dict) or not all(_finite(x) for x in given.values()):
                raise TorseurError(f"live: {kind}: expected names with finite numbers")
            told[kind] = given
        options = dict(self.options)
        if told["inputs"]:
            options["inputs"] = (options.get("inputs") or {}) | told["inputs"]
        return self._closed(told, options)

    def _closed(self, told: dict[str, dict[str, float]], options: dict[str, Any]) -> Trajectory:
        """A run that holds what was moved, and of the file's start what lets its loops close."""
        moved = list(told["initial"])
        speeds = [n for n in self.initial if n in self.system.speeds]
        own = options.get("keep", list(self.initial))
        tries = [[*own, *moved], [*speeds, *moved], moved] if moved else [None]
        for i, keep in enumerate(tries, 1):
            if keep is not None:
                options["keep"] = list(dict.fromkeys(keep))
            try:
                return simulate(
                    self.system,
                    initial=self.initial | told["initial"],
                    parameters=told["parameters"] or None,
                    progress=False,
                    **options,
                )
            except AssemblyError:
                if i == len(tries):
                    raise
        raise AssertionError("one of them answers or raises")

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """A run as the page takes it, or what is wrong; only what it has `shown`, if it says so."""
        with self.lock:
            begun = time.perf_counter()
            try:
                shown = asked.get("shown") if isinstance(asked, dict) else None
                run = self.run({k: x for k, x in asked.items() if k != "shown"} if shown else asked)
                texts = {}
                if shown:
                    shapes = asked.get("parameters")
                    data = preview_contents(run, self.system, _names(shown), bool(shapes))
                else:
                    _, data, places = collect_contents(run, self.system, {"live": {}}, only=WRITTEN)
                    data["others"] = []
                    texts = {word: html for word, _, html in places}
            except TorseurError as e:
                return {"trouble": str(e)}
            seconds = time.perf_counter() - begun
            return {"data": data, "texts": texts, "seconds": seconds, "trouble": self.trouble}


class LiveServer(ThreadingHTTPServer):
    """Serves one page to whoever knows its token, on the loopback of this machine alone."""

    daemon_threads = True
    allow_reuse_address = os.name == "posix"  # elsewhere another program could take the port too

    def __init__(self, path, port: int = 0):
        self.live, self.token = LiveModel(path), secrets.token_urlsafe(24)
        self.closing = threading.Event()
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def address(self) -> str:
        """Where the page is, with its token."""
        return f"http://127.0.0.1:{self.server_port}/?token={self.token}"

    def html(self) -> str:
        """The page: the report, with sliders in front."""
        live = self.live
        with live.lock:
            return page(live.run({}), live.system, reach="'self'", live=live.offer(self.token))

    def wait(self, stamp: str) -> dict[str, Any]:
        """Answer when the file is not what the page knows, or after a while."""
        live, until = self.live, time.monotonic() + PATIENCE
        while time.monotonic() < until and not self.closing.is_set():
            if live.now() != live.stamp:
                with live.lock:
                    if live.now() != live.stamp:
                        live.read()
            if live.stamp != stamp:
                found = {"live": live.offer(self.token), "trouble": live.trouble}
                return found if live.trouble else found | live.answer({})
            self.closing.wait(0.1)
        return {"trouble": live.trouble}


class _Handler(BaseHTTPRequestHandler):
    """Three questions: the page, a run, and whether the file changed."""

    server: LiveServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """The page itself, or the wait for another version of the file."""
        asked = urlsplit(self.path)
        query = {n: x[-1] for n, x in parse_qs(asked.query).items()}
        if not self._ours():
            return self._send(403, b"not from here", "text/plain")
        if asked.path == "/":
            if not secrets.compare_digest(
                query.get("token", "").encode(), self.server.token.encode()
            ):
                return self._send(403, b"the address needs its token", "text/plain")
            return self._send(200, self.server.html().encode(), "text/html; charset=utf-8")
        if asked.path == "/wait" and self._known():
            return self._json(self.server.wait(query.get("stamp", "")))
        return self._send(404, b"nothing here", "text/plain")

    def do_POST(self) -> None:
        """A run with other numbers."""
        try:
            size = int(self.headers.get("Content-Length", "0"))
        except ValueError:
            size = -1
        if not (self._ours() and self._known()):
            self.close_connection = True
            return self._send(403, b"not from here", "text/plain")
        if self.path != "/run" or not 0 <= size <= LARGEST:
            self.close_connection = True
            return self._send(400, b"expected a question to /run", "text/plain")
        try:
            asked = json.loads(self.rfile.read(size) or b"{}")
        except (ValueError, RecursionError):
            return self._json({"trouble": "live: the question is no JSON"})
        return self._json(self.server.live.answer(asked))

    def _ours(self) -> bool:
        """Whether the page's own host asks: other names for this machine are refused."""
        port = self.server.server_port
        hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        origin = self.headers.get("Origin")
        return self.headers.get("Host") in hosts and (
            origin is None or origin.removeprefix("http://") in hosts
        )

    def _known(self) -> bool:
        given = self.headers.get("X-Torseur-Token", "")
        return secrets.compare_digest(given.encode(), self.server.token.encode())

    def _json(self, data: dict[str, Any]) -> None:
        self._send(200, json.dumps(data, allow_nan=False).encode(), "application/json")

    def _send(self, code: int, body: bytes, kind: str) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        with suppress(ConnectionError):  # a page that was closed meanwhile
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the page says what happens."""


def _names(given) -> list[str]:
    if not isinstance(given, list) or not all(isinstance(n, str) for n in given):
        raise TorseurError("live: shown: expected a list of names of signals")
    return given


def _finite(x) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool) and -LAST <= x <= LAST


def _quaternion(name: str) -> bool:
    return name.endswith((".qw", ".qx", ".qy", ".qz"))


def _slider(name: str, value: float, unit: str) -> dict[str, Any]:
    """A slider about a value: from a fifth to three times, or about zero."""
    if value > 0 and unit not in ("rad", "rad/s", "m/s"):
        low, high = 0.2 * value, 3.0 * value
    else:
        span = {"rad": math.pi, "rad/s": 10.0}.get(unit, 1.0)
        reach = max(abs(value) * 2, span)
        low, high = value - reach, value + reach
    return {"name": name, "value": value, "low": low, "high": high, "unit": unit}
