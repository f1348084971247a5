"""What may be wrong where a model does not say what was measured.  Theory: ID.31."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np

from .data import Samples
from .friction import FRICTION

UNEXPLAINED = 0.5  # of a joint's effort: more is no friction nobody modeled
LOOK = 0.15  # of it: another reading of the data is looked for
BETTER = 0.5  # of what is left over: as little as another reading of the data must leave
SURE = 5.0  # standard deviations by which friction is below zero
ROWS = 200  # of the data are enough to compare readings


def doubts(found) -> tuple[str, ...]:
    """Sentences, none where the model says what was measured."""
    out, errors = [], found.errors()
    if found.strained:
        more = ", ".join(f"{x:.2g} times at {n}" for n, x in found.strained.items())
        out.append(
            "the efforts ask for inertias that no distribution of mass has: consistent parameters "
            f"leave more than others do ({more}); look for what else acts, or at the geometry"
        )
    names = {i: n for i, n, _ in found.lin.speeds}
    bad = [names[i] for i in np.flatnonzero(errors > UNEXPLAINED) if i in names]
    if bad or errors.max() > LOOK:
        what = f"more than half of the effort of {', '.join(bad)} is not explained" if bad else ""
        cause = likeliest(found, swaps=bool(bad))
        if bad or cause:
            out.append("; ".join(x for x in (what, cause or ASK) if x))
    if against := [
        n
        for n, x in found.base.items()
        if n.split(".")[-1] in FRICTION
        and not FRICTION[n.split(".")[-1]].signed
        and x < -SURE * found.sigma[n]
    ]:
        out.append(f"{', '.join(against)} below zero: friction that drives; is it the other sign?")
    return tuple(out)


ASK = "look at units, signs, zeros, the order of columns, and what else acts (friction=)"


def likeliest(found, swaps: bool) -> str:
    """Another reading of the data that leaves far less over, if there is one."""
    lin, data = replace(found.lin, own={}), found.data
    if lin.loaded or lin.shafts:
        return ""
    every = max(1, len(data) // ROWS)
    data = Samples(*(x[::every] for x in (data.q, data.v, data.a, data.tau)))
    kept = list(found.groups.kept)
    plain, power = _left(lin, kept, data)
    tried = [(_left(lin, kept, other)[0], said) for said, other in readings(lin, data, swaps)]
    best, said = min(tried, default=(np.inf, ""))
    if best < BETTER * plain:
        return f"with {said} {100 * best / plain:.2g} % of the errors would be left: look there"
    if power < 0 and plain < UNEXPLAINED:
        return "friction of all joints together would drive: do efforts have the other sign?"
    return ""


def _left(lin, kept, data) -> tuple[float, float]:
    """What plain least squares leave of the efforts, geometric mean of the joints; the mean power
    that their friction takes."""
    size = data.tau.std(axis=0) + 1e-9 * np.abs(data.tau).max() + 1e-300
    Y = lin.regressor(data.q, data.v, data.a)
    b = (data.tau - lin.known(data.q, data.v, data.a)) / size
    A = (Y[:, :, kept] / size[:, None]).reshape(-1, len(kept))
    scale = np.sqrt((A**2).sum(axis=0)) + 1e-300
    beta = np.linalg.lstsq(A / scale, b.ravel(), rcond=1e-8)[0] / scale
    r = (b.ravel() - A @ beta).reshape(b.shape)
    kinds = [
        FRICTION[lin.columns[c][2]].kind if lin.columns[c][2] in FRICTION else "" for c in kept
    ]
    rubs = [n for n, kind in enumerate(kinds) if kind]
    power = (Y[:, :, [kept[n] for n in rubs]] @ beta[rubs] * data.v).sum(axis=1).mean()
    return float(np.exp(np.log(np.sqrt((r**2).mean(axis=0)) + 1e-9).mean())), float(power)


def readings(lin, data, swaps: bool) -> Iterator[tuple[str, Samples]]:
    """Data as they would be with one usual mistake taken back, in words."""
    plain = [k for k in lin.system.links if k.joint.nv == 1 and k.joint.nq == 1]
    turning = [k for k in plain if k.joint.coordinates[0][1] == "rad"]
    places = [(k.name, k.q.start, k.v.start) for k in plain]

    def moved(change) -> Samples:
        q, v, a = data.q.copy(), data.v.copy(), data.a.copy()
        change(q, v, a)
        return Samples(q, v, a, data.tau)

    if turning:
        iq, iv = [k.q.start for k in turning], [k.v.start for k in turning]

        def radians(q, v, a):
            for x, at in ((q, iq), (v, iv), (a, iv)):
                x[:, at] *= np.pi / 180

        yield "angles read in degrees", moved(radians)
    for name, i, j in places:

        def turned(q, v, a, i=i, j=j):
            for x, at in ((q, i), (v, j), (a, j)):
                x[:, at] *= -1

        yield f"the other sign of the coordinate of {name!r}", moved(turned)
        tau = data.tau.copy()
        tau[:, j] *= -1
        yield f"the other sign of the effort of {name!r}", Samples(data.q, data.v, data.a, tau)
    for k in turning:
        for angle in (90, -90, 180):

            def shifted(q, v, a, i=k.q.start, angle=angle):
                q[:, i] += np.radians(angle)

            yield f"{angle} deg added to the angle of {k.name!r}", moved(shifted)
    for (one, i, j), (two, m, n) in combinations(places if swaps else (), 2):

        def swapped(q, v, a, i=i, j=j, m=m, n=n):
            for x, at in ((q, [i, m]), (v, [j, n]), (a, [j, n])):
                x[:, at] = x[:, at[::-1]]

        yield f"coordinates of {one!r} and {two!r} swapped", moved(swapped)
        tau = data.tau.copy()
        tau[:, [j, n]] = tau[:, [n, j]]
        yield f"efforts of {one!r} and {two!r} swapped", Samples(data.q, data.v, data.a, tau)
