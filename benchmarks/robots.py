"""Mechanisms to time, as torseur models, Pinocchio models and text for its C++ program."""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import torseur as ts


@dataclass(frozen=True)
class Link:
    """A body that turns about the z axis of its frame, given in its parent's (-1: the world)."""

    parent: int
    roll: float
    p: np.ndarray
    mass: float
    com: np.ndarray
    inertia: np.ndarray

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
        spread = factor @ factor.T + np.eye(3)  # of the mass about its centre: a possible body
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


def model(links: list[Link], name: str = "robot") -> ts.Model:
    """The links as a model of ours."""
    bodies, joints = [], []
    for i, k in enumerate(links):
        bodies.append(ts.Body(f"b{i}", mass=k.mass, com=tuple(k.com), inertia=k.inertia))
        parent = "world" if k.parent < 0 else f"b{k.parent}"
        place = {"at": tuple(k.p), "rpy": (k.roll, 0, 0)}
        joints.append(ts.Joint(f"j{i}", parent, f"b{i}", ts.Revolute("z"), **place))
    return ts.Model(
        name=name, gravity=(0.0, 0.0, -9.81), bodies=tuple(bodies), joints=tuple(joints)
    )


def order(system) -> list[int]:
    """For each speed of the system, the number of its link."""
    return [int(name.split(".")[0][1:]) for name in system.speeds]


def pinocchio_model(links: list[Link]):
    """The links as a model of Pinocchio."""
    import pinocchio as pin

    robot, ids = pin.Model(), {-1: 0}
    for i, k in enumerate(links):
        place = pin.SE3(k.R, k.p)
        ids[i] = robot.addJoint(ids[k.parent], pin.JointModelRZ(), place, f"j{i}")
        robot.appendBodyToJoint(ids[i], pin.Inertia(k.mass, k.com, k.inertia), pin.SE3.Identity())
    robot.gravity.linear = np.array([0.0, 0.0, -9.81])
    return robot


def write(links: list[Link], path: Path) -> None:
    """The links as text for `pinocchio_speed.cpp`."""
    lines = [str(len(links))]
    for k in links:
        numbers = [k.parent, 0, *k.R.ravel(), *k.p, k.mass, *k.com, *k.inertia.ravel()]
        lines.append(" ".join(map(repr, map(float, numbers[2:]))))
        lines[-1] = f"{k.parent} 0 {lines[-1]}"
    path.write_text("\n".join(lines) + "\n")
