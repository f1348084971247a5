"""Contacts and frictions in a plane: what they say, several at once, files, messages, limits."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from zoo import close

import torseur as ts
from torseur.dynamics.contact.friction_cone import solve_sliding_forces
from torseur.errors import ModelError, TorseurError
from torseur.scalars import Floats, vector

G = 9.81


def ball(*constraints, joint=None, body=None, **options):
    body = body or ts.Body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    return ts.Model(
        "ball",
        bodies=(body,),
        joints=(ts.Joint("fly", "world", "ball", joint or ts.Free()),),
        constraints=constraints,
        **options,
    )


def total(out):
    books = sum(out[f"energy.{n}"] for n in ("kinetic", "potential", "dissipated"))
    return books - out["energy.supplied"]


def cube(**law):
    h = 0.25
    J = 2.5 * (2 * h) ** 2 / 6
    corners = ((h, h), (-h, h), (-h, -h), (h, -h))
    return ts.Model(
        "cube",
        bodies=(ts.Body("cube", mass=2.5, inertia=(J, J, J, 0, 0, 0)),),
        joints=(ts.Joint("fly", "world", "cube", ts.Free()),),
        constraints=tuple(
            ts.Contact(f"c{i}", ("cube", (x, y, -h)), **law) for i, (x, y) in enumerate(corners)
        ),
    )


def test_four_corners_that_land_together_bounce_together():
    out = ts.simulate(
        cube(restitution=0.5), 2.5, {"fly.pz": 1.25}, rtol=1e-10, output=26, reactions="least_norm"
    )
    T = np.sqrt(2 / G)
    for k, t in enumerate((T, 2 * T, 2.5 * T, 2.75 * T)):
        assert min(abs(e.time - t) for e in out.events) < 1e-9, k
    assert abs(out["fly.wx"]).max() < 1e-7  # it does not start to turn
    assert out["fly.pz"][-1] == pytest.approx(0.25, abs=1e-14)
    loads = [out[f"c{i}.normal.multiplier"][-1] for i in range(4)]
    assert loads == pytest.approx([2.5 * G / 4] * 4, rel=1e-9)
    assert np.ptp(total(out)) < 1e-9


@pytest.mark.slow
def test_planks_thrown_askew_never_enter_the_floor_nor_gain_energy():
    """Two feet with friction and restitution, thrown at random; the model is compiled once."""
    feet, J = ((-0.4, -0.1), (0.3, -0.1)), 0.2
    plank = ts.Model(
        "plank",
        bodies=(ts.Body("plank", mass=2.0, inertia=(J, J, J, 0, 0, 0)),),
        joints=(ts.Joint("j", "world", "plank", ts.Planar("y", order="translation_first")),),
        parameters={"mu": 0.3, "static": 0.4, "e": 0.5},
        constraints=tuple(
            ts.Contact(
                n, ("plank", (x, 0, z)), friction="mu", static_friction="static", restitution="e"
            )
            for n, (x, z) in zip("AB", feet, strict=True)
        ),
    )
    rng, rested = np.random.default_rng(5), 0
    for _ in range(80):
        mu = rng.uniform(0.05, 1.0)
        law = {"mu": mu, "static": mu * rng.uniform(1, 1.4), "e": rng.choice([0.0, 0.4, 0.8])}
        start = {
            "j.x": 0.5,
            "j.speed_y": rng.normal(),
            "j.rate": 0.6 * rng.normal(),
            "j.angle": 0.3 * rng.normal(),
        }
        out = ts.simulate(plank, 2.0, start, parameters=law, output=201)
        assert out.completed, out.outcome
        assert np.ptp(total(out)) < 1e-6
        assert (np.diff(out["energy.dissipated"]) > -1e-9).all()
        a = out["j.angle"]
        for x, z in feet:
            assert (out["plank.position.z"] - x * np.sin(a) + z * np.cos(a)).min() > -1e-8
        if out["energy.kinetic"][-1] < 1e-25:  # on both feet
            rested += abs(a[-1]) < 1e-12
            loads = [out[f"{n}.normal.multiplier"][-1] for n in "AB"]
            np.testing.assert_allclose(loads, [2 * G * 3 / 7, 2 * G * 4 / 7], rtol=1e-9)
    assert rested > 30


def test_restitution_with_friction_gives_no_energy():
    """A rod strikes with its end: Newton's law and a gripping floor would give it energy."""
    m, h, a, e = 1.0, 0.5, 0.9, 0.9
    J = m * h**2 / 3

    def rod(e):
        return ts.Model(
            "rod",
            gravity=(0, 0, 0),
            bodies=(ts.Body("rod", mass=m, inertia=(J, J, J, 0, 0, 0)),),
            joints=(ts.Joint("j", "world", "rod", ts.Planar("y", order="translation_first")),),
            constraints=(ts.Contact("end", ("rod", (h, 0, 0)), friction=0.6, restitution=e),),
        )

    r = h * np.array([-np.sin(a), np.cos(a)])  # of the end: up, along
    W = np.eye(2) / m + np.array([[r[1] ** 2, -r[0] * r[1]], [-r[0] * r[1], r[0] ** 2]]) / J

    def by_newton(e, u):
        p = np.linalg.solve(W, [1 + e, -u])  # it grips
        return p if abs(p[1]) < 0.6 * p[0] else None

    seen = set()
    for u in (0.7, -0.7):
        for give in (0.2, e):
            p = by_newton(give, u)
            out = ts.simulate(
                rod(give),
                0.2,
                {"j.angle": a, "j.x": h * np.sin(a) + 0.1, "j.speed_x": -1.0, "j.speed_y": u},
                output=[0, 0.2],
            )
            assert np.ptp(total(out)) < 1e-13
            assert out["energy.dissipated"][-1] > -1e-14
            if p is None:
                continue
            lost = -0.5 * p @ (2 * np.array([-1.0, u]) + W @ p)
            seen.add(lost > 0)
            want = max(lost, 0.0)  # Newton's, or what costs nothing
            assert out["energy.dissipated"][-1] == pytest.approx(want, abs=1e-12)
    assert seen == {True, False}


def test_frictions_that_press_on_each_other_are_solved_together():
    rng, K = np.random.default_rng(4), Floats()
    for _ in range(20):
        N, k = rng.normal(size=3), rng.uniform(0, 0.5, 3)
        c = 0.8 * rng.uniform(-1, 1, (3, 3))
        f = solve_sliding_forces(
            K,
            {i: vector([N[i]]) for i in range(3)},
            {i: {j: vector([c[i, j]]) for j in range(3)} for i in range(3)},
            k,
            (),
        )
        f = np.array([f[i] for i in range(3)])
        N = N + c @ f
        if abs(N).min() > 0.3:  # no sign in doubt
            np.testing.assert_allclose(f, k * abs(N), atol=1e-13)


def test_what_another_event_turns_back_still_lands():
    """A ball leaves the floor and is thrown back by a rigid stop of its joint."""
    stop = ts.JointForce("ceiling", "fly", law=ts.Limits(-9.0, 0.5, restitution=1.0))
    model = ball(
        ts.Contact("floor", "ball"), joint=ts.Prismatic("z"), gravity=(0, 0, 0), forces=(stop,)
    )
    out = ts.simulate(model, 1.0, {"fly.speed": 2.0})
    assert [e.name for e in out.events if e.name.startswith("floor")] == ["floor: lands"]
    assert out.events[-1].time == pytest.approx(0.5, abs=1e-7)
    assert out["fly.displacement"][-1] == pytest.approx(0.0, abs=1e-15)


def test_a_long_fixed_step_past_a_stop_keeps_its_books():
    rub = ts.DryFriction("rub", ("ball", ("x", "y")), force=3.0)
    model = ball(rub, joint=ts.Planar("z", order="translation_first"))
    out = ts.simulate(
        model,
        1.0,
        {"fly.speed_x": 0.6, "fly.speed_y": -0.8},
        method="rk4",
        step=0.07,
        output="steps",
    )
    assert abs(out["fly.speed_x"][-1]) < 1e-15 and out["rub.mode"][-1] == 0
    assert np.ptp(total(out)) < 1e-13
    assert np.hypot(out["fly.x"][-1], out["fly.y"][-1]) == pytest.approx(1 / 3, abs=0.01)


def test_a_plate_on_three_feet_spins_and_stops_as_the_plain_equation_says():
    """Coulomb forces of given loads at three points: the reference is smooth under 1e-7 m/s.

    One foot stops and is a pivot for the others, which then stop at once.
    """
    m, J, f = 2.0, 0.15, 2.0
    feet = np.array([(0.3, 0.0), (-0.2, 0.25), (-0.1, -0.3)])
    plate = ts.Model(
        "plate",
        gravity=(0, 0, 0),
        bodies=(ts.Body("plate", mass=m, inertia=(J, J, J, 0, 0, 0)),),
        joints=(ts.Joint("j", "world", "plate", ts.Planar("z", order="translation_first")),),
        constraints=tuple(
            ts.DryFriction(f"foot{i}", (f"p{i}", ("x", "y")), force=f) for i in range(3)
        ),
        frames=tuple(ts.Frame(f"p{i}", "plate", at=(x, y, 0)) for i, (x, y) in enumerate(feet)),
    )
    start = {"j.rate": 4.0, "j.speed_x": 0.8, "j.speed_y": -0.3}

    def rates(t, y):
        a, w, u = y[0], y[3], y[4:]
        r = feet @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
        slip = u + w * np.stack([-r[:, 1], r[:, 0]], axis=1)
        F = -f * slip / np.sqrt((slip**2).sum(axis=1) + 1e-14)[:, None]
        return [w, *u, (r[:, 0] * F[:, 1] - r[:, 1] * F[:, 0]).sum() / J, *(F.sum(axis=0) / m)]

    want = solve_ivp(
        rates,
        (0, 0.6),
        [0, 0, 0, 4.0, 0.8, -0.3],
        rtol=1e-8,
        atol=1e-10,
        method="Radau",
        t_eval=np.linspace(0, 0.6, 31),
    )
    out = ts.simulate(plate, 0.6, start, rtol=1e-11, atol=1e-13, output=want.t)
    k = np.searchsorted(out.time, want.t)
    for i, n in enumerate(("angle", "x", "y", "rate")):
        np.testing.assert_allclose(out[f"j.{n}"][k], want.y[i], atol=1e-5)
    stops = [e for e in out.events if e.name.endswith("stops")]
    assert [e.name for e in stops] == ["foot0: stops", "foot1: stops"]  # a pivot, then all
    assert all(out[f"foot{i}.mode"][-1] == 0 for i in range(3))
    assert abs(out["energy.residual"]).max() < 1e-9


def test_two_free_bodies_that_meet_keep_their_momentum():
    """A sphere falls on a plate that flies: Newton's restitution of the relative speed."""
    model = ts.Model(
        "meet",
        gravity=(0, 0, 0),
        bodies=(ts.Body("plate", mass=3.0), ts.Body("ball", mass=1.0)),
        joints=(
            ts.Joint("p", "world", "plate", ts.Prismatic("z")),
            ts.Joint("b", "world", "ball", ts.Prismatic("z")),
        ),
        constraints=(
            ts.Contact("touch", "ball", ("plate", (0, 0, 0.1)), radius=0.2, restitution=0.5),
        ),
    )
    out = ts.simulate(
        model, 1.0, {"b.displacement": 1.0, "b.speed": -2.0, "p.speed": 1.0}, output=[0, 1]
    )
    assert out.events[0].time == pytest.approx(0.7 / 3, abs=1e-13)
    v, w = out["p.speed"][-1], out["b.speed"][-1]
    assert 3 * v + w == pytest.approx(1.0, abs=1e-14)
    assert w - v == pytest.approx(1.5, abs=1e-14)
    assert out["touch.reaction.force.z"][0] == 0.0


def test_friction_along_one_axis_of_a_contact_is_off_in_flight():
    model = ball(
        ts.Contact("floor", "ball"),
        ts.DryFriction("rub", ("ball", "x"), coefficient=0.3, normal="floor"),
    )
    out = ts.simulate(model, 1.2, {"fly.pz": 0.2, "fly.vx": 2.0}, rtol=1e-10, output=121)
    t, f = np.sqrt(0.4 / G), out["rub.multiplier"]
    flying = out.time < t - 1e-9
    assert abs(f[flying]).max() == 0 and abs(out["fly.vx"][flying] - 2).max() < 1e-14
    u = 2 - 0.3 * np.sqrt(2 * G * 0.2)  # the floor grips as it stops the fall
    after = np.searchsorted(out.time, out.events[0].time) + 1
    assert out["fly.vx"][after] == pytest.approx(u, rel=1e-10)
    assert [e.name for e in out.events] == ["floor: lands", "rub: stops"]
    assert out.events[1].time == pytest.approx(t + u / (0.3 * G), abs=1e-9)
    assert np.ptp(total(out)) < 1e-10


def test_constant_friction_gives_no_impulse():
    model = ball(
        ts.Contact("floor", "ball"), ts.DryFriction("rub", ("ball", ("x", "y")), force=3.0)
    )
    out = ts.simulate(model, 0.4, {"fly.pz": 0.2, "fly.vx": 2.0}, rtol=1e-10, output=[0, 0.4])
    k = np.searchsorted(out.time, out.events[0].time)
    assert out["fly.vx"][k] == pytest.approx(2 - 1.5 * out.time[k], rel=1e-12)
    assert out["fly.vx"][k + 1] == out["fly.vx"][k]


def test_a_disc_that_cannot_slip_rolls_as_the_constraint_says():
    body = ts.Body("ball", mass=1.0, inertia=(0.25, 0.5, 0.25, 0, 0, 0))
    rolling = ball(ts.Rolling("c", "ball", radius=1.0), body=body)
    free = ball(ts.Contact("c", "ball", radius=1.0, axis="y", friction=5.0), body=body)
    lean = 0.3
    q, v = ts.assemble(
        rolling,
        {
            "fly.pz": np.cos(lean),
            "fly.qw": np.cos(lean / 2),
            "fly.qx": np.sin(lean / 2),
            "fly.wx": 0.0,
            "fly.wy": 4 + np.sin(lean),
            "fly.wz": np.cos(lean),
        },
    )
    s = free.check()
    start = dict(zip((*s.coordinates, *s.speeds), map(float, (*q, *v)), strict=True))
    a, b = (ts.simulate(m, 1.0, start, rtol=1e-10, output=11) for m in (rolling, free))
    np.testing.assert_allclose(b["fly.px"], a["fly.px"], atol=1e-8)
    np.testing.assert_allclose(b["c.normal.multiplier"], a["c.normal.multiplier"], atol=1e-6)
    assert not b.events


@pytest.mark.parametrize("solution", ["null_space", "elimination", "penalty"])
def test_all_solutions_of_the_constraints_take_contacts(solution):
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
            ts.Contact("seat", "mass", "table", restitution=0.5),
        ),
    )
    start = {"t.speed": A * w, "m.speed": A * w}
    a, b = (
        ts.simulate(shaker, 0.3, start, rtol=1e-10, atol=1e-12, output=11, solution=x)
        for x in ("multipliers", solution)
    )
    assert [e.name for e in a.events] == [e.name for e in b.events] and len(a.events) >= 3
    np.testing.assert_allclose([e.time for e in b.events], [e.time for e in a.events], atol=1e-8)


@pytest.mark.parametrize("method, step", [("dop853", None), ("rodas5p", None), ("rk4", 1e-3)])
def test_other_methods(method, step):
    """A fixed step sees events at its ends only, and still comes to rest on the floor."""
    model = ball(ts.Contact("floor", "ball", friction=0.3, restitution=0.5))
    start = {"fly.pz": 0.05, "fly.vx": 1.0, "fly.vy": 0.5}
    want = ts.simulate(model, 1.0, start, output=[0, 1])
    out = ts.simulate(model, 1.0, start, method=method, step=step, output=[0, 1])
    room = 1e-10 if step is None else 1e-3
    for c in "xyz":
        assert out[f"fly.p{c}"][-1] == pytest.approx(want[f"fly.p{c}"][-1], abs=room)
    assert abs(out["fly.vx"][-1]) < 1e-15 and out["floor.contact"][-1] == 1


def test_a_run_may_start_in_the_instant_of_an_impact():
    model = ball(ts.Contact("floor", "ball", restitution=0.5), joint=ts.Prismatic("z"))
    out = ts.simulate(model, 0.1, {"fly.speed": -2.0})
    assert out["fly.speed"][0] == 1.0
    with pytest.raises(TorseurError, match=r"contact 'floor' starts 0\.1 m inside its ground"):
        ts.simulate(model, 1.0, {"fly.displacement": -0.1})


def test_resting_without_load_a_contact_lets_go_at_the_first_pull():
    pull = ts.JointForce("pull", "fly", law=ts.Expression("-(t - 0.5)**3"))
    model = ball(
        ts.Contact("floor", "ball"), joint=ts.Prismatic("z"), gravity=(0, 0, 0), forces=(pull,)
    )
    out = ts.simulate(model, 1.0, rtol=1e-10, output=101)
    rests = out.time < 0.5
    assert abs(out["fly.displacement"][rests]).max() < 1e-12
    want = (out.time[~rests] - 0.5) ** 5 / 20 / 2
    np.testing.assert_allclose(out["fly.displacement"][~rests], want, atol=1e-9)
    assert "floor: lifts off" in [e.name for e in out.events]


def test_gap_and_slip_over_floats_are_what_geometry_says():
    system = ball(ts.Contact("on", ("ball", (0.1, 0, 0)), surface="z - x**2", friction=0.1)).check()
    tree = system.floats()
    q = vector([1.0, 0, 0, 0, 0.4, 0.2, 0.7])
    q = q if system.coordinates[0].endswith("qw") else np.concatenate([q[4:], q[:4]])
    gap, slip = system.constraints
    assert isinstance(tree.K, Floats)
    close(
        np.array([gap.residual(tree, 0.0, q)[0]]),
        np.array([(0.7 - 0.25) / np.sqrt(1 + 4 * 0.25)]),
        10,
    )
    v = vector([0.0] * 6)
    v[next(n for n in range(6) if system.speeds[n].endswith("vx"))] = 1.0
    along = abs(np.array(slip.rate(tree, 0.0, q, v), dtype=float))
    np.testing.assert_allclose(sorted(along), [0, 1 / np.sqrt(2)], atol=1e-15)


TEXT = """
schema_version: 1
bodies:
  ball: {mass: 2, inertia: [0.1, 0.1, 0.1]}
joints:
  - {name: fly, type: free, parent: world, child: ball}
constraints:
  - {name: floor, type: contact, point: ball, radius: 50 mm, rest_speed: 2 mm/s, friction: 0.2,
     static_friction: 0.3, normal: [0, 3, 4]}
  - {name: rub, type: dry_friction, of: [ball, [x, y]], force: 3}
"""


def test_files(tmp_path):
    (tmp_path / "a.yaml").write_text(TEXT)
    model = ts.load(tmp_path / "a.yaml")
    contact, rub = model.constraints
    assert float(contact.radius) == 0.05 and float(contact.rest_speed) == 0.002
    assert len(rub.of[1]) == 2
    model.save(tmp_path / "b.yaml")
    assert ts.load(tmp_path / "b.yaml").check().digest == model.check().digest
    (tmp_path / "c.yaml").write_text(TEXT.replace("50 mm", "50 s"))
    with pytest.raises(TorseurError, match="radius"):
        ts.load(tmp_path / "c.yaml").check()


@pytest.mark.parametrize(
    "constraint, words",
    [
        (ts.Contact("c", "ball", restitution=1.5), "restitution 1.5; use a number from zero"),
        (ts.Contact("c", "ball", radius=-1), "radius -1 m; use zero or more"),
        (ts.Contact("c", "bal"), "no body or frame is named 'bal'"),
        (ts.Contact("c", "ball", axis="y"), "an axis but no radius"),
        (ts.Contact("c", "ball", friction=0.4, static_friction=0.3), "static friction 0.3 is less"),
        (ts.Contact("c", "ball", surface="3*t"), "has no x, y or z"),
        (ts.Contact("c", "ball", surface="z", radius=0.1), "the contact is a point"),
        (ts.Contact("c", "world", "world"), "cannot move against its ground"),
        (ts.DryFriction("c", ("ball", ("x", (1, 1, 0))), force=1), "not at right angles"),
        (
            ts.DryFriction("c", ("ball", "x"), coefficient=0.1, normal="joint"),
            "two axes of a plane",
        ),
    ],
    ids=lambda x: "" if isinstance(x, str) else type(x).__name__,
)
def test_messages(constraint, words):
    with pytest.raises(ModelError, match=words.replace("(", r"\(")):
        ball(constraint).check()


def test_a_contact_that_a_joint_holds_is_told():
    model = ball(ts.Contact("floor", "ball"), joint=ts.Planar("z"))
    with pytest.raises(ModelError, match="contact 'floor' is at the height 0 m whatever"):
        ts.simulate(model, 1.0)
    with pytest.raises(TorseurError, match="has a contact that can open \\('floor'\\)"):
        ts.equilibrium(ball(ts.Contact("floor", "ball")))


@pytest.mark.parametrize("feet", [6, 8])
def test_a_box_on_many_feet_slides_where_the_incline_is_steeper_than_its_friction(feet):
    """From rest it moves straight down, by what friction leaves of the weight along the plane."""
    rng, mu = np.random.default_rng(0), 0.5
    turns = 2 * np.pi * np.arange(feet) / feet + rng.uniform(-0.9, 0.9, feet) / feet
    at = [(0.1 * np.cos(x), 0.1 * np.sin(x), -0.1) for x in turns]
    system = ts.Model(
        "box",
        gravity=("gx", "gy", "gz"),
        parameters={"gx": 0.0, "gy": 0.0, "gz": -9.81},
        bodies=(ts.Body("b", 2.0, inertia=(0.01, 0.012, 0.016)),),
        joints=(ts.Joint("fly", "world", "b", ts.Free()),),
        constraints=[
            ts.Contact(f"k{i}", ("b", tuple(map(float, x))), friction=mu) for i, x in enumerate(at)
        ],
    ).check()
    for way in rng.uniform(0, 2 * np.pi, 6):
        tilt = np.arctan(mu) + 0.15
        g = 9.81 * np.array([np.sin(tilt) * np.cos(way), np.sin(tilt) * np.sin(way), -np.cos(tilt)])
        run = ts.simulate(
            system, 0.05, {"fly.pz": 0.1}, parameters=dict(zip(("gx", "gy", "gz"), g, strict=True))
        )
        speed = 0.05 * 9.81 * (np.sin(tilt) - mu * np.cos(tilt))
        assert run.completed
        assert run["fly.vx"][-1] == pytest.approx(speed * np.cos(way), abs=1e-5)
        assert run["fly.vy"][-1] == pytest.approx(speed * np.sin(way), abs=1e-5)
