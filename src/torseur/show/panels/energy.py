"""Energy panel: time histories of the energies and residual of the energy balance."""

from __future__ import annotations

from math import isfinite
from typing import Any

from ..french import translate_sentences
from ..panel_base import Panel, ReportContext, panel

OVERFLOW_MESSAGE = "The energies are beyond the largest number: nothing can be audited."


@panel.named("energy")
class EnergyPanel(Panel):
    """Energy balance of the run, time histories of its energies, and its residual."""

    title = "Energy"
    order = 30

    def data(self, context: ReportContext) -> dict[str, Any] | None:
        """Names of the energy signals, and the energy audit."""
        kinds = ("kinetic", "potential", "dissipated", "supplied")
        names = [n for n in (f"energy.{w}" for w in kinds) if n in context.signals]
        if not names:
            return None
        audit = _audit_energy(context.run)
        return {
            "names": names,
            "audit": audit,
            "words": translate_sentences([audit["sentence"]] if audit else []),
        }

    script = """
({ run, clock, box, data, el, onLanguage, prefixed, say, Plots }) => {
  const { names } = data;
  const plots = el("div"), residual = el("div"), balance = el("div");
  const write = () => {
    const { audit } = run.panels.energy;
    if (audit) balance.replaceChildren(
      el("table", {}, el("caption", {}, say("Change from the first to the last row")),
        el("tbody", {}, ...audit.rows.map(([name, value]) => el("tr", {},
          el("th", { scope: "row" }, say(name)), el("td", {}, prefixed(value, "J", 5)))))),
      el("p", { class: audit.relative < 1e-3 ? "good" : "bad" }, say(audit.sentence)));
  };
  write();
  onLanguage(write);
  run.changed(write);
  box.append(balance, plots, el("h2", {}, "Residual of the energy balance"), residual);
  const main = new Plots(run, clock, plots, 260), rest = new Plots(run, clock, residual, 150);
  main.draw(names);
  if (run.has("energy.residual")) rest.draw(["energy.residual"]);
  return { appear: () => { main.appear(); rest.appear(); } };
}
"""


def _audit_energy(run) -> dict | None:
    """Rows and summary of the energy audit. None without an energy balance."""
    if "energy.residual" not in run.units:
        return None
    a = run.energy_audit
    names = ("kinetic", "potential", "dissipated", "supplied", "jumps")
    if not all(isfinite(getattr(a, n)) for n in (*names, "residual", "relative", "scale")):
        return {"rows": [], "relative": 1.0, "sentence": OVERFLOW_MESSAGE}
    return {
        "rows": [[n, float(getattr(a, n))] for n in names],
        "relative": float(a.relative),
        "sentence": f"Largest residual {a.residual:.3g} J, {a.relative:.2g} of the "
        f"largest energy, {a.scale:.4g} J.",
    }
