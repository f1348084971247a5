"""Motion laws: every derivative against closed forms, differences and the ends they promise."""

from fractions import Fraction

import numpy as np
import pytest

import torseur as ts
from torseur.errors import ArgumentError, TorseurError
from torseur.robots import (
    Cubic,
    Cycloidal,
    Quintic,
    Septic,
    Spline,
    Trapezoidal,
    synchronized,
)

LAWS = [
    Cubic(0.2, 1.5, 2.0, 0.3),
    Quintic(0.2, 1.5, 2.0),
    Septic(1.0, -0.5, 1.3, 0.1),
    Cycloidal(-1.0, 0.5, 1.5),
    Spline([0, 1, 3], [0, 2, -1]),
    Spline([0.2, 1, 1.5, 3], [1.0, 2, -1, 1.0], "quintic"),
    Spline([0, 1, 1.5, 3], [0, 2, -1, 0.5], "septic"),
    Spline([0, 1, 3], [0, 2, 2], "linear"),
    Trapezoidal(0.0, 3.0, speed=2.0, acceleration=6.0),
    Trapezoidal(0.0, -0.1, speed=2.0, acceleration=6.0),
]
NAMES = [
    f"{type(x).__name__}{getattr(x, '_points', ['', '', ''])[2]}{i}" for i, x in enumerate(LAWS)
]


def away_from_kinks(law, n=401):
    t = np.linspace(law.begin + 1e-3, law.begin + law.duration - 1e-3, n)
    return t[np.abs(np.subtract.outer(t, law.breakpoints)).min(axis=1) > 2e-4]


@pytest.mark.parametrize("law", LAWS, ids=NAMES)
@pytest.mark.parametrize("order", range(1, 6))
def test_each_derivative_is_that_of_the_one_before(law, order):
    t, h = away_from_kinks(law), 1e-4
    f = [law.derivative(t + i * h, order - 1) for i in (-1, 1)]
    scale = max(1.0, abs(law.derivative(t, order)).max(), abs(law.derivative(t, order + 2)).max())
    np.testing.assert_allclose(law.derivative(t, order), (f[1] - f[0]) / (2 * h), atol=1e-7 * scale)


@pytest.mark.parametrize("law", LAWS, ids=NAMES)
def test_a_law_starts_ends_and_stands_still_outside(law):
    first, last = law.begin, law.begin + law.duration
    assert law(first)[0] == pytest.approx(law.start) and law(last)[0] == pytest.approx(law.end)
    for order in range(1, 6):
        assert law.derivative(first - 1.0, order) == law.derivative(last + 1.0, order) == 0
    for x, n in zip(law(np.array([first, last + 2.0])), range(3), strict=True):
        np.testing.assert_array_equal(x, law.derivative(np.array([first, last + 2.0]), n))
    assert np.shape(law.derivative(0.7, 4)) == () and law.derivative([0.7], 4).shape == (1,)


CLOSED = [  # law, coefficients of its polynomial in the share of the time
    (Cubic, [0, 0, 3, -2]),
    (Quintic, [0, 0, 0, 10, -15, 6]),
    (Septic, [0, 0, 0, 0, 35, -84, 70, -20]),
]


@pytest.mark.parametrize("kind, c", CLOSED, ids=["cubic", "quintic", "septic"])
def test_polynomial_laws_in_fractions(kind, c):
    law = kind(-1.0, 3.0, 0.5, 0.25)
    for t in (0.25, 0.375, 0.5, 0.625):
        s = Fraction(t - 0.25) / Fraction(1, 2)
        for order in range(9):
            d = sum(
                Fraction(k)
                * np.prod([Fraction(n - i) for i in range(order)], initial=1)
                * s ** (n - order)
                for n, k in enumerate(c)
                if n >= order
            )
            want = 4 * d / Fraction(1, 2) ** order - (order == 0)
            assert law.derivative(t, order) == pytest.approx(float(want), rel=1e-14, abs=1e-11)


def test_cycloid_in_closed_form():
    law, t = Cycloidal(0.0, 2.0, 1.6), np.linspace(0.0, 1.5, 31)
    w = 2 * np.pi / 1.6
    want = (
        t * 2 / 1.6 - 2 / (2 * np.pi) * np.sin(w * t),
        2 / 1.6 * (1 - np.cos(w * t)),
        2 / 1.6 * w * np.sin(w * t),
        2 / 1.6 * w**2 * np.cos(w * t),
        -2 / 1.6 * w**3 * np.sin(w * t),
    )
    for order, x in enumerate(want):
        np.testing.assert_allclose(law.derivative(t, order), x, atol=1e-11)


@pytest.mark.parametrize(
    "law, zero",
    [
        (Cubic(0, 1, 2.0), 1),
        (Quintic(0, 1, 2.0), 2),
        (Septic(0, 1, 2.0), 3),
        (Spline([0, 1, 2.0], [0, 3, 1], "quintic"), 2),
        (Spline([0, 1, 2.0], [0, 3, 1], "septic"), 3),
    ],
)
def test_ends_are_as_smooth_as_promised(law, zero):
    for t in (0.0, np.nextafter(2.0, 0)):
        for order in range(1, zero + 1):
            assert abs(law.derivative(t, order)) < 1e-9
        assert abs(law.derivative(t, zero + 1)) > 1


def test_splines_pass_and_stay_smooth_at_their_points():
    times, positions = [0, 1, 1.5, 3], [0, 2, -1, 0.5]
    for kind, smooth in (("cubic", 2), ("quintic", 4), ("septic", 6)):
        law = Spline(times, positions, kind)
        np.testing.assert_allclose(law.derivative(times, 0), positions, atol=1e-12)
        for t in (1.0, 1.5):
            for order in range(smooth + 2):
                leap = law.derivative(t, order) - law.derivative(np.nextafter(t, 0), order)
                big = abs(law.derivative(np.linspace(0, 3, 50), order)).max()
                assert (abs(leap) < 1e-9 * big) == (order <= smooth)


def test_trapezoids_keep_their_limits_and_end_together():
    laws = [Trapezoidal(0, x, speed=2.0, acceleration=6.4) for x in (2.5133, 1.2566, 1.3963)]
    for law, want in zip(laws, (1.5691, 0.9408, 1.0106), strict=True):  # O-B4
        assert law.duration == pytest.approx(want, abs=2e-4)
    mixed = (*laws, Spline([0, 0.2, 1], [0, 1, 2]), Septic(0, 1, 0.5))
    together = synchronized(mixed)
    assert len({round(law.duration, 12) for law in together}) == 1
    t = np.linspace(0, together[0].duration, 500)
    assert all(abs(law(t)[1]).max() <= 2.0 + 1e-12 for law in together[:3])
    assert together[3](0.2 * together[0].duration)[0] == pytest.approx(1.0)


def test_what_laws_refuse():
    with pytest.raises(ArgumentError, match=r"order=-1; expected 0 \(position\)"):
        Cubic(0, 1, 1.0).derivative(0.5, -1)
    with pytest.raises(TorseurError, match="'septic'"):
        Spline([0, 1], [0, 1], "wavy")


LAWS = {
    "Cubic": (1.0,), "Quintic": (1.0,), "Septic": (1.0,), "Cycloidal": (1.0,),
    "Trapezoidal": (), "SCurve": (), "Transition": (),
}  # fmt: skip


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("x", [[0, 0], "0 deg", None, float("nan")])
def test_what_is_no_number_is_refused(law, x):
    told = "write np.radians" if isinstance(x, str) else "is no finite number; a law moves"
    with pytest.raises(ts.TorseurError, match=f"{law}: start = .*{told}"):
        getattr(ts.robots, law)(x, 1.0, *LAWS[law])
