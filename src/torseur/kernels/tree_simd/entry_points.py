"""Kernels by stages that have links and pairs of joints side by side, where that is shorter:
derivatives of efforts and accelerations, accelerations alone.  Theory: DE.10 to DE.18."""

from __future__ import annotations

from dataclasses import replace

from ...compiler import Port, Sidewise, TreeFactors
from ...formalisms import composite_derivatives
from ...spatial import Twist
from .dynamics import StagePlan
from .kinematics import StageMotion
from .program import symbols

MANY = 3  # pairs of speeds a speed, above which they are worth a text of their own
SPEEDS = range(8, 129)  # with which it is shorter, and its numbers fit
NARROW = 4  # lanes below which it is no faster
SHORT = {"inverse_dynamics_derivatives": 4000, "mass_matrix": 610}
"""Operations up to which straight-line code is as fast: of the first, those that fit the nearest
cache of instructions; and where it is worth counting them, speeds and pairs a speed."""
SMALL, FEW_APART = 12, 4.7
MANY_ALONE, PAIRS_ALONE = 4, 95  # the same for accelerations alone, and pairs in all


def pays(scene, lanes: int) -> bool:
    """Whether screws are constant in their links, and pairs many."""
    n = scene.system.nv
    if lanes < NARROW or n not in SPEEDS or scene.system.rheonomic:
        return False
    if sum(depths(scene.single.tree)) < (MANY + 1) * n:
        return False
    return composite_derivatives.applies(scene.lean, scene.coordinates(scene["q"]))


def short(scene, name: str) -> bool:
    """Whether a quantity has so few operations that straight-line code of them is as fast.

    They are counted of its graph, where pairs of different joints are few: free bodies and balls
    have many pairs of their own, which cost little there.
    """
    from ...quantities import Scene, find
    from ..evaluation import graph
    from ..graph_trigonometry import Trigonometry

    system, quantity = scene.system, find(name)
    own = sum(k.joint.nv * (k.joint.nv - 1) // 2 for k in system.links)
    if system.nv > SMALL or sum(depths(scene.single.tree)) - own > FEW_APART * system.nv:
        return False
    new = Scene(system, Trigonometry(), scene.parameters, scene.wrenches)
    f = graph(quantity, new, quantity.reads(system, scene.parameters, scene.wrenches))
    return f.n_instructions() - f.nnz_in() - f.nnz_out() <= SHORT[name]


def pays_alone(scene, lanes: int) -> bool:
    """The same for accelerations, where branches are too short for articulated bodies."""
    from ...dynamics import forward_dynamics as forward

    deep = depths(scene.single.tree)
    pairs = sum(deep) - len(deep)
    if max(deep, default=0) > forward.DEEP or pairs < max(PAIRS_ALONE, MANY_ALONE * len(deep)):
        return False
    return pays(scene, lanes)


def depths(tree) -> list[int]:
    """Speeds between each speed and the world, itself with them."""
    from ...dynamics import forward_dynamics as forward

    found: list[int] = []
    for parent in forward.dof_parents(tree):
        found.append(found[parent] + 1 if parent >= 0 else 1)
    return found


def ports(scene, names: str) -> tuple[Port, ...]:
    """What a kernel reads: these, then declared parameters and wrenches."""
    own = tuple(Port(x, (scene.size(x),)) for x in names.split())
    own += (Port("p", (len(scene.parameters),)),) if scene.parameters else ()
    return own + ((Port("w", (len(scene.wrenches), 6)),) if scene.wrenches else ())


def made(plan: StageMotion, names: str, outs: tuple[Port, ...], stages) -> Sidewise:
    stages = (*plan.given.stage(), *stages)
    return Sidewise(ports(plan.s, names), outs, plan.n, stages, plan.tables)


def inverse_dynamics(scene, lanes: int) -> Sidewise:
    """Derivatives of the efforts by q, v and a."""
    plan, names = StagePlan(scene, lanes), ("dq", "dv", "da")
    stages = [
        *plan.outward(True),
        *plan.loads(),
        plan.carried(),
        plan.columns(3),
        *plan.paired(names),
    ]
    return made(plan, "q v a", tuple(Port(x, (plan.n,) * 2) for x in names), stages)


def forward_dynamics(scene, lanes: int) -> Sidewise:
    """Derivatives of the efforts by q and v at the accelerations reached, and the factors of M."""
    from ...dynamics import forward_dynamics as forward

    plan, names = StagePlan(scene, lanes), ("dq", "dv")
    stages = [
        *plan.outward(False),
        *plan.loads(kept=True),
        plan.carried(),
        *plan.accelerations(),
        *plan.moved(),
        plan.columns(2, Twist.of(symbols(plan.K, "x", 6))),
        *plan.paired(names),
    ]
    size = forward.Factors.size(forward.dof_parents(plan.tree))
    layout = [s.layout(lanes) for s in stages if isinstance(s, TreeFactors)]
    if layout:
        size = 1 + max(layout[0])
    outs = (*(Port(x, (plan.n,) * 2) for x in names), Port("shared", (size,)))
    return replace(made(plan, "q v tau", outs, stages), layout=(*layout[:1], ())[0])


def accelerations(scene, lanes: int) -> Sidewise:
    """Accelerations under efforts."""
    plan = StagePlan(scene, lanes, coriolis=False)
    stages = [*plan.outward(False), *plan.loads(), plan.carried(), *plan.accelerations(False)]
    return made(plan, "q v tau", (Port("a", (plan.n,)),), stages)
