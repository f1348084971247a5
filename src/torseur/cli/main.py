"""The parser, and what every command shares: messages, JSON, exit codes."""

from __future__ import annotations

import argparse
import json
import os
import sys
import warnings
from importlib import import_module

from .. import __version__
from ..errors import ModelError, ModelWarning, TorseurError

FORMALISMS = ("newton_euler", "lagrange", "lie_group", "uicker", "global_inertia")
TEMPLATES = ("robot", "crash", "car_to_car", "offset", "vehicle", "loop")
VEHICLES = ("k3", "ladder_frame", "light_car", "truck")  # for `torseur crash`
SHELLS = ("bash", "zsh", "fish")
COMMANDS = {
    "check": "read a model and say everything that is wrong with it",
    "equations": "print the equations of motion, exact",
    "simulate": "run a model in time and write the results",
    "crash": "drive a vehicle against a wall or another one: metrics and a page",
    "inverse": "efforts that give a motion",
    "ik": "where the joints must be for a frame to be at a place or pose",
    "balance": "choose a counterweight, spring or cam so that a joint carries little weight",
    "size": "choose motors and gears of a catalogue for a duty cycle",
    "workspace": "where a frame can go, and how well",
    "identify": "masses, inertias and friction of a robot from measured motion and efforts",
    "modes": "natural frequencies, damping and shapes",
    "equilibrium": "a pose where the model rests",
    "bench": "time the compiled kernels of a model",
    "view": "show a model or a result in the browser",
    "new": "write a model file to start from",
    "schema": "print the JSON Schema of model files",
    "convert": "translate between YAML, JSON, URDF and MJCF",
    "doctor": "check the installation",
    "completion": "print the completion script of a shell",
}
EXAMPLES = {
    "check": ["check arm.yaml", "check *.yaml --json"],
    "equations": [
        "equations arm.yaml",
        "equations arm.yaml --latex -o arm.tex",
        "equations arm.yaml --code c --quantity mass_matrix",
    ],
    "simulate": [
        "simulate arm.yaml --t-end 5 -o out/",
        "simulate arm.yaml --t-end 5 --initial elbow.angle=30deg --set L2=0.4",
        "simulate crash.yaml --show front.force travel.displacement",
    ],
    "crash": [
        'crash car.yaml --speed "48.3 km/h" -o out/',
        'crash car.yaml --speed "56 km/h" --wall offset:40% --test v10146.zip -o out/',
        "crash car.yaml --scenario un_r94",
        'crash car.yaml --other truck.yaml --speed "50 km/h" "30 km/h" --overlap 50%',
    ],
    "inverse": ["inverse arm.yaml --motion motion.csv -o efforts.csv"],
    "ik": [
        "ik puma.yaml tool --at 0.4 0.2 0.3",
        "ik puma.yaml tool --at 40cm 20cm 30cm --rpy 180deg 0 0 --near elbow.angle=-60deg",
    ],
    "balance": [
        "balance arm.yaml --device counterweight joint=elbow mass=5 --bounds distance=0.1:0.5 "
        "--over shoulder.angle=0:90deg",
        "balance arm.yaml --device spring joint=shoulder anchor=0,0,0.2 radius=0.1 "
        "--bounds stiffness=1e3:1e5 -o balanced.yaml --report balance.html",
    ],
    "size": [
        "size arm.yaml --motion cycle.csv --catalogue own.yaml",
        "size arm.yaml --motion cycle.csv --catalogue example --report drives.html",
    ],
    "workspace": ["workspace puma.yaml tool", "workspace puma.yaml tool --report space.html"],
    "identify": [
        "identify robot.yaml measured.csv",
        "identify robot.yaml measured.csv -o found.yaml --report found.html",
    ],
    "modes": ["modes vehicle.yaml", "modes arm.yaml --at elbow.angle=90deg"],
    "equilibrium": ["equilibrium arm.yaml --near elbow.angle=10deg"],
    "bench": ["bench arm.yaml"],
    "view": ["view out/", "view arm.yaml"],
    "new": ["new robot", "new crash my_car.yaml", "new k3"],
    "schema": ["schema > torseur.schema.json"],
    "convert": [
        "convert robot.urdf robot.yaml",
        "convert robot.urdf robot.yaml --repair",
        "convert humanoid.xml humanoid.yaml",
    ],
    "doctor": ["doctor", "doctor --json"],
    "completion": ["completion bash > ~/.local/share/bash-completion/completions/torseur"],
}


class Answer(Exception):
    """The end of a command: what to print, what to hand to machines, and the exit code."""

    def __init__(self, text: str = "", data: dict | None = None, code: int = 0):
        self.text, self.data, self.code = text, data or {}, code


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    top = argparse.ArgumentParser(
        prog="torseur",
        description="Multibody dynamics: from a model file to equations, numbers and motion.",
        epilog=_epilog([EXAMPLES[c][0] for c in ("new", "check", "equations", "simulate")]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"torseur {__version__}")
    subs = top.add_subparsers(dest="command", metavar="COMMAND")
    made = {}
    for name, text in COMMANDS.items():
        p = made[name] = subs.add_parser(
            name,
            help=text,
            description=text[0].upper() + text[1:] + ".",
            epilog=_epilog(EXAMPLES[name]),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        p.add_argument("--json", action="store_true", help="answer in JSON, for machines")
        p.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")
    for name in (
        "check",
        "equations",
        "simulate",
        "inverse",
        "ik",
        "balance",
        "size",
        "workspace",
        "identify",
        "modes",
        "equilibrium",
        "bench",
    ):
        many = {"nargs": "+"} if name == "check" else {}
        made[name].add_argument("file", help="model: .yaml, .json, .urdf, or .xml (MJCF)", **many)
        made[name].add_argument(
            "--set",
            metavar="NAME=VALUE",
            nargs="+",
            action="extend",
            default=[],
            help="values of parameters, with units if you like",
        )
        made[name].add_argument(
            "--repair",
            action="store_true",
            help="URDF: move impossible inertias to the nearest possible",
        )
    _equations(made["equations"])
    _simulate(made["simulate"])
    _crash(made["crash"])
    p = made["inverse"]
    p.add_argument(
        "--motion",
        required=True,
        metavar="CSV",
        help="table with a column 'time' and one for each coordinate, by name; the CSV "
        "of a run will do",
    )
    p.add_argument(
        "--actuators",
        metavar="NAME",
        nargs="+",
        help="joints, or forces with inputs, that make the effort (those that lead)",
    )
    p.add_argument("-o", "--out", metavar="CSV", help="write the efforts there")
    _robots(made)
    _identify(made["identify"])
    for name, flag in (("modes", "--at"), ("equilibrium", "--near")):
        made[name].add_argument(
            flag,
            metavar="NAME=VALUE",
            nargs="+",
            action="extend",
            default=[],
            help="coordinates, by name; the others as the file says"
            + "; default: the nearest pose at rest" * (name == "modes"),
        )
    made["equilibrium"].add_argument(
        "--any",
        action="store_true",
        help="the nearest pose without accelerations, stable or not, instead of going downhill",
    )
    made["bench"].add_argument("--batch", type=int, default=1000, help="states a batch (1000)")
    made["view"].add_argument("file", help="a model, a result (.nc), a report (.html) or a folder")
    made["new"].add_argument("kind", choices=(*TEMPLATES, *VEHICLES))
    made["new"].add_argument("file", nargs="?", help="where to write it (KIND.yaml)")
    made["new"].add_argument("--force", action="store_true", help="replace a file that exists")
    made["schema"].add_argument("-o", "--out", metavar="FILE", help="write it there")
    _convert(made["convert"])
    made["completion"].add_argument("shell", choices=SHELLS)
    return top


def _equations(p):
    p.add_argument("--formalism", choices=FORMALISMS, default="newton_euler")
    form = p.add_mutually_exclusive_group()
    form.add_argument("--latex", action="store_true")
    form.add_argument("--mathml", action="store_true")
    form.add_argument("--sympy", action="store_true")
    form.add_argument("--code", choices=("c", "python", "fortran", "matlab"))
    p.add_argument(
        "--quantity",
        default="tau",
        choices=("tau", "mass_matrix", "bias", "gravity"),
        help="what --code computes",
    )
    p.add_argument("--forces", action="store_true", help="with the force elements of the model")
    p.add_argument("-o", "--out", metavar="FILE", help="write it there")


def _simulate(p):
    p.add_argument("--t-end", metavar="TIME", help="end of the run [s]; default: the file's")
    p.add_argument(
        "--initial",
        metavar="NAME=VALUE",
        nargs="+",
        action="extend",
        default=[],
        help="coordinates and speeds at the start",
    )
    p.add_argument(
        "--inputs",
        metavar="NAME=VALUE",
        nargs="+",
        action="extend",
        default=[],
        help="inputs, held",
    )
    p.add_argument("--method", help="integrator (auto)")
    p.add_argument(
        "--solution",
        help="of loops and constraints: multipliers (default), null_space, elimination, penalty",
    )
    p.add_argument("--rtol", type=float, help="relative tolerance (1e-8)")
    p.add_argument("--step", metavar="TIME", help="step of a fixed-step method [s]")
    p.add_argument("--rows", type=int, help="rows of the result (1001)")
    p.add_argument(
        "--show",
        nargs="+",
        default=[],
        metavar="SIGNAL",
        help="signals of the printed table (coordinates and speeds)",
    )
    p.add_argument("-o", "--out", metavar="FOLDER", help="write run.nc and run.csv there")


def _identify(p):
    p.add_argument(
        "data",
        help="table (.csv, .csv.gz), units in the headings: time [s], q1 [rad], ..., tau1 [N m], "
        "... or names of signals",
    )
    p.add_argument(
        "--friction",
        nargs="*",
        default=["coulomb", "viscous", "offset"],
        metavar="MODEL",
        help="friction of every joint: coulomb viscous offset (default), stribeck, square, load",
    )
    p.add_argument("--no-rotors", action="store_true", help="joints have no inertia of their own")
    p.add_argument(
        "--unconstrained",
        action="store_true",
        help="least squares alone, even if no distribution of mass has such parameters",
    )
    p.add_argument("--method", default="balanced", help="ols, wls, balanced (default), irls, tls")
    p.add_argument("--cutoff", type=float, default=10.0, help="low pass without shift [Hz] (10)")
    p.add_argument("-o", "--out", metavar="FILE", help="write the identified model there")
    p.add_argument("--report", metavar="HTML", help="write a page with efforts and the table")


def _robots(made):
    for name in ("ik", "workspace"):
        made[name].add_argument("frame", help="the frame or body to bring")
    p = made["ik"]
    p.add_argument(
        "--at", nargs=3, required=True, metavar=("X", "Y", "Z"), help="place in the world"
    )
    p.add_argument(
        "--rpy",
        nargs=3,
        metavar=("ROLL", "PITCH", "YAW"),
        help="orientation too: turns about fixed x, y, z",
    )
    p.add_argument("--near", metavar="NAME=VALUE", nargs="+", help="sort solutions from here")
    p.add_argument("--hold", metavar="NAME=VALUE", nargs="+", help="coordinates that stay")
    p = made["balance"]
    p.add_argument(
        "--device",
        nargs="+",
        required=True,
        metavar="TYPE FIELD=VALUE",
        help="counterweight, spring, cam, pulley, redistribution or parallelogram, and its fields "
        "in SI: joint=joint3 mass=21",
    )
    p.add_argument(
        "--bounds", nargs="+", default=[], metavar="NAME=LOW:HIGH", help="what is sought [SI]"
    )
    p.add_argument(
        "--over",
        nargs="+",
        default=[],
        metavar="NAME=LOW:HIGH",
        help="coordinates the design is judged over (the joints' limits)",
    )
    p.add_argument("--criterion", choices=("rms", "peak", "mean"), default="rms")
    p.add_argument("-o", "--out", metavar="FILE", help="write the balanced model there")
    p.add_argument("--report", metavar="HTML", help="write a page there")
    p = made["size"]
    p.add_argument("--motion", required=True, metavar="CSV", help="the duty cycle, as for inverse")
    p.add_argument(
        "--catalogue",
        required=True,
        metavar="FILE",
        help="motors and gearboxes; 'example' is a small invented one",
    )
    p.add_argument("--pause", type=float, default=0.0, help="rest after each cycle [s] (0)")
    p.add_argument("--order", choices=("mass", "margin"), default="mass", help="what is best")
    p.add_argument("--count", type=int, default=3, help="pairs to show for each joint (3)")
    p.add_argument("--report", metavar="HTML", help="write a page there")
    p = made["workspace"]
    p.add_argument("--samples", type=int, default=20000, help="poses tried (20000)")
    p.add_argument("--report", metavar="HTML", help="write a page there")


def _crash(p):
    p.add_argument("file", help="a vehicle (a file with members), or a model with its own start")
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
    p.add_argument("--friction", type=float, help="Coulomb's coefficient along the wall (0)")
    p.add_argument("--dimensions", type=int, choices=(1, 2, 3), help="1, 2 (the plane) or 3")
    p.add_argument("--t-end", metavar="TIME", help="end of the run (150 ms)")
    p.add_argument("--point", metavar="NAME", help="the body or point to judge (the main body)")
    p.add_argument("--test", metavar="FILE", help="a measured test to compare with")
    p.add_argument("-o", "--out", metavar="FOLDER", help="write model, run and report there")


def _convert(p):
    p.add_argument("source", help="model to read")
    p.add_argument("target", help="model to write: .yaml, .json or .urdf")
    p.add_argument("--force", action="store_true", help="replace a file that exists")
    p.add_argument(
        "--repair", action="store_true", help="move impossible inertias to the nearest possible"
    )
    p.add_argument(
        "--right-angles", action="store_true", help="URDF: angles such as 1.5708 are right angles"
    )
    p.add_argument("--free", action="store_true", help="URDF: let the root float")
    p.add_argument(
        "--search",
        nargs="+",
        default=[],
        metavar="FOLDER",
        help="URDF: where packages of meshes are",
    )


def _epilog(lines) -> str:
    return "examples:\n" + "\n".join(f"  torseur {line}" for line in lines)


def main(argv=None) -> int:
    """Run the command line; returns the exit code.

    >>> main(["schema", "--quiet"])
    0
    """
    top = parser()
    try:
        args = top.parse_args(argv)
    except SystemExit as e:
        return int(e.code or 0)
    if args.command is None:
        top.print_help()
        return 2
    command = getattr(
        import_module(f".{_HOME.get(args.command, 'models')}", __package__), args.command
    )
    said: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always", ModelWarning)
        warnings.showwarning = lambda m, *_, **__: said.append(str(m))
        try:
            answer = command(args)
        except ModelError as e:
            answer = Answer(_problems(args, e), {"problems": list(e.problems)}, 1)
        except TorseurError as e:
            answer = Answer(f"torseur: {e}", {"problems": [str(e)]}, 1)
        except OSError as e:
            text = f"{e.filename or 'file'}: {(e.strerror or str(e)).lower()}"
            answer = Answer(f"torseur: {text}", {"problems": [text]}, 1)
        except KeyboardInterrupt:
            answer = Answer("torseur: interrupted", {"problems": ["interrupted"]}, 130)
    return _say(args, answer, said)


_HOME = {
    "equations": "runs",
    "simulate": "runs",
    "crash": "crash",
    "inverse": "runs",
    "ik": "robots",
    "balance": "robots",
    "size": "robots",
    "workspace": "robots",
    "identify": "identification",
    "modes": "runs",
    "equilibrium": "runs",
    "bench": "runs",
    "view": "runs",
    "doctor": "doctor",
    "completion": "completion",
}


def _problems(args, e: ModelError) -> str:
    file = getattr(args, "file", None) or getattr(args, "source", None)
    head = (
        f"{file if isinstance(file, str) else 'torseur'}: {len(e.problems)} problem"
        f"{'s' * (len(e.problems) > 1)}"
    )
    return "\n  - ".join([head, *e.problems])


def _say(args, answer: Answer, said: list[str]) -> int:
    try:
        if args.json:
            data = {"ok": answer.code == 0, **answer.data, "warnings": said}
            print(json.dumps(data, indent=2, default=_plain, ensure_ascii=False))
        else:
            for text in [] if args.quiet else dict.fromkeys(said):
                print(f"warning: {text}", file=sys.stderr)
            if answer.text and (answer.code or not args.quiet):
                print(answer.text, file=sys.stderr if answer.code else sys.stdout)
        sys.stdout.flush()
    except BrokenPipeError:  # `torseur ... | head` is no error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return answer.code


def _plain(x):
    return x.tolist() if hasattr(x, "tolist") else str(x)
