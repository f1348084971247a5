"""Mechanisms with many parts that are alike: kinds and fronts say what the whole formulas say."""

import re
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest
from zoo import constraints, mechanism, one_of_each, state

import torseur as ts
from torseur.dynamics import frontal_factorization
from torseur.joints import EVERY_JOINT, AbstractJoint
from torseur.kernels import GraphInterpreter, strategy, thresholds
from torseur.kernels.motion import MotionKernels
from torseur.kernels.repeated_blocks import structure
from torseur.kernels.repeated_blocks.terms import BlockTerms
from torseur.kernels.strategy import INTERPRETED_BLOCK_QUANTITIES
from torseur.quantities.register import find
from torseur.scalars import Floats

NAMES = re.compile(r"\b(base|arm|hand|other|flier|tip|slide|ball|turn|wrist|fly)\b")
EVERY_CONSTRAINT, _ = constraints()
COPIES = 2


def renamed(x, n: int):
    """The same description of other bodies and joints."""
    if isinstance(x, str):
        return NAMES.sub(lambda m: f"{m[0]}{n}", x)
    if isinstance(x, dict):
        return {renamed(k, n): renamed(v, n) for k, v in x.items()}
    if isinstance(x, tuple | list):
        return type(x)(renamed(e, n) for e in x)
    if is_dataclass(x) and not isinstance(x, type | AbstractJoint):
        own = {f.name: getattr(x, f.name) for f in fields(x) if f.init}
        return replace(x, **{k: renamed(v, n) for k, v in own.items()})
    return x


def small(**parts) -> ts.Model:
    """Of the mechanism of the contract tests what a loop joins: a hand on its wrist, a flier."""
    whole = mechanism(**parts)
    wrist, fly = (j for j in whole.joints if j.name in ("wrist", "fly"))
    bodies = tuple(b for b in whole.bodies if b.name in ("hand", "flier"))
    return replace(whole, bodies=bodies, joints=(replace(wrist, parent="world"), fly))


def several(count=COPIES, made=mechanism, **parts) -> ts.Model:
    """Mechanisms of the contract tests side by side, each with numbers of its own."""
    own = [made(seed=n + 3, **parts) for n in range(count)]
    joined = dict.fromkeys(("bodies", "joints", "frames", "constraints", "loops"), ())
    for n, one in enumerate(own):
        for x in joined:
            for e in renamed(tuple(getattr(one, x)), n):
                named = x in ("constraints", "loops")
                joined[x] += (replace(e, name=f"{e.name}_{n}") if named else e,)
    return replace(own[0], **joined)


def moved(system) -> np.ndarray:
    """Parameters away from their values in the model."""
    known = [0.7 if x is None else x for x in system.parameters.values()]
    return np.array(known, dtype=float) * (1 + 0.1 * np.arange(1, 1 + len(known)))


def compare(system, names=("constrained_terms", "turned")):
    """Kinds of a system against the graph of the whole; gives how many kinds it has."""
    try:
        s = structure.BlockStructure(system)
    except structure.NotEquivalent:
        pytest.skip("straight-line code serves it")
    whole, parts = GraphInterpreter(system), BlockTerms(s)
    whole._block_terms = lambda _: None
    r = whole.scene.held_rows
    assert (s.names, s.owners, s.places) == (r.names, r.owners, r.places)
    rng = np.random.default_rng(7)
    q, v, _ = state(system, rng)
    p = moved(system)
    given = {"t": 0.3, "q": q, "v": v}
    for name in names:
        ports = [given[x] for x in find(name).given(system)]
        found = parts(name, *(np.reshape(x, (1, -1)) for x in ports), p=p)
        for a, b in zip(found, whole(name, *ports, p=p), strict=True):
            scale = 1 + abs(b).max(initial=0.0)
            np.testing.assert_allclose(a[0], b, rtol=0, atol=1e-13 * scale)
    return len(s.trees), len(s.constraints)


@pytest.mark.parametrize("joint", one_of_each([j for j in EVERY_JOINT if j.nv < 6]))
def test_every_joint_as_a_loop(joint):
    loop = ts.Loop(
        "loop", "hand", "flier", joint, at=(0.1, 0.2, -0.1), rpy=(0.3, -0.2, 0.5),
        child_at=(0.3, 0, 0),
    )  # fmt: skip
    assert compare(several(made=small, loops=(loop,)).check())[1] <= COPIES


@pytest.mark.parametrize(
    "constraint", EVERY_CONSTRAINT, ids=lambda c: f"{type(c).__name__}-{EVERY_CONSTRAINT.index(c)}"
)
def test_every_constraint(constraint):
    system = several(constraints=(constraint,)).check()
    if system.rheonomic:
        assert not strategy.repeated_blocks(system).met
    else:
        compare(system)


HINGE = ts.Revolute("y")
ROD = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}


def ladder(n, hinge=HINGE, **parts) -> ts.Model:
    """Four-bars in a row, rods of lengths of their own, a spring and a damper on each."""
    bars, up = range(n + 1), [1 + 0.1 * (i % 3) for i in range(n + 1)]
    across = [float(np.hypot(1.0, up[i + 1] - up[i])) for i in range(n)]
    return ts.Model(
        bodies=[ts.Body(f"r{i}", com=(0, 0, up[i] / 2), **ROD) for i in bars]
        + [ts.Body(f"c{i}", com=(0.5, 0, 0), **ROD) for i in range(n)],
        joints=[ts.Joint(f"p{i}", "world", f"r{i}", HINGE, at=(float(i), 0, 0)) for i in bars]
        + [ts.Joint(f"a{i}", f"r{i}", f"c{i}", HINGE, at=(0, 0, up[i])) for i in range(n)],
        loops=[
            ts.Loop(f"l{i}", f"c{i}", f"r{i + 1}", hinge, at=(across[i], 0, 0),
                    child_at=(0, 0, up[i + 1]))
            for i in range(n)
        ],
        forces=[ts.JointForce(f"s{i}", f"p{i}", ts.Spring(20.0 + i)) for i in bars]
        + [ts.JointForce("d", "a0", ts.Viscous(0.3))],
        **parts,
    )  # fmt: skip


def mixed() -> ts.Model:
    """Loops in space, one of them twice, a rod, gears and rolling, with forces between points."""
    at = {"at": (0.1, 0.2, -0.1), "rpy": (0.3, -0.2, 0.5), "child_at": (0.3, 0, 0)}
    model = several(
        loops=(
            ts.Loop("a", "hand", "flier", ts.Universal(), **at),
            ts.Loop("b", "other", "flier", ts.Spherical(), **at),
            ts.Loop("c", "other", "flier", ts.Spherical(), **at),
        ),
        constraints=(
            ts.Distance("rod", ("hand", (0.1, 0.2, 0.3)), ("base", (0, 0.4, 0)), length=0.7),
            ts.Gear("gear", "turn.angle", "slide.displacement", -3.0),
        ),
    )
    return replace(
        model,
        forces=(
            ts.PointForce("s", "hand0", "flier1", ts.Spring(30.0)),
            *(ts.JointForce(f"f{n}", f"turn{n}", ts.Viscous(0.2)) for n in range(COPIES)),
        ),
        parameters={},
    )


def named(n: int) -> ts.Model:
    """A ladder whose lengths, masses, inertias, gravity and springs have names; so has a screw."""
    model = ladder(n, ts.Spherical())
    bodies = [replace(b, mass="m", inertia=(0.1, "J", 0.1)) for b in model.bodies]
    joints = [replace(j, at=(0, 0, f"{1 + 0.1 * i}*L"), armature="J/2") if j.name[0] == "a" else j
              for i, j in enumerate(model.joints)]  # fmt: skip
    bodies += [ts.Body(f"x{i}", com=(0.1, 0, 0), **ROD) for i in range(2)]
    kinds = ts.Helical("y", "h"), HINGE
    joints += [ts.Joint(f"x{i}", "world", f"x{i}", kind) for i, kind in enumerate(kinds)]
    forces = [ts.JointForce(f"s{i}", f"p{i}", ts.Spring("k")) for i in range(n + 1)]
    own = {"m": 1.3, "J": 0.2, "L": 0.4, "g": 9.81, "h": 0.02, "k": 20.0, "w": 0.5}
    gear = ts.Gear("gear", "x0.angle", "x1.angle", "w")
    parts = {"bodies": bodies, "joints": joints, "forces": forces, "constraints": (gear,)}
    return replace(model, gravity=(0, 0, "-g"), parameters=own, **parts)


POINTS = tuple((0.15 * k, x) for k, x in enumerate((0.0, 0.1, 0.3, 0.2, 0.4)))
MODELS = {
    "planar": ladder(6),
    "ball": ladder(6, ts.Spherical()),
    "mixed": mixed(),
    "named": named(6),
    "driven": ladder(6, constraints=(ts.Driven("drive", "p0.angle", position=POINTS),)),
}


@pytest.fixture
def always(monkeypatch):
    """Kinds are used however few their members are."""
    monkeypatch.setattr(thresholds, "MIN_REPEATED_BLOCK_UNKNOWNS", 1)
    monkeypatch.setattr(thresholds, "MIN_MEMBERS_PER_CLASS", 1)


@pytest.mark.parametrize("name", MODELS)
def test_kernels_are_those_of_the_whole_formulas(name, always):
    system = MODELS[name].check()
    kernels, whole = MotionKernels(system), GraphInterpreter(system)
    whole._block_terms = lambda _: None
    assert kernels.has_repeated_blocks
    rng, at, p = np.random.default_rng(3), system.layout, moved(system)
    q, v, _ = state(system, rng)
    m = 0.07 * np.arange(1, 1 + len(at.m))  # another piece of the table than at 0.2 s
    given = (0.2, q, v, rng.normal(size=len(at.z)), m, rng.normal(size=len(at.u)))
    M, h, *_, J, gamma = whole("constrained_terms", *given[:3], p=p)
    rates, same = kernels["flow"](*given, p), whole("flow", *given, p=p)
    for a, b in zip([*rates[:3], J.T @ rates[3]], [*same[:3], J.T @ same[3]], strict=True):
        scale = 1 + abs(b).max(initial=0.0)  # what rows that repeat share is theirs together
        np.testing.assert_allclose(a, b, rtol=0, atol=2e-12 * scale)
    if len(m):  # what follows asks for the piece at 0.2 s
        return
    tau = whole("applied", *given, p=p)[0]
    force = np.linalg.solve(M, tau - h)
    L = np.linalg.cholesky(M)
    pushed = np.linalg.lstsq(np.linalg.solve(L, J.T).T, gamma - J @ force, rcond=1e-9)[0]
    a = force + np.linalg.solve(L.T, pushed)  # Gauss: the least change by mass
    np.testing.assert_allclose(rates[1], a, rtol=0, atol=1e-10 * abs(a).max())


def test_every_quantity_that_kinds_give():
    assert compare(MODELS["ball"].check(), INTERPRETED_BLOCK_QUANTITIES)[1] < 6
    assert compare(MODELS["named"].check(), INTERPRETED_BLOCK_QUANTITIES)[1] < 6


@pytest.mark.parametrize("name", ["planar", "named"])
def test_projections_are_those_of_the_whole_formulas(name, always):
    system = MODELS[name].check()
    p = moved(system)
    kernels, whole = MotionKernels(system), GraphInterpreter(system)
    q, v, _ = state(system, np.random.default_rng(4))
    given = (0.0, 0.2 * q, v, np.zeros(len(system.layout.z)), [], [])
    for a, b in zip(kernels["project"](*given, p), whole("project", *given, p=p), strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-12 * (1 + abs(b).max()))


@pytest.mark.parametrize("name", ["ball", "named", "driven"])
def test_derivatives_are_those_of_the_whole_formulas(name, always):
    system = MODELS[name].check()
    p = moved(system)
    kernels, whole = MotionKernels(system), GraphInterpreter(system)
    q, v, _ = state(system, np.random.default_rng(4))
    given = (0.2, q, v, np.zeros(len(system.layout.z)), 0.05 + np.zeros(len(system.layout.m)), [])
    found = kernels["flow_jacobian"](*given, p)
    for a, b in zip(found, whole("flow_jacobian", *given, p=p), strict=True):
        np.testing.assert_allclose(a.ravel(), b.ravel(), rtol=0, atol=1e-12 * (1 + abs(b).max()))


def test_a_run_is_that_of_straight_line_code(monkeypatch):
    options = {"initial": {"p0.rate": 1.0}, "t_end": 0.5, "rtol": 1e-10}
    plain = ts.simulate(ladder(8), **options)
    monkeypatch.setattr(thresholds, "MIN_REPEATED_BLOCK_UNKNOWNS", 1)
    monkeypatch.setattr(thresholds, "MIN_MEMBERS_PER_CLASS", 1)
    system = replace(ladder(8), name="another").check()
    assert MotionKernels(system).has_repeated_blocks
    run = ts.simulate(system, **options)
    assert run.completed
    for name in ("p8.angle", "a3.rate", "l0.x.multiplier", "energy.kinetic"):
        a, b = run[name][-1], plain[name][-1]
        assert abs(a - b) < 1e-7 * (1 + abs(b)), name


@pytest.mark.parametrize(("n", "rows"), [(5, 2), (30, 12), (60, 40)])
def test_fronts_solve_what_a_full_matrix_does(n, rows):
    rng = np.random.default_rng(n)
    M, J = np.diag(rng.uniform(1, 2, n)), np.zeros((rows, n))
    for i in range(0, n - 1, 2):
        M[i, i + 1] = M[i + 1, i] = 0.3
    for row in J:
        row[rng.choice(n, 3)] = rng.normal(size=3)
    A = np.block([[M, J.T], [J, -1e-6 * np.eye(rows)]])
    b, late = rng.normal(size=n + rows), set(range(n, n + rows))
    found = frontal_factorization.fronts([set(np.flatnonzero(row).tolist()) for row in A], late)
    assert sorted(k for f in found for k in f.pivots) == list(range(n + rows))
    x = frontal_factorization.solve(Floats(), A.tolist(), b.tolist(), late)
    np.testing.assert_allclose(A @ x.astype(float), b, atol=1e-11)


def test_what_does_not_repeat_stays_straight_line_code():
    assert not strategy.repeated_blocks(ladder(3).check()).met  # few
    timed = replace(ladder(60).joints[0], at=("t", 0, 0))
    moved = replace(ladder(60), joints=(timed, *ladder(60).joints[1:]))
    assert not strategy.repeated_blocks(moved.check()).met  # a placement that time moves
    assert strategy.repeated_blocks(ladder(60).check()).met
