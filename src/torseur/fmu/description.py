"""`modelDescription.xml` of FMI 2.0."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree, ElementTree as xml

from .variables import Variable

if TYPE_CHECKING:
    import os

# --------------------------------------------------------------------------------------------
# What an FMU says of itself.


CALLED = {"output": "outputs", "input": "inputs", "parameter": "parameters"}


def describe_fmu(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Name, platforms and variables of a file that `export_fmu` wrote."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        root = ElementTree.fromstring(archive.read("modelDescription.xml"))
    rows = root.findall("ModelVariables/ScalarVariable")
    count = Counter(CALLED.get(x.get("causality", ""), "") for x in rows)
    states = len(root.findall("ModelStructure/Derivatives/Unknown"))
    return {
        "model": root.get("modelName"),
        "platforms": sorted({n.split("/")[1] for n in names if n.startswith("binaries/")}),
        "variables": {"states": states, **{n: count[n] for n in CALLED.values()}},
    }


BASE = {
    "m": {"m": 1},
    "kg": {"kg": 1},
    "s": {"s": 1},
    "rad": {"rad": 1},
    "A": {"A": 1},
    "K": {"K": 1},
    "N": {"kg": 1, "m": 1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
    "W": {"kg": 1, "m": 2, "s": -3},
    "V": {"kg": 1, "m": 2, "s": -3, "A": -1},
    "Hz": {"s": -1},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "1": {},
}
"""Units by those of the SI, as FMI writes them."""
ORDER = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")


def dimensions(unit: str) -> dict[str, int] | None:
    """Exponents of a unit, or None where it is not made of known ones.

    >>> dimensions("N m"), dimensions("m/s2"), dimensions("furlong")
    ({'kg': 1, 'm': 2, 's': -2}, {'m': 1, 's': -2}, None)
    """
    out: dict[str, int] = {}
    above, *below = unit.split("/")
    for sign, part in ((1, above), *((-1, x) for x in below)):
        for word in re.split(r"[ *]+", part.strip("() ")):
            found = re.fullmatch(r"([A-Za-z]+|1)\^?(-?\d*)", word)
            if found is None or found[1] not in BASE:
                return None
            power = sign * int(found[2] or 1)
            for n, k in BASE[found[1]].items():
                out[n] = out.get(n, 0) + power * k
    return {n: out[n] for n in ORDER if out.get(n)}


def description(
    found: Sequence[Variable],
    *,
    name: str,
    identifier: str,
    guid: str,
    tool: str,
    about: str,
    indicators: int,
    experiment: Mapping[str, float],
) -> bytes:
    """The file, of its variables."""
    root = xml.Element(
        "fmiModelDescription",
        fmiVersion="2.0",
        modelName=name,
        guid=guid,
        description=about,
        generationTool=tool,
        variableNamingConvention="flat",
        numberOfEventIndicators=str(indicators),
    )
    able = {"modelIdentifier": identifier, "canGetAndSetFMUstate": "true"}
    xml.SubElement(root, "ModelExchange", {**able, "completedIntegratorStepNotNeeded": "false"})
    step = {"canHandleVariableCommunicationStepSize": "true"}
    xml.SubElement(root, "CoSimulation", {**able, **step})
    _units(root, found)
    categories = xml.SubElement(root, "LogCategories")
    for n in ("logStatusError", "logStatusWarning"):
        xml.SubElement(categories, "Category", name=n)
    xml.SubElement(root, "DefaultExperiment", {k: _number(x) for k, x in experiment.items()})
    every = xml.SubElement(root, "ModelVariables")
    for k, x in enumerate(found):
        _variable(every, k, x)
    _structure(root, found)
    xml.indent(root)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(root) + b"\n"


def _units(root, found) -> None:
    used = sorted({x.unit for x in found} - {"", "1"})
    if not used:
        return
    units = xml.SubElement(root, "UnitDefinitions")
    for unit in used:
        own = xml.SubElement(units, "Unit", name=unit)
        powers = dimensions(unit)
        if powers is not None:
            xml.SubElement(own, "BaseUnit", {n: str(k) for n, k in powers.items()})


def _variable(every, number: int, x: Variable) -> None:
    own = {"name": x.name, "valueReference": str(number), "causality": x.causality}
    own["variability"] = x.variability
    if x.initial:
        own["initial"] = x.initial
    if x.text:
        own["description"] = x.text
    row = xml.SubElement(every, "ScalarVariable", own)
    real = {"unit": x.unit} if x.unit not in ("", "1") else {}
    if x.start is not None:
        real["start"] = _number(x.start)
    if x.derivative_of is not None:
        real["derivative"] = str(x.derivative_of + 1)
    xml.SubElement(row, "Real", real)


def _structure(root, found) -> None:
    """Which variables are outputs, which rates of states, and which follow from a start."""
    structure = xml.SubElement(root, "ModelStructure")
    late = [x.initial == "calculated" and x.variability != "fixed" for x in found]
    groups = {
        "Outputs": [x.causality == "output" for x in found],
        "Derivatives": [x.derivative_of is not None for x in found],
        "InitialUnknowns": late,
    }
    for name, told in groups.items():
        if any(told):
            group = xml.SubElement(structure, name)
            for k, here in enumerate(told):
                if here:
                    xml.SubElement(group, "Unknown", index=str(k + 1))


def _number(x: float) -> str:
    return repr(float(x))
