"""The flow of a long tree: its elements as straight-line code, then looped forward dynamics."""

from __future__ import annotations

import hashlib
from collections import Counter

from ..compiler import Port, Program, entry_points, packed
from .rolled import Rolled
from .rolled_text import Text


class RolledFlow:
    """What a `Kernel` needs of a program.

    `driven` gives qdot, generalised forces and zdot from t, q, v, z, m, u, p; `forward` the
    accelerations from q, v and those forces.
    """

    def __init__(self, driven: Program, forward: Rolled):
        self.driven, self.forward = driven, forward
        qdot, force, zdot = driven.outputs
        self.inputs, self.outputs = driven.inputs, (qdot, Port("vdot", force.shape), zdot)
        self.nodes = [*driven.nodes, *forward.nodes]

    @property
    def operations(self) -> dict[str, int]:
        return dict(Counter(self.driven.operations) + Counter(self.forward.operations))

    @property
    def stamp(self) -> str:
        return hashlib.sha256((self.driven.stamp + self.forward.stamp).encode()).hexdigest()

    def module(self, lanes: int, fused: bool) -> str:
        """IR with `@thunk`, `@kernel` and `@gufunc`."""
        i, o = (
            [f"%{x}{k}" for k in range(len(ports))]
            for x, ports in (("i", self.inputs), ("o", self.outputs))
        )
        heads = ", ".join(
            [f"ptr noalias readonly {x}" for x in i] + [f"ptr noalias {x}" for x in o]
        )
        (q, v), (qdot, vdot, zdot) = i[1:3], o
        thunk = f"""define void @thunk({heads}) {{
entry:
  %force = call ptr @torseur.malloc(i64 {8 * self.outputs[1].size})
  call void @driven({", ".join(f"ptr {x}" for x in (*i, qdot, "%force", zdot))})
  call void @forward(ptr {q}, ptr {v}, ptr %force, ptr {vdot})
  call void @torseur.free(ptr %force)
  ret void
}}
"""
        parts = Text(self.forward, lanes, fused).parts("forward", driven=self.driven)
        return "\n".join([*parts, thunk, entry_points(self), packed(self)])
