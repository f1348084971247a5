"""Least squares for parameters of robots: plain, weighted, reweighted, total; constrained.

Everything happens on triangular factors, one a joint, so that new weights cost nothing.
Theory: ID.6, ID.7, ID.9.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import physical_consistency
from .base_parameters import Base
from .covariance import worth
from .filtering import past
from .friction import FRICTION, BuildUp, paths
from .friction_parameters import polished, settled, slopes
from .noise_spectrum import refined
from .prior import SPREAD, SizePrior, belief, loosened, near, sizes, times, unusual
from .regressor import LinearModel
from .sandwich_covariance import correlation_time, told
from .sensor_gains import find_gains, gain_columns, memories
from .total_least_squares import total

POWER = {"ols": 0.0, "balanced": 0.75, "wls": 1.0, "irls": 1.0, "tls": 0.5, "iv": 1.0}
"""Weights of joints are residuals to the power of minus this."""
FLOOR = 1e-7  # of the effort: residuals below are rounding, and say nothing of weights
HUBER = 1.5
MOTION = 0.9  # of the rows go on from the one above: friction may build up along them
GAINED = ("balanced", "wls", "irls")
PULL = 4.5  # of the prior, in what averaging leaves of the residual
NONE = 1e-5  # the same where there is no prior: only what nothing tells is held
LEAVES = 1.1  # of what is left over without a prior, at most, geometric mean of the joints
BUILT_UP = 0.02  # by how much less it must leave over to be preferred


@dataclass(frozen=True, eq=False)
class Estimate:
    """Parameters `p`, base parameters `beta` with their covariance, and how they came."""

    lin: LinearModel  # with the widths of friction found
    p: np.ndarray
    beta: np.ndarray
    covariance: np.ndarray
    sigma: np.ndarray  # residual of each joint
    weights: np.ndarray
    correlation: np.ndarray  # samples over which residuals remember, one a joint
    told: np.ndarray  # share of each base parameter that the rows tell
    price: np.ndarray  # residual of each joint over that of parameters that need not be consistent


class SampleProblem:
    """The rows of one set of samples, by joint, and what is solved with them."""

    def __init__(
        self, lin: LinearModel, base: Base, data, prior: str | None = "zero", instruments=None
    ):
        self.base, self.data, self.prior, self.twin = base, data, prior, instruments
        self.b = data.tau - lin.known(data.q, data.v, data.a)
        self.borne = lin.borne(data.q, data.v, data.a)
        self.Y = lin.regressor(data.q, data.v, data.a, self.load, data.passed)
        self.inertial = self.Y[:, :, : 10 * len(lin.links)]
        self.Z = self.Y  # instruments: columns of a motion without the measurement's errors
        if instruments is not None:
            twin = instruments
            self.Z = lin.regressor(twin.q, twin.v, twin.a, self.load, twin.passed)
            self.twin_past = past(lin.system, twin.q, twin.v, twin.passed)
        self.lin, self.nv = lin, data.tau.shape[1]
        self.rows = np.ones(self.b.shape)  # weights of single samples
        self.paths = paths(lin.system, data.q, data.v)
        self.past = past(lin.system, data.q, data.v, data.passed)
        self.sizes = sizes(lin, data)
        self.middle = lin.values() if prior == "model" else np.zeros(len(self.sizes.scale))
        self.usual = self.held = SizePrior.of(base.B, self.sizes.scale)  # the second gives way
        self.wide = self.sizes.scale  # what the covariance counts
        self.acting = [self._acting(i) for i in range(self.nv)]
        self.blocks: list[Any] = [None] * self.nv  # rows of each joint, columns that act on it
        self.factors: list[Any] = [self._factor(i) for i in range(self.nv)]

    def _acting(self, i) -> np.ndarray:
        """Columns that act on a joint: others are zero in its rows, whatever shapes they have."""
        own = [
            at == i if kind in FRICTION else kind == "shaft" for _, _, kind, at in self.lin.columns
        ]
        return np.flatnonzero(own | (self.Y[:, i] != 0).any(axis=0))

    def _factor(self, i):
        """Triangular factor of a joint's rows, all columns and the efforts."""
        acts = self.acting[i]
        self.blocks[i] = block = self.Y[:, i][:, acts]
        return self._triangle(i, np.column_stack([block, self.b[:, i]]), acts, self.Y.shape[2])

    def _triangle(self, i, columns, places, wide: int):
        """The factor of weighted columns, all but the last at these of so many places."""
        R: Any = np.linalg.qr(columns * self.rows[:, i : i + 1], mode="r")
        out = np.zeros((len(R), wide + 1))
        out[:, places], out[:, -1] = R[:, :-1], R[:, -1]
        return out

    def residuals(self, p) -> np.ndarray:
        said = (A @ p[c] for A, c in zip(self.blocks, self.acting, strict=True))
        return self.b - np.stack([*said], axis=1)

    def sigma(self, p, floor: float = FLOOR) -> np.ndarray:
        """Root mean square of each joint's residual, degrees of freedom taken off."""
        whole = max(1, len(self.b) - len(self.base) / self.nv)
        s = np.sqrt((self.residuals(p) ** 2).sum(axis=0) / whole)
        return np.maximum(s, floor * np.sqrt((self.b**2).mean()) + 1e-300)

    def stacked(self, w, strength: float):
        """Weighted rows of the base parameters, those of the prior below them."""
        kept, k = list(self.base.kept), self.Y.shape[2]
        A = [wi * R[:, kept] for wi, R in zip(w, self.factors, strict=True)]
        b = [wi * R[:, k] for wi, R in zip(w, self.factors, strict=True)]
        if self.prior is not None:
            A.append(strength * self.held.loose)
            b.append(strength * self.held.loose @ (self.base.B @ self.middle))  # ID.7
        return np.concatenate(A), np.concatenate(b)

    def solve(self, w, strength: float, how: str) -> np.ndarray:
        """Parameters for given weights of joints."""
        if how == "iv":
            beta = np.linalg.solve(*self.instrumental(w, strength))
            return self.middle + self.held.lift @ (beta - self.base.B @ self.middle)
        A, b = self.stacked(w, strength)
        scale = np.sqrt((A**2).sum(axis=0))
        scale[scale == 0] = 1
        least = np.linalg.lstsq(A / scale, b, rcond=1e-13)[0] if how != "tls" else None  # ID.6
        beta = (total(A / scale, b) if least is None else least) / scale
        return self.middle + self.held.lift @ (beta - self.base.B @ self.middle)

    def instrumental(self, w, strength: float) -> tuple[np.ndarray, np.ndarray]:
        """`Z'Y` and `Z'b` of the base parameters, weighted, with the prior: ID.19."""
        kept = list(self.base.kept)
        H: Any = sum(x**2 * Z.T @ Y for x, Z, Y in self._pairs(w, kept))
        g: Any = sum(x**2 * self.Z[:, i][:, kept].T @ self.b[:, i] for i, x in enumerate(w))
        if self.prior is not None:
            P = strength**2 * self.held.loose.T @ self.held.loose
            H, g = H + P, g + P @ (self.base.B @ self.middle)
        return H, g

    def _pairs(self, w, kept):
        for i, x in enumerate(w):
            yield x, self.Z[:, i][:, kept], self.Y[:, i][:, kept]

    def nearest(self, w, p) -> np.ndarray:
        """Consistent parameters whose efforts are nearest to those of p: ID.8.

        At the samples, and as much at poses drawn from the whole range that was measured: what the
        constraints change must not be put where the samples do not see it.
        """
        same = physical_consistency.smallest(
            self.lin, p, self.base.B, self.base.kept, self.sizes, self.middle
        )
        if same is not None:  # efforts of p itself
            return same
        k, data = self.Y.shape[2], self.data
        draw = np.random.default_rng(0)
        q = data.q.copy()
        for j in range(q.shape[1]):
            if not any(i <= j < i + 4 for i in self.lin.system.quaternions):
                q[:, j] = draw.uniform(q[:, j].min(), q[:, j].max(), len(q))
        mixed = [x[draw.permutation(len(x))] for x in (data.v, data.a, self.load)]
        Y = self.lin.regressor(q, *mixed)
        H = sum(
            wi**2 * (R[:, :k].T @ R[:, :k] + X.T @ X)
            for wi, R, X in zip(w, self.factors, np.swapaxes(Y, 0, 1), strict=True)
        )
        noise = float(np.sqrt(np.mean((w * self.sigma(p, 0.0)) ** 2)))  # of one sample: ID.8
        loose = max(noise, 1e-6 * float(np.sqrt(np.trace(H @ np.diag(self.sizes.scale**2)))))
        g = H @ p + loose**2 / self.sizes.scale**2 * self.middle
        H = H + np.diag(loose**2 / self.sizes.scale**2)
        p = physical_consistency.solve(self.lin, H, g, self.sizes)
        least = physical_consistency.smallest(
            self.lin, p, self.base.B, self.base.kept, self.sizes, self.middle
        )
        return p if least is None else least  # None: hardly any room beside p

    # friction shapes --------------------------------------------------------------------
    def reshape(self, p, polish: bool) -> bool:
        """Choose the numbers of friction shapes anew, joint by joint; whether any changed."""
        own = dict(self.lin.own)
        r = self.residuals(p)
        for i in range(self.nv):
            mine = {
                c: kind
                for c, (_, _, kind, at) in enumerate(self.lin.columns)
                if at == i and (kind == "rotor" or kind in FRICTION)
            }
            for at, kind in enumerate(mine.values()):
                if not (tries := self._tries(kind, i)):
                    continue
                X = self.Y[:, i, [*mine]]
                wanted = r[:, i] + X @ p[[*mine]]
                now = self.lin.own_of(kind, i)
                tries = (now, *near(now)) if polish else tries
                left = [self._left(kind, i, x, X, at, wanted) for x in tries]
                best = min(left, key=lambda e: float(e @ e))  # ID.5
                power = float((best**2).mean()) * correlation_time(best)
                costs = [
                    float(e @ e) * (1 + BUILT_UP * isinstance(x, BuildUp))
                    + power * float(np.log1p(unusual(kind, x) ** 2))
                    for x, e in zip(tries, left, strict=True)
                ]
                if now in tries and min(costs) >= costs[tries.index(now)] * (1 - 1e-12):
                    continue
                own[kind, i] = tries[int(np.argmin(costs))]
        if changed := own != self.lin.own:
            self.set_own(own, p)
        return changed

    def _tries(self, kind: str, i: int) -> tuple[Any, ...]:
        """Numbers that a friction shape may begin with; ways where the rows are a motion."""
        if kind == "rotor":
            return ()
        shape, path = FRICTION[kind], self.paths.get(i)
        moving = path is not None and path.follows.mean() > MOTION
        return shape.tries + (shape.ways if moving else ())

    def _local(self, lin, kind, i, twin: bool = False) -> np.ndarray:
        data: Any = self.twin if twin else self.data
        past = self.twin_past if twin else self.past
        return lin.local(kind, i, data.v, data.a, self.load, past.get(i), data.passed)

    def _left(self, kind, i, x, X, at, wanted) -> np.ndarray:
        """What a shape's number leaves over of a joint's efforts, sizes fitted."""
        X = X.copy()
        lin = replace(self.lin, own={**self.lin.own, (kind, i): x})
        X[:, at] = self._local(lin, kind, i)
        w = self.rows[:, i : i + 1]
        size, *_ = np.linalg.lstsq(X * w, wanted * w[:, 0], rcond=None)
        return (wanted - X @ size) * w[:, 0]

    @property
    def load(self):
        return getattr(self, "_load", self.b + self.borne)

    def set_own(self, own, p=None) -> None:
        """Take new friction shapes and gains (and the load of the parameters)."""
        old, before = self.lin.own, self.lin.gains(self.nv)
        self.lin = replace(self.lin, own=own)
        after = self.lin.gains(self.nv)
        for i, path in self.paths.items():
            self.b[:, i] -= (own.get(("spring", i), 0.0) - old.get(("spring", i), 0.0)) * path.x
        if (after != before).any():
            self.inertial *= (after / before)[:, None]
        if p is not None and self.lin.loaded:
            self._load = self.inertial @ p[: self.inertial.shape[2]] / after + self.borne
        first = self.inertial.shape[2]
        for c, (_, _, kind, i) in enumerate(self.lin.columns[first:], first):
            if kind == "shaft":
                continue
            self.Y[:, i, c] = self._local(self.lin, kind, i)
            if self.twin is not None:
                self.Z[:, i, c] = self._local(self.lin, kind, i, twin=True)
        for i, gain in enumerate(after / before):
            shapes = [
                {n: (x, type(x)) for n, x in numbers.items() if n[1] == i and n[0] != "gain"}
                for numbers in (own, old)
            ]
            if shapes[0] != shapes[1] or self.lin.loaded:
                self.factors[i] = self._factor(i)
            elif gain != 1:
                rigid = self.lin.rigid
                self.factors[i][:, rigid] *= gain
                self.blocks[i][:, np.isin(self.acting[i], rigid)] *= gain

    def newton(self, p, w, strength: float, how: str):
        """Widths and parameters together, once: Gauss-Newton on what is left of the widths."""
        if not (places := slopes(self, p)):
            return None
        A, b = self.stacked(w, strength)
        kept = list(self.base.kept)
        rows, right = [], []
        for i in range(self.nv):
            acts = [n for n, c in enumerate(kept) if c in {*self.acting[i]}]
            mine = [n for n, (_, at, _) in enumerate(places) if at == i]
            columns = [self.Y[:, i, kept[n]] for n in acts] + [places[n][2] for n in mine]
            full, into = np.column_stack([*columns, self.b[:, i]]), [len(kept) + n for n in mine]
            R = w[i] * self._triangle(i, full, acts + into, len(kept) + len(places))
            rows.append(R[:, :-1])
            right.append(R[:, -1])
        if self.prior is not None:
            rows.append(np.hstack([A[-len(kept) :], np.zeros((len(kept), len(places)))]))
            right.append(b[-len(kept) :])
            r = self.residuals(p)
            for n, (kind, i, _) in enumerate(places):
                if isinstance(self.lin.own_of(kind, i), BuildUp):
                    continue
                far = unusual(kind, self.lin.own_of(kind, i))
                pull = w[i] * np.sqrt(
                    belief(far) * (r[:, i] ** 2).mean() * correlation_time(r[:, i])
                )
                row = np.zeros(len(kept) + len(places))
                row[len(kept) + n] = pull / SPREAD
                rows.append(row[None])
                right.append([-pull * far])
        whole, wanted = np.concatenate(rows), np.concatenate(right)
        scale = np.sqrt((whole**2).sum(axis=0)) + 1e-300
        step = (np.linalg.lstsq(whole / scale, wanted, rcond=1e-12)[0] / scale)[len(kept) :]
        own = {**self.lin.own}
        for (kind, i, _), s in zip(places, step, strict=True):
            own[kind, i] = times(self.lin.own_of(kind, i), np.exp(np.clip(s, -0.5, 0.5)))
        return own, float(abs(step).max())


def estimate(
    lin: LinearModel,
    base: Base,
    data,
    *,
    method: str = "balanced",
    prior: str | None = "zero",
    physical: bool = False,
    polish: bool = True,
    instruments: Any = None,
    gains: bool = True,
) -> Estimate:
    """Parameters from samples; see `robot`."""
    problem = SampleProblem(lin, base, data, prior, instruments)
    w, strength, T = np.ones(problem.nv), 0.0, np.ones(problem.nv)
    p = problem.solve(w, strength, method)
    passes = {"ols": 3, "wls": 2, "tls": 3}.get(method, 6)
    shaped = any(FRICTION[n].tries for n in lin.friction)
    for k in range(max(passes, 6 if shaped or lin.loaded else 0)):
        if shaped or lin.loaded:
            problem.reshape(p, polish=k > 3)
        s = problem.sigma(p)
        T = np.array([correlation_time(r) for r in problem.residuals(p).T])
        w = (s / np.exp(np.log(s).mean())) ** -POWER[method]
        if method == "irls":
            _huber(problem, p, s)
        strength = _strength(problem, w, method)
        p = problem.solve(w, strength, method)
    if polish and shaped:
        p, strength = settled(problem, p, w, strength, method, _strength)
    moves = method == "balanced" and data.band is not None  # ID.22
    gains = gains and prior is not None
    gained = gains and method in GAINED and not moves
    gained = gained and find_gains(problem, w, lambda: _strength(problem, w, method), method)
    if gained:
        strength = _strength(problem, w, method)
        p = problem.solve(w, strength, method)
        if polish and shaped:
            p = polished(problem, p, w, strength, method)
    if not moves:
        p = loosened(problem, p, w, strength, method)
    parts, spread = [(w, strength)], None
    if moves:
        pull = PULL if prior is not None else NONE
        p, spread = refined(problem, p, pull, POWER[method], gains)
    elif method == "balanced":  # the error of a mean is at most the mean of the errors
        even = np.ones(problem.nv)
        parts.append((even, _strength(problem, even, "ols")))
        p = (p + problem.solve(*parts[1], "ols")) / 2
    loose = s = problem.sigma(p)
    if physical:
        p = problem.nearest(w, p)
        s = problem.sigma(p)
    if spread is None:
        found = gain_columns(problem, p) if gained else None
        spread = worth(problem, parts, p, s, T, method, found)
    shown = told(problem, s, T)
    return Estimate(problem.lin, p, base.values(p), spread, s, w, T, shown, s / loose)


def _strength(problem, w, method: str) -> float:
    """Of the prior: what drifts is error of the model, which averaging does not reduce; ID.7.

    From what is left over without a prior: what the prior itself leaves over must not feed it.
    """
    if problem.prior is None:
        return 0.0
    p = problem.solve(w, 0.0, method)
    T, s = memories(problem.residuals(p)), problem.sigma(p, 0.0)
    strength = PULL * float(np.sqrt(((w * s) ** 2 * T**1.5).mean()))
    for _ in range(30):
        more = problem.sigma(problem.solve(w, strength, method), 0.0) / s
        if np.log(more).mean() <= np.log(LEAVES):
            break
        strength /= 2
    return strength


def _huber(problem, p, s) -> None:
    """Weights of single samples: full within 1.5 sigma, falling beyond."""
    r = np.abs(problem.residuals(p)) / s
    problem.rows = np.sqrt(np.minimum(1.0, HUBER / np.maximum(r, 1e-300)))
    problem.factors = [problem._factor(i) for i in range(problem.nv)]
