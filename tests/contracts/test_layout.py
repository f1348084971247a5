"""The layout says where numbers are: it agrees with what the equations themselves read and give."""

from dataclasses import replace

import numpy as np
import pytest
from zoo import constraints, mechanism

import torseur as ts
from torseur.dynamics import Moment, Motion, constraint_rows, start
from torseur.forces import EVERY_LAW
from torseur.joints import EVERY_JOINT
from torseur.scalars import Floats, Graph

EVERY_CONSTRAINT, EVERY_SWITCHED = constraints()
LOOPS = [j for j in EVERY_JOINT if j.nv < 6]
ROD = ts.Body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(1, 1, 1, 0, 0, 0))


def four_bar() -> ts.Model:
    """A planar loop: half of its closure rows hold by themselves."""
    bodies = tuple(ts.Body(n, mass=1.0, com=(0.5, 0, 0)) for n in ("crank", "coupler", "rocker"))
    y = ts.Revolute("y")
    return ts.Model(
        bodies=bodies,
        joints=(
            ts.Joint("a", "world", "crank", y),
            ts.Joint("b", "crank", "coupler", y, at=(1, 0, 0)),
            ts.Joint("d", "world", "rocker", y, at=(2, 0, 0)),
        ),
        loops=(ts.Loop("c", "coupler", "rocker", y, at=(2, 0, 0), child_at=(1, 0, 0)),),
    )


def models():
    named = [replace(c, name=f"c{i}") for i, c in enumerate(EVERY_CONSTRAINT)]
    loops = [
        ts.Loop(f"l{i}", "hand", "other", kind, at=(0.1, 0.2, 0.3)) for i, kind in enumerate(LOOPS)
    ]
    yield pytest.param(lambda: mechanism(constraints=tuple(named)), id="constraints")
    yield pytest.param(lambda: mechanism(loops=tuple(loops)), id="loops")
    yield pytest.param(four_bar, id="four-bar")
    for i, c in enumerate(EVERY_SWITCHED):
        yield pytest.param(lambda c=c: mechanism(constraints=(c,)), id=f"switched{i}")


@pytest.mark.parametrize("described", list(models()))
def test_multipliers_are_those_of_the_rows(described):
    system = described().check()
    K = Graph()
    tree = system.over(K)
    t, q, v = K.symbol("t"), K.symbols(system.coordinates), K.symbols(system.speeds)
    rows = constraint_rows(tree, system, t, q, v, switched=True)
    every = (*system.held, *system.switched)
    owners = [every[i].name for i in rows.owners]
    lam = system.layout.lam
    assert len(lam) == len(rows) > 0
    assert all(p.name.startswith(owner + ".") for p, owner in zip(lam, owners, strict=True))
    assert {p.unit for p in lam} <= {"N", "N m", "J", "1"}


def test_rows_that_hold_by_themselves_have_no_multiplier():
    assert len(four_bar().check().layout.lam) == 2


@pytest.mark.parametrize("law", EVERY_LAW, ids=lambda law: repr(law)[:60])
def test_states_memory_and_guards_are_those_of_the_law(law):
    inputs = tuple(ts.Input(n) for n in law.inputs)
    described = ts.Model(
        bodies=(ROD,),
        joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y"), damping=0.2),),
        forces=(ts.JointForce("f", "pivot", law),),
        inputs=(ts.Input("spare", size=2, unit="V"), *inputs),
    )
    system = described.check()
    at, K = system.layout, Floats()
    q, v = np.array([0.3]), np.array([0.7])
    now = start(system, K, 0.1, q, v)
    motion = Motion(system, K)
    assert len(motion.flow(now).zdot) == len(at.z) == len(now.z)
    assert len(motion.guards(now)) == len(at.guards)
    acting = zip(system.elements, motion.loads(now).acting, strict=True)
    said = [g.name for e, a in acting for g in e.law.guards(K, a.seen)]
    assert [g.what for g in at.guards] == said and all(g.owner == "f" for g in at.guards)
    assert at.z.names[at.states] == tuple(f"f.{n}" for n, _ in law.states)
    assert at.m.names == tuple(f"f.{n}" for n, _ in law.memory)
    assert at.u.names[:2] == ("spare.0", "spare.1") and at.u[1].unit == "V"
    assert at.z.names[at.books][:2] == ("energy.dissipated", "energy.supplied")
    assert "pivot.damping.energy.dissipated" in at.z.names
    assert [p.slot for p in at.z] == list(range(len(at.z)))


@pytest.mark.parametrize("switch", EVERY_SWITCHED, ids=lambda c: repr(c)[:60])
def test_memory_of_contacts_and_frictions(switch):
    system = mechanism(constraints=(switch,)).check()
    at = system.layout
    told = [g.told for g in at.guards]
    assert len(at.switches) == len(system.switched) and at.switches[-1].stop == len(at.m)
    K = Graph(dict(system.parameters))
    symbols = {x: K.symbols(f"{x}{i}" for i in range(len(getattr(at, x)))) for x in "qvzmu"}
    now = Moment(K.symbol("t"), *(symbols[x] for x in "qvzmu"))
    assert len(Motion(system, K).guards(now)) == len(at.guards) == len(told)
    assert any(told) and all(g.unit in ("N", "m", "m/s") for g in at.guards if g.acts)


def test_every_link_has_a_block_of_its_own():
    system = mechanism().check()
    at = system.layout
    assert [b.links for b in at.blocks] == [(k.index,) for k in system.links]
    covered = [i for b in at.blocks for i in range(b.v.start, b.v.stop)]
    assert covered == list(range(system.nv)) and len(at.q) == system.nq
    assert at.q.names == system.coordinates and at.v.names == system.speeds


def test_a_name_that_is_not_there_is_told():
    with pytest.raises(ts.TorseurError, match=r"no number of v is named 'turn.rat'; did you mean"):
        mechanism().check().layout.v.slot("turn.rat")


def test_unknown_signals_of_all_forces_are_told_at_once():
    def force(name, signal):
        law = ts.Expression("-s", signals={"s": signal})
        return ts.JointForce(name, "pivot", law)

    described = ts.Model(
        bodies=(ROD,),
        joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),),
        forces=(force("one", "pivot.angel"), force("two", "pivot.rtae")),
    )
    with pytest.raises(ts.ModelError) as told:
        described.check()
    assert len(told.value.problems) == 2
    assert (
        "force 'one': no coordinate, speed, input, multiplier or reaction is named 'pivot.angel'"
        in str(told.value)
    )


def test_a_substitution_reaches_what_check_resolved():
    """A number put in for a letter: dampers and loops of the equations follow it."""
    y = ts.Revolute("y")
    bodies = tuple(ts.Body(n, mass=1.0, com=("L/2", 0, 0)) for n in ("crank", "coupler"))
    joints = (
        ts.Joint("a", "world", "crank", y, damping="c"),
        ts.Joint("b", "crank", "coupler", y, at=("L", 0, 0)),
    )
    slide = ts.Loop("s", "world", "coupler", ts.Planar("y"), child_at=("L", 0, 0))
    described = ts.Model(bodies=bodies, joints=joints, loops=(slide,), parameters=["L", "c"])
    eq = ts.equations(described).substitute({"L": 2, "c": 3})
    assert eq.system.elements[0].law.damping == 3
    (place,) = {e.M.X_LB.p[0] for e in eq.system.held}
    assert place == 2


@pytest.mark.parametrize("c", (*EVERY_CONSTRAINT, *EVERY_SWITCHED), ids=lambda c: type(c).__name__)
def test_names_without_a_value_have_rows_too(c):
    """A model may leave numbers open until it runs: its signals are known before."""
    system = replace(mechanism(constraints=(c,)), parameters={}).check()
    assert system.layout.rows == mechanism(constraints=(c,)).check().layout.rows
