"""URDF, the robot description of ROS: a writer.

A link's frame in URDF is the outboard frame of its joint, so bodies are rewritten there.  Joints
with several coordinates become chains of simple ones with massless links between; frames become
links on fixed joints.  What URDF has no place for is named in one warning.
"""

from __future__ import annotations

import math
import warnings
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from ...errors import ModelError, ModelWarning
from ...scalars.values import value
from ...spatial import angles_to_matrix
from .. import shapes
from ..description import Model

LIMITED = ("revolute", "prismatic")
FAR = 1e9  # where URDF asks for a limit and there is none


def to_urdf(model: Model) -> str:
    """The text of a URDF file, numbers at their nominal values; `ModelError` where there is none.

    >>> from torseur.joints import Revolute
    >>> from torseur.model import Body, Joint
    >>> rod = Body("rod", mass=2, com=(0, 0, -0.5), inertia=(1, 1, 1, 0, 0, 0))
    >>> pivot = Joint("pivot", "world", "rod", Revolute("y"))
    >>> "<axis xyz='0 1 0'/>" in to_urdf(Model(bodies=[rod], joints=[pivot])).replace('"', "'")
    True
    """
    system = model.check()  # names and numbers are sound from here on
    system.alone("save as URDF")
    return UrdfWriter(model, system.parameters).text()


WORDS = {"fixed": "fixed", "slide": "prismatic", "plane": "planar", "free": "floating"}


class UrdfWriter:
    def __init__(self, model, parameters):
        self.model, self.parameters = model, parameters
        self.lines: list[str] = []
        self.lost: list[str] = []
        self.mimics: dict[str, tuple] = {}
        self.joints = {j.name for j in model.joints}

    def number(self, x) -> float:
        missing = [n for n in value.symbols(value.exact(x)) if self.parameters.get(n) is None]
        if "t" in missing:
            raise ModelError([f"{x}: URDF has no place for what moves in time"])
        if missing:
            raise ModelError(
                [
                    f"parameter {missing[0]!r} has no number; URDF needs one: give "
                    "it under parameters"
                ]
            )
        return value.nominal(value.exact(x), self.parameters)

    def array(self, x) -> np.ndarray:
        x = np.asarray(x, dtype=object)
        return np.array([self.number(e) for e in x.ravel()]).reshape(x.shape)

    def pose(self, at, rpy, pose) -> np.ndarray:
        if pose is not None:
            return self.array(pose)
        T = np.eye(4)
        angles = [value.exact(a) for a in rpy][::-1]
        T[:3, :3], T[:3, 3] = self.array(angles_to_matrix(value, "zyx", angles)), self.array(at)
        return T

    # ---- the file ----------------------------------------------------------------------------

    def text(self) -> str:
        m = self.model
        inboard = {j.child: j for j in m.joints}
        self.X_LB = {"world": np.eye(4)}  # of each body in its link's frame
        for b in m.bodies:
            j = inboard[b.name]
            self.X_LB[b.name] = np.linalg.inv(self.pose(j.child_at, j.child_rpy, j.child_pose))
        self.couplings()
        self.lines.append(f"<robot name={quoteattr(m.name)}>")
        self.lines.append('  <link name="world"/>')
        for b in m.bodies:
            self.link(b)
        for j in m.joints:
            self.joint(j)
        for f in m.frames:
            self.lines.append(f"  <link name={quoteattr(f.name)}/>")
            X = self.X_LB[f.body] @ self.pose(f.at, f.rpy, f.pose)
            self.write_joint(self.unused_joint(f"{f.name}_frame"), "fixed", f.body, f.name, X)
        self.lines.append("</robot>")
        self.lost += [
            f"{what} {x.name!r}"
            for what in ("loop", "force", "rotor", "input")
            for x in getattr(m, f"{what}s")
        ]
        self.lost += [f"its {n} values" for n in ("initial", "simulation") if getattr(m, n)]
        if list(self.array(m.gravity)) != [0, 0, -9.81]:
            self.lost.insert(0, "its gravity (9.81 m/s2 downwards is usual)")
        if self.lost:
            warnings.warn(
                f"{m.name}: URDF has no place for {', '.join(self.lost[:8])}"
                f"{', ...' * (len(self.lost) > 8)}; the file leaves it out",
                ModelWarning,
                stacklevel=6,
            )
        self.tell_changes()
        return '<?xml version="1.0"?>\n' + "\n".join(self.lines) + "\n"

    def tell_changes(self):
        """What keeps its name in the file and means something else there."""
        told = [
            f"speeds and coordinates of joint {j.name!r} become those of ts.Free()"
            for j in self.model.joints
            if j.kind.simple()[0].motion == "free" and j.kind != type(j.kind)()
        ]
        moved = [b.name for b in self.model.bodies if not np.allclose(self.X_LB[b.name], np.eye(4))]
        if moved:
            names = ", ".join(map(repr, moved[:4])) + ", ..." * (len(moved) > 4)
            told.append(f"frames of bodies {names} move to their joints (a link's frame is there)")
        if told:
            warnings.warn(
                f"{self.model.name}: in URDF {'; '.join(told)}", ModelWarning, stacklevel=7
            )

    def couplings(self):
        """Couplings of two coordinates of simple joints are `mimic`."""
        simple = {
            f"{j.name}.{j.kind.coordinates[0][0]}": j.name
            for j in self.model.joints
            if j.kind.upright() is not None
        }
        for c in self.model.constraints:
            names = list(getattr(c, "ratios", ()))
            known = len(names) == 2 and all(n in simple for n in names)
            for a, b in (names, names[::-1]) if known else ():
                x, y = self.number(c.ratios[a]), self.number(c.ratios[b])
                if x and simple[a] not in self.mimics:  # a joint follows one other
                    self.mimics[simple[a]] = (simple[b], -y / x, self.number(c.offset) / x)
                    break
            else:
                self.lost.append(f"constraint {c.name!r}")

    def link(self, b):
        X = self.X_LB[b.name]
        if self.number(b.mass) == 0 and not b.shapes:
            self.lines.append(f"  <link name={quoteattr(b.name)}/>")
            return
        self.lines.append(f"  <link name={quoteattr(b.name)}>")
        mass = self.number(b.mass)
        if mass:
            com, J = self.about_com(b, mass)
            at = np.eye(4)
            at[:3, :3], at[:3, 3] = X[:3, :3], X[:3, :3] @ com + X[:3, 3]
            entries = " ".join(
                f'i{k}="{_text(J[i, j])}"'
                for k, i, j in (
                    ("xx", 0, 0),
                    ("xy", 0, 1),
                    ("xz", 0, 2),
                    ("yy", 1, 1),
                    ("yz", 1, 2),
                    ("zz", 2, 2),
                )
            )
            self.lines.append(
                f'    <inertial>{_origin(at)}<mass value="{_text(mass)}"/>'
                f"<inertia {entries}/></inertial>"
            )
        for s in b.shapes:
            self.shape(s, X)
        self.lines.append("  </link>")

    def about_com(self, b, mass):
        J = self.array(b.inertia)
        if J.shape == (6,):
            J = np.array([[J[0], J[3], J[4]], [J[3], J[1], J[5]], [J[4], J[5], J[2]]])
        com = self.array(b.com) if b.first_moment is None else self.array(b.first_moment) / mass
        if b.about == "origin":
            J = J - mass * (com @ com * np.eye(3) - np.outer(com, com))
        return com, J

    def shape(self, s, X):
        body = {
            shapes.Box: "box",
            shapes.Sphere: "sphere",
            shapes.Cylinder: "cylinder",
            shapes.Capsule: "capsule",
            shapes.Mesh: "mesh",
        }.get(type(s))
        if body is None:
            self.lost.append(f"shape {type(s).__name__}")
            return
        match s:
            case shapes.Box():
                more = f'size="{_texts(self.array(s.size))}"'
            case shapes.Sphere():
                more = f'radius="{_text(self.number(s.radius))}"'
            case shapes.Mesh():
                more = f'filename={quoteattr(s.file)} scale="{_texts(self.array(s.scale))}"'
            case _:
                more = (
                    f'radius="{_text(self.number(s.radius))}" '
                    f'length="{_text(self.number(s.length))}"'
                )
        color = ""
        if s.color is not None:
            rgba = [*self.array(s.color), 1.0][:4]
            color = f'<material name=""><color rgba="{_texts(rgba)}"/></material>'
        self.lines.append(
            f"    <visual>{_origin(X @ self.pose(s.at, s.rpy, None))}"
            f"<geometry><{body} {more}/></geometry>{color}</visual>"
        )

    # ---- joints ------------------------------------------------------------------------------

    def joint(self, j):
        X = self.X_LB[j.parent] @ self.pose(j.at, j.rpy, j.pose)
        steps = self.steps(j)
        parent = j.parent
        for i, (suffix, kind, axis, mimic) in enumerate(steps):
            last = i == len(steps) - 1
            child = j.child if last else self.unused(f"{j.child}_{i + 1}")
            if not last:
                self.lines.append(f"  <link name={quoteattr(child)}/>")
            name = self.unused_joint(j.name + suffix) if suffix else j.name
            part = self.part(j, i, len(steps), mimic)
            mimic = mimic or self.mimics.get(name)
            self.write_joint(name, kind, parent, child, X, axis, part, mimic)
            parent, X = child, np.eye(4)
        self.lost += [f"drive of joint {j.name!r}"] * (j.drive is not None)
        self.lost += [f"stiffness of the stops of joint {j.name!r}"] * (j.stops is not None)

    def part(self, j, i, count, mimic) -> dict[str, float]:
        """What a simple joint of a joint has of its numbers; those without a place are named."""
        nv = j.kind.nv
        alone = (count == nv and j.kind.holonomic) or (nv == 1 and mimic is None)
        per: dict[str, Any] = {
            n: np.broadcast_to(self.array(getattr(j, n)), (nv,)) for n in ("damping", "armature")
        }
        if j.bounds is not None:
            pairs = np.asarray(j.bounds, dtype=object).reshape(-1, 2).T
            low, high = (
                [far if x in (None, math.copysign(math.inf, far)) else self.number(x) for x in side]
                for far, side in zip((-FAR, FAR), pairs, strict=True)
            )
            per |= {"low": low, "high": high}
        out = {n: self.number(x) for n in ("max_effort", "max_speed") if (x := getattr(j, n))}
        if alone:
            out |= {n: float(x[i if len(x) > 1 else 0]) for n, x in per.items()}
        elif count == 1 and nv and (per["damping"] == per["damping"][0]).all():
            out["damping"] = float(per.pop("damping")[0])
        told = ["armature"] if alone else ["armature", "damping"] if mimic is None else []
        for name in told:
            if i == 0 and name in per and np.any(per[name]):
                self.lost.append(f"{name} of joint {j.name!r}")
        if not alone and mimic is None and i == 0 and "low" in per:
            self.lost.append(f"limits of joint {j.name!r}")
        return out if mimic is None else {}

    def unused_joint(self, name):
        while name in self.joints:
            name += "_"
        self.joints.add(name)
        return name

    def unused(self, name):
        taken = {x.name for x in (*self.model.bodies, *self.model.frames)}
        while name in taken:
            name += "_"
        return name

    def steps(self, j):
        """Simple joints that make up a joint: suffix of the name, type, axis, mimic."""
        bounded = j.limits is not None and (j.kind.holonomic or j.kind.nv == 1)
        turn = "revolute" if bounded else "continuous"
        words = dict(WORDS, turn=turn)
        found = j.kind.simple()
        if not found:
            raise ModelError([f"joint {j.name!r}: {type(j.kind).__name__} has no form in URDF"])
        return [
            (
                s.suffix,
                words[s.motion],
                s.axis,
                None if s.lead is None else (j.name, self.number(s.lead), 0.0),
            )
            for s in found
        ]

    def write_joint(self, name, kind, parent, child, X, axis=None, part=None, mimic=None):
        parts = [f"<parent link={quoteattr(parent)}/><child link={quoteattr(child)}/>", _origin(X)]
        if axis is not None:
            from ...joints import unit_axis

            parts.append(f'<axis xyz="{_texts(self.array(unit_axis(axis)))}"/>')
        own = {"low": -1e9, "high": 1e9, "max_effort": 0, "max_speed": 0, "damping": 0} | (
            part or {}
        )
        low, high, effort, speed = (
            _text(own[n]) for n in ("low", "high", "max_effort", "max_speed")
        )
        if kind in LIMITED or own["max_effort"] or own["max_speed"]:
            bounds = f'lower="{low}" upper="{high}" ' if kind in LIMITED else ""
            parts.append(f'<limit {bounds}effort="{effort}" velocity="{speed}"/>')
        if own["damping"]:
            parts.append(f'<dynamics damping="{_text(own["damping"])}"/>')
        if mimic:
            leader, ratio, offset = mimic
            parts.append(
                f'<mimic joint={quoteattr(leader)} multiplier="{_text(ratio)}" '
                f'offset="{_text(offset)}"/>'
            )
        self.lines.append(f'  <joint name={quoteattr(name)} type="{kind}">{"".join(parts)}</joint>')


def rpy(R: np.ndarray) -> tuple[float, float, float]:
    """Roll, pitch, yaw about fixed x, y, z of a rotation; where they are not unique, no roll."""
    pitch = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
    if math.hypot(R[0, 0], R[1, 0]) < 1e-12:
        return 0.0, pitch, math.atan2(-R[0, 1], R[1, 1])
    return math.atan2(R[2, 1], R[2, 2]), pitch, math.atan2(R[1, 0], R[0, 0])


def _origin(X: np.ndarray) -> str:
    if (np.eye(4) == X).all():
        return ""
    return f'<origin xyz="{_texts(X[:3, 3])}" rpy="{_texts(rpy(X[:3, :3]))}"/>'


def _text(x: float) -> str:
    x = float(x) + 0.0
    return str(int(x)) if x == int(x) and abs(x) < 1e15 else repr(x)


def _texts(xs) -> str:
    return " ".join(_text(x) for x in xs)
