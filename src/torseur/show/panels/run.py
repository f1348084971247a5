"""How the run went: outcome, options, statistics, events."""

from __future__ import annotations

from ..panel_base import Panel, Told, panel
from ..text import both, rows, sentences


@panel.named("run")
class HowItWent(Panel):
    """Outcome, statistics, provenance and events."""

    title = "Run"
    place = 60

    def html(self, told: Told) -> str:
        return run_tables(told.run, told.left_out, len(told.rows))


def run_tables(run, left_out, kept) -> str:
    """Outcome, statistics, provenance and events."""
    facts = {
        n: x
        for n, x in run.provenance.items()
        if n not in ("coordinates", "state", "model") and not isinstance(x, dict)
    }
    parts = [
        both("p", run.outcome),
        rows("How", facts.items()),
        rows("Statistics", run.statistics.items()),
        rows("Parameters", dict(run.provenance.get("parameters", {})).items()),
    ]
    parts.append(_events(run.events[:500]))
    if len(run.events) > 500:
        parts.append(
            both("p", f"{len(run.events) - 500} later events are not listed.", None, "note")
        )
    if unknown := run.undetermined:
        parts.append(rows("Reactions that no motion tells", [x.split(": ", 1) for x in unknown]))
    if kept < len(run.time):
        thinned = (
            f"This page holds {kept} of {len(run.time)} rows, the ones that keep the shape of the "
            "curves; run.save keeps them all."
        )
        parts.append(both("p", thinned, None, "note"))
    if left_out:
        less = f"Left out to keep the page small: {', '.join(left_out)}."
        parts.append(both("p", less, None, "note"))
    return "".join(parts)


def _events(events) -> str:
    """Events as a table of instants and sentences."""
    body = "".join(
        f'<tr><th scope="row">{e.time:.9g} s</th>{both("td", *sentences(e.name))}</tr>'
        for e in events
    )
    return f"<table><caption>Events</caption><tbody>{body}</tbody></table>" if body else ""
