"""Code generation: a controller with its model as one C file for a sampled loop.  Equation CT.6."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ...errors import TorseurError
from ...files import place, plain, write
from ...system import System


def export_controller(controller: Any, path: str | os.PathLike[str]) -> Path:
    """Write a controller as self-contained C99: `control(q, v, ..., u)`, called once per period.

    `controller` is a `ComputedTorque`, a `PDGravity`, the regulator of `lqr` or a `GainSchedule`.
    The file documents the order of every array: coordinates, speeds, references (computed torque
    `q_d, v_d, a_d`, PD the target) and inputs.  It has no static variables and allocates no memory.

    >>> import tempfile
    >>> import torseur as ts
    >>> arm = ts.from_dh([("pi/2", 0, 0, 0)], [ts.Body("a", 1, (0.5, 0, 0))],
    ...                  convention="modified", actuate=True)
    >>> pd = ts.robots.PDGravity(arm, {"joint1.angle": 1.0}, 30.0, 5.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text = export_controller(pd, f"{folder}/pd.c").read_text()
    >>> "control(const double *restrict q" in text
    True
    """
    import casadi

    from ...compiler import read
    from ...compiler.codegen import c_printer

    path = place(path)
    if path.suffix not in (".c", ".h"):
        raise TorseurError(f"cannot export to {path.name!r}: expected a name that ends in .c or .h")
    s = controller.system
    graph = _SymbolicModel(s)
    references = {n: casadi.SX.sym(n, s.nv) for n in controller.references}
    u = controller.formula(graph, *references.values())
    f = casadi.Function(
        "control", [graph.q, graph.v, *references.values()], [u], ["q", "v", *references], ["u"]
    )
    about = [
        f"{type(controller).__name__} of {s.name}",
        f"q, references: {', '.join(s.coordinates)}",
        f"v: {', '.join(s.speeds)}",
        f"u: {', '.join(controller.pushes)}",
    ]
    return write(path, c_printer.c([read(f)], "; ".join(plain(x) for x in about)))


class _SymbolicModel:
    """The model as CasADi expressions of q and v, for the formulas of controllers."""

    def __init__(self, system: System):
        """Build the graph of a system without history and states of force laws."""
        import casadi

        from ...dynamics import Motion
        from ...scalars import Graph

        if bad := [repr(e.name) for e in system.elements if e.memory or e.states]:
            raise TorseurError(
                f"{system.name!r}: the forces of {', '.join(bad)} depend on "
                "their history, which a static controller does not have; leave them out of its "
                "model"
            )
        self.lib, self.system, self.K = casadi, system, Graph()
        self._q, self._v = (
            self.K.symbols(f"{x}{i}" for i in range(n))
            for x, n in (("q", system.nq), ("v", system.nv))
        )
        self.q, self.v = self.K.sx(self._q), self.K.sx(self._v)
        self.motion = Motion(system, self.K)

    def efforts(self, a: Any, at_rest: bool = False):
        """Inverse dynamics with force elements: efforts for accelerations `a`, at v = 0 if
        `at_rest`.
        """
        from ...dynamics import Moment
        from ...formalisms import newton_euler
        from ...scalars import vector

        s, K = self.system, self.K
        zero = vector([0] * s.nv)
        v = zero if at_rest else self._v
        unknown = K.symbols(f"a{i}" for i in range(s.nv))
        u = vector([0] * sum(e.size for e in s.inputs))
        state = Moment(0, self._q, v, vector(()), vector(()), u)
        tau = newton_euler.inverse_dynamics(self.motion.tree, self._q, v, unknown)
        column = K.sx(tau - self.motion.applied(state))
        return self.lib.substitute(column, K.sx(unknown), a)


__all__ = ["export_controller"]
