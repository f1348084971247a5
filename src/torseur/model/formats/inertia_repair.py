"""Inertias that no distribution of mass has, moved to the nearest that one has."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...scalars import Number, exact, exacts
from ..description import Body, Model

EIGENVALUE_RTOL = 1e-9  # as in `check`: relative room for rounding


def repair_inertias(model: Model) -> tuple[Model, list[str]]:
    """The model with possible inertias, and a sentence for each body that changed.

    The second moments of mass, `tr(J)/2 - J`, are the part that may not be negative: their negative
    principal values are set to zero.  Bodies without mass lose their inertia.

    >>> model = Model(bodies=(Body("camera", mass=0.1, inertia=(0, 0, 3, 0, 0, 0)),))
    >>> fixed, said = repair_inertias(model)
    >>> fixed.bodies[0].inertia, said
    ((1.5, 1.5, 3.0, 0.0, 0.0, 0.0), ["body 'camera': inertia moved by 1.5 kg m2"])
    """
    changes, bodies = [], []
    for body in model.bodies:
        J = _inertia_matrix(body)
        if J is None:
            bodies.append(body)
            continue
        nearest, distance = _nearest_inertia(J, body)
        if distance > EIGENVALUE_RTOL * max(abs(J).max(), 1e-300):
            changes.append(f"body {body.name!r}: inertia moved by {distance:.3g} kg m2")
            six = (nearest[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
            body = replace(body, inertia=tuple(float(x) for x in six))
        bodies.append(body)
    return replace(model, bodies=tuple(bodies)), changes


def _nearest_inertia(J: np.ndarray, body: Body):
    if exact(body.mass) == 0:
        return np.zeros((3, 3)), abs(J).max()
    second = np.trace(J) / 2 * np.eye(3) - J
    w, V = np.linalg.eigh(second)
    if w.min() >= -EIGENVALUE_RTOL * max(abs(w).max(), 1e-300) / 4:
        return J, 0.0
    second = V @ np.diag(np.maximum(w, 0)) @ V.T
    nearest = np.trace(second) * np.eye(3) - second
    nearest = (nearest + nearest.T) / 2
    return nearest, abs(nearest - J).max()


def _inertia_matrix(body: Body) -> np.ndarray | None:
    """Inertia about the center of mass as floats, or None where it is symbolic or elsewhere."""
    if body.about != "com" or body.first_moment is not None:
        return None
    try:
        shape = np.shape(np.asarray(body.inertia, dtype=object))
        x = exacts(body.inertia, shape)
        if not all(isinstance(e, Number) for e in (*x.ravel(), exact(body.mass))):
            return None
    except (TypeError, ValueError):
        return None
    x = x.astype(float)
    if shape == (6,):
        x = np.array([[x[0], x[3], x[4]], [x[3], x[1], x[5]], [x[4], x[5], x[2]]])
    return x if x.shape == (3, 3) else None
