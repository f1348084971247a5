"""The numbers of one beam: judged, and as modes, sections, inertias and strain.

Theory: BE.1 to BE.9.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..errors import TorseurError, shown
from ..joints import AbstractJoint, Carriage
from ..model import Beam
from ..register import derived
from ..scalars import IDLE, Number, matrix, symbol, symbols, vector
from ..scalars.values import value
from ..spatial import IDENTITY, Inertia, Place, Pose, angles_to_matrix, cross
from .system import Link

# --------------------------------------------------------------------------------------------
# Natural modes of uniform beams, as seen from one of their sections.
#
# Functions of the share xi = x / L of the length.  Theory: BE.6, BE.7.


PANELS = 40  # of the integrals of products of slopes, for each half wave


class ModeShape(NamedTuple):
    """One mode: deflection and slope by xi, its wave number, and the mean square of the mode."""

    deflection: Callable[[Any], Any]
    slope: Callable[[Any], Any]
    wave: float
    square: float


def roots(ends: str, count: int) -> list[float]:
    """Wave numbers `beta L` of bending.

    >>> [round(x, 8) for x in roots("clamped-free", 3)]
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


def bending(ends: str, count: int, origin: float) -> list[ModeShape]:
    """Bending modes, without the deflection and the slope that they have at `origin`.

    The deflection of the mode itself is one at its tip, or between pins where it is largest.
    """
    found = []
    for b in roots(ends, count):
        phi, slope = (_pinned if ends == "pinned-pinned" else _hung)(b, ends)
        square = 0.5 if ends == "pinned-pinned" else 0.25
        found.append(_seen_from(phi, slope, origin, b, square))
    return found


def _pinned(b: float, ends: str):
    return (lambda x: np.sin(b * x)), (lambda x: b * np.cos(b * x))


def _hung(b: float, ends: str):
    """Clamped and free, or free at both ends: written with exponentials that do not grow."""
    s = -1.0 if ends == "clamped-free" else 1.0
    if s > 0:  # sigma = (cosh - cos) / (sinh - sin)
        below = np.sinh(b) - np.sin(b)
        sigma = (np.cosh(b) - np.cos(b)) / below
        less = (np.cos(b) - np.sin(b) - np.exp(-b)) / below  # 1 - sigma, without canceling
    else:  # sigma = (sinh - sin) / (cosh + cos)
        below = np.cosh(b) + np.cos(b)
        sigma = (np.sinh(b) - np.sin(b)) / below
        less = (np.exp(-b) + np.cos(b) + np.sin(b)) / below

    def phi(x):
        grows, falls = 0.5 * less * np.exp(b * x), 0.5 * (1 + sigma) * np.exp(-b * x)
        return grows + falls + s * (np.cos(b * x) - sigma * np.sin(b * x))

    def slope(x):
        grows, falls = 0.5 * less * np.exp(b * x), 0.5 * (1 + sigma) * np.exp(-b * x)
        return b * (grows - falls - s * (np.sin(b * x) + sigma * np.cos(b * x)))

    tip = phi(np.float64(1.0))
    return (lambda x: phi(x) / tip), (lambda x: slope(x) / tip)


def along(ends: str, count: int, origin: float) -> list[ModeShape]:
    """Axial and torsional modes, without the motion that they have at `origin`."""
    found = []
    for j in range(count):
        b = np.pi * (j + 1.0 if ends == "free-free" else j + 0.5)
        phi, slope = _wave(float(b), 1.0 if ends == "free-free" else 0.0)
        moved = _less(phi, float(phi(origin)))
        found.append(ModeShape(moved, slope, float(b), 0.5))
    return found


def _less(phi, there: float):
    return lambda x: phi(x) - there


def _wave(b: float, cosine: float):
    """A sine, or a cosine, that is one at the tip."""
    sine, tip = 1.0 - cosine, np.cos(b) if cosine else np.sin(b)

    def phi(x):
        return (cosine * np.cos(b * x) + sine * np.sin(b * x)) / tip

    def slope(x):
        return b * (sine * np.cos(b * x) - cosine * np.sin(b * x)) / tip

    return phi, slope


def _seen_from(phi, slope, origin: float, b: float, square: float) -> ModeShape:
    d, s = float(phi(origin)), float(slope(origin))
    if origin == 0 and abs(d) < 1e-12 and abs(s) < 1e-12 * b:
        d = s = 0.0
    return ModeShape(
        lambda x: phi(x) - d - s * (x - origin), lambda x: slope(x) - s, float(b), square
    )


def bows(shapes: list[ModeShape], origin: float, xi: float) -> np.ndarray:
    """Integrals of products of slopes from `origin` to xi, shape (n, n)."""
    if not shapes or xi == origin:
        return np.zeros((len(shapes), len(shapes)))
    nodes, weights = gauss(PANELS + int(4 * max(s.wave for s in shapes)))
    x = origin + (xi - origin) * nodes
    slopes = np.array([s.slope(x) for s in shapes])
    return (xi - origin) * (slopes * weights) @ slopes.T


@lru_cache(maxsize=32)
def gauss(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights of Gauss and Legendre between 0 and 1."""
    x, w = np.polynomial.legendre.leggauss(n)
    return (x + 1) / 2, w / 2


# --------------------------------------------------------------------------------------------
# A section of a body that bends: many modal coordinates move one rigid slice of it.
#
# Every slice of a beam has such a joint, and all of them read the same coordinates: one block.
# Theory: BE.1 to BE.5.


Named = tuple[tuple[str, str], ...]
Rows = tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class Section(AbstractJoint):
    """The pose of a slice as a function of modal coordinates q.

    `shift` (3 rows, one number a coordinate) is its displacement along x, y, z per unit of each;
    `turn` likewise its roll, pitch and yaw [rad]; `bow`, symmetric, is the integral of the products
    of slopes from the root: the slice comes nearer by half of `q' bow q` when the beam bends.
    """

    modes: Named  # names and units of the coordinates
    shift: Rows
    turn: Rows
    bow: Rows

    coordinates = derived(lambda self: self.modes)
    speeds = derived(lambda self: tuple((f"{n}_rate", f"{unit}/s") for n, unit in self.modes))

    def angles(self):
        return ()

    def _shape(self, K, name: str, x) -> list:
        """Rows of a table times coordinates or speeds."""
        return [sum((K.number(c) * y for c, y in zip(row, x, strict=True) if c != 0), start=0)
                for row in getattr(self, name)]  # fmt: skip

    def pose(self, K, q):
        roll, pitch, yaw = self._shape(K, "turn", q)
        x, y, z = self._shape(K, "shift", q)
        bowed = self._shape(K, "bow", q)
        near = sum((a * b for a, b in zip(bowed, q, strict=True)), start=0) * K.exact(0.5)
        R = angles_to_matrix(K, "zyx", [yaw, pitch, roll])  # BE.2
        return Pose(R, vector((x - near, y, z)))  # BE.1

    def _columns(self, K, q):
        """Derivatives of roll, pitch, yaw, and of the position, by each coordinate."""
        turn = [[K.number(c) for c in row] for row in self.turn]
        shift = [[K.number(c) for c in row] for row in self.shift]
        bowed = self._shape(K, "bow", q)
        shift[0] = [c - b for c, b in zip(shift[0], bowed, strict=True)]
        return matrix(turn), matrix(shift)

    def subspace(self, K, q):
        angles = self._shape(K, "turn", q)
        turn, shift = self._columns(K, q)
        R = angles_to_matrix(K, "zyx", angles[::-1])
        return np.concatenate([_rates_to_twist(K, angles) @ turn, R.T @ shift])  # BE.3

    def subspace_rate(self, K, q, v):
        angles, rates = self._shape(K, "turn", q), self._shape(K, "turn", v)
        turn, shift = self._columns(K, q)
        w = _rates_to_twist(K, angles) @ vector(rates)
        back = angles_to_matrix(K, "zyx", angles[::-1]).T
        nearing = vector(-x for x in self._shape(K, "bow", v))
        moved = back @ shift
        linear = [
            np.outer(back[:, 0], nearing)[:, j] - cross(w, moved[:, j]) for j in range(self.nv)
        ]  # BE.4
        return np.concatenate([_twist_slope(K, angles, rates) @ turn, np.stack(linear, axis=1)])

    def closure(self, K, X_FM):
        raise TypeError("a section of a beam closes no loop")

    def constants(self):
        every = vector(x for rows in (self.shift, self.turn, self.bow) for row in rows for x in row)
        return tuple(symbol(n) for n in symbols(every))


def _rates_to_twist(K, angles) -> np.ndarray:
    """`E`: angular velocity in the turned frame is E times the rates of roll, pitch and yaw."""
    (sr, cr), (sp, cp) = ((_sin(K, x), _cos(K, x)) for x in angles[:2])
    return matrix(((1, 0, -sp), (0, cr, cp * sr), (0, -sr, cp * cr)))


def _twist_slope(K, angles, rates) -> np.ndarray:
    """The rate of `E`."""
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
        return 0 if self.EA is None else value.divide(self.mu * (self.EI[0] + self.EI[1]), self.EA)

    def across(self, EI) -> Any:
        """Inertia of the sections about y or z per length [kg m]."""
        return value.divide(self.mu * EI, self.EA) if self.beam.rotary else 0

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
        mass = self.mu * self.length * value.exact(weight)
        about = (self.polar, self.across(self.EI[0]), self.across(self.EI[1]))
        J = [x * self.length * value.exact(weight) for x in about]
        return Inertia(mass, vector((0, 0, 0)), vector((*J, 0, 0, 0)))

    def strains(self) -> Iterator[tuple[str, Any, Any]]:
        """Of each mode its name, stiffness and damping: what its strain is worth.  Theory: BE.8."""
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

    def share(self, x, who: str) -> float | None:
        """The share of the length at which x is; a problem noted where there is none."""
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
    return value.symbols(x) if isinstance(x, value.Value) else ()


def _over(row, L) -> list[Any]:
    if isinstance(L, Number):
        return [x / float(L) for x in row]
    return [value.exact(x) / L if x else 0 for x in row]


def _exact(rows) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(0 if x == 0 else value.exact(x) for x in row) for row in rows)


# --------------------------------------------------------------------------------------------
# Beams lowered: rigid slices at quadrature nodes that read one block of modal coordinates.
#
# Places where something holds a beam are slices too, without mass.  Theory: BE.1 to BE.9.


SAME = 1e-9  # shares of a length nearer than that are one place


@dataclass(frozen=True, slots=True, eq=False)
class Span(Place):
    """The place of a beam: its section at x = 0, and the slices that hold something elsewhere."""

    bending: Any = field(default=None, metadata=IDLE)
    stations: tuple[tuple[float, Place], ...] = field(default=(), metadata=IDLE)

    def moved(self, X: Pose) -> Place:
        """The place of a pose on the beam: it goes with the section there."""
        name = self.bending.beam.name
        xi = self.bending.share(X.p[0], f"a place on {name!r}")
        for at, place in self.stations:
            if xi is not None and abs(at - xi) < SAME:
                return Place(place.link, place.X_LB @ Pose(X.turns, vector((0, *X.p[1:]))))
        raise TorseurError(
            f"beam {name!r} bends, and x = {X.p[0]} is no place that the model holds; give it a "
            "ts.Frame there"
        )


def bendings(reader, model) -> dict[str, BeamNumbers]:
    """The numbers of every beam of a model; problems go to the reader."""
    return {b.name: BeamNumbers(reader, b) for b in model.bodies if isinstance(b, Beam)}


class HeldBeam:
    """Where a beam is held, and by which section its joint holds it."""

    def __init__(self, bending: BeamNumbers):
        self.bending, self.origin = bending, 0.0
        self.shares: set[float] = {0.0}

    def add(self, x, who: str) -> None:
        xi = self.bending.share(x, who)
        if xi is not None and not any(abs(xi - y) < SAME for y in self.shares):
            self.shares.add(xi)


def holds(reader, model, joints, loops, frames) -> dict[str, HeldBeam]:
    """Every beam of a model with the places where something holds it."""
    found = {n: HeldBeam(b) for n, b in bendings(reader, model).items()}
    if not found:
        return {}
    taken = {j.name for j in (*model.joints, *model.loops, *model.rotors)}
    reader.problems += [
        f"body {name!r} is a beam and has coordinates of its own, so no joint, loop or rotor can "
        "have its name; rename one"
        for name in found
        if name in taken
    ]

    def placed(name, X, who):
        if name not in found:
            return
        if isinstance(X, Carriage):
            reader.problems.append(
                f"{who} moves with time on beam {name!r}, which bends; weld a body there and put "
                "it on that"
            )
        else:
            found[name].add(X.p[0], who)

    for j, (X_PF, X_CM, *_) in zip(model.joints, joints, strict=True):
        placed(j.parent, X_PF, f"joint {j.name!r}")
        if j.child in found:
            placed(j.child, X_CM, f"joint {j.name!r}")
            if not isinstance(X_CM, Carriage):
                own = found[j.child]
                own.origin = own.bending.share(X_CM.p[0], f"joint {j.name!r}") or 0.0
    for j, (X_PF, X_CM, *_) in zip(model.loops, loops, strict=True):
        placed(j.parent, X_PF, f"loop {j.name!r}")
        placed(j.child, X_CM, f"loop {j.name!r}")
    for f in model.frames:
        placed(f.body, frames[f.name], f"frame {f.name!r}")
    for kind in ("forces", "constraints"):
        for x in getattr(model, kind):
            who = f"{kind[:-1]} {getattr(x, 'name', '')!r}"
            for name, at in points(x, found):
                try:
                    found[name].add(value.exact(at[0]), who)
                except (TypeError, ValueError, ArithmeticError):
                    continue  # told where the point is read
    return found


def points(x: Any, names: Iterable[str]) -> Iterator[tuple[str, Any]]:
    """Pairs of one of these names and a point, anywhere in a description."""
    if isinstance(x, tuple | list):
        if len(x) == 2 and isinstance(x[0], str) and x[0] in names and _three(x[1]):
            yield x[0], x[1]
            return
        for e in x:
            yield from points(e, names)
    elif is_dataclass(x) and not isinstance(x, type):
        for f in fields(x):
            yield from points(getattr(x, f.name), names)


def _three(x: Any) -> bool:
    return isinstance(x, tuple | list | np.ndarray) and len(x) == 3


def add_slices(links: list[Link], base: Place, held: HeldBeam) -> Span:
    """Append the slices of a beam that `base` holds at its origin, and say where its places are."""
    own, origin = held.bending, held.origin
    nq, nv = (links[-1].q.stop, links[-1].v.stop) if links else (0, 0)
    n = len(own.names)
    q, v, none, first = slice(nq, nq + n), slice(nv, nv + n), vector((0,) * n), len(links) + 1
    nothing = Inertia(0, vector((0,) * 3), vector((0,) * 6))

    def added(xi: float, inertia: Inertia) -> Place:
        away = own.length * value.exact(xi - origin)
        X = base.X_LB @ Pose(p=vector((away, 0, 0)))
        index = len(links) + 1
        name = own.beam.name
        joint, reads = own.section(xi, origin), 0 if index == first else first
        link = Link(index, name, name, base.link, joint, X, inertia, none, none, q, v, reads=reads)
        links.append(link)
        return Place(index, IDENTITY)

    for xi, weight in zip(*own.nodes, strict=True):
        added(float(xi), own.inertia(float(weight)))
    stations = []
    for xi in sorted(held.shares):
        at_base = abs(xi - origin) < SAME
        stations.append((xi, base if at_base else added(xi, nothing)))
    root = stations[0][1]
    return Span(root.link, root.X_LB, own, tuple(stations))


def strained(beams: Iterable[HeldBeam]) -> tuple[Any, ...]:
    """Forces of the strain of every beam, one a mode."""
    from ..forces import JointForce, Parallel, Spring, Viscous

    out = []
    for one in beams:
        name = one.bending.beam.name
        for mode, k, c in one.bending.strains():
            law: Any = Spring(k) if c == 0 else Parallel(Spring(k), Viscous(c))
            out.append(JointForce(f"{name}.{mode}", name, law, mode))
    return tuple(out)
