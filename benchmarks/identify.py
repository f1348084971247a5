"""Sensitivities, fits, identification in numbers: `python benchmarks/identify.py [panda.csv.gz]`.

Prints the tables of docs/benchmarks/identify.md.  Times are CPU seconds of this process.
"""

import gzip
import sys
import time

import numpy as np

import torseur as ts
from torseur.model import paths

REPEATS = 5


def k3(speed=48.3):
    car = ts.crash.car("k3")
    return ts.crash.against(car, ts.crash.Wall(), speed=f"{speed} km/h", dimensions=1)


def knots(model):
    return [
        n
        for n in paths.numbers(model)
        if ".points[" in n and n.endswith(".force") and "[0]" not in n
    ]


def sampled(run, name, grid):
    return run[name][np.searchsorted(run.time, grid, side="right") - 1]


def cpu(f, times=5):
    best = np.inf
    for _ in range(times):
        t = time.process_time()
        out = f()
        best = min(best, time.process_time() - t)
    return out, best


def sensitivities():
    model, grid = k3(), np.linspace(0, 0.12, 61)[1:] * 0.999
    names = knots(model)
    body = next(n for n in model.check().speeds if "body" in n or n.startswith("b"))
    system = model.check()
    run, plain = cpu(lambda: ts.simulate(system, 0.12, output=grid))
    sensitive, wide = cpu(lambda: ts.simulate(system, 0.12, output=grid, sensitivities=names))
    worst = 0.0
    for n in names:
        x = paths.read(model, n)
        h = 2e-5 * x
        a, b, c, d = (
            sampled(
                ts.simulate(
                    paths.replaced(model, n, x + k * h), 0.12, output=grid, rtol=1e-12, atol=1e-14
                ),
                body,
                grid,
            )
            for k in (-1, -0.5, 0.5, 1)
        )
        want = (8 * (c - b) - (d - a)) / (6 * h)
        got = sensitive.sensitivity(body, n)[
            np.searchsorted(sensitive.time, grid, side="right") - 1
        ]
        if abs(want).max() > 0:
            worst = max(worst, abs(got - want).max() / abs(want).max())
    print(
        f"K3, {len(names)} knots: run {1e3 * plain:.1f} ms, with derivatives {1e3 * wide:.1f} ms "
        f"({wide / plain:.1f} runs; native {sensitive.statistics['seconds'] * 1e3:.1f} against "
        f"{run.statistics['seconds'] * 1e3:.1f} ms), worst difference {worst:.1e} of {body}"
    )


def panda(path):
    from dataclasses import replace

    from scipy.signal import butter, sosfiltfilt

    model = ts.load("examples/panda.yaml")
    with gzip.open(path, "rt") as file:
        table = np.loadtxt(file, delimiter=",", skiprows=1)
    t = np.arange(0, table[-1, 0], 1e-3)
    even = np.stack([np.interp(t, table[:, 0], x) for x in table.T[1:]], axis=1)
    sos = butter(4, 10 / 500, output="sos")
    q, tau = (sosfiltfilt(sos, x, axis=0) for x in (even[:, :7], even[:, 14:]))
    v = np.gradient(q, 1e-3, axis=0)
    a = np.gradient(v, 1e-3, axis=0)
    lin = replace(ts.identify.linear(model), own={("coulomb", i): 0.02 for i in range(7)})
    Y, inner = lin.regressor(q, v, a), (t > 0.2) & (t < t[-1] - 0.2)

    def error(said, left):
        return 100 * np.sqrt(((said - tau[left]) ** 2).mean(axis=0)) / tau[left].std(axis=0)

    for low, high in ((0, 10), (4, 14), (2, 12), (0, 7), (7, 14)):
        inside = (t >= low) & (t < high)
        left = ~inside & inner
        A = Y[inside & inner][::5].reshape(-1, Y.shape[2])
        size = np.sqrt((A**2).mean(axis=0)) + 1e-9
        p = np.linalg.lstsq(A / size, tau[inside & inner][::5].ravel(), rcond=1e-8)[0] / size
        print(f"fit {low} to {high} s: plain", error(Y[left] @ p, left).round(1))
        rows = table[(table[:, 0] >= low) & (table[:, 0] < high)]
        data = {"time": rows[:, 0], "q": rows[:, 1:8], "tau": rows[:, 15:]}
        for physical in (False, True):
            found, seconds = cpu(
                lambda d=data, c=physical: ts.identify.robot(model, d, consistent=c), 1
            )
            said = found.predict(q[left], v[left], a[left])
            print(
                f"  {'consistent' if physical else 'free':10}",
                error(said, left).round(1),
                f"{seconds:.2f} s",
            )


def fits():
    truth, slow = k3(56.0), k3(40.0)
    names = [n for n in knots(truth) if n.startswith(("front_frame", "torque_box"))]
    grid = np.linspace(0, 0.12, 121)[1:]
    body = next(n for n in truth.check().speeds if "body" in n or n.startswith("b"))
    engine = next(n for n in truth.check().speeds if "engine" in n or n.startswith("e"))
    signals = {body: 0.05, engine: 0.05, "front_frame.force": 2e3}
    rng = np.random.default_rng(0)

    def off(model):
        for n in names:
            model = paths.replaced(model, n, 1.3 * paths.read(model, n))
        return model

    exact = {m: ts.simulate(m, 0.12, output=grid, rtol=1e-11) for m in (truth, slow)}
    free = {
        f: ts.identify.knots(bounds=(0, 1e6)) for f in ("front_frame.points", "torque_box.points")
    }

    def tests(noise):
        return [
            ts.identify.Experiment(
                off(m),
                {
                    s: (grid, sampled(exact[m], s, grid) + noise * x * rng.normal(size=len(grid)))
                    for s, x in signals.items()
                },
                sigma=signals,
            )
            for m in (truth, slow)
        ]

    found, seconds = cpu(lambda: ts.identify.fit(tests(0.0), free), 1)
    wrong = max(
        abs(found.values[n] / paths.read(truth, n) - 1) for n in names if n not in found.unreached
    )
    print(
        f"K3, {len(names)} knots, two speeds, exact data, start 30 % off: {wrong:.1e} of the "
        f"truth in {found.evaluations} evaluations, {seconds:.1f} s"
    )
    inside, chi2 = [], []
    for _ in range(REPEATS):
        found = ts.identify.fit(tests(1.0), free, tolerance=1e-6)
        chi2.append(found.chi2)
        inside += [
            low <= paths.read(truth, n) <= high
            for n, (low, high) in found.confidence.items()
            if n not in found.unreached
        ]
    print(
        f"with noise (0.05 m/s, 2 kN), {REPEATS} repeats: chi2 {np.mean(chi2):.3f}, 95 % "
        f"intervals cover {100 * np.mean(inside):.0f} % of {len(inside)}"
    )


if __name__ == "__main__":
    sensitivities()
    fits()
    if len(sys.argv) > 1:
        panda(sys.argv[1])
