"""The command `identify`."""

from __future__ import annotations

from .main import Answer
from .models import read


def identify(args) -> Answer:
    """Parameters of a robot from a table of measurements."""
    from ..identify import robot

    found = robot(
        read(args),
        args.data,
        friction=tuple(args.friction),
        rotors=not args.no_rotors,
        consistent=not args.unconstrained,
        method=args.method,
        cutoff=args.cutoff,
    )
    text = f"{found}\n\n{found.table()}"
    data = {
        "base": found.base,
        "confidence": found.confidence,
        "combinations": found.combinations,
        "essential": list(found.essential),
        "errors": found.errors().tolist(),
    }
    if args.out:
        found.model.save(args.out)
        text, data["file"] = f"{text}\nwrote {args.out}", args.out
    if args.report:
        found.report(args.report)
        text, data["report"] = f"{text}\nwrote {args.report}", args.report
    return Answer(text, data)
