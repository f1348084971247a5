"""Applied forces at states of q and v: laws have their initial states and history."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import KernelError
from ..scalars import Floats

if TYPE_CHECKING:
    from ..system import System
    from .motion import MotionKernels


class AppliedForces:
    """Generalized forces and energies of force elements.  Inputs are zero by default."""

    def __init__(self, system: System):
        self.system = system

    @cached_property
    def has_potential(self) -> bool:
        """Whether an element may store energy."""
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
        """The equation of motion over floats, for initial states of laws."""
        from ..dynamics import Motion

        return Motion(self.system, Floats(self.system.parameters))

    def parameter_values(self, names=(), p=None) -> np.ndarray:
        """Every parameter, (..., count): `p` those of `names`, the others by them or nominal."""
        rows_of_values = np.zeros(0) if p is None else np.asarray(p, dtype=float)
        names = () if p is None else names
        complete = [
            [np.nan if x is None else float(x) for x in self.system.valued(dict(row)).values()]
            for row in (
                zip(names, one, strict=True) for one in rows_of_values.reshape(-1, len(names) or 1)
            )
        ] or [[np.nan if x is None else float(x) for x in self.system.parameters.values()]]
        return np.array(complete).reshape(*rows_of_values.shape[:-1], len(self.system.parameters))

    def applied(self, t, q, v, z=None, m=None, u=None, p=None) -> np.ndarray:
        """Generalized forces, shape (..., nv); `p` is every parameter, nominal when left out."""
        sizes = self.kernels.sizes
        self.check_sizes(sizes, z=z, m=m, u=u)
        q = np.asarray(self.system.unit(q, "applied: q"), dtype=float)
        P = self.parameter_values() if p is None else p
        if (sizes["z"] and z is None) or (sizes["m"] and m is None):
            z0, m0 = self.initial_history(t, q, v, u, P)
            z, m = z0 if z is None else z, m0 if m is None else m
        inputs = {"z": z, "m": m, "u": u, "p": P}
        columns = (
            np.zeros(sizes[x]) if inputs[x] is None else np.asarray(inputs[x], float)
            for x in "zmup"
        )
        with np.errstate(all="ignore"):  # branches that are not taken
            return self.kernels["applied"](t, q, v, *columns) + self._table_steps(q, P)

    def _table_steps(self, q, P) -> np.ndarray | float:
        """Generalized forces of the vertical steps of tables, by the side that q is on.  # FO.45"""
        rows = [e for e in self.system.switched if e.stores]
        if not rows:
            return 0.0
        from ..dynamics import STEP_DEFLECTION

        lead = np.broadcast_shapes(q.shape[:-1], P.shape[:-1])
        Q, P = (broadcast_rows(x, lead) for x in (q, P))
        out = np.zeros((len(Q), self.system.nv))
        for position, p, tau in zip(Q, P, out, strict=True):
            tree = self.system.floats(dict(zip(self.system.parameters, p.tolist(), strict=True)))
            for e in rows:
                offset, half = (
                    float(e.offset(tree, position)),
                    float(tree.K.number(e.friction.static)),
                )
                if abs(offset) <= STEP_DEFLECTION:
                    raise KernelError(
                        f"applied: {self.system.name!r} is on the vertical step {e.name!r}, where "
                        f"its tension is anything up to {half:g} {e.efforts[0]} either way of its "
                        "middle; give a position beside it, or take the force from a run"
                    )
                for j, force in e.pushed(tree, np.sign(offset)):
                    tau[j] += force
        return out.reshape(*lead, -1)

    def check_sizes(self, sizes, **arrays) -> None:
        """Tells a wrong number of states, memories or inputs, with their names."""
        names = {
            "u": [f"{e.name} ({e.size})" if e.size > 1 else e.name for e in self.system.inputs]
        }
        for x, array in arrays.items():
            if array is not None and np.shape(array)[-1:] != (sizes[x],):
                noun = {"z": "states", "m": "memory", "u": "inputs"}[x]
                listed = ", ".join(names.get(x, ()))
                raise KernelError(
                    f"applied: {x}= has the shape {np.shape(array)}, but the model "
                    f"has {sizes[x]} numbers of {noun}{f': {listed}' * bool(listed)}"
                    f"; expected (..., {sizes[x]})"
                )

    def initial_history(self, t, q, v, u, P=None):
        """States and memory of the elements, each of shape (..., size); P is every parameter."""
        from ..dynamics import start

        P = self.parameter_values() if P is None else P
        q, v = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
        arrays = (q, v, P) if u is None else (q, v, P, np.asarray(u, dtype=float))
        lead = np.broadcast_shapes(np.shape(t), *(x.shape[:-1] for x in arrays))
        rows = (broadcast_rows(x, lead) for x in arrays)
        motion, times, states = self.motion, np.broadcast_to(t, lead).ravel(), []
        for x, position, speed, p, *input_rows in zip(times, *rows, strict=True):
            motion.K.parameters |= dict(zip(self.system.parameters, p.tolist(), strict=True))
            inputs = input_rows[0] if input_rows else u
            states.append(start(self.system, motion.K, x, position, speed, inputs, motion))
        return (
            np.array([getattr(x, n) for x in states], dtype=float).reshape(*lead, -1) for n in "zm"
        )

    def state_rows(self, q, v, *others, t=0.0, P=None):
        """States as rows, the elements as at a start, and the leading axes."""
        from .state_evaluation import StateRows

        q = self.system.unit(q)
        arrays = [np.asarray(x, dtype=float) for x in (q, v, *others)]
        lead = np.broadcast_shapes(np.shape(t), *(x.shape[:-1] for x in arrays))
        q, v = (
            np.broadcast_to(x, (*lead, n)).reshape(-1, n)
            for x, n in zip(arrays, (self.system.nq, self.system.nv), strict=False)
        )
        n, u = len(q), np.zeros(len(self.system.layout.u))
        t = np.broadcast_to(np.asarray(t, dtype=float), lead).ravel()
        z, m = (x.reshape(n, -1) for x in self.initial_history(t, q, v, u, P))
        return StateRows(t, q, v, z, m, np.broadcast_to(u, (n, len(u)))), lead

    def outputs(self, name: str, names, p: Any = None, w=None):
        """Quantities by columns, at one set of parameters."""
        from .state_evaluation import Outputs

        if w is not None or np.ndim(p) > 1:
            raise KernelError(
                f"{name}: with the model's force elements one set of parameters and no w= can be "
                "taken; use forces=False"
            )
        values = {} if p is None else dict(zip(names, np.atleast_1d(p), strict=True))
        complete = self.system.valued(values)
        return Outputs(self.system, [np.nan if x is None else float(x) for x in complete.values()])


def broadcast_rows(x: np.ndarray, lead: tuple[int, ...]) -> np.ndarray:
    """Rows (..., n) as (count, n), one for each index of the leading axes."""
    return np.broadcast_to(x, (*lead, x.shape[-1])).reshape(int(np.prod(lead)), x.shape[-1])
