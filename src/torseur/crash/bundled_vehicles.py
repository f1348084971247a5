"""Vehicles that come with the package: files of `cars/`, to run, to copy and to change."""

from __future__ import annotations

from importlib.resources import as_file, files

from ..errors import ArgumentError, unknown_name_message
from .scene.vehicle import Vehicle
from .vehicle_file import load_vehicle


def cars() -> tuple[str, ...]:
    """Names of the vehicles that come with the package.

    >>> cars()
    ('k3', 'ladder_frame', 'light_car', 'sedan', 'truck')
    """
    found = (f.name for f in files("torseur.crash").joinpath("vehicles").iterdir())
    return tuple(sorted(n.removesuffix(".yaml") for n in found if n.endswith(".yaml")))


def car_text(name: str) -> str:
    """The file of one of them."""
    if name not in cars():
        raise ArgumentError(unknown_name_message("car", name, cars(), "car"))
    return (
        files("torseur.crash")
        .joinpath("vehicles")
        .joinpath(f"{name}.yaml")
        .read_text(encoding="utf-8")
    )


def car(name: str) -> Vehicle:
    """A vehicle of the package with typical numbers, not those of a real car.


    >>> car("light_car").mass
    1000.0
    """
    car_text(name)
    with as_file(files("torseur.crash").joinpath("vehicles").joinpath(f"{name}.yaml")) as path:
        return load_vehicle(path)
