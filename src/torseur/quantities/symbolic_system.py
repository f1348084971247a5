"""Symbolic system: a system over one scalar, and the symbols of its ports."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import kinematics
from ..dynamics import Motion, base_inertias, constraint_rows, elementary_joints, frame_selection
from ..dynamics.constraints import self_stress
from ..errors import KernelError
from ..joints import TIME
from ..scalars import vector
from ..spatial import Wrench, cross

if TYPE_CHECKING:
    from ..system import System

SIZE_ATTRIBUTES = {
    "q": "nq",
    "q1": "nq",
    "qdot": "nq",
    "v": "nv",
    "a": "nv",
    "tau": "nv",
    "dv": "nv",
}

ROW_ATTRIBUTES = {
    "lam": "rows",
    "held_lam": "held_rows",
    "every_lam": "every_row",
    "every_held_lam": "every_held_row",
}
"""Ports with one number for each constraint row, and the attribute with the rows."""


def joined(system: System) -> tuple[int, ...]:
    """Links that loops, constraints, contacts or dry frictions join, without the world."""
    constraints: tuple[Any, ...] = (*system.held, *system.switched)
    elements = (e for e in constraints if e.joins)
    return tuple(sorted({place.link for e in elements for place in (e.F, e.M)} - {0}))


class SymbolicSystem:
    """A system over the scalar `K`; over a graph also the symbols of every port.

    `parameters` are names that become symbols, the others keep their values; `wrenches` are bodies
    or frames that external wrenches act on; `constraints` solves the rows, as `Motion` takes it;
    `skipped` are indices of force elements that do not act.
    """

    def __init__(
        self, system: System, K: Any, parameters=(), wrenches=(), constraints=None, skipped=()
    ):
        self.system, self.K, self.wrenches = system, K, tuple(wrenches)
        self.parameters, self.constraints = tuple(parameters), constraints
        self.skipped = frozenset(skipped)
        self.ports: dict[str, np.ndarray] = {}
        self.wrench_maps: dict[int, np.ndarray] = {}  # of constraints, over the scene's own q
        self.solved: tuple = ()  # accelerations and multipliers that another kernel gives
        if parameters:
            self.ports["p"] = K.symbols(parameters)
            K.parameters.update(zip(parameters, self.ports["p"], strict=True))
        missing = [
            n for n in system.symbols if n not in K.parameters and system.parameters.get(n) is None
        ]
        if missing:
            raise KernelError(
                f"no value is known for {', '.join(map(repr, missing))}; give nominal values in "
                "Model(parameters={...}) or keep them as arguments: compile(system, "
                f"parameters=({', '.join(map(repr, missing))},))"
            )

    def __getitem__(self, port: str) -> np.ndarray:
        """Symbols of a port."""
        if port == "t" and self.system.rheonomic:
            return vector((self.tree.K.parameters[TIME],))
        if port not in self.ports:
            names = (
                [f"{n}.{c}" for n in self.wrenches for c in ("mx", "my", "mz", "fx", "fy", "fz")]
                if port == "w"
                else [f"{port}{i}" for i in range(self.size(port))]
            )
            self.ports[port] = self.K.symbols(names)
        return self.ports[port]

    def size(self, port: str) -> int:
        """Numbers of a port."""
        # accelerations, and what comes after them
        if port in SIZE_ATTRIBUTES or port.startswith("jet"):
            return getattr(self.system, SIZE_ATTRIBUTES.get(port, "nv"))
        if port in ("z", "m", "u"):
            return len(getattr(self.system.layout, port))
        if port in ROW_ATTRIBUTES:
            return len(getattr(self, ROW_ATTRIBUTES[port]))
        if port == "links":
            return 6 * len(joined(self.system))
        return {"t": 1, "k": 1, "p": 0, "d": self.system.layout.gathered}[port]

    @cached_property
    def tree(self):
        return self.system.over(self.K)

    @cached_property
    def elementary(self) -> elementary_joints.Split:
        """The tree with compound joints split into elementary ones."""
        return elementary_joints.split(self.tree)

    @cached_property
    def frames(self):
        """Link frames chosen for fewer operations (RF.1)."""
        return frame_selection.select_frames(self.elementary.tree)

    @cached_property
    def reduced(self):
        """The tree in these frames, with base inertial parameters."""
        return base_inertias.regroup_inertias(self.frames.tree)

    @cached_property
    def motion(self) -> Motion:
        """The whole equation, with force elements and constraints."""
        return Motion(self.system, self.K, self.constraints)

    # ---- constraint rows, over the scene's own t, q, v -----------------------------------------

    @cached_property
    def held_rows(self):
        """Rows of bilateral constraints."""
        return constraint_rows(self.tree, self.system, self["t"][0], self["q"], self["v"])

    @cached_property
    def rows(self):
        """Rows of the motion, those of contacts and dry frictions too."""
        if not self.system.switched:
            return self.held_rows
        t, q, v = self["t"][0], self["q"], self["v"]
        return constraint_rows(self.tree, self.system, t, q, v, switched=True)

    @cached_property
    def every_row(self):
        """The same, with redundant rows."""
        return self_stress.every_row(self.tree, self.system, self.rows)

    @cached_property
    def every_held_row(self):
        """Rows of bilateral constraints, with redundant rows."""
        return self_stress.every_row(self.tree, self.system, self.held_rows)

    # ---- external wrenches, and the reduced tree -----------------------------------------------

    def external(self, q: np.ndarray) -> dict[int, Wrench] | None:
        """External wrenches (world axes, at the frames' origins) as wrenches on links."""
        out: dict[int, Wrench] = {}
        X = kinematics.poses(self.tree, q) if self.wrenches else []
        for i, name in enumerate(self.wrenches):
            frame = self.tree.place(name)
            X_WL, components = X[frame.link], self["w"][6 * i : 6 * i + 6]
            X_LB = frame.X_LB
            # at B, axes of L
            F = Wrench(X_WL.unrotate(components[:3]), X_WL.unrotate(components[3:]))
            F = Wrench(F.moment + cross(X_LB.p, F.force), F.force)
            out[frame.link] = out[frame.link] + F if frame.link in out else F
        return out or None

    def reduced_coordinates(self, q: np.ndarray) -> np.ndarray:
        """Coordinates of the reduced tree in its frames."""
        return self.K.shifted(q, self.frames.offsets)

    def reduced_inputs(self, q: np.ndarray):
        """Coordinates and external wrenches of the reduced tree."""
        external, last = self.external(q) or {}, self.elementary.last
        return self.reduced_coordinates(q), self.frames.wrenches(
            {last[i]: F for i, F in external.items()}
        )
