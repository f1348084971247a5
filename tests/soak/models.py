"""Random trees, loops, rolling and contacts: formalisms and solutions agree, or say why not.

    python tests/soak/models.py --floats 10000 --compiled 1000 --seed 3

In floats: of a tree every formalism's efforts, accelerations by composite and by articulated bodies
(put back into Newton and Euler's equations), of loops and rolling bodies the four solutions.
Compiled: kernels against floats, and short runs by the four solutions.  Masses of a tree spread
over twelve decades.  An error of ours is an answer; anything else that differs or falls is a fault.
"""

import argparse
import sys
import time
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import zoo
from scipy.spatial.transform import Rotation

import torseur as ts
from torseur import kinematics
from torseur.formalisms import FORMALISMS, articulated_body, composite_body, newton_euler

SIMPLE = (
    ts.Revolute("x"), ts.Revolute("y"), ts.Revolute("z"), ts.Prismatic("x"), ts.Prismatic("z"),
    ts.Universal("x", "y"), ts.Cylindrical("z"), ts.Spherical("xyz"), ts.Planar("z"),
)  # fmt: skip
CLOSING = (ts.Revolute("z"), ts.Universal("x", "y"), ts.Spherical(), ts.Cylindrical("z"))
EFFORTS, BACK, ALIKE, MOTION = 1e-9, 1e-8, 1e-6, 2e-5


class Differs(AssertionError):
    """Two answers that should be one."""


def agree(what: str, got, want, most: float, scale=None) -> None:
    got, want = np.asarray(got, float), np.asarray(want, float)
    scale = max(abs(want).max(initial=0.0), 1e-12) if scale is None else scale
    if not (off := abs(got - want)).size:
        return
    worst = float(np.max(off / scale)) if np.isfinite(off).all() else np.inf
    if not worst <= most:
        raise Differs(f"{what}: off by {worst:.2g}")


def heavy(model: ts.Model, rng, decades: float) -> ts.Model:
    """The same with masses spread over some decades."""
    bodies = []
    for b in model.bodies:
        k = 10.0 ** rng.uniform(-decades / 2, decades / 2)
        bodies.append(replace(b, mass=float(k * b.mass), inertia=k * np.asarray(b.inertia)))
    return replace(model, bodies=tuple(bodies))


def tree(rng) -> ts.Model:
    n = int(rng.integers(1, 8))
    made = zoo.tree(zoo.random_kinds(rng, n), seed=int(rng.integers(1 << 30)))
    return heavy(made, rng, rng.choice([0.0, 2.0, 12.0]))


def loop(rng) -> tuple[ts.Model, np.ndarray]:
    """A tree that is closed where it stands, once or twice, and its coordinates there."""
    n = int(rng.integers(3, 7))
    kinds = [SIMPLE[i] for i in rng.integers(0, len(SIMPLE), n)]
    model = zoo.tree(kinds, seed=int(rng.integers(1 << 30)))
    system = model.check()
    q, loops = zoo.state(system, rng)[0], []
    for k in range(int(rng.integers(1, 3))):
        a, b = rng.choice(["world", *system.bodies], 2, replace=False)
        F = np.eye(4)
        F[:3, :3] = Rotation.from_rotvec(rng.uniform(-2, 2, 3)).as_matrix()
        F[:3, 3] = rng.uniform(-0.5, 0.5, 3)
        M = np.linalg.solve(stands(system, q, b), stands(system, q, a) @ F)
        kind = CLOSING[int(rng.integers(0, len(CLOSING)))]
        loops.append(ts.Loop(f"c{k}", str(a), str(b), kind, pose=F, child_pose=M))
    return replace(model, loops=tuple(loops)), q


def stands(system, q, body) -> np.ndarray:
    """Where a body stands in the world, 4 x 4."""
    X = np.eye(4)
    if body != "world":
        at = kinematics.pose(system.floats(), str(body), q)
        X[:3, :3], X[:3, 3] = np.asarray(at.R, float), np.asarray(at.p, float)
    return X


def rolling(rng):
    """A disc on a plane that carries a pendulum, or a chain of two."""
    m, r = 10.0 ** rng.uniform(-1, 1), float(rng.uniform(0.2, 1.5))
    A = m * r * r * float(rng.uniform(0.2, 0.5))
    disc = ts.Body("disc", m, inertia=(A, 2 * A * rng.uniform(0.6, 1.0), A, 0, 0, 0))
    bodies, joints = [disc], [ts.Joint("fly", "world", "disc", ts.Free())]
    for i in range(int(rng.integers(0, 3))):
        bodies.append(zoo.body(f"b{i}", rng))
        up = "disc" if i == 0 else f"b{i - 1}"
        kind = SIMPLE[int(rng.integers(0, 6))]
        joints.append(ts.Joint(f"j{i}", up, f"b{i}", kind, at=zoo.numbers(rng, 3)))
    rows = (ts.Rolling("roll", "disc", radius=r),)
    lean = float(rng.uniform(-0.6, 0.6))
    start = {"fly.pz": r * np.cos(lean), "fly.qw": np.cos(lean / 2), "fly.qx": np.sin(lean / 2)}
    return ts.Model("rolling", bodies=bodies, joints=joints, constraints=rows), start


def contact(rng) -> tuple[ts.Model, dict]:
    """A box thrown on the ground: four corners, with friction or without."""
    m, a = 10.0 ** rng.uniform(-1, 1), rng.uniform(0.1, 0.4, 3)
    J = tuple(
        m / 3 * np.array([a[1] ** 2 + a[2] ** 2, a[0] ** 2 + a[2] ** 2, a[0] ** 2 + a[1] ** 2])
    )
    corners = [(x * a[0], y * a[1], -a[2]) for x in (-1, 1) for y in (-1, 1)]
    mu, e = float(rng.choice([0.0, 0.3, 0.8])), float(rng.choice([0.0, 0.5]))
    rows = [ts.Contact(f"c{i}", ("box", tuple(map(float, x))), friction=mu, restitution=e)
            for i, x in enumerate(corners)]  # fmt: skip
    model = ts.Model(
        "box", bodies=(ts.Body("box", m, inertia=(*J, 0, 0, 0)),),
        joints=(ts.Joint("f", "world", "box", ts.Free()),), constraints=rows,
    )  # fmt: skip
    start = {"f.pz": float(a[2] + rng.uniform(0.01, 0.3)), "f.vx": float(rng.normal()),
             "f.wy": float(rng.normal())}  # fmt: skip
    return model, start


# ---- what is compared ------------------------------------------------------------------------


def tree_in_floats(model, rng) -> None:
    system = model.check()
    t = system.floats()
    q, v, a = zoo.state(system, rng)
    tau = zoo.floats(newton_euler.inverse_dynamics(t, q, v, a))
    for name, formula in FORMALISMS.items():
        try:
            agree(name, zoo.floats(formula(t, q, v, a)), tau, EFFORTS)
        except ts.NotInRing:
            continue
    M = zoo.floats(composite_body.mass_matrix(t, q))
    bias = zoo.floats(newton_euler.inverse_dynamics(t, q, v, 0 * a))
    agree("mass matrix", M @ a + bias, tau, EFFORTS)
    from torseur.dynamics import forward_dynamics

    masses = [b.mass for b in model.bodies]
    lost = max(BACK, 1e2 * zoo.EPS * max(masses) / min(masses))  # AB.9: digits of their ratio
    for name, solver, most in (
        ("articulated bodies", articulated_body, lost),
        ("composite bodies", forward_dynamics, BACK),
    ):
        got = zoo.floats(solver.forward_dynamics(t, q, v, tau))
        back = zoo.floats(newton_euler.inverse_dynamics(t, q, v, got))
        size = abs(M) @ abs(got) + abs(bias) + abs(tau)  # of what is added up in every equation
        agree(f"{name}, put back", back, tau, most, np.maximum(size, 1e-300))


def moving(found, q, rng, t=0.0):
    """Speeds that the constraints allow."""
    x = found.terms(q, np.zeros(found.system.nv), t)
    v = rng.uniform(-1, 1, found.system.nv)
    return v - np.linalg.pinv(x.J, rcond=1e-10) @ (x.J @ v)


def four_solutions(system, q, rng) -> None:
    found = ts.solve.constrained_system(system)
    v, tau = moving(found, q, rng), rng.uniform(-5, 5, system.nv)
    x = found.terms(q, v)
    size = np.linalg.svd(x.J, compute_uv=False)
    if len(size) and (near := size[(size > 1e-9) & (size < 1e-4)]).size:
        raise ts.TorseurError(f"nearly singular: {near.min():.1g}")
    want = found.acceleration(q, v, tau)[0]
    scale = max(1.0, abs(want).max(initial=0.0))
    for name in ts.solve.SOLUTIONS:
        agree(name, found.acceleration(q, v, tau, solution=name)[0], want, ALIKE, scale)
    if x.J.size:  # the acceleration keeps the constraints, and what is left is a force of theirs
        left = x.M @ want + x.h - tau
        force = np.linalg.lstsq(x.J.T, left, rcond=1e-10)[0]
        agree("forces", x.J.T @ force, left, ALIKE, max(1.0, abs(left).max()))


def short_runs(model, start, keep, solutions, end=0.05) -> None:
    runs = {}
    for name in solutions:
        run = ts.simulate(model, end, start, keep=keep, solution=name, output=3, progress=False,
                          max_steps=20_000)  # fmt: skip
        if run.completed:
            runs[name] = run
        elif len(run.outcome) < 20:
            raise Differs(f"{name}: not complete, and no sentence: {run.outcome!r}")
    names = list(runs)
    for name in names[1:]:
        for x in runs[name].provenance["state"]:
            want = runs[names[0]][x]
            agree(f"{x} by {name}", runs[name][x], want, MOTION, max(1.0, abs(want).max()))


def compiled_tree(model, rng) -> None:
    system = model.check()
    dyn, t = ts.compile(system), system.floats()
    q, v, a = zoo.state(system, rng)
    tau = zoo.floats(newton_euler.inverse_dynamics(t, q, v, a))
    agree("kernel of efforts", dyn.inverse_dynamics(q, v, a), tau, EFFORTS)
    M = zoo.floats(composite_body.mass_matrix(t, q))
    agree("kernel of masses", dyn.mass_matrix(q), M, EFFORTS)
    bias = zoo.floats(newton_euler.inverse_dynamics(t, q, v, 0 * a))
    got = dyn.forward_dynamics(q, v, tau)
    size = abs(M) @ abs(got) + abs(bias) + abs(tau)
    back = zoo.floats(newton_euler.inverse_dynamics(t, q, v, got))
    agree("kernel of accelerations, put back", back, tau, BACK, np.maximum(size, 1e-300))


def state_of(system, q, v) -> dict:
    names = (*system.coordinates, *system.speeds)
    return dict(zip(names, map(float, (*q, *v)), strict=True))


def in_floats(kind: str, rng) -> None:
    if kind == "tree":
        tree_in_floats(tree(rng), rng)
    elif kind == "loop":
        model, q = loop(rng)
        four_solutions(model.check(), q, rng)
    else:
        model, start = rolling(rng)
        found = ts.assemble(model, start)
        four_solutions(model.check(), found.q, rng)


def in_kernels(kind: str, rng) -> None:
    if kind == "tree":
        compiled_tree(tree(rng), rng)
    elif kind == "loop":
        model, q = loop(rng)
        system = model.check()
        found = ts.solve.constrained_system(system)
        start = state_of(system, q, moving(found, q, rng))
        short_runs(system, start, (), ts.solve.SOLUTIONS)
    elif kind == "rolling":
        model, start = rolling(rng)
        short_runs(model, start | {"fly.wz": 1.0, "fly.wy": 2.0}, None, ts.solve.SOLUTIONS)
    else:
        model, start = contact(rng)
        short_runs(model, start, None, ("multipliers",), 0.4)


KINDS = {"floats": (in_floats, ("tree", "tree", "loop", "rolling")),
         "compiled": (in_kernels, ("tree", "loop", "rolling", "contact"))}  # fmt: skip


def run(way: str, count: int, seed: int, first: int = 0, most: float = np.inf):
    """Faults, what kinds of mechanisms were tried, and how many were answered by a sentence."""
    work, kinds = KINDS[way]
    faults, tried, said = [], Counter(), Counter()
    end = time.monotonic() + most
    for k in range(first, first + count):
        if time.monotonic() > end:
            break
        kind, rng = kinds[k % len(kinds)], np.random.default_rng((seed, k))
        tried[kind] += 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ts.ModelWarning)
                warnings.simplefilter("error", RuntimeWarning)
                work(kind, rng)
        except ts.TorseurError as e:
            said[f"{kind}: {str(e).splitlines()[-1][:70]}"] += 1
        except Exception as e:
            faults.append(f"{way} {kind} {k}: {type(e).__name__}: {e}")
    return faults, tried, said


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--floats", type=int, default=400)
    parser.add_argument("--compiled", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    args = parser.parse_args()
    bad = 0
    for way, count in (("floats", args.floats), ("compiled", args.compiled)):
        faults, tried, said = run(way, count, args.seed, args.first)
        bad += len(faults)
        what = ", ".join(f"{n} {k}" for k, n in tried.items())
        print(f"{way}, seed {args.seed}: {what or 'none'}: {len(faults)} faults, "
              f"{sum(said.values())} answered by a sentence")  # fmt: skip
        for text, n in said.most_common(12):
            print(f"  {n} x {text}")
        for text in faults[:30]:
            print(text[:300])
    return bool(bad)


if __name__ == "__main__":
    raise SystemExit(main())
