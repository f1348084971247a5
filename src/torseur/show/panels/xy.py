"""XY panel: one signal against another, such as force against deflection."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..panel_base import Panel, ReportContext, panel


@panel.named("xy")
class XYPlot(Panel):
    """XY plot of a force against its deflection, a speed against its coordinate, or any two
    signals.
    """

    title = "XY plot"
    order = 20

    def needs(self, context: ReportContext) -> Iterable[str]:
        return context.run.provenance.get("state", ())

    def data(self, context: ReportContext) -> dict[str, Any] | None:
        """Names of coordinates, speeds, and pairs of force and deflection."""
        if len(context.signals) < 2:
            return None
        provenance = context.run.provenance
        coordinates = [n for n in provenance.get("coordinates", ()) if n in context.signals]
        forces = {f.name for f in context.model.forces} if context.model else set()
        return {
            "coordinates": coordinates,
            "rates": [
                n
                for n in provenance.get("state", ())
                if n in context.signals and n not in provenance.get("coordinates", ())
            ],
            "pairs": [
                {"name": n[:-6], "x": f"{n[:-6]}.deflection", "y": n}
                for n in sorted(
                    (n for n in context.run.units if n in context.signals),
                    key=lambda n: n[:-6] not in forces,
                )
                if n.endswith(".force") and f"{n[:-6]}.deflection" in context.signals
            ],
        }

    script = r"""
({ run, clock, box, data, axes, color, el, ink, largest, onLanguage, onTheme, prefixed, range, say,
  scaleOf, select, shown, topLabel, uPlot }) => {
  const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

  /** Paths of a curve that may turn back, which uPlot's own (sorted x) would not draw. */
  const curve = (table, k) => (u, index) => {
    uPlot.orient(u, index, (series, xs, ys, sx, sy, px, py, left, top, width, height) => {
      const { ctx } = u, r = devicePixelRatio;
      const at = (i) => [px(xs[i], sx, width, left), py(ys[i], sy, height, top)];
      ctx.save();
      ctx.beginPath();
      ctx.rect(left, top, width, height);
      ctx.clip();
      ctx.strokeStyle = ctx.fillStyle = ink(k);
      if (table.measured) {
        for (let i = 0; i < xs.length; i++) {
          ctx.beginPath();
          ctx.arc(...at(i), 2 * r, 0, 7);
          ctx.fill();
        }
        return ctx.restore();
      }
      ctx.beginPath();
      for (let i = 0; i < xs.length; i++) ctx.lineTo(...at(i));
      ctx.lineWidth = 1.5 * r;
      ctx.lineJoin = "round";
      ctx.setLineDash(DASHES[k % 4].map((d) => d * r));
      ctx.stroke();
      arrows(ctx, xs.length, at, r);
      ctx.restore();
    });
    return null;
  };

  /** Which way it goes: six heads along the way. */
  function arrows(ctx, n, at, r) {
    const points = Array.from({ length: n }, (_, i) => at(i));
    const way = [0];
    for (let i = 1; i < n; i++)
      way.push(way[i - 1] + Math.hypot(points[i][0] - points[i - 1][0], points[i][1] - points[i - 1][1]));
    const whole = way[n - 1];
    if (!(whole > 60 * r)) return;
    for (let k = 1, i = 1; k < 7; k++) {
      while (i < n - 1 && way[i] < (k / 7) * whole) i++;
      const [x, y] = points[i], a = Math.atan2(y - points[i - 1][1], x - points[i - 1][0]);
      ctx.beginPath();
      for (const turn of [0, 2.6, -2.6]) ctx.lineTo(x + 6 * r * Math.cos(a + turn), y + 6 * r * Math.sin(a + turn));
      ctx.fill();
    }
  }

  const spread = (columns) => {
    let low = Infinity, high = -Infinity;
    for (const values of columns) for (const x of values) { if (x < low) low = x; if (x > high) high = x; }
    return range(null, low, high);
  };
  const unit = (n) => run.byName.get(n).unit;
  const names = run.signals.map((s) => [s.name, s.name]);
  const { pairs } = data;
  let x = pairs[0]?.x ?? data.coordinates[0] ?? names[0]?.[0];
  let y = pairs[0]?.y ?? data.rates[0] ?? names[0]?.[0];
  let plot = null, work = 0;
  const bar = el("div", { class: "bar" }), figure = el("figure", { class: "plot" });
  const note = el("p", { class: "note" }), dot = el("div", { class: "dot" });
  const controls = () => {
    const [xLabel, across] = select(say("Across"), names, x, (v) => { x = v; draw(); });
    const [yLabel, up] = select(say("Up"), names, y, (v) => { y = v; draw(); });
    bar.replaceChildren();
    if (pairs.length) {
      const now = pairs.findIndex((p) => p.x === x && p.y === y);
      bar.append(select(say("Force element"), pairs.map((p, i) => [i, p.name]), Math.max(0, now), (i) => {
        across.value = x = pairs[i].x;
        up.value = y = pairs[i].y;
        draw();
      })[0]);
    }
    bar.append(xLabel, yLabel);
  };
  const room = () => ({ width: Math.max(220, figure.clientWidth),
    height: Math.max(240, Math.min(460, 0.72 * figure.clientWidth)) });

  function draw() {
    plot?.destroy();
    plot = null;
    if (box.hidden || !figure.clientWidth || !x || !run.has(x) || !run.has(y)) return;
    const tables = [run, ...run.others].filter((t) => t.has(x) && t.has(y));
    const columns = (n) => tables.map((t) => t.values(n));
    const scales = [x, y].map((n) => scaleOf(largest(columns(n)), unit(n)));
    const said = scales.map(([, u]) => (u === "1" ? "" : u));
    plot = new uPlot({
      mode: 2, ...room(), legend: { show: false }, cursor: { drag: { x: true, y: true } }, pxAlign: 0,
      padding: [20, 24, 0, 0],
      scales: { x: { time: false, range: () => spread(columns(x)) }, y: { range: () => spread(columns(y)) } },
      axes: axes([said[0], ""], scales.map(([f]) => f)),
      series: [null, ...tables.map((t, k) => ({ paths: curve(t, k), stroke: () => ink(k), facets: [
        { scale: "x", auto: true }, { scale: "y", auto: true }] }))],
      hooks: { draw: [() => mark()], drawAxes: [(u) => topLabel(u, said[1])] },
    }, [null, ...tables.map((t) => [t.values(x), t.values(y)])], figure);
    plot.over.append(dot);
    const canvas = plot.root.querySelector("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `${y} ${say("against")} ${x}`);
    const [xs, ys] = [run.values(x), run.values(y)];
    work = 0;
    for (let i = 1; i < xs.length; i++) work += 0.5 * (ys[i] + ys[i - 1]) * (xs[i] - xs[i - 1]);
    mark();
  }

  function mark() {
    if (!plot || box.hidden || !figure.clientWidth) return;
    const at = [x, y].map((n) => run.at(n, clock.t));
    dot.style.transform = `translate(${plot.valToPos(at[0], "x")}px, ${plot.valToPos(at[1], "y")}px)`;
    const area = { "N m": "J", "N m rad": "J" }[`${unit(y)} ${unit(x)}`];
    note.textContent = `${y} ${say("against")} ${x}. ${prefixed(clock.t, "s")}: `
      + `${prefixed(at[0], unit(x))}, ${prefixed(at[1], unit(y))}.`
      + (area ? ` ${say("Work along the whole curve")}: ${prefixed(work, area)}.` : "");
  }

  controls();
  box.append(bar, figure, note);
  clock.watch(mark);
  onTheme(() => plot?.redraw());
  onLanguage(() => { controls(); mark(); });
  run.changed(draw);
  new ResizeObserver(() => plot?.setSize(room())).observe(box);
  return { appear: draw };
}
"""
