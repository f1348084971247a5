"""Kernels of a simulation: flow, guards, jump, Jacobian, outputs, by the one native interface.

Inputs of each, in order: t, q, v, z, m, u, p (then `k` for the jump, `a` for outputs).
"""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np

from .. import kinematics
from ..dynamics import reactions
from ..dynamics.constraints import rows
from ..dynamics.elements import Moment
from ..dynamics.flow import Motion, sizes
from ..dynamics.tree_form import generalised_forces
from ..errors import KernelError
from ..formalisms import lagrange, newton_euler
from ..scalar import Graph, vector
from .kernel import Kernel

PORTS = ("t", "q", "v", "z", "m", "u", "p")


@lru_cache(maxsize=64)
def motion_kernels(system) -> MotionKernels:
    """The kernels of a system; made once, so that a second run of it starts at once."""
    return MotionKernels(system)


class MotionKernels:
    """Kernels of one system in motion, each compiled when first used."""

    def __init__(self, system, constraints=None):
        self.system, self.constraints = system, constraints
        self.sizes = {"t": 1, "q": system.nq, "v": system.nv, "k": 1, "a": system.nv} | {
            x: sizes(system)[f"n{x}"] for x in "zmup"}
        self._kernels: dict[str, Kernel] = {}

    def __getitem__(self, name: str) -> Kernel:
        if name not in self._kernels:
            words = repr((self.system.digest, "motion", name, repr(self.constraints)))
            self._kernels[name] = Kernel(
                name, lambda: self._build(name), shapes=self._shapes(name),
                key=hashlib.sha256(words.encode()).digest())
        return self._kernels[name]

    def _shapes(self, name):
        n = sum(self.sizes[x] for x in "qvz")
        return {"t": (), "k": ()} | {"jacobian": {"J": (n, n)}, "energies": {"T": (), "U": ()}}.get(
            name, {})

    def _build(self, name):
        K = Graph()
        p = K.symbols(self.system.parameters)
        K.parameters.update(zip(self.system.parameters, p, strict=True))
        missing = [x for x in self.system.symbols if x not in K.parameters]
        if missing:
            raise KernelError(f"no value is known for {', '.join(map(repr, missing))}; give "
                              "nominal values in Model(parameters={...})")
        columns = {x: K.symbols(f"{x}{i}" for i in range(self.sizes[x]))
                   for x in (*PORTS[:-1], "k", "a")}
        columns["p"] = p
        now = Moment(columns["t"][0], *(columns[x] for x in ("q", "v", "z", "m", "u")))
        motion = Motion(self.system, K, self.constraints)
        extra, results = getattr(self, f"_{name}")(K, motion, now, columns)
        names = [*PORTS, *extra]
        lib = K.lib
        values = {n: x if isinstance(x, lib.SX) else K.sx(x) for n, x in results.items()}
        return lib.Function(name, [K.sx(columns[x]) for x in names],
                            [lib.densify(x) for x in values.values()], names, list(values))

    def _flow(self, K, motion, now, columns):
        f = motion.flow(now)
        return (), {"qdot": f.qdot, "vdot": f.vdot, "zdot": f.zdot}

    def _project(self, K, motion, now, columns):
        q, v = motion.constraints.project(motion.lean, now)
        return (), {"q1": q, "v1": v}

    def _multipliers(self, K, motion, now, columns):
        return (), {"lam": motion.flow(now).lam}

    def _closure(self, K, motion, now, columns):
        """Residuals of positions, and the Jacobian of every row that always holds."""
        r = rows(motion.tree, self.system, now.t, now.q, now.v)
        return (), {"phi": r.phi, "J": r.J.ravel()}

    def _carried(self, K, motion, now, columns):
        """Wrench of every loop on its child, at and in its frame M."""
        rows, lam = motion.constraints.solved(motion.tree, now, motion.flow(now).lam)
        held = reactions.carried(motion.tree, self.system, rows, now.q, lam)
        found = (held.on_child[n].array for n in reactions.names(self.system))
        return (), {"F": vector(x for six in found for x in six)}

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

    def _settle(self, K, motion, now, columns):
        return ("k",), {"m1": motion.settle(now, columns["k"][0])}

    def _integrate(self, K, motion, now, columns):
        return ("a",), {"q1": kinematics.integrate(motion.tree, now.q, columns["a"])}

    def _energies(self, K, motion, now, columns):
        T, U = motion.energies(now)
        return (), {"T": vector([T]), "U": vector([U])}

    def _elements(self, K, motion, now, columns):
        """Force, deflection, rate, stored energy, power lost, power supplied, mode."""
        rows = []
        for e, a in zip(motion.elements, motion.loads(now).acting, strict=True):
            mode = e.law.mode(K, a.seen) if e.law is not None else 0
            rows += [a.force, a.deflection, a.seen.rate, a.potential, a.dissipation, a.supply, mode]
        return (), {"y": vector(rows)}

    def _efforts(self, K, motion, now, columns):
        return (), {"tau": motion.loads(now).tau}

    def _applied(self, K, motion, now, columns):
        """Generalised forces of every element."""
        loads = motion.loads(now)
        return (), {"Q": loads.tau + generalised_forces(motion.tree, now.q, loads.wrenches)}

    def _applied_each(self, K, motion, now, columns):
        """Generalised forces of each element, one after the other."""
        rows = []
        for acting in motion.loads(now).acting:
            wrenches = {}
            for link, F in acting.wrenches:
                wrenches[link] = wrenches[link] + F if link in wrenches else F
            Q = generalised_forces(motion.tree, now.q, wrenches)
            for i, x in acting.efforts:
                Q[i] = Q[i] + x
            rows += list(Q)
        return (), {"Q": vector(rows)}

    def _reactions(self, K, motion, now, columns):
        wrenches = motion.loads(now).wrenches
        if motion.constraints is not None:
            rows, lam = motion.constraints.solved(motion.tree, now, motion.flow(now).lam)
            held = reactions.carried(motion.tree, self.system, rows, now.q, lam)
            wrenches = reactions.merged(wrenches, held.wrenches)
        solved = newton_euler.solve(motion.tree, now.q, now.v, columns["a"], wrenches)
        return ("a",), {"F": vector(x for F in solved.reactions for x in F.array)}

    def _frames(self, K, motion, now, columns):
        """Pose (12 numbers), velocity (6), acceleration (6), world axes, of bodies and frames."""
        tree, rows = motion.tree, []
        moved = kinematics.accelerations(tree, now.q, now.v, columns["a"])
        for name in self.system.places:
            if name == "world":
                continue
            rows += list(_frame(tree, moved, name))
        return ("a",), {"y": vector(rows)}

    def _kinetic(self, K, motion, now, columns):
        T, _ = lagrange.energies(motion.tree, now.q, now.v)
        return (), {"T": vector([T])}


def _frame(tree, moved, name):
    from ..spatial import cross
    place = tree.place(name)
    moving, rate = moved[place.link]
    V, A = (place.X_LB.pull_twist(x) for x in (moving.V, rate))
    X = moving.X_W @ place.X_LB
    yield from X.R.ravel()
    yield from X.p
    yield from np.concatenate([X.rotate(V.angular), X.rotate(V.linear)])
    point = A.linear + cross(V.angular, V.linear)
    yield from np.concatenate([X.rotate(A.angular), X.rotate(point)])
