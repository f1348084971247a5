"""Kernels of a simulation: flow, guards, jump, Jacobian, by the one native interface.

Inputs of each, in order: t, q, v, z, m, u, p (then `k` for the jump, `a` for a small motion).
What results show is in `outputs`, which compiles nothing.
"""

from __future__ import annotations

import hashlib
from functools import cached_property, lru_cache

from .. import kinematics
from ..compiler import Kernel
from ..dynamics import Constraints, Moment, Motion
from ..errors import KernelError
from ..numbers import Graph, values, vector
from . import ports as quantities

PORTS = ("t", "q", "v", "z", "m", "u", "p")


@lru_cache(maxsize=64)
def motion_kernels(system) -> MotionKernels:
    """The kernels of a system; made once, so that a second run of it starts at once."""
    return MotionKernels(system)


class MotionKernels:
    """Kernels of one system in motion, each compiled when first used."""

    def __init__(self, system, constraints=None):
        self.system, self.constraints = system, constraints
        at = system.layout
        self.sizes = {x: len(getattr(at, x)) for x in PORTS} | {"k": 1, "a": system.nv}
        self._kernels: dict[str, Kernel] = {}

    def __getitem__(self, name: str) -> Kernel:
        if name in self._kernels:
            return self._kernels[name]
        loop = name == "flow" and self.looped
        words = repr((self.system.digest, "motion", name, repr(self.constraints), loop))
        made = Kernel(
            name,
            self._rolled if loop else lambda: self._build(name),
            loop=loop,
            shapes=self._shapes(name),
            key=hashlib.sha256(words.encode()).digest(),
            lanes=name == "applied",
        )
        return self._kernels.setdefault(name, made)  # one for all threads: code lives with it

    @cached_property
    def looped(self) -> bool:
        """Whether the flow is a loop over links: a long tree whose links depend on no parameter."""
        s = self.system
        numbers = (
            x
            for k in s.links
            for x in (
                *k.X_PF.R.ravel(),
                *k.X_PF.p,
                *k.inertia.parameters(),
                *k.armature,
                *k.joint.constants(),
            )
        )
        return (
            quantities.looped(s, "forward_dynamics", (), ())
            and Constraints.of(s) is None
            and not values.symbols(vector([*s.gravity, *numbers]))
        )

    def _rolled(self):
        from ..compiler import read
        from . import rolled
        from .rolled_flow import RolledFlow

        return RolledFlow(
            read(self._build("driven"), self._shapes("driven")),
            rolled.make(self.system, "forward_dynamics"),
        )

    def _shapes(self, name):
        n = sum(self.sizes[x] for x in "qvz")
        return {"t": (), "k": ()} | ({"J": (n, n)} if name == "jacobian" else {})

    def _build(self, name):
        K = Graph()
        p = K.symbols(self.system.parameters)
        K.parameters.update(zip(self.system.parameters, p, strict=True))
        missing = [x for x in self.system.symbols if x not in K.parameters]
        if missing:
            raise KernelError(
                f"no value is known for {', '.join(map(repr, missing))}; give "
                "nominal values in Model(parameters={...})"
            )
        columns = {
            x: K.symbols(f"{x}{i}" for i in range(self.sizes[x])) for x in (*PORTS[:-1], "k", "a")
        }
        columns["p"] = p
        now = Moment(columns["t"][0], *(columns[x] for x in ("q", "v", "z", "m", "u")))
        motion = Motion(self.system, K, self.constraints)
        extra, results = getattr(self, f"_{name}")(K, motion, now, columns)
        names = [*PORTS, *extra]
        lib = K.lib
        values = {n: x if isinstance(x, lib.SX) else K.sx(x) for n, x in results.items()}
        return lib.Function(
            name,
            [K.sx(columns[x]) for x in names],
            [lib.densify(x) for x in values.values()],
            names,
            list(values),
        )

    def _flow(self, K, motion, now, columns):
        f = motion.flow(now)
        held = {} if motion.constraints is None else {"lam": f.lam}
        return (), {"qdot": f.qdot, "vdot": f.vdot, "zdot": f.zdot} | held

    def _driven(self, K, motion, now, columns):
        return (), dict(zip(("qdot", "force", "zdot"), motion.driven(now), strict=True))

    def _project(self, K, motion, now, columns):
        q, v = motion.constraints.project(motion.lean, now)
        return (), {"q1": q, "v1": v}

    def _jacobian(self, K, motion, now, columns):
        f = motion.flow(now)
        rates = K.lib.vertcat(*map(K.sx, (f.qdot, f.vdot, f.zdot)))
        state = K.lib.vertcat(*(K.sx(columns[x]) for x in "qvz"))
        return (), {"J": K.lib.jacobian(rates, state), "ft": K.lib.jacobian(rates, K.sx(now.t))}

    def _gains(self, K, motion, now, columns):
        f = motion.flow(now)
        rates = K.lib.vertcat(*map(K.sx, (f.qdot, f.vdot, f.zdot)))
        return (), {"Ju": K.lib.jacobian(rates, K.sx(now.u))}

    def _guards(self, K, motion, now, columns):
        return (), {"g": motion.guards(now)}

    def _jump(self, K, motion, now, columns):
        v, z, m = motion.jump(now, columns["k"][0])
        return ("k",), {"v1": v, "z1": z, "m1": m}

    def _integrate(self, K, motion, now, columns):
        return ("a",), {"q1": kinematics.integrate(motion.tree, now.q, columns["a"])}

    def _applied(self, K, motion, now, columns):
        """Generalised forces of every element."""
        return (), {"Q": motion.applied(now)}
