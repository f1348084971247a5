"""How the run went: outcome, options, statistics, events."""

from __future__ import annotations

from ..base import Panel, Told, panel
from ..events import sentence
from ..tables import rows, text


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
        f"<p data-say>{text(run.outcome)}</p>",
        rows("How", facts.items()),
        rows("Statistics", run.statistics.items()),
        rows("Parameters", dict(run.provenance.get("parameters", {})).items()),
    ]
    events = [(f"{e.time:.9g} s", sentence(e.name)) for e in run.events]
    parts.append(rows("Events", events[:500]))
    if len(events) > 500:
        parts.append(f'<p class="note">{len(events) - 500} later events are not listed.</p>')
    if unknown := run.undetermined:
        parts.append(rows("Reactions that no motion tells", [x.split(": ", 1) for x in unknown]))
    if kept < len(run.time):
        parts.append(
            f'<p class="note">This page holds {kept} of {len(run.time)} rows, the ones '
            "that keep the shape of the curves; run.save keeps them all.</p>"
        )
    if left_out:
        parts.append(
            f'<p class="note">Left out to keep the page small: {text(", ".join(left_out))}.</p>'
        )
    return "".join(parts)
