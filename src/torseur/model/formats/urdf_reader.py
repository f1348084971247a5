"""Reader of URDF, the robot description format of ROS.

A link becomes a body, a fixed joint a weld, which `check` merges, and `mimic` a constraint row.
Limits, damping, dry friction and shapes are read.  The root link is welded to the world unless
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
from ...errors import ModelError, ModelWarning, said, unknown_name_message
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


MESH_SUFFIXES = (".stl", ".obj", ".dae", ".ply", ".glb", ".gltf", ".off")
NEAR_RIGHT_ANGLE = 1e-3  # an angle this close to a right angle [rad], and not one
RIGHT_ANGLE_TOLERANCE = 1e-9  # closer than that it is one


class UrdfParts:
    """Reads values of one file; collects problems, missing meshes and renamed elements."""

    def __init__(self, path, search, right_angles):
        self.path, self.search, self.right_angles = path, search, right_angles
        self.problems: list[str] = []
        self.missing: list[str] = []
        self.near_right_angles: list[float] = []
        self.renamed: list[str] = []

    def add_problem(self, tag: Tag, text: str):
        self.problems.append(f"{self.path.name}, line {tag.line}: <{tag.name}>: {text}")

    # ---- values ------------------------------------------------------------------------------

    def clean_name(self, text: str) -> str:
        """A name without dots, which separate elements from their signals."""
        return text.replace(".", "_") if isinstance(text, str) else text

    def unique_name(self, name, joints):
        used_names = {j.name for j in joints}
        while name in used_names:
            name += "_"
        return name

    def read_name(self, tag: Tag) -> str | None:
        """The name of an element, with dots replaced."""
        text = tag.attributes.get("name")
        if not text:
            return self.add_problem(tag, "needs a name")
        if "." in text:
            self.renamed.append(
                f"{tag.name} {text!r} is renamed {self.clean_name(text)!r}, since dots "
                "separate the names of signals"
            )
        return self.clean_name(text)

    def read_numbers(self, tag: Tag, key: str, n: int, default=None):
        """The `n` numbers of an attribute, or the default."""
        text = tag.attributes.get(key)
        if text is None:
            if default is None:
                self.add_problem(tag, f"needs {key}=")
            return default if default is not None else (0,) * n
        try:
            values = tuple(_parse_number(e) for e in text.split())
        except ValueError as e:
            self.add_problem(tag, f"{key}={text[:60]!r}: {said(e, 'expected numbers')}")
            return default if default is not None else (0,) * n
        if len(values) != n:
            self.add_problem(tag, f"{key}={text[:60]!r}: expected {n} numbers, got {len(values)}")
            return default if default is not None else (0,) * n
        return values

    def read_number(self, tag, key, default=None):
        return self.read_numbers(tag, key, 1, None if default is None else (default,))[0]

    def read_origin(self, tag: Tag):
        """`at` and `rpy` of the origin of an element."""
        at = tag.first_child("origin")
        if at is None:
            return (0, 0, 0), (0, 0, 0)
        xyz = self.read_numbers(at, "xyz", 3, (0, 0, 0))
        return xyz, tuple(map(self.snap_angle, self.read_numbers(at, "rpy", 3, (0, 0, 0))))

    def snap_angle(self, x):
        """The angle [rad], or the exact right angle within the tolerance."""
        n = round(x / (math.pi / 2))
        off = abs(x - n * math.pi / 2)
        if n and (off < RIGHT_ANGLE_TOLERANCE or (self.right_angles and off < NEAR_RIGHT_ANGLE)):
            return value.exact(n) * value.Value("pi") / 2
        if n and off < NEAR_RIGHT_ANGLE:
            self.near_right_angles.append(x)
        return x

    def read_frame_fields(self, tag: Tag) -> dict:
        """Frame fields of a joint: a matrix if an angle is close to a right angle."""
        at, rpy = self.read_origin(tag)
        if any(isinstance(x, float) and 0 < abs(x) and _is_near_right_angle(x) for x in rpy):
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = rotation(rpy), at
            return {"pose": tuple(map(tuple, T.tolist()))}
        return {"at": at, "rpy": rpy}

    # ---- shapes ------------------------------------------------------------------------------

    def read_color(self, tag: Tag):
        c = tag.first_child("color")
        return self.read_numbers(c, "rgba", 4, (0.7, 0.7, 0.7, 1)) if c else None

    def read_shape(self, tag: Tag, materials):
        """The shape of a visual or collision element, or None if it is unknown."""
        geometry = tag.first_child("geometry")
        if geometry is None or not geometry.children:
            return None
        at, rpy = self.read_origin(tag)
        material = tag.first_child("material")
        color = (
            self.read_color(material) or materials.get(material.attributes.get("name"))
            if material
            else None
        )
        g, fields = geometry.children[0], {"at": at, "rpy": rpy, "color": color}
        match g.name:
            case "box":
                return shapes.Box(size=self.read_numbers(g, "size", 3), **fields)
            case "sphere":
                return shapes.Sphere(radius=self.read_number(g, "radius"), **fields)
            case "cylinder" | "capsule":
                cls = shapes.Cylinder if g.name == "cylinder" else shapes.Capsule
                return cls(
                    radius=self.read_number(g, "radius"),
                    length=self.read_number(g, "length"),
                    **fields,
                )
            case "mesh":
                file = self.find_mesh(g.attributes.get("filename", ""))
                return file and shapes.Mesh(
                    file=file, scale=self.read_numbers(g, "scale", 3, (1, 1, 1)), **fields
                )
        return None

    def find_mesh(self, uri: str) -> str | None:
        """The path of a mesh file, or None; missing meshes share one warning."""
        model_folder = self.path.resolve().parent
        if not uri.lower().endswith(MESH_SUFFIXES):
            self.missing.append(uri)
            return None
        if uri.startswith(("package://", "model://")):
            package, _, rest = uri.split("://", 1)[1].partition("/")
            ros = os.environ.get("ROS_PACKAGE_PATH", "")
            folders = [
                *self.search,
                *map(Path, filter(None, ros.split(os.pathsep))),
                model_folder,
                *model_folder.parents,
            ]
            tried = [
                p
                for f in folders
                for p in ((f / package / rest), *((f / rest,) if f.name == package else ()))
            ]
        else:
            uri_path = Path(uri.removeprefix("file://"))
            tried = [model_folder / uri_path, *(f / uri_path for f in self.search)]
        for p in tried:
            try:
                if p.is_file():
                    return str(p)
            except (OSError, ValueError):
                break
        self.missing.append(uri)
        return None


def _parse_number(text: str) -> float | int:
    """A finite number; integers stay integers."""
    x = float(text)
    if not math.isfinite(x) or abs(x) > value.LARGEST:
        raise ValueError("expected finite numbers, up to 1e100")
    return int(x) if x == int(x) and abs(x) < 2**53 else x


def _is_near_right_angle(x: float) -> bool:
    n = round(x / (math.pi / 2))
    return n != 0 and abs(x - n * math.pi / 2) < NEAR_RIGHT_ANGLE


def rotation(rpy) -> np.ndarray:
    """Matrix of roll, pitch, yaw about fixed x, y, z."""
    angles = [value.exact(x) for x in rpy][::-1]
    R = angles_to_matrix(value, "zyx", angles)
    return np.array([[value.nominal(e, {}) for e in row] for row in R])


# --------------------------------------------------------------------------------------------
# What a URDF file says and a `Model` has no place for, in words.


READ_TAGS = {
    "robot": "link joint material transmission gazebo sensor ros2_control group_state",
    "link": "inertial visual collision sensor contact verbose material self_collision_checking",
    "inertial": "origin mass inertia",
    "joint": "origin parent child axis calibration dynamics limit mimic safety_controller "
    "hardwareInterface",
}
"""Tags that are read, or that say nothing about a motion."""
GAZEBO_FORCE_TAGS = (
    "springStiffness",
    "springReference",
    "dampingFactor",
    "gravity",
    "turnGravityOff",
)
"""Tags of Gazebo that change a motion without contacts."""


def _is_zero_origin(tag: Tag) -> bool:
    """Whether a tag is a zero origin, which some exporters add to links."""
    numbers = " ".join(tag.attributes.values()).replace("-0", "0").split()
    return tag.name == "origin" and all(w.strip("0.") == "" for w in numbers)


def list_unread_tags(root: Tag) -> Iterator[str]:
    """Tags and attributes that the reader ignores and that change the motion."""
    inertials = (i for t in root.children for i in t.children_named("inertial"))
    for tag in (root, *root.children, *inertials):
        if tag.name in READ_TAGS:
            tag_names = READ_TAGS[tag.name].split()
            left = (t for t in tag.children if t.name not in tag_names and not _is_zero_origin(t))
            yield from (f"<{t.name}> (line {t.line})" for t in left)
    for tag in root.children_named("gazebo"):
        where = tag.attributes.get("reference", "the robot")
        for t in (t for t in tag.children if t.name in GAZEBO_FORCE_TAGS):
            yield f"<{t.name}> of Gazebo, of {where!r} (line {t.line})"
    for tag in root.children_named("joint"):
        if tag.attributes.get("type") in ("floating", "planar"):
            for t in (t for n in ("dynamics", "limit", "mimic") for t in tag.children_named(n)):
                values = (x for n, x in t.attributes.items() if n != "damping")
                if any(x not in ("0", "0.0") for x in values):
                    yield f"<{t.name}> of joint {tag.attributes.get('name')!r} (line {t.line})"


JOINT_TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
SCALAR_JOINT_TYPES = ("revolute", "continuous", "prismatic")
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


def load_urdf(
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
    model = UrdfReader(path, tuple(map(Path, search)), right_angles).read_model(root, base, gravity)
    if repair:
        from .inertia_repair import repair_inertias

        model, changes = repair_inertias(model)
        if changes:
            remainder = f" and {len(changes) - 1} more" if len(changes) > 1 else ""
            warnings.warn(f"{path.name}: {changes[0]}{remainder}", ModelWarning, stacklevel=3)
    return model


class UrdfReader(UrdfParts):
    def __init__(self, path, search, right_angles):
        super().__init__(path, search, right_angles)
        self.friction: dict[str, float] = {}
        self.source: dict[str, str] = {}
        self.unread_tags: list[str] = []

    def read_model(self, root, base, gravity) -> Model:
        """The model of a `<robot>` element; `ModelError` lists all problems."""
        for tag in root.children:
            if tag.name.startswith("xacro:"):
                raise ModelError(
                    [
                        f"{self.path.name}, line {tag.line}: <{tag.name}>: this is a "
                        "xacro file; expand it first: xacro robot.xacro > robot.urdf"
                    ]
                )
        materials = {
            m.attributes.get("name"): self.read_color(m) for m in root.children_named("material")
        }
        joint_tags = root.children_named("joint")
        children = {c.attributes.get("link") for j in joint_tags if (c := j.first_child("child"))}
        roots = [
            t.attributes.get("name")
            for t in root.children_named("link")
            if t.attributes.get("name") not in children
        ]
        if len(roots) > 1:
            self.add_problem(
                root,
                f"links {', '.join(map(repr, roots[:8]))} are not attached by a joint; "
                "a robot has one root link",
            )
        ground = "world" if roots == ["world"] else None
        bodies = [
            b for t in root.children_named("link") if (b := self.read_link(t, materials, ground))
        ]
        link_names = {b.name for b in bodies} | ({"world"} if ground else set())
        joints = [j for t in joint_tags if (j := self.read_joint(t, link_names, ground))]
        if not ground and roots and not self.problems:
            kind = Free() if base == "free" else Weld()
            joints.insert(
                0, Joint(self.unique_name("base", joints), "world", self.clean_name(roots[0]), kind)
            )
        rows = self.read_mimics(joint_tags, joints)
        friction = [JointForce(f"{n}_friction", n, Coulomb(x)) for n, x in self.friction.items()]
        if self.problems:
            raise ModelError(self.problems)
        self.unread_tags = [*list_unread_tags(root)]
        self.warn_omissions()
        return Model(
            name=root.attributes.get("name", self.path.stem),
            gravity=gravity,
            bodies=bodies,
            joints=joints,
            constraints=rows,
            forces=friction,
            source=Parameters(self.source),
        )

    def warn_omissions(self):
        """One warning of each kind."""
        if self.missing:
            remainder = f" and {len(self.missing) - 1} more" if len(self.missing) > 1 else ""
            warnings.warn(
                f"{self.path.name}: mesh {self.missing[0]!r}{remainder} not found; give the "
                "folder of its package by search=; the viewer shows the body without it",
                ModelWarning,
                stacklevel=5,
            )
        if self.unread_tags:
            remainder = (
                f" and {len(self.unread_tags) - 4} more" if len(self.unread_tags) > 4 else ""
            )
            warnings.warn(
                f"{self.path.name}: not imported: {', '.join(self.unread_tags[:4])}{remainder}",
                ModelWarning,
                stacklevel=5,
            )
        if self.near_right_angles:
            warnings.warn(
                f"{self.path.name}: {len(self.near_right_angles)} angles such as "
                f"{self.near_right_angles[0]!r} rad are near a right angle and not one; "
                "they are taken as written; pass right_angles=True to make them right angles",
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

    def read_link(self, tag: Tag, materials, ground) -> Body | None:
        """The body of a link, with its inertia rotated to body axes."""
        name = self.read_name(tag)
        if name is None or name == ground:
            return None
        if name == "world":
            return self.add_problem(
                tag, "'world' is the fixed frame, and can only name the root link"
            )
        label = f"body {name!r}"
        if label in self.source:
            return self.add_problem(tag, f"link {name!r} is defined twice")
        self.source[label] = f"{self.path.name}, line {tag.line}"
        shape_tags = tag.children_named("visual") or tag.children_named("collision")
        body_shapes = tuple(
            s for v in shape_tags if (s := self.read_shape(v, materials)) is not None
        )
        inertial = tag.first_child("inertial")
        if inertial is None:
            return Body(name, shapes=body_shapes)
        at, rpy = self.read_origin(inertial)
        mass, tensor = inertial.first_child("mass"), inertial.first_child("inertia")
        m = (
            self.read_number(mass, "value")
            if mass
            else self.add_problem(inertial, "needs <mass>") or 0
        )
        if tensor is None:
            self.add_problem(inertial, "needs <inertia>")
            return None
        xx, xy, xz, yy, yz, zz = (
            self.read_number(tensor, f"i{e}", 0) for e in ("xx", "xy", "xz", "yy", "yz", "zz")
        )
        J: tuple[Any, ...] = (xx, yy, zz, xy, xz, yz)
        if any(rpy):
            R = rotation(rpy)
            T = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=float) @ R.T
            J = tuple(float(T[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
        return Body(name, mass=m, com=at, inertia=J, shapes=body_shapes)

    def read_joint(self, tag: Tag, link_names, ground) -> Joint | None:
        """The joint of a tag with its limits, damping and friction, or None after a problem."""
        name, kind = self.read_name(tag), tag.attributes.get("type")
        if name is None:
            return None
        self.source[f"joint {name!r}"] = f"{self.path.name}, line {tag.line}"
        if kind not in JOINT_TYPES:
            return self.add_problem(tag, f"type={kind!r}: expected one of {', '.join(JOINT_TYPES)}")
        links = {}
        for end in ("parent", "child"):
            t = tag.first_child(end)
            link = self.clean_name(t.attributes.get("link", "")) if t else None
            if link not in link_names:
                self.add_problem(
                    tag,
                    f"needs <{end} link=...>"
                    if link is None
                    else unknown_name_message("link", link, link_names, f"{end} of joint {name!r}"),
                )
            links[end] = link or ""
        axis_tag = tag.first_child("axis")
        axis: Any = self.read_numbers(axis_tag, "xyz", 3, (1, 0, 0)) if axis_tag else (1, 0, 0)
        if kind not in ("fixed", "floating") and not any(axis):
            return self.add_problem(
                axis_tag or tag, f"joint {name!r}: the axis (0, 0, 0) has no direction"
            )
        axis = _AXES.get(axis, axis)
        fields = self.read_frame_fields(tag)
        if (dynamics := tag.first_child("dynamics")) and kind != "fixed":
            fields["damping"] = self.read_number(dynamics, "damping", 0)
            if (
                friction := self.read_number(dynamics, "friction", 0)
            ) > 0 and kind in SCALAR_JOINT_TYPES:
                self.friction[name] = friction
        if limit := tag.first_child("limit"):
            if kind in ("revolute", "prismatic"):
                low, high = self.read_number(limit, "lower", 0), self.read_number(limit, "upper", 0)
                if low > high:
                    self.add_problem(
                        limit, f"joint {name!r}: lower={low:g} is above upper={high:g}"
                    )
                elif low < high:
                    fields["limits"] = (low, high)
            for key, field_name in (("effort", "max_effort"), ("velocity", "max_speed")):
                if (x := self.read_number(limit, key, 0)) > 0 and kind in SCALAR_JOINT_TYPES:
                    fields[field_name] = x
        kinds: dict[str, Callable[[Any], AbstractJoint]] = {
            "revolute": Revolute,
            "continuous": Revolute,
            "prismatic": Prismatic,
            "fixed": lambda _: Weld(),
            "floating": lambda _: Free(),
            "planar": lambda n: Planar(n, "translation_first"),
        }
        return Joint(name, links["parent"], links["child"], kinds[kind](axis), **fields)

    def read_mimics(self, tags, joints):
        """Constraint rows of the `mimic` tags."""
        coordinates = {j.name: j.kind.coordinates for j in joints}
        rows = []
        for tag in tags:
            mimic = tag.first_child("mimic")
            if mimic is None:
                continue
            follower, leader = (
                self.clean_name(tag.attributes.get("name")),
                mimic.attributes.get("joint"),
            )
            leader = self.clean_name(leader or "")
            if len(coordinates.get(follower, ())) != 1:
                continue
            if leader not in coordinates:
                self.add_problem(
                    mimic,
                    unknown_name_message(
                        "joint", leader, coordinates, f"mimic of joint {follower!r}"
                    ),
                )
            elif len(coordinates[leader]) != 1:
                self.add_problem(
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
                        self.read_number(mimic, "multiplier", 1),
                        self.read_number(mimic, "offset", 0),
                    )
                )
        return tuple(rows)
