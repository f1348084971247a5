"""The section `dh` of a model file: a Denavit-Hartenberg table between bodies given by name."""

from __future__ import annotations

from ...errors import unknown_name
from ..description import Joint
from ..dh import CONVENTIONS, DH, JOINT, DHTable, dh_joints
from .nodes import Node
from .schema import Spec, specs

UNITS = {"alpha": "rad", "d": "m", "theta": "rad", "r": "m"}
MORE = tuple(n for n in JOINT if n != "name")
ROW = ("body", "name", *UNITS, "joint", "after", *MORE)
_BASE = Spec("base", "base", "", ((4, 4),), "Any", None, False)


def read_dh(reader, node: Node) -> list:
    """Joints of the table; `after` names the body a row hangs from (by default the row above)."""
    if not isinstance(node.value, dict):
        return reader.wrong(node, "dh", "a mapping with 'convention' and 'rows'") or []
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
            or []
        )
    rows = found.get("rows")
    if rows is None or not isinstance(rows.value, list):
        return reader.wrong(rows or node, "dh.rows", "a list of rows") or []
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
        return []
    try:
        reader.table = DHTable(tuple(table), convention.value, base)
        return dh_joints(reader.table, names, bodies)
    except (ValueError, TypeError, ArithmeticError) as e:
        return reader.complain(node, "dh", str(e)) or []


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
    return texts.get("name"), texts["body"], DH(**numbers, joint=kind, parent=parent, more=more)


__all__ = ["read_dh"]
