"""One mechanism described in many ways has one motion: random mechanisms, written otherwise.

    python tests/soak/descriptions.py --count 100 --seed 3

A mechanism is that of the zoo with one more joint of any kind, some registered lines, a law and
mostly a constraint.  It is run as it is, and then with bodies, joints and elements in another
order; through a file; with numbers as parameters; on a world that is turned and moved, gravity with
it; on one that falls, gravity less; with a body cut in two and welded; with a joint as a loop; by
another method or solution.  An error of ours is an answer; another motion is a fault.
"""

import argparse
import sys
import tempfile
import time
import warnings
from collections import Counter
from dataclasses import fields, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
import zoo
from models import Differs
from scipy.spatial.transform import Rotation

import torseur as ts
from torseur.constraints import constraint
from torseur.forces import law, line
from torseur.joints import EVERY_JOINT
from torseur.model import field_paths

END, NEAR, OF_SIGNALS = 0.15, 1e-6, 1e-4  # of a run; of positions; of other signals, of their size
OPTIONS = {"rtol": 1e-9, "atol": 1e-11, "output": 6, "progress": False, "max_seconds": 20}
INPUTS = tuple(ts.Input(n) for n in ("u", "command", "torque", "current"))
CLOSING = ("Revolute", "Prismatic", "Universal", "Spherical", "Cylindrical", "Helical", "Planar")
METHODS = ("dopri5", "dop853", "rodas5p")
ENDS = "parent child a b ground point plane through on of frame reaction body wheel blade".split()


def one_of(rng, values):
    return values[int(rng.integers(len(values)))]


def mechanism(rng) -> ts.Model:
    m = zoo.mechanism(seed=int(rng.integers(1 << 30)))
    places = {n: zoo.numbers(rng, 3) for n in ("at", "rpy", "child_at", "child_rpy")}
    up = str(rng.choice(["world", "base", "arm", "hand", "other"]))
    more = ts.Joint("more", up, "extra", one_of(rng, EVERY_JOINT), **places)
    lines = rng.choice(len(line.examples()), int(rng.integers(1, 3)), replace=False)
    forces = [replace(line.examples()[int(i)], name=f"f{k}") for k, i in enumerate(lines)]
    own = one_of(rng, law.examples())
    between = ts.PointForce(
        "own", ("arm", zoo.numbers(rng, 3)), ("extra", zoo.numbers(rng, 3)), own
    )
    alone = (ts.JointForce("own", "turn", own), ts.JointForce("own", "slide", own), between)
    forces.append(one_of(rng, alone))
    rows = [replace(one_of(rng, constraint.examples()), name="con")] * (rng.random() < 0.75)
    return replace(
        m,
        bodies=(*m.bodies, zoo.body("extra", rng)),
        joints=(*m.joints, more),
        forces=tuple(forces),
        constraints=tuple(rows),
        inputs=(*m.inputs, *INPUTS),
        gravity=zoo.numbers(rng, 3, -6, 6),
    )


def start_of(model, rng) -> dict:
    """Where it stands and moves as its constraint asks."""
    system = model.check()
    names = (*system.coordinates, *system.speeds)
    q, v, _ = zoo.state(system, rng)
    named = dict(zip(names, map(float, (*q, *(0.5 * v))), strict=True))
    own = {n: x for n, x in named.items() if not n.startswith("con.")}
    q, v = ts.assemble(model, own, keep=())
    return dict(zip(names, map(float, (*q, *v)), strict=True))


# ---- other descriptions: a model, its start, how bodies are moved, options of the run ----------


def in_another_order(model, start, rng):
    some = ("bodies", "joints", "forces", "constraints")
    own = {n: getattr(model, n) for n in some}
    return replace(
        model, **{n: tuple(x[i] for i in rng.permutation(len(x))) for n, x in own.items()}
    )


def through_a_file(model, start, rng):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"model.{one_of(rng, ('yaml', 'json'))}"
        model.save(str(path))
        return ts.load(str(path))


def by_names(model, start, rng):
    """Some numbers, those of elements first, as parameters where these may stand."""
    own = [
        p for p in field_paths.numbers(model) if isinstance(field_paths.read(model, p), int | float)
    ]
    first = [p for p in own if p.split(".")[0] in ("f0", "f1", "own", "con", "more")]
    for p in (*first, *map(str, rng.choice(own, 8, replace=False))):
        try:
            named, _ = field_paths.parametrize_paths(model, [p])
            named.check()
        except ts.TorseurError:
            continue
        model = named
    return model


def on_ground(model, T) -> ts.Model:
    """All that stands on the world stands on a body that is welded there."""

    def put(x):
        if isinstance(x, tuple):
            return tuple(map(put, x))
        return "ground" if x == "world" else x

    def moved(e):
        new = {f.name: put(getattr(e, f.name)) for f in fields(e) if f.name in ENDS}
        return replace(e, **new)

    for e in (*model.forces, *model.constraints):
        if getattr(e, "axes", None) == "world" or type(e).__name__ == "KnifeEdge":
            raise ts.TorseurError("it has axes of the world itself")
    carry = ts.Joint("carry", "world", "ground", ts.Weld(), pose=T)
    some = ("joints", "forces", "constraints", "frames")
    parts = {n: tuple(map(moved, getattr(model, n))) for n in some}
    parts["joints"] += (carry,)
    g = T[:3, :3] @ np.array(model.gravity, float)
    return replace(
        model, bodies=(*model.bodies, ts.Body("ground")), gravity=tuple(map(float, g)), **parts
    )


def on_a_world_elsewhere(model, start, rng):
    T = np.eye(4)
    T[:3, :3] = Rotation.from_rotvec(rng.uniform(-2, 2, 3)).as_matrix()
    T[:3, 3] = rng.uniform(-2, 2, 3)
    return on_ground(model, T), start, lambda p, t: T[:3, :3] @ p + T[:3, 3:]


def on_a_world_that_falls(model, start, rng):
    """With less gravity by as much; the ground already moves."""
    v, a = (np.round(rng.uniform(-2, 2, 3), 3) for _ in range(2))
    made = on_ground(model, np.eye(4))
    at = tuple(f"{float(x)!r}*t + {float(y)!r}/2*t**2" for x, y in zip(v, a, strict=True))
    fall = [replace(j, pose=None, at=at) if j.name == "carry" else j for j in made.joints]
    g = tuple(map(float, np.array(made.gravity, float) + a))
    made = replace(made, joints=tuple(fall), gravity=g)
    return made, start, lambda p, t: p + np.outer(v, t) + np.outer(a, t**2 / 2)


def with_a_body_cut(model, start, rng):
    cut = one_of(rng, model.bodies)
    c, J = np.array(cut.com, float), np.array(cut.inertia, float)
    one, two = 0.3 * cut.mass, 0.7 * cut.mass
    d = rng.uniform(-0.05, 0.05, 3)
    ends = ((one, d), (two, -d * one / two))
    steiner = sum(m * ((e @ e) * np.eye(3) - np.outer(e, e)) for m, e in ends)
    R, at = Rotation.from_rotvec(rng.uniform(-2, 2, 3)).as_matrix(), rng.uniform(-1, 1, 3)
    T, half = np.eye(4), (J - steiner) / 2
    T[:3, :3], T[:3, 3] = R, at
    there = R.T @ half @ R
    kept = ts.Body(cut.name, float(one), tuple(map(float, c + d)), half)
    com = R.T @ (c + ends[1][1] - at)
    rest = ts.Body("rest", float(two), tuple(map(float, com)), (there + there.T) / 2)
    bodies = tuple(kept if b is cut else b for b in model.bodies)
    glue = ts.Joint("glue", cut.name, "rest", ts.Weld(), pose=T)
    return replace(model, bodies=(*bodies, rest), joints=(*model.joints, glue))


def with_a_joint_as_loop(model, start, rng):
    """A joint that nothing names is a loop, and its child flies."""
    said = repr(model.forces) + repr(model.constraints)
    own = [j for j in model.joints if type(j.kind).__name__ in CLOSING]
    own = [j for j in own if f"{j.name}." not in said and f"'{j.name}'" not in said]
    if not own:
        raise ts.TorseurError("every joint is named")
    j = one_of(rng, own)
    now = ts.simulate(model, 0, start, output=2, progress=False)
    places = {n: getattr(j, n) for n in ("at", "rpy", "child_at", "child_rpy")}
    flies = ts.Joint("flies", "world", j.child, ts.Free(speeds="world"))
    made = replace(
        model,
        joints=tuple(flies if x is j else x for x in model.joints),
        loops=(*model.loops, ts.Loop("cut", j.parent, j.child, j.kind, **places)),
    )
    state = {n: x for n, x in start.items() if not n.startswith(f"{j.name}.")}
    for letter, signal in zip("pqvw", ("position", "orientation", "velocity", "angular_velocity"),
                              strict=True):  # fmt: skip
        for c in "wxyz" if letter == "q" else "xyz":
            state[f"flies.{letter}{c}"] = float(now[f"{j.child}.{signal}.{c}"][0])
    return made, state, None


def by_another_method(model, start, rng):
    return model, start, None, {"method": one_of(rng, METHODS)}


def by_another_solution(model, start, rng):
    return model, start, None, {"solution": one_of(rng, [*ts.solve.SOLUTIONS][1:])}


WAYS = {f.__name__: f for f in (
    in_another_order, through_a_file, by_names, on_a_world_elsewhere, on_a_world_that_falls,
    with_a_body_cut, with_a_joint_as_loop, by_another_method, by_another_solution,
)}  # fmt: skip


# ---- what is compared ----------------------------------------------------------------------


def run(model, start, **more):
    found = ts.simulate(model, END, start, **{**OPTIONS, **more})
    if not found.completed:
        raise ts.TorseurError(found.outcome)
    return found


def compare(model, one, two, moved) -> None:
    """Positions of bodies; where nothing is moved, every signal that both have."""
    at = [[np.flatnonzero(abs(x.time - t) < 1e-12)[-1] for t in np.linspace(0, END, 6)]
          for x in (one, two)]  # fmt: skip
    own = tuple(f"{b.name}." for b in model.bodies)
    for name in own:
        p, w = (np.array([x[f"{name}position.{c}"][i] for c in "xyz"])
                for x, i in zip((one, two), at, strict=True))  # fmt: skip
        p = p if moved is None else moved(p, np.linspace(0, END, 6))
        if not abs(p - w).max() <= NEAR * max(1.0, abs(p).max()):
            raise Differs(f"{name}position: off by {abs(p - w).max():.2g}")
    if moved is not None:
        return
    for name in {*one.signals} & {*two.signals}:
        of_run = ("energy.residual", "constraints.")
        if name.startswith((*own, *of_run)) or ".reaction" in name or ".acceleration" in name:
            continue
        x, y = one[name][at[0]], two[name][at[1]]
        if x.dtype.kind == "f" and not np.allclose(
            x, y, rtol=0, atol=OF_SIGNALS * max(1e-2, abs(x).max(initial=0)), equal_nan=True
        ):
            raise Differs(f"{name}: off by {np.nanmax(abs(x - y)):.2g}")


def tried(seed, ways=WAYS):
    """Of one mechanism, for each way: nothing, a sentence, or a fault."""
    rng = np.random.default_rng(seed)
    model = mechanism(rng)
    try:
        start = start_of(model, rng)
        one = run(model, start)
    except ts.TorseurError as e:
        return {"as it is": str(e)}
    out = {}
    for name in ways:
        try:
            made = WAYS[name](model, start, np.random.default_rng([seed, 1] if np.isscalar(seed)
                                                                  else [*seed, 1]))  # fmt: skip
            made = made if isinstance(made, tuple) else (made, start, None)
            two = run(*made[:2], **(made[3] if len(made) > 3 else {}))
            compare(model, one, two, made[2])
            out[name] = ""
        except ts.TorseurError as e:
            out[name] = str(e)
        except Exception as e:
            out[name] = f"FAULT {type(e).__name__}: {e}"
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=np.inf)
    args = parser.parse_args()
    warnings.simplefilter("ignore", ts.ModelWarning)
    agree, said, faults, end = Counter(), Counter(), 0, time.monotonic() + args.seconds
    for k in range(args.first, args.first + args.count):
        if time.monotonic() > end:
            break
        for name, text in tried((args.seed, k)).items():
            agree[name] += not text
            said[name] += bool(text)
            if text.startswith("FAULT"):
                faults += 1
                print(f"{k}, {name}: {text[:300]}", flush=True)
    for name in (*WAYS, "as it is"):
        print(f"{name.replace('_', ' ')}: {agree[name]} agree, {said[name]} answered otherwise")
    print(f"{faults} faults")
    return bool(faults)


if __name__ == "__main__":
    raise SystemExit(main())
