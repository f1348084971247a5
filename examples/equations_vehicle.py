"""A vehicle in body axes by global inertia tensors, after Fayet, Sandel and Maiffredy (2005).

Knuckles are guided by their travel.
Speeds are the rates of yaw, pitch and roll, the velocity in body axes, four travels, four spins.  A
rotation and a body-axis translation are no holonomic pair: Schwarz's relation fails for them.
"""

import numpy as np

import torseur as ts
from torseur.formalisms import lie_group, newton_euler
from torseur.formalisms.global_inertia import GlobalInertia, inverse_dynamics
from torseur.joints import Guided
from torseur.symbolic import equations

CORNERS = {
    "fl": (1.2, 0.75, 1),
    "fr": (1.2, -0.75, -1),
    "rl": (-1.45, 0.74, 1),
    "rr": (-1.45, -0.74, -1),
}
FRONT = (0.05, -0.20, 0.08, -0.60, -0.35, 1.2, 0.10, 0.15)
REAR = (-0.04, 0.10, 0.05, -0.40, -0.25, 0.9, -0.06, -0.08)

STATE = (
    (10, -2, 0.4, 0.3, -0.05, 0.08, 0.03, -0.02, 0.05, -0.04, 0.5, 0.6, 0.7, 0.8),
    (0.4, -0.2, 0.3, 20, 1, -0.5, 0.6, -0.4, 0.3, -0.7, 60, 61, 62, 63),
    (0.5, -0.6, 0.7, 2, -1, 3, 4, -5, 6, -7, 8, 9, -10, 11),
)
QUANTITIES = (
    1194.05957357,
    -1257.17626619,
    1419.48072401,
    2319.10437342,
    10377.19097096,
    9111.28002839,
    568.47102853,
    27.33131536,
    565.5023547,
    -122.96218818,
    11.31307924,
    10.83913257,
    -15.30910815,
    15.43412582,
)


def knuckle(corner: str) -> Guided:
    """The knuckle's pose in the chassis as a function of its travel z."""
    X, Y, side = CORNERS[corner]
    a, b, c, e, k, l, p, n = FRONT if corner[0] == "f" else REAR
    return Guided(
        (f"{X} + {a}*z + {b}*z**2", f"{Y} + {side}*({c}*z + {e}*z**2)", "z - 0.3"),
        (f"{side}*({k}*z + {l}*z**2)", f"{n}*z", f"{side * p}*z"),
        coordinate="z",
    )


def vehicle(gravity=(0, 0, 0)) -> ts.Model:
    """Chassis, four knuckles and four wheels: fourteen degrees of freedom."""
    bodies = [ts.Body("chassis", 1200, inertia=(450, 1900, 2100, 0, -40, 0))]
    joints = [ts.Joint("body", "world", "chassis", ts.Free("zyx", speeds="vehicle"))]
    for c in CORNERS:
        bodies.append(ts.Body(f"knuckle_{c}", 25, inertia=(0.6, 0.9, 0.6, 0, 0, 0)))
        joints.append(ts.Joint(f"travel_{c}", "chassis", f"knuckle_{c}", knuckle(c)))
    for c in CORNERS:
        bodies.append(ts.Body(f"wheel_{c}", 20, inertia=(0.8, 1.4, 0.8, 0, 0, 0)))
        joints.append(ts.Joint(f"spin_{c}", f"knuckle_{c}", f"wheel_{c}", ts.Revolute("y")))
    return ts.Model("vehicle", gravity=gravity, bodies=bodies, joints=joints)


def main() -> None:
    system = vehicle().check()
    tree = system.floats()
    q, v, a = (np.array(x, dtype=float).astype(object) for x in STATE)

    tensors = GlobalInertia(tree, q)
    print(tensors.report(system.speeds))
    assert len(tensors.non_holonomic) == 8  # three turns, three body axes; x with itself commutes

    for method in (inverse_dynamics, newton_euler.inverse_dynamics, lie_group.inverse_dynamics):
        A = np.array(method(tree, q, v, a), dtype=float)
        assert np.allclose(A, QUANTITIES, rtol=0, atol=2e-8), A
    print("acceleration quantities:", A.round(4))

    eq = equations(system, formalism="global_inertia")  # knuckles written out, all exact
    for other in ("newton_euler", "lie_group", "lagrange"):
        assert equations(system, formalism=other) == eq
    assert np.allclose(eq.evaluate(*STATE), QUANTITIES, rtol=0, atol=2e-8)
    print("effort of vx:", str(eq.mass_matrix[3, 3]), "times its acceleration, and so on")

    wrong = A.copy()  # the trap: Gamma_i,kj = Gamma_i,jk for these pairs too
    for j, k in tensors.non_holonomic:
        for i in range(system.nv):
            wrong[i] += tensors.christoffel.get((i, j, k), 0) * v[j] * v[k]
    print(f"with the pairs made symmetric they would be wrong by {abs(wrong - A).max():.0f} N")
    assert abs(wrong - A).max() > 1e4


if __name__ == "__main__":
    main()
