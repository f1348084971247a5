"""Tolerances of contacts and dry friction.  Theory: DF.7, DF.13."""

TOUCH = 1e-9  # gap [m] of what touches at the start of a run
STEP_DEFLECTION = 3e-12  # deflection [m, rad] of what is on a step
LANDING_DEPTH = (
    1e-7  # depth [m] at which a leaving contact lands after all: another event turned it
)
IMPACT_GAP = 1e-10  # gap [m] up to which an impact elsewhere drives a contact in
TURNING_GAP = 1e-13  # gap [m] of a hop that ends at its turning point

RESTING_RATE = 1e-12  # [m/s, rad/s]
RESTING_SPEED = 1e-10  # [m/s] left by the Gauss-Seidel method where contacts are at rest
REVERSAL_SPEED = 2e-14  # slip [m/s] against its direction at which a new slip along one axis stops
EVENT_OFFSET = 1e-12  # force [N] or speed [m/s] of an event function that starts at zero

SLOW_SLIP = 1e-6  # [m/s] below which, before a stop, friction keeps its direction
FOLLOWED_SLIP = 2e-6  # [m/s] from which, after a start, friction follows the slip
SLIP_RATIO = 30  # of the slip to the stored one, or its inverse: the stored slip is renewed
MIN_FORCE = 1e-30  # [N, m/s]: smaller vectors have no direction

JOINT_LIMIT_FACTOR = 1 - 1e-4  # of their limits: reached by all frictions that fail together
IMPACT_RTOL = (
    1e-4  # residual of the impact law, relative to the speeds, of an impact with derivatives
)
