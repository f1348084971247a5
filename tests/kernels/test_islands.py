"""Many small mechanisms with contacts side by side: kernels and runs as of the whole formulas."""

from dataclasses import replace

import numpy as np
import pytest

import torseur as ts
from torseur.dynamics.contact.complementarity import SwitchedRows
from torseur.errors import TorseurError
from torseur.kernels import motion, thresholds
from torseur.kernels.motion import MotionKernels
from torseur.kernels.strategy import Generator, island_classes, island_condition
from torseur.kernels.tracing import trace_function
from torseur.quantities.register import PORTS, find
from torseur.quantities.symbolic_system import SymbolicSystem
from torseur.scalars import Graph
from torseur.system.equivalence_classes import NotEquivalent
from torseur.system.islands import classify_islands, find_islands


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
    monkeypatch.setattr(thresholds, "MIN_ISLAND_ELEMENTS", 16)


def both(model, **options):
    """A run by islands, and by the whole."""
    system = model.check()
    assert motion.motion_kernels(system).apart
    one = ts.simulate(system, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(thresholds, "MIN_ISLAND_ELEMENTS", 10**9)
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
    apart = MotionKernels(system)
    whole = MotionKernels(system, excluded={Generator.ISLANDS})
    assert apart.apart
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


def joined(n=8) -> ts.Model:
    """The same blocks with a spring and a damper between neighbors, and between the ends."""
    model, pull = blocks(n), ts.Parallel(ts.Spring(40.0, free_length=0.8), ts.Viscous(3.0))
    pairs = [(i, i + 1) for i in range(n - 1)] + [(0, n - 1)]
    between = tuple(
        ts.PointForce(f"pull{i}_{j}", f"b{i}", (f"b{j}", (0, 0, 0.02 * j)), pull) for i, j in pairs
    )
    return replace(model, forces=(*model.forces, *between))


def test_forces_between_islands():
    n = 8
    start = {f"z{i}.displacement": 2e-3 + 1e-3 * i / n for i in range(n)}
    start |= {f"x{i}.speed": 0.2 + 0.05 * i for i in range(n)}
    one, whole = both(joined(n), initial=start, t_end=0.3, rtol=1e-9, output=7)
    assert one.completed and whole.completed and one.energy_audit.relative < 1e-7
    assert sorted(e.name for e in one.events) == sorted(e.name for e in whole.events)
    names = [name for i in range(n) for name in (f"x{i}.displacement", f"z{i}.speed")]
    names += ["energy.dissipated", "k3.normal.multiplier", "pull2_3.energy.dissipated"]
    for name in names:
        a, b = one[name], whole[name]
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-8 * (1 + abs(b).max()), err_msg=name)


def test_kernels_with_forces_between_islands():
    """Some blocks rest, some slide, some fall; those that fall land, then all states again."""
    system = joined(9).check()
    apart = MotionKernels(system)
    whole = MotionKernels(system, excluded={Generator.ISLANDS})
    assert apart.apart and island_classes(system).between
    at, rng = system.layout, np.random.default_rng(4)
    q, v = 0.005 * rng.normal(size=system.nq), rng.normal(size=system.nv)
    for i in range(9):
        x, z = (at.v.slot(f"{n}{i}.speed") for n in "xz")
        q[z] = 0.0 if i % 3 < 2 else 1e-4
        v[x], v[z] = v[x] * (i % 3 > 0), -1.0 if i % 3 == 2 else 0.0

    def compare(name, m, *more):
        given = 0.0, q, v, np.linspace(0, 1, len(at.z)), m, [], []
        with np.errstate(all="ignore"):  # branches that are not taken
            found, same = (x[name](*given, *more) for x in (apart, whole))
        pairs = zip(found, same, strict=True) if isinstance(found, tuple) else [(found, same)]
        for a, b in pairs:
            scale = 1 + abs(b).max(initial=0.0)
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-12 * scale, err_msg=name)
        return found

    *_, m = compare("jump", np.zeros(len(at.m)), -1.0, [])
    for i in (2, 5):
        compare("flow", m)
        compare("guards", m)
        q[at.v.slot(f"z{i}.speed")] = 0.0
        lands = next(k for k, g in enumerate(at.guards) if g.owner == f"k{i}") + 1
        v, _, new = compare("jump", m, float(lands), [])
        assert (new != m).any()
        m = new


def test_a_damper_tells_a_landing_to_what_rests():
    """As B lands, the damper to A leaps from none to more than A's friction holds."""
    n, pairs = 8, []
    for i in range(n):
        for x, shift, more in (("A", 1.5, {"friction": 0.3}), ("B", 0.5, {})):
            at = (5.0 * i + shift, 0, 0)
            pairs.append((
                ts.Body(f"x{x}{i}"), ts.Body(f"b{x}{i}", 1.0),
                ts.Joint(f"x{x}{i}", "world", f"x{x}{i}", ts.Prismatic("x"), at=at),
                ts.Joint(f"z{x}{i}", f"x{x}{i}", f"b{x}{i}", ts.Prismatic("z")),
                ts.Contact(f"k{x}{i}", f"b{x}{i}", **more),
            ))  # fmt: skip
    parts = [[*x] for x in zip(*pairs, strict=True)]
    system = ts.Model(
        bodies=parts[0] + parts[1], joints=parts[2] + parts[3], constraints=parts[4],
        forces=[ts.PointForce(f"d{i}", f"bB{i}", (f"bA{i}", (0, 0, 0.5)), ts.Viscous(20.0))
                for i in range(n)],
    ).check()  # fmt: skip
    apart = MotionKernels(system)
    whole = MotionKernels(system, excluded={Generator.ISLANDS})
    assert apart.apart and len(island_classes(system).between) == 1
    at, q, v = system.layout, np.zeros(system.nq), np.zeros(system.nv)
    for i in range(n):
        q[at.v.slot(f"zB{i}.speed")] = 1e-9
        v[at.v.slot(f"xB{i}.speed")], v[at.v.slot(f"zB{i}.speed")] = 0.5, -1.0
    m, z = np.zeros(len(at.m)), np.zeros(len(at.z))
    for i in range(n):
        m[at.m.names.index(f"kA{i}.contact")] = 1.0
    lands = next(k for k, g in enumerate(at.guards) if g.owner == "kB2") + 1
    with np.errstate(all="ignore"):  # branches that are not taken
        one, same = (x["jump"](0.0, q, v, z, m, [], [], float(lands), []) for x in (apart, whole))
    for a, b in zip(one, same, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-13)
    assert one[2][at.m.names.index("kA2.mode")] == 1.0  # it slides
    assert one[2][at.m.names.index("kA3.mode")] == 0.0


def test_forces_with_a_memory_or_events_join_islands():
    model, gap = joined(6), ts.Limits(0.5, 4.0, stiffness=1e4, damping=1.0)
    snap = ts.PointForce("snap", "b0", "b3", gap)
    with pytest.raises(NotEquivalent, match="between"):
        classify_islands(replace(model, forces=(*model.forces, snap)).check())


def test_islands_are_found_by_every_name():
    model = blocks(6)
    assert [len(x) for x in find_islands(model)] == [6, 0]
    rod = ts.Distance("rod", "b1", "b4", length=3.0)
    gear = ts.Gear("gear", "x2.displacement", "x5.displacement", 2.0)
    push = ts.PointForce("s", "b0", ("b3", (0, 0, 0.1)), ts.Spring(30.0))
    assert len(find_islands(replace(model, constraints=(*model.constraints, rod, gear)))[0]) == 4
    assert [len(x) for x in find_islands(replace(model, forces=(push,)))] == [6, 1]
    ramp = ts.Frame("ramp", "world", at=(0, 0, -1.0), rpy=(0.1, 0, 0))  # fixed: it joins nothing
    on = tuple(replace(c, ground="ramp") for c in model.constraints)
    model = replace(model, frames=(ramp,), constraints=on)
    assert len(find_islands(model)[0]) == 6 and len(classify_islands(model.check()).kinds) == 2
    odd = replace(model, bodies=tuple(replace(b, name=f"{b.name} ") for b in model.bodies))
    with pytest.raises((NotEquivalent, TorseurError)):
        find_islands(odd)


def test_what_is_not_alike_stays_together():
    few = blocks(3).check()
    assert not MotionKernels(few).apart
    kinds = [ts.Revolute("x"), ts.Revolute("y"), ts.Prismatic("x"), ts.Prismatic((1, 2, 2))]
    model = blocks(8)
    joints = tuple(
        replace(j, kind=kinds[i % 4]) if i < 8 else j for i, j in enumerate(model.joints)
    )
    assert not island_condition(replace(model, joints=joints, forces=()).check()).met


def test_two_large_islands_are_one_text_with_loops(monkeypatch):
    """Two plates on three feet each: their kernels are those of the formulas written out."""
    monkeypatch.setattr(thresholds, "LARGE_ISLAND_UNKNOWNS", 9)
    monkeypatch.setattr(SwitchedRows, "solve_impact", lambda *_: None)  # DF.15
    feet = [(0.1 * x, 0, -0.1) for x in (-3, 1, 2)]
    system = ts.Model(
        gravity=(0, 0, -9.8),  # no kernel of another test
        bodies=[ts.Body(f"b{i}", 1.0 + i, inertia=(0.1, 0.1 + 0.05 * i, 0.1)) for i in range(2)],
        joints=[ts.Joint(f"j{i}", "world", f"b{i}", ts.Planar("y")) for i in range(2)],
        constraints=[
            ts.Contact(f"k{i}{j}", (f"b{i}", at), friction=0.3 + 0.1 * i, restitution=0.2)
            for i in range(2)
            for j, at in enumerate(feet)
        ],
    ).check()
    kernels, rng, at = MotionKernels(system), np.random.default_rng(5), system.layout
    assert kernels.apart
    for name in ("flow", "guards", "project", "jump"):
        own, kernel = find(name), kernels[name]
        calls = [c.routine for p in kernel.program.blocks for c in p.program.calls]
        assert any(getattr(r, "name", "") == "assemble_delassus" for r in calls)
        scene = SymbolicSystem(system, Graph(), ())
        plain = trace_function(own, scene, [*PORTS, *(x for x in own.inputs if x not in PORTS)])
        for k, closed in ((-1, 0), (1, 2), (1 + 3 * 3, 5)):  # an event is one island's alone
            m = np.zeros(len(at.m))
            m[[i for i, x in enumerate(at.m.names) if x.endswith("contact")][closed]] = 1
            assert k < 0 or at.guards[k].owner == f"k{k // 9}0"
            given = {p.name: 0.1 * rng.normal(size=p.shape) for p in kernel.inputs}
            given["q"][1::3] += 1  # up in the air but for those
            given |= {"m": m, "k": np.array(float(k))}
            arrays = [given[p.name] for p in kernel.inputs]
            found = kernel(*arrays)
            found = found if isinstance(found, tuple) else (found,)
            for x, y in zip(found, plain.call(arrays), strict=True):
                y = np.array(y).reshape(x.shape)
                if k >= 0 and x.shape == m.shape:  # the whole renews what is open elsewhere, too
                    own = [n.startswith(f"k{k // 9}") for n in at.m.names]
                    x, y = x[own], y[own]
                assert np.allclose(x, y, rtol=1e-8, atol=1e-8 * (1 + abs(y).max())), (name, k)
