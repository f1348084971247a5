"""The section `dh` of model files: a Denavit-Hartenberg table over named bodies."""

from __future__ import annotations

from dataclasses import replace

from ...errors import said, unknown_name_message
from ..description import Body, Frame, Joint, Model
from ..dh import CONVENTIONS, DH, ELEMENT_FIELDS, JOINT_FIELDS, UNITS, DHTable
from ..dh_models import DHElements, build_dh_elements
from ..field_specs import FieldSpec, specs
from .document_tree import FileNode

ROW_JOINT_FIELDS = tuple(n for n in JOINT_FIELDS if n != "name")
ROW_KEYS = ("body", "name", *UNITS, "joint", "after", *ROW_JOINT_FIELDS, *ELEMENT_FIELDS)
NO_ELEMENTS = DHElements([], [], [])
_BASE = FieldSpec("base", "base", "", ((4, 4),), "Any", None, False)


def read_dh_section(reader, node: FileNode) -> DHElements:
    """Elements that the table describes; `after` names the parent body (default: the row above)."""
    if not isinstance(node.value, dict):
        return reader.wrong(node, "dh", "a mapping with 'convention' and 'rows'") or NO_ELEMENTS
    fields = node.value
    for key, n in fields.items():
        if key not in ("convention", "rows", "base"):
            reader.complain(n, f"dh.{key}", "only 'convention', 'rows' and 'base' are known")
    convention = fields.get("convention")
    if convention is None or convention.value not in CONVENTIONS:
        return (
            reader.complain(
                convention or node,
                "dh.convention",
                "say which convention the rows follow: 'modified' (Khalil) or 'classic'",
            )
            or NO_ELEMENTS
        )
    rows = fields.get("rows")
    if rows is None or not isinstance(rows.value, list):
        return reader.wrong(rows or node, "dh.rows", "a list of rows") or NO_ELEMENTS
    problem_count, names, table = len(reader.problems), [], []
    bodies: list[str] = []
    for i, n in enumerate(rows.value):
        row = _read_row(reader, n, f"dh.rows[{i}]", bodies)
        if row is not None:
            name, body, dh_row = row
            bodies.append(body)
            names.append(name or f"joint{i + 1}")
            table.append(dh_row)
            reader.source[f"joint {names[-1]!r}"] = f"{reader.path.name}, line {n.line}"
    base = reader.field(fields["base"], "dh.base", _BASE) if "base" in fields else None
    if len(reader.problems) > problem_count:
        return NO_ELEMENTS
    try:
        reader.table = DHTable(tuple(table), convention.value, base)
        return build_dh_elements(reader.table, names, bodies)
    except (ValueError, TypeError, ArithmeticError) as e:
        return reader.complain(node, "dh", said(e)) or NO_ELEMENTS


def _read_row(reader, n, path, bodies):
    """Joint name, body name and `DH` of one row, or None after a problem."""
    if not isinstance(n.value, dict):
        return reader.wrong(n, path, "a mapping such as {body: link1, alpha: 90 deg, r: 0.5}")
    for key, e in n.value.items():
        if key not in ROW_KEYS:
            reader.complain(
                e, f"{path}.{key}", unknown_name_message("field", key[:60], ROW_KEYS, "row")
            )
    if "body" not in n.value:
        return reader.complain(n, path, "needs 'body', the name of the body this row moves")
    strings = {
        k: reader.text(n.value[k], f"{path}.{k}")
        for k in ("body", "name", "joint", "after")
        if k in n.value
    }
    numbers = {
        k: reader.number(n.value[k], f"{path}.{k}", (unit,))
        for k, unit in UNITS.items()
        if k in n.value
    }
    kind, parent = strings.get("joint", "R"), None
    if kind not in ("R", "P"):
        return reader.complain(n.value["joint"], f"{path}.joint", "expected R or P")
    if "after" in strings:
        frame_names = ["world", *bodies]
        if strings["after"] not in frame_names:
            return reader.complain(
                n.value["after"],
                f"{path}.after",
                unknown_name_message("earlier row's body", strings["after"], frame_names, "row"),
            )
        parent = frame_names.index(strings["after"]) - 1
    unit_index = 0 if kind == "R" else 1
    extra = {
        k: reader.field(n.value[k], f"{path}.{k}", specs(Joint)[k], unit_index)
        for k in ROW_JOINT_FIELDS
        if k in n.value
    }
    if "friction" in n.value:
        unit = ("N m", "N")[unit_index]
        extra["friction"] = reader.number(n.value["friction"], f"{path}.friction", (unit,))
    if "payload" in n.value:
        extra["payload"] = _read_payload(reader, n.value["payload"], f"{path}.payload")
    return (
        strings.get("name"),
        strings["body"],
        DH(**numbers, joint=kind, parent=parent, more=extra),
    )


def _read_payload(reader, n, path):
    """A mass, or a mass at a point of the row's frame."""
    if not isinstance(n.value, dict):
        return reader.number(n, path, ("kg",))
    payload_specs = {"mass": specs(Body)["mass"], "at": specs(Frame)["at"]}
    for key, e in n.value.items():
        if key not in payload_specs:
            reader.complain(
                e,
                f"{path}.{key}",
                unknown_name_message("field", key[:60], payload_specs, "payload"),
            )
    if "mass" not in n.value:
        reader.complain(n, path, "needs 'mass' [kg]")
    return {
        k: reader.field(n.value[k], f"{path}.{k}", x)
        for k, x in payload_specs.items()
        if k in n.value
    }


def write_dh_section(model: Model, to_data) -> tuple[dict, set[tuple[str, str]]]:
    """The section `dh` of a model, and the (section, name) of the elements it replaces.

    `to_data(element, where)` converts an element to data.  A joint becomes a row if it was built
    from one and the row still reproduces it.  A joint that the user changed is written as a joint.
    """
    rows: list = []
    written_elements: set[tuple[str, str]] = set()
    joints: list[Joint] = []
    for j in model.joints:
        frame_names = ["world", *(x.child for x in joints)]
        if j.row is None or j.parent not in frame_names:
            break
        first = joints[0].row if joints else j.row
        extra = {
            n: x
            for n in ROW_JOINT_FIELDS
            if (x := getattr(j, n)) != getattr(Joint("", "", "", j.kind), n)
        }
        row = replace(j.row.row, parent=frame_names.index(j.parent) - 1, more=extra)
        trial = DHTable((*(x for x, _ in rows), row), first.convention, _base_pose([*joints, j]))
        names, bodies = [*(x.name for x in joints), j.name], [*frame_names[1:], j.child]
        again = build_dh_elements(trial, names, bodies).joints
        same = all(
            to_data(a, "") == to_data(b, "") for a, b in zip(again, (*joints, j), strict=True)
        )
        if j.row.convention != first.convention or not same:
            break
        rows.append((row, j))
        joints.append(j)
    if not rows:
        return {}, written_elements
    out = []
    for i, (row, j) in enumerate(rows):
        row_values = {n: getattr(row, n) for n in UNITS if repr(getattr(row, n)) != "0"}
        data = {"body": j.child, "name": j.name, **row_values}
        if row.joint != "R":
            data["joint"] = row.joint
        if row.parent != i - 1:
            data["after"] = j.parent
        fields = to_data(j, f"joint {j.name!r}")
        data |= {n: fields[n] for n in ROW_JOINT_FIELDS if n in fields}
        out.append(data | _friction_and_payload(model, j, to_data, written_elements))
    section = {"convention": joints[0].row.convention, "rows": out}
    if (base := _base_pose(joints)) is not None:
        section["base"] = base
    return section, written_elements | {("joints", j.name) for j in joints}


def _base_pose(joints):
    """The base pose of the first row on the world."""
    return next((j.row.base for j in joints if j.parent == "world"), None)


def _friction_and_payload(model, j, to_data, written_elements) -> dict:
    """Friction and payload fields of a row, if they reproduce the model's elements."""
    friction = next((f for f in model.forces if f.name == f"{j.name}_friction"), None)
    body = next((b for b in model.bodies if b.name == f"{j.child}_payload"), None)
    mount = next((x for x in model.joints if x.name == f"{j.child}_payload_mount"), None)
    extra = {}
    if friction is not None and hasattr(getattr(friction, "law", None), "force_"):
        extra["friction"] = friction.law.force_
    if body is not None and mount is not None:
        extra["payload"] = {"mass": body.mass, "at": mount.at}
    row = DH(more=extra, joint=j.row.row.joint)
    elements = build_dh_elements(DHTable((row,), "modified"), [j.name], [j.child])
    out = {}
    if extra.get("friction") is not None and to_data(elements.forces[0], "") == to_data(
        friction, ""
    ):
        assert friction is not None
        out["friction"] = extra["friction"]
        written_elements.add(("forces", friction.name))
    if body is None or mount is None:
        return out
    elements_data = to_data(elements.bodies[0], ""), to_data(elements.joints[1], "")
    if elements_data == (to_data(body, ""), to_data(mount, "")):
        at = mount.at if any(repr(x) not in ("0", "0.0") for x in mount.at) else None
        out["payload"] = body.mass if at is None else {"mass": body.mass, "at": at}
        written_elements |= {("bodies", body.name), ("joints", mount.name)}
    return out


__all__ = ["read_dh_section", "write_dh_section"]
