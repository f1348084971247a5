"""The numbers of one beam: judged, and as modes, sections, inertias and strain.

Theory: BE.1 to BE.9.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..errors import shown
from ..model import Beam
from ..numbers import Number, values, vector
from ..spatial import Inertia
from .beam_shapes import ModeShape, along, bending, bows, gauss
from .section import Section

NEAR = 1e-12  # shares of a length that are one place


class ModeFamily(NamedTuple):
    """Modes of one family, and what their strain and their motion are worth."""

    name: str
    shapes: list[ModeShape]
    stiffness: Any  # EI, EA or GJ
    power: int  # of the length that divides the stiffness, and of the wave number
    inertia: Any  # per length


class BeamNumbers:
    """The numbers of one beam: exact, or expressions of parameters."""

    def __init__(self, reader, beam: Beam):
        self.reader, self.beam, self.where = reader, beam, f"body {beam.name!r}"
        self.faults: list[str] = []
        self.length = self._positive("length", "m")
        self.mu = self._positive("mass_per_length", "kg/m")
        self.modes = self._counts()
        *_, n_axial, n_torsion = self.modes
        self.EI = self._pair()
        need = {
            "EA": "axial and torsional modes" if n_axial or n_torsion else "rotary=True",
            "GJ": "torsional modes",
        }
        self.EA = self._asked("EA", "N", n_axial or n_torsion or beam.rotary, need["EA"])
        self.GJ = self._asked("GJ", "N m2", n_torsion, need["GJ"])
        self.damping = reader.number(beam.damping, f"{self.where}, damping [1]")
        if (ratio := reader.nominal(self.damping)) is not None and ratio < 0:
            self._wrong(f"damping is {ratio:g}; use zero or more")
        if beam.ends not in Beam.known_ends:
            self._wrong(
                f"ends={shown(beam.ends)}: expected one of {', '.join(map(repr, Beam.known_ends))}"
            )
        if not isinstance(beam.rotary, bool):
            self._wrong(f"rotary={shown(beam.rotary)}: expected True or False")
        fewest = max(self.modes) + 2
        if beam.slices is not None and (
            isinstance(beam.slices, bool)
            or not isinstance(beam.slices, int)
            or not fewest <= beam.slices <= 200
        ):
            self._wrong(f"slices={shown(beam.slices)}: expected a whole number, {fewest} to 200")
        reader.problems += self.faults

    def _wrong(self, text: str) -> None:
        self.faults.append(f"{self.where}: {text}")

    def _positive(self, name: str, unit: str) -> Any:
        x = self.reader.number(getattr(self.beam, name), f"{self.where}, {name} [{unit}]")
        return self._above_zero(x, name, unit)

    def _above_zero(self, x, name: str, unit: str) -> Any:
        if (number := self.reader.nominal(x)) is not None and number <= 0:
            self._wrong(f"{name} is {number:g} {unit}; use more than zero")
        return x

    def _pair(self) -> tuple[Any, Any]:
        given = self.beam.EI
        several = isinstance(given, tuple | list)
        where = f"{self.where}, EI"
        if several:
            about_y, about_z = self.reader.array(given, (2,), where, "N m2")
        else:
            about_y = about_z = self.reader.number(given, f"{where} [N m2]")
        nz, ny, *_ = self.modes
        needs = nz or self.beam.rotary or self.modes[3], ny or self.beam.rotary or self.modes[3]
        for x, axis, needed in zip((about_y, about_z), "yz", needs, strict=True):
            if needed:
                self._above_zero(x, f"EI about {axis}", "N m2")
        return about_y, about_z

    def _asked(self, name: str, unit: str, needed, by: str) -> Any:
        given = getattr(self.beam, name)
        if given is None:
            if needed:
                self._wrong(f"{by} need {name}= [{unit}]".replace("True need", "True needs"))
            return None
        x = self.reader.number(given, f"{self.where}, {name} [{unit}]")
        return self._above_zero(x, name, unit)

    def _counts(self) -> tuple[int, ...]:
        given = self.beam.modes
        whole = isinstance(given, tuple | list) and len(given) == 4
        whole = whole and all(
            isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= Beam.most for n in given
        )
        if not whole:
            self._wrong(
                f"modes={shown(given)}: expected four whole numbers, 0 to {Beam.most}: "
                f"{', '.join(Beam.families)}"
            )
            return 1, 0, 0, 0
        if not any(given):
            self._wrong("modes=(0, 0, 0, 0) leave nothing that moves; use ts.Body for a rigid rod")
            return 1, 0, 0, 0
        return tuple(given)

    # ---- shapes --------------------------------------------------------------------------------

    def families(self, origin: float = 0.0) -> list[ModeFamily]:
        """Every family that has modes, as seen from the section at the share `origin`."""
        ends, (nz, ny, n_axial, n_torsion) = self.beam.ends, self.modes
        (EIy, EIz), mu = self.EI, self.mu
        found = [
            ModeFamily("bending_z", bending(ends, nz, origin), EIy, 4, mu),
            ModeFamily("bending_y", bending(ends, ny, origin), EIz, 4, mu),
            ModeFamily("axial", along(ends, n_axial, origin), self.EA, 2, mu),
            ModeFamily("torsion", along(ends, n_torsion, origin), self.GJ, 2, self.polar),
        ]
        return [f for f in found if f.shapes]

    @property
    def names(self) -> tuple[tuple[str, str], ...]:
        """Names and units of the coordinates."""
        return self.beam.coordinates

    @cached_property
    def polar(self) -> Any:
        """Inertia of the sections about x per length [kg m]; none where EA is not given."""
        return 0 if self.EA is None else values.divide(self.mu * (self.EI[0] + self.EI[1]), self.EA)

    def across(self, EI) -> Any:
        """Inertia of the sections about y or z per length [kg m]."""
        return values.divide(self.mu * EI, self.EA) if self.beam.rotary else 0

    @property
    def nodes(self) -> tuple[np.ndarray, np.ndarray]:
        """Shares of the length at which slices are, and their weights."""
        return gauss(self.beam.slices or 2 * max(self.modes) + 8)

    def section(self, xi: float, origin: float) -> Section:
        """The joint of the slice at a share of the length."""
        n, L = len(self.names), self.length
        shift, turn = np.zeros((3, n)), np.zeros((3, n))
        bow, at = np.zeros((n, n)), 0
        for f in self.families(origin):
            own = slice(at, at := at + len(f.shapes))
            deflections = [float(s.deflection(np.float64(xi))) for s in f.shapes]
            slopes = [float(s.slope(np.float64(xi))) for s in f.shapes]
            if f.name == "bending_z":
                shift[2, own], turn[1, own] = deflections, [-x for x in slopes]
            elif f.name == "bending_y":
                shift[1, own], turn[2, own] = deflections, slopes
            elif f.name == "axial":
                shift[0, own] = deflections
            else:
                turn[0, own] = deflections
            if f.power == 4:
                bow[own, own] = bows(f.shapes, origin, xi)
        turned = [turn[0].tolist(), *(_over(row, L) for row in turn[1:].tolist())]
        return Section(
            self.names,
            _exact(shift.tolist()),
            _exact(turned),
            _exact([_over(row, L) for row in bow.tolist()]),
        )

    def inertia(self, weight: float) -> Inertia:
        """That of one slice, about its own center."""
        mass = self.mu * self.length * values.exact(weight)
        about = (self.polar, self.across(self.EI[0]), self.across(self.EI[1]))
        J = [x * self.length * values.exact(weight) for x in about]
        return Inertia(mass, vector((0, 0, 0)), vector((*J, 0, 0, 0)))

    def strains(self) -> Iterator[tuple[str, Any, Any]]:
        """Of each mode its name, stiffness and damping: what its strain is worth.  Theory: BE.8."""
        names = iter(self.names)
        for f in self.families():
            for s in f.shapes:
                square, b = values.exact(s.square), values.exact(s.wave)
                length = self.length**3 if f.power == 4 else self.length
                k = values.divide(f.stiffness * (b**f.power * square), length)
                c = 0
                if self.damping != 0:  # 2 zeta sqrt(k m), m = inertia L square
                    root = values.sqrt(f.stiffness * f.inertia)
                    c = 2 * self.damping * root * (b ** (f.power // 2) * square)
                    c = values.divide(c, self.length) if f.power == 4 else c
                yield next(names)[0], k, c

    # ---- places --------------------------------------------------------------------------------

    def share(self, x, who: str) -> float | None:
        """The share of the length at which x is; a problem noted where there is none."""
        x, L = values.exact(x), self.length
        names = dict.fromkeys((*_symbols(x), *_symbols(L)))
        known = self.reader.nominals
        found = []
        for step in (0.0, 0.37):
            at = {n: known.get(n, 1.1 + 0.1 * i) for i, n in enumerate(names)}
            at = {n: v * (1 + step * (i + 1)) for i, (n, v) in enumerate(at.items())}
            try:
                found.append(float(Fraction(x) / Fraction(L)) if not names
                             else values.nominal(x, at) / values.nominal(L, at))  # fmt: skip
            except (ArithmeticError, ValueError, TypeError):
                return None  # told where the number is read
        first, second = found
        if abs(first - second) > NEAR * max(1.0, abs(first)):
            self._place_wrong(
                f"{who} is at x = {x} on beam {self.beam.name!r}, which is not a fixed share of "
                f"its length {L}: mode shapes do not follow parameters; write x by the length, "
                'such as "L/2" with length="L"'
            )
            return None
        if not -NEAR <= first <= 1 + NEAR:
            nominal = self.reader.nominal(x), self.reader.nominal(L)
            said = [
                f"{n:g} m" if n is not None else str(e)
                for n, e in zip(nominal, (x, L), strict=True)
            ]
            self._place_wrong(
                f"{who} is at x = {said[0]} on beam {self.beam.name!r}, which reaches from 0 to "
                f"{said[1]}; put it on the beam"
            )
            return None
        return min(max(first, 0.0), 1.0)

    def _place_wrong(self, text: str) -> None:
        if text not in self.reader.problems:
            self.reader.problems.append(text)


def _symbols(x) -> tuple[str, ...]:
    return values.symbols(x) if isinstance(x, values.Value) else ()


def _over(row, L) -> list[Any]:
    if isinstance(L, Number):
        return [x / float(L) for x in row]
    return [values.exact(x) / L if x else 0 for x in row]


def _exact(rows) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(0 if x == 0 else values.exact(x) for x in row) for row in rows)
