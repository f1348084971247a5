"""Drives of the MAC robot, catalogs, quickest motions against direct collocation, paths."""

from dataclasses import replace

import numpy as np
import pytest
from french_walk import untold

import torseur as ts
from torseur.forces import Expression, PointForce
from torseur.robots import Catalog, Gearbox, Motor, Quintic
from torseur.robots.french import FRENCH

R, H, ALPHA, D = 0.107, 0.20, np.radians(135), (3 * 0.35 + 6.5 * 0.7) / 21
REST = float(np.sqrt(H * H + R * R + 2 * R * H * np.cos(ALPHA)))
LAW = {
    f"joint{i + 1}.angle": ts.robots.Trapezoidal(*np.radians(ends), speed=2.5, acceleration=8.0)
    for i, ends in enumerate(((0, 180), (0, 90), (20, 120)))
}


def mac():
    def points(name, *masses):
        m = sum(a for a, _ in masses)
        c = sum(a * x for a, x in masses) / m
        J = sum(a * (x - c) ** 2 for a, x in masses)
        return ts.Body(name, m, (c, 0, 0), (0, J, J, 0, 0, 0))

    bodies = (
        ts.Body("b1", 16.0, (0, 0, -0.35)),
        points("b2", (3.5, 0.3), (12, 0.7)),
        points("b3", (3, 0.35), (6.5, 0.7), (21, -D)),
    )
    x = f"(x - {REST!r})"
    anchor = (H * np.cos(ALPHA), 0, H * np.sin(ALPHA))
    law = Expression(f"16500*{x} + 225000*max({x} - 0.12, 0)**2")
    spring = PointForce("spring", ("b1", anchor), ("b2", (R, 0, 0)), law)
    rows = [(0, 0, 0, 0.7), ("pi/2", 0, 0, 0), (0, 0.6, 0, 0)]
    return ts.from_dh(rows, bodies, convention="modified", forces=(spring,))


FIRST = Motor("first", 3.0, 9.0, 600.0, 0.79e-3, viscous=0.382e-3, dry=0.09)
THIRD = Motor("third", 3.0, 9.0, 600.0, 0.15e-3, viscous=0.6684e-4, dry=0.03)
G160 = Gearbox("G160", 160, inertia=0.851e-4)
G200 = Gearbox("G200", 200, inertia=0.5564e-3)


def test_mac_motors():
    both = ts.robots.size(mac(), LAW, ([FIRST], [G160]), joints=("joint1", "joint2"))
    last = ts.robots.size(mac(), LAW, Catalog([THIRD], [G200]), joints=["joint3"])
    found = [both["joint1"][0], both["joint2"][0], last["joint3"][0]]
    rms, peak = [c.rms_torque for c in found], [c.peak_torque for c in found]
    np.testing.assert_allclose(rms, (1.0761357, 1.8932246, 0.9517880), rtol=1e-6)
    np.testing.assert_allclose(peak, (2.305618, 3.7124145, 1.658142), rtol=1e-6)
    np.testing.assert_allclose([c.top_rpm for c in found], (3819.72, 3819.72, 4774.65), rtol=1e-6)
    np.testing.assert_allclose([c.top_speed for c in found], (400, 400, 500), rtol=1e-12)
    np.testing.assert_allclose(
        [c.inertia_ratio for c in found], (0.9919, 0.9919, 0.1786), atol=5e-5
    )
    assert found[0].binding == "speed" and found[0].feasible


def test_example_catalog_ranks_and_says_why(tmp_path):
    found = ts.robots.size(mac(), LAW, ts.robots.example_catalog(), points=401)
    for joint in ("joint1", "joint2", "joint3"):
        masses = [c.mass for c in found[joint]]
        assert masses == sorted(masses) and all(c.feasible for c in found[joint])
        bad = found.rejected[joint][0]
        assert bad.use[bad.binding] > 1 and "too much" in bad.excess
    of_system = ts.robots.size(mac().check(), LAW, ts.robots.example_catalog(), points=401)
    assert [str(c) for c in of_system["joint1"]] == [str(c) for c in found["joint1"]]
    found.report(tmp_path / "size.html")
    text = (tmp_path / "size.html").read_text()
    assert "rpm" in text and not untold(text, FRENCH)
    c = found["joint2"][0]
    assert c.consumed > c.regenerated > 0 and 0 < c.temperature < c.motor.hottest
    stronger = Catalog([replace(FIRST, torque=1.0)], [G160])
    with pytest.raises(
        ts.TorseurError,
        match=r"no pair .* drives 'joint1'; the nearest, first with"
        r" G160, fails by its continuous torque: 1.076 against 1 N m, 0.0761 too",
    ):
        ts.robots.size(mac(), LAW, stronger, points=401)


def test_thermal_state_against_the_closed_form():
    """A steady torque: both stores end at P (R1 + R2), P with the warm winding's resistance."""
    motor = Motor(
        "hot",
        1.0,
        3.0,
        500.0,
        1e-4,
        kt=0.1,
        resistance=0.5,
        heat_winding=0.8,
        heat_housing=1.2,
        time_winding=20.0,
        time_housing=800.0,
        hottest=1e3,
    )
    rod = ts.Model(
        bodies=(ts.Body("rod", 2.0, (0.25, 0, 0)),),
        joints=(ts.Joint("j", "world", "rod", ts.Revolute((0, -1, 0))),),
    )
    still = {"time": np.linspace(0, 1, 9), "j.angle": np.zeros(9)}
    c = ts.robots.size(rod, still, ([motor], [Gearbox("g", 10)]))["j"][0]
    current = 2.0 * 9.81 * 0.25 / 10 / 0.1
    cold = 0.5 * current**2 * (0.8 + 1.2)
    assert c.temperature == pytest.approx(cold / (1 - 0.00393 * cold), rel=1e-9)


HOT = Motor(
    "hot", 1.0, 3.0, 500.0, 1e-4, kt=0.1, resistance=0.5, heat_winding=0.8, heat_housing=1.2,
    time_winding=20.0, time_housing=60.0, hottest=1e3,
)  # fmt: skip
ROD = ts.Model(
    bodies=(ts.Body("rod", 2.0, (0.25, 0, 0)),),
    joints=(ts.Joint("j", "world", "rod", ts.Revolute((0, -1, 0)), limits=(-1.0, 1.0)),),
)


def test_warmth_over_cycles_and_from_cold_against_scipy():
    """Long cycles of a torque that swings, resistance growing with the winding's temperature."""
    from scipy.integrate import solve_ivp

    swing = {"j.angle": Quintic(-0.9, 0.9, 30.0)}
    c = ts.robots.size(ROD, swing, ([HOT], [Gearbox("g", 10)]))["j"][0]
    t, x = ts.robots.size(ROD, swing, ([HOT], [Gearbox("g", 10)]))["j"][0].heat.warming(150.0)
    t = np.minimum(t, 150.0)
    law = swing["j.angle"]

    def flow(t, T):
        q, _, a = law(t % 30.0)
        torque = (2 * 0.25**2 * a + 2 * 9.81 * 0.25 * np.cos(q)) / 10 + 1e-4 * 10 * a
        P = 0.5 * (torque / 0.1) ** 2 * (1 + 0.00393 * T[0])
        out = (T[0] - T[1]) / 0.8
        return [(P - out) / (20 / 0.8), (out - T[1] / 1.2) / (60 / 1.2)]

    ref = solve_ivp(flow, (0, 150), [0, 0], t_eval=t, rtol=1e-9, max_step=1.0)
    np.testing.assert_allclose(x, ref.y.T, rtol=2e-3, atol=1e-3)
    late = solve_ivp(
        flow, (0, 1200), [0, 0], t_eval=np.linspace(1170, 1200, 200), rtol=1e-8, max_step=1.0
    )
    assert c.temperature == pytest.approx(late.y[0].max(), rel=2e-3)


RISE = (0, 0.9, 1.0)


@pytest.mark.parametrize(
    ("motion", "motor", "gear", "told"),
    [
        (
            (0, 1.2, 1.0),
            HOT,
            {},
            r"takes j.angle beyond its upper limit 1 rad by 0.2 rad at t = 1 s",
        ),
        (
            RISE,
            replace(HOT, speed=15.0),
            {},
            r"'j'; .* fails by its speed: 16.87 against 15 rad/s, 1.87",
        ),
        (
            RISE,
            replace(HOT, voltage=1.5),
            {},
            r"'j'; .* fails by its supply voltage: 4.\d+ against 1.5 V at 0.\d+ N m and 1",
        ),
        (
            RISE,
            replace(HOT, kt=0.025),
            {},
            r"winding temperature: it warms without end against 1000 K",
        ),
        (RISE, HOT, {"momentary_torque": 3.0}, r"gear momentary torque: 5.\d+ against 3 N m"),
        (
            RISE,
            HOT,
            {"stiffness": (1e4, 2e4, 3e4), "knees": (40, 10)},
            r"knees = 40, 10 N m: expected grow",
        ),
    ],
)
def test_a_cycle_that_cannot_be_names_the_limit_and_by_how_much(motion, motor, gear, told):
    with pytest.raises(ts.TorseurError, match=told):
        ts.robots.size(ROD, {"j.angle": Quintic(*motion)}, ([motor], [Gearbox("g", 10, **gear)]))


def test_catalog_files(tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text(
        "motors:\n  - {name: A, torque: 0.5 N m, peak_torque: 1.5, speed: 3000 rpm, "
        "inertia: 2e-5}\ngearboxes:\n  - {name: G, ratio: 50, rated_torque: 12 N m}\n"
    )
    own = ts.robots.load_catalog(path)
    assert own.motors[0].speed == pytest.approx(100 * np.pi) and own.gearboxes[0].ratio == 50
    path.write_text("motors:\n  - {name: A, torque: 0.5 kg, speeed: 3}\ngearboxes: []\n")
    with pytest.raises(ts.TorseurError) as e:
        ts.robots.load_catalog(path)
    assert "own.yaml, line 2: motors[0].torque = 0.5 kg: expected a moment" in str(e.value)
    assert "no field is named 'speeed'; did you mean 'speed'?" in str(e.value)
    assert "motors[0]: needs 'inertia' [kg m^2]" in str(e.value)
    with pytest.raises(ts.TorseurError, match="the catalog has no motors"):
        ts.robots.size(mac(), LAW, ([], [G160]))


def test_a_gear_of_three_pieces_is_the_shaft_of_a_drive():
    gear = Gearbox("size25", 100, stiffness=(3.1e4, 5.0e4, 5.7e4), knees=(14, 48), inertia=4e-5)
    drive = gear.drive(FIRST)
    twist = 14 / 3.1e4 + (48 - 14) / 5.0e4 + 10 / 5.7e4
    points = np.array(drive.stiffness.points)
    assert np.interp(twist, *points.T) == pytest.approx(58.0)
    assert drive.rotor_inertia == pytest.approx(0.79e-3 + 4e-5)


def two_links(**more):
    def bar(name, m, c, J):
        return ts.Body(name, m, (c, 0, 0), (0, J, J, 0, 0, 0))

    turn = ts.Revolute((0, -1, 0))
    return ts.Model(
        bodies=(bar("a", 2.0, 0.25, 0.05), bar("b", 1.0, 0.2, 0.02)),
        joints=(
            ts.Joint("j1", "world", "a", turn, max_effort=25.0, max_speed=6.0),
            ts.Joint("j2", "a", "b", turn, at=(0.5, 0, 0), max_effort=8.0, **more),
        ),
    )


def test_quickest_motion_against_direct_collocation():
    """The same problem in time, by CasADi and IPOPT: trapezoidal collocation of s and its rate."""
    import casadi as ca

    q0, q1 = np.array([0.0, 0.0]), np.array([1.5, -1.2])
    model = two_links()
    found = ts.robots.time_optimal(model, [q0, q1])
    f = ts.compile(model).casadi("inverse_dynamics")
    n, opti = 120, ca.Opti()
    s, v, u, T = opti.variable(n + 1), opti.variable(n + 1), opti.variable(n), opti.variable()
    h, d = T / n, q1 - q0
    for i in range(n):
        opti.subject_to(s[i + 1] == s[i] + h * v[i] + h**2 * u[i] / 2)
        opti.subject_to(v[i + 1] == v[i] + h * u[i])
        for k in (i, i + 1):
            tau = f(q0 + s[k] * d, v[k] * d, u[i] * d)
            opti.subject_to(opti.bounded((-25, -8), tau, (25, 8)))
    opti.subject_to(opti.bounded(-6, v * d[0], 6))
    opti.subject_to([s[0] == 0, s[n] == 1, v[0] == 0, v[n] == 0, T > 0.05])
    opti.set_initial(T, 0.6)
    opti.set_initial(s, np.linspace(0, 1, n + 1))
    opti.set_initial(v, 1.5)
    opti.minimize(T)
    opti.solver("ipopt", {"print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes"})
    assert found.duration == pytest.approx(opti.solve().value(T), rel=1e-3)
    for path in ([q0, q1], [q0, [0.5, -1.0], [1.2, 0.3], q1]):
        ours, theirs = (
            ts.robots.time_optimal(model, path, points=101, engine=e) for e in ("own", "toppra")
        )
        assert theirs.duration == pytest.approx(ours.duration, rel=1e-6)
        np.testing.assert_allclose(theirs.rate, ours.rate, atol=1e-4 * ours.rate.max())
    run = ts.inverse(model, found.motion)
    assert abs(run["j1.effort"]).max() < 25 * 1.001 and abs(run["j1.rate"]).max() < 6 * 1.0001
    assert run["j2.angle"][-1] == pytest.approx(-1.2)
    assert {"j1.max_effort", "j1.max_speed"} <= set(found.active)


def test_quickest_motion_of_a_cart_and_what_cannot_be():
    cart = ts.Model(
        bodies=(ts.Body("cart", 2.0),),
        joints=(ts.Joint("x", "world", "cart", ts.Prismatic("x"), max_effort=4.0, max_speed=1.0),),
    )
    limits = ts.robots.Trapezoidal(0.0, 3.0, speed=1.0, acceleration=2.0)
    assert ts.robots.time_optimal(cart, [[0], [3]]).duration == pytest.approx(
        limits.duration, rel=1e-4
    )
    slow = replace(cart, joints=(replace(cart.joints[0], damping=3.0, max_speed=None),))
    v = 4 / 3  # it cannot be quicker than its drag lets it
    found = ts.robots.time_optimal(slow, [[0], [20]])
    assert v * 0.98 < np.max(found.rate) * 20 <= v * 1.0001
    with pytest.raises(
        ts.TorseurError,
        match=r"at 0 of the path joint 'j1' needs 11.772 to stand "
        "still, 6.772 more than its max_effort 5",
    ):
        ts.robots.time_optimal(two_links(), [[0, 0], [1, 1]], max_effort={"j1": 5.0})
    with pytest.raises(ts.TorseurError, match="nothing bounds the motion"):
        bare = tuple(replace(j, max_effort=None, max_speed=None) for j in two_links().joints)
        ts.robots.time_optimal(replace(two_links(), joints=bare), [[0, 0], [1, 1]])


@pytest.mark.parametrize(
    ("way", "told"),
    [
        ([[0, np.nan], [1, 1]], "j2.angle of pose 1 of the path is nan"),
        ([[0, 0], [0.5, 1.4]], "j2.angle is 1.4, 0.4 beyond its upper limit 1"),
        ([[0, 0]], "two poses or more"),
    ],
)
def test_a_path_that_cannot_be_is_told(way, told):
    with pytest.raises(ts.TorseurError, match=told):
        ts.robots.time_optimal(two_links(limits=(-1.0, 1.0)), way)


def test_asymmetric_trapezoid():
    law = ts.robots.Trapezoidal(0.0, 2.0, speed=1.0, acceleration=4.0, deceleration=1.0)
    t = np.linspace(0, law.duration, 2001)
    assert law.duration == pytest.approx(0.25 + 1.0 + (2 - 0.125 - 0.5))
    x, v, a = law(t)
    np.testing.assert_allclose(np.gradient(x, t)[2:-2], v[2:-2], atol=3e-3)
    assert sorted(set(a.round(12))) == [-1.0, 0.0, 4.0]
    short = ts.robots.Trapezoidal(1.0, 0.0, speed=9.0, acceleration=4.0, deceleration=1.0)
    assert short.duration == pytest.approx(np.sqrt(2 * 1.25) * 1.25 / 1.25)
    assert abs(short.derivative(np.linspace(0, 2, 500), 1)).max() < 9
    slow = law.slower(5.0)
    assert slow.duration == 5 and slow(5.0)[0] == 2.0


def test_s_curve_keeps_its_limits():
    for way in (1e-3, 0.1, 1.0, -3.0):
        law = ts.robots.SCurve(0.0, way, speed=1.0, acceleration=4.0, jerk=40.0)
        t = np.linspace(0, law.duration, 4001)
        for order, limit in ((1, 1.0), (2, 4.0), (3, 40.0)):
            assert abs(law.derivative(t, order)).max() <= limit * (1 + 1e-9)
        x = law.derivative(t, 0)
        np.testing.assert_allclose(np.gradient(x, t), law.derivative(t, 1), atol=abs(way) * 3e-3)
        assert law(law.duration)[0] == pytest.approx(way)


def test_a_tool_follows_an_arc():
    bodies = [ts.Body(f"b{i}", 1, (0.1, 0, 0), (0.1, 0.1, 0.1, 0, 0, 0)) for i in range(3)]
    arm = ts.from_dh(
        [(0, 0, 0, 0.7), ("pi/2", 0, 0, 0), (0, 0.6, 0, 0)],
        bodies,
        convention="modified",
        frames=(ts.Frame("tool", "b2", at=(0.7, 0, 0)),),
    )
    way = ts.robots.Arc((0.8, -0.2, 0.6), (0.9, 0, 0.8), (0.8, 0.2, 0.6))
    law = ts.robots.Quintic(0.0, way.length, 1.5)
    t = np.linspace(0, 1.5, 60)
    path = ts.solve.inverse_kinematics_path(arm, "tool", way.poses(law(t)[0])[:, :3, 3], times=t)
    tips = ts.compile(arm).pose("tool", path.q)[:, :3, 3]
    center, x, *_ = way._circle
    np.testing.assert_allclose(np.linalg.norm(tips - center, axis=1), np.linalg.norm(x), atol=1e-9)
    run = ts.inverse(arm, path.motion)
    assert np.isfinite(run["joint1.effort"]).all()
    corner = ts.robots.Polyline([(0, 0, 0), (1, 0, 0), (1, 1, 0)], blend=0.2)
    p = corner.points(np.linspace(0, corner.length, 3001))
    turn = np.diff(p, axis=0)
    turn /= np.linalg.norm(turn, axis=1, keepdims=True)
    assert np.linalg.norm(np.diff(turn, axis=0), axis=1).max() < 0.03
    with pytest.raises(ts.ArgumentError, match="no room for corners"):
        ts.robots.Polyline([(0, 0, 0), (0.1, 0, 0), (1, 1, 0)], blend=0.2)


def test_a_motor_with_its_current_loop():
    """A held rotor: two poles of the loop; with a weak supply the winding's own exponential."""
    from torseur.forces import DCMotor, JointForce

    L, R, kp, ki, kt = 2e-3, 0.5, 3.5, 750.0, 0.1

    def pushed(voltage, wanted=4.0, t=2e-3):
        motor = DCMotor(kt, R, L, voltage, kp, ki, ratio=10, current=wanted)
        heavy = ts.Model(
            bodies=(ts.Body("rotor", 1.0, (0, 0, 0), (1e9, 1e9, 1e9, 0, 0, 0)),),
            joints=(ts.Joint("j", "world", "rotor", ts.Revolute("z")),),
            forces=(JointForce("motor", "j", motor),),
        )
        run = ts.simulate(heavy, t, rtol=1e-10, atol=1e-12, output=5)
        return run.time, run["motor.force"]

    t, push = pushed(1e3)
    a, b = np.roots([L, R + kp, ki])
    # i'' L + i' (R + kp) + i ki = ki i_ref, i(0) = 0, i'(0) = kp i_ref / L
    c = np.linalg.solve([[1, 1], [a, b]], [-4.0, kp * 4.0 / L])
    exact = 4.0 + c[0] * np.exp(a * t) + c[1] * np.exp(b * t)
    np.testing.assert_allclose(push, 10 * kt * exact.real, atol=1e-7)
    t, push = pushed(1.0)
    np.testing.assert_allclose(push, 10 * kt * (1.0 / R) * (1 - np.exp(-R * t / L)), atol=1e-7)


def test_a_pause_holds_the_last_pose_and_inertia_is_that_of_the_travel():
    """At rest no deceleration counts; a slide without limits is where the cycle takes it."""
    J, law = (0.01, 0.1, 0.1, 0, 0, 0), ts.robots.Trapezoidal
    arm = ts.Model(
        bodies=(ts.Body("a", 4.0, (0.2, 0, 0), J), ts.Body("b", 2.0, (0.1, 0, 0), J)),
        joints=(
            ts.Joint("r", "world", "a", ts.Revolute((0, -1, 0))),
            ts.Joint("p", "a", "b", ts.Prismatic("x"), at=(0.3, 0, 0)),
        ),
    )
    cycle = {"r.angle": law(0, 1, speed=1.5, acceleration=4)}
    cycle["p.displacement"] = law(0, 0.2, speed=0.4, acceleration=2)
    wide = ts.robots.Motor("m", 50.0, 100.0, 1e3, 1e-4)
    gears = [Gearbox("g", 10.0), Gearbox("rack", 10.0, pinion=0.5)]
    sized = ts.robots.size(arm, cycle, ([wide], gears), pause=1.0)
    still = ts.compile(arm).gravity_forces([1.0, 0.2])
    far = 4 * 0.2**2 + 2 * (0.3 + 0.2 + 0.1) ** 2 + 0.2
    assert sized["r"][0].inertia_ratio == pytest.approx(far / (100 * 1e-4), rel=1e-9)
    held = [sized.loads[n].effort[-1] for n in ("r", "p")]
    np.testing.assert_allclose(held, still, rtol=1e-9)
    weight = ts.robots.Counterweight("w", "r", mass=1.0, distance=0.1)
    with pytest.raises(ts.TorseurError, match=r"balance: the slide 'p\.displacement' needs"):
        ts.robots.balance(arm, [weight], "workspace")


def test_friction_that_is_a_constraint_is_refused_where_a_path_does_not_say_it():
    rod = ts.Body("rod", 2.0, (0.3, 0, 0), (0.01, 0.1, 0.1, 0, 0, 0))
    pin = ts.Joint("j", "world", "rod", ts.Revolute("z"), max_effort=5.0)
    rubs = ts.DryFriction("rub", "j.angle", force=2.0)
    arm = ts.Model(bodies=(rod,), joints=(pin,), constraints=(rubs,))
    weight = ts.robots.Counterweight("w", "j", mass=1.0, distance=0.1)
    with pytest.raises(ts.TorseurError, match="time_optimal: the force of 'rub', a constraint"):
        ts.robots.time_optimal(arm, [[0], [1]])
    with pytest.raises(ts.TorseurError, match="balance: the force of 'rub', a constraint"):
        ts.robots.balance(arm, [weight], {"j.angle": ts.robots.Quintic(0, 1, 1.0)})


def test_a_slide_needs_a_pinion_and_its_ratio_is_by_the_meter():
    """A cart of 10 kg by a rack against its formula; a gear for turning joints is none for it."""
    cart = ts.Model(
        bodies=(ts.Body("cart", 10.0),),
        joints=(ts.Joint("x", "world", "cart", ts.Prismatic("z")),),
    )
    law, motor = Quintic(0.0, 0.5, 1.0), Motor("m", 5.0, 20.0, 600.0, 1e-4, viscous=1e-4)
    rack = Gearbox("rack", 5.0, pinion=0.02, efficiency=0.9, inertia=2e-5, repeated_torque=40.0)
    turns = Gearbox("gear", 5.0)
    found = ts.robots.size(cart, {"x.displacement": law}, ([motor], [turns, rack]))["x"]
    assert [c.gearbox.name for c in found] == ["rack"]
    t = np.linspace(0, 1, 20001)
    _, v, a = law(t)
    force, N = 10 * (a + 9.81), 5 / 0.02
    through = force / N * np.where(force * v >= 0, 1 / 0.9, 0.9)
    torque = 1.2e-4 * N * a + 1e-4 * N * v + through
    assert found[0].rms_torque == pytest.approx(np.sqrt(np.trapezoid(torque**2, t)), rel=1e-6)
    assert found[0].peak_torque == pytest.approx(abs(torque).max(), rel=1e-6)
    assert found[0].top_speed == pytest.approx(N * abs(v).max(), rel=1e-6)
    assert found[0].inertia_ratio == pytest.approx(10 / (N**2 * 1.2e-4), rel=1e-12)
    assert found[0].use["gear peak torque"] == pytest.approx(abs(force).max() * 0.02 / 40, rel=1e-6)
    with pytest.raises(ts.TorseurError, match="no gearbox of the catalog is for 'x', which slides"):
        ts.robots.size(cart, {"x.displacement": law}, ([motor], [turns]))
    with pytest.raises(ts.TorseurError, match="size: nothing says how long the cycle lasts"):
        ts.robots.size(cart, {"x.displacement": "0.1*sin(t)"}, ([motor], [rack]))
    spring = replace(rack, stiffness=(100.0,)).law()
    assert spring == pytest.approx(100 / 0.02**2) and rack.drive(motor).ratio == N


def test_a_motor_in_a_loop_feels_what_follows_it():
    """Four-bar: the inertia at the crank is that of its energy; followers need no drive."""

    def rod(name, length):
        J = 2 * length**3 / 12
        return ts.Body(name, 2 * length, (length / 2, 0, 0), (0, J, J, 0, 0, 0))

    pin = ts.Revolute("z")
    loop = ts.Loop("C", "rocker", "coupler", pin, at=(0.6, 0, 0), child_at=(0.8, 0, 0))
    four_bar = ts.Model(
        gravity=(0, -9.81, 0),
        bodies=(rod("crank", 0.3), rod("coupler", 0.8), rod("rocker", 0.6)),
        joints=(
            ts.Joint("A", "world", "crank", pin),
            ts.Joint("B", "crank", "coupler", pin, at=(0.3, 0, 0)),
            ts.Joint("D", "world", "rocker", pin, at=(0.9, 0, 0)),
        ),
        loops=(loop,),
        initial={"B.angle": -0.6, "D.angle": 1.6},
    )
    cycle = {"A.angle": Quintic(1.0, 2.0, 1.0)}
    motor, gear = Motor("m", 50.0, 100.0, 1e3, 1e-4), Gearbox("g", 10.0)
    sized = ts.robots.size(four_bar, cycle, ([motor], [gear]), points=200, pause=0.5)
    assert list(sized) == ["A"]
    run = ts.inverse(four_bar, cycle, sized.loads["A"].time[:-1])
    v = np.stack([run[n] for n in four_bar.check().speeds], 1)
    q = np.stack([run[n] for n in four_bar.check().coordinates], 1)
    moving = run["A.rate"] > 0.1
    twice = np.einsum("ni,nij,nj->n", v, ts.compile(four_bar).mass_matrix(q), v)
    felt = (twice[moving] / run["A.rate"][moving] ** 2).max()
    assert sized["A"][0].inertia_ratio * 100 * 1e-4 == pytest.approx(felt, rel=1e-3)
    with pytest.raises(ts.TorseurError, match="size: joint 'D' follows others in a loop"):
        ts.robots.size(four_bar, cycle, ([motor], [gear]), joints="D", points=50)
