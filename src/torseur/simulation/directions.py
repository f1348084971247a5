"""Names of numbers that derivatives are asked by, and the kernels that carry them."""

from __future__ import annotations

import warnings

from ..errors import ArgumentError, ModelWarning, TorseurError
from ..model import paths
from ..numbers import values
from ..quantities import Variations
from ..system import once


class Directions:
    """Names of numbers, sorted: parameters (slots in p), inputs (slots in u), starts (by name)."""

    def __init__(self, system, names):
        state = {*system.coordinates, *system.speeds}
        inputs = system.layout.inputs
        self.names = tuple(dict.fromkeys(names))
        wrong = [n for n in self.names if not isinstance(n, str)]
        if wrong:
            raise ArgumentError(f"simulate: sensitivities = {wrong[0]!r}: expected names")
        self.starts = [n for n in self.names if n in state]
        self.inputs = [n for n in self.names if n in inputs and n not in state]
        self.paths = [n for n in self.names if n not in state and n not in inputs]
        model, problems = system.model, []
        for n in self.paths:
            if n in model.parameters:
                continue
            try:
                x = values.exact(paths.read(model, n))
            except TorseurError as e:
                problems.append(f"sensitivities: {e}")
                continue
            if isinstance(x, values.Value):
                problems.append(
                    f"sensitivities: {n!r} is the expression {x}; name the parameters in it"
                )
        problems += [
            f"sensitivities: {n!r} also gives {other!r}, which is {x}; write that where {other!r} "
            "is used, and the derivative is whole"
            for other, x in system.derived.items()
            for n in self.paths
            if n in values.symbols(x)
        ]
        large = [n for n in self.inputs if inputs[n].stop - inputs[n].start > 1]
        problems += [f"sensitivities: input {n!r} has several numbers" for n in large]
        if problems:
            raise ArgumentError("\n".join(problems))
        model, self.parameter = paths.parametrised(model, self.paths)
        if model is system.model or not self.paths:
            self.system = system
        else:
            with warnings.catch_warnings(action="ignore", category=ModelWarning):  # told before
                self.system = model.check()
        order = list(self.system.parameters)
        self.p = [order.index(self.parameter[n]) for n in self.paths]
        self.u = [self.system.layout.inputs[n].start for n in self.inputs]
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
def directions(system, names) -> Directions:
    """Those of a system; made once, so that a second run of it starts at once."""
    return Directions(system, names)
