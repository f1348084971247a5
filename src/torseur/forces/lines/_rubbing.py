"""Coulomb's friction of lines that push on a plane, smooth below a slip."""

from __future__ import annotations

from ...errors import shown
from ...numbers import values
from ._ends import number_problems


def rubbing_problems(model, line, where):
    """What is wrong with the `friction`, `slip` and `root` of a line."""
    for name, rule in (("friction", "of zero or more"), ("slip", "above zero")):
        given = getattr(line, name)
        if found := list(number_problems(model, given, (), f"{where}, {name}")):
            yield from found
        elif not isinstance(x := values.exact(given), values.Value) and (
            x < 0 or (name == "slip" and x == 0)
        ):
            yield f"{where}: {name}: expected a number {rule}, got {shown(given)}"
    if line.root is not None:
        yield from number_problems(model, line.root, (3,), f"{where}, root [m]")


def drag(K, line, T, slip):
    """Drag over the slip, of a plane that is pressed with T (none when it is pulled)."""
    eps = K.number(values.exact(line.slip))
    speed = K.sqrt(slip @ slip + eps * eps)
    N = K.select(K.less(T, 0), 0.0, T)
    return K.divide(K.number(values.exact(line.friction)) * N, speed)  # CV.2
