// What matters, first: a few numbers with their units, moments and a word of judgment.
import { prefixed, shown } from "./data.js";
import { byId, el } from "./dom.js";
import { decimal, happening, language, onLanguage, say } from "./words.js";

const small = (n) => `${n} ${say(n === 1 ? "event" : "events")}`;

/** The whole run in one line. */
function headline(run) {
  const box = byId("outcome");
  box.classList.toggle("bad", !run.completed);
  if (!run.completed || !run.span) { box.textContent = say(run.outcome); return; }
  const colon = document.documentElement.lang === "fr" ? "\u00a0:" : ":";
  const parts = [`${say("Complete")}${colon} ${prefixed(run.span, "s")} ${say("of motion")}`];
  if (run.closes !== null) parts.push(`${say("energy closes to")} ${shown(run.closes, 1)}`);
  parts.push(run.happened ? small(run.happened) : say("no event"));
  box.textContent = parts.join(", ");
  box.title = say(run.outcome);
  const [first, ...more] = (run.notes ?? []).map((n) => (language() === "fr" ? decimal(n.fr) : n.what));
  if (first) box.append("; ", el("b", {}, first, more.length ? ` (+ ${more.length} ${say("more")})` : ""));
}

function card(c, clock, pick) {
  const number = c.text ?? prefixed(c.value, c.unit, c.figures ?? 4);
  const [value, unit] = number.split("\u202f");
  const note = [c.of, Number.isFinite(c.at) ? `${say("at")} ${prefixed(c.at, "s")}` : null, c.event ? happening(c.event) : null,
    c.note ? say(c.note) : null].filter(Boolean).join(c.of && Number.isFinite(c.at) && !c.note ? " " : ", ");
  const inside = [el("small", {}, say(c.label)), el("strong", { class: c.bad ? "bad" : "" }, value, unit ? el("span", {}, `\u202f${unit}`) : ""), el("em", { title: note }, note)];
  if (!Number.isFinite(c.at) && !c.signal) return el("li", {}, el("div", {}, ...inside));
  return el("li", {}, el("button", { type: "button", onclick: () => {
    if (Number.isFinite(c.at)) clock.seek(c.at);
    if (c.signal) pick(c.signal);
  } }, ...inside));
}

export function startCards(run, clock, pick) {
  const write = () => {
    const old = Boolean(run.partial && run.completed);    // numbers of the run before: the new ones follow
    for (const id of ["cards", "outcome"]) byId(id).classList.toggle("old", old);
    if (old) return;
    headline(run);
    byId("cards").replaceChildren(...(run.cards ?? []).map((c) => card(c, clock, pick)));
  };
  onLanguage(write);
  run.changed(write);
  write();
}
