"""Workspace panel: reachable points of a tool, by `run.report(path, workspace=space)`."""

from __future__ import annotations

from ...errors import ArgumentError, shown
from ..panel_base import Panel, ReportContext, panel


@panel.named("workspace")
class WorkspaceMaps(Panel):
    """Points of a `ts.robots.Workspace`, colored by the selected map."""

    title = "Workspace"
    order = 45
    options = {"workspace": None}

    def html(self, context: ReportContext) -> str:
        space = context.options["workspace"]
        if space is None:
            return ""
        if not hasattr(space, "figures"):
            raise ArgumentError(
                "report: workspace= takes what ts.robots.workspace(model, frame) gives, got "
                + shown(space)
            )
        return str(space.figures())
