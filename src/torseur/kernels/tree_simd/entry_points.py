"""SIMD variants of derivatives of efforts and accelerations, and of accelerations alone.

Links and pairs of joints of one state fill the lanes.  Theory: DE.10 to DE.18.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...compiler import Port, TreeFactorization, TreeSimdProgram
from ...spatial import Twist
from .dynamics_derivatives import DerivativeSteps
from .kinematics import TreeSteps
from .program import symbol_array
from .register import simd_variant

if TYPE_CHECKING:
    from ...quantities import SymbolicSystem


def input_ports(scene: SymbolicSystem, names: str) -> tuple[Port, ...]:
    """What a kernel reads: these, then declared parameters and wrenches."""
    inputs = tuple(Port(x, (scene.size(x),)) for x in names.split())
    inputs += (Port("p", (len(scene.parameters),)),) if scene.parameters else ()
    return inputs + ((Port("w", (len(scene.wrenches), 6)),) if scene.wrenches else ())


def build_kernel(plan: TreeSteps, names: str, outputs: tuple[Port, ...], stages) -> TreeSimdProgram:
    stages = (*plan.parameter_lanes.stages(), *stages)
    return TreeSimdProgram(input_ports(plan.s, names), outputs, plan.n, stages, plan.tables)


@simd_variant("inverse_dynamics_derivatives")
def inverse_dynamics(scene: SymbolicSystem, lanes: int) -> TreeSimdProgram:
    """Derivatives of the efforts by q, v and a."""
    plan, names = DerivativeSteps(scene, lanes), ("dq", "dv", "da")
    stages = [
        *plan.outward(True),
        *plan.loads(),
        plan.composite_loads(),
        plan.columns(3),
        *plan.pair_derivatives(names),
    ]
    return build_kernel(plan, "q v a", tuple(Port(x, (plan.n,) * 2) for x in names), stages)


@simd_variant("forward_dynamics_derivatives")
def forward_dynamics(scene: SymbolicSystem, lanes: int) -> TreeSimdProgram:
    """Derivatives of the efforts by q and v at the accelerations reached, and the factors of M."""
    from ...dynamics import forward_dynamics as forward

    plan, names = DerivativeSteps(scene, lanes), ("dq", "dv")
    stages = [
        *plan.outward(False),
        *plan.loads(keeps_inertia=True),
        plan.composite_loads(),
        *plan.accelerations(),
        *plan.accelerated_loads(),
        plan.columns(2, Twist.of(symbol_array(plan.K, "x", 6))),
        *plan.pair_derivatives(names),
    ]
    size = forward.Factors.size(forward.speed_parents(plan.tree))
    layout = [s.layout(lanes) for s in stages if isinstance(s, TreeFactorization)]
    if layout:
        size = 1 + max(layout[0])
    outs = (*(Port(x, (plan.n,) * 2) for x in names), Port("shared", (size,)))
    return replace(build_kernel(plan, "q v tau", outs, stages), layout=(*layout[:1], ())[0])


@simd_variant("forward_dynamics")
def accelerations(scene: SymbolicSystem, lanes: int) -> TreeSimdProgram:
    """Accelerations under efforts."""
    plan = DerivativeSteps(scene, lanes, coriolis=False)
    stages = [
        *plan.outward(False),
        *plan.loads(),
        plan.composite_loads(),
        *plan.accelerations(False),
    ]
    return build_kernel(plan, "q v tau", (Port("a", (plan.n,)),), stages)
