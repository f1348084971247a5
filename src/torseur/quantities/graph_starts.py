"""The start of laws as a graph: what a compiled model remembers when it begins somewhere else."""

from __future__ import annotations

import hashlib
from functools import partial

from ..compiler import Kernel
from ..dynamics import Moment
from ..errors import NotInRing
from ..numbers import Deciding, ManyWays, vector
from .register import PORTS
from .scene import Scene

NOTHING = ""


def starts_kernel(system) -> Kernel | str | None:
    """A kernel of states, memory and gaps of contacts at a start, of what the flow reads.

    None where a law searches for its start, or chooses among very many; nothing where there is
    nothing to begin.
    """
    try:
        function = _function(system)
    except (ManyWays, TypeError, NotInRing):
        return None
    if not any(function.numel_out(i) for i in range(3)):
        return NOTHING
    words = repr((system.digest, "starts"))
    return Kernel(
        "starts",
        lambda: function,
        key=hashlib.sha256(words.encode()).digest(),
        shapes={"t": ()},
        lanes=False,
        rare=True,
    )


def _begun(K, e, a) -> list:
    return [x for part in e.begin(K, a.seen) for x in part]


def _function(system):
    """The `casadi.Function` of all starts."""
    K = Deciding()
    scene = Scene(system, K, tuple(system.parameters))
    given = [scene[x] if x != "p" or system.parameters else vector(()) for x in PORTS]
    motion, at = scene.motion, system.layout
    z, m = vector([0] * len(at.z)), vector([0] * len(at.m))
    now = Moment(given[0][0], given[1], given[2], z.copy(), m.copy(), given[5])
    acting = motion.loads(motion.seeing(now)).acting
    for e, a in zip(motion.elements, acting, strict=True):
        if e.law is not None and (e.states or e.memory):
            new = K.chosen(partial(_begun, K, e, a))
            z[e.z], m[e.m] = new[: len(e.states)], new[len(e.states) :]
    gaps = [e.residual(motion.tree, given[0][0], given[1])[0] for e in system.switched if e.contact]
    columns = [K.lib.densify(K.sx(vector(x))) for x in (z, m, gaps)]
    return K.lib.Function(
        "starts", [K.sx(x) for x in given], columns, list(PORTS), ["z1", "m1", "gaps"]
    )
