"""Models fitted to NHTSA crash test 10146: `python benchmarks/identify_crash.py nhtsa_10146.zip`.

Body (mean of channels 93 and 94), engine (95) and barrier (sum of its cells), 0 to 0.1 s, both
sides through CFC 60.  Prints the tables of docs/benchmarks/identify.md.
"""

import sys
import time as clock

import numpy as np

import torseur as ts
from torseur.forces import CoordinateForce
from torseur.model import field_paths

END, G = 0.1, ts.crash.G0
BODY, ENGINE = "b.acceleration", "e.acceleration"
CRUSH = "b.displacement"
SHARE = {BODY: 0.05, ENGINE: 0.1, CRUSH: 0.01}  # sigma, of the signal's peak; the barrier's 0.1
KINDS = ("one mass", "two masses", "K3")
SMOOTH = 0.03  # weight of bends of a member's curve
SPACING = 0.025  # between knots [m]
CROSS = 0.09  # of the car: cross-member, hood lock, radiator, as in K3's own data (150 of 1650 kg)
SERIES = 0.5  # of the body's own curve that starts in frame and torque box


def member(name, points, rear, front=None):
    """A crushing member on given points."""
    ends = {f"{rear}.displacement": 1} | ({f"{front}.displacement": -1} if front else {})
    (xs, forces) = zip(*points, strict=True)
    steep = max(np.diff(forces) / np.diff(xs))
    return CoordinateForce(name, ends, ts.Crush(points, max(2e7, 4 * steep)))


def scaled(points, force, way=1.0):
    return tuple((way * x, force * F) for x, F in points)


def model(kind, test):
    """One mass, two masses, or three as K3 has.

    Curves and masses start on the test's balances, those of K3 on the two-mass fit.
    """
    grid, signals = measured(test, "wall", kind=60)
    parts = {"b": (signals[BODY], signals[CRUSH])}
    members = {"front": ("b", None)}
    if kind != "one mass":
        parts["e"] = signals[ENGINE], way(grid, signals[ENGINE], test.speed)
        members |= {"bay": ("e", None), "firewall": ("b", "e")}
    gaps = {n: 0.1 for n in ("bay",) if n in members}
    found = ts.identify.direct(parts, members, test.mass, signals["wall"], SPACING, gaps)
    masses, points = dict(found.masses), dict(found.points)
    if kind == "K3":
        members = {"sheet": ("b", None), "front": ("c", None), "box": ("b", "c")} | {
            n: members[n] for n in ("bay", "firewall")
        }
        two = fitted("two masses", test)[0].model
        points = {f.name: f.law.points for f in two.forces}
        own = points.pop("front")
        points |= {"sheet": scaled(own, 1 - SERIES), "front": scaled(own, SERIES)}
        strong = 1.2 * SERIES * max(F for _, F in own)  # it hardly crushes: as in the two-mass fit
        points["box"] = tuple((0.5 * x, strong * (x > 0)) for x, _ in own)
        masses["c"] = CROSS * test.mass
        masses["b"] -= masses["c"]
    made = ts.Model(
        kind,
        gravity=(0, 0, 0),
        bodies=tuple(ts.Body(f"{n}_body", m) for n, m in masses.items()),
        joints=tuple(ts.Joint(n, "world", f"{n}_body", ts.Prismatic("x")) for n in masses),
        forces=tuple(member(n, points[n], *members[n]) for n in members),
        initial=dict.fromkeys((f"{n}.speed" for n in masses), test.speed),
    )
    walls = [n for n, (_, front) in members.items() if front is None]
    return made, " + ".join(f"{w}.force" for w in walls)


def way(time, a, speed):
    """Twice integrated from a speed at time zero."""
    v = np.concatenate([[0], np.cumsum((a[1:] + a[:-1]) / 2 * np.diff(time))])
    v = v - np.interp(0, time, v) + speed
    x = np.concatenate([[0], np.cumsum((v[1:] + v[:-1]) / 2 * np.diff(time))])
    return x - np.interp(0, time, x)


def measured(test, wall, kind=180):
    """Signals at 2 kHz, after CFC 180 (or another)."""
    grid = np.arange(0, END, 5e-4)
    time, a = test.mean(93, 94)
    engine = test[95]
    out = {
        BODY: np.interp(grid, time, ts.crash.cfc(time, a, kind)),
        ENGINE: np.interp(grid, engine.time, engine.cfc(kind)),
        wall: np.interp(grid, *test.barrier_force(kind)),
        CRUSH: np.interp(grid, time, way(time, ts.crash.cfc(time, a, 180), test.speed)),
    }
    return grid, out


def fitted(kind, test):
    start, wall = model(kind, test)
    grid, signals = measured(test, wall)
    if kind == "one mass":
        signals.pop(ENGINE)
    peaks = {s: float(abs(y).max()) for s, y in measured(test, wall, 60)[1].items()}
    sigma = {s: SHARE.get(s, 0.1) * peaks[s] for s in signals}
    data = {s: (grid, y) for s, y in signals.items()}
    filters = {s: 60 for s in signals if s != CRUSH}
    experiment = ts.identify.Experiment(start, data, sigma=sigma, cfc=filters)
    free = {
        f"{f.name}.points": ts.identify.knots(bounds=(0, 2e6), smooth=SMOOTH) for f in start.forces
    }
    begun = clock.process_time()
    found = ts.identify.fit([experiment], free, tolerance=1e-4, starts=1)
    return found, wall, clock.process_time() - begun


def compared(found, wall, test):
    """{what: (test, model)} of crush, peaks and times, and ISO 18571 scores."""
    grid = np.arange(0, END, 1e-4)
    run = ts.simulate(found.model, END, output=grid)
    at = np.searchsorted(run.time, grid, side="right") - 1
    tb, a = test.mean(93, 94)
    engine, told = test[95], test.summary((93, 94))
    # the model stands still before the impact: a second's tenth of zeros for the filter
    before = np.arange(-0.05, 0, 1e-4)
    time = np.concatenate([before, grid])

    def model_signal(name, kind=60):
        y = sum(run[x] for x in name.split(" + "))[at]
        return ts.crash.cfc(time, np.concatenate([0 * before, y]), kind)[len(before) :]

    pairs = {
        "body": (np.interp(grid, tb, ts.crash.cfc(tb, a, 60)), model_signal(BODY)),
        "wall": (np.interp(grid, *test.barrier_force(60)), model_signal(wall)),
    }
    if any(b.name == "e_body" for b in found.model.bodies):
        pairs["engine"] = (np.interp(grid, engine.time, engine.cfc(60)), model_signal(ENGINE))
    out = {"crush": (float(told["crush"]), float(run["b.displacement"].max()))}
    scores = {}
    for n, (x, y) in pairs.items():
        out[f"{n} peak"] = tuple(float(abs(z).max()) for z in (x, y))
        try:
            scores[n] = float(ts.crash.score(grid, x, y))
        except ts.TorseurError:
            scores[n] = np.nan
    return out, scores


def fits(test, kinds=KINDS):
    for kind in kinds:
        found, wall, seconds = fitted(kind, test)
        out, scores = compared(found, wall, test)
        print(f"{kind}: {found}, {seconds:.0f} s")
        for what, (a, b) in out.items():
            print(f"   {what:12} test {a:10.5g}  model {b:10.5g}  {100 * (b / a - 1):+6.2f} %")
        print("   ISO 18571", {n: round(x, 3) for n, x in scores.items()})
        print("   masses", {b.name: round(float(b.mass), 1) for b in found.model.bodies})
        print("   unreached", found.unreached, "on a bound", found.active, flush=True)


CHEST, PELVIS = "driver_chest.body_acceleration.x", "driver_pelvis.body_acceleration.x"
HEAD = "driver_head_cg.body_acceleration.x"


def driver(test):
    """Three bodies on the car's own pulse, fitted to chest and pelvis; the head is predicted."""
    time, a = test.mean(93, 94)
    sled = ts.crash.sled(time, ts.crash.cfc(time, a, 60), test.speed, t_end=END)
    start = ts.crash.seated(sled, "cabin", ts.crash.ThreeBody())
    for belt in ("lap", "shoulder"):  # steeper than whatever the fit makes of the belts
        start = field_paths.replaced(start, f"driver_{belt}_belt.unloading", 3e6)
    grid = np.arange(0, END, 1e-3)

    def channel(n, kind):
        return np.interp(grid, test[n].time, test[n].cfc(kind))

    data = {CHEST: (grid, channel(13, 60)), PELVIS: (grid, channel(20, 60))}
    free = {
        "driver_lap_belt.points": ts.identify.knots(bounds=(500, 5e4)),
        "driver_shoulder_belt.points": ts.identify.knots(bounds=(500, 3e4)),
        "driver_lap_belt.free_length": (0.25, 0.6),
        "driver_shoulder_belt.free_length": (0.25, 0.6),
        "driver_bolster.points[2].force": (1e6, 3e8),
        "driver_airbag.points[2].force": (1e6, 3e8),
    }
    begun = clock.process_time()
    found = ts.identify.fit([ts.identify.Experiment(start, data)], free, tolerance=1e-4)
    run = ts.simulate(found.model, END, output=grid)
    at = np.searchsorted(run.time, grid, side="right") - 1
    print(f"driver: {found}, {clock.process_time() - begun:.0f} s")
    for name, signal, n in (("chest", CHEST, 13), ("pelvis", PELVIS, 20), ("head", HEAD, 1)):
        x, y = channel(n, 60), run[signal][at]
        print(
            f"   {name:7} {'fitted' if n > 1 else 'predicted'}: peak {abs(x).max() / G:.1f} g "
            f"measured, {abs(y).max() / G:.1f} g model; error {np.std(x - y) / np.std(x):.2f} of "
            f"the spread; ISO 18571 {float(ts.crash.score(grid, x, y)):.2f}"
        )
    print("   ", {n: float(f"{x:.4g}") for n, x in found.values.items()})
    print("    not separable", found.inseparable, "on a bound", found.active, flush=True)


if __name__ == "__main__":
    camry, wanted = ts.crash.read_test(sys.argv[1]), sys.argv[2:] or [*KINDS, "driver"]
    fits(camry, [x for x in wanted if x != "driver"])
    if "driver" in wanted:
        driver(camry)
