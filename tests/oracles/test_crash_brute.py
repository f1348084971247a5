"""Vehicles of random masses and laws against a small program of its own: fixed steps, no events."""

from bisect import bisect_right

import numpy as np
import pytest

import torseur as ts

C = ts.crash
STEP, END = 5e-6, 0.06


def drawn(seed):
    """Masses, members (rear, front or None, points, unloading, beyond, gap, tension, rupture)."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 6))
    ends = [(i, i + 1) for i in range(n - 1)] + [(0, n - 1), (n - 1, None), (n - 2, None)]
    members = []
    for i, j in ends:
        k = int(rng.integers(2, 5))
        d = np.concatenate([[0], np.cumsum(rng.uniform(0.01, 0.12, k))])
        F = np.concatenate([[0], rng.uniform(2e4, 3e5, k)])
        steep = max(1.3 * float(max(np.diff(F) / np.diff(d))), 2e6)
        points = [(float(a), float(b)) for a, b in zip(d, F, strict=True)]
        kind = rng.integers(3) if j is not None else 0
        gap = float(rng.uniform(0, 0.1)) if kind == 0 and rng.random() < 0.5 else 0.0
        tension = ("none", "mirror", [(0.0, 0.0), (0.01, 1e4), (0.1, 2e4)])[kind]
        rupture = float(rng.uniform(0.04, 0.2)) if rng.random() < 0.4 else None
        members.append((i, j, points, steep, float(rng.uniform(1e5, 9e5)), gap, tension, rupture))
    return rng.uniform(40, 900, n), members, float(rng.uniform(8, 20))


def backbone(points, beyond, d):
    if d >= points[-1][0]:
        return points[-1][1] + beyond * (d - points[-1][0])
    i = bisect_right([p[0] for p in points], d) - 1
    (a, f), (b, g) = points[i : i + 2]
    return f + (g - f) / (b - a) * (d - a)


def brute(masses, members, speed):
    """Velocity Verlet; each side of a member remembers its largest crush."""
    x, v = np.zeros(masses.size), np.full(masses.size, speed)
    largest, torn = [[0.0, 0.0] for _ in members], {}

    def accelerations(t):
        f = [0.0] * masses.size
        for q, (i, j, points, steep, beyond, gap, tension, rupture) in enumerate(members):
            if q in torn:
                continue
            way = x[i] - (x[j] if j is not None else 0.0)
            sides = [(way - gap, points, 1.0)]
            if tension != "none":
                sides.append((-way - gap, points if tension == "mirror" else tension, -1.0))
            if rupture is not None and max(d for d, *_ in sides) > rupture:
                torn[q] = t
                continue
            for side, (d, curve, sign) in enumerate(sides):
                top = largest[q][side] = max(largest[q][side], d)
                if top > 0:
                    push = sign * max(0.0, backbone(curve, beyond, top) - steep * (top - d))
                    f[i] -= push
                    if j is not None:
                        f[j] += push
        return np.array(f) / masses

    a = accelerations(0.0)
    for k in range(1, round(END / STEP) + 1):
        v = v + STEP / 2 * a
        x = x + STEP * v
        a = accelerations(k * STEP)
        v = v + STEP / 2 * a
    return x, v, torn


@pytest.mark.parametrize("seed", [3, pytest.param(8, marks=pytest.mark.slow)])
def test_random_vehicles_move_as_a_program_without_events_has_it(seed):
    masses, members, speed = drawn(seed)
    bodies = [ts.Body(f"b{i}", mass=float(m)) for i, m in enumerate(masses)]
    parts = [
        C.Member(f"m{q}", f"b{i}", to=None if j is None else f"b{j}", law=ts.Crush(
            points, steep, beyond, gap=gap, tension=tension, rupture=rupture))
        for q, (i, j, points, steep, beyond, gap, tension, rupture) in enumerate(members)
    ]  # fmt: skip
    x, v, torn = brute(masses, members, speed)
    run = ts.simulate(C.against(C.Vehicle("car", bodies, parts), speed=speed, t_end=END))
    assert run.energy_audit.relative < 1e-9
    for i in range(masses.size):
        assert run[f"b{i}.position.x"][-1] == pytest.approx(x[i], abs=2e-5)
        assert run[f"b{i}.velocity.x"][-1] == pytest.approx(v[i], abs=2e-2)
    tore = C.ruptured_members(run)
    assert {f"m{q}": t for q, t in torn.items()} == pytest.approx(tore, abs=2 * STEP)
    assert torn and any(m[6] != "none" for m in members)
