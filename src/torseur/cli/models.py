"""Commands about model files: check, new, schema, convert."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
from importlib import resources
from pathlib import Path

from ..errors import ModelError, ModelWarning, TorseurError, unknown_name
from ..files import write
from ..model.formats import units
from ..model.formats.files import dh_table, load
from .main import VEHICLES, Answer


def read(args, path=None):
    """The model of a command line, with `--set` and `--repair` applied."""
    path = Path(path or args.file)
    options = (
        {"repair": True}
        if getattr(args, "repair", False) and path.suffix.lower() in (".urdf", ".xml")
        else {}
    )
    model = load(path, **options)
    given = pairs(getattr(args, "set", []), lambda name: None)
    for name in given:
        if name not in model.parameters:
            raise TorseurError(unknown_name("parameter", name, model.parameters, "--set"))
    return replace(model, parameters=dict(model.parameters) | given) if given else model


def pairs(texts, unit_of) -> dict:
    """`NAME=VALUE` texts as numbers in SI; `unit_of(name)` is the unit wanted, or None.

    >>> pairs(["elbow.angle=90deg", "L=0.5"], lambda name: None)
    {'elbow.angle': 1.5707963267948966, 'L': 0.5}
    """
    from ..numbers import values

    out = {}
    for text in texts:
        name, equals, value = text.partition("=")
        try:
            if not equals:
                raise ValueError("expected NAME=VALUE, such as elbow.angle=30deg")
            x = values.exact(units.quantity(value, unit_of(name)))
            out[name] = float(values.nominal(x, {}))
        except (ValueError, KeyError, ArithmeticError) as e:
            raise TorseurError(f"{text}: {e}") from None
    return out


def check(args) -> Answer:
    """Read models and list every problem of every one."""
    texts, found, code = [], [], 0
    for path in args.file:
        try:
            system = read(args, path).check()
        except ModelError as e:
            code = 1
            found.append({"file": path, "ok": False, "problems": list(e.problems)})
            head = f"{path}: {len(e.problems)} problem{'s' * (len(e.problems) > 1)}"
            texts.append("\n  - ".join([head, *e.problems]))
            continue
        closed, facts = mobility(path, system)
        found.append({"file": path, "ok": True, **summary(system), **facts})
        table = dh_table(path)
        shown = "" if table is None else "\n  " + str(table).replace("\n", "\n  ")
        texts.append(f"{path}: sound\n{describe(system)}{closed}{shown}")
    return Answer("\n\n".join(texts), {"files": found}, code)


def mobility(path, system) -> tuple[str, dict]:
    """What loops and constraints leave free, at the state the file starts from."""
    if not system.closures and not system.model.constraints:
        return "", {}
    from ..solve import start_of
    from ..solve.constrained import mobility_report

    initial, options = start_of(system, path)
    try:
        found = mobility_report(system.model, near=initial, keep=options.get("keep"))
    except TorseurError as e:
        text = str(e).splitlines()[0]
        return f"\n  not assembled: {text}", {"assembled": False, "why": str(e)}
    return "\n  " + str(found).replace("\n", "\n  "), {
        "assembled": True,
        "mobility": found.mobility,
        "independent": list(found.independent),
        "undetermined": list(found.undetermined),
    }


def summary(system) -> dict:
    """Facts of a system, for machines."""
    return {
        "name": system.name,
        "bodies": list(system.bodies),
        "nq": system.nq,
        "nv": system.nv,
        "coordinates": list(system.coordinates),
        "speeds": list(system.speeds),
        "parameters": dict(system.parameters),
        "loops": [c.name for c in system.closures],
        "forces": [f.name for f in system.forces],
        "constraints": [c.name for c in system.model.constraints],
        "digest": system.digest,
    }


def describe(system) -> str:
    """Facts of a system, for people."""
    model = system.model
    mass = _total(system)
    many = _count(len(system.bodies), "body", "bodies")
    rows = [
        f"  {system.name}: {many}{mass}, {_count(len(system.links), 'moving joint')}, "
        f"{_count(system.nv, 'speed')}"
    ]
    for k in system.links:
        parent = "world" if not k.parent else system.links[k.parent - 1].body
        names = ", ".join(f"{k.name}.{n} [{u}]" for n, u in k.joint.coordinates)
        kind = type(k.joint).__name__.lower()
        rows.append(f"    {k.name}: {kind}, {parent} to {k.body}: {names}")
    for what in ("loops", "constraints", "forces", "inputs"):
        if found := getattr(model, what):
            rows.append(f"  {what}: {', '.join(x.name for x in found)}")
    if system.parameters:
        rows.append(
            "  parameters: "
            + ", ".join(n if x is None else f"{n} = {x:.6g}" for n, x in system.parameters.items())
        )
    return "\n".join(rows)


def _count(n: int, one: str, several: str | None = None) -> str:
    return f"{n} {one if n == 1 else several or one + 's'}"


def _total(system) -> str:
    from ..numbers import values

    try:
        masses = [
            values.nominal(values.exact(b.mass), system.parameters) for b in system.model.bodies
        ]
    except (TypeError, KeyError, ValueError, TorseurError):
        return ""
    return f" of {sum(masses):.6g} kg"


def new(args) -> Answer:
    """Write a template, or a vehicle for `torseur crash`."""
    target = Path(args.file or f"{args.kind}.yaml")
    vehicle = args.kind in VEHICLES
    room = "torseur.crash.cars" if vehicle else "torseur.model.templates"
    text = resources.files(room).joinpath(f"{args.kind}.yaml").read_text()
    _free(target, args.force)
    write(target, text)
    then = f'torseur crash {target} --speed "50 km/h"' if vehicle else f"torseur check {target}"
    return Answer(f"wrote {target}; next: {then}", {"file": str(target)})


def schema(args) -> Answer:
    """The JSON Schema of model files."""
    from ..model.formats.schema import json_schema

    made = json_schema()
    text = json.dumps(made, indent=2, ensure_ascii=False)
    if args.out:
        write(args.out, text + "\n")
        return Answer(f"wrote {args.out}", {"file": args.out})
    return Answer(text, made)


def convert(args) -> Answer:
    """Read one format, write another; the model must be sound."""
    source, target = Path(args.source), Path(args.target)
    _free(target, args.force)
    options = {}
    if source.suffix.lower() in (".urdf", ".xml"):
        from ..model.formats.urdf import is_urdf

        if source.suffix.lower() == ".urdf" or (source.is_file() and is_urdf(source)):
            options = {
                "right_angles": args.right_angles,
                "base": "free" if args.free else "weld",
                "search": args.search,
            }
        options["repair"] = args.repair
    model = load(source, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        system = model.check()
    model.save(target)
    return Answer(
        f"wrote {target}: {len(system.bodies)} bodies, {system.nv} degrees of freedom",
        {"file": str(target), **summary(system)},
    )


def _free(target: Path, force: bool) -> None:
    if target.exists() and not force:
        raise TorseurError(f"{target} exists; choose another name, or --force to replace it")
