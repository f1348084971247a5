"""What is usual: sizes of a robot's numbers (the prior, ID.7), widths of friction (ID.5)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .friction import FRICTION, BuildUp
from .regressor import LinearModel

SPREAD = 0.25  # of the logarithm of usual widths
SMALL_WIDTH = 1e-3  # what a plain sign counts as
LOOSER = 6  # passes in which the prior gives way


@dataclass(frozen=True, slots=True)
class Sizes:
    """What is usual for a robot of this size: the scale of every unknown."""

    mass: float
    length: float
    scale: np.ndarray


def sizes(lin: LinearModel, data) -> Sizes:
    """From reach, gravity and efforts."""
    K = lin.system.floats().K
    far = 0.0
    reach = {0: 0.0}
    for k in lin.system.links:
        step = float(np.linalg.norm([float(K.number(x)) for x in k.X_PF.p]))
        if any(not u.startswith("rad") for _, u in k.joint.coordinates):
            step += float(np.ptp(data.q[:, k.q], axis=0).max())
        reach[k.index] = reach[k.parent] + step
        far = max(far, reach[k.index])
    far = max(far, 0.1)
    length = far / max(1, sum(not k.auxiliary and k.joint.nv > 0 for k in lin.system.links))
    fall = float(np.linalg.norm([float(K.number(x)) for x in lin.system.gravity]))
    effort = np.sqrt((data.tau**2).mean(axis=0)) + 1e-12
    rub = np.sqrt(effort * np.exp(np.log(effort).mean()))  # friction: less than in proportion
    mass = 0.0
    for i, _, turns in lin.speeds:
        lever = far if turns else 1.0
        pull = max(fall, lever * float(np.sqrt((data.a[:, i] ** 2).mean())))
        mass = max(mass, float(effort[i]) / (pull * lever + 1e-12))
    ten = mass * np.array([3, *[3 * length] * 3, *[length**2] * 6])
    rest = []
    for _, _, kind, i in lin.columns[10 * len(lin.links) :]:
        if kind == "shaft":
            drawn = np.zeros(data.tau.shape)
            lin.shafts[i].add(drawn, data.q, data.v, 1.0)
            rest.append(float(effort.max() / (np.sqrt((drawn**2).mean(axis=0)).max() + 1e-12)))
            continue
        turns = lin.speeds[i][2]
        speed = float(np.sqrt((data.v[:, i] ** 2).mean())) + 1e-12
        if kind == "rotor":
            rest.append(mass * (length**2 if turns else 1.0))
        elif FRICTION[kind].loaded:
            rest.append(0.2)
        else:
            slow = speed * np.linspace(0.01, 1, 100)  # some shapes are largest near rest
            size = float(np.abs(FRICTION[kind]().column(slow, lin.own_of(kind, i))).max()) + 1e-12
            rest.append(rub[i] / size * (0.1 if kind == "offset" else 1.0))
    return Sizes(mass, length, np.concatenate([np.tile(ten, len(lin.links)), rest]))


def unusual(kind: str, x: float | None) -> float:
    """How far a friction shape's number is from usual ones, in standard deviations."""
    if isinstance(x, BuildUp):
        return 0.0
    if not x:
        x = SMALL_WIDTH
    return float(np.log(x / FRICTION[kind].usual)) / SPREAD if FRICTION[kind].usual else 0.0


def belief(u: float) -> float:
    """How much the prior of usual widths still pulls at that distance: Cauchy's tails; ID.5."""
    return 1 / (1 + u**2)


def times(x: float | None, factor: float) -> float:
    """A number of a friction shape times a factor, of the same kind."""
    return 0.0 if x is None else type(x)(float(x) * float(factor))


def near(x: float | None) -> tuple[float, ...]:
    """Numbers of a friction shape beside one."""
    return tuple(times(x, k) for k in (1 / 1.3, 1 / 1.1, 1.1, 1.3)) if x else (0.002,)


@dataclass(frozen=True, slots=True, eq=False)
class SizePrior:
    """Rows of the prior of base parameters, and the way back to all of them; ID.7."""

    scale: np.ndarray  # of every parameter
    loose: np.ndarray  # rows: of unit variance where parameters are as large as the scale
    lift: np.ndarray  # base parameters to all, nearest to zero

    @classmethod
    def of(cls, B, scale) -> SizePrior:
        S2 = scale**2
        known = np.linalg.inv(np.linalg.cholesky((B * S2) @ B.T))
        return cls(scale, known, (S2[:, None] * B.T) @ known.T @ known)

    def shares(self, B, covariance) -> np.ndarray:
        """How much of each parameter's variance the rows took: `1 - var(p_i) / S_i^2`."""
        tied = self.lift * (B.T - self.lift @ covariance / self.scale[:, None] ** 2)
        return np.clip(tied.sum(axis=1), 0.0, 1.0)


def giving_way(kinds, size, shares, least: float) -> tuple[np.ndarray, np.ndarray]:
    """Spreads of parameters in usual sizes by kinds, and what the covariance counts; ID.28.

    `size` are the parameters in usual sizes, `shares` what the rows tell of them, `least` the
    spread that none may be below.
    """
    spread, wide = np.empty(len(size)), np.empty(len(size))
    for kind in {*kinds}:
        at = kinds == kind
        told = shares[at].sum()
        mean = max(((size[at] ** 2).sum() + least**2) / (told + 1), least**2)
        spread[at], wide[at] = np.sqrt(mean), mean ** (told / (told + 1) / 2)
    return spread, wide


def loosened(problem, p, w, strength: float, how: str) -> np.ndarray:
    """Parameters where the prior of a problem gives way to what the rows tell; ID.28."""
    noise = float(np.sqrt(np.mean((w * problem.sigma(p, 0.0)) ** 2)))
    if problem.prior is None or not strength or not noise:
        return p
    kinds = np.array([kind for _, _, kind, _ in problem.lin.columns])
    usual, B = problem.sizes.scale, problem.base.B
    for _ in range(LOOSER):
        A, _ = problem.stacked(w, strength)
        d = np.sqrt((A**2).sum(axis=0)) + 1e-300
        inverse = np.linalg.pinv((A / d).T @ (A / d), rcond=1e-15, hermitian=True) / d / d[:, None]
        least = noise / strength  # the prior's spread in usual sizes
        own = SizePrior.of(B, least * problem.held.scale)
        shares = own.shares(B, noise**2 * inverse)
        size = (p - problem.middle) / usual
        spread, wide = giving_way(kinds, size, shares, least)
        problem.held, problem.wide = SizePrior.of(B, spread / least * usual), wide * usual
        p = problem.solve(w, strength, how)
    return p
