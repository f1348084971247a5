"""Where a tool can go and how well, in space, beside a run: `run.report(path, workspace=space)`."""

from __future__ import annotations

from ...errors import ArgumentError, shown
from ..panel_base import Panel, ReportContext, panel


@panel.named("workspace")
class WorkspaceMaps(Panel):
    """The space of a `ts.robots.Workspace`, colored by the map that its reader chooses."""

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
