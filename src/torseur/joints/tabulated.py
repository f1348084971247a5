"""Joint whose pose is given by a table with cubic splines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..errors import ArgumentError, said
from ..scalars import units
from ..spatial import SEQUENCES, Pose, angles_to_matrix
from .base import joint
from .complex import ComplexJoint, is_upside_down, splined


@joint
@dataclass(frozen=True, slots=True)
class Tabulated(ComplexJoint):
    """A pose given by a table over the coordinate, joined by cubic splines (twice smooth).

    Parameters
    ----------
    knots : increasing values of the coordinate, at least four
    position : (n, 3) positions [m], components in F
    angles_of : (n, 3) angles [rad], intrinsic, in the order of `sequence`

    Outside the table the end pieces go on.

    >>> from torseur.scalars import Floats
    >>> z = (-0.1, -0.05, 0.0, 0.05, 0.1)
    >>> j = Tabulated(z, [(0, x * x, x) for x in z], [(0, 0, 0)] * 5)
    >>> j.pose(Floats(), [0.03]).p.astype(float).round(12).tolist()
    [0.0, 0.0009, 0.03]
    """

    knots: tuple[Any, ...] = ()
    position: tuple[Any, ...] = ()
    angles_of: tuple[Any, ...] = ()
    sequence: str = "xyz"
    coordinate: str = "travel"
    unit: str = "m"
    inside: ClassVar = {"knots": "rad | m", "position": "m", "angles_of": "rad"}
    closed_form: ClassVar[bool] = False  # it has pieces

    def __post_init__(self):
        if self.sequence not in SEQUENCES:
            raise ArgumentError(
                f"Tabulated(sequence={self.sequence!r}): expected one of "
                + ", ".join(map(repr, SEQUENCES))
            )
        x = _finite(self.knots, "knots", unit=self.unit)
        if x.ndim != 1 or len(x) < 4 or (np.diff(x) <= 0).any():
            raise ArgumentError("Tabulated(knots=...): expected at least four increasing numbers")
        table = np.hstack(
            [
                _finite(getattr(self, n), n, (len(x), 3), unit)
                for n, unit in (("position", "m"), ("angles_of", "rad"))
            ]
        )
        object.__setattr__(self, "knots", tuple(map(float, x)))
        object.__setattr__(self, "position", tuple(map(tuple, table[:, :3].tolist())))
        object.__setattr__(self, "angles_of", tuple(map(tuple, table[:, 3:].tolist())))

    def mirrored(self):
        signs = is_upside_down(self.sequence)
        position = tuple((x, -y, z) for x, y, z in self.position)
        angles = np.array(self.angles_of) * signs
        return replace(self, position=position, angles_of=tuple(angles))  # CJ.10

    def motion(self, K, s):
        values = splined(K, self.knots, (self.position, self.angles_of), s)
        return Pose(angles_to_matrix(K, self.sequence, values[3:]), values[:3])

    def reading(self, K, X_FM):
        x, table = np.array(self.knots), np.array(self.position)
        for k in range(3):
            slope = (table[-1, k] - table[0, k]) / (x[-1] - x[0])
            offset = table[0, k] - slope * x[0]
            if slope and abs(table[:, k] - offset - slope * x).max() < 1e-14:
                return (X_FM.p[k] - float(offset)) * float(1 / slope), k
        return ComplexJoint.reading(self, K, X_FM)

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        z = (-0.1, -0.05, 0.0, 0.05, 0.1)
        return (cls(z, tuple((0, x * x, x) for x in z), tuple((-x, x / 2, 0) for x in z)),)


def _finite(given, name, shape=None, unit="m") -> np.ndarray:
    """Numbers of a table, or an error with the name of the argument."""
    try:
        given = units.read(given, unit)
    except ValueError as e:
        raise ArgumentError(f"Tabulated({name}=...): {said(e)}") from None
    try:
        x = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"Tabulated({name}=...): expected numbers") from None
    if shape and x.shape != shape:
        raise ArgumentError(
            f"Tabulated({name}=...): expected three numbers a knot, shape {shape}, got {x.shape}"
        )
    if not np.isfinite(x).all():
        raise ArgumentError(
            f"Tabulated({name}=...): expected finite numbers, got {x[~np.isfinite(x)][0]}"
        )
    return x
