"""A spline that leaves its points far is told, whoever draws it; one through smooth ones is not."""

import warnings

import numpy as np
import pytest

import torseur as ts

STEP = ((0, 0), (0.5, 0), (0.51, 1), (1.0, 1), (1.01, 0), (2.0, 0))
T = np.linspace(0, 2, 13)
SMOOTH = (
    tuple(zip(T, np.sin(3 * T), strict=True)),
    tuple(zip(T, np.full(13, 0.3), strict=True)),
    tuple(zip(T, T**2, strict=True)),
    ((0.0, 0.1), (0.2, 0.3), (0.7, -0.2), (1.5, 0.4)),
    ((0, 0), (1, 1)),
    tuple(zip(T, np.tanh(5 * (T - 1)), strict=True)),
)


def driven(points):
    slider = ts.Joint("x", "world", "b", ts.Prismatic("x"))
    drive = ts.Driven("drive", "x.displacement", position=points)
    return ts.Model(bodies=(ts.Body("b", 2.0),), joints=(slider,), constraints=(drive,)).check()


def law(points, kind="cubic"):
    return ts.robots.Spline(*zip(*points, strict=True), kind=kind)(0.3)


def followed(points):
    slider = ts.Joint("x", "world", "b", ts.Prismatic("x"))
    model = ts.Model(bodies=(ts.Body("b", 2.0),), joints=(slider,))
    t, y = np.array(points, float).T
    return ts.inverse(model, {"x.displacement": (t, y), "time": t})


@pytest.mark.parametrize("draw", [driven, law, followed])
def test_steps_are_told(draw):
    with pytest.warns(ts.ModelWarning, match="the spline through its points comes to .* at .* s"):
        draw(STEP)


def test_a_step_on_a_tall_ramp_is_seen_by_the_points_around():
    with pytest.warns(ts.ModelWarning, match="constraint 'drive': the spline .* points of `speed`"):
        driven(((0, 0), (0.5, 50), (0.501, 90), (1.0, 100), (1.5, 150)))


@pytest.mark.parametrize("kind", ["quintic", "septic"])
def test_steps_of_higher_kinds(kind):
    with pytest.warns(ts.ModelWarning, match="Spline: .* kind='linear'"):
        law(STEP, kind)
    with warnings.catch_warnings(action="error"):
        law(STEP, "linear")


@pytest.mark.parametrize("points", SMOOTH)
def test_smooth_points_are_not(points):
    with warnings.catch_warnings(action="error"):
        driven(points)
        law(points)
        if len(points) > 6:
            followed(points)
