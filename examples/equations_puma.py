"""The PUMA of B. Madani's thesis: A, B, C and G by Uicker's method, in symbols and numbers."""

import numpy as np
from equations_robots import puma3

import torseur as ts
from torseur.symbolic import equations

CLOSED = {  # annex 7, with the factor 2 of A22 that its print lost
    (0, 0): "Izz1 + Ixx2 s2^2 + Iyy2 c2^2 + 2 Ixy2 c2 s2 + Ixx3 s23^2 + Iyy3 c23^2 + 2 Ixy3 c23 s23"
    " + 2 d3 mx3 c2 c23 - 2 d3 my3 c2 s23 + m3 d3^2 c2^2",
    (0, 1): "Ixz2 s2 + Iyz2 c2 + Ixz3 s23 + Iyz3 c23 - d3 mz3 s2",
    (0, 2): "Ixz3 s23 + Iyz3 c23",
    (1, 1): "Izz2 + Izz3 + 2 d3 mx3 c3 - 2 d3 my3 s3 + m3 d3^2",
    (1, 2): "Izz3 + d3 mx3 c3 - d3 my3 s3",
    (2, 2): "Izz3",
}
GRAVITY = ("0", "g (mx2 c2 - my2 s2 + mx3 c23 - my3 s23 + m3 d3 c2)", "g (mx3 c23 - my3 s23)")

NUMBERS = {  # a generic case: every parameter that acts is non-zero
    "m3": 36.2,
    "d3": 0.6,
    "g": 9.81,
    "Izz1": 4.36,
    "Ixx2": 0.9,
    "Iyy2": 2.1,
    "Izz2": 2.5,
    "Ixy2": 0.11,
    "Ixz2": -0.07,
    "Iyz2": 0.05,
    "Ixx3": 0.7,
    "Iyy3": 1.9,
    "Izz3": 2.2,
    "Ixy3": -0.13,
    "Ixz3": 0.06,
    "Iyz3": -0.09,
    "mx2": 7.2,
    "my2": 0.8,
    "mz2": -0.5,
    "mx3": 5.1,
    "my3": -0.6,
    "mz3": 0.9,
}
STATE = (0.4, 0.7, -1.1), (1.2, -0.8, 1.5), (2, -3, 4)
TORQUE = (59.1216384957, 218.2260733002, 38.5586221263)


def main() -> None:
    eq = equations(puma3(), formalism="uicker")
    print(eq.text("coefficients"))
    for (i, j), text in CLOSED.items():
        assert eq.mass_matrix[i, j] == text and str(eq.mass_matrix[i, j]) == text
    assert all(eq.gravity[i] == GRAVITY[i] for i in range(3))

    given = dict.fromkeys(eq.parameters, 0.0) | NUMBERS
    tau = eq.evaluate(*STATE, given)
    print("efforts [N m]:", tau)
    assert np.allclose(tau, TORQUE, rtol=0, atol=1e-9)

    exact = eq.substitute(given)  # the same, every number an exact fraction
    assert np.allclose(exact.evaluate(*STATE), TORQUE, rtol=0, atol=1e-9)
    print("base parameters:", *eq.base_parameters.values(), sep="\n  ")
    assert eq.regressor.rank == 15 and len(eq.regressor.zero) == 11
    assert isinstance(eq, ts.Equations)


if __name__ == "__main__":
    main()
