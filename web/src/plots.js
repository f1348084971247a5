// Plots against time, one a unit, in step with the clock.
import uPlot from "uplot";
import { shown } from "./data.js";
import { el } from "./dom.js";
import { PALETTE, color, onTheme } from "./theme.js";

export const axes = (labels) => labels.map((label, i) => ({
  label, labelSize: 18, labelFont: "12px system-ui", font: "11px system-ui",
  stroke: () => color("soft"), size: i ? 58 : 34,
  grid: { stroke: () => color("grid"), width: 1 }, ticks: { stroke: () => color("grid"), width: 1, size: 4 },
  values: i ? (_, ticks) => ticks.map((x) => tick(x)) : undefined,
}));

function tick(x) {
  if (x === null) return "";
  const size = Math.abs(x);
  if (size && (size >= 1e5 || size < 1e-3)) return x.toExponential(1).replace("e+", "e");
  return String(Number(x.toPrecision(6)));
}

/** A little room above and below; a constant sits in the middle of a range of its own size. */
export function range(_, low, high) {
  if (low === null || !Number.isFinite(low)) return [0, 1];
  const span = high - low;
  const scale = Math.max(Math.abs(low), Math.abs(high));
  if (span <= 1e-6 * scale || !span) return [low - (0.5 * scale || 1), high + (0.5 * scale || 1)];
  return [low - 0.06 * span, high + 0.06 * span];
}

class Plot {
  constructor(run, clock, unit, names, tint) {
    this.run = run;
    this.clock = clock;
    this.names = names;
    this.now = el("div", { class: "now" });
    this.values = names.map(() => el("b"));
    this.node = el("figure", { class: "plot" },
      el("figcaption", {}, ...names.map((name, i) => el("span", { class: "key" },
        el("i", { style: `background:${tint(name)}` }), `${name} `, this.values[i], ` ${unit}`))));
    this.tint = tint;
    this.unit = unit;
  }

  /** The canvas is made once the node is on the page, so that its width is known. */
  show() {
    this.plot?.destroy();
    this.plot = new uPlot({
      width: this.width(), height: this.height, legend: { show: false }, padding: [8, 8, 0, 0],
      cursor: { sync: { key: "time" }, points: { size: 6 }, drag: { x: true, y: false } },
      scales: { x: { time: false }, y: { range } },
      axes: axes(["time [s]", `[${this.unit}]`]),
      series: [{}, ...this.names.map((name) => ({ label: name, stroke: this.tint(name), width: 1.6,
        points: { show: this.run.rows < 40 } }))],
      hooks: { setScale: [() => this.mark()], setSize: [() => this.mark()],
        drawAxes: [(u) => this.events(u)] },
    }, [this.run.time, ...this.names.map((n) => this.run.values(n))], this.node);
    this.plot.over.append(this.now);
    const canvas = this.plot.root.querySelector("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${this.names.join(", ")} against time; values at the present time stand above`);
    let down = 0;
    this.plot.over.addEventListener("pointerdown", (e) => { down = e.clientX; });
    this.plot.over.addEventListener("click", (e) => {
      if (Math.abs(e.clientX - down) < 4) this.clock.seek(this.plot.posToVal(e.offsetX, "x"));
    });
    this.mark();
  }

  /** Thin lines where the run met an event. */
  events(u) {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.strokeStyle = color("grid-strong");
    ctx.setLineDash([2, 4]);
    ctx.beginPath();
    for (const t of this.run.events) {
      const x = u.valToPos(t, "x", true);
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
    }
    ctx.stroke();
    ctx.restore();
  }

  width() { return Math.max(200, this.node.clientWidth); }

  mark() {
    if (!this.plot) return;
    const x = this.plot.valToPos(this.clock.t, "x");
    this.now.style.transform = `translateX(${x}px)`;
    this.now.hidden = !(x >= 0 && x <= this.plot.over.clientWidth);
    this.names.forEach((name, i) => { this.values[i].textContent = shown(this.run.at(name, this.clock.t)); });
  }

  resize() { this.plot?.setSize({ width: this.width(), height: this.height }); }

  destroy() { this.plot?.destroy(); this.node.remove(); }
}

/** Plots of a set of names inside a box, one for each unit. */
export class Plots {
  constructor(run, clock, box, tall = null) {
    Object.assign(this, { run, clock, box, tall, plots: [], tints: new Map() });
    clock.watch(() => { if (this.seen()) for (const p of this.plots) p.mark(); });
    new ResizeObserver(() => { if (this.seen()) this.appear(); }).observe(box);
    onTheme(() => { for (const p of this.plots) p.plot?.redraw(); });
  }

  seen() { return this.box.clientWidth > 0; }

  /** A name keeps its colour as long as it is shown. */
  tint(name) {
    if (!this.tints.has(name)) {
      const used = new Set(this.tints.values());
      this.tints.set(name, PALETTE.find((c) => !used.has(c)) ?? PALETTE[this.tints.size % PALETTE.length]);
    }
    return this.tints.get(name);
  }

  draw(names) {
    for (const p of this.plots) p.destroy();
    this.box.replaceChildren();
    for (const name of [...this.tints.keys()]) if (!names.includes(name)) this.tints.delete(name);
    const units = new Map();
    for (const name of names) {
      const { unit } = this.run.byName.get(name);
      if (!units.has(unit)) units.set(unit, []);
      units.get(unit).push(name);
    }
    this.plots = [...units].map(([unit, group]) =>
      new Plot(this.run, this.clock, unit, group, (n) => this.tint(n)));
    this.box.append(...this.plots.map((p) => p.node));
    if (!names.length) this.box.append(el("p", { class: "note" }, "Pick a signal above to draw it."));
    if (this.seen()) this.appear();
  }

  /** Height of a plot: as given, or what fills the tab. */
  height() {
    if (this.tall) return this.tall;
    const room = document.getElementById("panel").clientHeight - 110;
    return Math.max(170, Math.min(320, room / Math.max(1, this.plots.length) - 34));
  }

  /** Called when the tab comes to the front: a hidden box has no width. */
  appear() {
    for (const p of this.plots) {
      p.height = this.height();
      if (p.plot) p.resize(); else p.show();
    }
  }
}
