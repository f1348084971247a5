"""Delassus matrix of switched rows by native routines, for kernels of many contacts.

Written out, the text of such a kernel would grow with the cube of the number of rows.  Instead the
kernel computes mass matrix and constraint Jacobian, and native routines (`native/`) do the linear
algebra.  In deep trees, momenta and wrenches are projected on the joint axes natively as well, so
that the text does not grow with depth.  Equations CB.2, CB.3, DF.14.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...constraints import between
from ...formalisms import composite_body
from ...kinematics import outward
from ...scalars import NativeText, vector
from ...spatial import IDENTITY, cross, evaluate_pose
from ..constraints.rows import Rows, constraint_rows, wrench_map
from ..sparse_factorization import filled, is_zero

if TYPE_CHECKING:
    from ...system import Tree
    from ..state import Moment

MAX_WRITTEN_ENTRIES = 9  # of M and J for each speed and row; above, native tree traversal


def call_native(
    K: Any, name: str, layout: tuple[int, ...], arrays: Sequence, shown: int, work=0, index=0
) -> tuple[np.ndarray, Any]:
    """First `shown` numbers of the result of a native routine, and the symbol of the whole."""
    from . import native  # noqa: F401  (registers the routines; only contacts need them)

    return K.native(NativeText(name, layout, index, shown, shown + work), arrays)


@dataclass(frozen=True, eq=False)
class DelassusBlock:
    """`G = J M^-1 J'` and `M^-1 J'` at one position, as arrays of native routines.

    `layout` is the integer table of `native/schur_complement`, `symbol` stands for the arrays.
    """

    K: Any
    layout: tuple[int, ...]
    symbol: Any

    @classmethod
    def assemble(
        cls,
        tree: Tree,
        q: np.ndarray,
        solver,
        rows: Rows,
        M: np.ndarray,
        force: np.ndarray,
        gamma: np.ndarray,
        requested,
    ) -> tuple[DelassusBlock, np.ndarray, np.ndarray]:
        """The block, `M^-1 force` (nv), and its rate along each row minus `gamma`.

        Rows whose `requested` is zero are left out.  `solver` is the `ConstraintSolver`.
        """
        K, n, m, slots = tree.K, len(M), len(rows), solver.row_slots(rows)
        if rows.walked:
            paths = build_tree_paths(tree, solver.switched, rows, q)
            mass_entries, row_entries = paths.mass_entries, paths.row_entries
            values = vector((paths.evaluate(K, vector(requested)),))
        else:
            mass_entries = [(k, j) for k in range(n) for j in filled(M[k]) if j <= k]
            row_entries = [(i, j) for i in range(m) for j in filled(rows.J[i])]
            values = vector([*(M[e] for e in mass_entries), *(rows.J[e] for e in row_entries)])
        # tips are eliminated first
        positions = [(n - 1 - k) * n + n - 1 - j for k, j in mass_entries]
        row_table = [x for i, j in row_entries for x in (i, n - 1 - j)]
        frictions = []
        for normal_contact, part in zip(
            solver.normal_contacts, slots[len(solver.contacts) :], strict=True
        ):
            normal = -1 if normal_contact is None else slots[normal_contact][0]
            frictions += [part[0] if part else 0, len(part), normal]
        sizes = n, m, len(solver.normal_contacts), len(positions), len(row_entries)
        layout = *sizes, *positions, *row_table, *rows.owners, *frictions
        inputs = [*force[::-1], *gamma, *requested]
        size = n + 2 * m + m * m + n * n + n + 1 + m + n * m + m
        shown, symbol = call_native(
            K, "assemble_delassus", layout, [values, vector(inputs)], n + m, size - n - m
        )
        return cls(K, layout, symbol), shown[:n][::-1], shown[n:]

    def __len__(self) -> int:
        return self.layout[1]

    @property
    def frictions(self) -> int:
        """Number of frictions."""
        return self.layout[2]

    def _call(self, name: str, inputs, shown: int, work: int = 0, index: int = 0) -> np.ndarray:
        arrays = [vector((self.symbol,)), vector(inputs)]
        return call_native(self.K, name, self.layout, arrays, shown, work, index)[0]

    def solve_active_rows(self, active: np.ndarray, missing, rounds: int) -> np.ndarray:
        """Forces along the active rows from the missing rate of each."""
        m = len(self)
        return self._call("solve_active_rows", [*active, *missing], m, 4 * m + m * m, rounds)

    def multiply(self, x) -> np.ndarray:
        """Rates along the rows that forces x along them cause: `G x`."""
        return self._call("multiply_delassus", x, len(self))

    def velocity_change(self, x) -> np.ndarray:
        """Change of the speeds that forces x along the rows cause: `M^-1 J' x`."""
        return self._call("solve_mass_matrix", x, self.layout[0])[::-1]

    def solve_row_forces(
        self,
        active: np.ndarray,
        directions,
        free,
        target: np.ndarray,
        low,
        rounds: int,
        distribution,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Forces along the rows, nearest to a distribution, and the sizes of sliding frictions."""
        m, c = len(self), self.frictions
        slip = vector([0] * m)
        first_rows = self.layout[len(self.layout) - 3 * c :: 3]
        for first, d in zip(first_rows, directions, strict=True):
            for j, x in enumerate(d):
                slip[first + j] = x
        inputs = [*active, *slip, *free, *target, *low, *distribution]
        work = 4 * m + 2 * c + c * m + c * c + m * m
        forces = self._call("solve_row_forces", inputs, m + c, work, rounds)
        return forces[:m], forces[m:]

    def solve_impact(
        self, role: np.ndarray, speed, target: np.ndarray, low, p: np.ndarray, work: int
    ) -> np.ndarray:
        """Impulses of an impact and the flag of `native/impact_gauss_seidel`."""
        m = len(self)
        inputs = [*role, *speed, *target, *low, *p]
        return self._call("solve_impact", inputs, m + 1, 3 * m + work + 3 * m * (m + 3))

    def distribute_static_friction(
        self, active: np.ndarray, lam: np.ndarray, high, distribution, overloaded
    ) -> np.ndarray:
        """Static friction distribution, forces and outcomes of `native/static_friction`."""
        m = len(self)
        inputs = [*active, *lam, *high, *distribution, *overloaded]
        shown = 2 * m + self.frictions
        return self._call("distribute_static_friction", inputs, shown, 6 * m + m * m)

    def reduce_to_friction(
        self, active: np.ndarray, lam: np.ndarray, free, target: np.ndarray, k: int, starts
    ) -> np.ndarray:
        """Rates and Delassus matrix of the two rows of friction k that `starts` to slide."""
        m = len(self)
        inputs = [*active, *lam, *free, *target, starts]
        return self._call("reduce_to_friction", inputs, 9, 6 * m + m * m, k)


def uses_native_rows(K: Any, solver, M: np.ndarray) -> bool:
    """Whether native routines can compute the switched rows of a system."""
    laws = [e.friction for e in solver.frictions]
    pressed_by_contacts = all(
        law.normal is None or normal_contact is not None
        for law, normal_contact in zip(laws, solver.normal_contacts, strict=True)
    )
    switched_only = not (solver.system.held or any(e.stores for e in solver.frictions))
    has_inertia = not any(is_zero(M[j, j]) for j in range(len(M)))
    supported = pressed_by_contacts and switched_only and has_inertia
    return K.loops and supported and solver.way.solution == "multipliers"


def switched_rows(solver, tree: Tree, state: Moment) -> Rows:
    """Constraint rows of a system, without J where native tree traversal computes it."""
    has_switched, traversed = bool(solver.switched), False
    if tree.K.loops and uses_tree_traversal(tree, solver.switched):
        traversed = uses_native_rows(tree.K, solver, composite_body.mass_matrix(tree, state.q))
    return constraint_rows(
        tree, solver.system, state.t, state.q, state.v, switched=has_switched, walked=traversed
    )


class NativeSolver(NamedTuple):
    """Corrections of speeds by native routines, with the interface of `kkt.KKTSystem`."""

    block: DelassusBlock
    active: np.ndarray

    def correct(self, gamma: np.ndarray) -> np.ndarray:
        """The dv of least kinetic energy with `J dv = gamma` on the active rows."""
        return self.block.velocity_change(self.block.solve_active_rows(self.active, gamma, 3))


# --------------------------------------------------------------------------------------------
# Entries of mass matrix and Jacobian by native traversal of the tree


class TreePaths(NamedTuple):
    """Paths to the root, the entry of M or J that each product belongs to, and their inputs."""

    mass_entries: list[tuple[int, int]]  # unknowns of each entry of M
    row_entries: list[tuple[int, int]]  # row and unknown of each entry of J
    layout: tuple[int, ...]
    inputs: np.ndarray

    def evaluate(self, K: Any, requested) -> Any:
        """Symbol of the array of all entries; of rows that are not requested undefined."""
        size = len(self.mass_entries) + len(self.row_entries)
        arrays = [requested, self.inputs]
        return call_native(K, "project_on_joint_axes", self.layout, arrays, 0, size)[1]


def uses_tree_traversal(tree: Tree, elements) -> bool:
    """Whether all rows act between two frames of a tree so deep that traversal is less text."""
    if tree.rheonomic or tree.shared or not all(e.joins for e in elements):
        return False
    depths = {k.index: sum(x.joint.nv for x in tree.ancestors(k.index)) for k in tree.links}
    entries = sum(k.joint.nv * depths[k.index] for k in tree.links)
    entries += sum(e.size * sum(tree.links[i - 1].joint.nv for i in e.links) for e in elements)
    return entries > MAX_WRITTEN_ENTRIES * (tree.nv + sum(e.size for e in elements))


class _PathTable:
    """Integer table and wrenches of the paths of a tree."""

    def __init__(self, tree: Tree):
        self.tree = tree
        self.integers: list[Any] = []
        self.wrenches: list[Any] = []

    def add(self, link: int, steps: int, row: int, end: int, wrench) -> list[int]:
        """Add the path of `steps` links from a link to the root; the unknowns along it."""
        links = self.tree.links
        k = links[link - 1]
        unknowns = list(range(k.v.start, end))
        for _ in range(steps - 1):
            k = links[k.parent - 1]
            unknowns += range(k.v.start, k.v.stop)
        self.integers.extend((link - 1, steps, row, end, len(unknowns)))
        self.wrenches.extend(wrench)
        return unknowns


def build_tree_paths(tree: Tree, elements, rows: Rows, q: np.ndarray) -> TreePaths:
    """Paths of the momentum of each speed (CB.3) and of the wrench of each constraint row."""
    K = tree.K
    poses = outward(
        tree,
        lambda K, k, X, q: X @ k.X_PF @ k.joint.pose(K, q) if k.parent else IDENTITY,
        IDENTITY,
        (q, "q"),
    )
    table = _PathTable(tree)
    axes: list[Any] = []
    arms: list[Any] = []
    mass_entries: list[tuple[int, int]] = []
    momenta = composite_body.momenta(tree, q)
    for k in tree.links:
        X, step = poses[k.index], k.X_PF @ k.joint.pose(K, q[k.q])
        arms.extend(poses[k.parent].rotate(step.p))
        for i, s in enumerate(k.joint.subspace(K, q[k.q]).T, start=k.v.start):
            axes.extend((*X.rotate(s[:3]), *X.rotate(s[3:])))
            h = momenta[i].array
            momentum = (*X.rotate(h[:3]), *X.rotate(h[3:]))
            depth = len([*tree.ancestors(k.index)])
            mass_entries += [(i, j) for j in table.add(k.index, depth, -1, i + 1, momentum)]
    row_entries = _add_row_paths(table, elements, rows, q, poses)
    links = tree.links
    inboard = [k.parent - 1 for k in links]
    starts, stops = [k.v.start for k in links], [k.v.stop for k in links]
    sizes = len(links), len(table.integers) // 5, tree.nv
    layout = *sizes, *inboard, *starts, *stops, *table.integers
    armatures = [x for k in links for x in k.armature]
    inputs: list[Any] = [*axes, *arms, *armatures, *table.wrenches]
    return TreePaths(mass_entries, row_entries, layout, vector(inputs))


def _add_row_paths(
    table: _PathTable, elements, rows: Rows, q: np.ndarray, poses
) -> list[tuple[int, int]]:
    """Add the paths of the wrenches of all rows; row and unknown of each entry of J."""
    tree, entries = table.tree, []
    for index in dict.fromkeys(rows.owners):
        e = elements[index]
        A, X_FM = wrench_map(tree, e, q), e.pose(tree, q)
        for i in (i for i in range(len(rows)) if rows.owners[i] == index):
            a = A[e.labels.index(rows.names[i].removeprefix(f"{e.name}."))]
            links = between(tree.links, e.F.link, e.M.link)
            for frame, path, sign in ((e.M, links[1], 1), (e.F, links[0], -1)):
                if not path:
                    continue
                X_LB = evaluate_pose(tree.K, frame.X_LB)
                X_end, arm = poses[frame.link] @ X_LB, poses[frame.link].rotate(X_LB.p)
                if sign < 0:
                    arm, X_end = arm + X_end.rotate(X_FM.p), X_end @ X_FM
                n, f = X_end.rotate(a[:3]), X_end.rotate(a[3:])
                n = n + cross(arm, f)
                end = tree.links[frame.link - 1].v.stop
                wrench = [sign * x for x in (*n, *f)]
                unknowns = table.add(frame.link, len(path), i, end, wrench)
                entries += [(i, j) for j in unknowns]
    return entries
