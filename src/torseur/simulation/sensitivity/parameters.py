"""Names of numbers that derivatives are asked by, and the kernels that carry them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

from ...errors import ArgumentError, ModelError, ModelWarning, TorseurError
from ...kernels import Variations
from ...model import field_paths
from ...scalars.values import value
from ...system import once, starts_of, texts_of

REFUSED = (
    "sensitivities: a number is differentiated as a parameter in its place, which is refused here; "
    "declare a parameter or an input where one may stand, and name that"
)


class Directions:
    """Names of numbers, sorted: parameters (slots in p), inputs (slots in u), starts (by name).

    `stand` are names that parameters of other names stand for: numbers of inputs of time.
    """

    def __init__(self, system, names, stand=()):
        state = {*system.coordinates, *system.speeds}
        slots = _slots(system)
        self.names = tuple(dict.fromkeys(names))
        wrong = [n for n in self.names if not isinstance(n, str)]
        if wrong:
            raise ArgumentError(f"simulate: sensitivities = {wrong[0]!r}: expected names")
        stands = dict(stand)
        self.starts = [n for n in self.names if n in state and n not in stands]
        self.inputs = [n for n in self.names if n in slots and n not in (*state, *stands)]
        self.paths = [n for n in self.names if n not in (*self.starts, *self.inputs)]
        whole = {n: stands.get(n, n) for n in self.paths}
        if problems := [*_problems(system, slots, whole)]:
            raise ArgumentError("\n".join(problems))
        try:
            model, found = field_paths.parametrized(system.model, whole.values())
        except TorseurError as e:
            raise ArgumentError(f"{REFUSED}: {e}") from None
        self.parameter = {n: found[p] for n, p in whole.items()}
        self.system = system if model is system.model or not self.paths else _checked(model, found)
        order = list(self.system.parameters)
        self.p = [order.index(self.parameter[n]) for n in self.paths]
        self.u = [slots[n] for n in self.inputs]
        self._kernels: dict[str, Variations] = {}

    def __getstate__(self):
        return {**vars(self), "_kernels": {}}

    def kernels(self, constraints) -> Variations:
        """Those that carry the derivatives, by how constraints are solved."""
        key = repr(constraints)
        if key not in self._kernels:
            own = (tuple(self.p), tuple(self.u), len(self.starts))
            self._kernels[key] = Variations(self.system, *own, constraints)
        return self._kernels[key]

    @property
    def order(self) -> list[str]:
        """Names in the order of columns."""
        return [*self.paths, *self.inputs, *self.starts]


@once(most=16)
def directions(system, names, stand=()) -> Directions:
    """Those of a system; made once, so that a second run of it starts at once."""
    return Directions(system, names, stand)


def _slots(system) -> dict[str, int]:
    """Slots in u of inputs by name, those of several numbers as `load[2]`."""
    found: dict[str, int] = {}
    for name, own in system.layout.inputs.items():
        size = own.stop - own.start
        found |= {f"{name}[{i}]": own.start + i for i in range(size)}
        if size == 1:
            found[name] = own.start
    return found


def _problems(system, slots, whole) -> Iterator[str]:
    """What is asked for and has no derivative, in the user's names."""
    model = system.model
    for n, path in whole.items():
        if path in model.parameters:
            continue
        if f"{n}[0]" in slots:
            several = ", ".join(repr(x) for x in slots if x.startswith(f"{n}["))
            yield f"sensitivities: input {n!r} has several numbers; name one: {several}"
            continue
        try:
            x = value.exact(field_paths.read(model, path))
        except TorseurError as e:
            yield f"sensitivities: {e}"
            continue
        if isinstance(x, value.Value):
            yield f"sensitivities: {n!r} is the expression {x}; name the parameters in it"
    for other, x in system.derived.items():
        for n in whole.values():
            if n in value.symbols(x):
                yield (
                    f"sensitivities: {n!r} also gives {other!r}, which is {x}; write that where "
                    f"{other!r} is used, and the derivative is whole"
                )


def refuse_followed(system, names, given) -> None:
    """Refuse parameters that a start is made of, the model's own where no other is given: a part of
    the derivative would be missing."""
    for n in names:
        if told := texts_of(given, n):
            raise ArgumentError(
                f"sensitivities: {n!r} also gives the start {told[0]!r}; give "
                f"initial={{{told[0]!r}: ...}} as a number, and name {told[0]!r} too"
            )
        if own := [s for s in starts_of(system, n) if s not in (given or {})]:
            raise ArgumentError(
                f"sensitivities: {n!r} also gives the start {own[0]!r} of the model; give "
                f"initial={{{own[0]!r}: ...}} as a number, and name {own[0]!r} too"
            )


def _checked(model, found):
    """The system with parameters in the places of numbers; who takes none there is told by path."""
    with warnings.catch_warnings(action="ignore", category=ModelWarning):  # told before
        try:
            return model.check()
        except ModelError as e:
            told = str(e)
    own = [(path, name) for path, name in found.items() if path != name]
    for path, name in sorted(own, key=lambda x: -len(x[1])):
        told = told.replace(name, path)
    raise ArgumentError(f"{REFUSED}: {told}")
