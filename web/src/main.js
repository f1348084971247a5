// The page: reads the run, and lets the clock move the view, the plots and the numbers together.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { Clock } from "./clock.js";
import { load, shown } from "./data.js";
import { byId, el, select } from "./dom.js";
import { Plots, axes, range } from "./plots.js";
import { color, onTheme, startTheme } from "./theme.js";
import { View } from "./view.js";

function trouble(text) {
  const box = byId("trouble");
  box.hidden = false;
  box.textContent = text;
}

/** Wishes after the #: t=0.5, tab=energy, theme=dark, signals=a,b, view=Top, layers=reactions, play. */
const wishes = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

function transport(run, clock) {
  const slider = byId("time"), play = byId("play"), speed = byId("speed"), loop = byId("loop");
  slider.min = run.t0;
  slider.max = run.t1;
  slider.addEventListener("input", () => { clock.stop(); clock.seek(Number(slider.value)); });
  play.addEventListener("click", () => clock.toggle());
  for (const s of Clock.speeds)
    speed.append(el("option", { value: s }, s < 1 ? `1/${Math.round(1 / s)}` : `${s}`));
  speed.value = clock.speed;
  speed.addEventListener("change", () => { clock.speed = Number(speed.value); });
  loop.addEventListener("change", () => { clock.loop = loop.checked; });
  const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(run.t1 - run.t0 || 1))));
  clock.watch(() => {
    const text = `${clock.t.toFixed(digits)} s`;
    slider.value = clock.t;
    slider.setAttribute("aria-valuetext", text);
    byId("clock").textContent = text;
    play.textContent = clock.playing ? "\u23f8\ufe0e" : "\u25b6\ufe0e";
    play.setAttribute("aria-label", clock.playing ? "Stop" : "Play");
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, select, textarea, summary, [role=tab]")) return;
    const actions = { ArrowLeft: () => clock.step(-0.01), ArrowRight: () => clock.step(0.01),
      Home: () => clock.seek(run.t0), End: () => clock.seek(run.t1) };
    if (!event.target.closest("button, a")) actions[" "] = () => clock.toggle();
    if (!actions[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    actions[event.key]();
  });
}

function tabs(appear) {
  const panels = [...document.querySelectorAll("[role=tabpanel]")].filter((p) => p.hasChildNodes());
  const buttons = panels.map((panel) => {
    const name = panel.id.slice(4);
    const button = el("button", { type: "button", role: "tab", id: `for-${name}`, "aria-controls": panel.id },
      panel.dataset.title);
    panel.setAttribute("aria-labelledby", button.id);
    return button;
  });
  const choose = (i, focus) => {
    panels.forEach((panel, k) => {
      panel.hidden = k !== i;
      buttons[k].setAttribute("aria-selected", String(k === i));
      buttons[k].tabIndex = k === i ? 0 : -1;
    });
    if (focus) buttons[i].focus();
    appear[panels[i].id.slice(4)]?.appear();
  };
  buttons.forEach((button, i) => {
    button.addEventListener("click", () => choose(i));
    button.addEventListener("keydown", (event) => {
      const n = buttons.length;
      const to = { ArrowRight: (i + 1) % n, ArrowLeft: (i + n - 1) % n, Home: 0, End: n - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      choose(to, true);
    });
  });
  byId("tabs").append(...buttons);
  choose(Math.max(0, panels.findIndex((p) => p.id === `tab-${wishes.tab}`)));
}

/** Every panel that the page carries a script of: it fills its box, and may answer `{ appear }`. */
function panels(run, clock) {
  const tools = { run, clock, wishes, Plots, axes, byId, color, el, onTheme, range, select, shown, uPlot };
  const started = {};
  for (const [name, start] of Object.entries(window.panels ?? {})) {
    const box = byId(`tab-${name}`);
    try {
      started[name] = start({ ...tools, box, data: run.panels[name] });
    } catch (error) {
      box.replaceChildren(el("p", { class: "bad" }, `This panel could not be shown: ${error.message}`));
      console.error(error);
    }
  }
  return started;
}

function download(run) {
  const url = URL.createObjectURL(new Blob([run.csv()], { type: "text/csv" }));
  const name = run.title.replace(/[^\p{L}\p{N}_-]+/gu, "_") || "run";
  el("a", { href: url, download: `${name}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

async function start() {
  startTheme(wishes.theme);
  if (!("DecompressionStream" in window)) {
    trouble("This page needs a browser from 2023 or later.");
    return;
  }
  const run = await load(byId("data").textContent);
  const clock = new Clock(run);
  transport(run, clock);
  byId("outcome").classList.toggle("bad", !run.completed);
  byId("csv").addEventListener("click", () => download(run));
  tabs(panels(run, clock));
  let view = null;
  try {
    view = new View(run, clock);
    if (wishes.view) view.look(wishes.view);
    for (const name of wishes.layers?.split(",") ?? []) if (view.layers[name]) view.layers[name].visible = true;
  } catch (error) {
    byId("view").classList.add("none");
    byId("legend").textContent = `No 3D here (${error.message}); plots and tables work all the same.`;
  }
  if (wishes.t) clock.seek(Number(wishes.t));
  if ("play" in wishes && !matchMedia("(prefers-reduced-motion: reduce)").matches) clock.play();
  window.torseur = { run, clock, view };
  document.documentElement.dataset.ready = "yes";
}

start().catch((error) => { trouble(`This report could not be shown: ${error.message}`); throw error; });
