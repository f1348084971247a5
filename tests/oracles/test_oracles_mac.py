"""The MAC robot of document 004: balancing, torques along its law (O-B4), elastic joints (O-B5)."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

import torseur as ts
from torseur.forces import Coulomb, Drive, Expression, JointForce, PointForce
from torseur.robots import Trapezoidal
from torseur.solve import inverse

R, H, ALPHA, D = 0.107, 0.20, np.radians(135), (3 * 0.35 + 6.5 * 0.7) / 21
REST = float(np.sqrt(H * H + R * R + 2 * R * H * np.cos(ALPHA)))
INERTIA = (22.40256, 22.40256, 28.256)
VISCOUS, DRY = (9.7792, 9.7792, 2.6736), (14.4, 14.4, 6.0)
LAW = {
    f"joint{i + 1}.angle": Trapezoidal(*np.radians(ends), speed=2.5, acceleration=8.0)
    for i, ends in enumerate(((0, 180), (0, 90), (20, 120)))
}


def points(name, *masses):
    """A body of point masses (m, x) along its x axis."""
    m = sum(a for a, _ in masses)
    c = sum(a * x for a, x in masses) / m
    J = sum(a * (x - c) ** 2 for a, x in masses)
    return ts.Body(name, m, (c, 0, 0), (0, J, J, 0, 0, 0))


def mac(counterweight=True, spring=True, drives=None, friction=False):
    third = [(3, 0.35), (6.5, 0.7)] + [(21, -D)] * counterweight
    bodies = (
        ts.Body("b1", 16.0, (0, 0, -0.35)),
        points("b2", (3.5, 0.3), (12, 0.7)),
        points("b3", *third),
    )
    forces = []
    if spring:
        x = f"(x - {REST!r})"
        law = Expression(f"16500*{x} + 225000*max({x} - 0.12, 0)**2")
        forces.append(
            PointForce(
                "spring", ("b1", (H * np.cos(ALPHA), 0, H * np.sin(ALPHA))), ("b2", (R, 0, 0)), law
            )
        )
    if friction:
        forces += [
            JointForce(f"dry{i + 1}", f"joint{i + 1}", Coulomb(F, 1e-9)) for i, F in enumerate(DRY)
        ]
    arm = ts.from_dh(
        [(0, 0, 0, 0.7), ("pi/2", 0, 0, 0), (0, 0.6, 0, 0)],
        bodies,
        convention="modified",
        gravity=(0, 0, -9.81),
        forces=tuple(forces),
    )
    if drives:
        joints = tuple(replace(j, drive=d) for j, d in zip(arm.joints, drives, strict=True))
        arm = replace(arm, joints=joints)
    return arm


def efforts(model, t):
    run = inverse(model, LAW, times=np.atleast_1d(t))
    return np.stack([run[f"joint{j}.effort"] for j in (1, 2, 3)], axis=1)


def test_durations_and_counterweight():
    np.testing.assert_allclose(
        [law.duration for law in LAW.values()],
        (1.5691370614, 0.9408185307, 1.0106317008),
        rtol=1e-10,
    )
    assert pytest.approx(0.2666666667, abs=1e-10) == D
    assert LAW["joint1.angle"].breakpoints[1] == pytest.approx(0.3125)


@pytest.mark.parametrize(
    "case, rows",
    [
        (
            {"counterweight": False, "spring": False},
            {
                0: (152.533367, 409.781267, 133.721891),
                0.2: (85.425248, 396.051740, 137.287293),
                0.5: (-55.254747, 36.814545, -3.811094),
                0.8: (2.206250, -178.830386, -91.493090),
            },
        ),
        (
            {"spring": False},
            {
                0: (173.044664, 490.360833, 80.733333),
                0.2: (119.780075, 500.083821, 87.017974),
                0.5: (-53.301051, 217.608340, -13.217487),
                0.8: (-25.682302, -180.063520, -72.712594),
            },
        ),
        (
            {},
            {
                0: (173.044664, 362.901054, 80.733333),
                0.2: (119.780075, 362.733706, 87.017974),
                0.5: (-53.301051, 98.718682, -13.217487),
                0.8: (-25.682302, -194.602098, -72.712594),
            },
        ),
    ],
    ids=["U", "CW", "B"],
)
def test_b4_torques_of_the_arm(case, rows):
    np.testing.assert_allclose(efforts(mac(**case), list(rows)), list(rows.values()), atol=2e-6)


def test_b4_torques_with_actuators_and_friction():
    drives = [Drive(rotor_inertia=J, friction=b) for J, b in zip(INERTIA, VISCOUS, strict=True)]
    got = efforts(mac(drives=drives, friction=True), [0.2, 0.5, 0.8])
    want = [
        (329.047275, 572.000906, 323.343734),
        (-14.453051, 137.566682, -0.533487),
        (13.165698, -348.405837, -288.255435),
    ]
    np.testing.assert_allclose(got, want, atol=2e-6)


@pytest.mark.parametrize(
    "degrees, C", [(0, -127.459779), (30, -142.540266), (45, -126.519914), (90, 0)]
)
def test_b4_spring_alone(degrees, C):
    hold = {"joint2.angle": lambda t: (np.radians(degrees) + 0 * t, 0 * t, 0 * t)}
    run = inverse(mac(), hold, times=[0.0])
    assert run["joint2.effort.spring"][0] == pytest.approx(C, abs=2e-6)


def test_b5_elastic_joints_under_the_rigid_torque():
    """The rigid arm's efforts, as functions of time, drive the arm with elastic joints."""
    rigid = mac(drives=[Drive(rotor_inertia=J) for J in INERTIA])
    elastic = replace(
        mac(
            drives=[
                Drive(rotor_inertia=J, stiffness=1e4, input=f"u{i}") for i, J in enumerate(INERTIA)
            ]
        ),
        inputs=tuple(ts.Input(f"u{i}") for i in range(3)),
    )
    start = {f"joint3.{p}": np.radians(20) for p in ("angle", "motor.angle")}
    effort = ts.robots.feedforward(rigid, LAW)
    run = ts.simulate(
        elastic,
        2.0,
        start,
        "dop853",
        rtol=1e-11,
        atol=1e-13,
        inputs={f"u{i}": effort[f"joint{i + 1}"] for i in range(3)},
        output=[0, 0.25, 1.0, 2.0],
    )
    for t, want in {
        0.25: (0.2512025270, 0.2586736960, 0.6011608446, 0.2476821529, 0.2395837898, 0.5966720041),
        1.0: (2.104968521, 1.545376776, 2.096277269, 2.064755314, 1.521236952, 2.100695172),
        2.0: (3.123976831, 1.233836442, 2.080249202, 3.088665399, 1.224448931, 2.078805128),
    }.items():
        k = int(np.argmin(abs(run.time - t)))
        got = [run[f"joint{j}.{p}angle"][k] for p in ("motor.", "") for j in (1, 2, 3)]
        np.testing.assert_allclose(got, want, atol=2e-9)


def test_inputs_of_time_of_every_kind_give_one_motion():
    """A function, a text, a spline and a table of times; exact: x = F/m (t - sin t)."""
    cart = ts.Model(
        bodies=(ts.Body("cart", 2.0),),
        joints=(ts.Joint("x", "world", "cart", ts.Prismatic("x")),),
        forces=(JointForce("push", "x", ts.Effort(input="u")),),
        inputs=(ts.Input("u"),),
    )
    t = np.linspace(0, 2, 401)
    exact = 3 / 2 * (2 - np.sin(2.0))
    spline, table = make_interp_spline(t, 3 * np.sin(t)), (t, 3 * np.sin(t))
    for given in (lambda t: 3 * np.sin(t), "3*sin(t)", spline, table):
        run = ts.simulate(cart, 2.0, rtol=1e-10, atol=1e-12, inputs={"u": given})
        straight = 4e-6 if given is table else 0.0  # chords of a sine
        assert run["x.displacement"][-1] == pytest.approx(
            exact - straight, abs=2e-6 if straight else 1e-8
        )
    step = (np.array([0.0, 1.0, 1.0, 2.0]), np.array([1.0, 1.0, -1.0, -1.0]))
    run = ts.simulate(cart, 2.0, inputs={"u": step})
    assert run["x.displacement"][-1] == pytest.approx(0.5, abs=1e-9)
    held = replace(cart, forces=(JointForce("hold", "x", ts.Servo(5.0, target="u")),))
    with pytest.raises(ts.TorseurError, match="nothing pushes with it alone"):
        ts.simulate(held, 1.0, inputs={"u": "sin(t)"})
