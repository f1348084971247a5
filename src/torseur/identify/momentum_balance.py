"""Crushing members straight from a test: masses and force curves by balances of momentum.

A start for `fit`, or an answer of its own where every part that moves was measured.  Theory: ID.17.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import ArgumentError, unknown_name
from ..scalars import arguments

BACK = 1e-4  # [m] below the largest deflection so far: a member that unloads follows no curve
ROW, BEND = 0.05, 0.12  # of the largest force: errors of balances, and usual bends of a curve
FEW = 10  # as so many rows with errors of their own all of them count
LEAST = 2e-3  # of the largest force: what a knot carries at least


@dataclass(frozen=True, slots=True, eq=False)
class DirectCurves:
    """`points` {member: ((deflection [m], force [N]), ...)}, `masses` {part: kg}, the root mean
    square of what the balances leave over, of the largest force; `sigma` {part: kg}, how well
    masses are known by that (about), and the `unsure` parts, whose masses the balances do not
    tell: less than two of it."""

    points: dict[str, tuple[tuple[float, float], ...]]
    masses: dict[str, float]
    left_over: float
    sigma: dict[str, float]

    @property
    def unsure(self) -> tuple[str, ...]:
        return tuple(n for n, m in self.masses.items() if m < 2 * self.sigma[n])

    def __repr__(self):
        own = self.masses.items()
        found = ", ".join(f"{n} {m:.4g} kg (within {self.sigma[n]:.2g})" for n, m in own)
        doubt = f"; not told by the balances: {', '.join(self.unsure)}" if self.unsure else ""
        return (
            f"curves of {', '.join(self.points)}; {found}; {100 * self.left_over:.2g} % of the "
            f"largest force is left over{doubt}"
        )


def direct(
    motions: Mapping[str, tuple[Any, ...]],
    members: Mapping[str, tuple[str, str | None]],
    mass: float | str,
    barrier: Any,
    spacing: float | str = 0.025,
    gaps: Mapping[str, float] | None = None,
) -> DirectCurves:
    """Force curves of members and masses of parts from measured motions, by linear least squares.

    Parameters
    ----------
    motions : {part: (acceleration [m/s2], way [m])}, arrays at the same times
    members : {member: (part behind it, part before it, or None for the barrier)}
    mass : of all parts together [kg]
    barrier : the barrier's force at the same times [N]
    spacing : between knots [m]
    gaps : {member: way before it is touched [m]}

    Each part's balance `m a = -(forces of what is before it) + (of what is behind it)`, and the
    barrier's force, hold at the times when the members in them are deflected further than ever;
    forces are not negative and bend little.

    >>> t = np.linspace(0, 0.06, 300)
    >>> w = np.sqrt(4e5 / 1000)
    >>> x = 15 / w * np.sin(w * t)
    >>> found = direct({"car": (-w * w * x, x)}, {"front": ("car", None)}, 1000.0, 4e5 * x, 0.1)
    >>> [round(F / d, -3) for d, F in found.points["front"][1:4]], round(found.masses["car"], 3)
    ([400000.0, 400000.0, 400000.0], 1000.0)
    """
    from scipy.optimize import lsq_linear

    mass = arguments.number("direct", "mass", mass, "kg", above=0.0)
    spacing = arguments.number("direct", "spacing", spacing, "m", above=0.0)
    W, parts = np.asarray(barrier, float), list(motions)
    moved, problems = {}, _faults(motions, members, gaps or {}, W)
    for n, pair in motions.items() if not problems else ():
        moved[n] = tuple(np.asarray(x, float) for x in pair)
        problems += _unlike(n, moved[n], W)
    if problems:
        raise ArgumentError("\n".join(f"direct: {p}" for p in problems))
    hats, loads, knots = {}, {}, {}
    for name, (rear, front) in members.items():
        way = moved[rear][1] - (moved[front][1] if front is not None else 0.0)
        first, last = float((gaps or {}).get(name, 0.0)), float(way.max()) * 1.03
        if last <= first:
            two = f"{rear!r} and {front!r}" if front else f"{rear!r} and the barrier"
            raise ArgumentError(
                f"direct: member {name!r} is never touched: {two} come {way.max():.4g} m closer, "
                f"and its gap is {first:g} m; leave it out"
            )
        knots[name] = np.linspace(first, last, max(2, round((last - first) / spacing)) + 1)
        hats[name] = np.stack([np.interp(way, knots[name], e) for e in np.eye(len(knots[name]))]).T
        loads[name] = way >= np.maximum.accumulate(way) - BACK
    until = int(np.argmax(moved[max(parts, key=lambda n: moved[n][1].max())][1])) + 1
    ends = np.cumsum([0, *(len(x) for x in knots.values())])
    place = {n: slice(a, b) for n, a, b in zip(members, ends[:-1], ends[1:], strict=True)}
    peak, size = float(abs(W).max()), ends[-1] + len(parts)
    rows, right = [], []

    def balance(forces, masses, known):
        A = np.zeros((len(W), size))
        keep = np.arange(len(W)) < until
        for n, sign in forces:
            A[:, place[n]] += sign * hats[n]
            keep &= loads[n]
        for n, x in masses:
            A[:, ends[-1] + parts.index(n)] = x
        rows.append(A[keep] / (ROW * peak))
        right.append(known[keep] / (ROW * peak))

    for n in parts:
        forces = [(m, 1.0) for m, (rear, _) in members.items() if rear == n]
        forces += [(m, -1.0) for m, (_, front) in members.items() if front == n]
        balance(forces, [(n, moved[n][0])], np.zeros(len(W)))  # ID.17
    balance([(m, 1.0) for m, (_, front) in members.items() if front is None], [], W)
    for n, part in place.items():
        bends = np.zeros((len(knots[n]) - 2, size))
        for k, row in enumerate(bends):
            row[part.start + k : part.start + k + 3] = 1.0, -2.0, 1.0
        rows.append(bends / (BEND * peak))
        right.append(np.zeros(len(bends)))
    whole = np.zeros((1, size))
    whole[0, ends[-1] :] = 1e5 / mass
    rows.append(whole)
    right.append(np.array([1e5]))
    scale = np.concatenate([np.full(ends[-1], peak), np.full(len(parts), mass)])
    low, high = np.full(size, LEAST), np.full(size, np.inf)
    for part in place.values():
        low[part.start], high[part.start] = -1e-9, 1e-9  # nothing before it is touched
    A, b = np.concatenate(rows), np.concatenate(right)
    x = lsq_linear(A * scale, b, (low, high)).x * scale
    points = {
        n: tuple(zip(knots[n].round(5).tolist(), [0.0, *x[part][1:].tolist()], strict=True))
        for n, part in place.items()
    }
    off = (A @ x - b)[: sum(len(r) for r in rows[: len(parts) + 1])] * ROW
    found = dict(zip(parts, x[ends[-1] :].tolist(), strict=True))
    left = float(np.sqrt((off**2).mean()))
    errors = np.minimum(_sigma(A * scale, ends[-1]) * left / ROW, 1.0) * mass
    return DirectCurves(points, found, left, dict(zip(parts, errors.tolist(), strict=True)))


def _sigma(A, first: int) -> np.ndarray:
    """Standard deviations of masses for errors of balances as they are: these go with the curves,
    so that all rows count as few."""
    _, s, V = np.linalg.svd(A, full_matrices=False)
    size = np.sum((V / np.maximum(s, 1e-12 * s[0])[:, None]) ** 2, axis=0)
    return np.sqrt(size[first:] * len(A) / FEW)


def _faults(motions, members, gaps, W) -> list[str]:
    """What is wrong with the names of parts and members, and with the barrier's force."""
    unknown = sorted({p for ends in members.values() for p in ends if p is not None} - {*motions})
    found = [f"no motion is given of {', '.join(map(repr, unknown))}"] if unknown else []
    found += [unknown_name("member", n, members, "gaps") for n in gaps if n not in members]
    if not any(front is None for _, front in members.values()):
        found.append("no member pushes on the barrier: write ('body', None) for one that does")
    if W.ndim != 1 or not np.isfinite(W).all() or not np.any(W):
        found.append("barrier: expected its force at every time [N], numbers, not all of them zero")
    return found


def _unlike(name, pair, W) -> list[str]:
    """What is wrong with the motion of a part."""
    if len(pair) != 2 or any(x.shape != W.shape for x in pair):
        shapes = ", ".join(str(x.shape) for x in pair)
        return [f"motion of {name!r}: expected (acceleration, way) at the {len(W)} times of the "
                f"barrier's force, got shapes {shapes}"]  # fmt: skip
    if not all(np.isfinite(x).all() for x in pair):
        return [f"motion of {name!r} has entries that are no numbers"]
    return []
