"""Texts with units in what is described in Python: numbers in SI, as files have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache
from itertools import chain
from numbers import Real
from typing import Any

from ..errors import ModelError, said, shown
from ..register import frozen, type_of
from ..scalars import Value, units

NUMBERS = frozenset({int, float, bool, type(None), Fraction})
ROWS = frozenset({tuple, list})
WORDS = frozenset({"str", "str | None", "bool", "int"})


def read_texts(x: Any, side: int | None = None, parts: Sequence[str] = ()) -> None:
    """Texts with units in the fields of an element become numbers in SI, as files have them.

    Arrays and lists become tuples: what was given may be filled anew for the next element.
    `side`: which of two units, "rad | m", its motion has; None when it has both.  `parts`: fields
    that hold elements of their own: laws, kinds of joints, shapes.  A class may have `tables`:
    units of the columns of a field that may be rows.
    """
    kind: Any = type(x)
    problems = []
    for name, unit in _spoken(kind, tuple(parts)):
        given = getattr(x, name)
        if type(given) in NUMBERS:
            continue
        object.__setattr__(x, name, given := frozen(given))
        if not says_unit(given):
            continue
        where = f"{_kind(x)}{f' {x.name!r}' if hasattr(x, 'name') else ''}, {name}"
        if isinstance(given, tuple):
            unit = getattr(kind, "tables", {}).get(name, unit)
        choices = (unit or "").split(" | ")
        wanted = choices if side is None or len(choices) == 1 else [choices[side]]
        try:
            if unit is not None:
                read = units.read(given, *wanted)
            if unit is None or says_unit(read):  # a law in place of numbers
                read = _spelt(given, where, side=side)
        except ValueError as e:
            problems.append(f"{where} = {shown(given)}: {said(e)}" if unit is not None else said(e))
        else:
            object.__setattr__(x, name, read)
    if problems:
        raise ModelError(problems)


@cache
def _spoken(kind: Any, parts: tuple[str, ...]) -> tuple[tuple[str, str | None], ...]:
    """Fields of an element whose texts may say units, with their own."""
    own = ((f.name, f.metadata.get("unit")) for f in fields(kind))
    return tuple((name, unit) for name, unit in own if unit is not None or name in parts)


def _kind(x: Any) -> str:
    return type(x).__name__.lower()


def _spelt(given: Any, where: str, **about: Any) -> Any:
    from .formats.quantity_strings import spelt

    if isinstance(given, list | tuple):
        return tuple(spelt(e, where, **about) for e in given)
    return spelt(given, where, **about)


def says_unit(x: Any) -> bool:
    """Whether a text with a unit stands in a value, or in the fields of an element.

    >>> says_unit(("L", 0, "3 mm")), says_unit("2*L")
    (True, False)
    """
    kind: Any = type(x)
    if kind in NUMBERS:
        return False
    if kind is str or isinstance(x, str):
        return units.has_unit(x)
    if isinstance(x, list | tuple):
        kinds = set(map(type, x))
        if kinds <= NUMBERS:
            return False
        if kinds <= ROWS:  # a table: thousands of numbers are looked at as types alone
            kinds = set(map(type, chain.from_iterable(x)))
        return not kinds <= NUMBERS and any(map(says_unit, x))
    for name in _names(kind):
        part = getattr(x, name)
        if type(part) not in NUMBERS and says_unit(part):
            return True
    return False


@cache
def _names(kind: type) -> tuple[str, ...]:
    """Fields of an element that may hold numbers; none of anything else."""
    if not is_dataclass(kind):
        return ()
    return tuple(f.name for f in fields(kind) if type_of(f) not in WORDS)


def read_elements(model: Any) -> None:
    """Texts with units in forces and constraints, which may need the joints they act on."""
    problems: list[str] = []
    for kind, name in (("force", "forces"), ("constraint", "constraints")):
        given = getattr(model, name)
        if not any(map(says_unit, given)):
            continue
        read = []
        for x in given:
            try:
                where = f"{kind} {getattr(x, 'name', x)!r}"
                read.append(_spelt(x, where, moving=(*model.joints, *model.rotors)))
            except ValueError as e:
                problems += said(e).split("\n")
        object.__setattr__(model, name, tuple(read))
    if problems:
        raise ModelError(problems)


def read_parameters(given: Any) -> Any:
    """Nominal values, those with units in SI: of any dimension, as a file's.

    >>> read_parameters({"L": "30 cm", "r": "L/2"})
    {'L': Fraction(3, 10), 'r': 'L/2'}
    """
    if not isinstance(given, Mapping) or not any(map(says_unit, given.values())):
        return given
    out, problems = {}, []
    for name, x in given.items():
        try:
            out[name] = units.read(x, None)
        except ValueError as e:
            problems.append(f"parameter {name!r} = {shown(x)}: {said(e)}")
    if problems:
        raise ModelError(problems)
    return out


def upwards(gravity: Any) -> str:
    """What is wrong with one number that would let bodies fall upwards, "" where nothing is.

    >>> upwards(-9.81)
    'one number is downwards along z, so this falls upwards; write 9.81, or three numbers ...'
    """
    one = isinstance(gravity, str | Real | Value) and not isinstance(gravity, bool)
    try:
        plain: Any = units.floating(gravity, None) if isinstance(gravity, str) else gravity
        x = float(plain)
    except (TypeError, ValueError, ArithmeticError):
        return ""  # a name, or told elsewhere
    if not one or not x < 0:
        return ""
    return (
        f"one number is downwards along z, so this falls upwards; write {-x:g}, or three numbers "
        f"(0, 0, {-x:g}) if it is meant"
    )


def downwards(gravity: Any) -> Any:
    """Gravity as a vector [m/s2]: one number is downwards along z.

    >>> downwards(9.81), downwards("g"), downwards((0, -9.81, 0))
    ((0, 0, -9.81), (0, 0, '-(g)'), (0, -9.81, 0))
    """
    if told := upwards(gravity):
        raise ModelError([f"gravity = {gravity}: {told}"])
    if isinstance(gravity, str):
        return (0, 0, f"-({gravity})")
    one = isinstance(gravity, Real | Value) and not isinstance(gravity, bool)
    return (0, 0, -gravity) if one else gravity
