"""A sub-assembly cut free: its dynamic screw, and what crosses the cut."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from ..dynamics import Motion, start
from ..dynamics.constraints import reactions, rows as labels
from ..errors import TorseurError, system_of
from ..joints import TIME
from ..kernels import Outputs, StateRows, motion_kernels
from ..kinematics import poses
from ..scalars import Floats, vector
from ..spatial import Wrench, pose_over
from ..system import unmerged

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ..model import Model
    from ..system import System


def isolate(
    model: Model | System,
    bodies: Iterable[str] | str,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike | None = None,
    t: float = 0.0,
) -> reactions.Isolation:
    """What everything outside must do to a set of bodies, for a motion: Pontonnier's isolation.

    Returns the wrench (weight taken off; world axes, at the world's origin) and the names of the
    joints and loops that are cut.  Without `a` the motion is the model's own at the time `t` [s],
    under its forces, and `across` has the wrench on the bodies of every joint, loop, constraint and
    force that crosses the cut, by name: their sum is the first one.  Theory: RE.3, RE.4, RE.21.

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=2.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    >>> model = ts.Model(bodies=(rod,), joints=(ts.Joint("A", "world", "rod", ts.Revolute("y")),))
    >>> cut = isolate(model, "rod", [0.0], [0.0], [0.0])
    >>> cut.joints, cut.dynamic.force.tolist()
    (('A',), [0.0, 0.0, 19.62])
    >>> round(isolate(model, "rod", [0.0], [0.0]).across["A"].force[2], 6)  # it falls
    3.27
    """
    merged = system_of(model, "isolate")
    system = unmerged(merged)
    known = {n: x for n, x in system.parameters.items() if x is not None}
    q, v = (np.asarray(x, dtype=float) for x in (q, v))
    if a is not None:
        given = (vector(np.asarray(x, dtype=float).tolist()) for x in (q, v, a))
        return reactions.isolate(system.over(Floats({TIME: t} | known)), system, bodies, *given)
    if system.switched or system.layout.sees:
        raise TorseurError(
            f"isolate: {system.name!r} has contacts, dry friction or laws that see reactions, "
            "whose forces depend on what was before; give the accelerations of a run"
        )
    tree = system.over(Floats({TIME: t} | known))
    now = start(merged, Floats({TIME: t} | known), t, q, v)
    rows = StateRows(*(np.asarray(x, dtype=float)[None] for x in (t, q, v, now.z, now.m, now.u)))
    p = np.array([known.get(n, np.nan) for n in system.parameters])
    _, found, _, *lam = motion_kernels(merged)["flow"](*rows, p[None])
    lam = lam[0] if lam else np.zeros((1, 0))
    given = (vector(x.tolist()) for x in (q, v, found[0]))
    cut = reactions.isolate(tree, system, bodies, *given)
    return cut._replace(across=_across(system, tree, bodies, rows, p, found, lam, cut, now))


def _across(system, tree, bodies, rows, p, a, lam, cut, now) -> dict[str, Wrench]:
    """The wrench on the bodies of everything that joins them to the outside."""
    bodies = [bodies] if isinstance(bodies, str) else list(bodies)
    inside, out = {system.places[b].link for b in bodies}, Outputs(system, p)
    X = poses(tree, vector(rows.q[0].tolist()))
    six = out.reactions(rows, a, lam).reshape(-1, 6)
    found = {}
    for k in system.links:
        if k.name in cut.joints:
            F = X[k.index].push_wrench(Wrench.of(six[k.index - 1].tolist()))
            found[k.name] = F if k.index in inside else -F
    if cut.loops:
        on_child = out.interpreted("carried", rows, lam=lam)[0].reshape(-1, 6)
        ends = {e.name: e for e in system.held}
        for name, F in zip(labels.names(system), on_child, strict=True):
            if name in cut.loops:
                M = ends[name].M
                at = X[M.link] @ pose_over(tree.K, M.X_LB)
                W = at.push_wrench(Wrench.of(F.tolist()))
                found[name] = W if M.link in inside else -W
    motion = Motion(system, tree.K)
    for e, acting in zip(motion.elements, motion.loads(now).acting, strict=True):
        links = {link for link, _ in acting.wrenches} | {x.link for x in e.ends}
        own = [X[i].push_wrench(F) for i, F in acting.wrenches if i in inside]
        if own and not links <= inside:
            found[e.name] = sum(own[1:], start=own[0])  # RE.21
    return found
