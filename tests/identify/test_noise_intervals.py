"""Noise behind the low pass, of efforts and of coordinates: three sigma cover."""

import itertools

import numpy as np
import pytest
from test_robot_identification import branches, puma560
from test_robot_types import scara

import torseur as ts
from torseur.identify import base, linear, robot
from torseur.identify.robots.data import samples
from torseur.identify.robots.errors_in_variables import acceleration_noise_variance

FRICTION = ("viscous", "offset")


class Measured:
    """A motion of 10 s, its efforts, and the base parameters that made them."""

    def __init__(self, model: ts.Model, rng: np.random.Generator, friction=FRICTION, width=0.0):
        self.model, self.rng, self.time = model, rng, np.arange(0, 10, 5e-3)
        self.friction, lin = friction, linear(model, friction)
        lin.nonlinear.update({("coulomb", i): width for i in range(lin.system.nv)})
        nv, p = lin.system.nv, lin.values()
        w, size = rng.uniform(0.6, 3, (4, nv)), rng.uniform(0.1, 0.4, (4, nv))
        turn = w * self.time[:, None, None] + rng.uniform(0, 6, (4, nv))
        waves = (np.sin(turn), w * np.cos(turn), -(w**2) * np.sin(turn))
        self.motion = [(size * x).sum(axis=1) for x in waves]
        self.q, v, a = self.motion
        own = {"viscous": rng.uniform(0.2, 1, nv), "offset": rng.uniform(-0.4, 0.4, nv)}
        own["rotor"] = rng.uniform(0.02, 0.1, nv)
        if "coulomb" in friction:
            own["coulomb"] = rng.uniform(0.5, 2, nv)
        for c, (_, _, kind, i) in enumerate(lin.columns):
            if kind in own:
                p[c] += own[kind][i]
        self.want, self.tau = base(lin).values(p), lin.regressor(self.q, v, a) @ p
        load = np.sqrt((self.tau**2).mean(axis=0))
        self.noise = 0.05 * np.sqrt(load * load.mean())

    def fit(self, still: float = 0.0, **more):
        """From efforts with noise of 5 %, and coordinates with this one [rad or m]."""
        how = {"friction": self.friction, "consistent": False} | more
        noise = self.rng.normal(size=(2, *self.q.shape))
        data = (self.time, self.q + still * noise[0], self.tau + self.noise * noise[1])
        return robot(self.model, data, **how)

    def off(self, found) -> np.ndarray:
        """Errors of the base parameters in sigmas."""
        return (found.estimate.beta - self.want) / np.array(list(found.sigma.values()))


def test_intervals_cover_through_the_low_pass_whatever_sizes_are_usual():
    """Links heavier and wider than usual, offsets larger: what a prior pulls is in the sigmas."""
    case, z = Measured(puma560(), np.random.default_rng(21)), []
    for _ in range(2):
        found = case.fit()
        assert not found.springs and not found.compliances and {*found.gains.values()} == {1.0}
        z.append(case.off(found))
    assert np.mean(np.abs(z) <= 3) > 0.98 and 0.88 < np.sqrt(np.mean(np.square(z))) < 1.12


def test_noise_of_coordinates_does_not_make_inertias_smaller():
    """A millimeter and a milliradian, differentiated twice: without ID.29 30 sigma too small."""
    case = Measured(scara(), np.random.default_rng(7))
    z = [case.off(case.fit(1e-3)) for _ in range(5)]
    assert np.abs(np.mean(z, axis=0)).max() < 2 and np.mean(np.abs(z) <= 3) > 0.97
    assert np.std(z) > 0.6


@pytest.mark.parametrize("width", [0.03, 0.15])
def test_dry_friction_behind_the_low_pass_is_within_its_sigmas(width):
    """A usual width and one that is not: efforts are filtered and so is their friction (ID.27),
    and what a width that is not usual is pulled is in the sigmas."""
    friction = ("coulomb", "viscous", "offset")
    case = Measured(scara(), np.random.default_rng(7), friction, width)
    case.noise *= 0.4
    found = [case.fit() for _ in range(2)]
    z = np.array([case.off(f) for f in found])
    mine = [i for i, n in enumerate(found[0].groups.names) if n.endswith(("coulomb", "viscous"))]
    assert np.abs(z[:, mine]).max() < 3.5 and 0.6 < np.sqrt((z[:, mine] ** 2).mean()) < 1.15


def test_without_a_prior_sigmas_are_those_of_the_noise():
    """Of friction with a width that is found they were a third too small."""
    case = Measured(branches(), np.random.default_rng(7), ("coulomb", "viscous", "offset"), 0.1)
    z = np.array([case.off(case.fit(prior=None)) for _ in range(2)])
    names = base(linear(case.model, case.friction)).names
    mine = [i for i, n in enumerate(names) if n.endswith(("coulomb", "viscous"))]
    assert 0.7 < np.sqrt((z**2).mean()) < 1.1 and 0.6 < np.sqrt((z[:, mine] ** 2).mean()) < 1.2


@pytest.mark.parametrize("method", ["balanced", "ols", "irls"])
def test_intervals_cover_where_states_are_given_whatever_sizes_are_usual(method):
    """Links three times larger than usual: three sigma covered 75 to 90 % of their parameters."""
    case, rng = Measured(puma560(), np.random.default_rng(7)), np.random.default_rng(3)
    (q, v, a), tau = (x[::8] for x in case.motion), case.tau[::8]
    how = {"friction": FRICTION, "method": method, "consistent": False}
    z = []
    for _ in range(3):
        noisy = tau + case.noise * rng.normal(size=tau.shape)
        z.append(case.off(robot(case.model, (q, v, a, noisy), **how)))
    assert np.mean(np.abs(z) <= 3) > 0.98 and 0.5 < np.sqrt(np.mean(np.square(z))) < 1.2


def test_widths_of_friction_are_in_the_sigmas_where_states_are_given():
    friction = ("coulomb", "viscous", "offset")
    case = Measured(branches(), np.random.default_rng(7), friction, 0.15)
    case.noise, rng = 0.2 * case.noise, np.random.default_rng(3)
    (q, v, a), tau, z = (x[::2] for x in case.motion), case.tau[::2], []
    for _ in range(4):
        noisy = tau + case.noise * rng.normal(size=tau.shape)
        found = robot(case.model, (q, v, a, noisy), friction=friction, consistent=False)
        mine = [i for i, n in enumerate(found.base) if n.endswith(("coulomb", "viscous"))]
        z.append(case.off(found)[mine])
    assert np.abs(z).max() < 3 and 0.6 < np.sqrt(np.mean(np.square(z))) < 1.2


@pytest.mark.parametrize("make", [scara, puma560])
def test_sigmas_of_instruments_count_the_prior_and_what_joints_share(make):
    """Noise of one acceleration is in the efforts of all joints, and what little the motion tells
    is drawn to zero: both were in no sigma."""
    case, rng = Measured(make(), np.random.default_rng(7)), np.random.default_rng(3)
    (q, v, a), tau = (x[::8] for x in case.motion), case.tau[::8]
    how = {"friction": FRICTION, "method": "iv", "instruments": (q, v, a), "consistent": False}
    z = []
    for _ in range(6):
        noisy = tau + case.noise * rng.normal(size=tau.shape)
        found = robot(case.model, (q, v, a + 0.4 * rng.normal(size=a.shape), noisy), **how)
        z.append(case.off(found))
    assert np.mean(np.abs(z) <= 3) > 0.98 and 0.5 < np.sqrt(np.mean(np.square(z))) < 1.15


def odd(seed: int) -> ts.Model:
    """Four joints and bodies with inertias that no distribution of mass has."""
    rng, names = np.random.default_rng(seed), ["world", "b0", "b1", "b2", "b3"]
    bodies, joints = [], []
    for a, b in itertools.pairwise(names):
        com, J = rng.uniform(-0.4, 0.4, 3), rng.uniform(0.001, 0.3, 3) ** rng.choice([1, 3])
        bodies.append(ts.Body(b, mass=rng.uniform(0.5, 5), com=com, inertia=(*J, 0, 0, 0)))
        axis = ts.Revolute(rng.choice([*"xyz"]))
        joints.append(ts.Joint(f"j{b}", a, b, axis, at=rng.uniform(-0.4, 0.4, 3)))
    return ts.Model("odd", bodies=bodies, joints=joints)


@pytest.mark.parametrize("seed, strained, most", [(18, True, 60), (26, False, 10)])
def test_inertias_that_nothing_has_make_no_masses_of_half_a_ton(seed, strained, most):
    """A first moment in a link of little inertia asked for 416 and 64 kg instead of four; that
    consistent parameters leave more than others is told."""
    found = Measured(odd(seed), np.random.default_rng(7)).fit(consistent=True)
    assert max(x for n, x in found.parameters.items() if n.endswith(".m")) < most
    assert bool(found.strained) == strained == ("no distribution of mass" in str(found))
    assert found.errors().max() < 0.08


def test_a_smooth_motion_has_no_noise():
    """Sixth differences of 1 Hz at 100 Hz leave nothing, and nothing is taken off."""
    t = np.arange(0, 4, 0.01)
    q = 0.5 * np.sin(2 * np.pi * t)[:, None] * np.ones(4)
    seen = samples(linear(scara(), FRICTION).system, (t, q, 0 * q))
    assert (seen.q_noise < 1e-7).all() and acceleration_noise_variance(
        seen, np.linspace(0, 12, 50)
    ) is None
    rough = q + 1e-3 * np.random.default_rng(0).normal(size=q.shape)
    again = samples(linear(scara(), FRICTION).system, (t, rough, 0 * q))
    np.testing.assert_allclose(again.q_noise, 1e-3, rtol=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("make", [branches, puma560, scara])
@pytest.mark.parametrize("still", [0.0, 2e-4])
def test_three_sigma_cover_in_a_thousand_repeats(make, still):
    """99 to 99.9 %, averaged over the parameters."""
    case = Measured(make(), np.random.default_rng(7))
    inside = [np.abs(case.off(case.fit(still))) <= 3 for _ in range(1000)]
    assert 0.99 <= np.mean(inside) <= 0.999
