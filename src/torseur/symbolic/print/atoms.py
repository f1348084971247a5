"""Atoms of printed expressions: named quantities, arguments of sines, products and sums."""

from __future__ import annotations

from fractions import Fraction
from itertools import starmap
from typing import Any, NamedTuple, TypeAlias

Form: TypeAlias = tuple[tuple[Any, int], ...]  # (index or name, sign) of what is summed


class Atom(NamedTuple):
    """A named quantity.

    `kind` is "cos", "sin", "q", "v", "a", "p" (parameter) or "c" (constant); `key` is a tuple of
    (index, name or `Argument`, sign) for angles and rates, an index for a coordinate, else a name.
    """

    kind: str
    key: Form | int | str


class Argument(NamedTuple):
    """Argument of a sine: a number times powers of coordinates (by index) and names."""

    number: Fraction
    powers: tuple[tuple[int | str, int], ...]

    @property
    def varies(self) -> bool:
        """Whether a coordinate is in it."""
        return any(isinstance(n, int) for n, _ in self.powers)


def argument_factors(x: Argument) -> tuple[tuple[Atom, int], ...]:
    """The powers of an argument as atoms."""

    def atom(n):
        return Atom("q", n) if isinstance(n, int) else Atom("c" if n == "pi" else "p", n)

    return tuple((atom(n), m) for n, m in x.powers)


def arguments(symbols) -> dict[str, Argument]:
    """The angles of a ring that are products, by name."""
    q = {n: i for i, n in enumerate(symbols.coordinates)}

    def power(n: str, m: int) -> tuple[int | str, int]:
        return (n[2:], -m) if n.startswith("1/") else (q.get(n, n), m)

    return {
        n: Argument(
            unit, tuple(sorted(starmap(power, powers), key=lambda p: isinstance(p[0], int)))
        )
        for n, (unit, powers) in symbols.sines.items()
    }


class Product(NamedTuple):
    """A number times powers of atoms times bracketed sums."""

    number: Fraction
    factors: tuple[tuple[Atom, int], ...] = ()
    sums: tuple[tuple[Product, ...], ...] = ()


Sum = tuple[Product, ...]
