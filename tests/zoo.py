"""Reference models, generated and never downloaded, and the tolerance every test shares."""

from __future__ import annotations

import os
from functools import cache
from itertools import compress
from operator import not_

import casadi as ca
import numpy as np

from torseur.joints import EVERY_JOINT, Free, Prismatic, Revolute, Spherical, Universal
from torseur.model import DH, Body, Frame, Input, Joint, Model, from_dh
from torseur.scalars import Graph, vector

EPS = np.finfo(float).eps
TOL_SCALE = float(os.environ.get("TORSEUR_TOL_SCALE", "1"))  # zero shows every residual


def close(got, want, k: float, scale=None) -> None:
    """Assert `|got - want| <= k * eps * scale`; by default the scale is the largest of `want`."""
    got, want = (np.array(x, dtype=float) for x in (got, want))
    scale = max(1.0, abs(want).max(initial=0)) if scale is None else scale
    np.testing.assert_allclose(got, want, rtol=0, atol=TOL_SCALE * k * EPS * scale)


def label(joint) -> str:
    return repr(joint).replace(" ", "")


def one_of_each(joints) -> list:
    """Of joints, one of each class and kind of speeds; the other sequences with the slow tests."""
    import pytest  # the reference pages are made without it

    seen, out = set(), []
    for j in joints:
        key = type(j), j.holonomic, j.quaternion is None, getattr(j, "position", "")
        out.append(pytest.param(j, id=label(j), marks=[pytest.mark.slow] * (key in seen)))
        seen.add(key)
    return out


def few(values, *kept) -> list:
    """Parameters of a test: those that are not `kept` with the slow tests."""
    import pytest

    return [
        pytest.param(
            *(x if isinstance(x, tuple) else (x,)), marks=[pytest.mark.slow] * (x not in kept)
        )
        for x in values
    ]


# ---- sampling ------------------------------------------------------------------------------


def coordinates(joint, rng) -> np.ndarray:
    """Coordinates on the joint's own manifold, away from the singularities of angles."""
    q = rng.uniform(0.2, 1.2, joint.nq) * rng.choice([-1, 1], joint.nq)
    if (i := joint.quaternion) is not None:
        q[i : i + 4] = rng.normal(size=4)
        q[i : i + 4] /= np.linalg.norm(q[i : i + 4])
    return q


def state(system, rng) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Generic q, v, a."""
    q = np.concatenate([np.zeros(0), *(coordinates(k.joint, rng) for k in system.links)])
    return q, rng.uniform(-1.5, 1.5, system.nv), rng.uniform(-1.5, 1.5, system.nv)


def numbers(rng, n, low=-1.0, high=1.0) -> tuple:
    """Short decimals, so that exact numbers stay short."""
    return tuple(round(float(x), 3) for x in rng.uniform(low, high, n))


def body(name, rng) -> Body:
    """A body that some distribution of mass can have: twelve random point masses."""
    points, masses = rng.uniform(-0.5, 0.5, (12, 3)), rng.uniform(0.1, 0.6, 12)
    com = masses @ points / masses.sum()
    J = sum(
        m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, points - com, strict=True)
    )
    return Body(name, mass=float(masses.sum()), com=tuple(com), inertia=J)


def tree(kinds, seed=0, *, parents=None, gravity=(0.7, -1.3, -9.2), armature=False) -> Model:
    """A tree of random bodies on the given joints; each hangs from a random earlier body."""
    rng = np.random.default_rng(seed)
    bodies, joints = [], []
    for i, kind in enumerate(kinds):
        up = int(rng.integers(-1, i)) if parents is None else parents[i]
        rotor = numbers(rng, kind.nv, 0.1, 0.5) if armature and kind.holonomic else 0
        bodies.append(body(f"b{i}", rng))
        joints.append(
            Joint(
                f"j{i}",
                "world" if up < 0 else f"b{up}",
                f"b{i}",
                kind,
                at=numbers(rng, 3),
                rpy=numbers(rng, 3),
                child_at=numbers(rng, 3),
                child_rpy=numbers(rng, 3),
                armature=rotor,
            )
        )
    frames = [Frame("tool", f"b{len(kinds) - 1}", at=numbers(rng, 3), rpy=numbers(rng, 3))]
    return Model("tree", gravity=gravity, bodies=bodies, joints=joints, frames=frames)


def around(joint, seed=0, **options) -> Model:
    """A joint under a moving parent and above a moving child, so that nothing is at rest."""
    return tree((Revolute((1, 2, 2)), joint, Revolute("x")), seed, parents=(-1, 0, 1), **options)


def random_kinds(rng, n, kinds=EVERY_JOINT):
    return tuple(kinds[i] for i in rng.integers(0, len(kinds), n))


# ---- named models --------------------------------------------------------------------------


def pendulum(mass="m", length="L") -> Model:
    return Model(
        "pendulum",
        gravity=(0, 0, "-g"),
        bodies=(
            Body(
                "rod",
                mass=mass,
                com=(0, 0, f"-{length}"),
                inertia=("Jx", "Jy", "Jz", "Jxy", "Jxz", "Jyz"),
            ),
        ),
        joints=(Joint("pivot", "world", "rod", Revolute("y")),),
    )


def free_body(joint=None) -> Model:
    return Model(
        "free body",
        gravity=(0, 0, "-g"),
        bodies=(
            Body("hull", mass="m", com=("x", "y", "z"), inertia=("A", "B", "C", "D", "E", "F")),
        ),
        joints=(Joint("float", "world", "hull", joint or Free()),),
    )


def spherical_body(kind) -> Model:
    return free_body(Spherical(kind))


def symbolic_body(i) -> Body:
    """All ten inertial parameters as symbols, about the origin of the row's frame."""
    return Body(
        f"link{i}",
        mass=f"m{i}",
        first_moment=(f"mx{i}", f"my{i}", f"mz{i}"),
        inertia=tuple(f"{e}{i}" for e in ("xx", "yy", "zz", "xy", "xz", "yz")),
        about="origin",
    )


PUMA_ROWS = (
    DH(0, 0, 0, 0),
    DH("-pi/2", 0, 0, 0),
    DH(0, "d3", 0, "r3"),
    DH("-pi/2", "d4", 0, "r4"),
    DH("pi/2", 0, 0, 0),
    DH("-pi/2", 0, 0, 0),
)


def puma(axes=6) -> Model:
    """PUMA 560, modified Denavit-Hartenberg, every inertial parameter and length a symbol."""
    return from_dh(
        PUMA_ROWS[:axes],
        [symbolic_body(i + 1) for i in range(axes)],
        convention="modified",
        name="puma",
        gravity=(0, 0, "-g"),
    )


def puma_generic() -> Model:
    """First three axes of a PUMA with all inertia parameters non-zero: oracle O-B3."""

    def link(i, mass, moment, J):
        return Body(f"link{i}", mass=mass, first_moment=moment, inertia=J, about="origin")

    bodies = (
        link(1, 0, (0, 0, 0), (1, 1.2, 4.36, 0.1, -0.05, 0.07)),
        link(2, 0, (7.2, 0.8, -0.5), (0.9, 2.1, 2.5, 0.11, -0.07, 0.05)),
        link(3, 36.2, (5.1, -0.6, 0.9), (0.7, 1.9, 2.2, -0.13, 0.06, -0.09)),
    )
    rows = (DH(0, 0, 0, 0), DH("pi/2", 0, 0, 0), DH(0, 0.6, 0, 0))
    return from_dh(rows, bodies, convention="modified", name="puma 3R", gravity=(0, 0, -9.81))


# ---- evaluation ----------------------------------------------------------------------------


def mechanism(seed=3, **parts) -> Model:
    """Where examples of lines and constraints live, and the contract tests try them.

    A base on a slider, an arm on a ball on it, a hand on a universal; another branch; a flier.
    """
    rng = np.random.default_rng(seed)
    names = ("base", "arm", "hand", "other", "flier")
    kinds = {
        "slide": ("world", "base", Prismatic((1, 2, 2))),
        "ball": ("base", "arm", Spherical("zxz")),
        "turn": ("base", "other", Revolute("z")),
        "wrist": ("arm", "hand", Universal("x", "y")),
        "fly": ("world", "flier", Free()),
    }

    def somewhere():
        return numbers(rng, 3, -0.5, 0.5)

    joints = [Joint(n, p, c, k, at=somewhere(), rpy=somewhere()) for n, (p, c, k) in kinds.items()]
    return Model(
        "mechanism",
        bodies=tuple(body(n, rng) for n in names),
        joints=tuple(joints),
        frames=(Frame("tip", "flier", at=somewhere(), rpy=somewhere()),),
        inputs=(Input("push"), Input("load", 6)),
        parameters={"L": 0.6},
        **parts,
    )


@cache
def constraints() -> tuple[tuple, tuple]:
    """Examples of constraints that always hold, and of those that come and go."""
    from torseur.constraints import constraint

    every = constraint.examples()
    switched = [bool(mechanism(constraints=(c,)).check().switched) for c in every]
    return tuple(compress(every, map(not_, switched))), tuple(compress(every, switched))


def floats(array) -> np.ndarray:
    return np.array(array, dtype=float)


def function(system, f, places="qva"):
    """`f(tree, *symbols)` built once as a graph: a function of numbers."""
    K = Graph()
    x = [K.symbols(f"{p}{i}" for i in range(system.nq if p == "q" else system.nv)) for p in places]
    out = f(system.over(K), *x)
    out = out if isinstance(out, np.ndarray) else vector([out])
    run = ca.Function("f", [K.sx(s) for s in x], [K.sx(out)])
    return lambda *arguments: np.array(run(*arguments)).reshape(out.shape)


def evaluate(system, f, *arguments, places="qva"):
    """Numbers of `f(tree, *symbols)` built as a graph and evaluated at the arguments."""
    return function(system, f, places[: len(arguments)])(*arguments)
