"""Slow errors of the model told from noise by frequency; springs of hoses, soft drives, gains.

Theory: ID.22, ID.23.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from .errors_in_variables import Blur, acceleration_noise, left_by
from .friction_parameters import beside
from .prior import SizePrior, giving_way
from .sensor_gains import LIMITS, USUAL, calls_for_gains, errors_share

BEYOND = 1.2  # times the cutoff: what a low pass has left ends there
GAP = 1.5  # usual steps: a longer one is a gap
PASSES, FIRST = 12, 6  # in all; before springs and compliances below zero are held at zero
HELD = 1e-12  # instead of a usual size: it stays at zero
CALLED = 0.2  # share of the model's errors (ID.18): noise that was filtered has less
STEP = 0.2  # of a gain: at most in one pass
HOSE = 0.5  # of a usual offset, over one radian or meter: a usual spring
TWICE = 2.0  # the motion's own frequency: errors of poses go with it and with its double


class CosineRows:
    """Rows of an even motion as amplitudes of cosines, piece by piece, up to the filter's end."""

    def __init__(self, time, band: float):
        from scipy.fft import dct

        self.dct = dct
        step = float(np.median(np.diff(time)))
        gaps = np.flatnonzero(np.diff(time) > GAP * step) + 1
        self.pieces, f = [], []
        for low, high in pairwise([0, *gaps.tolist(), len(time)]):
            own = np.arange(high - low) / (2 * (high - low) * step)
            own = own[own < BEYOND * band]
            self.pieces.append((slice(low, high), len(own)))
            f.append(own)
        self.frequencies = np.concatenate(f)  # [Hz]

    def of(self, X) -> np.ndarray:
        """Amplitudes of the columns of X, first axis time."""
        parts = (self.dct(X[at], axis=0, norm="ortho")[:n] for at, n in self.pieces)
        return np.concatenate(list(parts))


class ErrorSpectrum:
    """Variances of each joint's rows: noise, the same at all frequencies, and slow errors.

    ID.22: `S = s0 + s1 / (1 + (f / f0)^2)`, f0 twice the motion's own frequency.
    """

    def __init__(self, rows: CosineRows, data, residuals, power: float):
        own = np.sqrt((data.a**2).mean() / max((data.v**2).mean(), 1e-300)) / (2 * np.pi)
        f = rows.frequencies
        self.shapes = np.stack([np.ones(len(f)), 1 / (1 + (f / max(TWICE * own, 1e-9)) ** 2)])
        start = (rows.of(residuals) ** 2).mean(axis=0)
        floor = (1e-7**2) * (data.tau**2).mean() + 1e-300
        self.sizes, self.power = np.maximum(np.stack([start, start]), floor), power
        self.known = np.zeros_like(self.sizes[:1])  # noise of coordinates, ID.29

    @property
    def variances(self) -> np.ndarray:
        return self.shapes.T @ self.sizes + self.known

    @property
    def weights(self) -> np.ndarray:
        """One over the standard deviation; from joint to joint over a power of its level: ID.6."""
        logs = -0.5 * np.log(self.variances)
        level = logs.mean(axis=0)
        return np.exp(logs + (self.power - 1) * (level - level.mean()))

    def learn(self, residuals, leverage) -> None:
        """One step of restricted maximum likelihood: what the parameters took counts as lost."""
        S = self.variances
        seen = self.shapes @ (residuals**2 / S**2)
        wanted = self.shapes @ (np.maximum(1 - leverage, 1e-9) / S)
        self.sizes *= np.sqrt(np.maximum(seen, 1e-12 * wanted) / wanted)


class MotionProblem:
    """What is looked for beside the base parameters, at a motion: springs, gains, compliances."""

    def __init__(self, problem, p, pull: float, power: float, asked: bool):
        self.problem, self.pull = problem, pull
        data, lin = problem.data, problem.lin
        self.rows = CosineRows(data.time, data.band)
        self.gains = lin.gains(problem.nv)
        self.plain = problem.inertial / self.gains[:, None]
        self.kept, nv = list(problem.base.kept), problem.nv
        size = np.sqrt((data.tau**2).mean(axis=0))
        self.free = [i for i in range(nv) if i != int(np.argmax(size))] if asked else []
        offsets = {i: c for c, (_, _, kind, i) in enumerate(lin.columns) if kind == "offset"}
        self.sprung = [i for i in offsets if i in problem.paths] if asked else []
        self.offsets = [offsets[i] for i in self.sprung]
        self.middles = np.array([problem.paths[i].x.mean() for i in self.sprung])
        self.spring_sizes = _alike(lin, self.sprung, problem.sizes.scale[self.offsets])
        self.soft, self.moves, usual = [], [], []
        for i, shake in enumerate(data.shake.T if asked and data.shake is not None else ()):
            moved = self.moved(i, shake)
            inertia = float((moved @ p[: moved.shape[2]])[:, i] @ shake)
            inertia /= max(float(shake @ shake), 1e-300)
            if inertia > 0:
                self.soft.append(i)
                self.moves.append(moved)
                usual.append(1 / (inertia * (2 * np.pi * data.band) ** 2))  # ID.23
        self.usual = np.array(usual)
        self.compliances, self.springs = np.zeros(len(self.soft)), np.zeros(len(self.sprung))
        self.kinds = np.array([kind for _, _, kind, _ in lin.columns])
        self.B, self.wide = problem.base.B, problem.sizes.scale
        self.held = SizePrior.of(self.B, problem.sizes.scale / pull)
        self.b = self.rows.of(data.tau - lin.known(data.q, data.v, data.a))
        self.spectrum = ErrorSpectrum(self.rows, data, problem.residuals(p), power)
        noise = acceleration_noise(data, self.rows.frequencies)
        self.blur = None if noise is None else Blur(self, noise)
        self.same: tuple[np.ndarray, np.ndarray] | None = None  # rows that no gain changes

    def _give_way(self, p, covariance) -> None:
        """The prior gives way where parameters of a kind are larger than usual ones; ID.28."""
        scale, shares = self.problem.sizes.scale, self.held.shares(self.B, covariance)
        size = (p - self.problem.middle) / scale
        spread, wide = giving_way(self.kinds, size, shares, 1 / self.pull)
        self.held, self.wide = SizePrior.of(self.B, spread * scale), wide * scale

    def moved(self, i: int, shake) -> np.ndarray:
        """Columns of inertia for the accelerations that joint i's effort shakes its links with."""
        data, inertial = self.problem.data, self.problem.lin.inertial
        still, a = np.zeros_like(data.v), np.zeros_like(data.a)
        a[:, i] = shake
        return inertial(data.q, still, a) - inertial(data.q, still, still)

    def columns(self, p) -> tuple[np.ndarray, np.ndarray]:
        """Rows of base parameters with gains and compliances as they are; of springs and changes.

        At parameters p; springs are linear, gains and compliances by their derivatives.
        """
        if self.same is None or self.free or self.soft:
            self.same = self._columns(p)
        return self.same

    def _columns(self, p) -> tuple[np.ndarray, np.ndarray]:
        problem, g = self.problem, self.gains
        ten, nv = self.plain.shape[2], problem.nv
        rigid = self.plain - sum(c * D for c, D in zip(self.compliances, self.moves, strict=True))
        Y = np.concatenate([rigid * g[:, None], problem.Y[:, :, ten:]], axis=2)
        own, load = {}, rigid @ p[:ten]
        for c, (_, _, kind, i) in enumerate(problem.lin.columns):
            if kind == "rotor":
                Y[:, i, c] = g[i] * problem.data.a[:, i]
                own[i] = p[c] * problem.data.a[:, i]
        extra = np.zeros((len(Y), nv, len(self.sprung) + len(self.free) + len(self.soft)))
        for k, (i, middle) in enumerate(zip(self.sprung, self.middles, strict=True)):
            extra[:, i, k] = problem.paths[i].x - middle
        for k, i in enumerate(self.free, len(self.sprung)):
            extra[:, i, k] = load[:, i] + own.get(i, 0.0)
        for k, D in enumerate(self.moves, len(self.sprung) + len(self.free)):
            extra[:, :, k] = -(D @ p[:ten]) * g
        return self.rows.of(Y[:, :, self.kept]), self.rows.of(extra)

    def prior(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows of the prior: base parameters and springs, changes of gains and of compliances."""
        problem, g = self.problem, self.gains[self.free]
        k, n = len(self.kept), len(self.sprung)
        spread = np.hypot(USUAL, g - 1)  # ID.20
        weights = np.concatenate([self.pull / self.spring_sizes, 1 / spread, 1 / self.usual])
        P = np.zeros((k + len(weights), k + len(weights)))
        P[:k, :k] = self.held.loose
        P[k:, k:] = np.diag(weights)
        known = np.concatenate([np.zeros(n), (1 - g) / spread, -self.compliances / self.usual])
        return P, np.concatenate([P[:k, :k] @ (problem.base.B @ problem.middle), known])

    def step(self, p, hold: bool) -> np.ndarray:
        """New parameters, gains, springs, compliances and spectrum."""
        problem, k, n = self.problem, len(self.kept), len(self.sprung)
        X, extra = self.columns(p)
        if self.blur is not None:
            self.spectrum.known = self.blur.in_rows(problem.base.values(p), self.gains)
        W = self.spectrum.weights
        A = (np.concatenate([X, extra], axis=2) * W[:, :, None]).reshape(W.size, -1)
        P, wanted = self.prior()
        whole = np.vstack([A, P])
        scale = np.sqrt((whole**2).sum(axis=0)) + 1e-300
        Q, R = np.linalg.qr(whole / scale)
        root = np.linalg.pinv(R, rcond=1e-14) / scale[:, None]
        told = Q.T @ np.concatenate([(self.b * W).ravel(), wanted])
        if self.blur is not None:
            clear, lost = self.blur.taken_off(root, W, self.gains)
            root, told = root @ clear, clear.T @ (told + lost)
        x = root @ told
        r = self.b - np.concatenate([X, extra], axis=2) @ x
        H = root @ root.T
        self.solved = A, H, P.T @ P, W, r
        self.spectrum.learn(r, (Q[: W.size] ** 2).sum(axis=1).reshape(W.shape))
        self.springs = x[k : k + n]
        at = k + n + len(self.free)
        compliances = self.compliances + x[at:]
        if hold:
            self.spring_sizes[self.springs < 0] = HELD
            self.usual[compliances < 0] = HELD
        turn = self.gains[self.free] + np.clip(x[k + n : at], -STEP, STEP)
        self.gains[self.free] = np.clip(turn, *LIMITS)
        self.compliances = np.maximum(0.0, compliances)
        found = problem.middle + self.held.lift @ (x[:k] - problem.base.B @ problem.middle)
        self._give_way(found, H[:k, :k])
        return found

    @property
    def passed_shapes(self) -> np.ndarray:
        """Of noise and slow errors, as the low pass leaves them; a row each."""
        left = left_by(self.problem.data.band, self.rows.frequencies)
        return self.spectrum.shapes * left**2

    def covariance(self, p) -> np.ndarray:
        """Of base parameters and springs, as the last step left them: ID.22."""
        n, B = len(self.kept) + len(self.sprung), self.problem.base.B
        found = beside(self, p, (B * self.wide**2) @ B.T)
        return found.covariance(self.passed_shapes, self.spectrum.known)[:n, :n]

    def settled(self, p) -> tuple[np.ndarray, np.ndarray]:
        """The problem takes what was found; springs from zero, offsets what is left of theirs."""
        spread = self.covariance(p)
        own = {("gain", i): float(self.gains[i]) for i in self.free}
        self.springs[self.spring_sizes <= HELD] = 0.0
        for kind, at, numbers in (
            ("spring", self.sprung, self.springs),
            ("compliance", self.soft, self.compliances),
        ):
            own |= {(kind, i): float(x) for i, x in zip(at, numbers, strict=True) if x > 1e-9}
        p = p.copy()
        p[self.offsets] -= self.springs * self.middles
        self.problem.set_own({**self.problem.lin.own, **own}, p)
        shifted = -self.problem.base.B[:, self.offsets] * self.middles
        into = np.hstack([np.eye(len(self.kept)), shifted])
        return p, into @ spread @ into.T


def _alike(lin, joints, sizes) -> np.ndarray:
    """Usual springs: hoses and cables know nothing of a joint's strength, but turns and ways."""
    turns = np.array([lin.speeds[i][2] for i in joints], bool)
    logs = np.log(sizes)
    return HOSE * np.exp([logs[turns == x].mean() for x in turns])


def refined(problem, p, pull: float, power: float, gains: bool) -> tuple[np.ndarray, np.ndarray]:
    """Parameters and their covariance from an even motion; the problem takes what was found."""
    motion = MotionProblem(problem, p, pull, power, asked=False)
    asked = gains and calls_for_gains(problem, p) > CALLED
    for _ in range(FIRST):
        p = motion.step(p, hold=False)
    if asked := asked and errors_share(problem, p) > CALLED:
        motion = MotionProblem(problem, p, pull, power, asked)
    for k in range(PASSES):
        p = motion.step(p, FIRST <= k < PASSES - 1)
    return motion.settled(p)
