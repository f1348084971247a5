"""Static balancing: devices chosen so that motors carry as little weight as can be.

Theory: BA.1 to BA.8.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..errors import ArgumentError, shown, unknown_name
from ..forces import Seen
from ..model import Model
from .devices import BalancingSpring, Device, check_devices
from .statics import Efforts, Where, carried

CRITERIA = ("rms", "peak", "mean")


@dataclass(frozen=True, slots=True, eq=False)
class Balance:
    """A balanced design.

    `values`: what was sought, by name ("spring.radius"); `value`: the criterion reached [N m];
    `active`: names of variables that stand at a bound; `model`: the model with its devices;
    `before`, `after`: efforts of the joints over the poses, (n, joints).
    """

    values: dict[str, float]
    value: float
    active: tuple[str, ...]
    model: Any
    criterion: str
    joints: tuple[str, ...]
    before: np.ndarray
    after: np.ndarray
    bounds: dict[str, tuple[float, float]]
    original: Any = field(repr=False)
    where: Any = field(repr=False)
    devices: tuple[Device, ...] = field(repr=False, default=())

    def table(self) -> str:
        """Peak and RMS of each joint's effort before and after, what was added, what is active."""
        lines = [f"{'joint':<12}{'peak before':>14}{'after':>14}{'rms before':>14}{'after':>14}"]
        w = self.where.weights[:, None]
        for i, name in enumerate(self.joints):
            b, a = self.before[:, i], self.after[:, i]
            rms = [float(np.sqrt((w[:, 0] * x**2).sum())) for x in (b, a)]
            lines.append(
                f"{name:<12}{abs(b).max():>14.6g}{abs(a).max():>14.6g}{rms[0]:>14.6g}{rms[1]:>14.6g}"
            )
        for name, x in self.values.items():
            lo, hi = self.bounds[name]
            stop = f", at its bound of {lo:g} to {hi:g}" if name in self.active else ""
            lines.append(f"{name} = {x:.10g}{stop}")
        lines.append(f"{self.criterion} of the effort that is left: {self.value:.10g}")
        lines.append(f"added mass: {self.added_mass:.6g} kg")
        return "\n".join(lines)

    __str__ = table

    @property
    def added_mass(self) -> float:
        """Mass of the devices [kg]."""
        mass = [sum(float(b.mass) for b in m.bodies) for m in (self.model, self.original)]
        return mass[0] - mass[1]

    def efforts(self, over=None, at=None) -> dict[str, np.ndarray]:
        """Static or dynamic efforts of every joint of the balanced model over other poses."""
        where = Where(self.original, over, at) if over is not None else self.where
        return dict(zip(self.joints, _efforts(self, self.model, where).T, strict=True))

    def apparent_inertia(self) -> dict[str, tuple[float, float]]:
        """Largest diagonal entry of the mass matrix over the poses, before and after [kg m2]."""
        from ..quantities import compile

        lead = list(self.original.check().speeds)
        T = carried(self.model.check(), lead)
        before = compile(self.original).mass_matrix(self.where.q)
        after = compile(self.model).mass_matrix(_fitted(self.model, self.original, self.where.q))
        after = T.T @ after @ T
        own = {n: self.original.check().link(n).v.start for n in self.joints}
        return {
            n: (float(before[:, i, i].max()), float(after[:, i, i].max())) for n, i in own.items()
        }

    def springs(self) -> dict[str, dict[str, float]]:
        """Of each spring between points its least and greatest `length` [m], its `stroke` [m] and
        its greatest `force` [N], over the poses."""
        from ..numbers import Floats
        from ..quantities import compile

        dyn = compile(self.model)
        q = _fitted(self.model, self.original, self.where.q)
        names = {d.name for d in self.devices if isinstance(d, BalancingSpring)}
        out = {}
        for f in self.model.forces:
            if f.name not in names:
                continue
            a, b = (_place(dyn, end, q) for end in (f.a, f.b))
            length = np.linalg.norm(b - a, axis=1)
            K = Floats()
            force = []
            for x in length:
                seen = Seen(float(x), 0.0)
                _, m = f.law.start(K, seen)
                force.append(float(f.law.force(K, seen._replace(m=m))))
            out[f.name] = {
                "least length": float(length.min()),
                "greatest length": float(length.max()),
                "stroke": float(np.ptp(length)),
                "force": float(np.abs(force).max()),
            }
        return out

    def stability(self) -> dict[str, float]:
        """Least slope of each joint's effort by its own coordinate over the poses [N m/rad]: less
        than zero where the balanced link would run away without its motor."""
        h = 1e-5
        out = {}
        for i, name in enumerate(self.joints):
            k = self.original.check().link(name).q.start
            both = []
            for s in (h, -h):
                q = self.where.q.copy()
                q[:, k] += s
                moved = _Rows(q, self.where.v, self.where.a)
                both.append(_efforts(self, self.model, moved)[:, i])
            out[name] = float(((both[0] - both[1]) / (2 * h)).min())
        return out

    def report(self, path) -> None:
        """Write an HTML page with the table and the efforts before and after, by joint."""
        from .pages import balance_page

        balance_page(self, path)


def _place(dyn, end, q):
    """Where an end of a spring is in the world, (n, 3)."""
    body, point = end if isinstance(end, tuple) else (end, (0.0, 0.0, 0.0))
    p = np.array([float(x) for x in point])
    if body == "world":
        return np.tile(p, (len(q), 1))
    T = dyn.pose(body, q)
    return T[:, :3, :3] @ p + T[:, :3, 3]


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray

    @property
    def rows(self):
        return self.q, self.v, self.a


def balance(
    model: Model,
    devices: Iterable[Any],
    over: Any = None,
    criterion: str = "rms",
    bounds: Mapping[str, tuple[float, float]] | None = None,
    *,
    joints: Iterable[str] | None = None,
    at: Mapping[str, float] | None = None,
    together: bool = False,
) -> Balance:
    """Choose the variables of balancing devices so that joints need the least effort.

    Parameters
    ----------
    devices : `Counterweight`, `Redistribution`, `Spring`, `CamSpring`, `PulleySpring`,
        `Parallelogram`; several together
    over : where the design is judged: {"joint2.angle": angles} (several coordinates make a grid; a
        single growing one is an interval, refined where efforts are largest), a motion (laws of
        coordinates: then inertia counts too), poses (n, nq), or "workspace" (the joints' limits)
    criterion : "rms", "peak" or "mean" of the efforts of the devices' joints [N m]
    bounds : {"spring.radius": (low, high)}: the variables sought; the others keep their numbers
    joints : joints whose effort counts; by default those of the devices
    at : coordinates of the other joints [rad, m]; neutral when left out
    together : all variables for all joints at once; by default joints are balanced from the tip to
        the base, each by its own devices, as designers do (BA.8)

    >>> import numpy as np
    >>> import torseur as ts
    >>> arm = ts.Model(bodies=(ts.Body("arm", 10.0, (0.4, 0, 0)),),
    ...     joints=(ts.Joint("shoulder", "world", "arm", ts.Revolute((0, -1, 0))),))
    >>> done = balance(arm, [ts.robots.Counterweight("weight", "shoulder", mass=16.0)],
    ...     over={"shoulder.angle": np.linspace(0, 1.5, 31)}, bounds={"weight.distance": (0, 1)})
    >>> round(done.values["weight.distance"], 9), bool(abs(done.after).max() < 1e-9)
    (0.25, True)
    """
    devices = check_devices(model, devices)
    bounds = _bounds(devices, bounds or {})
    if criterion not in CRITERIA:
        raise ArgumentError(
            f"balance: criterion={shown(criterion)}: expected {', '.join(map(repr, CRITERIA))}"
        )
    where = Where(model, over, at)
    joints = tuple(joints or _order(model, {d.joint for d in devices}))
    values: dict[str, float] = {}
    if together or len(joints) == 1 or len({d.joint for d in devices}) == 1:
        values, reached = _search(model, devices, {}, bounds, where, criterion, joints)
    else:
        for joint in _order(model, {d.joint for d in devices}):  # BA.8
            own = {
                n: b
                for n, b in bounds.items()
                if any(n.startswith(f"{d.name}.") and d.joint == joint for d in devices)
            }
            if own:
                start = values | {
                    n: sum(b) / 2 for n, b in bounds.items() if n not in own and n not in values
                }
                found, _ = _search(model, devices, start, own, where, criterion, (joint,))
                values |= found
        reached = None
    return _finished(model, devices, values, bounds, where, criterion, joints, reached)


def _bounds(devices, given):
    known = {f"{d.name}.{v}": d for d in devices for v in d.variables}
    wrong = [unknown_name("variable", n, known, "balance, bounds") for n in given if n not in known]
    out = {}
    for n, pair in given.items():
        try:
            low, high = map(float, pair)
        except (TypeError, ValueError):
            wrong.append(f"balance, bounds of {n!r}: expected (low, high), got {shown(pair)}")
            continue
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            wrong.append(f"balance, bounds of {n!r}: {low:g} to {high:g} is no interval")
        out[n] = (low, high)
    for d in devices:
        wrong += [
            f"device {d.name!r}: {n.split('.')[1]} has neither a value nor bounds; give it, or "
            f"bounds={{{n!r}: (low, high)}}"
            for n in d.unknown()
            if n not in given
        ]
    if wrong:
        raise ArgumentError("\n".join(wrong))
    return out


def _order(model, names):
    """Joints from the tip to the base."""
    s = model.check()
    depth = {k.name: k.index for k in s.links}
    return sorted(names, key=lambda n: -depth[n])


def applied(model, devices, values, memory=True):
    """The model with its devices."""
    base = model
    for d in devices:
        model = d.apply(model, values, memory, base)
    return model


def _memoryless(model):
    """The model with its tables written as sums of hinges, for gradients."""
    from ..forces import Expression, Table
    from .devices import hinges

    def plain(f):
        law = getattr(f, "law", None)
        if not isinstance(law, Table):
            return f
        return replace(
            f, law=Expression(hinges(law.points, f"(x - ({law.free_length}))", law.beyond))
        )

    return replace(model, forces=tuple(map(plain, model.forces)))


def _symbolic(model, devices, fixed, names, joints):
    """Efforts as functions of the variables."""
    slots = {n: f"design{i}" for i, n in enumerate(names)}
    lead = list(model.check().speeds)
    made = applied(_memoryless(model), devices, {**fixed, **slots}, memory=False)
    middle = dict.fromkeys(slots.values(), 0.1)
    made = replace(made, parameters={**dict(made.parameters), **middle})
    coupled = bool(made.constraints)
    return Efforts(made, tuple(slots.values()), joints, lead if coupled else ())


def _fitted(model, original, q):
    """Coordinates of the original model, with those that devices added, by their couplings."""
    s, old = model.check(), original.check()
    if s.coordinates == old.coordinates:
        return q
    out = np.tile(s.neutral(), (len(q), 1))
    for i, n in enumerate(old.coordinates):
        out[:, s.coordinates.index(n)] = q[:, i]
    for c in model.constraints:
        new = next(n for n in c.ratios if n not in old.coordinates)
        rest = sum(
            float(r) * out[:, s.coordinates.index(n)] for n, r in c.ratios.items() if n != new
        )
        out[:, s.coordinates.index(new)] = (float(c.offset) - rest) / float(c.ratios[new])
    return out


def _along(efforts, original, where):
    """Rows of the model with devices: q, v, a of coordinates that follow are filled in."""
    s, old = efforts.system, original.check()
    q, v, a = where.rows
    if s.coordinates == old.coordinates:
        return q, v, a
    lead = [s.speeds.index(n) for n in old.speeds]
    T = efforts.T if efforts.T.shape[1] == len(lead) else np.eye(s.nv)[:, lead]
    return _fitted(s.model, original, q), v @ T.T, a @ T.T


def _efforts(done, model, where):
    made = _memoryless(model)
    lead = list(done.original.check().speeds) if model.constraints else ()
    f = Efforts(made, (), done.joints, lead)
    return f(_along(f, done.original, where), ())[0]


def _search(model, devices, fixed, bounds, where, criterion, joints):
    """The best values of the variables in `bounds`, and the criterion reached."""
    names = list(bounds)
    f = _symbolic(model, devices, fixed, names, joints)
    where = where.judged(criterion)
    rows = _along(f, model, where)
    low, high = np.array([bounds[n] for n in names]).T if names else (np.zeros(0), np.zeros(0))
    size = high - low

    def efforts(x, rows=rows):
        tau, slope = f(rows, low + x * size)
        return tau, slope * size

    if not names:
        return {}, _criterion(criterion, f(rows, ())[0], where.weights)
    starts = _starts(len(names))
    ranked = sorted(starts, key=lambda x: _criterion(criterion, efforts(x)[0], where.weights))
    best = None
    for x0 in ranked[: 3 if len(names) > 1 else 2]:
        x = _local(criterion, efforts, x0, where, rows)
        y = _criterion(criterion, efforts(x)[0], where.weights)
        if best is None or y < best[1] - 1e-13 * abs(best[1]):
            best = x, y
    x, y = best
    if criterion == "peak" and where.interval is not None:
        x, y = _exchange(efforts, x, where, model, f)
    return dict(zip(names, map(float, low + x * size), strict=True)), y


def _starts(n):
    from scipy.stats import qmc

    inner = qmc.Halton(n, scramble=False).random(24 if n == 1 else 48 * n)
    return [*inner, np.full(n, 0.5)]


def _criterion(kind, tau, weights) -> float:
    match kind:
        case "rms":
            return float(np.sqrt((weights[:, None] * tau**2).sum()))  # BA.3
        case "peak":
            return float(abs(tau).max())
    return float((weights[:, None] * abs(tau)).sum())


def _local(kind, efforts, x0, where, rows):
    from scipy.optimize import least_squares

    w = np.sqrt(where.weights)[:, None]
    if kind == "rms":
        found = least_squares(
            lambda x: (w * efforts(x)[0]).ravel(),
            np.clip(x0, 1e-9, 1 - 1e-9),
            jac=lambda x: (w[..., None] * efforts(x)[1]).reshape(-1, len(x0)),
            bounds=(0, 1),
            xtol=1e-15,
            ftol=1e-15,
            gtol=1e-15,
        )
        return _snapped(found.x, lambda x: _criterion(kind, efforts(x)[0], where.weights))
    if kind == "peak":
        least = _local("rms", efforts, x0, where, rows)  # exact where nothing need be left
        found = _minimax(efforts, x0)
        return min(found, least, key=lambda x: _criterion(kind, efforts(x)[0], where.weights))
    return _smoothed_mean(efforts, x0, where)


def _snapped(x, cost):
    """Entries next to a bound put on it where that costs nothing."""
    x = x.copy()
    for i in range(len(x)):
        for end in (0.0, 1.0):
            if 0 < abs(x[i] - end) < 1e-6:
                y = x.copy()
                y[i] = end
                if cost(y) <= cost(x) * (1 + 1e-12):
                    x = y
    return x


def _minimax(efforts, x0, active=None):
    """Least peak by the epigraph: min t with -t <= tau <= t.  # BA.4"""
    from scipy.optimize import minimize

    def parts(x):
        tau, slope = efforts(x)
        return tau.ravel(), slope.reshape(-1, len(x0))

    def value(x):
        return float(abs(parts(x)[0]).max())

    x, t = np.asarray(x0, float), value(x0)
    for _ in range(6):
        scale = max(t, 1e-12)
        tau, _ = parts(x)
        near = np.flatnonzero(abs(tau) > 0.3 * t) if len(tau) > 400 else np.arange(len(tau))

        def gap(y, near=near, scale=scale):
            tau = parts(y[:-1])[0][near] / scale
            return np.concatenate([y[-1] - tau, y[-1] + tau])

        def slope(y, near=near, scale=scale):
            J = parts(y[:-1])[1][near] / scale
            one = np.ones((len(J), 1))
            return np.block([[-J, one], [J, one]])

        found = minimize(
            lambda y: y[-1],
            np.append(x, 1.0),
            jac=lambda y: np.append(np.zeros(len(y) - 1), 1.0),
            constraints={"type": "ineq", "fun": gap, "jac": slope},
            bounds=[(0, 1)] * len(x) + [(0, None)],
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 100},
        )
        y = np.clip(found.x[:-1], 0, 1)
        new = value(y)
        if new < t:
            better, x, t = t - new, y, new
            if better < 1e-11 * t:
                break
        else:
            break
    return _snapped(x, value)


def _smoothed_mean(efforts, x0, where):
    from scipy.optimize import minimize

    found = minimize(
        lambda x: _criterion("mean", efforts(np.clip(x, 0, 1))[0], where.weights),
        x0,
        method="Powell",
        bounds=[(0, 1)] * len(x0),
        options={"xtol": 1e-10, "ftol": 1e-14},
    )
    return np.clip(found.x, 0, 1)


def _exchange(efforts, x, where, model, f):
    """The peak over an interval, not only at its samples: rows are added where it is largest."""
    q, _, i = where.refined()
    s = model.check()
    zero = np.zeros((len(q), s.nv))
    dense = _along(f, model, _Rows(q, zero, zero))
    kept = [_along(f, model, where)]
    for _ in range(8):
        tau, _ = efforts(x, dense)
        if not abs(tau).max() > 1e-9:
            return x, float(abs(tau).max())
        peaks = _tops(abs(tau).max(axis=1))
        extra = _sharpened(efforts, x, q, peaks, i, model, f)
        kept.append(extra)
        rows = tuple(np.concatenate(p) for p in zip(*kept, strict=True))
        new = _minimax(lambda y, rows=rows: efforts(y, rows), x)
        if abs(new - x).max() < 1e-10:
            x = new
            break
        x = new
    tau, _ = efforts(x, dense)
    last = _sharpened(efforts, x, q, _tops(abs(tau).max(axis=1)), i, model, f)
    return x, float(abs(efforts(x, last)[0]).max())


def _tops(y):
    """Places of local maxima, ends included."""
    padded = np.concatenate([[-np.inf], y, [-np.inf]])
    top = np.flatnonzero((padded[1:-1] >= padded[:-2]) & (padded[1:-1] >= padded[2:]))
    return top[y[top] > 0.5 * y.max()]


def _sharpened(efforts, x, q, peaks, i, model, f):
    """Rows at local maxima between samples, by golden section."""
    from scipy.optimize import minimize_scalar

    zero = np.zeros((1, model.check().nv))
    out = []
    for k in peaks:
        a, b = q[max(k - 1, 0), i], q[min(k + 1, len(q) - 1), i]

        def size(angle, k=k):
            row = q[k : k + 1].copy()
            row[0, i] = angle
            return -float(abs(efforts(x, _along(f, model, _Rows(row, zero, zero)))[0]).max())

        found = minimize_scalar(size, bounds=(a, b), method="bounded", options={"xatol": 1e-10})
        ends = min((q[k, i], a, b, found.x), key=size)
        row = q[k : k + 1].copy()
        row[0, i] = ends
        out.append(_along(f, model, _Rows(row, zero, zero)))
    return tuple(np.concatenate(p) for p in zip(*out, strict=True))


def _finished(model, devices, values, bounds, where, criterion, joints, reached):
    made = applied(model, devices, values)
    active = tuple(
        n
        for n, (low, high) in bounds.items()
        if min(values[n] - low, high - values[n]) <= 1e-9 * (high - low)
    )
    done = Balance(
        values,
        0.0,
        active,
        made,
        criterion,
        joints,
        np.zeros(0),
        np.zeros(0),
        bounds,
        model,
        where,
        devices,
    )
    after = _efforts(done, made, where)
    before = _efforts(done, model, where)
    value = reached if reached is not None else _criterion(criterion, after, where.weights)
    return replace(done, value=value, before=before, after=after)


def pareto(
    model: Model,
    devices: Iterable[Any],
    over: Any,
    criterion: str = "rms",
    bounds: Mapping[str, tuple[float, float]] | None = None,
    *,
    mass: str,
    points: int = 9,
    **options: Any,
) -> np.ndarray:
    """Effort that is left against the mass that is added: rows (mass [kg], criterion [N m]).

    `mass` names the variable that is stepped through its bounds, such as "weight.mass".
    """
    bounds = dict(bounds or {})
    if mass not in bounds:
        raise ArgumentError(f"pareto: give bounds of {mass!r}")
    low, high = bounds.pop(mass)
    device, variable = mass.rsplit(".", 1)
    rows = []
    for m in np.linspace(low, high, points):
        own = [replace(d, **{variable: float(m)}) if d.name == device else d for d in devices]
        done = balance(model, own, over, criterion, bounds, **options)
        rows.append((done.added_mass, done.value))
    return np.array(rows)


__all__ = ["Balance", "balance", "pareto"]
