"""`torseur crash`: a vehicle against a wall or another vehicle, its metrics and its page."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import TorseurError, unknown_name
from ...model.formats import load
from ...scalars.values import value
from .._crash_channels import channels_only, is_test, measured, plain, recorded
from ..base import Answer, command, exit_code, out_argument, pairs, values_argument

WALLS = {
    "rigid": "a rigid wall over the full width",
    "offset": "a rigid wall with an overlap: offset:40%",
    "oblique": "a rigid wall at an angle: oblique:30deg",
    "pole": "a pole at a place across the car: pole:0.2m",
    "face": "a deformable face with an overlap: face:40%",
    "barrier": "a moving deformable barrier at a speed: barrier:50km/h",
}


def wall_of(text: str, friction: float | None = None, across: bool = False):
    """A wall from its short form, such as "offset:40%"; `across` where a side is struck, along
    which a pole then has its place.

    >>> wall_of("offset:40%").overlap, wall_of("pole:0.2m").y
    (0.4, 0.2)
    """
    from ...crash import DeformableFace, MovingBarrier, Pole, Wall

    kind, _, what = text.partition(":")
    if kind not in WALLS:
        raise TorseurError(unknown_name("wall", kind, WALLS, "--wall"))
    if kind == "rigid" and what:
        raise TorseurError(f"--wall {text}: 'rigid' takes nothing; did you mean offset:{what}?")
    more: dict[str, Any] = {} if friction is None else {"friction": friction}
    if kind in ("offset", "face"):
        wall = Wall(overlap=what or "40%", **more)
        return wall if kind == "offset" else DeformableFace(wall=wall)
    if kind == "oblique":
        return Wall(angle=what or "30 deg", **more)
    if kind == "pole":
        place = {"x" if across else "y": what} if what else {}
        return Pole(**place, **more)
    if kind == "barrier":
        face: Any = DeformableFace(width=1.5, wall=Wall()) if across else MovingBarrier().face
        face = replace(face, wall=replace(face.wall, **more))
        return MovingBarrier(speed=what or "50 km/h", face=face)
    return Wall(**more)


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
def crash(args) -> Answer:
    """Run a crash, print its metrics, write its page."""
    from ... import crash as room
    from ...simulation import simulate

    if answer := channels_only(args, room):
        return answer
    case = _case(args, room)
    scene, judged = case.scene, args.point or case.point
    test = room.read_test(args.test or case.test) if args.test or case.test else None
    run = simulate(scene, progress=False if args.json or args.quiet else None)
    found = room.metrics(run, judged, axis=case.axis)
    lines = {**case.measures, **{x: x for x in args.measure or ()}}
    speed = room.initial_speed(run, judged, case.axis)
    more = {n: measured(room, line, run, test, speed) for n, line in lines.items()}
    riders = [n for n, _ in case.occupants]
    energies = {n: float(x[-1]) for n, x in room.member_energies(run, scene, riders).items()}
    wall = room.wall_peak(run, scene)
    data = {
        "outcome": run.outcome,
        "completed": run.completed,
        "body": judged,
        "metrics": {n: plain(x) for n, x in found.items()},
        "energies": energies,
        "wall_force": float(wall),
        "wall_force_at": wall.time,
        "measures": {n: plain(x) for n, x in more.items()},
        "energy_closes_to": run.energy_audit.relative,
    }
    data["missing"] = found.missing
    data["speed"] = speed
    begun = f"{judged} before the impact: {speed:.4g} m/s = {3.6 * speed:.4g} km/h"
    text = [run.outcome, begun, f"{judged}:", room.table(found)]
    text += [room.table(more)] if more else []
    if wall:
        at = f"{1e3 * (wall.time or 0.0):.4g} ms"
        text.append(f"largest {wall.called.lower()} {1e-3 * wall:.5g} kN at {at}")
    text += [f"  {n}: {1e-3 * x:.4g} kJ" for n, x in energies.items() if x]
    data["torn"] = room.ruptured_members(run)
    text += [f"  {n} tore at {1e3 * t:.4g} ms" for n, t in data["torn"].items()]
    data["occupants"] = {}
    for name, carrier in case.occupants:
        hurt = room.occupant_metrics(run, name, carrier)
        data["occupants"][name] = {n: plain(x) for n, x in hurt.items()}
        text += [f"{name}:", room.table(hurt)]
    text.append(f"energy closes to {run.energy_audit.relative:.1g}")
    if test is not None:
        told, rated = room.compare_with_test(run, judged, test, case.axis)
        data["test"] = {n: plain(x) for n, x in told.items()}
        data["score"] = float(rated) if not isinstance(rated, str) else None
        said = rated if isinstance(rated, str) else f"ISO 18571 score {rated:.3f}"
        text += [f"test {test.name}:", room.table(told), said]
    if args.out:
        folder = Path(args.out)
        folder.mkdir(parents=True, exist_ok=True)
        scene.save(folder / "model.yaml")
        files = [run.save(folder / "run.nc"), run.to_csv(folder / "run.csv"), folder / "model.yaml"]
        page = folder / "report.html"
        files.append(room.crash_report(run, scene, page, judged, test, case.occupants,
                                       axis=case.axis, measures=more))  # fmt: skip
        data["files"] = [str(f) for f in files]
    if args.mme:
        room.write_test(recorded(room, run, scene, judged), args.mme)
        data.setdefault("files", []).append(args.mme)
    if "files" in data:
        text.append("wrote " + ", ".join(data["files"]))
    return Answer("\n".join(text), data, exit_code(run))


def _case(args, room):
    """The crash that the file and the options describe, with who sits in it."""
    path = Path(args.file)
    asked = [f"--{n}" for n in ("wall", "scenario", "other", "overlap", "angle", "friction",
                                "struck", "crab", "set") if getattr(args, n)]  # fmt: skip
    if is_test(path):
        if asked or args.speed or args.dimensions:
            raise TorseurError(f"{args.file} is a measured test: its pulse drives a sled; "
                               f"{(asked or ['--speed'])[0]} says nothing there")  # fmt: skip
        more = {"t_end": args.t_end} if args.t_end else {}
        if args.front:
            return _front(args, room, more)
        kind = args.occupant or "three_body"
        model = room.occupied(room.sled_of(room.read_test(path), **more), "cabin", kind)
        return room.Case(model, "cabin", (("driver", "cabin"),))
    if args.front:
        raise TorseurError(f"--front is for a measured test (.zip, .EV5, .mme), not {args.file}")
    if room.is_case(path):
        asked = [x for x in asked if x != "--set"]
        if asked:
            raise TorseurError(f"{args.file} says its own {asked[0].removeprefix('--')}; edit it, "
                               "or give the vehicle's file")  # fmt: skip
        speeds = tuple(args.speed or ())
        changes = {"speed": speeds if len(speeds) > 1 else speeds[0]} if speeds else {}
        changes |= {"dimensions": args.dimensions} if args.dimensions else {}
        changes |= {"set": pairs(args.set, lambda name: None)} if args.set else {}
        case = room.load_case(path, **changes, **({"t_end": args.t_end} if args.t_end else {}))
    else:
        placed = args.wall or args.scenario or args.other or args.dimensions or args.struck
        whole = room.is_vehicle(path) or placed  # a vehicle, or a model read as one
        case = (_scene if whole else _model)(args, room)
    if args.occupant:
        scene = room.occupied(case.scene, case.point, args.occupant)
        case = replace(case, scene=scene, occupants=(*case.occupants, ("driver", case.point)))
    return case


def _front(args, room, more):
    """A vehicle of one mass whose front is the force-crush curve of a test, written and run."""
    test = room.read_test(args.file)
    car = room.front_of(test)
    room.save_vehicle(car, args.front)
    scene = room.against(car, None, test.required_number("speed"), **more)
    case = room.Case(scene, car.main, (), args.file)
    if not args.occupant:
        return case
    return replace(case, scene=room.occupied(scene, car.main, args.occupant),
                   occupants=(("driver", car.main),))  # fmt: skip


def _scene(args, room):
    """The scene of a vehicle file."""
    car = room.load_vehicle(args.file)
    other = room.load_vehicle(args.other) if args.other else None
    car, other = room.with_numbers(pairs(args.set or [], lambda name: None), car, other)
    more: dict[str, Any] = {"dimensions": args.dimensions} if args.dimensions else {}
    if args.struck:
        more["struck"] = args.struck
    if args.t_end:
        more["t_end"] = args.t_end
    if sum(x is not None for x in (args.wall, args.scenario, args.other)) > 1:
        raise TorseurError("give one of --wall, --scenario and --other")
    if args.scenario:
        make = room.scenario.element(args.scenario, "--scenario")
        scene = make(car, **_asked(args, make), **more)
    elif args.other:
        if args.crab:
            raise TorseurError("--crab is that of a car against a wall; two cars have --angle")
        speeds = args.speed or ["50 km/h"]
        scene = room.collide(
            car,
            other,
            speeds if len(speeds) == 2 else speeds * 2,
            overlap=args.overlap or 1.0,
            angle=args.angle or 0.0,
            friction=args.friction or 0.0,
            **more,
        )
    else:
        if args.overlap or args.angle:
            raise TorseurError(
                "--overlap and --angle are those of two vehicles; a wall says its own: "
                f"--wall {'offset:40%' if args.overlap else 'oblique:30deg'}"
            )
        wall = wall_of(args.wall or "rigid", args.friction, args.struck in ("left", "right"))
        if args.crab:
            more["crab"] = args.crab
        turns = args.crab or (args.wall is not None and not args.wall.startswith("rigid"))
        more.setdefault("dimensions", 2 if turns else 1)
        if not args.speed:
            raise TorseurError('no speed: give --speed "50 km/h", or --scenario with its own')
        _alone(args)
        scene = room.against(car, wall, args.speed[0], **more)
    names = {b.name for b in scene.bodies}
    axis = "x" if args.other else room.axis_of(more.get("struck") or _face_of(args, room))
    return room.Case(scene, car.main if car.main in names else f"a_{car.main}", axis=axis)


def _alone(args) -> None:
    """One speed for one vehicle."""
    if len(args.speed) > 1:
        raise TorseurError(
            f"--speed {' '.join(args.speed)}: one vehicle has one speed; that of a trolley is "
            "--wall barrier:50km/h, another car is --other"
        )


def _face_of(args, room) -> str | None:
    """The face that a scenario strikes by itself."""
    if not args.scenario:
        return None
    takes = inspect.signature(room.scenario.element(args.scenario, "--scenario")).parameters
    return takes["struck"].default if "struck" in takes else None


def _asked(args, make) -> dict:
    """Options of a scenario, as far as it takes them; it refuses the others."""
    takes = inspect.signature(make).parameters
    out: dict[str, Any] = {}
    if args.speed:
        both = args.speed * 2 if len(args.speed) == 1 else args.speed
        if "speeds" not in takes:
            _alone(args)
        out |= {"speeds": both} if "speeds" in takes else {"speed": args.speed[0]}
    for option in ("overlap", "angle", "friction"):
        given = getattr(args, option)
        if given is not None and option not in takes:
            raise TorseurError(
                f"--scenario {args.scenario} has its own {option}; use --wall or --other to say it"
            )
        out |= {} if given is None else {option: given}
    return out


def _model(args, room):
    """An ordinary model file that carries its own start."""
    model = load(args.file)
    if args.speed:
        _alone(args)
        given = [n for n in model.initial if "speed" in n or n.endswith(".vx")]
        if len(given) != 1:
            raise TorseurError(f"{args.file}: --speed needs one speed in 'initial' to replace")
        model = replace(model, initial={**model.initial, given[0]: args.speed[0]})
    if args.set:
        numbers = pairs(args.set, lambda name: None)
        if wrong := [n for n in numbers if n not in model.parameters]:
            raise TorseurError(unknown_name("parameter", wrong[0], model.parameters, "--set"))
        model = replace(model, parameters={**dict(model.parameters), **numbers})
    if args.t_end:
        model = replace(model, simulation={**model.simulation, "t_end": args.t_end})
    system = model.check()
    moving = [b for b in model.bodies if b.name in system.bodies]
    known = value.nominals(dict(model.parameters))
    mass = {b.name: value.nominal(value.exact(b.mass), known) for b in moving}
    return room.Case(model, max(mass, key=lambda n: mass[n]))
