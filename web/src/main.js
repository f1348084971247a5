// The page: reads the run, and lets the clock move the view, the plots and the numbers together.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { startCards } from "./cards.js";
import { Clock } from "./clock.js";
import { floats, load, prefixed, scaleOf, shown } from "./data.js";
import { byId, el, select } from "./dom.js";
import { startFigures } from "./figures.js";
import { Plots, axes, largest, range, topLabel } from "./plots.js";
import { color, ink, onTheme, startTheme } from "./theme.js";
import { View } from "./view.js";
import { decimal, language, onLanguage, say, speak, startLanguage, write as translate } from "./words.js";

/** What is wrong; sentences of the program that have no French say that they are English. */
function trouble(text) {
  const box = byId("trouble"), said = say(text), foreign = language() === "fr" && said === text && text;
  box.hidden = !text;
  box.textContent = foreign ? `${say("The program says")} : ${text}` : said;
}

/** Wishes after the #: a tab by its name, t=0.5, theme=dark, lang=fr, signals=a,b, view=Top, layers=reactions, play. */
const wishes = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

function transport(run, clock) {
  const slider = byId("time"), play = byId("play"), speed = byId("speed"), loop = byId("loop");
  slider.addEventListener("input", () => { clock.stop(); clock.seek(Number(slider.value)); });
  play.addEventListener("click", () => clock.toggle());
  for (const s of Clock.speeds)
    speed.append(el("option", { value: s }, s < 1 ? `1/${Math.round(1 / s)}` : `${s}`));
  speed.value = clock.speed;
  speed.addEventListener("change", () => { clock.speed = Number(speed.value); });
  loop.addEventListener("change", () => { clock.loop = loop.checked; });
  let digits = 3;
  const measure = () => {
    slider.min = run.t0;
    slider.max = run.t1;
    digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(run.t1 - run.t0 || 1))));
    byId("ticks").replaceChildren(...run.events.map(({ t }) =>
      el("i", { style: `left:${(100 * (t - run.t0)) / (run.t1 - run.t0 || 1)}%` })));
  };
  measure();
  run.changed(() => { measure(); clock.seek(clock.t); });
  clock.watch(() => {
    const text = decimal(`${clock.t.toFixed(digits)} s`);
    slider.value = clock.t;
    slider.setAttribute("aria-valuetext", text);
    byId("clock").textContent = text;
    play.classList.toggle("playing", clock.playing);
    play.setAttribute("aria-label", say(clock.playing ? "Stop" : "Play"));
  });
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, select, textarea, summary, [role=tab]")) return;
    const actions = { ArrowLeft: () => clock.step(-0.01), ArrowRight: () => clock.step(0.01),
      Home: () => clock.seek(run.t0), End: () => clock.seek(run.t1) };
    if (!event.target.closest("button, a, [role=button]")) actions[" "] = () => clock.toggle();
    if (!actions[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    actions[event.key]();
  });
}

/** Tabs of the panels, each with its name in the address; gives what brings one to the front. */
function tabs(appear) {
  const panels = [...document.querySelectorAll("[role=tabpanel]")].filter((p) => p.hasChildNodes());
  const names = panels.map((panel) => panel.id.slice(4));
  const buttons = panels.map((panel, i) => {
    const button = el("button", { type: "button", role: "tab", id: `for-${names[i]}`, "aria-controls": panel.id, "data-say": true },
      panel.dataset.title);
    panel.setAttribute("aria-labelledby", button.id);
    return button;
  });
  const choose = (i, how = {}) => {
    panels.forEach((panel, k) => {
      panel.hidden = k !== i;
      buttons[k].setAttribute("aria-selected", String(k === i));
      buttons[k].tabIndex = k === i ? 0 : -1;
    });
    if (how.focus) buttons[i].focus();
    if (how.tell && location.protocol !== "about:") history.replaceState(null, "", `#${names[i]}`);
    appear[names[i]]?.appear?.();
  };
  buttons.forEach((button, i) => {
    button.addEventListener("click", () => choose(i, { tell: true }));
    button.addEventListener("keydown", (event) => {
      const n = buttons.length;
      const to = { ArrowRight: (i + 1) % n, ArrowLeft: (i + n - 1) % n, Home: 0, End: n - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      choose(to, { focus: true, tell: true });
    });
  });
  byId("tabs").append(...buttons);
  const wished = () => {
    const asked = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    return names.findIndex((name) => asked.tab === name || asked[name] === "");
  };
  addEventListener("hashchange", () => { if (wished() >= 0) choose(wished()); });
  choose(Math.max(0, wished()));
  return (name) => { if (names.includes(name)) choose(names.indexOf(name), { tell: true }); };
}

/** Every panel that the page carries a script of: it fills its box, and may answer `{ appear }`. */
function panels(run, clock) {
  const tools = { run, clock, wishes, Plots, axes, byId, color, el, floats, ink, largest, onLanguage, onTheme, prefixed, range,
    say, scaleOf, select, shown, topLabel, translate, trouble, uPlot };
  const started = {};
  for (const [name, start] of Object.entries(window.panels ?? {})) {
    const box = byId(`tab-${name}`);
    try {
      started[name] = start({ ...tools, box, data: run.panels[name] });
    } catch (error) {
      box.replaceChildren(el("p", { class: "bad" }, `${say("This panel could not be shown")}: ${error.message}`));
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
  startLanguage(wishes.lang);
  if (!("DecompressionStream" in window)) {
    trouble(say("This page needs a browser from 2023 or later."));
    return;
  }
  const run = await load(byId("data").textContent);
  const clock = new Clock(run);
  transport(run, clock);
  byId("csv").addEventListener("click", () => download(run));
  const started = panels(run, clock);
  const front = tabs(started);
  startFigures(clock);
  startCards(run, clock, (signal) => { if (started.plots?.pick) { front("plots"); started.plots.pick(signal); } });
  let view = null;
  try {
    view = new View(run, clock);
    if (wishes.view) view.look(wishes.view);
    for (const name of wishes.layers?.split(",") ?? []) if (view.layers[name]) view.switch(name, true);
    run.changed(() => view.renew());
  } catch (error) {
    byId("view").classList.add("none");
    byId("legend").textContent = `${say("No 3D here; plots and tables work all the same.")} (${error.message})`;
  }
  speak(language());
  if (wishes.t) clock.seek(Number(wishes.t));
  if ("play" in wishes && !matchMedia("(prefers-reduced-motion: reduce)").matches) clock.play();
  window.torseur = { run, clock, view };
  document.documentElement.dataset.ready = "yes";
}

start().catch((error) => { trouble(`${say("This report could not be shown")}: ${error.message}`); throw error; });
