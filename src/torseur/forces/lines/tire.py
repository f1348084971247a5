"""A tire: forces by slip, in proportion to its load."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...register import derived
from ...scalars import vector
from ...scalars.values import value
from ...spatial import Wrench, cross, evaluate_pose
from ..base import Seen, line
from ._base import ForceAction, Line, Resolved, resolve_frame
from ._validation import end_problems, number_problems
from .plane_force import AXES

COEFFICIENTS = ("radius", "longitudinal", "lateral", "friction", "rest_speed")


@line
@dataclass(frozen=True, slots=True, eq=False)
class Tire(Line):
    """Forces of a tire along and across its heading, each its slip times a coefficient times load.

    `wheel` is a body or frame at the wheel's center that turns about its own `axis` ("y"), left of
    the heading; it may also be a carrier that does not spin, with `longitudinal=0`.  The ground is
    the plane across `normal` ("z") of `ground`; `radius` [m] is that of the wheel.

    `load` is the name of a signal, such as the multiplier of the wheel's contact,
    "touch.normal.multiplier", solved together with the motion; or a number [N].  A signal below
    zero is a wheel that is pulled up: it has no grip.

    Slips are velocities of the wheel's lowest point, along the heading and across it, over the
    speed V along the heading, `sqrt(V^2 + rest_speed^2)` with `rest_speed` [m/s].  `longitudinal`
    and `lateral` are forces by load and slip (lateral also per radian of a small slip angle).  With
    `friction` both together have at most that share of the load: `mu tanh(s/mu)`; without, they
    are linear.  Theory: TY.1 to TY.3.

    >>> Tire("front", "hub", load=4000.0, lateral=12.0, longitudinal=0).loses
    True
    """

    name: str
    wheel: Any
    load: Any
    radius: Any = 0.3
    longitudinal: Any = 15
    lateral: Any = 12
    friction: Any = None
    axis: str = "y"
    ground: Any = "world"
    normal: str = "z"
    rest_speed: Any = 0.01
    inside: ClassVar = {
        "wheel": "m",
        "load": "N",
        "longitudinal": "",
        "lateral": "",
        "friction": "",
        "ground": "m",
    }

    def problems(self, model):
        where = f"force {self.name!r}"
        yield from end_problems(model, self.wheel, f"{where}, wheel")
        yield from end_problems(model, self.ground, f"{where}, ground")
        for name in ("axis", "normal"):
            if getattr(self, name) not in AXES:
                axis_name = getattr(self, name)
                yield f"{where}: {name}={axis_name!r}: expected 'x', 'y', 'z', '-x', '-y' or '-z'"
        named_values = value.nominals(model.parameters)
        for name in COEFFICIENTS:
            x = getattr(self, name)
            if x is None and name == "friction":
                continue
            if problems := list(number_problems(model, x, (), f"{where}, {name}")):
                yield from problems
            elif not isinstance(x := value.exact(value.filled(x, named_values)), value.Value):
                may_be_zero = name in ("longitudinal", "lateral")
                if x < 0 or (x == 0 and not may_be_zero):
                    rule = "of zero or more" if may_be_zero else "above zero"
                    yield f"{where}: {name}: expected a number {rule}, got {float(x):g}"
        if not isinstance(self.load, str):
            if problems := list(number_problems(model, self.load, (), f"{where}, load [N]")):
                yield from problems
            elif (
                not isinstance(x := value.exact(value.filled(self.load, named_values)), value.Value)
                and x < 0
            ):
                yield f"{where}: load: expected a number of zero or more, got {float(x):g} N"

    @derived
    def signals(self):
        return (self.load,) if isinstance(self.load, str) else ()

    @derived
    def loses(self):
        return True

    def resolved(self, system):
        return Resolved((resolve_frame(system, self.wheel), resolve_frame(system, self.ground)))

    def act(self, K, motion, element, state):
        P, G = element.ends
        n_G, a_P = (K.numbers(AXES[x]) for x in (self.normal, self.axis))
        numbers: list[Any] = [
            None if getattr(self, x) is None else K.number(value.exact(getattr(self, x)))
            for x in COEFFICIENTS
        ]
        r, Cx, Cy, mu, rest = numbers
        X_WP, X_WG = (motion[e.link].X_W @ evaluate_pose(K, e.X_LB) for e in (P, G))
        n, a = X_WG.rotate(n_G), X_WP.rotate(a_P)
        sine = n @ a
        size = K.sqrt(1 - sine * sine)
        e = vector(K.divide(x, size) for x in cross(a, n))  # TY.1: the heading
        lateral = cross(n, e)
        arm = vector(K.divide(r * x, size) for x in a * sine - n)
        (center, spin), (ground_velocity, ground_spin) = (
            _point_velocity(motion, x.link, X_WP.p) for x in (P, G)
        )
        center = center - ground_velocity
        u = center + cross(spin - ground_spin, arm)
        V = e @ center
        V = K.sqrt(V * V + rest * rest)
        slips = [K.divide(u @ e, V) * Cx, K.divide(u @ lateral, V) * Cy]  # TY.2
        load = (
            K.number(value.exact(self.load))
            if not self.signals
            else (
                K.call("max", 0.0, element.named(state)[0])  # a wheel that is pulled up has no grip
            )
        )
        saturation = 1
        if mu is not None:
            s = K.sqrt(slips[0] * slips[0] + slips[1] * slips[1] + 1e-24)
            saturation = K.divide(mu * K.call("tanh", K.divide(s, mu)), s)  # TY.3
        Fx, Fy = (-(x * saturation * load) for x in slips)
        force = e * Fx + lateral * Fy
        at, wrenches = X_WP.p + arm, []
        for frame, sign in ((P, 1), (G, -1)):
            if frame.link:
                X = motion[frame.link].X_W
                f = X.unrotate(force * sign)
                wrenches.append((frame.link, Wrench(cross(X.unrotate(at - X.p), f), f)))
        dissipated = -(force @ u)
        law_state = Seen(0, u @ e, state.t)
        six = (0, 0, 0, Fx, Fy, load)
        return ForceAction(
            law_state, Fx, u @ lateral, (), tuple(wrenches), 0, dissipated, 0, (), six
        )

    def drawn(self):
        rim = {"shape": "wheel", "on": self.wheel, "radius": self.radius, "axis": self.axis}
        return rim, {"shape": "plane", "on": self.ground, "normal": self.normal}

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (
            cls("f", "tip", 300.0),
            cls("f", "hand", "turn.angle", 0.4, 8, 9, 0.7, "x", "base", "-y", 0.02),
        )


def _point_velocity(motion, index, p) -> tuple:
    """Velocity of the point of a link that is at p, and its angular velocity, world axes."""
    if not index:
        return vector((0, 0, 0)), vector((0, 0, 0))
    X, V = motion[index].X_W, motion[index].V
    r = X.unrotate(p - X.p)
    return X.rotate(V.linear + cross(V.angular, r)), X.rotate(V.angular)
