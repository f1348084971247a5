"""A ball is thrown on a floor: it bounces, slides, and rolls, each from an exact instant on.

Friction turns slip into spin, in the bounces too; whatever happens on the way, a ball thrown
without spin ends with five sevenths of its speed along the floor.
"""

import torseur as ts

RADIUS, MASS = 0.11, 0.43
J = 2 / 5 * MASS * RADIUS**2
ball = ts.Model(
    name="thrown ball",
    bodies=(ts.Body("ball", mass=MASS, inertia=(J, J, J, 0, 0, 0)),),
    joints=(ts.Joint("fly", "world", "ball", ts.Free()),),
    constraints=(ts.Contact("floor", "ball", radius=RADIUS, restitution=0.6, friction=0.05),),
)


def main() -> float:
    run = ts.simulate(
        ball,
        t_end=4.0,
        initial={"fly.pz": 0.5, "fly.vx": 4.0, "fly.vy": 1.0},
        rtol=1e-11,
        atol=1e-12,
    )
    for event in (*run.events[:3], run.events[-1]):
        print(f"{event.time:.6f} s  {event.name}")
    print(f"{len(run.events) - 1} bounces, then it slides until it rolls")
    lost, held = run["energy.dissipated"][-1], abs(run["energy.residual"]).max()
    print(f"dissipated {lost:.6f} J, books closed to {held:.1e} J")
    return run["ball.velocity.x"][-1]


if __name__ == "__main__":
    main()
