"""Commands of robot design: ik, balance, size, workspace."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..errors import TorseurError
from .main import Answer
from .models import pairs, read
from .runs import _motion


def _named(system, texts):
    """{coordinate: value} of texts such as elbow.angle=30deg."""
    units = {p.name: p.unit for p in system.ports}
    return pairs(texts, lambda n: units.get(n))


def ik(args) -> Answer:
    """Coordinates that bring a frame to a place or pose."""
    from ..solve import inverse_kinematics

    model = read(args)
    system = model.check()
    pose: object = [_length(x) for x in args.at]
    if args.rpy:
        from scipy.spatial.transform import Rotation

        T = np.eye(4)
        T[:3, :3] = Rotation.from_euler("xyz", [_angle(x) for x in args.rpy]).as_matrix()
        T[:3, 3] = pose
        pose = T
    found = inverse_kinematics(
        model,
        args.frame,
        pose,
        near=_named(system, args.near) if args.near else None,
        hold=_named(system, args.hold) if args.hold else None,
    )
    data = {
        "method": found.method,
        "complete": found.complete,
        "coordinates": list(found.coordinates),
        "solutions": [
            {"label": label, "q": q.tolist(), "within_limits": bool(ok)}
            for label, q, ok in zip(found.labels, found.q, found.within_limits, strict=True)
        ],
        "notes": list(found.notes),
    }
    return Answer(str(found), data)


def balance(args) -> Answer:
    """A device chosen so that a joint carries as little weight as can be."""
    from .. import robots

    model = read(args)
    fields = _fields(args.device)
    kind = fields.pop("type")
    classes = {
        "counterweight": robots.Counterweight,
        "spring": robots.BalancingSpring,
        "cam": robots.CamSpring,
        "redistribution": robots.Redistribution,
        "pulley": robots.PulleySpring,
        "parallelogram": robots.Parallelogram,
    }
    if kind not in classes:
        raise TorseurError(f"balance: no device is named {kind!r} (known: {', '.join(classes)})")
    name = fields.pop("name", kind)
    try:
        device = classes[kind](name, **fields)
    except TypeError as e:
        raise TorseurError(f"balance: {kind}: {e}") from None
    bounds = {}
    for text in args.bounds:
        key, _, pair = text.partition("=")
        low, _, high = pair.partition(":")
        try:
            bounds[key if "." in key else f"{name}.{key}"] = (float(low), float(high))
        except ValueError:
            raise TorseurError(f"--bounds {text!r}: expected name=low:high, in SI") from None
    over = {}
    for text in args.over:
        key, _, rest = text.partition("=")
        ends = rest.split(":")
        if len(ends) not in (2, 3):
            raise TorseurError(f"--over {text!r}: expected coordinate=low:high[:count]")
        over[key] = np.linspace(
            _angle(ends[0]), _angle(ends[1]), int(ends[2]) if len(ends) == 3 else 46
        )
    done = robots.balance(model, [device], over or "workspace", args.criterion, bounds)
    data = {
        "values": done.values,
        "value": done.value,
        "active": list(done.active),
        "added_mass": done.added_mass,
    }
    text = str(done)
    if args.out:
        done.model.save(args.out)
        text, data["file"] = f"{text}\nwrote {args.out}", args.out
    if args.report:
        done.report(args.report)
        text, data["report"] = f"{text}\nwrote {args.report}", args.report
    return Answer(text, data)


def size(args) -> Answer:
    """Motors and gears of a catalogue that can drive every joint."""
    from .. import robots

    model = read(args)
    t, columns = _motion(model.check(), Path(args.motion))
    given = robots.example_catalogue() if args.catalogue == "example" else args.catalogue
    found = robots.size(model, {"time": t, **columns}, given, pause=args.pause, order=args.order)
    data = {
        joint: [
            {
                "motor": c.motor.name,
                "gearbox": c.gearbox.name,
                "rms_torque": c.rms_torque,
                "peak_torque": c.peak_torque,
                "top_speed": c.top_speed,
                "inertia_ratio": c.inertia_ratio,
                "binding": c.binding,
                "use": c.use,
            }
            for c in found[joint][: args.count]
        ]
        for joint in found
    }
    text = found.table(args.count)
    if args.report:
        found.report(args.report)
        text += f"\nwrote {args.report}"
    return Answer(text, {"joints": data})


def workspace(args) -> Answer:
    """Where a frame can go, and how well."""
    from .. import robots

    model = read(args)
    found = robots.workspace(model, args.frame, samples=args.samples)
    near, far = found.reach
    data = {
        "reach": [near, far],
        "volume": found.volume(),
        "box": [found.points.min(axis=0).tolist(), found.points.max(axis=0).tolist()],
        "worst_gravity": {n: x for n, (x, _) in found.worst_gravity().items()},
        "least_condition": float(found.condition.min()),
    }
    text = found.table()
    if args.report:
        found.report(args.report)
        text, data["report"] = f"{text}\nwrote {args.report}", args.report
    return Answer(text, data)


def _fields(texts) -> dict:
    """Fields of a device: type, then name=value; several numbers as a,b,c."""
    if not texts:
        raise TorseurError("balance: say which device: --device counterweight joint=joint3 mass=21")
    out: dict = {"type": texts[0]}
    for text in texts[1:]:
        key, eq, value = text.partition("=")
        if not eq:
            raise TorseurError(f"--device {text!r}: expected name=value")
        try:
            parts = [float(x) for x in value.split(",")]
            out[key] = parts[0] if len(parts) == 1 else tuple(parts)
        except ValueError:
            out[key] = value
    return out


def _number(text, unit):
    from ..model.formats.units import quantity
    from ..numbers import values

    try:
        return values.nominal(values.exact(quantity(text, unit)), {})
    except (ValueError, TypeError, LookupError, TorseurError) as e:
        raise TorseurError(f"{text!r}: {e}") from None


def _length(text):
    return _number(text, "m")


def _angle(text):
    return _number(text, "rad")


__all__ = ["balance", "ik", "size", "workspace"]
