"""What may come and go moves no body at the start: the state is as given, or refused by name."""

import numpy as np
import pytest
import zoo

import torseur as ts

SWITCHED = zoo.constraints()[1]


@pytest.mark.parametrize(
    "constraint", SWITCHED, ids=lambda c: f"{type(c).__name__}-{SWITCHED.index(c)}"
)
def test_no_contact_and_no_friction_moves_a_start(constraint):
    system = zoo.mechanism(constraints=(constraint,)).check()
    own = {n for n in system.coordinates if n.startswith(f"{constraint.name}.")}
    for seed in (1, 2):
        q, v, _ = zoo.state(system, np.random.default_rng(seed))
        named = dict(zip((*system.coordinates, *system.speeds), (*q, *v), strict=True))
        named = {n: float(x) for n, x in named.items() if not n.startswith(f"{constraint.name}.")}
        try:
            found, _ = ts.assemble(system, named, keep=())
        except ts.AssemblyError as e:
            assert repr(constraint.name) in str(e)
            continue
        bodies = [i for i, n in enumerate(system.coordinates) if n not in own]
        np.testing.assert_allclose(found[bodies], q[bodies], rtol=0, atol=1e-12)


def test_a_torus_that_lies_flat_over_a_ball_is_refused_by_name():
    still = (0.1, 0.1, 0.1, 0, 0, 0)
    model = ts.Model(
        bodies=(ts.Body("ring", 1.0, inertia=still), ts.Body("ball", 1.0, inertia=still)),
        joints=(
            ts.Joint("fly", "world", "ring", ts.Free()),
            ts.Joint("foot", "world", "ball", ts.Weld()),
        ),
        constraints=(ts.ContactPair("hit", "ring", "ball", (0.4, 0.1), 0.2),),
    )
    for start in ({"fly.px": 0.1, "fly.pz": 1.0}, {"fly.pz": 1.0, "fly.qx": 0.1}):
        with pytest.raises(ts.AssemblyError, match=r"'hit'.* m apart across"):
            ts.assemble(model, start)
    q, _ = ts.assemble(model, {"fly.px": 0.6, "fly.pz": 1.0})
    assert q[:3].tolist() == [0.6, 0.0, 1.0]
