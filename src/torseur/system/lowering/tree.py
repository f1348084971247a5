"""Lowering of the tree: links by connection degree, frames, rotors as links."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ...joints import MovingBaseJoint, MovingPlacement, Revolute, Weld
from ...scalars import vector
from ...spatial import IDENTITY, FixedFrame, Inertia, Pose, six, symmetric
from ..system import Link


def build_tree(
    model, bodies, joints, frames, merge=True, beams: Mapping[str, Any] = MappingProxyType({})
):
    """Links in breadth-first order, and the fixed frame of every body and frame."""
    inboard = {j.child: (j, data) for j, data in zip(model.joints, joints, strict=True)}
    children: dict[str, list[str]] = {}
    for b in model.bodies:
        children.setdefault(inboard[b.name][0].parent, []).append(b.name)
    places = {"world": FixedFrame(0, IDENTITY)}
    links: list[Link] = []
    wave = ["world"]
    while wave:
        next_wave, queue = [], [name for parent in wave for name in children.get(parent, ())]
        for name in queue:
            j, (X_PF, X_CM, *_) = inboard[name]
            if not j.kind.rigid or isinstance(X_PF, MovingPlacement):
                next_wave.append(name)
                continue
            if merge:
                P = places[j.parent].moved(X_PF)  # a weld adds no link, and no degree
                places[name] = P.moved(_attachment(beams, name, X_CM).inverse())
                _add_inertia(links, places[name], bodies[name])
                _add_beam(links, places, name, beams)
            else:
                _add_link(links, places, name, inboard[name], bodies, beams)
            queue += children.get(name, ())
        for name in next_wave:
            _add_link(links, places, name, inboard[name], bodies, beams)
        wave = next_wave
    for f in model.frames:
        places[f.name] = place_frame(links, f"{f.name}.carriage", places[f.body], frames[f.name])
    return links, places


def place_frame(links, name, parent: FixedFrame, X) -> FixedFrame:
    """Frame of a placement on a body.  A time-dependent placement adds a massless link."""
    if not isinstance(X, MovingPlacement):
        return parent.moved(X)
    no_numbers = vector(())
    no_inertia = Inertia(0, vector((0,) * 3), vector((0,) * 6))
    joint = MovingBaseJoint(Weld(), X)
    nq, nv = (links[-1].q.stop, links[-1].v.stop) if links else (0, 0)
    slices = slice(nq, nq), slice(nv, nv)
    links.append(
        Link(
            len(links) + 1,
            name,
            name,
            parent.link,
            joint,
            parent.X_LB,
            no_inertia,
            no_numbers,
            no_numbers,
            *slices,
        )
    )
    return FixedFrame(len(links), IDENTITY)


def _attachment(beams, name, X_CM):
    """Pose of the outboard frame in the body, or in the attached section of a beam."""
    if name not in beams:
        return X_CM
    return Pose(X_CM.turns, vector((0, *X_CM.p[1:])))


def _add_beam(links, places, name, beams):
    if name in beams:
        from ..beams import add_slices

        places[name] = add_slices(links, places[name], beams[name])


def _add_link(links, places, name, inboard, bodies, beams):
    j, (X_PF, X_CM, armature, damping) = inboard
    P, X_MC, kind = places[j.parent], _attachment(beams, name, X_CM).inverse(), j.kind
    if isinstance(X_PF, MovingPlacement):
        kind, X_PF = MovingBaseJoint(kind, X_PF), IDENTITY
    P = P.moved(X_PF)
    nq, nv = (links[-1].q.stop, links[-1].v.stop) if links else (0, 0)
    links.append(
        Link(
            len(links) + 1,
            j.name,
            name,
            P.link,
            kind,
            P.X_LB,
            bodies[name].moved(X_MC),
            armature,
            damping,
            slice(nq, nq + kind.nq),
            slice(nv, nv + kind.nv),
        )
    )
    places[name] = FixedFrame(len(links), X_MC)
    _add_beam(links, places, name, beams)


def _add_inertia(links, place, inertia):
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
            k.reads,
        )


def add_rotors(links, rotors, inertias):
    """Append rotors as auxiliary links: inertia without a body."""
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
