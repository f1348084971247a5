"""How long `torseur live` takes from a slider to the page that has changed.

    python benchmarks/live.py [model.yaml ...]

"answer" is the run and what the page shows of it, inside the server: milliseconds of the clock and
CPU of the process; "whole" the CPU of the answer with cards, tables and every signal, which the
page asks for when the slider rests.  "asked" is the answer over HTTP.  "seen" is from the move of
the slider in a headless Chromium until the page has taken the new run and drawn its plots, "its
CPU" the work of the page's thread for it; "frame" is "seen" with the scene, drawn without a
graphics card (all left out where there is no browser).  Best and middle of many: the best is what
the machine does when it does nothing else.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.request import Request, urlopen

from torseur.cli.live_server import LiveServer

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))
from browser import Browser, chromium  # noqa: E402

MODELS = ("robot_arm", "four_bar", "flexible_joint", "thrown_sphere")
TIMES = 30
MOVE = """new Promise((done) => {
  const slider = document.querySelector('.slide input[aria-label="%s"]');
  const low = Number(slider.min), high = Number(slider.max), now = Number(slider.value);
  const begun = performance.now();
  let waiting = true;
  torseur.run.changed(() => {
    if (!waiting) return;
    waiting = false;
    setTimeout(() => {
      const seen = performance.now() - begun, { view } = torseur, gl = view.renderer.getContext();
      view.draw();
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
      done([seen, performance.now() - begun]);
    });
  });
  slider.value = now + %g * (high - low);
  slider.dispatchEvent(new Event('input'));
})"""


def moved(slider: tuple[str, dict], i: float) -> dict:
    """A slider of the page a little farther, the i-th time."""
    kind, s = slider
    return {kind: {s["name"]: s["value"] + 1e-4 * i * (s["high"] - s["low"])}}


def lawful(live, offer: dict) -> tuple[str, dict]:
    """The first slider that may go both ways: not that of a body which stands on its ground."""
    told = []
    for kind in ("parameters", "initial", "inputs"):
        for s in offer[kind]:
            wrong = [live.answer_request(moved((kind, s), i)) for i in (-10, 10, TIMES)]
            if all("data" in w for w in wrong):
                return kind, s
            told += [f"{s['name']}: {w['trouble']}" for w in wrong if "data" not in w][:1]
    raise SystemExit("\n".join(["no slider of this model may be moved:", *told]))


def told(name: str, ms) -> str:
    return f"{name} {min(ms):.1f} ({statistics.median(ms):.1f})"


def spent(page) -> float:
    """Seconds of CPU of the page's thread."""
    found = {m["name"]: m["value"] for m in page.ask("Performance.getMetrics")["metrics"]}
    return found["TaskDuration"]


def measured(path: Path) -> str:
    """One model, as a line of text."""
    server = LiveServer(path)
    live = server.live
    slider = lawful(live, live.slider_data(server.token))
    answer, cpu, asked, seen, whole, work = [], [], [], [], [], []
    first = live.answer_request({})["data"]
    names = [*first["panels"]["plots"]["chosen"], *(x["force"] for x in first["scene"]["lines"])]
    shown = {"shown": [n for n in names if n]}
    for i in range(TIMES):
        used = time.process_time()
        live.answer_request(moved(slider, i))
        whole.append(1e3 * (time.process_time() - used))
        wall, used = time.perf_counter(), time.process_time()
        got = live.answer_request(moved(slider, i) | shown)
        cpu.append(1e3 * (time.process_time() - used))
        answer.append(1e3 * (time.perf_counter() - wall))
        if "data" not in got:
            raise SystemExit(f"{path.name}: {got['trouble']}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    head = {"X-Torseur-Token": server.token, "Content-Type": "application/json"}
    for i in range(TIMES):
        body = json.dumps(moved(slider, i) | shown).encode()
        wall = time.perf_counter()
        place = f"http://127.0.0.1:{server.server_port}/run"
        size = len(urlopen(Request(place, body, head)).read())
        asked.append(1e3 * (time.perf_counter() - wall))
    if chromium():
        with tempfile.TemporaryDirectory() as folder, Browser(folder, (1440, 900)) as page:
            page.open(server.address)
            name = slider[1]["name"]
            page.ask("Performance.enable", timeDomain="threadTicks")
            for i in range(TIMES):
                page.until("!torseur.run.partial")  # the whole of the move before is there
                before = spent(page)
                seen.append(page.run(MOVE % (name, 1e-3 if i % 2 else -1e-3)))
                work.append(1e3 * (spent(page) - before))
    server.closing.set()
    server.shutdown()
    parts = [told("answer", answer), told("CPU", cpu), told("whole", whole), told("asked", asked)]
    if seen:
        plots, frames = zip(*seen, strict=True)
        parts += [told("seen", plots), told("its CPU", work), told("frame", frames)]
    return f"{path.stem:16} {', '.join(parts)} ms; {size / 1e3:.0f} kB"


def main() -> None:
    print("best (middle) of", TIMES)
    given = [Path(a) for a in sys.argv[1:]]
    for path in given or [ROOT / "examples" / f"{n}.yaml" for n in MODELS]:
        print(measured(path))


if __name__ == "__main__":
    main()
