"""Free body diagram: dynamic wrench of a set of bodies, and the wrenches across the cut."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dynamics import Motion, start
from ..dynamics.constraints import reactions, rows as labels
from ..errors import TorseurError, as_system
from ..joints import TIME
from ..kernels import Outputs, StateRows, motion_kernels
from ..kinematics import poses
from ..scalars import Floats, vector
from ..spatial import Wrench, evaluate_pose
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
    """Wrench that a set of bodies needs for a motion, by isolating it from all others (RE.3, RE.4).

    Returns the wrench without weight (world axes, at the world's origin) and the names of the
    joints and loops that are cut.  Without `a` the motion is that of the model at the time `t` [s]
    under its forces, and `across` has the wrench on the bodies from every joint, loop, constraint
    and force that crosses the cut, by name.  Their sum is the first wrench (RE.21).

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=2.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    >>> model = ts.Model(bodies=(rod,), joints=(ts.Joint("A", "world", "rod", ts.Revolute("y")),))
    >>> cut = isolate(model, "rod", [0.0], [0.0], [0.0])
    >>> cut.joints, cut.dynamic.force.tolist()
    (('A',), [0.0, 0.0, 19.62])
    >>> round(isolate(model, "rod", [0.0], [0.0]).across["A"].force[2], 6)  # it falls
    3.27
    """
    merged_system = as_system(model, "isolate")
    system = unmerged(merged_system)
    parameters = {n: x for n, x in system.parameters.items() if x is not None}
    q, v = (np.asarray(x, dtype=float) for x in (q, v))
    if a is not None:
        motion = (vector(np.asarray(x, dtype=float).tolist()) for x in (q, v, a))
        return reactions.isolate(
            system.over(Floats({TIME: t} | parameters)), system, bodies, *motion
        )
    if system.switched or system.layout.sees:
        raise TorseurError(
            f"isolate: {system.name!r} has contacts, dry friction or laws that see reactions, "
            "whose forces depend on what was before; give the accelerations of a run"
        )
    tree = system.over(Floats({TIME: t} | parameters))
    state = start(merged_system, Floats({TIME: t} | parameters), t, q, v)
    rows = StateRows(
        *(np.asarray(x, dtype=float)[None] for x in (t, q, v, state.z, state.m, state.u))
    )
    p = np.array([parameters.get(n, np.nan) for n in system.parameters])
    _, accelerations, _, *lam = motion_kernels(merged_system)["flow"](*rows, p[None])
    lam = lam[0] if lam else np.zeros((1, 0))
    motion = (vector(x.tolist()) for x in (q, v, accelerations[0]))
    cut = reactions.isolate(tree, system, bodies, *motion)
    return cut._replace(
        across=_wrenches_across_cut(system, tree, bodies, rows, p, (accelerations, lam), cut, state)
    )


def _wrenches_across_cut(
    system: System,
    tree: Any,
    bodies: Any,
    rows: StateRows,
    p: np.ndarray,
    solved: tuple[np.ndarray, np.ndarray],
    cut: reactions.Isolation,
    state: Any,
) -> dict[str, Wrench]:
    """Wrench on the bodies from everything that connects them to others, by name (RE.21)."""
    a, lam = solved
    bodies = [bodies] if isinstance(bodies, str) else list(bodies)
    inside, outputs = {system.places[b].link for b in bodies}, Outputs(system, p)
    X = poses(tree, vector(rows.q[0].tolist()))
    reactions_of_links = outputs.reactions(rows, a, lam).reshape(-1, 6)
    wrenches = {}
    for k in system.links:
        if k.name in cut.joints:
            F = X[k.index].push_wrench(Wrench.of(reactions_of_links[k.index - 1].tolist()))
            wrenches[k.name] = F if k.index in inside else -F
    if cut.loops:
        on_child = outputs.interpreted("carried", rows, lam=lam)[0].reshape(-1, 6)
        elements: dict[str, Any] = {e.name: e for e in system.held}
        for name, x in zip(labels.names(system), on_child, strict=True):
            if name in cut.loops:
                M = elements[name].M
                X_M = X[M.link] @ evaluate_pose(tree.K, M.X_LB)
                W = X_M.push_wrench(Wrench.of(x.tolist()))
                wrenches[name] = W if M.link in inside else -W
    motion = Motion(system, tree.K)
    for e, acting in zip(motion.elements, motion.loads(state).acting, strict=True):
        links = {link for link, _ in acting.wrenches} | {x.link for x in e.ends}
        parts = [X[i].push_wrench(F) for i, F in acting.wrenches if i in inside]
        if parts and not links <= inside:
            wrenches[e.name] = sum(parts[1:], start=parts[0])  # RE.21
    return wrenches
