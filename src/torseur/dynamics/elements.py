"""What force elements do to a mechanism in motion: deflections, loads, books.

Theory: FO.12 to FO.17.

Geometry is here, laws are in `forces`; both over any scalar.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..forces import Guard, Seen
from ..numbers import values, vector
from ..spatial import HALF, Pose, Twist, Wrench, cross, pose_over
from ..system import ForceElement


class Acting(NamedTuple):
    """One element at one instant."""

    seen: Seen
    force: Any  # what users see: tension, push of a source, or factor of a wrench
    deflection: Any
    efforts: tuple[tuple[int, Any], ...]  # (speed, generalised force)
    wrenches: tuple[tuple[int, Wrench], ...]  # (link, wrench on it, in its frame)
    potential: Any
    dissipation: Any
    supply: Any
    zdot: tuple
    guards: tuple[Guard, ...]
    six: tuple | None = None  # components, for wrenches and bushings


class Moment(NamedTuple):
    """The arguments of every formula of motion, as arrays of scalars."""

    t: Any
    q: np.ndarray
    v: np.ndarray
    z: np.ndarray
    m: np.ndarray
    u: np.ndarray


def act(tree, moving, element: ForceElement, now: Moment) -> Acting:
    """Evaluate one element; `moving` holds pose and twist of every link."""
    return {
        "points": _points,
        "plane": _plane,
        "coordinates": _coordinates,
        "wrench": _wrench,
        "bushing": _bushing,
    }[element.kind](tree.K, moving, element, now)


def _seen(element, now, x, rate, inputs=None) -> Seen:
    named = tuple(getattr(now, place)[i] for place, i in element.seen)
    return Seen(
        x,
        rate,
        now.t,
        tuple(now.z[element.z]),
        tuple(now.m[element.m]),
        (*(now.u[i] for i in element.u[:inputs]), *named),
    )


def _answers(K, element, s, efforts, wrenches, T) -> Acting:
    law = element.law
    return Acting(
        s,
        T if law.shows > 0 else -T,
        law.deflection(K, s),
        efforts,
        wrenches,
        law.potential(K, s),
        law.dissipation(K, s),
        law.supply(K, s),
        tuple(law.zdot(K, s)),
        tuple(law.guards(K, s)),
    )


def point(K, moving, place) -> tuple[np.ndarray, np.ndarray, Pose]:
    """Position and velocity of a place's origin, world axes, and the pose of its link."""
    link, r = moving[place.link], K.numbers(place.X_LB.p)
    if not place.link:
        return link.X_W.point(r), vector((0, 0, 0)), link.X_W
    return link.X_W.point(r), link.X_W.rotate(link.V.linear + cross(link.V.angular, r)), link.X_W


def _push(K, X_WL, place, force, moment=None):
    """World force at a place's origin (and moment) as a wrench on the link."""
    f = X_WL.unrotate(force)
    n = cross(K.numbers(place.X_LB.p), f)
    if moment is not None:
        n = n + X_WL.unrotate(moment)
    return place.link, Wrench(n, f)


def _points(K, moving, element, now):
    (A, B) = element.ends
    a, va, XA = point(K, moving, A)
    b, vb, XB = point(K, moving, B)
    d, dv = b - a, vb - va
    square = d @ d
    tiny = K.less(square, 1e-300)  # the points coincide: no direction
    length = K.sqrt(K.select(tiny, 1.0, square))
    e = vector(K.select(tiny, 0.0, K.divide(c, length)) for c in d)  # FO.12
    x = K.select(tiny, 0.0, length)
    s = _seen(element, now, x, e @ dv)
    T = element.law.force(K, s)
    pull = vector(c * T for c in e)
    wrenches = tuple(_push(K, X, P, f) for X, P, f in ((XA, A, pull), (XB, B, -pull)) if P.link)
    return _answers(K, element, s, (), wrenches, T)  # FO.13


def _plane(K, moving, element, now):
    data, (A, B) = element.data, element.ends
    a, va, XA = point(K, moving, A)
    b, vb, XB = point(K, moving, B)
    n = XB.rotate(pose_over(K, B.X_LB).rotate(K.numbers(list(data.direction()))))
    r, u = a - b, va - vb
    if B.link:  # the plane's own motion where the point is
        u = u - cross(XB.rotate(moving[B.link].V.angular), r)
    s = _seen(element, now, -(r @ n), -(u @ n))  # CV.1
    T = element.law.force(K, s)
    push, lost = vector(c * T for c in n), 0
    if values.exact(data.friction) != 0:
        slip = u + vector(c * s.rate for c in n)
        eps = K.number(values.exact(data.slip))
        speed = K.sqrt(slip @ slip + eps * eps)
        N = K.select(K.less(T, 0), 0.0, T)
        drag = K.divide(K.number(values.exact(data.friction)) * N, speed)  # CV.2
        push, lost = push - vector(c * drag for c in slip), drag * (slip @ slip)
    wrenches = []
    for place, X, f in ((A, XA, push), (B, XB, -push)):
        if place.link:
            f, at = X.unrotate(f), X.unrotate(a - X.p)
            wrenches.append((place.link, Wrench(cross(at, f), f)))
    out = _answers(K, element, s, (), tuple(wrenches), T)
    return out._replace(dissipation=out.dissipation + lost)


def _coordinates(K, moving, element, now):
    x = rate = 0
    for i, j, weight in element.weights:
        w = K.number(weight)
        x, rate = x + w * now.q[i], rate + w * now.v[j]  # FO.14
    s = _seen(element, now, x, rate)
    T = element.law.force(K, s)
    efforts = tuple((j, -(K.number(weight) * T)) for _, j, weight in element.weights)
    return _answers(K, element, s, efforts, (), T)


def _wrench(K, moving, element, now):
    data, (P, R) = element.data, element.ends
    X_WP = moving[P.link].X_W @ pose_over(K, P.X_LB)
    law = element.law
    n = len(law.inputs) if law else 0
    s = _seen(element, now, 0, 0, n)
    size = 1 if law is None else law.force(K, s) if law.shows > 0 else -law.force(K, s)
    six = vector(K.number(values.exact(x)) * size for x in data.wrench)
    if data.input is not None:
        six = six + vector(now.u[i] for i in element.u[n:])
    moment, force = (
        (six[:3], six[3:]) if data.axes == "world" else (X_WP.rotate(six[:3]), X_WP.rotate(six[3:]))
    )  # FO.15
    wrenches, power = [], 0
    for place, sign in ((P, 1), (R, -1)):
        if not place.link:
            continue
        link = moving[place.link]
        # both ends carry the load at the same point of space: the frame's origin
        r = link.X_W.unrotate(X_WP.p - link.X_W.p)
        f, c = link.X_W.unrotate(force * sign), link.X_W.unrotate(moment * sign)
        F = Wrench(c + cross(r, f), f)
        wrenches.append((place.link, F))
        power = power + F @ link.V
    zdot = tuple(law.zdot(K, s)) if law else ()
    guards = tuple(law.guards(K, s)) if law else ()
    return Acting(s, size, 0, (), tuple(wrenches), 0, 0, power, zdot, guards, tuple(six))


def _bushing(K, moving, element, now):
    data, (A, B) = element.data, element.ends
    frames = []
    for place in (A, B):
        X_LB, link = pose_over(K, place.X_LB), moving[place.link]
        frames.append((link.X_W @ X_LB, X_LB.pull_twist(link.V), X_LB))
    (X_A, V_A, X_LA), (X_B, V_B, X_LB) = frames
    X = X_A.inverse() @ X_B  # b seen from a
    V = V_B - X.pull_twist(V_A)  # in b
    theta, J = _rotation_vector(K, X.R)
    e = np.concatenate([theta, X.p]) - K.numbers(list(map(values.exact, data.rest)))
    rate = np.concatenate([J @ V.angular, X.rotate(V.linear)])  # FO.16
    k, c = (_six_by_six(K, data, name) for name in ("stiffness", "damping"))
    elastic, viscous = k @ e, c @ rate
    T = elastic + viscous
    F_B = Wrench(-(J.T @ T[:3]), -X.unrotate(T[3:]))  # FO.17
    wrenches = [(B.link, X_LB.push_wrench(F_B))] if B.link else []
    if A.link:
        wrenches.append((A.link, X_LA.push_wrench(-X.push_wrench(F_B))))
    return Acting(
        Seen(0, 0, now.t),
        T[3],
        e[3],
        (),
        tuple(wrenches),
        (e @ elastic) * HALF,
        rate @ viscous,
        0,
        (),
        (),
        tuple(T),
    )


def _six_by_six(K, data, name):
    x = getattr(data, name)
    if not isinstance(x[0], tuple):
        x = [[x[i] if i == j else 0 for j in range(6)] for i in range(6)]
    return K.numbers([[values.exact(e) for e in row] for row in x])


def _rotation_vector(K, R):
    """Rotation vector of a matrix, and the map from angular velocity (turned axes) to its rate."""
    axis = vector((R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]))  # 2 sin(a) u
    two_sin_square = axis @ axis
    two_cos = R[0, 0] + R[1, 1] + R[2, 2] - 1
    small = K.less(two_sin_square, 1e-8)
    two_sin = K.sqrt(K.select(small, 1.0, two_sin_square))
    angle = K.call("atan2", two_sin, two_cos)
    s2 = two_sin_square / 4.0
    near = HALF * (1 + s2 * (1 / 6 + s2 * (3 / 40)))  # asin(s) / (2 s)
    theta = axis * K.select(small, near, K.divide(angle, two_sin))
    square = theta @ theta
    # coefficient of skew(theta)^2 in the inverse of the right Jacobian
    far = K.divide(1 - K.divide(angle * (2 + two_cos), 2 * two_sin), K.select(small, 1.0, square))
    c = K.select(small, 1 / 12 + square / 720.0, far)
    x, y, z = theta
    S = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=object)
    return theta, np.eye(3, dtype=int).astype(object) + S * HALF + (S @ S) * c


def twist_of(moving, place) -> Twist:
    """Twist of a place in its own frame."""
    return place.X_LB.pull_twist(moving[place.link].V)
