"""What `calibrate` is given: a chain as a table or a model, and poses as arrays or a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ArgumentError, shown, unknown_name
from ..model import DHTable, Model, dh_table
from ..numbers import asked
from .measured import si_factor

ALONG = ("x", "y", "z")


def chain_of(given: Any) -> DHTable:
    """The table of a model that was made of one, or the table itself; parameters as numbers."""
    if isinstance(given, DHTable):
        return given
    if not isinstance(given, Model):
        raise ArgumentError(
            f"calibrate: expected a ts.DHTable, or a model made of one, got {shown(given)}"
        )
    table = dh_table(given)
    if table is None:
        raise ArgumentError(
            f"calibrate: {given.name!r} has no Denavit-Hartenberg rows (dh: of a file, or "
            "ts.from_dh); give the ts.DHTable of its chain"
        )
    return table


def tool_pose(given: Any, model: Any) -> np.ndarray:
    """Pose of the tool in the last frame: 4 x 4, a place, or the name of a frame of the model."""
    if given is None:
        return np.eye(4)
    if isinstance(given, str):
        if not isinstance(model, Model):
            raise ArgumentError(
                f"calibrate: tool={shown(given)}: a table has no frames; give a model, or 4 x 4"
            )
        return _frame(model, given)
    told = asked.numbers("calibrate", "tool", given, "m")
    if told.shape not in ((3,), (4, 4)):
        raise ArgumentError(
            f"calibrate: tool={shown(given)}: expected a 4 x 4 pose, (x, y, z) [m], or the name "
            "of a frame"
        )
    out = np.eye(4)
    out[:3, 3] = told[-3:] if told.ndim == 1 else told[:3, 3]
    return out if told.ndim == 1 else told


def _frame(model: Model, name: str) -> np.ndarray:
    from ..quantities import compile as compiled

    last = [j.child for j in model.joints if j.row is not None][-1]
    known = sorted({f.name for f in model.frames} | {b.name for b in model.bodies})
    if name not in known:
        raise ArgumentError(unknown_name("frame or body", name, known, "calibrate, tool"))
    dyn = compiled(model)
    q = np.random.default_rng(0).uniform(-0.5, 0.5, (2, dyn.system.nq))
    one, other = np.linalg.inv(dyn.pose(last, q)) @ dyn.pose(name, q)
    if abs(one - other).max() > 1e-9:
        raise ArgumentError(
            f"calibrate: tool={shown(name)} moves against {last!r}, the body of the last row"
        )
    return one


def measured_poses(path: str | Path, joints: list[str], slides) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates (n, joints) and places (n, 3) of a table with units in its headings:
    q1, q2, ..., or the names of coordinates, and x, y, z."""
    from ..model.formats import read_table, split

    of_joints = [{f"q{i + 1}", n} for i, n in enumerate(joints)]
    wanted = list(zip(of_joints, ("m" if s else "rad" for s in slides), strict=True))
    wanted += [({n, f"position.{n}"}, "m") for n in ALONG]

    def known(head: str) -> set[str]:
        """Names of a column; "tool.position.x" is a place too."""
        name = split(head)[0]
        return {name, ".".join(name.split(".")[-2:])}

    every = set().union(*(names for names, _ in wanted))
    heads, table = read_table(Path(path), lambda h: bool(known(h) & every))
    columns, lacking = [], []
    for names, unit in wanted:
        i = next((i for i, h in enumerate(heads) if known(h) & names), None)
        if i is None:
            lacking.append(" or ".join(map(repr, sorted(names, reverse=True))))
        else:
            columns.append(table[:, i] * si_factor(heads[i], unit, str(path)))
    if lacking:
        raise ArgumentError(
            f"{path}: no column {'; no column '.join(lacking)}; headings there: {', '.join(heads)}"
        )
    found = np.column_stack(columns)
    return found[:, : len(joints)], found[:, len(joints) :]
