"""Impacts of a body on several feet obey Newton's and Coulomb's laws: by a certificate of its own.

Speeds after an impact say what each foot may have given: nothing where it leaves, friction against
its slip where it slides, anything in its cone where it sticks.  Least squares of numbers that are
not negative tell whether such impulses make up the change of momentum.
"""

import numpy as np
import pytest
from scipy.optimize import nnls
from zoo import few

import torseur as ts
from torseur.quantities.motion import MotionKernels

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


@pytest.mark.slow  # its derivatives are ten seconds of compiling
def test_derivatives_of_an_impact_that_is_searched_for_are_refused():
    """Three feet that slide in directions of their own: the differentiated text has no search."""
    rng = np.random.default_rng(0)
    model = box(3, rng)[0]
    names = [f"fly.{x}" for x in ("wx", "wy", "wz", "vx", "vy", "vz")]
    told, told_later = [], []
    for v in rng.normal(size=(6, 6)) * (3, 3, 1, 1, 1, 0):
        start = {"fly.pz": 0.1, **dict(zip(names, map(float, v), strict=True))}
        run = ts.simulate(model, 1e-4, start, sensitivities="b.mass")
        plain = ts.simulate(model, 1e-4, start)
        assert run.completed or "no derivatives" in run.outcome, run.outcome
        if run.completed:
            assert np.isclose(run["fly.vx"][-1], plain["fly.vx"][-1], atol=1e-4)
        told.append(run.completed)
        later = ts.simulate(model, 2e-3, start | {"fly.pz": 0.1001}, sensitivities="b.mass")
        assert later.completed or "no derivatives" in later.outcome, later.outcome
        told_later.append(later.completed)
    assert any(told) and not all(told) and not all(told_later)
