"""From a description to the core: welds merged, frames placed, links ordered and numbered."""

from __future__ import annotations

import warnings
from dataclasses import replace
from types import MappingProxyType

from ..._lazy import pause_garbage_collection
from ...errors import ModelError, ModelWarning, misfits
from ...joints import TIME
from ...model import Model
from ...scalars import Floats
from .. import checks
from ..joint_inertias import check_resistance
from ..system import Closure, System
from .bodies import generic_values, read_inertia, read_joint, read_pose
from .tree import add_rotors, build_tree, place_frame


def check(model: Model, merge: bool = True) -> System:
    """The `System` of a model, or `ModelError` with every problem, in the user's names.

    Bodies welded together are one link, unless `merge` is false: then each weld is a joint without
    coordinates, whose reaction can be asked for; coordinates and speeds are the same.

    Done once a model, and remembered with it as long as no list or array in it has changed.
    """
    system = model.recall(merge) if isinstance(model, Model) else None
    if system is None:
        with pause_garbage_collection():  # a long table is many objects
            system = _lower(model, merge)
        model.store_result(merge, system)
    for text in system.warnings:
        warnings.warn(text, ModelWarning, stacklevel=3)
    return system


def _lower(model, merge: bool) -> System:
    if wrong := list(checks.check_types(model)):
        raise ModelError(wrong)
    reader = checks.NumberReader(model)
    reader.problems += checks.check_names(model)
    described, model = model, _expand_drives(reader, model)
    gravity = reader.array(model.gravity, (3,), "gravity", "m/s2")
    bodies = {b.name: read_inertia(reader, b) for b in model.bodies}
    for b in model.bodies:
        checks.check_shapes(reader, b)
    joints = [read_joint(reader, j, f"joint {j.name!r}") for j in model.joints]
    loops = [read_joint(reader, j, f"loop {j.name!r}") for j in model.loops]
    frames = {
        f.name: read_pose(reader, f.at, f.rpy, f.pose, f"frame {f.name!r}", moves=True)
        for f in model.frames
    }
    beams = _read_beams(reader, model, joints, loops, frames)
    rotors = [reader.number(r.inertia, f"rotor {r.name!r}") for r in model.rotors]
    for r, J in zip(model.rotors, rotors, strict=True):
        if (x := reader.nominal(J)) is not None and x <= 0:
            reader.problems.append(f"rotor {r.name!r} has inertia {x:g} kg m2; use more than zero")
    joint_names = {j.name for j in (*model.joints, *model.rotors)}
    faulty, sound = [], []  # forces: sound ones are looked at further
    for force in model.forces:
        if force.name in joint_names:
            reader.warnings.append(
                f"force {force.name!r} has the name of a joint: their signals, "
                f"such as {force.name}.rate, are mixed up; rename one"
            )
        found: list[str] = []
        with misfits(f"force {force.name!r}", found):
            found += getattr(force, "problems", lambda m: ())(model)
        faulty += found
        if not found:
            reader.warnings += getattr(force, "warnings", lambda m: ())(model)
            sound.append(force)
    if reader.problems:
        raise ModelError([*reader.problems, *faulty])

    links, places = build_tree(model, bodies, joints, frames, merge, beams)
    closures = tuple(
        Closure(
            j.name,
            j.kind,
            place_frame(links, f"{j.name}.carriage", places[j.parent], X_PF),
            place_frame(links, f"{j.name}.child_carriage", places[j.child], X_CM),
        )
        for j, (X_PF, X_CM, *_) in zip(model.loops, loops, strict=True)
    )
    links = _add_constraint_coordinates(add_rotors(links, model.rotors, rotors), model)
    constraints = _lower_constraints(reader, links, places, model)
    if reader.problems:
        raise ModelError([*faulty, *reader.problems])
    parameters = {n: reader.nominals.get(n) for n in model.parameters}
    system = System(
        model.name,
        gravity,
        links,
        MappingProxyType(places),
        closures,
        MappingProxyType(parameters),
        model.inputs,
        tuple(sound),
        tuple(reader.warnings),
        tuple(b.name for b in model.bodies),
        described,
        constraints,
        MappingProxyType(reader.derived),
        _beam_strains(beams),
    )
    try:
        system = resolved(system)
    except ModelError as e:
        raise ModelError([*faulty, *e.problems]) from None
    if faulty:
        raise ModelError(faulty)
    free = [n for n in system.symbols if parameters.get(n) is None]
    check_resistance(
        system, Floats(parameters | generic_values([*free, *[TIME] * system.rheonomic]))
    )
    return system


def resolved(system: System) -> System:
    """Resolve the force elements, and order the constraint rows as in the equations."""
    has_damping = any(c != 0 for k in system.links for c in k.damping)
    table_forces = [f for f in system.forces if getattr(getattr(f, "law", None), "steps", tuple)()]
    if system.closures or system.constraints or table_forces:
        from ...constraints import closure_element, step_rows

        loops = (e for c in system.closures if (e := closure_element(c, system.links)).size)
        steps = [e for f in table_forces for e in step_rows(f, f.resolved(system), system.links)]
        own = (*system.constraints, *steps)
        bilateral = (*loops, *(e for e in own if not (e.friction or e.contact)))
        unilateral = (e for e in own if e.friction or e.contact)
        held, switched = (tuple(sorted(x, key=lambda e: e.speeds)) for x in (bilateral, unilateral))
        system = replace(system, held=held, switched=switched)
    if not (system.forces or has_damping or system.strains):
        return system
    from .forces import force_elements

    problems: list[str] = []
    elements = force_elements(system, problems)
    if problems:
        raise ModelError(problems)
    return replace(system, elements=elements)


def unmerged(system: System) -> System:
    """The same mechanism with every weld as a joint, for the reactions of welds."""
    if not any(j.kind.rigid for j in system.model.joints):
        return system
    with warnings.catch_warnings(action="ignore", category=ModelWarning):  # told before
        return check(system.model, merge=False)


def _expand_drives(reader, model):
    """Expand drives, stops and table points of motions, if there are any."""
    has_none = (
        j.drive is None and (j.limits is None or type(j.limits) is tuple) for j in model.joints
    )
    if all(has_none) and not any(getattr(c, "times", ()) for c in model.constraints):
        return model
    from .forces import expand_drives

    return expand_drives(reader, model)


def _read_beams(reader, model, joints, loops, frames):
    """Beams with their attached sections, if there are any."""
    if not any(hasattr(b, "EI") for b in model.bodies):
        return {}
    from ..beams import collect_attached_beams

    return collect_attached_beams(reader, model, joints, loops, frames)


def _beam_strains(beams):
    if not beams:
        return ()
    from ..beams import strain_forces

    return strain_forces(beams.values())


def _lower_constraints(reader, links, places, model) -> tuple:
    if not model.constraints:
        return ()
    from .constraints import lower

    return lower(reader, links, places, model)


def _add_constraint_coordinates(links, model) -> tuple:
    """Append auxiliary links for coordinates of constraints, such as curve parameters."""
    if not model.constraints:
        return links
    from .constraints import add_constraint_coordinates

    return add_constraint_coordinates(links, model.constraints)
