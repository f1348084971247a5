"""Coulomb's friction of lines that push on a plane, with a grip that holds."""

from __future__ import annotations

from ...errors import shown
from ...numbers import values, vector
from ...spatial import cross
from ._ends import number_problems
from ._pressed import pressed


def rubbing_problems(model, line, where):
    """What is wrong with the `friction`, `presliding` and `root` of a line."""
    known = values.nominals(model.parameters)
    for name, rule in (("friction", "of zero or more"), ("presliding", "above zero")):
        given = values.filled(getattr(line, name), known)
        if found := list(number_problems(model, given, (), f"{where}, {name}")):
            yield from found
        elif not isinstance(x := values.exact(given), values.Value) and (
            x < 0 or (name == "presliding" and x == 0)
        ):
            yield f"{where}: {name}: expected a number {rule}, got {shown(given)}"
    if line.root is not None:
        yield from number_problems(model, line.root, (3,), f"{where}, root [m]")


def rubs(line) -> bool:
    """Whether a line has friction."""
    return values.exact(line.friction) != 0


def whole_law(line, edges=None):
    """The law of a line with its friction's grip, and its edges."""
    return pressed(line.law, line.presliding if rubs(line) else None, edges)


def rubbed(K, line, law, s, T, sides, slip):
    """Friction on an end that is pressed with T (none when it is pulled), and the power it takes.

    `sides` are two unit vectors along the plane, `slip` is in their components.
    """
    N = K.select(K.less(T, 0), 0.0, T)
    most, (p, q) = K.number(values.exact(line.friction)) * N, law.share(K, s)
    return (sides[0] * p + sides[1] * q) * (-most), most * (p * slip[0] + q * slip[1])  # CV.2


def sides_of(K, n, near) -> tuple:
    """Two unit vectors at right angles to the unit vector n and each other: `near` without its part
    along n, and n times it."""
    t = near - n * (n @ near)
    size = K.sqrt(t @ t)
    t = vector(K.divide(x, size) for x in t)
    return t, cross(n, t)
