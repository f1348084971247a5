"""`torseur equations`: exact equations of motion, in one of several languages."""

from __future__ import annotations

from ...files import write
from ...formalisms import FORMALISMS
from ..base import CommandResult, command, model_arguments, out_argument, read_model


def _options(p):
    model_arguments(p)
    p.add_argument(
        "--formalism",
        default="newton_euler",
        choices=tuple(FORMALISMS),
        help="by which they are derived",
    )
    form = p.add_mutually_exclusive_group()
    form.add_argument("--latex", action="store_true")
    form.add_argument("--mathml", action="store_true")
    form.add_argument("--sympy", action="store_true")
    form.add_argument("--code", choices=("c", "python", "fortran", "matlab"))
    p.add_argument(
        "--quantity",
        default="tau",
        help="what --code computes: tau, mass_matrix, bias, gravity, coriolis, christoffel, "
        "constraint_residual, constraint_jacobian or constraint_gamma",
    )
    p.add_argument("--forces", action="store_true", help="with the force elements of the model")
    out_argument(p, "write it there")


@command(
    "equations",
    "print the equations of motion, exact",
    [
        "equations arm.yaml",
        "equations arm.yaml --latex -o arm.tex",
        "equations arm.yaml --code c --quantity mass_matrix",
    ],
    _options,
)
def equations(args) -> CommandResult:
    """Exact equations, in one of several languages."""
    from ...symbolic import equations as derive

    eq = derive(read_model(args).check(), formalism=args.formalism, forces=args.forces)
    if args.code:
        text = eq.code(args.code, args.quantity)
    elif args.latex:
        text = eq.latex()
    elif args.mathml:
        text = eq.mathml()
    elif args.sympy:
        text = "\n".join(map(str, eq.sympy()))
    else:
        text = str(eq)
    data = {"formalism": args.formalism, "coordinates": list(eq.system.coordinates), "text": text}
    if args.out:
        write(args.out, text + "\n")
        return CommandResult(f"wrote {args.out}", data | {"file": args.out})
    return CommandResult(text, data)
