# ruff: noqa: RUF009  (`quantity` makes a field, as `dataclasses.field` does)
"""Description of a mechanism: frozen dataclasses without numerical state.

A description may be inconsistent until `check()`.  Each number may be a text: the name of a
parameter, or an expression of parameters such as "L/2".
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelError, report_reader_failures, shown
from ..joints import AbstractJoint
from ..scalars import IDLE
from ..views import view
from . import parameter_units
from .field_paths import NamedParts
from .quantity_fields import Quantities, Quantity, quantity
from .unit_strings import (
    as_gravity_vector,
    convert_elements_to_si,
    convert_fields_to_si,
    convert_parameters_to_si,
)

if TYPE_CHECKING:
    import os

    from ..constraints import Constraint
    from ..system import System


def _remove_infinite_limits(limits: tuple) -> tuple:
    """Limits with None in place of infinite values."""
    if len(limits) != 2 or isinstance(limits[0], tuple):
        return tuple(_remove_infinite_limits(x) if isinstance(x, tuple) else x for x in limits)
    none = (-math.inf, math.inf)
    return tuple(
        None if isinstance(x, float) and x == infinite else x
        for x, infinite in zip(limits, none, strict=True)
    )


class Parameters(Mapping[str, Any]):
    """Named parameters with their nominal values (or None); immutable."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, Any] | Iterable[Any] = ()):
        pairs = (
            items.items()
            if isinstance(items, Mapping)
            else (x if isinstance(x, tuple) else (x, None) for x in items)
        )
        self._items = dict(pairs)

    def __getitem__(self, name: str) -> Any:
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def _ipython_key_completions_(self) -> list[str]:
        """What `model.parameters["m<Tab>` offers."""
        return list(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self):
        return hash(tuple(self._items.items()))

    def __repr__(self):
        return repr(self._items)


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A rigid body.

    Parameters
    ----------
    name : unique name
    mass : mass [kg]; zero for an intermediate body
    com : center of mass in the body frame [m]
    inertia : about the center of mass, body axes [kg m2]: xx, yy, zz, xy, xz, yz, entries of the
        matrix (signs included), the first three alone, or a 3 x 3 matrix
    about : "com", or "origin" when `inertia` is about the origin of the body frame
    first_moment : mass times center of mass [kg m], in place of `com`, with `about="origin"`:
        the ten numbers in which the equations are linear
    shapes : what the viewer draws: `Box`, `Sphere`, `Cylinder`, `Capsule`, `Mesh`

    Numbers may be texts with units, as in files; arithmetic of parameters is a text as well.

    >>> Body("rod", mass=2.0, com=(0, 0, "-250 mm")).com
    (0, 0, Fraction(-1, 4))
    """

    name: str
    mass: Quantity = quantity(0, "kg")
    com: Quantities = quantity((0, 0, 0), "m", (3,))
    inertia: Quantities = quantity((0, 0, 0, 0, 0, 0), "kg m^2", (6,), (3, 3))
    about: str = "com"
    first_moment: Quantities | None = quantity(None, "kg m", (3,))
    shapes: tuple[Any, ...] = ()

    def __post_init__(self):
        convert_fields_to_si(self, parts=("shapes",))
        J = self.inertia
        if isinstance(J, list | tuple) and len(J) == 3 and not any(np.ndim(x) for x in J):
            object.__setattr__(self, "inertia", (*J, 0, 0, 0))  # principal ones


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """A joint between two bodies.

    The inboard frame F sits on the parent at `at` [m] turned by `rpy` (roll, pitch, yaw about
    fixed x, y, z [rad]); the outboard frame M sits on the child at `child_at`, `child_rpy`.
    `pose` and `child_pose`, 4 x 4 homogeneous matrices, may stand in for them.

    `armature`: inertia of rotors seen at the joint [kg m2 or kg], one number or one a speed;
    `damping`: viscous [N m s or N s/m], likewise; `limits`: (low, high), one pair a coordinate,
    None for an end without a limit;
    `max_effort`, `max_speed`: what its motor can do, for sizing [N m or N, rad/s or m/s]; `row`:
    the Denavit-Hartenberg row that `from_dh` made it of, for files.

    >>> from torseur.joints import Revolute
    >>> Joint("elbow", "upper", "lower", Revolute("y"), at=(0, 0, -0.5)).child
    'lower'
    """

    name: str
    parent: str
    child: str
    kind: AbstractJoint
    at: Quantities = quantity((0, 0, 0), "m", (3,))
    rpy: Quantities = quantity((0, 0, 0), "rad", (3,))
    child_at: Quantities = quantity((0, 0, 0), "m", (3,))
    child_rpy: Quantities = quantity((0, 0, 0), "rad", (3,))
    pose: Quantities | None = quantity(None, "", (4, 4))
    child_pose: Quantities | None = quantity(None, "", (4, 4))
    armature: Quantity | Quantities = quantity(0, "kg m^2 | kg", (), (-1,))
    damping: Quantity | Quantities = quantity(0, "N m s/rad | N s/m", (), (-1,))
    limits: Any = quantity(None, "rad | m", (2,), (-1, 2), open_=True)
    max_effort: Quantity | None = quantity(None, "N m | N")
    max_speed: Quantity | None = quantity(None, "rad/s | m/s")
    drive: Any = None
    row: Any = field(default=None, repr=False, metadata={**IDLE, "file": False})

    def __post_init__(self):
        motion_units = {u for _, u in getattr(self.kind, "coordinates", ())}
        unit_index = (
            {"rad": 0, "m": 1}[motion_units.pop()] if motion_units in ({"rad"}, {"m"}) else None
        )
        convert_fields_to_si(self, unit_index, ("kind", "drive"))
        if type(self.limits) is tuple:
            object.__setattr__(self, "limits", _remove_infinite_limits(self.limits))

    @property
    def stops(self) -> Any:
        """The law of stops that `limits` are, or None."""
        return None if getattr(self.limits, "range", None) is None else self.limits

    @property
    def bounds(self) -> Any:
        """Low and high of its coordinates, whether `limits` are numbers or a law of stops."""
        return self.limits if self.stops is None else self.stops.range


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """A joint that closes a loop: frame F on body `parent`, frame M on body `child`."""

    name: str
    parent: str
    child: str
    kind: AbstractJoint
    at: Quantities = quantity((0, 0, 0), "m", (3,))
    rpy: Quantities = quantity((0, 0, 0), "rad", (3,))
    child_at: Quantities = quantity((0, 0, 0), "m", (3,))
    child_rpy: Quantities = quantity((0, 0, 0), "rad", (3,))
    pose: Quantities | None = quantity(None, "", (4, 4))
    child_pose: Quantities | None = quantity(None, "", (4, 4))

    def __post_init__(self):
        convert_fields_to_si(self, parts=("kind",))


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A named frame on a body, at `at` [m], turned by `rpy` [rad] (or by a 4 x 4 `pose`)."""

    name: str
    body: str
    at: Quantities = quantity((0, 0, 0), "m", (3,))
    rpy: Quantities = quantity((0, 0, 0), "rad", (3,))
    pose: Quantities | None = quantity(None, "", (4, 4))

    def __post_init__(self):
        convert_fields_to_si(self)


@dataclass(frozen=True, slots=True, eq=False)
class Rotor:
    """An auxiliary degree of freedom: inertia [kg m2] that turns without a body: a motor."""

    name: str
    inertia: Quantity = quantity(0, "kg m^2")

    def __post_init__(self):
        convert_fields_to_si(self)


@dataclass(frozen=True, slots=True, eq=False)
class Input:
    """A named input of the whole model, such as a control or a measured load."""

    name: str
    size: int = 1
    unit: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Model(NamedParts):
    """A mechanism as its designer describes it.

    Parameters
    ----------
    gravity : acceleration of free fall in the world [m/s2]; one number is downwards along z
    inputs : `Input`s, or their names
    parameters : names with nominal values, numbers in SI or texts such as "30 cm"; once one is
        declared, every name used must be, and so must they in a model with a `simulation`, since
        a run needs values
    initial : coordinates and speeds at the start, by name; `simulate` uses them unless told
        otherwise.  Numbers in SI, or texts such as "50 km/h"
    simulation : options of `simulate`, such as `{"t_end": 0.15}`, likewise
    outputs : names of signals that tables and reports of its runs show first
    design : what `ts.robots.design` reads, as plain data by section: devices that balance weight,
        motions, paths, a catalog of drives, controllers
    strict : whether inertias that no distribution of mass has (as some papers print them) are
        errors; otherwise they are warnings, as long as the equations stay well posed
    source : where each element stands in the file it was read from; readers fill it

    >>> from torseur.joints import Revolute
    >>> rod = Body("rod", mass=2.0, com=(0, 0, -0.5))
    >>> Model("pendulum", bodies=(rod,), joints=(Joint("pivot", "world", "rod", Revolute("y")),)
    ...       ).check().coordinates
    ('pivot.angle',)
    """

    name: str = "model"
    gravity: Quantities = quantity((0, 0, -9.81), "m/s^2", (3,))
    bodies: Sequence[Body] = ()
    joints: Sequence[Joint] = ()
    loops: Sequence[Loop] = ()
    frames: Sequence[Frame] = ()
    forces: Sequence[Any] = ()
    rotors: Sequence[Rotor] = ()
    parameters: Mapping[str, Any] | Iterable[Any] = field(default_factory=Parameters)
    inputs: Sequence[Input] = ()
    constraints: Sequence[Constraint] = ()
    initial: Mapping[str, Any] = field(default_factory=dict)
    simulation: Mapping[str, Any] = field(default_factory=dict)
    outputs: Sequence[str] = ()
    design: Mapping[str, Any] = field(default_factory=dict, repr=False)
    source: Mapping[str, str] = field(default_factory=dict, repr=False)
    strict: bool = field(default=True, metadata=IDLE)

    def __post_init__(self):
        for name in (
            "bodies",
            "joints",
            "loops",
            "frames",
            "forces",
            "rotors",
            "inputs",
            "constraints",
            "outputs",
        ):
            value = getattr(self, name)
            if isinstance(value, str) or not isinstance(value, Iterable):
                raise ModelError([f"{name}: expected a list or a tuple, got {shown(value)}"])
            object.__setattr__(self, name, tuple(value))
        for name in ("initial", "simulation", "design"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, Mapping):
                raise ModelError([f"{name}: expected names with values, got {shown(value)}"])
            object.__setattr__(self, name, dict(value or {}))
        inputs = (Input(x) if isinstance(x, str) else x for x in self.inputs)
        object.__setattr__(self, "inputs", tuple(inputs))
        parameter_texts = parameter_units.texts(self.parameters)
        object.__setattr__(
            self, "parameters", Parameters(convert_parameters_to_si(self.parameters))
        )
        convert_fields_to_si(self)
        object.__setattr__(self, "gravity", as_gravity_vector(self.gravity))
        convert_elements_to_si(self)
        if mismatches := [
            f"parameter {n!r}: {why}" for n, why in parameter_units.misfits(self, parameter_texts)
        ]:
            raise ModelError(mismatches)

    def with_rotors(self, named: Iterable[tuple[str, Quantity]]) -> Model:
        """This model with more rotors: pairs of a name and an inertia [kg m2]."""
        return replace(self, rotors=(*self.rotors, *(Rotor(n, J) for n, J in named)))

    def check(self, strict: bool | None = None) -> System:
        """The immutable `System` of this model, or `ModelError` with every problem at once.

        Names and numbers of `initial` and `simulation` are read too.
        `strict`: as in `Model`, for this check.
        """
        from ..system import check, start_problems

        if strict is not None and strict != self.strict:
            return replace(self, strict=strict).check()
        file = _common_file(self.source) or "the model"
        try:
            with report_reader_failures(file) if self.source else nullcontext():
                system = check(self)
                if problems := start_problems(system):
                    raise ModelError(problems)
        except ModelError as e:
            if not self.source:
                raise
            raise ModelError(add_locations(e.problems, self.source)) from e.__cause__
        return system

    def _repr_html_(self) -> str:
        return view("model_html")(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a .yaml, .json or .urdf file.  The write is atomic."""
        from . import save

        save(self, path)


_ELEMENT_NAME = re.compile(r"""[a-z]+ (?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
"""A kind of element and a name, as sentences begin."""


def add_locations(problems, source: Mapping[str, str]):
    """Messages that begin with the name of an element, followed by its place in the file.


    >>> list(add_locations(["body 'rod' has mass -1 kg"], {"body 'rod'": "arm.yaml, line 3"}))
    ["body 'rod' has mass -1 kg (arm.yaml, line 3)"]
    """
    file = _common_file(source)
    for text in problems:
        named = _ELEMENT_NAME.match(text)
        where = source.get(named[0]) if named else None
        if where is None and file and file not in text:
            where = file
        yield f"{text} ({where})" if where else text


def _common_file(source: Mapping[str, str]) -> str:
    """The file that contains all elements, or "" if there are several."""
    files = {at.partition(", line")[0] for at in source.values()}
    return files.pop() if len(files) == 1 else ""
