"""The four examples of J. P. Mizzi's report (1992), by the Lie group, in the form it printed."""

import torseur as ts
from torseur.forces import JointForce, Spring
from torseur.symbolic import equations

SOLID = (2, 2, 4, 0, 0, 0)  # J = diag(a, a, c) [kg m2]


def spherical() -> ts.Model:
    """Example 1: a ball joint at the center of mass, Euler angles."""
    return ts.Model(
        "ball joint",
        bodies=[ts.Body("top", mass=1, inertia=SOLID)],
        joints=[ts.Joint("ball", "world", "top", ts.Spherical("zxz"))],
    )


def planar() -> ts.Model:
    """Example 2: a body on a plane, turning first."""
    return ts.Model(
        "plane on plane",
        bodies=[ts.Body("puck", mass=1, inertia=SOLID)],
        joints=[ts.Joint("plane", "world", "puck", ts.Planar("z"))],
    )


def sliders() -> ts.Model:
    """Example 3: two sliders at 45 degrees, with springs kept as parameters (par = -k)."""
    return ts.Model(
        "two sliders",
        bodies=[
            ts.Body("first", mass=1, com=(0, 0, 5), inertia=SOLID),
            ts.Body("second", mass=1, com=(0, 0, 8), inertia=SOLID),
        ],
        joints=[
            ts.Joint("s1", "world", "first", ts.Prismatic("z"), rpy=("pi/4", 0, 0)),
            ts.Joint("s2", "first", "second", ts.Prismatic("z"), at=(0, 0, 7)),
        ],
        forces=[
            JointForce("k1", "s1", law=Spring("-par_0_102")),
            JointForce("k2", "s2", law=Spring("-par_1_102")),
        ],
        parameters={"par_0_102": -100.0, "par_1_102": -50.0},
    )


def yoke() -> ts.Model:
    """Example 4: a yoke, a rod and a body of revolution."""
    return ts.Model(
        "yoke, rod, solid",
        bodies=[
            ts.Body("yoke", mass=1, com=(0, 0, 10), inertia=(2, 2, 4, 0, 0, 0)),
            ts.Body("rod", mass=10, com=(0, 0, 10), inertia=(30, 30, 40, 0, 0, 0)),
            ts.Body("solid", mass=15, com=(0, 0, 15), inertia=(25, 25, 30, 0, 0, 0)),
        ],
        joints=[
            ts.Joint("vertical", "world", "yoke", ts.Revolute("z")),
            ts.Joint("tilt", "yoke", "rod", ts.Revolute("x"), at=(0, 0, 15)),
            ts.Joint("spin", "rod", "solid", ts.Revolute("z")),
        ],
    )


YOKE = (  # equations (1.55), exactly; the last times 30
    "(4434 - 4360 cos(q2)^2) d2q1 + 30 cos(q2) d2q3 + 8720 cos(q2) sin(q2) dq1 dq2"
    " - 30 sin(q2) dq2 dq3",
    "4430 d2q2 - 4360 cos(q2) sin(q2) dq1^2 + 30 sin(q2) dq1 dq3 - 3188.25 sin(q2)",
    "30 (d2q3 + cos(q2) d2q1 - sin(q2) dq1 dq2)",
)


def main() -> None:
    for make in (spherical, planar, sliders, yoke):
        eq = equations(make(), formalism="lie_group", forces=True)
        print(f"{eq.system.name}\n{eq.text('003')}\n")

    eq = equations(spherical(), formalism="lie_group")
    assert eq.energies[0] == "(2 (dq1^2 sin(q2)^2 + dq2^2) + 4 (dq3 + dq1 cos(q2))^2) / 2"

    eq = equations(planar(), formalism="lie_group")  # q1 the angle, q2 and q3 along turned axes
    second = "d2q3 - dq1 (dq1 q3 - dq2) + dq1 dq2 + d2q1 q2"
    assert eq.tau[1] == "-(dq1 (dq3 + dq1 q2) + dq1 dq3 + d2q1 q3 - d2q2)"
    assert eq.tau[2] == second
    assert eq.tau[0] == (
        f"q2 ({second}) + q3 (dq1 (dq3 + dq1 q2) + dq1 dq3 + d2q1 q3 - d2q2) + 4 d2q1"
    )

    eq = equations(sliders(), formalism="lie_group", forces=True)
    assert eq.tau[0] == "2 d2q1 + d2q2 - par_0_102 q1 + 2 9.81 sqrt(2)/2"
    assert eq.tau[1] == "d2q1 + d2q2 - par_1_102 q2 + 9.81 sqrt(2)/2"
    for k1 in (-100.0, -200.0):  # a sweep needs no new equations
        x = -2 * 9.81 * 0.5**0.5 / -k1
        assert abs(eq.evaluate((x, 0), parameters={"par_0_102": k1})[0]) < 1e-12

    eq = equations(yoke(), formalism="lie_group")
    assert all(eq.tau[i] == YOKE[i] for i in range(3))
    print(eq)


if __name__ == "__main__":
    main()
