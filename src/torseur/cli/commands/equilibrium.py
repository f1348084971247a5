"""`torseur equilibrium`: a pose where the model rests."""

from __future__ import annotations

from ..base import CommandResult, command, model_arguments, public_data, read_state, values_argument


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
def equilibrium(args) -> CommandResult:
    """Find a stable equilibrium by minimization from a guess, or the nearest of any type."""
    from ...solve import equilibrium as find

    model, _, guess = read_state(args, args.near)
    pose = find(model, near=guess, stable=not args.any)
    return CommandResult(str(pose), public_data(pose))
