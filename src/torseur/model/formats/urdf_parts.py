"""Names, numbers, placements and shapes of a URDF file."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np

from ...errors import said
from ...numbers import values
from ...spatial import angles_to_matrix
from .. import shapes
from .xml_tree import Tag

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
            return values.exact(n) * values.Value("pi") / 2
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
    if not math.isfinite(x) or abs(x) > values.LARGEST:
        raise ValueError("expected finite numbers, up to 1e100")
    return int(x) if x == int(x) and abs(x) < 2**53 else x


def _near(x: float) -> bool:
    n = round(x / (math.pi / 2))
    return n != 0 and abs(x - n * math.pi / 2) < NEAR


def rotation(rpy) -> np.ndarray:
    """Matrix of roll, pitch, yaw about fixed x, y, z."""
    angles = [values.exact(x) for x in rpy][::-1]
    R = angles_to_matrix(values, "zyx", angles)
    return np.array([[values.nominal(e, {}) for e in row] for row in R])
