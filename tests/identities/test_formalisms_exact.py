"""Five formalisms that share no text give one polynomial: an exact proof, not a coincidence."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
import zoo

from torseur.errors import NotInRing
from torseur.formalisms import lie_group, newton_euler
from torseur.joints import EVERY_JOINT, Free, Guided, Helical, Prismatic, Revolute, Spherical
from torseur.model import Body, Joint, Model
from torseur.scalars.values.value import Value
from torseur.symbolic import FORMALISM_NAMES, equations

EXAMPLES = Path(__file__).parents[2] / "examples"
sys.path.insert(0, str(EXAMPLES))
ROBOTS = importlib.import_module("equations_robots")
LIE = importlib.import_module("equations_lie_group")


def symbolic(name) -> Body:
    return Body(
        name,
        mass=f"m{name}",
        com=(f"x{name}", 0.2, f"z{name}"),
        inertia=(2, f"J{name}", 3, 0.1, 0.2, f"K{name}"),
    )


def around(kind) -> Model:
    """A joint on a moving parent, with a child, beside a screw with a rotor."""
    return Model(
        "around",
        gravity=(0.5, "g", -9),
        bodies=[symbolic(n) for n in "abcd"],
        joints=[
            Joint("before", "world", "a", Revolute("x"), at=(0, 1, 0)),
            Joint("it", "a", "b", kind, at=(1, "L", 2), rpy=("pi/2", 0, 0)),
            Joint("after", "b", "c", Revolute("y"), at=(0.2, 0, 1)),
            Joint("screw", "a", "d", Helical("z", 0.1), armature=2),
        ],
    )


def branching() -> Model:
    """A tree with sliders, a screw, and axes that are parallel, opposite and skew."""
    kinds = (
        Revolute("z"),
        Prismatic("x"),
        Revolute("-z"),
        Helical("y", "p"),
        Revolute("z"),
        Prismatic((0, 3, 4)),
    )
    parents = ("world", "a", "b", "a", "c", "d")
    return Model(
        "tree",
        gravity=(0, 1, "-g"),
        bodies=[symbolic(n) for n in "abcdef"],
        joints=[
            Joint(f"j{n}", up, n, kind, at=(f"L{n}", 0, 0.3), armature=1)
            for n, up, kind in zip("abcdef", parents, kinds, strict=True)
        ],
    )


def car() -> Model:
    """A body in body axes with a slider and a wheel on it, all symbolic."""
    return Model(
        "car",
        gravity=(0, 0, "-g"),
        bodies=[symbolic(n) for n in "abc"],
        joints=[
            Joint("float", "world", "a", Free("zyx", speeds="vehicle")),
            Joint("travel", "a", "b", Prismatic("z"), at=("X", "Y", 0)),
            Joint("spin", "b", "c", Revolute("y")),
        ],
    )


ZOO = {
    "pendulum": zoo.pendulum,
    "three links": lambda: ROBOTS.chain(3),
    "puma3": ROBOTS.puma3,
    "puma560": ROBOTS.puma560,
    "stanford": ROBOTS.stanford,
    "scara": ROBOTS.scara,
    "tree": branching,
    "yoke": LIE.yoke,
    "planar": LIE.planar,
    "sliders": LIE.sliders,
    "car": car,
    **{
        f"ball {k}": (lambda k=k: zoo.spherical_body(k))
        for k in ("zxz", "xyz", "zyx", "quaternion")
    },
}


@pytest.mark.parametrize("name", ZOO)
def test_all_formalisms_give_the_same_polynomials(name):
    system = ZOO[name]().check()
    first = equations(system)
    assert first.canonical
    pseudo = not all(k.joint.holonomic for k in system.links)
    for other in FORMALISM_NAMES[1:]:
        if other == "uicker" and pseudo:
            with pytest.raises(NotInRing, match="are not the rates of its coordinates"):
                equations(system, other)
        else:
            assert equations(system, other) == first, other


@pytest.mark.parametrize("kind", zoo.one_of_each(EVERY_JOINT))
def test_every_joint_in_every_formalism(kind):
    system = around(kind).check()
    first, compared = equations(system), 0
    for other in FORMALISM_NAMES[1:]:
        try:
            assert equations(system, other) == first, other
            compared += 1
        except NotInRing as e:
            why = "has no elementary steps" if kind.holonomic else "not the rates of its"
            assert other == "uicker" and why in str(e)
    taken = kind.holonomic and (kind.steps() or kind.nv < 2)
    assert compared == len(FORMALISM_NAMES) - (1 if taken else 2)


def test_a_changed_sign_is_seen():
    system = ROBOTS.puma3().check()
    flipped = equations(
        ROBOTS.robot("flipped", [(0, 0, 0, 0), ("-pi/2", 0, 0, 0), (0, "d3", 0, 0)])
    )
    assert equations(system) != flipped


def test_relative_and_summed_angles_are_the_same_functions():
    rng = np.random.default_rng(3)
    from torseur.symbolic import open_ring

    system = branching().check()
    eq = equations(system)
    S = open_ring(system, sums=False)
    tau = newton_euler.inverse_dynamics(S.tree, S.q, S.v, S.a)
    q, v, a = zoo.state(system, rng)
    p = dict.fromkeys(system.symbols, 0.7)
    from torseur.symbolic.equations import Equations
    from torseur.symbolic.print.normal_form import Reading

    plain = Equations(system, "newton_euler", Reading(system, S), tuple(tau))
    assert sum(plain.tau[i].terms for i in range(6)) > sum(eq.tau[i].terms for i in range(6))
    zoo.close(plain.evaluate(q, v, a, p), eq.evaluate(q, v, a, p), 200)


@pytest.mark.parametrize("kind", [Spherical("zxz"), Free(), Prismatic("x")], ids=zoo.label)
def test_reactions_are_a_by_product(kind):
    system = around(kind).check()
    from torseur.symbolic import open_ring

    S = open_ring(system)
    one = newton_euler.solve(S.tree, S.q, S.v, S.a)
    two = lie_group.solve(S.tree, S.q, S.v, S.a)
    for F, N in zip(one.reactions, two.reactions, strict=True):
        assert all(x == y for x, y in zip(F.array, N.array, strict=True))


def test_eulerian_velocities_are_the_lagrangian_ones_carried_to_the_world():
    from torseur.symbolic import open_ring

    S = open_ring(branching().check())
    lagrangian = lie_group.body_motions(S.tree, S.q, S.v, S.a)
    eulerian = lie_group.eulerian_motions(S.tree, S.q, S.v, S.a)
    for b, e in zip(lagrangian[1:], eulerian[1:], strict=True):
        assert all(x == y for x, y in zip(lie_group.Ad(b.D, b.v), e.u, strict=True))
        assert all(x == y for x, y in zip(lie_group.Ad(b.D, b.dv), e.du, strict=True))


def between_hinges(knuckle) -> Model:
    rng = np.random.default_rng(5)
    return Model(
        "knuckle",
        gravity=(0, 1, -9),
        bodies=[zoo.body(n, rng) for n in "abc"],
        joints=[
            Joint("first", "world", "a", Revolute("y")),
            Joint("travel", "a", "b", knuckle),
            Joint("last", "b", "c", Revolute((1, 2, 2))),
        ],
    )


@pytest.mark.parametrize(
    "knuckle, written",
    [
        (Guided(("z/20 - z**2/5", 0, "z"), ("-z/3 + z**2", 0, 0), coordinate="z"), True),
        pytest.param(
            Guided(("z/20", "0.1*exp(z/5)", "z"), ("-z/3", "z/10", 0), coordinate="z"),
            False,
            marks=pytest.mark.slow,
        ),
    ],
    ids=["in the ring", "by name"],
)
def test_screw_that_varies_in_every_formalism(knuckle, written):
    """A travel-dependent knuckle between two hinges: formulas or functions, exact derivatives."""
    system, rng = between_hinges(knuckle).check(), np.random.default_rng(6)
    q, v, a = zoo.state(system, rng)
    want = zoo.evaluate(system, newton_euler.inverse_dynamics, q, v, a)
    eq = equations(system)
    for name in FORMALISM_NAMES[1:]:
        method = importlib.import_module(f"torseur.formalisms.{name}").inverse_dynamics
        zoo.close(zoo.evaluate(system, method, q, v, a), want, 200)
        assert equations(system, name) == eq, name
    zoo.close(eq.evaluate(q, v, a), want.ravel(), 200)
    space: dict = {}
    exec(eq.code("python", name="f"), space)
    zoo.close(space["f"](q, v, a), want.ravel(), 200)
    named = "where travel.e, p: orientation (unit quaternion) and position"
    assert (named in str(eq)) is not written
    assert any("taken as unrelated functions" in d for d in eq.doubts) is not written
    assert ("sin(1/3 q2)" in str(eq)) is written


@pytest.mark.parametrize("seed", range(4))
def test_random_trees_with_generic_poses(seed):
    """Dozens of angles given as numbers: rotations stay orthogonal, formalisms equal, exactly."""
    rng = np.random.default_rng(seed)
    kinds = [
        k for k in EVERY_JOINT if k.nv == 1 and not any(isinstance(x, Value) for x in k.constants())
    ]
    system = zoo.tree(
        [kinds[i] for i in rng.integers(0, len(kinds), 5)], seed, armature=True
    ).check()
    first = equations(system)
    for other in FORMALISM_NAMES[1:]:
        assert equations(system, other) == first, other
    q, v, a = zoo.state(system, rng)
    want = newton_euler.inverse_dynamics(system.floats(), q, v, a).astype(float)
    zoo.close(first.evaluate(q, v, a), want, 500)
    assert "stand for rotations by rational" in str(first) and not first.canonical
