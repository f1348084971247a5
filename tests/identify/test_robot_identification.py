"""Identification of robots: regressor, base parameters, estimates, intervals, consistency, data."""

import gzip
import importlib
import re
import sys
from pathlib import Path

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.errors import ModelWarning
from torseur.identify import base, exact_base, linear, robot
from torseur.identify.robots.base_parameters import random_states
from torseur.identify.robots.data import samples

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
ROBOTS = importlib.import_module("equations_robots")
FRICTION = ("coulomb", "viscous", "offset")


def solid(name, rng):
    return zoo.body(name, rng)


def puma560() -> ts.Model:
    rng = np.random.default_rng(3)
    rows = [
        (0, 0, 0, 0),
        ("-pi/2", 0, 0, 0),
        (0, 0.4318, 0, 0.15),
        ("-pi/2", 0.02, 0, 0.4318),
        ("pi/2", 0, 0, 0),
        ("-pi/2", 0, 0, 0),
    ]
    return ts.from_dh(rows, [solid(f"link{i + 1}", rng) for i in range(6)], convention="modified")


def iiwa() -> ts.Model:
    rng = np.random.default_rng(4)
    rows = [
        (0, 0, 0, 0.36),
        ("-pi/2", 0, 0, 0),
        ("pi/2", 0, 0, 0.42),
        ("pi/2", 0, 0, 0),
        ("-pi/2", 0, 0, 0.4),
        ("-pi/2", 0, 0, 0),
        ("pi/2", 0, 0, 0.126),
    ]
    return ts.from_dh(rows, [solid(f"link{i + 1}", rng) for i in range(7)], convention="modified")


def branches() -> ts.Model:
    """A tree with sliders: a gantry that carries a slider with a wrist, and a hinge."""
    rng = np.random.default_rng(5)
    return ts.Model(
        "gantry",
        bodies=[solid(n, rng) for n in "abcde"],
        joints=(
            ts.Joint("rail", "world", "a", ts.Prismatic("x")),
            ts.Joint("lift", "a", "b", ts.Prismatic("z"), at=(0.1, 0.2, 0)),
            ts.Joint("wrist", "b", "c", ts.Revolute("x"), at=(0, 0, 0.3), rpy=(0.3, 0, 0.2)),
            ts.Joint("hinge", "a", "d", ts.Revolute("y"), at=(0, -0.3, 0.1)),
            ts.Joint("ram", "d", "e", ts.Prismatic((1, 2, 0)), at=(0, 0, 0.2)),
        ),
    )


def measured(model, rng, n=400, noise=0.0, width=0.0):
    """States, and efforts with friction and rotors, from the model's own inverse dynamics."""
    s = model.check()
    q, v, a = random_states(s, n, seed=9)
    F = rng.uniform(0.2, 1, (4, s.nv))
    rub = np.sign(v) if not width else np.tanh(v / width)
    tau = ts.compile(s).inverse_dynamics(q, v, a)
    tau = tau + F[0] * rub + F[1] * v + F[2] - 0.5 + F[3] * a
    return (q, v, a, tau + noise * rng.normal(size=tau.shape)), F


def truth(model, F):
    lin = linear(model, FRICTION)
    p = lin.values()
    for c, (_, _, kind, i) in enumerate(lin.columns):
        if kind != "inertia":
            row = {"coulomb": 0, "viscous": 1, "offset": 2, "rotor": 3}[kind]
            p[c] = F[row, i] - (0.5 if kind == "offset" else 0)
    return base(lin).values(p)


@pytest.mark.parametrize(
    "make, width",
    zoo.few(
        [(puma560, 0.0), (iiwa, 0.0), (branches, 0.0), (branches, 0.013)],
        (puma560, 0.0),
        (branches, 0.013),
    ),
)
def test_noise_free_data_give_the_base_parameters(make, width):
    model = make()
    data, F = measured(model, np.random.default_rng(1), width=width)
    found = robot(model, data, friction=FRICTION, consistent=False)
    want = truth(model, F)
    np.testing.assert_allclose(list(found.base.values()), want, rtol=0, atol=1e-9 * abs(want).max())


@pytest.mark.parametrize("make", [puma560, iiwa, branches])
def test_the_regressor_is_the_effort(make):
    """Against the compiled inverse dynamics, which groups its parameters another way."""
    model = make()
    lin = linear(model, friction=())
    q, v, a = random_states(lin.system, 7)
    zoo.close(
        lin.regressor(q, v, a) @ lin.values(), ts.compile(model).inverse_dynamics(q, v, a), 1e4
    )


def test_numbers_of_base_parameters():
    """15 for the PUMA's first three axes, 36 for six (literature); 43 for a 7R arm."""
    rows = [(0, 0, 0, 0), ("pi/2", 0, 0, 0), (0, 0.5, 0, 0)]
    three = ts.from_dh(
        rows,
        [ts.Body(f"l{i}", mass=1, com=(0.1, 0.2, 0.3)) for i in range(3)],
        convention="modified",
    )
    assert len(base(three, friction=(), rotors=False)) == 15
    assert len(base(three, friction=(), rotors=False).unidentifiable) == 11
    assert len(base(puma560(), friction=(), rotors=False)) == 36
    assert len(base(iiwa(), friction=(), rotors=False)) == 43


def test_exact_combinations_with_rotors_and_friction():
    got = exact_base(ROBOTS.puma3(), friction=FRICTION)
    assert got["link1.Izz"] == ("link1.Izz + link2.Iyy + d3^2 link3.m + link3.Iyy + joint1.rotor")
    assert got["joint2.viscous"] == "joint2.viscous" and len(got) == 15 + 1 + 9
    slide = ts.Model(
        bodies=(ts.Body("cart", mass="m"),),
        parameters={"m": 1.0},
        joints=(ts.Joint("lift", "world", "cart", ts.Prismatic("z")),),
    )
    exact = exact_base(slide, friction=("offset", "viscous"))
    assert exact["cart.m"] == "cart.m + 100/981 lift.offset"  # a weight is a constant effort
    numeric = base(slide, friction=("offset", "viscous"))
    assert set(numeric.names) == set(exact)


@pytest.mark.parametrize("make", [puma560, branches])
def test_exact_and_numeric_combinations_agree(make):
    model = make()
    assert set(exact_base(model)) == set(base(model).names)


def test_a_filter_knows_the_ends():
    """A window filtered alone is the filtered record, up to half a period of its ends."""
    from torseur import signal_processing as filtering

    t = np.arange(0, 6, 1e-3)
    x = np.stack([np.sin(2 * np.pi * 0.7 * t) + 0.3 * np.sin(2 * np.pi * 2.3 * t + 1)], axis=1)
    whole, own = filtering.low_pass(x, 1e-3, 10.0), slice(1234, 4321)
    part = filtering.low_pass(x[own], 1e-3, 10.0)
    a, b = (
        filtering.differentiate(filtering.differentiate(y, 1e-3), 1e-3) for y in (whole[own], part)
    )
    inner = slice(50, -50)
    assert abs((part - whole[own])[inner]).max() < 2e-3 * abs(whole).max()
    assert abs((b - a)[inner]).max() < 0.2 * abs(a).max()
    assert abs((b - a)[200:-200]).max() < 5e-3 * abs(a).max()


@pytest.mark.parametrize("rows", [9, 30, 90, 130, 190, 230, 290, 340])
def test_ends_of_a_short_piece_do_not_run_away(rows):
    """Noise about a slope: a high degree through few rows, continued, is many times the noise."""
    from torseur import signal_processing as filtering

    draw = np.random.default_rng(rows)
    x = 0.01 * np.arange(rows)[:, None] + draw.normal(size=(rows, 40))
    off = filtering.low_pass(x, 1e-3, 10.0) - 0.01 * np.arange(rows)[:, None]
    assert np.sqrt((off**2).mean()) < 1.0


def test_intervals_cover():
    """3 sigma cover nearly always, averaged over the parameters, in ten repeats."""
    model, rng = branches(), np.random.default_rng(2)
    (q, v, a, tau), F = measured(model, rng, n=150, width=0.05)
    want = truth(model, F)
    inside = []
    for _ in range(10):
        noisy = tau + rng.normal(size=tau.shape) * [0.5, 1.0, 0.2, 0.3, 0.8]
        found = robot(model, (q, v, a, noisy), consistent=False)
        sigma = np.array(list(found.sigma.values()))
        inside.append(abs(found.estimate.beta - want) <= 3 * sigma)
    assert 0.98 <= np.mean(inside) <= 1.0


def test_consistent_parameters_make_a_model_that_predicts_and_simulates():
    model, rng = puma560(), np.random.default_rng(6)
    (q, v, a, tau), _ = measured(model, rng, noise=0.5, width=0.05)
    found = robot(model, (q, v, a, tau))
    for body in found.model.bodies:
        P = found.body(body.name).pseudo().astype(float)
        assert np.linalg.eigvalsh(P)[0] > 0
    assert all(
        x >= -1e-9
        for n, x in found.parameters.items()
        if n.endswith((".rotor", ".coulomb", ".viscous"))
    )
    dyn = ts.compile(found.model)
    again = dyn.inverse_dynamics(q, v, a, forces=True)
    zoo.close(again, found.predict(q, v, a), 1e5)
    run = ts.simulate(found.model, 0.05)
    assert run.completed


def test_the_gain_of_a_sensor_is_found_and_the_model_has_the_efforts_that_act():
    """The third sensor says 1.1 of its effort: its gain comes out, and no other; ID.20."""
    model, rng = puma560(), np.random.default_rng(12)
    t, w = np.linspace(0, 12, 600)[:, None, None], rng.uniform(0.5, 4, (3, 6))
    turn, size = w * t + rng.uniform(0, 6, (3, 6)), rng.uniform(0.1, 0.5, (3, 6))
    q, v, a = (
        (size * x).sum(axis=1) for x in (np.sin(turn), w * np.cos(turn), -(w**2) * np.sin(turn))
    )
    tau = ts.compile(model).inverse_dynamics(q, v, a) + 2.0 * v
    noise, true = rng.normal(size=tau.shape), np.array([1, 1, 1.1, 1, 1, 1])
    data, how = (q, v, a, true * tau + 0.02 * noise), {"friction": "viscous"}
    found = robot(model, data, consistent=False, **how)
    names = list(found.gains)
    np.testing.assert_allclose(list(found.gains.values()), true, atol=0.02)
    assert "gains of sensors: joint3 1.1" in str(found) and (found.errors() < 0.005).all()
    left = robot(model, data, consistent=False, gains=False, **how)
    assert set(left.gains.values()) == {1.0} and (left.errors() < 0.05).all()
    assert (left.errors() > 2 * found.errors()).all()
    physical = robot(model, data, **how)
    acts = ts.compile(physical.model).inverse_dynamics(q, v, a, forces=True)
    zoo.close(acts * [physical.gains[n] for n in names], physical.predict(q, v, a), 1e5)
    white = robot(model, (q, v, a, tau + noise), consistent=False, **how)
    assert set(white.gains.values()) == {1.0}


@pytest.mark.parametrize("seed", [100, 101, 103])
def test_noise_behind_a_low_pass_calls_for_no_gain(seed):
    """Memory of filtered noise is long by chance: a gain of 1.65, inertias 40 % off with it."""
    draw = np.random.default_rng(3)
    bodies = [solid(f"link{i + 1}", draw) for i in range(3)]
    rows = [(0, 0, 0, 0.3), ("pi/2", 0.2, 0, 0), (0, 0.3, 0, 0)]
    arm = ts.from_dh(rows, bodies, convention="modified")
    t, w = np.arange(0, 10, 0.002)[:, None, None], 0.2 * np.pi * np.arange(1, 5)[:, None]
    size, turn = draw.normal(size=(4, 3)), draw.uniform(0, 6, size=(4, 3))
    q, v, a = (
        (size * x).sum(axis=1)
        for x in (np.sin(w * t + turn), w * np.cos(w * t + turn), -(w**2) * np.sin(w * t + turn))
    )
    tau = ts.compile(arm).inverse_dynamics(q, v, a) + [3.0, 2, 1] * np.tanh(v / 0.02) + 0.5 * v
    rng = np.random.default_rng(seed)
    noisy = tau + rng.normal(size=tau.shape) * [0.3, 0.3, 0.1]
    found = robot(arm, (t[:, 0, 0], q + 1e-5 * rng.normal(size=q.shape), noisy), consistent=False)
    assert set(found.gains.values()) == {1.0} and not found.springs and not found.compliances


def test_a_spring_and_a_soft_drive_are_found_where_a_motion_shows_them():
    """A hose at the third joint; links that shake behind the second drive, 5 Hz: ID.22, ID.23."""
    model, rng = puma560(), np.random.default_rng(12)
    t, w = np.arange(0, 12, 4e-3), rng.uniform(0.5, 4, (3, 6))
    turn, size = w * t[:, None, None] + rng.uniform(0, 6, (3, 6)), rng.uniform(0.1, 0.5, (3, 6))
    q, v, a = (
        (size * x).sum(axis=1) for x in (np.sin(turn), w * np.cos(turn), -(w**2) * np.sin(turn))
    )
    efforts, fast = ts.compile(model).inverse_dynamics, 2 * np.pi * 5
    shaken = [x.copy() for x in (q, v, a)]
    for x, shape in zip(shaken, (np.sin, lambda x: fast * np.cos(x), None), strict=True):
        x[:, 1] += 1e-3 * (shape(fast * t) if shape else -(fast**2) * np.sin(fast * t))
    calm, tau, hose = efforts(q, v, a), efforts(*shaken), np.array([0, 0, 3.0, 0, 0, 0])
    coder = shaken[0].copy()  # before the soft drive
    coder[:, 1] += 2e-5 * (tau - calm)[:, 1]
    said = tau + 2 * v + hose * q + 0.05 * rng.normal(size=tau.shape)
    found, rigid = (
        robot(model, (t, coder, said), friction=("viscous", "offset"), consistent=False, gains=x)
        for x in (True, False)
    )
    assert not rigid.springs and not rigid.compliances
    assert max(found.springs, key=found.springs.__getitem__) == "joint3"
    assert found.springs["joint3"] == pytest.approx(3.0, rel=0.25)
    assert found.compliances["joint2"] == pytest.approx(2e-5, rel=0.05)
    off, more = (
        np.sqrt(((x.predict(q, v, a) - calm - 2 * v - hose * q) ** 2).mean(axis=0))
        for x in (found, rigid)
    )
    assert (off[1:3] < 0.4 * more[1:3]).all() and (off < 1.05 * more).all() and off[0] < 0.04
    physical = robot(model, (t, coder, said), friction=("viscous", "offset"))
    few = slice(0, None, 100)
    acts = ts.compile(physical.model).inverse_dynamics(q[few], v[few], a[few], forces=True)
    gains = [physical.gains[n] for n in physical.gains]
    zoo.close(acts * gains, physical.predict(q[few], v[few], a[few]), 1e5)


def test_validation_goes_through_the_filter_of_the_fit():
    model = branches()
    t, q, v, a, _ = turning(4000, 0.002)
    tau = ts.compile(model).inverse_dynamics(q, v, a)
    tau = tau + 0.5 * np.sin(2 * np.pi * 15 * t)[:, None]  # a low pass at 10 Hz would take it
    data = {"time": t, "q": q, "tau": tau}
    found = robot(model, data, friction=(), consistent=False, cutoff=30.0)
    np.testing.assert_allclose(found.errors(data), found.errors(), rtol=1e-12)


@pytest.mark.parametrize("method", ["ols", "wls", "irls", "tls"])
def test_every_method_finds_the_parameters_within_their_intervals(method):
    model, rng = branches(), np.random.default_rng(8)
    data, F = measured(model, rng, n=600, noise=0.05, width=0.05)
    found = robot(model, data, method=method, consistent=False)
    sigma = np.array(list(found.sigma.values()))
    assert np.mean(abs(found.estimate.beta - truth(model, F)) <= 4 * sigma) >= 0.95


def test_outliers_do_less_harm_to_irls():
    model, rng = branches(), np.random.default_rng(8)
    (q, v, a, tau), F = measured(model, rng, n=400, noise=0.05, width=0.05)
    tau[rng.random(tau.shape) < 0.03] += 30
    want = truth(model, F)
    off = {
        m: np.linalg.norm(
            robot(model, (q, v, a, tau), method=m, consistent=False).estimate.beta - want
        )
        for m in ("wls", "irls")
    }
    assert off["irls"] < 0.4 * off["wls"]


@pytest.mark.parametrize("friction", [("stribeck", "coulomb"), ("square",), ("load", "viscous")])
def test_friction_models_are_found(friction):
    model = branches()
    s = model.check()
    q, v, a = random_states(s, 500, seed=4)
    rigid = ts.compile(s).inverse_dynamics(q, v, a)
    shape = {
        "stribeck": 0.4 * np.tanh(10 * v / 0.2) * np.exp(-((v / 0.2) ** 2)),
        "coulomb": 0.8 * np.tanh(v / 0.02),
        "square": 0.3 * v * abs(v),
        "viscous": 0.5 * v,
        "load": 0.05 * abs(rigid) * np.sign(v),
    }
    tau = rigid + sum(shape[n] for n in friction)
    found = robot(model, (q, v, a, tau), friction=friction, rotors=False, consistent=False)
    assert found.errors().max() < (1e-6 if "load" in friction else 1e-8)
    want = {"stribeck": 0.4, "coulomb": 0.8, "square": 0.3, "viscous": 0.5, "load": 0.05}
    for n in friction:
        assert found.parameters[f"hinge.{n}"] == pytest.approx(want[n], rel=1e-4)


def test_essential_parameters_leave_out_what_is_not_there():
    model = puma560()
    (q, v, a, tau), _ = measured(model, np.random.default_rng(1), noise=0.3, width=0.05)
    found = robot(model, (q, v, a, tau - 0.0), consistent=False)
    assert 30 < len(found.essential) < len(found.base)
    assert "joint1.coulomb" in found.essential


def turning(n=1500, dt=0.004):
    """A motion of the gantry with turns, and friction that builds up over 3 mm or mrad."""
    t = np.arange(n) * dt
    w = np.array([1.1, 1.7, 2.3, 1.4, 2.9])
    q, v, a = np.sin(w * t[:, None]), w * np.cos(w * t[:, None]), -(w**2) * np.sin(w * t[:, None])
    z = np.empty_like(q)
    z[0] = 1.0
    for k in range(1, n):  # Dahl, step by step
        d = q[k] - q[k - 1]
        z[k] = np.sign(d) + (z[k - 1] - np.sign(d)) * np.exp(-abs(d) / 3e-3)
    return t, q, v, a, z


def test_friction_that_builds_up_after_turns_is_found_predicted_and_simulated():
    model, F = branches(), np.array([3.0, 5.0, 0.4, 0.6, 2.0])
    t, q, v, a, z = turning()
    tau = ts.compile(model).inverse_dynamics(q, v, a) + F * z
    found = robot(model, (t, q, v, a, tau), friction=FRICTION)
    names = [f"{n}.coulomb" for _, n, _ in found.lin.speeds]
    np.testing.assert_allclose([found.friction_parameters[n] for n in names], 3e-3, rtol=1e-3)
    np.testing.assert_allclose([found.base[n] for n in names], F, rtol=1e-3)
    np.testing.assert_allclose(found.predict(q, v, a), tau, atol=1e-4 * abs(tau).max())
    order = np.random.default_rng(0).permutation(len(t))  # no motion: steady sliding
    said = found.predict(q[order], v[order], a[order])
    fast = (abs(v[order]) > 0.8).all(axis=1)
    np.testing.assert_allclose(said[fast], tau[order][fast], atol=0.02)
    assert {type(f.law).__name__ for f in found.model.forces} >= {"LuGre"}
    back = ts.simulate(found.model, 0.05, initial={"rail.speed": 1.0})
    assert back.completed


@pytest.mark.parametrize("width", [0.0, 0.005, 0.05])
def test_friction_goes_through_the_low_pass_that_efforts_go_through(width):
    """Reversals are smoothed by 10 Hz: a fit that forgets it is 2 % off in both frictions."""
    rng = np.random.default_rng(int(1e4 * width))
    bodies = [solid(f"link{i + 1}", rng) for i in range(2)]
    arm = ts.from_dh([(0, 0, 0, 0.3), ("pi/2", 0.2, 0, 0)], bodies, convention="modified")
    t = np.arange(0, 12, 0.002)[:, None]
    w = 2 * np.pi * np.array([0.31, 0.43])
    size, turn = np.array([1.1, 0.9]), np.array([0.3, 1.2])
    q = size * np.sin(w * t + turn)
    v, a = size * w * np.cos(w * t + turn), -(w**2) * q
    rub = np.sign(v) if not width else np.tanh(v / width)
    tau = ts.compile(arm).inverse_dynamics(q, v, a) + [3.0, 2.0] * rub + [0.8, 0.5] * v
    found = robot(arm, (t[:, 0], q, tau), consistent=False)
    for n, want in (("coulomb", (3.0, 2.0)), ("viscous", (0.8, 0.5))):
        got = [found.base[f"joint{i + 1}.{n}"] for i in range(2)]
        assert got == pytest.approx(want, rel=4e-3), n
    assert (found.errors() < 3e-3).all()
    seen = found.data  # rows in order: their times are found from way and speed
    inner = slice(60, -60)  # no filter knows what was before the first row
    said = found.predict(seen.q, seen.v, seen.a)
    assert said[inner] == pytest.approx(
        found.predict_samples(seen)[inner], abs=0.08
    )  # half a sample
    sharp = found.predict(q, v, a, filtered=False)
    assert np.sqrt(((sharp - tau) ** 2).mean(axis=0)).max() < 0.05
    noisy = a + 20 * np.cos(2 * np.pi * 60 * t)  # of second differences: it stays behind
    off = [found.predict(q, v, x) for x in (a, noisy)]
    assert abs(off[1] - off[0])[300:-300].max() < 1e-3 * tau.std()
    assert abs(found.predict(q, v, noisy, filtered=False) - sharp).max() > tau.std()


def test_gaps_in_time_are_no_motion():
    """Two pieces of a record are the record without its middle, not a straight line through it."""
    model = branches()
    t, q, v, a, _ = turning(4000, 0.002)
    tau = ts.compile(model).inverse_dynamics(q, v, a)
    keep = (t < 3) | (t > 5)
    whole, cut = (
        robot(model, {"time": t[k], "q": q[k], "tau": tau[k]}, friction=(), consistent=False)
        for k in (np.ones(len(t), bool), keep)
    )
    seen = samples(model.check(), {"time": t[keep], "q": q[keep], "tau": tau[keep]})
    assert not ((seen.time > 2.96) & (seen.time < 5.04)).any()
    assert cut.errors().max() < 2 * whole.errors().max() + 1e-3


def test_data_from_a_file_with_units_and_from_a_run(tmp_path):
    model = branches()
    s = model.check()
    t = np.arange(0, 4, 2e-3)
    phase = np.arange(5)
    motion = {
        n: 0.4 * np.sin(2 * t + p) + 0.2 * np.sin(5.1 * t)
        for n, p in zip(s.coordinates, phase, strict=True)
    }
    run = ts.inverse(model, {"time": t, **motion}, times=t[50:-50])
    found = robot(model, run, friction=("viscous",), consistent=False)
    assert found.errors().max() < 1e-9
    names = [*s.coordinates, *(f"{k.name}.effort" for k in s.links)]
    run.save(tmp_path / "all.csv", names)
    text = (tmp_path / "all.csv").read_text()
    head, *lines = text.splitlines()
    assert "wrist.angle [rad]" in head
    spot = head.split(",").index("wrist.angle [rad]")

    def degrees(line):
        cells = line.split(",")
        cells[spot] = repr(float(np.degrees(float(cells[spot]))))
        return ",".join(cells)

    path = tmp_path / "some.csv.gz"
    with gzip.open(path, "wt") as file:
        file.write(
            "\n".join(
                [head.replace("wrist.angle [rad]", "wrist.angle [deg]"), *map(degrees, lines)]
            )
        )
    filed = robot(model, path, friction=("viscous",), consistent=False, cutoff=40.0)
    assert filed.errors(run).max() < 2e-2
    (tmp_path / "bare.csv").write_text("\n".join([re.sub(r" \[[^]]*\]", "", head), *lines]))
    with pytest.warns(ModelWarning) as told:  # once, with the units that SI means here
        samples(s, tmp_path / "bare.csv")
    assert len(told) == 1 and "wrist.angle [rad]" in str(told[0].message)


def test_bad_data_are_told():
    model = branches()
    q = np.zeros((9, 5))
    with pytest.raises(ts.TorseurError, match=r"tau has shape \(9, 4\), expected \(9, 5\)"):
        robot(model, (q, q, q, q[:, :4]))
    with pytest.raises(ts.TorseurError, match="no friction model is named 'columb'; did you mean"):
        robot(model, (q, q, q, q), friction=("columb",))
    with pytest.raises(ts.TorseurError, match="fewer numbers than the"):
        robot(model, (q[:3], q[:3], q[:3], q[:3]))
    with pytest.raises(ts.TorseurError, match="no such file"):
        robot(model, "nowhere.csv")
    four = ts.load(Path(__file__).parents[2] / "examples" / "four_bar.yaml")
    with pytest.raises(ts.TorseurError, match="loops or constraints"):
        robot(four, (q, q, q, q))


def test_inconsistent_parameters_make_no_model():
    model = puma560()
    data, _ = measured(model, np.random.default_rng(1), noise=5.0)
    found = robot(model, data, consistent=False)
    with pytest.raises(ts.TorseurError, match="no distribution of mass has them"):
        _ = found.model


def test_stiffness_damping_and_rotors_of_elastic_drives():
    """Known exactly from exact data, beside the masses; written back into the drives."""

    def drive(stiffness):
        return ts.Drive(ratio=50, rotor_inertia=2e-4, stiffness=stiffness, damping=0.5)

    def rod(name, mass):
        return ts.Body(name, mass, com=(0.02, 0.01, -0.3), inertia=(0.05, 0.05, 0.02, 1e-3, 0, 0))

    arm = ts.Model(
        bodies=(rod("u", 3.0), rod("l", 2.0)),
        joints=(
            ts.Joint("s", "world", "u", ts.Revolute("y"), drive=drive(900.0)),
            ts.Joint("e", "u", "l", ts.Revolute("x"), at=(0, 0, -0.5), drive=drive(400.0)),
        ),
    )
    rng = np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 200, 4))
    q[:, 2:] = q[:, :2] + 0.02 * q[:, 2:]
    tau = ts.compile(arm).inverse_dynamics(q, v, a, forces=True)
    options = {"friction": ("viscous", "offset"), "stiffness": True}
    found = robot(arm, (q, v, a, tau), consistent=False, **options)
    want = {"s.motor.shaft.stiffness": 900, "e.motor.shaft.stiffness": 400,
            "s.motor.shaft.damping": 0.5, "s.motor.rotor": 0.5, "s.viscous": 0}  # fmt: skip
    assert {n: found.base[n] for n in want} == pytest.approx(want, rel=1e-9, abs=1e-9)
    exact = ts.identify.exact_base(arm, **options)
    assert exact["u.Iyy"] == "u.Iyy + 1/4 l.m + l.Iyy + s.rotor"
    assert exact.keys() == found.base.keys()
    again = robot(arm, (q, v, a, tau), **options).model
    said = ts.compile(again).inverse_dynamics(q, v, a, forces=True)
    np.testing.assert_allclose(said, tau, atol=1e-4 * abs(tau).max())


def test_instruments_take_away_the_bias_of_errors_in_the_motion():
    """Errors of accelerations make inertias of least squares too small; instruments do not."""
    model, rng = branches(), np.random.default_rng(4)
    (q, v, a, tau), F = measured(model, rng, n=1500, noise=0.02, width=0.05)
    noisy = a + 0.4 * rng.normal(size=a.shape)
    want, off = truth(model, F), {}
    for method, more in (("wls", {}), ("iv", {"instruments": (q, v, a)})):
        found = robot(model, (q, v, noisy, tau), method=method, consistent=False, **more)
        sigma = np.array(list(found.sigma.values()))
        off[method] = abs(found.estimate.beta - want) / sigma
    assert np.mean(off["iv"] <= 3) > 0.95 and np.mean(off["wls"] <= 3) < 0.85
    with pytest.raises(ts.TorseurError, match="come together"):
        robot(model, (q, v, a, tau), method="iv")
    with pytest.raises(ts.TorseurError, match="10 rows of instruments for 1500 samples"):
        robot(model, (q, v, a, tau), method="iv", instruments=(q[:10], v[:10], a[:10]))
