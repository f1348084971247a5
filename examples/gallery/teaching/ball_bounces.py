"""
A thrown ball bounces, slides, rolls
====================================

Each change of contact is located to rounding. Whatever happens on the way, a solid ball thrown
without spin ends with five sevenths of its speed.
"""

import matplotlib.pyplot as plt

import torseur as ts

radius, mass = 0.11, 0.43
J = 2 / 5 * mass * radius**2
model = ts.Model(
    "thrown ball",
    bodies=(ts.Body("ball", mass=mass, inertia=(J, J, J, 0, 0, 0)),),
    joints=(ts.Joint("fly", "world", "ball", ts.Free()),),
    constraints=(ts.Contact("floor", "ball", radius=radius, restitution=0.6, friction=0.05),),
)
run = ts.simulate(model, 4.0, {"fly.pz": 0.5, "fly.vx": 4.0}, rtol=1e-10, output=1601)
end = run["ball.velocity.x"][-1]
print(f"{len(run.events)} events; ends with {end:.9f} m/s, five sevenths are {20 / 7:.9f} m/s")
assert abs(end - 20 / 7) < 1e-6

fig, (up, low) = plt.subplots(2, 1, figsize=(7, 4.2), sharex=True, layout="constrained")
up.plot(run.time, run["ball.position.z"], color="#0b5fa5")
up.set(ylabel="height [m]")
low.plot(run.time, run["ball.velocity.x"], label="speed [m/s]")
low.plot(run.time, radius * run["fly.wy"], label="spin times radius [m/s]")
low.axhline(20 / 7, color="#999999", lw=0.8, ls="--")
low.set(xlabel="time [s]")
low.legend(frameon=False)
plt.show()
