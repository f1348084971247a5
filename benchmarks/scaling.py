"""How cost grows: with bodies (chain, tree, comb), loops and contacts; time, memory, peers.

    python benchmarks/scaling.py [bodies|implicit|loops|contacts|joined] [largest] [--out PAGE]

Each figure comes from a process of its own with an empty kernel cache: CPU seconds of `check()`,
of the first `simulate` (preparation, compiling, a short run), of one evaluation of the rates inside
the native loop, and the largest memory of the process.  Peers answer the same question, the
accelerations of the same tree, in a process of their own.  The page is written whole, to
`docs/benchmarks/scaling.md`, when all parts were asked for; a figure of ours that fails or takes
too long ends the program.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import gate
import numpy as np
import scaling_peers as peers
import timing
from scaling_peers import parents, spent

import torseur as ts
from torseur.files import write
from torseur.kernels import MotionKernels

PAGE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks" / "scaling.md"
HINGE = ts.Revolute("y")
BODIES = (10, 30, 100, 300, 1000, 3000, 10_000)
SHAPES = ("chain", "tree", "comb")
LOOPS = (1, 3, 10, 30, 100, 300, 1000)
CONTACTS = (1, 3, 10, 30, 100)
JOINED = {
    "chain": (3, 6, 10, 20, 30),
    "legs": (4, 8, 16),
    "feet": (4, 6, 8, 12),
    "boxes": (2, 4),
}
RATIOS: dict[str, float] = {}
MOST_SECONDS = 200  # of CPU, of one figure of ours
OF_PEERS = 60  # and of one of theirs; what takes longer is told as such


def tree(shape: str, n: int, springs: bool = True) -> ts.Model:
    """Equal links on hinges, each with a spring and a damper."""
    names = ["world", *(f"b{i}" for i in range(n))]
    return ts.Model(
        shape,
        bodies=[ts.Body(f"b{i}", 1.0, (0, 0, -0.05), (0.01, 0.01, 0.001)) for i in range(n)],
        joints=[
            ts.Joint(f"j{i}", names[p + 1], f"b{i}", HINGE, at=(0, 0, -0.1 * (p >= 0)))
            for i, p in enumerate(parents(shape, n))
        ],
        forces=[ts.JointForce(f"s{i}", f"j{i}", ts.Spring(20.0)) for i in range(n * springs)]
        + [ts.JointForce(f"d{i}", f"j{i}", ts.Viscous(0.05)) for i in range(n * springs)],
    )


def ladder(n: int) -> ts.Model:
    """n four-bars in a row."""
    rod = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}
    bars = range(n + 1)
    return ts.Model(
        "ladder",
        bodies=[ts.Body(f"r{i}", com=(0, 0, 0.5), **rod) for i in bars]
        + [ts.Body(f"c{i}", com=(0.5, 0, 0), **rod) for i in range(n)],
        joints=[ts.Joint(f"p{i}", "world", f"r{i}", HINGE, at=(float(i), 0, 0)) for i in bars]
        + [ts.Joint(f"a{i}", f"r{i}", f"c{i}", HINGE, at=(0, 0, 1)) for i in range(n)],
        loops=[
            ts.Loop(f"l{i}", f"c{i}", f"r{i + 1}", HINGE, at=(1, 0, 0), child_at=(0, 0, 1))
            for i in range(n)
        ],
    )


def blocks(n: int) -> ts.Model:
    """n blocks that fall on a floor one after the other, with friction."""
    return ts.Model(
        "blocks",
        bodies=[ts.Body(f"x{i}") for i in range(n)] + [ts.Body(f"b{i}", 1.0) for i in range(n)],
        joints=[ts.Joint(f"x{i}", "world", f"x{i}", ts.Prismatic("x")) for i in range(n)]
        + [ts.Joint(f"z{i}", f"x{i}", f"b{i}", ts.Prismatic("z")) for i in range(n)],
        constraints=[ts.Contact(f"k{i}", f"b{i}", friction=0.3) for i in range(n)],
    )


def dragged(n: int) -> ts.Model:
    """A chain on a hinge above a floor, the tip of each of its n links may touch."""
    names = ["world", *(f"b{i}" for i in range(n))]
    return ts.Model(
        "chain",
        bodies=[ts.Body(f"b{i}", 1.0, (0.05, 0, 0), (0.001, 0.01, 0.01)) for i in range(n)],
        joints=[
            ts.Joint(f"j{i}", names[i], f"b{i}", HINGE, at=(0.1, 0, 0) if i else (0, 0, 0.2))
            for i in range(n)
        ],
        constraints=[ts.Contact(f"k{i}", (f"b{i}", (0.1, 0, 0)), friction=0.3) for i in range(n)],
    )


def legs(n: int) -> ts.Model:
    """A trunk on n legs of two links, with dampers in their hinges, a foot on each."""
    bodies = [ts.Body("trunk", 10.0, (0, 0, 0), (0.2, 0.3, 0.4))]
    joints, feet = [ts.Joint("float", "world", "trunk", ts.Free())], []
    for i in range(n):
        parent, at = "trunk", (0.3 * (i % 2 * 2 - 1), 0.2 * (i // 2) - 0.05 * (n - 2), 0)
        for j, axis in enumerate("yx"):
            bodies.append(ts.Body(f"l{i}{j}", 0.5, (0, 0, -0.15), (0.005, 0.005, 0.001)))
            hinge = ts.Revolute(axis)
            joints.append(ts.Joint(f"h{i}{j}", parent, f"l{i}{j}", hinge, at=at, damping=0.5))
            parent, at = f"l{i}{j}", (0, 0, -0.3)
        feet.append(ts.Contact(f"k{i}", (parent, at), friction=0.5))
    return ts.Model("legs", bodies=bodies, joints=joints, constraints=feet)


def boxes(feet: int, n: int = 1) -> ts.Model:
    """n boxes thrown on a floor, each on so many feet, with friction and restitution."""
    turns = [2 * np.pi * i / feet + 0.3 for i in range(feet)]
    return ts.Model(
        "boxes",
        bodies=[ts.Body(f"b{k}", 2.0, inertia=(0.01, 0.012, 0.015)) for k in range(n)],
        joints=[ts.Joint(f"fly{k}", "world", f"b{k}", ts.Free()) for k in range(n)],
        constraints=[
            ts.Contact(
                f"k{k}_{i}",
                (f"b{k}", (float(0.1 * np.cos(x)), float(0.1 * np.sin(x)), -0.1)),
                friction=0.3,
                restitution=0.2,
            )
            for k in range(n)
            for i, x in enumerate(turns)
        ],
    )


def measured(make, initial, **options) -> dict:
    """What one model costs, from its description to its first and second run."""
    from torseur.dynamics.contact.native import LIBRARY
    from torseur.integrate import advance
    from torseur.integrate.record import EXPLICIT, ROSENBROCK

    _ = LIBRARY.code
    for family in (EXPLICIT, ROSENBROCK):  # the integrators' own text is no part of the model
        advance.compile_advance(family)
    model = make()
    check, system = spent(model.check)
    first, run = spent(lambda: ts.simulate(system, initial=initial, **options))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    if not run.completed:
        raise SystemExit(run.outcome)
    twice, _ = spent(lambda: ts.simulate(system, initial=initial, **options))  # signals compiled
    again = min(spent(lambda: ts.simulate(system, initial=initial, **options))[0] for _ in range(3))
    return {
        "check": check,
        "first": first,
        "again": min(twice, again),
        "evaluation": evaluation(system),
        "memory": memory,
        "system": system,
    }


def evaluation(system) -> float:
    """Best CPU time of one evaluation of the rates, called by address [us]."""
    kernel = MotionKernels(system)["flow"]
    ports = (*kernel.inputs, *kernel.outputs)
    run, _ = timing._loop(len(ports))
    arrays = [*timing.states(kernel, 4), *(np.empty((4, *p.shape)) for p in kernel.outputs)]
    args = [*(p.size for p in ports), *(a.ctypes.data for a in arrays)]
    calls = max(10, 1_000_000 // (1 + sum(kernel.operations.values())))
    best = min(spent(lambda: run(kernel.address, calls, 4, *args))[0] for _ in range(5))
    return 1e6 * best / calls


def step(system, initial, options) -> float:
    """CPU time of one step, from two runs of which one is twice as long [us]."""
    found = []
    for factor in (1, 2):
        own = options | {"t_end": factor * options["t_end"]}
        took, run = min(
            (spent(lambda o=own: ts.simulate(system, initial=initial, **o)) for _ in range(3)),
            key=lambda x: x[0],
        )
        found.append((took, run.statistics["steps"]))
    (a, m), (b, n) = found
    return 1e6 * (b - a) / max(1, n - m)


def of_bodies(shape: str, n: int) -> dict:
    rows = {"t_end": 0.01, "step": 2e-4, "method": "rk4", "output": 2}
    return measured(lambda: tree(shape, n), {"j0.angle": 0.3}, **rows)


def of_implicit(shape: str, n: int) -> dict:
    start, rows = {"j0.angle": 0.3}, {"t_end": 0.02, "output": 2}
    found = measured(lambda: tree(shape, n), start, method="rodas5p", **rows)
    fixed = rows | {"method": "newmark", "step": 1e-3}
    ts.simulate(found["system"], initial=start, **fixed)
    return found | {
        "rodas5p": step(found["system"], start, rows | {"method": "rodas5p"}),
        "newmark": step(found["system"], start, fixed),
    }


def of_loops(_shape: str, n: int) -> dict:
    rows = {"t_end": 0.02, "step": 2e-3, "method": "rk4", "output": 2}
    return measured(lambda: ladder(n), {"p0.rate": 1.0}, **rows)


def of_contacts(_shape: str, n: int) -> dict:
    start = {f"z{i}.displacement": 0.001 * (1 + i / n) for i in range(n)}
    start |= {f"x{i}.speed": 0.5 for i in range(n)}
    return measured(lambda: blocks(n), start, t_end=0.05, output=2)


def of_joined(shape: str, n: int) -> dict:
    if shape == "chain":
        start = {f"j{i}.angle": 0.03 * (-1) ** i if i else 1.2 / n for i in range(n)}
        found = measured(lambda: dragged(n), start, t_end=0.2, output=2)
    elif shape in ("feet", "boxes"):
        count = n if shape == "boxes" else 1
        start = {f"fly{k}.{x}": y for k in range(count) for x, y in (("vx", 1.0), ("wy", 0.5))}
        start |= {f"fly{k}.pz": 0.2 + 0.01 * k for k in range(count)}
        of = (4, n) if shape == "boxes" else (n, 1)
        found = measured(lambda: boxes(*of), start, t_end=0.5, output=2)
    else:
        start = {"float.pz": 0.605, "float.wx": 0.1, "float.vx": 0.3}
        found = measured(lambda: legs(n), start, t_end=0.06, output=2)
    kernels = MotionKernels(found["system"])
    programs = {x: kernels[x].program for x in ("flow", "jump")}
    texts = {x: len(p.nodes) if kernels.apart else p.size for x, p in programs.items()}
    return found | texts


PARTS = {"bodies": of_bodies, "implicit": of_implicit, "loops": of_loops, "contacts": of_contacts,
         "joined": of_joined,
         "bodies.pinocchio": peers.of_pinocchio, "bodies.mujoco": peers.of_mujoco,
         "loops.pinocchio": peers.of_pinocchio_loops, "loops.mujoco": peers.of_mujoco_loops,
         "contacts.mujoco": peers.of_mujoco_contacts}  # fmt: skip
PEERS = {"loops": {"Pinocchio": 300, "MuJoCo": 1000}, "contacts": {"MuJoCo": 100}}
"""Peers of a part, and the largest size that each is asked for."""


class Unfinished(str):
    """Why a peer has no figure; false."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False


def apart(part: str, shape: str, n: int) -> dict | Unfinished:
    """One figure, from a process of its own with an empty kernel cache."""
    of_peer = "." in part
    with tempfile.TemporaryDirectory() as empty:
        out, why = timing.bounded(
            [sys.executable, __file__, "--one", part, shape, str(n)],
            OF_PEERS if of_peer else MOST_SECONDS,
            env={**os.environ, "TORSEUR_CACHE": empty},
        )
    if why and not of_peer:
        raise SystemExit(f"{part} {shape} {n}: {why}")
    if why:
        print(f"{part} {shape} {n}: {why}", file=sys.stderr)
    return Unfinished(why if why.startswith("not in") else "failed") if why else json.loads(out)


def cell(found: dict, key: str) -> str:
    return f"{found[key]:.3g}"


def beside(ours: dict, theirs: dict | Unfinished, name: str) -> str:
    """A peer's time and memory; the ratio of its time to ours is kept by its name."""
    if not theirs:
        return str(theirs)
    RATIOS[name] = theirs["evaluation"] / ours["evaluation"]
    return f"{theirs['evaluation']:.3g}, {theirs['memory']:.0f} MB"


def bodies(most: int):
    yield (
        "| bodies | check [s] | first run [s] | evaluation [us] | memory [MB] "
        "| Pinocchio [us] | MuJoCo [us] |"
    )
    yield "|---|---|---|---|---|---|---|"
    for shape in SHAPES:
        for n in (x for x in BODIES if x <= most):
            ours = apart("bodies", shape, n)
            shown = [cell(ours, k) for k in ("check", "first", "evaluation", "memory")]
            for peer, limit in (("Pinocchio", 300), ("MuJoCo", most if shape == "tree" else 1000)):
                theirs = (
                    apart(f"bodies.{peer.lower()}", shape, n) if n <= limit else Unfinished("-")
                )
                shown.append(beside(ours, theirs, f"{shape} of {n}, forward dynamics / {peer}"))
            yield f"| {shape}, {n} | {' | '.join(shown)} |"


def implicit(most: int):
    yield (
        "| stiff chain | first run [s] | step of rodas5p [us] | step of newmark [us] "
        "| memory [MB] |"
    )
    yield "|---|---|---|---|---|"
    for n in (x for x in BODIES if 100 <= x <= most):
        ours = apart("implicit", "chain", n)
        shown = [cell(ours, k) for k in ("first", "rodas5p", "newmark", "memory")]
        yield f"| {n} | {' | '.join(shown)} |"


def counted(part: str, sizes, most: int):
    peers = PEERS[part]
    head = " | ".join([part, "check [s]", "first run [s]", "again [s]", "evaluation [us]"])
    yield f"| {head} | memory [MB] | {' | '.join(f'{p} [us]' for p in peers)} |"
    yield "|---" * (6 + len(peers)) + "|"
    for n in (x for x in sizes if x <= most):
        ours = apart(part, "", n)
        shown = [cell(ours, k) for k in ("check", "first", "again", "evaluation", "memory")]
        for peer, limit in peers.items():
            theirs = apart(f"{part}.{peer.lower()}", "", n) if n <= limit else Unfinished("-")
            shown.append(beside(ours, theirs, f"{n} {part}, accelerations / {peer}"))
        yield f"| {n} | {' | '.join(shown)} |"


def joined(most: int):
    head = "check [s] | first run [s] | again [s] | evaluation [us] | memory [MB]"
    yield f"| contacts | {head} | text of the rates | of an event |"
    yield "|---" * 8 + "|"
    for shape, sizes in JOINED.items():
        for n in (x for x in sizes if x <= most):
            ours = apart("joined", shape, n)
            keys = ("check", "first", "again", "evaluation", "memory")
            shown = [*(cell(ours, k) for k in keys), str(ours["flow"]), str(ours["jump"])]
            yield f"| {shape}, {n} | {' | '.join(shown)} |"


TEXTS = {
    "bodies": """# How cost grows

Measured by `benchmarks/scaling.py` on {date}, {cores} cores, load {load:.0f}: CPU time, a process
for each figure, empty kernel cache, integrators compiled before. "First run" is the first call of
`simulate` on a checked system: preparation, compiling, fifty steps. "Evaluation" is the time of one
evaluation of the rates inside the native loop; "memory" the most that the process held, about
60 MB of which are Python, NumPy and LLVM; behind a peer's time is the memory of its process. A
peer had {peers} CPU seconds for each figure; a dash is what it was not asked for.

## Bodies

Links on hinges with a spring and a damper on each (two force elements a body): a chain, a tree in
which every body carries two, a comb (a spine with a tooth on each link). Pinocchio's
articulated-body algorithm and MuJoCo's `mj_forward` answer for the accelerations of the same tree;
MuJoCo's mass matrix of a chain is full and that of a comb half full, and they were measured up to
a thousand links;
Pinocchio's data of 500 links take 7.9 GB, and it was measured up to 300.
""",
    "implicit": """
## Implicit steps

The chain, by methods that solve a linear equation at each step, link by link (IN.14 to IN.19).
""",
    "loops": """
## Loops

Four-bars in a row. From 140 speeds and rows on, parts that are alike are compiled once and
looped over (CK.8), eight abreast: the time to the first run then grows only by tables and by what
Python does for each loop, and evaluation is linear. Fewer loops are straight-line code, which would
take 1.4 to 2 times as long per evaluation of 30 to 300 loops, and 1.7 to 24 s to the first run.
Contacts in the same mechanism and placements that time moves are still served by
straight-line code; numbers made of declared parameters are computed first, and read by the parts.
Pinocchio's `constraintDynamics` (dense in the
rows, measured up to 300 loops) and MuJoCo's `mj_forward` (soft constraints) are
timed on the same ladder at rest; whether their accelerations
agree was not compared here.
`solution="null_space"` and `"elimination"` are compiled by kinds as well (CS.8), where no mechanism
has more than six independent speeds: 100, 300 and 1000 loops take 1.4, 1.9 and 4.6 CPU s to their
first run by null space and 1.5, 1.9 and 4.6 s by elimination (12 and 17 s for 100 as straight-line
code), measured at a load of 10 beside 0.83, 1.12 and 2.06 s of the usual solution.
A batch of many loops runs one state at a time: 40 loops, eight members, 83 runs of 500 RK4 steps a
CPU second, where straight-line code in lanes has 148 once its 6 s of compiling are over.
The first multiplier or reaction of a run looks for what no motion tells: 25, 60 and 100 loops in
a row take 0.2, 0.6 to 1.3 and 2.8 CPU s with 101 instants.
""",
    "contacts": """
## Contacts

Blocks with frictional contacts that land one after the other. Each block is an island (FL.8); from
forty contacts and frictions on (20 blocks), islands that are alike are compiled once. Contacts of
one mechanism that forces alone join are islands too: the same blocks with a spring between
neighbors take 1.1 s to the first run for 30 and 1.3 s for 100 (1.9 and 6.2 s as straight-line
code, with the same numbers). MuJoCo's `mj_forward` answers for balls that all lie on the floor,
with its soft contacts.
""",
    "joined": """
## Contacts on joined bodies

A chain on a hinge above a floor, on which the tip of each link may land, with friction; a trunk on
legs of two links with dampers, a foot on each (a quadruped has four contacts, a humanoid's two feet
eight); a box on feet that is thrown on the floor, and several boxes on four.
From twenty speeds and rows on, native loops over rows that hold solve for forces and
impulses (DF.14); they are compiled once per machine, before these figures. "Text" is the number of
operations that a kernel writes: it grows with contacts, on short chains with contacts times
depth; of long ones masses and rows are walks down the tree, of data.
The time of an evaluation is the longest, of states in which every row is on; rows that
are off cost nothing, and "again" is a whole run. Straight-line code of these models grew with the
cube: chains of 6 and 10 links took 1.4 and 5.2 s to their first run, a quadruped 2.2 s, and a run
of the chain of ten with 211 events four times as long.
Models with loops beside contacts are still straight-line code.
""",
}


def main() -> None:
    if "--one" in sys.argv:
        part, shape, n = sys.argv[2:]
        found = PARTS[part](shape, int(n))
        found.pop("system", None)
        print(json.dumps(found))
        return
    words, out = sys.argv[1:], None
    if "--out" in words:
        k = words.index("--out")
        out = Path(words.pop(k + 1))
        words.pop(k)
    asked = [x for x in words if not x.isdigit()]
    most = max([int(x) for x in words if x.isdigit()], default=10**9)
    tables = {
        "bodies": lambda: bodies(most),
        "implicit": lambda: implicit(most),
        "loops": lambda: counted("loops", LOOPS, most),
        "contacts": lambda: counted("contacts", CONTACTS, most),
        "joined": lambda: joined(most),
    }
    facts = {"date": time.strftime("%d %B %Y"), "load": os.getloadavg()[0]}
    facts, page = facts | {"cores": os.cpu_count(), "peers": OF_PEERS}, ""
    for name in asked or tables:
        lines = [TEXTS[name].format(**facts)]
        for line in tables[name]():
            print(line, flush=True)
            lines.append(line)
        page += "\n".join(lines) + "\n"
    _, head, calls = PAGE.read_text(encoding="utf-8").partition("\n## Calls on large models\n")
    page += head + calls  # by `cliffs.py`
    gate.record("scaling", RATIOS)
    if out or (not asked and most == 10**9):
        write(out or PAGE, page)


if __name__ == "__main__":
    main()
