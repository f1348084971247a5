"""Motors behind elastic shafts: the direct problem under what was found gives the motion back.

The direct problem is integrated by SciPy on the compiled forward dynamics: it shares no line with
the inverse one.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import make_interp_spline

import torseur as ts
from torseur.errors import ArgumentError, TorseurError
from torseur.forces import (
    Backlash,
    BoucWen,
    CoordinateForce,
    Drive,
    DriveStage,
    Expression,
    Polynomial,
    Seen,
    Spring,
    Table,
    Viscous,
)
from torseur.robots import Cycloidal, Quintic, Septic, Spline, Trapezoidal
from torseur.scalars import Floats


def bar(drive, damping=0.0, **model):
    """O-B1: 30 kg m2 about the joint, 147 N m of weight."""
    body = ts.Body("bar", mass=15.0, com=(0, 0, -1.0), inertia=(0, 15, 15, 0, 0, 0))
    joint = ts.Joint("j", "world", "bar", ts.Revolute("y"), damping=damping, drive=drive)
    return ts.Model(
        "bar",
        gravity=(0, 0, -9.8),
        bodies=(body,),
        joints=(joint,),
        inputs=(ts.Input("u"),),
        **model,
    )


def two_bars(K, d=0.0, Ia=3.33, ratio=1.0):
    """O-B2, motors by inputs."""
    drives = [
        Drive(
            ratio=ratio,
            rotor_inertia=Ia / ratio**2,
            stiffness=K,
            damping=d,
            friction=0.02,
            input=f"u{i}",
        )
        for i in (1, 2)
    ]
    bodies = tuple(
        ts.Body(n, mass=5.0, com=(0, 0, -0.5), inertia=(0, 5 / 12, 5 / 12, 0, 0, 0))
        for n in ("b1", "b2")
    )
    joints = (
        ts.Joint("j1", "world", "b1", ts.Revolute("y"), drive=drives[0]),
        ts.Joint("j2", "b1", "b2", ts.Revolute("y"), at=(0, 0, -1), drive=drives[1]),
    )
    return ts.Model(
        "two bars",
        gravity=(0, 0, -9.8),
        bodies=bodies,
        joints=joints,
        inputs=(ts.Input("u1"), ts.Input("u2")),
    )


def rows(end, n):
    """Even times; the last on the near side of the law's end, where it still moves."""
    return np.append(np.linspace(0, end, n)[:-1], np.nextafter(end, 0))


def direct(model, run, inputs, rtol=1e-11):
    """Coordinates by the direct problem under the inputs found, started where the motion starts."""
    s, dyn = model.check(), ts.compile(model)
    spline = make_interp_spline(run.time, np.stack([run[n] for n in inputs], 1), 5)

    def rates(t, y):
        q, v = y[: s.nq], y[s.nq :]
        return np.concatenate([v, dyn.forward_dynamics(q, v, dyn.applied(t, q, v, u=spline(t)))])

    start = [run[n][0] for n in (*s.coordinates, *s.speeds)]
    found = solve_ivp(
        rates, run.time[[0, -1]], start, "DOP853", t_eval=run.time, rtol=rtol, atol=1e-12
    )
    assert found.success
    return dict(zip((*s.coordinates, *s.speeds), found.y, strict=True))


def follows(model, run, inputs, atol):
    got = direct(model, run, inputs)
    for name, x in got.items():
        np.testing.assert_allclose(x, run[name], atol=atol, err_msg=name)


# ---- without damping: algebra of the motion's derivatives ----------------------------------------


@pytest.mark.parametrize("J, B, K", [(400, 150, 1e4), (400, 150, 1e5), (2.0, 0.5, 1e4)])
def test_b1_motor_in_closed_form(J, B, K):
    """theta_M = theta + (30 theta'' + 36 theta' + 147 sin theta) / K, by hand."""
    model = bar(Drive(rotor_inertia=J, stiffness=K, friction=B, input="u"), damping=36.0)
    run = ts.inverse(model, {"j.angle": "sin(8*t)"}, np.linspace(0, 1, 501))
    t = run.time
    x = [np.sin(8 * t), 8 * np.cos(8 * t)]
    x += [-64 * x[0], -64 * x[1], 4096 * x[0]]
    s, c = np.sin(x[0]), np.cos(x[0])
    load = [147 * s, 147 * c * x[1], 147 * (c * x[2] - s * x[1] ** 2)]
    T = [30 * x[2 + i] + 36 * x[1 + i] + load[i] for i in range(3)]
    M = [x[i] + T[i] / K for i in range(3)]
    for name, want in (
        ("j.motor.angle", M[0]),
        ("j.motor.rate", M[1]),
        ("j.effort", T[0]),
        ("j.motor.acceleration", M[2]),
        ("j.motor.shaft.force", T[0]),
        ("j.motor.effort", J * M[2] + B * M[1] + T[0]),
        ("u", J * M[2] + B * M[1] + T[0]),
    ):
        np.testing.assert_allclose(run[name], want, rtol=0, atol=1e-12 * abs(want).max())


@pytest.mark.parametrize(
    "law",
    [
        Septic(0.2, 1.0, 1.0),
        Cycloidal(0.2, 1.0, 1.0),
        Spline([0, 0.4, 1.0], [0.2, 1.0, 0.5], "septic"),
    ],
    ids=["septic", "cycloidal", "points"],
)
def test_a_flexible_bar_is_moved_as_told(law):
    model = bar(Drive(ratio=50.0, rotor_inertia=2e-3, stiffness=5000.0, friction=1e-4, input="u"))
    run = ts.inverse(model, {"j.angle": law}, rows(1, 1001))
    follows(model, run, ["u"], 3e-7 if isinstance(law, Cycloidal) else 1e-9)
    np.testing.assert_allclose(run["u"], run["j.motor.effort"] / 50, rtol=1e-14)


def test_coupled_arm_on_elastic_joints():
    model = two_bars(200.0, ratio=30.0)
    motion = {"j1.angle": Septic(0.0, 1.0, 1.5), "j2.angle": "0.3 + 0.4*sin(3*t)"}
    run = ts.inverse(model, motion, rows(1.5, 1501))
    follows(model, run, ["u1", "u2"], 2e-8)
    parts = [n for n in run.signals if n.startswith("j1.effort.")]
    np.testing.assert_allclose(sum(run[n] for n in parts), run["j1.effort"], atol=1e-10)


def test_spong_joint_described_by_hand():
    """The benchmark's arm with a rotor and a spring of its own, not a Drive."""
    body = ts.Body("link", mass=1.0, com=(0, 0, -1))
    model = ts.Model(
        "spong",
        gravity=(0, 0, -10),
        bodies=(body,),
        rotors=(ts.Rotor("motor", 1.0),),
        joints=(ts.Joint("arm", "world", "link", ts.Revolute("y")),),
        inputs=(ts.Input("u"),),
        forces=(
            CoordinateForce("shaft", {"motor.angle": 1, "arm.angle": -1}, Spring(100.0)),
            CoordinateForce("push", {"motor.angle": 1}, ts.Effort(input="u")),
        ),
    )
    run = ts.inverse(model, {"arm.angle": Septic(0.0, np.pi / 2, 1.0)}, rows(1, 1001))
    follows(model, run, ["u"], 1e-9)
    q, a = run["arm.angle"], run["arm.acceleration"]
    np.testing.assert_allclose(run["motor.angle"], q + (a + 10 * np.sin(q)) / 100, atol=1e-13)


LAWS = {
    "table": Table(((-0.1, -950.0), (-0.02, -150.0), (0.0, 0.0), (0.02, 150.0), (0.1, 950.0))),
    "cubic": Polynomial((4000.0, 0.0, 2e6)),
    "text": Expression("3000*x + 1e6*x**3"),
}


@pytest.mark.parametrize("law", LAWS)
def test_nonlinear_shafts_are_inverted(law):
    model = bar(Drive(rotor_inertia=2.0, stiffness=LAWS[law], friction=1.0, input="u"))
    run = ts.inverse(model, {"j.angle": "0.05 + 0.03*sin(4*t)"}, np.linspace(0, 0.4, 201))
    x = run["j.motor.shaft.deflection"]
    K = Floats()

    def force(a):
        seen = Seen(a, 0.0)
        return LAWS[law].force(K, seen._replace(m=LAWS[law].start(K, seen)[1]))

    np.testing.assert_allclose([force(a) for a in x], run["j.effort"], rtol=1e-12, atol=1e-12)
    if law != "table":  # the table's kinks make the motor's speed jump
        follows(model, run, ["u"], 1e-9)


def test_a_table_between_its_knots():
    """On one straight piece the motor is that of a spring with the piece's stiffness."""
    model = bar(Drive(rotor_inertia=2.0, stiffness=LAWS["table"], input="u"))
    line = bar(Drive(rotor_inertia=2.0, stiffness=7500.0, input="u"))
    motion = {"j.angle": "0.5 + 0.03*sin(4*t)"}
    a, b = (ts.inverse(m, motion, np.linspace(0, 1, 101)) for m in (model, line))
    assert abs(a["j.effort"]).max() < 150.0
    np.testing.assert_allclose(a["u"], b["u"], rtol=1e-11)


def test_arrays_and_runs_can_be_followed():
    """A spline of degree seven through the rows of a law is as good as the law."""
    model = bar(Drive(rotor_inertia=2.0, stiffness=5000.0, input="u"))
    law, t = Septic(0.2, 1.0, 1.0), np.linspace(0, 1, 201)
    exact = ts.inverse(model, {"j.angle": law}, t)
    splined = ts.inverse(model, {"time": t, "j.angle": law(t)[0]})
    a, b = exact["u"][5:-5], splined["u"][5:-5]
    np.testing.assert_allclose(b, a, atol=1e-5 * abs(a).max())
    np.testing.assert_allclose(splined["j.motor.angle"], exact["j.motor.angle"], atol=1e-9)


# ---- one shaft behind another -------------------------------------------------------------------


def chain(damping=0.0, second=300.0):
    """Motor, wheel, joint: ratios 20 and 2, so the shafts' stiffness is seen at their own parts."""
    stages = (
        DriveStage("motor", 1e-3, 20, second, damping=damping, friction=1e-4),
        DriveStage("wheel", 0.1, 2, 2000.0, friction=0.05),
    )
    return bar(Drive(stages=stages, input="u"), damping=1.0)


@pytest.mark.parametrize(
    "damping, second",
    [
        pytest.param(0.0, 300.0, marks=pytest.mark.slow),
        (0.05, 300.0),
        (0.0, Expression("1e5*x + 1e9*x**3")),
    ],
    ids=["springs", "damped", "nonlinear"],
)
def test_two_shafts_in_a_row(damping, second):
    """The motor needs six derivatives of the joint's motion."""
    model = chain(damping, second)
    run = ts.inverse(model, {"j.angle": "0.6 + 0.4*sin(3*t)"}, rows(0.2, 201))
    follows(model, run, ["u"], 2e-9)
    assert run["j.wheel.shaft.force"][5] == pytest.approx(run["j.effort"][5], rel=1e-13)
    assert "j.wheel.effort" not in run.signals and "j.motor.effort" in run.signals


def test_two_shafts_by_hand():
    """Free of weight: theta_2 = q + I q'' / k1, theta_1 = theta_2 + (J2 theta_2'' + I q'') / k2."""
    body = ts.Body("disc", mass=1.0, inertia=(2.0, 3.0, 2.0, 0, 0, 0))
    stages = (DriveStage("motor", 0.5, 1, 400.0), DriveStage("wheel", 0.2, 1, 700.0))
    model = ts.Model(
        bodies=(body,),
        gravity=(0, 0, 0),
        inputs=(ts.Input("u"),),
        joints=(
            ts.Joint("j", "world", "disc", ts.Revolute("y"), drive=Drive(stages=stages, input="u")),
        ),
    )
    law = Spline([0, 0.5, 1.0], [0.0, 1.0, 0.2], "septic")
    run = ts.inverse(model, {"j.angle": law}, np.linspace(0, 0.99, 100))
    q = [law.derivative(run.time, n) for n in range(9)]
    wheel = [q[n] + 3 * q[n + 2] / 700 for n in range(5)]
    motor = [wheel[n] + (0.2 * wheel[n + 2] + 3 * q[n + 2]) / 400 for n in range(3)]
    for name, want in (
        ("j.wheel.angle", wheel[0]),
        ("j.motor.angle", motor[0]),
        ("j.motor.rate", motor[1]),
        ("j.motor.acceleration", motor[2]),
        ("u", 0.5 * motor[2] + 0.2 * wheel[2] + 3 * q[2]),
    ):
        np.testing.assert_allclose(run[name], want, rtol=1e-10, atol=1e-9 * abs(want).max())


# ---- with damping: a first-order equation along the motion ---------------------------------------


@pytest.mark.parametrize("d", [0.5, 50.0, 2000.0])
def test_damped_shaft_against_the_exact_filter(d):
    """Linear case in closed form: the tension of sin(w t) bends the shaft by a filtered sine."""
    K, w = 5000.0, 8.0
    body = ts.Body("disc", mass=1.0, inertia=(2.0, 3.0, 2.0, 0, 0, 0))
    model = ts.Model(
        bodies=(body,),
        gravity=(0, 0, 0),
        inputs=(ts.Input("u"),),
        joints=(
            ts.Joint(
                "j",
                "world",
                "disc",
                ts.Revolute("y"),
                drive=Drive(rotor_inertia=2.0, stiffness=K, damping=d, input="u"),
            ),
        ),
    )
    run = ts.inverse(model, {"j.angle": f"sin({w}*t)"}, np.linspace(0, 1, 301))
    t = run.time
    amplitude = -3 * w * w / (K + 1j * d * w)  # x' = (T - K x) / d, T = -3 w2 sin
    slow = (amplitude * np.exp(1j * w * t)).imag
    x = run["j.motor.shaft.deflection"]
    transient = (x[0] - slow[0]) * np.exp(-K / d * t)
    np.testing.assert_allclose(x, slow + transient, atol=2e-13)
    assert abs(x[0] - slow[0]) < 3 * abs(slow).max() * (d * w / K) ** 3
    rate = (1j * w * amplitude * np.exp(1j * w * t)).imag - K / d * transient
    np.testing.assert_allclose(run["j.motor.rate"] - run["j.rate"], rate, atol=2e-10)
    twice = -w * w * slow + (K / d) ** 2 * transient
    np.testing.assert_allclose(
        run["j.motor.acceleration"] - run["j.acceleration"], twice, atol=2e-6
    )


@pytest.mark.parametrize("d", [4.0, 400.0])
def test_a_damped_shaft_under_a_tension_that_jumps(d):
    """Piecewise constant acceleration: exponentials, whose slope leaps with the tension."""
    K = 5000.0
    body = ts.Body("disc", mass=1.0, inertia=(2.0, 3.0, 2.0, 0, 0, 0))
    model = ts.Model(
        bodies=(body,),
        gravity=(0, 0, 0),
        joints=(
            ts.Joint(
                "j",
                "world",
                "disc",
                ts.Revolute("y"),
                drive=Drive(rotor_inertia=2.0, stiffness=K, damping=d),
            ),
        ),
    )
    law = Trapezoidal(0.0, 1.0, speed=2.0, acceleration=8.0)  # kinks at 0, 0.25, 0.5, 0.75 s
    run = ts.inverse(model, {"j.angle": law}, points=301)
    x0, x, slope = 0.0, [], []
    for first, last, T in (
        (0.0, 0.25, 24.0),
        (0.25, 0.5, 0.0),
        (0.5, 0.75, -24.0),
        (0.75, 0.8, 0.0),
    ):
        t = run.time[(run.time >= first) & (run.time < last)] - first
        fade = np.exp(-K / d * t)
        x.append(T / K + (x0 - T / K) * fade)
        slope.append(-K / d * (x0 - T / K) * fade)
        x0 = T / K + (x0 - T / K) * np.exp(-K / d * (last - first))
    x, slope = np.concatenate(x), np.concatenate(slope)
    np.testing.assert_allclose(run["j.motor.shaft.deflection"], x, atol=1e-12)
    near = (run["j.motor.rate"] - run["j.rate"] - slope) / abs(slope).max()
    assert abs(near).max() < 1e-7
    assert "the acceleration of 'j.angle' jumps at t = 0.25 s (and 1 more)" in run.outcome


@pytest.mark.parametrize("d, law", [(1.0, "0.6 + 0.4*sin(3*t)"), (300.0, Septic(0.2, 1.0, 1.0))])
def test_a_damped_bar_is_moved_as_told(d, law):
    model = bar(Drive(rotor_inertia=2.0, stiffness=5000.0, damping=d, friction=0.5, input="u"))
    run = ts.inverse(model, {"j.angle": law}, rows(0.4, 401))
    follows(model, run, ["u"], 2e-9)
    if isinstance(law, Septic):  # from rest: the static twist
        x = run["j.motor.shaft.deflection"][0]
        assert x == pytest.approx(147 * np.sin(0.2) / 5000, rel=1e-12)
        once = ts.inverse(model, {"j.angle": law}, [0.0])
        assert once["j.motor.angle"] == pytest.approx(run["j.motor.angle"][:1], rel=1e-14)


def test_a_damped_coupled_arm():
    model = two_bars(200.0, 2.0)
    motion = {"j1.angle": Septic(0.0, 1.0, 1.5), "j2.angle": Septic(0.3, -0.8, 1.5)}
    run = ts.inverse(model, motion, rows(1.5, 1501))
    follows(model, run, ["u1", "u2"], 1e-8)


def test_a_nonlinear_shaft_with_damping():
    model = bar(Drive(rotor_inertia=2.0, stiffness=LAWS["cubic"], damping=20.0, input="u"))
    run = ts.inverse(model, {"j.angle": Septic(0.2, 1.0, 1.0)}, rows(0.4, 401))
    follows(model, run, ["u"], 1e-8)


def test_little_damping_changes_little():
    """A shaft's own time of a nanosecond: as without damping, and no noise."""
    laws = {"j.angle": Septic(0.2, 1.0, 1.0)}
    runs = [
        ts.inverse(
            bar(Drive(rotor_inertia=2.0, stiffness=5e3, damping=d, input="u")), laws, rows(1, 401)
        )
        for d in (0.0, 5e-6)
    ]
    a, b = (run["u"][1:] for run in runs)  # the snap jumps as the law begins
    np.testing.assert_allclose(b, a, atol=1e-5 * abs(a).max())


# ---- what is said -------------------------------------------------------------------------------


def test_motions_that_a_motor_cannot_follow_are_named():
    model = bar(Drive(rotor_inertia=2.0, stiffness=5000.0, input="u"))
    law = Trapezoidal(0.0, 1.0, speed=2.0, acceleration=8.0)
    told = ts.inverse(model, {"j.angle": law}).outcome
    assert (
        "the acceleration of 'j.angle' jumps at t = 0.25 s" in told and "ts.robots.Septic" in told
    )
    assert "jumps" not in ts.inverse(model, {"j.angle": Quintic(0, 1, 1.0)}).outcome
    twice = Spline([0, 1, 2], [0, 1, 0], "cubic")
    assert "the jerk of" in ts.inverse(model, {"j.angle": twice}).outcome


@pytest.mark.parametrize(
    "drive, text",
    [
        (Drive(rotor_inertia=1.0, stiffness=Backlash(0.01, 5e4, 20.0)), "does not grow"),
        (Drive(rotor_inertia=1.0, stiffness=BoucWen(2e4, 0.002)), "states or inputs of its own"),
        (
            Drive(stages=(DriveStage("tacho", 1e-3, 1, 50), DriveStage("motor", 1e-2, 1, 200))),
            "'j.tacho' turns beyond the motor 'j.motor'",
        ),
        (
            Drive(
                stages=(
                    DriveStage("motor", 1e-3, 1, 50),
                    DriveStage("wheel", 1e-2, 1, 200, damping=1.0),
                )
            ),
            "shaft 'j.wheel.shaft' has another behind it",
        ),
        (
            Drive(
                stages=(
                    DriveStage("motor", 1e-3, 1, 50),
                    DriveStage("wheel", 1e-2, 1, LAWS["cubic"]),
                )
            ),
            "must be a linear spring without damping",
        ),
    ],
)
def test_shafts_that_cannot_be_followed_back(drive, text):
    body = ts.Body("bar", mass=1.0, com=(0, 0, -1.0))
    model = ts.Model(
        bodies=(body,), joints=(ts.Joint("j", "world", "bar", ts.Revolute("y"), drive=drive),)
    )
    with pytest.raises(TorseurError, match=text):
        ts.inverse(model, {"j.angle": "0.3*sin(4*t)"}, np.linspace(0, 1, 11))


def test_two_rotors_on_one_joint_share_an_open_effort():
    body = ts.Body("bar", mass=1.0, com=(0, 0, -1.0))
    shafts = tuple(
        CoordinateForce(f"s{i}", {f"m{i}.angle": 1, "j.angle": -1}, Spring(100.0)) for i in (1, 2)
    )
    model = ts.Model(
        bodies=(body,),
        rotors=(ts.Rotor("m1", 1.0), ts.Rotor("m2", 1.0)),
        joints=(ts.Joint("j", "world", "bar", ts.Revolute("y")),),
        forces=shafts,
    )
    with pytest.raises(TorseurError, match=r"'s1' and 's2' drive one coordinate, 'j\.angle'"):
        ts.inverse(model, {"j.angle": "t"}, [0.0, 1.0])
    given = ts.inverse(model, {"j.angle": "t", "m2.angle": "t"}, [0.0, 1.0])  # one of them told
    np.testing.assert_allclose(given["s1.force"], given["j.effort"])


def test_laws_with_too_few_derivatives_say_so():
    model = bar(Drive(rotor_inertia=2.0, stiffness=5000.0, input="u"))
    with pytest.raises(ArgumentError, match=r"needs the jerk of 'j\.angle'.* gives 3 numbers"):
        ts.inverse(model, {"j.angle": lambda t: (t, 1 + 0 * t, 0 * t)}, [0.0, 1.0])
    five = ts.inverse(
        model, {"j.angle": lambda t: (t**4, 4 * t**3, 12 * t**2, 24 * t, 24)}, [0.0, 0.5]
    )
    text = ts.inverse(model, {"j.angle": "t**4"}, [0.0, 0.5])
    np.testing.assert_allclose(five["u"], text["u"], rtol=1e-13)
    with pytest.raises(TorseurError, match="they are the actuators"):
        ts.inverse(model, {"j.angle": "t"}, [0.0, 1.0], actuators=["j"])


def test_a_motor_whose_own_motion_is_given_too():
    """Both ends given: two efforts, each of its own, shaft as any other element."""
    model = bar(Drive(rotor_inertia=2.0, stiffness=5000.0, friction=0.5))
    run = ts.inverse(model, {"j.angle": "0.1*t", "j.motor.angle": "0.2*t**2"}, [0.0, 0.5, 1.0])
    t = run.time
    T = 5000 * (0.2 * t**2 - 0.1 * t)
    np.testing.assert_allclose(run["j.motor.effort"], 2 * 0.4 + 0.5 * 0.4 * t + T, atol=1e-10)
    np.testing.assert_allclose(run["j.effort"], 147 * np.sin(0.1 * t) - T, atol=1e-10)


def test_friction_of_the_rotor_and_damping_of_the_joint_are_in_their_places():
    drive = Drive(rotor_inertia=1.0, stiffness=1e9, friction=3.0, input="u")
    stiff = ts.inverse(bar(drive, damping=7.0), {"j.angle": "0.5*t"}, [0.2])
    assert stiff["j.effort"][0] == pytest.approx(147 * np.sin(0.1) + 3.5, rel=1e-9)
    assert stiff["u"][0] == pytest.approx(147 * np.sin(0.1) + 3.5 + 1.5, rel=1e-6)
    assert Viscous(3.0).damping == 3.0
