"""Motion to the digits of the reference values: Mizzi (O-M), Baya (O-B), drives (O-D), O-X1."""

import json
from pathlib import Path

import numpy as np
import pytest

import torseur as ts
from torseur.forces import BristleFriction, Drive, DriveStage, Effort, JointForce, Spring
from torseur.simulation import simulate

TIGHT = {"rtol": 1e-11, "atol": 1e-12}
BENCHMARKS = Path(__file__).parents[1] / "data" / "benchmarks"


def check(run, names, rows, tol=1e-8):
    """Rows (t, values...) of a table against a run recorded at those times."""
    for t, *want in rows:
        i = int(np.argmin(abs(run.time - t)))
        assert run.time[i] == pytest.approx(t, abs=1e-12)
        got = [run[n][i] for n in names]
        np.testing.assert_allclose(got, want, rtol=0, atol=tol * max(1, np.abs(want).max()))


# ---- Mizzi -----------------------------------------------------------------------------------


def spherical(mass, com):
    body = ts.Body("solid", mass=mass, com=com, inertia=(2, 2, 4, 0, 0, 0))
    return ts.Model(
        gravity=(0, 0, -9.81),
        bodies=(body,),
        joints=(ts.Joint("ball", "world", "solid", ts.Spherical("zxz")),),
    )


ANGLES = ["ball.angle1", "ball.angle2", "ball.angle3", "ball.rate1", "ball.rate2", "ball.rate3"]


@pytest.mark.parametrize(
    "mass, com, spin, rows",
    [
        (
            1.0,
            (0, 0, 0),
            1.5,
            [
                (
                    0.5,
                    0.5315532188,
                    0.4404384395,
                    1.0662832413,
                    0.2574599861,
                    -0.3749369179,
                    1.8814185454,
                ),
                (
                    1.0,
                    0.1921234842,
                    0.3432557820,
                    2.4433257021,
                    -0.9718556123,
                    0.2136420143,
                    3.0294691488,
                ),
                (
                    2.0,
                    0.5361055327,
                    0.4326958345,
                    4.2602648082,
                    0.1874144449,
                    -0.3826879748,
                    1.9441657198,
                ),
            ],
        ),
        (
            10.0,
            (0, 0, 0.5),
            6.0,
            [
                (
                    0.5,
                    1.0516282320,
                    0.9049044046,
                    2.9650731080,
                    2.7305368055,
                    1.0983017115,
                    4.9274893129,
                ),
                (
                    1.0,
                    2.7115019371,
                    1.1331825393,
                    5.5186816875,
                    3.4482444961,
                    -0.5390071159,
                    5.1530130693,
                ),
                (
                    2.0,
                    4.5537984109,
                    0.5544058420,
                    10.9165859052,
                    1.1611870982,
                    0.6128577895,
                    5.6270509883,
                ),
            ],
        ),
    ],
)
def test_m1_spherical_joint_and_heavy_top(mass, com, spin, rows):
    start = dict(zip(ANGLES, (0.2, 0.5, 0.3, 0.7, 0.2, spin), strict=True))
    run = simulate(spherical(mass, com), 2.0, start, output=[0.5, 1, 2], **TIGHT)
    check(run, ANGLES, rows)
    assert run.energy_audit.relative < 1e-9


def test_m2_planar_joint():
    body = ts.Body("solid", mass=1.0, inertia=(4, 4, 4, 0, 0, 0))
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=(body,),
        joints=(ts.Joint("plane", "world", "solid", ts.Planar("z")),),
    )
    names = ["plane.x", "plane.y", "plane.angle", "plane.speed_x", "plane.speed_y", "plane.rate"]
    start = dict(zip(names, (1, 2, 0.3, 0.4, -0.5, 0.6), strict=True))
    run = simulate(model, 2.0, start, output=[0.5, 1, 2], **TIGHT)
    check(
        run,
        names[:5],
        [
            (0.5, 1.1790183171, 1.7811276787, 0.6, 0.3339594366, -0.3754611760),
            (1.0, 1.3508163171, 1.6202762966, 0.9, 0.3683615334, -0.2762422501),
            (2.0, 1.8330713364, 1.3564105114, 1.5, 0.6171640119, -0.3179757576),
        ],
    )


def sliders():
    bodies = (ts.Body("s1", mass=1.0), ts.Body("s2", mass=1.0))
    tilt = "pi/4"  # the slide rises at 45 degrees
    joints = (
        ts.Joint("a", "world", "s1", ts.Prismatic("x"), rpy=(0, f"-{tilt}", 0)),
        ts.Joint("b", "s1", "s2", ts.Prismatic("x")),
    )
    forces = (JointForce("k0", "a", Spring(100.0)), JointForce("k1", "b", Spring(50.0)))
    return ts.Model(gravity=(0, 0, -9.81), bodies=bodies, joints=joints, forces=forces)


def test_m3_two_sliders():
    names = ["a.displacement", "b.displacement", "a.speed", "b.speed"]
    run = simulate(sliders(), 2.0, output=[0.5, 1, 2], **TIGHT)
    check(
        run,
        names,
        [
            (0.5, -0.2264053469, -0.3184043077, -0.3360043837, -0.2896944378),
            (1.0, -0.0446494697, -0.0561294882, 0.3632463358, 0.8731841948),
            (2.0, -0.1479585172, -0.1828997408, 0.4082895413, 1.2086040978),
        ],
    )
    assert run.energy_audit.relative < 1e-9


def test_m4_yoke_rod_and_solid():
    bodies = (
        ts.Body("yoke", mass=1.0, inertia=(4, 4, 4, 0, 0, 0)),
        ts.Body("rod", mass=10.0, com=(0, 0, 10), inertia=(30, 30, 40, 0, 0, 0)),
        ts.Body("solid", mass=15.0, com=(0, 0, 15), inertia=(25, 25, 30, 0, 0, 0)),
    )
    joints = (
        ts.Joint("q01", "world", "yoke", ts.Revolute("z")),
        ts.Joint("q12", "yoke", "rod", ts.Revolute("x")),
        ts.Joint("q23", "rod", "solid", ts.Revolute("z")),
    )
    model = ts.Model(gravity=(0, 0, -9.81), bodies=bodies, joints=joints)
    names = [f"{j}.{w}" for w in ("angle", "rate") for j in ("q01", "q12", "q23")]
    start = dict(zip(names, (0, 0.5, 0, 1, 0, 5), strict=True))
    run = simulate(model, 2.0, start, output=[0.5, 1, 2], **TIGHT)
    check(
        run,
        names,
        [
            (
                0.5,
                0.4549198090,
                0.5901937181,
                2.5459961705,
                0.7560822625,
                0.3519442917,
                5.2494045534,
            ),
            (
                1.0,
                0.7470272456,
                0.8439575851,
                5.2605746675,
                0.4370314082,
                0.6609146528,
                5.5871705507,
            ),
            (
                2.0,
                1.0609306547,
                1.8376951303,
                11.0426394654,
                0.3038010238,
                1.3395895421,
                5.9577074437,
            ),
        ],
    )
    E = run["energy.kinetic"] + run["energy.potential"]
    np.testing.assert_allclose(E, 3842.6604738343, rtol=1e-9)


# ---- Baya ------------------------------------------------------------------------------------


def bar(drive, g=9.8):
    """30 kg m2 about the joint, 147 sin(q) of gravity, 36 N m s of friction."""
    body = ts.Body("bar", mass=15.0, com=(0, 0, -1.0), inertia=(0, 15, 15, 0, 0, 0))
    joint = ts.Joint("j", "world", "bar", ts.Revolute("y"), damping=36.0, drive=drive)
    return ts.Model(
        gravity=(0, 0, -g), bodies=(body,), joints=(joint,), inputs=(ts.Input("torque"),)
    )


@pytest.mark.parametrize(
    "J, B, K, rows",
    [
        (
            400,
            150,
            1e4,
            [
                (0.25, 0.8872514033, 1.1796279972),
                (0.5, -0.7494734448, -0.9113289332),
                (1.0, 0.9704531037, 1.2028820893),
                (2.0, -0.2913977147, -0.3110768486),
            ],
        ),
        (
            400,
            150,
            1e5,
            [
                (0.25, 0.9080886642, 0.9226134332),
                (0.5, -0.7565477042, -0.7663481047),
                (1.0, 0.9877819558, 1.0049082347),
                (2.0, -0.2884707979, -0.2902198118),
            ],
        ),
        (
            0.04,
            0.015,
            1e4,
            [
                (0.25, 0.7100458846, 0.9095254328),
                (0.5, -0.6534024918, -0.7570072263),
                (1.0, 0.8222317683, 0.9895673778),
                (2.0, -0.2611266112, -0.2879531228),
            ],
        ),
        (
            0.04,
            0.015,
            1e5,
            [
                (0.25, 0.8891673021, 0.9093204981),
                (0.5, -0.7474131045, -0.7568217050),
                (1.0, 0.9701967828, 0.9893824219),
                (2.0, -0.2842256330, -0.2879096244),
            ],
        ),
    ],
)
def test_b1_flexible_joint_under_the_rigid_torque(J, B, K, rows):
    law = f"-({30 + J}*(-64*sin(8*t)) + {36 + B}*8*cos(8*t) + 147*sin(sin(8*t)))"
    from torseur.forces import CoordinateForce, Expression

    model = bar(Drive(rotor_inertia=J, stiffness=K, friction=B))
    torque = CoordinateForce("torque", {"j.motor.angle": 1}, Expression(law, work="supplied"))
    model = ts.Model(
        gravity=model.gravity, bodies=model.bodies, joints=model.joints, forces=(torque,)
    )
    start = {"j.rate": 8.0, "j.motor.rate": 8.0}
    run = simulate(model, 2.0, start, output=[0, 0.25, 0.5, 1, 2], **TIGHT)
    check(run, ["j.motor.angle", "j.angle"], rows)
    assert run.energy_audit.relative < 1e-8


def two_bars(Ia, K=None):
    def drive():
        return Drive(rotor_inertia=Ia, stiffness=K)

    bodies = tuple(
        ts.Body(n, mass=5.0, com=(0, 0, -0.5), inertia=(0, 5 / 12, 5 / 12, 0, 0, 0))
        for n in ("b1", "b2")
    )
    joints = (
        ts.Joint("j1", "world", "b1", ts.Revolute("y"), drive=drive()),
        ts.Joint("j2", "b1", "b2", ts.Revolute("y"), at=(0, 0, -1), drive=drive()),
    )
    return ts.Model(gravity=(0, 0, -9.8), bodies=bodies, joints=joints)


B2 = {
    (1, "rigid"): [
        (0.5, -0.1540545051, 2.3697470581),
        (1.0, -0.2525333436, -2.7559162517),
        (2.0, 0.6613832860, -1.9644931211),
        (5.0, 1.4030790424, -1.1064322387),
    ],
    (2, "rigid"): [
        (0.5, -0.5362140538, 5.0888835616),
        (1.0, -1.2965062767, 0.4643387147),
        (2.0, 1.1803858088, -6.5370047045),
        (5.0, -1.2691966960, 3.4000375008),
    ],
    (1, "flexible"): [
        (0.5, -0.0975811399, -0.2296033227, 2.5357618093, 2.5761155138),
        (1.0, -0.3131928487, -0.3745987481, -2.4843211640, -2.3054252331),
        (2.0, 0.7808126946, 0.8293435317, -2.5431886406, -2.6694013183),
        (5.0, 1.8041697694, 1.7028396292, -2.6720536073, -2.2839244577),
    ],
    (2, "flexible"): [
        (0.5, -0.5444080571, -0.4739722376, 5.1194715074, 4.9513535683),
        (1.0, -1.3193631521, -1.3101373986, 0.5307859933, 0.6219088388),
        (2.0, 1.1522911198, 1.0508768466, -6.5115322174, -6.3398926884),
        (5.0, -1.4905795476, -1.4802805306, 3.6765671379, 3.6372535034),
    ],
}


@pytest.mark.parametrize("study, kind", B2)
def test_b2_two_bars(study, kind):
    Ia, angle, K = ((3.33, 5, 200), (7.68, 7, 1000))[study - 1]
    start = {"j2.angle": np.radians(angle)}
    names = ["j1.angle", "j2.angle"]
    if kind == "flexible":
        start["j2.motor.angle"] = start["j2.angle"]
        names = ["j1.motor.angle", "j1.angle", "j2.motor.angle", "j2.angle"]
    run = simulate(
        two_bars(Ia, K if kind == "flexible" else None),
        5.0,
        start,
        output=[0, 0.5, 1, 2, 5],
        **TIGHT,
    )
    rows = [(t, *np.radians(x)) for t, *x in B2[study, kind]]
    check(run, names, rows, tol=1e-10)


@pytest.mark.parametrize(
    "method, step, want",
    [
        ("euler", 0.01, (-0.2644015891, -2.8191197463)),
        ("rk4", 0.05, (-0.2525320425, -2.7559056018)),
        ("rk4", 0.01, (-0.2525333419, -2.7559162354)),
        ("newmark", 0.01, (-0.2525231560, -2.7555680578)),
    ],
)
def test_x1_fixed_step_methods(method, step, want):
    run = simulate(two_bars(3.33), 1.0, {"j2.angle": np.radians(5)}, method=method, step=step)
    got = np.degrees([run["j1.angle"][-1], run["j2.angle"][-1]])
    np.testing.assert_allclose(got, want, rtol=0, atol=1.5e-10)


# ---- drives and dry friction -----------------------------------------------------------------


def test_d1_four_stages():
    N = 100
    chain = (
        DriveStage("tacho", 2e-5, N, 50, 1e-4),
        DriveStage("motor", 8.751e-4, N, 200, 1e-3, 3.82e-4),
        DriveStage("reducer", 0.05, 1, 1e4, 5, 0.5),
    )
    model = bar(Drive(stages=chain, input="torque"))
    from dataclasses import replace

    model = replace(model, joints=(replace(model.joints[0], damping=0),))
    names = ["j.tacho.angle", "j.motor.angle", "j.reducer.angle", "j.angle"]
    run = simulate(model, 1.0, inputs={"torque": 2.0}, output=[0, 0.5, 1], **TIGHT)
    check(
        run,
        names,
        [
            (0.5, 0.5869316875, 0.5869379007, 0.5869124982, 0.5820466975),
            (1.0, 1.8905982342, 1.8906032539, 1.8905574846, 1.8816410195),
        ],
        tol=1e-9,
    )
    assert run.energy_audit.relative < 1e-9


def test_d1_dry_friction_stops_the_oscillator():
    body = ts.Body("m", mass=2.0)
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=(body,),
        joints=(ts.Joint("x", "world", "m", ts.Prismatic("x")),),
        forces=(
            JointForce("spring", "x", Spring(800.0)),
            JointForce("dry", "x", BristleFriction(30.0, stiffness=1e9, bristle_damping=5e4)),
        ),
    )
    run = simulate(
        model,
        1.0,
        {"x.displacement": 0.4},
        method="dopri5",
        output=[0, 0.25, 0.5, 1.0],
        rtol=1e-10,
        atol=1e-12,
    )
    x = dict(zip(run.time, run["x.displacement"], strict=True))
    stuck = [e.time for e in run.events if e.name == "dry: sticks"]
    assert x[0.25] == pytest.approx(0.0440528783, abs=2e-5)  # held while the bristle bends
    assert x[0.5] == pytest.approx(-0.1528723352, abs=2e-5)
    assert x[1.0] == pytest.approx(-0.025, abs=1e-6)
    assert stuck[-1] == pytest.approx(0.7853981634, abs=3e-4)
    assert run.energy_audit.relative < 1e-6


# ---- benchmarks of spec/ ---------------------------------------------------------------------


def reference(name):
    data = json.loads((BENCHMARKS / f"{name}.json").read_text())
    return data["columns"], np.array(data["rows"], dtype=float)


def test_heavy_top():
    _, rows = reference("heavy_top")
    body = ts.Body("top", mass=15.0, com=(0, 1, 0), inertia=(0.234375, 0.46875, 0.234375, 0, 0, 0))
    model = ts.Model(
        gravity=(0, 0, -9.81),
        bodies=(body,),
        joints=(ts.Joint("ball", "world", "top", ts.Spherical()),),
        frames=(ts.Frame("com", "top", at=(0, 1, 0)),),
    )
    start = {"ball.rate2": 150.0, "ball.rate3": -4.61538}
    rows = rows[:101]
    run = simulate(model, rows[-1, 0], start, output=rows[:, 0], rtol=1e-12, atol=1e-12)
    got = np.stack([run[f"com.position.{c}"] for c in "xyz"], axis=1)
    np.testing.assert_allclose(got, rows[:, 1:4], rtol=0, atol=1e-9)


def test_ten_pendula():
    columns, rows = reference("n_pendulum_N10")
    bodies = tuple(
        ts.Body(f"b{i}", mass=1.0, com=(0.5, 0, 0), inertia=(0, 1 / 12, 1 / 12, 0, 0, 0))
        for i in range(10)
    )
    joints = tuple(
        ts.Joint(
            f"j{i}",
            "world" if i == 0 else f"b{i - 1}",
            f"b{i}",
            ts.Revolute("z"),
            at=(1 if i else 0, 0, 0),
        )
        for i in range(10)
    )
    model = ts.Model(
        gravity=(0, -9.81, 0),
        bodies=bodies,
        joints=joints,
        frames=(ts.Frame("tip", "b9", at=(1, 0, 0)),),
    )
    run = simulate(model, 1.0, output=rows[:, 0], rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(run["tip.position.x"], rows[:, columns.index("tipx")], atol=2e-9)
    np.testing.assert_allclose(run["j0.angle"], rows[:, columns.index("th1")], atol=2e-9)


def test_spong_flexible_joint():
    _, rows = reference("spong_flexible_joint")
    body = ts.Body("arm", mass=1.0, com=(0, 0, -1.0))
    joint = ts.Joint(
        "j", "world", "arm", ts.Revolute("y"), drive=Drive(rotor_inertia=1.0, stiffness=100.0)
    )
    model = ts.Model(gravity=(0, 0, -10), bodies=(body,), joints=(joint,))
    run = simulate(
        model,
        rows[-1, 0],
        {"j.angle": 1.0, "j.motor.angle": 1.0},
        output=rows[:, 0],
        rtol=1e-12,
        atol=1e-12,
    )
    np.testing.assert_allclose(run["j.angle"], rows[:, 1], atol=1e-9)
    np.testing.assert_allclose(run["j.motor.angle"], rows[:, 2], atol=1e-9)


def test_effort_is_the_opposite_of_tension():
    """An actuator's push appears as supplied work."""
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("m", mass=2.0),),
        joints=(ts.Joint("x", "world", "m", ts.Prismatic("x")),),
        forces=(JointForce("push", "x", Effort(4.0)),),
    )
    run = simulate(model, 1.0)
    assert run["x.displacement"][-1] == pytest.approx(1.0, rel=1e-9)
    assert run.energy_audit.supplied == pytest.approx(4.0, rel=1e-9)


# ---- crash: two vehicles and a link between points (O-CR2) -------------------------------------


def test_cr2_two_vehicles():
    curve = ((0.02, 0), (0.05, 150e3), (0.15, 225e3), (0.20, 125e3), (0.45, 200e3), (0.50, 500e3))
    from torseur.forces import Crush, PointForce

    link = PointForce(
        "link",
        "c1",
        "c2",
        Crush(curve, unloading=2e7, beyond=6e6, sense="compression", free_length=3.0),
    )
    model = ts.Model(
        gravity=(0, 0, 0),
        forces=(link,),
        bodies=(ts.Body("c1", mass=1000.0), ts.Body("c2", mass=1500.0)),
        joints=(
            ts.Joint("x1", "world", "c1", ts.Prismatic("x")),
            ts.Joint("x2", "world", "c2", ts.Prismatic("x")),
        ),
    )
    start = {"x1.speed": 15.0, "x2.speed": -10.0, "x2.displacement": 3.0}
    run = simulate(model, 0.15, start, rtol=1e-10, atol=1e-12)
    assert run["link.deflection"].max() == pytest.approx(0.6170482471, abs=1e-9)
    assert -run["link.force"].min() == pytest.approx(1202289.482612, rel=1e-8)
    assert run["x1.speed"][-1] == pytest.approx(-6.5852107028, rel=1e-8)
    assert run["x2.speed"][-1] == pytest.approx(4.3901404685, rel=1e-8)
    assert run.energy_audit.dissipated == pytest.approx(151362.5, rel=1e-6)
    assert run.energy_audit.relative < 1e-8
