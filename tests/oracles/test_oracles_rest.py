"""Reference values of crash with a rate factor (O-CR), balanced PUMAs (O-B3), long pendula."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import torseur as ts
from torseur.forces import (
    BristleFriction,
    CoordinateForce,
    Crush,
    Expression,
    JointForce,
    Parallel,
    PointForce,
    Spring,
)
from torseur.robots import Trapezoidal
from torseur.simulation import simulate
from torseur.solve import inverse

BENCHMARKS = Path(__file__).parents[1] / "data" / "benchmarks"
CURVE = ((0.02, 0), (0.05, 150e3), (0.15, 225e3), (0.20, 125e3), (0.45, 200e3), (0.50, 500e3))


# ---- crash with a rate factor -----------------------------------------------------------------


def test_cr1_with_the_dynamic_factor():
    law = Crush(CURVE, unloading=2e7, beyond=6e6, rate_factor="linear", rate_gain=0.016)
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("car", mass=1000.0),),
        joints=(ts.Joint("slide", "world", "car", ts.Prismatic("x")),),
        forces=(JointForce("front", "slide", law),),
    )
    run = simulate(model, 0.1, {"slide.speed": 50 / 3.6}, rtol=1e-11, atol=1e-13)
    x, v, t = run["slide.displacement"], run["slide.speed"], run.time
    assert x.max() == pytest.approx(0.492262047, abs=1e-9)
    assert t[np.argmax(x)] == pytest.approx(0.059724691, abs=1e-9)
    assert v[-1] == pytest.approx(-3.262334132, abs=2e-9)
    assert run.energy_audit.dissipated == pytest.approx(
        500 * ((50 / 3.6) ** 2 - v[-1] ** 2), rel=1e-8
    )
    assert run.energy_audit.relative < 1e-9
    run = simulate(
        model, 0.04, {"slide.speed": 50 / 3.6}, output=[0, 0.02, 0.04], rtol=1e-11, atol=1e-13
    )
    np.testing.assert_allclose(
        [run["slide.displacement"][i] for i in (-2, -1)], [0.245377500, 0.416608540], atol=1e-9
    )
    np.testing.assert_allclose(
        [run["slide.speed"][i] for i in (-2, -1)], [10.367738673, 6.593799259], atol=1e-9
    )


def car(slope):
    """A car in the plane, three links of a third of the law to a wall, its points slanted."""
    third = tuple((d, F / 3) for d, F in CURVE)
    law = Crush(
        third,
        unloading=2e7 / 3,
        beyond=2e6,
        sense="compression",
        free_length=0.8,
        rate_factor="linear",
        rate_gain=0.016,
    )
    links = tuple(
        PointForce(
            f"link{i}",
            ("car", (1.2, y, 0)),
            ("world", (2.0 + (0.5 - y) * np.tan(np.radians(slope)), y, 0)),
            law,
        )
        for i, y in enumerate((0.5, 0.0, -0.5))
    )
    nothing = {"about": "origin", "first_moment": (0, 0, 0), "inertia": (0,) * 6}
    return ts.Model(
        gravity=(0, 0, 0),
        forces=links,
        bodies=(
            ts.Body("carriage", 0.0, **nothing),
            ts.Body("slide", 0.0, **nothing),
            ts.Body("car", mass=1000.0, inertia=(800.0, 800.0, 1600.0, 0, 0, 0)),
        ),
        joints=(
            ts.Joint("x", "world", "carriage", ts.Prismatic("x")),
            ts.Joint("y", "carriage", "slide", ts.Prismatic("y")),
            ts.Joint("yaw", "slide", "car", ts.Revolute("z")),
        ),
    )


@pytest.mark.parametrize(
    "slope, want",
    [
        (0, (0.37403670, 0, 0, -3.26233413, 0, 0)),
        (30, (0.62985605, 0.10700164, 0.25792844, -0.43472019, 2.54820962, 5.11104151)),
    ],
)
def test_cr3_car_against_a_wall(slope, want):
    run = simulate(car(slope), 0.1, {"x.speed": 50 / 3.6}, rtol=1e-11, atol=1e-13)
    got = [
        run[n][-1]
        for n in ("x.displacement", "y.displacement", "yaw.angle", "x.speed", "y.speed", "yaw.rate")
    ]
    np.testing.assert_allclose(got, want, atol=2e-8)
    assert run.energy_audit.relative < 1e-8


def test_cr4_bilinear_element():
    """Tension and compression: a spring H beside a bristle that yields; a cycle of +-0.1 m."""
    k, Y, H = 2e6, 4e4, 1e5
    plastic = BristleFriction(Y * (1 - H / k), stiffness=k - H, bristle_damping=0.0)
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("m", mass=1e-3),),
        joints=(ts.Joint("x", "world", "m", ts.Prismatic("x")),),
        forces=(JointForce("bar", "x", Parallel(Spring(H), plastic)),),
        constraints=(ts.Driven("stroke", "x.displacement", "0.1*sin(2*pi*t)"),),
    )
    run = simulate(model, 1.25, output=np.linspace(0, 1.25, 501), rtol=1e-11, atol=1e-11)
    at = {t: int(np.argmin(abs(run.time - t))) for t in (0.25, 0.75, 1.25)}
    for t, want in ((0.25, 48000), (0.75, -48000), (1.25, 48000)):
        assert run["bar.force"][at[t]] == pytest.approx(want, rel=1e-7)
    for book in ("energy.supplied", "energy.dissipated"):
        assert run[book][at[1.25]] - run[book][at[0.25]] == pytest.approx(12160, rel=1e-8)


@pytest.mark.parametrize(
    "more, text",
    [
        ({"rate_factor": "cubic"}, "rate_factor='cubic': expected one of none, linear, power, log"),
        (
            {"rate_factor": "linear", "rate_gain": -0.1},
            "needs rate_gain at least zero, but it is -0.1",
        ),
        (
            {"rate_factor": "log", "reference_rate": 0},
            "needs reference_rate above zero, but it is 0",
        ),
    ],
)
def test_rate_factor_messages(more, text):
    assert text in Crush(CURVE, 2e7, 6e6, **more).problems()


# ---- PUMA balanced by springs, and by both means (O-B3) -----------------------------------------

LINK2 = {
    "U": (33, 0.219, (0.62, 0.91, 1.46)),
    "CW": (173, -72.2 * 0.6 / 173, (1.14, 9.9, 10.2)),
    "RD": (33, 0.10, (0.8, 5, 5)),
}
LINK3 = {
    "U": (36.2, 0.40, (0.20, 3.98, 4.18)),
    "CW": (72.2, 0.0, (0.5, 15.6, 15.8)),
    "RD": (36.2, 0.15, (0.2, 6.5, 6.5)),
}
G = 9.81


def puma(second, third, held=()):
    """`held`: the weights that ideal springs carry; each is a torque in an angle from level."""
    bodies = (
        ts.Body("b1", 0.0, about="origin", first_moment=(0, 0, 0), inertia=(0,) * 6),
        *(
            ts.Body(n, m, (x, 0, 0), (*J, 0, 0, 0))
            for n, (m, x, J) in (("b2", LINK2[second]), ("b3", LINK3[third]))
        ),
    )
    arm = ts.from_dh(
        [(0, 0, 0, 0), ("pi/2", 0, 0, 0), (0, 0.6, 0, 0)],
        bodies,
        convention="modified",
        gravity=(0, 0, -G),
    )
    first = replace(arm.joints[0], armature=4.36)
    springs = tuple(
        CoordinateForce(f"cam{i}", angles, Expression(f"-{W!r}*cos(x)"))
        for i, (angles, W) in enumerate(held)
    )
    return replace(arm, joints=(first, *arm.joints[1:]), forces=springs)


def moment(second, third):
    """Weights' moments about axes 2 and 3 with both links level [N m]."""
    m2, x2, _ = LINK2[second]
    m3, x3, _ = LINK3[third]
    return G * (m2 * x2 + m3 * 0.6), G * m3 * x3


W2, W3 = moment("U", "U")
BOTH = {"joint2.angle": 1, "joint3.angle": 1}
CASES = {
    "U": (("U", "U"), (401.52124, 748.83955, 200.00528)),
    "CW": (("CW", "CW"), (485.65164, 471.83717, 189.97495)),
    "RD": (("RD", "RD"), (284.17643, 528.89754, 110.89700)),
    "SP": (("U", "U", (({"joint2.angle": 1}, W2), (BOTH, W3))), (401.52124, 359.02794, 161.54572)),
    "CB": (
        ("U", "CW", (({"joint2.angle": 1}, moment("U", "CW")[0]),)),
        (373.90876, 363.80828, 189.97495),
    ),
}
TORQUES = {
    "SP": {
        0.05: (135.497349, 295.984780, 144.508681),
        0.5: (-39.119319, 62.761048, -17.386670),
        0.9: (-126.825536, -356.840038, -154.522778),
    },
    "CB": {
        0.05: (187.114349, 362.765326, 189.348549),
        0.5: (-50.969180, 29.275539, -3.790949),
        0.9: (-127.170742, -337.849653, -185.553379),
    },
}
SWEEP = {
    f"joint{i + 1}.angle": Trapezoidal(*np.radians(ends), speed=2.0, acceleration=6.0)
    for i, ends in enumerate(((0, 90), (-20, 60), (-60, 40)))
}


@pytest.mark.parametrize("case", TORQUES)
def test_b3_torques_with_springs(case):
    run = inverse(puma(*CASES[case][0]), SWEEP, times=list(TORQUES[case]))
    for i, want in enumerate(TORQUES[case].values()):
        got = [run[f"joint{j}.effort"][i] for j in (1, 2, 3)]
        np.testing.assert_allclose(got, want, rtol=0, atol=2e-6)


@pytest.mark.parametrize("case", CASES)
def test_b3_peaks(case):
    arrangement, want = CASES[case]
    run = inverse(puma(*arrangement), SWEEP, points=20001)
    got = [abs(run[f"joint{j}.effort"]).max() for j in (1, 2, 3)]
    above = np.array(got) - want  # the table's peaks are those of a sampled law;
    assert (above > -1e-5).all()  # here both sides of every breakpoint are seen
    assert (above < 1e-4 * np.array(want)).all()


@pytest.mark.parametrize(
    "degrees, length, lever",
    [
        (0, 0.2256036502, 0.0629356107),
        (30, 0.1915685347, 0.0641872881),
        (60, 0.1621865517, 0.0437721357),
    ],
)
def test_b3_ideal_cam(degrees, length, lever):
    """A spring pulled by the cam carries the link at every angle: length and lever of the cam."""
    assert pytest.approx(283.970070, abs=1e-9) == W2
    k = 20000.0
    model = ts.Model(
        gravity=(0, 0, -G),
        bodies=(ts.Body("link", W2 / G, (1, 0, 0), (0, 1, 1, 0, 0, 0)), ts.Body("end", 1.0)),
        joints=(
            ts.Joint("j", "world", "link", ts.Revolute((0, -1, 0))),
            ts.Joint("s", "world", "end", ts.Prismatic("y")),
        ),
        forces=(JointForce("spring", "s", Spring(k)),),
        constraints=(
            ts.Holonomic(
                "cam", f"s.displacement**2 - {0.15**2!r} - {2 * W2 / k!r}*(1 - sin(j.angle))"
            ),
        ),
    )
    start = {"j.angle": np.radians(degrees), "s.displacement": 0.2}
    still = simulate(model, 0.5, start, keep=("j.angle",))
    np.testing.assert_allclose(still["j.angle"], np.radians(degrees), rtol=0, atol=1e-9)
    assert still["s.displacement"][-1] == pytest.approx(length, abs=1e-9)
    moving = simulate(model, 1e-3, {**start, "j.rate": 1.0}, keep=("j.angle",))
    assert -moving["s.speed"][0] / moving["j.rate"][0] == pytest.approx(lever, abs=1e-9)


# ---- long pendula -------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [100, pytest.param(1000, marks=pytest.mark.slow)])
def test_long_pendula(n):
    """First link, middle and tip over a second, to the digits that the integration was asked."""
    data = json.loads((BENCHMARKS / f"n_pendulum_N{n}.json").read_text())
    want = dict(zip(data["columns"], np.array(data["rows"], dtype=float).T, strict=True))
    bodies = tuple(
        ts.Body(f"b{i}", mass=1.0, com=(0.5, 0, 0), inertia=(0, 1 / 12, 1 / 12, 0, 0, 0))
        for i in range(n)
    )
    joints = tuple(
        ts.Joint(
            f"j{i}",
            "world" if i == 0 else f"b{i - 1}",
            f"b{i}",
            ts.Revolute("z"),
            at=(1 if i else 0, 0, 0),
        )
        for i in range(n)
    )
    model = ts.Model(gravity=(0, -9.81, 0), bodies=bodies, joints=joints)
    run = simulate(model, 1.0, output=want["t"], rtol=1e-10, atol=1e-10)
    assert run.time[-1] == 1.0
    angle = np.cumsum([run[f"j{i}.angle"] for i in range(n)], axis=0)
    x, y = np.cos(angle).cumsum(axis=0), np.sin(angle).cumsum(axis=0)
    np.testing.assert_allclose(angle[0], want["th1"], rtol=0, atol=1e-10)
    np.testing.assert_allclose(run["j0.rate"], want["w1"], rtol=0, atol=5e-9)
    for got, name in (
        (x[-1], "tipx"),
        (y[-1], "tipy"),
        (x[n // 2 - 1], "midx"),
        (y[n // 2 - 1], "midy"),
    ):
        np.testing.assert_allclose(got, want[name], rtol=0, atol=1e-11 * n, err_msg=name)
