"""Joint whose pose is given by six expressions of one coordinate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..errors import ArgumentError, TorseurError, said
from ..scalars import Bound, Value, exact, nominal, parse, symbol, symbols, units, vector
from ..spatial import SEQUENCES, Pose, angles_to_matrix
from .base import joint
from .complex import ComplexJoint, is_upside_down


@joint
@dataclass(frozen=True, slots=True)
class Guided(ComplexJoint):
    """A pose given by six expressions of the coordinate.

    Parameters
    ----------
    position : three expressions [m], components in F
    angles_of : three expressions [rad], intrinsic, in the order of `sequence`
    coordinate, unit : name of the coordinate, as used in the expressions, and its unit; by default
        "travel" where that is used, else the one name that stands alone, as z does below

    >>> from torseur.scalars import Floats
    >>> j = Guided(("0.1*z**2", 0, "z"), ("-0.35*z", 0, 0))
    >>> j.coordinate, j.pose(Floats(), [0.2]).p.tolist()
    ('z', [0.004000000000000001, 0.0, 0.2])
    """

    position: Any = (0, 0, 0)
    angles_of: Any = (0, 0, 0)
    sequence: str = "xyz"
    coordinate: str = ""
    unit: str = "m"
    inside: ClassVar = {"position": "m", "angles_of": "rad"}

    def __post_init__(self):
        if self.sequence not in SEQUENCES:
            raise ArgumentError(
                f"Guided(sequence={self.sequence!r}): expected one of "
                + ", ".join(map(repr, SEQUENCES))
            )
        for name, unit in (("position", "m"), ("angles_of", "rad")):
            given = getattr(self, name)
            if len(given) != 3:
                raise ArgumentError(
                    f"Guided({name}=...): expected three expressions, got {len(given)}"
                )
            try:
                numbers = (units.read(e, unit) for e in given)
                read = tuple(parse(e) if isinstance(e, str) else exact(e) for e in numbers)
            except (TypeError, ValueError) as e:
                raise ArgumentError(f"Guided({name}=...): {said(e)}") from None
            object.__setattr__(self, name, read)
        object.__setattr__(self, "coordinate", self._named())

    def _named(self) -> str:
        """The name of the coordinate, which some expression must have in it."""
        own = (*self.position, *self.angles_of)
        used = symbols(vector(own))
        alone = {e.args[0] for e in own if isinstance(e, Value) and e.op == "symbol"}
        name = self.coordinate or ("travel" if "travel" in used or len(alone) != 1 else alone.pop())
        if name in used:
            return name
        if not self.coordinate:
            raise ArgumentError(
                "Guided: no expression has 'travel' in it, and no single name stands alone; "
                "say which is the coordinate: coordinate='z'"
            )
        raise ArgumentError(
            f"Guided(coordinate={name!r}): none of its expressions has {name!r} in it, so it moves "
            f"nothing; they have {', '.join(map(repr, used)) or 'no name'}"
        )

    def motion(self, K, s):
        J = Bound(K, {self.coordinate: s})
        angles = [J.number(e) for e in self.angles_of]
        return Pose(
            angles_to_matrix(K, self.sequence, angles), vector(J.number(e) for e in self.position)
        )

    def reading(self, K, X_FM):
        for k, e in enumerate(self.position):
            if (line := _line(e, self.coordinate)) is not None:
                offset, slope = line
                return (X_FM.p[k] - K.number(exact(offset))) * K.number(exact(1 / slope)), k
        return ComplexJoint.reading(self, K, X_FM)

    def mirrored(self):
        x, y, z = self.position
        signs = is_upside_down(self.sequence)
        angles = tuple(s * a for s, a in zip(signs, self.angles_of, strict=True))
        return replace(self, position=(x, -y, z), angles_of=angles)  # CJ.10

    def constants(self):
        names = symbols(vector((*self.position, *self.angles_of)))
        return tuple(symbol(n) for n in names if n != self.coordinate)

    def faults(self, K):
        try:
            self.screw_slope(K, [0.0])
        except ArgumentError as e:
            return (str(e),)
        except (ArithmeticError, ValueError):  # zero may be out of its range
            pass
        return ()

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (cls(("0.1*z**2", 0, "z"), ("-0.35*z", "0.2*z", 0), coordinate="z"),)


def _line(e, name):
    """(offset, slope) of an expression that is linear in `name` and has no other symbol."""
    if not isinstance(e, Value):
        return None
    try:
        at = [nominal(e, {name: x}) for x in (0.0, 1.0, -1.0, 0.5)]
    except (TorseurError, ArithmeticError, ValueError):  # a parameter without a number
        return None
    slope = at[1] - at[0]
    linear = abs(at[1] + at[2] - 2 * at[0]) + abs(at[3] - at[0] - slope / 2) < 1e-14
    return (at[0], slope) if linear and slope else None
