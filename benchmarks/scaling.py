"""How cost grows: with bodies (chain, tree, comb), loops and contacts; time, memory, peers.

    python benchmarks/scaling.py [bodies|implicit|loops|contacts] [largest]

Each figure comes from a process of its own with an empty kernel cache: CPU seconds of `check()`,
of the first `simulate` (preparation, compiling, a short run), of one evaluation of the rates inside
the native loop, and the largest memory of the process.  Peers answer the same question, the
accelerations of the same tree, in a process of their own.  The page is written whole, to
`docs/benchmarks/scaling.md`, when all parts were asked for.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import gate
import numpy as np
import timing

import torseur as ts
from torseur.quantities import MotionKernels

PAGE = Path(__file__).resolve().parent.parent / "docs" / "benchmarks" / "scaling.md"
HINGE = ts.Revolute("y")
BODIES = (10, 30, 100, 300, 1000, 3000, 10_000)
SHAPES = ("chain", "tree", "comb")
LOOPS = (1, 3, 10, 30, 100, 300, 1000)
CONTACTS = (1, 3, 10, 30, 100)
RATIOS: dict[str, float] = {}
MOST_SECONDS = 180  # of one figure; what takes longer is told as such


def parents(shape: str, n: int) -> list[int]:
    """The body that each hangs from; -1 is the world."""
    if shape == "chain":
        return list(range(-1, n - 1))
    if shape == "tree":  # every body carries two
        return [(i - 1) // 2 for i in range(n)]
    return [i - 2 + i % 2 if i > 1 else i - 1 for i in range(n)]  # comb: a spine, a tooth on each


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


def spent(function):
    """CPU seconds of a call, and its answer."""
    before = time.process_time()
    answer = function()
    return time.process_time() - before, answer


def measured(make, initial, **options) -> dict:
    """What one model costs, from its description to its first and second run."""
    from torseur.integrate import advance
    from torseur.integrate.record import EXPLICIT, ROSENBROCK

    for family in (EXPLICIT, ROSENBROCK):  # the integrators' own text is no part of the model
        advance.ready(family)
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


def of_pinocchio(shape: str, n: int) -> dict:
    """Its articulated-body algorithm on the same tree [us]."""
    import pinocchio as pin

    model = pin.Model()
    body = pin.Inertia(1.0, np.array((0, 0, -0.05)), np.diag((0.01, 0.01, 0.001)))
    for i, p in enumerate(parents(shape, n)):
        at = pin.SE3(np.eye(3), np.array((0, 0, -0.1 * (p >= 0))))
        model.addJoint(p + 1, pin.JointModelRY(), at, f"j{i}")
        model.appendBodyToJoint(i + 1, body, pin.SE3.Identity())
    data, x = model.createData(), np.zeros(n)
    rounds = max(3, 100_000 // n)
    pin.aba(model, data, x, x, x)
    best = min(
        spent(lambda: [pin.aba(model, data, x, x, x) for _ in range(rounds)])[0] for _ in range(5)
    )
    return {"evaluation": 1e6 * best / rounds,
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}  # fmt: skip


def of_mujoco(shape: str, n: int) -> dict:
    """Its forward dynamics on the same tree [us]."""
    import mujoco

    spec = mujoco.MjSpec()
    made = []
    for i, p in enumerate(parents(shape, n)):
        up = spec.worldbody if p < 0 else made[p]
        b = up.add_body(name=f"b{i}", pos=(0, 0, -0.1 * (p >= 0)))
        b.mass, b.ipos, b.inertia, b.explicitinertial = (
            1.0,
            (0, 0, -0.05),
            (0.01, 0.01, 0.001),
            True,
        )
        b.add_joint(name=f"j{i}", axis=(0, 1, 0), stiffness=20.0, damping=0.05)
        made.append(b)
    model = spec.compile()
    data = mujoco.MjData(model)
    rounds = max(2, 20_000 // n)
    mujoco.mj_forward(model, data)
    best = min(
        spent(lambda: [mujoco.mj_forward(model, data) for _ in range(rounds)])[0] for _ in range(3)
    )
    return {"evaluation": 1e6 * best / rounds,
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}  # fmt: skip


def forward(model) -> dict:
    """MuJoCo's `mj_forward` of a model [us], and the memory of the process."""
    import mujoco

    data = mujoco.MjData(model)
    rounds = max(2, 10_000 // model.nv)
    mujoco.mj_forward(model, data)
    best = min(
        spent(lambda: [mujoco.mj_forward(model, data) for _ in range(rounds)])[0] for _ in range(3)
    )
    return {"evaluation": 1e6 * best / rounds,
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}  # fmt: skip


def of_mujoco_loops(_shape: str, n: int) -> dict:
    """The ladder with its loops as (soft) equality constraints."""
    import mujoco

    spec = mujoco.MjSpec()

    def rod(up, name, at, com):
        b = up.add_body(name=name, pos=at)
        b.mass, b.ipos, b.inertia, b.explicitinertial = 1.0, com, (0.1, 0.1, 0.1), True
        b.add_joint(name=name, axis=(0, 1, 0))
        return b

    rods = [rod(spec.worldbody, f"r{i}", (float(i), 0, 0), (0, 0, 0.5)) for i in range(n + 1)]
    for i in range(n):
        rod(rods[i], f"c{i}", (0, 0, 1), (0.5, 0, 0))
        spec.add_equality(
            type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY,
            name1=f"c{i}", name2=f"r{i + 1}", data=[1, 0, 0, *[0] * 9],
        )  # fmt: skip
    return forward(spec.compile())


def of_pinocchio_loops(_shape: str, n: int) -> dict:
    """The ladder by its constrained dynamics, proximal as ours: rows across the plane repeat."""
    import pinocchio as pin

    model, inertia, at = pin.Model(), np.diag((0.1, 0.1, 0.1)), pin.SE3.Identity

    def place(*p):
        return pin.SE3(np.eye(3), np.array(p, dtype=float))

    rods, couplers = [], []
    for i in range(n + 1):
        rods.append(model.addJoint(0, pin.JointModelRY(), place(i, 0, 0), f"r{i}"))
        own = pin.Inertia(1.0, np.array((0, 0, 0.5)), inertia)
        model.appendBodyToJoint(rods[-1], own, at())
        if i < n:
            couplers.append(model.addJoint(rods[-1], pin.JointModelRY(), place(0, 0, 1), f"c{i}"))
            own = pin.Inertia(1.0, np.array((0.5, 0, 0)), inertia)
            model.appendBodyToJoint(couplers[-1], own, at())
    rows = [
        pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, model, couplers[i], place(1, 0, 0), rods[i + 1],
            place(0, 0, 1), pin.LOCAL,
        )
        for i in range(n)
    ]  # fmt: skip
    data, x = model.createData(), np.zeros(model.nv)
    kept = pin.StdVec_RigidConstraintData([r.createData() for r in rows])
    rows = pin.StdVec_RigidConstraintModel(rows)
    pin.initConstraintDynamics(model, data, rows, kept)
    settings = pin.ProximalSettings(1e-10, 1e-8, 5)

    def once():
        pin.constraintDynamics(model, data, x, x, x, rows, kept, settings)

    once()
    rounds = max(2, 3000 // n)
    best = min(spent(lambda: [once() for _ in range(rounds)])[0] for _ in range(3))
    return {"evaluation": 1e6 * best / rounds,
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}  # fmt: skip


def of_mujoco_contacts(_shape: str, n: int) -> dict:
    """Balls that slide along x and z, all of them on the floor, with friction."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=(0, 0, 1), friction=(0.3, 0, 0))
    for i in range(n):
        b = spec.worldbody.add_body(name=f"b{i}", pos=(0, 3.0 * i, 0.0999))
        b.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=(0.1, 0, 0), mass=1.0,
                   friction=(0.3, 0, 0))  # fmt: skip
        for axis in ((1, 0, 0), (0, 0, 1)):
            b.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=axis)
    return forward(spec.compile())


PARTS = {"bodies": of_bodies, "implicit": of_implicit, "loops": of_loops, "contacts": of_contacts,
         "pinocchio": of_pinocchio, "mujoco": of_mujoco, "loops.mujoco": of_mujoco_loops,
         "loops.pinocchio": of_pinocchio_loops, "contacts.mujoco": of_mujoco_contacts}  # fmt: skip
PEERS = {"loops": {"Pinocchio": 300, "MuJoCo": 1000}, "contacts": {"MuJoCo": 100}}
"""Peers of a part, and the largest size that each is asked for."""


def apart(part: str, shape: str, n: int) -> dict | None:
    """One figure, from a process of its own; None where it fails or takes too long."""
    with tempfile.TemporaryDirectory() as empty:
        own = {**os.environ, "TORSEUR_CACHE": empty}
        try:
            done = subprocess.run(
                [sys.executable, __file__, "--one", part, shape, str(n)],
                env=own, capture_output=True, text=True, timeout=MOST_SECONDS,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return None
    if done.returncode:
        print(done.stderr.strip().splitlines()[-1:], file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def cell(found: dict | None, key: str, digits: int = 3) -> str:
    return "-" if found is None else f"{found[key]:.{digits}g}"


def bodies(most: int):
    yield (
        "| bodies | check [s] | first run [s] | evaluation [us] | memory [MB] "
        "| Pinocchio [us] | MuJoCo [us] |"
    )
    yield "|---|---|---|---|---|---|---|"
    for shape in SHAPES:
        for n in (x for x in BODIES if x <= most):
            ours = apart("bodies", shape, n)
            pin = apart("pinocchio", shape, n) if n <= 300 else None
            mj = apart("mujoco", shape, n) if n <= 1000 or shape == "tree" else None
            for peer, theirs in (("Pinocchio", pin), ("MuJoCo", mj)):
                if ours and theirs:
                    times = theirs["evaluation"] / ours["evaluation"]
                    RATIOS[f"{shape} of {n}, forward dynamics / {peer}"] = times
            shown = [cell(ours, k) for k in ("check", "first", "evaluation", "memory")]
            peers = [cell(pin, "evaluation"), cell(mj, "evaluation")]
            yield f"| {shape}, {n} | {' | '.join([*shown, *peers])} |"


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
            theirs = apart(f"{part}.{peer.lower()}", "", n) if n <= limit else None
            shown.append(cell(theirs, "evaluation"))
            if ours and theirs:
                times = theirs["evaluation"] / ours["evaluation"]
                RATIOS[f"{n} {part}, accelerations / {peer}"] = times
        yield f"| {n} | {' | '.join(shown)} |"


TEXTS = {
    "bodies": """# How cost grows

Measured by `benchmarks/scaling.py` on {date}, two cores, load {load:.0f}: CPU time, one process for
each figure, empty kernel cache, integrators compiled before. "First run" is the first call of
`simulate` on a checked system: preparation, compiling, fifty steps. "Evaluation" is the time of one
evaluation of the rates inside the native loop; "memory" the most that the process held, about
60 MB of which are Python, NumPy and LLVM. A dash is what did not end within {most} s, or a peer
that was not measured.

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

Four-bars in a row. From a hundred speeds and rows on, parts that are alike are compiled once and
looped over (CK.8): the time to the first run then grows only by tables and by what Python does for
each loop, and evaluation is linear. Fewer loops are straight-line code. It would take a sixth to a
quarter less per evaluation of 30 to 300 loops (1.51, 5.19, 16.3 us), and 1.7 to 24 s to the first
run. Pinocchio's `constraintDynamics` (dense in the rows, measured up to 300 loops) and MuJoCo's
`mj_forward` (soft constraints) are timed on the same ladder at rest; whether their accelerations
agree was not compared here.
""",
    "contacts": """
## Contacts

Blocks with frictional contacts that land one after the other. Each block is an island (FL.8); from
forty contacts and frictions on (20 blocks), islands that are alike are compiled once. Contacts of
one mechanism that is joined are straight-line code: the same blocks with a spring between
neighbours take 1.6 s to the first run for 30 and 6.1 s for 100. MuJoCo's `mj_forward` answers for
balls that all lie on the floor, with its soft contacts.
""",
}


def main() -> None:
    if "--one" in sys.argv:
        part, shape, n = sys.argv[2:]
        found = PARTS[part](shape, int(n))
        found.pop("system", None)
        print(json.dumps(found))
        return
    asked = [x for x in sys.argv[1:] if not x.isdigit()]
    most = max([int(x) for x in sys.argv[1:] if x.isdigit()], default=10**9)
    tables = {
        "bodies": lambda: bodies(most),
        "implicit": lambda: implicit(most),
        "loops": lambda: counted("loops", LOOPS, most),
        "contacts": lambda: counted("contacts", CONTACTS, most),
    }
    page, facts = "", {"date": time.strftime("%d %B %Y"), "load": os.getloadavg()[0]}
    for name in asked or tables:
        lines = [TEXTS[name].format(**facts, most=MOST_SECONDS)]
        for line in tables[name]():
            print(line, flush=True)
            lines.append(line)
        page += "\n".join(lines) + "\n"
    gate.record("scaling", RATIOS)
    if not asked and most == 10**9:
        from torseur.files import write

        write(PAGE, page)


if __name__ == "__main__":
    main()
