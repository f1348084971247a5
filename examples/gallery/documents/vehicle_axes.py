"""
A vehicle in body axes
======================

Speeds along a car's own axes are not rates of coordinates. The paper of Fayet, Sandel and
Maiffredy writes the dynamics of such a vehicle by global inertia tensors; here beside recursive
Newton-Euler, on a car that turns.
"""

import matplotlib.pyplot as plt
import numpy as np

import torseur as ts

chassis = ts.Body("chassis", 1200, inertia=(450, 1900, 2100, 0, -40, 0))
model = ts.Model(
    "vehicle",
    gravity=(0, 0, 0),
    bodies=(chassis,),
    joints=(ts.Joint("body", "world", "chassis", ts.Free("zyx", speeds="vehicle")),),
)
tensors = ts.equations(model, formalism="global_inertia")
recursion = ts.equations(model, formalism="newton_euler")
assert tensors == recursion
print("effort along the car's x axis:", tensors.tau[3])

speed = np.linspace(5, 40, 15)
v = np.array([[0.3, 0, 0, x, 0, 0] for x in speed])  # yaw rate 0.3 rad/s
q = np.zeros((len(speed), 6))
efforts = ts.compile(model).inverse_dynamics(q, v, np.zeros_like(v))
exact = 1200 * 0.3 * speed  # centripetal, along the car's y axis
error = abs(efforts[:, 4] - exact).max()
print(f"centripetal force: error {error:.1e} N")
assert error < 1e-9

fig, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.plot(speed, exact, label="m v r")
ax.plot(speed, efforts[:, 4], "o", ms=4, label="computed")
ax.set(xlabel="speed [m/s]", ylabel="force across [N]")
ax.legend(frameon=False)
plt.show()
