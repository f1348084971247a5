"""The section `dh` of a model file: a Denavit-Hartenberg table between bodies given by name."""

from __future__ import annotations

from dataclasses import replace

from ...errors import said, unknown_name
from ..description import Body, Frame, Joint, Model
from ..dh import ADDED, CONVENTIONS, DH, JOINT, UNITS, DHTable
from ..dh_models import TableParts, dh_parts
from .document_tree import FileNode
from .schema import Spec, specs

MORE = tuple(n for n in JOINT if n != "name")
ROW = ("body", "name", *UNITS, "joint", "after", *MORE, *ADDED)
NONE = TableParts([], [], [])
_BASE = Spec("base", "base", "", ((4, 4),), "Any", None, False)


def read_dh(reader, node: FileNode) -> TableParts:
    """What the table makes; `after` names the body a row hangs from (by default the row above)."""
    if not isinstance(node.value, dict):
        return reader.wrong(node, "dh", "a mapping with 'convention' and 'rows'") or NONE
    found = node.value
    for key, n in found.items():
        if key not in ("convention", "rows", "base"):
            reader.complain(n, f"dh.{key}", "only 'convention', 'rows' and 'base' are known")
    convention = found.get("convention")
    if convention is None or convention.value not in CONVENTIONS:
        return (
            reader.complain(
                convention or node,
                "dh.convention",
                "say which convention the rows follow: 'modified' (Khalil) or 'classic'",
            )
            or NONE
        )
    rows = found.get("rows")
    if rows is None or not isinstance(rows.value, list):
        return reader.wrong(rows or node, "dh.rows", "a list of rows") or NONE
    before, names, table = len(reader.problems), [], []
    bodies: list[str] = []
    for i, n in enumerate(rows.value):
        row = _row(reader, n, f"dh.rows[{i}]", bodies)
        if row is not None:
            name, body, made = row
            bodies.append(body)
            names.append(name or f"joint{i + 1}")
            table.append(made)
            reader.source[f"joint {names[-1]!r}"] = f"{reader.path.name}, line {n.line}"
    base = reader.field(found["base"], "dh.base", _BASE) if "base" in found else None
    if len(reader.problems) > before:
        return NONE
    try:
        reader.table = DHTable(tuple(table), convention.value, base)
        return dh_parts(reader.table, names, bodies)
    except (ValueError, TypeError, ArithmeticError) as e:
        return reader.complain(node, "dh", said(e)) or NONE


def _row(reader, n, path, bodies):
    if not isinstance(n.value, dict):
        return reader.wrong(n, path, "a mapping such as {body: link1, alpha: 90 deg, r: 0.5}")
    for key, e in n.value.items():
        if key not in ROW:
            reader.complain(e, f"{path}.{key}", unknown_name("field", key[:60], ROW, "row"))
    if "body" not in n.value:
        return reader.complain(n, path, "needs 'body', the name of the body this row moves")
    texts = {
        k: reader.text(n.value[k], f"{path}.{k}")
        for k in ("body", "name", "joint", "after")
        if k in n.value
    }
    numbers = {
        k: reader.number(n.value[k], f"{path}.{k}", (unit,))
        for k, unit in UNITS.items()
        if k in n.value
    }
    kind, parent = texts.get("joint", "R"), None
    if kind not in ("R", "P"):
        return reader.complain(n.value["joint"], f"{path}.joint", "expected R or P")
    if "after" in texts:
        known = ["world", *bodies]
        if texts["after"] not in known:
            return reader.complain(
                n.value["after"],
                f"{path}.after",
                unknown_name("earlier row's body", texts["after"], known, "row"),
            )
        parent = known.index(texts["after"]) - 1
    side = 0 if kind == "R" else 1
    more = {
        k: reader.field(n.value[k], f"{path}.{k}", specs(Joint)[k], side)
        for k in MORE
        if k in n.value
    }
    if "friction" in n.value:
        unit = ("N m", "N")[side]
        more["friction"] = reader.number(n.value["friction"], f"{path}.friction", (unit,))
    if "payload" in n.value:
        more["payload"] = _payload(reader, n.value["payload"], f"{path}.payload")
    return texts.get("name"), texts["body"], DH(**numbers, joint=kind, parent=parent, more=more)


def _payload(reader, n, path):
    """A mass, or a mass at a point of the row's frame."""
    if not isinstance(n.value, dict):
        return reader.number(n, path, ("kg",))
    known = {"mass": specs(Body)["mass"], "at": specs(Frame)["at"]}
    for key, e in n.value.items():
        if key not in known:
            reader.complain(e, f"{path}.{key}", unknown_name("field", key[:60], known, "payload"))
    if "mass" not in n.value:
        reader.complain(n, path, "needs 'mass' [kg]")
    return {k: reader.field(n.value[k], f"{path}.{k}", x) for k, x in known.items() if k in n.value}


def written_dh(model: Model, plain) -> tuple[dict, set[tuple[str, str]]]:
    """The section `dh` of a model, and the names of elements that it holds; both may be empty.

    `plain(element, where)` gives an element as data.  A joint is a row when it came from one and
    the row still makes it: where a user has moved the joint, it is written as it is.
    """
    rows: list = []
    held: set[tuple[str, str]] = set()
    joints: list[Joint] = []
    for j in model.joints:
        known = ["world", *(x.child for x in joints)]
        if j.row is None or j.parent not in known:
            break
        first = joints[0].row if joints else j.row
        more = {n: x for n in MORE if (x := getattr(j, n)) != getattr(Joint("", "", "", j.kind), n)}
        row = replace(j.row.row, parent=known.index(j.parent) - 1, more=more)
        trial = DHTable((*(x for x, _ in rows), row), first.convention, _base([*joints, j]))
        names, bodies = [*(x.name for x in joints), j.name], [*known[1:], j.child]
        again = dh_parts(trial, names, bodies).joints
        same = all(plain(a, "") == plain(b, "") for a, b in zip(again, (*joints, j), strict=True))
        if j.row.convention != first.convention or not same:
            break
        rows.append((row, j))
        joints.append(j)
    if not rows:
        return {}, held
    out = []
    for i, (row, j) in enumerate(rows):
        own = {n: getattr(row, n) for n in UNITS if repr(getattr(row, n)) != "0"}
        data = {"body": j.child, "name": j.name, **own}
        if row.joint != "R":
            data["joint"] = row.joint
        if row.parent != i - 1:
            data["after"] = j.parent
        fields = plain(j, f"joint {j.name!r}")
        data |= {n: fields[n] for n in MORE if n in fields}
        out.append(data | _folded(model, j, plain, held))
    section = {"convention": joints[0].row.convention, "rows": out}
    if (base := _base(joints)) is not None:
        section["base"] = base
    return section, held | {("joints", j.name) for j in joints}


def _base(joints):
    """The pose that the first row on the world has before it."""
    return next((j.row.base for j in joints if j.parent == "world"), None)


def _folded(model, j, plain, held) -> dict:
    """Friction and payload of a row, where the model's elements are what the row would make."""
    friction = next((f for f in model.forces if f.name == f"{j.name}_friction"), None)
    body = next((b for b in model.bodies if b.name == f"{j.child}_payload"), None)
    mount = next((x for x in model.joints if x.name == f"{j.child}_payload_mount"), None)
    more = {}
    if friction is not None and hasattr(getattr(friction, "law", None), "force_"):
        more["friction"] = friction.law.force_
    if body is not None and mount is not None:
        more["payload"] = {"mass": body.mass, "at": mount.at}
    row = DH(more=more, joint=j.row.row.joint)
    made = dh_parts(DHTable((row,), "modified"), [j.name], [j.child])
    out = {}
    if more.get("friction") is not None and plain(made.forces[0], "") == plain(friction, ""):
        assert friction is not None
        out["friction"] = more["friction"]
        held.add(("forces", friction.name))
    if body is None or mount is None:
        return out
    found = plain(made.bodies[0], ""), plain(made.joints[1], "")
    if found == (plain(body, ""), plain(mount, "")):
        at = mount.at if any(repr(x) not in ("0", "0.0") for x in mount.at) else None
        out["payload"] = body.mass if at is None else {"mass": body.mass, "at": at}
        held |= {("bodies", body.name), ("joints", mount.name)}
    return out


__all__ = ["read_dh", "written_dh"]
