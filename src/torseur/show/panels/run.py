"""Run panel: outcome, options, statistics and events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..panel_base import Panel, ReportContext, panel
from ..text import bilingual_html, event_sentences, table_html

if TYPE_CHECKING:
    from ...results import Trajectory


@panel.named("run")
class RunPanel(Panel):
    """Tables of outcome, provenance, statistics, parameters and events."""

    title = "Run"
    order = 60

    def html(self, context: ReportContext) -> str:
        return run_tables_html(context.run, context.left_out, len(context.rows))


def run_tables_html(run: Trajectory, left_out: Sequence[str], n_rows: int) -> str:
    """HTML tables of outcome, provenance, statistics, parameters and events."""
    provenance = {
        n: x
        for n, x in run.provenance.items()
        if n not in ("coordinates", "state", "model") and not isinstance(x, dict)
    }
    parts = [
        bilingual_html("p", run.outcome),
        table_html("How", provenance.items()),
        table_html("Statistics", run.statistics.items()),
        table_html("Parameters", dict(run.provenance.get("parameters", {})).items()),
    ]
    parts.append(_events_table(run.events[:500]))
    if len(run.events) > 500:
        parts.append(
            bilingual_html(
                "p", f"{len(run.events) - 500} later events are not listed.", None, "note"
            )
        )
    if unknown := run.undetermined:
        parts.append(table_html("Undetermined reactions", [x.split(": ", 1) for x in unknown]))
    if n_rows < len(run.time):
        message = (
            f"This page contains {n_rows} of {len(run.time)} time points, which preserve the shape of the "
            "curves. run.save writes all."
        )
        parts.append(bilingual_html("p", message, None, "note"))
    if left_out:
        less = f"Left out to keep the page small: {', '.join(left_out)}."
        parts.append(bilingual_html("p", less, None, "note"))
    return "".join(parts)


def _events_table(events) -> str:
    """HTML table of the events: time and sentence."""
    body = "".join(
        f'<tr><th scope="row">{e.time:.9g} s</th>{bilingual_html("td", *event_sentences(e.name))}</tr>'
        for e in events
    )
    return f"<table><caption>Events</caption><tbody>{body}</tbody></table>" if body else ""
