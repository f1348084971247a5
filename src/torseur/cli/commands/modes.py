"""`torseur modes`: natural frequencies and damping."""

from __future__ import annotations

from ..base import CommandResult, command, model_arguments, public_data, read_state, values_argument


def _options(p):
    model_arguments(p)
    values_argument(
        p,
        "--at",
        "coordinates, by name; the others as the file says; default: the nearest pose at rest",
    )


@command(
    "modes",
    "natural frequencies, damping and shapes",
    [
        "modes vehicle.yaml",
        "modes arm.yaml --at elbow.angle=90deg",
    ],
    _options,
)
def modes(args) -> CommandResult:
    """Natural frequencies and damping at a pose, or at the nearest equilibrium."""
    from ...solve import equilibrium, modes as find

    model, _, at = read_state(args, args.at)
    where = "about the pose given"
    if not args.at:
        at = dict(equilibrium(model, near=at).items())
        where = "about " + ", ".join(f"{n} = {round(x, 12) + 0.0:.6g}" for n, x in at.items())
    result = find(model, at=at, keep=[text.partition("=")[0] for text in args.at])
    return CommandResult(f"{where}\n{result}", {"at": at, **public_data(result)})
