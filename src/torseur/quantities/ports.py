"""What a `Dynamics` offers: the ports of every quantity.  Formulas are in `graphs` and `rolled`.

Code from the cache needs nothing else, so that no graph is opened to use it.
"""

from __future__ import annotations

PLAIN = {
    # name: (inputs, outputs)
    "inverse_dynamics": ("q v a", "tau"),
    "forward_dynamics": ("q v tau", "a"),
    "mass_matrix": ("q", "M"),
    "bias": ("q v", "tau"),
    "gravity_forces": ("q", "tau"),
    "coriolis_matrix": ("q v", "C"),
    "energy": ("q v", "kinetic potential"),
    "momentum": ("q v", "h"),
    "centre_of_mass": ("q", "c"),
    "reactions": ("q v a", "F"),
    "rates": ("q v", "qdot"),
    "speeds_from": ("q qdot", "v"),
    "integrate": ("q dv", "q1"),
    "difference": ("q q1", "dv"),
    "inverse_dynamics_derivatives": ("q v a", "dq dv da"),
    "forward_dynamics_derivatives": ("q v tau", "dq dv dtau"),
    "inverse_dynamics_parameters": ("q v a", "dp"),
    "constraint_residual": ("q t", "phi"),
    "constraint_jacobian": ("q t", "J"),
    "constrained_dynamics": ("q v tau t", "a lam"),
}
FRAMED = {
    "pose": ("q", "T"),
    "jacobian": ("q", "J"),
    "jacobian_rate": ("q v", "J"),
    "velocity": ("q v", "V"),
    "acceleration": ("q v a", "A"),
}
SIZES = {"q": "nq", "q1": "nq", "v": "nv", "a": "nv", "tau": "nv", "dv": "nv", "qdot": "nq"}
LOADED = frozenset(
    {
        "inverse_dynamics",
        "forward_dynamics",
        "bias",
        "reactions",
        "constrained_dynamics",
        "inverse_dynamics_derivatives",
        "forward_dynamics_derivatives",
    }
)
"""Kernels that external wrenches enter."""
ROLLED = frozenset({"inverse_dynamics", "forward_dynamics", "mass_matrix"})
THRESHOLD = 60
"""Speeds beyond which a kernel is a loop over links instead of straight-line code."""


def ports(name: str) -> tuple[list[str], list[str]]:
    """Names of a quantity's own inputs and outputs."""
    inputs, outputs = (PLAIN | FRAMED)[name]
    return inputs.split(), outputs.split()


def inputs(name: str, parameters=(), wrenches=()) -> list[str]:
    """Ports that a kernel reads: its own, then declared parameters and wrenches."""
    return ports(name)[0] + ["p"] * bool(parameters) + ["w"] * bool(wrenches and name in LOADED)


def shapes(system, name: str, wrenches=()) -> dict[str, tuple[int, ...]]:
    """Shapes of ports that are not plain columns or matrices."""
    out: dict[str, tuple[int, ...]] = {"t": ()} | ({"w": (len(wrenches), 6)} if wrenches else {})
    match name:
        case "energy":
            out |= {"kinetic": (), "potential": ()}
        case "reactions":
            out |= {"F": (len(system.links), 6)}
        case "mass_matrix":
            out |= {"M": (system.nv, system.nv)}
        case "coriolis_matrix":
            out |= {"C": (system.nv, system.nv)}
        case "jacobian" | "jacobian_rate":
            out |= {"J": (6, system.nv)}
        case "inverse_dynamics_derivatives" | "forward_dynamics_derivatives":
            out |= dict.fromkeys(ports(name)[1], (system.nv, system.nv))
    return out


def looped(system, name: str, parameters, wrenches) -> bool:
    """Whether a quantity of a system is computed by a loop over links."""
    return name in ROLLED and system.nv > THRESHOLD and not parameters and not wrenches
