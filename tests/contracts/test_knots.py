"""The piece is where the motion goes: every law, every knot, every way of leaving it.

A start exactly on a knot, and 1e-12 to either side of it, gives one motion, and the energy audit
closes.  Exceptions, by nature: rest that is not stable (none of the ways below); rigid stops,
which strike what starts before them, and not what starts behind them; and the bristle of a dry
friction, which starts bent with a speed and straight without: motions differ by its bend.
"""

import numpy as np
import pytest

import torseur as ts
from torseur.forces import EVERY_LAW
from torseur.numbers import Floats

F = Floats()
NEAR = (0.0, 1e-12, -1e-12)
# rate, then what pushes: a0 + a1 t + a3 t^3
WAYS = {
    "forward": (0.5, (0, 0, 0)),
    "backward": (-0.5, (0, 0, 0)),
    "rest": (0.0, (0, 0, 0)),
    "pushed": (0.0, (40.0, 0, 0)),
    "pulled": (0.0, (-40.0, 0, 0)),
    "pushed ever more": (0.0, (0, 400.0, 0)),
    "pulled ever more": (0.0, (0, -400.0, 0)),
    "pulled late": (0.0, (0, 0, -4e5)),
}


def pushed(law):
    """A block of 1 kg under the law and a push of three named numbers."""
    push = ts.Expression("-(a0 + a1*t + a3*t**3)", work="supplied")
    return ts.Model(
        "knots",
        gravity=(0, 0, 0),
        bodies=(ts.Body("b", 1.0),),
        joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
        inputs=(ts.Input("push"),),
        parameters={"a0": 0.0, "a1": 0.0, "a3": 0.0},
        forces=(ts.JointForce("f", "x", law), ts.JointForce("push", "x", push)),
    ).check()


def motion(system, x, way, t_start=0.0, rate=None, **options):
    own, numbers = WAYS[way]
    return ts.simulate(
        system,
        t_start + 0.05,
        {"x.displacement": float(x), "x.speed": own if rate is None else rate},
        t_start=t_start,
        parameters=dict(zip(("a0", "a1", "a3"), numbers, strict=True)),
        output=np.linspace(t_start, t_start + 0.05, 6),
        **{"method": "dopri5", "rtol": 1e-10, "atol": 1e-12} | options,
    )


def state(run):
    last = [np.flatnonzero(run.time == t)[-1] for t in np.unique(run.time)[-1:]]
    return np.array([run["x.displacement"][last], run["x.speed"][last]]).ravel()


def one_motion(runs, bend=0.0):
    """Positions and speeds agree; books close."""
    for run in runs:
        assert run.completed, run.outcome
        scale = max(abs(run["energy.kinetic"]).max(), abs(run["energy.potential"]).max(), 1e-6)
        assert abs(run["energy.residual"]).max() <= 1e-7 * scale
    first, *others = map(state, runs)
    for other in others:
        np.testing.assert_allclose(other, first, rtol=1e-7, atol=1e-9 + 1500 * bend)


KNOTTED = [law for law in EVERY_LAW if law.knots(F)]


@pytest.mark.parametrize("law", KNOTTED, ids=lambda law: repr(law)[:60])
def test_every_way_of_leaving_every_knot(law):
    system, rigid = pushed(law), getattr(law, "rigid", False)
    for knot in map(float, law.knots(F)):
        for way in WAYS:
            near = [knot + e for e in NEAR]
            if rigid:  # from inside, or exactly there
                near = [x for x in near if law.low <= x <= law.high]
            if rigid and "pu" in way:
                continue  # cannot hold: told elsewhere
            one_motion([motion(system, x, way) for x in near])


@pytest.mark.parametrize("law", EVERY_LAW, ids=lambda law: repr(law)[:60])
def test_every_way_of_leaving_rest(law):
    """The knot of friction is no speed."""
    bend = 0.0
    if isinstance(law, ts.forces.DryFriction):
        law = ts.forces.DryFriction(law.force_, law.static)  # stiff, as by default
        bend = law.static / law.stiffness
    system = pushed(law)
    for way in ("pushed", "pulled", "pulled ever more"):
        one_motion([motion(system, 0.06, way, rate=e) for e in NEAR], bend)


@pytest.mark.parametrize(
    "law", [law for law in EVERY_LAW if law.times(F)], ids=lambda law: repr(law)[:60]
)
def test_every_knot_of_time(law):
    system = pushed(law)
    for t in map(float, law.times(F)):
        one_motion([motion(system, 0.0, "forward", t_start=t + e) for e in NEAR])
