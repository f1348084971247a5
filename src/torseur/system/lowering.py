"""From a description to the core: welds merged, frames placed, links ordered and numbered."""

from __future__ import annotations

import warnings
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ModelError, ModelWarning, TorseurError, shown
from ..joints import TIME, AbstractJoint, Carriage, Carried, Revolute, Weld
from ..model import Joint, Model
from ..numbers import Floats, Number, values, vector
from ..spatial import IDENTITY, Inertia, Place, Pose, angles_to_matrix, six, symmetric
from . import checks
from .core import Closure, Link, System
from .inertias import resisted

if TYPE_CHECKING:
    pass


def check(model: Model, merge: bool = True) -> System:
    """The `System` of a model, or `ModelError` with every problem, in the user's names.

    Bodies welded together are one link, unless `merge` is false: then each weld is a joint without
    coordinates, whose reaction can be asked for; coordinates and speeds are the same.

    Done once a model, and remembered with it as long as nothing in it can change.
    """
    system = model.checked.get(merge) if isinstance(model, Model) else None
    if system is None:
        system = _checked(model, merge)
        model.remember(merge, system)
    for text in system.warnings:
        warnings.warn(text, ModelWarning, stacklevel=3)
    return system


def _checked(model, merge: bool) -> System:
    if wrong := list(checks.kinds(model)):
        raise ModelError(wrong)
    reader = checks.Reader(model)
    reader.problems += checks.names(model)
    described, model = model, _spelt_out(reader, model)
    gravity = reader.array(model.gravity, (3,), "gravity", "m/s2")
    bodies = {b.name: _inertia(reader, b) for b in model.bodies}
    joints = [_joint(reader, j, f"joint {j.name!r}") for j in model.joints]
    loops = [_joint(reader, j, f"loop {j.name!r}") for j in model.loops]
    frames = {
        f.name: _pose(reader, f.at, f.rpy, f.pose, f"frame {f.name!r}", moves=True)
        for f in model.frames
    }
    rotors = [reader.number(r.inertia, f"rotor {r.name!r}") for r in model.rotors]
    for r, J in zip(model.rotors, rotors, strict=True):
        if (x := reader.nominal(J)) is not None and x <= 0:
            reader.problems.append(f"rotor {r.name!r} has inertia {x:g} kg m2; use more than zero")
    joint_names = {j.name for j in (*model.joints, *model.rotors)}
    for force in model.forces:
        if force.name in joint_names:
            reader.warnings.append(
                f"force {force.name!r} has the name of a joint: their signals, "
                f"such as {force.name}.rate, are mixed up; rename one"
            )
        reader.problems += getattr(force, "problems", lambda m: ())(model)
    if reader.problems:
        raise ModelError(reader.problems)

    links, places = _tree(model, bodies, joints, frames, merge)
    closures = tuple(
        Closure(
            j.name,
            j.kind,
            _place(links, f"{j.name}.carriage", places[j.parent], X_PF),
            _place(links, f"{j.name}.child_carriage", places[j.child], X_CM),
        )
        for j, (X_PF, X_CM, *_) in zip(model.loops, loops, strict=True)
    )
    links = _with_parameters(_with_rotors(links, model.rotors, rotors), model)
    constraints = _constraints(reader, links, places, model)
    if reader.problems:
        raise ModelError(reader.problems)
    parameters = {n: reader.nominals.get(n) for n in model.parameters}
    system = System(
        model.name,
        gravity,
        links,
        MappingProxyType(places),
        closures,
        MappingProxyType(parameters),
        model.inputs,
        model.forces,
        tuple(reader.warnings),
        tuple(b.name for b in model.bodies),
        described,
        constraints,
    )
    system = resolved(system)
    free = [n for n in system.symbols if parameters.get(n) is None]
    resisted(system, Floats(parameters | _generic([*free, *[TIME] * system.rheonomic])))
    return system


def resolved(system: System) -> System:
    """The system with its force elements, and its rows in the order of the equations."""
    rubs = any(c != 0 for k in system.links for c in k.damping)
    stepped = [f for f in system.forces if getattr(getattr(f, "law", None), "steps", tuple)()]
    if system.closures or system.constraints or stepped:
        from ..constraints import closure_element, step_rows

        loops = (e for c in system.closures if (e := closure_element(c, system.links)).size)
        steps = [e for f in stepped for e in step_rows(f, f.resolved(system), system.links)]
        own = (*system.constraints, *steps)
        always = (*loops, *(e for e in own if not (e.friction or e.contact)))
        at_times = (e for e in own if e.friction or e.contact)
        held, switched = (tuple(sorted(x, key=lambda e: e.speeds)) for x in (always, at_times))
        system = replace(system, held=held, switched=switched)
    if not (system.forces or rubs):
        return system
    from .elements import force_elements

    problems: list[str] = []
    elements = force_elements(system, problems)
    if problems:
        raise ModelError(problems)
    return replace(system, elements=elements)


def unmerged(system: System) -> System:
    """The same mechanism with every weld as a joint: for what a weld carries."""
    if not any(isinstance(j.kind, Weld) for j in system.model.joints):
        return system
    with warnings.catch_warnings(action="ignore", category=ModelWarning):  # told before
        return check(system.model, merge=False)


def _spelt_out(reader, model):
    """Drives and stops as rotors, armatures and forces; their room is opened only for them."""
    if all(j.drive is None and (j.limits is None or type(j.limits) is tuple) for j in model.joints):
        return model
    from .elements import spelt_out

    return spelt_out(reader, model)


def _constraints(reader, links, places, model) -> tuple:
    if not model.constraints:
        return ()
    from .constraints import lower

    return lower(reader, links, places, model)


def _with_parameters(links, model) -> tuple:
    """Links, and the parameters of curves as more of them."""
    if not model.constraints:
        return links
    from .constraints import with_parameters

    return with_parameters(links, model.constraints)


def _generic(free) -> dict[str, float]:
    """Numbers for symbols that have none, with nothing special about them."""
    if not free:
        return {}
    numbers = np.random.default_rng(7).uniform(0.5, 2.0, len(free))
    return dict(zip(free, numbers.tolist(), strict=True))


def _inertia(reader, body) -> Inertia:
    where = f"body {body.name!r}"
    mass = reader.number(body.mass, f"{where}, mass [kg]")
    com = reader.array(body.com, (3,), f"{where}, com", "m")
    shape = (3, 3) if _depth(body.inertia) == 2 else (6,)
    J = reader.array(body.inertia, shape, f"{where}, inertia", "kg m2")
    if shape == (3, 3):
        if any(
            J[i, j] != J[j, i] and not _close(reader, J[i, j], J[j, i])
            for i, j in ((0, 1), (0, 2), (1, 2))
        ):
            reader.problems.append(f"{where}: the inertia matrix is not symmetric")
        J = six(J)
    if body.about not in ("com", "origin"):
        reader.problems.append(f"{where}: about={shown(body.about)}: expected 'com' or 'origin'")
        return Inertia(mass, mass * com, J)
    if body.first_moment is not None:
        return _ten_numbers(reader, body, mass, com, J)
    at_com = Inertia.about_com(mass, com, J)
    if body.about == "com":
        checks.inertia(reader, body, mass, J)
        return at_com
    shift = at_com.J - J
    checks.inertia(reader, body, mass, J - shift)
    return Inertia(mass, at_com.h, J)


def _depth(x) -> int:
    """How many levels of sequences hold the numbers; zero for what is no sequence."""
    try:
        return np.ndim(np.asarray(x, dtype=object))
    except checks.FAULTS:
        return 0


def _ten_numbers(reader, body, mass, com, J) -> Inertia:
    where = f"body {body.name!r}"
    h = reader.array(body.first_moment, (3,), f"{where}, first_moment", "kg m")
    if body.about != "origin" or any(x != 0 for x in com):
        reader.problems.append(
            f"{where}: first_moment stands for com, and goes with about='origin'"
        )
        return Inertia(mass, h, J)
    ten = Inertia(mass, h, J)
    reader.at_least_zero(mass, f"{where} has mass", "kg")
    m, *rest = (reader.nominal(x) for x in ten.parameters())
    if None not in (m, *rest) and m > 0:
        c = vector(x / m for x in rest[:3])
        checks.inertia(reader, body, 1, vector(rest[3:]) - Inertia.about_com(m, c, (0,) * 6).J)
    return ten


def _close(reader, a, b) -> bool:
    a, b = reader.nominal(a), reader.nominal(b)
    return None not in (a, b) and abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def _pose(reader, at, rpy, pose, where, moves=False) -> Pose | Carriage:
    """A placement; one that `moves` may depend on time."""
    if pose is not None:
        T = reader.array(pose, (4, 4), f"{where}, pose", "1, m")
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
            reader.right_angles(R, where)
        return Pose(_snapped(T[:3, :3]), vector(T[:3, 3]))
    p = reader.array(at, (3,), f"{where}, at", "m", moves)
    angles = reader.array(rpy, (3,), f"{where}, rpy", "rad", moves)
    if moves and any(map(reader.timed, (*p, *angles))):
        return _carriage(reader, p, angles, where)
    if not any(isinstance(x, values.Value) or x for x in angles):
        return Pose(p=p)
    for x, axis in zip(angles, ("roll", "pitch", "yaw"), strict=True):
        reader.angle(x, f"{where}, {axis}")
    return Pose(angles_to_matrix(values, "zyx", angles[::-1]), p)


def _carriage(reader, p, angles, where) -> Carriage:
    """A placement that time moves, if it has speeds and accelerations."""
    made = Carriage(tuple(p), tuple(angles))
    names = [n for x in made.constants() for n in values.symbols(x)]
    try:
        made.screw_slope(Floats(_generic(names) | reader.nominals), [0.37])
    except (TorseurError, ValueError, AttributeError) as e:
        reader.problems.append(f"{where} depends on time: {e}")
    except ArithmeticError:
        pass  # at other times it may have a value
    return made


def _snapped(R):
    """Entries of a rotation within a few ulp of 0 or 1 are 0 or 1 (cos(pi/2) is 6e-17)."""

    def snap(x):
        n = round(float(x)) if isinstance(x, Number) else None
        return x if n is None or abs(x - n) >= values.SNAP else n

    return vector(map(snap, R.ravel())).reshape(3, 3)


def _joint(reader, j, where):
    X_PF = _pose(reader, j.at, j.rpy, j.pose, where, moves=True)
    loop = not isinstance(j, Joint)
    X_CM = _pose(reader, j.child_at, j.child_rpy, j.child_pose, f"{where}, child", moves=loop)
    out = [X_PF, X_CM]
    if not isinstance(j.kind, AbstractJoint):  # told already, by `names`
        return (*out, vector(()), vector(()))
    try:
        numbers = [reader.number(x, where) for x in j.kind.constants()]
        if all(reader.nominal(x) is not None for x in numbers):
            reader.problems += [f"{where}: {e}" for e in j.kind.faults(Floats(reader.nominals))]
    except checks.FAULTS as e:
        reader.problems.append(f"{where}: {e}")
    if isinstance(j, Joint):
        checks.limits(reader, j, where)
        checks.motor(reader, j, where)
    nv = j.kind.nv
    turns = nv and all(unit == "rad/s" for _, unit in j.kind.speeds)
    for name, units in (("armature", ("kg m2", "kg")), ("damping", ("N m s/rad", "N s/m"))):
        x, unit = getattr(j, name, 0), units[0] if turns else units[1]
        x = [x] * nv if _depth(x) == 0 else x
        array = reader.array(x, (nv,), f"{where}, {name}", unit)
        for entry in array:
            reader.at_least_zero(entry, f"{where} has {name}", unit)
        out.append(array)
    if not j.kind.holonomic and any(x != 0 for x in out[2]):
        reader.problems.append(
            f"{where} has an armature, but its speeds are not the rates of "
            "coordinates; put the inertia into the body"
        )
    return tuple(out)


def _tree(model, bodies, joints, frames, merge=True):
    """Links by connection degree, and the place of every body and frame."""
    inboard = {j.child: (j, data) for j, data in zip(model.joints, joints, strict=True)}
    children: dict[str, list[str]] = {}
    for b in model.bodies:
        children.setdefault(inboard[b.name][0].parent, []).append(b.name)
    places = {"world": Place(0, IDENTITY)}
    links: list[Link] = []
    wave = ["world"]
    while wave:
        ahead, queue = [], [name for parent in wave for name in children.get(parent, ())]
        for name in queue:
            j, (X_PF, X_CM, *_) = inboard[name]
            if not isinstance(j.kind, Weld) or isinstance(X_PF, Carriage):
                ahead.append(name)
                continue
            if merge:
                P = places[j.parent]  # a weld adds no link, and no degree
                places[name] = Place(P.link, P.X_LB @ X_PF @ X_CM.inverse())
                _carry(links, places[name], bodies[name])
            else:
                _add_link(links, places, name, inboard[name], bodies)
            queue += children.get(name, ())
        for name in ahead:
            _add_link(links, places, name, inboard[name], bodies)
        wave = ahead
    for f in model.frames:
        places[f.name] = _place(links, f"{f.name}.carriage", places[f.body], frames[f.name])
    return links, places


def _place(links, name, on: Place, X) -> Place:
    """A placement on a body; one that time moves is a link of its own, without mass."""
    if not isinstance(X, Carriage):
        return Place(on.link, on.X_LB @ X)
    none = vector(())
    nothing = Inertia(0, vector((0,) * 3), vector((0,) * 6))
    joint = Carried(Weld(), X)
    nq, nv = (links[-1].q.stop, links[-1].v.stop) if links else (0, 0)
    at = slice(nq, nq), slice(nv, nv)
    links.append(
        Link(len(links) + 1, name, name, on.link, joint, on.X_LB, nothing, none, none, *at)
    )
    return Place(len(links), IDENTITY)


def _add_link(links, places, name, inboard, bodies):
    j, (X_PF, X_CM, armature, damping) = inboard
    P, X_MC, kind = places[j.parent], X_CM.inverse(), j.kind
    if isinstance(X_PF, Carriage):
        kind, X_PF = Carried(kind, X_PF), IDENTITY
    nq, nv = (links[-1].q.stop, links[-1].v.stop) if links else (0, 0)
    links.append(
        Link(
            len(links) + 1,
            j.name,
            name,
            P.link,
            kind,
            P.X_LB @ X_PF,
            bodies[name].moved(X_MC),
            armature,
            damping,
            slice(nq, nq + kind.nq),
            slice(nv, nv + kind.nv),
        )
    )
    places[name] = Place(len(links), X_MC)


def _carry(links, place, inertia):
    if place.link:
        k = links[place.link - 1]
        total = k.inertia + inertia.moved(place.X_LB)
        links[place.link - 1] = Link(
            k.index,
            k.name,
            k.body,
            k.parent,
            k.joint,
            k.X_PF,
            total,
            k.armature,
            k.damping,
            k.q,
            k.v,
            k.auxiliary,
        )


def _with_rotors(links, rotors, inertias):
    links = list(links)
    for rotor, J in zip(rotors, inertias, strict=True):
        nq, nv = (links[-1].q.stop, links[-1].v.stop) if links else (0, 0)
        spin = Inertia(0, vector((0, 0, 0)), six(symmetric((0, 0, J, 0, 0, 0))))
        none = vector((0,))
        links.append(
            Link(
                len(links) + 1,
                rotor.name,
                rotor.name,
                0,
                Revolute("z"),
                IDENTITY,
                spin,
                none,
                none,
                slice(nq, nq + 1),
                slice(nv, nv + 1),
                True,
            )
        )
    return tuple(links)
