"""One signal against another with a moving dot: force against deflection shows the energy lost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..base import Panel, Told, panel


@panel.named("phase")
class Hysteresis(Panel):
    """Force against deflection of an element, a speed against its coordinate, or any two."""

    title = "Hysteresis"
    place = 20

    def needs(self, told: Told) -> Iterable[str]:
        return told.run.provenance.get("state", ())

    def data(self, told: Told) -> dict[str, Any] | None:
        if len(told.held) < 2:
            return None
        facts = told.run.provenance
        coordinates = [n for n in facts.get("coordinates", ()) if n in told.held]
        owned = {f.name for f in told.model.forces} if told.model else set()
        return {
            "coordinates": coordinates,
            "rates": [
                n
                for n in facts.get("state", ())
                if n in told.held and n not in facts.get("coordinates", ())
            ],
            "pairs": [
                {"name": n[:-6], "x": f"{n[:-6]}.deflection", "y": n}
                for n in sorted(
                    (n for n in told.run.units if n in told.held), key=lambda n: n[:-6] not in owned
                )
                if n.endswith(".force") and f"{n[:-6]}.deflection" in told.held
            ],
        }

    script = r"""
({ run, clock, box, data, axes, color, el, onTheme, range, select, shown, uPlot }) => {
  /** Paths of a curve that may turn back, which uPlot's own (sorted x) would not draw. */
  function curve(u, index) {
    uPlot.orient(u, index, (series, xs, ys, sx, sy, px, py, left, top, width, height) => {
      const { ctx } = u;
      ctx.save();
      ctx.beginPath();
      ctx.rect(left, top, width, height);
      ctx.clip();
      ctx.beginPath();
      for (let i = 0; i < xs.length; i++)
        ctx.lineTo(px(xs[i], sx, width, left), py(ys[i], sy, height, top));
      ctx.strokeStyle = color("accent");
      ctx.lineWidth = 1.6 * devicePixelRatio;
      ctx.lineJoin = "round";
      ctx.stroke();
      ctx.restore();
    });
    return null;
  }

  const spread = (values) => {
    let low = Infinity, high = -Infinity;
    for (const x of values) { if (x < low) low = x; if (x > high) high = x; }
    return range(null, low, high);
  };

  class Phase {
    constructor(run, clock) {
      Object.assign(this, { run, clock });
      const { pairs } = data;
      const names = run.signals.map((s) => [s.name, s.name]);
      this.x = pairs[0]?.x ?? data.coordinates[0] ?? names[0]?.[0];
      this.y = pairs[0]?.y ?? data.rates[0] ?? names[0]?.[0];
      const [xLabel, x] = select("Across", names, this.x, (v) => { this.x = v; this.draw(); });
      const [yLabel, y] = select("Up", names, this.y, (v) => { this.y = v; this.draw(); });
      const bar = el("div", { class: "bar" });
      if (pairs.length) {
        const [label] = select("Force element", pairs.map((p, i) => [i, p.name]), 0, (i) => {
          x.value = this.x = pairs[i].x;
          y.value = this.y = pairs[i].y;
          this.draw();
        });
        bar.append(label);
      }
      bar.append(xLabel, yLabel);
      this.figure = el("figure", { class: "plot" });
      this.note = el("p", { class: "note" });
      this.dot = el("div", { class: "dot" });
      box.append(bar, this.figure, this.note);
      clock.watch(() => this.mark());
      onTheme(() => this.plot?.redraw());
      new ResizeObserver(() => this.plot?.setSize(this.room())).observe(box);
    }

    room() {
      return { width: Math.max(220, this.figure.clientWidth),
        height: Math.max(240, Math.min(460, 0.72 * this.figure.clientWidth)) };
    }

    appear() { this.draw(); }

    draw() {
      this.plot?.destroy();
      const { run } = this;
      if (!this.figure.clientWidth || !this.x) return;
      const unit = (n) => run.byName.get(n).unit;
      const [xs, ys] = [run.values(this.x), run.values(this.y)];
      this.plot = new uPlot({
        mode: 2, ...this.room(), legend: { show: false }, cursor: { drag: { x: true, y: true } },
        padding: [8, 12, 0, 0],
        scales: { x: { time: false, range: () => spread(xs) }, y: { range: () => spread(ys) } },
        axes: axes([this.x, this.y].map((n) => `${n} [${unit(n)}]`))
          .map((a) => ({ ...a, values: undefined })),
        series: [null, { paths: curve, stroke: () => color("accent"), facets: [
          { scale: "x", auto: true }, { scale: "y", auto: true }] }],
        hooks: { draw: [() => this.mark()] },
      }, [null, [xs, ys]], this.figure);
      this.plot.over.append(this.dot);
      const canvas = this.plot.root.querySelector("canvas");
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", `${this.y} against ${this.x}`);
      this.work = 0;
      for (let i = 1; i < xs.length; i++)
        this.work += 0.5 * (ys[i] + ys[i - 1]) * (xs[i] - xs[i - 1]);
      this.mark();
    }

    mark() {
      if (!this.plot || !this.figure.clientWidth) return;
      const x = this.run.at(this.x, this.clock.t), y = this.run.at(this.y, this.clock.t);
      this.dot.style.transform =
        `translate(${this.plot.valToPos(x, "x")}px, ${this.plot.valToPos(y, "y")}px)`;
      const unit = (n) => this.run.byName.get(n).unit;
      const area = { "N m": "J", "N m rad": "J" }[`${unit(this.y)} ${unit(this.x)}`];
      this.note.textContent = `At ${shown(this.clock.t)} s: `
        + `${shown(x)} ${unit(this.x)}, ${shown(y)} ${unit(this.y)}.`
        + (area ? ` Work along the whole curve: ${shown(this.work)} ${area}.` : "");
    }
  }

  return new Phase(run, clock);
}
"""
