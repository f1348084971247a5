"""Signals of a motion: names, units, and their computation for all rows at once.

The energy balance (energy audit) of a motion is computed here, see `Signals.audit`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dynamics.constraints import rows as labels, self_stress
from ..kernels import Outputs, StateRows, interpreted, repeated
from ..system import once, unmerged
from .names import XYZ, declared_signals, units_with_time
from .sampling import spread

if TYPE_CHECKING:
    from ..system import System

# --------------------------------------------------------------------------------------------
# Elements whose work is a function of positions without a formula for its energy.
#
# Kernels count the work of such an element as dissipated.  Its potential decides here whether that
# energy is stored or comes from outside.  Theory: FO.30, FO.51.


SAMPLED_POSES = 6  # poses at which generalized forces are compared
POSE_RANGE = 1.3  # of their coordinates [rad, m]
DIFFERENCE_STEP = 1e-5  # [rad, m] of central differences
SYMMETRY_RTOL = 1e-6  # of the largest derivative: two derivatives are equal


@once()
def returned(system: System) -> dict[str, str]:
    """Elements that conserve energy without a formula: "stored" with a potential, or "supplied"."""
    out = {}
    for i, e in enumerate(system.elements):
        if e.law is not None and e.law.conserves:
            out[e.name] = "stored"
        elif e.line.returns(e):
            out[e.name] = "stored" if _has_potential(system, i) else "supplied"
    return out


def _has_potential(system: System, index: int) -> bool:
    """Whether the generalized forces of an element are the gradient of one function (FO.51)."""
    coordinate_of = {
        k.v.start + i: k.q.start + i
        for k in system.links
        if k.joint.holonomic
        for i in range(k.joint.nv)
    }
    shift = np.random.default_rng(12).uniform(-POSE_RANGE, POSE_RANGE, (SAMPLED_POSES, system.nq))
    q = np.asarray(system.neutral(), dtype=float) + shift
    for k in system.links:
        if not k.joint.holonomic:
            q[:, k.q] = system.neutral()[k.q]
    holonomic = [*coordinate_of]
    moves = np.zeros((len(holonomic), system.nq))
    moves[range(len(holonomic)), [coordinate_of[j] for j in holonomic]] = DIFFERENCE_STEP
    forward, backward = (_forces(system, index, q[:, None] + s * moves) for s in (1, -1))
    derivatives = (forward - backward) / (2 * DIFFERENCE_STEP)  # (poses, along which, of which)
    others = [j for j in range(system.nv) if j not in coordinate_of]
    if abs(forward[..., others]).max(initial=0.0) > 0:
        return False  # what turns a ball is not asked about
    square = derivatives[..., holonomic]
    size = max(abs(square).max(initial=0.0), abs(forward).max(initial=0.0), 1e-300)
    return bool(abs(square - square.swapaxes(1, 2)).max(initial=0.0) <= SYMMETRY_RTOL * size)


def _forces(system: System, index: int, q) -> np.ndarray:
    """Generalized forces of one element at rest in some poses, (..., nv)."""
    at, rows = system.layout, int(np.prod(q.shape[:-1]))
    given = [np.zeros(rows), q.reshape(rows, -1)]
    given += [np.zeros((rows, len(x))) for x in (at.v, at.z, at.m, at.u)]
    values: Any = system.parameters.values()
    p = np.array([float(x) for x in values])
    own = interpreted(system).rows("applied_each", *given, p=p)[index]
    return own.T.reshape(*q.shape[:-1], -1)


SIX = range(6)
GROUPS: dict[str, str] = {}  # the method of each group


def group(name: str):
    """Declare the computation of a group of signals (see `signal_names`)."""

    def declare(method):
        GROUPS[name] = method.__name__
        return method

    return declare


class Signals(ABC):
    """Names with units, and arrays by group, from the rows of a motion.

    Each group is computed when one of its signals is first asked for; accelerations and
    multipliers are those that whoever made the motion says (`solved`), and nothing is compiled
    for the rest.  A pickle holds `kept`; signals are computed where they are asked.
    """

    kept: tuple[str, ...] = ("model", "names", "rows", "p", "jumps", "least_norm", "firsts")

    def __init__(self, system: System, rows: StateRows, p, jumps=(), least_norm=False, firsts=(0,)):
        self.model = system.model
        vars(self)["system"] = system  # the value of the cached property
        self.names = (*system.coordinates, *system.speeds)
        self.rows, self.p = rows, p
        self.jumps = np.reshape(jumps, (-1, 2)).astype(int)  # rows before and after
        self.least_norm = least_norm
        self.firsts = np.asarray(firsts)  # rows may be those of several runs: where each begins

    def __getstate__(self):
        return {name: getattr(self, name) for name in self.kept}

    @cached_property
    def system(self):
        """That of the model: checked again after a pickle."""
        return self.model.check()

    @cached_property
    def outputs(self) -> Outputs:
        return Outputs(self.system, self.p)

    @cached_property
    def whole(self) -> Outputs:
        """Outputs of the system with every weld as a joint."""
        same = self.unmerged is self.system
        return self.outputs if same else Outputs(self.unmerged, self.outputs.p)

    @property
    def declared(self) -> dict[str, tuple[str, str]]:
        """Group and unit of every signal, by name."""
        return declared_signals(self.system)

    @property
    def units(self) -> Mapping[str, str]:
        return units_with_time(self.system)

    @cached_property
    def unmerged(self):
        """The system with every weld as a joint, for the reactions in it."""
        return unmerged(self.system)

    def __call__(self, name: str) -> dict[str, np.ndarray]:
        """Every signal of the group that `name` belongs to."""
        group = "state" if name in self.names else self.declared[name][0]
        return getattr(self, GROUPS[group])()

    @cached_property
    @abstractmethod
    def solved(self) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations (rows, nv) and multipliers (rows, nc)."""

    @group("state")
    def _state(self):
        return dict(zip(self.names, np.hstack(self.rows[1:3]).T, strict=True))

    @group("readings")
    def _readings(self):
        """Readings of joints beside their coordinates, run by run."""
        parts = np.split(self.rows.q, self.firsts[1:])
        lines = [
            line
            for k in self.system.links
            if k.joint.readings
            for line in np.concatenate([k.joint.read(own[:, k.q]) for own in parts]).T
        ]
        return self._named("readings", lines)

    def _named(self, group, lines):
        """Rows of an array, by the names of a group."""
        return dict(
            zip((n for n, (g, _) in self.declared.items() if g == group), lines, strict=True)
        )

    @group("accelerations")
    def _accelerations(self):
        return self._named("accelerations", self.solved[0].T)

    @group("efforts")
    def _efforts(self):
        return self._named("efforts", self.outputs("efforts", self.rows))

    @group("memory")
    def _memory(self):
        """States of contacts (1 closed) and modes of dry frictions (0 stuck)."""
        ports = (p for own in self.system.layout.switches for p in self.system.layout.m[own])
        return {p.name: self.rows.m[:, p.slot] for p in ports if p.name in self.declared}

    @group("inputs")
    def _inputs(self):
        return self._named("inputs", self.rows.u.T)

    @group("elements")
    def _elements(self):
        """Arrays by name of force elements, with conserved energy counted as stored or supplied.

        Forces of laws with steps include their multipliers (FO.45).
        """
        out = self._named("elements", self.outputs("elements", self.rows))
        for e, kind in returned(self.system).items():
            work, power = self._returned[e], out[f"{e}.power.dissipated"]
            if kind == "stored":
                out[f"{e}.energy.stored"] = out[f"{e}.energy.stored"] + work
            else:
                out[f"{e}.power.supplied"] = out[f"{e}.power.supplied"] - power
            out[f"{e}.power.dissipated"] = 0 * work
        for e, rows in self._steps:
            for i in rows:  # FO.45
                name = f"{e.name}.force"
                out[name] = out[name] - e.law.shows * self.solved[1][:, i]
        return out

    @property
    def _steps(self):
        """Elements whose laws have steps, with the multipliers of these."""
        names = [x.name for x in self.system.layout.lam]
        for e in self.system.elements:
            if e.law is not None and (n := len(e.law.steps())):
                own = [""] if n == 1 else range(1, n + 1)
                yield e, [names.index(f"{e.name}.step{i}.multiplier") for i in own]

    @cached_property
    def _returned(self) -> dict[str, np.ndarray]:
        """Energies recorded as dissipated for the elements of `returned`."""
        books = {p.name: p.slot for p in self.system.layout.z}
        return {e: self.rows.z[:, books[f"{e}.energy.dissipated"]] for e in returned(self.system)}

    def _recovered_energies(self, rows) -> dict[str, Any]:
        """Parts of the dissipated energy at these rows that are stored, and supplied."""
        out: dict[str, Any] = {"stored": 0.0, "supplied": 0.0}
        for e, kind in returned(self.system).items():
            out[kind] = out[kind] + self._returned[e][rows]
        return out

    @group("books")
    def _books(self):
        """States of elements, and the energy that each has dissipated, by rupture too."""
        zeros = np.zeros(len(self.rows.t))
        out = {n: zeros for n, (group, _) in self.declared.items() if group == "books"}
        total_energies = ("energy.dissipated", "energy.supplied")
        ports = (p for p in self.system.layout.z if p.name not in total_energies)
        out |= {p.name: self.rows.z[:, p.slot] for p in ports}
        for e in returned(self.system):
            out[f"{e}.energy.dissipated"] = zeros
        for e, ruptured in zip(self.system.elements, self.torn, strict=True):
            dissipated = out[f"{e.name}.energy.dissipated"]
            out[f"{e.name}.energy.dissipated"] = dissipated + ruptured
            if f"{e.name}.energy.plastic" in out:  # of the law at rest: neither rate nor friction
                parts = (out.get(f"{e.name}.energy.{n}", zeros) for n in ("dynamic", "friction"))
                out[f"{e.name}.energy.plastic"] = dissipated - sum(parts, start=zeros)
        return out

    @cached_property
    def torn(self) -> np.ndarray:
        """Energy that events have taken from each element [J], shape (elements, rows)."""
        return self.outputs("torn", self.rows)

    @group("energy")
    def _energy(self):
        kinetic, potential = self.outputs("energies", self.rows)
        ruptured = self.torn.sum(axis=0) if self.system.elements else 0
        return self._energy_balance(kinetic, potential, ruptured, np.arange(len(kinetic)))

    def audit(self, count: int) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
        """Energy balance at `count` rows and both ends of jumps, forces, and row indices."""
        rows = spread(len(self.rows.t), count)
        if len(self.jumps):
            rows = np.array(sorted({*rows.tolist(), *self.jumps.ravel().tolist()}), dtype=int)
        states = StateRows(*(x[rows] for x in self.rows))
        kinetic, potential, ruptured, forces = repeated(self.system, "audit", states, self.p)
        return self._energy_balance(kinetic[0], potential[0], ruptured[0], rows), forces, rows

    def _energy_balance(self, kinetic, potential, ruptured, rows) -> dict[str, np.ndarray]:
        """Energy signals [J] at some rows, and the residual of the balance.

        `rows` are ascending indices that hold both time points of every event.
        """
        layout = self.system.layout
        energies = self.rows.z[rows][:, layout.books].T
        dissipated, supplied = energies[:2] if layout.has_energies else (0 * kinetic, 0 * kinetic)
        recovered = self._recovered_energies(rows)
        potential, supplied = potential + recovered["stored"], supplied - recovered["supplied"]
        dissipated = dissipated + ruptured - recovered["stored"] - recovered["supplied"]
        total = kinetic + potential + dissipated - supplied
        if len(self.jumps):
            before, after = np.searchsorted(rows, self.jumps).T
            jumps = np.bincount(after, total[after] - total[before], len(kinetic))
            total = total - np.cumsum(jumps)
        first = np.searchsorted(rows, self.firsts)
        is_batch = len(first) > 1  # runs, one after the other
        residual = total - (
            np.repeat(total[first], np.diff([*first, len(rows)])) if is_batch else total[first]
        )
        return {
            f"energy.{name}": x
            for name, x in (
                ("kinetic", kinetic),
                ("potential", potential),
                ("dissipated", dissipated),
                ("supplied", supplied),
                ("residual", residual),
            )
        }

    @cached_property
    def _joints_and_loops(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Multipliers, wrenches in joints, in loops, (rows, n) each, as far as they are known.

        A component that some self-stress moves is NaN, or the least one where that was asked for.
        """
        lam, joints, loops = self._wrenches
        stress = self._stress
        if stress is None or not len(stress.lam):
            return lam, joints, loops
        parts = np.concatenate([stress.joints[:, :, self._shown], stress.loops], axis=2)
        both = np.hstack([joints, loops])
        if self.least_norm:
            weights = self_stress.least(both, parts)
            lam = lam + np.einsum("nk,knm->nm", weights, stress.lam[:, :, stress.seen])
            both = both + np.einsum("nk,knm->nm", weights, parts)
        else:
            of_rows, of_wrenches = self_stress.moved(stress.lam, parts)
            lam = np.where(of_rows[:, stress.seen], np.nan, lam)
            both = np.where(of_wrenches, np.nan, both)
        of_joints, of_loops = np.split(both, [joints.shape[1]], axis=1)
        return lam, of_joints, of_loops

    @cached_property
    def _wrenches(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Multipliers, wrenches in joints, in loops, as the equation of motion gives them."""
        (a, lam), outputs = self.solved, self.whole
        joints = outputs.reactions(self.rows, a, lam).T[:, self._shown]
        if not lam.shape[1]:  # no loop, or one that tells the motion nothing and may be stressed
            count = sum(g == "loops" for g, _ in self.declared.values())
            return lam, joints, np.zeros((len(joints), count))
        return lam, joints, outputs.interpreted("carried", self.rows, lam=lam)[0].T

    @cached_property
    def _stress(self):
        """Self-stress states of every row, where there are constraints."""
        some = self.system.held or self.system.switched
        return self.whole.stresses(self.rows, self.solved[1], self.least_norm) if some else None

    @property
    def _shown(self) -> list[int]:
        """Numbers of joints' wrenches that are shown."""
        s = self.unmerged
        return [6 * (k.index - 1) + i for k in s.links if s.has_reaction(k) for i in SIX]

    @group("reactions")
    def _reactions(self):
        return self._named("reactions", self._joints_and_loops[1].T)

    @group("powers")
    def _powers(self):
        """Power of every joint's wrench on its own motion: zero where nothing drives or brakes."""
        n = len(self.rows.t)
        V = self.whole("joint_twists", self.rows)[self._shown].reshape(-1, 6, n)
        F = self._joints_and_loops[1].T.reshape(-1, 6, n)
        return self._named("powers", np.where(V == 0, 0.0, F * V).sum(axis=1))  # RE.20

    @group("held_powers")
    def _held_powers(self):
        """Power of every loop's and constraint's reaction: zero where it neither drives nor rubs.

        Of rows that hold, whatever a self-stress adds to them has none.
        """
        (P,) = self.whole.interpreted("row_powers", self.rows, lam=self.solved[1])
        powers = np.where(np.isnan(self._joints_and_loops[0].T), np.nan, P)
        elements = (*self.system.held, *self.system.switched)
        out = dict.fromkeys(labels.acting(self.system), np.zeros(len(self.rows.t)))
        for i, row_power, power in zip(self.whole.owners, P, powers, strict=True):
            e = elements[i]
            if not e.stores:
                # RE.22
                out[e.name] = out[e.name] + (power if e.drives or e.friction else row_power)
        return self._named("held_powers", out.values())

    @group("loops")
    def _loops(self):
        return self._named("loops", self._joints_and_loops[2].T)

    @group("closure")
    def _closure(self):
        """Largest residual of positions [m, rad]; distance from a singular position, 1 is far."""
        phi, J = self.outputs.interpreted("closure", self.rows)
        n = len(self.rows.t)
        J = J.T.reshape(n, -1, self.system.nv)
        # each row by its largest in the run: at a singular position a whole row may vanish
        size = np.linalg.norm(J, axis=2, keepdims=True).max(axis=0, keepdims=True, initial=0.0)
        s = np.linalg.svd(J / np.where(size > 1e-12, size, 1.0), compute_uv=False)
        rank = int((s > 1e-9).sum(axis=1).max(initial=0))
        margin = s[:, rank - 1] if rank else np.zeros(n)
        return {
            "constraints.residual": abs(phi).max(axis=0, initial=0.0),
            "constraints.margin": margin,
        }

    @group("multipliers")
    def _multipliers(self):
        return self._named("multipliers", self._joints_and_loops[0].T)

    def _by_place(self, lines, **parts):
        """Signals of every body and frame: `parts` says which lines of each they are."""
        lines = lines.reshape(len(self.outputs.places()), -1, len(self.rows.t))
        return {
            f"{name}.{what}.{c}": x
            for name, own in zip(self.outputs.places(), lines, strict=True)
            for what, first in parts.items()
            for c, x in zip(XYZ, own[first : first + 3], strict=True)
        }

    @group("positions")
    def _positions(self):
        return self._by_place(self.outputs("positions", self.rows), position=0)

    @group("velocities")
    def _velocities(self):
        return self._by_place(self.outputs("velocities", self.rows), angular_velocity=0, velocity=3)

    @group("moving")
    def _moving(self):
        return self._by_place(
            self.outputs("accelerations", self.rows, a=self.solved[0]),
            angular_acceleration=0,
            acceleration=3,
            body_acceleration=6,
        )

    @group("orientations")
    def _orientations(self):
        R = self.outputs("orientations", self.rows).reshape(-1, 3, 3, len(self.rows.t))
        return {
            f"{name}.orientation.{c}": x
            for name, own in zip(self.outputs.places(), R, strict=True)
            for c, x in zip("wxyz", self._quaternions(np.moveaxis(own, 2, 0)).T, strict=True)
        }

    def _quaternions(self, R):
        return np.concatenate([quaternions(own) for own in np.split(R, self.firsts[1:])])


def quaternions(R) -> np.ndarray:
    """Unit quaternions (w, x, y, z) of rotation matrices, without leaps of sign along the rows."""
    R = np.asarray(R)
    squares = np.stack(
        [
            1 + R[:, 0, 0] + R[:, 1, 1] + R[:, 2, 2],
            1 + R[:, 0, 0] - R[:, 1, 1] - R[:, 2, 2],
            1 - R[:, 0, 0] + R[:, 1, 1] - R[:, 2, 2],
            1 - R[:, 0, 0] - R[:, 1, 1] + R[:, 2, 2],
        ],
        axis=1,
    )
    a, b, c = R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]
    d, e, f = R[:, 1, 0] + R[:, 0, 1], R[:, 0, 2] + R[:, 2, 0], R[:, 2, 1] + R[:, 1, 2]
    w, x, y, z = squares.T
    rows = np.stack(
        [np.stack(r, axis=1) for r in ((w, a, b, c), (a, x, d, e), (b, d, y, f), (c, e, f, z))],
        axis=1,
    )
    q = rows[np.arange(len(R)), np.argmax(squares, axis=1)]
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    flips = np.sum(q[1:] * q[:-1], axis=1) < 0
    q[1:] *= np.where(np.cumsum(flips) % 2, -1.0, 1.0)[:, None]
    if len(q) and q[0, 0] < 0:
        q = -q
    return q
