"""Convex surfaces that roll: against Newton and Euler by hand, and against each other."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import torseur as ts

G = 9.81
FLY = ts.Joint("fly", "world", "stone", ts.Free())
AXES = (0.2, 0.03, 0.02)  # of the ellipsoid
J = (2e-4, 1.6e-3, 1.7e-3, -2.2e-4, 0, 0)  # turned against the ellipsoid: a rattleback
STONE = ts.Body("stone", mass=1.0, inertia=J)


def stone(constraint, body=STONE, **more):
    return ts.Model("stone", bodies=(body,), joints=(FLY,), constraints=(constraint,), **more)


def spun(model, t_end, w, height, rtol=1e-9, **more):
    start = {"fly.pz": height} | dict(zip(("fly.wx", "fly.wy", "fly.wz"), w, strict=True)) | more
    return ts.simulate(model, t_end, start, rtol=rtol, keep=[n for n in start if ".w" in n])


def rattleback(w, t_end, times):
    """Euler's equation about the moving contact, for an ellipsoid that rolls: SciPy, by hand.

    Unknown: angular velocity in body axes and the vertical in body axes.
    """
    D2 = np.diag(np.square(AXES))
    I = np.array([[J[0], J[3], J[4]], [J[3], J[1], J[5]], [J[4], J[5], J[2]]])

    def rates(t, y):
        w, n = y[:3], y[3:]
        h = np.sqrt(n @ D2 @ n)
        dn = np.cross(n, w)
        r = -D2 @ n / h  # from the center to the contact
        dr = -D2 @ dn / h + D2 @ n * (n @ D2 @ dn) / h**3
        # v = -w x r; v' = -w' x r - w x r' ; m (v' + w x v) = F - m g n ; I w' + w x I w = r x F
        R = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
        v = -np.cross(w, r)
        known = -np.cross(w, dr) + np.cross(w, v) + G * n
        A = I - R @ R  # I w' - r x (m R w')... with v' = R w' + ...
        b = -np.cross(w, I @ w) + np.cross(r, known)
        return [*np.linalg.solve(A, b), *dn]

    y0 = [*w, 0, 0, 1]
    return solve_ivp(rates, (0, t_end), y0, t_eval=times, rtol=1e-10, atol=1e-11, method="DOP853").y


@pytest.mark.slow
def test_a_rattleback_is_newton_and_eulers():
    model = stone(ts.RollingSurface("on", "stone", AXES))
    w = (0.5, -0.2, -5.0)
    run = spun(model, 1.0, w, AXES[2])
    want = rattleback(w, 1.0, run.time)
    for i, n in enumerate(("fly.wx", "fly.wy", "fly.wz")):
        np.testing.assert_allclose(run[n], want[i], atol=2e-5)
    assert abs(run["energy.residual"]).max() < 1e-7
    total = run["energy.kinetic"] + run["energy.potential"]
    assert np.ptp(total) < 1e-7 * total[0]


def test_a_rattleback_turns_back_one_way_only():
    """Published behavior: against its bias it rattles and reverses, with it it spins on."""
    model = stone(ts.RollingSurface("on", "stone", AXES))
    ends = [spun(model, 6.0, (0.02, 0, s * 2.0), AXES[2], 1e-7)["fly.wz"] for s in (1, -1)]
    back = [bool((s * x).min() < -0.2) for s, x in zip((1, -1), ends, strict=True)]
    assert sorted(back) == [False, True]


SPHERE = ts.Body("stone", mass=1.0, com=(0.02, 0.01, -0.03), inertia=(0.01, 0.012, 0.013, 0, 0, 0))
SHAPES = {
    "semi-axes": {"shape": (0.1, 0.1, 0.1)},
    "radius": {"shape": 0.1},
    "support": {"shape": "0.1*sqrt(x**2 + y**2 + z**2)"},
    "support on the unit sphere": {"shape": "0.1 + 0*x"},
    "implicit": {"implicit": "x**2 + y**2 + z**2 - 0.01", "near": (0, 0, -0.1)},
}


@pytest.mark.parametrize("form", SHAPES)
def test_a_sphere_is_the_sphere_that_was_there(form):
    w = (1.0, 2.0, -3.0)
    runs = [
        spun(stone(c, SPHERE), 0.4, w, 0.1)
        for c in (
            ts.Rolling("on", "stone", 0.1, axis=None),
            ts.RollingSurface("on", "stone", **SHAPES[form]),
        )
    ]
    for name in ("fly.px", "fly.wz", "on.normal.multiplier", "on.slip1.multiplier"):
        np.testing.assert_allclose(runs[1][name][-1], runs[0][name][-1], atol=1e-7)
    system = [stone(c, SPHERE).check() for c in (
        ts.Rolling("on", "stone", 0.1, axis=None), ts.RollingSurface("on", "stone", 0.1),
    )]  # fmt: skip
    q, v = system[0].state({"fly.pz": 0.1, "fly.qx": 0.3, "fly.wx": 2.0, "fly.wz": 1.0})
    q[3:] /= np.linalg.norm(q[3:])
    a = [ts.compile(s).forward_dynamics(q, v, np.zeros(6)) for s in system]
    np.testing.assert_allclose(a[1], a[0], atol=1e-10)


def test_a_torus_with_a_thin_tube_is_a_disc_and_a_text_is_a_torus():
    ring = ts.Body("stone", mass=2.0, inertia=(0.05, 0.05, 0.1, 0, 0, 0))
    tilt = {"fly.qw": np.cos(0.65), "fly.qx": np.sin(0.65)}  # 74 degrees: nearly upright
    w = (0.1, 0.2, 4.0)

    def rolled(c, height):
        start = {"fly.pz": height, **tilt} | dict(
            zip(("fly.wx", "fly.wy", "fly.wz"), w, strict=True)
        )
        keep = [n for n in start if n != "fly.pz"]
        return ts.simulate(stone(c, ring), 0.5, start, rtol=1e-9, keep=keep)

    h = 0.3 * np.sin(1.3)
    disc = rolled(ts.Rolling("on", "stone", 0.3, axis="z"), h)
    thin = rolled(ts.RollingSurface("on", "stone", (0.3, 1e-9)), h + 1e-9)
    np.testing.assert_allclose(thin["fly.px"], disc["fly.px"], atol=1e-6)
    thick = rolled(ts.RollingSurface("on", "stone", (0.3, 0.05)), h + 0.05)
    text = rolled(ts.RollingSurface("on", "stone", "0.3*sqrt(x**2 + y**2) + 0.05"), h + 0.05)
    np.testing.assert_allclose(text["fly.wz"], thick["fly.wz"], atol=1e-7)
    assert abs(thick["fly.wz"] - thin["fly.wz"]).max() > 1e-3
    assert np.ptp(thick["energy.kinetic"] + thick["energy.potential"]) < 1e-6


LUMP = ts.Body(
    "stone", mass=2.0, com=(0.02, -0.01, 0.015), inertia=(0.05, 0.06, 0.1, 0.003, 0.002, -0.004)
)


def leaning(touch, w, n, times):
    """Newton and Euler of LUMP by hand, rolling on `touch`, the point of an outward normal; the
    velocity of the contact by differences.  Unknown: as those of the rattleback."""
    m, com = LUMP.mass, np.array(LUMP.com)
    xx, yy, zz, xy, xz, yz = LUMP.inertia
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def rates(t, y):
        w, n, h = y[:3], y[3:], 1e-6
        dn = np.cross(n, w)
        r = touch(-n) - com
        dr = (touch(-(n + h * dn)) - touch(-(n - h * dn))) / (2 * h)
        R = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
        known = -np.cross(w, dr) - np.cross(w, np.cross(w, r)) + G * n
        b = -np.cross(w, I @ w) + m * np.cross(r, known)
        return [*np.linalg.solve(I - m * R @ R, b), *dn]

    given = {"rtol": 1e-9, "atol": 1e-10, "method": "DOP853"}
    return solve_ivp(rates, (0, times[-1]), [*w, *n], t_eval=times, **given).y


def on_a_torus(u):
    return np.array([*u[:2], 0]) * 0.3 / np.hypot(*u[:2]) + 0.05 * u


def on_an_egg(u):
    d = np.array([0.01, 0.02, 0.03]) * u
    return d / np.sqrt(u @ d) + 0.02 * u


@pytest.mark.parametrize(
    "touch, shape",
    [
        (on_a_torus, (0.3, 0.05)),
        (on_an_egg, "sqrt(0.01*x**2 + 0.02*y**2 + 0.03*z**2) + 0.02"),
    ],
    ids=["torus", "support function"],
)
def test_what_leans_and_rolls_is_newton_and_eulers(touch, shape):
    turned = Rotation.from_euler("ZXY", [0.3, 1.2, 0.4])  # a torus nearly upright
    n, w = turned.inv().apply([0, 0, 1]), (0.3, -0.4, 4.0)
    pose = dict(zip(("fly.qx", "fly.qy", "fly.qz", "fly.qw"), turned.as_quat(), strict=True))
    model = stone(ts.RollingSurface("on", "stone", shape), LUMP)
    start = pose | dict(zip(("fly.wx", "fly.wy", "fly.wz"), w, strict=True))
    height = {"fly.pz": -n @ touch(-n)}
    run = ts.simulate(model, 0.3, height | start, rtol=1e-9, keep=list(start))
    want = leaning(touch, w, n, run.time)
    for i, name in enumerate(("fly.wx", "fly.wy", "fly.wz")):
        np.testing.assert_allclose(run[name], want[i], atol=1e-7)
    assert abs(want[2] - want[2][0]).max() > 1e-2


@pytest.mark.parametrize("lean", [np.pi / 2, 1.0])
def test_a_torus_lands_on_its_tube(lean):
    ring = ts.Body("stone", mass=2.0, inertia=(0.05, 0.05, 0.1, 0, 0, 0))
    touch = ts.Contact("on", "stone", shape=(0.3, 0.05), restitution=0.5)
    start = {"fly.pz": 1.0, "fly.qw": np.cos(lean / 2), "fly.qx": np.sin(lean / 2)}
    run = ts.simulate(stone(touch, ring), 0.45, start)
    fall = 1.0 - 0.3 * np.sin(lean) - 0.05
    assert run.events[0].time == pytest.approx(np.sqrt(2 * fall / G), abs=1e-8)
    # Newton's impact: the contact is 0.3 cos(lean) aside of the center
    u, aside = np.sqrt(2 * G * fall), 0.3 * np.cos(lean)
    push = 1.5 * u / (1 / 2.0 + aside**2 / 0.05)
    after = run.events[0].time + 0.01
    assert np.interp(after, run.time, run["stone.velocity.z"]) == pytest.approx(
        -u + push / 2.0 - G * 0.01, abs=2e-2
    )
    assert abs(run["energy.residual"]).max() < 1e-6


def test_a_torus_that_lies_flat_is_refused():
    """It touches all around: no point is the contact."""
    touch = ts.Contact("on", "stone", shape=(0.3, 0.05))
    with pytest.raises(ts.TorseurError, match="contact 'on': its height over its ground has no v"):
        ts.simulate(stone(touch), 0.1, {"fly.pz": 1.0})


def test_an_implicit_ellipsoid_is_the_ellipsoid():
    a, b, c = AXES
    text = f"(x/{a})**2 + (y/{b})**2 + (z/{c})**2 - 1"
    w = (0.5, -0.2, -5.0)
    one = spun(stone(ts.RollingSurface("on", "stone", AXES)), 0.2, w, c)
    two = spun(stone(ts.RollingSurface("on", "stone", None, text, (0, 0, -c))), 0.2, w, c)
    for n in ("fly.wx", "fly.wy", "fly.wz", "on.normal.multiplier"):
        np.testing.assert_allclose(two[n], one[n], atol=1e-5)
    for n in ("tangent1", "tangent2"):
        np.testing.assert_allclose(two[f"on.{n}.multiplier"], 0, atol=1e-7)


def test_a_ball_on_a_huge_ball_is_a_ball_on_a_plane():
    """And on a ball of any size: the speed at which it leaves is not asked, energy is."""
    w = (0.3, 2.0, -1.0)
    far = ts.Frame("below", "world", at=(0, 0, -1e4))
    pair = ts.RollingPair("on", "below", "stone", 1e4, 0.1)
    one = spun(stone(pair, SPHERE, frames=(far,)), 0.3, w, 0.1)
    two = spun(stone(ts.Rolling("on", "stone", 0.1, axis=None), SPHERE), 0.3, w, 0.1)
    for n in ("fly.px", "fly.wx", "fly.wz"):
        np.testing.assert_allclose(one[n], two[n], atol=1e-4)


def test_an_ellipsoid_rolls_on_an_ellipsoid_without_loss():
    body = ts.Body("stone", mass=1.0, inertia=(0.01, 0.012, 0.013, 0, 0, 0))
    pair = ts.RollingPair("on", "world", "stone", (0.5, 0.4, 0.3), (0.1, 0.12, 0.09))
    run = spun(stone(pair, body), 0.4, (1.0, 0.5, 2.0), 0.39)
    total = run["energy.kinetic"] + run["energy.potential"]
    assert np.ptp(total) < 1e-7 and np.ptp(run["energy.potential"]) > 1e-2
    n = np.stack([run[f"on.n{c}"] for c in "xyz"])
    np.testing.assert_allclose((n**2).sum(axis=0), 1, atol=1e-9)
    at = (
        np.array([0.25, 0.16, 0.09])[:, None]
        * n
        / np.sqrt((np.array([0.25, 0.16, 0.09])[:, None] * n * n).sum(axis=0))
    )  # the point of the lower ellipsoid with that normal is on it
    np.testing.assert_allclose(((at / [[0.5], [0.4], [0.3]]) ** 2).sum(axis=0), 1, atol=1e-9)
    F = np.stack([run[f"on.{c}.multiplier"] for c in "xyz"])
    np.testing.assert_allclose(np.cross(F.T, n.T), 0, atol=1e-6)  # along the normal


def test_an_ellipsoid_that_only_touches_lifts_off_and_lands():
    touch = ts.Contact("on", "stone", shape=AXES, restitution=0.5)
    run = ts.simulate(stone(touch), 0.3, {"fly.pz": 0.1})
    first = np.sqrt(2 * (0.1 - AXES[2]) / G)
    assert run.events[0].time == pytest.approx(first, abs=1e-8)


def test_what_is_wrong_is_told():
    for given, text in (
        ({"shape": (0.1, -0.2, 0.3)}, "has a size of -0.2 m; use more than zero"),
        ({"shape": (1, 2, 3, 4)}, "a shape of 4 numbers"),
        ({}, "give either shape= or implicit= with near="),
        ({"implicit": "x**2 - 1"}, r"near=None: expected three numbers \[m\]"),
    ):
        with pytest.raises(ts.ModelError, match=text):
            stone(ts.RollingSurface("on", "stone", **given)).check()
