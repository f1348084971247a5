"""How near counts as touching: asked also where no contact is computed."""

TOUCH = 1e-9  # gap [m] of what touches at the start of a run
AT_STEP = 3e-12  # deflection [m, rad] of what is on a step
INSIDE = 1e-7  # depth [m] at which what leaves lands after all: another event turned it
