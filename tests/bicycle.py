"""The Whipple bicycle with the numbers of the benchmark of 2007, and its equations by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import torseur as ts

W, TRAIL, TILT, G = 1.02, 0.08, np.pi / 10, 9.81  # wheelbase, trail [m], tilt [rad], [m/s2]
R_REAR, R_FRONT = 0.3, 0.35
STEPS = {
    "x": ts.Prismatic("x"),
    "y": ts.Prismatic("y"),
    "z": ts.Prismatic("z"),
    "yaw": ts.Revolute("z"),
    "lean": ts.Revolute("x"),
    "pitch": ts.Revolute("y"),
}


def bicycle(free=False) -> ts.Model:
    """Four bodies, x ahead, y left, z up; the frame's origin is under the rear axle.

    The frame in yaw, lean and pitch; or `free`, on a quaternion, as in the example's file.
    """
    if free:
        return ts.load(Path(__file__).parents[1] / "examples" / "bicycle.yaml")
    bodies = [
        ts.Body("frame", 85, com=(0.3, 0, 0.9), inertia=(9.2, 11, 2.8, 0, -2.4, 0)),
        ts.Body("rear", 2, inertia=(0.0603, 0.12, 0.0603, 0, 0, 0)),
        ts.Body(
            "fork",
            4,
            com=(0.9 - W - TRAIL, 0, 0.7),
            inertia=(0.05892, 0.06, 0.00708, 0, 0.00756, 0),
        ),
        ts.Body("front", 3, inertia=(0.1405, 0.28, 0.1405, 0, 0, 0)),
    ]
    axis = ts.Revolute((-np.sin(TILT), 0, np.cos(TILT)))
    joints = [
        ts.Joint("hub", "frame", "rear", ts.Revolute("y"), at=(0, 0, R_REAR)),
        ts.Joint("steer", "frame", "fork", axis, at=(W + TRAIL, 0, 0)),
        ts.Joint("axle", "fork", "front", ts.Revolute("y"), at=(-TRAIL, 0, R_FRONT)),
    ]
    places = ["world", *(f"after {n}" for n in STEPS)][:-1] + ["frame"]
    bodies += [ts.Body(n) for n in places[1:-1]]
    joints = [
        ts.Joint(n, *ends, kind)
        for (n, kind), *ends in zip(STEPS.items(), places, places[1:], strict=False)
    ] + joints
    tires = (
        ts.Rolling("rear tire", "rear", radius=R_REAR),
        ts.Rolling("front tire", "front", radius=R_FRONT),
    )
    return ts.Model("bicycle", bodies=bodies, joints=joints, constraints=tires)


def ahead(v, free=False) -> dict[str, float]:
    """Upright and straight, at v [m/s]."""
    return {
        "fly.vx" if free else "x.speed": v,
        "hub.rate": v / R_REAR,
        "axle.rate": v / R_FRONT,
    }


def by_hand(v) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M, C and K of lean and steer, as Meijaard, Papadopoulos, Ruina and Schwab give them.

    In their axes: x ahead, y right, z down, from the rear contact.
    """
    w, c, s, k = W, TRAIL, np.sin(TILT), np.cos(TILT)
    r, mR, Rxx, Ryy = R_REAR, 2.0, 0.0603, 0.12
    f, mF, Fxx, Fyy = R_FRONT, 3.0, 0.1405, 0.28
    xB, zB, mB, Bxx, Bzz, Bxz = 0.3, -0.9, 85.0, 9.2, 2.8, 2.4
    xH, zH, mH, Hxx, Hzz, Hxz = 0.9, -0.7, 4.0, 0.05892, 0.00708, -0.00756
    mx, mz = xB * mB + xH * mH + w * mF, -r * mR + zB * mB + zH * mH - f * mF
    Txx = Rxx + Bxx + Hxx + Fxx + mR * r**2 + mB * zB**2 + mH * zH**2 + mF * f**2
    Txz = Bxz + Hxz - mB * xB * zB - mH * xH * zH + mF * w * f
    Tzz = Rxx + Bzz + Hzz + Fxx + mB * xB**2 + mH * xH**2 + mF * w**2
    mA = mH + mF  # what steers
    xA, zA = (xH * mH + w * mF) / mA, (zH * mH - f * mF) / mA
    Axx = Hxx + Fxx + mH * (zH - zA) ** 2 + mF * (f + zA) ** 2
    Axz = Hxz - mH * (xH - xA) * (zH - zA) + mF * (w - xA) * (f + zA)
    Azz = Hzz + Fxx + mH * (xH - xA) ** 2 + mF * (w - xA) ** 2
    u = (xA - w - c) * k - zA * s  # from the steering axis to its center of mass
    All = mA * u**2 + Axx * s**2 + 2 * Axz * s * k + Azz * k**2
    Alx = -mA * u * zA + Axx * s + Axz * k
    Alz = mA * u * xA + Axz * s + Azz * k
    mu = c / w * k
    SF = Fyy / f
    ST = Ryy / r + SF
    SA = mA * u + mu * mx
    M = np.array([[Txx, Alx + mu * Txz], [Alx + mu * Txz, All + 2 * mu * Alz + mu**2 * Tzz]])
    K0 = np.array([[mz, -SA], [-SA, -SA * s]])
    K2 = np.array([[0, (ST - mz) / w * k], [0, (SA + SF * s) / w * k]])
    up = mu * ST + SF * k
    C1 = np.array([[0, up + Txz / w * k - mu * mz], [-up, Alz / w * k + mu * (SA + Tzz / w * k)]])
    return M, v * C1, G * K0 + v**2 * K2
