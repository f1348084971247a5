"""Sensitivities, fits, identification in numbers; prints what docs/benchmarks/identify.md says.

python benchmarks/identify.py                       the first three below, in turn
python benchmarks/identify.py sensitivities
python benchmarks/identify.py ten DRAWS SEED        K3, ten exact knots
python benchmarks/identify.py noise REPEATS SEED    K3, 25 knots with noise; `... blind` without the
                                                    wall's force
python benchmarks/identify.py panda FILE            a real Panda, five windows
python benchmarks/identify.py judge FILE SEED       ... on 60 windows and 40 holes drawn by a seed;
                                                    a number behind it: the reference's filter's
                                                    order (4); some five minutes
python benchmarks/identify.py coverage
python benchmarks/identify.py filtered_coverage

Times are CPU seconds of this process.
"""

import itertools
import sys
import time
from pathlib import Path

import numpy as np
from identify_panda import judge, panda

import torseur as ts
from torseur.model import field_paths

REPEATS = 100
TESTS = Path(__file__).parents[1] / "tests"
sys.path[1:1] = [str(TESTS), str(TESTS / "unit"), str(TESTS / "identify")]  # robots of the suite


def k3(speed=48.3):
    car = ts.crash.car("k3")
    return ts.crash.against(car, ts.crash.Wall(), speed=f"{speed} km/h", dimensions=1)


def knots(model):
    return [
        n
        for n in field_paths.numbers(model)
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


def in_turn(*calls, times=15):
    """Least CPU seconds of some calls, taken in turn; each is given what the one before gave."""
    best = [np.inf] * len(calls)
    for _ in range(times):
        out = None
        for k, f in enumerate(calls):
            out, seconds = cpu(lambda: f(out), 1)  # noqa: B023
            best[k] = min(best[k], seconds)
    return best


def cost(count=25, end=0.12):
    """What derivatives by 25 knots cost, in runs: of K3 at three speeds, by rows, from a `System`
    and a `Model`; beside it what it costs to read those of a coordinate then."""
    for speed in (40.0, 48.3, 56.0):
        model = k3(speed)
        names = knots(model)[:count]
        for one in (model.check(), model):
            for rows in (120, 1001):
                how = {"t_end": end, "output": rows}
                plain, wide, read = in_turn(
                    lambda _: ts.simulate(one, **how),  # noqa: B023
                    lambda _: ts.simulate(one, **how, sensitivities=names),  # noqa: B023
                    lambda run: [run.sensitivity("body.displacement", n) for n in names],  # noqa: B023
                )
                print(
                    f"K3 at {speed} km/h, {type(one).__name__}, {rows} rows, {count} knots: "
                    f"{1e3 * plain:.2f} ms, {1e3 * wide:.2f} ms, {wide / plain:.1f} runs; read "
                    f"{1e3 * read:.1f} ms, {(wide + read) / plain:.1f} runs in all"
                )


def sensitivities():
    cost()
    model, grid = k3(), np.linspace(0, 0.12, 61)[1:] * 0.999
    names = knots(model)
    body = next(n for n in model.check().speeds if "body" in n or n.startswith("b"))
    system = model.check()
    run, plain = cpu(lambda: ts.simulate(system, 0.12, output=grid))
    sensitive, wide = cpu(lambda: ts.simulate(system, 0.12, output=grid, sensitivities=names))
    worst = 0.0
    for n in names:
        x = field_paths.read(model, n)
        h = 2e-5 * x
        a, b, c, d = (
            sampled(
                ts.simulate(
                    field_paths.replaced(model, n, x + k * h),
                    0.12,
                    output=grid,
                    rtol=1e-12,
                    atol=1e-14,
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


def coverage():
    """Three sigma of the suite's tree with sliders, friction and noise: how often they cover."""
    from test_robot_identification import branches, measured, truth

    model, rng = branches(), np.random.default_rng(2)
    (q, v, a, tau), friction = measured(model, rng, n=150, width=0.05)
    want, inside = truth(model, friction), []
    for _ in range(10 * REPEATS):
        noisy = tau + rng.normal(size=tau.shape) * [0.5, 1.0, 0.2, 0.3, 0.8]
        found = ts.identify.robot(model, (q, v, a, noisy), consistent=False)
        inside.append(abs(found.estimate.beta - want) <= 3 * np.array(list(found.sigma.values())))
    print(
        f"three sigma cover {100 * np.mean(inside):.2f} % of {len(want)} base parameters in "
        f"{len(inside)} repeats (each {100 * np.mean(inside, axis=0).min():.1f} % and more)"
    )


def ur5():
    """The table of a UR5, masses drawn."""
    from test_robot_identification import solid

    rng, right = np.random.default_rng(41), "pi/2"
    rows = [(right, 0, 0, 0.089159), (0, -0.425, 0, 0), (0, -0.39225, 0, 0)]
    rows += [(right, 0, 0, 0.10915), ("-" + right, 0, 0, 0.09465), (0, 0, 0, 0.0823)]
    return ts.from_dh(rows, [solid(f"link{i + 1}", rng) for i in range(6)], convention="classic")


def lifted():
    """Four axes: a column that slides, two upright ones, a wrist that lies."""
    from test_robot_identification import solid

    rng = np.random.default_rng(43)
    return ts.Model(
        "lifted scara",
        bodies=[solid(n, rng) for n in ("column", "upper", "fore", "hand")],
        joints=(
            ts.Joint("lift", "world", "column", ts.Prismatic("z")),
            ts.Joint("shoulder", "column", "upper", ts.Revolute("z"), at=(0.1, 0, 0)),
            ts.Joint("elbow", "upper", "fore", ts.Revolute("z"), at=(0.4, 0, 0.05)),
            ts.Joint("roll", "fore", "hand", ts.Revolute("x"), at=(0.3, 0, -0.1)),
        ),
    )


def filtered_coverage(repeats=1000):
    """The same through the low pass: a tree with sliders, a PUMA, a SCARA, a Panda, two robots that
    the suite does not have; noise in efforts, in coordinates too; the Panda with its own masses."""
    from test_noise_intervals import Measured, branches, puma560, scara

    makes = (branches, puma560, scara, lambda: ts.load("examples/panda.yaml"), ur5, lifted)
    for make, still in itertools.product(makes, (0.0, 2e-4)):
        case = Measured(make(), np.random.default_rng(7))
        z = [case.off(case.fit(still)) for _ in range(repeats)]
        inside, mean = np.mean(np.abs(z) <= 3, axis=0), abs(np.mean(z, axis=0)).max()
        each = np.sqrt(np.mean(np.square(z), axis=0))
        print(
            f"{case.model.name}, noise of coordinates {still:g}, {repeats} repeats: three sigma "
            f"cover {100 * inside.mean():.2f} % (each {100 * inside.min():.1f} % and more); errors "
            f"are {np.sqrt((each**2).mean()):.3f} sigma (middle {np.median(each):.3f}, "
            f"{each.min():.2f} to {each.max():.2f}), largest mean {mean:.2f}",
            flush=True,
        )


WALL = "front_frame.force + sheet_metal.force + radiator.force"
NOISE = {"body.speed": 0.05, "engine.speed": 0.05, WALL: 2e3}
FREE = ("torque_box", "driveline", "firewall", "front_frame", "sheet_metal", "radiator")
GRID = np.linspace(0, 0.12, 121)[1:]


class K3:
    """Tests of K3 at two speeds, made with its own numbers and noise; a third for validation."""

    def __init__(self, laws=FREE, speeds=(56.0, 40.0), signals=NOISE):
        self.models, self.third, self.sigma = [k3(v) for v in speeds], k3(48.3), signals
        self.free = {f"{f}.points": ts.identify.knots(bounds=(0, 1e6)) for f in laws}
        self.names = [n for n in knots(self.models[0]) if n.startswith(tuple(laws))]
        self.truth = {n: float(field_paths.read(self.models[0], n)) for n in self.names}
        runs = [ts.simulate(m, 0.12, output=GRID, rtol=1e-11) for m in self.models]
        self.exact = [
            {s: sum(sampled(run, x, GRID) for x in s.split(" + ")) for s in signals} for run in runs
        ]

    def off(self, model, factors):
        for n, k in zip(self.names, np.broadcast_to(factors, len(self.names)), strict=True):
            model = field_paths.replaced(model, n, float(k) * self.truth[n])
        return model

    def fit(self, factors, noise=0.0, rng=None, **options):
        tests = [
            ts.identify.Experiment(
                self.off(m, factors),
                {
                    s: (GRID, y + (noise * self.sigma[s] * rng.normal(size=len(y)) if noise else 0))
                    for s, y in exact.items()
                },
                sigma=self.sigma,
            )
            for m, exact in zip(self.models, self.exact, strict=True)
        ]
        return ts.identify.fit(tests, self.free, **options)

    def wrong(self, found):
        return max(
            abs(found.values[n] / self.truth[n] - 1) for n in self.names if n not in found.unreached
        )

    def crush(self, found=None):
        model = self.third
        for n in self.names if found is not None else ():
            model = field_paths.replaced(model, n, found.values[n])
        return float(ts.simulate(model, 0.12)["body.displacement"].max())


SPEEDS = {"body.speed": 0.05, "engine.speed": 0.05}


def ten(draws=20, seed=0):
    """Ten of K3's knots from exact speeds of two tests: laws, speeds, signals and starts drawn."""
    one, evaluations, errors = time.process_time(), [], []
    for i in range(draws):
        rng = np.random.default_rng([seed, i])
        laws = ("front_frame", ("torque_box", "radiator", "sheet_metal", "firewall")[i % 4])
        signals = SPEEDS | ({"xm.speed": 0.05} if i % 2 else {})
        case = K3(laws, tuple(rng.uniform(35, 60, 2)), signals)
        n = len(case.names)
        starts = (rng.choice([0.7, 1.3], n), rng.uniform(0.7, 1.3, n), 0.7, 1.3)[i // 4 % 4]
        found = case.fit(starts)
        errors.append(case.wrong(found))
        evaluations.append(found.evaluations)
    print(
        f"K3, ten knots, exact, {draws} draws of seed {seed}: evaluations "
        f"{min(evaluations)} to {max(evaluations)} ({sorted(evaluations)}), largest error "
        f"{max(errors):.1e}, {(time.process_time() - one) / draws:.1f} s each",
        flush=True,
    )


def noise(repeats=REPEATS, seed=0, signals="wall"):
    """25 of K3's knots with noise at two speeds: chi2, coverage, crush at a third speed, every ten
    repeats; `signals`: "wall", or "blind" without its force."""
    case = K3(signals=NOISE if signals == "wall" else SPEEDS)
    chi2, inside, crush, evaluations, true = [], [], [], [], case.crush()
    named: dict[tuple, int] = {}
    begun = time.process_time()
    for i in range(1, repeats + 1):
        rng = np.random.default_rng([seed, i - 1])
        found = case.fit(rng.uniform(0.7, 1.3, len(case.names)), 1.0, rng, tolerance=1e-5)
        chi2.append(found.chi2)
        evaluations.append(found.evaluations)
        inside.append(
            [
                low <= case.truth[n] <= high if n not in found.unreached else np.nan
                for n, (low, high) in found.confidence.items()
            ]
        )
        crush.append(abs(case.crush(found) / true - 1))
        for group in found.inseparable:
            named[group] = named.get(group, 0) + 1
        if i % 10 and i < repeats:
            continue
        share = np.nanmean([x for x in np.transpose(inside) if np.isfinite(x).any()], axis=1)
        print(
            f"K3, {len(case.names)} knots, {', '.join(case.sigma)} at 56 and 40 km/h, noise, "
            f"starts off by up to 30 %, {i} repeats of seed {seed}: chi2 {np.mean(chi2):.3f} "
            f"({min(chi2):.3f} to {max(chi2):.3f}); 95 % intervals cover "
            f"{100 * np.mean(share):.1f} % (knots {100 * min(share):.0f} to "
            f"{100 * max(share):.0f}, repeats from {100 * min(map(np.nanmean, inside)):.0f}); "
            f"crush at 48.3 km/h off by {100 * max(crush):.3f} % at most; evaluations "
            f"{np.median(evaluations):.0f} in the middle, {np.mean(evaluations):.1f} on average, "
            f"{max(evaluations)} at most, {(time.process_time() - begun) / i:.1f} s each",
            flush=True,
        )
    for group, count in sorted(named.items(), key=lambda x: -x[1]):
        print(f"   not separable in {count} of {repeats}: {', '.join(group)}")


if __name__ == "__main__":
    first = sensitivities, ten, noise
    parts = {f.__name__: f for f in (*first, panda, judge, coverage, filtered_coverage)}
    if len(sys.argv) < 2:
        for f in first:
            f()
    elif sys.argv[1] in parts:
        given = [int(x) if x.isdigit() else x for x in sys.argv[2:]]
        parts[sys.argv[1]](*given)
    else:
        raise SystemExit(f"{__doc__}")
