"""Contacts on bodies that joints join: native loops over rows, so that text grows slowly."""

from dataclasses import replace

import numpy as np
import pytest

import torseur as ts
from torseur.compiler.codegen.native_functions import NativeRoutine
from torseur.dynamics.contact import native_rows
from torseur.dynamics.contact.complementarity import SwitchedRows
from torseur.kernels import MotionKernels
from torseur.kernels.tracing import trace_function
from torseur.quantities.register import PORTS, find
from torseur.quantities.symbolic_system import SymbolicSystem
from torseur.scalars import Graph

KERNELS = ("flow", "project", "jump")


def chain(n, friction=0.3, restitution=0.0, **options):
    """Links on hinges above a floor, the tip of each touches."""
    at = [(0, 0, 0.2), *[(0.1, 0, 0)] * (n - 1)]
    names = ["world", *(f"b{i}" for i in range(n))]
    return ts.Model(
        "chain",
        bodies=[ts.Body(f"b{i}", 1.0, (0.05, 0, 0), (0.001, 0.01, 0.01)) for i in range(n)],
        joints=[ts.Joint(f"j{i}", names[i], f"b{i}", ts.Revolute("y"), at=at[i]) for i in range(n)],
        constraints=[
            ts.Contact(f"k{i}", (f"b{i}", (0.1, 0, 0)), friction=friction, restitution=restitution)
            for i in range(n)
        ],
        **options,
    )


def legs(n, friction=0.5, **options):
    """A trunk on legs of two links with springs, a foot on each."""
    bodies = [ts.Body("trunk", 10.0, (0, 0, 0), (0.2, 0.3, 0.4))]
    joints, forces, contacts = [ts.Joint("float", "world", "trunk", ts.Free())], [], []
    for i in range(n):
        parent, at = "trunk", (0.3 * (i % 2 * 2 - 1), 0.2 * (i // 2), 0)
        for j, axis in enumerate("yx"):
            name = f"h{i}{j}"
            bodies.append(ts.Body(f"l{i}{j}", 0.5, (0, 0, -0.15), (0.005, 0.005, 0.001)))
            joints.append(ts.Joint(name, parent, f"l{i}{j}", ts.Revolute(axis), at=at, damping=1.0))
            forces.append(ts.JointForce(f"s{i}{j}", name, ts.Spring(200.0)))
            parent, at = f"l{i}{j}", (0, 0, -0.3)
        contacts.append(ts.Contact(f"k{i}", (parent, at), friction=friction))
    parts = {"bodies": bodies, "joints": joints, "forces": forces, "constraints": contacts}
    return ts.Model("legs", **parts, **options)


def crossed():
    """Legs whose feet may touch the floor, the trunk and a leg that is part of another tree: a
    point, a sphere, a disc, a body of its own shape and two bodies."""
    model, other = legs(4), ts.Body("other", 2.0, inertia=(0.1, 0.2, 0.25))
    fly = ts.Joint("fly", "world", "other", ts.Free())
    swing = ts.Joint("swing", "other", "arm", ts.Revolute("z"), at=(0.2, 0, 0))
    arm = ts.Body("arm", 1.0, (0.1, 0, 0), (0.01, 0.02, 0.02))
    more = (
        ts.Contact("a", ("l01", (0, 0, -0.3)), "l11", (1, 2, 2), radius=0.05, friction=0.3),
        ts.Contact("b", "l21", ("trunk", (0.1, 0, 0)), radius=0.1, axis="y", friction=0.3),
        ts.Contact("c", "arm", "l31", shape=(0.3, 0.2, 0.1), friction=0.3),
        ts.ContactPair("d", "arm", "trunk", 0.1, 0.2, friction=0.3),
    )
    return replace(
        model,
        bodies=(*model.bodies, other, arm),
        joints=(*model.joints, fly, swing),
        constraints=(*model.constraints, *more),
    )


def texts(system):
    """Nodes of every kernel's text."""
    kernels = MotionKernels(system)
    return np.array([kernels[x].program.size for x in KERNELS])


def states(system, kernel, rng):
    """A state with rows on, off, stuck and sliding, fewer than speeds; and all else of a kernel."""
    given = {p.name: rng.normal(size=p.shape) for p in kernel.inputs}
    at = system.layout
    q, first = 0.3 * given["q"], len([e for e in system.switched if e.contact]) - system.nv // 3
    for own in system.quaternions:
        q[own : own + 4] /= np.linalg.norm(q[own : own + 4])
    m = given["m"]
    for i, (e, own) in enumerate(zip(system.switched, at.switches, strict=True)):
        m[own.start] = rng.integers(-1, 2) if e.contact or e.size == 1 else rng.integers(0, 3)
        if e.contact and i < first:
            m[own.start] = 0
    return given | {"q": q, "m": m}


CASES = {
    "a chain": lambda: chain(6),
    "that bounces": lambda: chain(6, restitution=0.4),
    "without friction": lambda: chain(12, friction=0),
    "legs": lambda: legs(4),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["flow", "project", "jump"])
def test_loops_give_what_the_formulas_written_out_give(case, name, monkeypatch):
    monkeypatch.setattr(
        SwitchedRows, "solve_impact", lambda *_: None
    )  # graphs have no sweeps: DF.15,
    monkeypatch.setattr(
        "torseur.dynamics.contact.complementarity.redistribute_static_friction",
        lambda c, p, *x: (p, x[-1], {}),
    )  # DF.16
    system, own = replace(CASES[case](), gravity=(0, 0, -9.8)).check(), find(name)
    looped = MotionKernels(system)[name]
    assert any(isinstance(c.routine, NativeRoutine) for c in looped.program.calls)
    scene = SymbolicSystem(system, Graph(), tuple(system.parameters))
    reads = [*PORTS, *(x for x in own.inputs if x not in PORTS)]
    plain = trace_function(own, scene, reads)
    rng, guards = np.random.default_rng(7), len(system.layout.guards)
    for k in (-1, *rng.choice(guards, 6, replace=False)):
        given = states(system, looped, rng) | {"k": np.array(float(k))}
        arrays = [given[p.name] for p in looped.inputs]
        for x, y in zip(looped(*arrays), plain(*arrays), strict=True):
            y = np.array(y).reshape(x.shape)
            assert np.allclose(x, y, rtol=1e-7, atol=1e-7 * (1 + abs(y).max(initial=0))), k


@pytest.mark.parametrize("name", ["flow", "project", "jump"])
@pytest.mark.parametrize("case", [lambda: chain(6), crossed], ids=["a chain", "legs that cross"])
def test_walks_down_the_tree_give_masses_and_rows(case, name, monkeypatch):
    """The same kernels with M and J by walks, and with both written out."""
    system, kernels = case().check(), []
    for long in (0, 1e9):
        monkeypatch.setattr(native_rows, "MAX_WRITTEN_ENTRIES", long)
        kernel = MotionKernels(replace(system.model, name=str(long)).check())[name]
        called = {c.routine.name for c in kernel.program.calls}
        assert ("project_on_joint_axes" in called) == (long == 0)
        kernels.append(kernel)
    rng = np.random.default_rng(8)
    for k in (-1, 1, 4):
        given = states(system, kernels[0], rng) | {"k": np.array(float(k))}
        found = [x(*(given[p.name] for p in x.inputs)) for x in kernels]
        for x, y in zip(*found, strict=True):
            assert np.allclose(x, y, rtol=1e-8, atol=1e-8 * (1 + abs(y).max(initial=0))), k


def test_text_grows_linearly_with_contacts_on_branches():
    """Three, six and nine legs: the same for each leg."""
    three, six, nine = (texts(legs(n).check()) for n in (3, 6, 9))
    assert (nine - six <= 1.05 * (six - three)).all()
    assert six[0] < 5_000 and nine.sum() < 30_000


def test_text_of_a_chain_grows_with_contacts_times_depth():
    """At most with the square of links, never with the cube; of ten links written out, the flow
    has 46 000 operations."""
    five, ten, more = (texts(chain(n).check()) for n in (5, 10, 15))
    assert (more - ten <= 1.7 * (ten - five)).all()  # 5 / 3 of a square, 2.7 of a cube
    assert ten[0] < 4_000 and more[0] < 8_000


def test_text_of_a_long_chain_grows_with_its_contacts():
    """Twenty links and thirty: walks down the tree are data, not text."""
    few, many = (MotionKernels(chain(n).check())["flow"].program.size for n in (20, 30))
    assert many < 1.6 * few and many < 7_000


def test_operations_are_counted():
    few, many = (MotionKernels(chain(n).check())["flow"] for n in (6, 12))
    assert sum(many.operations.values()) > 4 * sum(few.operations.values())
    assert few.stamp != many.stamp


def test_a_plastic_impact_is_that_of_the_rows_that_touch():
    """No friction, no restitution: impulses solve a small complementarity problem, found here by
    trying all sets of rows."""
    system = chain(12, friction=0).check()
    rng, jump = np.random.default_rng(3), MotionKernels(system)["jump"]
    q = np.zeros(12)
    q[0] = np.arcsin(0.2 / 0.1 / 4)  # four links down to the floor, the rest along it
    q[4] = -q[0]
    v = rng.normal(size=12)
    model = ts.compile(system)
    J = np.array([model.jacobian(f"b{i}", q) for i in range(12)])
    R = np.array([model.pose(f"b{i}", q)[:3, :3] for i in range(12)])
    lever = R @ np.array([0.1, 0, 0])
    rows = J[:, 5] + np.cross(J[:, :3], lever[:, :, None], axis=1)[:, 2]
    touching = np.flatnonzero(np.arange(12) >= 3)
    M = model.mass_matrix(q)
    G = rows[touching] @ np.linalg.solve(M, rows[touching].T)
    u = rows[touching] @ v
    found = None
    for bits in range(1 << len(touching)):
        some = [i for i in range(len(touching)) if bits >> i & 1]
        p = np.zeros(len(touching))
        p[some] = np.linalg.solve(G[np.ix_(some, some)], -u[some]) if some else []
        if (p >= -1e-12).all() and (u + G @ p >= -1e-9).all():
            found = p
    state = {"q": q, "v": v, "m": np.zeros(len(system.layout.m)), "k": np.array(-1.0)}
    v1, z1, _ = jump(*(state.get(p.name, np.zeros(p.shape)) for p in jump.inputs))
    want = v + np.linalg.solve(M, rows[touching].T @ found)
    assert np.allclose(v1, want, rtol=0, atol=1e-9)
    lost = z1[system.layout.books.start]
    assert np.isclose(lost, (v @ M @ v - want @ M @ want) / 2, rtol=1e-9)


@pytest.mark.parametrize("restitution", [0.0, 0.3])
def test_energy_is_accounted_for_where_many_contacts_land(restitution):
    model = chain(7, restitution=restitution)
    start = {f"j{i}.angle": 0.2 if i == 0 else 0.03 * (-1) ** i for i in range(7)}
    run = ts.simulate(model, 0.6, start, output=13)
    assert run.completed and len(run.events) > 20
    assert abs(run["energy.residual"]).max() < 1e-6
    assert run["energy.dissipated"][-1] > 0.1


def test_separate_bodies_with_contacts_are_no_joined_mechanism():
    """Ten blocks side by side are ten small mechanisms, however many rows they have together."""
    from torseur.kernels.strategy import largest_mechanism
    from torseur.kernels.thresholds import MIN_ROW_LOOP_UNKNOWNS

    def blocks(n):
        bodies = [ts.Body(f"b{i}", 1.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0)) for i in range(n)]
        joints = [ts.Joint(f"x{i}", "world", f"b{i}", ts.Planar("y")) for i in range(n)]
        feet = [ts.Contact(f"c{i}", f"b{i}", friction=0.3) for i in range(n)]
        return ts.Model("blocks", bodies=bodies, joints=joints, constraints=feet).check()

    assert largest_mechanism(blocks(10)) == largest_mechanism(blocks(1)) < MIN_ROW_LOOP_UNKNOWNS
    assert (texts(blocks(12)) <= 2.2 * texts(blocks(6))).all()
    assert largest_mechanism(chain(10).check()) >= MIN_ROW_LOOP_UNKNOWNS
