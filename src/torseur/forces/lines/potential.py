"""A potential energy of several coordinates and of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...errors import said, unknown_name_message
from ...register import derived
from ...scalars import Bound, derivative
from ...scalars.values import value
from ..base import Seen, line
from ._base import ForceAction, Line, Resolved
from ._coordinates import coordinate_names, resolve_coordinates
from ._validation import TIME


@line
@dataclass(frozen=True, slots=True, eq=False)
class Potential(Line):
    """A potential energy [J], an expression of coordinates, of the time `t` [s] and parameters.

    `coordinates` gives each name in the text its coordinate, whose speed must be its rate.  The
    energy is stored; what it gains by the time alone is supplied from outside.  `f.force` is the
    derivative by the first coordinate (positive: it drives that one back), `f.deflection` that
    coordinate.  Theory: FO.44.

    >>> Potential("field", "k*(a - b)**2/2 + m*b*cos(t)", {"a": "x.angle", "b": "y.angle"}).energy
    'k*(a - b)**2/2 + m*b*cos(t)'
    """

    name: str
    energy: Any
    coordinates: tuple[Any, ...]

    def __init__(self, name: str, energy: Any, coordinates: Any):
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "energy", energy)
        pairs = coordinates.items() if hasattr(coordinates, "items") else coordinates
        object.__setattr__(self, "coordinates", tuple((a, b) for a, b in pairs))

    def problems(self, model):
        where = f"force {self.name!r}"
        try:
            used = value.symbols(text := value.exact(self.energy))
            for name in (*dict(self.coordinates), TIME):
                derivative(text, name)
        except (TypeError, ValueError) as e:
            yield f"{where}, energy [J]: {said(e)}"
            return
        if not self.coordinates:
            yield f"{where}: coordinates: name at least one, {{'x': 'slide.displacement'}}"
        names_in_text = {a for a, _ in self.coordinates}
        for name in names_in_text - {*used}:
            yield f"{where}: {name!r} does not occur in its energy {self.energy!r}"
        if TIME in names_in_text:
            yield f"{where}: 't' is the time; give the coordinate another name"
        free = [n for n in used if n not in names_in_text | {TIME} and n not in model.parameters]
        if model.parameters:
            names = [*names_in_text, TIME, *model.parameters]
            yield from (
                unknown_name_message("coordinate or parameter", n, names, where) for n in free
            )
        elif free:
            yield f"{where}: {', '.join(free)} is neither in coordinates nor a declared parameter"
        known = coordinate_names(model)
        for _, name in self.coordinates:
            if name not in known:
                yield unknown_name_message("coordinate", name, known, where)

    @derived
    def timed(self):
        return TIME in value.symbols(value.exact(self.energy))

    def resolved(self, system):
        slots = resolve_coordinates(system, [n for _, n in self.coordinates])
        return Resolved(weights=tuple((i, j, 1) for i, j, _ in slots), unit=slots[0][2])

    def constants(self):
        variables, text = {TIME, *dict(self.coordinates)}, value.exact(self.energy)
        parts = text.walk() if isinstance(text, value.Value) else ()
        return tuple(x for x in parts if not variables & {*value.symbols(x)})

    def act(self, K, motion, element, state):
        text, names = value.exact(self.energy), [a for a, _ in self.coordinates]
        q = [state.q[i] for i, *_ in element.weights]
        at = Bound(K, {TIME: state.t} | dict(zip(names, q, strict=True))).number
        pulls = [at(derivative(text, n)) for n in names]
        efforts = tuple((j, -x) for (_, j, _), x in zip(element.weights, pulls, strict=True))
        rate = state.v[element.weights[0][1]]
        supply = at(derivative(text, TIME))  # FO.44
        law_state = Seen(q[0], rate, state.t)
        return ForceAction(law_state, pulls[0], q[0], efforts, (), at(text), 0, supply, ())

    def drawn(self):
        names = tuple(n for _, n in self.coordinates)
        return ({"shape": "coordinates", "names": names, "looks": self.looks},)

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        both = {"a": "turn.angle", "x": "slide.displacement"}
        return (
            cls("f", "20*(a - 3*x)**2 + 5*L*cos(a)*x", both),
            cls("f", "4*a**2*(2 + sin(3*t)) + x*t", both),
        )
