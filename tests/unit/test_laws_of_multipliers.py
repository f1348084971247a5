"""Laws that see multipliers and reactions, tires, and forces along a fixed direction."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import torseur as ts

G = 9.81
ROD = ts.Body("rod", mass=1.0, inertia=(1 / 12, 1 / 12, 0, 0, 0, 0))
SLIDES = ts.Joint("p", "world", "rod", ts.Planar("y", "translation_first"))
TIP = ts.Frame("tip", "rod", at=(0, 0, -0.5))
FLOOR = ts.PointOnPlane("floor", ("rod", (0, 0, -0.5)), normal="z")


def rod(law=None, constraints=()):
    forces = law and (ts.Wrench("rub", "tip", (0, 0, 0, -1, 0, 0), law=law),)
    return ts.Model(
        "rod",
        bodies=(ROD,),
        joints=(SLIDES,),
        frames=(TIP,),
        constraints=(FLOOR, *constraints),
        forces=forces or (),
    )


def test_friction_by_a_multiplier_is_coulombs():
    """A rod that falls on its tip: friction changes the normal force it is made of."""
    start = {"p.angle": 0.4, "p.speed_y": 3.0}
    law = ts.Expression("0.2*N", {"N": "floor.multiplier"})
    dry = ts.DryFriction("rub", ("tip", "x"), coefficient=0.2, normal="floor")
    runs = [ts.simulate(m, 0.25, start, rtol=1e-10) for m in (rod(law), rod(None, (dry,)))]
    for name in ("p.angle", "p.x", "p.y", "floor.multiplier"):
        np.testing.assert_allclose(runs[0][name], runs[1][name], atol=1e-8)
    N = runs[0]["floor.multiplier"]
    np.testing.assert_allclose(runs[0]["rub.force"], 0.2 * N, atol=1e-9)
    assert abs(runs[0]["energy.residual"]).max() < 1e-8


@pytest.mark.parametrize("solution", ["null_space", "elimination", "penalty"])
def test_every_solution_of_the_constraints_agrees(solution):
    law = ts.Expression("0.2*N", {"N": "floor.multiplier"})
    start = {"p.angle": 0.4, "p.speed_y": 3.0}
    one, two = (
        ts.simulate(rod(law), 0.1, start, rtol=1e-9, solution=s) for s in ("multipliers", solution)
    )
    assert two["p.angle"][-1] == pytest.approx(one["p.angle"][-1], abs=1e-7)


def test_viscous_friction_by_the_reaction_of_its_own_joint():
    c, slope = 0.3, 0.5
    m = ts.Model(
        "block",
        gravity=(G * np.sin(slope), 0, -G * np.cos(slope)),
        bodies=(ts.Body("block", mass=2.0),),
        joints=(ts.Joint("s", "world", "block", ts.Prismatic("x")),),
        forces=(
            ts.JointForce("rub", "s", ts.Expression(f"{c}*N*rate", {"N": "s.reaction.force.z"})),
        ),
    )
    run = ts.simulate(m, 1.0, rtol=1e-10)
    k, g = c * G * np.cos(slope), G * np.sin(slope)
    np.testing.assert_allclose(run["s.speed"], g / k * (1 - np.exp(-k * run.time)), atol=1e-8)
    A = ts.linearize(m, {"s.displacement": 0.1}).A
    assert A[1, 1] == pytest.approx(-k, abs=1e-9)


def test_what_is_not_linear_is_refused():
    for text in ("abs(N)", "N**2", "N*rate/(1 + N)"):
        law = ts.Expression(text.replace("rate", "1"), {"N": "floor.multiplier"})
        with pytest.raises(ts.ModelError, match="force 'rub': its force is not linear in the mult"):
            rod(law).check()
    dry = ts.DryFriction("dry", ("tip", "y"), coefficient=0.2, normal="floor")
    law = ts.Expression("N", {"N": "floor.multiplier"})
    with pytest.raises(ts.ModelError, match="which the dry friction 'dry' changes by its own"):
        rod(law, (dry,)).check()
    with pytest.raises(ts.ModelError, match="no coordinate, speed, input, multiplier or reaction"):
        rod(ts.Expression("N", {"N": "flor.multiplier"})).check()
    with pytest.raises(ts.TorseurError, match="forces that see multipliers or reactions"):
        ts.inverse(rod(law), ts.simulate(rod(law), 0.01))
    dyn = ts.compile(rod(law))
    with pytest.raises(ts.TorseurError, match="forces that see multipliers or reactions"):
        dyn.inverse_dynamics([0.4, 0, 0], [0] * 3, [0] * 3, forces=True)


def test_braking_moves_the_load_forward():
    """Locked wheels: m a = mu_f N_f + mu_r N_r with loads that the deceleration shifts."""
    m, front, rear, h = 1200.0, 1.1, 1.5, 0.6
    car = ts.Body("car", mass=m, com=(0, 0, h), inertia=(900, 1800, 2000, 0, 0, 0))
    model = ts.Model(
        "car",
        bodies=(car,),
        joints=(ts.Joint("p", "world", "car", ts.Planar("y", "translation_first")),),
        frames=(ts.Frame("f", "car", at=(front, 0, 0.3)), ts.Frame("r", "car", at=(-rear, 0, 0.3))),
        constraints=(
            ts.PointOnPlane("nf", ("car", (front, 0, 0))),
            ts.PointOnPlane("nr", ("car", (-rear, 0, 0))),
        ),
        forces=(
            ts.Tire("tf", "f", "nf.multiplier", friction=0.9, longitudinal=30, rest_speed=1e-6),
            ts.Tire("tr", "r", "nr.multiplier", friction=0.5, longitudinal=30, rest_speed=1e-6),
        ),
    )
    run = ts.simulate(model, 0.5, {"p.speed_y": 20.0}, rtol=1e-10)
    a = G * (0.9 * rear + 0.5 * front) / (front + rear - h * (0.9 - 0.5))
    np.testing.assert_allclose(run["p.speed_y"], 20.0 - a * run.time, atol=1e-6)
    load = m * (G * rear + a * h) / (front + rear)
    np.testing.assert_allclose(run["nf.multiplier"], load, rtol=1e-9)
    assert abs(run["energy.residual"]).max() < 1e-4  # of 240 kJ
    lost = run["tf.energy.dissipated"][-1] + run["tr.energy.dissipated"][-1]
    assert lost == pytest.approx(m / 2 * (20**2 - run["p.speed_y"][-1] ** 2), rel=1e-7)


def bicycle(delta, V, m=1200.0, J=1800.0, front=1.1, rear=1.5, C=12.0):
    L = front + rear
    car = ts.Body("car", mass=m, inertia=(500, 1500, J, 0, 0, 0))
    return ts.Model(
        "bicycle",
        bodies=(car,),
        joints=(ts.Joint("p", "world", "car", ts.Planar("z", "translation_first")),),
        frames=(
            ts.Frame("f", "car", at=(front, 0, 0.3), rpy=(0, 0, delta)),
            ts.Frame("r", "car", at=(-rear, 0, 0.3)),
        ),
        forces=(
            ts.Tire("tf", "f", m * G * rear / L, longitudinal=0, lateral=C, rest_speed=1e-9),
            ts.Tire("tr", "r", m * G * front / L, longitudinal=0, lateral=C, rest_speed=1e-9),
        ),
    )


def test_a_turning_car_is_the_single_track_model():
    m, J, front, rear, C, delta, V = 1200.0, 1800.0, 1.1, 1.5, 12.0, 0.1, 15.0
    L, run = front + rear, ts.simulate(bicycle(delta, V), 0.6, {"p.speed_x": V}, rtol=1e-10)

    def rates(t, y):
        u, v, r = y
        vf = np.array([u, v + front * r])
        e = np.array([np.cos(delta), np.sin(delta)])
        s = np.array([-np.sin(delta), np.cos(delta)])
        Ff = -C * m * G * rear / L * (vf @ s) / abs(vf @ e) * s
        Fr = -C * m * G * front / L * (v - rear * r) / abs(u)
        return [
            Ff[0] / m + v * r, (Ff[1] + Fr) / m - u * r, (front * Ff[1] - rear * Fr) / J,
        ]  # fmt: skip

    want = solve_ivp(rates, (0, 0.6), [V, 0, 0], rtol=1e-10, atol=1e-10).y[:, -1]
    turned = run["p.angle"][-1]
    c, s = np.cos(turned), np.sin(turned)
    vx, vy = run["p.speed_x"][-1], run["p.speed_y"][-1]
    found = [c * vx + s * vy, c * vy - s * vx, run["p.rate"][-1]]
    np.testing.assert_allclose(found, want, rtol=1e-7)


def test_a_steady_turn_has_the_yaw_rate_of_the_books():
    """Neutral steer (equal coefficients): r = V delta / L, whatever the speed."""
    delta, V = 1e-3, 20.0
    run = ts.simulate(bicycle(delta, V), 3.0, {"p.speed_x": V}, rtol=1e-9)
    speed = np.hypot(run["p.speed_x"][-1], run["p.speed_y"][-1])
    assert run["p.rate"][-1] == pytest.approx(speed * delta / 2.6, rel=1e-5)


def test_a_spring_along_a_direction_of_the_world():
    """Two slides: along the spring the body swings, across it nothing holds."""
    m, k, e = 2.0, 50.0, np.array([0.6, 0.8])
    body = ts.Body("b", mass=m)
    model = ts.Model(
        "b",
        gravity=(0, 0, 0),
        bodies=(ts.Body("carrier"), body),
        joints=(
            ts.Joint("x", "world", "carrier", ts.Prismatic("x")),
            ts.Joint("y", "carrier", "b", ts.Prismatic("y")),
        ),
        forces=(ts.DirectedForce("f", "world", "b", ts.Spring(k), (3, 4, 0)),),
    )
    run = ts.simulate(model, 2.0, {"x.displacement": 0.5, "y.speed": 1.0}, rtol=1e-10)
    w, t, p0, v0 = np.sqrt(k / m), run.time, np.array([0.5, 0]), np.array([0, 1.0])
    n = np.array([-0.8, 0.6])
    p = np.outer((e @ p0) * np.cos(w * t) + (e @ v0) / w * np.sin(w * t), e)
    p += np.outer(n @ p0 + n @ v0 * t, n)
    np.testing.assert_allclose(run["x.displacement"], p[:, 0], atol=1e-8)
    np.testing.assert_allclose(run["y.displacement"], p[:, 1], atol=1e-8)
    assert abs(run["energy.residual"]).max() < 1e-8


def test_a_direction_that_turns_with_a_body():
    """On a slider that turns, a spring along its axis is the spring of a slide on it."""
    rod_, ring = ts.Body("rod", inertia=(0, 0.4, 0.4, 0, 0, 0), mass=1.0), ts.Body("ring", mass=0.5)
    joints = (
        ts.Joint("turn", "world", "rod", ts.Revolute("z")),
        ts.Joint("slide", "rod", "ring", ts.Prismatic("x")),
    )
    lines = (
        ts.DirectedForce("f", "world", "ring", ts.Spring(80.0, 0.3), "x", "rod"),
        ts.JointForce("f", "slide", ts.Spring(80.0, 0.3)),
    )
    start = {"slide.displacement": 0.5, "turn.rate": 3.0}
    one, two = (
        ts.simulate(ts.Model("m", bodies=(rod_, ring), joints=joints, forces=(f,)), 1.0, start)
        for f in lines
    )
    for name in ("turn.angle", "slide.displacement"):
        np.testing.assert_allclose(one[name], two[name], atol=1e-6)


def test_files_say_them(tmp_path):
    m = bicycle(0.1, 10.0)
    m.save(tmp_path / "m.yaml")
    again = ts.load(tmp_path / "m.yaml")
    assert again.check().digest == m.check().digest
    law = ts.Expression("0.2*N", {"N": "floor.multiplier"})
    rod(law).save(tmp_path / "r.yaml")
    assert ts.load(tmp_path / "r.yaml").check().digest == rod(law).check().digest


def test_a_tire_that_pulls_on_the_ground_is_refused():
    """A load below zero drove the car on."""
    for load in (-4.0, "-4 kN"):
        model = ts.Model(
            bodies=(ts.Body("c", 1500, inertia=(500, 2000, 2500, 0, 0, 0)),),
            joints=(ts.Joint("p", "world", "c", ts.Planar("z")),),
            forces=(ts.Tire("front", "c", load, longitudinal=0),),
        )
        with pytest.raises(ts.ModelError, match="'front': load: expected a number of zero or more"):
            model.check()


def test_a_wheel_that_is_pulled_up_has_no_grip():
    """A plane that holds both ways has a negative multiplier then: no force that speeds it up."""
    model = ts.Model(
        bodies=(ts.Body("a"), ts.Body("b"), ts.Body("hub", 20.0, inertia=(1, 1, 1))),
        joints=tuple(
            ts.Joint(axis, parent, child, ts.Prismatic(axis))
            for axis, parent, child in (("x", "world", "a"), ("y", "a", "b"), ("z", "b", "hub"))
        ),
        constraints=(ts.PointOnPlane("touch", "hub", "world"),),
        forces=(
            ts.Tire("tire", "hub", "touch.multiplier", longitudinal=0, lateral=1.0),
            ts.JointForce("lift", "z", ts.Effort("lifted")),
        ),
        parameters={"lifted": 0.0},
    )
    start = {"x.speed": 10.0, "y.speed": 1.0}
    held, up = (ts.simulate(model, 1.0, start, parameters={"lifted": F}) for F in (0.0, 400.0))
    assert held["y.speed"][-1] == pytest.approx(np.exp(-9.81 / 10), abs=1e-3)
    assert up["touch.multiplier"][-1] == pytest.approx(20 * 9.81 - 400) and up["y.speed"][-1] == 1
