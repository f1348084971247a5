"""Robots with every inertial parameter symbolic: PUMA, Stanford, SCARA, 7R, a long chain."""

import torseur as ts
from torseur.symbolic import equations


def link(i: int) -> ts.Body:
    """A body with ten symbols, in the frame of its row: the parameters of B. Madani's thesis."""
    return ts.Body(
        f"link{i}",
        mass=f"m{i}",
        first_moment=(f"mx{i}", f"my{i}", f"mz{i}"),
        inertia=tuple(f"I{e}{i}" for e in ("xx", "yy", "zz", "xy", "xz", "yz")),
        about="origin",
    )


def robot(name: str, rows) -> ts.Model:
    """A robot from rows of modified Denavit-Hartenberg parameters, gravity along -z."""
    return ts.from_dh(
        rows,
        [link(i + 1) for i in range(len(rows))],
        convention="modified",
        name=name,
        gravity=(0, 0, "-g"),
    )


def puma3() -> ts.Model:
    """The first three axes of a PUMA, as in annex 7 of B. Madani's thesis."""
    return robot("PUMA, three axes", [(0, 0, 0, 0), ("pi/2", 0, 0, 0), (0, "d3", 0, 0)])


def puma560() -> ts.Model:
    """All six axes."""
    return robot(
        "PUMA 560",
        [
            (0, 0, 0, 0),
            ("-pi/2", 0, 0, 0),
            (0, "d3", 0, "r3"),
            ("-pi/2", "d4", 0, "r4"),
            ("pi/2", 0, 0, 0),
            ("-pi/2", 0, 0, 0),
        ],
    )


def stanford() -> ts.Model:
    """The Stanford arm: its third joint slides."""
    return robot(
        "Stanford arm",
        [
            (0, 0, 0, 0),
            ("-pi/2", 0, 0, "r2"),
            ("pi/2", 0, 0, 0, "P"),
            (0, 0, 0, 0),
            ("-pi/2", 0, 0, 0),
            ("pi/2", 0, 0, 0),
        ],
    )


def scara() -> ts.Model:
    """A SCARA: two parallel hinges, a third, and a slider, all vertical."""
    return robot("SCARA", [(0, 0, 0, 0), (0, "d2", 0, 0), (0, "d3", 0, 0), (0, 0, 0, 0, "P")])


def arm7() -> ts.Model:
    """Seven hinges with offsets."""
    turns = (0, "-pi/2", "pi/2", "pi/2", "-pi/2", "-pi/2", "pi/2")
    d, r = (0, 0, 0, "d4", "d5", 0, "d7"), ("r1", 0, "r3", 0, "r5", 0, 0)
    return robot("7R arm", list(zip(turns, d, (0,) * 7, r, strict=True)))


def chain(n: int) -> ts.Model:
    """A planar pendulum of n links, everything symbolic."""
    bodies = [
        ts.Body(
            f"link{i}", mass=f"m{i}", com=(f"x{i}", 0, 0), inertia=(0, f"J{i}", f"J{i}", 0, 0, 0)
        )
        for i in range(1, n + 1)
    ]
    joints = [
        ts.Joint(
            f"hinge{i}",
            "world" if i == 1 else f"link{i - 1}",
            f"link{i}",
            ts.Revolute("z"),
            at=(0, 0, 0) if i == 1 else (f"L{i - 1}", 0, 0),
        )
        for i in range(1, n + 1)
    ]
    return ts.Model(f"pendulum of {n} links", gravity=(0, "-g", 0), bodies=bodies, joints=joints)


ROBOTS = (puma3, puma560, stanford, scara, arm7)


def main() -> None:
    for make in (puma3, scara):
        print(equations(make()), "\n")
    for make in ROBOTS:
        eq = equations(make())
        n = eq.count_operations()
        print(
            f"{eq.system.name:18} {sum(eq.tau[i].terms for i in range(eq.system.nv)):6} terms, "
            f"code {n['mul']} multiplications, {n['add']} additions"
        )


if __name__ == "__main__":
    main()
