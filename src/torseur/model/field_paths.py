"""Paths to single numbers of a description: read, replace, or declare as a parameter.

A path is the name of an element and a field: `engine.mass`, `pin.at[2]`, `front.points[3].force`,
`front.gap`, `belt.ratios[crank.angle]`, `mount.laws[1].damping`, or `gravity[2]`.

A field of a force's law, of a joint's kind or of its drive is written as a field of the element.
If the element has a field of the same name, the path names the part too: `pin.damping`,
`pin.drive.damping`.  `front.scale` is a factor on every force and stiffness of a law.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ..errors import ArgumentError, unknown_name_message
from .check_cache import CheckCache
from .field_specs import specs

ELEMENTS = ("bodies", "joints", "loops", "frames", "forces", "rotors", "constraints")
PARTS = ("law", "kind", "drive")  # of an element, whose fields are named as if its own
COLUMN_NAMES = {"m": "deflection", "N": "force", "s": "time", "rad": "angle", "N m": "moment",
           "m/s": "speed", "m/s^2": "acceleration"}  # fmt: skip
SCALE = "scale"
STEP_PATTERN = re.compile(r"\.?([A-Za-z_]\w*)|\[(\d+)\]|\[['\"]?([^\[\]'\"]+)['\"]?\]")
GRAVITY_PATTERN = re.compile(r"gravity[.\[]")  # of the model itself, where no element has this name


def read(model, path: str) -> Any:
    """The number at a path as written in the description: a number, a name or an expression.


    >>> import torseur as ts
    >>> model = ts.Model(bodies=(ts.Body("block", 2.0),), joints=(
    ...     ts.Joint("x", "world", "block", ts.Prismatic("x")),), forces=(
    ...     ts.JointForce("f", "x", ts.Crush(((0, 0), (0.1, 2e3)), 1e5)),))
    >>> read(model, "block.mass"), read(model, "f.points[1].force"), read(model, "f.unloading")
    (2.0, 2000.0, 100000.0)
    """
    _, element, steps = _resolve_path(model, path)
    if steps == [SCALE] and _owner_of_field(element, SCALE) is None:
        _scale_law(element, 1, path)
        return 1.0
    return _value_at(element, steps, path)


def unit(model, path: str, turning: bool | None = None) -> str:
    """Unit of the number at a path, or "" if it is unknown.

    The unit of a law's number depends on its deflection, an angle or a length.  `turning` states
    which.


    >>> import torseur as ts
    >>> model = ts.Model(bodies=(ts.Body("block", 2.0),), joints=(
    ...     ts.Joint("x", "world", "block", ts.Prismatic("x")),), forces=(
    ...     ts.JointForce("f", "x", ts.Crush(((0, 0), (0.1, 2e3)), 1e5)),))
    >>> unit(model, "block.mass"), unit(model, "f.points[1].force", turning=False)
    ('kg', 'N')
    >>> way = ts.Driven("way", "x.displacement", position=((0, 0), (1, 0.2)))
    >>> unit(ts.Model(constraints=(way,)), "way.position[1].time")
    's'
    """
    try:
        _, element, steps = _resolve_path(model, path)
    except ArgumentError:
        return ""
    owner = _owner_of_field(element, steps[0]) if steps != [SCALE] else None
    if owner is None or (owner is not element and turning is None):
        return ""
    kind: Any = type(owner)
    spec = specs(kind).get(str(steps[0]))
    angle_and_length_units = ((spec.unit or "") if spec is not None else "").split("|")
    candidates = (
        angle_and_length_units
        if owner is element
        else [angle_and_length_units[0 if turning else -1]]
    )
    # as they are called, whatever the law acts on
    names = _column_names(angle_and_length_units[-1])
    if len(names) > 1:
        if steps[-1] not in names:
            return ""
        candidates = [x.split(",")[names.index(steps[-1])] for x in candidates]
    return candidates[0].strip() if len({x.strip() for x in candidates}) == 1 else ""


def replaced(model, path: str, value) -> Any:
    """A copy of the model with a new number at a path.


    >>> import torseur as ts
    >>> heavy = replaced(ts.Model(bodies=(ts.Body("block", 2.0),)), "block.mass", 3.0)
    >>> heavy.bodies[0].mass
    3.0
    """
    section, element, steps = _resolve_path(model, path)
    if steps == [SCALE] and _owner_of_field(element, SCALE) is None:
        new = _scale_law(element, value, path)
    else:
        new = _replace_at(element, steps, value, path)
    if element is model:
        return new
    elements = tuple(new if e is element else e for e in getattr(model, section))
    return replace(model, **{section: elements})


def parametrize_paths(model, paths: Iterable[str]) -> tuple[Any, dict[str, str]]:
    """Declare a parameter at each path; return the model and the parameter's name for each path.

    The nominal value of the parameter is the number of the description, so results are unchanged.
    One kernel serves all values.  A path may also name a declared parameter.  A factor on a law
    multiplies the parameters in it, in any order of the paths.


    >>> import torseur as ts
    >>> model, names = parametrize_paths(ts.Model(bodies=(ts.Body("block", 2.0),)), ["block.mass"])
    >>> names, model.bodies[0].mass, dict(model.parameters)
    ({'block.mass': 'block_mass'}, 'block_mass', {'block_mass': 2.0})
    """
    names: dict[str, str] = {}
    values = dict(model.parameters)
    for path in sorted(paths, key=lambda path: path.endswith(f".{SCALE}")):
        if path in values:
            names[path] = path
            continue
        number = read(model, path)
        if twin := [other for other, parameter in names.items() if parameter == number]:
            raise ArgumentError(f"{twin[0]!r} and {path!r} are one number; name it once")
        name = re.sub(r"\W+", "_", path).strip("_")
        while name in values:
            name += "_"
        names[path], values[name] = name, number
        model = replaced(replace(model, parameters=values), path, name)
    return replace(model, parameters=values), names


def numbers(model, name: str | None = None) -> Iterator[str]:
    """Paths of all numbers of a description, or of the fields that equal the parameter `name`.


    >>> import torseur as ts
    >>> list(numbers(ts.Model(bodies=(ts.Body("block", 2.0),))))[:3]
    ['block.mass', 'block.com[0]', 'block.com[1]']
    """
    for section in ELEMENTS:
        for element in getattr(model, section):
            earlier_fields: set[str] = set()
            for part in ("", *PARTS):
                owner = getattr(element, part, None) if part else element
                if not is_dataclass(owner):
                    continue
                for field, attribute in _attributes_by_name(owner).items():
                    if field not in PARTS:
                        prefix = (
                            f"{element.name}.{part}" if field in earlier_fields else element.name
                        )
                        value, unit = getattr(owner, attribute), _field_unit(owner, field)
                        yield from _iter_number_paths(f"{prefix}.{field}", value, unit, name)
                earlier_fields.update(_attributes_by_name(owner))


def _iter_number_paths(path, value, unit, parameter) -> Iterator[str]:
    """Paths of the numbers in a value, or of the fields that equal a parameter, depth first."""
    if isinstance(value, bool | str) or value is None:
        if parameter is not None and value == parameter:
            yield path
    elif is_dataclass(value):
        for name, attribute in _attributes_by_name(value).items():
            yield from _iter_number_paths(
                f"{path}.{name}", getattr(value, attribute), _field_unit(value, name), parameter
            )
    elif isinstance(value, Mapping):
        for name, x in value.items():
            yield from _iter_number_paths(f"{path}[{name}]", x, "", parameter)
    elif isinstance(value, tuple | list):
        columns = _column_names(unit)
        for i, x in enumerate(value):
            if isinstance(x, tuple | list) and len(columns) == len(x):
                for c, y in zip(columns, x, strict=True):
                    yield from _iter_number_paths(f"{path}[{i}].{c}", y, "", parameter)
            else:
                yield from _iter_number_paths(f"{path}[{i}]", x, "", parameter)
    elif parameter is None and not callable(value):
        yield path


def _column_names(unit: str) -> list[str]:
    """Names of the columns of a table from their units; an unknown unit is its own name.


    >>> _column_names("s, m/s"), _column_names("m, N/rad")
    (['time', 'speed'], ['deflection', 'N_rad'])
    """
    column_units = [c.strip() for c in unit.split(",")] if unit else []
    return [COLUMN_NAMES.get(c) or re.sub(r"\W+", "_", c) for c in column_units]


def _attributes_by_name(owner) -> dict[str, str]:
    """Attributes of a part by the name of the constructor's argument (`force_` by `force`)."""
    return {f.name.rstrip("_"): f.name for f in fields(owner) if f.init}


def _replace_fields(owner, **changes):
    """`dataclasses.replace` for classes whose constructor arguments differ from their fields."""
    kind: Any = type(owner)
    arguments = {
        n: changes.get(n, getattr(owner, a)) for n, a in _attributes_by_name(owner).items()
    }
    rows = [arguments.pop(n) for n, spec in specs(kind).items() if spec.is_variadic]
    return kind(*(x for row in rows for x in row), **arguments)


def _field_unit(owner, name) -> str:
    return getattr(owner, "units", {}).get(_attributes_by_name(owner).get(name, name), "")


def _iter_parts(element) -> Iterator[Any]:
    for part in PARTS:
        inner = getattr(element, part, None)
        if is_dataclass(inner) and not isinstance(inner, type):
            yield inner


def _resolve_path(model, path: str):
    """Section and element that a path names, and the remaining steps."""
    elements = [(s, e) for s in ELEMENTS for e in getattr(model, s)]
    matches = [(s, e) for s, e in elements if path.startswith(e.name + ".")]
    if not matches and GRAVITY_PATTERN.match(path):
        return "", model, _split_path(path, path)
    if not matches:
        names = sorted({e.name for _, e in elements} | set(model.parameters))
        raise ArgumentError(unknown_name_message("number", path, names, f"model {model.name!r}"))
    longest = max(len(e.name) for _, e in matches)
    matches = [(s, e) for s, e in matches if len(e.name) == longest]
    steps = _split_path(path, path[longest:])
    for section, element in matches:
        if _owner_of_field(element, steps[0]) is not None or steps == [SCALE]:
            return section, element, steps
    field_names = [
        name for _, e in matches for p in (e, *_iter_parts(e)) for name in _attributes_by_name(p)
    ]
    raise ArgumentError(
        unknown_name_message(
            "field", str(steps[0]), field_names, f"{path!r} of {matches[0][1].name!r}"
        )
    )


def _split_path(path, rest) -> list[str | int]:
    """Steps of a path after the element's name: field names and indices."""
    steps: list[str | int] = []
    at = 0
    for m in STEP_PATTERN.finditer(rest):
        if m.start() != at:
            break
        steps.append(int(m[2]) if m[2] is not None else m[1] or m[3])
        at = m.end()
    if at != len(rest) or not steps:
        raise ArgumentError(
            f"{path!r} is no path of a number; write it as 'body.mass' or 'force.points[3].force'"
        )
    return steps


def _owner_of_field(element, name):
    """The element or the part of it that has a field of this name, or None."""
    for owner in (element, *_iter_parts(element)):
        if name in _attributes_by_name(owner):
            return owner
    return None


def _entry_index(value, step, path, unit) -> int:
    """Index of a row's entry from a step: an integer, the name of a column, or x, y, z."""
    if isinstance(step, int):
        if step >= len(value):
            raise ArgumentError(
                f"{path!r}: there are {len(value)} entries, counted from 0; [{step}] is past them"
            )
        return step
    columns = _column_names(unit)
    names = columns if len(columns) == len(value) else list("xyz")[: len(value)]
    if step not in names:
        raise ArgumentError(unknown_name_message("entry", step, names, repr(path)))
    return names.index(step)


def _value_at(element, steps, path):
    """The number at the end of the steps; `ArgumentError` if they end elsewhere."""
    owner = _owner_of_field(element, steps[0])
    value, unit = getattr(owner, _attributes_by_name(owner)[steps[0]]), _field_unit(owner, steps[0])
    for step in steps[1:]:
        if is_dataclass(value):
            if step not in _attributes_by_name(value):
                raise ArgumentError(
                    unknown_name_message("field", str(step), _attributes_by_name(value), repr(path))
                )
            value, unit = getattr(value, _attributes_by_name(value)[step]), _field_unit(value, step)
        elif isinstance(value, Mapping):
            if step not in value:
                raise ArgumentError(
                    unknown_name_message("entry", str(step), list(value), repr(path))
                )
            value, unit = value[step], ""
        elif isinstance(value, tuple | list):
            value = value[_entry_index(value, step, path, unit)]
        else:
            raise ArgumentError(f"{path!r}: {step!r} looks inside {value!r}, which is one number")
    if isinstance(value, tuple | list) or value is None or is_dataclass(value):
        description = "not set" if value is None else f"{value!r}"
        raise ArgumentError(f"{path!r} is {description}; name one number")
    return value


def _replace_at(element, steps, value, path):
    """A copy of the element with a new number at the end of the steps."""
    _value_at(element, steps, path)
    owner = _owner_of_field(element, steps[0])

    def replace_entry(old, steps, unit=""):
        if not steps:
            return value
        step, rest = steps[0], steps[1:]
        if is_dataclass(old):
            inner = getattr(old, _attributes_by_name(old)[step])
            return _replace_fields(
                old, **{step: replace_entry(inner, rest, _field_unit(old, step))}
            )
        if isinstance(old, Mapping):
            return {**old, step: replace_entry(old[step], rest)}
        i = _entry_index(old, step, path, unit)
        return (*old[:i], replace_entry(old[i], rest, unit), *old[i + 1 :])

    new = replace_entry(owner, steps)
    if owner is element:
        return new
    part = next(p for p in PARTS if getattr(element, p, None) is owner)
    return _replace_fields(element, **{part: new})


def _scale_law(element, factor: Any, path):
    """A copy of the element with every force and stiffness of its law multiplied by a factor."""

    def scale_value(x: Any, unit: str, keywords: tuple = ()) -> Any:
        """A number or table multiplied by the factor, if its unit contains a force."""
        if x is None or x in keywords:  # a word, such as beyond="extend"
            return x
        if isinstance(x, tuple | list):
            columns = unit.split(",")
            if len(columns) == len(x) and not any(isinstance(y, tuple | list) for y in x):
                return tuple(scale_value(y, u) for y, u in zip(x, columns, strict=True))
            return tuple(scale_value(y, unit) for y in x)
        if unit and "N" not in unit:
            return x
        if isinstance(x, str) or isinstance(factor, str):
            return f"({factor})*({x})"
        return x * factor

    def scale_forces(law: Any) -> Any:
        """A copy of a law, and of the laws in it, with scaled forces."""
        values = (
            {n: getattr(law, a) for n, a in _attributes_by_name(law).items()}
            if is_dataclass(law)
            else {}
        )
        inner = {
            n: x for n, x in values.items() if isinstance(x, tuple) and any(map(is_dataclass, x))
        }
        scaled_fields = getattr(law, "scales", None)
        force_fields = (
            [n for n in values if "N" in _field_unit(law, n)]
            if scaled_fields is None
            else scaled_fields
        )
        keywords = {n: specs(type(law))[n].keywords for n in force_fields}  # type: ignore[arg-type]
        new = {
            n: scale_value(values[n], _field_unit(law, n) * (scaled_fields is None), keywords[n])
            for n in force_fields
        }
        if not inner and all(values[n] in (None, 0, *keywords[n]) for n in force_fields):
            raise ArgumentError(
                f"{path!r}: {element.name!r} has no law whose forces could be scaled"
            )
        return _replace_fields(
            law, **new, **{n: tuple(map(scale_forces, x)) for n, x in inner.items()}
        )

    return _replace_fields(element, law=scale_forces(getattr(element, "law", None)))


# --------------------------------------------------------------------------------------------
# Names of a model's parts, looked up by many elements and listed once.


class NamedParts(CheckCache):
    """Names of a model's parts, which elements look up during checks."""

    __slots__ = ()
    bodies: Any
    joints: Any
    frames: Any
    rotors: Any

    @property
    def joint_kinds(self) -> Mapping[str, Any]:
        """Joint types by joint name, and beams, which have coordinates as well."""

        def collect_kinds():
            beams = {b.name: b for b in self.bodies if hasattr(b, "coordinates")}
            return {j.name: j.kind for j in self.joints} | beams

        return self.table("joints", collect_kinds)

    @property
    def turning(self) -> frozenset[str]:
        """Names of the elements that a generalized force can act on: joints, rotors, motors of
        drives.
        """

        def collect_names():
            motors = (f"{j.name}.motor" for j in self.joints if j.drive is not None)
            return frozenset((*self.joint_kinds, *(r.name for r in self.rotors), *motors))

        return self.table("turning", collect_names)

    @property
    def place_names(self) -> frozenset[str]:
        """Names of the world, bodies and frames."""

        def collect_names():
            return frozenset(("world", *(x.name for x in (*self.bodies, *self.frames))))

        return self.table("places", collect_names)
