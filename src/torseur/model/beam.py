# ruff: noqa: RUF009  (`quantity` makes a field, as `dataclasses.field` does)
"""The description of a body that bends: a straight uniform beam of a few natural modes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..scalars import exact
from .description import Quantities, Quantity, quantity
from .unit_strings import convert_fields_to_si


@dataclass(frozen=True, slots=True, eq=False)
class Beam:
    """A straight uniform beam that bends, stretches and twists: a body of natural modes.

    Its frame is its section at x = 0, with x along the beam.  Joints, loops, frames, forces and
    contacts hold it at any `at=(x, y, z)` with 0 <= x <= length; y and z are rigid in the section.
    Deflections are small beside the length; the shortening that goes with them is counted, so that
    tension stiffens it.  Theory: BE.1 to BE.9.

    Parameters
    ----------
    name : unique name, of its coordinates too: `link.bending_z1` [m], `link.torsion1` [rad]
    length : [m]
    EI : bending stiffness [N m2] about y (it bends along z), then about z (along y); or one number
    EA : axial stiffness [N], for axial and torsional modes
    GJ : torsional stiffness [N m2], for torsional modes
    mass_per_length : [kg/m]
    modes : how many of bending along z, bending along y, axial, torsion
    ends : whose bending modes they are: "clamped-free"; "pinned-pinned" or "free-free", for a rod
        that pins hold: shapes are then seen from the section at x = 0, and what holds there is free
        to turn with it
    damping : share of critical damping of each mode
    rotary : whether sections resist being turned about y and z (Rayleigh); about x they always do
    slices : rigid slices that carry the mass; enough for the modes unless told

    >>> Beam("link", length=1.0, EI=(20.0, 20.0), mass_per_length=0.5).modes
    (2, 2, 0, 0)
    """

    name: str
    length: Quantity = quantity(0, "m")
    EI: Quantity | Quantities = quantity((0, 0), "N m^2", (), (2,))
    EA: Quantity | None = quantity(None, "N")
    GJ: Quantity | None = quantity(None, "N m^2")
    mass_per_length: Quantity = quantity(0, "kg/m")
    modes: Any = quantity((2, 2, 0, 0), "", (4,))
    ends: str = "clamped-free"
    damping: Quantity = quantity(0, "")
    rotary: bool = False
    slices: int | None = None

    families: ClassVar = ("bending_z", "bending_y", "axial", "torsion")
    """Families of modes in the order of `modes`."""
    known_ends: ClassVar = ("clamped-free", "pinned-pinned", "free-free")
    most: ClassVar[int] = 20
    """Modes of a family."""
    shapes: ClassVar[tuple[Any, ...]] = ()
    """None of its own: a view draws it bent."""
    about: ClassVar[str] = "com"
    first_moment: ClassVar[None] = None

    holonomic: ClassVar[bool] = True

    def __post_init__(self):
        convert_fields_to_si(self)

    @property
    def coordinates(self) -> tuple[tuple[str, str], ...]:
        """Names and units of its coordinates, as of a joint; none while `modes` is no such thing.

        >>> Beam("link", modes=(1, 0, 0, 1)).coordinates
        (('bending_z1', 'm'), ('torsion1', 'rad'))
        """
        modes = self.modes if isinstance(self.modes, tuple) and len(self.modes) == 4 else ()
        counts = [n if isinstance(n, int) and 0 <= n <= self.most else 0 for n in modes]
        return tuple(
            (f"{family}{i + 1}", "rad" if family == "torsion" else "m")
            for family, n in zip(self.families, counts, strict=False)
            for i in range(n)
        )

    @property
    def mass(self) -> Any:
        """Of the whole beam [kg]."""
        return exact(self.mass_per_length) * exact(self.length)

    @property
    def com(self) -> tuple[Any, ...]:
        """Center of mass of the straight beam [m]."""
        return exact(self.length) / 2, 0, 0

    @property
    def inertia(self) -> tuple[Any, ...]:
        """Of the straight beam about its center of mass [kg m2], that of its sections left out."""
        J = self.mass * exact(self.length) * exact(self.length) / 12
        return 0, J, J, 0, 0, 0
