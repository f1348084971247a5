"""Mechanisms to time, as torseur models, Pinocchio models and text for its C++ program."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import torseur as ts


@dataclass(frozen=True)
class Link:
    """A body on a joint of a kind, whose frame is given in its parent's (-1: the world)."""

    parent: int
    roll: float
    p: np.ndarray
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    kind: str = "turn"  # about z

    @property
    def R(self) -> np.ndarray:
        c, s = round(math.cos(self.roll)), round(math.sin(self.roll))  # quarter turns only
        return np.array([[1.0, 0, 0], [0, c, -s], [0, s, c]])


def arm(n: int = 7, branching: bool = False, seed: int = 1) -> list[Link]:
    """Random bodies on frames that turn by quarter turns, as those of most arms do."""
    rng = np.random.default_rng(seed)
    links = []
    for i in range(n):
        factor = rng.normal(size=(3, 3))
        spread = factor @ factor.T + np.eye(3)  # of the mass about its center: a possible body
        links.append(
            Link(
                parent=int(rng.integers(max(0, i - 4), i)) if branching and i > 1 else i - 1,
                roll=(math.pi / 2 if i % 2 == 0 else -math.pi / 2) if i else 0.0,
                p=np.array([0.0, 0.0, 0.3]) if i % 2 == 0 else np.array([0.0, 0.35, 0.0]),
                mass=rng.uniform(0.5, 4.0),
                com=rng.normal(size=3) * 0.1,
                inertia=0.01 * (np.trace(spread) * np.eye(3) - spread),
            )
        )
    return links


JOINTS = {  # a joint of ours, and the number of Pinocchio's in `pinocchio_model.hpp`
    "turn": (ts.Revolute("z"), 0),
    "slide": (ts.Prismatic("z"), 1),
    "free": (ts.Free(), 2),
    "ball": (ts.Spherical(), 3),
    "cross": (ts.Universal("x", "y"), 4),
    "sleeve": (ts.Cylindrical("z"), 5),
}
VARYING = {"cross"}
"""Kinds whose subspace varies: Pinocchio's derivatives are not those of its own efforts there."""


def tree(parents: Sequence[int], kinds: Mapping[int, str] | None = None, seed: int = 3):
    """Random bodies at random places, turned by quarter turns, on hinges or the `kinds` given."""
    rng, links = np.random.default_rng(seed), []
    for i, k in enumerate(arm(len(parents), seed=seed)):
        place = {"parent": parents[i], "p": rng.uniform(-0.4, 0.4, 3)}
        links.append(replace(k, **place, kind=(kinds or {}).get(i, "turn")))
    return links


def chains(root: int, sizes: Sequence[int], first: int) -> list[int]:
    """Parents of rows of links that all hang from `root`; `first` is the next free number."""
    found: list[int] = []
    for n in sizes:
        here = first + len(found)
        found += [root, *range(here, here + n - 1)]
    return found


def humanoid(base: str = "") -> list[Link]:
    """Trunk of 3 hinges, head 2, arms 7, legs 6; a base of its own kind before them, if any."""
    parents = [-1] * bool(base)
    legs_from = len(parents) - 1
    parents += chains(legs_from, (3,), len(parents))
    parents += chains(len(parents) - 1, (2, 7, 7), len(parents))
    parents += chains(legs_from, (6, 6), len(parents))
    return tree(parents, {0: base} if base else None)


def quadruped(base: str = "") -> list[Link]:
    """Four legs of 3 hinges on a trunk: on a base, or held by six hinges in a row."""
    parents = [-1] if base else [*range(-1, 5)]
    return tree(parents + chains(len(parents) - 1, (3,) * 4, len(parents)), {0: base or "turn"})


def comb(spine: int = 12, tooth: int = 2) -> list[Link]:
    """A spine, and on each of its links a tooth."""
    parents = [*range(-1, spine - 1)]
    for i in range(spine):
        parents += chains(i, (tooth,), len(parents))
    return tree(parents)


def bush() -> list[Link]:
    """Each link on one of those before it, at random."""
    draw = np.random.default_rng(7).random(24)
    return tree([-1, *(int(x * i) for i, x in enumerate(draw, start=1))])


def general(seed: int = 11) -> list[Link]:
    """30 hinges at random places, each on one of the four before it."""
    draw = np.random.default_rng(seed)
    return tree([-1, *(int(draw.integers(max(0, i - 4), i)) for i in range(1, 30))], seed=seed)


def ball_jointed() -> list[Link]:
    """A humanoid on a free base: a universal joint at the waist, balls at shoulders and hips."""
    parents = [-1, *chains(0, (2,), 1)]
    parents += chains(2, (2, 4, 4), 3)
    parents += chains(0, (5, 5), len(parents))
    return tree(parents, {0: "free", 1: "cross", **dict.fromkeys((5, 9, 13, 18), "ball")})


def sliding() -> list[Link]:
    """Three limbs with sleeves on a row of three sliders and three hinges."""
    parents = [*range(-1, 5), *chains(5, (4, 4, 4), 6)]
    kinds = {**dict.fromkeys((0, 1, 2, 8, 12), "slide"), 6: "sleeve", 10: "sleeve"}
    return tree(parents, kinds)


def model(links: list[Link], name: str = "robot") -> ts.Model:
    """The links as a model of ours."""
    bodies, joints = [], []
    for i, k in enumerate(links):
        bodies.append(ts.Body(f"b{i}", mass=k.mass, com=tuple(k.com), inertia=k.inertia))
        parent = "world" if k.parent < 0 else f"b{k.parent}"
        place = {"at": tuple(k.p), "rpy": (k.roll, 0, 0)}
        joints.append(ts.Joint(f"j{i}", parent, f"b{i}", JOINTS[k.kind][0], **place))
    return ts.Model(
        name=name, gravity=(0.0, 0.0, -9.81), bodies=tuple(bodies), joints=tuple(joints)
    )


def seen_by_pinocchio(system, robot) -> tuple[np.ndarray, np.ndarray]:
    """Where Pinocchio's coordinates, and its speeds or efforts, are among ours."""
    at_q, at_v = np.zeros(robot.nq, int), np.zeros(robot.nv, int)
    for k in system.links:
        own = robot.joints[robot.getJointId(k.name)]
        q, v = np.arange(k.q.start, k.q.stop), np.arange(k.v.start, k.v.stop)
        if k.joint.quaternion is not None:  # theirs: place first, then turn; scalar last
            q, v = np.r_[q[:-4], q[-3:], q[-4]], np.r_[v[3:], v[:3]]
        at_q[own.idx_q : own.idx_q + own.nq] = q
        at_v[own.idx_v : own.idx_v + own.nv] = v
    return at_q, at_v


def in_depth(links: list[Link]) -> list[int]:
    """Numbers of the links, each branch at once: Pinocchio's mass matrix and derivatives are
    wrong, and say nothing, where what a joint carries does not follow it without a gap."""
    below: dict[int, list[int]] = {}
    for i, k in enumerate(links):
        below.setdefault(k.parent, []).append(i)

    def from_(i: int) -> list[int]:
        return [i, *(x for child in below.get(i, []) for x in from_(child))]

    return [x for root in below.get(-1, []) for x in from_(root)]


def pinocchio_model(links: list[Link]):
    """The links as a model of Pinocchio."""
    import pinocchio as pin

    sleeve = pin.JointModelComposite()
    sleeve.addJoint(pin.JointModelRZ())
    sleeve.addJoint(pin.JointModelPZ())
    x, y = np.eye(3)[:2]
    theirs = {
        "turn": pin.JointModelRZ(),
        "slide": pin.JointModelPZ(),
        "free": pin.JointModelFreeFlyer(),
        "ball": pin.JointModelSpherical(),
        "cross": pin.JointModelUniversal(x, y),
        "sleeve": sleeve,
    }
    robot, ids = pin.Model(), {-1: 0}
    for i in in_depth(links):
        k = links[i]
        place = pin.SE3(k.R, k.p)
        ids[i] = robot.addJoint(ids[k.parent], theirs[k.kind], place, f"j{i}")
        robot.appendBodyToJoint(ids[i], pin.Inertia(k.mass, k.com, k.inertia), pin.SE3.Identity())
    robot.gravity.linear = np.array([0.0, 0.0, -9.81])
    return robot


def write(links: list[Link], path: Path) -> None:
    """The links as text for `pinocchio_speed.cpp`."""
    lines, order = [str(len(links))], in_depth(links)
    number = {-1: -1} | {i: n for n, i in enumerate(order)}
    for k in (links[i] for i in order):
        numbers = [*k.R.ravel(), *k.p, k.mass, *k.com, *k.inertia.ravel()]
        row = " ".join(map(repr, map(float, numbers)))
        lines.append(f"{number[k.parent]} {JOINTS[k.kind][1]} {row}")
    path.write_text("\n".join(lines) + "\n")
