"""Design section of a model file: devices, motions, paths, drives, controllers by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import TorseurError, unknown_name_message
from ..model import Model, actuated
from . import design_sections
from .balancing.devices.base import model_of
from .balancing.optimizer import balance
from .control.controllers import ComputedTorque, GainSchedule, PDGravity, lqr
from .drives.catalog import Catalog, read_catalog
from .drives.sizing import Sizing, size
from .section_reader import SectionReader, make_nodes
from .trajectories.time_optimal import time_optimal

if TYPE_CHECKING:
    from .balancing.result import Balance


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """The design section of a model.

    `devices`, `bounds` and `balancing` are arguments of `balance`.  `motions` and `paths` are by
    name: `design.motion(name)` returns a motion for `ts.inverse`.  `catalog` and `sizing` are
    arguments of `size`.  `controllers` are by name: `design.controller(name)` is a `control=` of
    `ts.simulate`.
    """

    model: Model = field(repr=False)
    devices: tuple[Any, ...] = ()
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    balancing: Mapping[str, Any] = field(default_factory=dict)
    motions: Mapping[str, Any] = field(default_factory=dict)
    paths: Mapping[str, Any] = field(default_factory=dict)
    catalog: Catalog | None = None
    sizing: Mapping[str, Any] = field(default_factory=dict)
    controllers: Mapping[str, Any] = field(default_factory=dict)

    def motion(self, name: str | None = None) -> dict[str, Any]:
        """A motion by name, or the only one.  Paths and time-optimal motions are computed."""
        names = (*self.motions, *self.paths)
        if name is None and len(names) == 1:
            name = names[0]
        if name is None:
            raise TorseurError(
                f"{self.model.name!r} has no motion; give one in its section 'motions'"
                if not names
                else f"which motion of {self.model.name!r}? It has {', '.join(names)}"
            )
        if name in self.paths:
            return self.followed(name).motion
        if name not in self.motions:
            raise TorseurError(
                unknown_name_message("motion", name, names, f"design of {self.model.name}")
            )
        motion = self.motions[name]
        if "poses" in motion:
            return time_optimal(self.model, motion["poses"], points=motion["points"]).motion
        return motion

    def followed(self, name: str):
        """The coordinates along a path, by `ts.solve.inverse_kinematics_path`."""
        from ..solve import inverse_kinematics_path

        if name not in self.paths:
            where = f"design of {self.model.name}"
            raise TorseurError(unknown_name_message("path", name, self.paths, where))
        p = self.paths[name]
        law = p["law"]
        t = np.linspace(law.begin, law.begin + law.duration, p["points"])
        poses = p["path"].poses(law(t)[0])
        return inverse_kinematics_path(
            self.model,
            p["frame"],
            poses if p["oriented"] else poses[:, :3, 3],
            times=t,
            near=p["near"],
        )

    def balance(self, **options: Any) -> Balance:
        """`ts.robots.balance` with sections `devices` and `balancing`, overridden by options."""
        if not self.devices:
            raise TorseurError(
                f"{self.model.name!r} has no device; give one in its section 'devices'"
            )
        arguments = {"bounds": self.bounds, **self.balancing, **options}
        over = arguments.get("over")
        if isinstance(over, list):
            arguments["over"] = [self.motion(n) for n in over]
        return balance(self.model, self.devices, **arguments)

    def size(self, motion: Any = None, catalog: Any = None, **options: Any) -> Sizing:
        """`ts.robots.size` with the sections `catalog` and `sizing`, overridden by options."""
        arguments = {**self.sizing, **options}
        motion_name = arguments.pop("motion", None)
        if motion is None or isinstance(motion, str):
            motion = self.motion(motion or motion_name)
        if catalog is None and self.catalog is None:
            raise TorseurError(
                f"{self.model.name!r} has no catalog; give one in its section 'catalog'"
            )
        return size(self.model, motion, catalog or self.catalog, **arguments)

    def controller(self, name: str | None = None) -> Any:
        """A controller by name, or the only one.  Joints without an input get a motor."""
        if name is None and len(self.controllers) == 1:
            name = next(iter(self.controllers))
        if name is None or name not in self.controllers:
            where = f"design of {self.model.name}"
            raise TorseurError(
                unknown_name_message("controller", name or "", self.controllers, where)
            )
        kind, arguments = self.controllers[name]
        model, arguments = actuated(self.model), dict(arguments)
        match kind:
            case "computed_torque":
                motion = self.motion(arguments.pop("motion")) if "motion" in arguments else {}
                return ComputedTorque(model, motion, **arguments)
            case "pd_gravity":
                return PDGravity(model, arguments["target"], arguments["kp"], arguments["kd"])
            case "lqr":
                return lqr(model, arguments.pop("at", {}), **arguments)
        return GainSchedule(model, arguments.pop("over"), arguments.pop("target"), **arguments)


def design(model: Model) -> Design:
    """Read the design section of a model.  A `ModelError` lists every problem with its location.

    >>> import torseur as ts
    >>> arm = ts.Model(bodies=(ts.Body("arm", 10.0, (0.4, 0, 0)),),
    ...     joints=(ts.Joint("shoulder", "world", "arm", ts.Revolute((0, -1, 0))),),
    ...     design={"devices": {"weight": {"type": "counterweight", "joint": "shoulder",
    ...                                    "mass": "16 kg", "distance": [0.1, "50 cm"]}},
    ...             "balancing": {"over": {"shoulder.angle": [0, "90 deg"]}}})
    >>> round(design(arm).balance().values["weight.distance"], 9)
    0.25
    """
    model = model_of(model, "design")
    sections = model.design
    r = SectionReader(Path(model.name), model.source, model.check())
    parts = {n: make_nodes(sections[n]) for n in sections}
    devices, bounds = design_sections.read_devices(r, parts.get("devices"))
    motions = {
        n: design_sections.read_motion(r, x, f"motions.{n}")
        for n, x in r.mapping(parts.get("motions"), "motions").items()
    }
    paths = {
        n: design_sections.read_path(r, x, f"paths.{n}")
        for n, x in r.mapping(parts.get("paths"), "paths").items()
    }
    motion_names = (*motions, *paths)
    controllers = {
        n: design_sections.read_controller(r, x, f"controllers.{n}", motion_names)
        for n, x in r.mapping(parts.get("controllers"), "controllers").items()
    }
    result = Design(
        model,
        devices,
        bounds,
        design_sections.read_balancing(r, parts.get("balancing"), motion_names),
        motions,
        paths,
        read_catalog(r, parts["catalog"], "catalog") if "catalog" in parts else None,
        design_sections.read_sizing(r, parts.get("sizing"), motion_names),
        controllers,
    )
    r.finish()
    return result


def designed(model: Model, **parts: Any) -> Model:
    """The model with sections of a design, so that its file contains them.

    Sections are `devices` (with `bounds`), `motions` {name: {coordinate: law}}, `catalog`, and
    plain data of the others.  Each replaces the section of the model.

    >>> import torseur as ts
    >>> arm = ts.from_dh([("pi/2", 0, 0, 0)], [ts.Body("a", 1, (0.5, 0, 0))], convention="modified")
    >>> arm = designed(arm, motions={"swing": {"joint1.angle": ts.robots.Quintic(0.0, 1.0, 2.0)}})
    >>> arm.design["motions"]["swing"]["joint1.angle"]["type"]
    'quintic'
    """
    model = model_of(model, "designed")
    return replace(model, design={**model.design, **design_sections.design_data(parts)})


__all__ = ["Design", "design", "designed"]
