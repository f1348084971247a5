"""Closed loops beside peers, in one run: A01 (a constrained point) and A02 (N four-bars).

    python benchmarks/loops.py [N ...]        (N = 0: A01)

Each tool runs over its methods and settings; the first table shows the least CPU time [ms] that
reaches an error of 1e-3, 1e-6 and 1e-9 in the position of the first moving pin over ten seconds
(101 instants), the least error it reached, and how; the second the energy drift of these runs, the
largest |E - E0| [J] at the same instants, as the benchmark asks; the third the cost of torseur over
N.  The reference is the exact reduction to one angle.  Peers (MuJoCo, Exudyn, Drake, Pinocchio) are
optional; each must give our acceleration before it is timed, and has a budget of CPU time a
problem.  Times are CPU times; read the ratios.
"""

import os
import sys
import time

os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1")

import gate
import numpy as np
from loops_peers import PEERS
from loops_problems import TIMES, angle, beginning, model, pin, seen, start, true_acceleration

from torseur.simulation.run.run import Simulation

GOALS = (1e-3, 1e-6, 1e-9)
OURS = [
    *(
        (m, {"rtol": r, "atol": 0.1 * r})
        for m, rs in (
            ("dopri5", (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-12)),
            ("dop853", (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14)),
        )
        for r in rs
    ),
    *(("rk4", {"step": h}) for h in (0.04, 0.03, 0.02, 0.01, 0.005, 0.002, 0.001)),
]
BUDGET = {0: 2.0, 1: 3.0, 2: 3.0, 10: 6.0}  # CPU seconds of one peer's sweep; 20 s for others
LINEAR = (1, 2, 5, 10, 20, 40)


def ours(N, exact, rounds=5):
    """(error, CPU ms, how, energies) of every method and setting."""
    system = model(N).check()
    for method, options in OURS:
        out, spent, _ = timed(system, N, method, options, rounds)
        if out.completed and len(out.time) == len(TIMES):
            yield (
                abs(seen(N, out) - exact).max(),
                spent,
                f"{method} {setting(options):g}",
                lambda out=out: out["energy.residual"],
            )


def setting(options) -> float:
    return options.get("step", options.get("rtol"))


def timed(system, N, method, options, rounds):
    """A run, its least CPU time [ms] and its number of steps."""
    spent = np.inf
    for _ in range(rounds):
        run = Simulation(system, 10.0, start(N), method=method, output=TIMES, **options)
        before = time.thread_time()
        run.go()
        spent = min(spent, 1e3 * (time.thread_time() - before))
    made = run.result()
    return made, spent, made.statistics["steps"]


def peer(build, N, exact):
    """(error, CPU ms, how, energies) of a peer's methods, coarse settings first, in its budget."""
    theirs, expected = build(N, 1.0, -1.0)[0], true_acceleration(N, 1.0, -1.0)
    if not abs(theirs - expected).max() <= 2e-3 * abs(expected).max():
        raise ValueError(f"acceleration {theirs} instead of {expected}")
    _, methods = build(N, *beginning(N))
    for name, (prepare, values) in methods.items():
        left = BUDGET.get(N, 20.0) / len(methods)
        for value in values:
            spent = np.inf
            for _ in range(3):  # once where it is long
                go = prepare(value)
                before = time.thread_time()
                try:
                    found, energies = go()
                except Exception as why:  # a solver that gave up at this setting
                    print(f"    {name} {value:g}: {str(why).splitlines()[-1]}", file=sys.stderr)
                    found, energies = np.full((1, 2), np.nan), None
                once = time.thread_time() - before
                spent = min(spent, once)
                if once > 0.1 * left:
                    break
            if len(found) == len(TIMES) and np.isfinite(found).all():
                yield float(abs(found - exact).max()), 1e3 * spent, f"{name} {value:g}", energies
            left -= spent
            if left < 2 * spent:
                break


class Row:
    """The best of a tool: least time for each goal, how, and the drift of energy there."""

    def __init__(self, name, results):
        found = list(results)
        self.name, self.least = name, min((e for e, *_ in found), default=np.nan)
        best = [
            min((x for x in found if x[0] <= goal), key=lambda x: x[1], default=None)
            for goal in GOALS
        ]
        self.ms = [np.nan if x is None else x[1] for x in best]
        self.how = ["-" if x is None else x[2] for x in best]
        self.drift = [np.nan if x is None else drift(x[3]) for x in best]

    def show(self):
        how = "; ".join(self.how)
        print(gate.row(self.name, *cells(self.ms, ".3f"), f"{self.least:.1e}", how), flush=True)


def drift(energies) -> float:
    """The largest |E - E0| [J]."""
    E = np.array(list(energies()))
    return float(abs(E - E[0]).max())


def cells(numbers, form) -> list[str]:
    return [f"{x:{form}}" if np.isfinite(x) else "-" for x in numbers]


def heads(*names) -> None:
    print("\n" + gate.row(*names) + "\n" + gate.rule(len(names)), flush=True)


def linear(sizes):
    """CPU time of the same thousand steps for more and more loops."""
    heads("N", "1000 steps of rk4 [ms]", "a step and loop [us]", "dop853, 1e-9 [ms]", "the same")
    for N in sizes:
        system, text = model(N).check(), [N]
        for method, options in (("rk4", {"step": 0.01}), ("dop853", {"rtol": 1e-9, "atol": 1e-10})):
            _, ms, steps = timed(system, N, method, options, 5)
            text += cells((ms, 1e3 * ms / steps / N), ".3f")
        print(gate.row(*text), flush=True)


def main(sizes):
    rows = []
    heads("CPU ms to an error of", *cells(GOALS, ".0e"), "least error", "reached by")
    for N in sizes:
        exact, title = pin(angle(N)), f"A02 N={N}" if N else "A01"
        rows.append(Row(f"{title} torseur", ours(N, exact)))
        rows[-1].show()
        for name, build in PEERS.items():
            try:
                rows.append(Row(f"{title} {name}", peer(build, N, exact)))
                rows[-1].show()
            except ImportError:
                print(gate.row(f"{title} {name}", *5 * ("not installed",)))
            except ValueError as why:
                print(gate.row(f"{title} {name}", *4 * "-", f"not the same model, {why}"))
    found = ratios(rows)
    heads("how many times longer the best peer takes", *cells(GOALS, ".0e"))
    for title in dict.fromkeys(name.rpartition(" ")[0] for name in found):
        print(gate.row(title, *cells([found[f"{title} {g:g}"] for g in GOALS], ".0f")))
    heads("energy drift [J] at", *cells(GOALS, ".0e"))
    for r in rows:
        print(gate.row(r.name, *cells(r.drift, ".1e")))
    gate.record("loops", found)
    linear([N for N in LINEAR if N <= max(sizes)])


def ratios(rows) -> dict[str, float]:
    """Least time of a peer over ours, for each problem and goal."""
    own = {r.name.removesuffix(" torseur"): r for r in rows if r.name.endswith(" torseur")}
    found = {}
    for title, mine in own.items():
        peers = [r for r in rows if r is not mine and r.name.startswith(f"{title} ")]
        for k, goal in enumerate(GOALS):
            least = min((r.ms[k] for r in peers if np.isfinite(r.ms[k])), default=np.nan)
            found[f"{title} {goal:g}"] = float(least / mine.ms[k])
    return found


if __name__ == "__main__":
    main([int(x) for x in sys.argv[1:]] or [0, 1, 2, 10, 40])
