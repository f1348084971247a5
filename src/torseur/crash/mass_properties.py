"""Mass, center of mass and inertia of bodies and of groups of bodies; scaled laws.  CV.3"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from ..errors import ModelError
from ..forces import Law
from ..model import Body
from ..scalars.values import value

PART = "an obstacle covers a part of a member, and a part"
REMEDY = "give the member no width, or a law such as ts.Crush, ts.Table or ts.Spring"


def body_mass(b: Body, parameters: Mapping[str, float] | None = None) -> float:
    """Mass of a body [kg] at these values of names."""
    return nominal_number(b.mass, parameters or {})


def nominal_number(x: Any, parameters: Mapping[str, float]) -> float:
    """A number, or the value of an expression of known names."""
    return float(value.nominal(value.exact(x), parameters))


def center_of_mass(b: Body, parameters: Mapping[str, float] | None = None) -> np.ndarray:
    """Center of mass of a body [m], given as such or by its first moment."""
    if b.first_moment is None:
        return _nominal_array(b.com, parameters or {})
    return _nominal_array(b.first_moment, parameters or {}) / body_mass(b, parameters)


def inertia_matrix(b: Body, parameters: Mapping[str, float] | None = None) -> np.ndarray:
    """Inertia about the center of mass, body axes, as a matrix of numbers [kg m2]."""
    parameters = parameters or {}
    I = _nominal_array(b.inertia, parameters)
    if I.shape == (6,):
        xx, yy, zz, xy, xz, yz = I
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if b.about == "origin":
        c = center_of_mass(b, parameters)
        I = I - body_mass(b, parameters) * (c @ c * np.eye(3) - np.outer(c, c))
    return I


def _nominal_array(x, parameters) -> np.ndarray:
    entries = np.asarray(x, dtype=object)
    return np.array([nominal_number(e, parameters) for e in entries.ravel()]).reshape(entries.shape)


def mirror_body(b: Body) -> Body:
    """A body with left and right exchanged: y becomes -y."""
    I = np.asarray(b.inertia, dtype=object)
    sign = np.array((1, 1, 1, -1, 1, -1) if I.shape == (6,) else np.outer((1, -1, 1), (1, -1, 1)))
    entries = [multiply(x, int(k)) for x, k in zip(I.ravel(), sign.ravel(), strict=True)]
    inertia: Any = np.array(entries, dtype=object).reshape(I.shape).tolist()
    return replace(b, com=_divide(b.com), inertia=inertia,
                   first_moment=b.first_moment and _divide(b.first_moment))  # fmt: skip


def _divide(three) -> tuple:
    x, y, z = three
    return (x, multiply(y, -1), z)


def multiply(x: Any, k: float) -> Any:
    """A number or an expression of names, so many times."""
    return value.exact(x) * value.exact(k) if isinstance(x, str | value.Value) else x * k


def combine_bodies(parts, name: str, parameters: Mapping[str, float] | None = None) -> Body:
    """Rigid bodies as one: mass, center of mass, inertia about it.  CV.3"""
    parameters = parameters or {}
    mass = np.array([body_mass(b, parameters) for b in parts])
    centers = np.array([center_of_mass(b, parameters) for b in parts])
    com = mass @ centers / mass.sum()
    I = np.zeros((3, 3))
    for b, m, c in zip(parts, mass, centers, strict=True):
        d = c - com
        I += inertia_matrix(b, parameters) + m * (d @ d * np.eye(3) - np.outer(d, d))  # CV.3
    shapes = tuple(s for b in parts for s in b.shapes)
    return Body(name, float(mass.sum()), tuple(com), I, shapes=shapes)


def box_inertia(mass: Any, size) -> list:
    """Inertia of a uniform box about its center [kg m2], six entries.  The mass may be a name."""
    squares = np.square(np.asarray(size, dtype=float))
    each = ((squares.sum() - squares) / 12).tolist()
    return [*(multiply(mass, x) for x in each), 0, 0, 0]


def scale_law(law: Law, part: float) -> Law:
    """The law with all its forces and energies scaled by `part`, nested laws included."""
    if part == 1:
        return law
    changed: dict[str, Any] = {}
    for f in fields(law):
        x = getattr(law, f.name)
        if isinstance(x, Law):
            changed[f.name] = scale_law(x, part)
        elif isinstance(x, tuple) and x and all(isinstance(e, Law) for e in x):
            changed[f.name] = tuple(scale_law(e, part) for e in x)
        elif (y := _scale_field(law, f.name, x, part)) is not x:
            changed[f.name] = y
    if not changed or law.inputs:
        raise ModelError([f"{PART} of {type(law).__name__} cannot be taken; {REMEDY}"])
    return _with(law, changed)


def _scale_field(law, name, x, part):
    """A field of a law times `part`, as far as it is in newtons or joules."""
    rows, tables = isinstance(x, tuple), getattr(law, "tables", {})
    unit = (tables.get(name) if rows else None) or law.units.get(name, "")
    factors = [part if u.strip().startswith(("N", "J")) else 1 for u in unit.split(",")]
    keywords = getattr(law, "words", {}).get(name, ())
    if x is None or x == () or all(k == 1 for k in factors) or (not rows and x in keywords):
        return x
    if not rows:
        return multiply(x, part)
    if len(factors) == 1:
        return tuple(multiply(e, part) for e in x)
    if any(len(row) != len(factors) for row in x):
        raise ModelError([f"{PART} of {type(law).__name__} cannot be taken; {REMEDY}"])
    return tuple(tuple(multiply(e, k) for e, k in zip(row, factors, strict=True)) for row in x)


def _with(law: Law, changed: dict[str, Any]) -> Law:
    """The law with some fields changed."""
    new = object.__new__(type(law))
    for f in fields(law):
        object.__setattr__(new, f.name, changed.get(f.name, getattr(law, f.name)))
    if finish := getattr(new, "__post_init__", None):
        finish()
    return new
