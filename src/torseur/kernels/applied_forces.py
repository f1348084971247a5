"""Force elements of states given by q and v alone: their own state is that of a start."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import KernelError
from ..scalars import Floats

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

    def numbers(self, names=(), p=None) -> np.ndarray:
        """Every parameter, (..., count): `p` those of `names`, the others by them or nominal."""
        given = np.zeros(0) if p is None else np.asarray(p, dtype=float)
        names = () if p is None else names
        known = [
            [np.nan if x is None else float(x) for x in self.system.valued(dict(row)).values()]
            for row in (zip(names, one, strict=True) for one in given.reshape(-1, len(names) or 1))
        ] or [[np.nan if x is None else float(x) for x in self.system.parameters.values()]]
        return np.array(known).reshape(*given.shape[:-1], len(self.system.parameters))

    def applied(self, t, q, v, z=None, m=None, u=None, p=None) -> np.ndarray:
        """Generalized forces, shape (..., nv); `p` is every parameter, nominal when left out."""
        sizes = self.kernels.sizes
        self.check(sizes, z=z, m=m, u=u)
        q = np.asarray(self.system.unit(q, "applied: q"), dtype=float)
        P = self.numbers() if p is None else p
        if (sizes["z"] and z is None) or (sizes["m"] and m is None):
            z0, m0 = self.at_start(t, q, v, u, P)
            z, m = z0 if z is None else z, m0 if m is None else m
        fill = {"z": z, "m": m, "u": u, "p": P}
        rest = (
            np.zeros(sizes[x]) if fill[x] is None else np.asarray(fill[x], float) for x in "zmup"
        )
        with np.errstate(all="ignore"):  # branches that are not taken
            return self.kernels["applied"](t, q, v, *rest) + self._steps(q, P)

    def _steps(self, q, P) -> np.ndarray | float:
        """Generalized forces of the vertical steps of tables, by the side that q is on.  # FO.45"""
        rows = [e for e in self.system.switched if e.stores]
        if not rows:
            return 0.0
        from ..dynamics import AT_STEP

        lead = np.broadcast_shapes(q.shape[:-1], P.shape[:-1])
        Q, P = (_spread(x, lead) for x in (q, P))
        out = np.zeros((len(Q), self.system.nv))
        for at, p, tau in zip(Q, P, out, strict=True):
            tree = self.system.floats(dict(zip(self.system.parameters, p.tolist(), strict=True)))
            for e in rows:
                off, half = float(e.offset(tree, at)), float(tree.K.number(e.friction.static))
                if abs(off) <= AT_STEP:
                    raise KernelError(
                        f"applied: {self.system.name!r} is on the vertical step {e.name!r}, where "
                        f"its tension is anything up to {half:g} {e.efforts[0]} either way of its "
                        "middle; give a position beside it, or take the force from a run"
                    )
                for j, push in e.pushed(tree, np.sign(off)):
                    tau[j] += push
        return out.reshape(*lead, -1)

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

    def at_start(self, t, q, v, u, P=None):
        """States and memory of the elements, each of shape (..., size); P is every parameter."""
        from ..dynamics import start

        P = self.numbers() if P is None else P
        q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
        given = (q, v, P) if u is None else (q, v, P, np.asarray(u, dtype=float))
        lead = np.broadcast_shapes(np.shape(t), *(x.shape[:-1] for x in given))
        rows = (_spread(x, lead) for x in given)
        motion, times, found = self.motion, np.broadcast_to(t, lead).ravel(), []
        for x, at, speed, p, *push in zip(times, *rows, strict=True):
            motion.K.parameters |= dict(zip(self.system.parameters, p.tolist(), strict=True))
            given_u = push[0] if push else u
            found.append(start(self.system, motion.K, x, at, speed, given_u, motion))
        return (
            np.array([getattr(x, n) for x in found], dtype=float).reshape(*lead, -1) for n in "zm"
        )

    def rows(self, q, v, *others, t=0.0, P=None):
        """States as rows, the elements as at a start, and the leading axes."""
        from .state_evaluation import StateRows

        q = self.system.unit(q)
        given = [np.asarray(x, dtype=float) for x in (q, v, *others)]
        lead = np.broadcast_shapes(np.shape(t), *(x.shape[:-1] for x in given))
        q, v = (
            np.broadcast_to(x, (*lead, n)).reshape(-1, n)
            for x, n in zip(given, (self.system.nq, self.system.nv), strict=False)
        )
        n, u = len(q), np.zeros(len(self.system.layout.u))
        t = np.broadcast_to(np.asarray(t, dtype=float), lead).ravel()
        z, m = (x.reshape(n, -1) for x in self.at_start(t, q, v, u, P))
        return StateRows(t, q, v, z, m, np.broadcast_to(u, (n, len(u)))), lead

    def outputs(self, name, names, p: Any = None, w=None):
        """Quantities by columns, at one set of parameters."""
        from .state_evaluation import Outputs

        if w is not None or np.ndim(p) > 1:
            raise KernelError(
                f"{name}: with the model's force elements one set of parameters and no w= can be "
                "taken; use forces=False"
            )
        given = {} if p is None else dict(zip(names, np.atleast_1d(p), strict=True))
        known = self.system.valued(given)
        return Outputs(self.system, [np.nan if x is None else float(x) for x in known.values()])


def _spread(x: np.ndarray, lead: tuple[int, ...]) -> np.ndarray:
    """Rows (..., n) as (count, n), one for each place of the leading axes."""
    return np.broadcast_to(x, (*lead, x.shape[-1])).reshape(int(np.prod(lead)), x.shape[-1])
