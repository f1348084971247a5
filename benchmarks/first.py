"""What the first run costs: on a machine that has seen nothing, and of a model that is new.

    python benchmarks/first.py

CPU seconds of a process of its own for each figure.  "machine": from the start of Python to the end
of the run, with an empty kernel cache.  "model": the call of `simulate` alone, where another model
was run before on this machine, so that the methods of integration are there and the model's own
kernels are not.  "changed": the same where a table of another length was in its place, in another
process.  "kept": the same call again in a new process, kernels from the cache.  "session":
from the numbers of the model to the end of its run, elements and check included, in a process that
has run another new model before, so that CasADi, LLVM and the package's files are loaded.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

import numpy as np

import torseur as ts


def arm() -> tuple[ts.Model, float, dict]:
    """README's double pendulum."""
    bodies = (
        ts.Body("upper", 2.0, (0, 0, -0.25), (0.05, 0.05, 0.002, 0, 0, 0)),
        ts.Body("lower", 1.0, (0, 0, -0.20), (0.02, 0.02, 0.001, 0, 0, 0)),
    )
    joints = (
        ts.Joint("shoulder", "world", "upper", ts.Revolute("y")),
        ts.Joint("elbow", "upper", "lower", ts.Revolute("y"), at=(0, 0, -0.5)),
    )
    return ts.Model("arm", bodies=bodies, joints=joints), 5.0, {"elbow.angle": 0.3}


def law(points: int) -> tuple[ts.Model, float, dict]:
    """A block on a spring whose law is a table."""
    x = np.linspace(-1.0, 1.0, points)
    table = ts.Table(tuple(zip(x.tolist(), (1e3 * x + 50 * np.sin(9 * x)).tolist(), strict=True)))
    rail = ts.Joint("x", "world", "b", ts.Prismatic("x"))
    force = ts.JointForce("f", "x", table)
    model = ts.Model("block", bodies=(ts.Body("b", 1.0),), joints=(rail,), forces=(force,))
    return model, 1.0, {"x.displacement": 0.7}


def stewart() -> tuple[ts.Model, float, dict]:
    """A plate on six legs with mass, universal feet and ball joints, driven along a wave."""

    def ring(radius, degrees):
        return [(radius * np.cos(x), radius * np.sin(x), 0.0) for x in np.radians(degrees)]

    base, top = ring(1.0, [10, 110, 130, 230, 250, 350]), ring(0.6, [50, 70, 170, 190, 290, 310])
    bodies = [ts.Body("plate", 5.0, inertia=(0.5, 0.5, 1, 0, 0, 0))]
    joints = [ts.Joint("fly", "world", "plate", ts.Free("zyx"))]
    loops, start = [], {"fly.pz": 1.0}
    for i, (a, b) in enumerate(zip(base, top, strict=True)):
        for end, z in (("low", 0.2), ("up", -0.2)):
            bodies.append(ts.Body(f"{end}{i}", 1.0, (0, 0, z), (0.02, 0.02, 0.01, 0, 0, 0)))
        joints.append(ts.Joint(f"foot{i}", "world", f"low{i}", ts.Universal("x", "y"), at=a))
        joints.append(ts.Joint(f"leg{i}", f"low{i}", f"up{i}", ts.Prismatic("z")))
        loops.append(ts.Loop(f"ball{i}", "plate", f"up{i}", ts.Spherical(), at=b))
        x, y, z = np.array(b) + (0, 0, 1) - np.array(a)
        far = float(np.sqrt(x**2 + y**2 + z**2))
        angles = {f"foot{i}.angle1": np.arctan2(-y, z), f"foot{i}.angle2": np.arcsin(x / far)}
        start |= {**angles, f"leg{i}.displacement": far}
    wave = {"px": "0.1*sin(2*t)", "py": "0.1*sin(3*t)", "pz": "1 + 0.05*sin(4*t)"}
    wave |= {"angle1": "0.2*sin(t)", "angle2": "0.1*sin(2*t)", "angle3": "0.1*sin(3*t)"}
    drives = tuple(ts.Driven(f"drive {n}", f"fly.{n}", text) for n, text in wave.items())
    model = ts.Model("Stewart", bodies=bodies, joints=joints, loops=loops, constraints=drives)
    return model, 1.0, start


def box() -> tuple[ts.Model, float, dict]:
    """A box thrown on a floor: four contacts with friction."""
    box = ts.Body("box", 2.0, inertia=(0.01, 0.01, 0.01, 0, 0, 0))
    corners = [(x, y, -0.1) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]
    contacts = tuple(
        ts.Contact(f"c{i}", ("box", c), friction=0.3, restitution=0.2)
        for i, c in enumerate(corners)
    )
    fly = ts.Joint("fly", "world", "box", ts.Free())
    model = ts.Model("box", bodies=(box,), joints=(fly,), constraints=contacts)
    return model, 0.5, {"fly.pz": 0.2, "fly.vx": 1.0, "fly.wy": 0.5}


def car() -> tuple[ts.Model, float, dict]:
    """A body on four double wishbones with springs and dampers."""
    points = {
        "upper_front": (-0.1, 0.47, 0.105),
        "upper_rear": (-0.25, 0.51, 0.11),
        "upper_ball": (-0.04, 0.695, 0.105),
        "lower_front": (0.2, 0.42, -0.27),
        "lower_rear": (-0.2, 0.47, -0.265),
        "lower_ball_at": (0, 0.77, -0.32),
        "tie_inner": (-0.2, 0.42, -0.12),
        "tie_outer": (-0.15, 0.77, -0.12),
        "wheel_center": (0, 0.7979, -0.1199),
    }
    left = ts.double_wishbone(**points)
    bodies = [ts.Body("body", 1200.0, inertia=(400, 1500, 1600, 0, 0, 0))]
    joints, forces = [ts.Joint("fly", "world", "body", ts.Free())], []
    for name, x, side in (("fl", 1.3, 0), ("fr", 1.3, 1), ("rl", -1.3, 0), ("rr", -1.3, 1)):
        joint = ts.vehicles.mirror(left) if side else left
        bodies.append(ts.Body(name, 35.0, inertia=(0.6, 0.9, 0.6, 0, 0, 0)))
        joints.append(ts.Joint(f"s_{name}", "body", name, joint, at=(x, 0, 0)))
        law = ts.Parallel(ts.Spring(3e4), ts.Viscous(2e3))
        forces.append(ts.JointForce(f"spring_{name}", f"s_{name}", law))
    model = ts.Model("car", gravity=(0, 0, 0), bodies=bodies, joints=joints, forces=forces)
    return model, 1.0, {"fly.wx": 0.3, "fly.vz": 0.2}


def tippe_top() -> tuple[ts.Model, float, dict]:
    """A ball with its center of mass below its center, on a table that rubs."""
    J, lean = 0.4 * 0.02 * 0.025**2, 0.3
    top = ts.Body("top", 0.02, (0, 0, -0.006), (J, J, 1.05 * J, 0, 0, 0))
    table = ts.Contact("table", "top", radius=0.025, friction=0.2)
    fly = ts.Joint("fly", "world", "top", ts.Free())
    model = ts.Model("tippe top", bodies=(top,), joints=(fly,), constraints=(table,))
    turned = {"fly.qw": np.cos(lean / 2), "fly.qx": np.sin(lean / 2)}
    spin = {"fly.wy": 200.0 * np.sin(lean), "fly.wz": 200.0 * np.cos(lean)}
    return model, 0.5, {"fly.pz": 0.025, **turned, **spin}


CASES = {
    "README's arm": arm,
    "table of 4 points": lambda: law(4),
    "table of 100 points": lambda: law(100),
    "table of 1000 points": lambda: law(1000),
    "Stewart platform": stewart,
    "box, four contacts with friction": box,
    "car on four double wishbones": car,
    "tippe top": tippe_top,
}


def one(name: str) -> None:
    """A run of a case in this process: CPU seconds of the call, and since Python began."""
    if name != "nothing":
        model, end, start = law(7) if name == "another table" else CASES[name]()
        model.check()
        begun = time.process_time()
        run = ts.simulate(model, end, start)
        assert run.completed, run.outcome
        print(time.process_time() - begun, time.process_time())
        return
    for method in ("dop853", "dopri5"):  # what does not depend on the model
        ts.simulate(*arm()[:2], method=method)


def after_another(name: str) -> None:
    """CPU seconds from the numbers of a case to the end of its run, another one having been run."""
    ts.simulate(*law(5))
    begun = time.process_time()
    run = ts.simulate(*CASES[name]())
    assert run.completed, run.outcome
    print(time.process_time() - begun)


def asked(name: str, folder: str, *more: str) -> tuple[float, ...]:
    """The same in a new process with its own kernel cache."""
    env = {**os.environ, "TORSEUR_CACHE": folder}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, __file__, name, *more], env=env, capture_output=True, text=True, check=True
    )
    return tuple(map(float, done.stdout.split()))


def main() -> None:
    print("| first run, CPU s | machine | model | changed | kept | session |")
    print("|---" * 6 + "|")
    for name in CASES:
        with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory() as seen:
            _, machine = asked(name, empty)
            asked("nothing", seen)
            (session,) = asked(name, seen, "after another")
        with tempfile.TemporaryDirectory() as seen:
            asked("nothing", seen)
            model, _ = asked(name, seen)
            kept, _ = asked(name, seen)
        changed = "-"
        if "table" in name:
            with tempfile.TemporaryDirectory() as seen:
                asked("another table", seen)
                changed = f"{asked(name, seen)[0]:.3f}"
        figures = f"{machine:.2f} | {model:.2f} | {changed} | {kept:.3f} | {session:.3f}"
        print(f"| {name} | {figures} |", flush=True)


if __name__ == "__main__":
    (main, one, after_another)[len(sys.argv) - 1](*sys.argv[1:2])
