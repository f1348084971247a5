"""Words for fields of model files of which the schema knows only the name."""

from __future__ import annotations

import dataclasses

AXIS = "`x`, `y`, `z`, with a minus if wanted, or three numbers"
PLACE = "a body or frame, or `[name, [x, y, z]]` [m]"
POINT = "three numbers [m]: a hard point"
LAW = "a law: its `type` and fields"
SHAPE = "[m]: one number (sphere), two (torus about z), three (ellipsoid), or a support function"
WORDS = {
    "a": PLACE,
    "across": AXIS,
    "angles": "sequence in which `auto` reads angles, such as `zyx`",
    "angles_of": "three expressions [rad], or rows of a table",
    "axis": AXIS,
    "axis1": AXIS,
    "axis2": AXIS,
    "b": PLACE,
    "coefficient": "number: friction by the normal force",
    "coordinate": "which one, where the joint has several",
    "coordinates": "names of the text, each with its coordinate",
    "curve": "three expressions [m] of the parameter",
    "damping": "six numbers or a symmetric matrix, angular part first [N m s/rad, N s/m]",
    "direction": AXIS,
    "edges": "lowest and highest [m]: how far the plane goes",
    "energy": "an expression [J]",
    "equations": "one or two expressions of x, y, z [m] that vanish",
    "force": "number while sliding [N or N m]",
    "frame": "a body or frame",
    "friction": "number: Coulomb's coefficient",
    "ground": PLACE,
    "height": "number [m]",
    "implicit": "an expression of x, y, z [m] that vanishes on the surface",
    "input": "name of an input",
    "knots": "increasing values of the coordinate or parameter",
    "lateral": "number: force by load and slip across",
    "law": LAW,
    "laws": f"list of: {LAW}",
    "lead": "number [m/rad]",
    "length": "number [m]",
    "load": "number [N], or the name of a signal",
    "longitudinal": "number: force by load and slip along the heading",
    "motion": "an expression of t [s], a motion law, or rows of polynomials",
    "near": "three numbers [m]: roughly the contact at the start",
    "normal": AXIS,
    "of": "a coordinate, or `[body or frame, axis, ground]`; two axes for a plane",
    "offset": "number, in the unit of the relation",
    "plane": PLACE,
    "point": PLACE,
    "points": "rows of three numbers [m]",
    "position": "three expressions [m], or rows of a table",
    "presliding": "number [m]",
    "rack": "number [m]: its displacement",
    "radius": "number [m]",
    "rate": "`linear`, `power` or `log`, or a formula of the rate [m/s]",
    "ratio": "number",
    "ratios": "coordinates, each with its number",
    "reaction": "the body or frame that carries the opposite",
    "rest": "six numbers: the deflection without load [rad, m]",
    "rest_speed": "number [m/s]",
    "restitution": "number from 0 to 1",
    "root": "three numbers [m]: where a picture begins",
    "shape": SHAPE,
    "shape_a": SHAPE,
    "shape_b": SHAPE,
    "shapes": "pictures: `box`, `cylinder`, `sphere`, `mesh`, ... with sizes [m], places, colors",
    "slices": "a whole number: rigid slices that carry the mass",
    "signals": "names of the text, each with a coordinate, speed or input",
    "speeds": "what v is: `body`, `world`, `mixed`, `rates` or `vehicle`, as the joint has them",
    "static": "number [N or N m]: the most it holds when stuck",
    "static_coefficient": "number: the most it holds, by the normal force",
    "static_friction": "number: the coefficient when stuck",
    "stiffness": "six numbers or a symmetric matrix, angular part first [N m/rad, N/m]",
    "surface": "an expression of x, y, z [m], positive outside",
    "text": "an expression of x and parameters",
    "through": PLACE,
    "weights": "coordinates, each with its number",
    "wheel": "a body or frame at its center",
    "wrench": "six numbers: moment, then force [N m, N]",
}
OWN = {
    ("dry_friction", "normal"): "a constraint whose multiplier is the normal force, or `joint`",
    ("dry_friction", "radius"): "number [m]: of a bearing",
    ("meet_force", "point"): "`a` or `b`: whose end it is",
    ("point_on_line", "direction"): AXIS,
    ("rolling_pair", "normal"): f"{AXIS}: roughly from a to b at the start",
}


def said(kind: str, name: str) -> str:
    """What a field holds, by the name of its type and its own."""
    hard = name.startswith(("upper_", "lower_", "tie_", "strut_", "wheel_c"))
    return OWN.get((kind, name)) or WORDS.get(name) or POINT * hard


def default(cls, name: str) -> str:
    """The default of a field as a file has it; nothing where there is none to tell."""
    if cls is None or not dataclasses.is_dataclass(cls):
        return ""
    for f in dataclasses.fields(cls):
        if f.name == name and f.default is not dataclasses.MISSING:
            text = _written(f.default)
            return f"default `{text}`" if text and len(text) < 40 else ""
    return ""


def _written(x) -> str:
    if isinstance(x, bool):
        return str(x).lower()
    if isinstance(x, tuple | list):
        return f"[{', '.join(map(_written, x))}]" if x else ""
    return "" if x is None else str(x)
