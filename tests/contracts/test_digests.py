"""No cached kernel survives a change of any number it depends on: every field of every element.

Another value is put into each field of each registered element: its digest must change whatever
the value, and that of the system, the key of its kernels, with it; and in some example the
mathematics change too, so that no field is there for nothing.
"""

import dataclasses
import inspect
import re
import warnings
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import pytest
import zoo

import torseur as ts
from torseur.compiler import read
from torseur.constraints import constraint
from torseur.dynamics import Motion, constraint_rows, start
from torseur.forces import law, line
from torseur.joints import ComplexJoint, joint
from torseur.kernels import motion_kernels
from torseur.scalars import Floats, Graph, digest, vector

IDLE = {
    ts.Guided: {"coordinate"},
    ts.PointOnCurve: {"parameter"},
    ts.RollingPair: {"normal"},
    ts.RollingSurface: {"near"},
    constraint["DryFriction"]: {"normal"},
    line["PlaneForce"]: {"root"},
    line["MeetForce"]: {"root", "slide"},
}
"""Fields that decide no number: names in expressions, another element's name, a drawing, where
a search starts."""
WORDS = ("push", "load", "base", "hand", "tip", "other", "turn", "slide", "turn.angle")
WORDS += ("ball.angle1", "slide.displacement", "slide.speed", "x", "y", "z", "body", "joint")


def slider(example):
    """A law on a slider, the smallest mechanism there is."""
    return ts.Model(
        bodies=(ts.Body("b", mass=1.0),),
        joints=(ts.Joint("turn", "world", "b", ts.Prismatic("x")),),
        inputs=(ts.Input("push"), ts.Input("load", 6)),
        parameters={"L": 0.6},
        forces=(ts.JointForce("f", "turn", example),),
    )


MODELS = {
    constraint: lambda x: zoo.mechanism(constraints=(x,)),
    law: slider,
    line: lambda x: zoo.mechanism(forces=(x,)),
    joint: lambda x: zoo.around(x, seed=3),
}
KINDS = [
    pytest.param(register, kind, id=kind.__name__)
    for register in MODELS
    for kind in register.values()
]


def others(x, told=""):
    """Other values of the same sort; `told` is what was said of a wrong one."""
    return (other for other in _others(x, told) if other != x)


def _others(x, told):
    if isinstance(x, bool):
        yield not x
    elif isinstance(x, int | float | Fraction):
        yield from (x + 1, x * 1.25, x * 0.5, -x, x + 0.125, x + 0.01)
    elif isinstance(x, str):
        said = re.search(r"(?:known:|expected)(.*)", told)
        yield from (
            *re.findall(r"'([^']+)'", told),
            *re.findall(r"[\w.]+", said[1] if said else ""),
        )
        yield from WORDS
        yield from (x.replace("sin", "cos"), f"{x} + 0.5*t", f"({x})*2", "0.5*L", "0.25", "x + y")
    elif isinstance(x, tuple):
        for i in reversed(range(len(x))):
            yield from ((*x[:i], other, *x[i + 1 :]) for other in others(x[i], told))
        yield (0.7,)
    elif isinstance(x, dict):
        yield from ({**x, k: other} for k, v in x.items() for other in others(v, told))
    elif dataclasses.is_dataclass(x):
        for f in dataclasses.fields(x):
            yield from (copied(x, f.name, other) for other in others(getattr(x, f.name), told))
    elif x is None:
        yield from (0.3, 1.5, *WORDS)


def copied(x, name, value):
    """A copy with one field changed, unseen by its constructor."""
    copy = object.__new__(type(x))
    for f in dataclasses.fields(x):
        object.__setattr__(copy, f.name, value if f.name == name else getattr(x, f.name))
    return copy


def changed(x, name, value):
    """A copy with one field changed, made by its constructor where that calls it so."""
    named = {
        n
        for n, p in inspect.signature(type(x)).parameters.items()
        if p.kind is not p.VAR_POSITIONAL
    }
    if {f.name for f in dataclasses.fields(x)} <= named:
        return dataclasses.replace(x, **{name: value})
    return copied(x, name, value)


def checked(register, example, name="", value=None):
    """The system of a mechanism with an element in it, or what is said against it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            example = changed(example, name, value) if name else example
            return MODELS[register](example).check(), ""
        except (ts.TorseurError, ValueError, TypeError, AttributeError, KeyError, IndexError) as e:
            return None, str(e).replace("'?'", "")


def rows(system):
    """Stamp of the rows of constraints, and what they see of forces."""
    K = Graph()
    K.parameters["L"] = K.symbol("L")
    tree = system.over(K)
    t, q, v = K.symbol("t"), K.symbols(map(str, system.coordinates)), K.symbols(system.speeds)
    r = constraint_rows(tree, system, t, q, v, switched=True)
    out = [K.lib.densify(K.sx(x)) for x in (r.phi, r.psi, r.J, r.gamma) if np.size(x)]
    ports = {"t": vector((t,)), "q": q, "v": v, "p": vector((K.parameters["L"],))}
    return read(K.lib.Function("rows", list(map(K.sx, ports.values())), out)).stamp


def kernel(name):
    return lambda system: motion_kernels(system)[name].program.stamp


def started(system):
    """States and memory of the elements at the start."""
    q, v = zoo.state(system, np.random.default_rng(1))[:2]
    now = start(system, Floats(system.parameters), 0.0, q, v, None)
    return digest(now.z, now.m)


def granted(system):
    """What a joint grants at one state, and how its coordinates are called."""
    K, out = Floats(), [*system.coordinates, *(p.unit for p in system.layout.q)]
    q, v = (x / 20 for x in zoo.state(system, np.random.default_rng(1))[:2])  # linkages end soon
    for k in system.links:
        X, S = k.joint.pose(K, q[k.q]), k.joint.subspace(K, q[k.q])
        out += [X.R, X.p, S, k.joint.rates(K, q[k.q], v[k.v])]
        out.append(k.joint.read(q[None, k.q]))
    return digest(out)


def stamped(system):
    """Stamps of kernels that follow a joint; those of a linkage are long to make."""
    if any(isinstance(k.joint, ComplexJoint) for k in system.links):
        return granted(system)
    dyn = ts.compile(system)
    return [dyn.kernel(n).program.stamp for n in ("rates", "center_of_mass")]


def listed(system):
    """Tables that are data: rows that jumps gather."""
    return digest([x.rows for x in system.layout.lists])


def booked(system):
    """Energy stored, power lost and brought, at one state."""
    K, rng = Floats(system.parameters), np.random.default_rng(1)
    q, v = zoo.state(system, rng)[:2]
    loads = Motion(system, K).loads(start(system, K, 0.0, q, v, rng.normal(size=7)))
    return digest(
        [(float(a.potential), float(a.dissipation), float(a.supply)) for a in loads.acting]
    )


MORE = {
    ts.Expression: (ts.Expression("20*x + 3*w", {"w": "push"}),),
    ts.Elastic: (ts.Elastic("2*x", "x**2 + 1"),),
}
"""Examples that only stand in the mechanism of laws here."""
LOOKS = {
    constraint: (rows, kernel("guards"), kernel("jump"), kernel("flow")),
    law: (booked, started, *map(kernel, ("applied", "guards", "jump", "flow")), listed),
    line: (booked, started, *map(kernel, ("applied", "guards", "jump", "flow")), listed),
    joint: (stamped, granted),
}
"""Where a change of mathematics is looked for, the cheapest first."""


def differ(register, before, after, seen) -> bool | None:
    """Whether two systems have different mathematics; `seen` keeps what the first one shows."""
    for look in LOOKS[register]:
        if look not in seen:
            seen[look] = look(before)
        try:
            if seen[look] != look(after):
                return True
        except (ts.TorseurError, ArithmeticError, ValueError):  # accepted, but no motion has it
            return None
    return False


@pytest.mark.parametrize(("register", "kind"), KINDS)
def test_every_field_of_every_element_is_in_the_digest(register, kind):
    for example in kind.examples():
        for f in dataclasses.fields(example):
            for other in others(getattr(example, f.name)):
                assert digest(example) != digest(copied(example, f.name, other)), f.name


@pytest.mark.parametrize(("register", "kind"), KINDS)
def test_every_field_changes_the_key(register, kind):
    """Another value of each field that the mechanism takes; what it changes the slow one asks."""
    left = {f.name for f in dataclasses.fields(kind)} - IDLE.get(kind, set()) - {"name"}
    for example in (*kind.examples(), *MORE.get(kind, ())):
        before = checked(register, example)[0]
        assert before is not None, f"{example} is refused in the mechanism of examples"
        for name in sorted(left):
            x = getattr(example, name)
            words = checked(register, example, name, "?")[1] if isinstance(x, str) else ""
            made = (checked(register, example, name, other)[0] for other in others(x, words))
            if any(s.digest != before.digest for s in islice(filter(None, made), 4)):
                left.discard(name)
    assert not left, f"no other value of {left} changes the key, in any example"


@pytest.mark.slow
@pytest.mark.parametrize(("register", "kind"), KINDS)
def test_every_field_changes_the_key_and_some_number(register, kind):
    left = {f.name for f in dataclasses.fields(kind)} - IDLE.get(kind, set()) - {"name"}
    for example in (*kind.examples(), *MORE.get(kind, ())):
        before = checked(register, example)[0]
        assert before is not None, f"{example} is refused in the mechanism of examples"
        seen = {}
        for name in sorted(left):
            x = getattr(example, name)
            words = checked(register, example, name, "?")[1] if isinstance(x, str) else ""
            tried = 0
            for other in others(x, words):
                after = checked(register, example, name, other)[0]
                if after is None:
                    continue
                if found := differ(register, before, after, seen):
                    assert after.digest != before.digest, f"{name}: {x!r} and {other!r}"
                    left.discard(name)
                tried += found is not None
                if name not in left or tried == 4:
                    break
    assert not left, f"no other value of {left} changes any number, in any example"


@dataclass(frozen=True, slots=True, eq=False)
class Longer(ts.Distance):
    """A constraint of somebody else, with a field more."""

    more: Any = 0


def test_a_new_field_of_a_class_outside_is_seen():
    """A new constraint with one more field ran another constraint's cached machine code."""
    given = [
        zoo.mechanism(constraints=(c,)).check().digest
        for c in (ts.Distance("c", "tip"), Longer("c", "tip"), Longer("c", "tip", more=1))
    ]
    assert len({digest(Longer("c", "tip", more=x)) for x in range(3)}) == 3
    assert given[0] == given[1] == given[2], "its rows are those of a rod, whatever `more` is"


def test_numbers_have_one_spelling():
    same = [digest(x) for x in (0.5, np.float64(0.5), np.array(0.5))]
    assert len(set(same)) == 1 and digest(2) == digest(2.0) == digest(np.int32(2))
    assert digest((1, 2.5)) == digest([1, 2.5]) == digest(np.array([1.0, 2.5]))
    assert (
        digest(0.1 + 0.2) != digest(0.3) and digest(True) != digest(1) and digest("1") != digest(1)
    )
    assert digest(float("nan")) != digest(float("inf")) and digest(1e200) != digest(1e201)
    assert digest((1, (2, 3))) != digest((1, 2, 3)) and digest({"a": 1}) != digest({"b": 1})
