"""Equilibrium search: energy descent to a stable pose, or Newton's method to the nearest one.

Theory: LI.1, LI.7, LI.8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import IntegrationError, as_system
from ..views import tabled
from .operating_point import OperatingPoint
from .table_steps import has_steps, solve_on_sides

if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterator, KeysView

    from ..model import Model
    from ..system import System

# --------------------------------------------------------------------------------------------
# Bodies that nothing holds: no equilibrium is worth looking for.


MAX_LISTED_BODIES = 4  # names that are told
FREE_JOINT_SPEEDS = 6  # speeds of a joint that holds nothing


def check_unsupported_bodies(system: System, parameters: Any) -> None:
    """Raise an error if gravity pulls bodies that no joint, force or constraint connects to the
    world.

    The forces between them cancel, and their weight is left.
    """
    g = np.linalg.norm(np.asarray(parameters.numbers(system.gravity), dtype=float))
    if not g:
        return
    for links in _find_unsupported_links(system):
        bodies = [k for k in system.links if k.index in links]
        mass = sum(float(parameters.number(k.inertia.mass)) for k in bodies)
        if mass > 0:
            names = [repr(k.body) for k in bodies]
            listed = ", ".join(
                names[:MAX_LISTED_BODIES]
            ) + f" and {len(names) - MAX_LISTED_BODIES} more" * (len(names) > MAX_LISTED_BODIES)
            raise IntegrationError(
                f"no equilibrium of {system.name!r}: no joint, force or constraint leads from "
                f"{listed} to the world, and nothing holds their {mass * g:.4g} N of weight; hold "
                "one of them, or give gravity=(0, 0, 0)"
            )


def _find_unsupported_links(system: System) -> list[set[int]]:
    """Groups of links that forces, constraints and joints connect, but not to the world (union-
    find).
    """
    root = {k.index: k.index for k in system.links} | {0: 0}
    of_speed = {i: k for k in system.links for i in range(k.v.start, k.v.stop)}

    def find_root(i: int) -> int:
        while root[i] != i:
            root[i] = i = root[root[i]]
        return i

    def union(indices) -> None:
        first, *rest = [*indices] or [0]
        for i in rest or [0]:  # what is at one link alone comes from the world
            root[find_root(i)] = find_root(first)

    for k in system.links:
        if k.parent or k.index in system.slices or k.joint.nv != FREE_JOINT_SPEEDS:
            union((k.index, k.parent))
    e: Any
    for e in (*system.held, *system.switched):
        union((e.F.link, e.M.link) if e.joins else (*e.links, 0))
    for e in system.elements:
        if e.ends:
            union([p.link for p in e.ends])
        for _, j, _ in e.weights:
            k = of_speed[j]
            union((k.index, k.parent))  # along coordinates of a free body it comes from the world
    groups: dict[int, set[int]] = {}
    for i in root:
        groups.setdefault(find_root(i), set()).add(i)
    return [links for links in groups.values() if 0 not in links]


MIN_STIFFNESS_RATIO = 1e-9  # a stiffness below this share of the largest is none


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A pose at rest.  Usable as `initial=` of a run."""

    state: dict[str, float]
    residual: float  # largest acceleration left [SI]
    iterations: int
    stable: bool  # no direction leads downhill, and no motion grows
    negative: int = 0  # independent directions that lead downhill
    indifferent: int = 0  # directions without stiffness

    def __getitem__(self, name: str) -> float:
        return self.state[name]

    def keys(self) -> KeysView[str]:
        return self.state.keys()

    def items(self) -> ItemsView[str, float]:
        return self.state.items()

    def __iter__(self) -> Iterator[str]:
        return iter(self.state)

    def _repr_html_(self) -> str:
        told = str(self).rpartition("\n")[2]
        return tabled(f"Equilibrium, {told}", ("", ""), self.state.items())

    def __str__(self) -> str:
        """Coordinates, kind of stability and residual."""
        rows = [f"{n:<30}{round(x, 14) + 0.0:+.12g}" for n, x in self.state.items()]
        kind = "stable" if self.stable else "unstable"
        if self.negative:
            kind += f": {_count_noun(self.negative, 'direction')} downhill"
        elif not self.stable:
            kind += ": small motions grow, though no direction leads downhill"
        if self.indifferent:
            kind += f", indifferent along {_count_noun(self.indifferent, 'direction')}"
        return "\n".join([*rows, f"{kind}; largest acceleration left {self.residual:.2g}"])


def _count_noun(n: int, word: str) -> str:
    return f"{n} {word}{'s' * (n > 1)}"


def equilibrium(
    model: Model | System,
    near: Mapping[str, float] | None = None,
    *,
    stable: bool = True,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, Any] | None = None,
    tol: float = 1e-12,
    most: int = 200,
) -> Equilibrium:
    """Find a pose at rest close to a guess.

    Parameters
    ----------
    near : coordinates by name.  Others start neutral, or where loops need them
    stable : descend (the forces do work in each step) to a stable pose where there is one.  If
        False, the nearest pose without accelerations of either stability
    tol : largest acceleration, relative to gravity
    most : maximal number of steps of each search

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    >>> pendulum = ts.Model(bodies=(rod,),
    ...                     joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    >>> found = equilibrium(pendulum, near={"pivot.angle": 2.5})
    >>> abs(found["pivot.angle"]) < 1e-12, found.stable
    (True, True)
    >>> up = equilibrium(pendulum, near={"pivot.angle": 3.0}, stable=False)
    >>> round(up["pivot.angle"], 12), up.stable, up.negative
    (3.14159265359, False, 1)
    """
    if has_steps(s := as_system(model, "equilibrium")):
        options: dict[str, Any] = {"inputs": inputs, "tol": tol, "most": most, "stable": stable}
        return solve_on_sides(
            s,
            near,
            parameters,
            lambda model_on_sides: equilibrium(model_on_sides, near, **options),
            lambda model_on_sides, found: OperatingPoint(
                model_on_sides, found.state, None, inputs, keep=()
            ),
        )
    point = OperatingPoint(model, near, parameters, inputs, keep=(), where="equilibrium")
    point.v[:] = 0
    s = point.system
    check_unsupported_bodies(s, point.motion.K)
    scale = 1.0 + float(np.linalg.norm(np.asarray(s.gravity, dtype=object).astype(float)))
    count = _descend(point, most) if stable else 0
    newton_count, residual = _newton_search(point, tol * scale, most)
    point.check_time_invariance("equilibrium")
    w = _curvatures(point)
    for _ in range(5):
        if not stable or residual > 1e-6 * scale or not (w < 0).any():
            break
        _leave_maximum(point)
        count += _descend(point, most) + newton_count
        newton_count, residual = _newton_search(point, tol * scale, most)
        w = _curvatures(point)
    if not residual <= 1e-6 * scale:
        raise _describe_failure(point, count + newton_count, residual, stable)
    eigen = np.linalg.eigvals(point.linear_model()[0])
    grows = eigen.real.max(initial=0) > 1e-6 * max(1.0, abs(eigen).max(initial=0))
    state = dict(zip(s.coordinates, map(float, point.q), strict=True))
    return Equilibrium(
        state,
        residual,
        count + newton_count,
        not grows and not (w < 0).any(),
        int((w < 0).sum()),
        int((w == 0).sum()),
    )


def _describe_failure(
    point: OperatingPoint, count: int, residual: float, stable: bool
) -> IntegrationError:
    """The error of a search without success, with its last pose."""
    s = point.system
    pose = list(zip(s.coordinates, point.q.tolist(), strict=True))[:6]
    remedy = (
        "perhaps nothing holds the model: look whether it falls or slides away for ever"
        if stable
        else "start nearer, or go downhill with stable=True"
    )
    return IntegrationError(
        f"no equilibrium of {s.name!r} was found near the guess: after {count} steps an "
        f"acceleration of {residual:.3g} is left at "
        f"{', '.join(f'{n} = {x:.4g}' for n, x in pose)}; {remedy}"
    )


def _stiffness_modes(point: OperatingPoint):
    """Stiffnesses along modes of unit mass, exact zeros where negligible, and the modes (LI.7)."""
    from scipy.linalg import eigh

    if not point.independent:
        return np.zeros(0), np.zeros((0, 0))
    w, V = eigh(*point.stiffness())  # LI.7
    return np.where(abs(w) <= MIN_STIFFNESS_RATIO * max(1e-300, abs(w).max()), 0.0, w), V


def _curvatures(point: OperatingPoint) -> np.ndarray:
    return _stiffness_modes(point)[0]


def _descend(point: OperatingPoint, most: int) -> int:
    """Newton steps with the magnitudes of all stiffnesses, while the forces do work along them
    (LI.8).
    """
    max_length = 0.5  # rad or m
    for count in range(most):
        f = point.force()
        w, V = _stiffness_modes(point)
        push = V.T @ f
        stiff = np.maximum(abs(w), max(1e-8 * abs(w).max(initial=0), 1e-12))
        d = V @ (push / stiff)  # LI.8
        length = abs(d).max(initial=0)
        if length < 1e-6 or (length < 1e-2 and (w > 0).all()):
            return count
        d *= min(1.0, max_length / length)
        fraction = _line_search_work(point, f, d)
        if fraction == 0:
            return count
        max_length = (
            min(1.0, 2 * max_length) if fraction == 1 else max(1e-6, fraction * abs(d).max())
        )
    return most


def _line_search_work(point: OperatingPoint, f: np.ndarray, d: np.ndarray) -> float:
    """Move along `d` as far as the forces do work.  Return the fraction of it."""
    q, lead, T, m = point.q.copy(), point.independent, point.T, point.m
    fraction = 1.0
    while fraction > 1e-9:
        forces = []
        for s in (fraction / 2, fraction):
            point.move_along(q, T @ (s * d), lead)
            forces.append(point.force())
        work = fraction * d @ (f + 4 * forces[0] + forces[1]) / 6
        if np.isfinite(work) and work > 1e-4 * fraction * (d @ f):
            point.close_loops()
            return fraction
        fraction /= 3
    point.q, point.independent, point.T, point.m = q, lead, T, m
    return 0.0


def _leave_maximum(point: OperatingPoint) -> None:
    """Move from a maximum along the most negative stiffness, as the forces push."""
    _, V = _stiffness_modes(point)
    d = V[:, 0] * (0.02 / abs(V[:, 0]).max())
    q, lead, T = point.q.copy(), point.independent, point.T
    work = []
    for sign in (1, -1):
        point.move_along(q, T @ (sign * d), lead)
        work.append(sign * d @ point.force())
    point.move_along(q, T @ (d if work[0] >= work[1] else -d))


def _newton_search(point: OperatingPoint, tolerance: float, most: int) -> tuple[int, float]:
    """Damped Newton steps on accelerations and rates of states (LI.1).  Their number and the
    residual.
    """
    r, done, count = point.rates(), False, 0
    while count < most:
        n, nz, size = len(point.independent), point.element_state_size, np.linalg.norm(r)
        if done or size == 0:
            break
        count, done = count + 1, abs(r).max() <= tolerance  # one step more takes it to rounding
        A, _ = point.linear_model(rest=True)
        rows = A[n:][:, [*range(n), *range(2 * n, 2 * n + nz)]]
        d = -np.linalg.lstsq(rows, r, rcond=1e-12)[0]  # LI.1
        length = abs(d[:n]).max(initial=0)
        d *= min(1.0, 0.5 / length) if length > 0 else 1.0
        before, fraction, direction = (point.q.copy(), point.z.copy(), r), 1.0, point.T @ d[:n]
        while True:
            point.move_along(before[0], fraction * direction)
            point.z = before[1].copy()
            point.z[:nz] += fraction * d[n:]
            r = point.rates()
            if np.linalg.norm(r) < size * (1 - 1e-4 * fraction) or fraction < 1e-6 or done:
                break
            fraction *= 0.5
        if not np.linalg.norm(r) < size:
            point.move_along(before[0], 0 * direction)
            point.z, r, done = before[1], before[2], True
    return count, float(abs(r).max(initial=0))
