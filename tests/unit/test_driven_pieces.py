"""Pieces of motion laws are the law; their ends are events of a `Driven`, and books close there."""

import numpy as np
import pytest

import torseur as ts

LAWS = (
    ts.robots.Cubic(0.2, 1.0, 0.4, 0.1),
    ts.robots.Quintic(0.2, 1.0, 0.4, 0.1),
    ts.robots.Septic(0.2, -1.0, 0.4),
    ts.robots.Trapezoidal(0.0, 1.0, speed=3.0, acceleration=12.0),
    ts.robots.SCurve(0.0, 1.0, speed=3.0, acceleration=12.0, jerk=100.0),
)


@pytest.mark.parametrize("law", LAWS, ids=lambda x: type(x).__name__)
def test_pieces_are_the_law(law):
    for a, b, *c in law.pieces:
        t = np.linspace(a, b, 9)
        found = sum(x * (t - a) ** i for i, x in enumerate(c))
        np.testing.assert_allclose(found, law.derivative(t, 0), atol=1e-13)


def test_what_is_no_polynomial_has_none():
    with pytest.raises(ts.TorseurError, match="Cycloidal: its motion is no polynomial"):
        _ = ts.robots.Cycloidal(0.0, 1.0, 2.0).pieces
    assert "sin" in ts.Driven("d", "x.displacement", ts.robots.Cycloidal(0.0, 1.0, 2.0)).motion


def many():
    """Short rides with straight speeds, one after the other: the acceleration leaps."""
    rides = [
        ts.robots.Trapezoidal(x, x + 0.1, speed=0.5, acceleration=12.0) for x in 0.1 * np.arange(6)
    ]
    rows = []
    for ride in rides:
        begin = rows[-1][1] if rows else 0.0
        rows += [(a + begin, b + begin, *c) for a, b, *c in ride.pieces]
    return tuple(rows)


@pytest.mark.parametrize("motion", [LAWS[3], LAWS[3].pieces, many()], ids=["law", "few", "many"])
def test_ends_of_pieces_are_events_where_fixed_steps_keep_the_books(motion):
    pieces = getattr(motion, "pieces", motion)
    model = ts.Model(
        bodies=(ts.Body("cart", 2.0), ts.Body("bob", 1.0, com=(0, 0, -0.5))),
        joints=(
            ts.Joint("x", "world", "cart", ts.Prismatic("x")),
            ts.Joint("swing", "cart", "bob", ts.Revolute("y")),
        ),
        constraints=(ts.Driven("drive", "x.displacement", motion),),
    )
    end = pieces[-1][1] + 0.1
    run = ts.simulate(model, end, method="rk4", step=0.011, output="steps")
    books = run["energy.kinetic"] + run["energy.potential"] - run["energy.supplied"]
    assert (
        np.ptp(books) < 1e-5 and run.outcome.startswith("reached") and "leaves" not in run.outcome
    )
    assert len(run.events) == len(pieces)


def test_a_smooth_spline_of_many_pieces_has_no_events():
    from scipy.interpolate import CubicSpline

    t = np.linspace(0.0, 2.0, 21)
    spline = CubicSpline(t, np.sin(3 * t))
    rows = tuple(
        (a, b, *c[::-1]) for a, b, c in zip(t[:-1], t[1:], spline.c.T.tolist(), strict=True)
    )
    assert ts.Driven("d", "x.displacement", rows).times == ()
    assert len(ts.Driven("d", "x.displacement", rows[:6]).times) == 7
