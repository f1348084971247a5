"""Spectrum panel: amplitude spectrum of a signal by FFT with Hann's window."""

from __future__ import annotations

from typing import Any

from ..panel_base import Panel, ReportContext, panel


@panel.named("spectrum")
class Spectrum(Panel):
    """Amplitude spectrum of one signal from the time points of the page, with its strongest peaks."""

    title = "Spectrum"
    order = 25

    def data(self, context: ReportContext) -> dict[str, Any] | None:
        if len(context.rows) < 16 or not context.signals:
            return None
        coordinates = [
            n for n in context.run.provenance.get("coordinates", ()) if n in context.signals
        ]
        return {"first": coordinates[0] if coordinates else sorted(context.signals)[0]}

    script = r"""
({ run, clock, box, data, axes, el, ink, largest, onLanguage, onTheme, prefixed, range, say, scaleOf,
  select, shown, topLabel, uPlot }) => {
  let name = data.first, plot = null;
  const bar = el("div", { class: "bar" }), figure = el("figure", { class: "plot" }), note = el("p", { class: "note" });
  const controls = () => bar.replaceChildren(
    select(say("Signal"), run.signals.map((s) => [s.name, s.name]), name, (v) => { name = v; draw(); })[0]);

  /** Fast Fourier transform of n = 2^k numbers, in place: real and imaginary parts. */
  function transform(re, im) {
    const n = re.length;
    for (let i = 1, j = 0; i < n; i++) {
      let bit = n >> 1;
      for (; j & bit; bit >>= 1) j ^= bit;
      j ^= bit;
      if (i < j) [re[i], re[j], im[i], im[j]] = [re[j], re[i], im[j], im[i]];
    }
    for (let size = 2; size <= n; size *= 2) {
      for (let k = 0; k < size / 2; k++) {
        const c = Math.cos((-2 * Math.PI * k) / size), s = Math.sin((-2 * Math.PI * k) / size);
        for (let i = k; i < n; i += size) {
          const j = i + size / 2, a = re[j] * c - im[j] * s, b = re[j] * s + im[j] * c;
          re[j] = re[i] - a; im[j] = im[i] - b;
          re[i] += a; im[i] += b;
        }
      }
    }
  }

  /** Frequencies and amplitudes: even steps, less the mean, Hann's window, one side. */
  function spectrum(table) {
    const n = 2 ** Math.min(12, Math.max(6, Math.ceil(Math.log2(table.rows)))), span = table.t1 - table.t0;
    const re = new Float64Array(n), im = new Float64Array(n);
    let mean = 0;
    for (let i = 0; i < n; i++) mean += (re[i] = table.at(name, table.t0 + (i / n) * span)) / n;
    for (let i = 0; i < n; i++) re[i] = (re[i] - mean) * (1 - Math.cos((2 * Math.PI * i) / n));
    transform(re, im);
    const half = Math.min(n, table.rows) / 2;
    const frequency = Array.from({ length: half }, (_, i) => i / span);
    return [frequency, frequency.map((_, i) => (2 / n) * Math.hypot(re[i], im[i]))];
  }

  const room = () => ({ width: Math.max(220, figure.clientWidth), height: Math.max(220, Math.min(380, 0.6 * figure.clientWidth)) });

  function draw() {
    plot?.destroy();
    plot = null;
    if (box.hidden || !figure.clientWidth || !run.has(name) || !(run.t1 > run.t0)) return;
    const tables = [run, ...run.others].filter((t) => t.has(name) && t.rows > 15 && t.t1 > t.t0);
    const found = tables.map(spectrum), { unit } = run.byName.get(name);
    const most = largest(found.map(([, a]) => a)), [factor, said] = scaleOf(most, unit);
    const [f, a] = found[0];
    let far = 1;
    found.forEach(([fs, as]) => as.forEach((x, i) => { if (x > 2e-3 * most) far = Math.max(far, fs[i]); }));
    const joined = found.length > 1 ? uPlot.join(found) : found[0];
    plot = new uPlot({
      ...room(), legend: { show: false }, padding: [20, 24, 0, 0], pxAlign: 0, cursor: { points: { size: 6 } },
      scales: { x: { time: false, range: (u, low, high) => (u.zoomed ? [low, high] : [0, Math.min(f.at(-1), 1.3 * far)]) }, y: { range: (u, low, high) => [0, 1.06 * (high || 1)] } },
      axes: axes(["Hz", ""], [1, factor]),
      series: [{}, ...tables.map((_, k) => ({ stroke: () => ink(k), width: 1.5, pxAlign: 0, points: { show: false } }))],
      hooks: { drawAxes: [(u) => topLabel(u, said === "1" ? "" : said)], setSelect: [(u) => { u.zoomed = u.select.width > 0; }] },
    }, joined, figure);
    plot.root.querySelector("canvas").setAttribute("role", "img");
    plot.root.querySelector("canvas").setAttribute("aria-label", `${say("Spectrum")}: ${name}`);
    const peaks = [];
    for (let i = 1; i < a.length - 1; i++) if (a[i] > a[i - 1] && a[i] >= a[i + 1] && a[i] > 0.05 * most) peaks.push(i);
    peaks.sort((i, j) => a[j] - a[i]);
    note.textContent = `${say("Strongest")}: `
      + (peaks.slice(0, 3).map((i) => `${prefixed(a[i], unit)} ${say("near")} ${shown(f[i], 3)}\u202fHz`).join(", ") || "\u2013")
      + `. ${say("Lines every")} ${shown(f[1], 3)}\u202fHz, ${say("to")} ${shown(f.at(-1), 3)}\u202fHz; ${say("mean taken away, Hann's window")}, ${run.rows} ${say("rows")}.`;
  }

  controls();
  box.append(bar, figure, note);
  onTheme(() => plot?.redraw());
  onLanguage(() => { controls(); draw(); });
  run.changed(draw);
  new ResizeObserver(() => plot?.setSize(room())).observe(box);
  return { appear: draw };
}
"""
