"""Plots panel: time histories of selected signals."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..panel_base import Panel, ReportContext, panel


@panel.named("plots")
class SignalPlots(Panel):
    """Time histories of signals, one plot for each unit. `plotted` are the signals selected at
    first.
    """

    title = "Plots"
    order = 10
    options = {"plotted": None}

    def needs(self, context: ReportContext) -> Iterable[str]:
        names, run = context.options["plotted"], context.run
        if names is not None:
            return run.named(names)
        names = _model_outputs(context) or _default_signals(
            run, context.options.get("live") is not None
        )
        return [n for n in names if run[n] is not None]

    def html(self, context: ReportContext) -> str:
        return """
      <details id="picker">
        <summary><span data-say>Signals</span> <span id="picked"></span></summary>
        <input id="search" type="search" placeholder="Find a signal, such as elbow.angle"
          aria-label="Find a signal">
        <div id="groups"></div>
      </details>
      <div id="plots"></div>
    """

    def data(self, context: ReportContext) -> dict[str, Any]:
        names = [n for n in self.needs(context) if n in context.signals]
        return {"chosen": names, "left": len(context.left_out)}

    script = r"""
({ run, clock, data, wishes, byId, el, onLanguage, say, Plots }) => {
  const chosen = wishes.signals?.split(",").filter((n) => run.has(n)) ?? data.chosen;
  const picked = new Set(chosen);
  const plots = new Plots(run, clock, byId("plots"));
  const boxes = [];
  const count = () => {
    byId("picked").textContent = `${picked.size} / ${run.signals.length}`
      + (data.left ? ` (${data.left} ${say("not on the page: see the last tab")})` : "");
  };
  const update = () => { count(); plots.draw([...picked]); };
  onLanguage(count);
  const groups = new Map();
  for (const s of run.signals) {
    const [kind, owner] = s.group;
    if (!groups.has(kind)) groups.set(kind, new Map());
    if (!groups.get(kind).has(owner)) groups.get(kind).set(owner, []);
    groups.get(kind).get(owner).push(s);
  }
  for (const [kind, owners] of groups) {
    const inside = [...owners].map(([owner, signals]) => {
      const labels = signals.map((s) => {
        const input = el("input", { type: "checkbox", "data-signal": s.name, onchange: () => {
          if (input.checked) picked.add(s.name); else picked.delete(s.name);
          update();
        } });
        input.checked = picked.has(s.name);
        const short = s.name.startsWith(`${owner}.`) ? s.name.slice(owner.length + 1) : s.name;
        const label = el("label", { title: `${s.name} [${s.unit}]` }, input, ` ${short} `,
          el("small", {}, s.unit));
        boxes.push({ label, name: s.name.toLowerCase() });
        return label;
      });
      return el("details", { class: "owner", open: owners.size === 1 }, el("summary", {}, owner),
        el("div", { class: "signals" }, ...labels));
    });
    byId("groups").append(el("fieldset", {}, el("legend", { "data-say": true }, kind), ...inside));
  }
  byId("search").addEventListener("input", (event) => {
    const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { label, name } of boxes) label.hidden = !words.every((w) => name.includes(w));
    for (const owner of document.querySelectorAll(".owner")) {
      const some = [...owner.querySelectorAll("label")].some((l) => !l.hidden);
      owner.hidden = !some;
      if (words.length) owner.open = some;
    }
  });
  plots.pick = (name) => {
    if (!run.has(name)) return;
    if (!picked.has(name)) {
      picked.add(name);
      for (const box of document.querySelectorAll("[data-signal]"))
        if (box.dataset.signal === name) box.checked = true;
      update();
    }
    plots.plots.find((p) => p.names.includes(name))?.node.scrollIntoView({ block: "nearest" });
  };
  update();
  return plots;
}
"""


def _model_outputs(context) -> list[str]:
    """Signals in the `outputs` of the model file."""
    outputs = getattr(context.model, "outputs", None) or ()
    return [n for n in outputs if n in context.run.units]


def _default_signals(run, live: bool) -> list[str]:
    """Coordinates that vary, angular velocities instead of quaternions, and forces: the first of
    each.

    A live page also shows coordinates that are constant, because they can vary in its next run.
    """
    state, angular_speeds = [], []
    for n in run.provenance.get("coordinates", ()):
        owner, _, letter = n.rpartition(".")
        if letter in ("qw", "qx", "qy", "qz"):
            angular_speeds += [
                f"{owner}.w{c}" for c in "xyz" if f"{owner}.w{c}" not in angular_speeds
            ]
        else:
            state.append(n)
    rates = [n for n in angular_speeds if n in run.units]
    varying = [n for n in (*state[:6], *rates[:3]) if live or _varies(run[n])]
    forces = [n for n in run.units if n.endswith(".force") and n.count(".") == 1]
    return [*(varying or state[:6]), *forces[:4]] or list(run.signals)[:4]


def _varies(x) -> bool:
    """Whether a signal varies by more than rounding."""
    return bool(len(x) < 2 or np.ptp(x) > 1e-9 * max(1e-3, float(abs(x).max())))
