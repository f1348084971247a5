"""Poses at rest: downhill to a stable one, or the nearest of any kind (LI.1, LI.7, LI.8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import IntegrationError, system_of
from ...views import tabled
from ..operating_point import Here
from .table_steps import has_steps, settled

if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterator, KeysView

    from ...model import Model
    from ...system import System

# --------------------------------------------------------------------------------------------
# Bodies that nothing holds: no equilibrium is worth looking for.


MOST = 4  # names that are told
FREE = 6  # speeds of a joint that holds nothing


def refuse_falling(system, parameters) -> None:
    """Say so where gravity pulls bodies from which no joint, force or constraint leads to the
    world: the forces between them cancel, and their weight is left."""
    g = np.linalg.norm(np.asarray(parameters.numbers(system.gravity), dtype=float))
    if not g:
        return
    for links in _loose(system):
        own = [k for k in system.links if k.index in links]
        mass = sum(float(parameters.number(k.inertia.mass)) for k in own)
        if mass > 0:
            names = [repr(k.body) for k in own]
            told = ", ".join(names[:MOST]) + f" and {len(names) - MOST} more" * (len(names) > MOST)
            raise IntegrationError(
                f"no equilibrium of {system.name!r}: no joint, force or constraint leads from "
                f"{told} to the world, and nothing holds their {mass * g:.4g} N of weight; hold "
                "one of them, or give gravity=(0, 0, 0)"
            )


def _loose(system) -> list[set[int]]:
    """Links that forces, constraints and joints join to each other, and not to the world."""
    root = {k.index: k.index for k in system.links} | {0: 0}
    of_speed = {i: k for k in system.links for i in range(k.v.start, k.v.stop)}

    def find(i: int) -> int:
        while root[i] != i:
            root[i] = i = root[root[i]]
        return i

    def join(some) -> None:
        first, *rest = [*some] or [0]
        for i in rest or [0]:  # what is at one link alone comes from the world
            root[find(i)] = find(first)

    for k in system.links:
        if k.parent or k.index in system.slices or k.joint.nv != FREE:
            join((k.index, k.parent))
    for e in (*system.held, *system.switched):
        join((e.F.link, e.M.link) if e.joins else (*e.links, 0))
    for e in system.elements:
        if e.ends:
            join([p.link for p in e.ends])
        for _, j, _ in e.weights:
            k = of_speed[j]
            join((k.index, k.parent))  # along coordinates of a free body it comes from the world
    groups: dict[int, set[int]] = {}
    for i in root:
        groups.setdefault(find(i), set()).add(i)
    return [links for links in groups.values() if 0 not in links]


FLAT = 1e-9  # a stiffness below this share of the largest is none


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A pose at rest; usable as `initial=` of a run."""

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
        rows = [f"{n:<30}{round(x, 14) + 0.0:+.12g}" for n, x in self.state.items()]
        kind = "stable" if self.stable else "unstable"
        if self.negative:
            kind += f": {_many(self.negative, 'direction')} downhill"
        elif not self.stable:
            kind += ": small motions grow, though no direction leads downhill"
        if self.indifferent:
            kind += f", indifferent along {_many(self.indifferent, 'direction')}"
        return "\n".join([*rows, f"{kind}; largest acceleration left {self.residual:.2g}"])


def _many(n: int, word: str) -> str:
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
    """A pose at rest near a guess.

    Parameters
    ----------
    near : coordinates by name; the others start neutral, or where loops ask
    stable : go downhill (each step lets the forces do work) and end in a stable pose where there is
        one; with False, the nearest pose without accelerations, whatever its kind
    tol : accelerations left, relative to gravity
    most : steps of each search

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
    if has_steps(s := system_of(model, "equilibrium")):
        options: dict[str, Any] = {"inputs": inputs, "tol": tol, "most": most, "stable": stable}
        return settled(
            s,
            near,
            parameters,
            lambda made: equilibrium(made, near, **options),
            lambda made, found: Here(made, found.state, None, inputs, keep=()),
        )
    here = Here(model, near, parameters, inputs, keep=(), where="equilibrium")
    here.v[:] = 0
    s = here.system
    refuse_falling(s, here.floats.K)
    scale = 1.0 + float(np.linalg.norm(np.asarray(s.gravity, dtype=object).astype(float)))
    count = _descend(here, most) if stable else 0
    more, left = _newton(here, tol * scale, most)
    here.steady("equilibrium")
    w = _curvatures(here)
    for _ in range(5):
        if not stable or left > 1e-6 * scale or not (w < 0).any():
            break
        _push_off(here)
        count += _descend(here, most) + more
        more, left = _newton(here, tol * scale, most)
        w = _curvatures(here)
    if not left <= 1e-6 * scale:
        raise IntegrationError(
            f"no equilibrium of {s.name!r} was found near the guess: after {count + more} steps an "
            f"acceleration of {left:.3g} is left at "
            + ", ".join(
                f"{n} = {x:.4g}"
                for n, x in list(zip(s.coordinates, here.q.tolist(), strict=True))[:6]
            )
            + (
                "; perhaps nothing holds the model: look whether it falls or slides away for ever"
                if stable
                else "; start nearer, or go downhill with stable=True"
            )
        )
    eigen = np.linalg.eigvals(here.tangent()[0])
    growing = eigen.real.max(initial=0) > 1e-6 * max(1.0, abs(eigen).max(initial=0))
    state = dict(zip(s.coordinates, map(float, here.q), strict=True))
    return Equilibrium(
        state,
        left,
        count + more,
        not growing and not (w < 0).any(),
        int((w < 0).sum()),
        int((w == 0).sum()),
    )


def _modes(here):
    """Curvatures of the potential along modes of unit mass, flat ones as exact zeros."""
    from scipy.linalg import eigh

    if not here.lead:
        return np.zeros(0), np.zeros((0, 0))
    w, V = eigh(*here.stiffness())  # LI.7
    return np.where(abs(w) <= FLAT * max(1e-300, abs(w).max()), 0.0, w), V


def _curvatures(here) -> np.ndarray:
    return _modes(here)[0]


def _descend(here, most: int) -> int:
    """Newton steps with every curvature taken positive, while the forces do work along them."""
    longest = 0.5  # rad or m
    for count in range(most):
        f = here.force()
        w, V = _modes(here)
        push = V.T @ f
        stiff = np.maximum(abs(w), max(1e-8 * abs(w).max(initial=0), 1e-12))
        d = V @ (push / stiff)  # LI.8
        long = abs(d).max(initial=0)
        if long < 1e-6 or (long < 1e-2 and (w > 0).all()):
            return count
        d *= min(1.0, longest / long)
        share = _work_along(here, f, d)
        if share == 0:
            return count
        longest = min(1.0, 2 * longest) if share == 1 else max(1e-6, share * abs(d).max())
    return most


def _work_along(here, f, d) -> float:
    """Moves along `d` as far as the forces do work; answers the share of it that was made."""
    q, lead, T, m = here.q.copy(), here.lead, here.T, here.m
    share = 1.0
    while share > 1e-9:
        ends = []
        for s in (share / 2, share):
            here.move(q, T @ (s * d), lead)
            ends.append(here.force())
        work = share * d @ (f + 4 * ends[0] + ends[1]) / 6
        if np.isfinite(work) and work > 1e-4 * share * (d @ f):
            here.settle()
            return share
        share /= 3
    here.q, here.lead, here.T, here.m = q, lead, T, m
    return 0.0


def _push_off(here) -> None:
    """From a crest along its steepest way down, to the side that the forces then take."""
    _, V = _modes(here)
    d = V[:, 0] * (0.02 / abs(V[:, 0]).max())
    q, lead, T = here.q.copy(), here.lead, here.T
    gain = []
    for sign in (1, -1):
        here.move(q, T @ (sign * d), lead)
        gain.append(sign * d @ here.force())
    here.move(q, T @ (d if gain[0] >= gain[1] else -d))


def _newton(here, small: float, most: int) -> tuple[int, float]:
    """Damped Newton steps on accelerations and rates of states; steps made, and what is left."""
    r, done, count = here.rates(), False, 0
    while count < most:
        n, own, size = len(here.lead), here.own, np.linalg.norm(r)
        if done or size == 0:
            break
        count, done = count + 1, abs(r).max() <= small  # one step more takes it to rounding
        A, _ = here.tangent(rest=True)
        rows = A[n:][:, [*range(n), *range(2 * n, 2 * n + own)]]
        d = -np.linalg.lstsq(rows, r, rcond=1e-12)[0]  # LI.1
        long = abs(d[:n]).max(initial=0)
        d *= min(1.0, 0.5 / long) if long > 0 else 1.0
        before, share, along = (here.q.copy(), here.z.copy(), r), 1.0, here.T @ d[:n]
        while True:
            here.move(before[0], share * along)
            here.z = before[1].copy()
            here.z[:own] += share * d[n:]
            r = here.rates()
            if np.linalg.norm(r) < size * (1 - 1e-4 * share) or share < 1e-6 or done:
                break
            share *= 0.5
        if not np.linalg.norm(r) < size:
            here.move(before[0], 0 * along)
            here.z, r, done = before[1], before[2], True
    return count, float(abs(r).max(initial=0))
