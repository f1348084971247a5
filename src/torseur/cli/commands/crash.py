"""`torseur crash`: impact of a vehicle on a wall or another vehicle, with metrics and report."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import TorseurError, unknown_name_message
from ...model.formats import load
from ...scalars.values import value
from .._crash_channels import evaluate_measure, evaluate_test, is_test, metric_data, record_test
from ..base import (
    CommandResult,
    command,
    exit_code,
    out_argument,
    parse_assignments,
    values_argument,
)

WALL_TYPES = {
    "rigid": "a rigid wall over the full width",
    "offset": "a rigid wall with an overlap: offset:40%",
    "oblique": "a rigid wall at an angle: oblique:30deg",
    "pole": "a pole at a place across the car: pole:0.2m",
    "face": "a deformable face with an overlap: face:40%",
    "barrier": "a moving deformable barrier at a speed: barrier:50km/h",
}


def parse_wall(text: str, friction: float | None = None, is_side_impact: bool = False):
    """Parse the short form of a wall, such as "offset:40%".

    `is_side_impact`: the side of the vehicle is struck, and the position of a pole is along it.

    >>> parse_wall("offset:40%").overlap, parse_wall("pole:0.2m").y
    (0.4, 0.2)
    """
    from ...crash import DeformableFace, MovingBarrier, Pole, Wall

    kind, _, what = text.partition(":")
    if kind not in WALL_TYPES:
        raise TorseurError(unknown_name_message("wall", kind, WALL_TYPES, "--wall"))
    if kind == "rigid" and what:
        raise TorseurError(f"--wall {text}: 'rigid' takes nothing; did you mean offset:{what}?")
    options: dict[str, Any] = {} if friction is None else {"friction": friction}
    if kind in ("offset", "face"):
        wall = Wall(overlap=what or "40%", **options)
        return wall if kind == "offset" else DeformableFace(wall=wall)
    if kind == "oblique":
        return Wall(angle=what or "30 deg", **options)
    if kind == "pole":
        position = {"x" if is_side_impact else "y": what} if what else {}
        return Pole(**position, **options)
    if kind == "barrier":
        face: Any = (
            DeformableFace(width=1.5, wall=Wall()) if is_side_impact else MovingBarrier().face
        )
        face = replace(face, wall=replace(face.wall, **options))
        return MovingBarrier(speed=what or "50 km/h", face=face)
    return Wall(**options)


def _options(p):
    p.add_argument(
        "file",
        help="a vehicle (a file with members), a crash (a file with 'car'), a model with its own "
        "start, or a measured test, whose pulse drives a sled",
    )
    p.add_argument(
        "--speed", nargs="+", metavar="SPEED", help="before the impact; two with --other"
    )
    p.add_argument(
        "--wall",
        metavar="KIND:VALUE",
        help="rigid (default), offset:40%%, oblique:30deg, pole:0.2m, face:40%%, barrier:50km/h",
    )
    p.add_argument("--scenario", metavar="NAME", help="a test of the regulations: us_ncap, un_r94")
    p.add_argument("--other", metavar="FILE", help="another vehicle, head-on")
    p.add_argument("--overlap", metavar="PART", help="of two vehicles (100%%)")
    p.add_argument("--angle", metavar="ANGLE", help="between two vehicles (0)")
    p.add_argument(
        "--struck",
        metavar="FACE",
        help="with --other which face of it: front, side, rear (by the angle unless said); else "
        "which of the car goes ahead: front, left, right, rear",
    )
    p.add_argument("--crab", metavar="ANGLE", help="of its way from where that face looks (0)")
    values_argument(p, "--set", "values of the vehicle's parameters, with units if you like")
    p.add_argument("--friction", type=float, help="Coulomb's coefficient along the wall (0)")
    p.add_argument("--dimensions", type=int, choices=(1, 2, 3), help="1, 2 (the plane) or 3")
    p.add_argument("--t-end", metavar="TIME", help="end of the run (150 ms)")
    p.add_argument("--point", metavar="NAME", help="the body or point to judge (the main body)")
    p.add_argument("--test", metavar="FILE", help="a measured test to compare with")
    p.add_argument(
        "--measure",
        action="append",
        metavar="METRIC:CHANNELS",
        help="a metric of channels of the test or signals of the run, again and again: olc:93+94, "
        "peak:engine.body_acceleration.x:cfc=60, hic:driver_head_cg.acceleration:window=36ms",
    )
    p.add_argument(
        "--channels", action="store_true", help="list the channels of a measured test, and stop"
    )
    p.add_argument(
        "--mme",
        metavar="PATH",
        help="write ISO-MME, a new folder or a zip: the channels of the run, or of a measured test",
    )
    p.add_argument(
        "--front",
        metavar="FILE",
        help="of a measured test: write a vehicle of one mass whose front is the test's own "
        "force-crush curve, and run it at the test's speed",
    )
    p.add_argument(
        "--occupant", choices=("one_mass", "three_body", "dummy"), help="who sits in the cabin"
    )
    out_argument(
        p,
        "write model, run and report there",
        "FOLDER",
        ("run.nc", "run.csv", "model.yaml", "report.html"),
    )


@command(
    "crash",
    "drive a vehicle against a wall or another one: metrics and a page",
    [
        'crash car.yaml --speed "48.3 km/h" -o out/',
        'crash car.yaml --speed "56 km/h" --wall offset:40% --test v10146.zip -o out/',
        "crash car.yaml --scenario un_r94",
        'crash car.yaml --other truck.yaml --speed "50 km/h" "30 km/h" --overlap 50%',
        'crash car.yaml --speed "32 km/h" --wall pole:-2m --struck left --crab 15deg',
        'crash car.yaml --other van.yaml --speed "50 km/h" "0 km/h" --angle 90deg --struck side',
        "crash v10146.zip --measure olc:93+94 --measure hic:1,2,3 --mme v10146_mme.zip",
        "crash v10146.zip --occupant dummy -o sled/",
        "crash v10146.zip --front camry.yaml -o out/",
        "crash oblique.yaml -o out/",
    ],
    _options,
)
def crash(args) -> CommandResult:
    """Simulate a crash, print its metrics and write its report."""
    from ... import crash as api
    from ...simulation import simulate

    if result := evaluate_test(args, api):
        return result
    case = _load_case(args, api)
    scene, point = case.scene, args.point or case.point
    test = api.read_test(args.test or case.test) if args.test or case.test else None
    run = simulate(scene, progress=False if args.json or args.quiet else None)
    metrics = api.metrics(run, point, axis=case.axis)
    lines = {**case.measures, **{x: x for x in args.measure or ()}}
    speed = api.initial_speed(run, point, case.axis)
    measures = {n: evaluate_measure(api, line, run, test, speed) for n, line in lines.items()}
    occupants = [n for n, _ in case.occupants]
    energies = {n: float(x[-1]) for n, x in api.member_energies(run, scene, occupants).items()}
    wall = api.wall_peak(run, scene)
    data = {
        "outcome": run.outcome,
        "completed": run.completed,
        "body": point,
        "metrics": {n: metric_data(x) for n, x in metrics.items()},
        "energies": energies,
        "wall_force": float(wall),
        "wall_force_at": wall.time,
        "measures": {n: metric_data(x) for n, x in measures.items()},
        "energy_closes_to": run.energy_audit.relative,
    }
    data["missing"] = metrics.missing
    data["speed"] = speed
    speed_line = f"{point} before the impact: {speed:.4g} m/s = {3.6 * speed:.4g} km/h"
    text = [run.outcome, speed_line, f"{point}:", api.table(metrics)]
    text += [api.table(measures)] if measures else []
    if wall:
        at = f"{1e3 * (wall.time or 0.0):.4g} ms"
        text.append(f"largest {wall.called.lower()} {1e-3 * wall:.5g} kN at {at}")
    text += [f"  {n}: {1e-3 * x:.4g} kJ" for n, x in energies.items() if x]
    data["torn"] = api.ruptured_members(run)
    text += [f"  {n} ruptured at {1e3 * t:.4g} ms" for n, t in data["torn"].items()]
    data["occupants"] = {}
    for name, carrier in case.occupants:
        injuries = api.occupant_metrics(run, name, carrier)
        data["occupants"][name] = {n: metric_data(x) for n, x in injuries.items()}
        text += [f"{name}:", api.table(injuries)]
    text.append(f"energy balance error {run.energy_audit.relative:.1g}")
    if test is not None:
        comparison, score = api.compare_with_test(run, point, test, case.axis)
        data["test"] = {n: metric_data(x) for n, x in comparison.items()}
        data["score"] = float(score) if not isinstance(score, str) else None
        score_text = score if isinstance(score, str) else f"ISO 18571 score {score:.3f}"
        text += [f"test {test.name}:", api.table(comparison), score_text]
    if args.out:
        data["files"] = _write_results(api, Path(args.out), case, run, point, test, measures)
    if args.mme:
        api.write_test(record_test(api, run, scene, point), args.mme)
        data.setdefault("files", []).append(args.mme)
    if "files" in data:
        text.append("wrote " + ", ".join(data["files"]))
    return CommandResult("\n".join(text), data, exit_code(run))


def _write_results(api, folder: Path, case, run, point: str, test, measures) -> list[str]:
    """Write run, model and report of a crash to a folder, and return the names of the files."""
    folder.mkdir(parents=True, exist_ok=True)
    scene, model, page = case.scene, folder / "model.yaml", folder / "report.html"
    scene.save(model)
    files = [run.save(folder / "run.nc"), run.to_csv(folder / "run.csv"), model]
    options = {"axis": case.axis, "measures": measures}
    files.append(api.crash_report(run, scene, page, point, test, case.occupants, **options))
    return [str(f) for f in files]


def _load_case(args, api):
    """Load the crash that the file and the options describe, with its occupants."""
    path = Path(args.file)
    scene_options = [f"--{n}" for n in ("wall", "scenario", "other", "overlap", "angle", "friction",
                                "struck", "crab", "set") if getattr(args, n)]  # fmt: skip
    if is_test(path):
        if scene_options or args.speed or args.dimensions:
            option = (scene_options or ["--speed"])[0]
            raise TorseurError(
                f"{args.file} is a measured test, whose pulse drives a sled. It has no {option}."
            )
        run_options = {"t_end": args.t_end} if args.t_end else {}
        if args.front:
            return _front_case(args, api, run_options)
        kind = args.occupant or "three_body"
        model = api.occupied(api.sled_of(api.read_test(path), **run_options), "cabin", kind)
        return api.Case(model, "cabin", (("driver", "cabin"),))
    if args.front:
        raise TorseurError(f"--front is for a measured test (.zip, .EV5, .mme), not {args.file}")
    if api.is_case(path):
        scene_options = [x for x in scene_options if x != "--set"]
        if scene_options:
            raise TorseurError(
                f"{args.file} says its own {scene_options[0].removeprefix('--')}; edit it, "
                "or give the vehicle's file"
            )
        speeds = tuple(args.speed or ())
        changes = {"speed": speeds if len(speeds) > 1 else speeds[0]} if speeds else {}
        changes |= {"dimensions": args.dimensions} if args.dimensions else {}
        changes |= {"set": parse_assignments(args.set, lambda name: None)} if args.set else {}
        case = api.load_case(path, **changes, **({"t_end": args.t_end} if args.t_end else {}))
    else:
        has_obstacle = args.wall or args.scenario or args.other or args.dimensions or args.struck
        is_vehicle = api.is_vehicle(path) or has_obstacle  # a vehicle, or a model read as one
        case = (_vehicle_case if is_vehicle else _model_case)(args, api)
    if args.occupant:
        scene = api.occupied(case.scene, case.point, args.occupant)
        case = replace(case, scene=scene, occupants=(*case.occupants, ("driver", case.point)))
    return case


def _front_case(args, api, run_options):
    """Identify a one-mass vehicle with the force-crush curve of a test, save it, and crash it."""
    test = api.read_test(args.file)
    car = api.front_of(test)
    api.save_vehicle(car, args.front)
    scene = api.against(car, None, test.required_number("speed"), **run_options)
    case = api.Case(scene, car.main, (), args.file)
    if not args.occupant:
        return case
    return replace(case, scene=api.occupied(scene, car.main, args.occupant),
                   occupants=(("driver", car.main),))  # fmt: skip


def _vehicle_case(args, api):
    """Create the crash of a vehicle file against a wall, in a scenario, or with another vehicle."""
    car = api.load_vehicle(args.file)
    other = api.load_vehicle(args.other) if args.other else None
    car, other = api.with_numbers(parse_assignments(args.set or [], lambda name: None), car, other)
    options: dict[str, Any] = {"dimensions": args.dimensions} if args.dimensions else {}
    if args.struck:
        options["struck"] = args.struck
    if args.t_end:
        options["t_end"] = args.t_end
    if sum(x is not None for x in (args.wall, args.scenario, args.other)) > 1:
        raise TorseurError("give one of --wall, --scenario and --other")
    if args.scenario:
        make = api.scenario.element(args.scenario, "--scenario")
        scene = make(car, **_scenario_options(args, make), **options)
    elif args.other:
        if args.crab:
            raise TorseurError("--crab is that of a car against a wall; two cars have --angle")
        speeds = args.speed or ["50 km/h"]
        scene = api.collide(
            car,
            other,
            speeds if len(speeds) == 2 else speeds * 2,
            overlap=args.overlap or 1.0,
            angle=args.angle or 0.0,
            friction=args.friction or 0.0,
            **options,
        )
    else:
        if args.overlap or args.angle:
            raise TorseurError(
                "--overlap and --angle are those of two vehicles; a wall says its own: "
                f"--wall {'offset:40%' if args.overlap else 'oblique:30deg'}"
            )
        wall = parse_wall(args.wall or "rigid", args.friction, args.struck in ("left", "right"))
        if args.crab:
            options["crab"] = args.crab
        is_planar = args.crab or (args.wall is not None and not args.wall.startswith("rigid"))
        options.setdefault("dimensions", 2 if is_planar else 1)
        if not args.speed:
            raise TorseurError('no speed: give --speed "50 km/h", or --scenario with its own')
        _check_single_speed(args)
        scene = api.against(car, wall, args.speed[0], **options)
    names = {b.name for b in scene.bodies}
    axis = "x" if args.other else api.axis_of(options.get("struck") or _struck_face(args, api))
    return api.Case(scene, car.main if car.main in names else f"a_{car.main}", axis=axis)


def _check_single_speed(args) -> None:
    """Raise an error if a crash of one vehicle has two speeds."""
    if len(args.speed) > 1:
        raise TorseurError(
            f"--speed {' '.join(args.speed)}: one vehicle has one speed; that of a trolley is "
            "--wall barrier:50km/h, another car is --other"
        )


def _struck_face(args, api) -> str | None:
    """Face of the vehicle that a scenario strikes."""
    if not args.scenario:
        return None
    parameters = inspect.signature(api.scenario.element(args.scenario, "--scenario")).parameters
    return parameters["struck"].default if "struck" in parameters else None


def _scenario_options(args, make) -> dict:
    """Options of the command line that a scenario accepts. Raises an error for others."""
    parameters = inspect.signature(make).parameters
    out: dict[str, Any] = {}
    if args.speed:
        speeds = args.speed * 2 if len(args.speed) == 1 else args.speed
        if "speeds" not in parameters:
            _check_single_speed(args)
        out |= {"speeds": speeds} if "speeds" in parameters else {"speed": args.speed[0]}
    for option in ("overlap", "angle", "friction"):
        argument = getattr(args, option)
        if argument is not None and option not in parameters:
            raise TorseurError(
                f"--scenario {args.scenario} has its own {option}; use --wall or --other to say it"
            )
        out |= {} if argument is None else {option: argument}
    return out


def _model_case(args, api):
    """Create a crash from a model file with its own initial state."""
    model = load(args.file)
    if args.speed:
        _check_single_speed(args)
        speed_names = [n for n in model.initial if "speed" in n or n.endswith(".vx")]
        if len(speed_names) != 1:
            raise TorseurError(f"{args.file}: --speed needs one speed in 'initial' to replace")
        model = replace(model, initial={**model.initial, speed_names[0]: args.speed[0]})
    if args.set:
        numbers = parse_assignments(args.set, lambda name: None)
        if unknown := [n for n in numbers if n not in model.parameters]:
            raise TorseurError(
                unknown_name_message("parameter", unknown[0], model.parameters, "--set")
            )
        model = replace(model, parameters={**dict(model.parameters), **numbers})
    if args.t_end:
        model = replace(model, simulation={**model.simulation, "t_end": args.t_end})
    system = model.check()
    bodies = [b for b in model.bodies if b.name in system.bodies]
    parameters = value.nominals(dict(model.parameters))
    mass = {b.name: value.nominal(value.exact(b.mass), parameters) for b in bodies}
    return api.Case(model, max(mass, key=lambda n: mass[n]))
