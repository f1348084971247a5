"""Constrained mechanisms in numbers: assembly, mobility, and four solutions of one equation."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..dynamics import constrained, constraints, mobility, reactions
from ..dynamics.reactions import MULTIPLIER
from ..errors import AssemblyError, IntegrationError, TorseurError, system_of, unknown_name
from ..kinematics import assembly, integrate
from ..scalar import Graph, vector
from ..system.constraints import LoopRows, elements, frictions

SOLUTIONS = ("multipliers", "null_space", "elimination", "penalty")


class State(NamedTuple):
    """Coordinates and speeds that meet every constraint."""

    q: np.ndarray
    v: np.ndarray


class Choice(NamedTuple):
    """Indices of the speeds that lead, and of those that follow."""

    independent: tuple[int, ...]
    dependent: tuple[int, ...]


class Terms(NamedTuple):
    """Everything the constrained equation is made of, at one state."""

    M: np.ndarray
    h: np.ndarray
    phi: np.ndarray
    psi: np.ndarray
    J: np.ndarray
    gamma: np.ndarray


_made: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def constrained_system(model) -> Constrained:
    """The numbers of a model's constraints; made once a system."""
    system = system_of(model, "constraints")
    if system not in _made:
        _made[system] = Constrained(system)
    return _made[system]


class Constrained:
    """Residuals, matrices and solutions of a system with loops or constraints, as functions."""

    def __init__(self, system):
        self.system = system
        K = self.K = Graph()
        self.tree = system.over(K)
        self.elements = elements(system)
        self.t, self.q = K.symbol("t"), K.symbols(f"q{i}" for i in range(system.nq))
        self.v, self.tau = (K.symbols(f"{s}{i}" for i in range(system.nv)) for s in ("v", "tau"))
        self.rows = constraints.rows(self.tree, system, self.t, self.q, self.v)

    @cached_property
    def multipliers(self) -> tuple[tuple[str, str], ...]:
        """Name and unit of each multiplier: "motor.multiplier", "contact.slip1.multiplier"."""
        out = []
        for name, i in zip(self.rows.names, self.rows.owners, strict=True):
            e = self.elements[i]
            label = name[len(e.name) + 1:]
            alone = sum(x.size for x in self.elements if x.name == e.name) == 1
            unit = MULTIPLIER.get(e.units[e.labels.index(label)], "1")
            out.append((f"{e.name}.multiplier" if alone else f"{name}.multiplier", unit))
        out += [(f"{e.name}.multiplier", MULTIPLIER.get(e.units[0], "1"))
                for e in frictions(self.system)]
        return tuple(out)

    def _function(self, name, inputs, outputs):
        K = self.K
        def port(x):
            return K.sx(x) if isinstance(x, np.ndarray) else K.sx(vector((x,)))
        f = K.lib.Function(name, [port(x) for x in inputs],
                           [K.lib.densify(port(x)) for x in outputs])
        shapes = [x.shape if isinstance(x, np.ndarray) else () for x in outputs]
        return lambda *args: [np.array(y).reshape(s)
                              for y, s in zip(f.call([np.asarray(a, dtype=float) for a in args]),
                                              shapes, strict=True)]

    @cached_property
    def _position(self):
        n = len(self.rows.phi)
        return self._function("position", (self.t, self.q), (self.rows.phi, self.rows.J[:n]))

    @cached_property
    def _terms(self):
        r, (M, h) = self.rows, constrained.terms(self.tree, self.q, self.v)
        return self._function("terms", (self.t, self.q, self.v),
                              (M, h, r.phi, r.psi, r.J, r.gamma))

    @cached_property
    def _integrate(self):
        moved = integrate(self.tree, self.q, self.v)
        return self._function("integrate", (self.q, self.v), (moved,))

    @cached_property
    def _flow(self):
        s = constrained.forward_dynamics(self.tree, self.system, self.t, self.q, self.v, self.tau)
        return self._function("flow", (self.t, self.q, self.v, self.tau), (s.a, s.lam))

    @cached_property
    def _project(self):
        p = constrained.project(self.tree, self.system, self.t, self.q, self.v)
        return self._function("project", (self.t, self.q, self.v), tuple(p))

    def position(self, q, t=0.0) -> tuple[np.ndarray, np.ndarray]:
        """Residuals of positions, and their Jacobian along the speeds."""
        phi, J = self._position(t, q)
        return phi, J

    def terms(self, q, v, t=0.0) -> Terms:
        """Mass matrix, bias, residuals, Jacobian and right-hand side."""
        return Terms(*self._terms(t, q, v))

    def integrate(self, q, dv) -> np.ndarray:
        return self._integrate(q, dv)[0]

    def project(self, q, v, t=0.0, most=8) -> State:
        """The state moved onto the constraints, orthogonally in the metric of the masses."""
        tolerance = 16 * np.finfo(float).eps
        for _ in range(most):
            scale = max(1.0, abs(q).max(initial=0.0), abs(v).max(initial=0.0))
            q1, v1, far, fast = self._project(t, q, v)
            if max(far, fast) <= tolerance * scale:
                break
            q, v = q1, v1
        return State(q, v)

    # ---- assembly ------------------------------------------------------------------------------

    def names(self, wanted, known, what) -> list[int]:
        bad = [unknown_name(what, n, known, "assemble") for n in wanted if n not in known]
        if bad:
            raise TorseurError("\n".join(bad))
        return [known.index(n) for n in wanted]

    def assemble(self, near: Mapping[str, float] = {}, keep=None, t=0.0, q0=None) -> State:
        """A state that meets every constraint, near the named one.

        `keep` names coordinates and speeds that must not change; by default all that are named.
        The others move as little as the inertias allow.
        """
        system = self.system
        q, v = system.state(near)
        if q0 is not None:
            given = system.state({n: x for n, x in near.items() if n in system.coordinates})[0]
            q = np.where(given != system.neutral(), given, q0)
        for k in system.links:
            if (i := k.joint.quaternion) is not None:
                unit = slice(k.q.start + i, k.q.start + i + 4)
                q[unit] /= np.linalg.norm(q[unit])
        keep = tuple(near) if keep is None else tuple(keep)
        self.names([n for n in keep if n not in system.speeds], system.coordinates,
                   "coordinate or speed")
        M = self.terms(q, v, t).M
        weight = np.maximum(np.diag(M), 1e-9 * np.diag(M).max(initial=1.0))
        kept_q = self._speeds_of(n for n in keep if n in system.coordinates)
        found = self._search(q, weight, kept_q, t)
        if not found.done or self._reversed(found.q):
            found = self._search_around(q, weight, kept_q, t) or self._explain(
                found, q, weight, kept_q, keep, t)
        q = found.q
        kept_v = [system.speeds.index(n) for n in keep if n in system.speeds]
        terms = self.terms(q, v, t)
        v, left = assembly.speeds(terms.J, terms.psi, v, np.diag(terms.M), kept_v)
        if abs(left).max(initial=0.0) > 1e-9 * max(1.0, abs(v).max(initial=0.0)):
            worst = int(np.argmax(abs(left)))
            raise AssemblyError(
                f"speeds cannot meet {self.rows.names[worst]!r}: {left[worst]:.3g} is left with "
                f"{', '.join(n for n in keep if n in system.speeds) or 'nothing'} kept; keep fewer")
        return State(q, v)

    def _speeds_of(self, names) -> list[int]:
        """Speeds along which a kept coordinate would move."""
        out = []
        for name in names:
            i = self.system.coordinates.index(name)
            for k in self.system.links:
                if k.q.start <= i < k.q.stop:
                    whole = range(k.v.start, k.v.stop)
                    out += [k.v.start + i - k.q.start] if k.joint.holonomic else list(whole)
        return sorted(set(out))

    def _search(self, q, weight, kept, t):
        return assembly.assemble(lambda x: self.position(x, t), self.integrate, q, weight, kept)

    def _search_around(self, q, weight, kept, t, tries=24):
        """Searches from states around the given one, wider and wider; None when all fail."""
        rng = np.random.default_rng(17)
        for i in range(tries):
            dv = rng.normal(size=self.system.nv) * 0.1 * 1.15**i
            dv[kept] = 0
            found = self._search(self.integrate(q, dv), weight, kept, t)
            if found.done and not self._reversed(found.q):
                return found
        return None

    def _reversed(self, q) -> list[str]:
        """Loops whose residuals vanish with an axis the wrong way round."""
        tree, bad = self.system.floats(), []
        for e in self.elements:
            if isinstance(e, LoopRows) and e.reversed(tree, q):
                bad.append(e.name)
        return bad

    def gaps(self, phi) -> dict[str, float]:
        """Largest residual of each element that is not met, in the unit of its rows."""
        out: dict[str, float] = {}
        for x, owner in zip(phi, self.rows.owners, strict=False):
            name = self.elements[owner].name
            out[name] = max(out.get(name, 0.0), abs(float(x)))
        return {n: x for n, x in out.items() if x > 1e-9}

    def _explain(self, found, q, weight, kept, keep, t):
        system = self.system
        lines = [f"loop {n!r}: its parts are {x:.4g} m (or rad) apart"
                 for n, x in self.gaps(found.residual).items()]
        lines += [f"loop {n!r} closes only with its axis turned the other way: start closer"
                  for n in self._reversed(found.q)]
        free = self._search(found.q, weight, (), t) if kept else found
        names = [n for n in system.coordinates if n in keep] or list(system.coordinates[:6])
        which = free.q if free.done else found.q
        state = ", ".join(f"{n} = {which[system.coordinates.index(n)]:.6g}" for n in names)
        kind = "the nearest assembled state found has" if free.done else "the search ended at"
        raise AssemblyError("the mechanism does not assemble from this state"
                            f"{' with ' + ', '.join(keep) + ' kept' if keep else ''}:\n  "
                            + "\n  ".join(lines) + f"\n  {kind} {state}")

    # ---- mobility ------------------------------------------------------------------------------

    def mobility(self, q, t=0.0) -> mobility.Mobility:
        """Count, rank, redundant constraints and a choice of independent speeds at a position."""
        v = np.zeros(self.system.nv)
        here = self.terms(q, v, t)
        return mobility.mobility(self.system, self.elements, self.rows.names, self.rows.owners,
                                 here.J, here.M, self._nearby(q, here, t))

    def _nearby(self, q, here, t):
        rng, out = np.random.default_rng(11), []
        weight = np.maximum(np.diag(here.M), 1e-9)
        for _ in range(3):
            moved = self.integrate(q, 0.05 * rng.uniform(-1, 1, self.system.nv))
            found = self._search(moved, weight, (), t)
            if found.done:
                out.append(self.terms(found.q, np.zeros(self.system.nv), t).J)
        return out

    # ---- four solutions ------------------------------------------------------------------------

    def acceleration(self, q, v, tau=None, t=0.0, solution="multipliers", **options):
        """Accelerations and multipliers `(a, lam)` by one of the four solutions.

        - "multipliers": the matrix of masses and constraints, fixed order, proximal iterations
        - "null_space": projection onto the motions the constraints allow (singular values)
        - "elimination": dependent speeds solved for, an equation of the independent ones
        - "penalty": stiff constraints with augmented iterations; `weight`, `iterations`
        """
        tau = np.zeros(self.system.nv) if tau is None else np.asarray(tau, dtype=float)
        if solution not in SOLUTIONS:
            raise TorseurError(unknown_name("solution", solution, SOLUTIONS, "acceleration"))
        if solution == "multipliers":
            return tuple(self._flow(t, q, v, tau))
        x = self.terms(q, v, t)
        return getattr(self, f"_by_{solution}")(x, tau - x.h, **options)

    def _by_null_space(self, x, force):
        N, particular = null_space(x.J, x.gamma)
        y = np.linalg.solve(N.T @ x.M @ N, N.T @ (force - x.M @ particular))         # CS.1
        a = N @ y + particular
        return a, self._least_multipliers(x, a, force)

    def independent(self, q, t=0.0, before=None) -> Choice:
        """Independent speeds at a position; those of `before` while they stay good.

        They are good while no dependent speed runs away: the least singular value of the dependent
        columns has not fallen below a third of what another choice would give.
        """
        x = self.terms(q, np.zeros(self.system.nv), t)
        new = Choice(*map(tuple, mobility.independent_speeds(x.J, x.M)))
        if before is not None and len(before.dependent) == len(new.dependent):
            old, fresh = (least(x.J, x.M, c.dependent) for c in (before, new))
            return before if old > fresh / 3 else new                                 # CS.4
        return new

    def leading(self, q, t=0.0) -> tuple[list[int], np.ndarray]:
        """Independent speeds, and the (nv, f) matrix that gives all speeds from them."""
        x = self.terms(q, np.zeros(self.system.nv), t)
        independent, dependent = mobility.independent_speeds(x.J, x.M)
        T = np.zeros((self.system.nv, len(independent)))
        T[independent, range(len(independent))] = 1
        if dependent:
            T[dependent] = -np.linalg.lstsq(x.J[:, dependent], x.J[:, independent], rcond=None)[0]
        return independent, T

    def _by_elimination(self, x, force, choice=None):
        choice = choice or mobility.independent_speeds(x.J, x.M)
        independent, dependent = map(list, choice)
        nv, T, c = len(force), np.zeros((len(force), len(independent))), np.zeros(len(force))
        T[independent, range(len(independent))] = 1
        JD = x.J[:, dependent]
        T[dependent] = -np.linalg.lstsq(JD, x.J[:, independent], rcond=None)[0]       # CS.2
        c[dependent] = np.linalg.lstsq(JD, x.gamma, rcond=None)[0]
        y = np.linalg.solve(T.T @ x.M @ T, T.T @ (force - x.M @ c)) if independent else np.zeros(0)
        a = T @ y + c
        assert a.shape == (nv,)
        return a, self._least_multipliers(x, a, force)

    def _by_penalty(self, x, force, weight=1e4, iterations=6):
        scale = np.linalg.norm(x.M, 2)
        P = weight * scale * x.J.T
        A, lam = x.M + P @ x.J, np.zeros(len(x.gamma))
        for _ in range(iterations):                                                   # CS.3
            a = np.linalg.solve(A, force + P @ x.gamma + x.J.T @ lam)
            lam = lam - weight * scale * (x.J @ a - x.gamma)
        return a, lam

    def _least_multipliers(self, x, a, force):
        return np.linalg.lstsq(x.J.T, x.M @ a - force, rcond=None)[0]

    # ---- reactions ---------------------------------------------------------------------------

    @cached_property
    def _carried(self):
        lam = self.K.symbols(f"lam{i}" for i in range(len(self.rows)))
        held = reactions.carried(self.tree, self.system, self.rows, self.q, lam)
        names = tuple(held.on_child)
        a = self.K.symbols(f"a{i}" for i in range(self.system.nv))
        six = [held.on_child[n].array for n in names]
        joints = reactions.joint_wrenches(self.tree, self.q, self.v, a, held.wrenches)
        f = self._function("carried", (self.t, self.q, self.v, a, lam),
                           (np.array(six, dtype=object).reshape(-1, 6), joints, held.tau))
        return names, f

    def reactions(self, q, v, a, lam, t=0.0) -> dict[str, np.ndarray]:
        """Wrench (moment, force) of the parent on the child of every joint, loop and constraint.

        At and in the child's joint frame M.  For a rod, a line or a plane the parent is the second
        of its two ends.  External forces of the model are not included here.
        """
        names, f = self._carried
        loops, joints, _ = f(t, q, v, a, lam)
        own = {k.name: F for k, F in zip(self.system.links, joints, strict=True)}
        return own | dict(zip(names, loops, strict=True))

    def loop_reaction(self, name: str, q, lam) -> np.ndarray:
        """Wrench (moment, force) of the parent on the child of a loop, at and in its frame M."""
        names, f = self._carried
        if name not in names:
            raise TorseurError(unknown_name("loop", name, names, "loop_reaction"))
        rest = np.zeros(self.system.nv)
        return f(0.0, q, rest, rest, lam)[0][names.index(name)]

    # ---- motion --------------------------------------------------------------------------------

    def run(self, state: State, times, tau=None, solution="multipliers", substeps=1, project=True,
            **options):
        """Fixed-step Runge-Kutta of order 4 with projection after each step.

        With `solution="elimination"` the independent speeds are kept while they are good; `choices`
        lists when others were taken, and which.

        `times` is an even grid [s]; each interval takes `substeps` steps; `tau(t, q, v)` are
        efforts.  Returns q, v, lam over the grid.  For teaching and checks: `ts.simulate` is the
        compiled way.
        """
        q, v = state
        self.choices: list[tuple[float, tuple[str, ...]]] = []
        effort = tau or (lambda t, q, v: np.zeros(self.system.nv))
        Q, V, L = [q], [v], [self.acceleration(q, v, effort(times[0], q, v), times[0], solution,
                                               **options)[1]]
        for t0, t1 in pairwise(times):
            h = (t1 - t0) / substeps
            for i in range(substeps):
                if solution == "elimination":
                    options = {"choice": self._choose(t0 + i * h, q, options.get("choice"))}
                q, v = self._step(t0 + i * h, h, q, v, effort, solution, options)
                if project:
                    q, v = self.project(q, v, t0 + (i + 1) * h)
            if not np.isfinite(q).all():
                raise IntegrationError(f"{self.system.name}: the state is not finite at {t1:g} s")
            Q.append(q)
            V.append(v)
            L.append(self.acceleration(q, v, effort(t1, q, v), t1, solution, **options)[1])
        return np.array(Q), np.array(V), np.array(L)

    def _choose(self, t, q, before):
        choice = self.independent(q, t, before)
        if choice != before:
            self.choices.append((t, tuple(self.system.speeds[i] for i in choice.independent)))
        return choice

    def _step(self, t, h, q, v, effort, solution, options):
        def f(t, q, v):
            a = self.acceleration(q, v, effort(t, q, v), t, solution, **options)[0]
            return self._rates(q, v)[0], a
        k1 = f(t, q, v)
        k2 = f(t + h / 2, q + h / 2 * k1[0], v + h / 2 * k1[1])
        k3 = f(t + h / 2, q + h / 2 * k2[0], v + h / 2 * k2[1])
        k4 = f(t + h, q + h * k3[0], v + h * k3[1])
        q, v = (x + h / 6 * (a + 2 * b + 2 * c + d)
                for x, a, b, c, d in zip((q, v), k1, k2, k3, k4, strict=True))
        for k in self.system.links:
            if (i := k.joint.quaternion) is not None:
                s = slice(k.q.start + i, k.q.start + i + 4)
                q[s] /= np.linalg.norm(q[s])
        return q, v

    @cached_property
    def _rates(self):
        from ..kinematics import rates
        return self._function("rates", (self.q, self.v), (rates(self.tree, self.q, self.v),))


def initial_state(system, initial, keep=None, t=0.0) -> tuple[np.ndarray, np.ndarray]:
    """The named state, assembled when the system has loops or constraints."""
    if not elements(system):
        return system.state(initial)
    return constrained_system(system).assemble(initial, keep, t)


def least(J, M, dependent) -> float:
    """Least singular value of the dependent columns, rows scaled, speeds measured by inertia."""
    if not len(dependent):
        return 1.0
    A = mobility.scaled(J)[:, list(dependent)] / np.sqrt(np.diag(M))[list(dependent)]
    return float(np.linalg.svd(A, compute_uv=False)[-1])


def isolate(model, bodies, q, v, a) -> reactions.Isolation:
    """What everything outside must do to a set of bodies, for a motion: document 001's isolation.

    Returns the wrench (weight taken off; world axes, at the world's origin) and the names of the
    joints and loops that are cut.

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=2.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    >>> model = ts.Model(bodies=(rod,), joints=(ts.Joint("A", "world", "rod", ts.Revolute("y")),))
    >>> cut = isolate(model, "rod", [0.0], [0.0], [0.0])
    >>> cut.joints, cut.dynamic.force.tolist()
    (('A',), [0.0, 0.0, 19.62])
    """
    system = system_of(model, "constraints")
    given = (vector(np.asarray(x, dtype=float).tolist()) for x in (q, v, a))
    return reactions.isolate(system.floats(), system, bodies, *given)


def null_space(J, gamma) -> tuple[np.ndarray, np.ndarray]:
    """An orthonormal basis of the motions allowed, and the least motion with `J a = gamma`."""
    n = J.shape[1]
    if not J.size:
        return np.eye(n), np.zeros(n)
    U, s, Vt = np.linalg.svd(J)
    rank = int((s > 1e-9 * s[0]).sum())
    particular = Vt[:rank].T @ ((U.T @ gamma)[:rank] / s[:rank])
    return Vt[rank:].T, particular


def assemble(model, near: Mapping[str, float] = {}, keep=None, t: float = 0.0) -> State:
    """Coordinates and speeds of a model that meet every loop and constraint, near a named state.

    >>> import torseur as ts
    >>> bob = ts.Body("bob", mass=1.0, inertia=(1, 1, 1, 0, 0, 0))
    >>> model = ts.Model("pendulum", bodies=(bob,),
    ...                  joints=(ts.Joint("bob", "world", "bob", ts.Planar("z")),),
    ...                  constraints=(ts.Distance("rod", "bob", "world", length=2),))
    >>> q, v = assemble(model, {"bob.x": -1.9, "bob.y": 0.4}, keep=("bob.y",))
    >>> q.round(9).tolist()
    [0.0, -1.959591794, 0.4]
    """
    return constrained_system(model).assemble(near, keep, t)


def mobility_report(model, near: Mapping[str, float] = {}, keep=None, t: float = 0.0):
    """Mobility and hyperstaticity of a model, at the assembled state near a named one."""
    c = constrained_system(model)
    return c.mobility(c.assemble(near, keep, t).q, t)


__all__ = [
    "SOLUTIONS",
    "Choice",
    "Constrained",
    "State",
    "Terms",
    "assemble",
    "constrained_system",
    "isolate",
    "mobility_report",
    "null_space",
]
