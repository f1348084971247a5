"""Elements of long trees, looped over by kinds: every law does there what it does by itself."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import block_diag

import torseur as ts
from torseur.compiler import Kernel
from torseur.dynamics import Moment, kept, start
from torseur.forces import EVERY_LAW, replace_numbers
from torseur.kernels import MotionKernels, interpreted, motion, thresholds
from torseur.kernels.link_loops import build_loops as rolled
from torseur.kernels.link_loops.force_loops import classify_elements
from torseur.kernels.link_loops.parameters import has_link_expressions
from torseur.kernels.thresholds import MIN_EQUAL_ELEMENTS
from torseur.scalars import Floats

LAWS = pytest.mark.parametrize("law", EVERY_LAW, ids=lambda law: repr(law)[:60])
LINKS = MIN_EQUAL_ELEMENTS + 1


def slides(law):
    """A chain of slides with the law on each; its numbers differ a little where they may."""

    def own(i):
        numbers = {}

        def take(x):
            numbers[f"n{len(numbers)}"] = x * (1 + 1e-9 * i)
            return f"n{len(numbers) - 1}"

        made = replace_numbers(law, take).at(numbers)
        return law if made.faults() or made.problems() else made

    names = tuple(dict.fromkeys((*law.inputs, *law.signals)))
    ends = ["world", *(f"b{i}" for i in range(LINKS))]
    return ts.Model(
        bodies=tuple(ts.Body(n, mass=1.0) for n in ends[1:]),
        joints=tuple(
            ts.Joint(f"j{i}", ends[i], ends[i + 1], ts.Prismatic("x")) for i in range(LINKS)
        ),
        forces=tuple(ts.JointForce(f"f{i}", f"j{i}", own(i)) for i in range(LINKS)),
        inputs=tuple(ts.Input(n) for n in names),
    )


@LAWS
def test_a_kind_does_what_its_members_do(law):
    system = slides(law).check()
    kinds, rest = classify_elements(system)
    assert not rest and sum(len(k.members) for k in kinds) == LINKS
    rng, K = np.random.default_rng(5), Floats()
    at = system.layout
    q, v, u = rng.uniform(-0.4, 0.6, LINKS), rng.uniform(-1, 1, LINKS), rng.uniform(size=len(at.u))
    now = start(system, K, 0.3, q, v, u)
    values = {"q": q, "v": v, "z": now.z, "m": now.m, "u": u}
    for kind in kinds:
        G, columns, efforts, added = kind.traced
        told = G.sx(np.array([x for _, x in (*efforts, *added)], dtype=object))
        f = G.lib.Function("f", [G.sx(x) for x in columns], [G.lib.densify(told)])
        for k, i in enumerate(kind.members):
            seen = [float(values[place][j]) for place, j in kind.reads[k]]
            found = np.array(f(kind.constants[k], seen, 0.3, ())).ravel()
            acting = system.elements[i].act(K, [], Moment(0.3, q, v, now.z, now.m, u))
            places, wanted = zip(*acting.efforts, *kept(K, system, i, acting), strict=True)
            assert [*kind.writes(k)[0], *kind.writes(k)[1]] == list(places)
            wanted = np.array(wanted, dtype=float)
            scale = max(1.0, abs(wanted).max())
            assert (abs(found - wanted) <= 256 * np.finfo(float).eps * scale).all()


def declared(timed, n=9):
    """A tree whose lengths, masses, joints and weight are made of parameters, or of the time."""
    kinds = (ts.Revolute("y"), ts.Helical("z", "h"), ts.Spherical("quaternion"),
             ts.Universal("x", "y"), ts.Prismatic((1, 2, 2)))  # fmt: skip
    moved = [("0.1*sin(3*t)*L", 0, "-L")] * timed
    at = [(0, 0, "-L"), (0.1, "L/3", -0.2), *moved]
    rpy = [(0, 0, 0), ("L", 0.3, 0), *[("t**2", 0, "L*t")] * timed]
    bodies = [
        ts.Body(f"b{i}", "m" if i % 2 else 1.5, (0.1, 0, "-L/2"), (0.3, "0.2*m", 0.35))
        for i in range(n)
    ]
    joints = [
        ts.Joint(f"j{i}", f"b{(i - 1) // 2}" if i else "world", f"b{i}", kinds[i % 5],
                 at=at[i % len(at)], rpy=rpy[i % len(rpy)], damping=0.1)
        for i in range(n)
    ]  # fmt: skip
    return ts.Model(bodies=bodies, joints=joints, gravity=(0, 0.3, "-9*g"),
                    forces=[ts.JointForce("s", "j0", ts.Spring("40*L"))],
                    parameters={"L": 0.7, "m": 2.0, "h": 0.1, "g": 1.1})  # fmt: skip


def shared_out():
    """A tree of several joints, with forces between bodies and along two coordinates."""
    own = declared(timed=False, n=5)
    drive = ts.Drive(50.0, 1e-3, stiffness=300.0, damping=0.5)
    joints = [replace(j, drive=drive) if i in (0, 4) else j for i, j in enumerate(own.joints)]
    law = ts.Parallel(ts.Spring("30*L", 0.1), ts.Viscous(0.3))
    forces = [ts.PointForce("p", ("b2", (0.1, 0, 0)), "b4", law)]
    return replace(own, joints=joints, forces=forces)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(shared_out, id="forces"),
        pytest.param(lambda: declared(True, 5), id="time", marks=pytest.mark.slow),
    ],
)
def test_derivatives_by_passes_over_links_are_those_of_the_whole_flow(make, monkeypatch):
    system = make().check()
    rng, at = np.random.default_rng(3), system.layout
    q = ts.compile(system).integrate(system.neutral(), 0.5 * rng.normal(size=system.nv))
    v, p = rng.normal(size=system.nv), 1.3 * np.array(list(system.parameters.values()))
    now = (0.4, q, v, 1e-3 * rng.normal(size=len(at.z)), np.zeros(len(at.m)), np.zeros(0))
    monkeypatch.setattr(thresholds, "MAX_FULL_JACOBIAN_SPEEDS", 1)
    monkeypatch.setattr(thresholds, "MAX_STRAIGHT_LINE_SPEEDS", 1)
    kernels = MotionKernels(system)
    assert kernels.by_links
    kernel = kernels[motion.BY_LINKS]
    (J, slope), (whole, other) = kernel(*now, p), interpreted(system)("flow_jacobian", *now, p=p)
    N = np.stack([ts.compile(system).rates(q, e) for e in np.eye(system.nv)], axis=1)
    moved = block_diag(N, np.eye(system.nv + len(at.z)))  # quaternions stay at unit length
    for x, y in ((J @ moved, whole @ moved), (slope, other.ravel())):
        bound = 1000 * np.finfo(float).eps * max(1.0, abs(y).max())
        np.testing.assert_allclose(x, y, rtol=0, atol=bound)
    assert abs(J).max() > 1


@pytest.mark.parametrize(
    "timed",
    [
        pytest.param(False, id="parameters", marks=pytest.mark.slow),
        pytest.param(True, id="and time"),
    ],
)
def test_numbers_of_links_that_parameters_and_time_make_are_made_in_the_loop(timed, monkeypatch):
    system = declared(timed).check()
    rng, at = np.random.default_rng(3), system.layout
    assert has_link_expressions(system) and system.rheonomic is timed and at.has_energies
    q = ts.compile(system).integrate(system.neutral(), 0.5 * rng.normal(size=system.nv))
    p = 1.3 * np.array(list(system.parameters.values()))
    now = (0.4, q, rng.normal(size=system.nv), np.zeros(len(at.z)), np.zeros(0), np.zeros(0))
    monkeypatch.setattr(thresholds, "MAX_STRAIGHT_LINE_SPEEDS", 1)
    assert MotionKernels(system).looped
    loop = Kernel("flow", lambda: rolled.build_flow_loop(system), loop=True, shapes={"t": ()})
    found, wanted = loop(*now, p), interpreted(system)("flow", *now, p=p)
    for x, y in zip(found, wanted, strict=False):
        bound = 1000 * np.finfo(float).eps * abs(y).max(initial=1.0)
        np.testing.assert_allclose(x, y.ravel(), rtol=0, atol=bound)
    supplied = found[2][at.books.start + 1]
    assert (supplied != 0) is np.bool_(timed)
