"""Links in the order of connection, the place of every body and frame, and rotors as links."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ...joints import Carriage, Carried, Revolute, Weld
from ...scalars import vector
from ...spatial import IDENTITY, Inertia, Place, Pose, six, symmetric
from ..system import Link


def tree(
    model, bodies, joints, frames, merge=True, beams: Mapping[str, Any] = MappingProxyType({})
):
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
            if not j.kind.rigid or isinstance(X_PF, Carriage):
                ahead.append(name)
                continue
            if merge:
                P = places[j.parent].moved(X_PF)  # a weld adds no link, and no degree
                places[name] = P.moved(_held(beams, name, X_CM).inverse())
                _carry(links, places[name], bodies[name])
                _bend(links, places, name, beams)
            else:
                _add_link(links, places, name, inboard[name], bodies, beams)
            queue += children.get(name, ())
        for name in ahead:
            _add_link(links, places, name, inboard[name], bodies, beams)
        wave = ahead
    for f in model.frames:
        places[f.name] = placed(links, f"{f.name}.carriage", places[f.body], frames[f.name])
    return links, places


def placed(links, name, on: Place, X) -> Place:
    """A placement on a body; one that time moves is a link of its own, without mass."""
    if not isinstance(X, Carriage):
        return on.moved(X)
    none = vector(())
    nothing = Inertia(0, vector((0,) * 3), vector((0,) * 6))
    joint = Carried(Weld(), X)
    nq, nv = (links[-1].q.stop, links[-1].v.stop) if links else (0, 0)
    at = slice(nq, nq), slice(nv, nv)
    links.append(
        Link(len(links) + 1, name, name, on.link, joint, on.X_LB, nothing, none, none, *at)
    )
    return Place(len(links), IDENTITY)


def _held(beams, name, X_CM):
    """Where a joint holds a body: a beam by the section there."""
    if name not in beams:
        return X_CM
    return Pose(X_CM.turns, vector((0, *X_CM.p[1:])))


def _bend(links, places, name, beams):
    if name in beams:
        from ..beams import add_slices

        places[name] = add_slices(links, places[name], beams[name])


def _add_link(links, places, name, inboard, bodies, beams):
    j, (X_PF, X_CM, armature, damping) = inboard
    P, X_MC, kind = places[j.parent], _held(beams, name, X_CM).inverse(), j.kind
    if isinstance(X_PF, Carriage):
        kind, X_PF = Carried(kind, X_PF), IDENTITY
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
    places[name] = Place(len(links), X_MC)
    _bend(links, places, name, beams)


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
            k.reads,
        )


def with_rotors(links, rotors, inertias):
    """Links, and rotors as more of them: inertia without a body."""
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
