"""Elements of long trees, looped over by kinds: every law does there what it does by itself."""

import numpy as np
import pytest

import torseur as ts
from torseur.dynamics import Moment, kept, start
from torseur.forces import EVERY_LAW, lifted
from torseur.numbers import Floats
from torseur.quantities.element_kinds import FEWEST, element_kinds

LAWS = pytest.mark.parametrize("law", EVERY_LAW, ids=lambda law: repr(law)[:60])
LINKS = FEWEST + 1


def slides(law):
    """A chain of slides with the law on each; its numbers differ a little where they may."""

    def own(i):
        numbers = {}

        def take(x):
            numbers[f"n{len(numbers)}"] = x * (1 + 1e-9 * i)
            return f"n{len(numbers) - 1}"

        made = lifted(law, take).at(numbers)
        return law if made.faults() or made.problems() else made

    names = tuple(dict.fromkeys((*law.inputs, *law.signals)))
    ends = ["world", *(f"b{i}" for i in range(LINKS))]
    return ts.Model(
        bodies=tuple(ts.Body(n, mass=1.0) for n in ends[1:]),
        joints=tuple(
            ts.Joint(f"j{i}", ends[i], ends[i + 1], ts.Prismatic("x")) for i in range(LINKS)
        ),
        forces=tuple(ts.JointForce(f"f{i}", f"j{i}", own(i)) for i in range(LINKS)),
        inputs=tuple(ts.Input(n) for n in names),
    )


@LAWS
def test_a_kind_does_what_its_members_do(law):
    system = slides(law).check()
    kinds, rest = element_kinds(system)
    assert not rest and sum(len(k.members) for k in kinds) == LINKS
    rng, K = np.random.default_rng(5), Floats()
    at = system.layout
    q, v, u = rng.uniform(-0.4, 0.6, LINKS), rng.uniform(-1, 1, LINKS), rng.uniform(size=len(at.u))
    now = start(system, K, 0.3, q, v, u)
    values = {"q": q, "v": v, "z": now.z, "m": now.m, "u": u}
    for kind in kinds:
        G, columns, efforts, added = kind.traced
        told = G.sx(np.array([x for _, x in (*efforts, *added)], dtype=object))
        f = G.lib.Function("f", [G.sx(x) for x in columns], [G.lib.densify(told)])
        for k, i in enumerate(kind.members):
            seen = [float(values[place][j]) for place, j in kind.reads[k]]
            found = np.array(f(kind.constants[k], seen, 0.3, ())).ravel()
            acting = system.elements[i].act(K, [], Moment(0.3, q, v, now.z, now.m, u))
            places, wanted = zip(*acting.efforts, *kept(K, system, i, acting), strict=True)
            assert [*kind.writes(k)[0], *kind.writes(k)[1]] == list(places)
            wanted = np.array(wanted, dtype=float)
            scale = max(1.0, abs(wanted).max())
            assert (abs(found - wanted) <= 256 * np.finfo(float).eps * scale).all()
