"""Contacts that lift off and land, friction in a plane: closed forms, and SciPy on plain equations.

Nothing here is compared with the package itself.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import torseur as ts

G = 9.81


def run(model, t_end, initial=None, output=31, rtol=1e-11, **options):
    out = ts.simulate(model, t_end, initial, rtol=rtol, atol=0.1 * rtol, output=output, **options)
    assert out.completed, out.outcome
    total = sum(out[f"energy.{n}"] for n in ("kinetic", "potential", "dissipated"))
    total = total - out["energy.supplied"]  # impacts are in the books as well
    assert np.ptp(total) < 1e-8 * max(1.0, abs(total).max())
    return out


def named(out, what):
    return [e.time for e in out.events if e.name.endswith(what)]


def block(how, mu, static=None, gravity=(0, 0, -G), forces=()):
    """A block on a table: by its joint, on a plane it cannot leave, on one it can."""
    body, both = ts.Body("block", mass=3.0, inertia=(1, 1, 1, 0, 0, 0)), ("block", ("x", "y"))
    law = {"coefficient": mu, "static_coefficient": static}
    joint = ts.Planar("z", order="translation_first") if how == "joint" else ts.Free()
    constraints = {
        "joint": (ts.DryFriction("rub", both, normal="joint", **law),),
        "plane": (
            ts.PointOnPlane("floor", "block"),
            ts.DryFriction("rub", both, normal="floor", **law),
        ),
        "contact": (ts.Contact("rub", "block", friction=mu, static_friction=static),),
    }[how]
    return ts.Model(
        "block",
        gravity=gravity,
        bodies=(body,),
        forces=forces,
        joints=(ts.Joint("j", "world", "block", joint),),
        constraints=constraints,
    )


def thrown(how, u):
    names = ("j.speed_x", "j.speed_y") if how == "joint" else ("j.vx", "j.vy")
    return dict(zip(names, map(float, u), strict=True))


def place(out, k=-1):
    return np.array([out[f"block.position.{c}"][k] for c in "xy"])


@pytest.mark.parametrize("how", ["joint", "plane", "contact"])
def test_a_block_stops_after_the_same_way_in_any_direction(how):
    mu, v = 0.3, 2.0
    for angle in (0.9, -2.3) if how == "joint" else (0.9,):
        d = np.array([np.cos(angle), np.sin(angle)])
        out = run(block(how, mu), 1.5, thrown(how, v * d))
        assert [e.name for e in out.events] == ["rub: stops"]
        assert out.events[0].time == pytest.approx(v / (mu * G), abs=2e-12)
        np.testing.assert_allclose(place(out), v**2 / (2 * mu * G) * d, rtol=1e-13)
        rest = out.time > out.events[0].time
        assert np.ptp(out["block.position.x"][rest]) == 0.0  # and stays exactly
        assert out["energy.dissipated"][-1] == pytest.approx(6.0, rel=1e-13)


@pytest.mark.parametrize("how", ["joint", "contact"])
@pytest.mark.parametrize("angle, mu", [(25.0, 0.3), (15.0, 0.5)])
def test_a_block_thrown_across_a_slope(how, angle, mu):
    s, c = np.sin(np.radians(angle)), np.cos(np.radians(angle))
    down, start, end = np.array([G * s, 0]), np.array([-0.8, 1.5]), 1.5

    def rates(t, y):
        return [*y[2:], *(down - mu * G * c * y[2:] / np.hypot(*y[2:]))]

    def nearly(t, y):
        return np.hypot(*y[2:]) - 1e-7

    nearly.terminal = True
    want = solve_ivp(
        rates, (0, end), [0, 0, *start], method="DOP853", rtol=1e-12, atol=1e-14, events=nearly
    )
    out = run(block(how, mu, gravity=(G * s, 0, -G * c)), end, thrown(how, start))
    np.testing.assert_allclose(place(out), want.y[:2, -1], atol=1e-11)
    if mu < np.tan(np.radians(angle)):
        assert not out.events
        np.testing.assert_allclose(
            [out["block.velocity.x"][-1], out["block.velocity.y"][-1]], want.y[2:, -1], atol=1e-10
        )
    else:
        last = 1e-7 / (G * (mu * c - s))  # from where the reference was ended
        assert out.events[0].time == pytest.approx(want.t[-1] + last, abs=2e-10)
        assert abs(out["block.velocity.x"][-1]) < 1e-15


@pytest.mark.parametrize("how, static", [("joint", 0.5), ("contact", 0.3)])
def test_a_growing_push_breaks_the_block_loose(how, static):
    """10 t [N] along (0.6, 0.8): stuck until static * weight, then a polynomial of time."""
    mu, N = 0.3, 3 * G
    push = ts.Wrench("push", "block", wrench=(0, 0, 0, 0.6, 0.8, 0), law=ts.Expression("10*t"))
    out = run(block(how, mu, static, forces=(push,)), 3.0)
    loose = static * N / 10
    assert [e.name for e in out.events] == ["rub: breaks loose"]
    assert out.events[0].time == pytest.approx(loose, abs=1e-13)
    assert abs(out["block.position.x"][out.time < loose]).max() < 1e-15
    T = 3 - loose
    way = (10 * (27 - loose**3) / 6 - 5 * loose**2 * T - mu * N * T**2 / 2) / 3
    np.testing.assert_allclose(place(out), [0.6 * way, 0.8 * way], rtol=1e-12)


def test_where_a_slip_starts_is_not_where_the_force_points():
    """A bead on an arm resists unevenly: the slip starts along d with (s + g W) d = y."""
    m, r, J, mu, static = 1.0, 0.4, 0.3, 0.2, 0.5
    arm = ts.Model(
        "arm",
        gravity=(0, 0, -G),
        bodies=(ts.Body("rail", mass=0.5, inertia=(J, J, J, 0, 0, 0)), ts.Body("bead", mass=m)),
        joints=(
            ts.Joint("turn", "world", "rail", ts.Revolute("z")),
            ts.Joint("slide", "rail", "bead", ts.Prismatic("x")),
        ),
        forces=(ts.Wrench("push", "bead", wrench=(0, 0, 0, 1, 2, 0), law=ts.Expression("t")),),
        constraints=(
            ts.DryFriction("rub", ("bead", ("x", "y")), force=mu * m * G, static=static * m * G),
        ),
    )
    out = run(arm, 2.4, {"slide.displacement": r}, output="steps")
    loose = static * m * G / np.sqrt(5)
    assert named(out, "breaks loose") == [pytest.approx(loose, abs=1e-12)]
    W = np.diag([1 / m, r**2 / (J + m * r**2)])
    y, g = W @ (loose * np.array([1.0, 2.0])), mu * m * G

    def too_long(s):
        return np.linalg.norm(np.linalg.solve(s * np.eye(2) + g * W, y)) - 1

    s = brentq(too_long, 0, 100, xtol=1e-14)
    d = np.linalg.solve(s * np.eye(2) + g * W, y)
    k = np.flatnonzero(out.time == out.events[0].time)[-1]  # just after
    got = np.array([out["bead.acceleration.x"][k], out["bead.acceleration.y"][k]])
    np.testing.assert_allclose(got, s * d, rtol=1e-9)
    assert abs(np.cross([*d, 0], [1, 2, 0])[2]) > 0.05


def sphere(mu, restitution=0.0, mass=2.0, R=0.3):
    J = 0.4 * mass * R**2
    return ts.Model(
        "sphere",
        bodies=(ts.Body("ball", mass=mass, inertia=(J, J, J, 0, 0, 0)),),
        joints=(ts.Joint("fly", "world", "ball", ts.Free()),),
        constraints=(ts.Contact("floor", "ball", radius=R, friction=mu, restitution=restitution),),
    )


def test_a_sliding_sphere_begins_to_roll():
    mu, v, d = 0.2, 3.0, np.array([np.cos(0.7), np.sin(0.7)])
    out = run(sphere(mu), 1.0, {"fly.pz": 0.3, "fly.vx": v * d[0], "fly.vy": v * d[1]})
    assert named(out, "stops") == [pytest.approx(2 * v / (7 * mu * G), abs=1e-10)]
    rolls = out.time >= out.events[0].time
    for c, x in zip("xy", d, strict=True):
        np.testing.assert_allclose(out[f"ball.velocity.{c}"][rolls], 5 / 7 * v * x, rtol=1e-9)
        np.testing.assert_allclose(
            out[f"floor.slip{'xy'.index(c) + 1}.multiplier"][~rolls], -mu * 2 * G * x, rtol=1e-6
        )
    np.testing.assert_allclose(out["energy.dissipated"][-1], v**2 * 2 / 7, rtol=1e-9)
    assert out["floor.mode"][0] == 2 and out["floor.mode"][-1] == 0
    assert out["floor.contact"].min() == 1


@pytest.mark.parametrize("mu", [0.4, 0.05])
def test_a_spinning_sphere_bounces_with_friction(mu):
    """Impulses of a cone: it grips with enough friction, else slides through the impact."""
    m, R, e = 2.0, 0.3, 0.6
    u, w, vn = np.array([1.0, 0.4]), -9.0, np.sqrt(2 * G * 0.5)
    out = run(
        sphere(mu, e),
        0.5,
        {"fly.pz": R + 0.5, "fly.vx": u[0], "fly.vy": u[1], "fly.wy": w},
        output=[0, 0.5],
    )
    slip, pn = u - [R * w, 0], m * (1 + e) * vn
    pt = -slip / (1 / m + 1 / (0.4 * m))
    size = np.linalg.norm(pt)
    assert (size > mu * pn) == (mu < 0.1)  # the two cases are met
    pt = pt * min(1.0, mu * pn / size)
    k = np.searchsorted(out.time, out.events[0].time) + 1
    np.testing.assert_allclose(
        [out[f"ball.velocity.{c}"][k] for c in "xyz"], [*(u + pt / m), e * vn], atol=1e-10
    )


def test_a_ball_bounces_at_the_times_of_the_closed_form_and_comes_to_rest():
    m, e, h = 2.0, 0.8, 1.0
    ball = ts.Model(
        "ball",
        bodies=(ts.Body("ball", mass=m),),
        joints=(ts.Joint("z", "world", "ball", ts.Prismatic("z")),),
        constraints=(ts.Contact("floor", "ball", radius=0.1, restitution=e),),
    )
    out = run(ball, 5.0, {"z.displacement": h + 0.1})
    v = np.sqrt(2 * G * h)
    t, want = v / G, []
    while True:
        want.append(t)
        if v < 1e-3:  # slower: it stays
            break
        v *= e
        t += 2 * v / G
    np.testing.assert_allclose(named(out, "lands"), want, atol=1e-12)
    assert out["z.displacement"][-1] == 0.1 and out["z.speed"][-1] == 0.0
    assert out["floor.normal.multiplier"][-1] == pytest.approx(m * G, rel=1e-14)
    assert out["energy.dissipated"][-1] == pytest.approx(m * G * h, rel=1e-13)
    again = run(ball, 5.0, {"z.displacement": h + 0.1})
    assert all((out[n] == again[n]).all() for n in ("z.displacement", "z.speed"))


def test_a_shaken_mass_leaves_its_table_and_lands_on_it():
    A, w = 0.02, 30.0
    shaker = ts.Model(
        "shaker",
        bodies=(ts.Body("table", mass=1.0), ts.Body("mass", mass=0.5)),
        joints=(
            ts.Joint("t", "world", "table", ts.Prismatic("z")),
            ts.Joint("m", "world", "mass", ts.Prismatic("z")),
        ),
        constraints=(
            ts.Driven("drive", "t.displacement", f"{A}*sin({w}*t)"),
            ts.Contact("seat", "mass", "table"),
        ),
    )
    out = run(shaker, 0.5, {"t.speed": A * w, "m.speed": A * w})
    leaves = np.arcsin(G / (A * w**2)) / w
    z, v = A * np.sin(w * leaves), A * w * np.cos(w * leaves)

    def gap(t):
        return z + v * (t - leaves) - G * (t - leaves) ** 2 / 2 - A * np.sin(w * t)

    lands = brentq(gap, leaves + 0.02, leaves + 0.3, xtol=1e-15)
    assert [e.name for e in out.events[:2]] == ["seat: lifts off", "seat: lands"]
    assert out.events[0].time == pytest.approx(leaves, abs=1e-12)
    assert out.events[1].time == pytest.approx(lands, abs=1e-12)
    loss = 0.25 * (v - G * (lands - leaves) - A * w * np.cos(w * lands)) ** 2
    after = np.searchsorted(out.time, out.events[1].time) + 1
    assert out["energy.dissipated"][after] == pytest.approx(loss, rel=1e-9)
    assert out["energy.supplied"][-1] > loss


def test_a_ladder_leaves_its_wall_at_two_thirds_of_its_height():
    L, m, start = 2.0, 3.0, 1.2
    J = m * L**2 / 12
    ladder = ts.Model(
        "ladder",
        bodies=(ts.Body("rod", mass=m, inertia=(J, J, J, 0, 0, 0)),),
        joints=(ts.Joint("j", "world", "rod", ts.Planar("y", order="translation_first")),),
        constraints=(
            ts.Contact("floor", ("rod", (L / 2, 0, 0))),
            ts.Contact("wall", ("rod", (-L / 2, 0, 0)), normal="x"),
        ),
    )
    out = run(
        ladder, 0.8, {"j.angle": start, "j.x": L / 2 * np.sin(start), "j.y": L / 2 * np.cos(start)}
    )
    assert [e.name for e in out.events] == ["wall: lifts off"]
    k = np.searchsorted(out.time, out.events[0].time)
    assert np.sin(out["j.angle"][k]) == pytest.approx(2 / 3 * np.sin(start), rel=1e-11)
    v = out["rod.velocity.x"][k + 1 :]  # nothing pushes sideways any more
    np.testing.assert_allclose(v, v[0], rtol=1e-12)


def test_a_ladder_that_rubs_on_floor_and_wall():
    """Two sliding contacts whose forces depend on each other; the plain equations by SciPy."""
    L, m, start, mu = 2.0, 3.0, 1.1, 0.2
    J = m * L**2 / 12
    ladder = ts.Model(
        "ladder",
        bodies=(ts.Body("rod", mass=m, inertia=(J, J, J, 0, 0, 0)),),
        joints=(ts.Joint("j", "world", "rod", ts.Planar("y", order="translation_first")),),
        constraints=(
            ts.Contact("floor", ("rod", (L / 2, 0, 0)), friction=mu),
            ts.Contact("wall", ("rod", (-L / 2, 0, 0)), normal="x", friction=mu),
        ),
    )

    def balance(a, w):
        """Angular acceleration, forces of floor and wall."""
        s, c, h = np.sin(a), np.cos(a), L / 2
        A = np.array(
            [
                [-m * h * s, mu, -1.0],
                [m * h * c, -1.0, -mu],
                [J, h * (c - mu * s), -h * (s + mu * c)],
            ]
        )
        return np.linalg.solve(A, [m * h * c * w**2, m * h * s * w**2 - m * G, 0])

    def off(t, y):
        return balance(*y)[2]

    off.terminal = True
    want = solve_ivp(
        lambda t, y: [y[1], balance(*y)[0]],
        (0, 2),
        [start, 0],
        rtol=1e-12,
        atol=1e-14,
        events=off,
        method="DOP853",
    )
    out = run(
        ladder, 1.08, {"j.angle": start, "j.x": L / 2 * np.sin(start), "j.y": L / 2 * np.cos(start)}
    )
    assert out.events[0].name == "wall: lifts off"
    assert out.events[0].time == pytest.approx(want.t[-1], abs=1e-9)
    k = np.searchsorted(out.time, out.events[0].time)
    assert out["j.angle"][k] == pytest.approx(want.y[0, -1], abs=1e-10)
    _, floor, wall = balance(start, 0.0)
    assert out["floor.normal.multiplier"][0] == pytest.approx(floor, rel=1e-12)
    assert out["wall.normal.multiplier"][0] == pytest.approx(wall, rel=1e-12)


def test_a_rocking_block_loses_what_housner_says():
    """Angular momentum about the corner that strikes: 1 - 1.5 sin^2 of the slenderness angle."""
    b, h, m = 0.2, 0.6, 5.0
    J, lean = m * (b**2 + h**2) / 3, 0.15
    rock = ts.Model(
        "rock",
        bodies=(ts.Body("block", mass=m, inertia=(J, J, J, 0, 0, 0)),),
        joints=(ts.Joint("j", "world", "block", ts.Planar("y", order="translation_first")),),
        constraints=tuple(
            ts.Contact(n, ("block", (x, 0, -h)), friction=5.0) for n, x in (("A", -b), ("B", b))
        ),
    )
    start = {
        "j.angle": lean,
        "j.x": b * np.sin(lean) + h * np.cos(lean),
        "j.y": -b * np.cos(lean) + h * np.sin(lean),
    }
    out = run(rock, 5.0, start)
    lands = named(out, "lands")
    assert [e.name for e in out.events][:4] == ["A: lands", "B: lands", "A: lands", "B: lands"]
    for t in lands[:8]:
        k = np.searchsorted(out.time, t)
        assert out["j.rate"][k + 1] / out["j.rate"][k] == pytest.approx(
            1 - 1.5 * b**2 / (b**2 + h**2), rel=1e-10
        )
    assert max(abs(out["j.angle"][-1]), abs(out["j.rate"][-1])) < 1e-15  # it rests
    for n in "AB":
        assert out[f"{n}.normal.multiplier"][-1] == pytest.approx(m * G / 2, rel=1e-9)


def bead(surface, **law):
    return ts.Model(
        "bead",
        bodies=(ts.Body("bead", mass=0.7, inertia=(1, 1, 1, 0, 0, 0)),),
        joints=(ts.Joint("j", "world", "bead", ts.Free()),),
        parameters={"R": 2.0},
        constraints=(ts.Contact("on", "bead", surface=surface, **law),),
    )


def test_a_bead_leaves_a_dome_at_two_thirds_of_its_height():
    R, a = 2.0, 0.2
    out = run(
        bead("x**2 + y**2 + z**2 - R**2"),
        1.2,
        {"j.px": 0.6 * R * np.sin(a), "j.py": 0.8 * R * np.sin(a), "j.pz": R * np.cos(a)},
    )
    assert [e.name for e in out.events] == ["on: lifts off"]
    k = np.searchsorted(out.time, out.events[0].time)
    assert out["bead.position.z"][k] == pytest.approx(2 / 3 * R * np.cos(a), rel=1e-11)


def test_a_bead_in_a_rough_bowl_stops_where_the_plain_equation_says():
    R, a, mu = 2.0, 1.0, 0.3
    out = run(
        bead("R**2 - x**2 - y**2 - z**2", friction=mu),
        3.0,
        {"j.px": -0.6 * R * np.sin(a), "j.py": -0.8 * R * np.sin(a), "j.pz": -R * np.cos(a)},
    )

    def rates(t, y):
        return [y[1], -G / R * np.sin(y[0]) - mu * (G / R * np.cos(y[0]) + y[1] ** 2)]

    def stops(t, y):
        return y[1] if t > 0.1 else 1.0

    stops.terminal = True
    want = solve_ivp(rates, (0, 5), [-a, 0], rtol=1e-12, atol=1e-14, events=stops, method="DOP853")
    assert named(out, "stops") == [pytest.approx(want.t[-1], abs=1e-10)]
    assert abs(want.y[0, -1]) < np.arctan(mu)  # it can stay there
    way = R * np.sin(want.y[0, -1])
    np.testing.assert_allclose(
        [out["bead.position.x"][-1], out["bead.position.y"][-1]], [0.6 * way, 0.8 * way], rtol=1e-10
    )
