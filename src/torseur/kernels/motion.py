"""Kernels of a simulation: flow, guards, jump, projection and Jacobian.

Inputs of each, in order: t, q, v, z, m, u, p, then its other inputs (`k` and `d` for the jump, `dv`
for a small motion).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection
from functools import cached_property
from typing import Any

from ..compiler import Kernel, remembered
from ..dynamics import MULTIPLIERS, SolutionMethod
from ..quantities import PORTS, Quantity, SymbolicSystem, find
from ..scalars import Called, Graph
from ..system import System, once
from . import strategy
from .strategy import Generator
from .tracing import trace_function

BY_LINKS = strategy.LINK_JACOBIAN


@once()
def motion_kernels(system: System) -> MotionKernels:
    """The kernels of a system, one set for all its runs."""
    if system.held or system.switched:
        key = hashlib.sha256(repr((system.digest, "layout.rows")).encode()).digest()
        rows = remembered(key, lambda: list(system.layout.rows))
        vars(system.layout)["rows"] = tuple(rows)  # where the property keeps them
    return MotionKernels(system)


class MotionKernels:
    """Kernels of the motion of one system, each compiled when first used.

    `constraints` is the `ConstraintSolver` of a run, or None for Lagrange multipliers.  Generators
    that are `excluded` are not chosen.
    """

    def __init__(
        self, system: System, constraints: Any = None, excluded: Collection[Generator] = ()
    ):
        self.system, self.constraints, self.excluded = system, constraints, excluded
        self.sizes = {x: len(getattr(system.layout, x)) for x in PORTS}
        self._kernels: dict[str, Kernel] = {}
        self._asked: set[str] = set()

    def __getitem__(self, name: str) -> Kernel:
        """The kernel of a quantity, compiled when first called."""
        if name in self._kernels:
            return self._kernels[name]
        quantity = find("flow_jacobian" if name == BY_LINKS else name)
        generator = strategy.choose_motion_generator(
            self.system, name, self.constraints, self.excluded
        ).generator
        has_loops = generator in (
            Generator.ISLANDS,
            Generator.REPEATED_BLOCKS,
            Generator.LINK_LOOPS,
        )
        words = repr((self.system.digest, "motion", name, repr(self.constraints), has_loops))
        kernel = Kernel(
            name,
            self._builder(generator, name, quantity),
            loop=has_loops,
            shapes=quantity.shape(self.system),
            key=hashlib.sha256(words.encode()).digest(),
            lanes=name not in strategy.MOTION_QUANTITIES and name != BY_LINKS,
            shared=True,
            rare=name in strategy.RARE_QUANTITIES,
            ahead=self._called_first(name, generator),
        )
        return self._kernels.setdefault(name, kernel)  # one for all threads: code lives with it

    def _builder(self, generator: Generator, name: str, quantity: Quantity) -> Callable[[], Any]:
        """The function that writes the program of a kernel."""
        system = self.system

        def build() -> Any:
            """Write the program by the chosen generator."""
            if generator is Generator.ISLANDS:
                from .repeated_blocks.islands import build_islands

                return build_islands(system, name)
            if generator is Generator.REPEATED_BLOCKS:
                from .repeated_blocks.kkt_kernel import BUILDERS

                return BUILDERS[name](system)
            if generator is Generator.LINK_LOOPS:
                if name == BY_LINKS:
                    from .link_loops.jacobian import build_jacobian_loop

                    return build_jacobian_loop(system)
                from .link_loops.build_loops import build_flow_loop

                return build_flow_loop(system)
            return self._trace(quantity, generator is Generator.ROW_LOOPS)

        return build

    def _called_first(self, name: str, generator: Generator) -> Kernel | None:
        """The kernel that another calls first."""
        if generator is Generator.REPEATED_BLOCKS:
            return None if name == "flow_jacobian" else self._solution
        return self["flow"] if self._reads_flow(name) else None

    @cached_property
    def _solution(self) -> Kernel:
        """Factorization and sweeps of the KKT system of repeated blocks, which kernels share."""
        from .repeated_blocks.kkt_kernel import build_solution

        words = repr((self.system.digest, "solution", repr(self.constraints)))
        return Kernel(
            "solution",
            lambda: build_solution(self.system),
            loop=True,
            key=hashlib.sha256(words.encode()).digest(),
            lanes=False,
            shared=True,
        )

    def simd_address_when_repeated(self, name: str) -> int:
        """Address of a kernel for SIMD lanes, compiled when it is requested a second time.

        It is 0 the first time, and always for a kernel that has loops or is too long.
        """
        if self.has_repeated_blocks or self.apart or self.many_contacts:
            return 0
        operations = self[name].operations
        if name in self._asked and strategy.compiles_graph(sum(operations.values())):
            return self[name].lanes()[0]
        self._asked.add(name)
        return 0

    @cached_property
    def looped(self) -> bool:
        """Whether the flow is a loop over links, repeated blocks or islands."""
        return strategy.flow_loops(self.system) or self.has_repeated_blocks or self.apart

    @cached_property
    def folds(self) -> bool:
        """Whether the linear equation of an implicit step is factorized link by link."""
        return strategy.judge(strategy.link_factorization_conditions(self.system)).met

    @cached_property
    def by_links(self) -> bool:
        """Whether the Jacobian of the flow is passes over links, one for each direction."""
        return strategy.judge(strategy.link_jacobian_conditions(self.system)).met

    @cached_property
    def link_factorization(self) -> dict[str, Kernel]:
        """The two kernels of the factorization over links: factor and solve."""
        from .link_loops.build_loops import build_implicit_loops
        from .link_loops.implicit_solve import local_element_classes

        programs: dict = {}

        def build(name: str):
            if not programs:
                classes = local_element_classes(self.system)
                programs.update(build_implicit_loops(self.system, classes))
            return programs[name]

        def kernel(name: str):
            words = repr((self.system.digest, "motion", name)).encode()
            key = hashlib.sha256(words).digest()
            return Kernel(name, lambda: build(name), loop=True, key=key, lanes=False, shared=True)

        return {name: kernel(name) for name in ("fold", "unfold")}

    @cached_property
    def has_repeated_blocks(self) -> bool:
        """Whether kernels are loops over equal blocks of a mechanism with many loops."""
        return (
            Generator.REPEATED_BLOCKS not in self.excluded
            and strategy.block_condition(self.system, self.constraints).met
        )

    @property
    def _method(self) -> SolutionMethod:
        return self.constraints.way if self.constraints else MULTIPLIERS

    @cached_property
    def apart(self) -> bool:
        """Whether kernels are loops over equal islands with contacts."""
        return (
            Generator.ISLANDS not in self.excluded
            and strategy.island_condition(self.system, self.constraints).met
        )

    @cached_property
    def many_contacts(self) -> bool:
        """Whether native loops solve for the rows of contacts and dry frictions."""
        return strategy.row_loop_condition(self.system).met

    def _trace(self, quantity: Quantity, has_row_loops: bool) -> Any:
        """The `casadi.Function` of a kernel, or one with subroutines."""
        has_subroutines = quantity.name in strategy.SUBROUTINE_QUANTITIES or has_row_loops
        K = Called(loops=has_row_loops) if has_subroutines else Graph()
        scene = SymbolicSystem(
            self.system, K, tuple(self.system.parameters), constraints=self.constraints
        )
        ports = [*PORTS, *(x for x in quantity.inputs if x not in PORTS)]
        if not self._reads_flow(quantity.name):
            return trace_function(quantity, scene, ports)
        for port in self["flow"].outputs:
            scene.ports[f"flow.{port.name}"] = K.symbols(
                f"{port.name}{i}" for i in range(port.size)
            )
        rates = [f"flow.{port.name}" for port in self["flow"].outputs]
        scene.solved = scene["flow.vdot"], scene["flow.lam"]
        function: Any = trace_function(quantity, scene, [*ports, *rates])
        return (*(function if has_row_loops else (function, ())), len(rates))

    def _reads_flow(self, name: str) -> bool:
        """Whether a kernel reads the results of the flow, instead of solving for them again."""
        return name == "guards" and strategy.event_functions_read_flow(
            self.system, self._method, self.apart, lambda: sum(self["flow"].operations.values())
        )
