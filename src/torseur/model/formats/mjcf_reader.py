"""MJCF, the model format of MuJoCo, read through the `mujoco` package.

MuJoCo compiles the file (defaults, includes, inertias from shapes); what it made is taken over, so
coordinates mean the same here and there.  A body with several joints becomes a chain of massless
bodies; `qpos` and our `q` agree joint by joint, and so do `qvel` and our `v`, but for a free body,
whose angular part comes first here.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...constraints import Coupling, Holonomic
from ...errors import ModelError, ModelWarning, needs, shown
from ...forces import Coulomb, Effort, JointForce, Spring
from ...joints import Free, Prismatic, Revolute, Spherical, Weld
from ...spatial import rotation_matrices
from .. import shapes
from ..description import Body, Frame, Input, Joint, Loop, Model
from .document_tree import MAX_PROBLEMS
from .xml_tree import Tag, read_xml

# Limits checked before MuJoCo compiles a file: it allocates whatever size a file asks for.
MAX_FILES = 64
MAX_ELEMENTS = 20_000
MAX_BODIES = 1500  # MuJoCo takes time as their square
MAX_GRID_POINTS = 1000  # points of a composite or flexcomp
MAX_EXTRA_NUMBERS = 100  # numbers that <size> adds to every element; keyframes
MAX_FILE_BYTES = 100_000_000
SIZE_LIMITS: dict[str, tuple[tuple[str, ...], float, str]] = {
    "texture": (("width", "height"), 4e6, "pixels"),
    "hfield": (("nrow", "ncol"), 1e6, "points"),
    "numeric": (("size",), 1e6, "numbers"),
    "mesh": (("params",), 1e3, "parts"),
}
"""By element: attributes whose product is limited, the limit, and of what."""
COPYING_TAGS = ("replicate", "composite", "flexcomp")
NAME_ATTRIBUTES = ("name", "class", "childclass", "model", "prefix", "suffix", "content_type")
FILE_ATTRIBUTES = (
    "file",
    *(f"file{face}" for face in ("right", "left", "up", "down", "front", "back")),
)
FOLDER_ATTRIBUTES = ("meshdir", "texturedir", "assetdir")


def scan_file(path: Path) -> dict[str, str]:
    """Places of named elements; or `ModelError` with all that MuJoCo is not to be asked for."""
    scanner = FileScanner(path)
    scanner.scan_document(path)
    if scanner.elements > MAX_ELEMENTS:
        scanner.problems.append(
            f"{path.name}: {scanner.elements:.3g} elements with all copies of replicate, composite "
            f"and flexcomp; at most {MAX_ELEMENTS} are read: make fewer"
        )
    if scanner.bodies > MAX_BODIES:
        scanner.problems.append(
            f"{path.name}: {scanner.bodies:.6g} bodies; at most {MAX_BODIES} are read from MJCF"
        )
    if scanner.problems:
        raise ModelError(scanner.problems[:MAX_PROBLEMS])
    return scanner.lines


class FileScanner:
    """Checks the sizes that an MJCF file asks for, before MuJoCo allocates them."""

    def __init__(self, path: Path):
        self.folder = path.parent.resolve()
        self.problems: list[str] = []
        self.lines: dict[str, str] = {}
        self.total_sizes: dict[str, float] = {}
        self.scanned_files: set[Path] = set()
        self.elements = self.bodies = 0.0

    def scan_document(self, path: Path) -> None:
        """A file and those that it includes."""
        self.scanned_files.add(path.resolve())
        root = read_xml(path)
        self.dirs = [
            a for t in _iter_tags(root) for k, a in t.attributes.items() if k in FOLDER_ATTRIBUTES
        ]
        self.scan_tag(root, path, 1.0)

    def scan_tag(self, tag: Tag, path: Path, copies: float) -> None:
        """An element and what is in it, so many times."""
        where = f"{path.name}, line {tag.line}: <{tag.name}>"
        if tag.name in COPYING_TAGS and "count" in tag.attributes:
            counts = _parse_numbers(tag.attributes["count"])
            grid = math.prod(abs(x) for x in counts)
            if tag.name != "replicate" and not grid <= MAX_GRID_POINTS:
                self.problems.append(
                    f"{where}: count={shown(tag.attributes['count'])}: "
                    f"at most {MAX_GRID_POINTS} points"
                )
            copies *= max(1.0, math.prod(max(1.0, x) for x in counts if math.isfinite(x)))
        self.elements += copies
        self.bodies += copies * (tag.name == "body")
        if named := tag.attributes.get("name"):
            self.lines.setdefault(f"{tag.name} {named}", f"{path.name}, line {tag.line}")
        self.check_numbers(tag, where)
        for name in ("include", "model"):
            if tag.name == name and tag.attributes.get("file"):
                self.scan_include(tag.attributes["file"], where)
                break
        else:
            for key, name in tag.attributes.items():
                if key in FILE_ATTRIBUTES:
                    self.check_asset(name, where)
        for child in tag.children:
            self.scan_tag(child, path, copies)

    def check_numbers(self, tag: Tag, where: str) -> None:
        """Numbers that are none, and sizes beyond their limits."""
        for key, text in tag.attributes.items():
            numbers = _parse_numbers(text)
            if (
                numbers
                and key not in NAME_ATTRIBUTES
                and key not in FILE_ATTRIBUTES
                and not all(map(math.isfinite, numbers))
            ):
                self.problems.append(f"{where}: {key}={shown(text)}: expected finite numbers")
            added = tag.name == "size" and (key.startswith("nuser_") or key == "nkey")
            if added and max(numbers, default=0) > MAX_EXTRA_NUMBERS:
                self.problems.append(
                    f"{where}: {key}={shown(text)}: at most {MAX_EXTRA_NUMBERS} are read"
                )
        if tag.name in SIZE_LIMITS:
            keys, limit, unit = SIZE_LIMITS[tag.name]
            sizes = [x for k in keys for x in _parse_numbers(tag.attributes.get(k, ""))]
            size = math.prod(abs(x) for x in sizes) if sizes else 0.0
            self.total_sizes[tag.name] = self.total_sizes.get(tag.name, 0.0) + size
            if self.total_sizes[tag.name] > limit:
                attributes_text = ", ".join(f"{k}={shown(tag.attributes.get(k))}" for k in keys)
                self.problems.append(
                    f"{where}: {attributes_text}: at most {limit:g} {unit} in all are read"
                )
                self.total_sizes[tag.name] = 0.0

    def find_files(self, name: str, where: str, folders=("",)) -> list[Path]:
        """Where a named file may be, all in the folder of the model or below."""
        if "\x00" in name or len(name) > 1000:
            self.problems.append(f"{where}: file={shown(name)} is no name of a file")
            return []
        names = [x.replace("\\", "/") for x in (name, *folders)]  # MuJoCo takes both strokes
        candidates = [(self.folder / f / names[0]).resolve() for f in names[1:]]
        if not all(p.is_relative_to(self.folder) for p in candidates):
            self.problems.append(
                f"{where}: file={shown(name)} leaves the folder of the model; put the file next to "
                "it and give a relative path"
            )
            return []
        if odd := [p for p in candidates if p.exists() and not (p.is_file() or p.is_dir())]:
            text = f"{where}: file={shown(name)}: {odd[0].name} is a pipe, a socket or a device"
            self.problems.append(f"{text}; give a file")
            return []
        return [p for p in candidates if p.is_file()]

    def scan_include(self, name: str, where: str) -> None:
        for file in self.find_files(name, where)[:1]:
            if file in self.scanned_files:
                self.problems.append(
                    f"{where}: {shown(name)} is included twice, or includes itself"
                )
            elif len(self.scanned_files) >= MAX_FILES:
                self.problems.append(f"{where}: more than {MAX_FILES} files are included")
            else:
                outer_dirs = self.dirs
                self.scan_document(file)
                self.dirs = outer_dirs

    def check_asset(self, name: str, where: str) -> None:
        for file in self.find_files(name, where, ("", *self.dirs)):
            if file.stat().st_size > MAX_FILE_BYTES:
                self.problems.append(
                    f"{where}: {shown(name)} is longer than {MAX_FILE_BYTES // 1_000_000} MB"
                )


def _iter_tags(tag: Tag):
    yield tag
    for child in tag.children:
        yield from _iter_tags(child)


def _parse_numbers(text: str) -> list[float]:
    """The numbers of an attribute; none when one of its words is not one."""
    try:
        return [float(x) for x in text.split()]
    except ValueError:
        return []


# --------------------------------------------------------------------------------------------
# What MuJoCo compiled of an MJCF file and a `Model` has no place for, in words.


DISABLE_FLAGS = (
    "CONSTRAINT",
    "EQUALITY",
    "FRICTIONLOSS",
    "LIMIT",
    "PASSIVE",
    "SPRING",
    "DAMPER",
    "ACTUATION",
)
"""Flags that switch off what is read."""


def list_unread_features(
    mj: Any, m: Any, bodies: Sequence[str], joints: Sequence[str]
) -> Iterator[str]:
    """Tendons, contacts, fluids, weight taken off, what joints do beyond straight lines."""
    if m.nkey:
        yield f"{m.nkey} keyframes"
    if m.ntendon:
        yield f"{m.ntendon} tendons"
    for b in np.flatnonzero(m.body_gravcomp):
        yield f"gravcomp of body {bodies[int(b)]!r}"
    kinds = mj.mjtJoint
    for j, name in enumerate(joints):
        at, kind = int(m.jnt_dofadr[j]), m.jnt_type[j]
        dof_count = {int(kinds.mjJNT_FREE): 6, int(kinds.mjJNT_BALL): 3}.get(int(kind), 1)
        dofs = slice(at, at + dof_count)
        if dof_count > 1 and (m.dof_frictionloss[dofs].any() or m.jnt_limited[j]):
            yield f"range or frictionloss of joint {name!r}"
        if dof_count == 6 and m.jnt_stiffness[j]:
            yield f"stiffness of joint {name!r}"
        if any(np.any(x[k]) for x, k in _polynomial_coefficients(m, j, dofs)):
            yield f"powers of stiffness or damping of joint {name!r}"
    if m.opt.density or m.opt.viscosity:
        yield "the fluid (density, viscosity)"
    flags = {n: getattr(mj.mjtDisableBit, f"mjDSBL_{n}", 0) for n in DISABLE_FLAGS}
    for n in (n for n, bit in flags.items() if m.opt.disableflags & int(bit)):
        yield f"the flag that disables {n.lower()}"
    if not m.opt.disableflags & mj.mjtDisableBit.mjDSBL_CONTACT and _has_contacts(m):
        yield "contacts of geoms"


def _polynomial_coefficients(m, j, dofs) -> Iterator[tuple[np.ndarray, Any]]:
    """Coefficients beyond the first, of versions of MuJoCo that have them."""
    for name, k in (("jnt_stiffnesspoly", j), ("dof_dampingpoly", dofs)):
        if hasattr(m, name):
            yield getattr(m, name), k


def _has_contacts(m) -> bool:
    """Whether MuJoCo lets two geoms of parts that move apart collide."""
    if m.npair:
        return True
    part = m.body_weldid[m.geom_bodyid]
    above = m.body_weldid[m.body_parentid[part]]
    may = (m.geom_contype[:, None] & m.geom_conaffinity) != 0
    adjacent = (part[:, None] == part) | ((above[:, None] == part) & (part != 0))
    return bool(((may | may.T) & ~(adjacent | adjacent.T)).any())


ROUNDING_ERROR = 1e-15  # entries below are rounding of MuJoCo's compiler


def load_mjcf(path, *, repair: bool = False) -> Model:
    """Read an MJCF file; what has no place in a `Model` is named in one warning."""
    with needs("mjcf", f"{Path(path).name}: MJCF"):
        import mujoco
    lines = scan_file(Path(path))
    messages: list[str] = []
    mujoco.set_mju_user_warning(messages.append)  # MuJoCo would write a file where we stand
    try:
        compiled = mujoco.MjModel.from_xml_path(str(path))
    except Exception as e:  # MuJoCo has several
        raise ModelError([_describe_compile_error(Path(path).name, str(e))]) from None
    finally:
        mujoco.set_mju_user_warning(None)
    model, omitted = MJCFReader(mujoco, compiled).read_model(Path(path).stem)
    model = replace(model, source=_locate_elements(model, lines, Path(path).name))
    if repair:
        from .inertia_repair import repair_inertias

        model, changes = repair_inertias(model)
        omitted += changes
    if omitted:
        remainder = f" and {len(omitted) - 4} more" if len(omitted) > 4 else ""
        warnings.warn(
            f"{Path(path).name}: left out: {', '.join(omitted[:4])}{remainder}",
            ModelWarning,
            stacklevel=3,
        )
    return model


def _locate_elements(model: Model, lines: dict[str, str], name: str) -> dict[str, str]:
    """Where each element stands; of one without a name in the file, the file."""
    parts: dict[str, Any] = {"body": model.bodies, "joint": model.joints}
    parts |= {"loop": model.loops, "force": model.forces, "constraint": model.constraints}
    named = ((kind, x.name) for kind, elements in parts.items() for x in elements)
    return {f"{kind} {x!r}": lines.get(f"{kind} {x}", name) for kind, x in named}


def _describe_compile_error(name: str, text: str) -> str:
    """What MuJoCo has against a file, with its line first."""
    text = " ".join(re.sub(r"\b(XML )?Error:\s*", "", text).split())
    line = re.search(r",? line (\d+)", text)
    if line is None:
        return f"{name}: not MJCF that MuJoCo takes: {text}"
    text = text[: line.start()] + text[line.end() :]
    return f"{name}, line {line[1]}: not MJCF that MuJoCo takes: {text}"


class MJCFReader:
    """Translates a model compiled by MuJoCo to a `Model`; `omitted` lists the rest."""

    def __init__(self, mujoco, m):
        self.mj, self.m, self.omitted, self.friction = mujoco, m, [], []
        kinds = mujoco.mjtObj
        self.bodies = self.unique_names(kinds.mjOBJ_BODY, m.nbody, "body")
        self.bodies[0] = "world"
        self.joints = self.unique_names(kinds.mjOBJ_JOINT, m.njnt, "joint")

    def unique_names(self, kind, n, default) -> list[str]:
        """A name for each object, unique and without dots."""
        out: dict[str, None] = {}
        for i in range(n):
            name = self.mj.mj_id2name(self.m, kind, i) or f"{default}{i}"
            name = name.replace(".", "_")
            while name in out or (name == "world" and i):
                name += "_"
            out[name] = None
        return list(out)

    def read_model(self, name) -> tuple[Model, list[str]]:
        m = self.m
        bodies, joints, forces = [], [], []
        inputs: list[Input] = []
        for b in range(1, m.nbody):
            first, n = int(m.body_jntadr[b]), int(m.body_jntnum[b])
            chain = list(range(first, first + n)) if n else [None]
            up = self.bodies[m.body_parentid[b]]
            X = _pose(m.body_pos[b], m.body_quat[b])
            for i, j in enumerate(chain):
                last = i == len(chain) - 1
                this = self.bodies[b] if last else f"{self.bodies[b]}_{i + 1}"
                joints.append(self.read_joint(b, j, up, this, X))
                bodies.append(self.read_body(b) if last else Body(this))
                up, X = this, np.eye(4)
                if j is not None and self.is_scalar_joint(j) and m.jnt_stiffness[j] > 0:
                    spring = Spring(
                        float(m.jnt_stiffness[j]), float(m.qpos_spring[m.jnt_qposadr[j]])
                    )
                    forces.append(JointForce(f"{self.joints[j]}_spring", self.joints[j], spring))
        for u in range(m.nu):
            self.read_actuator(u, forces, inputs)
        forces += self.friction
        loops, rows = self.read_equalities()
        self.omitted += list_unread_features(self.mj, m, self.bodies, self.joints)
        off = m.opt.disableflags & self.mj.mjtDisableBit.mjDSBL_GRAVITY
        gravity = (0, 0, 0) if off else _as_ints(m.opt.gravity)
        return Model(
            name,
            gravity,
            bodies,
            joints,
            loops=loops,
            frames=self.read_sites(),
            forces=forces,
            inputs=inputs,
            constraints=rows,
        ), self.omitted

    def read_sites(self) -> list[Frame]:
        """Named sites: frames."""
        m, kind, out = self.m, self.mj.mjtObj.mjOBJ_SITE, []
        for i, name in enumerate(self.unique_names(kind, m.nsite, "site")):
            while name in self.bodies:
                name += "_"
            if self.mj.mj_id2name(m, kind, i):
                frame_fields = _frame_fields(_pose(m.site_pos[i], m.site_quat[i]))
                out.append(Frame(name, self.bodies[m.site_bodyid[i]], **frame_fields))
        return out

    def is_scalar_joint(self, j) -> bool:
        kinds = self.mj.mjtJoint
        return int(self.m.jnt_type[j]) in (int(kinds.mjJNT_HINGE), int(kinds.mjJNT_SLIDE))

    def read_body(self, b) -> Body:
        m = self.m
        R = _rotation_of_quaternion(m.body_iquat[b])
        J = R @ np.diag(m.body_inertia[b]) @ R.T
        six = [J[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        mass = float(m.body_mass[b])
        size = max(abs(x) for x in six)
        body_shapes = [
            s
            for g in range(m.body_geomadr[b], m.body_geomadr[b] + m.body_geomnum[b])
            if (s := self.read_shape(g)) is not None
        ]
        return Body(
            self.bodies[b],
            mass=mass,
            com=_as_ints(m.body_ipos[b]),
            inertia=tuple(0 if abs(x) < ROUNDING_ERROR * size else float(x) for x in six)
            if mass
            else (0,) * 6,
            shapes=tuple(body_shapes),
        )

    def read_joint(self, b, j, parent, child, X) -> Joint:
        """The joint `j` of body `b`, or a weld; `X` is the body's pose in its parent at rest."""
        m, kinds = self.m, self.mj.mjtJoint
        if j is None:
            return Joint(f"{child}_weld", parent, child, Weld(), **_frame_fields(X))
        name, kind, at = self.joints[j], m.jnt_type[j], int(m.jnt_dofadr[j])
        if kind == kinds.mjJNT_FREE:
            if m.dof_armature[at : at + 6].any():
                self.omitted.append(f"armature of the free joint {name!r}")
            return Joint(
                name,
                parent,
                child,
                Free(speeds="mixed"),
                damping=_as_ints(np.roll(m.dof_damping[at : at + 6], 3)),
            )
        anchor = np.eye(4)
        anchor[:3, 3] = m.jnt_pos[j]
        F = X @ anchor
        fields: dict[str, Any] = {"child_at": _as_ints(m.jnt_pos[j])}
        if kind == kinds.mjJNT_BALL:
            if m.dof_armature[at] or m.jnt_stiffness[j]:
                self.omitted.append(f"armature or stiffness of the ball joint {name!r}")
            return Joint(
                name,
                parent,
                child,
                Spherical("quaternion"),
                **_frame_fields(F),
                **fields,
                damping=float(m.dof_damping[at]),
            )
        axis = m.jnt_axis[j]
        zero = float(m.qpos0[m.jnt_qposadr[j]])
        if zero:  # our zero is MuJoCo's: step back by `ref`
            back = np.eye(4)
            if kind == kinds.mjJNT_HINGE:
                back[:3, :3] = _rotation_about_axis(axis, -zero)
            else:
                back[:3, 3] = -zero * axis
            F = F @ back
        if m.jnt_limited[j]:
            fields["limits"] = tuple(float(x) for x in m.jnt_range[j])
        if m.dof_frictionloss[at]:
            friction = Coulomb(float(m.dof_frictionloss[at]))
            self.friction.append(JointForce(f"{name}_friction", name, friction))
        cls = Revolute if kind == kinds.mjJNT_HINGE else Prismatic
        return Joint(
            name,
            parent,
            child,
            cls(_axis_name(axis)),
            **_frame_fields(F),
            **fields,
            armature=float(m.dof_armature[at]),
            damping=float(m.dof_damping[at]),
        )

    def read_actuator(self, u, forces, inputs):
        """A motor on a joint is an input and an effort; other actuators are left out."""
        m, mj = self.m, self.mj
        name = (mj.mj_id2name(m, mj.mjtObj.mjOBJ_ACTUATOR, u) or f"motor{u}").replace(".", "_")
        j = int(m.actuator_trnid[u, 0])
        simple = (
            m.actuator_trntype[u] == mj.mjtTrn.mjTRN_JOINT
            and self.is_scalar_joint(j)
            and m.actuator_gaintype[u] == mj.mjtGain.mjGAIN_FIXED
            and m.actuator_biastype[u] == mj.mjtBias.mjBIAS_NONE
            and m.actuator_dyntype[u] == mj.mjtDyn.mjDYN_NONE
        )
        if not simple:
            self.omitted.append(f"actuator {name!r}")
            return
        if any(i.name == name for i in inputs):
            name += "_"
        inputs.append(Input(name))
        if m.actuator_ctrllimited[u] or m.actuator_forcelimited[u]:
            self.omitted.append(f"range of actuator {name!r}")
        gain = float(m.actuator_gear[u, 0] * m.actuator_gainprm[u, 0])
        forces.append(JointForce(f"{name}_motor", self.joints[j], Effort(input=name, gain=gain)))

    def read_equalities(self):
        m, mj = self.m, self.mj
        loops, rows = [], []
        names = self.unique_names(mj.mjtObj.mjOBJ_EQUALITY, m.neq, "equality")
        for i, name in enumerate(names):
            kind, data = m.eq_type[i], m.eq_data[i]
            a, b = int(m.eq_obj1id[i]), int(m.eq_obj2id[i])
            bodies = m.eq_objtype[i] == mj.mjtObj.mjOBJ_BODY
            if not m.eq_active0[i]:
                self.omitted.append(f"inactive equality {name!r}")
            elif (
                kind == mj.mjtEq.mjEQ_JOINT
                and self.is_scalar_joint(a)
                and (b < 0 or self.is_scalar_joint(b))
            ):
                rows.append(self.read_coupling(name, a, b, data))
            elif kind == mj.mjtEq.mjEQ_CONNECT and bodies:
                loops.append(
                    Loop(
                        name,
                        self.bodies[a],
                        self.bodies[b],
                        Spherical("quaternion"),
                        at=_as_ints(data[:3]),
                        child_at=_as_ints(data[3:6]),
                    )
                )
            elif kind == mj.mjtEq.mjEQ_WELD and bodies:
                X = _pose(data[3:6], data[6:10])
                loops.append(
                    Loop(
                        name,
                        self.bodies[a],
                        self.bodies[b],
                        Weld(),
                        **_frame_fields(X),
                        child_at=_as_ints(data[:3]),
                    )
                )
            else:
                self.omitted.append(f"equality {name!r}")
        return loops, rows

    def read_coupling(self, name, a, b, data):
        """`qa - qa0 = c0 + c1 (qb - qb0) + c2 (qb - qb0)^2 + ...`."""
        m = self.m

        def coordinate(j):
            hinge = m.jnt_type[j] == self.mj.mjtJoint.mjJNT_HINGE
            return (
                f"{self.joints[j]}.{'angle' if hinge else 'displacement'}",
                float(m.qpos0[m.jnt_qposadr[j]]),
            )

        qa, za = coordinate(a)
        c = [float(x) for x in data[:5]]
        if b < 0:
            return Coupling(name, {qa: 1}, za + c[0])
        qb, zb = coordinate(b)
        if not any(c[2:]):
            return Coupling(name, {qa: 1, qb: -c[1]}, za + c[0] - c[1] * zb)
        power = " - ".join(f"{x!r}*({qb} - {zb!r})**{k}" for k, x in enumerate(c) if k and x)
        return Holonomic(name, f"{qa} - {za + c[0]!r} - {power}")

    def read_shape(self, g):
        m, kinds = self.m, self.mj.mjtGeom
        size = [float(x) for x in m.geom_size[g]]
        fields = _frame_fields(_pose(m.geom_pos[g], m.geom_quat[g]))
        if "pose" in fields:
            from .urdf_writer import matrix_to_rpy

            T = np.array(fields["pose"], dtype=float)
            fields = {"at": _as_ints(T[:3, 3]), "rpy": matrix_to_rpy(T[:3, :3])}
        fields["color"] = tuple(round(float(x), 6) for x in m.geom_rgba[g])
        match m.geom_type[g]:
            case kinds.mjGEOM_SPHERE:
                return shapes.Sphere(radius=size[0], **fields)
            case kinds.mjGEOM_BOX:
                return shapes.Box(size=tuple(2 * x for x in size), **fields)
            case kinds.mjGEOM_CAPSULE:
                return shapes.Capsule(radius=size[0], length=2 * size[1], **fields)
            case kinds.mjGEOM_CYLINDER:
                return shapes.Cylinder(radius=size[0], length=2 * size[1], **fields)
            case kinds.mjGEOM_ELLIPSOID:
                return shapes.Ellipsoid(radii=tuple(size), **fields)
        return None


def _rotation_of_quaternion(quaternion) -> np.ndarray:
    return rotation_matrices(np.asarray(quaternion, dtype=float) / np.linalg.norm(quaternion))


def _rotation_about_axis(axis, angle) -> np.ndarray:
    half = np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * np.asarray(axis)])
    return _rotation_of_quaternion(half)


def _pose(p, quaternion) -> np.ndarray:
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = _rotation_of_quaternion(quaternion), p
    return X


def _frame_fields(X: np.ndarray) -> dict:
    """A pose as fields of a joint: `at` alone where nothing is turned."""
    R = np.where(abs(X[:3, :3]) < ROUNDING_ERROR, 0.0, X[:3, :3])
    if (abs(R - np.eye(3)) < ROUNDING_ERROR).all():
        return {"at": _as_ints(X[:3, 3])}
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, X[:3, 3]
    return {"pose": tuple(tuple(_as_int(x) for x in row) for row in T.tolist())}


def _axis_name(axis):
    for name, e in (("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1))):
        if np.allclose(axis, e, rtol=0, atol=ROUNDING_ERROR):
            return name
        if np.allclose(axis, np.negative(e), rtol=0, atol=ROUNDING_ERROR):
            return f"-{name}"
    return tuple(float(x) for x in axis)


def _as_int(x: float):
    return int(x) if x == int(x) else x


def _as_ints(values) -> tuple:
    return tuple(_as_int(float(x)) for x in values)
