"""Model description of FMI 2.0: `modelDescription.xml`."""

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


CAUSALITY_GROUPS = {"output": "outputs", "input": "inputs", "parameter": "parameters"}


def describe_fmu(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Name, platforms and variables of a file that `export_fmu` wrote."""
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        root = ElementTree.fromstring(archive.read("modelDescription.xml"))
    rows = root.findall("ModelVariables/ScalarVariable")
    count = Counter(CAUSALITY_GROUPS.get(x.get("causality", ""), "") for x in rows)
    states = len(root.findall("ModelStructure/Derivatives/Unknown"))
    return {
        "model": root.get("modelName"),
        "platforms": sorted({n.split("/")[1] for n in names if n.startswith("binaries/")}),
        "variables": {"states": states, **{n: count[n] for n in CAUSALITY_GROUPS.values()}},
    }


SI_EXPONENTS = {
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
BASE_UNIT_ORDER = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")


def parse_unit(unit: str) -> dict[str, int] | None:
    """Exponents of the SI base units of a unit.  None for an unknown unit.

    >>> parse_unit("N m"), parse_unit("m/s2"), parse_unit("furlong")
    ({'kg': 1, 'm': 2, 's': -2}, {'m': 1, 's': -2}, None)
    """
    out: dict[str, int] = {}
    above, *below = unit.split("/")
    for sign, part in ((1, above), *((-1, x) for x in below)):
        for factor in re.split(r"[ *]+", part.strip("() ")):
            match = re.fullmatch(r"([A-Za-z]+|1)\^?(-?\d*)", factor)
            if match is None or match[1] not in SI_EXPONENTS:
                return None
            power = sign * int(match[2] or 1)
            for n, k in SI_EXPONENTS[match[1]].items():
                out[n] = out.get(n, 0) + power * k
    return {n: out[n] for n in BASE_UNIT_ORDER if out.get(n)}


def write_description(
    variables: Sequence[Variable],
    *,
    name: str,
    identifier: str,
    guid: str,
    tool: str,
    about: str,
    indicators: int,
    experiment: Mapping[str, float],
) -> bytes:
    """Bytes of `modelDescription.xml`."""
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
    attributes = {"modelIdentifier": identifier, "canGetAndSetFMUstate": "true"}
    xml.SubElement(
        root, "ModelExchange", {**attributes, "completedIntegratorStepNotNeeded": "false"}
    )
    step = {"canHandleVariableCommunicationStepSize": "true"}
    xml.SubElement(root, "CoSimulation", {**attributes, **step})
    _add_units(root, variables)
    categories = xml.SubElement(root, "LogCategories")
    for n in ("logStatusError", "logStatusWarning"):
        xml.SubElement(categories, "Category", name=n)
    xml.SubElement(root, "DefaultExperiment", {k: _format_number(x) for k, x in experiment.items()})
    elements = xml.SubElement(root, "ModelVariables")
    for k, x in enumerate(variables):
        _add_variable(elements, k, x)
    _add_structure(root, variables)
    xml.indent(root)
    return b'<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(root) + b"\n"


def _add_units(root, variables) -> None:
    """Definitions of the units that variables use."""
    used = sorted({x.unit for x in variables} - {"", "1"})
    if not used:
        return
    units = xml.SubElement(root, "UnitDefinitions")
    for unit in used:
        element = xml.SubElement(units, "Unit", name=unit)
        powers = parse_unit(unit)
        if powers is not None:
            xml.SubElement(element, "BaseUnit", {n: str(k) for n, k in powers.items()})


def _add_variable(parent, number: int, x: Variable) -> None:
    """Element of one variable."""
    attributes = {"name": x.name, "valueReference": str(number), "causality": x.causality}
    attributes["variability"] = x.variability
    if x.initial:
        attributes["initial"] = x.initial
    if x.text:
        attributes["description"] = x.text
    row = xml.SubElement(parent, "ScalarVariable", attributes)
    real = {"unit": x.unit} if x.unit not in ("", "1") else {}
    if x.start is not None:
        real["start"] = _format_number(x.start)
    if x.derivative_of is not None:
        real["derivative"] = str(x.derivative_of + 1)
    xml.SubElement(row, "Real", real)


def _add_structure(root, variables) -> None:
    """Model structure: outputs, derivatives of states, and variables that follow from the start."""
    structure = xml.SubElement(root, "ModelStructure")
    calculated = [x.initial == "calculated" and x.variability != "fixed" for x in variables]
    groups = {
        "Outputs": [x.causality == "output" for x in variables],
        "Derivatives": [x.derivative_of is not None for x in variables],
        "InitialUnknowns": calculated,
    }
    for name, members in groups.items():
        if any(members):
            group = xml.SubElement(structure, name)
            for k, is_member in enumerate(members):
                if is_member:
                    xml.SubElement(group, "Unknown", index=str(k + 1))


def _format_number(x: float) -> str:
    return repr(float(x))
