"""Sliders of `torseur live`: parameters, initial values and inputs."""

from __future__ import annotations

from typing import Any

from ..panel_base import Panel, ReportContext, panel


@panel.named("live")
class LiveSliders(Panel):
    """Sliders that request a new run from the server of `torseur live`. `live` describes the
    sliders.
    """

    title = "Live"
    order = 5
    options = {"live": None}

    def data(self, context: ReportContext) -> dict[str, Any] | None:
        return context.options["live"]

    script = r"""
({ run, clock, box, data, el, onLanguage, say, shown, translate, trouble, Plots }) => {
  const REST = 250;                             // ms after which the rest of the numbers is asked for
  let offer = data, asked = null, busy = false, values = {}, resting = 0;
  const told = el("p", { class: "note" }), list = el("div");
  const head = { "X-Torseur-Token": data.token, "Content-Type": "application/json" };
  const unit = (u) => (u && u !== "1" ? u : "");

  /** What the server answers: a run, or what is wrong; the page takes either. */
  async function take(response) {
    const got = await response.json();
    trouble(got.trouble ?? "");
    if (!got.data) return got;
    await run.renew(got.data);
    told.textContent = `${shown(got.seconds * 1000, 2)}\u202fms: ${say("runs again at every move of a slider")}.`;
    if (got.data.partial) return got;
    for (const [word, html] of Object.entries(got.texts)) {
      const tab = document.getElementById(`tab-${word}`);
      if (tab && !window.panels?.[word]) tab.innerHTML = html;
    }
    translate();
    return got;
  }

  /** Signals that are looked at now; null where a tab shows more of the run than its plots. */
  function seenNow() {
    const tab = box.closest("#panel")?.querySelector("[role=tabpanel]:not([hidden])")?.id;
    if (!["tab-live", "tab-plots"].includes(tab) || !window.torseur) return null;
    return [...run.drawings.filter((p) => !p.away()).flatMap((p) => p.names), ...(window.torseur.view?.needs() ?? []), "time"];
  }

  /** One question at a time; what was moved meanwhile is asked next. */
  async function ask(quick = true) {
    if (busy) { asked = true; return; }
    busy = true;
    try {
      do {
        asked = false;
        const shown = quick ? seenNow() : null;
        await take(await fetch("run", { method: "POST", headers: head, body: JSON.stringify(shown ? { ...values, shown } : values) }));
        clearTimeout(resting);
        if (shown) resting = setTimeout(() => ask(false), REST);
        quick = true;
      } while (asked);
    } catch (error) {
      trouble(`${say("The server of this page has gone; start it again: torseur live.")} (${error.message})`);
    } finally { busy = false; }
  }

  function slider(kind, s) {
    const range = el("input", { type: "range", min: s.low, max: s.high, step: "any", "aria-label": s.name });
    const value = el("b");
    const say1 = () => { value.textContent = `${shown(Number(range.value))}\u202f${unit(s.unit)}`; };
    range.value = values[kind]?.[s.name] ?? s.value;
    range.addEventListener("input", () => {
      (values[kind] ??= {})[s.name] = Number(range.value);
      say1();
      ask();
    });
    say1();
    return el("label", { class: "slide" }, el("span", {}, s.name), range, value);
  }

  function draw() {
    const groups = [["parameters", "Parameters"], ["initial", "Initial values"], ["inputs", "Inputs"]];
    list.replaceChildren(...groups.filter(([kind]) => offer[kind].length).flatMap(([kind, title]) =>
      [el("h2", {}, say(title)), ...offer[kind].map((s) => slider(kind, s))]));
  }

  /** Waits for the file to change. */
  async function watch() {
    for (;;) {
      try {
        const got = await take(await fetch(`wait?stamp=${encodeURIComponent(offer.stamp)}`, { headers: head }));
        if (got.live && got.live.stamp !== offer.stamp) {
          offer = got.live;
          if (got.data) { values = {}; draw(); }
        }
      } catch { await new Promise((done) => setTimeout(done, 2000)); }
    }
  }

  const reset = el("button", { type: "button", onclick: () => { values = {}; draw(); ask(false); } }, say("Reset"));
  onLanguage(() => { draw(); reset.textContent = say("Reset"); });
  draw();
  const seen = el("div"), plots = new Plots(run, clock, seen, 170);
  box.append(list, reset, told, seen);
  plots.draw((run.panels.plots?.chosen ?? []).slice(0, 6));
  watch();
  return plots;
}
"""
