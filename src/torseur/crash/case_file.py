"""A whole crash in a file: who drives against what, who sits in it, what is measured beside it.

crash: a driver against an oblique wall
car: k3.yaml                              # beside this file, or a car of the package: k3
speed: 48 km/h
wall: {type: wall, angle: 30 deg, friction: 0.3}   # or pole, deformable_face, moving_barrier
dimensions: 2
occupants: [{type: three_body, in: body, at: [-2 m, 0.4 m, 0.3 m], lap: {slack: 0 mm}}]
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ModelError, TorseurError, report_reader_failures, unknown_name_message
from ..files import place
from ..model import Model
from ..model.formats import FileNode, Reader, parse, read_text
from .belts import Belt
from .bundled_vehicles import car, cars
from .criteria.cfc import cfc
from .occupants import Dummy, OneMass, ThreeBody, seated
from .scene.assembly import against, collide
from .scene.members import AXES, FACES
from .scene.obstacles import DeformableFace, MovingBarrier, Pole, Wall
from .scene.scenarios import scenario
from .scene.vehicle import Vehicle
from .sled_model import sled
from .test_data.reader import read_test
from .vehicle_file import load_vehicle

TOP = ("crash", "description", "car", "other", "speed", "wall", "scenario", "overlap", "angle",
       "friction", "dimensions", "t_end", "occupants", "pulse", "test", "point", "struck", "crab",
       "measures", "parameters")  # fmt: skip
WALLS = {"wall": Wall, "pole": Pole, "deformable_face": DeformableFace,
         "moving_barrier": MovingBarrier}  # fmt: skip
OCCUPANTS = {"one_mass": OneMass, "three_body": ThreeBody, "dummy": Dummy}
PART_TYPES = {"wall": Wall, "face": DeformableFace, "belt": Belt, "lap": Belt, "shoulder": Belt}
"""Fields that hold a part of their own."""
PULSE = ("time", "acceleration", "test", "channels", "channel_class", "spacing")
SLED = ("crash", "description", "pulse", "speed", "t_end", "occupants", "test", "point",
        "measures")  # fmt: skip
"""Sections of a file with a pulse."""
PLACED = ("in", "at")  # where an occupant sits


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A crash described by a file: model, criteria, occupants, and the test for comparison."""

    scene: Model
    point: str
    occupants: tuple[tuple[str, str], ...] = ()  # name and carrier
    test: str | None = None
    axis: str = "x"  # where the struck face looks, in axes of the car
    measures: Mapping[str, str] = field(default_factory=dict)  # names with lines for `measured`


def is_case(path: str | PathLike[str]) -> bool:
    """Whether a file describes a crash case."""
    path = place(path)
    if path.suffix.lower() not in (".yaml", ".yml", ".json") or not path.is_file():
        return False
    tree, _ = parse(read_text(path), path.name, json_text=path.suffix.lower() == ".json")
    return isinstance(tree.value, dict) and bool({"crash", "car", "pulse"} & set(tree.value))


def load_case(path: str | PathLike[str], **changes: Any) -> Case:
    """A crash from a YAML or JSON file; `ModelError` with every problem, its line and its remedy.

    `changes` are options of `against` or of the scenario in place of the file's: `speed`,
    `dimensions`, `t_end`.
    """
    path = place(path)
    if not path.is_file():
        raise ModelError([f"{path}: no such file; check the path"])
    with report_reader_failures(path.name):
        reader = _CaseReader(path)
        case = reader.case(changes)
        if reader.problems or case is None:
            raise ModelError(reader.problems)
        return case


def sled_of(test: Any, channels: Any = (), channel_class: float = 180, **options: Any) -> Model:
    """The sled of a measured test: the mean of its cabin's channels, filtered, drives it.

    >>> import torseur as ts
    >>> cabin = ts.crash.sled_of(ts.crash.read_test("v10146.zip"))  # doctest: +SKIP
    """
    time, a = test.mean(*(channels or test.cabin()))
    return sled(time, cfc(time, a, channel_class), test.required_number("speed"), **options)


def occupied(model: Model, carrier: str, kind: str, name: str = "driver") -> Model:
    """The model with an occupant of a kind: "one_mass", "three_body" or "dummy"."""
    if kind not in OCCUPANTS:
        raise TorseurError(unknown_name_message("occupant", kind, OCCUPANTS, "occupied"))
    return seated(model, carrier, OCCUPANTS[kind](name=name))


def with_numbers(numbers: Mapping[str, Any], *vehicles: Vehicle | None) -> list[Any]:
    """Vehicles with changed parameters.  An unknown name raises an error."""
    parameters = {n for v in vehicles if v for n in v.parameters}
    if problems := [unknown_name_message("parameter", n, parameters, "parameters") for n in numbers
                 if n not in parameters]:  # fmt: skip
        raise ModelError(problems)
    return [
        v and replace(v, parameters={n: numbers.get(n, x) for n, x in v.parameters.items()})
        for v in vehicles
    ]


def axis_of(struck: str | None) -> str:
    """Axis of the outward normal of a face of a vehicle, by name.


    >>> axis_of("left"), axis_of(None)
    ('y', 'x')
    """
    normal = FACES.get(struck or "front", (1, 0))
    return next(n for n, axis in AXES.items() if axis[:2] == normal)


class _CaseReader(Reader):
    """The reader of model files, for the sections of a crash."""

    def case(self, changes) -> Case | None:
        text = read_text(self.path)
        tree, self.problems[:] = parse(
            text, self.path.name, json_text=self.path.suffix.lower() == ".json"
        )
        if not isinstance(tree.value, dict):
            return self.wrong(tree, "the file", "a mapping with keys such as 'car' and 'speed'")
        top = tree.value
        for key, node in top.items():
            if key not in TOP:
                self.complain(
                    node, key[:60], unknown_name_message("section", key, TOP, "a crash file")
                )
        numbers = self._scene_numbers(top) | changes
        riders: list[Any] = [
            self._rider(n, where)
            for n, where in self._include_nodes(top.get("occupants"), "occupants")
        ]
        test = self._file(top["test"], "test", None) if "test" in top else None
        measures = self._measures(top.get("measures"))
        self.numbers_of_names = self.parameters(top.get("parameters")) | changes.pop("set", {})
        if self.problems:
            return None
        try:
            scene, judged = self._scene(top, numbers)
            if scene is None:
                return None
            if "point" in top:
                judged = self.text(top["point"], "point") or judged
            who = []
            for rider, carrier, at in riders:
                body = carrier or judged
                scene = seated(scene, body, rider, at)
                who.append((rider.name, body))
        except ModelError as e:
            self.problems += [f"{self.path.name}: {p}" for p in e.problems]
            return None
        except TorseurError as e:
            self.problems.append(f"{self.path.name}: {e}")
            return None
        if not scene.source:  # what is wrong with the whole has the file for its place
            scene = replace(scene, source={"scene": self.path.name})
        axis = axis_of(numbers.get("struck")) if "other" not in top else "x"
        where = None if test is None else str(test)
        return Case(scene, judged, tuple(who), where, axis, measures)

    def _measures(self, node) -> dict[str, str]:
        """Lines for `measured`, by name or one after the other."""
        if node is None:
            return {}
        nodes = node.value
        if isinstance(nodes, list):
            texts = (n.value if isinstance(n.value, str) else n.text for n in nodes)
            nodes = {x or str(i): n for i, (x, n) in enumerate(zip(texts, nodes, strict=True))}
        if not isinstance(nodes, dict):
            return self.wrong(node, "measures", "lines such as 'olc:93+94'") or {}
        return {k: self.text(n, f"measures.{k}") or "" for k, n in nodes.items()}

    def _scene_numbers(self, top) -> dict[str, Any]:
        """Options of the scene that are numbers."""
        out: dict[str, Any] = {}
        for key, unit in (("overlap", ""), ("angle", "rad"), ("friction", ""), ("t_end", "s")):
            if key in top:
                out[key] = self.numbers(top[key], key, ((unit,),))
        for key in ("struck",):
            if key in top:
                out[key] = self.text(top[key], key)
        if "crab" in top:
            out["crab"] = self.numbers(top["crab"], "crab", (("rad",),))
        if "speed" in top:
            out["speed"] = self.numbers(top["speed"], "speed", (("m/s",),))
        if "dimensions" in top:
            out["dimensions"] = top["dimensions"].plain()
        return out

    def _scene(self, top, numbers) -> tuple[Model | None, str]:
        if "pulse" in top:
            return self._sled(top, numbers), "cabin"
        if "car" not in top:
            self.problems.append(f"{self.path.name}: needs 'car', a vehicle, or 'pulse' of a sled")
            return None, ""
        one: Any = self._car(top["car"], "car")
        other = self._car(top["other"], "other") if "other" in top else None
        one, other = with_numbers(self.numbers_of_names, one, other)
        wall = self._part(top["wall"], "wall", WALLS) if "wall" in top else None
        if self.problems:
            return None, ""
        keys = [k for k in ("wall", "scenario") if k in top]
        if len(keys) > 1 or ("wall" in top and other is not None):
            self.problems.append(f"{self.path.name}: give one of 'wall', 'scenario' and 'other'")
            return None, ""
        if "scenario" in top:
            make = scenario.element(self.text(top["scenario"], "scenario") or "", "scenario")
            numbers = dict(numbers)
            if "speeds" in (takes := inspect.signature(make).parameters) and "speed" in numbers:
                v = numbers.pop("speed")
                numbers["speeds"] = v if isinstance(v, tuple) else (v, v)
            if other is not None:
                numbers["other"] = other
            if unknown := [k for k in numbers if k not in takes]:
                raise TorseurError(
                    f"the scenario {make.__name__!r} has its own {' and '.join(unknown)}"
                )
            scene = make(one, **numbers)
        elif other is not None:
            v = numbers.pop("speed", None)
            numbers["speeds"] = v if isinstance(v, tuple) else (v, v)
            if "crab" in numbers:
                raise TorseurError("'crab' is that of a car against a wall; two cars have 'angle'")
            scene = collide(one, other, **numbers)
        else:
            if unknown := [k for k in ("overlap", "angle", "friction") if k in numbers]:
                raise TorseurError(f"{unknown[0]!r} is that of two cars; a wall says its own")
            scene = against(one, wall, **numbers)
        names = {b.name for b in scene.bodies}
        return scene, one.main if one.main in names else f"a_{one.main}"

    def _car(self, node, where):
        if isinstance(node.value, str) and node.value in cars():
            return car(node.value)
        full = self._file(node, where, (".yaml", ".yml", ".json"))
        return None if full is None else load_vehicle(full)

    def _file(self, node, where, endings) -> Path | None:
        every = (".yaml", ".yml", ".json", ".zip", ".ev5", ".mme")
        return self.inside(node, where, endings or every)

    def _part(self, node, where, types, drop=(), default=None):
        """A wall, a face or an occupant: fields by name, with nested parts.

        Omitted fields come from the default part, if there is one.
        """
        if not isinstance(node.value, dict):
            return self.wrong(node, where, f"a mapping with a 'type': {', '.join(types)}")
        cls = self.chosen(node, where, types) if len(types) > 1 else next(iter(types.values()))
        if cls is None:
            return None
        fields, fields_of_class = {}, {f.name: f for f in dataclasses.fields(cls)}
        extra = (
            {n: getattr(default, n) for n in fields_of_class if n not in node.value}
            if default
            else {}
        )
        for key, n in node.value.items():
            if key in drop:
                continue
            if key in PART_TYPES and key in fields_of_class and isinstance(n.value, dict):
                extra[key] = self._part(n, f"{where}.{key}", {key: PART_TYPES[key]}, (),
                                        _default_part(fields_of_class[key]))  # fmt: skip
            # none, or wrong
            elif (
                key in PART_TYPES
                and key in fields_of_class
                and n.value is not _default_part(fields_of_class[key])
            ):
                extra[key] = self.wrong(n, f"{where}.{key}", "a mapping of its fields")
            else:
                fields[key] = n
        if any(extra[key] is None for key in extra if key in PART_TYPES and key in node.value):
            return None
        return self.build(FileNode(fields, node.line), where, cls, extra=extra)

    def _rider(self, node, where):
        rider = self._part(node, where, OCCUPANTS, PLACED)
        if rider is None:
            return None
        node_value = node.value
        carrier = self.text(node_value["in"], f"{where}.in") if "in" in node_value else None
        at = (
            self.numbers(node_value["at"], f"{where}.at", (("m",) * 3,))
            if "at" in node_value
            else (0, 0, 0)
        )
        return rider, carrier, at

    def _sled(self, top, numbers) -> Model | None:
        """A sled model from a measured or given pulse."""
        node = top["pulse"]
        if not isinstance(node.value, dict):
            return self.wrong(node, "pulse", "'test', or 'time' and 'acceleration'")
        p = node.value
        for key, n in p.items():
            if key not in PULSE:
                self.complain(n, f"pulse.{key}", unknown_name_message("field", key, PULSE, "pulse"))
        measured = ("channels", "channel_class")
        idle = [k for k in ("time", "acceleration") if k in p] if "test" in p else [
            k for k in measured if k in p]  # fmt: skip
        for key in idle:
            self.complain(p[key], f"pulse.{key}", "a pulse is that of a 'test', with its channels, "
                          "or given by 'time' and 'acceleration'")  # fmt: skip
        for key in [k for k in top if k in TOP and k not in SLED]:
            self.complain(top[key], key, "says nothing on a sled, which its pulse alone drives")
        if unknown := [k for k in numbers if k not in SLED and k not in top]:
            raise TorseurError(
                f"{unknown[0]!r} says nothing on a sled, which its pulse alone drives"
            )
        options: dict[str, Any] = {k: numbers[k] for k in ("t_end",) if k in numbers}
        for key, unit in (("spacing", "s"), ("channel_class", "")):
            if key in p:
                options[key] = self.numbers(p[key], f"pulse.{key}", ((unit,),))
        if self.problems:
            return None
        if "test" in p:
            full = self._file(p["test"], "pulse.test", None)
            if full is None:
                return None
            channels = p["channels"].plain() if "channels" in p else ()
            return sled_of(read_test(full), channels, **options)
        rows = [self.column(p[k], f"pulse.{k}", u) if k in p else None
                for k, u in (("time", "s"), ("acceleration", "m/s^2"))]  # fmt: skip
        if self.problems:
            return None
        if None in rows or "speed" not in numbers:
            raise TorseurError("a pulse needs 'time', 'acceleration' and the 'speed' before it")
        return sled(np.asarray(rows[0]), np.asarray(rows[1]), numbers["speed"], **options)


def _default_part(field):
    """The part that a field holds where nothing is said."""
    factory = field.default_factory
    return field.default if factory is dataclasses.MISSING else factory()
