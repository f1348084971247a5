"""A table is data, not code: kernels do not grow with it, and long ones give the same motion."""

import numpy as np
import pytest

import torseur as ts
from torseur.quantities import motion_kernels


def block(*laws, **more):
    return ts.Model(
        "block",
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 1.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        forces=tuple(ts.JointForce(f"f{i}", "x", law) for i, law in enumerate(laws)),
        **more,
    ).check()


def lined(n, slope, low=0.0, high=1.0):
    x = np.linspace(low, high, n)
    return tuple(zip(x.tolist(), (slope * x).tolist(), strict=True))


def every(n):
    curve = ts.TimeCurve(tuple((k / n, (k + 1) / n, k / n, 1.0, 0, 0, 0, 0) for k in range(n)))
    follow = ts.Follow(1.0, 0.0, curve.pieces)
    wavy = tuple((d, F + 3 * (i % 2) * (i > 0)) for i, (d, F) in enumerate(lined(n, 1e3)))
    return {
        "table": ts.Table(lined(n, 1e3, -1)),
        "time table": ts.TimeTable(lined(n, 5.0)),
        "time curve": curve,
        "follow": follow,
        "crush": ts.Crush(wavy, 1e6, tension="mirror", rupture=0.9),
        "parallel": ts.Parallel(ts.Viscous(1.0), ts.Table(lined(n, 1e3, -1))),
        "series": ts.Series(ts.Spring(1e5), ts.Crush(wavy, 1e6)),
    }


@pytest.mark.parametrize("kind", every(4))
def test_kernels_do_not_grow_with_points(kind):
    sizes = []
    for n in (4, 100):
        kernels = motion_kernels(block(every(n)[kind]))
        sizes.append([kernels[name].operations for name in ("flow", "guards", "jump")])
    assert sizes[0] == sizes[1]


def test_three_tables_of_2001_points():
    """Straight lines in many pieces: a spring, a ramp in time and metal that is a spring too."""
    n = 2001
    laws = (
        ts.Table(lined(n, 60.0, -1.0)),
        ts.TimeTable(lined(n, 5.0)),
        ts.Crush(lined(n, 40.0), 1e6),
    )
    run = ts.simulate(block(*laws), 0.15, {"x.speed": 2.0}, rtol=1e-10, atol=1e-12)
    t, w = 0.15, 10.0  # x'' = -100 x + 5 t
    x = 2.0 / w * np.sin(w * t) + 5 / w**2 * (t - np.sin(w * t) / w)
    assert run["x.displacement"][-1] == pytest.approx(x, abs=1e-8)
    assert len(run.events) > 600
    assert run.energy_audit.relative < 1e-8


def test_long_metal_turns_back_and_is_crushed_again():
    """The same curve in 6 and in 501 pieces: one motion, with reloading and a permanent set."""
    coarse = ((0, 0), (0.1, 300.0), (0.2, 150.0), (0.3, 400.0), (0.4, 500.0), (0.5, 600.0))
    d = np.linspace(0, 0.5, 501)
    fine = tuple(zip(d.tolist(), np.interp(d, *np.array(coarse).T).tolist(), strict=True))
    ends = []
    for points in (coarse, fine):
        push = ts.Expression("-20 - 120*sin(40*t)", work="supplied")
        run = ts.simulate(
            block(ts.Crush(points, 1e5), push), 1.0, {"x.speed": 5.0}, rtol=1e-11, atol=1e-13
        )
        ends.append([run[n][-1] for n in ("x.displacement", "f0.largest", "f0.set")])
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-8)
    assert ends[0][2] > 0.05


def test_names_in_a_table_stay_parameters():
    law = ts.Table(((-1, -60), (0, 0), (1, "top")))
    many = ts.batch(
        block(law, parameters={"top": 60.0}),
        0.1,
        {"x.speed": 2.0},
        parameters={"top": [60.0, 120.0]},
    )
    want = [2 / np.sqrt(k) * np.sin(0.1 * np.sqrt(k)) for k in (60, 120)]
    np.testing.assert_allclose(many["x.displacement"][:, -1], want, rtol=1e-7)
