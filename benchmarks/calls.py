"""What a call costs around its steps: `ts.simulate` again, on a model and on a checked system.

    python benchmarks/calls.py

CPU milliseconds of the process, best of many, kernels in the cache; "steps" is the time inside the
native loop, by the run's own clock.  "first signals" are positions, accelerations and energies of
a run that was just made.
"""

from __future__ import annotations

import gc
import time
import tracemalloc

import loops_problems
import motion

import torseur as ts


def andrews() -> ts.Model:
    """Andrews' squeezing mechanism: seven bodies, three loops, one motor; numbers as published."""
    d, da, e, ea, rr, ra = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092
    ss, sa, sb, sc, sd, ta, tb = 0.035, 0.01874, 0.01043, 0.018, 0.02, 0.02308, 0.00916
    u, ua, ub, zf, fa, zt = 0.04, 0.01228, 0.00449, 0.02, 0.01421, 0.04
    A, B, C = (-0.06934, -0.00227, 0), (-0.03635, 0.03273, 0), (0.014, 0.072, 0)
    hinge = ts.Revolute("z")
    parts = {  # mass, moment of inertia, center of mass; parent, where its hinge is
        "K1": (0.04325, 2.194e-6, (ra, 0, 0), "world", (0, 0, 0)),
        "K2": (0.00365, 4.410e-7, (-da, 0, 0), "K1", (rr, 0, 0)),
        "K3": (0.02373, 5.255e-6, (sb, -sa, 0), "world", B),
        "K5": (0.07050, 1.169e-5, (ta, tb, 0), "world", A),
        "K4": (0.00706, 5.667e-7, (0, ea - e, 0), "K5", (zt, 0, 0)),
        "K7": (0.05498, 1.912e-5, (-ub, -ua, 0), "world", A),
        "K6": (0.00706, 5.667e-7, (zf - fa, 0, 0), "K7", (0, -u, 0)),
    }
    ends = {"K3": (0, -ss, 0), "K4": (0, -e, 0), "K6": (zf, 0, 0)}
    angles = {
        "K1": -0.0617138900142764496,
        "K2": 0.0,
        "K3": 0.455279819163070380,
        "K4": 0.222668390165885885,
        "K5": 0.487364979543842550,
        "K6": -0.222668390165885885,
        "K7": 1.23054744454982119,
    }
    return ts.Model(
        "Andrews",
        gravity=(0, 0, 0),
        bodies=[ts.Body(n, m, c, (J, J, J, 0, 0, 0)) for n, (m, J, c, _, _) in parts.items()],
        joints=[ts.Joint(n, p, n, hinge, at=at) for n, (_, _, _, p, at) in parts.items()],
        loops=[
            ts.Loop(f"E{n}", "K2", n, hinge, at=(-d, 0, 0), child_at=at) for n, at in ends.items()
        ],
        forces=(
            ts.JointForce("motor", "K1", ts.Effort(value=0.033)),
            ts.PointForce("spring", ("K3", (sd, -sc, 0)), ("world", C), ts.Spring(4530, 0.07785)),
        ),
        initial={f"{n}.angle": x for n, x in angles.items()},
        simulation={"t_end": 0.03, "keep": ["K2.angle"]},
    )


def four_bar() -> ts.Model:
    """One four-bar of unit rods, ten seconds."""
    from dataclasses import replace

    start = loops_problems.start(1)
    return replace(
        loops_problems.model(1), initial=start, simulation={"t_end": 10.0, "keep": list(start)}
    )


def k3() -> ts.Model:
    """The car K3 against a wall at 48.3 km/h, along a line."""
    car = ts.crash.car("k3")
    return ts.crash.against(car, ts.crash.Wall(), speed="48.3 km/h", dimensions=1)


def arm() -> ts.Model:
    """The 7R arm of the other pages, one second."""
    from dataclasses import replace

    return replace(motion.arm(), simulation={"t_end": 1.0, "rtol": 1e-6})


CASES = (
    ("K3 at 48.3 km/h", k3, {}),
    ("four-bar, 10 s", four_bar, {}),
    ("Andrews, 0.03 s, rtol 1e-6", andrews, {"rtol": 1e-6}),
    ("7R arm, 1 s, rtol 1e-6", arm, {}),
)


def cpu(function, rounds: int = 200) -> float:
    """Best CPU time of a call [ms]."""
    best = float("inf")
    for _ in range(rounds):
        before = time.process_time()
        function()
        best = min(best, time.process_time() - before)
    return 1e3 * best


def signals(run) -> None:
    """What is looked at first: where a body is, how it accelerates, the energies."""
    body = run.provenance["coordinates"][0].partition(".")[0]
    for kind in ("position", "acceleration"):
        name = next(n for n in run.signals if n.endswith(f".{kind}.x"))
        run[name]
    run["energy.kinetic"], body


def kept(system, options, calls: int = 50) -> float:
    """Memory that a call leaves behind [bytes]."""
    ts.simulate(system, **options)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(calls):
        ts.simulate(system, **options)
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return (after - before) / calls


def main() -> None:
    print("| run | steps | on a System | on a Model | around the steps | first signals | kept |")
    print("|---|---|---|---|---|---|---|")
    for name, make, options in CASES:
        model = make()
        system = model.check()
        for _ in range(3):
            ts.simulate(system, **options).check()
        steps = 1e3 * min(ts.simulate(system, **options).statistics["seconds"] for _ in range(200))
        call = cpu(lambda: ts.simulate(system, **options))  # noqa: B023
        whole = cpu(lambda: ts.simulate(model, **options))  # noqa: B023
        runs = [ts.simulate(system, **options) for _ in range(6)]
        shown = cpu(lambda: signals(runs.pop()), 6)  # noqa: B023
        print(
            f"| {name} | {steps:.2f} | {call:.2f} | {whole:.2f} | {call - steps:.2f} | {shown:.2f} "
            f"| {kept(system, options):.0f} B |",
            flush=True,
        )


if __name__ == "__main__":
    main()
