"""Exciting motions and geometric calibration."""

import numpy as np
import pytest
from test_identify_robot import branches, puma560

import torseur as ts
from torseur.identify import calibrate, exciting, robot


@pytest.mark.parametrize("kind", ["fourier", "spline"])
def test_an_exciting_motion_keeps_limits_and_gets_better(kind):
    model = branches()
    found = exciting(
        model, 5.0, kind=kind, terms=3, samples=60, iterations=4, max_speed=0.8, limits=(-0.7, 0.9)
    )
    assert found.condition < found.started
    assert abs(found.v).max() <= 0.8 * 1.02
    assert found.q.max() <= 0.9 * 1.02 and found.q.min() >= -0.7 * 1.02
    step = found.time[1]
    np.testing.assert_allclose(np.gradient(found.q, step, axis=0)[2:-2], found.v[2:-2], atol=0.03)
    if kind == "spline":
        assert abs(found.v[[0, -1]]).max() < 1e-9 and abs(found.a[[0, -1]]).max() < 1e-9
    tau = ts.compile(model).inverse_dynamics(found.q, found.v, found.a)
    rigid = robot(model, (found.q, found.v, found.a, tau), friction="viscous", consistent=False)
    assert rigid.errors().max() < 1e-9


DH = ("alpha", "d", "theta", "r")


def table():
    rows = [(0, 0, 0, 0.333), ("-pi/2", 0.01, 0, 0), ("pi/2", 0, 0, 0.316), ("pi/2", 0.0825, 0, 0)]
    return ts.DHTable(rows, "modified")


def measured(off, n=40, noise=0.0):
    q = np.random.default_rng(1).uniform(-2, 2, (n, 4))
    rows = [
        ts.DH(*(f"({getattr(r, k)}) + ({off.get(f'{k}{i}', 0.0)!r})" for k in DH))
        for i, r in enumerate(table().rows, 1)
    ]
    links = [ts.Body(f"link{i}", 1.0, inertia=(1, 1, 1, 0, 0, 0)) for i in range(4)]
    T = ts.compile(ts.from_dh(rows, links, convention="modified")).pose("link3", q)
    T[:, :3, 3] += noise * np.random.default_rng(2).normal(size=(n, 3))
    return q, T


def test_calibration_finds_what_poses_show():
    off = {"d2": 0.003, "alpha3": -0.01, "r3": 0.002, "theta4": 0.02, "d4": -0.001}
    q, T = measured(off)
    found = calibrate(table(), q, T)
    assert found.residual[0] > 1e-3 and found.residual[1] < 1e-10
    some = calibrate(table(), q, T, free=tuple(off))
    assert some.hidden == () and 0 < some.observability < 1
    for name, x in off.items():
        assert some.corrections[name] == pytest.approx(x, abs=1e-9)


def test_positions_alone_hide_what_turns_about_the_last_frame():
    q, T = measured({"d2": 0.003})
    found = calibrate(table(), q, T[:, :3, 3], free=("d2", "theta4"))
    assert found.hidden == (("theta4",),)
    assert found.corrections["d2"] == pytest.approx(0.003, abs=1e-9)
    assert "acts with others only" in str(found.rows())


def test_noise_and_messages():
    off = {"d2": 0.003, "r3": 0.002}
    q, T = measured(off, noise=1e-4)
    found = calibrate(table(), q, T[:, :3, 3], free=tuple(off))
    for name, x in off.items():
        assert abs(found.corrections[name] - x) < 4 * found.sigma[name]
    with pytest.raises(ts.TorseurError, match="free has 'd9'"):
        calibrate(table(), q, T, free=("d9",))
    with pytest.raises(ts.TorseurError, match="criterion='best'"):
        exciting(puma560(), 3.0, criterion="best")
