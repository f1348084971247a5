"""The report in a real browser: it draws, moves, picks, and asks no host for anything."""

import csv
import os
import re
from pathlib import Path

import numpy as np
import pytest
from browser import Browser, chromium
from french_walk import WALK, english

import torseur as ts
from torseur.forces import Parallel, PointForce, Spring, Viscous
from torseur.results import Event, RunStatus, Trajectory
from torseur.simulation import simulate

pytestmark = pytest.mark.skipif(
    chromium() is None,
    reason="no Chromium on this machine (apt-get install chromium, or set TORSEUR_CHROMIUM)",
)

INK = """(() => {                           // colors on the canvas, counted
  const from = document.getElementById('canvas'), to = document.createElement('canvas');
  to.width = 160; to.height = 120;
  const c = to.getContext('2d');
  c.drawImage(from, 0, 0, 160, 120);
  const data = c.getImageData(0, 0, 160, 120).data, seen = new Set();
  let sum = 0;
  for (let i = 0; i < data.length; i += 4) if (data[i + 3]) {
    seen.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
    sum = (sum * 31 + data[i] * 7 + data[i + 1] * 3 + data[i + 2] + i) % 1000000007;
  }
  return [seen.size, sum];
})()"""


@pytest.fixture(scope="module")
def run():
    model = ts.Model(
        "two rods & a spring",
        bodies=(
            ts.Body("upper", mass=2.0, com=(0, 0, -0.25), inertia=(0.04, 0.04, 0.001, 0, 0, 0)),
            ts.Body("lower", mass=1.0, com=(0, 0, -0.2)),
        ),
        joints=(
            ts.Joint("shoulder", "world", "upper", ts.Revolute("y")),
            ts.Joint("elbow", "upper", "lower", ts.Revolute("y"), at=(0, 0, -0.5)),
        ),
        frames=(ts.Frame("tool", "lower", at=(0, 0, -0.4)),),
        forces=(
            PointForce(
                "mount",
                "tool",
                ("world", (0.8, 0, -0.3)),
                Parallel(Spring(60.0, 0.5), Viscous(0.8)),
            ),
        ),
    )
    return simulate(model, t_end=2.0, initial={"shoulder.angle": 1.2}, output=201)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with Browser(tmp_path_factory.mktemp("profile"), size=(960, 600)) as b:
        yield b


@pytest.fixture
def page(browser, run, tmp_path):
    path = run.report(tmp_path / "run.html")
    browser.events.clear()
    browser.open(path.as_uri())
    yield browser
    assert browser.complaints() == []
    outside = [u for u in browser.requests() if not u.startswith(("file:", "data:", "blob:"))]
    assert outside == []


def clock(page) -> float:
    return page.run("torseur.clock.t")


def test_it_draws_and_the_slider_moves_the_mechanism(page, run):
    page.until(f"{INK}[0] > 50")
    before = page.run(INK)
    page.run("document.getElementById('time').focus()")
    page.key("End")
    page.until("document.getElementById('clock').textContent.startsWith('2.0')")
    page.until(f"{INK}[1] !== {before[1]}")
    node = page.run(
        "(() => { const p = torseur.view.places.get('lower').position; return [p.x, p.y, p.z]; })()"
    )
    want = [run[f"lower.position.{c}"][-1] for c in "xyz"]
    assert node == pytest.approx(want, abs=1e-5)
    assert "two rods & a spring" in page.run("document.querySelector('h1').textContent")
    assert page.run("document.getElementById('time').getAttribute('aria-valuetext')") == "2.000 s"


def test_a_signal_is_found_picked_and_drawn(page, run):
    before = page.run("document.querySelectorAll('#plots .plot').length")
    page.click("#picker summary")
    page.click("#search")
    page.write("lower velocity.x")
    page.click("[data-signal='lower.velocity.x']")
    page.until(f"document.querySelectorAll('#plots .plot').length === {before + 1}")
    text = page.run("document.querySelector('#plots').textContent")
    assert "lower.velocity.x" in text and "m/s" in text
    page.click("#plots .u-over", x=0.75)
    assert clock(page) == pytest.approx(1.5, abs=0.02)
    shown = page.run("torseur.run.at('lower.velocity.x', 1.5)")
    assert shown == pytest.approx(run["lower.velocity.x"][150], rel=1e-5, abs=1e-6)


def test_play_stop_and_keys(page):
    page.click("#play")
    page.until("torseur.clock.t > 0.05")
    page.click("#play")
    stopped = clock(page)
    assert not page.run("torseur.clock.playing")
    page.run("document.activeElement.blur()")
    page.key("ArrowRight")
    assert clock(page) == pytest.approx(min(2.0, stopped + 0.02), abs=1e-9)
    page.key("Home")
    assert clock(page) == 0.0


def test_every_tab_and_both_themes(page):
    titles = page.run("[...document.querySelectorAll('[role=tab]')].map((t) => t.textContent)")
    names = ["Plots", "XY plot", "Spectrum", "Energy", "Equations", "Model", "Run"]
    assert titles == names
    page.run("document.querySelector('[role=tab]').focus()")
    texts = ("Work along", "Strongest", "largest energy", "newton euler", "shoulder", "dop853")
    for words in texts:
        page.key("ArrowRight")
        panel = "document.querySelector('[role=tabpanel]:not([hidden])')"
        page.until(f"{panel}.textContent.includes('{words}')")
    page.run("document.getElementById('for-xy').click()")
    page.until("document.querySelector('.dot').style.transform.includes('px')")
    assert "NaN" not in page.run("document.querySelector('.dot').style.transform")
    assert page.run("document.querySelectorAll('.equation').length") == 2
    before = page.run("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    assert page.run("getComputedStyle(document.body).backgroundColor") != before


def test_layers_cameras_and_traces(page):
    page.until(f"{INK}[0] > 50")
    for step in (
        "document.querySelector('#cameras button:last-child').click()",
        "document.querySelector('#layers').open = true",
        "document.querySelectorAll('#switches > label input').forEach((i) => i.click())",
    ):
        page.run(step)
    page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    page.run("document.querySelectorAll('#switches details input').forEach((i) => i.click())")
    assert page.run("torseur.view.paths.size") == 2  # the tool's trace off, the bodies' on
    assert page.run("torseur.view.layers.reactions.visible")


def test_the_view_turns_by_keys_and_follows_a_body(page, run):
    where = "torseur.view.eye.camera.position.toArray()"
    page.run("document.getElementById('canvas').focus()")
    before = page.run(where)
    page.key("ArrowRight")
    assert page.run(where) != before and clock(page) == 0.0
    page.run(
        "(() => { const f = document.getElementById('follow'); f.value = 'lower';"
        " f.dispatchEvent(new Event('change')); })()"
    )
    before = page.run(where)
    page.run("torseur.clock.seek(1.0)")
    page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    moved = [a - b for a, b in zip(page.run(where), before, strict=True)]
    want = [run[f"lower.position.{c}"][100] - run[f"lower.position.{c}"][0] for c in "xyz"]
    assert moved == pytest.approx(want, abs=1e-5)


def test_the_downloaded_data_are_the_run(page, run):
    rows = list(csv.reader(page.run("torseur.run.csv()").splitlines()))
    assert rows[0][0] == "time [s]" and len(rows) == 202
    at = rows[0].index("shoulder.angle [rad]")
    got = [float(r[at]) for r in rows[1:]]
    assert got == pytest.approx(run["shoulder.angle"], rel=1e-6, abs=1e-7)


def test_cards_say_what_matters_and_lead_to_it(page, run):
    texts = page.run("[...document.querySelectorAll('#cards li')].map((c) => c.textContent)")
    force = abs(run["mount.force"])
    assert texts[0].startswith("Largest force") and f"{force.max():.4g}"[:4] in texts[0]
    assert "mount" in texts[0] and any(t.startswith("Energy error") for t in texts)
    page.click("#cards button")
    assert clock(page) == pytest.approx(run.time[force.argmax()], abs=1e-6)
    said = page.run("document.getElementById('outcome').textContent")
    assert said.startswith("Complete: 2\u202fs of motion, energy closes to")


def test_the_crosshair_says_values_at_the_lines(page, run):
    box = page.run(
        "(() => { const r = document.querySelector('#plots .u-over').getBoundingClientRect();"
        " return [Math.round(r.x + r.width / 2), r.y + r.height / 2, r.x, r.width]; })()"
    )
    page.ask("Input.dispatchMouseEvent", type="mouseMoved", x=box[0], y=box[1])
    t = 2.0 * (box[0] - box[2]) / box[3]
    page.until("document.querySelectorAll('#plots .cross span').length >= 3")
    got = page.run(
        "[...document.querySelector('#plots .cross').querySelectorAll('span')]"
        ".map((s) => Number(s.textContent.replace('\u2212', '-')))"
    )
    want = [np.interp(t, run.time, run[n]) for n in ("shoulder.angle", "elbow.angle")]
    assert got == pytest.approx(sorted(want, reverse=True), abs=0.01)
    assert page.run("[...document.querySelectorAll('#plots .cross')].every((c) => !c.hidden)")


def test_french_by_a_switch_and_tabs_by_their_names(page):
    page.click("#language")
    assert page.run("document.documentElement.lang") == "fr"
    titles = page.run("[...document.querySelectorAll('[role=tab]')].map((t) => t.textContent)")
    assert titles[0] == "Courbes" and "\u00c9nergie" in titles
    assert "Calcul complet" in page.run("document.getElementById('outcome').textContent")
    page.run("document.getElementById('for-energy').click()")
    assert page.run("location.hash") == "#energy"
    page.run("location.hash = '#equations'")
    page.until("!document.getElementById('tab-equations').hidden")
    page.run("document.querySelector('[data-term]').click()")
    card = page.run("document.querySelector('.formula').textContent")
    assert "torseur cinématique" in card and "EQ.13" in card
    texts = page.run(WALK)
    assert len(texts) > 100 and not english(texts)
    page.click("#language")
    assert page.run("document.querySelector('[role=tab]').textContent") == "Plots"
    assert "the twist of body" in page.run("document.querySelector('.formula').textContent")


def test_terms_of_the_equations_show_their_values(page, run):
    page.run("location.hash = '#equations'")
    page.until("document.querySelectorAll('.term small').length > 4")
    page.run("torseur.clock.seek(1.0)")
    page.until("document.querySelector('.term small').textContent")
    shown = page.run(
        "[...document.querySelectorAll('.equation')].map((e) =>"
        " [...e.querySelectorAll('.term small')].map((s) => s.textContent))"
    )
    for terms, joint in zip(shown, ("shoulder", "elbow"), strict=True):
        total = sum(number(t) for t in terms)
        scale = max(abs(number(t)) for t in terms)
        assert total == pytest.approx(run[f"{joint}.effort"][100], abs=0.02 * scale)
    assert page.run("document.fonts.check('17px \"torseur math\"')")


def number(text: str) -> float:
    """What `shown` wrote, read back."""
    head, _, power = text.replace("\u2212", "-").partition("\u2009\u00d7\u200910")
    raised = power.translate(
        str.maketrans(
            "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207b", "0123456789-"
        )
    )
    return float(head) * 10.0 ** int(raised or 0)


def test_the_spectrum_tells_amplitudes_and_frequencies(page, tmp_path):
    t = np.linspace(0, 4, 2001)
    x = 3 + 2 * np.sin(2 * np.pi * 5 * t) + 0.5 * np.cos(2 * np.pi * 12.5 * t)
    made = Trajectory(t, {"x": x}, {"x": "m"}).report(tmp_path / "waves.html")
    page.open(made.as_uri() + "#spectrum")
    page.until("document.getElementById('tab-spectrum').textContent.includes('Strongest')")
    note = page.run("document.querySelector('#tab-spectrum .note').textContent")
    found = [(float(a), float(f)) for a, f in re.findall(r"([\d.]+)\u202fm near ([\d.]+)", note)]
    assert found[0] == (pytest.approx(2, rel=0.02), pytest.approx(5, abs=0.05))
    small = re.search(r"([\d.]+)\u202fmm near ([\d.]+)", note)
    assert float(small[1]) == pytest.approx(500, rel=0.02)
    assert float(small[2]) == pytest.approx(12.5, abs=0.05)


def test_runs_and_measurements_are_laid_over_each_other(page, run, tmp_path):
    (tmp_path / "test.csv").write_text(
        "time [ms],shoulder.angle [deg]\n0,60\n500,30\n1000,-20\n", encoding="utf-8"
    )
    both = ts.report(
        [run, run, tmp_path / "test.csv"], tmp_path / "both.html", labels=["a", "b", "c"]
    )
    page.open(both.as_uri())
    assert page.run("torseur.run.others.map((o) => [o.label, o.measured, o.rows])") == [
        ["b", False, 201],
        ["c", True, 3],
    ]
    assert page.run("torseur.run.others[1].at('shoulder.angle', 0.5)") == pytest.approx(0.5235988)
    assert page.run("document.querySelector('.runs').textContent") == "abc"
    page.run("location.hash = '#xy'")
    page.until("!!document.querySelector('#tab-xy .uplot')")


def test_narrow_window_needs_no_sideways_scrolling(page):
    page.ask(
        "Emulation.setDeviceMetricsOverride",
        width=390,
        height=844,
        deviceScaleFactor=1,
        mobile=False,
    )
    page.until("innerWidth === 390")
    page.until("document.documentElement.scrollWidth <= 390")
    order = page.run(
        "['cards', 'stage', 'transport', 'panel'].map((n) =>"
        " document.getElementById(n).getBoundingClientRect().top)"
    )
    assert order == sorted(order)
    page.ask("Emulation.clearDeviceMetricsOverride")


BAD = '</script><script>hacked = 1</script><img src=x onerror="hacked = 1">'
NAN, INF = float("nan"), float("inf")
ODD = {
    "one row": Trajectory([0.0], {"x": [1.0]}, {"x": "m"}),
    "no signal": Trajectory([0.0, 1.0], {}, {}),
    "not finite": Trajectory(
        [0.0, 1.0, 2.0],
        {"x": [0.0, NAN, INF], "y": [NAN] * 3},
        {"x": "m", "y": "m"},
        "failed",
        diagnosis=RunStatus.INTERRUPTED,
    ),
    "markup in names": Trajectory(
        [0.0, 1.0],
        {BAD: [0.0, 1.0], f"{BAD}.force": [0.0, 1.0]},
        {BAD: BAD, f"{BAD}.force": "N"},
        BAD,
        provenance={"model": BAD},
    ),
    "jumps": Trajectory(
        [0.0, 1.0, 1.0, 2.0], {"x": [0.0, 1.0, 5.0, 6.0]}, {"x": "m"}, events=(Event(1.0, "kick"),)
    ),
}


@pytest.mark.parametrize("kind", ODD)
def test_odd_runs_open_as_well(kind, page, tmp_path):
    page.open(ODD[kind].report(tmp_path / "odd.html").as_uri())
    for tab in range(page.run("document.querySelectorAll('[role=tab]').length")):
        page.run(f"document.querySelectorAll('[role=tab]')[{tab}].click()")
    page.run("torseur.clock.seek(torseur.run.t1)")
    page.click("#play")
    page.run("new Promise((done) => setTimeout(done, 100))")
    assert page.run("typeof hacked") == "undefined"
    assert page.run("document.querySelector('img')") is None
    assert page.run("document.getElementById('trouble').hidden")
    assert page.run("torseur.run.csv().split('\\n').length") == len(ODD[kind].time) + 2
    if kind == "markup in names":
        assert page.run("document.querySelector('h1').textContent") == BAD


def test_a_notebook_frame_shows_the_same_page(page, run, tmp_path):
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><body>{run.show(open=False)._repr_html_()}</body>")
    page.ask("Page.navigate", url=path.as_uri())
    inside = "document.querySelector('iframe')?.contentDocument"
    page.until(f"{inside}?.documentElement?.dataset.ready === 'yes'")
    assert page.run(f"{inside}.querySelector('h1').textContent") == "two rods & a spring"


def test_every_control_has_a_name(page):
    nameless = page.run("""[...document.querySelectorAll('button, input, select, summary, canvas')]
      .filter((e) => !(e.getAttribute('aria-label') || e.closest('label')?.textContent.trim()
                       || e.textContent.trim())).map((e) => e.outerHTML)""")
    assert nameless == []


LOOKS = Path(__file__).parents[1] / "data" / "looks"


@pytest.mark.parametrize("name", ["wide_light", "wide_dark", "narrow_light"])
def test_the_page_looks_as_it_did(name, page, run, tmp_path):
    """A small picture of the page beside the one that was looked at: places and colors, not fonts.

    `TORSEUR_LOOKS=1` writes new pictures, to be looked at and kept.
    """
    import base64
    import io

    from PIL import Image

    wide, high = (390, 844) if name.startswith("narrow") else (1440, 900)
    page.ask(
        "Emulation.setDeviceMetricsOverride",
        width=wide,
        height=high,
        deviceScaleFactor=1,
        mobile=False,
    )
    theme = name.partition("_")[2]
    page.ask("Page.navigate", url="about:blank")
    page.open(f"{run.report(tmp_path / 'look.html').as_uri()}#theme={theme}&t=1&lang=en")
    page.until(f"{INK}[0] > 50")
    page.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    shot = base64.b64decode(page.ask("Page.captureScreenshot", format="png")["data"])
    page.ask("Emulation.clearDeviceMetricsOverride")
    small = Image.open(io.BytesIO(shot)).convert("RGB").resize((wide // 15, high // 15), 4)
    if os.environ.get("TORSEUR_LOOKS") == "1":
        LOOKS.mkdir(exist_ok=True)
        small.save(LOOKS / f"{name}.png")
    known = np.asarray(Image.open(LOOKS / f"{name}.png").convert("RGB"), dtype=int)
    apart = abs(np.asarray(small, dtype=int) - known)
    assert apart.mean() < 5 and (apart > 60).mean() < 0.02


def test_figures_of_a_tab_go_with_the_clock(browser, run, tmp_path):
    from torseur.show.svg_plots import Line, figure

    drawn = figure("Speed", [Line("car", 1e3 * run.time, run["shoulder.rate"])], "time [ms]", "")
    path = run.report(tmp_path / "run.html", tabs=[("crash", "Crash", drawn)])
    browser.events.clear()
    browser.open(path.as_uri())
    place = "document.querySelector('.now[transform]').getAttribute('transform')"
    assert browser.run(place) == "translate(42 0)"
    browser.click("svg[data-clock]", x=0.5)
    want = 2.0 * (230 - 42) / (450 - 42)
    assert clock(browser) == pytest.approx(want, abs=0.01)
    assert browser.run(place).startswith("translate(2")
    assert browser.complaints() == []
