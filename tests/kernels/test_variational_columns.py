"""Kernels whose directions share one text give what the straight graph gives, in lanes too."""

import ctypes

import numpy as np
import pytest

import torseur as ts
from torseur.compiler import lanes
from torseur.quantities.register import find
from torseur.simulation.ensemble.simd_buffers import aligned_zeros
from torseur.simulation.sensitivity.variational import VariationalSimulation

CURVE = ((0, 0), (0.1, 2e3), (0.2, 5e3), (0.4, 9e3))


def crushing():
    """Two masses, each against the wall by a member with a memory."""
    return ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("a", 3.0), ts.Body("b", 1.0)),
        joints=tuple(ts.Joint(n, "world", n, ts.Prismatic("x")) for n in "ab"),
        forces=(
            ts.JointForce("front", "a", ts.Crush(CURVE, 2e5)),
            ts.JointForce("bay", "b", ts.Crush(CURVE, 2e5, gap=0.02, tension="mirror")),
        ),
        initial={"a.displacement": 0.05, "a.speed": 9.0, "b.speed": 7.0},
    )


def crank():
    """A rod that drives a slider: a loop."""
    rod = ts.Body("rod", 2.0, com=(0.4, 0, 0), inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    return ts.Model(
        bodies=(rod, ts.Body("slider", 1.0), ts.Body("arm", 0.5, com=(0.1, 0, 0))),
        joints=(
            ts.Joint("pivot", "world", "arm", ts.Revolute("y")),
            ts.Joint("elbow", "arm", "rod", ts.Revolute("y"), at=(0.3, 0, 0)),
            ts.Joint("slide", "world", "slider", ts.Prismatic("x")),
        ),
        loops=(ts.Loop("C", "rod", "slider", ts.Revolute("y"), at=(0.8, 0, 0)),),
        initial={"pivot.angle": 0.4, "slide.displacement": 1.0},
    )


NAMES = {
    crank: ["rod.com[0]", "arm.mass", "rod.mass", "slider.mass", "pivot.rate"],
    crushing: ["a.mass", *(f"{f}.points[{k}].force" for f in ("front", "bay") for k in (1, 2, 3)),
               "front.unloading", "bay.gap", "a.speed", "b.speed"],
}  # fmt: skip


def state(model, count):
    """A run from its start, any derivatives behind it, and what kernels read there."""
    run = VariationalSimulation(model(), NAMES[model][-count:], {}, t_end=0.1)
    draw, n, nm = np.random.default_rng(count), run.state_size, run.memory_size
    y, m = run.record.y, run.record.m
    y[n:] = draw.normal(size=len(y) - n)
    m[nm : nm + count * nm] = draw.normal(size=count * nm)
    q, v, z = np.split(y, [run.system.nq, run.system.nq + run.system.nv])
    return run, (0.0, q, v, z, m, run.u, run.p)


@pytest.mark.parametrize(
    ("model", "name", "count"),
    [
        *((crushing, name, count) for name in ("flow", "jump") for count in (1, 3, 9, 11)),
        *((crank, name, 5) for name in ("flow", "project")),
    ],
)
def test_all_directions_by_one_text(model, name, count):
    run, given = state(model, count)
    more = (2.0, np.zeros(run.system.layout.gathered)) if name == "jump" else ()
    kernel, (straight, _) = run.kernels[name], run.kernels._graph(find(name))
    with np.errstate(all="ignore"):
        got, want = kernel(*given, *more), straight(*given, *more)
    for x, w in zip(got, want, strict=True):
        w = w.full().ravel()
        np.testing.assert_allclose(x, w, rtol=1e-12, atol=1e-11 * abs(w).max(initial=0))
    sizes = {len(x) for x in got}
    assert run.kernels.sizes["z"] in sizes


def test_directions_in_lanes():
    """Bit for bit as one state at a time."""
    run, given = state(crushing, 9)
    flow, width = run.kernels["flow"], lanes()
    sizes = [sum(p.size for p in ports) for ports in (flow.inputs, flow.outputs)]
    into, out = (aligned_zeros(size, width) for size in sizes)
    into[:] = np.hstack(given)[:, None] * (1 + 0.01 * np.arange(width))
    address, _code = flow.lanes()
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(address)
    call(into.ctypes.data, out.ctypes.data)
    cuts = np.cumsum([p.size for p in flow.inputs])[:-1]
    for row, got in zip(into.T, out.T, strict=True):
        t, *state_ = np.split(row, cuts)
        assert (got == np.concatenate(flow(t[0], *state_))).all()
