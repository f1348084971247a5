"""The contract of a law and of a line of action, on every registered one.

Books: `T rate = d(potential)/dt + dissipation - supply`, decided by the differentiated graph.
Action and reaction: the loads of an element between two bodies have no resultant and no moment.
"""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from zoo import close

import torseur as ts
from torseur.dynamics import Moment
from torseur.dynamics.flow import Motion, start
from torseur.forces import (
    EVERY_LAW,
    Bushing,
    Crush,
    Limits,
    MeetForce,
    PlaneForce,
    PointForce,
    Seen,
    Spring,
    Table,
    TimeTable,
    Wrench,
)
from torseur.scalars import Floats, Graph

LAWS = pytest.mark.parametrize("law", EVERY_LAW, ids=lambda law: repr(law)[:60])
F = Floats()


def situations(law, rng, n=12, fresh=False):
    """States that a law can be in: fresh ones, and ones after its own jumps."""
    for _ in range(n):
        s = Seen(
            rng.uniform(-0.4, 0.6),
            rng.uniform(-1, 1),
            rng.uniform(0, 1.2),
            u=tuple(rng.uniform(-2, 2, len(law.inputs))),
        )
        z, m = law.start(F, s)
        z = tuple(rng.uniform(-1e-3, 1e-3, len(z)))
        s = s._replace(z=z, m=m)
        yield s
        for k in range(0 if fresh else len(law.guards(F, s))):
            z, m = law.jump(F, k, s)
            after = s._replace(z=tuple(map(float, z)), m=tuple(map(float, m)))
            if np.isfinite(after.m).all() and max(map(abs, after.m), default=0) < 1e299:
                yield after


def graph_of(law, s):
    """Power, rate of the potential, dissipation and supply as functions of numbers."""
    K = Graph()
    x, rate, t = K.symbols(("x", "rate", "t"))
    z, m, u = (
        K.symbols(f"{c}{i}" for i in range(len(a))) for c, a in (("z", s.z), ("m", s.m), ("u", s.u))
    )
    seen = Seen(x, rate, t, tuple(z), tuple(m), tuple(u))
    U = law.potential(K, seen)
    dU = K.derive(U, x) * rate + K.derive(U, t)
    for zi, zdot in zip(z, law.zdot(K, seen), strict=True):
        dU = dU + K.derive(U, zi) * zdot
    rows = [
        law.force(K, seen) * rate,
        dU,
        law.dissipation(K, seen),
        law.supply(K, seen),
        law.force(K, seen),
    ]
    columns = [K.sx(a) for a in (np.array([x, rate, t], dtype=object), z, m, u)]
    return ca.Function("books", columns, [ca.vertcat(*map(K.sx, rows))])


@LAWS
def test_books_close_and_graph_equals_floats(law):
    rng = np.random.default_rng(3)
    book = None
    for s in situations(law, rng):
        book = book or graph_of(law, s)
        power, dU, lost, brought, T = np.array(book((s.x, s.rate, s.t), s.z, s.m, s.u)).ravel()
        scale = max(1.0, abs(power), abs(dU), abs(lost), abs(brought))
        assert abs(power - (dU + lost - brought)) <= 64 * np.finfo(float).eps * scale, s
        close(T, law.force(F, s), 64, max(1.0, abs(T)))


@LAWS
def test_passive_laws_do_not_create_energy(law):
    for s in situations(law, np.random.default_rng(4), 40, fresh=True):
        possible = all(g.value > 0 for g in law.guards(F, s))
        if possible and not law.inputs and law.supply(F, s) == 0 and not hasattr(law, "text"):
            assert law.dissipation(F, s) >= -1e-12


@LAWS
def test_jump_disarms_its_own_guard_or_moves_the_state_on(law):
    """After a jump the guard that fell is positive, zero at most to rounding, or off."""
    for s in situations(law, np.random.default_rng(5), 6):
        names = [g.name for g in law.guards(F, s)]
        assert len(set(names)) == len(names)
        for k in range(len(names)):
            assert len(law.jump(F, k, s)[1]) == len(law.memory)


@LAWS
def test_every_parameter_has_a_unit_and_the_law_is_a_value(law):
    import copy
    import pickle

    assert pickle.loads(pickle.dumps(law)) == law == copy.copy(law)
    assert not law.problems()
    assert {law: 1}[law] == 1
    assert all(len(pair) == 2 for pair in (*law.states, *law.memory))


# ---- lines of action -------------------------------------------------------------------------


def two_bodies(force):
    bodies = (
        ts.Body("a", 2.0, (0.1, 0, 0), (0.2, 0.3, 0.25, 0, 0, 0)),
        ts.Body("b", 3.0, (0, 0.1, 0), (0.3, 0.3, 0.4, 0, 0, 0)),
        ts.Body("s", 0.5),
    )
    joints = (
        ts.Joint("fa", "world", "a", ts.Free()),
        ts.Joint("fb", "world", "b", ts.Free()),
        ts.Joint("s", "world", "s", ts.Prismatic("y")),
    )
    return ts.Model(
        gravity=(0, 0, 0),
        bodies=bodies,
        joints=joints,
        forces=(force,),
        frames=(ts.Frame("tip", "b", at=(0.3, -0.2, 0.1), rpy=(0.2, 0.1, -0.3)),),
    ).check()


K6 = tuple(
    tuple(float(x) for x in row)
    for row in (lambda A: (A @ A.T).round(3))(np.random.default_rng(1).normal(size=(6, 6)))
)
LINES = [
    PointForce("e", a=("a", (0.1, 0.2, 0.3)), b="tip", law=Spring(200.0, 0.3)),
    PointForce("e", a="a", b="b", law=Table(((0.0, 0.0), (0.5, 30.0), (1.0, 100.0)))),
    PlaneForce("e", ("a", (0.9, 0.2, 0.3)), "tip", Spring(200.0), (0.6, 0, 0.8)),
    PlaneForce(
        "e", ("a", (0.9, 0.2, 0.3)), "tip", Spring(-200.0), "-y", friction=0.4, presliding=0.5
    ),
    PlaneForce(
        "e", ("a", (0.9, 0.2, 0.3)), "tip", Spring(200.0), "y", friction=0.4, presliding=0.5
    ),
    PlaneForce("e", ("a", (0.9, 0.2, 0.3)), "tip", Spring(200.0), (1, 2, 3), 0.4, edges=(-9, 9)),
    MeetForce("e", ("a", (0.9, 0.2, 0.3)), ("a", (0.5, 0, 0.1)), "tip", "s", Spring(200.0)),
    MeetForce("e", "tip", "a", "b", "s", Spring(-200.0), "b", friction=0.4, presliding=0.5),
    MeetForce(
        "e", ("a", (0.9, 0, 0)), "a", "tip", "s", Spring(200.0), friction=0.4, presliding=0.5
    ),
    Bushing("e", "a", "tip", (30, 40, 50, 600, 700, 800), (3, 4, 5, 6, 7, 8)),
    Bushing("e", "a", "tip", K6, K6, (0.1, 0, 0, 0, 0.05, 0)),
    Wrench("e", "tip", (1, 2, 3, 4, 5, 6), reaction="a"),
    Wrench("e", "tip", (1, 2, 3, 4, 5, 6), axes="body", reaction="a"),
]


def generic_state(system, rng):
    q, v = system.neutral(), rng.normal(size=system.nv)
    q[:3], q[7:10] = rng.normal(size=3) * 0.3, rng.normal(size=3) * 0.3 + (0.5, 0, 0)
    for i in (3, 10):
        q[i : i + 4] = rng.normal(size=4)
        q[i : i + 4] /= np.linalg.norm(q[i : i + 4])
    return q, v


def gripped(system, q, v):
    """A start at which friction that has a grip is in use."""
    now = start(system, F, 0.0, q, v)
    now.z[system.elements[0].z] = [0.6, -0.5][: len(system.elements[0].states)]
    return now


@pytest.mark.parametrize("line", LINES, ids=lambda f: type(f).__name__)
def test_action_and_reaction(line):
    system = two_bodies(line)
    q, v = generic_state(system, np.random.default_rng(2))
    motion = Motion(system, F)
    loads = motion.loads(gripped(system, q, v))
    total = np.zeros(6)
    for link, w in loads.acting[0].wrenches:
        total += np.array(loads.moving[link].X_W.push_wrench(w).array, dtype=float)
    size = max(np.abs(np.array(w.array, dtype=float)).max() for _, w in loads.acting[0].wrenches)
    assert size > 1
    close(total, np.zeros(6), 64, size)


@pytest.mark.parametrize("line", LINES, ids=lambda f: type(f).__name__)
def test_power_on_the_bodies_is_what_the_books_say(line):
    """Power of the wrenches = -d(potential)/dt - dissipation + supply, by differences along v."""
    system = two_bodies(line)
    q, v = generic_state(system, np.random.default_rng(6))
    motion = Motion(system, F)
    now = gripped(system, q, v)
    a = motion.loads(now).acting[0]
    moving = motion.loads(now).moving
    power = sum(float(w @ moving[i].V) for i, w in a.wrenches)
    power += sum(float(x) * v[j] for j, x in a.efforts)
    dyn = ts.compile(system)
    h = 1e-5

    def potential(s):
        there = Moment(
            0.0, np.array(dyn.integrate(q, s * v)).astype(object), now.v, now.z, now.m, now.u
        )
        return float(motion.loads(there).acting[0].potential)

    dU = (potential(h) - potential(-h)) / (2 * h)
    assert power == pytest.approx(-dU - float(a.dissipation) + float(a.supply), rel=1e-6, abs=1e-6)


# ---- messages --------------------------------------------------------------------------------


def joint_model(law, **more):
    return ts.Model(
        bodies=(ts.Body("m", mass=1.0),),
        forces=(ts.JointForce("f", "x", law),),
        joints=(ts.Joint("x", "world", "m", ts.Prismatic("x")),),
        **more,
    )


@pytest.mark.parametrize(
    "law, text",
    [
        (Crush(((0, 0), (0.1, 1e3)), 5e3), "unloads along 5000 N/m, which must be steeper"),
        (Crush(((0, 10), (0.1, 1e3)), 5e6), "must start with no force"),
        (Table(((0, 0), (0, 1))), "needs growing abscissae, but 0 follows 0"),
        (TimeTable(((0, 0),)), "needs at least two points"),
        (Limits(1.0, 0.5, 1e3), "has its low stop at 1, not below the high one at 0.5"),
        (Limits(0.0, 0.5), "needs stiffness= or restitution="),
        ("spring", "expected a law such as ts.Spring"),
        (ts.Effort(input="pedal"), "no input is named 'pedal'"),
        (ts.BoucWen(1e3, 0.1, sharpness=0), "needs a whole sharpness"),
    ],
)
def test_messages(law, text):
    with pytest.raises(ts.ModelError) as caught:
        joint_model(law).check()
    assert text in str(caught.value) and "'f'" in str(caught.value)


@LAWS
def test_a_law_is_in_proportion_to_the_numbers_it_says(law):
    """Tension less that with one number at zero: the number times its share."""
    rng = np.random.default_rng(5)
    for s in situations(law, rng, n=3, fresh=True):
        for number, share in law.shares(F, s).items():
            one = next((x for x in getattr(law, "laws", (law,)) if hasattr(x, number)), None)
            assert one is not None
            parts = tuple(
                replace(x, **{number: 0.0}) if x is one else x for x in getattr(law, "laws", (law,))
            )
            without = type(law)(*parts) if hasattr(law, "laws") else parts[0]
            size = float(getattr(one, number))
            got = float(law.force(F, s)) - float(without.force(F, s))
            assert got == pytest.approx(size * float(share), rel=1e-12, abs=1e-12)
