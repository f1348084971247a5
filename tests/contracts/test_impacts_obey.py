"""Impacts of a body on several feet obey Newton's and Coulomb's laws: by a certificate of its own.

Speeds after an impact say what each foot may have given: nothing where it leaves, friction against
its slip where it slides, anything in its cone where it sticks.  Least squares of numbers that are
not negative tell whether such impulses make up the change of momentum.
"""

import ctypes
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import nnls
from test_derivatives import Runs, slopes
from zoo import few

import torseur as ts
from torseur.dynamics.contact.native import LIBRARY
from torseur.kernels.motion import MotionKernels

SIDES = 48


def box(feet, rng):
    """A box on irregular feet, each with friction and restitution of its own."""
    mass, radius = rng.uniform((1.0, 0.08), (3.0, 0.12))
    turns = 2 * np.pi * np.arange(feet) / feet + rng.uniform(-0.9, 0.9, feet) / feet
    r = radius * rng.uniform(0.5, 1.5, feet)
    at = np.stack([r * np.cos(turns), r * np.sin(turns), np.full(feet, -0.1)], axis=1)
    inertia = mass * np.array([0.005, 0.006, 0.008])
    mu, e = rng.uniform(0.1, 0.8, feet), rng.uniform(0, 0.5, feet) * rng.choice([0, 1])
    rows = [
        ts.Contact(f"k{i}", ("b", tuple(map(float, p))), friction=float(a), restitution=float(b))
        for i, (p, a, b) in enumerate(zip(at, mu, e, strict=True))
    ]
    body = ts.Body("b", float(mass), inertia=tuple(map(float, inertia)))
    fly = ts.Joint("fly", "world", "b", ts.Free())
    model = ts.Model("box", bodies=(body,), joints=(fly,), constraints=rows)
    return model, np.array([*inertia, mass, mass, mass]), at, mu, e


def rows(at):
    """Of each foot its speed upwards and the two across, from turning and moving speeds."""
    found = []
    for x, y, z in at:
        spin = np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]])
        found += [*np.hstack([spin, np.eye(3)])[[2, 0, 1]]]
    return np.array(found)


def missed(masses, J, mu, e, v, v1):
    """The part of a change of momentum that no impulses within the laws make up."""
    u, u1, ways = J @ v, J @ v1, []
    for i in range(len(mu)):
        normal, *across = J[3 * i : 3 * i + 3]
        back = -e[i] * min(0, u[3 * i])
        assert u1[3 * i] > -1e-7  # none is driven in
        if u1[3 * i] > back + 1e-7:
            continue
        slip = u1[3 * i + 1 : 3 * i + 3]
        size = np.hypot(*slip)
        angles = 2 * np.pi * np.arange(SIDES) / SIDES
        wide = mu[i] / np.cos(np.pi / SIDES)  # a cone with flat sides, around the round one
        d = (
            -slip[None] / size * mu[i]
            if size > 1e-7
            else wide * np.c_[np.cos(angles), np.sin(angles)]
        )
        ways += [*(normal + d @ across)]
    root = np.sqrt(masses)
    change = root * (v1 - v)
    return nnls((np.array(ways) / root).T, change)[1] / np.linalg.norm(change)


@pytest.mark.parametrize(
    ("feet", "seed"),
    few([(2, 0), (3, 2), (4, 1), (6, 0), (8, 3)], (2, 0), (4, 1), (8, 3)),
)
def test_impulses_obey_both_laws(feet, seed):
    rng = np.random.default_rng(seed)
    model, masses, at, mu, e = box(feet, rng)
    system, J = model.check(), rows(at)
    jump, layout = MotionKernels(system)["jump"], system.layout
    q = np.array([{"fly.pz": 0.1, "fly.qw": 1.0}.get(x, 0.0) for x in layout.q.names])
    none = np.zeros(len(layout.z)), np.zeros(len(layout.m))
    struck = 0
    for v in rng.normal(size=(25, 6)) * (3, 3, 1, 1, 1, 0):
        v1, z, _ = jump(0.0, q, v, *none, [], [], -1.0, [])
        lost = masses @ (v**2 - v1**2) / 2
        assert lost > -1e-12 and np.isclose(z[layout.books.start], lost, rtol=1e-7, atol=1e-12)
        if lost > 1e-6:
            struck += 1
            assert missed(masses, J, mu, e, v, v1) < 1e-3
    assert struck > 15


def test_lanes_strike_as_single_runs():
    """Native text is called for each lane by itself."""
    rng = np.random.default_rng(2)
    model = box(3, rng)[0]
    names = [f"fly.{x}" for x in ("wx", "wy", "wz", "vx", "vy", "vz")]
    starts = dict(zip(names, (rng.normal(size=(5, 6)) * (3, 3, 1, 1, 1, 0)).T, strict=True))
    batch = ts.batch(model, 0.2, {"fly.pz": 0.12, **starts}, keep=("fly.vx", "energy.dissipated"))
    for i in range(5):
        own = {k: float(x[i]) for k, x in starts.items()}
        run = ts.simulate(model, 0.2, {"fly.pz": 0.12, **own})
        for name in ("fly.vx", "energy.dissipated"):
            assert np.isclose(batch[name][i, -1], run[name][-1], rtol=1e-6, atol=1e-8), (i, name)


@pytest.mark.slow  # kernels of their own
@pytest.mark.parametrize(("feet", "seed", "end"), [(3, 0, 0.46), (3, 1, 0.3), (4, 0, 0.457)])
def test_derivatives_go_through_impacts_that_are_searched_for(feet, seed, end):
    """Tumbling boxes against differences of their runs."""
    rng = np.random.default_rng(seed)
    model = box(feet, rng)[0]
    names = [f"fly.{x}" for x in ("wx", "wy", "wz", "vx", "vy", "vz")]
    v = rng.normal(size=6) * (3, 3, 1, 1, 1, 0.3)
    q = np.array([1, *rng.normal(size=2) * 0.075, 0])
    q /= np.linalg.norm(q)
    start = {"fly.pz": 0.16, **dict(zip(names, map(float, v), strict=True))}
    start |= {f"fly.q{x}": float(y) for x, y in zip("wxyz", q, strict=True)}
    model = replace(model, initial=start, simulation={"t_end": end})
    s, name = model.check(), "b.mass"
    signals, grid = [*s.coordinates, *s.speeds], np.array([0.5, 0.9973]) * end
    run = ts.simulate(model, output=grid, sensitivities=name)
    others = Runs(model, (name,), (), {}, grid, signals)
    want = others.differences(name, 1e-5 * others.value(name))
    got = slopes(run, name, grid, signals)
    assert sum("lands" in e.name for e in run.events) > 2
    size = max(np.nanmax(abs(x)) for n, x in want.items() if n)
    for n, x in want.items():
        np.testing.assert_allclose(got[n], x, rtol=0, atol=1e-6 * (size if n else abs(x).max()))


def test_impulses_of_four_feet_that_slide_are_shared_by_compliances():
    """Speeds depend on it, and so do derivatives: found from any start, they are the same."""
    at = np.array([[1, 0, -1], [0, 1, -1], [-1.2, 0.1, -1], [0.1, -0.8, -1]]) * 0.1
    J = rows(at)[[0, 3, 6, 9, 1, 2, 4, 5, 7, 8, 10, 11]]
    G = J / np.array([0.01, 0.012, 0.016, 2, 2, 2]) @ J.T
    mu, m, c = np.array([0.2, 0.5, 0.3, 0.4]), 12, 4
    speed = J @ np.array([0.3, -0.2, 0.5, 1.0, 0.4, -0.5])
    words = np.array([0, m, c, 0, 0, *range(m), *(x for k in range(c) for x in (4 + 2 * k, 2, k))])
    block = np.concatenate([np.zeros(m), np.full(m, 1e-10 * G[0, 0]), G.ravel()])
    role = np.array([1.0] * 4 + [0.0] * 8)

    def called(name, p, size):
        given, out = np.concatenate([role, speed, np.zeros(m), mu, p]), np.zeros(size)
        f = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 5)(LIBRARY.code[name])
        f(words.ctypes.data, 0, block.ctypes.data, given.ctypes.data, out.ctypes.data)
        return out

    def struck(p):
        return called("solve_impact", p, 4 * m + 49 + 3 * m * (m + 3))

    p = struck(np.zeros(m))[:m]
    assert p[:4].min() > 0 and np.hypot(*(speed + G @ p)[4:].reshape(4, 2).T).min() > 1e-3
    other = struck(np.array([3.0, 0.1] * 6) * p.max())[:m]
    assert np.allclose(other, p, atol=1e-8 * p.max())
    found = called("linearize_impact", p, 2 + 8 * m + 4 * m * m)
    assert found[0] == 0 and found[2 : 2 + m].tolist() == [1.0] * 4 + [3.0] * 8
    lean = struck(np.zeros(m))[:m] + 0.01 * p.max() * np.array([1, -1, 1, -1] + [0] * 8)
    assert called("linearize_impact", lean, 2 + 8 * m + 4 * m * m)[0] == 1  # shared by chance
