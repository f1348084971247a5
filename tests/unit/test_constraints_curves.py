"""A point on a curve given by a parameter or by a table: closed forms, energies, files, words."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import torseur as ts
from torseur.errors import ModelError, TorseurError

G, A = 9.81, 0.5
PERIOD = 4 * np.pi * np.sqrt(A / G)
CYCLOID = ("a*(s + sin(s))", 0, "a*(1 - cos(s))")


def bead(on="world", extra=(), **curve) -> ts.Model:
    """A point of 0.3 kg with Cartesian coordinates, on a wire."""
    return ts.Model(
        "bead",
        gravity=(0, 0, -G),
        parameters={"a": A},
        bodies=(ts.Body("row"), ts.Body("column"), ts.Body("bead", mass=0.3)),
        joints=(
            ts.Joint("x", "world", "row", ts.Prismatic("x")),
            ts.Joint("y", "row", "column", ts.Prismatic("y")),
            ts.Joint("z", "column", "bead", ts.Prismatic("z")),
        ),
        constraints=(ts.PointOnCurve("wire", "bead", on, **curve), *extra),
    )


def slide(model, end, s0, rows=3, rtol=1e-11, **more):
    out = ts.simulate(
        model,
        end,
        {"wire.parameter": s0},
        keep=("wire.parameter",),
        rtol=rtol,
        atol=1e-12,
        output=rows,
        **more,
    )
    assert out.completed, out.outcome
    return out


@pytest.mark.parametrize("solution", ts.solve.SOLUTIONS)
def test_a_bead_on_a_cycloid_is_isochronous(solution):
    """The same period whatever the amplitude, by every solution of the constraints."""
    model = bead(curve=CYCLOID)
    for s0 in (0.3, 2.0):
        out = slide(model, PERIOD, s0, solution=solution)
        np.testing.assert_allclose(out["wire.parameter"], [s0, -s0, s0], atol=2e-9)
        assert abs(out["energy.residual"]).max() < 1e-9
        assert out["constraints.residual"].max() < 1e-15


def test_a_bead_on_a_helix_falls_evenly():
    """Radius R, p a radian: s'' = g p / (R^2 + p^2); the wire's force has a closed form."""
    R, p = 0.5, 0.1
    out = slide(bead(curve=("cos(s)/2", "sin(s)/2", "-s/10")), 3.0, 0.0, rows=7)
    turn = G * p / (R * R + p * p)
    s, rate = turn * out.time**2 / 2, turn * out.time
    np.testing.assert_allclose(out["wire.parameter"], s, atol=1e-10)
    np.testing.assert_allclose(out["wire.rate"], rate, atol=1e-10)
    a = np.array(
        [
            -R * np.cos(s) * rate**2 - R * np.sin(s) * turn,
            -R * np.sin(s) * rate**2 + R * np.cos(s) * turn,
            -p * turn + G + 0 * s,
        ]
    )
    for i, c in enumerate("xyz"):
        np.testing.assert_allclose(out[f"wire.{c}.multiplier"], 0.3 * a[i], atol=1e-9)
        np.testing.assert_allclose(out[f"wire.reaction.force.{c}"], 0.3 * a[i], atol=1e-9)
    assert abs(out["energy.residual"]).max() < 1e-11


def test_a_parabola_agrees_with_its_implicit_equations():
    explicit = slide(bead(curve=("s", "s/2", "s**2")), 2.0, 0.7, rows=21)
    implicit = replace(
        bead(), constraints=(ts.PointOnSurface("wire", "bead", "world", ("z - x**2", "y - x/2")),)
    )
    other = ts.simulate(
        implicit,
        2.0,
        {"x.displacement": 0.7, "y.displacement": 0.35, "z.displacement": 0.49},
        rtol=1e-11,
        atol=1e-12,
        output=21,
    )
    for name in ("x.displacement", "z.displacement", "z.speed", "x.acceleration"):
        np.testing.assert_allclose(explicit[name], other[name], atol=2e-8)


def test_a_table_is_the_curve_it_was_taken_from():
    """Knots of the cycloid's own parameter: the period to the spacing to the fourth."""
    s = np.linspace(-2.2, 2.2, 45)
    points = np.stack([A * (s + np.sin(s)), 0 * s, A * (1 - np.cos(s))], axis=1)
    out = slide(
        bead(points=points, knots=s), PERIOD, 1.0, rtol=1e-9
    )  # a spline's third slope jumps
    np.testing.assert_allclose(out["wire.parameter"], [1, -1, 1], atol=2e-6)
    assert abs(out["energy.residual"]).max() < 1e-6
    by_length = bead(points=points)  # the chord length: 4 a sin(s/2) from the middle
    middle = 4 * A * np.sin(1.1)
    out = slide(by_length, PERIOD, middle + 0.4, rows=3, rtol=1e-9)
    np.testing.assert_allclose(out["wire.parameter"] - middle, [0.4, -0.4, 0.4], atol=2e-3)


def test_a_closed_table_goes_round_and_round():
    """A hoop of 97 points: a bead fast enough to go over the top keeps the pendulum's period."""
    from scipy.special import ellipk

    angle = np.linspace(0, 2 * np.pi, 97)
    hoop = np.stack([A * np.sin(angle), 0 * angle, -A * np.cos(angle)], axis=1)
    model = bead(points=hoop, knots=angle, closed=True)
    top = 9.0  # rad/s at the lowest point
    k = 4 * G / A / top**2
    period = 4 / top * ellipk(k)
    out = ts.simulate(
        model,
        3 * period,
        {"wire.parameter": 0.0, "wire.rate": top},
        rtol=1e-11,
        keep=("wire.parameter", "wire.rate"),
        output=4,
    )
    np.testing.assert_allclose(out["wire.parameter"], 2 * np.pi * np.arange(4), atol=1e-4)
    assert abs(out["energy.residual"]).max() < 1e-6
    assert abs(np.hypot(out["x.displacement"], out["z.displacement"]) - A).max() < 1e-6


def test_a_curve_on_a_moving_body_closes_a_loop():
    """A pin of a turning disc in a curved slot of a lever: energy, and both wrenches balance."""
    J = (0.02, 0.02, 0.02, 0, 0, 0)
    model = ts.Model(
        "slot",
        gravity=(0, -G, 0),
        bodies=(
            ts.Body("disc", mass=1.0, inertia=J),
            ts.Body("lever", mass=0.5, com=(0.3, 0, 0), inertia=J),
        ),
        joints=(
            ts.Joint("A", "world", "disc", ts.Revolute("z")),
            ts.Joint("B", "world", "lever", ts.Revolute("z"), at=(-0.5, 0, 0)),
        ),
        constraints=(
            ts.PointOnCurve("slot", ("disc", (0.1, 0, 0)), "lever", ("s", "(s - 0.5)**2/2", 0)),
        ),
    )
    start = {"A.angle": 0.4, "A.rate": 9.0, "slot.parameter": 0.6}
    out = ts.simulate(model, 2.0, start, keep=("A.angle", "A.rate"), rtol=1e-10, output=41)
    assert abs(out["energy.residual"]).max() < 1e-8
    assert abs(out["constraints.residual"]).max() < 1e-15 * 8
    slope = out["slot.parameter"] - 0.5  # no force along the slot
    along = out["slot.x.multiplier"] + out["slot.y.multiplier"] * slope
    assert abs(along).max() < 1e-9 * abs(out["slot.y.multiplier"]).max()
    turns = 0.3 * 0.5 * G * np.cos(out["B.angle"])
    J_B = 0.02 + 0.5 * 0.3**2
    x, y = out["slot.parameter"], (out["slot.parameter"] - 0.5) ** 2 / 2
    moment = -(x * out["slot.y.multiplier"] - y * out["slot.x.multiplier"])
    np.testing.assert_allclose(J_B * out["B.acceleration"], moment - turns, atol=1e-8)
    report = ts.mobility_report(model, start, keep=("A.angle",))
    assert report.mobility == 1 and report.speeds == 3


def test_the_parameter_can_be_led():
    """A point driven along a helix: the effort of the drive is the power over the rate."""
    model = bead(
        curve=("cos(s)/2", "sin(s)/2", "s/10"), extra=(ts.Driven("winch", "wire.parameter", "2*t"),)
    )
    out = ts.simulate(
        model, 1.0, {"wire.parameter": 0.0, "x.displacement": 0.5}, keep=(), rtol=1e-10, output=5
    )
    np.testing.assert_allclose(out["z.displacement"], 0.2 * out.time, atol=1e-14)
    np.testing.assert_allclose(out["winch.multiplier"], 0.3 * G * 0.1, rtol=1e-9)
    assert abs(out["energy.residual"]).max() < 1e-10


@pytest.mark.parametrize("solution", ts.solve.SOLUTIONS)
def test_dry_friction_along_the_wire(solution):
    """A slope of 45 degrees by its length: up, a stop, and down again, in closed form."""
    model = bead(
        curve=("s*cos(pi/4)", 0, "s*sin(pi/4)"),
        extra=(ts.DryFriction("rub", "wire.parameter", force=0.5),),
    )
    out = ts.simulate(
        model,
        1.0,
        {"wire.parameter": 0.0, "wire.rate": 3.0},
        rtol=1e-10,
        output=5,
        keep=("wire.parameter", "wire.rate"),
        solution=solution,
    )
    pull, rub = G * np.sqrt(0.5), 0.5 / 0.3
    stop = 3 / (pull + rub)
    want = 1.5 * stop - (pull - rub) * (1 - stop) ** 2 / 2
    assert [e.name for e in out.events] == ["rub: stops"]
    assert out.events[0].time == pytest.approx(stop, abs=1e-13)
    assert out["wire.parameter"][-1] == pytest.approx(want, abs=1e-13)
    assert abs(out["energy.residual"]).max() < 1e-13


def test_files_keep_curves(tmp_path):
    for model in (
        bead(curve=CYCLOID),
        bead(points=[(0, 0, 0), (1, 0, 0.1), (2, 0, 0.3), (3, 1, 1)], knots=(0, 1, 2, 3)),
    ):
        for name in ("m.yaml", "m.json"):
            model.save(tmp_path / name)
            again = ts.load(tmp_path / name)
            assert again.check().digest == model.check().digest
    import json

    import jsonschema

    from torseur.model.formats.schema import json_schema

    schema = jsonschema.Draft202012Validator(json_schema())
    schema.validate(json.loads((tmp_path / "m.json").read_text()))


def test_kernels_and_what_the_tree_alone_cannot_say():
    model = bead(curve=CYCLOID)
    q, v = ts.assemble(model, {"wire.parameter": 1.0}, keep=("wire.parameter",))
    dyn = ts.compile(model)
    a, lam = dyn.constrained_dynamics(q, v, np.zeros(4))
    c = ts.solve.constrained_system(model)
    for solution in ts.solve.SOLUTIONS:
        np.testing.assert_allclose(c.acceleration(q, v, solution=solution)[0], a, atol=1e-9)
    along = np.array([A * (1 + np.cos(1)), A * np.sin(1)])
    assert a[3] == pytest.approx(-G * along[1] / (along @ along))
    assert lam[[0, 2]] @ along == pytest.approx(0, abs=1e-12)
    with pytest.raises(TorseurError, match=r"wire\.rate has no inertia of its own.*constrained"):
        dyn.forward_dynamics(q, v, np.zeros(4))


@pytest.mark.parametrize(
    "given, words",
    [
        ({}, "needs a curve: give either curve="),
        ({"curve": ("s", 0)}, "has 2 expressions; give x, y and z"),
        ({"curve": ("t", 0, 1)}, "no expression of its curve has the parameter 's'"),
        ({"curve": ("s", "b", 1)}, "'b'"),
        (
            {"points": ((0, 0, 0), (1, 0, 0), (2, 0, 0))},
            "has points of shape (3, 3); give at least",
        ),
        (
            {"points": ((0, 0, 0), (1, 0, 0), (1, 0, 0), (2, 0, 0))},
            "neighboring points that are the",
        ),
        (
            {"points": ((0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)), "knots": (0, 1, 1, 2)},
            "has 4 knots for 4 points; give one a point, increasing",
        ),
        ({"curve": CYCLOID, "closed": True}, "is closed: that is for a table of points"),
        (
            {"points": ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)), "closed": True},
            "its last point is not the first; repeat the first at the end",
        ),
        ({"curve": CYCLOID, "on": "bead"}, "cannot move against 'bead'"),
        ({"curve": CYCLOID, "on": "wall"}, "no body or frame is named 'wall'"),
    ],
)
def test_messages_of_wrong_curves(given, words):
    with pytest.raises(ModelError) as e:
        bead(**given).check()
    assert words in str(e.value) and "constraint 'wire'" in str(e.value)


def test_the_example_runs(monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "examples"))
    import loop_curve

    assert loop_curve.main() == pytest.approx(PERIOD, rel=1e-6)
    assert "measured at 27 points: period 2.8370" in capsys.readouterr().out
