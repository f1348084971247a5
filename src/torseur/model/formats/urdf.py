"""URDF, the robot description of ROS: a reader.

Every link is a body, every fixed joint a weld (`check` merges them), `mimic` a constraint row;
limits, damping, dry friction and shapes are kept.  The root link is welded to the world unless
`base="free"`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ...constraints import Mimic
from ...errors import ModelError, ModelWarning, unknown_name
from ...files import place
from ...forces import Coulomb, JointForce
from ...joints import AbstractJoint, Free, Planar, Prismatic, Revolute, Weld
from ..description import Body, Joint, Model, Parameters
from .urdf_left import unread
from .urdf_parts import UrdfParts, rotation
from .xml_tree import Tag, read_xml

TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
MOVED = ("revolute", "continuous", "prismatic")
_AXES = {
    (1, 0, 0): "x",
    (0, 1, 0): "y",
    (0, 0, 1): "z",
    (-1, 0, 0): "-x",
    (0, -1, 0): "-y",
    (0, 0, -1): "-z",
}


def is_urdf(path: Path) -> bool:
    """Whether the root of an XML file is `<robot>`."""
    return read_xml(path).name == "robot"


def load(
    path,
    *,
    search=(),
    base: str = "weld",
    right_angles: bool = False,
    repair: bool = False,
    gravity=(0, 0, -9.81),
) -> Model:
    """Read a URDF file.

    Parameters
    ----------
    search : folders where the packages of `package://` meshes are looked for, besides the folders
        above the file and those of ROS_PACKAGE_PATH
    base : "weld" fixes the root link to the world, "free" lets it float
    right_angles : take angles within 1 mrad of a right angle, such as 1.5708, as right angles;
        those within 1e-9 rad always are
    repair : move inertias that no body can have to the nearest possible ones, with one warning
    """
    path = place(path)
    root = read_xml(path)
    if root.name != "robot":
        raise ModelError(
            [
                f"{path.name}, line {root.line}: the root is <{root.name}>, and a URDF "
                "starts with <robot>"
            ]
        )
    if base not in ("weld", "free"):
        raise ModelError([f"base={base!r}: expected 'weld' or 'free'"])
    model = UrdfReader(path, tuple(map(Path, search)), right_angles).model(root, base, gravity)
    if repair:
        from .repair import repaired

        model, said = repaired(model)
        if said:
            more = f" and {len(said) - 1} more" if len(said) > 1 else ""
            warnings.warn(f"{path.name}: {said[0]}{more}", ModelWarning, stacklevel=3)
    return model


class UrdfReader(UrdfParts):
    def __init__(self, path, search, right_angles):
        super().__init__(path, search, right_angles)
        self.friction: dict[str, float] = {}
        self.source: dict[str, str] = {}
        self.left: list[str] = []

    def model(self, root, base, gravity) -> Model:
        for tag in root.children:
            if tag.name.startswith("xacro:"):
                raise ModelError(
                    [
                        f"{self.path.name}, line {tag.line}: <{tag.name}>: this is a "
                        "xacro file; expand it first: xacro robot.xacro > robot.urdf"
                    ]
                )
        materials = {m.attributes.get("name"): self.color(m) for m in root.all("material")}
        joints = root.all("joint")
        children = {c.attributes.get("link") for j in joints if (c := j.first("child"))}
        roots = [
            t.attributes.get("name")
            for t in root.all("link")
            if t.attributes.get("name") not in children
        ]
        if len(roots) > 1:
            self.complain(
                root,
                f"links {', '.join(map(repr, roots[:8]))} hang from no joint; a robot has one root",
            )
        ground = "world" if roots == ["world"] else None
        bodies = [b for t in root.all("link") if (b := self.link(t, materials, ground))]
        known = {b.name for b in bodies} | ({"world"} if ground else set())
        made = [j for t in joints if (j := self.joint(t, known, ground))]
        if not ground and roots and not self.problems:
            kind = Free() if base == "free" else Weld()
            made.insert(0, Joint(self.free_name("base", made), "world", self.name(roots[0]), kind))
        rows = self.mimics(joints, made)
        friction = [JointForce(f"{n}_friction", n, Coulomb(x)) for n, x in self.friction.items()]
        if self.problems:
            raise ModelError(self.problems)
        self.left = [*unread(root)]
        self.warn()
        return Model(
            name=root.attributes.get("name", self.path.stem),
            gravity=gravity,
            bodies=bodies,
            joints=made,
            constraints=rows,
            forces=friction,
            source=Parameters(self.source),
        )

    def warn(self):
        """One warning of each kind."""
        if self.missing:
            more = f" and {len(self.missing) - 1} more" if len(self.missing) > 1 else ""
            warnings.warn(
                f"{self.path.name}: mesh {self.missing[0]!r}{more} not found; give the "
                "folder of its package by search=; the viewer shows the body without it",
                ModelWarning,
                stacklevel=5,
            )
        if self.left:
            more = f" and {len(self.left) - 4} more" if len(self.left) > 4 else ""
            warnings.warn(
                f"{self.path.name}: left out: {', '.join(self.left[:4])}{more}",
                ModelWarning,
                stacklevel=5,
            )
        if self.near:
            warnings.warn(
                f"{self.path.name}: {len(self.near)} angles such as {self.near[0]!r} rad "
                "are near a right angle and not one; they are taken as written; pass "
                "right_angles=True to make them right angles",
                ModelWarning,
                stacklevel=5,
            )
        if self.renamed:
            warnings.warn(
                f"{self.path.name}: {self.renamed[0]}"
                f"{f' and {len(self.renamed) - 1} more' * (len(self.renamed) > 1)}",
                ModelWarning,
                stacklevel=5,
            )

    # ---- elements ----------------------------------------------------------------------------

    def link(self, tag: Tag, materials, ground) -> Body | None:
        name = self.named(tag)
        if name is None or name == ground:
            return None
        if name == "world":
            return self.complain(tag, "'world' is the fixed frame, and can only name the root link")
        label = f"body {name!r}"
        if label in self.source:
            return self.complain(tag, f"link {name!r} is defined twice")
        self.source[label] = f"{self.path.name}, line {tag.line}"
        looks = tag.all("visual") or tag.all("collision")
        drawn = tuple(s for v in looks if (s := self.shape(v, materials)) is not None)
        inertial = tag.first("inertial")
        if inertial is None:
            return Body(name, shapes=drawn)
        at, rpy = self.origin(inertial)
        mass, tensor = inertial.first("mass"), inertial.first("inertia")
        m = self.number(mass, "value") if mass else self.complain(inertial, "needs <mass>") or 0
        if tensor is None:
            self.complain(inertial, "needs <inertia>")
            return None
        xx, xy, xz, yy, yz, zz = (
            self.number(tensor, f"i{e}", 0) for e in ("xx", "xy", "xz", "yy", "yz", "zz")
        )
        J: tuple[Any, ...] = (xx, yy, zz, xy, xz, yz)
        if any(rpy):
            R = rotation(rpy)
            T = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=float) @ R.T
            J = tuple(float(T[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
        return Body(name, mass=m, com=at, inertia=J, shapes=drawn)

    def joint(self, tag: Tag, known, ground) -> Joint | None:
        name, kind = self.named(tag), tag.attributes.get("type")
        if name is None:
            return None
        self.source[f"joint {name!r}"] = f"{self.path.name}, line {tag.line}"
        if kind not in TYPES:
            return self.complain(tag, f"type={kind!r}: expected one of {', '.join(TYPES)}")
        ends = {}
        for end in ("parent", "child"):
            t = tag.first(end)
            link = self.name(t.attributes.get("link", "")) if t else None
            if link not in known:
                self.complain(
                    tag,
                    f"needs <{end} link=...>"
                    if link is None
                    else unknown_name("link", link, known, f"{end} of joint {name!r}"),
                )
            ends[end] = link or ""
        axis_tag = tag.first("axis")
        axis: Any = self.numbers(axis_tag, "xyz", 3, (1, 0, 0)) if axis_tag else (1, 0, 0)
        if kind not in ("fixed", "floating") and not any(axis):
            return self.complain(
                axis_tag or tag, f"joint {name!r}: the axis (0, 0, 0) has no direction"
            )
        axis = _AXES.get(axis, axis)
        more = self.place(tag)
        if (dynamics := tag.first("dynamics")) and kind != "fixed":
            more["damping"] = self.number(dynamics, "damping", 0)
            if (friction := self.number(dynamics, "friction", 0)) > 0 and kind in MOVED:
                self.friction[name] = friction
        if limit := tag.first("limit"):
            if kind in ("revolute", "prismatic"):
                low, high = self.number(limit, "lower", 0), self.number(limit, "upper", 0)
                if low > high:
                    self.complain(limit, f"joint {name!r}: lower={low:g} is above upper={high:g}")
                elif low < high:
                    more["limits"] = (low, high)
            for key, mine in (("effort", "max_effort"), ("velocity", "max_speed")):
                if (x := self.number(limit, key, 0)) > 0 and kind in MOVED:
                    more[mine] = x
        make: dict[str, Callable[[Any], AbstractJoint]] = {
            "revolute": Revolute,
            "continuous": Revolute,
            "prismatic": Prismatic,
            "fixed": lambda _: Weld(),
            "floating": lambda _: Free(),
            "planar": lambda n: Planar(n, "translation_first"),
        }
        return Joint(name, ends["parent"], ends["child"], make[kind](axis), **more)

    def mimics(self, tags, made):
        coordinates = {j.name: j.kind.coordinates for j in made}
        rows = []
        for tag in tags:
            mimic = tag.first("mimic")
            if mimic is None:
                continue
            follower, leader = self.name(tag.attributes.get("name")), mimic.attributes.get("joint")
            leader = self.name(leader or "")
            if len(coordinates.get(follower, ())) != 1:
                continue
            if leader not in coordinates:
                self.complain(
                    mimic,
                    unknown_name("joint", leader, coordinates, f"mimic of joint {follower!r}"),
                )
            elif len(coordinates[leader]) != 1:
                self.complain(
                    mimic,
                    f"joint {leader!r} has {len(coordinates[leader])} "
                    "coordinates; only a joint with one can be copied",
                )
            else:
                a, b = (f"{n}.{coordinates[n][0][0]}" for n in (follower, leader))
                rows.append(
                    Mimic(
                        f"{follower}_mimic",
                        a,
                        b,
                        self.number(mimic, "multiplier", 1),
                        self.number(mimic, "offset", 0),
                    )
                )
        return tuple(rows)
