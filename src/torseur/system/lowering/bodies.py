"""Lowering of bodies, placements and joints to exact numbers.  Problems go to the reader."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import TorseurError, said, shown
from ...joints import AbstractJoint, MovingPlacement
from ...model import Beam, Joint
from ...scalars import Floats, Number, vector
from ...scalars.values import value
from ...spatial import Inertia, Pose, angles_to_matrix, six
from .. import checks


def read_inertia(reader, body) -> Inertia:
    """The ten parameters of a body."""
    if isinstance(body, Beam):  # its slices carry its mass
        return Inertia(0, vector((0,) * 3), vector((0,) * 6))
    where = f"body {body.name!r}"
    mass = reader.number(body.mass, f"{where}, mass [kg]")
    com = reader.array(body.com, (3,), f"{where}, com", "m")
    shape = (3, 3) if _nesting_depth(body.inertia) == 2 else (6,)
    J = reader.array(body.inertia, shape, f"{where}, inertia", "kg m2")
    if shape == (3, 3):
        if any(
            J[i, j] != J[j, i] and not _is_close(reader, J[i, j], J[j, i])
            for i, j in ((0, 1), (0, 2), (1, 2))
        ):
            reader.problems.append(f"{where}: the inertia matrix is not symmetric")
        J = six(J)
    if body.about not in ("com", "origin"):
        reader.problems.append(f"{where}: about={shown(body.about)}: expected 'com' or 'origin'")
        return Inertia(mass, mass * com, J)
    if body.first_moment is not None:
        return _read_inertial_parameters(reader, body, mass, com, J)
    at_com = Inertia.about_com(mass, com, J)
    if body.about == "com":
        checks.check_inertia(reader, body, mass, J)
        return at_com
    shift = at_com.J - J
    checks.check_inertia(reader, body, mass, J - shift)
    return Inertia(mass, at_com.h, J)


def _nesting_depth(x) -> int:
    """Nesting depth of sequences; zero for a scalar."""
    try:
        return np.ndim(np.asarray(x, dtype=object))
    except checks.VALUE_ERRORS:
        return 0


def _read_inertial_parameters(reader, body, mass, com, J) -> Inertia:
    where = f"body {body.name!r}"
    h = reader.array(body.first_moment, (3,), f"{where}, first_moment", "kg m")
    if body.about != "origin" or any(x != 0 for x in com):
        reader.problems.append(
            f"{where}: first_moment stands for com, and goes with about='origin'"
        )
        return Inertia(mass, h, J)
    ten = Inertia(mass, h, J)
    reader.check_not_negative(mass, f"{where} has mass", "kg")
    m, *rest = (reader.nominal(x) for x in ten.parameters())
    if None not in (m, *rest) and m > 0:
        c = vector(x / m for x in rest[:3])
        checks.check_inertia(
            reader, body, 1, vector(rest[3:]) - Inertia.about_com(m, c, (0,) * 6).J
        )
    return ten


def _is_close(reader, a, b) -> bool:
    a, b = reader.nominal(a), reader.nominal(b)
    return None not in (a, b) and abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def read_pose(reader, at, rpy, matrix, where, moves=False) -> Pose | MovingPlacement:
    """A placement.  With `moves` it may depend on time."""
    if matrix is not None:
        if any(x != 0 for values in (at, rpy) for x in np.ravel(np.asarray(values, dtype=object))):
            reader.problems.append(f"{where}: at or rpy is given beside a pose; give one of them")
        T = reader.array(matrix, (4, 4), f"{where}, pose", "1, m")
        numbers = [reader.nominal(x) for x in T.ravel()]
        if None not in numbers:
            T0 = np.reshape(numbers, (4, 4))
            R = T0[:3, :3]
            if (
                abs(R.T @ R - np.eye(3)).max() > 1e-9
                or np.linalg.det(R) < 0
                or (T0[3] != (0, 0, 0, 1)).any()
            ):
                reader.problems.append(
                    f"{where}: the pose is not a homogeneous matrix of a rotation and a translation"
                )
            reader.check_right_angles(R, where)
        return Pose(_snap_entries(T[:3, :3]), vector(T[:3, 3]))
    p = reader.array(at, (3,), f"{where}, at", "m", moves)
    angles = reader.array(rpy, (3,), f"{where}, rpy", "rad", moves)
    if moves and any(map(reader.depends_on_time, (*p, *angles))):
        return _read_carriage(reader, p, angles, where)
    if not any(isinstance(x, value.Value) or x for x in angles):
        return Pose(p=p)
    for x, axis in zip(angles, ("roll", "pitch", "yaw"), strict=True):
        reader.check_angle(x, f"{where}, {axis}")
    return Pose(angles_to_matrix(value, "zyx", angles[::-1]), p)


def _read_carriage(reader, p, angles, where) -> MovingPlacement:
    """A time-dependent placement, checked for its velocity and acceleration."""
    carriage = MovingPlacement(tuple(p), tuple(angles))
    names = [n for x in carriage.constants() for n in value.symbols(x)]
    try:
        carriage.screw_slope(Floats(generic_values(names) | reader.nominals), [0.37])
    except (TorseurError, ValueError, AttributeError) as e:
        reader.problems.append(f"{where} depends on time: {said(e)}")
    except ArithmeticError:
        pass  # at other times it may have a value
    return carriage


def _snap_entries(R):
    """Round entries of a rotation within a few ulp of 0 or 1 (cos(pi/2) is 6e-17)."""

    def snap(x):
        n = round(float(x)) if isinstance(x, Number) else None
        return x if n is None or abs(x - n) >= value.SNAP else n

    return vector(map(snap, R.ravel())).reshape(3, 3)


def read_joint(reader, j, where):
    """Placements of a joint on parent and child, armature and damping."""
    X_PF = read_pose(reader, j.at, j.rpy, j.pose, where, moves=True)
    loop = not isinstance(j, Joint)
    X_CM = read_pose(reader, j.child_at, j.child_rpy, j.child_pose, f"{where}, child", moves=loop)
    out: list[Any] = [X_PF, X_CM]
    if not isinstance(j.kind, AbstractJoint):  # reported by `check_names`
        return (*out, vector(()), vector(()))
    try:
        numbers = [reader.number(x, where) for x in j.kind.constants()]
        if all(reader.nominal(x) is not None for x in numbers):
            reader.problems += [f"{where}: {e}" for e in j.kind.faults(Floats(reader.nominals))]
    except checks.VALUE_ERRORS as e:
        reader.problems.append(f"{where}: {said(e)}")
    if isinstance(j, Joint):
        checks.check_limits(reader, j, where)
        checks.check_motor_limits(reader, j, where)
    nv = j.kind.nv
    is_rotary = nv and all(unit == "rad/s" for _, unit in j.kind.speeds)
    for name, units in (("armature", ("kg m2", "kg")), ("damping", ("N m s/rad", "N s/m"))):
        x, unit = getattr(j, name, 0), units[0] if is_rotary else units[1]
        x = [x] * nv if _nesting_depth(x) == 0 else x
        array = reader.array(x, (nv,), f"{where}, {name}", unit)
        for entry in dict.fromkeys(array):
            reader.check_not_negative(entry, f"{where} has {name}", unit)
        out.append(array)
    if not j.kind.holonomic and any(x != 0 for x in out[2]):
        reader.problems.append(
            f"{where} has an armature, but its speeds are not the rates of "
            "coordinates; put the inertia into the body"
        )
    return tuple(out)


def generic_values(free) -> dict[str, float]:
    """Generic values for symbols without a value."""
    if not free:
        return {}
    numbers = np.random.default_rng(7).uniform(0.5, 2.0, len(free))
    return dict(zip(free, numbers.tolist(), strict=True))
