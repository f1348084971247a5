"""Units of model files: exact conversions, dimensions checked, hostile texts refused."""

import contextlib
import math
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from torseur.scalars.units import DEFINITIONS, known, quantity, split, unit
from torseur.scalars.values import value as values


@pytest.mark.parametrize(
    ("text", "wanted", "value"),
    [
        ("50 km/h", "m/s", Fraction(125, 9)),
        ("12 kN/mm", "N/m", 12_000_000),
        ("12 kN / mm", "N/m", 12_000_000),
        ("5 g", "kg", Fraction(1, 200)),
        ("30 mph", "m/s", Fraction(30 * 1397, 3125)),
        ("2 lb", "kg", Fraction(90718474, 10**8)),
        ("4 kg·m²", "kg m^2", 4),
        ("4 kg m^2", "kg m^2", 4),
        ("4 kg*m**2", "kg m^2", 4),
        ("1 N/(m/s)", "N s/m", 1),
        ("3 N m s/rad", "N m s/rad", 3),
        ("5 %", "", Fraction(1, 20)),
        ("1e3 N", "N", 1000),
        ("-.5mm", "m", Fraction(-1, 2000)),
        ("1 inch", "m", Fraction(254, 10_000)),
        ("2 bar", "Pa", 200_000),
        ("2 min", "s", 120),
        ("1.5 t", "kg", 1500),
    ],
)
def test_conversions_are_exact(text, wanted, value):
    assert quantity(text, wanted) == value


@pytest.mark.parametrize(
    ("text", "turns"),
    [
        ("90 deg", 1),
        ("-180 deg", -2),
        ("0.25 turn", 1),
        ("270°", 3),
        ("1 rev", 4),
        ("5400 arcmin", 1),
    ],
)
def test_right_angles_are_exact(text, turns):
    x = quantity(text, "rad")
    assert values.quarter(x) == turns
    assert values.sin(x) in (-1, 0, 1)
    assert isinstance(values.sin(x), int)


@given(st.integers(-3600, 3600))
def test_other_angles_are_the_nearest_double_but_one(tenths):
    x = quantity(f"{tenths / 10} deg", "rad")
    want = math.radians(tenths / 10)
    assert abs(values.nominal(x, {}) - want) <= 2 * math.ulp(want)


def test_rates_in_turns():
    for text, want in (("60 rpm", 2 * math.pi), ("90 deg/s", math.pi / 2)):
        assert float(quantity(text, "rad/s")) == pytest.approx(want, rel=1e-15)


def test_an_expression_stays_an_expression():
    assert quantity("L/2", "m") == "L/2"
    assert split("2*pi*f") is None
    assert split("a + b") is None
    assert split("2 * a") is None


@pytest.mark.parametrize(
    ("text", "wanted", "said"),
    [
        (
            "5 kg",
            "m",
            "expected a length [m], and [kg] is not one; write a number in m or a text such "
            "as '120 mm'",
        ),
        ("5 foo", "m", "no unit is named 'foo'; did you mean 'foot'?"),
        ("50 Hz", "rad/s", "could mean turns or radians"),
        ("L mm", "m", "gives a unit to a parameter"),
        ("5 deg", "", None),
        ("5 m", "", "expected a plain number [1]"),
        ("1e999 m", "m", "out of the range of numbers"),
        ("1e-999999999 m", "m", "out of the range of numbers"),
        ("1 m**9**9**9", "m", "is not a unit"),
        ("1 m^99999999", "m", "is not a unit"),
        ("1 " + "m*" * 40 + "m", "m", "is not a unit"),
        ("1 __import__('os')", "m", "is not a unit"),
        ("nan m", "m", None),
        ("inf m", "m", None),
    ],
)
def test_wrong_units_say_what_to_write(text, wanted, said):
    if text == "5 deg":
        assert values.nominal(quantity(text, wanted), {}) == pytest.approx(math.radians(5))
        return
    with pytest.raises(ValueError, match=None) as e:
        quantity(text, wanted)
    assert said is None or said in str(e.value)


def test_every_unit_of_the_list_can_be_read():
    for line in DEFINITIONS.replace(";", "\n").splitlines():
        names = [n.strip() for n in line.split("=")]
        if not names[0] or names[0].endswith("-"):
            continue
        for name in [names[0], *(n for n in names[2:] if n != "_")]:
            assert unit(name).factor > 0, name


@pytest.mark.parametrize(
    "symbol, same",
    [
        ("kN", "1000 N"),
        ("mm", "0.001 m"),
        ("cm", "0.01 m"),
        ("MPa", "1000000 Pa"),
        ("ms", "0.001 s"),
        ("mg", "1e-6 kg"),
        ("µm", "1e-6 m"),
        ("um", "1e-6 m"),
        ("kJ", "1000 J"),
    ],
)
def test_prefixes(symbol, same):
    assert quantity(f"1 {symbol}", None) == quantity(same, None)


@pytest.mark.parametrize(
    "written, meant",
    [
        ("Nm kNm Nms/rad Nm*s/rad Ns/m", "N*m kN*m N*m*s/rad N*m*s/rad N*s/m"),
        ("N.m N-m newton-meters Nmm daNm", "N*m N*m N*m N*mm 10*N*m"),
        ("kgm2 kgm^2 kgm² kg.m² kg-m2 gcm^2", "kg*m^2 kg*m^2 kg*m^2 kg*m^2 kg*m^2 g*cm^2"),
        ("m/s2 m.s-2 m.s^-2 rad.s-1 mm4 N/mm2", "m/s^2 m/s^2 m/s^2 rad/s mm^4 MPa"),
        ("r/min lbf-ft G kg*m2/s2 Pas", "rpm lbf*ft g0 J Pa*s"),
    ],
)
def test_units_as_data_sheets_write_them(written, meant):
    for one, other in zip(written.split(), meant.split(), strict=True):
        text = f"10 {other[3:]}" if other.startswith("10*") else f"1 {other}"
        assert quantity(f"1 {one}", None) == quantity(text, None), one


def test_what_follows_the_number_of_a_name_is_no_unit():
    assert not any(map(known, ("2 nd", "3 m-arm", "2 arm.x", "5 link2", "1 Ns-bus", "7 m2x")))


@given(st.text(max_size=40))
def test_any_text_gives_a_value_or_a_value_error(text):
    with contextlib.suppress(ValueError):
        quantity(text, "m")
