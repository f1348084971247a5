"""Scripts of panels, run by Node on the data of a page: spectra, work of a force, CSV export."""

import csv
import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import torseur as ts
from torseur.results import Trajectory

WEB = Path(__file__).parents[2] / "web" / "src"
DRIVER = Path(__file__).parent / "headless_page.mjs"
pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")


def run_panel(run, panel, folder, *times) -> dict:
    page = ts.report(run, folder / "page.html")
    command = ["node", DRIVER, WEB / "data.js", WEB / "words.js", page, panel, *times]
    done = subprocess.run([str(x) for x in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_sine_has_its_frequency_and_its_amplitude(tmp_path):
    """2 mm at 5 Hz and 1.5 mm at 12.5 Hz about a mean of 3 mm, over 4 s."""
    time = np.linspace(0, 4, 1025)
    x = 3 + 2 * np.sin(2 * np.pi * 5 * time) + 1.5 * np.cos(2 * np.pi * 12.5 * time)
    got = run_panel(Trajectory(time, {"x": 1e-3 * x}, {"x": "m"}), "spectrum", tmp_path)
    frequency, amplitude = (np.array(c) for c in got["data"])
    assert frequency[:3] == pytest.approx([0, 0.25, 0.5])  # one over the length of the run
    assert frequency[-1] == pytest.approx(1025 / 2 / 4, abs=0.5)
    (a, b) = (int(np.argmin(abs(frequency - f))) for f in (5, 12.5))
    assert amplitude[[a, b]] == pytest.approx([2e-3, 1.5e-3], rel=0.01)
    # Hann's window: lines beside a peak have half of it, farther ones nothing
    assert amplitude[[a - 1, a + 1]] == pytest.approx([1e-3, 1e-3], rel=0.02)
    rest = np.delete(amplitude, [a - 1, a, a + 1, b - 1, b, b + 1])
    assert rest.max() < 2e-5
    assert got["axes"] == {"units": ["Hz", ""], "factors": [1, 1e-3]}
    found = re.findall(r"([\d.]+)\u202fmm near ([\d.]+)\u202fHz", got["note"])
    assert [float(f) for _, f in found] == [5.0, 12.5]
    assert [float(s) for s, _ in found] == pytest.approx([2, 1.5], rel=0.01)
    assert 12.5 < got["xRange"][1] < 20


def test_rows_of_uneven_steps_have_the_spectrum_of_their_signal(tmp_path):
    """3.1 Hz, between two lines: the window lets nothing of it leak to far lines."""
    time = np.sort(np.concatenate([np.linspace(0, 1, 700), np.linspace(1, 4, 400)[1:]]))
    got = run_panel(Trajectory(time, {"x": np.sin(2 * np.pi * 3.1 * time)}, {"x": "rad"}),
                    "spectrum", tmp_path)  # fmt: skip
    frequency, amplitude = (np.array(c) for c in got["data"])
    assert frequency[amplitude.argmax()] == pytest.approx(3)
    d = 0.4  # lines between the sine and this line: Hann's window has sinc(d) / (1 - d^2)
    assert amplitude.max() == pytest.approx(np.sinc(d) / (1 - d**2), rel=0.01)
    assert amplitude[frequency > 15].max() < 2e-3


def damper_run() -> Trajectory:
    """F = k x + c v with x = X sin(w t) over five periods: the work is 5 pi c w X^2."""
    time = np.linspace(0, 5, 1001)
    k, c, X, w = 400.0, 30.0, 0.2, 2 * np.pi
    x, v = X * np.sin(w * time), X * w * np.cos(w * time)
    return Trajectory(
        time,
        {"mount.deflection": x, "mount.force": k * x + c * v, "slide.speed": v},
        {"mount.deflection": "m", "mount.force": "N", "slide.speed": "m/s"},
    )


def test_a_force_against_its_deflection_says_values_and_work(tmp_path):
    run = damper_run()
    got = run_panel(run, "xy", tmp_path, 0.0, 1.25)
    _, ((x, y),) = got["data"][0], got["data"][1:]
    assert x == pytest.approx(run["mount.deflection"], abs=1e-6)
    assert y == pytest.approx(run["mount.force"], rel=1e-5, abs=1e-4)
    said = [re.findall(r"(\u2212?[\d.]+)\u202f(\w+)", note) for note in got["notes"]]
    peak, work = 30 * 2 * np.pi * 0.2, 5 * np.pi * 30 * 2 * np.pi * 0.04
    assert said[0][-2:] == [(f"{peak:.2f}".rstrip("0"), "N"), (f"{work:.1f}".rstrip("0"), "J")]
    assert said[1][:3] == [("1.25", "s"), ("200", "mm"), ("80", "N")]
    assert "mount.force against mount.deflection" in got["note"]


def test_the_downloaded_table_has_every_row_with_units(tmp_path):
    run = damper_run()
    got = run_panel(run, "xy", tmp_path, 0.3725, -1, 99)
    head, *rows = csv.reader(got["csv"].splitlines())
    assert head[0] == "time [s]" and len(rows) == 1001
    table = np.array(rows, dtype=float)
    for k, title in enumerate(head[1:], 1):
        name, unit = re.fullmatch(r"(.*) \[(.*)\]", title).groups()
        assert unit == run.units[name]
        np.testing.assert_allclose(table[:, k], run[name], rtol=2e-7, atol=1e-5)
    x = run[got["first"]]
    between = np.interp(0.3725, run.time, x)
    assert got["at"] == pytest.approx([between, x[0], x[-1]], rel=1e-5)
