"""What became of a run, as sentences: time, step, element, what to try."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...errors import TorseurError
from ...integrate import record as codes
from ...joints import TIME
from ...kernels import repeated
from ...scalars import Floats
from ...scalars.values import value
from ...solve import Constrained
from ...spatial import pose_over
from ...system import once
from .contact_modes import SEVERAL
from .limits import FINE, accuracy, kink, too_long

# --------------------------------------------------------------------------------------------
# Dry frictions that hold one motion together, and let go of it one after the other.


LOOKS = 20  # instants that are looked at,
RUNS = 256  # and runs of a batch
REST = 1e-9  # rate [m/s, rad/s] of what is at rest
NOTHING = 1e-9  # part of a row that others leave, below which it says nothing new


@once()
def holding(system) -> list[int]:
    """Numbers of dry frictions among all that switches; none where none holds more when stuck
    than when it slides."""
    found = [
        i
        for i, e in enumerate(system.switched)
        if e.friction and len(e.memory) and len(e.labels) and not e.stores
    ]
    firmer = any(
        system.switched[i].friction.static != system.switched[i].friction.sliding for i in found
    )
    return found if firmer and len(found) > 1 else []


def _shut(s, e, m) -> bool:
    """Whether what presses a friction is there: its contact is closed, if it is one."""
    own = zip(s.switched, s.layout.switches, strict=True)
    gates = [
        m[x.start]
        for c, x in own
        if c.contact and e.friction.normal in (c.name, f"{c.name}.normal")
    ]
    return not gates or gates[0] > 0.5


def crowding(run, logged) -> str:
    """Frictions that are all of the last events, if there are others that may hold with them."""
    own = {e.name for e in run.system.switched if e.friction}
    last = {run.guards[i].owner: run.guards[i].what for i in logged}
    inside = {n for n, what in last.items() if what in ("stops", "breaks loose") and n in own}
    return ", ".join(sorted(inside)) if len(own) > 1 and {*last} == inside else ""


def shared(run, time, Y, M) -> str:
    """A sentence where frictions at rest together, whose rows say one thing, let go in turn."""
    found, s = holding(run.system), run.system
    if not found or not len(M):
        return ""
    stuck = np.stack([M[:, s.layout.switches[i]][:, 0] == 0 for i in found], axis=1)
    loose = np.flatnonzero((stuck[:-1] & ~stuck[1:]).any(axis=1))
    bound = dict(zip(s.parameters, run.p.tolist(), strict=True))
    for row in loose[:LOOKS].tolist():
        last = int(np.flatnonzero(time == time[row + 1])[-1])
        names = _together(
            s, found, bound, float(time[row]), (Y[row], M[row]), stuck[row], stuck[last]
        )
        if names:
            return (
                f"; at t = {time[row]:.4g} s the dry frictions {names} were at rest together and "
                "hold one motion between them: how they share its load is not determined, and "
                "since they hold more when stuck than when they slide, they may let go at less "
                "than they hold together"
            )
    return ""


def _together(s, found, bound, t: float, state, stuck, after) -> str:
    """Names of frictions that hold one motion at a row, if they do and do not let go at once."""
    y, m = state
    q, v, unit = y[: s.nq], y[s.nq : s.nq + s.nv], np.eye(s.nv)
    tree, still = s.floats({TIME: t} | bound), REST * (1 + abs(v).max(initial=0))
    on, rows, in_turn, firmer = [], [], False, False
    for k, i in enumerate(found):
        e = s.switched[i]
        J = np.array([np.asarray(e.rate(tree, t, q, x), float) for x in unit]).T
        if _shut(s, e, m) and np.linalg.norm(J @ v) < still:
            on.append(e.name)
            rows.append(J)
            in_turn = in_turn or bool(after[k]) or not stuck[k]
            low, high = e.friction.sliding, e.friction.static
            firmer = firmer or value.nominal(high, bound) > value.nominal(low, bound)
    if not (in_turn and firmer and len(on) > 1):
        return ""
    J = Constrained(s).at(bound).jacobian(q, t) if s.held else np.zeros((0, s.nv))
    whole = np.vstack([J, *rows])
    many = sum(map(len, rows))
    return ", ".join(map(repr, on)) if _rank(whole) < _rank(J) + many else ""


def _rank(J) -> int:
    size = np.linalg.norm(J, axis=1, keepdims=True)
    scaled = J / np.where(size > 0, size, 1)
    return int((np.linalg.svd(scaled, compute_uv=False) > NOTHING).sum()) if J.size else 0


def answer(run, code) -> None:
    """What became of a run, by the code of `native`, as its outcome."""
    now = run.record
    at = f"at t = {run.t:.9g} s"
    if code == codes.TERMINAL_EVENT:
        run.stopped, ended = True, run.guards[now.detail]
        run.outcome = f"stopped {at} by {ended.name!r}"
        if ended.ends:
            run.failed = True
            run.outcome += f": its contact is no single point any more; {SEVERAL}"
    elif code in (codes.NOT_FINITE, codes.NO_CONVERGENCE):
        run.failed = True
        if told := unsettled(run) or underivable(run, now.detail):
            run.outcome = f"failed {at}: {told}"
            return
        what = culprit(run, now.detail)
        run.outcome = f"failed {at}, step {now.h:.3g} s: {what}; " + (
            on_edge(run, run.q)
            or "try a smaller step or tolerance, or look for a singular pose or a law that "
            "grows without bound"
        )
    elif code == codes.STEP_TOO_SMALL:
        run.failed = True
        run.outcome = f"failed {at}: " + (
            f"the event {often!r} came ever sooner, as of a stop that comes to rest; {RIGID}"
            if (often := crowded(run))
            else f"the step fell to {now.h:.3g} s; "
            + (on_edge(run, run.q) or (accuracy(now.rtol) if now.rtol < FINE else kink()))
        )
    elif code == codes.TOO_MANY_EVENTS:
        run.failed = True
        logged = now.log_index[: now.n_logged]
        last = [run.guards[i].name for i in logged[-2:]]
        if names := crowding(run, logged[-40:]):
            run.outcome = (
                f"failed {at}: more than {now.max_events} events, frictions of {names} stop and "
                "break loose without end: how those at rest share what holds a body is not "
                "determined (here by least squares), and one that carries little lets go where all "
                "of them together would hold; try more friction there, or fewer of them"
            )
            return
        run.outcome = (
            f"failed {at}: more than {now.max_events} events, the last "
            f"by {' and '.join(map(repr, last))}; allow more with max_events=, or "
            "give the law some damping"
        )
    elif code == codes.BUFFERS_FULL:
        run.failed = True
        run.outcome = (
            f"failed {at}: {now.n_rows} rows are kept, more than max_rows = {run.caps.rows}; give "
            "output= times, or allow more with max_rows="
        )
    elif code == codes.TOO_MANY_ATTEMPTS:
        run.failed = True
        run.outcome = f"failed {at}: {too_long(run)}"


def unsettled(run) -> str:
    """What is said where an impact has no speeds, or no derivatives; nothing of other faults."""
    contacts = [e.name for e in run.system.switched if e.contact]
    y = getattr(run.record, "y", run.q)  # a lane tells its coordinates alone
    if len(contacts) < 2 or np.isfinite(y).all() or not np.isfinite(run.q).all():
        return ""
    names = ", ".join(contacts)
    own = run.system.nq + run.system.nv + len(run.system.layout.z)
    if not np.isfinite(run.v).all() and len(y) <= own:
        return (
            f"the contacts {names} strike together, and no impulses were found that obey "
            "Coulomb's law at all of them, even without restitution; less friction may help"
        )
    now = run.record
    if len(y) <= own or run.t not in (run.t_start, *now.log_time[: now.n_logged][-1:]):
        return ""
    return (
        f"the contacts {names} strike together beside friction that no contact presses, and their "
        "impulses have no derivatives there; leave sensitivities out, or take differences of runs"
    )


def blamed(e: Exception) -> str:
    """What a controller did wrong, with its line where Python has one."""
    if isinstance(e, TorseurError):
        return f"{e}; what was computed is kept"
    from traceback import extract_tb

    last = extract_tb(e.__traceback__)[-1]
    what = " ".join(f"{type(e).__name__}: {e}".split())[:200].rstrip(": ")
    where = f"{Path(last.filename).name}, line {last.lineno}"
    return f"the controller failed, {what} ({where}); what was computed is kept"


RIGID = (
    "a rigid stop only bounces, it cannot hold: give it stiffness= and damping=, or use ts.Contact"
)


def passed(run, signals, time) -> str:
    """How a motion got through a rigid stop on which it came to rest, if it did."""
    bound = dict(zip(run.system.parameters, run.p.tolist(), strict=True))
    for e in run.system.elements:
        if getattr(e.law, "restitution", None) is None:
            continue
        seen = signals(f"{e.name}.deflection")
        x, rate = seen[f"{e.name}.deflection"], seen[f"{e.name}.rate"]
        low, high = (value.nominal(value.exact(y), bound) for y in (e.law.low, e.law.high))
        slack = 1e-6 * (high - low)
        if not run.method.adaptive:
            slack += 2 * abs(rate).max() * run.record.h
        out = np.flatnonzero((x < low - slack) | (x > high + slack))
        if len(out) and out[0] > 0:
            side = "low" if x[out[0]] < low else "high"
            return (
                f"failed after t = {time[out[0] - 1]:.6g} s: the motion came to rest on the "
                f"{side} stop of {e.name!r} and then went through it; {RIGID}"
            )
    return ""


def crowded(run) -> str:
    """An event whose last ten came in a thousandth of the run, sooner and sooner; else nothing."""
    count = run.record.n_logged
    when, which = run.record.log_time[:count], run.record.log_index[:count]
    own = when[which == which[-1]][-10:] if count else when
    if len(own) < 10 or np.ptp(own) > 1e-3 * max(run.t - run.t_start, 1e-9):
        return ""
    return run.guards[which[-1]].name if (np.diff(own, 2) < 0).mean() > 0.5 else ""


REMEDY = "use 'auto' angles, a quaternion, or coordinates whose edge is far"
ON = 1e-6  # of the distance at which a run is told: on the edge itself


def edges(system, parameters, q, within: float = 1.0) -> list[str]:
    """Joints whose coordinates fail at q, or nearly, with their values."""
    if not has_edges(system):
        return []
    tree, texts = system.floats(parameters), []
    for k in tree.links:
        found = k.joint.edges(tree.K, q[k.q])  # pairs, from either side
        near = [
            a[0]
            for a, b in zip(found[::2], found[1::2], strict=True)
            if abs(a[2] - b[2]) < -within * (a[2] + b[2])
        ]
        if near:
            named = zip(k.joint.coordinates, q[k.q], strict=True)
            at = ", ".join(f"{n} = {x:.6g} {unit}" for (n, unit), x in named if unit != "1")
            texts.append(f"{k.name}: {' and '.join(near)} ({at})")
    return texts


@once()
def has_edges(system) -> bool:
    """Whether coordinates of some joint can fail."""
    K, q = Floats(), system.neutral()
    return any(k.joint.edges(K, q[k.q]) for k in system.links)


def on_edge(run, q) -> str:
    """A sentence on joints whose coordinates are about to fail, and what to do."""
    parameters = dict(zip(run.system.parameters, run.p.tolist(), strict=True))
    found = edges(run.system, parameters, q)
    return f"{'; '.join(found)}; {REMEDY}" if found else ""


def begins_on_edge(run, Y) -> str:
    """The same of the start of a run, where no event can tell it."""
    said = on_edge(run, Y[0, : run.system.nq]) if len(Y) and not run.failed else ""
    return said and f"; at the start {said}"


def underivable(run, status) -> str:
    """Which derivative is not finite, where the motion itself is; nothing elsewhere."""
    where, s = getattr(run, "directions", None), run.system
    if where is None or status <= s.nq + s.nv + len(s.layout.z):
        return ""
    number, i = divmod(status - 1 - (s.nq + s.nv + len(s.layout.z)), len(where.order))
    names = (*s.coordinates, *s.speeds, *(port.name for port in s.layout.z))
    return (
        f"the derivative of {names[number]!r} by {where.order[i]!r} changes without bound there, "
        "where a formula has a root or a power of zero; leave that number out, or start a little "
        "off"
    )


def culprit(run, status) -> str:
    """What is not finite."""
    if status <= 0:
        return "a guard is not finite"
    if run.method.family == codes.NEWMARK and status == 1:
        return "Newton's iterations did not converge"
    names = (
        *(f"rate of {n}" for n in run.system.coordinates),
        *(f"acceleration of {n}" for n in run.system.speeds),
    )
    return (
        f"the {names[status - 1]} is not finite"
        if status <= len(names)
        else "the rate of a force element's state is not finite"
    )


def beyond(run, time, Y) -> str:
    """A sentence about the plain limits of joints that the motion has left; one for many."""
    left = []
    for name, unit, slot, low, high in plain_limits(run.system, run.p):
        x = Y[:, slot]
        out = np.flatnonzero((x < low) | (x > high))
        if len(out):
            left.append((name, f"{low:g}", f"{high:g}", unit, f"{time[out[0]]:.4g}"))
    if len(left) > 2:
        each = ", ".join(f"{n} ({low} .. {high} {u}; t = {t} s)" for n, low, high, u, t in left)
        return (
            f"; {len(left)} coordinates left their limits (limits without stiffness only watch): "
            f"{each}"
        )
    return "".join(
        f"; {n} left its limits {low} .. {high} {u} at t = {t} s "
        "(limits without stiffness only watch)"
        for n, low, high, u, t in left
    )


def plain_limits(system, p) -> list[tuple[str, str, int, float, float]]:
    """Coordinates whose limits only watch: name, unit, slot, low and high, NaN where there is none.

    >>> import torseur as ts
    >>> slide = ts.Joint("x", "world", "b", ts.Prismatic("x"), limits=(None, 0.5))
    >>> plain_limits(ts.Model(bodies=(ts.Body("b", 1.0),), joints=(slide,)).check(), np.zeros(0))
    [('x.displacement', 'm', 0, nan, 0.5)]
    """
    bound = dict(zip(system.parameters, p.tolist(), strict=True))
    found = []
    for j in system.model.joints:
        if not isinstance(j.limits, tuple | list):
            continue
        pairs = [j.limits] if np.ndim(np.asarray(j.limits, dtype=object)) == 1 else j.limits
        for (n, unit), ends in zip(j.kind.coordinates, pairs, strict=False):
            low, high = (
                np.nan
                if x is None or (isinstance(x, float) and not np.isfinite(x))
                else float(value.nominal(value.exact(x), bound))
                for x in ends
            )
            name = f"{j.name}.{n}"
            found.append((name, unit, system.coordinates.index(name), low, high))
    return found


def past_tables(run, time, M) -> str:
    """A sentence for every table that the motion has left at one of its ends."""
    texts = []
    for e in run.system.elements:
        for slot, last, of in e.law.edges() if e.law is not None else ():
            piece = M[:, e.m.start + slot]
            out = np.flatnonzero(piece > last - 0.5)
            if not len(out) and of == "x":
                out = np.flatnonzero(piece < 0.5)
            if len(out) and time[-1] > time[out[0]]:
                where = "end" if piece[out[0]] > 0.5 else "start"
                texts.append(
                    f"; {e.name} leaves the {where} of its table at t = {time[out[0]]:.4g} s"
                )
    return "".join(texts)


def shaken(run) -> str:
    """A sentence when a step ended so near a singular position that rounding outweighs rtol."""
    noise, at = run.record.max_noise, run.record.max_noise_time
    return (
        ""
        if not noise
        else (
            f"; the constraints are nearly singular at t = {at:.4g} s, where rounding moves the "
            f"state by {noise:.2g} tolerances: look at constraints.margin"
        )
    )


EPS = float(np.finfo(float).eps)
AUDIT = 100  # times rtol: the most that the energy audit of a complete run may be off
BLIND = 1e12  # times the energies in play: an audit as loose as that tells nothing of a motion
FINEST = 1e-11  # a smaller rtol is judged as this one: rounding adds up over steps
AUDITED = 65  # rows at which a run is audited before it is called complete
OPEN = 1e-9  # of the mechanism's size: the most that its constraints may be open


def doubts(run, signals, time) -> str:
    """Which promise of a complete run is broken, and since when; nothing when all are kept."""
    with np.errstate(all="ignore"):  # numbers without bound are doubts too
        texts = [*_unbalanced(run, signals, time), *_open(run, signals, time)]
    if not texts:
        return ""
    held = run.system.held and run.leading.solution != "null_space"
    others = " or solution='null_space'" if held else ""
    return f"; but {' and '.join(texts)}: not a motion to trust; try a smaller rtol{others}"


def _unbalanced(run, signals, time):
    """The energy audit of an adaptive method, when it is off."""
    if not run.method.adaptive:
        return
    books, forces, rows = signals.audit(AUDITED)
    names = ("kinetic", "potential", "dissipated", "supplied")
    energies = np.array([books[f"energy.{n}"] for n in names])
    low, high, first = energies.min(axis=1), energies.max(axis=1), energies[:, 0]
    scale = float((high - low).max() + abs(first[0]))  # of either sign from the first at the most
    rounding = 1e3 * EPS * max(largest(low), largest(high))
    rtol = max(run.record.rtol, FINEST)
    size, weight = measures(run.system, tuple(run.p.tolist()))
    least, most_q = (x[: run.system.nq] for x in signals.extent)
    size = max(size, largest(least), largest(most_q))
    moved = run.record.atol.max(initial=0.0) + rtol * size  # rows may miss what is in play
    pull = weight + float(abs(forces).max(axis=1, initial=0.0).sum())  # its work is an error
    most = AUDIT * (rtol * scale + moved * pull) + rounding
    far = largest(most_q - least)
    residual = abs(books["energy.residual"])
    if residual.max() <= most < np.inf and not moved * pull > BLIND * scale:
        return
    if len(bad := np.flatnonzero(~np.isfinite(residual))):
        yield (
            f"the energies are beyond the largest number from t = {time[rows[bad[0]]]:.4g} s on, "
            "so nothing can be audited"
        )
    elif moved * pull > BLIND * scale and far > 1e3 * moved:
        yield f"forces of up to {pull:.2g} N leave nothing of the {scale:.3g} J in play to audit"
    elif len(off := np.flatnonzero(~(residual <= most))):
        yield (
            f"the energy audit is off by {residual.max() / (scale or 1.0):.2g} of the {scale:.3g} "
            f"J in play, more than {AUDIT} rtol from t = {time[rows[off[0]]]:.4g} s on"
        )


def _open(run, signals, time):
    """Constraints that are not met, of positions and of speeds."""
    if not run.system.held:
        return
    phi, psi = repeated(run.system, "openness", signals.rows, run.p)
    size, _ = measures(run.system, tuple(run.p.tolist()))
    fast = max(largest(x[run.system.nq :]) for x in signals.extent) * max(size, 1.0)
    most = OPEN * fast + run.record.atol.max(initial=0.0)
    if not (slip := largest(psi)) <= most:
        yield (
            f"the constraints slip by up to {slip:.2g} m/s or rad/s, more than {OPEN:g} "
            f"of the speeds, from t = {_since(time, psi, most):.4g} s on"
        )
    if not (gap := largest(phi)) <= OPEN * size:
        yield (
            f"the constraints are open by up to {gap:.2g} m or rad, more than {OPEN:g} "
            f"of the mechanism's {size:.3g} m, from t = {_since(time, phi, OPEN * size):.4g} s on"
        )


def largest(x: np.ndarray) -> float:
    """The largest magnitude, zero of nothing; not a number where one is not.

    >>> largest(np.array([[1.0, -3.0]])), largest(np.zeros((0, 2)))
    (3.0, 0.0)
    """
    return float(max(x.max(), -x.min())) if x.size else 0.0


def _since(time, x, most) -> float:
    """When one of the numbers, (numbers, rows), is first above a bound."""
    return float(time[np.argmax(~(abs(x).max(axis=0) <= most))])


@once(most=16)
def measures(system, parameters: tuple[float, ...]) -> tuple[float, float]:
    """Size of a mechanism [m]: the farthest of its joints, bodies and frames from their links;
    and its weight [N]."""
    tree = system.floats(dict(zip(system.parameters, parameters, strict=True)))
    points = [k.X_PF.p for k in tree.links] + [x.X_LB.p for x in tree.places.values()]
    points += [pose_over(tree.K, x.X_LB).p for c in system.closures for x in (c.F, c.M)]
    size = max((float(np.linalg.norm(p.astype(float))) for p in points), default=0.0) or 1.0
    mass = sum(abs(float(k.inertia.mass)) for k in tree.links)
    return size, mass * float(np.linalg.norm(np.asarray(tree.gravity, dtype=float)))


# --------------------------------------------------------------------------------------------
# Beams that bent further than their theory goes, in a sentence.


MOST = 0.3  # rad: a slope whose square, which is left out of the shapes, is a tenth


def bent(run, time, Y) -> str:
    """A sentence for every beam whose sections turned too far from the one that holds it."""
    s, texts = run.system, []
    bound = dict(zip(s.parameters, run.p.tolist(), strict=True))
    for name in s.shared:
        own = [k for k in s.links if k.name == name]
        rows = [[value.nominal(x, bound) for x in row] for k in own for row in k.joint.turn[1:]]
        slope = abs(Y[:, own[0].q] @ np.array(rows, dtype=float).T).max(axis=1, initial=0.0)
        far = np.flatnonzero(slope > MOST)
        if len(far):
            texts.append(
                f"; beam {name!r} bends by up to {slope.max():.2g} rad, more than {MOST:g} rad "
                f"from t = {time[far[0]]:.4g} s on, where shapes of second order lose digits: "
                "make it two beams in a row"
            )
    return "".join(texts)
