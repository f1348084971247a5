"""`torseur schema`: the JSON Schema of model files."""

from __future__ import annotations

import json

from ...files import write
from ..base import CommandResult, command, out_argument


@command(
    "schema",
    "print the JSON Schema of model files",
    [
        "schema > torseur.schema.json",
    ],
    out_argument,
)
def schema(args) -> CommandResult:
    """The JSON Schema of model files."""
    from ...model.formats import json_schema
    from ...robots import design_schema
    from ...simulation import simulation_schema

    document = json_schema()
    document["properties"] |= {**design_schema(), "simulation": simulation_schema()}
    text = json.dumps(document, indent=2, ensure_ascii=False)
    if args.out:
        write(args.out, text + "\n")
        return CommandResult(f"wrote {args.out}", {"file": args.out})
    return CommandResult(text, document)
