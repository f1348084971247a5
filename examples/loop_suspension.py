"""A double wishbone: its report over the travel, and a corner that drops onto its spring."""

import torseur as ts

sedan = ts.double_wishbone(
    upper_front=(-0.100, 0.470, 0.105),
    upper_rear=(-0.250, 0.510, 0.110),
    upper_ball=(-0.040, 0.695, 0.105),
    lower_front=(0.200, 0.420, -0.270),
    lower_rear=(-0.200, 0.470, -0.265),
    lower_ball_at=(0, 0.770, -0.320),
    tie_inner=(-0.200, 0.420, -0.120),
    tie_outer=(-0.150, 0.770, -0.120),
    wheel_center=(0, 0.7979, -0.1199),
)

corner = ts.Model(
    name="corner",
    bodies=(
        ts.Body("knuckle", mass=25.0, inertia=(0.6, 0.9, 0.6, 0, 0, 0)),
        ts.Body("wheel", mass=20.0, inertia=(0.8, 1.4, 0.8, 0, 0, 0)),
    ),
    joints=(
        ts.Joint("suspension", "world", "knuckle", sedan),
        ts.Joint("axle", "knuckle", "wheel", ts.Revolute("y")),
    ),
    forces=(
        ts.JointForce(
            "spring", "suspension", law=ts.Parallel(ts.Spring(22000.0), ts.Viscous(1500.0))
        ),
    ),
)


def main() -> float:
    report = ts.vehicles.suspension_report(sedan, wheel_radius=0.32)
    print(report.table())
    slopes = report.gradients()
    print(f"camber gain {slopes['camber']:.3f} deg, bump steer {slopes['toe']:.3f} deg per 100 mm")
    run = ts.simulate(corner, t_end=2.0, initial={"axle.rate": 60.0})
    print(run.outcome)
    return float(run["suspension.travel"][-1])


if __name__ == "__main__":
    print(f"the wheel settles {1e3 * main():.4f} mm below its design position")
