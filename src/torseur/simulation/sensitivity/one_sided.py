"""Starts exactly on a boundary: which derivatives hold to one side only.

Theory: SE.10.
"""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...dynamics import INSIDE, TOUCH
from ...errors import TorseurError
from ...kernels import begun
from ...scalars import Floats
from ...solve import arguments
from ...system import unfit_rows
from ..run.constraint_method import kernels_of
from ..run.run import Simulation

PART = 1e-7  # of a number, and of 0.1: how far a start is moved to either side
CLOSER = 0.1  # a leap of the rates is as large at this part of that way; a slope is not
ROUNDING = 1e-11
STILL, TICK = 1e-12, 1e-3  # a guard, and its rate, of what rests on a boundary; [s]
NEAR, SOON = 1e-2, 1e-2  # of that way, and of the run: where both sides are looked at again
WHOLE = 1.0  # of the run: where sides remember otherwise, they may part at any time
FURTHER, LATER = 1e5, 0.3  # times that way, and of the run, for what rests: it leaves slowly
ROOT = 0.3  # of what a difference is that is as large as its step
BENT, UNLIKE = 1e-3, 0.02  # of two steps of memory, or of two motions: they differ
NOISE = 1e-13  # of short runs
LIFT, LEAST = 1e-5, 1e-7  # of a number, by which contacts are lifted; of that: none is
FINE: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-15, "output": 2}


class StartSides:
    """Elements whose boundary the start lies on, by the numbers that move it off to either side.

    `run` is what derivatives know of a run, with those of its start before anything acts; none
    where it goes on from another run.
    """

    def __init__(self, run, signals):
        s, where = run.system, run.directions
        self.system, self.where, self.signals = s, where, signals
        self.y = run.untouched.copy()
        self.S: Any = None
        if run.begins is not None:
            self.S = run.begins.given
        self.t, self.u, self.p = run.t_start, run.u.copy(), run.p.copy()
        state = dict(zip((*s.coordinates, *s.speeds), self.y, strict=False))
        numbers = [*self.p[where.p], *self.u[where.u], *(state[n] for n in where.starts)]
        self.sizes = np.maximum(np.abs(np.array(numbers, float)), 0.1)
        self.span = 1.0 if run.t_end is None else run.t_end - run.t_start
        self.middle: dict[float, SimpleNamespace] = {}  # ends of short runs from the start itself

    def named(self) -> dict[int, str]:
        """Directions whose derivative is one-sided, with the element whose boundary it is."""
        if self.S is None or not len(self.system.layout.m):
            return {}
        ways, found = PART * np.eye(len(self.sizes)), self._lifted()
        mixed = PART * (0.5 + np.random.default_rng(0).random(len(self.sizes)))
        starts, bends = self._three(mixed[None]), [""] * len(ways)
        rests = self._rests(starts[1])
        if any(self._bends(starts)):
            bends = self._bends(self._three(ways))
        asked = np.array([bool(rests or own) for own in bends])
        asked[[*found]] = False
        if (group := asked & self._alike(bends)).sum() > 1:
            asked &= ~group | self._parts(FURTHER * mixed * group, LATER, UNLIKE / group.sum())
        for i in np.flatnonzero(asked).tolist():
            if (own := bends[i]) and self._parts(ways[i]):
                found[i] = own
            elif rests and self._parts(FURTHER * ways[i], LATER):
                found[i] = rests
        return found

    def _lifted(self) -> dict[int, str]:
        """Directions that move a contact off its ground, where it starts on it and does not leave:
        to the other side it would start inside."""
        s, n, found = self.system, self.system.nq + self.system.nv, dict[int, str]()
        switched = zip(s.switched, s.layout.switches, strict=True)
        contacts = [(e.name, own.start) for e, own in switched if e.contact]
        if not contacts:
            return {}
        h = LIFT * np.diag(self.sizes)
        y, u, p = self._moved(np.vstack([h, 0 * h[:1], -h]))
        here, modes = self._begun(0 * h[:1])[0], [at for _, at in contacts]
        z, m = (np.tile(x, (len(y), 1)) for x in (here.z, here.m))
        m[:, modes] = -1  # what leaves tells gap and rate
        q, v = np.split(y[:, :n], [s.nq], axis=1)
        kernels, t = kernels_of(s, self.signals.ways[0][1]), np.full(len(y), self.t)
        with np.errstate(all="ignore"):
            values = np.asarray(kernels["guards"](t, q, v, z, m, u, p))
        first = values.shape[1] - sum(len(e.watched) for e in s.switched)
        for k, (name, at) in enumerate(contacts):
            gap, rate = values[:, first + 3 * k + 1] - INSIDE, values[:, first + 3 * k + 2]
            ahead, on, back = np.split(gap, [len(h), len(h) + 1])
            if on[0] > TOUCH or (here.m[at] < 0.5 and rate[len(h)] > 0):
                continue
            moved = abs(ahead - back) > LEAST * h.max(axis=1)
            found |= {int(i): name for i in np.flatnonzero(moved)}
        return found

    @cached_property
    def _stuck(self) -> list[int]:
        """What frictions remember that stick at the start with room: what lets them slip is taken
        up at once, to either side."""
        s, n = self.system, self.system.nq + self.system.nv
        if not s.switched:
            return []
        (here,), (q, v) = self._begun(0 * self.sizes[None]), np.split(self.y[:n], [s.nq])
        kernels = kernels_of(s, self.signals.ways[0][1])
        with np.errstate(all="ignore"):
            state = (self.t, q, v + here.v, here.z, here.m, self.u, self.p)
            values = np.asarray(kernels["guards"](*state))
        first, out = len(values) - sum(len(e.watched) for e in s.switched), list[int]()
        for e, own in zip(s.switched, s.layout.switches, strict=True):
            if e.friction and here.m[own][0] == 0 and values[first + 1] > STILL:
                out += range(own.start, own.stop)
            first += len(e.watched)
        return out

    def _alike(self, bends) -> np.ndarray:
        """Numbers that move neither the start nor how elements begin: asked together first, since
        one that lets motions part does so in any mixture, by other pieces that are remembered."""
        return ~self.S.any(axis=1) & np.array([not own for own in bends])

    def _rests(self, here) -> str:
        """The element that rests on its boundary; "" if none does."""
        s = self.system
        kernels = kernels_of(s, self.signals.ways[0][1])
        q, v = np.split(self.y[: s.nq + s.nv], [s.nq])
        with np.errstate(all="ignore"):
            moved = (np.asarray(kernels["flow"](self.t, q, v, here.z, here.m, self.u, self.p)[0]),
                     here.a, 0 * here.z)  # fmt: skip
            now, then = (
                np.asarray(kernels["guards"](
                    self.t, *(x + h * d for x, d in zip((q, v, here.z), moved, strict=True)),
                    here.m, self.u, self.p))
                for h in (0.0, TICK)
            )  # fmt: skip
        still = (abs(now) <= STILL) & (abs(then - now) <= STILL * TICK)
        owners = [g.owner for g, x in zip(s.layout.guards, still, strict=True) if x]
        return owners[0] if owners else ""

    def _three(self, ways) -> list[SimpleNamespace]:
        """Starts to one side by each way, the start itself, and those to the other side."""
        h = ways * self.sizes
        return self._begun(np.vstack([h, 0 * h[:1], -h]))

    def _bends(self, starts) -> list[str]:
        """Of each way the element that begins otherwise on the two sides; "" if none does."""
        n = len(starts) // 2
        one, here, other = np.split(np.array([x.m for x in starts]), [n, n + 1])
        ahead, back = one - here, here - other
        bent = abs(ahead - back) > BENT * (abs(ahead) + abs(back)) + ROUNDING * abs(here)
        bent[:, self._stuck] = False
        names = [port.name.rpartition(".")[0] for port in self.system.layout.m]
        return [names[int(np.argmax(row))] if row.any() else "" for row in bent]

    def _parts(self, way, soon=SOON, unlike=UNLIKE) -> bool:
        """Whether the motions of the two sides part: soon they remember other pieces, or are not as
        far from the middle one, and no root of the step is (from rest it takes time to cross)."""
        sides = np.outer((1, -1, CLOSER, -CLOSER), way * self.sizes)
        one, other, *near = self._begun(sides)
        if self._leaps((one, other), near):
            return True
        try:
            near = self._runs(NEAR * way, soon)
        except TorseurError:  # a side that no run may start on
            return False
        discrete = [i for i, port in enumerate(self.system.layout.m) if port.unit == "1"]
        if (near[0].m[discrete] != near[2].m[discrete]).any():
            return True
        if self._apart(near, way, soon, unlike):
            return True
        if not self._bends(near)[0]:
            return False
        try:  # what they remember may part them later
            return self._apart(self._runs(way, WHOLE), way / NEAR, WHOLE, unlike)
        except TorseurError:
            return False

    def _apart(self, near, way, soon, unlike) -> bool:
        """Whether two sides are not as far from the middle, and no root of the step is."""
        found = {x: _unlike(near, x, unlike) for x in ("q", "v")}
        if not any(found.values()):
            return False
        try:
            far = self._runs(way, soon)
        except TorseurError:
            return True
        return any(u > ROOT * NEAR * _unlike(far, x, unlike) for x, u in found.items() if u)

    def _runs(self, way, soon) -> list[SimpleNamespace]:
        h = way * self.sizes
        if unfit_rows(self.system, list(self.system.parameters), self._moved(np.array([h, -h]))[2]):
            raise TorseurError("a side that no model may have")
        if soon not in self.middle:
            self.middle[soon] = self._soon(0 * h, soon)
        return [self._soon(h, soon), self.middle[soon], self._soon(-h, soon)]

    def _soon(self, h, soon) -> SimpleNamespace:
        """Where a short run from the start ends, with every number moved by h."""
        s, n = self.system, self.system.nq + self.system.nv
        y, u, p = self._moved(h)
        initial = dict(zip((*s.coordinates, *s.speeds), y[:n].tolist(), strict=True))
        inputs = {k: u[own] if own.stop - own.start > 1 else float(u[own.start])
                  for k, own in s.layout.inputs.items()}  # fmt: skip
        told: dict[str, Any] = {
            "parameters": arguments.Looked(zip(s.parameters, p.tolist(), strict=True)),
            "inputs": inputs,
        }
        run = Simulation(s, self.t + soon * self.span, initial, t_start=self.t, **told, **FINE)
        run.go()
        return SimpleNamespace(q=run.q, v=run.v, m=run.record.m.copy())

    def _moved(self, h) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """State, inputs and parameters with every number moved by h, or by the rows of h."""
        n, count = self.system.nq + self.system.nv, len(self.where.p)
        y, u, p = (np.tile(x, (*h.shape[:-1], 1)[: h.ndim]) for x in (self.y, self.u, self.p))
        y[..., :n] += h @ self.S[:, :n]
        p[..., self.where.p] += h[..., :count]
        u[..., self.where.u] += h[..., count : count + len(self.where.u)]
        return y, u, p

    def _begun(self, h) -> list[SimpleNamespace]:
        """The start with every number moved by rows of h; contacts begin without being refused."""
        s, n = self.system, self.system.nq + self.system.nv
        y, u, p = self._moved(h)
        q, v = y[:, : s.nq], y[:, s.nq : n]
        kernels, t = kernels_of(s, self.signals.ways[0][1]), np.full(len(h), self.t)
        z, m = begun(s, self.t, q, v, u, p)
        before = v
        with np.errstate(all="ignore"):  # branches that are not taken
            if s.switched:
                k, none = np.full(len(h), -1.0), np.zeros((len(h), s.layout.gathered))
                v, z, m = (np.asarray(x, float) for x in
                           kernels["jump"](t, q, v, z, m, u, p, k, none))  # fmt: skip
            _, a, *_ = kernels["flow"](t, q, v, z, m, u, p)
        found = {"m": m, "v": v - before, "a": a, "z": z}
        return [
            SimpleNamespace(**{x: np.asarray(y[i], float) for x, y in found.items()})
            for i in range(len(h))
        ]

    def _leaps(self, far, near) -> bool:
        """Whether speeds or accelerations leap from side to side."""
        for x in ("v", "a"):
            leap, closer = (
                abs(getattr(a, x) - getattr(b, x)).max(initial=0) for a, b in (far, near)
            )
            size = max(abs(getattr(a, x)).max(initial=0) for a in far)
            if closer > max(0.5 * leap, ROUNDING * max(size, 1.0)):
                return True
        return False


def _unlike(runs, x: str, part: float) -> float:
    """By how much two motions are not as far from that between them; zero for as good as alike."""
    one, here, other = (getattr(r, x) for r in runs)
    ahead, back = one - here, here - other
    size = max(abs(ahead).max(initial=0), abs(back).max(initial=0))
    found = float(abs(ahead - back).max(initial=0))
    return found if found > part * size + NOISE * (0.03 + abs(here).max(initial=0)) else 0.0


# --------------------------------------------------------------------------------------------
# Numbers by which friction is on its corner all along: its push is zero by these alone.
#
# Theory: SE.10.


NOTHING = 1e-9  # of a number: a push that so much of it makes is none


def cornered(slopes, i: int) -> str:
    """Why a derivative does not exist where a push is nothing by one number, which would press to
    one side and pull, or press from behind, to the other; "" where it does."""
    for who, what in chain(_planes(slopes, i), _frictions(slopes, i)):
        return (
            f"the {what} of {who!r} is zero because this number is, and friction comes with it to "
            "both sides, or with a push and with no pull: its derivatives to one side and to the "
            "other differ; give it a little more than zero"
        )
    return ""


def _planes(slopes, i: int):
    """Forces on a plane whose friction a number of zero switches on."""
    where = slopes.directions
    if i >= len(where.p) or slopes.p[where.p[i]] != 0:
        return
    for f in slopes.system.model.forces:
        if f.linear:
            continue
        push = f"{f.name}.force"
        on = (slopes.signals(push)[push] == 0) & (slopes._signal(push, i) != 0)
        if _lasts(slopes, on):
            yield f.name, "push"


def _frictions(slopes, i: int):
    """Dry frictions that slide under a normal force of either sign, and of none."""
    s = slopes.system
    for e in s.switched:
        f = e.friction
        if f is None or f.normal is None or _contact(s, f.normal):
            continue
        try:
            N, dN = _normal(slopes, f, i)
        except TorseurError:  # reactions that are not determined
            continue
        moved = abs(dN).max(axis=0)
        on = (abs(N).max(axis=0) <= NOTHING * moved * slopes.sides.sizes[i]) & (moved > 0)
        if _lasts(slopes, on & (slopes.signals(f"{e.name}.mode")[f"{e.name}.mode"] != 0)):
            yield e.name, "normal force"


def _contact(s, normal: str) -> bool:
    return any(e.contact and normal in (e.name, f"{e.name}.normal") for e in s.switched)


def _normal(slopes, f, i: int) -> tuple[np.ndarray, np.ndarray]:
    """Components of a normal force and how they change, (components, rows) each."""
    s = slopes.system
    if f.normal != "joint":
        names = [port.name for port in s.layout.lam]
        ending = ".multiplier"
        name = next(
            n
            for n in names
            if f.normal in (n[: -len(ending)], n[: -len(ending)].rpartition(".")[0])
        )
        return slopes.signals(name)[name][None], slopes._signal(name, i)[None]
    link = s.links[f.link - 1]
    names = [f"{link.name}.reaction.force.{c}" for c in "xyz"]
    found = [np.array([x(n) for n in names]) for x in (
        lambda n: slopes.signals(n)[n], lambda n: slopes._signal(n, i))]  # fmt: skip
    if link.joint.nv != 1:
        return found[0], found[1]
    S = np.asarray(link.joint.subspace(Floats(), np.zeros(link.joint.nq))[:, 0], float)
    u = S[3:] if not S[:3].any() else S[:3]  # DF.5
    return tuple(x - np.outer(u, u @ x) for x in found)  # type: ignore[return-value]


def _lasts(slopes, on) -> bool:
    """Whether what is true at rows is so at two that time lies between."""
    return bool((on[1:] & on[:-1] & (np.diff(slopes.time) > 0)).any())
