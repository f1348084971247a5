"""Choice of a code generator for each kernel, and of an evaluation mode.

A kernel is the compiled code of one quantity of one system.  This module alone decides which
generator writes it: it compares the structure of the system with `thresholds`.  `choose_generator`
serves the kernels of `Dynamics`, `choose_motion_generator` those of a simulation.  Both are
functions of their arguments alone, and both say why.  The table of generators is in docs/engine.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import KernelError, TorseurError
from ..quantities import find
from ..system import once
from . import thresholds

if TYPE_CHECKING:
    from ..quantities import Quantity, SymbolicSystem
    from ..system import Islands, System

LINK_LOOP_QUANTITIES = frozenset({"inverse_dynamics", "forward_dynamics", "mass_matrix"})
TWO_STAGE_QUANTITIES = frozenset({"forward_dynamics_derivatives"})
DUAL_NUMBER_QUANTITIES = frozenset({"inverse_dynamics_derivatives", "forward_dynamics_derivatives"})
LINK_JACOBIAN = "flow_jacobian by links"
"""Kernel name of the Jacobian of the flow by passes over links, for runs one by one."""
ISLAND_QUANTITIES = frozenset({"flow", "guards", "jump", "project"})
BLOCK_QUANTITIES = frozenset({"flow", "project", "flow_jacobian"})
INTERPRETED_BLOCK_QUANTITIES = frozenset(
    {"constrained_terms", "constraint_positions", "constraint_jacobian", "openness", "turned"}
)
MOTION_QUANTITIES = frozenset(
    {"flow", "guards", "jump", "project", "leads", "flow_jacobian", "flow_gains"}
)
"""Kernels of a simulation: batches call them one state at a time."""
RARE_QUANTITIES = frozenset({"leads", "jump"})
"""Kernels of events: LLVM compiles large ones quickly rather than well."""
SUBROUTINE_QUANTITIES = frozenset({"flow", "project", "leads", "jump"})
"""Kernels in which parts that occur several times become subroutines."""


class Generator(StrEnum):
    """A code generator, or an evaluation mode that compiles nothing."""

    STRAIGHT_LINE = "straight-line program"
    ROW_LOOPS = "straight-line program with loops over contact rows"
    TREE_SIMD = "SIMD over the tree"
    TWO_STAGES = "two-stage program"
    LINK_LOOPS = "loops over links"
    REPEATED_BLOCKS = "repeated blocks"
    ISLANDS = "islands"
    DUAL_NUMBERS = "dual numbers"


class Condition(NamedTuple):
    """One fact of a system, and whether it admits a generator."""

    met: bool
    text: str


class GeneratorChoice(NamedTuple):
    """The generator of a kernel, why it serves, and why each generator before it does not."""

    generator: Generator
    reason: str
    rejected: tuple[tuple[Generator, str], ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.generator}: {self.reason}" if self.reason else str(self.generator)]
        lines += [f"  not {generator}: {reason}" for generator, reason in self.rejected]
        return "\n".join(lines)


Rule = tuple[Generator, Callable[[], Iterator[Condition]]]


def judge(conditions: Iterable[Condition]) -> Condition:
    """The first condition that is not met, or all of them as one."""
    facts = []
    for condition in conditions:
        if not condition.met:
            return condition
        facts += [condition.text] * bool(condition.text)
    return Condition(True, ", ".join(facts))


def _above(count: float, unit: str, limit: float) -> Condition:
    met = count > limit
    return Condition(met, f"{count:g} {unit} {'>' if met else '<='} {limit:g}")


def _at_or_above(count: float, unit: str, limit: float) -> Condition:
    is_met = count >= limit
    return Condition(is_met, f"{count:g} {unit} {'>=' if is_met else '<'} {limit:g}")


def _within(count: int, unit: str, limits: range) -> Condition:
    met = count in limits
    text = f"{count} {unit} {'in' if met else 'not in'} {limits.start} to {limits.stop - 1}"
    return Condition(met, text)


def _unless(obstacle: Any, text: str) -> Condition:
    """A condition that an obstacle violates; `text` names the obstacle."""
    return Condition(not obstacle, text if obstacle else "")


def _select(system: System, rules: Iterable[Rule]) -> GeneratorChoice:
    """The first generator whose conditions are met, else the straight-line program."""
    rejected: list[tuple[Generator, str]] = []
    for generator, conditions in rules:
        condition = judge(conditions())
        if condition.met:
            return GeneratorChoice(generator, condition.text, tuple(rejected))
        rejected.append((generator, condition.text))
    size = _above(system.nv, "speeds", thresholds.MAX_STRAIGHT_LINE_SPEEDS)
    reason = "no other generator serves it" if size.met else size.text
    return GeneratorChoice(Generator.STRAIGHT_LINE, reason, tuple(rejected))


# --------------------------------------------------------------------------------------------
# Kernels of `Dynamics`.


def choose_generator(
    system: System,
    quantity: str | Quantity,
    parameters: Collection[str] = (),
    wrenches: Collection[str] = (),
    lanes: int | None = None,
    batch: bool = False,
) -> GeneratorChoice:
    """Choose the code generator of a quantity that `Dynamics` compiles.

    Parameters
    ----------
    parameters : names of parameters that stay arguments
    wrenches : names of bodies or frames that external wrenches act on
    lanes : doubles in a SIMD register, those of this processor by default
    batch : whether the code evaluates one state in each SIMD lane

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=2.0, com=(0, 0, -0.5))
    >>> system = ts.Model(bodies=(rod,), joints=(
    ...     ts.Joint("pivot", "world", "rod", ts.Revolute("y")),)).check()
    >>> print(choose_generator(system, "forward_dynamics_derivatives"))
    straight-line program: 1 speeds <= 60
      not loops over links: forward_dynamics_derivatives has no loop over links
      not dual numbers: 1 speeds <= 200
      not SIMD over the tree: 1 speeds not in 8 to 128
      not two-stage program: 1 speeds not in 4 to 200
    """
    resolved = find(quantity) if isinstance(quantity, str) else quantity

    def simd() -> Iterator[Condition]:
        yield _unless(batch, "each SIMD lane is another state")
        yield _has_simd_variant(resolved)
        scene = _trigonometric_scene(system, parameters, wrenches)
        yield from simd_conditions(
            scene, resolved, _lanes_of_processor() if lanes is None else lanes
        )

    rules: list[Rule] = [
        (
            Generator.LINK_LOOPS,
            lambda: link_loop_conditions(system, resolved, parameters, wrenches),
        ),
        (Generator.DUAL_NUMBERS, lambda: dual_number_conditions(system, resolved, wrenches)),
        (Generator.TREE_SIMD, simd),
        (Generator.TWO_STAGES, lambda: two_stage_conditions(system, resolved)),
    ]
    return _select(system, rules)


def link_loop_conditions(
    system: System,
    quantity: Quantity,
    parameters: Collection[str] = (),
    wrenches: Collection[str] = (),
) -> Iterator[Condition]:
    """When a quantity of a long tree is a loop over its links."""
    yield _unless(
        quantity.name not in LINK_LOOP_QUANTITIES, f"{quantity.name} has no loop over links"
    )
    yield _above(system.nv, "speeds", thresholds.MAX_STRAIGHT_LINE_SPEEDS)
    yield _unless(system.shared, "slices of a beam share coordinates")
    yield _unless(parameters, "declared parameters stay arguments")
    yield _unless(wrenches, "external wrenches")
    yield _unless(system.rheonomic, "time moves a placement")


def dual_number_conditions(
    system: System, quantity: Quantity, wrenches: Collection[str] = ()
) -> Iterator[Condition]:
    """When the derivatives of a quantity are evaluated by dual numbers, one state at a time."""
    yield _unless(
        quantity.name not in DUAL_NUMBER_QUANTITIES, f"{quantity.name} is no derivative of dynamics"
    )
    yield _above(system.nv, "speeds", thresholds.TWO_STAGE_SPEEDS.stop - 1)
    yield _unless(wrenches, "external wrenches")


def two_stage_conditions(system: System, quantity: Quantity) -> Iterator[Condition]:
    """When a kernel is one program for what columns share, then one for every column (FD.4)."""
    yield _unless(quantity.name not in TWO_STAGE_QUANTITIES, f"{quantity.name} has one stage")
    yield _within(system.nv, "speeds", thresholds.TWO_STAGE_SPEEDS)


# --------------------------------------------------------------------------------------------
# SIMD over the tree: links and pairs of joints in the lanes of a register.


def simd_conditions(scene: SymbolicSystem, quantity: Quantity, lanes: int) -> Iterator[Condition]:
    """When the variant of a quantity for SIMD over the tree is faster than straight-line code."""
    name, system = quantity.name, scene.system
    if name == "inverse_dynamics":
        yield from _recursion_conditions(scene, lanes)
        return
    if name == "forward_dynamics":
        yield from _forward_conditions(scene)
    yield from _pair_conditions(scene, lanes)
    limit = thresholds.MAX_STRAIGHT_LINE_OPERATIONS.get(name)
    if limit is None:
        return
    pairs_in_joints = sum(k.joint.nv * (k.joint.nv - 1) // 2 for k in system.links)
    depth = (sum(speed_depths(scene.elementary.tree)) - pairs_in_joints) / system.nv
    if system.nv <= thresholds.MAX_COUNTED_SPEEDS and depth <= thresholds.MAX_COUNTED_DEPTH:
        yield _above(_count_operations(scene, quantity), "operations", limit)


def _has_simd_variant(quantity: Quantity) -> Condition:
    from .tree_simd.register import SIMD_VARIANTS

    name = quantity.name
    return _unless(name not in SIMD_VARIANTS, f"{name} has no SIMD variant")


def _pair_conditions(scene: SymbolicSystem, lanes: int) -> Iterator[Condition]:
    """Whether screws are constant in their links, and pairs of speeds many."""
    system = scene.system
    yield _within(system.nv, "speeds", thresholds.SIMD_SPEEDS)
    yield _at_or_above(lanes, "SIMD lanes", thresholds.MIN_SIMD_LANES)
    yield _unless(system.rheonomic, "time moves a placement")
    pairs = sum(speed_depths(scene.elementary.tree)) / system.nv - 1
    yield _at_or_above(pairs, "pairs per speed", thresholds.MIN_PAIRS_PER_SPEED)
    yield _constant_screws(scene)


def _forward_conditions(scene: SymbolicSystem) -> Iterator[Condition]:
    """Whether branches are too short for articulated bodies, and pairs many."""
    from ..dynamics import forward_dynamics

    depths = speed_depths(scene.elementary.tree)
    deepest = max(depths, default=0)
    yield Condition(
        deepest <= forward_dynamics.DEEP,
        f"{deepest} speeds from root to tip "
        f"{'<=' if deepest <= forward_dynamics.DEEP else '>'} {forward_dynamics.DEEP}",
    )
    pairs = sum(depths) - len(depths)
    min_pairs = thresholds.MIN_PAIRS_PER_SPEED_FORWARD * len(depths)
    yield _at_or_above(pairs, "pairs of speeds", max(thresholds.MIN_PAIRS_FORWARD, min_pairs))


def _recursion_conditions(scene: SymbolicSystem, lanes: int) -> Iterator[Condition]:
    """Whether enough links of one step along the tree are alike (NE.9)."""
    yield _at_or_above(lanes, "SIMD lanes", thresholds.MIN_SIMD_LANES)
    yield _unless(scene.system.rheonomic, "time moves a placement")
    yield _at_or_above(len(scene.elementary.tree.links), "links", thresholds.MIN_SIMD_LINKS)
    yield _constant_screws(scene)
    from .tree_simd.program import group_links

    links = scene.reduced.links
    groups = group_links(links, min(thresholds.MAX_LINKS_PER_REGISTER, lanes))
    max_steps = thresholds.MAX_STEPS_PER_LINK * len(links)
    met = len(groups) <= max_steps
    yield Condition(
        met, f"{len(groups)} steps of {len(links)} links {'<=' if met else '>'} {max_steps:g}"
    )


def _constant_screws(scene: SymbolicSystem) -> Condition:
    from ..formalisms import composite_derivatives

    met = composite_derivatives.has_constant_subspaces(
        scene.reduced, scene.reduced_coordinates(scene["q"])
    )
    return _unless(not met, "a joint whose screws vary in its link")


def speed_depths(tree) -> list[int]:
    """Number of speeds from the world to each speed, itself included."""
    from ..dynamics import forward_dynamics

    depths: list[int] = []
    for parent in forward_dynamics.speed_parents(tree):
        depths.append(depths[parent] + 1 if parent >= 0 else 1)
    return depths


def _count_operations(scene: SymbolicSystem, quantity: Quantity) -> int:
    """Operations of the straight-line program."""
    from .tracing import trace_function

    new = _trigonometric_scene(scene.system, scene.parameters, scene.wrenches)
    f = trace_function(
        quantity, new, quantity.reads(scene.system, scene.parameters, scene.wrenches)
    )
    return f.n_instructions() - f.nnz_in() - f.nnz_out()


def _trigonometric_scene(
    system: System, parameters: Iterable[str] = (), wrenches: Iterable[str] = ()
) -> SymbolicSystem:
    from ..quantities import SymbolicSystem
    from .graph_trigonometry import TrigonometricGraph

    return SymbolicSystem(system, TrigonometricGraph(), tuple(parameters), tuple(wrenches))


def _lanes_of_processor() -> int:
    from ..compiler import lanes

    return lanes()


# --------------------------------------------------------------------------------------------
# Kernels of a simulation.


def choose_motion_generator(
    system: System, name: str, constraints: Any = None, excluded: Collection[Generator] = ()
) -> GeneratorChoice:
    """Choose the code generator of a kernel of a simulation.

    Parameters
    ----------
    constraints : the `ConstraintSolver` of a run, or None for Lagrange multipliers
    excluded : generators that tests and benchmarks compare the others with

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=2.0, com=(0, 0, -0.5))
    >>> system = ts.Model(bodies=(rod,), joints=(
    ...     ts.Joint("pivot", "world", "rod", ts.Revolute("y")),)).check()
    >>> choose_motion_generator(system, "flow").reason
    '1 speeds <= 60'
    """

    def link_loops() -> Iterator[Condition]:
        yield _unless(name not in ("flow", LINK_JACOBIAN), f"{name} has no loop over links")
        if name == "flow":
            yield from flow_loop_conditions(system)

    def row_loops() -> Iterator[Condition]:
        yield _unless(name not in ISLAND_QUANTITIES, f"{name} solves for no contact row")
        yield row_loop_condition(system)

    def islands() -> Iterator[Condition]:
        yield _unless(name not in ISLAND_QUANTITIES, f"{name} has no program of islands")
        yield island_condition(system, constraints)

    def blocks() -> Iterator[Condition]:
        yield _unless(name not in BLOCK_QUANTITIES, f"{name} has no repeated blocks")
        yield block_condition(system, constraints)

    rules: list[Rule] = [
        (Generator.ISLANDS, islands),
        (Generator.REPEATED_BLOCKS, blocks),
        (Generator.LINK_LOOPS, link_loops),
        (Generator.ROW_LOOPS, row_loops),
    ]
    return _select(system, [rule for rule in rules if rule[0] not in excluded])


def _is_tree(system: System) -> Condition:
    rows = [e.name for e in (*system.held, *system.switched)]
    return _unless(rows, f"constraint rows ({', '.join(rows[:3])})")


@once()
def flow_loops(system: System) -> bool:
    """Whether the flow of a tree is a loop over its links."""
    return judge(flow_loop_conditions(system)).met


def flow_loop_conditions(system: System) -> Iterator[Condition]:
    """When the flow of a long tree is a loop over its links."""
    yield _is_tree(system)
    yield _above(system.nv, "speeds", thresholds.MAX_STRAIGHT_LINE_SPEEDS)
    yield _unless(system.shared, "slices of a beam share coordinates")
    if system.rheonomic:  # the power of a moving placement needs the wrenches on bodies
        yield _unless(system.layout.sees, "time moves a placement, and a law reads multipliers")
        yield _unless(
            any(e.ends for e in system.elements), "time moves a placement, and forces act on bodies"
        )


def link_jacobian_conditions(system: System) -> Iterator[Condition]:
    """When the Jacobian of the flow is passes over links, one for each direction."""
    yield _is_tree(system)
    yield _above(system.nv, "speeds", thresholds.MAX_FULL_JACOBIAN_SPEEDS)
    yield _unless(system.shared, "slices of a beam share coordinates")
    yield _unless(system.layout.sees, "a law reads multipliers")
    yield _unless(
        system.rheonomic and any(e.ends for e in system.elements),
        "time moves a placement, and forces act on bodies",
    )
    if not flow_loops(system):  # rates off the unit length would be those of another program: IN.22
        yield _unless(len(system.quaternions), "quaternions in a straight-line flow")


def link_factorization_conditions(system: System) -> Iterator[Condition]:
    """When the linear equation of an implicit step is factorized link by link (IN.14 to IN.19)."""
    yield _above(system.nv, "speeds", thresholds.MAX_FULL_JACOBIAN_SPEEDS)
    yield _is_tree(system)
    yield _unless(system.rheonomic, "time moves a placement")
    yield _unless(system.shared, "slices of a beam share coordinates")
    if not flow_loops(system):
        classes = len({repr(k.joint) for k in system.links})
        limit = thresholds.MAX_JOINT_CLASSES_OF_SHORT_TREES
        yield Condition(
            classes <= limit, f"{classes} joint classes {'<=' if classes <= limit else '>'} {limit}"
        )
        yield _unless(len(system.quaternions), "quaternions in a straight-line flow")
    from .link_loops.implicit_solve import local_element_classes

    yield _unless(
        local_element_classes(system) is None, "a force element acts along several coordinates"
    )


def row_loop_condition(system: System) -> Condition:
    """When native loops solve for the rows of contacts and dry frictions (DF.14)."""
    return _at_or_above(
        largest_mechanism(system),
        "speeds and rows of one mechanism with contacts",
        thresholds.MIN_ROW_LOOP_UNKNOWNS,
    )


def event_functions_read_flow(
    system: System, method: Any, is_in_islands: bool, flow_operations: Callable[[], int]
) -> bool:
    """Whether event functions read what the flow gives, instead of solving for it again."""
    if not method.follows(system) or is_in_islands:
        return False
    return (
        row_loop_condition(system).met
        or flow_operations() > thresholds.MAX_REPEATED_FLOW_OPERATIONS
    )


@once()
def largest_mechanism(system: System) -> int:
    """Speeds and rows of the largest mechanism that joints, contacts and dry frictions join."""
    if not system.switched:
        return 0
    root_of = {k.index: k.index for k in system.links}

    def root(i: int) -> int:
        while root_of[i] != i:
            root_of[i] = i = root_of[root_of[i]]
        return i

    link_groups = [tuple(i for i in e.links if i) for e in system.switched]
    joint_pairs = ((k.index, k.parent or k.reads) for k in system.links if k.parent or k.reads)
    for group in (*joint_pairs, *link_groups):
        for i in group[1:]:
            root_of[root(i)] = root(group[0])
    sizes = dict.fromkeys(root_of, 0)
    for k in system.owners:
        sizes[root(k.index)] += k.joint.nv
    rows_of_no_link = 0
    for e, group in zip(system.switched, link_groups, strict=True):
        if group:
            sizes[root(group[0])] += e.size
        else:
            rows_of_no_link += e.size
    return max(sizes.values(), default=0) + rows_of_no_link


# --------------------------------------------------------------------------------------------
# Islands: many small mechanisms with contacts that do not meet.


def has_large_islands(system: System) -> bool:
    """Whether one island alone is a long program."""
    return largest_mechanism(system) >= thresholds.LARGE_ISLAND_UNKNOWNS


def island_condition(system: System, constraints: Any = None) -> Condition:
    """When kernels are loops over equal islands with contacts."""
    if constraints is not None:
        return Condition(False, "another solution of the constraints")
    return judge(_island_conditions(system))


def _island_conditions(system: System) -> Iterator[Condition]:
    """Conditions of kernels as loops over islands."""
    yield _unless(not system.switched, "no contact and no dry friction")
    yield _unless(system.shared, "slices of a beam share coordinates")
    count = len(system.switched)
    enough = _at_or_above(count, "contacts and dry frictions", thresholds.MIN_ISLAND_ELEMENTS)
    large = _at_or_above(
        largest_mechanism(system),
        "speeds and rows of the largest mechanism",
        thresholds.LARGE_ISLAND_UNKNOWNS,
    )
    yield large if large.met else enough
    yield _unless(system.rheonomic, "time moves a placement")
    yield _unless(system.layout.gathered, "tables that are data")
    yield _unless(system.layout.sees, "a law reads multipliers")
    yield _equal_islands(system)


def _equal_islands(system: System) -> Condition:
    """Whether the islands are equal enough for loops."""
    classes_of_islands = island_classes(system)
    if classes_of_islands is None:
        return Condition(False, "no islands")
    classes = [*classes_of_islands.kinds, *(x.kind for x in classes_of_islands.between)]
    members = sum(len(k.constants) for k in classes)
    min_members = (
        thresholds.MIN_LARGE_ISLANDS_PER_CLASS
        if has_large_islands(system)
        else thresholds.MIN_MEMBERS_PER_CLASS
    )
    return _at_or_above(members / max(1, len(classes)), "islands per class", min_members)


@once()
def island_classes(system: System) -> Islands | None:
    """Classes of equal islands of a system, None where it has none."""
    from ..system import NotEquivalent, classify_islands

    try:
        return classify_islands(system)
    except (NotEquivalent, TorseurError):
        return None


# --------------------------------------------------------------------------------------------
# Repeated blocks: mechanisms of many equal loops.


def block_condition(system: System, constraints: Any = None) -> Condition:
    """When kernels are loops over equal parts of a mechanism with many loops (CK.8).

    Repeated blocks solve the KKT system alone: other solutions of a large mechanism are refused.
    """
    method = constraints.way if constraints is not None else None
    if method is None or method.solution == "multipliers":
        return repeated_blocks(system)
    if method.led and repeated_blocks(system).met:
        rows = sum(e.size for e in system.held)
        raise KernelError(
            f"{system.name!r}: solution={method.solution!r} is not supported for {system.nv} "
            f"speeds and {rows} constraint rows of equal loops (at most "
            f"{thresholds.MIN_REPEATED_BLOCK_UNKNOWNS - 1} together); use solution='multipliers'"
        )
    return Condition(False, f"solution={method.solution!r}")


@once()
def repeated_blocks(system: System) -> Condition:
    """Whether equal parts of a mechanism with many loops are worth loops."""
    return judge(_block_conditions(system))


def _block_conditions(system: System) -> Iterator[Condition]:
    """Conditions of kernels as repeated blocks."""
    rows = sum(e.size for e in system.held)
    yield _unless(not rows, "no bilateral constraint")
    unknowns = system.nv + rows
    min_unknowns = thresholds.MIN_REPEATED_BLOCK_UNKNOWNS
    yield _at_or_above(unknowns, "speeds and constraint rows", min_unknowns)
    yield _unless(system.shared, "slices of a beam share coordinates")
    yield _unless(system.switched, "contacts or dry frictions beside loops")
    yield _unless(system.rheonomic, "time moves a placement")
    yield _unless(not system.parameters.keys() >= {*system.symbols}, "parameters without values")
    yield _unless(system.layout.sees, "a law reads multipliers")
    from ..system import NotEquivalent
    from .repeated_blocks.structure import analyze_structure

    try:
        structure = analyze_structure(system)
    except (
        NotEquivalent,
        TorseurError,
    ) as error:  # an invalid model: its straight-line program says so
        yield Condition(False, f"parts differ ({error})")
        return
    yield _at_or_above(
        structure.member_count / structure.class_count,
        "members per class",
        thresholds.MIN_MEMBERS_PER_CLASS,
    )
    operations, limit = structure.front_operations, thresholds.MAX_FRONT_OPERATIONS
    yield Condition(
        operations <= limit,
        f"{operations} operations of fronts {'<=' if operations <= limit else '>'} {limit}",
    )


# --------------------------------------------------------------------------------------------
# Evaluation modes without a kernel of their own.


def evaluates_blocks(system: System, name: str) -> bool:
    """Whether NumPy evaluates a quantity class by class instead of its whole graph."""
    return name in INTERPRETED_BLOCK_QUANTITIES and repeated_blocks(system).met


def compiles_graph(operations: int) -> bool:
    """Whether a graph is compiled when it is evaluated a second time."""
    return operations <= thresholds.MAX_COMPILED_GRAPH_OPERATIONS


def evaluates_flow_by_dual_numbers(system: System) -> bool:
    """Whether the Jacobian of the flow at one state is evaluated by dual numbers."""
    is_tree = not (system.held or system.switched)
    return is_tree and system.nv > thresholds.MAX_GRAPH_JACOBIAN_SPEEDS


def evaluates_mass_by_dual_numbers(system: System, flow_has_loops: bool) -> bool:
    """Whether the mass matrix at one state is evaluated by dual numbers: no loop gives it."""
    too_long = system.nv > thresholds.MAX_COMPILED_MASS_MATRIX_SPEEDS
    return too_long and not (system.held or flow_has_loops)


# --------------------------------------------------------------------------------------------
# Explanation.


def describe_structure(system: System) -> str:
    """One line: what the decisions depend on."""
    rows = sum(e.size for e in system.held)
    contacts = len(system.switched)
    parts = [f"{len(system.links)} links", f"{system.nv} speeds"]
    parts += [f"{rows} constraint rows"] * bool(rows)
    parts += [f"{contacts} contacts and dry frictions"] * bool(contacts)
    parts += [f"{len(system.elements)} force elements"] * bool(system.elements)
    parts += ["beams"] * bool(system.shared)
    parts += ["placements that time moves"] * bool(system.rheonomic)
    return ", ".join(parts)


def explain_choice(
    system: System, name: str, parameters: Collection[str] = (), wrenches: Collection[str] = ()
) -> str:
    """The code generator of a quantity, and the facts and thresholds that decided."""
    if name in MOTION_QUANTITIES or name == LINK_JACOBIAN:
        choice = choose_motion_generator(system, name)
    else:
        choice = choose_generator(system, name, parameters, wrenches)
    lines = [f"{name} of {system.name!r} ({describe_structure(system)})", str(choice)]
    if name in ("flow_jacobian", LINK_JACOBIAN):
        for title, conditions in (
            ("Jacobian by passes over links", link_jacobian_conditions(system)),
            ("implicit steps factorized link by link", link_factorization_conditions(system)),
        ):
            condition = judge(conditions)
            lines.append(f"  {title}: {'yes' if condition.met else 'no'}, {condition.text}")
    return "\n".join(lines)
