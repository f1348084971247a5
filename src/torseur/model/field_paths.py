"""Numbers of a description by path: read one, put another in its place, or make it a parameter.

A path is an element's name and where in it: `engine.mass`, `pin.at[2]`, `front.points[3].force`,
`front.gap`, `belt.ratios[crank.angle]`, `mount.laws[1].damping`; or `gravity[2]`.  Fields of a
force's law, of a joint's kind or drive are named as if they were the element's own, or where it has
one of that name by the part: `pin.damping`, `pin.drive.damping`.  `front.scale`
is a factor on every force and stiffness of a law.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from ..errors import ArgumentError, unknown_name
from .check_cache import Remembers

ELEMENTS = ("bodies", "joints", "loops", "frames", "forces", "rotors", "constraints")
PARTS = ("law", "kind", "drive")  # of an element, whose fields are named as if its own
COLUMNS = {"m": "deflection", "N": "force", "s": "time", "rad": "angle", "N m": "moment",
           "m/s": "speed", "m/s^2": "acceleration"}  # fmt: skip
SCALE = "scale"
STEP = re.compile(r"\.?([A-Za-z_]\w*)|\[(\d+)\]|\[['\"]?([^\[\]'\"]+)['\"]?\]")
GRAVITY = re.compile(r"gravity[.\[]")  # of the model itself, where no element has this name


def read(model, path: str) -> Any:
    """The number at a path, as the description has it: a number, a name, an expression.

    >>> import torseur as ts
    >>> model = ts.Model(bodies=(ts.Body("block", 2.0),), joints=(
    ...     ts.Joint("x", "world", "block", ts.Prismatic("x")),), forces=(
    ...     ts.JointForce("f", "x", ts.Crush(((0, 0), (0.1, 2e3)), 1e5)),))
    >>> read(model, "block.mass"), read(model, "f.points[1].force"), read(model, "f.unloading")
    (2.0, 2000.0, 100000.0)
    """
    _, element, steps = _found(model, path)
    if steps == [SCALE] and _part_with(element, SCALE) is None:
        _scaled(element, 1, path)
        return 1.0
    return _get(element, steps, path)


def unit(model, path: str, turning: bool | None = None) -> str:
    """Unit of the number at a path; "" where it is not known.

    Of a law that acts on a length or an angle it is known where `turning` says which.

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
        _, element, steps = _found(model, path)
    except ArgumentError:
        return ""
    from .formats.schema import specs

    place = _part_with(element, steps[0]) if steps != [SCALE] else None
    if place is None or (place is not element and turning is None):
        return ""
    kind: Any = type(place)
    told = specs(kind).get(str(steps[0]))
    either = ((told.unit or "") if told is not None else "").split("|")
    meant = either if place is element else [either[0 if turning else -1]]
    names = _columns(either[-1])  # as they are called, whatever the law acts on
    if len(names) > 1:
        if steps[-1] not in names:
            return ""
        meant = [x.split(",")[names.index(steps[-1])] for x in meant]
    return meant[0].strip() if len({x.strip() for x in meant}) == 1 else ""


def replaced(model, path: str, value) -> Any:
    """The same model with another number at a path.

    >>> import torseur as ts
    >>> heavy = replaced(ts.Model(bodies=(ts.Body("block", 2.0),)), "block.mass", 3.0)
    >>> heavy.bodies[0].mass
    3.0
    """
    section, element, steps = _found(model, path)
    if steps == [SCALE] and _part_with(element, SCALE) is None:
        new = _scaled(element, value, path)
    else:
        new = _put(element, steps, value, path)
    if element is model:
        return new
    kept = tuple(new if e is element else e for e in getattr(model, section))
    return replace(model, **{section: kept})


def parametrized(model, paths: Iterable[str]) -> tuple[Any, dict[str, str]]:
    """The model with a declared parameter at each path, and the parameter's name for each path.

    Its value is the number that stood there, so the model moves as before; a kernel is compiled
    once for all values.  A path that is a declared parameter already stays what it is; a
    factor on a law multiplies the parameters in it, whatever the order.

    >>> import torseur as ts
    >>> model, names = parametrized(ts.Model(bodies=(ts.Body("block", 2.0),)), ["block.mass"])
    >>> names, model.bodies[0].mass, dict(model.parameters)
    ({'block.mass': 'block_mass'}, 'block_mass', {'block_mass': 2.0})
    """
    names: dict[str, str] = {}
    values = dict(model.parameters)
    for path in sorted(paths, key=lambda path: path.endswith(f".{SCALE}")):
        if path in values:
            names[path] = path
            continue
        found = read(model, path)
        if twin := [other for other, own in names.items() if own == found]:
            raise ArgumentError(f"{twin[0]!r} and {path!r} are one number; name it once")
        name = re.sub(r"\W+", "_", path).strip("_")
        while name in values:
            name += "_"
        names[path], values[name] = name, found
        model = replaced(replace(model, parameters=values), path, name)
    return replace(model, parameters=values), names


def numbers(model, name: str | None = None) -> Iterator[str]:
    """Paths of every number of a description that can be read or replaced; or where a declared
    parameter stands alone.

    >>> import torseur as ts
    >>> list(numbers(ts.Model(bodies=(ts.Body("block", 2.0),))))[:3]
    ['block.mass', 'block.com[0]', 'block.com[1]']
    """
    for section in ELEMENTS:
        for element in getattr(model, section):
            seen: set[str] = set()
            for part in ("", *PARTS):
                place = getattr(element, part, None) if part else element
                if not is_dataclass(place):
                    continue
                for field, own in _named(place).items():
                    if field not in PARTS:
                        home = f"{element.name}.{part}" if field in seen else element.name
                        value, unit = getattr(place, own), _unit(place, field)
                        yield from _below(f"{home}.{field}", value, unit, name)
                seen.update(_named(place))


def _below(path, value, unit, wanted) -> Iterator[str]:
    if isinstance(value, bool | str) or value is None:
        if wanted is not None and value == wanted:
            yield path
    elif is_dataclass(value):
        for name, own in _named(value).items():
            yield from _below(f"{path}.{name}", getattr(value, own), _unit(value, name), wanted)
    elif isinstance(value, Mapping):
        for name, x in value.items():
            yield from _below(f"{path}[{name}]", x, "", wanted)
    elif isinstance(value, tuple | list):
        columns = _columns(unit)
        for i, x in enumerate(value):
            if isinstance(x, tuple | list) and len(columns) == len(x):
                for c, y in zip(columns, x, strict=True):
                    yield from _below(f"{path}[{i}].{c}", y, "", wanted)
            else:
                yield from _below(f"{path}[{i}]", x, "", wanted)
    elif wanted is None and not callable(value):
        yield path


def _columns(unit: str) -> list[str]:
    """What the numbers of a row are called, by their units; one without a word by its unit.

    >>> _columns("s, m/s"), _columns("m, N/rad")
    (['time', 'speed'], ['deflection', 'N_rad'])
    """
    own = [c.strip() for c in unit.split(",")] if unit else []
    return [COLUMNS.get(c) or re.sub(r"\W+", "_", c) for c in own]


def _named(place) -> dict[str, str]:
    """Attributes of a part by the names its constructor takes (`force_` is given as `force`)."""
    return {f.name.rstrip("_"): f.name for f in fields(place) if f.init}


def _remade(place, **changes):
    """As `dataclasses.replace`, also of classes whose constructor has other names than fields."""
    from .formats.schema import specs

    kind: Any = type(place)
    given = {n: changes.get(n, getattr(place, a)) for n, a in _named(place).items()}
    rows = [given.pop(n) for n, spec in specs(kind).items() if spec.several]
    return kind(*(x for row in rows for x in row), **given)


def _unit(place, name) -> str:
    return getattr(place, "units", {}).get(_named(place).get(name, name), "")


def _parts(element) -> Iterator[Any]:
    for part in PARTS:
        inner = getattr(element, part, None)
        if is_dataclass(inner) and not isinstance(inner, type):
            yield inner


def _found(model, path: str):
    """Section and element of a path, and the steps that remain."""
    own = [(s, e) for s in ELEMENTS for e in getattr(model, s)]
    near = [(s, e) for s, e in own if path.startswith(e.name + ".")]
    if not near and GRAVITY.match(path):
        return "", model, _steps(path, path)
    if not near:
        known = sorted({e.name for _, e in own} | set(model.parameters))
        raise ArgumentError(unknown_name("number", path, known, f"model {model.name!r}"))
    longest = max(len(e.name) for _, e in near)
    near = [(s, e) for s, e in near if len(e.name) == longest]
    steps = _steps(path, path[longest:])
    for section, element in near:
        if _part_with(element, steps[0]) is not None or steps == [SCALE]:
            return section, element, steps
    fields_of = [name for _, e in near for p in (e, *_parts(e)) for name in _named(p)]
    raise ArgumentError(
        unknown_name("field", str(steps[0]), fields_of, f"{path!r} of {near[0][1].name!r}")
    )


def _steps(path, rest) -> list[str | int]:
    steps: list[str | int] = []
    at = 0
    for m in STEP.finditer(rest):
        if m.start() != at:
            break
        steps.append(int(m[2]) if m[2] is not None else m[1] or m[3])
        at = m.end()
    if at != len(rest) or not steps:
        raise ArgumentError(
            f"{path!r} is no path of a number; write it as 'body.mass' or 'force.points[3].force'"
        )
    return steps


def _part_with(element, name):
    """The element itself or the part of it that has a field of this name."""
    for place in (element, *_parts(element)):
        if name in _named(place):
            return place
    return None


def _index(value, step, path, unit) -> int:
    """Place of a step in a row: a number, or the name of its column, or x, y, z."""
    if isinstance(step, int):
        if step >= len(value):
            raise ArgumentError(
                f"{path!r}: there are {len(value)} entries, counted from 0; [{step}] is past them"
            )
        return step
    columns = _columns(unit)
    names = columns if len(columns) == len(value) else list("xyz")[: len(value)]
    if step not in names:
        raise ArgumentError(unknown_name("entry", step, names, repr(path)))
    return names.index(step)


def _get(element, steps, path):
    place = _part_with(element, steps[0])
    value, unit = getattr(place, _named(place)[steps[0]]), _unit(place, steps[0])
    for step in steps[1:]:
        if is_dataclass(value):
            if step not in _named(value):
                raise ArgumentError(unknown_name("field", str(step), _named(value), repr(path)))
            value, unit = getattr(value, _named(value)[step]), _unit(value, step)
        elif isinstance(value, Mapping):
            if step not in value:
                raise ArgumentError(unknown_name("entry", str(step), list(value), repr(path)))
            value, unit = value[step], ""
        elif isinstance(value, tuple | list):
            value = value[_index(value, step, path, unit)]
        else:
            raise ArgumentError(f"{path!r}: {step!r} looks inside {value!r}, which is one number")
    if isinstance(value, tuple | list) or value is None or is_dataclass(value):
        what = "not set" if value is None else f"{value!r}"
        raise ArgumentError(f"{path!r} is {what}; name one number")
    return value


def _put(element, steps, value, path):
    _get(element, steps, path)
    place = _part_with(element, steps[0])

    def put(old, steps, unit=""):
        if not steps:
            return value
        step, rest = steps[0], steps[1:]
        if is_dataclass(old):
            inner = getattr(old, _named(old)[step])
            return _remade(old, **{step: put(inner, rest, _unit(old, step))})
        if isinstance(old, Mapping):
            return {**old, step: put(old[step], rest)}
        i = _index(old, step, path, unit)
        return (*old[:i], put(old[i], rest, unit), *old[i + 1 :])

    new = put(place, steps)
    if place is element:
        return new
    part = next(p for p in PARTS if getattr(element, p, None) is place)
    return _remade(element, **{part: new})


def _scaled(element, factor: Any, path):
    """The element with every force and stiffness of its law times a factor."""
    from .formats.schema import specs

    def times(x: Any, unit: str, words: tuple = ()) -> Any:
        if x is None or x in words:  # a word, such as beyond="extend"
            return x
        if isinstance(x, tuple | list):
            columns = unit.split(",")
            if len(columns) == len(x) and not any(isinstance(y, tuple | list) for y in x):
                return tuple(times(y, u) for y, u in zip(x, columns, strict=True))
            return tuple(times(y, unit) for y in x)
        if unit and "N" not in unit:
            return x
        if isinstance(x, str) or isinstance(factor, str):
            return f"({factor})*({x})"
        return x * factor

    def scaled(law: Any) -> Any:
        own = {n: getattr(law, a) for n, a in _named(law).items()} if is_dataclass(law) else {}
        inner = {n: x for n, x in own.items() if isinstance(x, tuple) and any(map(is_dataclass, x))}
        told = getattr(law, "scales", None)
        force = [n for n in own if "N" in _unit(law, n)] if told is None else told
        words = {n: specs(type(law))[n].words for n in force}  # type: ignore[arg-type]
        new = {n: times(own[n], _unit(law, n) * (told is None), words[n]) for n in force}
        if not inner and all(own[n] in (None, 0, *words[n]) for n in force):
            raise ArgumentError(
                f"{path!r}: {element.name!r} has no law whose forces could be scaled"
            )
        return _remade(law, **new, **{n: tuple(map(scaled, x)) for n, x in inner.items()})

    return _remade(element, law=scaled(getattr(element, "law", None)))


# --------------------------------------------------------------------------------------------
# Names of a model's parts, looked up by many elements and listed once.


class NamedParts(Remembers):
    """What elements ask a model about its parts."""

    __slots__ = ()
    bodies: Any
    joints: Any
    frames: Any
    rotors: Any

    @property
    def joint_kinds(self) -> Mapping[str, Any]:
        """Kinds of its joints by name, and beams, which have coordinates as joints do."""

        def make():
            beams = {b.name: b for b in self.bodies if hasattr(b, "coordinates")}
            return {j.name: j.kind for j in self.joints} | beams

        return self.table("joints", make)

    @property
    def turning(self) -> frozenset[str]:
        """Names of what a force may turn or push: joints, rotors, motors of drives."""

        def make():
            motors = (f"{j.name}.motor" for j in self.joints if j.drive is not None)
            return frozenset((*self.joint_kinds, *(r.name for r in self.rotors), *motors))

        return self.table("turning", make)

    @property
    def place_names(self) -> frozenset[str]:
        """Names of places: the world, bodies, frames."""

        def make():
            return frozenset(("world", *(x.name for x in (*self.bodies, *self.frames))))

        return self.table("places", make)
