"""Complex joints: screw and slope against the differentiated pose; closure; the vehicle of O-F1."""

import math

import casadi as ca
import numpy as np
import pytest
from zoo import close, floats

import torseur as ts
from torseur.formalisms import articulated_body, composite_body, lagrange, newton_euler
from torseur.joints import DoubleWishbone, Free, Guided, MacPherson, Prismatic, Revolute, Tabulated
from torseur.model import Body, Joint, Loop, Model
from torseur.scalars import Floats, Graph, vector
from torseur.solve.constraint_system import constrained_system
from torseur.spatial import Pose, skew

KF = Floats()
Z = np.linspace(-0.1, 0.12, 9)
S1 = DoubleWishbone(
    upper_front=(-0.100, 0.470, 0.105),
    upper_rear=(-0.250, 0.510, 0.110),
    upper_ball=(-0.040, 0.695, 0.105),
    lower_front=(0.200, 0.420, -0.270),
    lower_rear=(-0.200, 0.470, -0.265),
    lower_ball_at=(0, 0.770, -0.320),
    tie_inner=(-0.200, 0.420, -0.120),
    tie_outer=(-0.150, 0.770, -0.120),
    wheel_center=(0, 0.7979, -0.1199),
)
S2 = MacPherson(
    lower_front=(0.220, 0.520, -0.156),
    lower_rear=(-0.300, 0.507, -0.137),
    lower_ball_at=(-0.02165371, 0.94057703, -0.17402826),
    strut_top=(-0.115, 0.785, 0.579),
    strut_lower=(-0.07402507, 0.8532915, 0.2484536),
    tie_inner=(-0.300, 0.520, -0.059),
    tie_outer=(-0.2373756, 0.89495045, -0.01605418),
    wheel_center=(-0.04000403, 1.09999965, -0.02602507),
)
EVERY_COMPLEX = {
    "guided": Guided(
        ("1.2 + 0.05*z - 0.2*z**2", "0.75 + 0.08*z", "-0.3 + z"),
        ("-0.35*z + 1.2*z**2", "0.15*z", "sin(z)"),
        coordinate="z",
    ),
    "guided by an angle": Guided(
        ("cos(a)", "a", "exp(a)/3 - tanh(a)"), ("a", "atan(a)", "a/(2+a)"), "zyx", "a", "rad"
    ),
    "table": Tabulated(
        Z,
        np.stack([Z**2, np.sin(5 * Z), Z], axis=1),
        np.stack([-0.3 * Z, 0.1 * np.cos(9 * Z), 0 * Z], axis=1),
    ),
    "double wishbone": S1,
    "macpherson": S2,
}
each = pytest.mark.parametrize("joint", EVERY_COMPLEX.values(), ids=EVERY_COMPLEX)
TRAVELS = (-0.07, -0.031, 0.0, 0.043, 0.08)


def slopes(joint):
    """First and second derivatives of the pose by CasADi, which knows nothing of jets."""
    K = Graph()
    q = K.symbols(["s"])
    X = joint.pose(K, q)
    s, R, p = K.sx(q), K.sx(X.R), K.sx(X.p)
    R1, p1 = (ca.jacobian(ca.vec(x), s) for x in (R, p))
    R1 = ca.reshape(R1, 3, 3)
    twist = ca.vertcat(ca.inv_skew(R.T @ R1), R.T @ p1)
    f = ca.Function("slopes", [s], [twist, ca.jacobian(twist, s)])
    return lambda x: [np.array(y).ravel() for y in f(x)]


@each
def test_screw_and_slope_are_derivatives_of_the_pose(joint):
    truth = slopes(joint)
    for s in TRAVELS:
        S, dS = truth(s)
        close(joint.subspace(KF, [s]).ravel(), S, 400)
        close(joint.screw_slope(KF, [s]), dS, 4000)
        close(joint.bias(KF, [s], vector([1.7])), dS * 1.7**2, 4000)
        R = floats(joint.pose(KF, [s]).R)
        close(R.T @ R, np.eye(3), 40)


@each
def test_all_formalisms_agree_on_it(joint):
    """Newton-Euler, composite and articulated bodies against Lagrange, which only sees poses."""
    rng = np.random.default_rng(4)
    bodies = (
        Body("arm", mass=2.0, com=(0.1, 0.2, 0.3), inertia=(0.3, 0.4, 0.5, 0.01, 0.02, 0.03)),
        Body("knuckle", mass=3.0, com=(0.2, -0.1, 0.1), inertia=(0.2, 0.3, 0.25, 0, 0.01, 0)),
    )
    system = Model(
        "pair",
        bodies=bodies,
        joints=(
            Joint("hinge", "world", "arm", Revolute((1, 2, 2))),
            Joint("guide", "arm", "knuckle", joint, at=(0.1, 0, 0.2), rpy=(0.1, 0.2, 0.3)),
        ),
    ).check()
    K = Graph()
    q, v, a = (K.symbols(f"{n}{i}" for i in range(2)) for n in "qva")
    tree = system.over(K)
    run = ca.Function(
        "both",
        [K.sx(x) for x in (q, v, a)],
        [
            K.sx(newton_euler.inverse_dynamics(tree, q, v, a)),
            K.sx(lagrange.inverse_dynamics(tree, q, v, a)),
            K.sx(composite_body.mass_matrix(tree, q)),
        ],
    )
    flat = system.floats()
    for s in TRAVELS[::2]:
        x, y, z = np.array([0.4, s]), *rng.uniform(-1, 1, (2, 2))
        tau, truth, M = (np.array(e) for e in run(x, y, z))
        close(tau, truth, 4000)
        back = articulated_body.forward_dynamics(flat, vector(x), vector(y), vector(tau.ravel()))
        close(back, z, 8000)
        close(M, M.T, 40)


@pytest.mark.parametrize("name", ["guided", "table", "double wishbone", "macpherson"])
def test_as_a_loop(name):
    """Five residuals of full rank that vanish on the joint's poses and are blind to its motion."""
    joint, K = EVERY_COMPLEX[name], Graph()
    q, x = K.symbols(["s"]), K.symbols(f"x{i}" for i in range(6))
    X = joint.pose(K, q)
    moved = Pose(X.R + X.R @ skew(x[:3]), X.p + X.R @ x[3:])
    residual = K.sx(joint.closure(K, moved))
    run = ca.Function("loop", [K.sx(q), K.sx(x)], [residual, ca.jacobian(residual, K.sx(x))])
    for s in TRAVELS:
        phi, A = (np.array(y) for y in run(s, np.zeros(6)))
        close(phi, np.zeros((5, 1)), 200)
        assert np.linalg.svd(A)[1].min() > 1e-2
        close(A @ floats(joint.subspace(KF, [s])), np.zeros((5, 1)), 2000)


def test_a_loop_needs_a_coordinate_that_can_be_read():
    with pytest.raises(TypeError, match="linear in its coordinate"):
        wave = Guided(("cos(a)", "a**2", 0), coordinate="a", unit="rad")
        wave.closure(KF, wave.pose(KF, [0.3]))


def test_wrong_descriptions_are_refused_in_words():
    with pytest.raises(ValueError, match="at least four increasing"):
        Tabulated((0, 1, 1), [(0, 0, 0)] * 3, [(0, 0, 0)] * 3)
    with pytest.raises(ValueError, match="three expressions, got 2"):
        Guided(("1", "2"))
    with pytest.raises(ValueError, match=r"DoubleWishbone\(upper_ball=...\): expected 3 numbers"):
        DoubleWishbone(*[(0, 0, 0)] * 2, (1, 2), *[(0, 0, 0)] * 6)


def test_a_suspension_in_the_tree_moves_as_the_same_suspension_in_a_loop():
    """The knuckle on a double wishbone, or free in space with the wishbone as its loop."""
    knuckle = Body("knuckle", mass=12.0, inertia=(0.2, 0.35, 0.2, 0.01, 0, 0.02))
    start = {"guide.travel": 0.02, "guide.speed": 0.6}
    tree = constrained_system(
        Model("tree", bodies=(knuckle,), joints=(Joint("guide", "world", "knuckle", S1),))
    )
    loop = constrained_system(
        Model(
            "loop",
            bodies=(knuckle,),
            joints=(Joint("fly", "world", "knuckle", Free()),),
            loops=(Loop("guide", "world", "knuckle", S1),),
        )
    )
    q, v = tree.system.state(start)
    X = S1.pose(KF, q)
    V = floats(S1.subspace(KF, q)) @ v
    from torseur.spatial import matrix_to_quaternion

    free = np.concatenate([floats(X.p), matrix_to_quaternion(floats(X.R))])
    a_tree, _ = tree.acceleration(q, v)
    a_loop, _ = loop.acceleration(free, V)
    want = floats(S1.subspace(KF, q)) @ a_tree + floats(S1.bias(KF, q, v))
    close(a_loop, want, 20000)


def test_a_parameter_may_be_a_hardpoint():
    """Bump steer changes with the height of the rack, kept as a parameter."""
    model = Model(
        "steer",
        bodies=(Body("knuckle", mass=1.0, inertia=(1, 1, 1, 0, 0, 0)),),
        joints=(
            Joint(
                "guide",
                "world",
                "knuckle",
                Guided(("0", "k*z**2", "z"), ("k*z", 0, 0), coordinate="z"),
            ),
        ),
        parameters={"k": 0.5},
    )
    system = model.check()
    assert system.symbols == ("k",)
    K = Floats({"k": 2.0})
    assert system.over(K).links[0].joint.pose(K, [0.1]).p[1] == pytest.approx(0.02)


# ---- O-F1 ------------------------------------------------------------------------------------

FRONT = dict(zip("abceklpn", (0.05, -0.20, 0.08, -0.60, -0.35, 1.2, 0.10, 0.15), strict=True))
REAR = dict(zip("abceklpn", (-0.04, 0.10, 0.05, -0.40, -0.25, 0.9, -0.06, -0.08), strict=True))
CORNERS = {
    "FL": (1.2, 0.75, 1, FRONT),
    "FR": (1.2, -0.75, -1, FRONT),
    "RL": (-1.45, 0.74, 1, REAR),
    "RR": (-1.45, -0.74, -1, REAR),
}


def guide(X, Y, s, c) -> Guided:
    return Guided(
        (
            f"{X} + ({c['a']})*z + ({c['b']})*z**2",
            f"{Y} + {s}*(({c['c']})*z + ({c['e']})*z**2)",
            "-0.30 + z",
        ),
        (f"{s}*(({c['k']})*z + ({c['l']})*z**2)", f"({c['n']})*z", f"{s}*({c['p']})*z"),
        "xyz",
        "z",
    )


def vehicle(base=None, gravity=(0, 0, 0)) -> Model:
    bodies = [Body("chassis", mass=1200, inertia=(450, 1900, 2100, 0, -40, 0))]
    joints = [Joint("base", "world", "chassis", base or Free("zyx", "vehicle"))]
    knuckles, wheels = [], []
    for name, corner in CORNERS.items():
        bodies.append(Body(f"knuckle {name}", mass=25, inertia=(0.6, 0.9, 0.6, 0, 0, 0)))
        knuckles.append(Joint(name, "chassis", f"knuckle {name}", guide(*corner)))
    for name in CORNERS:
        bodies.append(Body(f"wheel {name}", mass=20, inertia=(0.8, 1.4, 0.8, 0, 0, 0)))
        wheels.append(Joint(f"spin {name}", f"knuckle {name}", f"wheel {name}", Revolute("y")))
    return Model("FV1", gravity=gravity, bodies=bodies, joints=(*joints, *knuckles, *wheels))


A_STATIC = (
    1194.05957357,
    -1257.17626619,
    1419.48072401,
    2319.10437342,
    10377.19097096,
    9111.28002839,
    568.47102853,
    27.33131536,
    565.5023547,
    -122.96218818,
    11.31307924,
    10.83913257,
    -15.30910815,
    15.43412582,
)


def test_F1_static():
    """The inertial terms of the fourteen speeds of document 000's vehicle."""
    system = vehicle().check()
    names = ("rate1", "rate2", "rate3", "vx", "vy", "vz")
    assert system.speeds[:6] == tuple(f"base.{n}" for n in names)
    q = (10, -2, 0.4, 0.3, -0.05, 0.08, 0.03, -0.02, 0.05, -0.04, 0.5, 0.6, 0.7, 0.8)
    u = (0.4, -0.2, 0.3, 20, 1, -0.5, 0.6, -0.4, 0.3, -0.7, 60, 61, 62, 63)
    du = (0.5, -0.6, 0.7, 2, -1, 3, 4, -5, 6, -7, 8, 9, -10, 11)
    got = newton_euler.inverse_dynamics(system.floats(), *map(vector, (q, u, du)))
    np.testing.assert_allclose(got.astype(float), A_STATIC, rtol=2e-10, atol=1e-7)


def test_F1_both_parametrizations_give_one_acceleration():
    """Body-axis speeds with angles, against Cartesian rates: the same motion of the chassis."""
    rng = np.random.default_rng(8)
    one, two = (vehicle(b, (0, 0, -9.81)).check() for b in (Free("zyx", "vehicle"), Free("zyx")))
    q = np.concatenate(
        [rng.uniform(-0.3, 0.3, 6), rng.uniform(-0.05, 0.05, 4), rng.uniform(-1, 1, 4)]
    )
    v2 = rng.uniform(-1, 1, 14)
    joint = Free("zyx", "vehicle")
    v1 = np.concatenate([floats(joint.speeds_from(KF, q[:6], v2[:6])), v2[6:]])
    tau = np.zeros(14)
    tau[6:10] = rng.uniform(-50, 50, 4)
    a1, a2 = (
        floats(articulated_body.forward_dynamics(s.floats(), *map(vector, (q, v, tau))))
        for s, v in ((one, v1), (two, v2))
    )
    close(a1[6:], a2[6:], 4000, scale=abs(a2).max())
    V1, V2 = (
        floats(k.joint.subspace(KF, q[:6])) @ a[:6] + floats(k.joint.bias(KF, q[:6], v[:6]))
        for k, a, v in ((one.links[0], a1, v1), (two.links[0], a2, v2))
    )
    close(V1, V2, 8000, scale=abs(V2).max())


def test_prismatic_is_the_simplest_complex_joint():
    line = Guided((0, 0, "s"), coordinate="s")
    for s in TRAVELS:
        close(line.subspace(KF, [s]), floats(Prismatic("z").subspace(KF, [s])), 0)
        close(line.pose(KF, [s]).matrix(), floats(Prismatic("z").pose(KF, [s]).matrix()), 0)


SEDAN = dict(  # noqa: C408 - names of arguments
    upper_front=(-0.100, 0.470, 0.105),
    upper_rear=(-0.250, 0.510, 0.110),
    upper_ball=(-0.040, 0.695, 0.105),
    lower_front=(0.200, 0.420, -0.270),
    lower_rear=(-0.200, 0.470, -0.265),
    lower_ball_at=(0, 0.770, -0.320),
    tie_inner=(-0.200, 0.420, -0.120),
    tie_outer=(-0.150, 0.770, -0.120),
    wheel_center=(0, 0.7979, -0.1199),
)
WISHBONE = ts.double_wishbone(**SEDAN)
FLAT = [(0, 0, 0)] * 4


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: ts.double_wishbone(**SEDAN | {"tie_outer": (math.nan, 0, 0)}),
            "tie_outer.*finite",
        ),
        (lambda: ts.double_wishbone(**SEDAN | {"lower_ball_at": (0.2, 0.42, -0.27)}), "in line"),
        (lambda: ts.double_wishbone(**SEDAN, rack=1.0), "with the rack at 1 m"),
        (lambda: ts.Guided(("z +", 0, 0)), "position.*cannot read"),
        (lambda: ts.Tabulated((0, 1, 2, math.nan), FLAT, FLAT), "knots.*finite"),
        (lambda: ts.Tabulated((0, 1, 2, 3), [(0, 0, math.nan)] * 4, FLAT), "position.*finite"),
        (
            lambda: ts.Tabulated((0, 1, 2, 3), FLAT[1:], FLAT),
            r"position.*shape \(4, 3\), got \(3, 3\)",
        ),
        (lambda: ts.Tabulated(("a", 1, 2, 3), FLAT, FLAT), "knots.*expected numbers"),
        (lambda: ts.Tabulated((0, 1, 2, 3), FLAT, FLAT, sequence="abc"), "sequence='abc'"),
        (lambda: ts.vehicles.suspension_report(ts.Revolute("z")), "expected a linkage"),
        (
            lambda: ts.vehicles.suspension_report(ts.double_wishbone(**SEDAN), [0.6]),
            "600 mm is beyond",
        ),
        (
            lambda: ts.vehicles.suspension_report(ts.double_wishbone(**SEDAN), [0.3]),
            "300 mm is beyond",
        ),
        (
            lambda: ts.vehicles.suspension_report(ts.double_wishbone(**SEDAN), []),
            "travel: expected a row of finite numbers",
        ),
        (
            lambda: ts.vehicles.suspension_report(ts.double_wishbone(**SEDAN), spring="knuckle"),
            "carrier",
        ),
        (
            lambda: ts.vehicles.suspension_report(
                ts.double_wishbone(**SEDAN), spring=("arm", (0,) * 3, (0,) * 3)
            ),
            "lower_arm",
        ),
        (
            lambda: ts.vehicles.suspension_report(WISHBONE, 0, -0.3),
            "wheel_radius: expected a number above",
        ),
        (
            lambda: ts.vehicles.suspension_report(WISHBONE, 0, float("nan")),
            "wheel_radius: expected a finite",
        ),
        (
            lambda: ts.vehicles.suspension_report(WISHBONE, 0, rack="10 deg"),
            "rack: expected a number in m",
        ),
        (lambda: ts.vehicles.suspension_report(WISHBONE, ["x"]), "travel: expected a number in m"),
        (
            lambda: ts.vehicles.suspension_report(
                ts.double_wishbone(**{n: tuple(1e3 * x for x in p) for n, p in SEDAN.items()})
            ),
            "write millimeters as '770 mm'",
        ),
        (lambda: ts.double_wishbone(**(SEDAN | {"lower_ball": (0, 0, 0)})), "'lower_ball_at'"),
        (lambda: ts.macpherson(lower_front=(0, 0, 0)), "it needs lower_rear, lower_ball_at, "),
    ],
)
def test_what_a_designer_gets_wrong_is_told(make, said):
    with pytest.raises(ts.ArgumentError, match=said):
        make()


def test_slopes_are_those_of_the_design_position_whatever_the_travels():
    """They were differences between the rows: of 80 mm each way, or of the nearest two."""
    fine = ts.vehicles.suspension_report(WISHBONE, np.linspace(-2e-4, 2e-4, 3))
    want = np.gradient(fine.toe, fine.travel)[1] * 100
    for travel in ([0.04, 0.08], [-0.08, 0, 0.08], [0, 0.08, -0.08, 0.02], 0.01):
        found = ts.vehicles.suspension_report(WISHBONE, travel).gradients()
        assert found["toe"] == pytest.approx(want, rel=1e-6)


def test_points_and_travels_of_a_suspension_may_say_their_unit():
    ends = (("0 mm", "600 mm", "-300 mm"), (0, "50 cm", 0.3))
    told = ts.vehicles.suspension_report(
        WISHBONE, ["-20 mm", 0], "30 cm", "1 mm", ("knuckle", *ends)
    )
    plain = (0, 0.6, -0.3), (0, 0.5, 0.3)
    same = ts.vehicles.suspension_report(WISHBONE, [-0.02, 0], 0.3, 0.001, ("knuckle", *plain))
    assert told.table() == same.table() and np.isfinite(same.motion_ratio).all()


def test_a_guide_moves_by_its_coordinate():
    """Named, or the one name that stands alone; what moves nothing is refused."""
    assert Guided(("a*z**2", 0, "z"), ("b*z", 0, 0)).coordinate == "z"
    assert Guided(("a*travel**2", 0, "z"), ("b*travel", 0, 0)).coordinate == "travel"
    with pytest.raises(ts.ArgumentError, match=r"none .* has 'z' in it, so it moves nothing"):
        Guided(("a*x**2", 0, 0), coordinate="z")
    for position in (("a*z**2", 0, 0), ("y", 0, "z"), (0, 0, 0)):
        with pytest.raises(ts.ArgumentError, match="say which is the coordinate"):
            Guided(position)
