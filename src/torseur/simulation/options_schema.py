"""The section `simulation` of model files as JSON Schema: options of a run, methods by name."""

from __future__ import annotations

from typing import Any

from ..dynamics import SOLUTIONS
from ..integrate import METHODS
from ..system import OPTIONS
from .run.foreign_integrators import REFERENCES

NUMBER = {"$ref": "#/$defs/number"}
NAMES = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
COUNT = {"type": "integer", "minimum": 1}
KINDS: dict[str, dict[str, Any]] = {
    **dict.fromkeys(("t_end", "t_start", "step", "max_step", "rtol", "atol"), NUMBER),
    **dict.fromkeys(("max_events", "max_steps", "max_evaluations", "max_rows"), COUNT),
    **dict.fromkeys(("keep", "stop_when"), NAMES),
    "max_seconds": {"type": "number"},
    "inputs": {"type": "object", "additionalProperties": NUMBER},
}


def simulation_schema() -> dict[str, Any]:
    """What a file may say of its run: every option, every registered method and solution.

    >>> "rk4" in simulation_schema()["properties"]["method"]["enum"]
    True
    """
    chosen = {
        "method": {"enum": ["auto", *METHODS, *REFERENCES]},
        "solution": {"enum": [*SOLUTIONS]},
    }
    return {
        "description": "options of `torseur simulate`",
        "type": "object",
        "properties": {n: chosen.get(n) or KINDS.get(n, {}) for n in OPTIONS},
        "additionalProperties": False,
    }
