"""HTTP server of `torseur live` on the loopback interface: a report with sliders, and a new run for
every change.
"""

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

MAX_REQUEST_BYTES = 100_000  # bytes of a question
MAX_NUMBER = 1e300  # numbers up to which are taken
MAX_WAIT_SECONDS = 20.0  # s that a page waits for the file to change
TEXT_PANELS = ("run", "model")  # tabs whose texts change with a run
DEFAULT_ROWS = 401  # of a live run, unless the file says so


class LiveModel:
    """A model file that is reloaded when it changes, and runs of it with other numbers."""

    def __init__(self, path: Path):
        self.path, self.lock = Path(path), threading.Lock()
        self.stamp, self.trouble = "", ""
        self.read()

    def file_stamp(self) -> str:
        """Modification time and size of the file."""
        try:
            s = self.path.stat()
        except OSError:
            return self.stamp  # an editor replaces it: look again
        return f"{s.st_mtime_ns}-{s.st_size}"

    def read(self) -> None:
        """Load the file. After an error in a later version, keep the last valid model and report
        the error.
        """
        stamp = self.file_stamp()
        first = not self.stamp
        try:
            model = load(self.path)
            system = model.check()
            initial, options = start_of(system)
            self.model, self.system, self.initial = model, system, initial
            self.options = {"t_end": 1.0, "output": DEFAULT_ROWS} | options
            self.trouble = ""
        except TorseurError as e:
            if first:
                raise
            self.trouble = str(e)
        self.stamp = stamp

    def slider_data(self, token: str) -> dict[str, Any]:
        """Describe the sliders: parameters, initial values and inputs."""
        system = self.system
        units = {p.name: p.unit for p in system.ports}
        numbers = {n: float(x) for n, x in system.parameters.items() if x is not None}
        state = [n for n in (*system.coordinates, *system.speeds) if not _is_quaternion(n)]
        input_values = self.options.get("inputs") or {}
        inputs = {
            i.name: float(input_values.get(i.name, 0.0))
            for i in system.inputs
            if i.size == 1 and isinstance(input_values.get(i.name, 0.0), int | float)
        }
        return {
            "token": token,
            "stamp": self.stamp,
            "parameters": [_make_slider(n, x, units.get(n, "")) for n, x in numbers.items()],
            "initial": [
                _make_slider(n, float(self.initial.get(n, 0.0)), units.get(n, "")) for n in state
            ],
            "inputs": [_make_slider(n, x, units.get(n, "")) for n, x in inputs.items()],
        }

    def run(self, request: dict[str, Any]) -> Trajectory:
        """Simulate with the requested numbers. The file supplies all others."""
        kinds = {"parameters", "initial", "inputs"}
        if not isinstance(request, dict) or not set(request) <= kinds:
            raise TorseurError(f"live: expected numbers of {', '.join(sorted(kinds))}")
        values: dict[str, dict[str, float]] = {}
        for kind in kinds:
            numbers = request.get(kind) or {}
            if not isinstance(numbers, dict) or not all(
                _is_finite_number(x) for x in numbers.values()
            ):
                raise TorseurError(f"live: {kind}: expected names with finite numbers")
            values[kind] = numbers
        options = dict(self.options)
        if values["inputs"]:
            options["inputs"] = (options.get("inputs") or {}) | values["inputs"]
        return self._simulate_closed(values, options)

    def _simulate_closed(
        self, values: dict[str, dict[str, float]], options: dict[str, Any]
    ) -> Trajectory:
        """Simulate with the changed initial values fixed, and as much of the file's initial state
        as the loops permit.
        """
        changed = list(values["initial"])
        speeds = [n for n in self.initial if n in self.system.speeds]
        file_keep = options.get("keep", list(self.initial))
        keep_lists = [[*file_keep, *changed], [*speeds, *changed], changed] if changed else [None]
        for i, keep in enumerate(keep_lists, 1):
            if keep is not None:
                options["keep"] = list(dict.fromkeys(keep))
            try:
                return simulate(
                    self.system,
                    initial=self.initial | values["initial"],
                    parameters=values["parameters"] or None,
                    progress=False,
                    **options,
                )
            except AssemblyError:
                if i == len(keep_lists):
                    raise
        raise AssertionError("one of them answers or raises")

    def answer_request(self, request: dict[str, Any]) -> dict[str, Any]:
        """Simulate and return the data of the page, or an error message.

        An entry `shown` of the request limits the data to a preview of these signals.
        """
        with self.lock:
            start = time.perf_counter()
            try:
                visible = request.get("shown") if isinstance(request, dict) else None
                run = self.run(
                    {k: x for k, x in request.items() if k != "shown"} if visible else request
                )
                panel_texts = {}
                if visible:
                    shapes = request.get("parameters")
                    data = preview_contents(run, self.system, _check_names(visible), bool(shapes))
                else:
                    _, data, tabs = collect_contents(
                        run, self.system, {"live": {}}, only=TEXT_PANELS
                    )
                    data["others"] = []
                    panel_texts = {name: html for name, _, html in tabs}
            except TorseurError as e:
                return {"trouble": str(e)}
            seconds = time.perf_counter() - start
            return {"data": data, "texts": panel_texts, "seconds": seconds, "trouble": self.trouble}


class LiveServer(ThreadingHTTPServer):
    """HTTP server of one page for clients with its token, on the loopback interface."""

    daemon_threads = True
    allow_reuse_address = os.name == "posix"  # elsewhere another program could take the port too

    def __init__(self, path, port: int = 0):
        self.live, self.token = LiveModel(path), secrets.token_urlsafe(24)
        self.closing = threading.Event()
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def address(self) -> str:
        """Address of the page, with its token."""
        return f"http://127.0.0.1:{self.server_port}/?token={self.token}"

    def html(self) -> str:
        """HTML of the report with sliders."""
        live = self.live
        with live.lock:
            return page(
                live.run({}), live.system, reach="'self'", live=live.slider_data(self.token)
            )

    def wait(self, stamp: str) -> dict[str, Any]:
        """Wait until the file differs from the version of the page, at most `MAX_WAIT_SECONDS`."""
        live, until = self.live, time.monotonic() + MAX_WAIT_SECONDS
        while time.monotonic() < until and not self.closing.is_set():
            if live.file_stamp() != live.stamp:
                with live.lock:
                    if live.file_stamp() != live.stamp:
                        live.read()
            if live.stamp != stamp:
                response = {"live": live.slider_data(self.token), "trouble": live.trouble}
                return response if live.trouble else response | live.answer_request({})
            self.closing.wait(0.1)
        return {"trouble": live.trouble}


class _Handler(BaseHTTPRequestHandler):
    """Request handler: the page, a run, and the wait for a change of the file."""

    server: LiveServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Send the page, or wait for another version of the file."""
        url = urlsplit(self.path)
        query = {n: x[-1] for n, x in parse_qs(url.query).items()}
        if not self._is_same_origin():
            return self._send(403, b"not from here", "text/plain")
        if url.path == "/":
            if not secrets.compare_digest(
                query.get("token", "").encode(), self.server.token.encode()
            ):
                return self._send(403, b"the address needs its token", "text/plain")
            return self._send(200, self.server.html().encode(), "text/html; charset=utf-8")
        if url.path == "/wait" and self._has_token():
            return self._json(self.server.wait(query.get("stamp", "")))
        return self._send(404, b"nothing here", "text/plain")

    def do_POST(self) -> None:
        """Simulate with other numbers."""
        try:
            size = int(self.headers.get("Content-Length", "0"))
        except ValueError:
            size = -1
        if not (self._is_same_origin() and self._has_token()):
            self.close_connection = True
            return self._send(403, b"not from here", "text/plain")
        if self.path != "/run" or not 0 <= size <= MAX_REQUEST_BYTES:
            self.close_connection = True
            return self._send(400, b"expected a question to /run", "text/plain")
        try:
            request = json.loads(self.rfile.read(size) or b"{}")
        except (ValueError, RecursionError):
            return self._json({"trouble": "live: the question is no JSON"})
        return self._json(self.server.live.answer_request(request))

    def _is_same_origin(self) -> bool:
        """Whether host and origin of the request are those of the page (protects from DNS
        rebinding).
        """
        port = self.server.server_port
        hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        origin = self.headers.get("Origin")
        return self.headers.get("Host") in hosts and (
            origin is None or origin.removeprefix("http://") in hosts
        )

    def _has_token(self) -> bool:
        """Whether the request contains the token of the page."""
        token = self.headers.get("X-Torseur-Token", "")
        return secrets.compare_digest(token.encode(), self.server.token.encode())

    def _json(self, data: dict[str, Any]) -> None:
        self._send(200, json.dumps(data, allow_nan=False).encode(), "application/json")

    def _send(self, code: int, body: bytes, kind: str) -> None:
        """Send a response that is not cached."""
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
        """Log nothing. The page shows errors."""


def _check_names(names) -> list[str]:
    if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
        raise TorseurError("live: shown: expected a list of names of signals")
    return names


def _is_finite_number(x) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool) and -MAX_NUMBER <= x <= MAX_NUMBER


def _is_quaternion(name: str) -> bool:
    return name.endswith((".qw", ".qx", ".qy", ".qz"))


def _make_slider(name: str, value: float, unit: str) -> dict[str, Any]:
    """Describe a slider around a value: from 0.2 to 3 times, or symmetric about the value."""
    if value > 0 and unit not in ("rad", "rad/s", "m/s"):
        low, high = 0.2 * value, 3.0 * value
    else:
        span = {"rad": math.pi, "rad/s": 10.0}.get(unit, 1.0)
        reach = max(abs(value) * 2, span)
        low, high = value - reach, value + reach
    return {"name": name, "value": value, "low": low, "high": high, "unit": unit}
