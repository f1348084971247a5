"""README's tables of ratios, from what the programs of one run left."""

from __future__ import annotations

import math

import gate

NEEDED = ("kernels", "motion", "loops")
ROBOTS = ("7R arm", "30-joint tree", "humanoid, free base")
KERNELS = {
    "inverse dynamics": ("inverse dynamics",),
    "mass matrix": ("mass matrix",),
    "forward dynamics": ("forward dynamics",),
    "derivatives of inverse; of forward dynamics": (
        "inverse dynamics derivatives",
        "forward dynamics derivatives",
    ),
    "batches, time per state: inverse; forward dynamics; mass matrices": (
        "inverse dynamics, batch",
        "forward dynamics, batch",
        "mass matrix, batch",
    ),
}
RUNS = {  # the program and its problems
    "7R arm": ("motion", "arm7"),
    "tree of 30 hinges": ("motion", "tree30"),
    "pendula of 10; 100; 1000": ("motion", "pendula10", "pendula100", "pendula1000"),
    "heavy top": ("motion", "heavy_top"),
    "N four-bars in a row (benchmark A02 of the IFToMM library), N = 1; 10; 40": (
        *("loops", "A02 N=1", "A02 N=10", "A02 N=40"),
    ),
}
GOALS = ("0.001", "1e-06", "1e-09")


def times(found: dict, name: str) -> str:
    """A ratio as it is printed; nothing where the row is not measured for this robot."""
    x = found.get(name, math.nan)
    return "no peer" if x is None else "" if math.isnan(x) else f"{x:.{1 if x < 10 else 0}f}x"


def tables(found: dict[str, dict]) -> str:
    """Two tables in Markdown: kernels, and motion to an error."""
    heads = (
        "kernels, one call from compiled code unless said, against Pinocchio's C++ at -O3 "
        "-march=native",
        *ROBOTS,
    )
    lines = [gate.row(*heads), gate.rule(len(heads))]
    for what, parts in KERNELS.items():
        cells = [[times(found["kernels"], f"{r}: {p}") for p in parts] for r in ROBOTS]
        lines.append(gate.row(what, *("; ".join(filter(None, c)) for c in cells)))
    said = (
        "motion: time of the integration (building and compiling left out on both sides) to an "
        "error of 1e-3 / 1e-6 / 1e-9, against the best of MuJoCo, Pinocchio + SciPy, Exudyn, Drake"
    )
    lines += ["", gate.row(said, ""), gate.rule(2)]
    for what, (program, *problems) in RUNS.items():
        cells = [" / ".join(times(found[program], f"{p} {g}") for g in GOALS) for p in problems]
        lines.append(gate.row(what, "; ".join(cells)))
    return "\n".join(lines)
