"""Formalisms beside each other: operations, terms, time.  Writes docs/theory/comparison.md.

Operations are those of inverse dynamics by each formalism's own text over expression graphs, with
common expressions shared; terms those of the exact equations (the same for all); times are CPU
seconds to write the exact equations, as ratios to the quickest in one run.
"""

from __future__ import annotations

import time
from pathlib import Path

import torseur as ts
from torseur.formalisms.base import formalisms
from torseur.numbers import Graph

PAGE = Path(__file__).parents[1] / "docs" / "theory" / "comparison.md"
TITLES = {
    "newton_euler": "[Newton-Euler](newton_euler.md)",
    "lagrange": "[Lagrange](lagrange.md)",
    "virtual_power": "[virtual power](lagrange.md)",
    "gibbs_appell": "[Gibbs-Appell](lagrange.md)",
    "lie_group": "[Lie group](lie_group.md)",
    "uicker": "[Uicker](uicker.md)",
    "global_inertia": "[global inertia](global_inertia.md)",
}


def body(i: int) -> ts.Body:
    """Ten letters."""
    moments = tuple(f"I{e}{i}" for e in ("xx", "yy", "zz", "xy", "xz", "yz"))
    first = (f"mx{i}", f"my{i}", f"mz{i}")
    return ts.Body(f"link{i}", mass=f"m{i}", first_moment=first, inertia=moments, about="origin")


def arm(name: str, rows) -> ts.Model:
    links = [body(i + 1) for i in range(len(rows))]
    return ts.from_dh(rows, links, convention="modified", name=name, gravity=(0, 0, "-g"))


ROBOTS = {
    "pendulum": [("pi/2", 0, 0, 0)],
    "arm of 3 hinges": [(0, 0, 0, 0), ("pi/2", 0, 0, 0), (0, "d3", 0, 0)],
    "Stanford arm, 6 joints": [
        (0, 0, 0, 0),
        ("-pi/2", 0, 0, "r2"),
        ("pi/2", 0, 0, 0, "P"),
        (0, 0, 0, 0),
        ("-pi/2", 0, 0, 0),
        ("pi/2", 0, 0, 0),
    ],
}


def operations(system, name: str) -> int:
    """Operations of the graph of inverse dynamics by one formalism, parameters as arguments."""
    import casadi

    K = Graph()
    names = tuple(ts.equations(system).parameters)
    K.parameters = dict(zip(names, K.symbols(names), strict=True))
    q, v, a = (K.symbols(f"{p}{i}" for i in range(system.nv)) for p in "qva")
    out = casadi.cse(K.sx(formalisms[name](system.over(K), q, v, a)))
    f = casadi.Function("f", [casadi.vertcat(*casadi.symvar(out))], [out])
    plain = {casadi.OP_CONST, casadi.OP_INPUT, casadi.OP_OUTPUT, casadi.OP_PARAMETER}
    return sum(f.instruction_id(k) not in plain for k in range(f.n_instructions()))


def seconds(model, name: str) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        ts.equations(model, formalism=name)
        best = min(best, time.process_time() - start)
    return best


def table() -> str:
    """Rows: formalisms; for each robot: operations, time against the quickest."""
    cells: dict[str, list[str]] = {n: [] for n in TITLES}
    heads, rules, told = [], [], []
    for title, rows in ROBOTS.items():
        model = arm(title, rows)
        system = model.check()
        eq = ts.equations(model)
        told.append(f"{title}: {sum(eq.tau[i].terms for i in range(system.nv))} terms")
        times = {n: seconds(model, n) for n in TITLES}
        for n in TITLES:
            ratio = times[n] / min(times.values())
            cells[n] += [str(operations(system, n)), f"{ratio:.1f} x"]
        heads += [f"{title}: operations", "time"]
        rules += ["---:", "---:"]
    lines = [f"| | {' | '.join(heads)} |", f"|---|{'|'.join(rules)}|"]
    lines += [f"| {TITLES[n]} | {' | '.join(x)} |" for n, x in cells.items()]
    return "\n".join(lines) + "\n\nThe exact equations have " + "; ".join(told) + "."


def page() -> str:
    return f"""# The formalisms compared

All formalisms give the same equations, coefficient by coefficient; a test proves it in the ring for every joint. They differ in the way there. This table was made by
`benchmarks/formalisms.py`: every inertial parameter is a letter; *operations* are those of inverse dynamics, straight from each formalism's own text, common expressions
shared; *time* is CPU time to write the exact equations, against the quickest in the same run.

{table()}

What to take from it:

- The recursion of [Newton-Euler](newton_euler.md) costs least for numbers and grows with the number of joints only; compiled kernels use it. It says nothing about single coefficients.
- [Lagrange](lagrange.md), virtual power and Gibbs-Appell share no line with the recursion: they are what it is proved by.
- [Uicker](uicker.md) and [global inertia](global_inertia.md) give each coefficient by itself (mass matrix, Christoffel symbols), which is what equations that people read need; the tensors need the sums over bodies once.
- [The Lie group](lie_group.md) is Newton-Euler without coordinates: screws carried from place to place.
- For accelerations, [composite bodies](composite_body.md) give the mass matrix and [articulated bodies](articulated_body.md) avoid it; neither is an inverse dynamics, so they are not in the table.
"""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))
