"""
A car against a wall at 48.3 km/h
=================================

A car of the package, its pulse, and the numbers that judge it.
"""

import matplotlib.pyplot as plt

import torseur as ts

scene = ts.crash.against(ts.crash.car("k3"), ts.crash.Wall(), speed="48.3 km/h", dimensions=1)
run = ts.simulate(scene)
print(ts.crash.table(ts.crash.metrics(run, "body")))
time, pulse = ts.crash.pulse_of(run, "body")
print(f"energy closes to {run.energy_audit.relative:.1e}")
assert run.energy_audit.relative < 1e-6

run.animate("crash_pulse.png", at=0.075)
fig, ax = plt.subplots(figsize=(7, 3.4), layout="constrained")
ax.plot(1e3 * time, pulse / ts.crash.G0, color="#0b5fa5", lw=0.7, label="raw")
ax.plot(1e3 * time, ts.crash.cfc(time, pulse, 60) / ts.crash.G0, color="#d55e00", label="CFC 60")
ax.set(xlabel="time [ms]", ylabel="acceleration of the body [g]")
ax.legend(frameon=False)
plt.show()
