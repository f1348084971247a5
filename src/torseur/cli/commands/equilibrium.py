"""`torseur equilibrium`: a pose where the model rests."""

from __future__ import annotations

from ..base import Answer, command, facts, model_arguments, state_at, values_argument


def _options(p):
    model_arguments(p)
    values_argument(p, "--near", "coordinates, by name; the others as the file says")
    p.add_argument(
        "--any",
        action="store_true",
        help="the nearest pose without accelerations, stable or not, instead of going downhill",
    )


@command(
    "equilibrium",
    "a pose where the model rests",
    [
        "equilibrium arm.yaml --near elbow.angle=10deg",
    ],
    _options,
)
def equilibrium(args) -> Answer:
    """A pose at rest: downhill from a guess, or the nearest of any kind."""
    from ...solve import equilibrium as find

    model, _, near = state_at(args, args.near)
    found = find(model, near=near, stable=not args.any)
    return Answer(str(found), facts(found))
