"use strict";
const study = JSON.parse(document.getElementById("data").textContent);
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const by = (id) => document.getElementById(id);
const n = study.members.length;
const columns = study.columns; // {name, unit, kind, values}
let chosen = -1;
const brushes = new Map(); // column index -> [low, high] in values
const inside = new Uint8Array(n).fill(1);
const painters = [];
const { say } = bilingual;

function told(x) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (typeof x !== "number") return say(String(x));
  const size = Math.abs(x);
  const text = size !== 0 && (size >= 1e5 || size < 1e-3) ? x.toExponential(3) : String(Number(x.toPrecision(4)));
  return bilingual.number(text.replace("-", "−"));
}
function span(values) {
  let low = Infinity, high = -Infinity;
  for (const x of values) if (x !== null) { low = Math.min(low, x); high = Math.max(high, x); }
  if (!(low <= high)) return [0, 1];
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}
const spans = columns.map((c) => span(c.values));

function canvas(id, height, least = 0) {
  const it = by(id);
  if (!it) return null;
  it.style.minWidth = least + "px";
  const ratio = window.devicePixelRatio || 1, width = it.clientWidth;
  it.style.height = height + "px";
  it.width = Math.round(width * ratio); it.height = Math.round(height * ratio);
  const g = it.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, width, height);
  g.font = "12px system-ui, sans-serif";
  return { it, g, width, height };
}
function filter() {
  for (let i = 0; i < n; i++) {
    inside[i] = 1;
    for (const [k, [low, high]] of brushes) {
      const x = columns[k].values[i];
      if (x === null || x < low || x > high) { inside[i] = 0; break; }
    }
  }
  by("count").textContent = brushes.size ? `${inside.reduce((a, b) => a + b, 0)} ${say("of")} ${n} ${say("shown members")}` : "";
  paint();
}
function paint() { for (const p of painters) p(); rows(); }

// ---- parallel coordinates -------------------------------------------------------------------
const PAD = { left: 60, right: 60, top: 30, bottom: 22 }, ROOM = 84; // of an axis with its words
const axisX = (k, width) => PAD.left + (columns.length > 1 ? k / (columns.length - 1) : 0.5) * (width - PAD.left - PAD.right);
const HEIGHT = 300;
const up = (k, x) => HEIGHT - PAD.bottom - (x - spans[k][0]) / (spans[k][1] - spans[k][0]) * (HEIGHT - PAD.top - PAD.bottom);
function parallel() {
  const c = canvas("parallel", HEIGHT, PAD.left + PAD.right + ROOM * (columns.length - 1));
  if (!c) return;
  const { g, width } = c;
  const line = (i) => {
    g.beginPath();
    let pen = false;
    columns.forEach((col, k) => {
      const x = col.values[i];
      if (x === null) { pen = false; return; }
      const px = axisX(k, width), py = up(k, x);
      if (pen) g.lineTo(px, py); else g.moveTo(px, py);
      pen = true;
    });
    g.stroke();
  };
  g.lineWidth = 1;
  g.strokeStyle = style("--line"); g.globalAlpha = 0.5;
  for (let i = 0; i < n; i++) if (!inside[i]) line(i);
  g.strokeStyle = style("--many"); g.globalAlpha = Math.max(0.06, Math.min(0.8, 60 / n));
  for (let i = 0; i < n; i++) if (inside[i]) line(i);
  g.globalAlpha = 1;
  if (chosen >= 0) { g.strokeStyle = style("--chosen"); g.lineWidth = 2.5; line(chosen); }
  g.lineWidth = 1; g.textAlign = "center";
  columns.forEach((col, k) => {
    const x = axisX(k, width);
    g.strokeStyle = style("--soft"); g.fillStyle = style("--text");
    g.beginPath(); g.moveTo(x, PAD.top); g.lineTo(x, HEIGHT - PAD.bottom); g.stroke();
    const room = (width - PAD.left - PAD.right) / Math.max(1, columns.length - 1) - 8;
    let name = col.name;
    while (name.length > 4 && g.measureText(name).width > Math.max(60, room)) name = name.slice(0, -2).replace(/…$/, "") + "…";
    g.fillText(name, x, 12);
    g.fillStyle = style("--soft");
    const ends = col.labels ? [col.labels[0], col.labels[col.labels.length - 1]] : spans[k].map(told);
    g.fillText(ends[1] + (col.unit ? " " + col.unit : ""), x, 25);
    g.fillText(ends[0], x, HEIGHT - 8);
    const b = brushes.get(k);
    if (b) { g.fillStyle = style("--accent"); g.globalAlpha = 0.3; g.fillRect(x - 7, up(k, b[1]), 14, up(k, b[0]) - up(k, b[1])); g.globalAlpha = 1; }
  });
}
painters.push(parallel);
{
  const it = by("parallel");
  let from = null;
  const at = (e) => {
    const r = it.getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top;
    let k = 0;
    for (let j = 1; j < columns.length; j++) if (Math.abs(axisX(j, r.width) - x) < Math.abs(axisX(k, r.width) - x)) k = j;
    const share = (HEIGHT - PAD.bottom - y) / (HEIGHT - PAD.top - PAD.bottom);
    return { k, x, y, value: spans[k][0] + Math.min(1, Math.max(0, share)) * (spans[k][1] - spans[k][0]), far: Math.abs(axisX(k, r.width) - x), width: r.width };
  };
  it.addEventListener("pointerdown", (e) => { const p = at(e); if (p.far < 16) { from = p; it.setPointerCapture(e.pointerId); } else nearest(p); });
  it.addEventListener("pointermove", (e) => {
    if (!from) return;
    const p = at(e);
    brushes.set(from.k, [Math.min(from.value, p.value), Math.max(from.value, p.value)]);
    filter();
  });
  it.addEventListener("pointerup", (e) => {
    if (!from) return;
    const p = at(e), same = Math.abs(p.y - from.y) < 3;
    if (same) brushes.delete(from.k);
    from = null; filter();
  });
  const nearest = (p) => {
    const step = (p.width - PAD.left - PAD.right) / Math.max(1, columns.length - 1);
    const k = Math.min(columns.length - 2, Math.max(0, Math.floor((p.x - PAD.left) / step)));
    if (columns.length < 2) return;
    const f = (p.x - axisX(k, p.width)) / step;
    let best = -1, gap = 12;
    for (let i = 0; i < n; i++) {
      const a = columns[k].values[i], b = columns[k + 1].values[i];
      if (!inside[i] || a === null || b === null) continue;
      const d = Math.abs(up(k, a) * (1 - f) + up(k + 1, b) * f - p.y);
      if (d < gap) { gap = d; best = i; }
    }
    if (best >= 0) choose(best);
  };
}

// ---- scatter matrix -------------------------------------------------------------------------
const grid = study.matrix; // indices of columns
function matrix() {
  const it = by("matrix");
  if (!it) return;
  const size = Math.max(100, Math.min(240, Math.floor((it.parentElement.clientWidth - 50) / grid.length)));
  const c = canvas("matrix", size * grid.length + 34, 50 + size * grid.length);
  const { g } = c, gap = 8, first = 50;
  const cell = (r, k) => ({ x: first + k * size, y: r * size, w: size - gap, h: size - gap });
  c.it.cells = { size, gap, first };
  grid.forEach((a, r) => grid.forEach((b, k) => {
    const { x, y, w, h } = cell(r, k);
    g.strokeStyle = style("--line"); g.strokeRect(x + 0.5, y + 0.5, w, h);
    if (r === k) {
      const counts = new Array(20).fill(0);
      for (let i = 0; i < n; i++) { const v = columns[a].values[i]; if (v !== null && inside[i]) counts[Math.min(19, Math.floor(20 * (v - spans[a][0]) / (spans[a][1] - spans[a][0])))]++; }
      const top = Math.max(1, ...counts);
      g.fillStyle = style("--many"); g.globalAlpha = 0.55;
      counts.forEach((m, j) => g.fillRect(x + j * w / 20, y + h - m / top * h * 0.85, w / 20 - 0.5, m / top * h * 0.85));
      g.globalAlpha = 1;
      return;
    }
    const dot = (i, s) => {
      const u = columns[b].values[i], v = columns[a].values[i];
      if (u === null || v === null) return;
      g.fillRect(x + 3 + (u - spans[b][0]) / (spans[b][1] - spans[b][0]) * (w - 6) - s / 2, y + h - 3 - (v - spans[a][0]) / (spans[a][1] - spans[a][0]) * (h - 6) - s / 2, s, s);
    };
    g.fillStyle = style("--line");
    for (let i = 0; i < n; i++) if (!inside[i]) dot(i, 2);
    g.fillStyle = style("--many"); g.globalAlpha = Math.max(0.25, Math.min(0.9, 200 / n));
    for (let i = 0; i < n; i++) if (inside[i]) dot(i, 2.4);
    g.globalAlpha = 1;
    if (chosen >= 0) { g.fillStyle = style("--chosen"); dot(chosen, 7); }
  }));
  g.fillStyle = style("--text"); g.textAlign = "center";
  grid.forEach((a, k) => {
    const { x, w } = cell(0, k), y = grid.length * size;
    g.fillText(short(g, columns[a].name, w), x + w / 2, y + 8);
    g.fillStyle = style("--soft"); g.fillText(spans[a].map(told).join(" … "), x + w / 2, y + 24); g.fillStyle = style("--text");
    g.save(); g.translate(14, cell(k, 0).y + w / 2); g.rotate(-Math.PI / 2); g.fillText(short(g, columns[a].name, w), 0, 0); g.restore();
  });
}
function short(g, text, room) {
  let name = text;
  while (name.length > 4 && g.measureText(name).width > room) name = name.replace(/…$/, "").slice(0, -1) + "…";
  return name;
}
painters.push(matrix);
by("matrix")?.addEventListener("pointerdown", (e) => {
  const it = by("matrix"), r = it.getBoundingClientRect(), { size, gap, first } = it.cells;
  const x = e.clientX - r.left, y = e.clientY - r.top, k = Math.floor((x - first) / size), m = Math.floor(y / size);
  if (k < 0 || m < 0 || k >= grid.length || m >= grid.length || k === m) return;
  const a = grid[m], b = grid[k], w = size - gap;
  let best = -1, far = 14;
  for (let i = 0; i < n; i++) {
    const u = columns[b].values[i], v = columns[a].values[i];
    if (!inside[i] || u === null || v === null) continue;
    const d = Math.hypot(first + k * size + 3 + (u - spans[b][0]) / (spans[b][1] - spans[b][0]) * (w - 6) - x,
      m * size + w - 3 - (v - spans[a][0]) / (spans[a][1] - spans[a][0]) * (w - 6) - y);
    if (d < far) { far = d; best = i; }
  }
  if (best >= 0) choose(best);
});

// ---- histograms and bands -------------------------------------------------------------------
function ticks(low, high, count, whole = false) {
  const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
  let step = power * [1, 2, 2.5, 5, 10].find((k) => k * power >= rough * 0.999);
  if (whole) step = Math.max(1, Math.ceil(step));
  const out = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) out.push(k * step);
  return out;
}
function frame(c, low, high, bottom, top, label, unit, whole = false) {
  const { g, width, height } = c, box = { x: 62, y: 10, w: width - 92, h: height - 46 };
  g.strokeStyle = style("--grid"); g.fillStyle = style("--soft");
  g.textAlign = "right";
  for (const v of ticks(bottom, top, 5, whole)) {
    const y = box.y + box.h - (v - bottom) / (top - bottom) * box.h;
    g.beginPath(); g.moveTo(box.x, y); g.lineTo(box.x + box.w, y); g.stroke();
    g.fillText(told(v), box.x - 6, y + 4);
  }
  g.textAlign = "center";
  for (const v of ticks(low, high, Math.max(2, Math.min(6, Math.floor(box.w / 70))))) {
    const x = box.x + (v - low) / (high - low) * box.w;
    g.beginPath(); g.moveTo(x, box.y + box.h); g.lineTo(x, box.y + box.h + 4); g.stroke();
    g.fillText(told(v), x, box.y + box.h + 16);
  }
  g.fillStyle = style("--text"); g.fillText(label + (unit ? ` [${unit}]` : ""), box.x + box.w / 2, height - 4);
  return { ...box, px: (x) => box.x + (x - low) / (high - low) * box.w, py: (y) => box.y + box.h - (y - bottom) / (top - bottom) * box.h };
}
study.histograms.forEach((h, j) => painters.push(() => {
  const c = canvas(`histogram${j}`, 220);
  if (!c) return;
  const low = h.edges[0], high = h.edges[h.edges.length - 1], top = Math.max(...h.counts);
  const f = frame(c, low, high, 0, top, h.name, h.unit, true), { g } = c;
  g.fillStyle = style("--many"); g.globalAlpha = 0.6;
  h.counts.forEach((m, i) => g.fillRect(f.px(h.edges[i]), f.py(m), f.px(h.edges[i + 1]) - f.px(h.edges[i]) - 0.6, f.py(0) - f.py(m)));
  g.globalAlpha = 1;
  const col = columns.find((x) => x.name === h.name);
  if (chosen >= 0 && col && col.values[chosen] !== null) { g.strokeStyle = style("--chosen"); g.lineWidth = 2; const x = f.px(col.values[chosen]); g.beginPath(); g.moveTo(x, f.y); g.lineTo(x, f.y + f.h); g.stroke(); }
}));
study.bands.forEach((b, j) => painters.push(() => {
  const c = canvas(`bands${j}`, 240);
  if (!c) return;
  const known = (line) => line.filter((x) => x !== null);
  const low = Math.min(...b.lines.flatMap(known)), high = Math.max(...b.lines.flatMap(known));
  const f = frame(c, b.time[0], b.time[b.time.length - 1], low, high === low ? low + 1 : high, say("time"), "s"), { g } = c;
  const path = (line) => { let pen = false; line.forEach((y, i) => { if (y === null) { pen = false; return; } const x = f.px(b.time[i]); if (pen) g.lineTo(x, f.py(y)); else g.moveTo(x, f.py(y)); pen = true; }); };
  const area = (p, q, alpha) => { g.globalAlpha = alpha; g.fillStyle = style("--band"); g.beginPath(); const t = b.time.map((_, i) => i).filter((i) => p[i] !== null && q[i] !== null);
    t.forEach((i, k) => (k ? g.lineTo(f.px(b.time[i]), f.py(p[i])) : g.moveTo(f.px(b.time[i]), f.py(p[i])))); t.reverse().forEach((i) => g.lineTo(f.px(b.time[i]), f.py(q[i]))); g.fill(); g.globalAlpha = 1; };
  area(b.lines[0], b.lines[4], 0.16); area(b.lines[1], b.lines[3], 0.24);
  g.strokeStyle = style("--band"); g.lineWidth = 2; g.beginPath(); path(b.lines[2]); g.stroke();
  const own = chosen >= 0 ? b.members[chosen] : null;
  if (own) { g.strokeStyle = style("--chosen"); g.lineWidth = 1.8; g.beginPath(); path(own); g.stroke(); }
}));

// ---- table and motion -----------------------------------------------------------------------
let order = [...Array(n).keys()], sorted = [-1, 1];
function rows() {
  const body = by("rows");
  const shown = order.filter((i) => inside[i]).slice(0, study.most);
  body.replaceChildren(...shown.map((i) => {
    const tr = document.createElement("tr");
    if (i === chosen) tr.className = "chosen";
    if (!study.completed[i]) tr.classList.add("failed");
    const cells = [study.members[i], ...columns.map((c) => (c.labels ? c.labels[c.values[i]] : c.values[i])), study.outcomes[study.outcome[i]]];
    cells.forEach((x, k) => {
      const td = document.createElement("td");
      td.textContent = told(x);
      if (typeof x === "string") td.className = "word";
      if (k === 0 && study.runs[study.members[i]]) { const s = document.createElement("span"); s.className = "moves"; s.textContent = "▶ "; td.prepend(s); }
      tr.append(td);
    });
    tr.addEventListener("click", () => choose(i));
    return tr;
  }));
  const left = inside.reduce((a, b) => a + b, 0) - shown.length;
  by("more").textContent = left > 0 ? `${left} ${say("further members are not listed")}` : "";
}
document.querySelectorAll("th").forEach((th, k) => th.addEventListener("click", () => {
  const key = k - 1;
  sorted = [key, sorted[0] === key ? -sorted[1] : 1];
  const value = (i) => (key < 0 ? study.members[i] : key < columns.length ? columns[key].values[i] : study.outcome[i]);
  order.sort((a, b) => { const x = value(a), y = value(b); return x === null ? 1 : y === null ? -1 : (x - y) * sorted[1]; });
  rows();
}));
function choose(i) {
  chosen = i;
  const member = study.members[i], run = study.runs[member], box = by("run");
  box.hidden = false;
  by("who").textContent = `${say("Member")} ${member}: ${told(study.outcomes[study.outcome[i]])}`;
  const old = box.querySelector("iframe");
  if (old) old.remove();
  if (run) {
    const it = document.createElement("iframe");
    it.title = `${say("Member")} ${member} ${say("in motion")}`;
    it.srcdoc = run.replace("<html", `<html data-wish="${bilingual.language}"`).split(study.places.style).join(by("viewer-style").textContent).split(study.places.script).join(JSON.parse(by("viewer-script").textContent));
    box.append(it);
    by("how").textContent = "";
  } else by("how").textContent = `${say("Its motion does not travel with this page")}: study.run(${member}).show(), or study.report(path, runs=[${member}]).`;
  paint();
}
window.addEventListener("resize", paint);
document.addEventListener("spoken", () => { if (chosen >= 0) choose(chosen); filter(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
filter();
const asked = /^#member=(\d+)$/.exec(location.hash);
if (asked) { const i = study.members.indexOf(Number(asked[1])); if (i >= 0) choose(i); }
