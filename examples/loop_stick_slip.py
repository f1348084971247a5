"""A block pulled by a slow spring: it sticks, slips, and sticks again, at exact instants."""

import torseur as ts

block = ts.Model(
    name="stick-slip",
    bodies=(ts.Body("block", mass=1.0),),
    joints=(ts.Joint("slide", "world", "block", ts.Prismatic("x")),),
    forces=(ts.JointForce("spring", "slide", law=ts.Expression("400*(x - 0.1*t)")),),
    constraints=(ts.DryFriction("rub", "slide.displacement", force=20.0, static=30.0),),
)


def main() -> float:
    run = ts.simulate(block, t_end=3.0, rtol=1e-10, output=301)
    for event in run.events:
        print(f"{event.time:.6f} s  {event.name}")
    print(f"dissipated {run['energy.dissipated'][-1]:.6f} J")
    return run.events[0].time


if __name__ == "__main__":
    main()
