"""URDF, the robot description of ROS: a reader.

Every link is a body, every fixed joint a weld (`check` merges them), `mimic` a constraint row;
limits, damping, dry friction and shapes are kept.  The root link is welded to the world unless
`base="free"`.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...constraints import Mimic
from ...errors import ModelError, ModelWarning, said, unknown_name
from ...files import place
from ...forces import Coulomb, JointForce
from ...joints import AbstractJoint, Free, Planar, Prismatic, Revolute, Weld
from ...scalars.values import value
from ...spatial import angles_to_matrix
from .. import shapes
from ..description import Body, Joint, Model, Parameters
from .xml_tree import Tag, read_xml

# --------------------------------------------------------------------------------------------
# Names, numbers, placements and shapes of a URDF file.


MESHES = (".stl", ".obj", ".dae", ".ply", ".glb", ".gltf", ".off")
NEAR = 1e-3  # an angle this close to a right angle [rad], and not one
SAME = 1e-9  # closer than that it is one


class UrdfParts:
    """Reads values of one file; what is wrong, missing or changed is collected."""

    def __init__(self, path, search, right_angles):
        self.path, self.search, self.right_angles = path, search, right_angles
        self.problems: list[str] = []
        self.missing: list[str] = []
        self.near: list[float] = []
        self.renamed: list[str] = []

    def complain(self, tag: Tag, text: str):
        self.problems.append(f"{self.path.name}, line {tag.line}: <{tag.name}>: {text}")

    # ---- values ------------------------------------------------------------------------------

    def name(self, text: str) -> str:
        """A name without dots, which separate elements from their signals."""
        return text.replace(".", "_") if isinstance(text, str) else text

    def free_name(self, wanted, joints):
        taken = {j.name for j in joints}
        while wanted in taken:
            wanted += "_"
        return wanted

    def named(self, tag: Tag) -> str | None:
        text = tag.attributes.get("name")
        if not text:
            return self.complain(tag, "needs a name")
        if "." in text:
            self.renamed.append(
                f"{tag.name} {text!r} is renamed {self.name(text)!r}, since dots "
                "separate the names of signals"
            )
        return self.name(text)

    def numbers(self, tag: Tag, key: str, n: int, default=None):
        text = tag.attributes.get(key)
        if text is None:
            if default is None:
                self.complain(tag, f"needs {key}=")
            return default if default is not None else (0,) * n
        try:
            found = tuple(_number(e) for e in text.split())
        except ValueError as e:
            self.complain(tag, f"{key}={text[:60]!r}: {said(e, 'expected numbers')}")
            return default if default is not None else (0,) * n
        if len(found) != n:
            self.complain(tag, f"{key}={text[:60]!r}: expected {n} numbers, got {len(found)}")
            return default if default is not None else (0,) * n
        return found

    def number(self, tag, key, default=None):
        return self.numbers(tag, key, 1, None if default is None else (default,))[0]

    def origin(self, tag: Tag):
        """`at` and `rpy` of the origin of an element."""
        at = tag.first("origin")
        if at is None:
            return (0, 0, 0), (0, 0, 0)
        xyz = self.numbers(at, "xyz", 3, (0, 0, 0))
        return xyz, tuple(map(self.angle, self.numbers(at, "rpy", 3, (0, 0, 0))))

    def angle(self, x):
        """An angle; a right angle written in enough digits is one."""
        n = round(x / (math.pi / 2))
        off = abs(x - n * math.pi / 2)
        if n and (off < SAME or (self.right_angles and off < NEAR)):
            return value.exact(n) * value.Value("pi") / 2
        if n and off < NEAR:
            self.near.append(x)
        return x

    def place(self, tag: Tag) -> dict:
        """The origin of a joint; by its matrix where an angle nearly is a right one."""
        at, rpy = self.origin(tag)
        if any(isinstance(x, float) and 0 < abs(x) and _near(x) for x in rpy):
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = rotation(rpy), at
            return {"pose": tuple(map(tuple, T.tolist()))}
        return {"at": at, "rpy": rpy}

    # ---- shapes ------------------------------------------------------------------------------

    def color(self, tag: Tag):
        c = tag.first("color")
        return self.numbers(c, "rgba", 4, (0.7, 0.7, 0.7, 1)) if c else None

    def shape(self, tag: Tag, materials):
        geometry = tag.first("geometry")
        if geometry is None or not geometry.children:
            return None
        at, rpy = self.origin(tag)
        material = tag.first("material")
        color = (
            self.color(material) or materials.get(material.attributes.get("name"))
            if material
            else None
        )
        g, place = geometry.children[0], {"at": at, "rpy": rpy, "color": color}
        match g.name:
            case "box":
                return shapes.Box(size=self.numbers(g, "size", 3), **place)
            case "sphere":
                return shapes.Sphere(radius=self.number(g, "radius"), **place)
            case "cylinder" | "capsule":
                cls = shapes.Cylinder if g.name == "cylinder" else shapes.Capsule
                return cls(
                    radius=self.number(g, "radius"), length=self.number(g, "length"), **place
                )
            case "mesh":
                file = self.mesh(g.attributes.get("filename", ""))
                return file and shapes.Mesh(
                    file=file, scale=self.numbers(g, "scale", 3, (1, 1, 1)), **place
                )
        return None

    def mesh(self, uri: str) -> str | None:
        """The path of a mesh, or None with one warning for all."""
        here = self.path.resolve().parent
        if not uri.lower().endswith(MESHES):
            self.missing.append(uri)
            return None
        if uri.startswith(("package://", "model://")):
            package, _, rest = uri.split("://", 1)[1].partition("/")
            ros = os.environ.get("ROS_PACKAGE_PATH", "")
            folders = [
                *self.search,
                *map(Path, filter(None, ros.split(os.pathsep))),
                here,
                *here.parents,
            ]
            tried = [
                p
                for f in folders
                for p in ((f / package / rest), *((f / rest,) if f.name == package else ()))
            ]
        else:
            uri_path = Path(uri.removeprefix("file://"))
            tried = [here / uri_path, *(f / uri_path for f in self.search)]
        for p in tried:
            try:
                if p.is_file():
                    return str(p)
            except (OSError, ValueError):
                break
        self.missing.append(uri)
        return None


def _number(text: str) -> float | int:
    """A finite number; whole ones stay whole."""
    x = float(text)
    if not math.isfinite(x) or abs(x) > value.LARGEST:
        raise ValueError("expected finite numbers, up to 1e100")
    return int(x) if x == int(x) and abs(x) < 2**53 else x


def _near(x: float) -> bool:
    n = round(x / (math.pi / 2))
    return n != 0 and abs(x - n * math.pi / 2) < NEAR


def rotation(rpy) -> np.ndarray:
    """Matrix of roll, pitch, yaw about fixed x, y, z."""
    angles = [value.exact(x) for x in rpy][::-1]
    R = angles_to_matrix(value, "zyx", angles)
    return np.array([[value.nominal(e, {}) for e in row] for row in R])


# --------------------------------------------------------------------------------------------
# What a URDF file says and a `Model` has no place for, in words.


TAGS = {
    "robot": "link joint material transmission gazebo sensor ros2_control group_state",
    "link": "inertial visual collision sensor contact verbose material self_collision_checking",
    "inertial": "origin mass inertia",
    "joint": "origin parent child axis calibration dynamics limit mimic safety_controller "
    "hardwareInterface",
}
"""Tags that are read, or that say nothing about a motion."""
FORCES = ("springStiffness", "springReference", "dampingFactor", "gravity", "turnGravityOff")
"""Tags of Gazebo that change a motion without contacts."""


def _nothing(tag: Tag) -> bool:
    """Whether it is a pose of its own place: links of some writers have one."""
    words = " ".join(tag.attributes.values()).replace("-0", "0").split()
    return tag.name == "origin" and all(w.strip("0.") == "" for w in words)


def unread(root: Tag) -> Iterator[str]:
    """Tags that are not known, forces of Gazebo, numbers of joints of several coordinates."""
    for tag in (root, *root.children, *(i for t in root.children for i in t.all("inertial"))):
        if tag.name in TAGS:
            known = TAGS[tag.name].split()
            left = (t for t in tag.children if t.name not in known and not _nothing(t))
            yield from (f"<{t.name}> (line {t.line})" for t in left)
    for tag in root.all("gazebo"):
        where = tag.attributes.get("reference", "the robot")
        for t in (t for t in tag.children if t.name in FORCES):
            yield f"<{t.name}> of Gazebo, of {where!r} (line {t.line})"
    for tag in root.all("joint"):
        if tag.attributes.get("type") in ("floating", "planar"):
            for t in (t for n in ("dynamics", "limit", "mimic") for t in tag.all(n)):
                own = (x for n, x in t.attributes.items() if n != "damping")
                if any(x not in ("0", "0.0") for x in own):
                    yield f"<{t.name}> of joint {tag.attributes.get('name')!r} (line {t.line})"


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
        from .inertia_repair import repaired

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
