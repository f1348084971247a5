"""Names of a model's parts, looked up by many elements and listed once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .memory import Remembers


class NamedParts(Remembers):
    """What elements ask a model about its parts."""

    __slots__ = ()
    bodies: Any
    joints: Any
    frames: Any
    rotors: Any

    @property
    def joint_kinds(self) -> Mapping[str, Any]:
        """Kinds of its joints by name, and beams, which have coordinates as joints do."""

        def make():
            beams = {b.name: b for b in self.bodies if hasattr(b, "coordinates")}
            return {j.name: j.kind for j in self.joints} | beams

        return self.table("joints", make)

    @property
    def turning(self) -> frozenset[str]:
        """Names of what a force may turn or push: joints, rotors, motors of drives."""

        def make():
            motors = (f"{j.name}.motor" for j in self.joints if j.drive is not None)
            return frozenset((*self.joint_kinds, *(r.name for r in self.rotors), *motors))

        return self.table("turning", make)

    @property
    def place_names(self) -> frozenset[str]:
        """Names of places: the world, bodies, frames."""

        def make():
            return frozenset(("world", *(x.name for x in (*self.bodies, *self.frames))))

        return self.table("places", make)
