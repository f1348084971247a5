"""Record of the integrator for a run: sizes, tableau, tolerances, kernels, buffers, event types.

`integrate.record` defines the fields.  Here a system, its kernels and a method fill them.
Histories of laws are saved from one run and restored in the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...compiler import Pattern, lanes as lanes_per_register
from ...errors import TorseurError, unknown_name_message
from ...integrate import (
    MIN_PREVIOUS_ERROR,
    NEWMARK,
    ROSENBROCK,
    SAMPLE_POINTS,
    SEMI_IMPLICIT,
    VALIDITY_LIMIT,
    Method,
    RunRecord,
    record as codes,
)
from ...kernels import BY_LINKS, MotionKernels
from ...solve import arguments
from ...system import System, once

if TYPE_CHECKING:
    from .budget import RunBudget

KERNELS = {f"{n}_kernel": n for n in ("flow", "guards", "jump", "project", "integrate")} | {
    "conditioning_kernel": "leads",
    "jacobian_kernel": "flow_jacobian",
}
"""Quantities that a run evaluates, by the fields of its record."""
GROWING_ARRAYS = {
    "row_capacity": ("row_t", "row_y", "row_history", "row_a"),
    "history_capacity": ("history",),
    "log_capacity": ("log_time", "log_index"),
}
"""Arrays that grow with a run, by the field of their capacity."""
SPARE_ROWS = 160  # capacity beyond the output times, before buffers grow
SPARE_EVENTS = 256  # capacity of the log, before it grows
MIN_PROJECTED_ROWS = 64  # output times from which on code for SIMD projection is compiled
IGNORED_ATOL = 1e200  # tolerance of numbers that do not govern the step size
SHARED_ARRAYS = tuple(
    (
        "A B C D G E P atol min_scale sample_theta sample_weights quaternion_start "
        "waits_on_surface law_index table_slot table_rows table_width table_start table_values"
    ).split()
)
"""Arrays that no run changes: all runs of a system read the same."""


# ---- fields ----------------------------------------------------------------------------------


def compute_min_scales(system: System, more: int = 0) -> np.ndarray:
    """Magnitudes below which rtol does not follow an entry of the state.

    They are 1 for unit quaternions and, as these start at zero, for accumulated energies [J].
    """
    first = system.nq + system.nv
    scales = np.zeros(first + len(system.layout.z) + more)
    scales[first + system.layout.books.start :] = 1.0
    for i in system.quaternions:
        scales[i : i + 4] = 1.0
    return scales


def method_fields(
    system: System, method: Method, rtol: float, atol: Any, times: np.ndarray, more: int = 0
) -> dict[str, Any]:
    """Fields of `IntegratorRecord`: sizes, tableau, tolerances, output times [s].

    `more` derivatives of the state behind z do not govern the step size.
    """
    n, stages = system.nq + system.nv + len(system.layout.z) + more, method.dense_stages
    quaternions = system.quaternions
    n_error = system.nq + system.nv + system.layout.books.start

    def table(x, shape):
        return np.ascontiguousarray(np.zeros(shape) if x is None else x, dtype=float)

    atol = np.broadcast_to(np.asarray(atol, dtype=float), (n - more,))
    powers = np.power.outer(SAMPLE_POINTS, np.arange(1, method.P.shape[1] + 1))
    return {
        "n": n,
        "nq": system.nq,
        "nv": system.nv,
        "n_error": n_error,
        "n_rhs": n if more else n_error,
        "n_event_state": n_error,
        "n_quaternions": len(quaternions),
        "quaternion_start": quaternions,
        "family": method.family,
        "stages": method.stages,
        "dense_stages": stages,
        "dense_degree": method.P.shape[1],
        "adaptive": method.adaptive,
        "has_second_estimate": method.E is not None and bool(method.E[1].any()),
        "A": table(method.A, (stages, stages)),
        "B": table(method.B, stages),
        "C": table(method.C, stages),
        "D": table(method.D, stages),
        "G": table(method.G, (stages, stages)),
        "E": table(method.E, (2, stages)),
        "P": table(method.P.T, (1, stages)),
        "error_exponent": method.error_exponent,
        "pi_exponent": method.pi_exponent,
        "gamma": method.gamma,
        "beta": method.beta,
        "rtol": rtol,
        "atol": np.concatenate([atol, np.full(more, IGNORED_ATOL)]),
        "min_scale": compute_min_scales(system, more),
        "n_samples": len(SAMPLE_POINTS),
        "sample_theta": np.array(SAMPLE_POINTS),
        "sample_weights": powers @ method.P.T,
        "dense_weights": np.zeros(stages),
        "n_output_times": len(times),
        "output_times": times,
    }


def kernel_addresses(
    system: System, kernels: MotionKernels, method: Method, alone: bool = True
) -> dict[str, int]:
    """Addresses of the kernels that a run calls, by field.  0 for those that it does not call.

    SIMD lanes, which are not `alone`, always take the full Jacobian.
    """
    has_events, is_implicit = bool(system.layout.guards), method.family in (ROSENBROCK, NEWMARK)
    is_used = {
        "flow_kernel": True,
        "guards_kernel": has_events,
        "jump_kernel": has_events,
        "project_kernel": bool(system.held or system.switched),
        "jacobian_kernel": is_implicit and not (alone and kernels.folds),
        "integrate_kernel": method.family in (SEMI_IMPLICIT, NEWMARK),
        "conditioning_kernel": kernels.constraints is not None and kernels.constraints.way.led,
    }
    names = KERNELS | ({"jacobian_kernel": BY_LINKS} if alone and kernels.by_links else {})
    return {n: kernels[names[n]].abi_address if is_used[n] else 0 for n in KERNELS}


def _link_solver_fields(
    system: System, kernels: MotionKernels, method: Method, more: int, alone: bool
) -> dict[str, Any]:
    """Fields of the linear equation of an implicit step that is solved link by link."""
    is_used = alone and method.family in (ROSENBROCK, NEWMARK) and kernels.folds
    factor, solve = (kernels.link_factorization[n] if is_used else None for n in ("fold", "unfold"))
    size = factor.outputs[0].size if factor else 0
    n = system.nq + system.nv + len(system.layout.z) + more
    return {
        "factor_kernel": factor.abi_address if factor else 0,
        "solve_kernel": solve.abi_address if solve else 0,
        "factor_inputs": np.zeros(9, np.int64),
        "solve_inputs": np.zeros(3, np.int64),
        "link_factors_size": size,
        "link_factors": np.zeros(size),
        "link_scales": np.zeros(3),
        "linear_rhs": np.zeros(n),
        "linear_solution": np.zeros(n),
    }


def _event_fields(guards: Sequence[Any]) -> dict[str, Any]:
    """Fields of event functions."""
    ng = len(guards)
    values = (
        "g_armed g_armed_saved g g_event reset_applied g_sample g_slope g_slope_start g_predicted"
    )
    return {n: np.zeros(ng) for n in values.split()} | {
        "ng": ng,
        "event_type": np.zeros(ng, np.int64),
        "waits_on_surface": np.array([g.waits for g in guards], np.int64),
        "waiting_value": np.ones(ng),
        "law_index": _number_laws(guards),
    }


def table_fields(lists: Sequence[Any]) -> dict[str, Any]:
    """Fields of tables whose rows resets read."""
    widths = [len(x.rows[0]) for x in lists]
    sizes = [len(x.rows) * w for x, w in zip(lists, widths, strict=True)]
    values = [np.asarray(x.rows, dtype=float).ravel() for x in lists]
    return {
        "n_tables": len(lists),
        "table_slot": np.array([x.place for x in lists], np.int64),
        "table_rows": np.array([len(x.rows) for x in lists], np.int64),
        "table_width": np.array(widths, np.int64),
        "table_start": np.array(np.cumsum([0, *sizes])[:-1], np.int64),
        "table_size": sum(sizes),
        "table_values": np.concatenate([*values, np.zeros(0)]),
        "neighbor_size": 3 * sum(widths),
        "neighbor_rows": np.zeros(3 * sum(widths)),
    }


def _number_laws(guards: Sequence[Any]) -> np.ndarray:
    """A number for the law, or the part of one, that each event function belongs to."""
    laws = [(g.owner, g.part) for g in guards]
    order = list(dict.fromkeys(laws))
    return np.array([order.index(x) for x in laws], np.int64)


# ---- records ---------------------------------------------------------------------------------


def steps(
    system: System,
    kernels: MotionKernels,
    method: Method,
    y: np.ndarray,
    m: np.ndarray,
    u: np.ndarray,
    p: np.ndarray,
    tolerances: tuple[float, Any],
    times: np.ndarray,
    *,
    t: float,
    kinds: np.ndarray,
    most: RunBudget,
    every: int,
    more: int = 0,
    alone: bool = True,
) -> RunRecord:
    """The record of a run that starts at time t [s] in the state y, m.  It reads u and p in place.

    `times` are output times [s], with `every` all steps are rows.  `kinds` are the event types,
    `most` the budget.  `more` is the number of derivatives behind the state.
    """
    rtol, atol = tolerances
    atol = float(atol) if np.ndim(atol) == 0 else tuple(np.ravel(atol).tolist())
    run = _create_template(system, kernels, method, float(rtol), atol, len(m), more, alone).copy()
    nq, nv, ng = system.nq, system.nv, len(kinds)
    run.t, run.output_every_step, run.u = t, every, u
    run.n_output_times, run.output_times = len(times), times
    run.y[:], run.m[:], run.event_type[:] = y, m, kinds
    run.n_validity_limits = int((kinds == VALIDITY_LIMIT).sum())
    run.row_capacity = capacity = len(times) + SPARE_ROWS + 4 * ng
    run.row_t, run.row_y = np.empty(capacity), np.empty((capacity, len(y)))
    run.row_a = np.empty((capacity, 0))
    run.row_history = np.empty(capacity, np.int64)
    run.history = np.empty((SPARE_ROWS, len(m) + len(u)))
    run.history_capacity, run.log_capacity = SPARE_ROWS, SPARE_EVENTS + 2 * ng
    run.max_events, run.max_attempts, run.max_rhs_count = most.events, most.steps, most.evaluations
    run.log_time, run.log_index = np.empty(run.log_capacity), np.empty(run.log_capacity, np.int64)

    def address(name: str) -> int:
        return int(run.words[RunRecord.fields[name].place])

    state = address("kernel_state")
    run.kernel_inputs[:4] = address("kernel_time"), state, state + 8 * nq, state + 8 * (nq + nv)
    run.kernel_inputs[4:6] = address("m"), address("u")
    run.kernel_inputs[6:] = p.ctypes.data, address("kernel_extra"), address("neighbor_rows")
    run.factor_inputs[:7] = run.kernel_inputs[:7]
    run.factor_inputs[7:] = address("f0") + 8 * nq, address("link_scales")
    run.solve_inputs[:] = [address(n) for n in ("link_factors", "linear_rhs", "link_scales")]
    run.check()
    return run


@once(most=8)
def _create_template(
    system: System,
    kernels: MotionKernels,
    method: Method,
    rtol: float,
    atol: Any,
    nm: int,
    more: int,
    alone: bool,
) -> Pattern:
    """Everything that runs of a system with one method and tolerance have in common."""
    zeros, nu, nz = np.zeros, len(system.layout.u), len(system.layout.z)
    n = system.nq + system.nv + nz + more
    has_matrix = method.family in (ROSENBROCK, NEWMARK) and not (alone and kernels.folds)
    size = n if has_matrix else 1
    run = RunRecord(
        **method_fields(system, method, rtol, np.asarray(atol), zeros(0), more),
        **kernel_addresses(system, kernels, method, alone),
        **_link_solver_fields(system, kernels, method, more, alone),
        **_event_fields(system.layout.guards),
        **table_fields(system.layout.lists),
        nz=nz + more,
        nm=nm,
        nu=nu,
        kernel_inputs=zeros(9, np.int64),
        kernel_outputs=zeros(4, np.int64),
        **{x: zeros(n) for x in ("y", "y_new", "kernel_state", "f0", "f_t")},
        y_work=zeros(n + nm),
        kernel_time=zeros(1),
        conditioning=zeros(1),
        kernel_extra=zeros(max(1, system.nv)),
        m=zeros(nm),
        u=zeros(nu),
        stage_rates=zeros((method.dense_stages, n)),
        matrix_size=size,
        W=zeros((size, size)),
        J=zeros((size, size)),
        pivots=zeros(n, np.int64),
        h_max=np.inf,
        previous_error=MIN_PREVIOUS_ERROR,
        history_width=nm + nu,
        row_t=zeros(0),
        row_y=zeros((0, n)),
        row_history=zeros(0, np.int64),
        n_row_accelerations=0,
        row_a=zeros((0, 0)),
        row_rates=zeros(n),
        lane_inputs=zeros((0, 0)),
        lane_outputs=zeros((system.nq, 0)),
        history=zeros((0, nm + nu)),
        log_time=zeros(0),
        log_index=zeros(0, np.int64),
        history_changed=1,
    )
    growing = (name for arrays in GROWING_ARRAYS.values() for name in arrays)
    separate = ("output_times", "u", "lane_inputs", "lane_outputs", *growing, *SHARED_ARRAYS)
    return Pattern(run, separate)


CONTINUED_FIELDS = (
    *"t h t_stop h_max n_rows n_history history_changed next_output n_logged event_count".split(),
    *"step_count rejection_count rhs_count jacobian_count max_noise max_noise_time".split(),
    *"events_armed n_waiting min_conditioning steps_since_check".split(),
    *"row_capacity history_capacity log_capacity".split(),
)
"""Numbers of a record that continue when the method changes."""
CONTINUED_ARRAYS = ("g_armed", "waiting_value", "g_slope_start", "event_type", "conditioning")


def continue_record(old: RunRecord, new: RunRecord) -> None:
    """Let the record of another method continue where a run is."""
    for name in CONTINUED_FIELDS:
        setattr(new, name, getattr(old, name))
    for name in CONTINUED_ARRAYS:
        getattr(new, name)[:] = getattr(old, name)
    for arrays in GROWING_ARRAYS.values():
        for name in arrays:
            setattr(new, name, getattr(old, name))


def use_simd_projection(run: RunRecord, kernels: MotionKernels, p: np.ndarray) -> None:
    """Let the output rows of a run be projected on its constraints in SIMD lanes.

    This starts with the second run of a system with enough rows.  The results are the same bits.
    """
    if not run.project_kernel or run.n_output_times < MIN_PROJECTED_ROWS:
        return
    address = kernels.simd_address_when_repeated("project")
    if not address:
        return
    width = lanes_per_register()
    run.projection_lanes, run.project_simd_kernel = width, address
    run.lane_inputs_size = size = 1 + run.n + run.nm + run.nu + len(p)
    count = size + run.nq + run.nv
    block = np.empty((count + 1) * width)
    offset = (-block.ctypes.data % (8 * width)) // 8  # aligned for SIMD registers
    lanes = block[offset : offset + count * width].reshape(-1, width)
    run.lane_inputs, run.lane_outputs = lanes[:size], lanes[size:]


def grow_buffers(run: RunRecord) -> None:
    """Double the capacities for rows, histories and events."""
    for size, arrays in GROWING_ARRAYS.items():
        for name in arrays:
            x = getattr(run, name)
            setattr(run, name, np.concatenate([x, np.zeros_like(x)]))
        setattr(run, size, 2 * getattr(run, size))


def recorded_rows(
    record: RunRecord, state_size: int, memory_size: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Times, states, memories and inputs of the rows so far, without derivatives behind them."""
    n, nm, history = record.n_rows, record.nm, record.history
    if memory_size < nm:
        written = history[: record.n_history]
        history = np.hstack([written[:, :memory_size], written[:, nm:]])
    entries = history.take(record.row_history[:n], axis=0)
    memories, inputs = entries[:, :memory_size], entries[:, memory_size:]
    return record.row_t[:n], record.row_y[:n, :state_size], memories, inputs


# ---- event types -----------------------------------------------------------------------------


def kinds(guards: Sequence[Any], stop_when: Any) -> np.ndarray:
    """Type of each event function.  Those of elements or events in `stop_when` stop the run."""
    types = np.array(
        [codes.RESET_EVENT if g.acts else codes.MONITOR_EVENT for g in guards], np.int64
    )
    types[[g.ends for g in guards]] = codes.VALIDITY_LIMIT
    for name in arguments.names(stop_when, "stop_when"):
        indices = [i for i, g in enumerate(guards) if g.told and name in (g.name, g.owner)]
        if not indices:
            known = [g.name for g in guards if g.told]
            raise TorseurError(unknown_name_message("event", name, known, "stop_when"))
        types[indices] = codes.STOP_EVENT
    return types


# ---- histories of laws -----------------------------------------------------------------------


def save_history(system: System, z: np.ndarray, m: np.ndarray) -> dict[str, list]:
    """States and memory of elements with a history (crush, bristles, friction), by name."""
    return {
        e.name: [z[e.z].tolist(), m[e.m].tolist()]
        for e in system.elements
        if e.law is not None and (e.states or e.law.history)
    }


def restore_history(system: System, z: Any, m: Any, history: Mapping[str, Any]) -> None:
    """Write saved states and memories to those of a start."""
    elements = {e.name: e for e in system.elements}
    for name, (states, memory) in history.items():
        e = elements.get(name)
        if e is None or (len(states), len(memory)) != (len(e.states), len(e.memory)):
            raise TorseurError(
                f"initial: the run before had a force {name!r} with a history, which this model "
                "has not; dict(run.final) starts from its coordinates and speeds alone"
            )
        z[e.z], m[e.m] = states, memory
