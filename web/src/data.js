// The run as the page sees it: time and signals, unpacked from the JSON block.
import { decimal, learn } from "./words.js";

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

async function inflate(text) {
  const packed = bytesOf(text);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Bytes that were stored plane by plane (all first bytes, all second bytes, ...) as floats; "f4:" are floats as they are. */
export async function floats(text) {
  if (text.startsWith("f4:")) return new Float32Array(bytesOf(text.slice(3)).buffer);
  const planes = await inflate(text);
  const n = planes.length / 4;
  const bytes = new Uint8Array(planes.length);
  for (let plane = 0, k = 0; plane < 4; plane++)
    for (let i = 0; i < n; i++) bytes[4 * i + plane] = planes[k++];
  const view = new DataView(bytes.buffer);
  return Float32Array.from({ length: n }, (_, i) => view.getFloat32(4 * i, true));
}

/** A table of signals over time: the run itself, another run, or a measurement. */
export class Table {
  constructor(given, columns) { this.take(given, columns); }

  take(given, columns) {
    Object.assign(this, given);
    const n = this.rows;
    const column = (i) => columns.subarray(i * n, (i + 1) * n);
    this.time = column(0);
    this.t0 = this.time[0] ?? 0;
    this.t1 = this.time[n - 1] ?? 0;
    this.byName = new Map(this.signals.map((s) => [s.name, s]));
    const unknown = new Float32Array(n).fill(NaN);
    for (const s of this.signals)
      s.values = s.column !== undefined ? column(s.column) : Number.isFinite(s.value) ? new Float32Array(n).fill(s.value) : unknown;
  }

  has(name) { return this.byName.has(name); }

  values(name) { return this.byName.get(name)?.values; }

  /** Row i and weight w with time = (1 - w) time[i] + w time[i + 1]. */
  locate(t) {
    const { time } = this;
    let low = 0, high = time.length - 1;
    if (!(t > time[0])) return [0, 0];
    if (t >= time[high]) return [Math.max(0, high - 1), time.length > 1 ? 1 : 0];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (time[middle] <= t) low = middle; else high = middle;
    }
    const step = time[high] - time[low];
    return [low, step > 0 ? (t - time[low]) / step : 1];
  }

  at(name, t) {
    const x = this.values(name);
    if (!x) return NaN;
    const [i, w] = this.locate(t);
    return w ? x[i] * (1 - w) + x[i + 1] * w : x[i];
  }

  csv() {
    const head = ["time [s]", ...this.signals.map((s) => `${s.name} [${s.unit}]`)];
    const quote = (x) => (/[",\n]/.test(x) ? `"${x.replaceAll('"', '""')}"` : x);
    const number = (x) => String(Number(x.toPrecision(8)));
    const rows = [head.map(quote).join(",")];
    for (let i = 0; i < this.rows; i++)
      rows.push([this.time[i], ...this.signals.map((s) => s.values[i])].map(number).join(","));
    return rows.join("\n") + "\n";
  }
}

/** The run of the page; `others` are laid over it.  What shows it is told when it is computed anew. */
export class Run extends Table {
  #listeners = [];

  changed(listener) { this.#listeners.push(listener); }

  /** Other numbers.  Part of them, while a slider moves: what nobody looks at is unknown until the rest comes. */
  async renew(given) {
    learn(given.words);
    const columns = await floats(given.columns);
    if (given.partial) {
      const here = new Map(given.signals.map((s) => [s.name, s]));
      given.signals = this.signals.map(({ name, unit, group, body }) => ({ unit, group, body, ...here.get(name), name }));
    }
    this.take(given, columns);
    for (const listener of this.#listeners) listener();
  }
}

export async function load(text) {
  const given = JSON.parse(text);
  learn(given.words);
  const run = new Run(given, await floats(given.columns));
  run.others = await Promise.all((given.others ?? []).map(async (o) => new Table(o, await floats(o.columns))));
  return run;
}

const RAISED = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";

/** A number for people: four figures, no more than it needs, a true minus, powers of ten raised. */
export const shown = (x, figures = 4) => decimal(plain(x, figures));

function plain(x, figures) {
  if (!Number.isFinite(x)) return "\u2013";
  if (x === 0) return "0";
  const size = Math.abs(x), whole = Math.floor(Math.log10(size)) + 1;
  if (size >= 1e5 || size < 1e-3) {
    const [head, power] = x.toExponential(figures - 1).split("e");
    const raised = power.replace("+", "").replace("-", "\u207b").replace(/\d/g, (d) => RAISED[d]);
    const trimmed = head.includes(".") ? head.replace(/0+$/, "").replace(/\.$/, "") : head;
    return `${trimmed.replace("-", "\u2212")}\u2009\u00d7\u200910${raised}`;
  }
  return x.toPrecision(Math.max(figures, whole)).replace("-", "\u2212");
}

const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "\u00b5"], [1e-9, "n"]];
const PREFIXED = new Set(["m", "N", "J", "W", "Pa", "s", "N m", "m/s", "m/s2", "Hz", "V", "A", "N/m", "Nm"]);
const SMALL = new Set(["m", "s", "m/s", "m/s2"]);            // what people say in milli of; "mN" helps nobody

/** Factor and unit in which numbers up to `size` of a unit are said: 12000 N is [1e3, "kN"]. */
export function scaleOf(size, unit) {
  if (!PREFIXED.has(unit) || !(size > 0) || !Number.isFinite(size)) return [1, unit];
  if (size >= 1 && ["m", "s", "m/s", "m/s2"].includes(unit)) return [1, unit];
  const low = SMALL.has(unit) || ["J", "W", "N m", "N"].includes(unit) ? 1e-9 : 1;
  const [factor, letter] = PREFIXES.find(([f]) => size >= 0.9999999 * f && f >= low) ?? PREFIXES.at(-1);
  return [factor, letter + unit];
}

/** A number with its unit, for people: "1.25 kN". */
export function prefixed(x, unit, figures = 4) {
  const [factor, said] = scaleOf(Math.abs(x), unit);
  if (said === "1" || !said) return shown(x, figures);
  const number = plain(Number((x / factor).toPrecision(figures)), figures);
  return `${decimal(number.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, ""))}\u202f${said}`;
}
