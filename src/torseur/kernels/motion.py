"""Kernels of a simulation: flow, guards, jump, Jacobian, by the one native interface.

Inputs of each, in order: t, q, v, z, m, u, p, then what else it takes (`k` and `d` for the jump,
`dv` for a small motion).  What results show is in `outputs`, which compiles nothing.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any

from ..compiler import Kernel, remembered
from ..dynamics import MULTIPLIERS, SolutionWay
from ..quantities import PORTS, find, many_rows
from ..scalars import Called, Graph
from ..system import once
from .evaluation import LONGEST
from .strategy import LOOPED, most_joined

FOLDED = 20
"""Speeds up to which the full Jacobian is one text for implicit methods."""
BY_LINKS = "flow_jacobian by links"
"""That Jacobian of longer trees, for runs one by one."""
FOLLOWED = 2000  # operations of a flow that guards call rather than repeat
APART = ("flow", "guards", "jump", "project")  # kernels of many mechanisms side by side
MANY = 40  # contacts and dry frictions from which those are looked for
PIECED = (
    "flow",
    "project",
    "flow_jacobian",
    "leads",
)  # kernels that mechanisms with many loops have in pieces
FEW = 4  # kinds of joints that take less time to compile than the full Jacobian of such a tree


def few_kinds(system) -> bool:
    """Whether the joints of a system are of a few kinds."""
    return len({repr(k.joint) for k in system.links}) <= FEW


@once()
def motion_kernels(system) -> MotionKernels:
    """The kernels of a system; made once, so that a second run of it starts at once."""
    if system.held or system.switched:
        key = hashlib.sha256(repr((system.digest, "layout.rows")).encode()).digest()
        rows = remembered(key, lambda: list(system.layout.rows))
        vars(system.layout)["rows"] = tuple(rows)  # where the property keeps them
    return MotionKernels(system)


class MotionKernels:
    """Kernels of one system in motion, each compiled when first used."""

    def __init__(self, system, constraints=None):
        self.system, self.constraints = system, constraints
        at = system.layout
        self.sizes = {x: len(getattr(at, x)) for x in PORTS}
        self._kernels: dict[str, Kernel] = {}
        self._asked: set[str] = set()

    def __getitem__(self, name: str) -> Kernel:
        if name in self._kernels:
            return self._kernels[name]
        slopes = name == BY_LINKS
        own = find("flow_jacobian" if slopes else name)
        apart = name in APART and self.apart
        pieced = name in PIECED and self.pieced
        loop = apart or pieced or slopes or (name == "flow" and self._long)
        words = repr((self.system.digest, "motion", name, repr(self.constraints), loop))
        build = (
            self._islands
            if apart
            else self._pieces
            if pieced
            else self._slopes
            if slopes
            else self._rolled
            if loop
            else self._graph
        )
        made = Kernel(
            name,
            lambda: build(own),
            loop=loop,
            shapes=own.shape(self.system),
            key=hashlib.sha256(words.encode()).digest(),
            lanes=own.lanes,
            shared=True,
            rare=own.rare,
            ahead=self._ahead(name, pieced),
        )
        return self._kernels.setdefault(name, made)  # one for all threads: code lives with it

    def _ahead(self, name: str, pieced: bool) -> Kernel | None:
        """The kernel that another calls."""
        if pieced:
            return None if name == "flow_jacobian" else self._solution
        return self["flow"] if self._follows(name) else None

    @cached_property
    def _solution(self) -> Kernel:
        """Factors and sweeps of a mechanism with many loops, which its kernels share."""
        from .repeated_blocks import kernel as pieced

        words = repr((self.system.digest, "solution", repr(self.constraints)))
        return Kernel(
            "solution",
            lambda: pieced.solution(self.system, self._way),
            loop=True,
            key=hashlib.sha256(words.encode()).digest(),
            lanes=False,
            shared=True,
        )

    def lanes_again(self, name: str) -> int:
        """Address of a kernel for SIMD lanes, 0 the first time: compiled when asked for again.

        Of one too long for that it is always 0.
        """
        if self.pieced or self.apart or self.many_contacts:
            return 0
        if name in self._asked and sum(self[name].operations.values()) <= LONGEST:
            return self[name].lanes()[0]
        self._asked.add(name)
        return 0

    @cached_property
    def looped(self) -> bool:
        """Whether the flow is a loop, over links or over loops that are alike."""
        return self._long or self.pieced or self.apart

    @cached_property
    def _long(self) -> bool:
        """Whether it is a long tree; where time moves a placement, one without forces on bodies,
        whose wrenches the supply of that placement would need."""
        s = self.system
        if not self._tree or not find("forward_dynamics").long(s):
            return False
        return not (s.rheonomic and (s.layout.sees or any(e.ends for e in s.elements)))

    @cached_property
    def _tree(self) -> bool:
        """Whether no row holds it."""
        return not (self.system.held or self.system.switched)

    @cached_property
    def folds(self) -> bool:
        """Whether the equation of an implicit step is solved link by link: a tree of some length
        whose elements act along one coordinate each; where it has quaternions, one whose flow is
        a loop (IN.22)."""
        from .link_loops.implicit_solve import local_kinds

        s = self.system
        if s.nv <= FOLDED or s.rheonomic or s.shared or not self._tree:
            return False
        short = few_kinds(s) and not len(s.quaternions)
        return (self.looped or short) and local_kinds(s) is not None

    @cached_property
    def by_links(self) -> bool:
        """Whether derivatives of the flow are passes over links, one for each direction."""
        if not self._tree or self.system.nv <= FOLDED or self.system.shared:
            return False
        from .link_loops.jacobian import serves

        return serves(self.system, self.looped)

    @cached_property
    def folding(self) -> dict[str, Kernel]:
        """The two kernels of that equation."""
        from .link_loops.implicit_solve import local_kinds
        from .link_loops.kernel import implicit

        made: dict = {}

        def build(name):
            if not made:
                made.update(implicit(self.system, local_kinds(self.system)))
            return made[name]

        def kernel(name):
            words = repr((self.system.digest, "motion", name)).encode()
            key = hashlib.sha256(words).digest()
            return Kernel(name, lambda: build(name), loop=True, key=key, lanes=False, shared=True)

        return {name: kernel(name) for name in ("fold", "unfold")}

    @cached_property
    def pieced(self) -> bool:
        """Whether its loops are many and alike, so that kernels are loops over them."""
        if not many_rows(self.system):
            return False
        from .repeated_blocks import kernel as pieced

        return pieced.serves(self.system, self._way)

    @property
    def _way(self) -> SolutionWay:
        return self.constraints.way if self.constraints else MULTIPLIERS

    @cached_property
    def apart(self) -> bool:
        """Whether it is many small mechanisms with contacts: kernels are loops over them."""
        if self.constraints is not None or not self.system.switched or self.system.shared:
            return False
        from .repeated_blocks.islands import islands, large

        many = len(self.system.switched) >= MANY or large(self.system)
        return many and islands(self.system) is not None

    @cached_property
    def many_contacts(self) -> bool:
        """Whether its contacts and dry frictions are so many that they are loops over numbers."""
        return most_joined(self.system) >= LOOPED

    def _islands(self, own):
        from .repeated_blocks.islands import kernel

        return kernel(self.system, own.name)

    def _pieces(self, own):
        from .repeated_blocks import kernel as pieced

        return getattr(pieced, own.name)(self.system, self._way)

    def _slopes(self, _own):
        from .link_loops.jacobian import tree_slopes

        return tree_slopes(self.system)

    def _rolled(self, _own):
        from .link_loops import kernel as rolled

        return rolled.flow(self.system)

    def _graph(self, own):
        from ..quantities import Scene
        from .evaluation import graph

        loops = own.name in APART and self.many_contacts
        K = Called(loops=loops) if own.called or loops else Graph()
        scene = Scene(self.system, K, tuple(self.system.parameters), constraints=self.constraints)
        reads = [*PORTS, *(x for x in own.inputs if x not in PORTS)]
        if not self._follows(own.name):
            return graph(own, scene, reads)
        for port in self["flow"].outputs:
            scene.ports[f"flow.{port.name}"] = K.symbols(
                f"{port.name}{i}" for i in range(port.size)
            )
        found = [f"flow.{port.name}" for port in self["flow"].outputs]
        scene.solved = scene["flow.vdot"], scene["flow.lam"]
        made: Any = graph(own, scene, [*reads, *found])
        return (*(made if loops else (made, ())), len(found))

    def _follows(self, name: str) -> bool:
        """Whether a kernel goes on from what the flow gives, instead of solving for it again."""
        way = self._way
        if name != "guards" or not way.follows(self.system) or self.apart:
            return False
        return self.many_contacts or sum(self["flow"].operations.values()) > FOLLOWED
