"""Models from Denavit-Hartenberg tables, and motor inputs for joints without one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..errors import ArgumentError, shown, unknown_name_message
from ..joints import Prismatic, Revolute, Weld
from ..scalars import arguments
from ..scalars.values import value
from ..spatial import IDENTITY, Pose
from .description import Body, Input, Joint, Model
from .dh import DH, JOINT_FIELDS, DHSource, DHTable, elementary_pose, x_screw_pose


def from_dh(
    rows: Sequence[DH] | DHTable,
    bodies: Sequence[Body],
    *,
    convention: str,
    name: str = "robot",
    gravity: Sequence[float] = (0, 0, -9.81),
    joint_names: Sequence[str] | None = None,
    base: Any = None,
    joints: Sequence[Joint] = (),
    actuate: bool = False,
    **model: Any,
) -> Model:
    """Model of a robot from its DH table and its bodies, one a row.

    Parameters
    ----------
    rows : `DH` rows, tuples (alpha, d, theta, r[, "R" or "P"[, parent]]), or dictionaries of these
        and of limits, max_effort, max_speed, damping, armature, drive, friction, payload (see
        `DH`); a branch names the body it leaves as in files, {"after": "torso"}.  In a table with
        branches coordinates go along each branch first (`system.coordinates`).  Or a `DHTable`,
        such as a calibrated one: its base holds unless `base` is told
    bodies : `Body` of each row, written in the row's frame
    convention : "modified" or "classic"; there is no default
    base : 4 x 4 pose of the first frame's support in the world
    actuate : give every joint an input, see `load`
    **model : other fields of `Model`: frames, forces, parameters, ...

    >>> from torseur.model import Body
    >>> bodies = [Body("a", 1), Body("b", 1, (0.2, 0, 0))]
    >>> arm = from_dh([(0, 0, 0, 0.5), ("pi/2", 0, 0, 0)], bodies, convention="modified")
    >>> [j.name for j in arm.joints]
    ['joint1', 'joint2']
    """
    bodies = arguments.listed("from_dh", "bodies", bodies, "[ts.Body('link1', 1.0)]")
    if wrong_types := [b for b in bodies if not isinstance(b, Body)]:
        raise ArgumentError(f"from_dh: bodies: expected ts.Body, got {shown(wrong_types[0])}")
    if isinstance(rows, DHTable):
        if convention != rows.convention:
            raise ArgumentError(
                f"from_dh: the table is {rows.convention}, convention={convention!r} is not"
            )
        base = rows.base if base is None else base
        rows = rows.rows
    rows = arguments.listed("from_dh", "rows", rows, "[{'alpha': 'pi/2', 'd': 0.4}]")
    table = DHTable(_resolve_after(rows, bodies), convention, base)
    if len(table.rows) != len(bodies):
        raise ArgumentError(
            f"the table has {len(table.rows)} rows for {len(bodies)} bodies; give one each"
        )
    names = joint_names or [
        row.more.get("name", f"joint{i + 1}") for i, row in enumerate(table.rows)
    ]
    elements = build_dh_elements(table, names, [b.name for b in bodies])
    arm = Model(
        name=name,
        gravity=gravity,
        bodies=(*bodies, *elements.bodies),
        joints=(*elements.joints, *joints),
        forces=(*elements.forces, *model.pop("forces", ())),
        **model,
    )
    return actuated(arm) if actuate else arm


def _resolve_after(rows, bodies) -> tuple:
    """Rows with the index `parent` in place of the body name `after`."""
    out: list[Any] = []
    frame_names = ["world", *(b.name for b in bodies)]
    for i, row in enumerate(rows):
        if isinstance(row, Mapping) and "after" in row:
            name, earlier = row["after"], frame_names[: i + 1]
            if "parent" in row:
                raise ArgumentError(f"row {i + 1}: give after= or parent=, not both")
            if name not in earlier:
                raise ArgumentError(
                    unknown_name_message("earlier row's body", name, earlier, f"row {i + 1}, after")
                )
            row = {n: x for n, x in row.items() if n != "after"}
            row["parent"] = earlier.index(name) - 1
        out.append(row)
    return tuple(out)


def actuated(model: Model) -> Model:
    """The model with an input for every joint of one degree of freedom that has none: `u_elbow`,
    the effort of its motor [N m or N].

    >>> from torseur.model import Body
    >>> arm = from_dh([(0, 0, 0, 0.5)], [Body("a", 1, (0.1, 0, 0))], convention="modified")
    >>> [u.name for u in actuated(arm).inputs]
    ['u_joint1']
    """
    from ..forces import Effort, JointForce

    used_names = {i.name for i in model.inputs} | {f.name for f in model.forces}
    joints_with_input = {
        getattr(f, "joint", None) for f in model.forces if getattr(f.law, "inputs", ())
    }
    inputs, forces, joints = list(model.inputs), list(model.forces), []
    for j in model.joints:
        name = f"u_{j.name}"
        driven = j.drive is not None and j.drive.input is not None
        if (
            getattr(j.kind, "nv", 0) == 1
            and not driven
            and j.name not in joints_with_input
            and (name not in used_names)
        ):
            is_angular = j.kind.coordinates[0][1] == "rad"
            inputs.append(Input(name, unit="N m" if is_angular else "N"))
            if j.drive is not None:
                j = replace(j, drive=replace(j.drive, input=name))
            else:
                forces.append(JointForce(f"motor_{j.name}", j.name, Effort(input=name)))
        joints.append(j)
    return replace(model, joints=tuple(joints), forces=tuple(forces), inputs=tuple(inputs))


def dh_table(model: Model) -> DHTable | None:
    """The table from which a model was built, with nominal numbers, or None.


    >>> arm = from_dh([(0, 0, 0, "L")], [Body("a", 1)], convention="modified", parameters={"L": 2})
    >>> dh_table(arm).rows[0].r
    2.0
    """
    rows: list[DH] = []
    frame_names, numbers, first = ["world"], value.nominals(dict(model.parameters)), None
    for j in model.joints:
        if j.row is None or j.parent not in frame_names:
            continue
        first = first or j.row
        row_values = {
            n: value.filled(getattr(j.row.row, n), numbers) for n in ("alpha", "d", "theta", "r")
        }
        rows.append(replace(j.row.row, parent=frame_names.index(j.parent) - 1, **row_values))
        frame_names.append(j.child)
    return DHTable(tuple(rows), first.convention, first.base) if first else None


def with_dh(model: Model, table: DHTable) -> Model:
    """The model with new numbers in its Denavit-Hartenberg rows.


    >>> arm = from_dh([(0, 0, 0, 0.5)], [Body("a", 1)], convention="modified")
    >>> dh_table(with_dh(arm, DHTable([(0, 0, 0, 0.6)], "modified"))).rows[0].r
    0.6
    """
    old = [j for j in model.joints if j.row is not None]
    new_joints = build_dh_elements(table, [j.name for j in old], [j.child for j in old]).joints
    new = {
        j.name: replace(j, pose=x.pose, child_pose=x.child_pose, row=x.row)
        for j, x in zip(old, new_joints, strict=True)
    }
    return replace(model, joints=tuple(new.get(j.name, j) for j in model.joints))


class DHElements(NamedTuple):
    """Elements of a model that a table describes."""

    joints: list[Joint]
    bodies: list[Body]
    forces: list[Any]


def build_dh_elements(table: DHTable, names: Sequence[str], bodies: Sequence[str]) -> DHElements:
    """Joints, friction forces, payload bodies and payload mounts that a table describes."""
    from ..forces import Coulomb, JointForce

    elements = DHElements([], [], [])
    mounts = []
    for i, row in enumerate(table.rows):
        elements.joints.append(_joint_of_row(table, i, names[i], bodies))
        if row.more.get("friction") is not None:
            law = Coulomb(row.more["friction"])
            elements.forces.append(JointForce(f"{names[i]}_friction", names[i], law))
        if (load := row.more.get("payload")) is not None:
            load = load if isinstance(load, Mapping) else {"mass": load}
            if bad := [n for n in load if n not in ("mass", "at")]:
                raise ArgumentError(
                    unknown_name_message("field", bad[0], ("mass", "at"), f"row {i + 1}, payload")
                )
            payload_name = f"{bodies[i]}_payload"
            at = tuple(load.get("at", (0, 0, 0)))
            elements.bodies.append(Body(payload_name, load.get("mass", 0)))
            mounts.append(Joint(f"{payload_name}_mount", bodies[i], payload_name, Weld(), at=at))
    return elements._replace(joints=[*elements.joints, *mounts])


def _joint_of_row(table: DHTable, i: int, name: str, bodies: Sequence[str]) -> Joint:
    """The joint of row `i`, with the poses of its frames in both conventions (DH.1, DH.2)."""
    row, before = table.rows[i], table.parent(i)
    outer = table._base() if before < 0 else IDENTITY
    X = x_screw_pose(row)
    Z = elementary_pose(2, value.exact(row.theta), (0, 0, value.exact(row.r)))
    kind = Revolute("z") if row.joint == "R" else Prismatic("z")
    if table.convention == "modified":
        F, C = outer @ X @ Z, IDENTITY
    elif row.joint == "P":
        F, C = outer @ Z, X.inverse()
    else:
        F, C = outer, (Z @ X).inverse()
    return Joint(
        name,
        "world" if before < 0 else bodies[before],
        bodies[i],
        kind,
        pose=None if F is IDENTITY else _matrix_rows(F),
        child_pose=None if C is IDENTITY else _matrix_rows(C),
        row=DHSource(replace(row, more={}), table.convention, table.base if before < 0 else None),
        **{n: x for n, x in row.more.items() if n in JOINT_FIELDS and n != "name"},
    )


def _matrix_rows(X: Pose) -> tuple:
    return tuple(map(tuple, X.matrix().tolist()))


__all__ = ["actuated", "build_dh_elements", "dh_table", "from_dh", "with_dh"]
