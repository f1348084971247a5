"""Masses and inertias of bodies, several of them together, and parts of laws."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from ..forces import Law
from ..model import Body


def mass_of(b: Body) -> float:
    """The mass of a body of a vehicle: a number [kg]."""
    given: Any = b.mass
    return float(given)


def inertia_matrix(b: Body) -> np.ndarray:
    """Inertia about the centre of mass, body axes, as a matrix of numbers [kg m2]."""
    I = np.asarray(b.inertia, dtype=float)
    if I.shape == (6,):
        xx, yy, zz, xy, xz, yz = I
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if b.about == "origin":
        c = np.asarray(b.com, dtype=float)
        I = I - mass_of(b) * (c @ c * np.eye(3) - np.outer(c, c))
    return I


def together(parts, name: str) -> Body:
    """Rigid bodies as one: mass, centre of mass, inertia about it.  CV.3"""
    mass = np.array([mass_of(b) for b in parts])
    places = np.array([np.asarray(b.com, dtype=float) for b in parts])
    com = mass @ places / mass.sum()
    I = np.zeros((3, 3))
    for b, m, c in zip(parts, mass, places, strict=True):
        d = c - com
        I += inertia_matrix(b) + m * (d @ d * np.eye(3) - np.outer(d, d))  # CV.3
    shapes = tuple(s for b in parts for s in b.shapes)
    return Body(name, float(mass.sum()), tuple(com), I, shapes=shapes)


def box_inertia(mass: float, size) -> np.ndarray:
    """Of a uniform box about its centre [kg m2]."""
    squares = np.square(np.asarray(size, dtype=float))
    return np.diag(mass / 12 * (squares.sum() - squares))


def scaled(law: Law, part: float) -> Law:
    """The same law with `part` of its forces: every number in newtons times it."""
    if part == 1:
        return law
    changed = {}
    for f in fields(law):
        x, tables = getattr(law, f.name), getattr(law, "tables", {})
        rows = isinstance(x, tuple)
        unit = (tables.get(f.name) if rows else None) or law.units.get(f.name, "")
        factors = [part if u.strip().startswith(("N", "J")) else 1 for u in unit.split(",")]
        if x is None or isinstance(x, str) or all(k == 1 for k in factors):
            continue
        if rows:
            changed[f.name] = tuple(
                tuple(e * k for e, k in zip(row, factors, strict=True)) for row in x
            )
        else:
            changed[f.name] = x * part
    return replace(law, **changed)
