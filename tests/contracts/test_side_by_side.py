"""Mechanisms side by side that nothing joins move as each of them alone."""

import numpy as np
import pytest

import torseur as ts
from torseur.kernels.motion import MotionKernels, motion_kernels

KEPT = ("px", "py", "pz", "qw", "qx", "qy", "qz", "wx", "wy", "wz", "vx", "vy", "vz")


def box(i, feet, rng):
    """A box on feet, of its own mass, radius, friction and restitution."""
    mass, radius, friction, restitution = (float(x) for x in rng.uniform(
        (1.0, 0.08, 0.2, 0.1), (3.0, 0.12, 0.6, 0.5)
    ))  # fmt: skip
    turns = 2 * np.pi * np.arange(feet) / feet + 0.3
    points = [(float(radius * np.cos(x)), float(radius * np.sin(x)), -0.1) for x in turns]
    return {
        "bodies": [ts.Body(f"b{i}", mass, inertia=(0.005 * mass, 0.006 * mass, 0.008 * mass))],
        "joints": [ts.Joint(f"fly{i}", "world", f"b{i}", ts.Free())],
        "constraints": [
            ts.Contact(f"k{i}{j}", (f"b{i}", at), friction=friction, restitution=restitution)
            for j, at in enumerate(points)
        ],
    }


def start(i, how, rng):
    x = [float(e) for e in rng.normal(size=4)]
    given = {
        "falls": {"pz": 0.12, "vx": 1.0 + 0.3 * x[0], "wx": x[1], "wy": 0.5 * x[2], "wz": x[3]},
        "slides": {"pz": 0.1, "vx": 0.5 + 0.1 * x[0], "vy": 0.2 * x[1]},
        "tips": {"pz": 0.1, "vx": 1.0, "wy": 3.0 + x[0]},
    }[how]
    return {f"fly{i}.{name}": value for name, value in given.items()}


def run(parts, starts, t_end):
    joined = {k: [x for part in parts for x in part[k]] for k in parts[0]}
    system = ts.Model("boxes", **joined).check()
    initial = {k: x for s in starts for k, x in s.items()}
    found = ts.simulate(system, t_end, initial, output=2, rtol=1e-10, atol=1e-12)
    return system, found


@pytest.mark.parametrize("how", ["falls", "slides", "tips"])
def test_two_boxes_move_as_each_alone(how):
    """Side by side they are one text with native loops, alone each is written out."""
    rng = np.random.default_rng(3)
    parts = [box(i, 4, rng) for i in range(2)]
    starts = [start(i, how, rng) for i in range(2)]
    system, both = run(parts, starts, 0.25)
    assert motion_kernels(system).apart and both.completed and len(both.events) > 4
    alone = [run([p], [s], 0.25)[1] for p, s in zip(parts, starts, strict=True)]
    for i, one in enumerate(alone):
        for name in (f"fly{i}.{x}" for x in KEPT):
            assert np.isclose(both[name][-1], one[name][-1], rtol=0, atol=1e-6), name
    lost = sum(x["energy.dissipated"][-1] for x in alone)
    assert np.isclose(both["energy.dissipated"][-1], lost, rtol=1e-7)


def test_an_impact_does_not_depend_on_what_is_beside_it():
    """Feet in touch as a box tips: others are driven in, whatever restitution another box has."""
    rng = np.random.default_rng(1)
    parts = [box(i, 6, rng) for i in range(2)]
    starts = [start(i, "tips", rng) for i in range(2)]
    _, both = run(parts, starts, 1e-6)
    for i in range(2):
        _, one = run(parts[i : i + 1], starts[i : i + 1], 1e-6)
        for name in (f"fly{i}.{x}" for x in KEPT):
            assert np.isclose(both[name][0], one[name][0], rtol=0, atol=1e-6), name


def test_a_box_that_tips_loses_what_is_booked_and_no_foot_is_driven_in():
    """Six feet in touch, some strike and drive in others; one of forty is not settled yet."""
    rng = np.random.default_rng(2)
    part, wrong = box(0, 6, rng), 0
    system = ts.Model("box", **part).check()
    jump, at = MotionKernels(system)["jump"], system.layout
    body, feet = part["bodies"][0], np.array([c.point[1] for c in part["constraints"]])
    masses = np.array([*body.inertia[:3], *[body.mass] * 3])
    q = np.array([{"fly0.pz": 0.1, "fly0.qw": 1.0}.get(x, 0.0) for x in at.q.names])
    for v in rng.normal(size=(40, 6)) * (3, 3, 1, 1, 1, 0):
        v1, z, _ = jump(0.0, q, v, np.zeros(len(at.z)), np.zeros(len(at.m)), [], [], -1.0, [])
        lost = masses @ (v**2 - v1**2) / 2
        up = v1[5] + np.cross(v1[:3], feet)[:, 2]
        wrong += not (np.isclose(z[at.books.start], lost, rtol=1e-6) and up.min() > -1e-6)
        assert lost > 0
    assert wrong <= 1
