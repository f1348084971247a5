"""Formalisms beside each other: operations, terms, time.  Writes docs/theory/comparison.md.

Operations are those of inverse dynamics by each formalism's own text over expression graphs, with
common expressions shared; terms those of the exact equations (the same for all); times are CPU
seconds to write the exact equations, as ratios to the quickest in one run.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import torseur as ts
from torseur.files import write
from torseur.formalisms import FORMALISMS
from torseur.scalars import Graph

PAGE = Path(__file__).parents[1] / "docs" / "theory" / "comparison.md"
ROUNDS = 15
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
    out = casadi.cse(K.sx(FORMALISMS[name](system.over(K), q, v, a)))
    f = casadi.Function("f", [casadi.vertcat(*casadi.symvar(out))], [out])
    plain = {casadi.OP_CONST, casadi.OP_INPUT, casadi.OP_OUTPUT, casadi.OP_PARAMETER}
    return sum(f.instruction_id(k) not in plain for k in range(f.n_instructions()))


def seconds(model) -> dict[str, float]:
    """CPU time of each formalism, best of many rounds, all in turn."""
    best = dict.fromkeys(TITLES, float("inf"))
    for _ in range(ROUNDS):
        for name in TITLES:
            start = time.process_time()
            ts.equations(model, formalism=name)
            best[name] = min(best[name], time.process_time() - start)
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
        times = seconds(model)
        for n in TITLES:
            ratio = times[n] / min(times.values())
            cells[n] += [str(operations(system, n)), f"{ratio:.1f} x"]
        heads += [f"{title}: operations", "time"]
        rules += ["---:", "---:"]
    lines = [f"| | {' | '.join(heads)} |", f"|---|{'|'.join(rules)}|"]
    lines += [f"| {TITLES[n]} | {' | '.join(x)} |" for n, x in cells.items()]
    return "\n".join(lines) + "\n\nThe exact equations have " + "; ".join(told) + "."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=PAGE, help="where to write the page")
    out = parser.parse_args().out
    head, rest = PAGE.read_text(encoding="utf-8").split("<!-- table -->")
    tail = rest.split("<!-- end -->")[1]
    found = table()
    print(found)
    write(out, f"{head}<!-- table -->\n\n{found}\n\n<!-- end -->{tail}")


if __name__ == "__main__":
    main()
