// Plots against time, one a unit, in step with the clock.
import uPlot from "uplot";
import { scaleOf, shown } from "./data.js";
import { el } from "./dom.js";
import { PALETTE, color, ink, onTheme } from "./theme.js";
import { decimal, happening, onLanguage, say } from "./words.js";

const MANY = 6, FOLDED = 5;                     // lines of a plot: more than MANY fold to FOLDED
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

export const minus = (text) => String(text).replace("-", "\u2212");

function tick(x) {
  if (x === null) return "";
  const size = Math.abs(x);
  return size && (size >= 1e5 || size < 1e-3) ? shown(x, 2) : decimal(minus(Number(x.toPrecision(6))));
}

/** Two axes without a box; `factors` and `units` of what they say, the unit at the end of each. */
export const axes = (labels, factors = [1, 1]) => labels.map((label, i) => ({
  font: "11px system-ui", stroke: () => color("soft"), size: i ? 52 : 26, gap: 4,
  grid: { stroke: () => color("grid"), width: 1 }, ticks: { show: false },
  values: (_, ticks) => ticks.map((x, k) => (i === 0 && label && k === ticks.length - 1
    ? `${tick(x / factors[i])}\u202f${label}` : tick(x / factors[i]))),
}));

/** The unit of the upright axis at its top. */
export function topLabel(u, text) {
  const { ctx, bbox } = u, r = devicePixelRatio;
  ctx.save();
  ctx.font = `${11 * r}px system-ui`;
  ctx.fillStyle = color("soft");
  ctx.textAlign = "right";
  ctx.textBaseline = "bottom";
  ctx.fillText(text, bbox.left - 4 * r, bbox.top - 5 * r);
  ctx.restore();
}

/** A little room above and below; a constant sits in the middle of a range of its own size. */
export function range(_, low, high) {
  if (low === null || !Number.isFinite(low)) return [0, 1];
  const span = high - low;
  const scale = Math.max(Math.abs(low), Math.abs(high));
  if (span <= 1e-6 * scale || !span) return [low - (0.5 * scale || 1), high + (0.5 * scale || 1)];
  return [low - 0.06 * span, high + 0.06 * span];
}

export const largest = (arrays) => {
  let most = 0;
  for (const x of arrays) for (const v of x) if (Math.abs(v) > most && Number.isFinite(v)) most = Math.abs(v);
  return most;
};

const known = (x) => Array.from(x, (v) => (Number.isFinite(v) ? v : null));

/** Times that grow at every row, so that tables can be joined: a jump is two rows a hair apart. */
function growing(time) {
  const hair = 1e-9 * ((time.at(-1) - time[0]) || 1), out = Float64Array.from(time);
  for (let i = 1; i < out.length; i++) if (!(out[i] > out[i - 1])) out[i] = out[i - 1] + hair;
  return Array.from(out);
}

class Plot {
  constructor(run, clock, unit, names, tint, hidden, unfold) {
    Object.assign(this, { run, clock, unit, names, tint });
    this.tables = [run, ...run.others].map((table, k) => ({ table, k, names: names.filter((n) => table.has(n)) }))
      .filter((t) => t.names.length);
    this.most = largest(this.tables.flatMap((t) => t.names.map((n) => t.table.values(n))));
    [this.factor, this.said] = scaleOf(this.most, unit);
    this.now = el("div", { class: "now" });
    this.values = names.map(() => el("b"));
    this.keys = names.map((name) => el("i"));
    this.cross = el("div", { class: "cross", hidden: true });
    const more = hidden || names.length > MANY
      ? [el("button", { type: "button", class: "fold", onclick: unfold },
        hidden ? `+ ${hidden} ${say("more")}` : `\u2212 ${names.length - FOLDED} ${say("fewer")}`)] : [];
    this.node = el("figure", { class: "plot" },
      el("figcaption", {}, ...names.map((name, i) => el("span", { class: "key" }, this.keys[i], `${name} `, this.values[i])), ...more));
    this.paint();
  }

  /** A value in the unit of the plot; what is nothing beside its largest is 0. */
  told(x) { return Math.abs(x) < 1e-6 * this.most ? "0" : shown(x / this.factor); }

  paint() { this.names.forEach((n, i) => { this.keys[i].style.background = ink(this.tint(n)); }); }

  /** Times and values as uPlot takes them. */
  data() {
    const tables = this.tables.map(({ table, names }) => [growing(table.time), ...names.map((n) => known(table.values(n)))]);
    return tables.length > 1 ? uPlot.join(tables) : tables[0] ?? [[]];
  }

  /** Other values on the same axes; false where the axes would say something else. */
  renew() {
    const most = largest(this.tables.flatMap((t) => t.names.map((n) => t.table.values(n))));
    if (!this.plot || scaleOf(most, this.unit)[1] !== this.said || (this.run.rows < 40) !== this.sparse) return false;
    this.most = most;
    this.plot.setData(this.data());
    this.mark();
    return true;
  }

  /** The canvas is made once the node is on the page, so that its width is known. */
  show() {
    this.plot?.destroy();
    this.sparse = this.run.rows < 40;
    const series = this.tables.flatMap(({ table, k, names }) => names.map((name) => ({
      label: table.label ? `${name}, ${table.label}` : name, stroke: () => ink(this.tint(name)), pxAlign: 0,
      width: table.measured ? 0 : 1.5, dash: DASHES[k % DASHES.length],
      points: table.measured ? { show: true, size: 4, fill: () => ink(this.tint(name)), width: 0 }
        : { show: this.sparse },
      paths: table.measured ? () => null : undefined,
    })));
    const time = scaleOf(Math.max(Math.abs(this.run.t0), Math.abs(this.run.t1)), "s");
    this.plot = new uPlot({
      width: this.width(), height: this.height, legend: { show: false }, padding: [20, 24, 0, 0], pxAlign: 0,
      cursor: { sync: { key: "time" }, points: { show: false }, y: false, drag: { x: true, y: false } },
      scales: { x: { time: false }, y: { range } },
      axes: axes([time[1], ""], [time[0], this.factor]),
      series: [{}, ...series],
      hooks: { setScale: [() => this.mark()], setSize: [() => this.mark()], setCursor: [(u) => this.hover(u)],
        drawAxes: [(u) => { topLabel(u, this.said === "1" ? "" : this.said); this.events(u); }] },
    }, this.data(), this.node);
    this.plot.over.append(this.now, this.cross);
    const canvas = this.plot.root.querySelector("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${this.names.join(", ")}: ${say("against time; values at the present time stand above")}`);
    let down = 0;
    this.plot.over.addEventListener("pointerdown", (e) => { down = e.clientX; });
    this.plot.over.addEventListener("click", (e) => {
      if (Math.abs(e.clientX - down) < 4) this.clock.seek(this.plot.posToVal(e.offsetX, "x"));
    });
    this.mark();
  }

  /** Thin ticks where the run met an event. */
  events(u) {
    const { ctx, bbox } = u, r = devicePixelRatio;
    ctx.save();
    ctx.strokeStyle = color("grid-strong");
    ctx.lineWidth = r;
    ctx.beginPath();
    for (const { t } of this.run.events) {
      const x = u.valToPos(t, "x", true);
      if (x < bbox.left - 1 || x > bbox.left + bbox.width + 1) continue;
      ctx.moveTo(x, bbox.top + bbox.height);
      ctx.lineTo(x, bbox.top + bbox.height - 9 * r);
    }
    ctx.stroke();
    ctx.restore();
  }

  /** Values at the lines under the crosshair, and what happened near it. */
  hover(u) {
    const { left } = u.cursor;
    this.cross.hidden = !(left >= 0);
    if (this.cross.hidden) return;
    const t = u.posToVal(left, "x"), high = u.over.clientHeight, wide = u.over.clientWidth;
    const marks = this.tables.flatMap(({ table, names }) => names.map((name) => {
      const x = table.at(name, t);
      return { x, y: u.valToPos(x, "y"), ink: ink(this.tint(name)), open: table !== this.run };
    })).filter((m) => Number.isFinite(m.y) && m.y >= -1 && m.y <= high + 1).sort((a, b) => a.y - b.y);
    let last = -Infinity;
    for (const m of marks) { m.at = Math.max(m.y, last + 13); last = m.at; }
    const over = Math.max(0, last - high);
    const side = left > wide - 70 ? "right" : "left";
    this.cross.replaceChildren(...marks.flatMap((m) => [
      el("i", { style: `transform:translate(${left}px,${m.y}px);background:${m.ink}` }),
      el("span", { class: side, style: `transform:translate(${left}px,${m.at - over}px);color:${m.ink}` }, this.told(m.x)),
    ]));
    if (!u.over.matches(":hover")) return;
    const near = this.run.events.filter((e) => Math.abs(u.valToPos(e.t, "x") - left) < 4).map(happening);
    const time = scaleOf(Math.abs(this.run.t1), "s");
    this.cross.append(el("em", { class: side, style: `transform:translate(${left}px,0)` },
      `${shown(t / time[0])}\u202f${time[1]}${near.length ? `: ${near.slice(0, 3).join("; ")}${near.length > 3 ? " …" : ""}` : ""}`));
  }

  width() { return Math.max(200, this.node.clientWidth); }

  mark() {
    if (!this.plot) return;
    const x = this.plot.valToPos(this.clock.t, "x");
    this.now.style.transform = `translateX(${x}px)`;
    this.now.hidden = !(x >= 0 && x <= this.plot.bbox.width / devicePixelRatio + 0.5);
    this.names.forEach((name, i) => {
      this.values[i].textContent = `${this.told(this.run.at(name, this.clock.t))}\u202f${this.said === "1" ? "" : this.said}`;
    });
  }

  resize() { this.plot?.setSize({ width: this.width(), height: this.height }); }

  destroy() { this.plot?.destroy(); this.node.remove(); }
}

/** Plots of a set of names inside a box, one for each unit. */
export class Plots {
  constructor(run, clock, box, tall = null) {
    Object.assign(this, { run, clock, box, tall, names: [], plots: [], tints: new Map(), open: new Set() });
    clock.watch(() => { if (!this.away()) for (const p of this.plots) p.mark(); });
    new ResizeObserver(() => { if (this.seen()) this.appear(); }).observe(box);
    onTheme(() => { for (const p of this.plots) { p.paint(); p.plot?.redraw(); } });
    onLanguage(() => this.draw(this.names));
    run.changed(() => this.renew());
    (run.drawings ??= []).push(this);
  }

  /** Whether its tab is behind another: asks for no layout. */
  away() { return this.box.closest("[hidden]") !== null; }

  /** The run was computed anew: what is not seen waits until it is. */
  renew() {
    this.stale = this.away();
    const names = this.names.filter((n) => this.run.has(n));
    if (!this.stale && !(names.length === this.names.length && this.plots.every((p) => p.renew()))) this.draw(names);
  }

  seen() { return this.box.clientWidth > 0; }

  /** A line has the color of its body where no other line of its plot has it; it keeps it while shown. */
  colors(group) {
    const used = new Set(group.map((n) => this.tints.get(n)).filter((i) => i !== undefined));
    for (const name of group) {
      if (this.tints.has(name)) continue;
      const own = this.run.byName.get(name)?.body;
      const free = PALETTE.findIndex((_, i) => !used.has(i));
      const i = own !== undefined && !used.has(own % PALETTE.length) ? own % PALETTE.length : Math.max(0, free);
      used.add(i);
      this.tints.set(name, i);
    }
  }

  draw(names) {
    this.names = names;
    for (const p of this.plots) p.destroy();
    this.box.replaceChildren();
    for (const name of [...this.tints.keys()]) if (!names.includes(name)) this.tints.delete(name);
    const units = new Map();
    for (const name of names) {
      const { unit } = this.run.byName.get(name);
      if (!units.has(unit)) units.set(unit, []);
      units.get(unit).push(name);
    }
    this.plots = [...units].map(([unit, group]) => {
      this.colors(group);
      const folded = group.length > MANY && !this.open.has(unit);
      const unfold = () => { if (folded) this.open.add(unit); else this.open.delete(unit); this.draw(this.names); };
      return new Plot(this.run, this.clock, unit, folded ? group.slice(0, FOLDED) : group, (n) => this.tints.get(n),
        folded ? group.length - FOLDED : 0, unfold);
    });
    if (this.run.others.length && names.length) this.box.append(el("p", { class: "runs" },
      ...[this.run, ...this.run.others].map((table, k) => el("span", {},
        el("i", { class: table.measured ? "dots" : `dash${k % DASHES.length}` }), table.label ?? this.run.title))));
    this.box.append(...this.plots.map((p) => p.node));
    if (!names.length) this.box.append(el("p", { class: "note" }, say("Pick a signal above to draw it.")));
    if (this.seen()) this.appear();
  }

  /** Height of a plot: as given, or what fills the tab. */
  height() {
    if (this.tall) return this.tall;
    const wrapped = this.plots.reduce((sum, p) => sum + p.node.querySelector("figcaption").offsetHeight + 10, 0);
    const room = document.getElementById("panel").clientHeight - this.box.offsetTop + document.getElementById("panel").offsetTop - 20 - wrapped;
    return Math.max(150, Math.min(320, Math.floor(room / Math.max(1, this.plots.length))));
  }

  /** Called when the tab comes to the front: a hidden box has no width. */
  appear() {
    if (this.stale) {
      this.stale = false;
      return this.draw(this.names.filter((n) => this.run.has(n)));
    }
    for (const p of this.plots) {
      p.height = this.height();
      if (p.plot) p.resize(); else p.show();
    }
  }
}
