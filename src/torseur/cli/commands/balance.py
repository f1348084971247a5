"""`torseur balance`: gravity balancing of a joint by counterweights, springs or cams."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import TorseurError, describe_call_mismatch, said
from ..base import (
    CommandResult,
    command,
    model_arguments,
    out_argument,
    parse_quantity,
    read_model,
    read_motion,
    report_argument,
)


def _options(p):
    model_arguments(p)
    p.add_argument(
        "--device",
        nargs="+",
        action="append",
        default=[],
        metavar="TYPE FIELD=VALUE",
        help="counterweight, spring, cam, pulley, redistribution or parallelogram, and its fields "
        "in SI: joint=joint3 mass=21; again for another device (those of the model's file)",
    )
    p.add_argument(
        "--bounds",
        nargs="+",
        default=[],
        metavar="NAME=LOW:HIGH",
        help="what is sought [SI or units]",
    )
    p.add_argument(
        "--over",
        nargs="+",
        default=[],
        metavar="NAME=LOW:HIGH",
        help="coordinates the design is judged over (the joints' limits)",
    )
    p.add_argument(
        "--motion",
        nargs="+",
        default=[],
        metavar="NAME or CSV",
        help="duty cycles the design is judged over instead, as for inverse",
    )
    p.add_argument(
        "--payload", nargs="+", default=[], metavar="FRAME=M1,M2", help="masses to carry [kg]"
    )
    p.add_argument("--criterion", choices=("rms", "peak", "mean", "energy"))
    p.add_argument(
        "--pareto", metavar="DEVICE.mass", help="also effort against this mass, over its bounds"
    )
    p.add_argument(
        "--conditions",
        nargs="+",
        metavar="LETTER",
        help="instead, when nothing is left in any pose, solved for these letters of the model and "
        "of its devices",
    )
    p.add_argument("--cam", metavar="CSV", help="write the profile of the cam there")
    out_argument(p, "write the balanced model there")
    report_argument(p, "write a page there")


@command(
    "balance",
    "choose a counterweight, spring or cam so that a joint carries little weight",
    [
        "balance arm.yaml --report balance.html",
        "balance arm.yaml --device counterweight joint=elbow mass=5 --bounds distance=0.1:0.5 "
        "--over shoulder.angle=0:90deg",
        "balance arm.yaml --device spring joint=shoulder anchor=0,0,0.2 radius=0.1 "
        "--bounds stiffness=1e3:1e5 -o balanced.yaml --report balance.html",
        "balance arm.yaml --device counterweight joint=elbow distance=0.3 --bounds mass=1:20 "
        "--motion cycle.csv --payload tool=0,2,5 --criterion energy --pareto counterweight.mass",
        "balance arm.yaml --device cam joint=shoulder --bounds amplitude=0:500 --cam cam.csv",
        "balance letters.yaml --device spring joint=pin anchor=0,0,H radius=R stiffness=k "
        "--conditions k",
    ],
    _options,
)
def balance(args) -> CommandResult:
    """Optimize a device so that the gravity torque of a joint is as small as possible."""
    from ... import robots

    model = read_model(args)
    design = robots.design(model)
    devices = [_parse_device(tokens) for tokens in args.device] or list(design.devices)
    if not devices:
        raise TorseurError(
            f"balance: {model.name!r} has no devices; give them in its file, or --device "
            "counterweight joint=joint3 mass=21"
        )
    if args.conditions:
        return _format_conditions(robots.balance_conditions(model, devices, args.conditions))
    bounds: dict[str, Any] = {} if args.device else dict(design.bounds)
    bounds |= _parse_bounds(args.bounds, devices[0].name)
    payloads = {}
    for text in args.payload:
        frame, _, masses = text.partition("=")
        payloads[frame] = [parse_quantity(m, "kg") for m in masses.split(",")]
    over = _parse_ranges(args.over)
    cycles = [read_motion(model, x) for x in args.motion]
    arguments = {"over": cycles or over, "criterion": args.criterion, "payloads": payloads}
    options = {**design.balancing, **{n: x for n, x in arguments.items() if x}}
    if isinstance(options.get("over"), list) and not cycles:
        options["over"] = [design.motion(n) for n in options["over"]]
    options.setdefault("over", "workspace")
    result = robots.balance(model, devices, bounds=bounds, **options)
    data = {
        "values": result.values,
        "value": result.value,
        "active": list(result.active),
        "added_mass": result.added_mass,
    }
    text, front = str(result), None
    if args.pareto:
        front = robots.pareto(model, devices, bounds=bounds, mass=args.pareto, **options)
        data["pareto"] = front.tolist()
        text += "\nadded mass [kg], effort left:\n" + "\n".join(
            f"{m:>12.6g}{y:>14.6g}" for m, y in front
        )
    if args.cam:
        cam = result.cam()
        cam.save(args.cam)
        text += (
            f"\ncam: pressure angle up to {np.degrees(abs(cam.pressure_angle).max()):.4g} deg; "
            f"wrote {args.cam}"
        )
        data["cam"] = args.cam
    if args.out:
        result.model.save(args.out)
        text, data["file"] = f"{text}\nwrote {args.out}", args.out
    if args.report:
        result.report(args.report, front)
        text, data["report"] = f"{text}\nwrote {args.report}", args.report
    return CommandResult(text, data)


def _parse_bounds(texts: list[str], device: str) -> dict[str, tuple[str, str]]:
    """Parse the bounds name=low:high of design parameters. Short names belong to `device`."""
    bounds = {}
    for text in texts:
        key, _, pair = text.partition("=")
        low, colon, high = (x.strip() for x in pair.partition(":"))
        if not (key and low and high and colon):
            raise TorseurError(f"--bounds {text!r}: expected name=low:high, in SI or with units")
        bounds[key if "." in key else f"{device}.{key}"] = (low, high)
    return bounds


def _parse_ranges(texts: list[str]) -> dict[str, np.ndarray]:
    """Parse ranges coordinate=low:high[:count] as equally spaced values [rad], 46 by default."""
    ranges = {}
    for text in texts:
        key, _, rest = text.partition("=")
        parts = rest.split(":")
        if len(parts) not in (2, 3):
            raise TorseurError(f"--over {text!r}: expected coordinate=low:high[:count]")
        low, high = (parse_quantity(x, "rad") for x in parts[:2])
        ranges[key] = np.linspace(low, high, int(parts[2]) if len(parts) == 3 else 46)
    return ranges


def _format_conditions(conditions) -> CommandResult:
    """Format the balancing conditions, and the springs by the weight that they balance."""
    text = str(conditions)
    if (by_weight := conditions.by_weight()) not in ("", text):
        text += f"\n{by_weight}"
    solution = {str(a): str(e) for a, e in conditions.solution.items()}
    return CommandResult(
        text, {"solution": solution, "left": {n: str(e) for n, e in conditions.left.items()}}
    )


def _parse_device(tokens):
    """Create a balancing device from the texts of --device."""
    from ... import robots

    fields = _parse_fields(tokens)
    kind = fields.pop("type")
    device_type = robots.device.element(kind, "balance, --device")
    name = fields.pop("name", kind)
    try:
        return device_type(name, **fields)
    except (TypeError, ValueError) as e:
        message = said(e, describe_call_mismatch(device_type, fields, 1))
        raise TorseurError(f"balance: {kind}: {message}") from None


def _parse_fields(tokens) -> dict:
    """Parse the fields of a device: type, then name=value, with several numbers as a,b,c."""
    if not tokens:
        raise TorseurError("balance: say which device: --device counterweight joint=joint3 mass=21")
    out: dict = {"type": tokens[0]}
    for text in tokens[1:]:
        key, eq, value = text.partition("=")
        if not eq:
            raise TorseurError(f"--device {text!r}: expected name=value")
        parts = tuple(_parse_value(x) for x in value.split(","))
        out[key] = parts[0] if len(parts) == 1 else parts
    return out


def _parse_value(text: str) -> float | str:
    """Parse a number. Other texts are names or expressions."""
    try:
        return float(text)
    except ValueError:
        return text
