"""Elements whose work is a function of positions without a formula for its energy.

Kernels keep what such an element takes in its own book of dissipated energy; whether that is stored
or comes from outside is asked here, of its potential.  Theory: FO.30, FO.51.
"""

from __future__ import annotations

import numpy as np

from ..system import once
from .ways import interpreted

POSES = 6  # at which generalized forces are looked at
REACH = 1.3  # of their coordinates [rad, m]
STEP = 1e-5  # of differences
SAME = 1e-6  # of the largest slope: two slopes are equal


@once()
def returned(system) -> dict[str, str]:
    """Names of such elements: "stored" where there is a potential, else "supplied"."""
    out = {}
    for i, e in enumerate(system.elements):
        if e.law is not None and e.law.conserves:
            out[e.name] = "stored"
        elif e.line.returns(e):
            out[e.name] = "stored" if _has_potential(system, i) else "supplied"
    return out


def _has_potential(system, index: int) -> bool:
    """Whether the generalized forces of an element are the slopes of one function (FO.51)."""
    place = {
        k.v.start + i: k.q.start + i
        for k in system.links
        if k.joint.holonomic
        for i in range(k.joint.nv)
    }
    shift = np.random.default_rng(12).uniform(-REACH, REACH, (POSES, system.nq))
    q = np.asarray(system.neutral(), dtype=float) + shift
    for k in system.links:
        if not k.joint.holonomic:
            q[:, k.q] = system.neutral()[k.q]
    free = [*place]
    moves = np.zeros((len(free), system.nq))
    moves[range(len(free)), [place[j] for j in free]] = STEP
    ahead, behind = (_forces(system, index, q[:, None] + s * moves) for s in (1, -1))
    slopes = (ahead - behind) / (2 * STEP)  # (poses, along which, of which)
    others = [j for j in range(system.nv) if j not in place]
    if abs(ahead[..., others]).max(initial=0.0) > 0:
        return False  # what turns a ball is not asked about
    square = slopes[..., free]
    size = max(abs(square).max(initial=0.0), abs(ahead).max(initial=0.0), 1e-300)
    return bool(abs(square - square.swapaxes(1, 2)).max(initial=0.0) <= SAME * size)


def _forces(system, index: int, q) -> np.ndarray:
    """Generalized forces of one element at rest in some poses, (..., nv)."""
    at, rows = system.layout, int(np.prod(q.shape[:-1]))
    given = [np.zeros(rows), q.reshape(rows, -1)]
    given += [np.zeros((rows, len(x))) for x in (at.v, at.z, at.m, at.u)]
    p = np.array([float(x) for x in system.parameters.values()])
    own = interpreted(system).rows("applied_each", *given, p=p)[index]
    return own.T.reshape(*q.shape[:-1], -1)
