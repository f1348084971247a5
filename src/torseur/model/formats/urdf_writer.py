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

LIMITED_TYPES = ("revolute", "prismatic")
UNLIMITED = 1e9  # where URDF asks for a limit and there is none


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
    return UrdfWriter(model, system.parameters).write_document()


URDF_TYPES = {"fixed": "fixed", "slide": "prismatic", "plane": "planar", "free": "floating"}


class UrdfWriter:
    def __init__(self, model, parameters):
        self.model, self.parameters = model, parameters
        self.lines: list[str] = []
        self.omitted: list[str] = []
        self.mimics: dict[str, tuple] = {}
        self.joints = {j.name for j in model.joints}

    def nominal_number(self, x) -> float:
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

    def nominal_array(self, x) -> np.ndarray:
        x = np.asarray(x, dtype=object)
        return np.array([self.nominal_number(e) for e in x.ravel()]).reshape(x.shape)

    def pose_matrix(self, at, rpy, pose) -> np.ndarray:
        if pose is not None:
            return self.nominal_array(pose)
        T = np.eye(4)
        angles = [value.exact(a) for a in rpy][::-1]
        T[:3, :3], T[:3, 3] = (
            self.nominal_array(angles_to_matrix(value, "zyx", angles)),
            self.nominal_array(at),
        )
        return T

    # ---- the file ----------------------------------------------------------------------------

    def write_document(self) -> str:
        m = self.model
        inboard = {j.child: j for j in m.joints}
        self.X_LB = {"world": np.eye(4)}  # of each body in its link's frame
        for b in m.bodies:
            j = inboard[b.name]
            self.X_LB[b.name] = np.linalg.inv(
                self.pose_matrix(j.child_at, j.child_rpy, j.child_pose)
            )
        self.collect_mimics()
        self.lines.append(f"<robot name={quoteattr(m.name)}>")
        self.lines.append('  <link name="world"/>')
        for b in m.bodies:
            self.write_link(b)
        for j in m.joints:
            self.write_joint_chain(j)
        for f in m.frames:
            self.lines.append(f"  <link name={quoteattr(f.name)}/>")
            X = self.X_LB[f.body] @ self.pose_matrix(f.at, f.rpy, f.pose)
            self.write_joint(self.unused_joint(f"{f.name}_frame"), "fixed", f.body, f.name, X)
        self.lines.append("</robot>")
        self.omitted += [
            f"{label} {x.name!r}"
            for label in ("loop", "force", "rotor", "input")
            for x in getattr(m, f"{label}s")
        ]
        self.omitted += [f"its {n} values" for n in ("initial", "simulation") if getattr(m, n)]
        if list(self.nominal_array(m.gravity)) != [0, 0, -9.81]:
            self.omitted.insert(0, "its gravity (9.81 m/s2 downwards is usual)")
        if self.omitted:
            warnings.warn(
                f"{m.name}: URDF has no place for {', '.join(self.omitted[:8])}"
                f"{', ...' * (len(self.omitted) > 8)}; the file leaves it out",
                ModelWarning,
                stacklevel=6,
            )
        self.warn_changes()
        return '<?xml version="1.0"?>\n' + "\n".join(self.lines) + "\n"

    def warn_changes(self):
        """What keeps its name in the file and means something else there."""
        changes = [
            f"speeds and coordinates of joint {j.name!r} become those of ts.Free()"
            for j in self.model.joints
            if j.kind.simple()[0].motion == "free" and j.kind != type(j.kind)()
        ]
        shifted_bodies = [
            b.name for b in self.model.bodies if not np.allclose(self.X_LB[b.name], np.eye(4))
        ]
        if shifted_bodies:
            names = ", ".join(map(repr, shifted_bodies[:4])) + ", ..." * (len(shifted_bodies) > 4)
            changes.append(
                f"frames of bodies {names} move to their joints (a link's frame is there)"
            )
        if changes:
            warnings.warn(
                f"{self.model.name}: in URDF {'; '.join(changes)}", ModelWarning, stacklevel=7
            )

    def collect_mimics(self):
        """Couplings of two coordinates of simple joints are `mimic`."""
        simple = {
            f"{j.name}.{j.kind.coordinates[0][0]}": j.name
            for j in self.model.joints
            if j.kind.upright() is not None
        }
        for c in self.model.constraints:
            names = list(getattr(c, "ratios", ()))
            is_pair = len(names) == 2 and all(n in simple for n in names)
            for a, b in (names, names[::-1]) if is_pair else ():
                x, y = self.nominal_number(c.ratios[a]), self.nominal_number(c.ratios[b])
                if x and simple[a] not in self.mimics:  # a joint follows one other
                    self.mimics[simple[a]] = (simple[b], -y / x, self.nominal_number(c.offset) / x)
                    break
            else:
                self.omitted.append(f"constraint {c.name!r}")

    def write_link(self, b):
        X = self.X_LB[b.name]
        if self.nominal_number(b.mass) == 0 and not b.shapes:
            self.lines.append(f"  <link name={quoteattr(b.name)}/>")
            return
        self.lines.append(f"  <link name={quoteattr(b.name)}>")
        mass = self.nominal_number(b.mass)
        if mass:
            com, J = self.inertia_about_com(b, mass)
            at = np.eye(4)
            at[:3, :3], at[:3, 3] = X[:3, :3], X[:3, :3] @ com + X[:3, 3]
            entries = " ".join(
                f'i{k}="{_number_text(J[i, j])}"'
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
                f'    <inertial>{_origin(at)}<mass value="{_number_text(mass)}"/>'
                f"<inertia {entries}/></inertial>"
            )
        for s in b.shapes:
            self.write_shape(s, X)
        self.lines.append("  </link>")

    def inertia_about_com(self, b, mass):
        J = self.nominal_array(b.inertia)
        if J.shape == (6,):
            J = np.array([[J[0], J[3], J[4]], [J[3], J[1], J[5]], [J[4], J[5], J[2]]])
        com = (
            self.nominal_array(b.com)
            if b.first_moment is None
            else self.nominal_array(b.first_moment) / mass
        )
        if b.about == "origin":
            J = J - mass * (com @ com * np.eye(3) - np.outer(com, com))
        return com, J

    def write_shape(self, s, X):
        geometry = {
            shapes.Box: "box",
            shapes.Sphere: "sphere",
            shapes.Cylinder: "cylinder",
            shapes.Capsule: "capsule",
            shapes.Mesh: "mesh",
        }.get(type(s))
        if geometry is None:
            self.omitted.append(f"shape {type(s).__name__}")
            return
        match s:
            case shapes.Box():
                dimensions = f'size="{_numbers_text(self.nominal_array(s.size))}"'
            case shapes.Sphere():
                dimensions = f'radius="{_number_text(self.nominal_number(s.radius))}"'
            case shapes.Mesh():
                scale = _numbers_text(self.nominal_array(s.scale))
                dimensions = f'filename={quoteattr(s.file)} scale="{scale}"'
            case _:
                dimensions = (
                    f'radius="{_number_text(self.nominal_number(s.radius))}" '
                    f'length="{_number_text(self.nominal_number(s.length))}"'
                )
        color = ""
        if s.color is not None:
            rgba = [*self.nominal_array(s.color), 1.0][:4]
            color = f'<material name=""><color rgba="{_numbers_text(rgba)}"/></material>'
        self.lines.append(
            f"    <visual>{_origin(X @ self.pose_matrix(s.at, s.rpy, None))}"
            f"<geometry><{geometry} {dimensions}/></geometry>{color}</visual>"
        )

    # ---- joints ------------------------------------------------------------------------------

    def write_joint_chain(self, j):
        X = self.X_LB[j.parent] @ self.pose_matrix(j.at, j.rpy, j.pose)
        steps = self.simple_joints(j)
        parent = j.parent
        for i, (suffix, kind, axis, mimic) in enumerate(steps):
            last = i == len(steps) - 1
            child = j.child if last else self.unused_link(f"{j.child}_{i + 1}")
            if not last:
                self.lines.append(f"  <link name={quoteattr(child)}/>")
            name = self.unused_joint(j.name + suffix) if suffix else j.name
            fields = self.joint_numbers(j, i, len(steps), mimic)
            mimic = mimic or self.mimics.get(name)
            self.write_joint(name, kind, parent, child, X, axis, fields, mimic)
            parent, X = child, np.eye(4)
        self.omitted += [f"drive of joint {j.name!r}"] * (j.drive is not None)
        self.omitted += [f"stiffness of the stops of joint {j.name!r}"] * (j.stops is not None)

    def joint_numbers(self, j, i, count, mimic) -> dict[str, float]:
        """What a simple joint of a joint has of its numbers; those without a place are named."""
        nv = j.kind.nv
        is_scalar = (count == nv and j.kind.holonomic) or (nv == 1 and mimic is None)
        values: dict[str, Any] = {
            n: np.broadcast_to(self.nominal_array(getattr(j, n)), (nv,))
            for n in ("damping", "armature")
        }
        if j.bounds is not None:
            pairs = np.asarray(j.bounds, dtype=object).reshape(-1, 2).T
            low, high = (
                [
                    unlimited
                    if x in (None, math.copysign(math.inf, unlimited))
                    else self.nominal_number(x)
                    for x in bounds
                ]
                for unlimited, bounds in zip((-UNLIMITED, UNLIMITED), pairs, strict=True)
            )
            values |= {"low": low, "high": high}
        out = {
            n: self.nominal_number(x) for n in ("max_effort", "max_speed") if (x := getattr(j, n))
        }
        if is_scalar:
            out |= {n: float(x[i if len(x) > 1 else 0]) for n, x in values.items()}
        elif count == 1 and nv and (values["damping"] == values["damping"][0]).all():
            out["damping"] = float(values.pop("damping")[0])
        omitted_fields = (
            ["armature"] if is_scalar else ["armature", "damping"] if mimic is None else []
        )
        for name in omitted_fields:
            if i == 0 and name in values and np.any(values[name]):
                self.omitted.append(f"{name} of joint {j.name!r}")
        if not is_scalar and mimic is None and i == 0 and "low" in values:
            self.omitted.append(f"limits of joint {j.name!r}")
        return out if mimic is None else {}

    def unused_joint(self, name):
        while name in self.joints:
            name += "_"
        self.joints.add(name)
        return name

    def unused_link(self, name):
        used_names = {x.name for x in (*self.model.bodies, *self.model.frames)}
        while name in used_names:
            name += "_"
        return name

    def simple_joints(self, j):
        """Simple joints that make up a joint: suffix of the name, type, axis, mimic."""
        bounded = j.limits is not None and (j.kind.holonomic or j.kind.nv == 1)
        revolute_type = "revolute" if bounded else "continuous"
        urdf_types = dict(URDF_TYPES, turn=revolute_type)
        motions = j.kind.simple()
        if not motions:
            raise ModelError([f"joint {j.name!r}: {type(j.kind).__name__} has no form in URDF"])
        return [
            (
                s.suffix,
                urdf_types[s.motion],
                s.axis,
                None if s.lead is None else (j.name, self.nominal_number(s.lead), 0.0),
            )
            for s in motions
        ]

    def write_joint(self, name, kind, parent, child, X, axis=None, fields=None, mimic=None):
        parts = [f"<parent link={quoteattr(parent)}/><child link={quoteattr(child)}/>", _origin(X)]
        if axis is not None:
            from ...joints import unit_axis

            parts.append(f'<axis xyz="{_numbers_text(self.nominal_array(unit_axis(axis)))}"/>')
        values = {"low": -1e9, "high": 1e9, "max_effort": 0, "max_speed": 0, "damping": 0} | (
            fields or {}
        )
        low, high, effort, speed = (
            _number_text(values[n]) for n in ("low", "high", "max_effort", "max_speed")
        )
        if kind in LIMITED_TYPES or values["max_effort"] or values["max_speed"]:
            bounds = f'lower="{low}" upper="{high}" ' if kind in LIMITED_TYPES else ""
            parts.append(f'<limit {bounds}effort="{effort}" velocity="{speed}"/>')
        if values["damping"]:
            parts.append(f'<dynamics damping="{_number_text(values["damping"])}"/>')
        if mimic:
            leader, ratio, offset = mimic
            parts.append(
                f'<mimic joint={quoteattr(leader)} multiplier="{_number_text(ratio)}" '
                f'offset="{_number_text(offset)}"/>'
            )
        self.lines.append(f'  <joint name={quoteattr(name)} type="{kind}">{"".join(parts)}</joint>')


def matrix_to_rpy(R: np.ndarray) -> tuple[float, float, float]:
    """Roll, pitch, yaw about fixed x, y, z of a rotation; where they are not unique, no roll."""
    pitch = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
    if math.hypot(R[0, 0], R[1, 0]) < 1e-12:
        return 0.0, pitch, math.atan2(-R[0, 1], R[1, 1])
    return math.atan2(R[2, 1], R[2, 2]), pitch, math.atan2(R[1, 0], R[0, 0])


def _origin(X: np.ndarray) -> str:
    if (np.eye(4) == X).all():
        return ""
    return (
        f'<origin xyz="{_numbers_text(X[:3, 3])}" rpy="{_numbers_text(matrix_to_rpy(X[:3, :3]))}"/>'
    )


def _number_text(x: float) -> str:
    x = float(x) + 0.0
    return str(int(x)) if x == int(x) and abs(x) < 1e15 else repr(x)


def _numbers_text(xs) -> str:
    return " ".join(_number_text(x) for x in xs)
