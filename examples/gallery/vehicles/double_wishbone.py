"""
A double wishbone over its travel
=================================

Hard points in, camber, toe and track out; then a corner with spring and damper that settles.
"""

import matplotlib.pyplot as plt

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
report = ts.vehicles.suspension_report(sedan, wheel_radius=0.32)
print(report.table())
slopes = report.gradients()
print(f"camber {slopes['camber']:.3f} deg, bump steer {slopes['toe']:.3f} deg per 100 mm")

corner = ts.Model(
    "corner",
    bodies=(ts.Body("knuckle", mass=45.0, inertia=(1.4, 2.3, 1.4, 0, 0, 0)),),
    joints=(ts.Joint("suspension", "world", "knuckle", sedan),),
    forces=(
        ts.JointForce("strut", "suspension", ts.Parallel(ts.Spring(22000.0), ts.Viscous(900.0))),
    ),
)
run = ts.simulate(corner, 1.0, {"suspension.travel": 0.05}, output=401)
rest = ts.equilibrium(corner).state["suspension.travel"]
print(
    f"settles at {1e3 * run['suspension.travel'][-1]:.3f} mm; equilibrium is at {1e3 * rest:.3f} mm"
)
assert abs(run["suspension.travel"][-1] - rest) < 1e-4

run.animate("double_wishbone.png")
fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
ax.plot(run.time, 1e3 * run["suspension.travel"], color="#0b5fa5")
ax.axhline(1e3 * rest, color="#999999", lw=0.8, ls="--")
ax.set(xlabel="time [s]", ylabel="travel [mm]")
plt.show()
