"""Large models, one for each feature that the fast paths may not serve; all by a size n."""

from __future__ import annotations

from dataclasses import replace

import first
import scaling

import torseur as ts

HINGE = ts.Revolute("y")


def _chain(n: int, kind=HINGE, laws=(), placed=None, mass=1.0, drive=None, start=None, **more):
    """n equal links on joints of a kind, laws on each, placed by their number."""
    names, body = ["world", *(f"b{i}" for i in range(n))], {"inertia": (0.01, 0.01, 0.001)}
    at = placed or (lambda i: (0, 0, -0.1 * (i > 0)))
    own = {"damping": 0.02, "drive": drive}
    pairs = [(i, k) for i in range(n) for k in range(len(laws))]
    return ts.Model(
        "chain",
        bodies=[ts.Body(x, mass, (0, 0, -0.05), **body) for x in names[1:]],
        joints=[ts.Joint(f"j{i}", names[i], f"b{i}", kind, at=at(i), **own) for i in range(n)],
        forces=[ts.JointForce(f"f{i}_{k}", f"j{i}", laws[k]) for i, k in pairs],
        initial={"j0.angle": 0.3} if start is None else start,
        **more,
    )


def hinges(n):
    return _chain(n, laws=(ts.Spring(20.0),))


def balls(n):
    return _chain(n, ts.Spherical("quaternion"), start={"j0.rate2": 1.0})


def mixed(n):
    """A tree of hinges, slides and universal joints, and n / 6 free bodies with springs between."""
    kinds = (HINGE, ts.Prismatic("z"), ts.Universal("x", "y"))
    free, n = n // 6, n - n // 6
    names = ["world", *(f"b{i}" for i in range(n))]
    bodies = [ts.Body(f"b{i}", 1.0, (0, 0, -0.05), (0.01, 0.01, 0.001)) for i in range(n)]
    joints = [
        ts.Joint(f"j{i}", names[(i + 1) // 2], f"b{i}", kinds[i % 3], at=at, damping=0.1)
        for i, at in enumerate([(0, 0, 0), *[(0, 0, -0.1)] * (n - 1)])
    ]
    forces = [ts.JointForce(f"s{i}", f"j{i}", ts.Spring(200.0)) for i in range(n) if i % 3 < 2]
    bodies += [ts.Body(f"x{i}", 1.0, (0, 0, 0), (0.01, 0.02, 0.03)) for i in range(free)]
    joints += [
        ts.Joint(f"x{i}", "world", f"x{i}", ts.Free(), at=(0.2 * i, 1, 0)) for i in range(free)
    ]
    law = ts.Parallel(ts.Spring(500.0, free_length=0.2), ts.Viscous(1.0))
    forces += [
        ts.PointForce(f"p{i}", (f"x{i}", (0.02, 0.01, 0)), f"x{i + 1}", law)
        for i in range(free - 1)
    ]
    return ts.Model("mixed", gravity=(0, 0, -1.0), bodies=bodies, joints=joints, forces=forces,
                    initial={"j0.angle": 0.3, "x0.wx": 1.0})  # fmt: skip


def parameters(n):
    """Lengths and masses of all links are two declared parameters."""
    return _chain(n, laws=(ts.Spring("k"),), placed=lambda i: (0, 0, "-L" if i else 0), mass="m",
                  parameters={"L": 0.1, "k": 20.0, "m": 1.0})  # fmt: skip


def spring_parameter(n):
    return _chain(n, laws=(ts.Spring("k"),), parameters={"k": 20.0})


def laws(n):
    """A table, a crash law, dry friction by bristles and limits on each joint."""
    points = ((-2.0, -50.0), (-0.5, -5.0), (0.5, 5.0), (2.0, 50.0))
    crush = ts.Crush(((0, 0), (0.1, 4.0), (0.5, 9.0)), 80.0, gap=0.05)
    more = (ts.Table(points), crush, ts.Limits(-1.0, 1.0, 200.0, 1.0), ts.Coulomb(0.05, 0.01))
    return _chain(n, laws=more)


def frictions(n):
    """Dry friction with true sticking in each joint."""
    own = [ts.DryFriction(f"k{i}", f"j{i}.angle", 0.02) for i in range(n)]
    return _chain(n, laws=(ts.Spring(20.0),), constraints=own)


def drives(n):
    """A motor with a gear that yields on each joint."""
    return _chain(n, drive=ts.Drive(50.0, 1e-5, stiffness=300.0, damping=0.5, friction=1e-4))


def shaken(n):
    """The base moves along a function of time."""
    moved = lambda i: ("0.05*sin(20*t)", 0, 0) if i == 0 else (0, 0, -0.1)  # noqa: E731
    return _chain(n, laws=(ts.Spring(20.0),), placed=moved)


def _bars(n, **more):
    return replace(scaling.ladder(n), **more)


def bars(n):
    return _bars(n, initial={"p0.rate": 1.0})


def bars_parameters(n):
    """The length of all couplers and the mass of all rods are declared."""
    rod = {"inertia": (0.1, 0.1, 0.1)}
    whole = range(n + 1)
    return ts.Model(
        "ladder",
        bodies=[ts.Body(f"r{i}", "m", com=(0, 0, 0.5), **rod) for i in whole]
        + [ts.Body(f"c{i}", 1.0, com=(0.5, 0, 0), **rod) for i in range(n)],
        joints=[ts.Joint(f"p{i}", "world", f"r{i}", HINGE, at=(float(i), 0, 0)) for i in whole]
        + [ts.Joint(f"a{i}", f"r{i}", f"c{i}", HINGE, at=(0, 0, "L")) for i in range(n)],
        loops=[
            ts.Loop(f"l{i}", f"c{i}", f"r{i + 1}", HINGE, at=(1, 0, 0), child_at=(0, 0, "L"))
            for i in range(n)
        ],
        parameters={"m": 1.0, "L": 1.0},
        initial={"p0.rate": 1.0},
    )


def bars_contact(n):
    """One of the rods may touch a floor."""
    touch = ts.Contact("k", ("r0", (0, 0, 1.0)), ground=("world", (0, 0, 0.5)))
    return _bars(n, constraints=(touch,), initial={"p0.rate": 1.0})


def bars_table(n):
    """The first rod is driven by a table."""
    drive = ts.Driven(
        "d", "p0.angle", position=((0, 0), (0.1, 0.01), (0.2, 0.04), (0.3, 0.09), (0.4, 0.1))
    )
    return _bars(n, constraints=(drive,))


def bars_springs(n):
    more = [
        ts.PointForce(f"s{i}", (f"r{i}", (0, 0, 1)), (f"r{i + 1}", (0, 0, 0)), ts.Spring(50.0, 1.0))
        for i in range(n)
    ]
    return _bars(n, forces=more, initial={"p0.rate": 1.0})


def bars_shaken(n):
    m = scaling.ladder(n)
    joints = [replace(m.joints[0], at=("0.01*sin(20*t)", 0, 0)), *m.joints[1:]]
    return replace(m, joints=tuple(joints), initial={"p0.rate": 1.0})


def blocks(n):
    """Blocks on a floor with springs between neighbors."""
    m = scaling.blocks(n)
    own = [
        ts.PointForce(f"s{i}", f"b{i}", f"b{i + 1}", ts.Spring(100.0, 0.5)) for i in range(n - 1)
    ]
    start = {f"z{i}.displacement": 0.001 * (1 + i / n) for i in range(n)}
    start |= {f"x{i}.displacement": 0.5 * i for i in range(n)}
    return replace(m, forces=tuple(own), initial=start)


def truss(n):
    """Rods of a parallelogram each held twice: redundant loops."""
    m = scaling.ladder(n)
    more = [
        ts.Loop(f"e{i}", f"c{i}", f"r{i + 1}", HINGE, at=(1, 0, 0), child_at=(0, 0, 1))
        for i in range(n)
    ]
    return replace(m, loops=(*m.loops, *more), initial={"p0.rate": 1.0})


def cars(n):
    """n cars on four double wishbones each."""
    one = first.car()[0]
    bodies, joints, forces = [], [], []
    for k in range(n):
        bodies += [replace(b, name=f"{b.name}{k}") for b in one.bodies]
        for j in one.joints:
            parent = j.parent if j.parent == "world" else f"{j.parent}{k}"
            joints.append(replace(j, name=f"{j.name}_{k}", parent=parent, child=f"{j.child}{k}"))
        forces += [replace(f, name=f"{f.name}{k}", joint=f"{f.joint}_{k}") for f in one.forces]
    start = {"fly_0.wx": 0.3, "fly_0.vz": 0.2}
    return ts.Model(
        "cars", gravity=(0, 0, 0), bodies=bodies, joints=joints, forces=forces, initial=start
    )


MODELS = {  # and their sizes
    "chain of hinges": (hinges, 300),
    "chain of balls": (balls, 300),
    "mixed tree, free bodies": (mixed, 300),
    "chain, declared lengths and masses": (parameters, 300),
    "chain, declared stiffness": (spring_parameter, 300),
    "chain, tables, crush, limits": (laws, 300),
    "chain, dry friction": (frictions, 300),
    "chain, flexible drives": (drives, 300),
    "chain, base moved in time": (shaken, 300),
    "four-bars": (bars, 100),
    "four-bars, declared length and mass": (bars_parameters, 100),
    "four-bars, one contact": (bars_contact, 100),
    "four-bars, driven by a table": (bars_table, 100),
    "four-bars, springs": (bars_springs, 100),
    "four-bars, base moved in time": (bars_shaken, 100),
    "blocks, contacts and springs": (blocks, 100),
    "truss of redundant loops": (truss, 100),
    "cars on double wishbones": (cars, 10),
}
