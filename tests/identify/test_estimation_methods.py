"""Stated sigmas of every method are those of its errors, behind the low pass and from states."""

import numpy as np
import pytest
from test_noise_intervals import FRICTION, Measured
from test_robot_identification import solid
from test_robot_types import scara

import torseur as ts
from torseur.identify import robot
from torseur.identify.robots.least_squares import WEIGHT_EXPONENTS


def drawn(seed: int) -> ts.Model:
    """A tree of four joints, hinges and sliders."""
    rng, names = np.random.default_rng(seed), ["world", "b0", "b1", "b2", "b3"]
    joints = []
    for i in range(1, 5):
        axis, parent = rng.choice([*"xyz"]), names[i - 1 if rng.uniform() < 0.8 else 0]
        kind = ts.Prismatic(axis) if rng.uniform() < 0.25 else ts.Revolute(axis)
        at = tuple(rng.uniform(-0.4, 0.4, 3))
        joints.append(ts.Joint(f"j{i}", parent, names[i], kind, at=at))
    return ts.Model("drawn", bodies=[solid(n, rng) for n in names[1:]], joints=joints)


def off_by(case: Measured, method: str, filtered: bool) -> np.ndarray:
    """Errors in sigmas of one fit by a method, behind the low pass or from states."""
    how = {"friction": case.friction, "consistent": False, "method": method}
    at = slice(0, 1200, 2) if filtered else slice(0, None, 8)
    tau = (case.tau + case.noise * case.rng.normal(size=case.tau.shape))[at]
    motion = (case.time[at], case.q[at]) if filtered else tuple(x[at] for x in case.motion)
    how |= {"instruments": motion} if method == "iv" else {}
    return case.off(robot(case.model, (*motion, tau), **how))


@pytest.mark.parametrize("filtered", [True, False], ids=["filtered", "states"])
@pytest.mark.parametrize("method", WEIGHT_EXPONENTS)
def test_sigmas_of_every_method_are_those_of_its_errors(method, filtered):
    """Widths of friction and the bias of total least squares included."""
    case = Measured(drawn(1), np.random.default_rng(7), (*FRICTION, "coulomb"), 0.05)
    z = np.array([off_by(case, method, filtered) for _ in range(2)])
    assert np.mean(np.abs(z) <= 3) > 0.97 and 0.6 < np.sqrt((z**2).mean()) < 1.25


@pytest.mark.parametrize("method", ["ols", "wls", "irls", "tls"])
def test_what_noise_of_coordinates_takes_off_is_counted(method):
    """A milliradian, differentiated twice: rotors were five sigma too small."""
    case = Measured(scara(), np.random.default_rng(7))
    z = case.off(case.fit(1e-3, method=method))
    assert np.abs(z).max() < 3.5 and 0.3 < np.sqrt((z**2).mean()) < 1.5


@pytest.mark.slow
@pytest.mark.parametrize("filtered", [True, False], ids=["filtered", "states"])
@pytest.mark.parametrize("method", WEIGHT_EXPONENTS)
def test_three_sigma_of_every_method_cover(method, filtered):
    """99 to 99.9 % of the parameters of five robots."""
    inside = []
    for seed in range(5):
        case = Measured(drawn(seed), np.random.default_rng(7), (*FRICTION, "coulomb"), 0.05)
        inside += [np.mean(np.abs(off_by(case, method, filtered)) <= 3) for _ in range(200)]
    assert 0.99 <= np.mean(inside) <= 0.999
