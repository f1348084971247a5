"""Many small mechanisms with contacts side by side: kernels and runs as of the whole formulas."""

from dataclasses import replace

import numpy as np
import pytest

import torseur as ts
from torseur.errors import TorseurError
from torseur.quantities import motion
from torseur.quantities.island_kernels import islands
from torseur.quantities.motion import MotionKernels
from torseur.system.islands import island_kinds, split
from torseur.system.kinds import Unlike


def blocks(n=8, restitution=(0.0, 0.4), **parts) -> ts.Model:
    """Blocks of masses of their own over a floor; a damper, and a spring with a stop on some."""
    stop = ts.Limits(-1.0, 0.02, stiffness=1e4, damping=10.0)
    return ts.Model(
        bodies=[ts.Body(f"x{i}") for i in range(n)]
        + [ts.Body(f"b{i}", 1.0 + 0.1 * i, (0, 0, 0.01)) for i in range(n)],
        joints=[
            ts.Joint(f"x{i}", "world", f"x{i}", ts.Prismatic("x"), at=(0.5 + i, 0, 0), damping=0.1)
            for i in range(n)
        ]
        + [ts.Joint(f"z{i}", f"x{i}", f"b{i}", ts.Prismatic("z")) for i in range(n)],
        forces=[ts.JointForce(f"stop{i}", f"x{i}", stop) for i in range(0, n, 2)],
        constraints=[
            ts.Contact(f"k{i}", f"b{i}", friction=0.3 + 0.01 * i,
                       restitution=restitution[i % len(restitution)])
            for i in range(n)
        ],
        **parts,
    )  # fmt: skip


@pytest.fixture(autouse=True)
def sixteen(monkeypatch):
    """Islands are looked for from fewer contacts on than they are worth."""
    monkeypatch.setattr(motion, "MANY", 16)


def both(model, **options):
    """A run by islands, and by the whole."""
    system = model.check()
    assert motion.motion_kernels(system).apart
    one = ts.simulate(system, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(motion, "MANY", 10**9)
        whole = replace(model, name="whole").check()
        assert not motion.motion_kernels(whole).apart
        return one, ts.simulate(whole, **options)


@pytest.mark.parametrize("heights", ["one after the other", "together", "on the floor"])
def test_a_run_is_that_of_the_whole(heights):
    n = 8
    high = {"one after the other": 1e-3, "together": 0.0, "on the floor": 0.0}[heights]
    base = 0.0 if heights == "on the floor" else 2e-3
    start = {f"z{i}.displacement": base + high * i / n for i in range(n)}
    start |= {f"x{i}.speed": 0.2 + 0.05 * i for i in range(n)}
    one, whole = both(blocks(n), initial=start, t_end=0.3, rtol=1e-9, output=7)
    assert one.completed and whole.completed
    assert sorted(e.name for e in one.events) == sorted(e.name for e in whole.events)
    names = [name for i in range(n) for name in (f"x{i}.displacement", f"z{i}.speed")]
    names += ["energy.dissipated", "k3.normal.multiplier", "x2.damping.energy.dissipated"]
    for name in names:
        a, b = one[name], whole[name]
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-8 * (1 + abs(b).max()), err_msg=name)


def test_kernels_are_those_of_the_whole():
    model = blocks(12)
    swing = ts.Joint("swing", "world", "rod", ts.Revolute("y"))  # an island that nothing holds
    rod = ts.Body("rod", 1.0, (0, 0, -0.5), (0.1, 0.1, 0.01))
    system = replace(model, bodies=(*model.bodies, rod), joints=(*model.joints, swing)).check()
    apart, whole = MotionKernels(system), MotionKernels(system)
    assert apart.apart
    whole.apart = False
    at, rng = system.layout, np.random.default_rng(3)
    m = np.zeros(len(at.m))
    for i, name in enumerate(at.m.names):
        if name.endswith("contact"):
            m[i] = rng.integers(-1, 2)
    given = (
        0.0,
        rng.normal(size=system.nq),
        rng.normal(size=system.nv),
        rng.normal(size=len(at.z)),
    )
    with np.errstate(all="ignore"):  # branches that are not taken
        for name, more in (("flow", ()), ("guards", ()), ("project", ()), ("jump", (-1.0, []))):
            found, same = (x[name](*given, m, [], [], *more) for x in (apart, whole))
            pairs = zip(found, same, strict=True) if isinstance(found, tuple) else [(found, same)]
            for a, b in pairs:
                scale = 1 + abs(b).max(initial=0.0)
                np.testing.assert_allclose(a, b, rtol=0, atol=1e-13 * scale, err_msg=name)


def test_islands_are_found_by_every_name():
    model = blocks(6)
    assert len(split(model)) == 6
    rod = ts.Distance("rod", "b1", "b4", length=3.0)
    gear = ts.Gear("gear", "x2.displacement", "x5.displacement", 2.0)
    push = ts.PointForce("s", "b0", ("b3", (0, 0, 0.1)), ts.Spring(30.0))
    assert len(split(replace(model, constraints=(*model.constraints, rod, gear)))) == 4
    assert len(split(replace(model, forces=(push,)))) == 5
    ramp = ts.Frame("ramp", "world", at=(0, 0, -1.0), rpy=(0.1, 0, 0))  # fixed: it joins nothing
    on = tuple(replace(c, ground="ramp") for c in model.constraints)
    model = replace(model, frames=(ramp,), constraints=on)
    assert len(split(model)) == 6 and len(island_kinds(model.check())) == 2
    odd = replace(model, bodies=tuple(replace(b, name=f"{b.name} ") for b in model.bodies))
    with pytest.raises((Unlike, TorseurError)):
        split(odd)


def test_what_is_not_alike_stays_together():
    few = blocks(3).check()
    assert not MotionKernels(few).apart
    kinds = [ts.Revolute("x"), ts.Revolute("y"), ts.Prismatic("x"), ts.Prismatic((1, 2, 2))]
    model = blocks(8)
    joints = tuple(
        replace(j, kind=kinds[i % 4]) if i < 8 else j for i, j in enumerate(model.joints)
    )
    assert islands(replace(model, joints=joints, forces=()).check()) is None
