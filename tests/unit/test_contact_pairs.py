"""Two convex bodies that meet and part: billiard balls, brute force for ellipsoids, a dome."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, minimize
from scipy.spatial.transform import Rotation

import torseur as ts

G, R, M = 9.81, 0.03, 0.17
BALL = (0.4 * M * R * R,) * 3 + (0, 0, 0)
EXACT = {"rtol": 1e-11, "atol": 1e-13}
FORMS = {  # of one sphere
    "spheres": R,
    "semi-axes": (R, R, R),
    "support": "0.03*sqrt(x**2 + y**2 + z**2)",
}


def two(pair, inertias=(BALL, BALL), gravity=(0, 0, 0), masses=(M, M), kind=None):
    kind = kind or ts.Free()
    return ts.Model(
        "two",
        gravity=gravity,
        bodies=tuple(ts.Body(n, m, inertia=i) for n, m, i in zip("ab", masses, inertias)),  # noqa: B905
        joints=tuple(ts.Joint(f"f{n}", "world", n, kind) for n in "ab"),
        constraints=(pair,),
    )


def after(run, body):
    both = ("velocity", "angular_velocity")
    return np.array([run[f"{body}.{what}.{c}"][-1] for what in both for c in "xyz"])


def billiard(e, mu, spin):
    """Velocities after a ball of speed 1 along x, turning about z, meets one 0.03 m beside."""
    n = np.array([np.sqrt(0.75), 0.5, 0.0])
    t = np.array([-0.5, np.sqrt(0.75), 0.0])
    v, z = np.array([1.0, 0, 0]), np.array([0, 0, 1.0])
    P = M * (1 + e) / 2 * (v @ n)
    slip = -(v @ t) - spin * R  # of b's point against a's, along t
    Q = np.clip(-slip * M / 7, -mu * P, mu * P)
    turn = np.cross(n * R, t) @ z * Q / BALL[0]
    first = [*(v - n * P / M - t * Q / M), 0, 0, spin - turn]
    return np.array(first), np.array([*(n * P / M + t * Q / M), 0, 0, -turn])


WAYS = [(1.0, 0.0), (0.9, 0.02), (0.9, 0.5), (0.0, 0.1)]
FEW = (("spheres", 0.9, 0.02), ("spheres", 0.9, 0.5))
EACH = [
    pytest.param(f, *x, marks=() if (f, *x) in FEW else pytest.mark.slow)
    for f in FORMS
    for x in WAYS
]


@pytest.mark.parametrize("form, e, mu", EACH)
def test_billiard_balls(form, e, mu):
    """Exactly Newton's and Coulomb's impact: sliding, sticking, staying together or not."""
    pair = ts.ContactPair("hit", "a", "b", FORMS[form], R, restitution=e, friction=mu)
    start = {"fa.vx": 1.0, "fa.wz": 2.0, "fb.px": 0.2, "fb.py": 0.03}
    run = ts.simulate(two(pair), 0.2, start, **EXACT)
    assert run.completed and run.events[0].name == "hit: lands"
    assert run.events[0].time == pytest.approx(0.2 - 0.06 * np.sqrt(0.75), abs=1e-9)
    for got, want in zip("ab", billiard(e, mu, 2.0), strict=True):
        if e:
            np.testing.assert_allclose(after(run, got), want, atol=1e-8)
    total = after(run, "a")[:3] + after(run, "b")[:3]
    np.testing.assert_allclose(total, [1, 0, 0], atol=1e-9)
    assert abs(run["energy.residual"]).max() < 1e-10
    if e == 0:  # they go on in touch, and roll on each other without a pull
        far = np.linalg.norm(
            [run[f"b.position.{c}"] - run[f"a.position.{c}"] for c in "xyz"], axis=0
        )
        assert far.min() > 2 * R - 1e-10 and (run["hit.normal.multiplier"] > -1e-9).all()


AXES_A, AXES_B = (0.05, 0.03, 0.02), (0.02, 0.04, 0.03)
TURN = Rotation.from_euler("xyz", [0.4, -0.3, 0.8])
SPIN, SPEED = np.array([3.0, -2.0, 4.0]), np.array([-1.0, 0.1, 0.05])
I_A, I_B = np.diag([3e-5, 6e-5, 7e-5]), np.diag([6e-5, 3e-5, 5e-5])
MASSES = (0.2, 0.3)


def separation(p, turn):
    """Largest distance along a direction, by a search that knows nothing of normals as unknowns."""
    A, B = np.square(AXES_A), np.square(AXES_B)

    def less(angles):
        (c, d), (s, e) = np.cos(angles), np.sin(angles)
        n = np.array([c * d, s * d, e])
        m = turn.inv().apply(n)
        return -(n @ p - np.sqrt(n @ (A * n)) - np.sqrt(m @ (B * m))), n

    first, close = [np.arctan2(p[1], p[0]), 0.0], {"gtol": 1e-13}
    found = minimize(lambda x: less(x)[0], first, method="BFGS", options=close)
    return -found.fun, less(found.x)[1]


def turned(t):
    """Attitude of b, a spinning body free of moments, by small steps of its quaternion."""

    def rates(_, y):
        w, r = y[4:], Rotation.from_quat(y[:4] / np.linalg.norm(y[:4]))
        dq = 0.5 * np.linalg.norm(w) * (r * Rotation.from_quat([*w, 0])).as_quat()
        return [*dq, *np.linalg.solve(I_B, -np.cross(w, I_B @ w))]

    given = {"rtol": 1e-12, "atol": 1e-13, "method": "DOP853"}
    y = solve_ivp(rates, (0, t), [*TURN.as_quat(), *SPIN], **given).y[:, -1]
    return Rotation.from_quat(y[:4]), y[4:]


@pytest.mark.slow
@pytest.mark.parametrize("solution", ts.solve.SOLUTIONS)
def test_ellipsoids_meet_when_and_how_a_search_says(solution):
    """Time of the meeting by distance; impulse with friction by the two-body equation by hand."""
    p0, e, mu = np.array([0.2, 0.01, -0.01]), 0.7, 0.15
    hit = brentq(lambda t: separation(p0 + SPEED * t, turned(t)[0])[0], 0.05, 0.18, xtol=1e-13)
    turn, spin = turned(hit)
    p = p0 + SPEED * hit
    n = separation(p, turn)[1]
    own = np.square(AXES_A) * n / np.sqrt(n @ (np.square(AXES_A) * n))
    arms = own, own - p
    inertias = I_A, turn.as_matrix() @ I_B @ turn.as_matrix().T
    K = np.zeros((3, 3))
    for m, r, I in zip(MASSES, arms, inertias, strict=True):
        X = np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
        K += np.eye(3) / m - X @ np.linalg.inv(I) @ X
    w = turn.apply(spin)
    u = SPEED + np.cross(w, arms[1])  # of b against a, which is at rest

    def impulse(direction):
        push = n - mu * direction
        return push * (-(1 + e) * (u @ n) / (n @ K @ push))

    flat = u - n * (u @ n)
    stuck = np.linalg.solve(K, -(n * (e * (u @ n)) + u))
    slides = np.linalg.norm(stuck - n * (stuck @ n)) > mu * (stuck @ n)
    pair = ts.ContactPair("hit", "a", "b", AXES_A, AXES_B, restitution=e, friction=mu)
    model = two(pair, ((3e-5, 6e-5, 7e-5, 0, 0, 0), (6e-5, 3e-5, 5e-5, 0, 0, 0)), masses=MASSES)
    quaternion = dict(zip(("fb.qx", "fb.qy", "fb.qz", "fb.qw"), TURN.as_quat(), strict=True))
    start = dict(zip(("fb.px", "fb.py", "fb.pz"), p0, strict=True)) | quaternion
    local = TURN.inv().apply(SPEED)
    names = ("fb.vx", "fb.vy", "fb.vz", "fb.wx", "fb.wy", "fb.wz")
    start |= dict(zip(names, (*local, *SPIN), strict=True))
    run = ts.simulate(model, float(hit) + 1e-3, start, solution=solution, **EXACT)
    assert [x.name for x in run.events] == ["hit: lands"]
    assert run.events[0].time == pytest.approx(hit, abs=1e-9)
    P = (after(run, "b")[:3] - SPEED) * MASSES[1]
    np.testing.assert_allclose(after(run, "a")[:3] * MASSES[0], -P, atol=1e-9)
    k = np.flatnonzero(run.time == run.events[0].time)
    loss = run["energy.kinetic"][k[0]] - run["energy.kinetic"][k[-1]]
    assert loss == pytest.approx(-(P @ u + P @ K @ P / 2), rel=1e-6)
    assert (u + K @ P) @ n == pytest.approx(-e * (u @ n), rel=1e-6)  # Newton
    side = P - n * (P @ n)
    assert slides and np.linalg.norm(side) == pytest.approx(mu * (P @ n), rel=1e-6)  # Coulomb
    after_slip = (u + K @ P) - n * ((u + K @ P) @ n)
    assert side @ after_slip < 0 and side @ flat < 0
    assert abs(run["energy.residual"]).max() < 1e-9
    if solution == "multipliers":
        many = ts.batch(
            model, float(hit) + 1e-3, start | {"fb.vx": np.full(3, local[0])}, rtol=1e-10
        )
        for events in many.events:
            assert [x.name for x in events] == ["hit: lands"]
            assert events[0].time == pytest.approx(hit, abs=1e-9)
        for n in ("fa.vx", "fb.vy", "fb.wz"):
            np.testing.assert_allclose(many[n][:, -1], run[n][-1], atol=1e-7)


@pytest.mark.parametrize("form", [0.5, (0.5, 0.5, 0.5)])
def test_a_ball_leaves_a_dome_at_two_thirds_of_its_height(form):
    """And is not pulled: from the top of a fixed sphere, without friction."""
    ball = ts.Body("ball", 1.0, inertia=(1e-3,) * 3 + (0, 0, 0))
    fly = ts.Joint("fly", "world", "ball", ts.Translation())
    dome = ts.ContactPair("dome", "world", "ball", form, 0.1)
    model = ts.Model("m", bodies=(ball,), joints=(fly,), constraints=(dome,))
    start = {"fly.px": 0.6 * np.sin(0.1), "fly.pz": 0.6 * np.cos(0.1)}
    run = ts.simulate(model, 0.9, start, rtol=1e-10)
    (leaves,) = run.events
    at = np.searchsorted(run.time, leaves.time)
    assert leaves.name == "dome: lifts off"
    assert run["fly.pz"][at] == pytest.approx(0.6 * np.cos(0.1) * 2 / 3, rel=1e-7)
    assert run["dome.normal.multiplier"].min() > -1e-9 and abs(run["energy.residual"]).max() < 1e-9


def test_a_pile_comes_to_rest_and_what_starts_inside_is_told():
    """Two balls in a vertical tube, one falls on the other, which lies on the floor."""
    tube = ts.Prismatic("z")
    model = ts.Model(
        "pile",
        bodies=(ts.Body("a", M), ts.Body("b", M)),
        joints=(ts.Joint("za", "world", "a", tube), ts.Joint("zb", "world", "b", tube)),
        constraints=(
            ts.Contact("floor", "a", radius=R),
            ts.ContactPair("hit", "a", "b", R, (R, R, R), restitution=0.3),
        ),
    )
    run = ts.simulate(model, 1.0, {"za.displacement": R, "zb.displacement": 0.2})
    assert run.completed and run["zb.displacement"][-1] == pytest.approx(3 * R, abs=1e-8)
    assert run["hit.normal.multiplier"][-1] == pytest.approx(M * G, rel=1e-6)
    assert run["floor.normal.multiplier"][-1] == pytest.approx(2 * M * G, rel=1e-6)
    assert abs(run["energy.residual"]).max() < 1e-9
    with pytest.raises(ts.TorseurError, match=r"contact 'hit' starts 0\.01 m inside"):
        ts.simulate(model, 0.1, {"za.displacement": R, "zb.displacement": 3 * R - 0.01})
