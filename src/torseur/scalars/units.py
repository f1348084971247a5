"""Numbers with units as texts: "90 deg", "50 km/h", "12 kN/mm", converted to SI.

Conversions are exact: pint computes in fractions, and half turns are a separate dimension until the
end, so that "90 deg" is exactly a right angle.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from ..errors import shown
from .values import value
from .values.parser import parse
from .values.value import Number, Value

DEFINITIONS = """
nano- = 1e-9 = n-; micro- = 1e-6 = µ- = μ- = u-; milli- = 1e-3 = m-; centi- = 1e-2 = c-
deci- = 1e-1 = d-; deca- = 1e1 = da-; hecto- = 1e2 = h-; kilo- = 1e3 = k-; mega- = 1e6 = M-
giga- = 1e9 = G-
meter = [length] = m = meter; kilogram = [mass] = kg; gram = kilogram / 1000 = g
second = [time] = s = sec; ampere = [current] = A; kelvin = [temperature] = K
halfturn = [halfturns]; radian = [] = rad
degree = halfturn / 180 = deg; turn = 2 * halfturn = _ = revolution = rev = r
arcminute = degree / 60 = arcmin; arcsecond = degree / 3600 = arcsec
rpm = turn / minute; percent = 1 / 100
minute = 60 * second = min; hour = 3600 * second = h; hertz = 1 / second = Hz
newton = kilogram * meter / second ** 2 = N; joule = newton * meter = J; watt = joule / second = W
pascal = newton / meter ** 2 = Pa; bar = 100000 * pascal; volt = watt / ampere = V
liter = meter ** 3 / 1000 = L = l; tonne = 1000 * kilogram = t; kgf = 9.80665 * newton
kph = 1000 * meter / hour; standard_gravity = 9.80665 * meter / second ** 2 = g0 = g_0 = G
newton_meter = newton * meter = Nm; newton_centimeter = newton * meter / 100 = Ncm
newton_millimeter = newton * meter / 1000 = Nmm; newton_meter_second = newton_meter * second = Nms
newton_second = newton * second = Ns; joule_second = joule * second = Js
watt_second = joule = Ws; pascal_second = pascal * second = Pas
ampere_second = ampere * second = As; volt_second = volt * second = Vs
watt_hour = 3600 * joule = Wh
inch = 0.0254 * meter = in; foot = 0.3048 * meter = ft; yard = 0.9144 * meter = yd
mile = 1609.344 * meter = mi; mph = mile / hour; knot = 1852 * meter / hour = kn = kt
pound = 0.45359237 * kilogram = lb; ounce = 0.028349523125 * kilogram = oz
slug = 14.593902937 * kilogram
pound_force = 4.4482216152605 * newton = lbf; psi = 6894.757293168361 * pascal
"""
KINDS = {
    "kg": "a mass",
    "m": "a length",
    "s": "a time",
    "rad": "an angle",
    "": "a plain number",
    "m/s": "a speed",
    "rad/s": "an angular rate",
    "N": "a force",
    "N m": "a moment",
    "kg m^2": "an inertia",
    "m/s^2": "an acceleration",
    "kg m": "a first moment",
    "N/m": "a stiffness",
    "N s/m": "a damping",
    "rad/s^2": "an angular acceleration",
    "Pa": "a pressure",
    "W": "a power",
}
"""What people call a quantity of each unit."""

LONGEST = 64
_WORD = r"[A-Za-zµμ°%_][A-Za-z_0-9]*"
_FACTOR = rf"(?:1|{_WORD}(?:\s*(?:\*\*|\^)\s*-?[1-9]|[²³])?)"
_SUM = rf"{_FACTOR}(?:\s*[*/·]\s*{_FACTOR}|\s+{_FACTOR})*"
_UNIT = re.compile(rf"{_SUM}(?:\s*/\s*\(\s*{_SUM}\s*\))?\Z")
_NOTATIONS = (  # that people write units, and what they mean
    (re.compile(r"(?<![A-Za-zµμ])(k?g)([cm]?m)(?=\s*(?:\*\*|\^)?\s*2\b|²)"), r"\1*\2"),  # kgm^2
    (re.compile(r"(?<=[A-Za-zµμ°%0-9])[.-](?=[A-Za-zµμ°])"), "*"),  # N.m, lbf-ft
    (re.compile(r"(?<=[A-Za-zµμ])(-?[1-9])(?![\w.])"), r"^\1"),  # m/s2, s-1
)
_DESCRIPTIONS = re.compile(r"\s*[+-]?[\d.(].*[a-zA-Z%°µμ]|\s*[+-]?pi\b.*\s[a-zA-Z%°µμ]")
_FIRST = frozenset("+-.(p 0123456789\t\n")
_NUMBER = re.compile(r"[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


class Unit(NamedTuple):
    """`factor * pi**turns` converts a number to SI; `dimension` is its physical dimension."""

    factor: Fraction
    turns: int
    dimension: tuple


@lru_cache(maxsize=1)
def _registry():
    import pint

    registry: Any = pint.UnitRegistry(None, non_int_type=Fraction)  # type: ignore[arg-type]
    for line in re.split(r"[;\n]\s*", DEFINITIONS.strip()):
        registry.define(line)
    return registry


@lru_cache(maxsize=4096)
def unit(text: str) -> Unit:
    """Read a unit: names of units with powers, times and over.

    >>> unit("km/h")
    Unit(factor=Fraction(5, 18), turns=0, dimension=(('[length]', 1), ('[time]', -1)))
    """
    text = given = text.strip()
    if not text:
        return Unit(Fraction(1), 0, ())
    for way, meant in _NOTATIONS if len(text) <= LONGEST else ():
        text = way.sub(meant, text)
    if len(text) > LONGEST or not _UNIT.match(text):
        raise ValueError(
            f"{_short(given)} is not a unit; write for example 'kN/mm', 'km/h', "
            "'kg m^2', 'N m s/rad'"
        )
    import pint

    plain = text.replace("²", "^2").replace("³", "^3").replace("·", "*")
    plain = plain.replace("%", "percent").replace("°", "degree")
    registry = _registry()
    try:
        # a word after a word is a product: "N m s / rad"
        plain = re.sub(r"(?<=[\w%°)])\s+(?=[A-Za-zµμ°%_])", " * ", plain)
        factor, base = registry.get_base_units(plain)
        dimension = dict(registry.get_dimensionality(base))
    except pint.UndefinedUnitError as e:
        from difflib import get_close_matches

        names = e.unit_names if not isinstance(e.unit_names, str) else (e.unit_names,)
        name = next(iter(names))
        listed = re.findall(r"[A-Za-z]\w*", DEFINITIONS)
        near = get_close_matches(name, listed, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"no unit is named {name!r}{hint}") from None
    except Exception:  # pint raises many kinds on texts it cannot read
        raise ValueError(f"{given!r} is not a unit; write for example 'kN/mm'") from None
    turns = dimension.pop("[halfturns]", 0)
    powers = sorted((k, int(n)) for k, n in dimension.items())
    return Unit(Fraction(factor), int(turns), tuple(powers))


def quantity(text: str, wanted: str | None) -> Number | Value | str:
    """A text of a model file as an exact number in SI.  A text without unit stays an expression.


    Parameters
    ----------
    wanted : the SI unit of the field, "" for a plain number, None when any dimension will do

    >>> quantity("90 deg", "rad"), quantity("36 km/h", "m/s"), quantity("2*L", "m")
    (0.5*pi, 10, '2*L')
    """
    found = split(text)
    if found is None:
        parse(text)  # complains when it is no expression
        return text
    number, unit_text = found
    given = unit(unit_text)
    if wanted is not None:
        target = unit(wanted)
        if given.dimension != target.dimension:
            raise ValueError(
                f"expected {_kind(wanted)}, and [{unit_text}] is not one; "
                f"write a number in {wanted or 'no unit'}"
                f"{f' or a text such as {example(wanted)!r}' * bool(wanted)}"
            )
        if "rad" in wanted and "Hz" in unit_text:
            raise ValueError(f"[{unit_text}] could mean turns or radians; write rad/s or rpm")
    x = parse(number)
    if not isinstance(x, Number):
        if value.symbols(x):
            raise ValueError(
                f"{_short(text)} gives a unit to a parameter; parameters are in SI: "
                "give the unit where the parameter is declared"
            )
        return x * value.exact(given.factor) * _pi(given.turns)
    x = Fraction(x) * given.factor
    whole = value.exact(x)
    if not given.turns or not x:
        return whole
    if given.turns == 1 and not given.dimension and (2 * x).denominator == 1:
        return whole * Value("pi")  # right angles are exact
    return value.exact(float(x) * math.pi**given.turns)


def has_unit(x: Any) -> bool:
    """Whether a value is a text with a number and a unit behind it.

    >>> has_unit("5 N/mm"), has_unit("2*L"), has_unit("world"), has_unit(5)
    (True, False, False, False)
    """
    if not isinstance(x, str) or x[:1] not in _FIRST or not _DESCRIPTIONS.match(x):
        return False
    try:
        return split(x) is not None
    except ValueError:
        return False


def known(text: str) -> bool:
    """Whether the text behind a number is a unit: "2 nd" is a name.


    >>> known("2 m"), known("2 nd"), known("wheel")
    (True, False, False)
    """
    try:
        found = split(text)
        return found is not None and bool(unit(found[1]))
    except ValueError:
        return False


def read(x: Any, *wanted: Any, names: bool = False) -> Any:
    """Nested numbers in SI, converted from texts with units.

    Names and arithmetic of parameters stay texts. `wanted` holds the permitted units, "rad, m"
    those of columns, None any. `names` permits names of elements.


    >>> read(("10 mm", "L/2", 3), "m"), read((("5 mm", "2 kN"),), "m, N")
    ((Fraction(1, 100), 'L/2', 3), ((Fraction(1, 200), 2000),))
    """
    if isinstance(x, list | tuple):
        out = [
            read(e, *(column(u, i, isinstance(e, list | tuple)) for u in wanted), names=names)
            for i, e in enumerate(x)
        ]
        same = all(a is b for a, b in zip(x, out, strict=True))
        return x if same else tuple(out)
    if not has_unit(x) or (names and not known(x)):
        return x
    first: ValueError | None = None
    for one in wanted:
        try:
            return quantity(x, one)
        except ValueError as e:
            first = first or e
    raise first or ValueError(f"{_short(x)}: no unit is expected here")


def floating(text: str, wanted: str | None) -> float:
    """A text with a unit as a float in SI.

    >>> floating("40 cm", "m")
    0.4
    """
    x = value.exact(quantity(text, wanted))
    if names := value.symbols(x):
        raise ValueError(f"{shown(text)} holds the name {shown(names[0])}; write a number")
    return float(value.nominal(x, {}))


def column(unit: Any, i: int, inner: bool) -> Any:
    """Unit of entry i of a row whose columns have units, "rad, m".

    A tuple holds the units of the rows of a matrix, or of its diagonal for one row. `inner`:
    whether the entry is a row itself.


    >>> column("rad, m", 1, False), column("rad, m", 1, True)
    ('m', 'rad, m')
    >>> column(("N m, N", "N, N/m"), 1, False)
    'N/m'
    """
    if isinstance(unit, tuple):
        row = unit[i % len(unit)]
        return row if inner else column(row, i, False)
    if unit is None or ", " not in unit or inner:
        return unit
    columns = unit.split(", ")
    return columns[i % len(columns)]


def _pi(turns: int):
    return Value("pi") ** turns if turns else 1


def split(text: str) -> tuple[str, str] | None:
    """The number and the unit of a text, or None when it is an expression without unit.

    >>> split("12 kN/mm"), split("90deg"), split("2*pi rad/s"), split("L/2")
    (('12', 'kN/mm'), ('90', 'deg'), ('2*pi', 'rad/s'), None)
    """
    text = text.strip()
    if len(text) > 10_000:
        raise ValueError(f"a text of {len(text)} characters is too long for a number")
    if m := _NUMBER.match(text):
        rest = text[m.end() :].strip()
        if rest and rest[0] not in "+-*/)" and not rest.startswith("**"):
            return m.group(), rest
    for gap in list(re.finditer(r"\s+", text))[:20]:
        left, right = text[: gap.start()], text[gap.end() :]
        if right[0] in "+-*/)" or left[-1] in "+-*/(":
            continue
        try:
            parse(left)
        except ValueError:
            continue
        return left, right
    return None


def _kind(wanted: str) -> str:
    return f"{KINDS[wanted]} [{wanted or '1'}]" if wanted in KINDS else f"a value in [{wanted}]"


_EXAMPLES = {
    "rad": "90 deg",
    "m": "120 mm",
    "m/s": "50 km/h",
    "rad/s": "3000 rpm",
    "N": "12 kN",
    "N/m": "12 kN/mm",
    "kg": "250 g",
    "m/s^2": "3 g0",
}


def example(wanted: str) -> str:
    """A text that a field of this unit takes."""
    return _EXAMPLES.get(wanted, f"1.5 {wanted}")


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")
