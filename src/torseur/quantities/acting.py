"""Force elements of states given by q and v alone: their own state is that of a start."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import KernelError
from ..numbers import Floats

if TYPE_CHECKING:
    from ..system import System
    from .motion import MotionKernels


class ElementsAtStart:
    """Loads and stored energies of a system's force elements, inputs at zero unless given."""

    def __init__(self, system: System):
        self.system = system

    @cached_property
    def stores(self) -> bool:
        """Whether an element may hold energy that comes back."""
        if not self.system.elements:
            return False
        from ..forces import Law

        laws = (e.law for e in self.system.elements)
        return any(x is None or type(x).potential is not Law.potential for x in laws)

    @cached_property
    def kernels(self) -> MotionKernels:
        from .motion import MotionKernels

        return MotionKernels(self.system)

    @cached_property
    def motion(self):
        """Over plain numbers, for the state of elements."""
        from ..dynamics import Motion

        return Motion(self.system, Floats(self.system.parameters))

    def applied(self, t, q, v, z=None, m=None, u=None) -> np.ndarray:
        """Generalised forces, shape (..., nv)."""
        sizes = self.kernels.sizes
        self.check(sizes, z=z, m=m, u=u)
        q = self.system.unit(q, "applied: q")
        if (sizes["z"] and z is None) or (sizes["m"] and m is None):
            z0, m0 = self.at_start(t, q, v, u)
            z, m = z0 if z is None else z, m0 if m is None else m
        fill = {"z": z, "m": m, "u": u, "p": list(self.system.parameters.values())}
        rest = (
            np.zeros(sizes[x]) if fill[x] is None else np.asarray(fill[x], float) for x in "zmup"
        )
        return self.kernels["applied"](t, q, v, *rest)

    def check(self, sizes, **given) -> None:
        """Tells a wrong number of states, memories or inputs, with their names."""
        names = {
            "u": [f"{e.name} ({e.size})" if e.size > 1 else e.name for e in self.system.inputs]
        }
        for x, array in given.items():
            if array is not None and np.shape(array)[-1:] != (sizes[x],):
                what = {"z": "states", "m": "memory", "u": "inputs"}[x]
                listed = ", ".join(names.get(x, ()))
                raise KernelError(
                    f"applied: {x}= has the shape {np.shape(array)}, but the model "
                    f"has {sizes[x]} numbers of {what}{f': {listed}' * bool(listed)}"
                    f"; expected (..., {sizes[x]})"
                )

    def at_start(self, t, q, v, u):
        """States and memory of the elements, each of shape (..., size)."""
        from ..dynamics import start

        q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
        lead = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
        rows = zip(
            np.broadcast_to(q, (*lead, self.system.nq)).reshape(-1, self.system.nq),
            np.broadcast_to(v, (*lead, self.system.nv)).reshape(-1, self.system.nv),
            strict=True,
        )
        motion, times = self.motion, np.broadcast_to(t, lead).ravel()
        found = [
            start(self.system, motion.K, x, *row, u, motion)
            for x, row in zip(times, rows, strict=True)
        ]
        return (
            np.array([getattr(x, n) for x in found], dtype=float).reshape(*lead, -1) for n in "zm"
        )

    def rows(self, q, v, *others, t=0.0):
        """States as rows, the elements as at a start, and the leading axes."""
        from .outputs import StateRows

        q = self.system.unit(q)
        given = [np.asarray(x, dtype=float) for x in (q, v, *others)]
        lead = np.broadcast_shapes(*(x.shape[:-1] for x in given))
        q, v = (
            np.broadcast_to(x, (*lead, n)).reshape(-1, n)
            for x, n in zip(given, (self.system.nq, self.system.nv), strict=False)
        )
        n, u = len(q), np.zeros(len(self.system.layout.u))
        t = np.broadcast_to(np.asarray(t, dtype=float), lead).ravel()
        z, m = (x.reshape(n, -1) for x in self.at_start(t, q, v, u))
        return StateRows(t, q, v, z, m, np.broadcast_to(u, (n, len(u)))), lead

    def outputs(self, name, names, p: Any = None, w=None):
        """Quantities by columns, at one set of parameters."""
        from .outputs import Outputs

        if w is not None or np.ndim(p) > 1:
            raise KernelError(
                f"{name}: with the model's force elements one set of parameters and no w= can be "
                "taken; use forces=False"
            )
        given = {} if p is None else dict(zip(names, np.atleast_1d(p), strict=True))
        known = self.system.valued(given)
        return Outputs(self.system, [np.nan if x is None else float(x) for x in known.values()])
