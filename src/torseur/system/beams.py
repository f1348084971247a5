"""Flexible beams by floating frame and natural modes (Shabana 2013).  BE.1 to BE.9.

A beam becomes rigid slices at quadrature nodes. All of them read one block of modal coordinates.
The strain energy becomes one spring, and one damper, for each mode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..errors import TorseurError, shown
from ..joints import AbstractJoint, MovingPlacement
from ..model import Beam
from ..register import derived
from ..scalars import IDLE, Number, matrix, symbol, symbols, vector
from ..scalars.values import value
from ..spatial import IDENTITY, FixedFrame, Inertia, Pose, angles_to_matrix, cross
from .system import Link

# ---- natural modes of uniform beams, functions of xi = x / L (BE.6, BE.7) ----

QUADRATURE_PANELS = 40  # Gauss points of integrals of products of slopes, for each half wave


class ModeShape(NamedTuple):
    """One mode: deflection and slope as functions of xi, wave number `beta L`, mean square."""

    deflection: Callable[[Any], Any]
    slope: Callable[[Any], Any]
    wave: float
    square: float


def bending_wave_numbers(ends: str, count: int) -> list[float]:
    """Wave numbers `beta L` of the bending modes, by Newton's method.

    >>> [round(x, 8) for x in bending_wave_numbers("clamped-free", 3)]
    [1.87510407, 4.69409113, 7.85475744]
    """
    if ends == "pinned-pinned":
        return [np.pi * (j + 1) for j in range(count)]
    sign = 1.0 if ends == "clamped-free" else -1.0
    first = 0.5 if ends == "clamped-free" else 1.5
    out = []
    for j in range(count):
        x = np.pi * (j + first)
        for _ in range(60):  # Newton; the start is within 0.3, and near for all but the first
            f = np.cos(x) + sign / np.cosh(x)
            step = f / (-np.sin(x) - sign * np.tanh(x) / np.cosh(x))
            x -= step
            if abs(step) < 4e-16 * x:
                break
        out.append(float(x))
    return out


def bending_modes(ends: str, count: int, origin: float) -> list[ModeShape]:
    """Bending modes relative to the section at `origin`.

    The deflection is normalized to one at the tip, or to a maximum of one between pins.
    """
    modes = []
    for b in bending_wave_numbers(ends, count):
        phi, slope = (_pinned_mode if ends == "pinned-pinned" else _clamped_or_free_mode)(b, ends)
        square = 0.5 if ends == "pinned-pinned" else 0.25
        modes.append(_relative_mode(phi, slope, origin, b, square))
    return modes


def _pinned_mode(b: float, ends: str):
    return (lambda x: np.sin(b * x)), (lambda x: b * np.cos(b * x))


def _clamped_or_free_mode(b: float, ends: str):
    """Deflection and slope of a clamped-free or free-free mode, without cancellation."""
    s = -1.0 if ends == "clamped-free" else 1.0
    if s > 0:  # sigma = (cosh - cos) / (sinh - sin)
        denominator = np.sinh(b) - np.sin(b)
        sigma = (np.cosh(b) - np.cos(b)) / denominator
        # 1 - sigma, without canceling
        one_minus_sigma = (np.cos(b) - np.sin(b) - np.exp(-b)) / denominator
    else:  # sigma = (sinh - sin) / (cosh + cos)
        denominator = np.cosh(b) + np.cos(b)
        sigma = (np.sinh(b) - np.sin(b)) / denominator
        one_minus_sigma = (np.exp(-b) + np.cos(b) + np.sin(b)) / denominator

    def phi(x):
        grows, falls = 0.5 * one_minus_sigma * np.exp(b * x), 0.5 * (1 + sigma) * np.exp(-b * x)
        return grows + falls + s * (np.cos(b * x) - sigma * np.sin(b * x))

    def slope(x):
        grows, falls = 0.5 * one_minus_sigma * np.exp(b * x), 0.5 * (1 + sigma) * np.exp(-b * x)
        return b * (grows - falls - s * (np.sin(b * x) + sigma * np.cos(b * x)))

    tip = phi(np.float64(1.0))
    return (lambda x: phi(x) / tip), (lambda x: slope(x) / tip)


def axial_modes(ends: str, count: int, origin: float) -> list[ModeShape]:
    """Axial or torsional modes relative to the section at `origin`."""
    modes = []
    for j in range(count):
        b = np.pi * (j + 1.0 if ends == "free-free" else j + 0.5)
        phi, slope = _sine_mode(float(b), 1.0 if ends == "free-free" else 0.0)
        shifted = _subtract_constant(phi, float(phi(origin)))
        modes.append(ModeShape(shifted, slope, float(b), 0.5))
    return modes


def _subtract_constant(phi, constant: float):
    return lambda x: phi(x) - constant


def _sine_mode(b: float, cosine: float):
    """Sine or cosine mode with its slope, normalized to one at the tip."""
    sine, tip = 1.0 - cosine, np.cos(b) if cosine else np.sin(b)

    def phi(x):
        return (cosine * np.cos(b * x) + sine * np.sin(b * x)) / tip

    def slope(x):
        return b * (sine * np.cos(b * x) - cosine * np.sin(b * x)) / tip

    return phi, slope


def _relative_mode(phi, slope, origin: float, b: float, square: float) -> ModeShape:
    d, s = float(phi(origin)), float(slope(origin))
    if origin == 0 and abs(d) < 1e-12 and abs(s) < 1e-12 * b:
        d = s = 0.0
    return ModeShape(
        lambda x: phi(x) - d - s * (x - origin), lambda x: slope(x) - s, float(b), square
    )


def slope_product_integrals(shapes: list[ModeShape], origin: float, xi: float) -> np.ndarray:
    """Integrals of products of slopes from `origin` to xi, shape (n, n)."""
    if not shapes or xi == origin:
        return np.zeros((len(shapes), len(shapes)))
    nodes, weights = gauss_legendre(QUADRATURE_PANELS + int(4 * max(s.wave for s in shapes)))
    x = origin + (xi - origin) * nodes
    slopes = np.array([s.slope(x) for s in shapes])
    return (xi - origin) * (slopes * weights) @ slopes.T


@lru_cache(maxsize=32)
def gauss_legendre(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss-Legendre quadrature on [0, 1]."""
    x, w = np.polynomial.legendre.leggauss(n)
    return (x + 1) / 2, w / 2


# ---- joint of a slice (BE.1 to BE.5) ----

Named = tuple[tuple[str, str], ...]
Rows = tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class BeamSection(AbstractJoint):
    """The pose of a slice as a function of modal coordinates q.

    `shift` (3 x n) is the displacement along x, y, z per unit of each coordinate. `rotation`
    (3 x n) is its roll, pitch and yaw [rad]. `shortening` (n x n) holds the integrals of products
    of slopes from the root: bending moves the slice towards the root by half of
    `q' shortening q`.
    """

    modes: Named  # names and units of the coordinates
    shift: Rows
    rotation: Rows
    shortening: Rows

    coordinates = derived(lambda self: self.modes)
    speeds = derived(lambda self: tuple((f"{n}_rate", f"{unit}/s") for n, unit in self.modes))

    def angles(self):
        return ()

    def _table_times(self, K, name: str, x) -> list:
        """Rows of a table times coordinates or speeds."""
        return [sum((K.number(c) * y for c, y in zip(row, x, strict=True) if c != 0), start=0)
                for row in getattr(self, name)]  # fmt: skip

    def pose(self, K, q):
        roll, pitch, yaw = self._table_times(K, "rotation", q)
        x, y, z = self._table_times(K, "shift", q)
        products = self._table_times(K, "shortening", q)
        shortening = sum((a * b for a, b in zip(products, q, strict=True)), start=0) * K.exact(0.5)
        R = angles_to_matrix(K, "zyx", [yaw, pitch, roll])  # BE.2
        return Pose(R, vector((x - shortening, y, z)))  # BE.1

    def _columns(self, K, q):
        """Derivatives of roll, pitch, yaw, and of the position, by each coordinate."""
        rotation = [[K.number(c) for c in row] for row in self.rotation]
        shift = [[K.number(c) for c in row] for row in self.shift]
        bowed = self._table_times(K, "shortening", q)
        shift[0] = [c - b for c, b in zip(shift[0], bowed, strict=True)]
        return matrix(rotation), matrix(shift)

    def subspace(self, K, q):
        angles = self._table_times(K, "rotation", q)
        rotation, shift = self._columns(K, q)
        R = angles_to_matrix(K, "zyx", angles[::-1])
        return np.concatenate([_rates_to_twist(K, angles) @ rotation, R.T @ shift])  # BE.3

    def subspace_rate(self, K, q, v):
        angles, rates = self._table_times(K, "rotation", q), self._table_times(K, "rotation", v)
        rotation, shift = self._columns(K, q)
        w = _rates_to_twist(K, angles) @ vector(rates)
        back = angles_to_matrix(K, "zyx", angles[::-1]).T
        nearing = vector(-x for x in self._table_times(K, "shortening", v))
        columns = back @ shift
        linear = [
            np.outer(back[:, 0], nearing)[:, j] - cross(w, columns[:, j]) for j in range(self.nv)
        ]  # BE.4
        return np.concatenate(
            [_rates_to_twist_rate(K, angles, rates) @ rotation, np.stack(linear, axis=1)]
        )

    def closure(self, K, X_FM):
        raise TypeError("a section of a beam closes no loop")

    def constants(self):
        every = vector(
            x for rows in (self.shift, self.rotation, self.shortening) for row in rows for x in row
        )
        return tuple(symbol(n) for n in symbols(every))


def _rates_to_twist(K, angles) -> np.ndarray:
    """Matrix E from rates of roll, pitch, yaw to the angular velocity in the rotated frame."""
    (sr, cr), (sp, cp) = ((_sin(K, x), _cos(K, x)) for x in angles[:2])
    return matrix(((1, 0, -sp), (0, cr, cp * sr), (0, -sr, cp * cr)))


def _rates_to_twist_rate(K, angles, rates) -> np.ndarray:
    """(3, 3): time derivative of E of `_rates_to_twist`, by roll, pitch, yaw and their rates."""
    (sr, cr), (sp, cp) = ((_sin(K, x), _cos(K, x)) for x in angles[:2])
    r, p, _ = rates
    return matrix(
        (
            (0, 0, -(cp * p)),
            (0, -(sr * r), cp * cr * r - sp * sr * p),
            (0, -(cr * r), -(sp * cr * p) - cp * sr * r),
        )
    )


def _sin(K, x):
    return 0 if isinstance(x, int) and x == 0 else K.sin(x)


def _cos(K, x):
    return 1 if isinstance(x, int) and x == 0 else K.cos(x)


LENGTH_SHARE_RTOL = 1e-12  # rounding of a share of the length


class ModeFamily(NamedTuple):
    """Modes of one family (bending, axial, torsion) with stiffness and inertia."""

    name: str
    shapes: list[ModeShape]
    stiffness: Any  # EI, EA or GJ
    power: int  # of the length that divides the stiffness, and of the wave number
    inertia: Any  # per length


class BeamData:
    """Validated numbers of one beam, exact or expressions of parameters."""

    def __init__(self, reader, beam: Beam):
        self.reader, self.beam, self.where = reader, beam, f"body {beam.name!r}"
        self.problems: list[str] = []
        self.length = self._positive("length", "m")
        self.mu = self._positive("mass_per_length", "kg/m")
        self.modes = self._mode_counts()
        *_, n_axial, n_torsion = self.modes
        self.EI = self._bending_stiffnesses()
        need = {
            "EA": "axial and torsional modes" if n_axial or n_torsion else "rotary=True",
            "GJ": "torsional modes",
        }
        self.EA = self._optional_stiffness(
            "EA", "N", n_axial or n_torsion or beam.rotary, need["EA"]
        )
        self.GJ = self._optional_stiffness("GJ", "N m2", n_torsion, need["GJ"])
        self.damping = reader.number(beam.damping, f"{self.where}, damping [1]")
        if (ratio := reader.nominal(self.damping)) is not None and ratio < 0:
            self._add_problem(f"damping is {ratio:g}; use zero or more")
        if beam.ends not in Beam.known_ends:
            self._add_problem(
                f"ends={shown(beam.ends)}: expected one of {', '.join(map(repr, Beam.known_ends))}"
            )
        if not isinstance(beam.rotary, bool):
            self._add_problem(f"rotary={shown(beam.rotary)}: expected True or False")
        fewest = max(self.modes) + 2
        if beam.slices is not None and (
            isinstance(beam.slices, bool)
            or not isinstance(beam.slices, int)
            or not fewest <= beam.slices <= 200
        ):
            self._add_problem(
                f"slices={shown(beam.slices)}: expected a whole number, {fewest} to 200"
            )
        reader.problems += self.problems

    def _add_problem(self, text: str) -> None:
        self.problems.append(f"{self.where}: {text}")

    def _positive(self, name: str, unit: str) -> Any:
        x = self.reader.number(getattr(self.beam, name), f"{self.where}, {name} [{unit}]")
        return self._above_zero(x, name, unit)

    def _above_zero(self, x, name: str, unit: str) -> Any:
        if (number := self.reader.nominal(x)) is not None and number <= 0:
            self._add_problem(f"{name} is {number:g} {unit}; use more than zero")
        return x

    def _bending_stiffnesses(self) -> tuple[Any, Any]:
        stiffness = self.beam.EI
        several = isinstance(stiffness, tuple | list)
        where = f"{self.where}, EI"
        if several:
            about_y, about_z = self.reader.array(stiffness, (2,), where, "N m2")
        else:
            about_y = about_z = self.reader.number(stiffness, f"{where} [N m2]")
        nz, ny, *_ = self.modes
        needs = nz or self.beam.rotary or self.modes[3], ny or self.beam.rotary or self.modes[3]
        for x, axis, needed in zip((about_y, about_z), "yz", needs, strict=True):
            if needed:
                self._above_zero(x, f"EI about {axis}", "N m2")
        return about_y, about_z

    def _optional_stiffness(self, name: str, unit: str, needed, by: str) -> Any:
        stiffness = getattr(self.beam, name)
        if stiffness is None:
            if needed:
                self._add_problem(f"{by} need {name}= [{unit}]".replace("True need", "True needs"))
            return None
        x = self.reader.number(stiffness, f"{self.where}, {name} [{unit}]")
        return self._above_zero(x, name, unit)

    def _mode_counts(self) -> tuple[int, ...]:
        modes = self.beam.modes
        valid = isinstance(modes, tuple | list) and len(modes) == 4
        valid = valid and all(
            isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= Beam.most for n in modes
        )
        if not valid:
            self._add_problem(
                f"modes={shown(modes)}: expected four whole numbers, 0 to {Beam.most}: "
                f"{', '.join(Beam.families)}"
            )
            return 1, 0, 0, 0
        if not any(modes):
            self._add_problem(
                "modes=(0, 0, 0, 0) leave nothing that moves; use ts.Body for a rigid rod"
            )
            return 1, 0, 0, 0
        return tuple(modes)

    # ---- shapes --------------------------------------------------------------------------------

    def families(self, origin: float = 0.0) -> list[ModeFamily]:
        """Families that have modes, relative to the section at the share `origin`."""
        ends, (nz, ny, n_axial, n_torsion) = self.beam.ends, self.modes
        (EIy, EIz), mu = self.EI, self.mu
        families = [
            ModeFamily("bending_z", bending_modes(ends, nz, origin), EIy, 4, mu),
            ModeFamily("bending_y", bending_modes(ends, ny, origin), EIz, 4, mu),
            ModeFamily("axial", axial_modes(ends, n_axial, origin), self.EA, 2, mu),
            ModeFamily("torsion", axial_modes(ends, n_torsion, origin), self.GJ, 2, self.polar),
        ]
        return [f for f in families if f.shapes]

    @property
    def names(self) -> tuple[tuple[str, str], ...]:
        """Names and units of the coordinates."""
        return self.beam.coordinates

    @cached_property
    def polar(self) -> Any:
        """Inertia of the sections about x per length [kg m]; none where EA is not given."""
        return 0 if self.EA is None else value.divide(self.mu * (self.EI[0] + self.EI[1]), self.EA)

    def rotary_inertia(self, EI) -> Any:
        """Inertia of the sections about y or z per length [kg m]."""
        return value.divide(self.mu * EI, self.EA) if self.beam.rotary else 0

    @property
    def nodes(self) -> tuple[np.ndarray, np.ndarray]:
        """Shares of the length at which slices are, and their weights."""
        return gauss_legendre(self.beam.slices or 2 * max(self.modes) + 8)

    def section(self, xi: float, origin: float) -> BeamSection:
        """Joint of the slice at the share `xi` of the length."""
        n, L = len(self.names), self.length
        shift, angles = np.zeros((3, n)), np.zeros((3, n))
        shortening, at = np.zeros((n, n)), 0
        for f in self.families(origin):
            block = slice(at, at := at + len(f.shapes))
            deflections = [float(s.deflection(np.float64(xi))) for s in f.shapes]
            slopes = [float(s.slope(np.float64(xi))) for s in f.shapes]
            if f.name == "bending_z":
                shift[2, block], angles[1, block] = deflections, [-x for x in slopes]
            elif f.name == "bending_y":
                shift[1, block], angles[2, block] = deflections, slopes
            elif f.name == "axial":
                shift[0, block] = deflections
            else:
                angles[0, block] = deflections
            if f.power == 4:
                shortening[block, block] = slope_product_integrals(f.shapes, origin, xi)
        rotation = [angles[0].tolist(), *(_divide_row(row, L) for row in angles[1:].tolist())]
        return BeamSection(
            self.names,
            _exact(shift.tolist()),
            _exact(rotation),
            _exact([_divide_row(row, L) for row in shortening.tolist()]),
        )

    def inertia(self, weight: float) -> Inertia:
        """Inertia of one slice about its center."""
        mass = self.mu * self.length * value.exact(weight)
        about = (self.polar, self.rotary_inertia(self.EI[0]), self.rotary_inertia(self.EI[1]))
        J = [x * self.length * value.exact(weight) for x in about]
        return Inertia(mass, vector((0, 0, 0)), vector((*J, 0, 0, 0)))

    def modal_stiffnesses(self) -> Iterator[tuple[str, Any, Any]]:
        """Name, modal stiffness and modal damping of each mode.  BE.8"""
        names = iter(self.names)
        for f in self.families():
            for s in f.shapes:
                square, b = value.exact(s.square), value.exact(s.wave)
                length = self.length**3 if f.power == 4 else self.length
                k = value.divide(f.stiffness * (b**f.power * square), length)
                c = 0
                if self.damping != 0:  # 2 zeta sqrt(k m), m = inertia L square
                    root = value.sqrt(f.stiffness * f.inertia)
                    c = 2 * self.damping * root * (b ** (f.power // 2) * square)
                    c = value.divide(c, self.length) if f.power == 4 else c
                yield next(names)[0], k, c

    # ---- places --------------------------------------------------------------------------------

    def length_share(self, x, who: str) -> float | None:
        """Share of the length at position x, or None with a problem added."""
        x, L = value.exact(x), self.length
        names = dict.fromkeys((*_symbols(x), *_symbols(L)))
        known = self.reader.nominals
        found = []
        for step in (0.0, 0.37):
            at = {n: known.get(n, 1.1 + 0.1 * i) for i, n in enumerate(names)}
            at = {n: v * (1 + step * (i + 1)) for i, (n, v) in enumerate(at.items())}
            try:
                found.append(float(Fraction(x) / Fraction(L)) if not names
                             else value.nominal(x, at) / value.nominal(L, at))  # fmt: skip
            except (ArithmeticError, ValueError, TypeError):
                return None  # told where the number is read
        first, second = found
        if abs(first - second) > LENGTH_SHARE_RTOL * max(1.0, abs(first)):
            self._add_section_problem(
                f"{who} is at x = {x} on beam {self.beam.name!r}, which is not a fixed share of "
                f"its length {L}: mode shapes do not follow parameters; write x by the length, "
                'such as "L/2" with length="L"'
            )
            return None
        if not -LENGTH_SHARE_RTOL <= first <= 1 + LENGTH_SHARE_RTOL:
            nominal = self.reader.nominal(x), self.reader.nominal(L)
            said = [
                f"{n:g} m" if n is not None else str(e)
                for n, e in zip(nominal, (x, L), strict=True)
            ]
            self._add_section_problem(
                f"{who} is at x = {said[0]} on beam {self.beam.name!r}, which reaches from 0 to "
                f"{said[1]}; put it on the beam"
            )
            return None
        return min(max(first, 0.0), 1.0)

    def _add_section_problem(self, text: str) -> None:
        if text not in self.reader.problems:
            self.reader.problems.append(text)


def _symbols(x) -> tuple[str, ...]:
    return value.symbols(x) if isinstance(x, value.Value) else ()


def _divide_row(row, L) -> list[Any]:
    if isinstance(L, Number):
        return [x / float(L) for x in row]
    return [value.exact(x) / L if x else 0 for x in row]


def _exact(rows) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(0 if x == 0 else value.exact(x) for x in row) for row in rows)


# ---- lowering to slices; sections with attachments are slices without mass ----

SAME_SECTION_TOLERANCE = 1e-9  # shares of the length that differ by less are one section


@dataclass(frozen=True, slots=True, eq=False)
class BeamFrame(FixedFrame):
    """Frame of a beam: its section at x = 0, and the sections that carry attachments."""

    bending: Any = field(default=None, metadata=IDLE)
    stations: tuple[tuple[float, FixedFrame], ...] = field(default=(), metadata=IDLE)

    def moved(self, X: Pose) -> FixedFrame:
        """Frame at a pose on the beam, fixed in the section there."""
        name = self.bending.beam.name
        xi = self.bending.length_share(X.p[0], f"a place on {name!r}")
        for at, place in self.stations:
            if xi is not None and abs(at - xi) < SAME_SECTION_TOLERANCE:
                return FixedFrame(place.link, place.X_LB @ Pose(X.turns, vector((0, *X.p[1:]))))
        raise TorseurError(
            f"beam {name!r} bends, and x = {X.p[0]} is no place that the model holds; give it a "
            "ts.Frame there"
        )


def beam_data(reader, model) -> dict[str, BeamData]:
    """Data of every beam of a model.  Problems go to the reader."""
    return {b.name: BeamData(reader, b) for b in model.bodies if isinstance(b, Beam)}


class AttachedBeam:
    """Sections of a beam that carry attachments, and the section at its inboard joint."""

    def __init__(self, bending: BeamData):
        self.bending, self.origin = bending, 0.0
        self.shares: set[float] = {0.0}

    def add_section(self, x, who: str) -> None:
        xi = self.bending.length_share(x, who)
        if xi is not None and not any(abs(xi - y) < SAME_SECTION_TOLERANCE for y in self.shares):
            self.shares.add(xi)


def collect_attached_beams(reader, model, joints, loops, frames) -> dict[str, AttachedBeam]:
    """Every beam of a model with the sections where something is attached."""
    beams = {n: AttachedBeam(b) for n, b in beam_data(reader, model).items()}
    if not beams:
        return {}
    taken = {j.name for j in (*model.joints, *model.loops, *model.rotors)}
    reader.problems += [
        f"body {name!r} is a beam and has coordinates of its own, so no joint, loop or rotor can "
        "have its name; rename one"
        for name in beams
        if name in taken
    ]

    def attach(name, X, who):
        if name not in beams:
            return
        if isinstance(X, MovingPlacement):
            reader.problems.append(
                f"{who} moves with time on beam {name!r}, which bends; weld a body there and put "
                "it on that"
            )
        else:
            beams[name].add_section(X.p[0], who)

    for j, (X_PF, X_CM, *_) in zip(model.joints, joints, strict=True):
        attach(j.parent, X_PF, f"joint {j.name!r}")
        if j.child in beams:
            attach(j.child, X_CM, f"joint {j.name!r}")
            if not isinstance(X_CM, MovingPlacement):
                beam = beams[j.child]
                beam.origin = beam.bending.length_share(X_CM.p[0], f"joint {j.name!r}") or 0.0
    for j, (X_PF, X_CM, *_) in zip(model.loops, loops, strict=True):
        attach(j.parent, X_PF, f"loop {j.name!r}")
        attach(j.child, X_CM, f"loop {j.name!r}")
    for f in model.frames:
        attach(f.body, frames[f.name], f"frame {f.name!r}")
    for kind in ("forces", "constraints"):
        for x in getattr(model, kind):
            who = f"{kind[:-1]} {getattr(x, 'name', '')!r}"
            for name, at in find_points(x, beams):
                try:
                    beams[name].add_section(value.exact(at[0]), who)
                except (TypeError, ValueError, ArithmeticError):
                    continue  # told where the point is read
    return beams


def find_points(x: Any, names: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Iterate over pairs (name, point) of these names anywhere in a description."""
    if isinstance(x, tuple | list):
        if len(x) == 2 and isinstance(x[0], str) and x[0] in names and _is_point(x[1]):
            yield x[0], x[1]
            return
        for e in x:
            yield from find_points(e, names)
    elif is_dataclass(x) and not isinstance(x, type):
        for f in fields(x):
            yield from find_points(getattr(x, f.name), names)


def _is_point(x: Any) -> bool:
    return isinstance(x, tuple | list | np.ndarray) and len(x) == 3


def add_slices(links: list[Link], base: FixedFrame, beam: AttachedBeam) -> BeamFrame:
    """Append the slices of a beam attached to `base` at its origin, and return its frame."""
    data, origin = beam.bending, beam.origin
    nq, nv = (links[-1].q.stop, links[-1].v.stop) if links else (0, 0)
    n = len(data.names)
    q, v, zeros, first = slice(nq, nq + n), slice(nv, nv + n), vector((0,) * n), len(links) + 1
    no_inertia = Inertia(0, vector((0,) * 3), vector((0,) * 6))

    def add_slice(xi: float, inertia: Inertia) -> FixedFrame:
        away = data.length * value.exact(xi - origin)
        X = base.X_LB @ Pose(p=vector((away, 0, 0)))
        index = len(links) + 1
        name = data.beam.name
        joint, reads = data.section(xi, origin), 0 if index == first else first
        link = Link(
            index, name, name, base.link, joint, X, inertia, zeros, zeros, q, v, reads=reads
        )
        links.append(link)
        return FixedFrame(index, IDENTITY)

    for xi, weight in zip(*data.nodes, strict=True):
        add_slice(float(xi), data.inertia(float(weight)))
    stations = []
    for xi in sorted(beam.shares):
        at_base = abs(xi - origin) < SAME_SECTION_TOLERANCE
        stations.append((xi, base if at_base else add_slice(xi, no_inertia)))
    root = stations[0][1]
    return BeamFrame(root.link, root.X_LB, data, tuple(stations))


def strain_forces(beams: Iterable[AttachedBeam]) -> tuple[Any, ...]:
    """Forces of the modal strain of every beam, one for each mode."""
    from ..forces import JointForce, Parallel, Spring, Viscous

    out = []
    for beam in beams:
        name = beam.bending.beam.name
        for mode, k, c in beam.bending.modal_stiffnesses():
            law: Any = Spring(k) if c == 0 else Parallel(Spring(k), Viscous(c))
            out.append(JointForce(f"{name}.{mode}", name, law, mode))
    return tuple(out)
