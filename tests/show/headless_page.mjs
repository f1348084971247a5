// Runs the script of one panel of a report in Node and prints the numbers that it draws and says.
// Elements only remember their children and texts; uPlot only remembers options and data.
// Usage: node headless_page.mjs DATA_MODULE WORDS_MODULE PAGE PANEL TIME...
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [dataModule, wordsModule, page, panel, ...times] = process.argv.slice(2);
const { load, prefixed, scaleOf, shown } = await import(pathToFileURL(dataModule));
const { onLanguage, say } = await import(pathToFileURL(wordsModule));

class Element {
  constructor(tag, options, children) {
    Object.assign(this, { tag, options, children, style: {}, clientWidth: 600, hidden: false, textContent: "" });
  }
  append(...more) { this.children.push(...more); }
  replaceChildren(...all) { this.children = all; }
  querySelector() { return { setAttribute() {} }; }
  addEventListener() {}
}
const el = (tag, options = {}, ...children) => new Element(tag, options, children);
const drawn = [];
class Plot {
  constructor(options, data) {
    drawn.push({ options, data });
    this.root = this.over = el("div");
  }
  destroy() {}
  redraw() {}
  setSize() {}
  valToPos(x) { return x; }
}
Plot.join = (tables) => tables;
globalThis.ResizeObserver = class { observe() {} };

const html = readFileSync(page, "utf8");
const run = await load(html.match(/<script type="application\/json" id="data">(.*?)<\/script>/s)[1]);
const window = {};
for (const [, text] of html.matchAll(/<script>(\(window\.panels \?\?= \{\}\)\..*?)<\/script>/gs)) new Function("window", text)(window);
const largest = (columns) => Math.max(...columns.flatMap((c) => [...c].map(Math.abs)));
const range = (_, low, high) => [low, high];
const box = el("div"), watching = [], clock = { t: run.t0, watch: (f) => watching.push(f) };
const made = window.panels[panel]({
  run, clock, box, data: run.panels[panel], axes: (units, factors) => ({ units, factors }), el, ink: () => "", color: () => "",
  largest, onLanguage, onTheme() {}, prefixed, range, say, scaleOf, shown, topLabel() {}, uPlot: Plot,
  select: (label, choices, chosen) => { const e = el("select", { chosen }); return [e, e]; },
});
made.appear();
const note = () => box.children.find((c) => c.options.class === "note").textContent;
const { options, data } = drawn.at(-1);
const plain = (x) => (x === null ? null : Array.isArray(x) || ArrayBuffer.isView(x) ? [...x].map(plain) : x);
const notes = times.map((t) => {
  clock.t = Number(t);
  for (const f of watching) f();
  return note();
});
const first = run.signals[0].name;
console.log(JSON.stringify({
  axes: options.axes, data: plain(data), xRange: options.scales.x.range({}, 0, 1), note: note(), notes, csv: run.csv(),
  at: times.map((t) => run.at(first, Number(t))), first,
}));
