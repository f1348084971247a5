"""Numbers by which friction is on its corner all along: its push is zero by these alone.

Theory: SE.10.
"""

from __future__ import annotations

from itertools import chain

import numpy as np

from ..errors import TorseurError
from ..numbers import Floats

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
