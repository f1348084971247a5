"""Diagnostics of a run: return code of the integrator, energy audit, constraint residuals, limits.

A diagnosis is data: status, time, element, cause, remedy.  `outcome_text` makes the text of it.
The functions read a `RunSummary`, so that single runs and SIMD lanes are judged alike.
`Signals.audit` computes the energy balance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...errors import TorseurError
from ...integrate import METHODS, Method, record as codes
from ...joints import TIME
from ...kernels import repeated
from ...results import RunDiagnosis, RunStatus
from ...scalars import Floats
from ...scalars.values import value
from ...solve import Constrained
from ...spatial import evaluate_pose
from ...system import once
from .budget import MIN_USEFUL_RTOL, RunBudget, explain_spent_budget, kink_remedy, rtol_remedy
from .contact_modes import SINGLE_POINT_REMEDY

if TYPE_CHECKING:
    from ...system import System
    from ..sensitivity.parameters import Directions
    from .result import RunSignals

KEPT_RESULTS = "the results so far are kept"


class RunSummary(NamedTuple):
    """The data of a run that its diagnostics read, whichever integrator made it."""

    system: System
    p: np.ndarray  # parameters
    method: Method
    rtol: float
    atol: np.ndarray  # one for all entries of the state, or one each
    t_start: float
    t_end: float | None
    solution: str = "multipliers"  # of the constraints
    # at the end
    t: float = np.nan
    y: np.ndarray = np.zeros(0)  # state, derivatives included; of a SIMD lane the coordinates
    h: float = 0.0  # last step [s]
    detail: int = 0  # event function that stopped the run, or status of the kernel that failed
    # statistics
    step_count: int = 0
    rejection_count: int = 0
    rhs_count: int = 0
    event_count: int = 0
    row_count: int = 0
    log_time: np.ndarray = np.zeros(0)  # of logged events [s]
    log_index: np.ndarray = np.zeros(0, np.int64)  # their event functions
    max_noise: float = 0.0  # largest rounding error of the projection, in tolerances
    max_noise_time: float = 0.0  # [s]
    budget: RunBudget = RunBudget(0, 0, 0, 0, np.inf)
    directions: Directions | None = None  # parameters of the variational equations

    @property
    def q(self) -> np.ndarray:
        """Coordinates at the end."""
        return self.y[: self.system.nq]

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters by name."""
        return dict(zip(self.system.parameters, self.p.tolist(), strict=True))


def summarize_simd_run(
    system: System, p: np.ndarray, method: str, tolerances: tuple, span: tuple[float, float]
) -> RunSummary:
    """Summary of one run of a SIMD batch over the time span [s]."""
    rtol, atol = tolerances
    atol = np.atleast_1d(np.asarray(atol, dtype=float))
    return RunSummary(system, p, METHODS[method], rtol, atol, *span)


# ---- texts -----------------------------------------------------------------------------------


def outcome_text(diagnosis: RunDiagnosis, t_end: float | None) -> str:
    """The sentence of a diagnosis of a run that did not simply reach its end."""
    d = diagnosis
    at, end = f"at t = {d.time:.9g} s", "" if t_end is None else f" of {t_end:g} s"
    remedy = f"; {d.remedy}" if d.remedy else ""
    match d.status:
        case RunStatus.STOPPED_BY_EVENT:
            return f"stopped {at} by {d.element!r}"
        case RunStatus.VALIDITY_LOST:
            return f"stopped {at} by {d.element!r}: {d.cause}{remedy}"
        case RunStatus.CONTROLLER_FAILED | RunStatus.BUDGET_SPENT:
            return f"stopped at t = {d.time:.6g} s{end}: {d.cause}{remedy}"
        case RunStatus.INTERRUPTED:
            return f"interrupted at t = {d.time:.6g} s{end}{remedy}"
        case RunStatus.STOP_PENETRATED:
            return f"failed after t = {d.time:.6g} s: {d.cause}{remedy}"
        case RunStatus.AUDIT_FAILED:
            return f"{d.cause}: not a motion to trust{remedy}"
        case RunStatus.NOT_STARTED:
            return f"could not start: {d.cause}{remedy}"
    return f"failed {at}: {d.cause}{remedy}"


def conclude_run(
    run: RunSummary,
    diagnosis: RunDiagnosis | None,
    reached: str,
    initial_impact: str,
    signals: RunSignals,
    rows: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> tuple[RunDiagnosis, str]:
    """The final diagnosis of a run and its text.  A complete run is audited first.

    `diagnosis` is that of the integrator, None for a run that `reached` its end.  `rows` are times,
    states and memories of the time points.
    """
    time, Y, M = rows
    text = reached if diagnosis is None else outcome_text(diagnosis, run.t_end)
    diagnosis = diagnosis or RunDiagnosis(RunStatus.COMPLETED, run.t)
    if diagnosis.status.is_completed and (penetrated := find_stop_penetration(run, signals, time)):
        diagnosis, text = penetrated, outcome_text(penetrated, run.t_end)
    note = ""
    if diagnosis.status.is_completed:
        if failed := audit_run(run, signals, time):
            diagnosis, text = failed, f"{text}; but {outcome_text(failed, run.t_end)}"
        note = note_initial_singularity(run, Y)
    notes = (
        initial_impact,
        note,
        *note_limit_violations(run.system, run.p, time, Y),
        note_projection_noise(run),
        *note_beam_deflections(run.system, run.p, time, Y),
        *note_table_ends(run.system, time, M),
        note_indeterminate_friction(run, time, Y, M),
    )
    notes = tuple(x for x in notes if x)
    return replace(diagnosis, notes=notes), "; ".join((text, *notes))


# ---- return codes of the integrator ----------------------------------------------------------

FAULT_CODES = frozenset(
    (
        codes.TERMINAL_EVENT,
        codes.BUFFERS_FULL,
        codes.NOT_FINITE,
        codes.STEP_TOO_SMALL,
        codes.TOO_MANY_EVENTS,
        codes.NO_CONVERGENCE,
        codes.TOO_MANY_ATTEMPTS,
    )
)
"""Return codes of a run that cannot go on."""


def diagnose_return_code(run: RunSummary, code: int) -> RunDiagnosis | None:
    """Diagnosis of a return code of `integrate`.  None where the run can go on or is complete."""
    guards, t = run.system.layout.guards, run.t
    if code == codes.TERMINAL_EVENT:
        ended = guards[run.detail]
        if not ended.ends:
            return RunDiagnosis(RunStatus.STOPPED_BY_EVENT, t, ended.name)
        cause = "its contact is no single point any more"
        return RunDiagnosis(RunStatus.VALIDITY_LOST, t, ended.name, cause, SINGLE_POINT_REMEDY)
    if code in (codes.NOT_FINITE, codes.NO_CONVERGENCE):
        return _diagnose_invalid_number(run, code)
    if code == codes.STEP_TOO_SMALL:
        if often := find_accumulating_event(run):
            cause = f"the event {often!r} came ever sooner, as of a stop that comes to rest"
            return RunDiagnosis(RunStatus.STEP_TOO_SMALL, t, often, cause, RIGID_STOP_REMEDY)
        remedy = describe_singular_joints(run, run.q) or (
            rtol_remedy(run.rtol) if run.rtol < MIN_USEFUL_RTOL else kink_remedy()
        )
        cause = f"the step fell to {run.h:.3g} s"
        return RunDiagnosis(RunStatus.STEP_TOO_SMALL, t, "", cause, remedy)
    if code == codes.TOO_MANY_EVENTS:
        return _diagnose_event_count(run)
    if code == codes.BUFFERS_FULL:
        cause = f"{run.row_count} rows are kept, more than max_rows = {run.budget.rows}"
        remedy = "give output= times, or allow more with max_rows="
        return RunDiagnosis(RunStatus.BUDGET_SPENT, t, "", cause, remedy)
    if code == codes.TOO_MANY_ATTEMPTS:
        return RunDiagnosis(RunStatus.BUDGET_SPENT, t, "", explain_spent_budget(run))
    return None


def _diagnose_invalid_number(run: RunSummary, code: int) -> RunDiagnosis:
    """Diagnosis of a derivative that is not finite, or of Newton iterations that diverge."""
    is_newton = code == codes.NO_CONVERGENCE
    status = RunStatus.NO_CONVERGENCE if is_newton else RunStatus.NOT_FINITE
    if cause := explain_impact_failure(run) or explain_infinite_derivative(run):
        return RunDiagnosis(status, run.t, "", cause)
    remedy = describe_singular_joints(run, run.q) or (
        "try a smaller step or tolerance, or look for a singular pose or a law that "
        "grows without bound"
    )
    element, cause = _name_invalid_number(run)
    return RunDiagnosis(status, run.t, element, f"{cause} (step {run.h:.3g} s)", remedy)


def _name_invalid_number(run: RunSummary) -> tuple[str, str]:
    """Coordinate or speed whose derivative is not finite, and the sentence about it."""
    s, entry = run.system, run.detail - 1
    if entry < 0:
        return "", "an event function is not finite"
    if run.method.family == codes.NEWMARK and entry == 0:
        return "", "Newton's iterations did not converge"
    if entry < s.nq:
        return s.coordinates[entry], f"the rate of {s.coordinates[entry]} is not finite"
    if entry < s.nq + s.nv:
        speed = s.speeds[entry - s.nq]
        return speed, f"the acceleration of {speed} is not finite"
    return "", "the rate of a force element's state is not finite"


def explain_impact_failure(run: RunSummary) -> str:
    """Cause where a simultaneous impact has no solution, or no derivatives.  "" of other faults."""
    s, y = run.system, run.y
    contacts = [e.name for e in s.switched if e.contact]
    if len(contacts) < 2 or np.isfinite(y).all() or not np.isfinite(run.q).all():
        return ""
    names = ", ".join(contacts)
    size = s.nq + s.nv + len(s.layout.z)
    if not np.isfinite(y[s.nq : s.nq + s.nv]).all() and len(y) <= size:
        return (
            f"the contacts {names} strike together, and no impulses were found that obey "
            "Coulomb's law at all of them, even without restitution; less friction may help"
        )
    if len(y) <= size or run.t not in (run.t_start, *run.log_time[-1:]):
        return ""
    return (
        f"the contacts {names} strike together beside friction that no contact presses, and their "
        "impulses have no derivatives there; leave sensitivities out, or take differences of runs"
    )


def explain_infinite_derivative(run: RunSummary) -> str:
    """Cause where a derivative of the variational equations is not finite.  "" of other faults."""
    s, directions = run.system, run.directions
    size = s.nq + s.nv + len(s.layout.z)
    if directions is None or run.detail <= size:
        return ""
    number, i = divmod(run.detail - 1 - size, len(directions.order))
    names = (*s.coordinates, *s.speeds, *(port.name for port in s.layout.z))
    return (
        f"the derivative of {names[number]!r} by {directions.order[i]!r} changes without bound "
        "there, where a formula has a root or a power of zero; leave that number out, or start a "
        "little off"
    )


CHATTERING_EVENTS = 40  # last events that are looked at for chattering friction
ACCUMULATING_EVENTS = 10  # last events of one event function
ACCUMULATION_SPAN = 1e-3  # of the run: within it they accumulate


def _diagnose_event_count(run: RunSummary) -> RunDiagnosis:
    """Diagnosis of a run with more events than its budget."""
    guards, count = run.system.layout.guards, run.budget.events
    last = [guards[i].name for i in run.log_index[-2:]]
    if names := find_chattering_frictions(run):
        cause = (
            f"more than {count} events, frictions of {names} stop and "
            "break loose without end: how those at rest share what holds a body is not "
            "determined (here by least squares), and one that carries little lets go where all "
            "of them together would hold"
        )
        remedy = "try more friction there, or fewer of them"
    else:
        cause = f"more than {count} events, the last by {' and '.join(map(repr, last))}"
        remedy = "allow more with max_events=, or give the law some damping"
    return RunDiagnosis(RunStatus.TOO_MANY_EVENTS, run.t, last[-1] if last else "", cause, remedy)


def find_chattering_frictions(run: RunSummary) -> str:
    """Names of frictions, if all last events are theirs and they can share a static load."""
    guards, s = run.system.layout.guards, run.system
    frictions = {e.name for e in s.switched if e.friction}
    last = {guards[i].owner: guards[i].what for i in run.log_index[-CHATTERING_EVENTS:]}
    names = {n for n, x in last.items() if x in ("stops", "breaks loose") and n in frictions}
    return ", ".join(sorted(names)) if len(frictions) > 1 and {*last} == names else ""


def find_accumulating_event(run: RunSummary) -> str:
    """Name of an event that accumulates (Zeno behavior: ever shorter intervals), or ""."""
    when, which = run.log_time, run.log_index
    times = when[which == which[-1]][-ACCUMULATING_EVENTS:] if len(when) else when
    span = ACCUMULATION_SPAN * max(run.t - run.t_start, 1e-9)
    if len(times) < ACCUMULATING_EVENTS or np.ptp(times) > span:
        return ""
    shrinks = (np.diff(times, 2) < 0).mean() > 0.5
    return run.system.layout.guards[which[-1]].name if shrinks else ""


def describe_controller_error(e: Exception) -> str:
    """The error of a controller, with its file and line where Python has them."""
    if isinstance(e, TorseurError):
        return str(e)
    from traceback import extract_tb

    last = extract_tb(e.__traceback__)[-1]
    error = " ".join(f"{type(e).__name__}: {e}".split())[:200].rstrip(": ")
    return f"the controller failed, {error} ({Path(last.filename).name}, line {last.lineno})"


# ---- rigid stops -----------------------------------------------------------------------------

RIGID_STOP_REMEDY = (
    "a rigid stop only bounces, it cannot hold: give it stiffness= and damping=, or use ts.Contact"
)
STOP_RTOL = 1e-6  # of the range between two stops: a motion that far outside has passed one


def find_stop_penetration(
    run: RunSummary, signals: RunSignals, time: np.ndarray
) -> RunDiagnosis | None:
    """Diagnosis of a motion that came to rest on a rigid stop and then went through it."""
    for e in run.system.elements:
        if getattr(e.law, "restitution", None) is None:
            continue
        line = signals(f"{e.name}.deflection")
        x, rate = line[f"{e.name}.deflection"], line[f"{e.name}.rate"]
        low, high = (
            value.nominal(value.exact(end), run.parameters) for end in (e.law.low, e.law.high)
        )
        slack = STOP_RTOL * (high - low)
        if not run.method.adaptive:
            slack += 2 * abs(rate).max() * run.h
        out = np.flatnonzero((x < low - slack) | (x > high + slack))
        if len(out) and out[0] > 0:
            end = "low" if x[out[0]] < low else "high"
            return RunDiagnosis(
                RunStatus.STOP_PENETRATED,
                float(time[out[0] - 1]),
                e.name,
                f"the motion came to rest on the {end} stop of {e.name!r} and then went through it",
                RIGID_STOP_REMEDY,
            )
    return None


# ---- singular coordinates --------------------------------------------------------------------

SINGULARITY_REMEDY = "use 'auto' angles, a quaternion, or coordinates whose edge is far"
AT_SINGULARITY = 1e-6  # of the distance at which a run is warned: at the singularity itself


def list_singular_joints(
    system: System, parameters: dict[str, float], q: np.ndarray, distance: float = 1.0
) -> list[str]:
    """Joints whose coordinates are singular at q, or nearly, with their values.

    `distance` is relative to that at which a run is warned.
    """
    if not has_singular_coordinates(system):
        return []
    tree, texts = system.floats(parameters), []
    for k in tree.links:
        margins = k.joint.edges(tree.K, q[k.q])  # pairs, one for each side of a singularity
        near = [
            a[0]
            for a, b in zip(margins[::2], margins[1::2], strict=True)
            if abs(a[2] - b[2]) < -distance * (a[2] + b[2])
        ]
        if near:
            named = zip(k.joint.coordinates, q[k.q], strict=True)
            at = ", ".join(f"{n} = {x:.6g} {unit}" for (n, unit), x in named if unit != "1")
            texts.append(f"{k.name}: {' and '.join(near)} ({at})")
    return texts


@once()
def has_singular_coordinates(system: System) -> bool:
    """Whether coordinates of some joint have a singularity."""
    K, q = Floats(), system.neutral()
    return any(k.joint.edges(K, q[k.q]) for k in system.links)


def describe_singular_joints(run: RunSummary, q: np.ndarray) -> str:
    """A sentence on joints whose coordinates are nearly singular at q, with the remedy, or ""."""
    joints = list_singular_joints(run.system, run.parameters, q)
    return f"{'; '.join(joints)}; {SINGULARITY_REMEDY}" if joints else ""


def note_initial_singularity(run: RunSummary, Y: np.ndarray) -> str:
    """The same of the initial state, where no event can announce it."""
    text = describe_singular_joints(run, Y[0, : run.system.nq]) if len(Y) else ""
    return text and f"at the start {text}"


# ---- limits, tables, beams -------------------------------------------------------------------

MAX_LISTED_LIMITS = 2  # sentences about one coordinate each; more are one sentence
MONITORED = "limits are monitored only; ts.Limits(low, high, stiffness) enforces them"


def note_limit_violations(
    system: System, p: np.ndarray, time: np.ndarray, Y: np.ndarray
) -> list[str]:
    """Sentences about monitored limits of joints that the motion exceeds."""
    exceeded = []
    for name, unit, slot, low, high in list_monitored_limits(system, p):
        out = np.flatnonzero((Y[:, slot] < low) | (Y[:, slot] > high))
        if len(out):
            exceeded.append((name, f"{low:g} .. {high:g} {unit}", f"t = {time[out[0]]:.4g} s"))
    if len(exceeded) > MAX_LISTED_LIMITS:
        each = ", ".join(f"{name} ({limits}; {t})" for name, limits, t in exceeded)
        return [f"{len(exceeded)} coordinates left their limits ({MONITORED}): {each}"]
    return [f"{name} left its limits {limits} at {t} ({MONITORED})" for name, limits, t in exceeded]


def list_monitored_limits(
    system: System, p: np.ndarray
) -> list[tuple[str, str, int, float, float]]:
    """Coordinates with limits without force: name, unit, slot, low, high.  NaN where there is none.

    >>> import torseur as ts
    >>> slide = ts.Joint("x", "world", "b", ts.Prismatic("x"), limits=(None, 0.5))
    >>> model = ts.Model(bodies=(ts.Body("b", 1.0),), joints=(slide,))
    >>> list_monitored_limits(model.check(), np.zeros(0))
    [('x.displacement', 'm', 0, nan, 0.5)]
    """
    parameters = dict(zip(system.parameters, p.tolist(), strict=True))

    def end(x) -> float:
        if x is None or (isinstance(x, float) and not np.isfinite(x)):
            return np.nan
        return float(value.nominal(value.exact(x), parameters))

    limits = []
    for j in system.model.joints:
        if not isinstance(j.limits, tuple | list):
            continue
        pairs = [j.limits] if np.ndim(np.asarray(j.limits, dtype=object)) == 1 else j.limits
        for (coordinate, unit), (low, high) in zip(j.kind.coordinates, pairs, strict=False):
            name = f"{j.name}.{coordinate}"
            limits.append((name, unit, system.coordinates.index(name), end(low), end(high)))
    return limits


def note_table_ends(system: System, time: np.ndarray, M: np.ndarray) -> list[str]:
    """Sentences about tables that the motion left at one of their ends."""
    texts = []
    for e in system.elements:
        for slot, last, of in e.law.edges() if e.law is not None else ():
            segment = M[:, e.m.start + slot]
            out = np.flatnonzero(segment > last - 0.5)
            if not len(out) and of == "x":
                out = np.flatnonzero(segment < 0.5)
            if len(out) and time[-1] > time[out[0]]:
                end = "end" if segment[out[0]] > 0.5 else "start"
                texts.append(f"{e.name} leaves the {end} of its table at t = {time[out[0]]:.4g} s")
    return texts


def note_projection_noise(run: RunSummary) -> str:
    """A sentence if rounding errors of the projection exceeded the tolerances."""
    if not run.max_noise:
        return ""
    return (
        f"the constraints are nearly singular at t = {run.max_noise_time:.4g} s, where rounding "
        f"moves the state by {run.max_noise:.2g} tolerances: look at constraints.margin"
    )


MAX_BEAM_SLOPE = 0.3  # [rad]: its square, which the shapes leave out, is a tenth


def note_beam_deflections(
    system: System, p: np.ndarray, time: np.ndarray, Y: np.ndarray
) -> list[str]:
    """Sentences about beams whose sections rotated too far for shapes of second order."""
    texts = []
    parameters = dict(zip(system.parameters, p.tolist(), strict=True))
    for name in system.shared:
        links: list[Any] = [k for k in system.links if k.name == name]
        rows = [
            [value.nominal(x, parameters) for x in row]
            for k in links
            for row in k.joint.rotation[1:]
        ]
        slope = abs(Y[:, links[0].q] @ np.array(rows, dtype=float).T).max(axis=1, initial=0.0)
        far = np.flatnonzero(slope > MAX_BEAM_SLOPE)
        if len(far):
            texts.append(
                f"beam {name!r} bends by up to {slope.max():.2g} rad, more than "
                f"{MAX_BEAM_SLOPE:g} rad from t = {time[far[0]]:.4g} s on, where shapes of second "
                "order lose digits: make it two beams in a row"
            )
    return texts


# ---- energy audit, constraint residuals ------------------------------------------------------

EPS = float(np.finfo(float).eps)
MAX_ENERGY_ERROR = 100  # times rtol: of the largest energy of a complete run
MAX_AUDIT_TOLERANCE = 1e12  # times the largest energy: such an audit says nothing of a motion
MIN_AUDIT_RTOL = 1e-11  # a smaller rtol is judged as this one: rounding adds up over steps
AUDITED_ROWS = 65  # time points at which a run is audited before it is called complete
CONSTRAINT_RTOL = 1e-9  # of the mechanism's size: largest residual of its constraints


def audit_run(run: RunSummary, signals: RunSignals, time: np.ndarray) -> RunDiagnosis | None:
    """Diagnosis of a complete run whose energy balance or constraints fail their tolerances."""
    with np.errstate(all="ignore"):  # numbers without bound are faults too
        faults = [*_audit_energy(run, signals, time), *_audit_constraints(run, signals, time)]
    if not faults:
        return None
    can_change = run.system.held and run.solution != "null_space"
    remedy = "try a smaller rtol" + (" or solution='null_space'" if can_change else "")
    cause = " and ".join(text for _, text in faults)
    return RunDiagnosis(RunStatus.AUDIT_FAILED, min(t for t, _ in faults), "", cause, remedy)


def _audit_energy(
    run: RunSummary, signals: RunSignals, time: np.ndarray
) -> Iterator[tuple[float, str]]:
    """Time [s] and text of a residual of the energy balance beyond its tolerance."""
    if not run.method.adaptive:
        return
    balance, forces, rows = signals.audit(AUDITED_ROWS)
    names = ("kinetic", "potential", "dissipated", "supplied")
    energies = np.array([balance[f"energy.{n}"] for n in names])
    low, high, first = energies.min(axis=1), energies.max(axis=1), energies[:, 0]
    scale = float((high - low).max() + abs(first[0]))  # largest energy in the run
    rounding = 1e3 * EPS * max(max_magnitude(low), max_magnitude(high))
    rtol = max(run.rtol, MIN_AUDIT_RTOL)
    size, weight = mechanism_size_and_weight(run.system, tuple(run.p.tolist()))
    min_q, max_q = (x[: run.system.nq] for x in signals.extent)
    size = max(size, max_magnitude(min_q), max_magnitude(max_q))
    shift = run.atol.max(initial=0.0) + rtol * size  # error of a position
    pull = weight + float(abs(forces).max(axis=1, initial=0.0).sum())  # its work is an error
    tolerance = MAX_ENERGY_ERROR * (rtol * scale + shift * pull) + rounding
    residual = abs(balance["energy.residual"])
    is_blind = shift * pull > MAX_AUDIT_TOLERANCE * scale
    if residual.max() <= tolerance < np.inf and not is_blind:
        return
    if len(bad := np.flatnonzero(~np.isfinite(residual))):
        since = float(time[rows[bad[0]]])
        yield (
            since,
            f"the energies are beyond the largest number from t = {since:.4g} s on, so nothing "
            "can be audited",
        )
    elif is_blind and max_magnitude(max_q - min_q) > 1e3 * shift:
        yield (
            float(time[0]),
            f"forces of up to {pull:.2g} N leave nothing of the {scale:.3g} J in the run to audit",
        )
    elif len(off := np.flatnonzero(~(residual <= tolerance))):
        since = float(time[rows[off[0]]])
        yield (
            since,
            f"the energy balance error is {residual.max() / (scale or 1.0):.2g} of the {scale:.3g} "
            f"J in the run, more than {MAX_ENERGY_ERROR} rtol from t = {since:.4g} s on",
        )


def _audit_constraints(
    run: RunSummary, signals: RunSignals, time: np.ndarray
) -> Iterator[tuple[float, str]]:
    """Time [s] and text of constraint residuals beyond tolerance, of positions and of speeds."""
    if not run.system.held:
        return
    phi, psi = repeated(run.system, "openness", signals.rows, run.p)
    size, _ = mechanism_size_and_weight(run.system, tuple(run.p.tolist()))
    speed = max(max_magnitude(x[run.system.nq :]) for x in signals.extent) * max(size, 1.0)
    tolerance = CONSTRAINT_RTOL * speed + run.atol.max(initial=0.0)
    if not (slip := max_magnitude(psi)) <= tolerance:
        since = _first_time_above(time, psi, tolerance)
        yield (
            since,
            f"the constraints slip by up to {slip:.2g} m/s or rad/s, more than "
            f"{CONSTRAINT_RTOL:g} of the speeds, from t = {since:.4g} s on",
        )
    if not (gap := max_magnitude(phi)) <= CONSTRAINT_RTOL * size:
        since = _first_time_above(time, phi, CONSTRAINT_RTOL * size)
        yield (
            since,
            f"the constraints are open by up to {gap:.2g} m or rad, more than "
            f"{CONSTRAINT_RTOL:g} of the mechanism's {size:.3g} m, from t = {since:.4g} s on",
        )


def max_magnitude(x: np.ndarray) -> float:
    """The largest magnitude, zero of an empty array, NaN where an entry is NaN.

    >>> max_magnitude(np.array([[1.0, -3.0]])), max_magnitude(np.zeros((0, 2)))
    (3.0, 0.0)
    """
    return float(max(x.max(), -x.min())) if x.size else 0.0


def _first_time_above(time: np.ndarray, x: np.ndarray, bound: float) -> float:
    """First time [s] at which one of the numbers, (numbers, rows), exceeds a bound."""
    return float(time[np.argmax(~(abs(x).max(axis=0) <= bound))])


@once(most=16)
def mechanism_size_and_weight(system: System, parameters: tuple[float, ...]) -> tuple[float, float]:
    """Size [m]: largest distance of joints, bodies and frames from their links.  Weight [N]."""
    tree = system.floats(dict(zip(system.parameters, parameters, strict=True)))
    points = [k.X_PF.p for k in tree.links] + [x.X_LB.p for x in tree.places.values()]
    points += [evaluate_pose(tree.K, x.X_LB).p for c in system.closures for x in (c.F, c.M)]
    size = max((float(np.linalg.norm(p.astype(float))) for p in points), default=0.0) or 1.0
    mass = sum(abs(float(k.inertia.mass)) for k in tree.links)
    return size, mass * float(np.linalg.norm(np.asarray(tree.gravity, dtype=float)))


# ---- static friction that several elements share ---------------------------------------------

MAX_CHECKED_RELEASES = 20  # instants at which frictions let go that are checked
MAX_CHECKED_RUNS = 256  # runs of a batch that are checked
RESTING_SPEED = 1e-9  # [m/s, rad/s] rate of a friction at rest
RANK_RTOL = 1e-9  # singular value of scaled rows below which they are dependent


@once()
def list_shareable_frictions(system: System) -> list[int]:
    """Indices of dry frictions whose static load may be indeterminate.  [] where none is stronger
    in static than in sliding friction."""
    frictions = [
        i
        for i, e in enumerate(system.switched)
        if e.friction and len(e.memory) and len(e.labels) and not e.stores
    ]
    stronger = any(
        system.switched[i].friction.static != system.switched[i].friction.sliding for i in frictions
    )
    return frictions if stronger and len(frictions) > 1 else []


def note_indeterminate_friction(
    run: RunSummary, time: np.ndarray, Y: np.ndarray, M: np.ndarray
) -> str:
    """A sentence where frictions at rest with dependent rows let go one after the other."""
    frictions, s = list_shareable_frictions(run.system), run.system
    if not frictions or not len(M):
        return ""
    sticks = np.stack([M[:, s.layout.switches[i]][:, 0] == 0 for i in frictions], axis=1)
    releases = np.flatnonzero((sticks[:-1] & ~sticks[1:]).any(axis=1))
    for row in releases[:MAX_CHECKED_RELEASES].tolist():
        last = int(np.flatnonzero(time == time[row + 1])[-1])
        state = (float(time[row]), Y[row], M[row])
        names = _dependent_frictions(run, frictions, state, (sticks[row], sticks[last]))
        if names:
            return (
                f"at t = {time[row]:.4g} s the dry frictions {names} were at rest together and "
                "hold one motion between them: how they share its load is not determined, and "
                "since they hold more when stuck than when they slide, they may let go at less "
                "than they hold together"
            )
    return ""


def _dependent_frictions(
    run: RunSummary,
    frictions: Sequence[int],
    state: tuple[float, np.ndarray, np.ndarray],
    sticks: tuple[np.ndarray, np.ndarray],
) -> str:
    """Names of frictions at rest whose rows are linearly dependent and that let go in turn.

    `state` is time, state and memory.  `sticks` tells for each friction whether it sticks before
    and after the release.
    """
    s, parameters, (t, y, m) = run.system, run.parameters, state
    q, v = y[: s.nq], y[s.nq : s.nq + s.nv]
    tree = s.floats({TIME: t} | parameters)
    max_rate = RESTING_SPEED * (1 + abs(v).max(initial=0))
    names, rows, in_turn, stronger = [], [], False, False
    for i, before, after in zip(frictions, *sticks, strict=True):
        e = s.switched[i]
        J = np.array([np.asarray(e.rate(tree, t, q, x), float) for x in np.eye(s.nv)]).T
        if _is_pressed(s, e, m) and np.linalg.norm(J @ v) < max_rate:
            names.append(e.name)
            rows.append(J)
            in_turn = in_turn or bool(after) or not before
            sliding, static = e.friction.sliding, e.friction.static
            stronger = stronger or value.nominal(static, parameters) > value.nominal(
                sliding, parameters
            )
    if not (in_turn and stronger and len(names) > 1):
        return ""
    J = Constrained(s).at(parameters).jacobian(q, t) if s.held else np.zeros((0, s.nv))
    independent_rank = _scaled_rank(J) + sum(map(len, rows))
    is_dependent = _scaled_rank(np.vstack([J, *rows])) < independent_rank
    return ", ".join(map(repr, names)) if is_dependent else ""


def _is_pressed(system: System, friction: Any, m: np.ndarray) -> bool:
    """Whether the contact that presses a friction is closed; True without a contact."""
    slots = zip(system.switched, system.layout.switches, strict=True)
    gates = [
        m[x.start]
        for c, x in slots
        if c.contact and friction.friction.normal in (c.name, f"{c.name}.normal")
    ]
    return not gates or bool(gates[0] > 0.5)


def _scaled_rank(J: np.ndarray) -> int:
    """Rank of a matrix whose rows are scaled to length 1."""
    size = np.linalg.norm(J, axis=1, keepdims=True)
    scaled = J / np.where(size > 0, size, 1)
    return int((np.linalg.svd(scaled, compute_uv=False) > RANK_RTOL).sum()) if J.size else 0
