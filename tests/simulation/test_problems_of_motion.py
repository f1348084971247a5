"""Equilibrium, modes, linear models and efforts along motions, against closed forms and oracles."""

import numpy as np
import pytest

import torseur as ts
from torseur.forces import Drive, Effort, JointForce, Spring, Viscous
from torseur.robots import Trapezoidal
from torseur.simulation import simulate
from torseur.solve import equilibrium, inverse, linearize, modes


def sliders():
    bodies = (ts.Body("s1", mass=1.0), ts.Body("s2", mass=1.0))
    joints = (
        ts.Joint("a", "world", "s1", ts.Prismatic("x"), rpy=(0, "-pi/4", 0)),
        ts.Joint("b", "s1", "s2", ts.Prismatic("x")),
    )
    forces = (JointForce("k0", "a", Spring(100.0)), JointForce("k1", "b", Spring(50.0)))
    return ts.Model(gravity=(0, 0, -9.81), bodies=bodies, joints=joints, forces=forces)


def bar(drive=None, damping=0.0, **model):
    body = ts.Body("bar", mass=15.0, com=(0, 0, -1.0), inertia=(0, 15, 15, 0, 0, 0))
    joint = ts.Joint("j", "world", "bar", ts.Revolute("y"), damping=damping, drive=drive)
    return ts.Model(gravity=(0, 0, -9.8), bodies=(body,), joints=(joint,), **model)


def two_bars(Ia, K=None, flexible=True):
    def drive():
        return Drive(rotor_inertia=Ia, stiffness=K, flexible=flexible)

    bodies = tuple(
        ts.Body(n, mass=5.0, com=(0, 0, -0.5), inertia=(0, 5 / 12, 5 / 12, 0, 0, 0))
        for n in ("b1", "b2")
    )
    joints = (
        ts.Joint("j1", "world", "b1", ts.Revolute("y"), drive=drive()),
        ts.Joint("j2", "b1", "b2", ts.Revolute("y"), at=(0, 0, -1), drive=drive()),
    )
    return ts.Model(gravity=(0, 0, -9.8), bodies=bodies, joints=joints)


def test_m3_equilibrium_and_frequencies():
    found = equilibrium(sliders())
    assert found.stable
    assert found["a.displacement"] == pytest.approx(-0.1387343505, abs=1e-10)
    assert found["b.displacement"] == pytest.approx(-0.1387343505, abs=1e-10)
    np.testing.assert_allclose(modes(sliders(), found).omega, [5.41196100, 13.06562965], rtol=1e-8)
    still = simulate(sliders(), 1.0, dict(found))
    assert abs(still["a.displacement"] - found["a.displacement"]).max() < 1e-12


def test_an_upright_pendulum_is_an_unstable_equilibrium():
    found = equilibrium(bar(), near={"j.angle": 3.0}, stable=False)
    assert found["j.angle"] == pytest.approx(np.pi, abs=1e-10) and not found.stable


@pytest.mark.parametrize(
    "Ia, K, want",
    [
        (3.33, None, (2.15551902, 2.42511371)),
        (3.33, 200, (2.08390376, 2.40027785, 8.66811933, 26.66125833)),
        (7.68, None, (1.4596909, 2.17263373)),
        (7.68, 1000, (1.44837929, 2.15886706, 14.17425828, 56.54434406)),
    ],
)
def test_b2_frequencies(Ia, K, want):
    np.testing.assert_allclose(modes(two_bars(Ia, K)).omega, want, rtol=1e-8)


def test_the_same_bars_are_rigid_by_a_switch():
    stiff = two_bars(3.33, 200, flexible=False)
    assert stiff.check().nv == 2
    np.testing.assert_allclose(modes(stiff).omega, (2.15551902, 2.42511371), rtol=1e-8)


@pytest.mark.parametrize(
    "J, K, want",
    [
        (400, 1e4, (0.58100128, 19.04982338)),
        (400, 1e5, (0.58431679, 59.89901424)),
        (0.04, 1e4, (2.21212, 500.33323)),
    ],
)
def test_b1_frequencies(J, K, want):
    got = modes(bar(Drive(rotor_inertia=J, stiffness=K))).omega
    np.testing.assert_allclose(got, want, rtol=2e-6)


def test_d1_frequencies():
    from torseur.forces import DriveStage

    chain = (
        DriveStage("tacho", 2e-5, 100, 50),
        DriveStage("motor", 8.751e-4, 100, 200),
        DriveStage("reducer", 0.05, 1, 1e4),
    )
    got = modes(bar(Drive(stages=chain))).omega
    np.testing.assert_allclose(got, (1.94066043, 37.9253741, 1599.00543, 6358.28274), rtol=1e-8)
    two = modes(bar(Drive(rotor_inertia=9.001, stiffness=1e4))).omega
    np.testing.assert_allclose(two, (1.94066422, 38.0191376), rtol=1e-8)


def test_damped_oscillator_modes_and_linear_model():
    model = ts.Model(
        gravity=(0, 0, 0),
        bodies=(ts.Body("m", mass=2.0),),
        inputs=(ts.Input("f"),),
        joints=(ts.Joint("x", "world", "m", ts.Prismatic("x")),),
        forces=(
            JointForce("k", "x", Spring(50.0)),
            JointForce("c", "x", Viscous(4.0)),
            JointForce("u", "x", Effort(input="f")),
        ),
    )
    found = modes(model)
    assert found.omega[0] == pytest.approx(5.0) and found.damping[0] == pytest.approx(0.2)
    line = linearize(model)
    np.testing.assert_allclose(line.A, [[0, 1], [-25, -2]], atol=1e-12)
    np.testing.assert_allclose(line.B, [[0], [0.5]], atol=1e-12)
    assert line.inputs == ("f",) and line.states == ("d(x.displacement)", "x.speed")
    A, B = line.to_pandas()
    assert A.loc["rate of x.speed", "d(x.displacement)"] == pytest.approx(-25)
    assert B.loc["rate of x.speed", "f"] == pytest.approx(0.5)


def test_names_of_small_motions_and_shapes():
    """Coordinates where speeds are their rates, else the speeds; no minus zero is printed."""
    free = ts.Model(
        bodies=(ts.Body("b", mass=1.0, inertia=(1, 2, 3, 0, 0, 0)),),
        gravity=(0, 0, 0),
        joints=(ts.Joint("fly", "world", "b", ts.Free()),),
    )
    assert linearize(free).states[:6] == tuple(f"d({n})" for n in free.check().speeds)
    found = modes(two_bars(3.33, 200))
    assert found.coordinates == ("j1.angle", "j2.angle", "j1.motor.angle", "j2.motor.angle")
    assert "j1.motor.angle: +" in str(found) and "rate" not in str(found)
    assert "-0.0000" not in str(found) and "0.0000" in str(found)
    pull = JointForce("c", "x", Viscous(4.0))
    slide = ts.Model(
        bodies=(ts.Body("m", mass=2.0),),
        forces=(pull,),
        gravity=(0, 0, 0),
        joints=(ts.Joint("x", "world", "m", ts.Prismatic("x")),),
    )
    assert "-0" not in str(linearize(slide)).replace("-2", "")


def test_linear_model_of_a_turning_body_is_the_derivative_of_its_flow():
    """Tangent coordinates on quaternions, about a state in motion: against differences."""
    body = ts.Body("b", mass=1.0, com=(0.1, 0, 0.2), inertia=(1.0, 2.0, 2.5, 0, 0, 0))
    model = ts.Model(bodies=(body,), joints=(ts.Joint("s", "world", "b", ts.Spherical()),)).check()
    at = {"s.rate1": 0.3, "s.rate2": -0.5, "s.rate3": 0.8, "s.qw": 0.8, "s.qx": 0.6}
    A = linearize(model, at).A
    dyn = ts.compile(model)
    q, v = model.state(at)
    h = 1e-6
    for i in range(3):
        d = np.eye(3)[i] * h
        up, down = (dyn.forward_dynamics(dyn.integrate(q, x), v, np.zeros(3)) for x in (d, -d))
        np.testing.assert_allclose(A[3:, i], (up - down) / (2 * h), atol=1e-7)


# ---- inverse -----------------------------------------------------------------------------------

PUMA = {  # m2, x2, J2, m3, x3, J3 of O-B3
    "U": (33, 0.219, (0.62, 0.91, 1.46), 36.2, 0.40, (0.20, 3.98, 4.18)),
    "CW": (173, -72.2 * 0.6 / 173, (1.14, 9.9, 10.2), 72.2, 0.0, (0.5, 15.6, 15.8)),
    "RD": (33, 0.10, (0.8, 5, 5), 36.2, 0.15, (0.2, 6.5, 6.5)),
}
TORQUES = {
    "U": {
        0.05: (135.497349, 590.312296, 171.270704),
        0.5: (-39.119319, 474.296656, 124.380953),
        0.9: (-126.825536, -179.919127, -132.141402),
    },
    "CW": {
        0.05: (285.711667, 470.290459, 189.348549),
        0.5: (-93.060270, 50.321084, -3.790949),
        0.9: (-178.569568, -431.932398, -185.553379),
    },
    "RD": {
        0.05: (136.758532, 468.802257, 107.067814),
        0.5: (-39.545448, 323.191871, 45.757884),
        0.9: (-104.961191, -98.391790, -91.508368),
    },
}


def puma(case):
    m2, x2, J2, m3, x3, J3 = PUMA[case]
    bodies = (
        ts.Body("b1", 0.0, about="origin", first_moment=(0, 0, 0), inertia=(0,) * 6),
        ts.Body("b2", m2, (x2, 0, 0), (*J2, 0, 0, 0)),
        ts.Body("b3", m3, (x3, 0, 0), (*J3, 0, 0, 0)),
    )
    arm = ts.from_dh(
        [(0, 0, 0, 0), ("pi/2", 0, 0, 0), (0, 0.6, 0, 0)],
        bodies,
        convention="modified",
        gravity=(0, 0, -9.81),
    )
    from dataclasses import replace

    first = replace(arm.joints[0], armature=4.36)  # Izz of the column
    return replace(arm, joints=(first, *arm.joints[1:]))


@pytest.mark.parametrize("case", TORQUES)
def test_b3_torques_along_the_law(case):
    limits = {"speed": 2.0, "acceleration": 6.0}
    law = {
        f"joint{i + 1}.angle": Trapezoidal(*np.radians(ends), **limits)
        for i, ends in enumerate(((0, 90), (-20, 60), (-60, 40)))
    }
    run = inverse(puma(case), law, times=list(TORQUES[case]))
    for i, want in enumerate(TORQUES[case].values()):
        got = [run[f"joint{j}.effort"][i] for j in (1, 2, 3)]
        np.testing.assert_allclose(got, want, rtol=0, atol=2e-6)
        for j in (1, 2, 3):
            parts = ("inertia", "coriolis", "centrifugal", "gravity")
            total = sum(run[f"joint{j}.effort.{p}"][i] for p in parts)
            assert total == pytest.approx(run[f"joint{j}.effort"][i], rel=1e-12, abs=1e-9)


def test_b1_rigid_torque():
    class Sine:
        breakpoints = (0.0, 1.0)

        def __call__(self, t):
            return np.sin(8 * t), 8 * np.cos(8 * t), -64 * np.sin(8 * t)

    model = bar(Drive(rotor_inertia=400, friction=150), damping=36.0)
    run = inverse(model, {"j.angle": Sine()}, times=[0, 0.1, 0.25, 0.5, 1])
    want = (1488, -18608.30302249, -25527.09804452, 19753.6527247, -27320.798966)
    np.testing.assert_allclose(run["j.effort"], want, rtol=1e-10)


def test_dry_friction_is_a_contribution_while_it_slides():
    """Against the motion, of its sliding size; none at the instant of rest; through shafts too."""
    from dataclasses import replace

    rub = ts.DryFriction("rub", "j.angle", force=6.0, static=9.0, radius=0.5)
    model = replace(bar(), constraints=(rub,))
    motion = {"j.angle": "0.2*sin(3*t)"}
    times = np.linspace(0, 2, 81)
    run, bare = inverse(model, motion, times), inverse(bar(), motion, times)
    np.testing.assert_allclose(run["j.effort.rub"], 3.0 * np.sign(run["j.rate"]), rtol=1e-14)
    np.testing.assert_allclose(run["j.effort"] - bare["j.effort"], run["j.effort.rub"], atol=1e-10)
    soft = replace(bar(Drive(rotor_inertia=2.0, stiffness=4e3)), constraints=(rub,))
    twist = inverse(soft, motion, times)
    np.testing.assert_allclose(
        twist["j.motor.angle"] - twist["j.angle"], run["j.effort"] / 4e3, atol=1e-14
    )
    block = ts.Model(
        bodies=(ts.Body("b", mass=1),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        constraints=(ts.DryFriction("rub", "x.displacement", coefficient=0.2, normal="joint"),),
    )
    with pytest.raises(ts.TorseurError, match=r"'rub'.* depends on reactions"):
        inverse(block, {"x.displacement": "t"}, [0.0])
