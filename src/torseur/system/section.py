"""A section of a body that bends: many modal coordinates move one rigid slice of it.

Every slice of a beam has such a joint, and all of them read the same coordinates: one block.
Theory: BE.1 to BE.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..joints import AbstractJoint
from ..numbers import matrix, symbol, symbols, vector
from ..register import derived
from ..spatial import Pose, angles_to_matrix, cross

Named = tuple[tuple[str, str], ...]
Rows = tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class Section(AbstractJoint):
    """The pose of a slice as a function of modal coordinates q.

    `shift` (3 rows, one number a coordinate) is its displacement along x, y, z per unit of each;
    `turn` likewise its roll, pitch and yaw [rad]; `bow`, symmetric, is the integral of the products
    of slopes from the root: the slice comes nearer by half of `q' bow q` when the beam bends.
    """

    modes: Named  # names and units of the coordinates
    shift: Rows
    turn: Rows
    bow: Rows

    coordinates = derived(lambda self: self.modes)
    speeds = derived(lambda self: tuple((f"{n}_rate", f"{unit}/s") for n, unit in self.modes))

    def angles(self):
        return ()

    def _shape(self, K, name: str, x) -> list:
        """Rows of a table times coordinates or speeds."""
        return [sum((K.number(c) * y for c, y in zip(row, x, strict=True) if c != 0), start=0)
                for row in getattr(self, name)]  # fmt: skip

    def pose(self, K, q):
        roll, pitch, yaw = self._shape(K, "turn", q)
        x, y, z = self._shape(K, "shift", q)
        bowed = self._shape(K, "bow", q)
        near = sum((a * b for a, b in zip(bowed, q, strict=True)), start=0) * K.exact(0.5)
        R = angles_to_matrix(K, "zyx", [yaw, pitch, roll])  # BE.2
        return Pose(R, vector((x - near, y, z)))  # BE.1

    def _columns(self, K, q):
        """Derivatives of roll, pitch, yaw, and of the position, by each coordinate."""
        turn = [[K.number(c) for c in row] for row in self.turn]
        shift = [[K.number(c) for c in row] for row in self.shift]
        bowed = self._shape(K, "bow", q)
        shift[0] = [c - b for c, b in zip(shift[0], bowed, strict=True)]
        return matrix(turn), matrix(shift)

    def subspace(self, K, q):
        angles = self._shape(K, "turn", q)
        turn, shift = self._columns(K, q)
        R = angles_to_matrix(K, "zyx", angles[::-1])
        return np.concatenate([_rates_to_twist(K, angles) @ turn, R.T @ shift])  # BE.3

    def subspace_rate(self, K, q, v):
        angles, rates = self._shape(K, "turn", q), self._shape(K, "turn", v)
        turn, shift = self._columns(K, q)
        w = _rates_to_twist(K, angles) @ vector(rates)
        back = angles_to_matrix(K, "zyx", angles[::-1]).T
        nearing = vector(-x for x in self._shape(K, "bow", v))
        moved = back @ shift
        linear = [
            np.outer(back[:, 0], nearing)[:, j] - cross(w, moved[:, j]) for j in range(self.nv)
        ]  # BE.4
        return np.concatenate([_twist_slope(K, angles, rates) @ turn, np.stack(linear, axis=1)])

    def closure(self, K, X_FM):
        raise TypeError("a section of a beam closes no loop")

    def constants(self):
        every = vector(x for rows in (self.shift, self.turn, self.bow) for row in rows for x in row)
        return tuple(symbol(n) for n in symbols(every))


def _rates_to_twist(K, angles) -> np.ndarray:
    """`E`: angular velocity in the turned frame is E times the rates of roll, pitch and yaw."""
    (sr, cr), (sp, cp) = ((_sin(K, x), _cos(K, x)) for x in angles[:2])
    return matrix(((1, 0, -sp), (0, cr, cp * sr), (0, -sr, cp * cr)))


def _twist_slope(K, angles, rates) -> np.ndarray:
    """The rate of `E`."""
    (sr, cr), (sp, cp) = ((_sin(K, x), _cos(K, x)) for x in angles[:2])
    r, p, _ = rates
    return matrix(
        (
            (0, 0, -(cp * p)),
            (0, -(sr * r), cp * cr * r - sp * sr * p),
            (0, -(cr * r), -(sp * cr * p) - cp * sr * r),
        )
    )


def _sin(K, x):
    return 0 if isinstance(x, int) and x == 0 else K.sin(x)


def _cos(K, x):
    return 1 if isinstance(x, int) and x == 0 else K.cos(x)
