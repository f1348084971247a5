"""A table is data, not code: kernels do not grow with it, and long ones give the same motion."""

from fractions import Fraction

import numpy as np
import pytest

import torseur as ts
from torseur.forces._nested_tuples import float_table
from torseur.forces.laws import _piecewise
from torseur.kernels import interpreter, motion_kernels, thresholds
from torseur.scalars import Floats
from torseur.scalars.digest import _decimal, digest
from torseur.scalars.values import value


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


def tables():
    rng = np.random.default_rng(3)
    for n in (2, 3, 60):
        x = np.cumsum(rng.uniform(1e-9, 1.0, n)) * 10.0 ** rng.integers(-6, 6)
        yield tuple(zip(x.tolist(), rng.normal(size=n).tolist(), strict=True))
    yield ((-3, -0.0), (0.1, 2), (2, 7.25), (10**9, 1e-300))
    yield ((0.0, 1e99), (1e-99, -1e99), (1.0, 0.0))


@pytest.mark.parametrize("points", list(tables()))
@pytest.mark.parametrize("beyond", ["hold", "extend"])
def test_plain_tables_at_once_and_number_by_number(points, beyond, monkeypatch):
    """To the same bits, zeros without a sign, as through exact numbers."""
    law = ts.Table(points, beyond=beyond)
    quick = (
        _piecewise.line_segments(Floats(), points, beyond),
        law.faults(),
        law.problems(),
        law.steps(),
    )
    monkeypatch.setattr(_piecewise, "_increasing_points", lambda points: None)
    slow = _piecewise.line_segments(Floats(), points, beyond)
    as_bytes = [np.array(rows, float).tobytes() for rows in (quick[0], slow)]
    assert as_bytes[0] == as_bytes[1]
    assert quick[1:] == (law.faults(), law.problems(), ()) == ((), (), ())


@pytest.mark.parametrize(
    "points",
    [
        ((0, 1), (True, 2)),
        ((0.0, 1.0), (float("nan"), 2.0)),
        ((0.0, 1.0), (1.0, float("inf"))),
        ((0.0, 1.0), (1.0, 1e101)),
        ((0, 1), (2**53 + 1, 2)),
        ((0, 1), (10**400, 2)),
        ((0.0, "k"), (1.0, 2.0)),
        ((0.0, 1.0), (1.0,)),
        ((0.0, (1.0,)), (1.0, (2.0,))),
        [(0.0, 1.0), (1.0, 2.0)],
        (),
        "text",
    ],
)
def test_what_is_no_plain_table_is_read_number_by_number(points):
    assert float_table(points) is None


def test_reading_does_not_grow_with_points(monkeypatch):
    """Nobody asks for the exact value of each number of a plain table."""
    asked, exact = [], value.exact
    monkeypatch.setattr(value, "exact", lambda x: asked.append(x) or exact(x))
    counts = []
    for n in (10, 1000):
        asked.clear()
        block(ts.Table(lined(n, 1e3, -1)), ts.TimeTable(lined(n, 5.0)))
        counts.append(len(asked))
    assert counts[0] == counts[1] < 100


def test_decimals_of_a_digest_are_exact_numbers():
    rng = np.random.default_rng(1)
    some = rng.normal(size=200) * 10.0 ** rng.integers(-20, 20, 200)
    for x in [*some.tolist(), *np.round(some, 3).tolist(), 0.0, -0.0, 0.35, -2.5, 1e22, 1e16]:
        assert _decimal(x) == str(value.exact(x))


def test_many_rows_have_the_bits_of_an_interpreted_graph(monkeypatch):
    """Ends of thousands of jumps, by NumPy at once or by CasADi one after the other."""
    monkeypatch.setattr(interpreter.KeptGraph, "kept", lambda key: None)
    residuals = []
    for many in (1, 10**9):
        monkeypatch.setattr(thresholds, "MIN_NUMPY_ROWS", many)
        model = block(ts.Table(lined(400, 1e3, -1)), ts.Coulomb(0.5))
        run = ts.simulate(model, 0.2, {"x.displacement": 0.7}, method="dopri5")
        residuals.append((run["energy.residual"].tobytes(), str(run.outcome)))
    assert residuals[0] == residuals[1]


def driven(points):
    return ts.Model(
        "driven",
        bodies=(ts.Body("b", 2.0), ts.Body("rider", 1.0)),
        joints=(
            ts.Joint("x", "world", "b", ts.Prismatic("x")),
            ts.Joint("r", "b", "rider", ts.Prismatic("x")),
        ),
        forces=(ts.JointForce("belt", "r", ts.Spring(50.0)),),
        constraints=(ts.Driven("drive", "x.displacement", acceleration=points),),
    )


@pytest.mark.parametrize("kept", [False, True])
def test_another_table_of_the_same_shape_compiles_nothing(tmp_path, monkeypatch, kept):
    """And its motion is its own, in the process that knows the text or, from the cache, in
    one that does not."""
    from torseur.compiler.runtime import machine

    monkeypatch.setenv("TORSEUR_CACHE", str(tmp_path) if kept else "off")
    ramps = (((0.0, 1.0), (1.0, 3.0)), tuple((k / 99, 2.0 - k / 33) for k in range(100)))
    ts.simulate(driven(ramps[0]), 1.0, rtol=1e-10)
    before = machine.assembled()
    for (_, a), *_, (_, b) in ramps * 2:
        (points,) = (r for r in ramps if r[0][1] == a)
        if kept:
            monkeypatch.setattr(machine, "_RECENT_CODE", {})
        run = ts.simulate(driven(points), 1.0, rtol=1e-10)
        assert run["x.speed"][-1] == pytest.approx((a + b) / 2, abs=1e-9)
        assert run["x.displacement"][-1] == pytest.approx(a / 2 + (b - a) / 6, abs=1e-9)
    assert machine.assembled() == before


def test_long_tables_have_the_digest_of_their_numbers():
    """Whatever sort they are of; another number, another shape or another order is another one."""
    rows = [(k, 0.1 * k + 0.5) for k in range(100)]
    exact = [(Fraction(a), Fraction(str(b))) for a, b in rows]
    same = [rows, tuple(rows), np.array(rows), [(np.float64(a), b) for a, b in rows], exact]
    flat, last = [x for row in rows for x in row], Fraction(1, 10**40)
    moved = [rows[:-1], rows[::-1], flat, [flat], [[x] for x in flat]]
    moved += [[*rows[:-1], (99, x)] for x in (rows[-1][1] + 1e-14, exact[-1][1] + last)]
    assert len({digest(x) for x in same}) == 1
    assert len({digest(x) for x in (rows, *moved)}) == 1 + len(moved)
