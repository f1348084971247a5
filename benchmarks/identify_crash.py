"""Models fitted to NHTSA crash test 10146: `python benchmarks/identify_crash.py nhtsa_10146.zip`.

Body (mean of channels 93 and 94), engine (95) and barrier (sum of its cells), 0 to 0.1 s, both
sides through CFC 60.  Prints the tables of docs/benchmarks/identify.md.
"""

import sys
import time as clock

import numpy as np

import torseur as ts
from torseur.forces import CoordinateForce
from torseur.model import paths

END, G = 0.1, ts.crash.G0
BODY, ENGINE, CROSS = "b.acceleration", "e.acceleration", "c.displacement"
ERROR = {BODY: 5.0, ENGINE: 150.0, "b.displacement": 2e-3}  # m/s2, m/s2, m; wall below
MOVING = {"one mass": {}, "two masses": {"e": 450.0}, "K3": {"e": 260.0, "c": 250.0}}
"""Masses [kg] that stop with the engine, and with the front end; the rest is the body."""
SMOOTH = 0.03  # weight of bends of a member's curve
FORCE = 20e3  # of the barrier [N]


def member(name, curve, xs, rear, front=None, share=1.0, **options):
    """A crushing member whose forces start on a share of the test's own force-crush curve."""
    x, F = np.array(curve.points(0.02)).T
    forces = np.maximum(share * np.interp(xs, x, F), 5e3)
    points = ((xs[0], 0.0), *zip(xs[1:], forces[1:].tolist(), strict=True))
    ends = {f"{rear}.displacement": 1} | ({f"{front}.displacement": -1} if front else {})
    steep = max(np.diff([f for _, f in points]) / np.diff(xs))
    law = ts.Crush(points, max(2e7, 4 * steep), **options)
    return CoordinateForce(name, ends, law)


def steps(first, last, n):
    return np.linspace(first, last, n + 1).round(4).tolist()


def model(kind, test):
    """One mass, two masses, or three as K3 has: body, engine and cross-member."""
    curve = test.force_crush()
    front, bay = [*steps(0, 0.56, 14), *steps(0.59, 0.77, 6)], [0.1, *steps(0.16, 0.46, 9)]
    if kind == "one mass":
        masses, walls = {"b": test.mass}, ["front"]
        forces = [member("front", curve, front, "b")]
    else:
        masses = {"b": f"{test.mass} - e{' - c' if kind == 'K3' else ''}", "e": "e"}
        walls = ["front", "bay"]
        forces = [
            member("bay", curve, bay, "e", share=0.6),
            member("firewall", curve, steps(0, 0.32, 6), "b", "e", share=0.3),
        ]
        if kind == "K3":
            masses["c"] = "c"
            walls.append("sheet")
            forces += [
                member("front", curve, steps(0, 0.56, 8), "c", share=0.5),
                member("box", curve, steps(0, 0.35, 5), "b", "c", share=0.8),
                member("sheet", curve, [*steps(0, 0.5, 4), *steps(0.56, 0.77, 6)], "b", share=0.3),
            ]
        else:
            forces.append(member("front", curve, front, "b", share=0.6))
    made = ts.Model(
        kind,
        gravity=(0, 0, 0),
        parameters={n: MOVING[kind][n] for n in masses if n != "b"},
        bodies=tuple(ts.Body(f"{n}_body", m) for n, m in masses.items()),
        joints=tuple(ts.Joint(n, "world", f"{n}_body", ts.Prismatic("x")) for n in masses),
        forces=tuple(forces),
        initial=dict.fromkeys((f"{n}.speed" for n in masses), test.speed),
    )
    return made, " + ".join(f"{w}.force" for w in walls)


def measured(test, wall):
    """Signals at 2 kHz, after CFC 180."""
    grid = np.arange(0, END, 5e-4)
    time, a = test.mean(93, 94)
    fine = ts.crash.cfc(time, a, 180)
    engine = test[95]
    way = np.concatenate([[0], np.cumsum((fine[1:] + fine[:-1]) / 2 * np.diff(time))])
    way = way - np.interp(0, time, way) + test.speed
    way = np.concatenate([[0], np.cumsum((way[1:] + way[:-1]) / 2 * np.diff(time))])
    out = {
        BODY: np.interp(grid, time, fine),
        ENGINE: np.interp(grid, engine.time, engine.cfc(180)),
        wall: np.interp(grid, *test.barrier_force(180)),
        "b.displacement": np.interp(grid, time, way - np.interp(0, time, way)),
    }
    return grid, out


def fitted(kind, test):
    start, wall = model(kind, test)
    grid, signals = measured(test, wall)
    if kind == "one mass":
        signals.pop(ENGINE)
    sigma = {s: ERROR.get(s, FORCE) for s in signals}
    data = {s: (grid, y) for s, y in signals.items()}
    filters = {s: 60 for s in signals if s != "b.displacement"}
    experiment = ts.identify.Experiment(start, data, sigma=sigma, cfc=filters)
    laws = [f.name for f in start.forces]
    free = {f"{n}.points": ts.identify.knots(bounds=(0, 2e6), smooth=SMOOTH) for n in laws}
    free |= dict.fromkeys(MOVING[kind], (100, 600))
    begun = clock.process_time()
    found = ts.identify.fit([experiment], free, tolerance=1e-4, max_evaluations=40, starts=1)
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
    if "e" in found.model.parameters:
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


def fits(test, kinds=MOVING):
    for kind in kinds:
        found, wall, seconds = fitted(kind, test)
        out, scores = compared(found, wall, test)
        print(f"{kind}: {found}, {seconds:.0f} s")
        for what, (a, b) in out.items():
            print(f"   {what:12} test {a:10.5g}  model {b:10.5g}  {100 * (b / a - 1):+6.2f} %")
        print("   ISO 18571", {n: round(x, 3) for n, x in scores.items()})
        print("   masses", {n: round(found.values[n], 1) for n in MOVING[kind]})
        print("   unreached", found.unreached, "on a bound", found.active, flush=True)


CHEST, PELVIS = "driver_chest.body_acceleration.x", "driver_pelvis.body_acceleration.x"
HEAD = "driver_head_cg.body_acceleration.x"


def driver(test):
    """Three bodies on the car's own pulse, fitted to chest and pelvis; the head is predicted."""
    time, a = test.mean(93, 94)
    sled = ts.crash.sled(time, ts.crash.cfc(time, a, 60), test.speed, t_end=END)
    start = ts.crash.seated(sled, "cabin", ts.crash.ThreeBody())
    for belt in ("lap", "shoulder"):  # steeper than whatever the fit makes of the belts
        start = paths.replaced(start, f"driver_{belt}_belt.unloading", 3e6)
    grid = np.arange(0, END, 1e-3)

    def channel(n, kind):
        return np.interp(grid, test[n].time, test[n].cfc(kind))

    data = {CHEST: (grid, channel(13, 60)), PELVIS: (grid, channel(20, 60))}
    free = {
        "driver_lap_belt.points": ts.identify.knots(bounds=(500, 5e4)),
        "driver_shoulder_belt.points": ts.identify.knots(bounds=(500, 3e4)),
        "driver_lap_belt.free_length": (0.25, 0.6),
        "driver_shoulder_belt.free_length": (0.25, 0.6),
        "driver_bolster.points[2].force": (1e3, 3e5),
        "driver_airbag.points[2].force": (1e3, 3e5),
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
    camry, wanted = ts.crash.read_test(sys.argv[1]), sys.argv[2:] or [*MOVING, "driver"]
    fits(camry, [x for x in wanted if x != "driver"])
    if "driver" in wanted:
        driver(camry)
