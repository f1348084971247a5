// The mechanism in 3D.  Draws only when something changed.
import {
  AmbientLight, Box3, DirectionalLight, GridHelper, Group, HemisphereLight, Matrix4, Quaternion,
  Scene, Sphere, Vector3, WebGLRenderer,
} from "three";
import { shown } from "./data.js";
import { byId, el, select } from "./dom.js";
import { Eye, VIEWS } from "./eye.js";
import { Arrow, Spring, axis, centre, frame, trace } from "./glyphs.js";
import { part } from "./shapes.js";
import { PALETTE, color, onTheme } from "./theme.js";

const WHOLE = "#6b7a90", TORN = "#b3261e";
const LAYERS = {
  bodies: ["Bodies", true], axes: ["Joint axes", true], coms: ["Centres of mass", true],
  frames: ["Frames", false], lines: ["Springs and links", true], forces: ["Force arrows", true],
  reactions: ["Reaction arrows", false], traces: ["Traces", true], names: ["Names", false],
  grid: ["Ground grid", true],
};

export class View {
  constructor(run, clock) {
    this.run = run;
    this.clock = clock;
    this.canvas = byId("canvas");
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true, alpha: true,
      preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio || 1));
    this.scene = new Scene();
    this.layers = Object.fromEntries(Object.keys(LAYERS).map((name) => {
      const group = new Group();
      group.visible = LAYERS[name][1];
      this.scene.add(group);
      return [name, group];
    }));
    this.up = new Vector3(...run.scene.up);
    this.turned = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), this.up);
    this.places = new Map([["world", { position: new Vector3(), quaternion: new Quaternion() }]]);
    this.gain = 1;
    this.size = Math.max(run.scene.size, 1e-6);
    this.light();
    this.bodies();
    this.joints();
    this.forces();
    this.traces();
    this.measure();
    this.ground();
    this.eye = new Eye(this.canvas, this.whole, this.up, this.turned, () => this.invalidate());
    this.controlsOnPage();
    new ResizeObserver(() => this.resize()).observe(byId("view"));
    this.resize();
    this.look(run.scene.look ?? "Free");
    clock.watch(() => this.invalidate());
    onTheme(() => { this.ground(); this.invalidate(); });
  }

  // ---- what there is ------------------------------------------------------------------------
  track(name) {
    const get = (what, letters) => [...letters].map((c) => this.run.values(`${name}.${what}.${c}`));
    const p = get("position", "xyz"), q = get("orientation", "wxyz");
    return p.every(Boolean) && q.every(Boolean) ? { p, q } : null;
  }

  /** The box that holds every body at all times, and the sphere around it. */
  measure() {
    this.box = new Box3();
    this.layers.bodies.updateMatrixWorld(true);
    for (const part of this.still.children) this.box.expandByObject(part);
    const step = Math.max(1, Math.floor(this.run.rows / 60)), v = new Vector3();
    const own = this.moving.map(({ node }) => {
      const box = new Box3();
      for (const child of node.children) {
        child.updateMatrix();
        child.geometry.computeBoundingBox();
        box.union(child.geometry.boundingBox.clone().applyMatrix4(child.matrix));
      }
      return box.isEmpty() ? [new Vector3()] : corners(box);
    });
    for (let i = 0; i < this.run.rows; i += step) {
      this.pose(this.run.time[i]);
      this.moving.forEach(({ node, track }, k) => {
        if (track) for (const c of own[k])
          this.box.expandByPoint(v.copy(c).applyQuaternion(node.quaternion).add(node.position));
      });
    }
    for (const { line } of this.pulls) for (const end of [line.a, line.b])
      if (end.on === "world") this.box.expandByPoint(v.set(...end.at));
    if (this.box.isEmpty()) this.box.expandByPoint(v.set(0, 0, 0)).expandByScalar(this.size);
    this.whole = this.box.getBoundingSphere(new Sphere());
    this.whole.radius = Math.max(this.whole.radius, 0.3 * this.size);
  }

  light() {
    this.scene.add(new HemisphereLight("#ffffff", "#8893a5", 1.7), new AmbientLight("#ffffff", 0.35));
    const sun = new DirectionalLight("#ffffff", 1.9);
    sun.position.set(0.6, -1, 1.4).applyQuaternion(this.turned);
    this.scene.add(sun);
  }

  bodies() {
    const unit = this.size;
    this.moving = [];
    this.fixedOn = [];
    this.run.scene.bodies.forEach((body, i) => {
      const track = this.track(body.name);
      const node = new Group();
      for (const p of body.parts) node.add(part(p, i));
      this.layers.bodies.add(node);
      const marks = new Group(), axes = frame(0.22 * unit);
      marks.add(axes);
      this.layers.frames.add(marks);
      const com = body.mass > 0 ? centre(0.07 * unit) : null;
      if (com) this.layers.coms.add(com);
      const place = { position: node.position, quaternion: node.quaternion };
      this.places.set(body.name, place);
      this.moving.push({ body, track, node, marks, com, offset: new Vector3(...body.offset) });
    });
    const fixed = this.still = new Group();
    for (const p of this.run.scene.world) fixed.add(part(p, 9));
    this.layers.bodies.add(fixed);
    this.layers.frames.add(frame(0.3 * unit));
    for (const f of this.run.scene.frames) {
      const axes = frame(0.16 * unit);
      axes.position.fromArray(f.at);
      axes.quaternion.set(f.turn[1], f.turn[2], f.turn[3], f.turn[0]);
      const owner = this.moving.find((m) => m.body.name === f.body);
      if (owner) owner.marks.add(axes); else this.layers.frames.add(axes);
      const place = { position: new Vector3(), quaternion: new Quaternion() };
      this.places.set(f.name, place);
      this.fixedOn.push({ frame: axes, on: f.body, place });
    }
    this.tags = this.moving.map(({ body }) => {
      const tag = el("span", {}, body.name);
      byId("tags").append(tag);
      return tag;
    });
  }

  joints() {
    this.hinges = this.run.scene.joints.map((joint) => {
      const glyph = axis(joint, 0.17 * this.size);
      this.layers.axes.add(glyph);
      const names = ["x", "y", "z"].map((c) => `${joint.name}.reaction.force.${c}`);
      const reaction = names.every((n) => this.run.has(n)) ? new Arrow("#8262c9", 0.008 * this.size) : null;
      if (reaction) this.layers.reactions.add(reaction);
      return { joint, glyph, reaction, names, turn: new Quaternion(joint.turn[1], joint.turn[2],
        joint.turn[3], joint.turn[0]), at: new Vector3(...joint.at) };
    });
  }

  forces() {
    const width = 0.009 * this.size;
    this.pulls = this.run.scene.lines.map((line) => {
      const coil = line.rod ? 0 : 0.022 * this.size;
      const spring = new Spring(WHOLE, coil);
      this.layers.lines.add(spring);
      const stub = line.torn == null ? null : new Spring(TORN, coil, 3);
      if (stub) this.layers.lines.add(stub);
      const arrows = line.force ? [new Arrow("#d1495b", width), new Arrow("#d1495b", width)] : [];
      if (arrows.length) this.layers.forces.add(...arrows);
      return { line, spring, stub, arrows };
    });
    this.pushes = this.run.scene.wrenches.map((wrench) => {
      const arrow = new Arrow("#d1495b", width);
      this.layers.forces.add(arrow);
      return { wrench, arrow };
    });
    this.most = {
      forces: Math.max(0, ...this.pulls.map(({ line }) => biggest(this.run.values(line.force))),
        ...this.pushes.map(({ wrench }) => this.biggestPush(wrench))),
      reactions: Math.max(0, ...this.hinges.filter((h) => h.reaction).map((h) => biggest(
        h.names.map((n) => this.run.values(n))))),
    };
  }

  /** A member between its ends; two stubs apart once it is torn. */
  member(line, spring, stub, a, b, t) {
    const broken = stub !== null && t >= line.torn;
    if (stub) {
      stub.visible = broken;
      spring.material.color.set(broken ? TORN : WHOLE);
    }
    if (!broken) return spring.set(a, b);
    const half = b.clone().sub(a).multiplyScalar(0.35);
    spring.set(a, a.clone().add(half));
    stub.set(b, b.clone().sub(half));
  }

  biggestPush(wrench) {
    return biggest(this.run.time.map((t) => this.push(wrench, t).length()));
  }

  push(wrench, t) {
    const size = wrench.size ? this.run.at(wrench.size, t) : 1;
    return new Vector3(...wrench.force.map((f, i) =>
      f * size + (wrench.inputs.length ? this.run.at(wrench.inputs[i], t) : 0)));
  }

  traces() {
    this.paths = new Map();
    this.traceable = [
      ...this.run.scene.bodies.map((b) => ({ label: b.name, body: b.name, at: b.com })),
      ...this.run.scene.frames.map((f) => ({ label: f.name, body: f.body, at: f.at })),
    ].filter((p) => p.body !== "world" && this.track(p.body));
    this.traceable.forEach((p, i) => {
      p.color = PALETTE[i % PALETTE.length];
      if (this.run.scene.traced.includes(p.label)) this.trace(p, true);
    });
  }

  trace(p, on) {
    if (!on) {
      this.layers.traces.remove(this.paths.get(p.label));
      this.paths.delete(p.label);
    } else if (!this.paths.has(p.label)) {
      const track = this.track(p.body), q = new Quaternion(), v = new Vector3();
      const offset = this.moving.find((m) => m.body.name === p.body).offset;
      const points = new Float32Array(3 * this.run.rows);
      for (let i = 0; i < this.run.rows; i++) {
        q.set(track.q[1][i], track.q[2][i], track.q[3][i], track.q[0][i]);
        v.fromArray(p.at).applyQuaternion(q).add(offset);
        points.set([v.x + track.p[0][i], v.y + track.p[1][i], v.z + track.p[2][i]], 3 * i);
      }
      const path = new Group(), past = trace(points, p.color, 0.95);
      path.add(trace(points, p.color, 0.25), past);
      path.past = past;
      this.paths.set(p.label, path);
      this.layers.traces.add(path);
    }
    this.invalidate();
  }

  ground() {
    this.layers.grid.clear();
    const span = Math.max(2.2 * this.whole.radius, 1e-6);
    const cell = 10 ** Math.floor(Math.log10(span / 4));
    const step = [1, 2, 5].map((k) => k * cell).find((k) => span / k <= 24) ?? 10 * cell;
    const n = 2 * Math.ceil(span / step / 2);
    const grid = new GridHelper(n * step, n, color("grid-strong"), color("grid"));
    grid.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), this.up);
    const centre = this.whole.center.clone();
    const low = Math.min(...corners(this.box).map((c) => c.dot(this.up)));
    const height = this.run.scene.ground ?? low;
    const flat = centre.sub(this.up.clone().multiplyScalar(centre.dot(this.up)));
    flat.set(...flat.toArray().map((x) => Math.round(x / step) * step));
    grid.position.copy(flat.addScaledVector(this.up, height));
    this.layers.grid.add(grid);
    this.gridStep = step;
  }

  look(name) { this.eye.look(name); }

  resize() {
    const { clientWidth: w, clientHeight: h } = byId("view");
    if (!w || !h) return;
    this.renderer.setSize(w, h, false);
    this.eye.shape(w, h);
    this.draw();                                    // setting the size has cleared the canvas
  }

  // ---- switches -----------------------------------------------------------------------------
  controlsOnPage() {
    for (const name of Object.keys(VIEWS))
      byId("cameras").append(el("button", { type: "button", onclick: () => this.look(name) }, name));
    const box = byId("switches");
    const empty = { lines: !this.pulls.length, forces: !this.pulls.length && !this.pushes.length,
      reactions: !this.hinges.some((h) => h.reaction), axes: !this.hinges.length };
    for (const [name, [label, on]] of Object.entries(LAYERS)) {
      if (empty[name]) continue;
      const input = el("input", { type: "checkbox", onchange: () => {
        this.layers[name].visible = input.checked; this.invalidate();
      } });
      input.checked = on;
      box.append(el("label", {}, input, ` ${label}`));
    }
    const gain = el("input", { type: "range", min: -1.5, max: 1.5, step: "any", value: 0,
      oninput: () => { this.gain = 10 ** gain.value; this.invalidate(); } });
    box.append(el("label", {}, "Arrow length ", gain));
    const [label, follow] = select("Follow", [["", "nothing"],
      ...this.run.scene.bodies.map((b) => [b.name, b.name])], "",
    (name) => this.eye.follow(name ? this.places.get(name) : null));
    follow.id = "follow";
    box.append(label);
    const list = el("details", {}, el("summary", {}, "Traced points"));
    for (const p of this.traceable) {
      const input = el("input", { type: "checkbox", onchange: () => this.trace(p, input.checked) });
      input.checked = this.paths.has(p.label);
      list.append(el("label", {}, input, ` ${p.label}`));
    }
    box.append(list);
  }

  // ---- drawing ------------------------------------------------------------------------------
  invalidate() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.draw(); });
  }

  point(end) {
    const on = this.places.get(end.on);
    const at = new Vector3(...end.at);
    return on ? at.applyQuaternion(on.quaternion).add(on.position) : at;
  }

  pose(t) {
    const [i, w] = this.run.locate(t);
    const q0 = new Quaternion(), q1 = new Quaternion();
    for (const { body, track, node, marks, com, offset } of this.moving) {
      if (!track) continue;
      const read = (x, k) => x[Math.min(k, x.length - 1)];
      node.position.set(...track.p.map((x) => read(x, i) * (1 - w) + read(x, i + 1) * w)).add(offset);
      q0.set(...[1, 2, 3, 0].map((k) => read(track.q[k], i)));
      q1.set(...[1, 2, 3, 0].map((k) => read(track.q[k], i + 1)));
      node.quaternion.slerpQuaternions(q0.normalize(), q1.normalize(), w);   // SH.3
      marks.position.copy(node.position);
      marks.quaternion.copy(node.quaternion);
      com?.position.fromArray(body.com).applyQuaternion(node.quaternion).add(node.position);
    }
    for (const { frame: { position, quaternion }, on, place } of this.fixedOn) {
      const body = this.places.get(on);
      place.position.copy(position).applyQuaternion(body.quaternion).add(body.position);
      place.quaternion.copy(body.quaternion).multiply(quaternion);
    }
  }

  arrows(t) {
    const shownNow = Object.keys(this.most).filter((n) => this.layers[n].visible);
    const largest = Math.max(...shownNow.map((n) => this.most[n]), 1e-12);   // one scale for all
    const scale = 0.6 * this.size * this.gain / largest;
    for (const { joint, glyph, reaction, names, turn, at } of this.hinges) {
      const on = this.places.get(joint.body);
      if (!on?.position) continue;
      glyph.position.copy(at).applyQuaternion(on.quaternion).add(on.position);
      glyph.quaternion.copy(on.quaternion).multiply(turn);
      reaction?.set(glyph.position, new Vector3(...names.map((n) => this.run.at(n, t)))
        .applyQuaternion(glyph.quaternion).multiplyScalar(scale));
    }
    for (const { line, spring, stub, arrows } of this.pulls) {
      const a = this.point(line.a), b = this.point(line.b);
      this.member(line, spring, stub, a, b, t);
      if (!arrows.length) continue;
      const pull = b.clone().sub(a).normalize().multiplyScalar(this.run.at(line.force, t) * scale);
      arrows[0].set(a, pull);
      arrows[1].set(b, pull.clone().negate());
    }
    for (const { wrench, arrow } of this.pushes) {
      const f = this.push(wrench, t).multiplyScalar(scale);
      const on = this.places.get(wrench.at.on);
      if (wrench.own && on?.quaternion) f.applyQuaternion(on.quaternion);
      arrow.set(this.point(wrench.at), f);
    }
    byId("legend").textContent = `grid ${shown(this.gridStep, 1)} m`
      + (largest > 1e-12 ? `  ·  arrows: one cell is ${shown(this.gridStep / scale, 3)} N` : "");
  }

  draw() {
    const { t } = this.clock;
    this.pose(t);
    this.arrows(t);
    const [i] = this.run.locate(t);
    for (const path of this.paths.values()) path.past.geometry.setDrawRange(0, i + 2);
    this.eye.chase();
    this.renderer.render(this.scene, this.eye.camera);
    this.label();
  }

  label() {
    const on = this.layers.names.visible;
    const { clientWidth: w, clientHeight: h } = this.canvas;
    const { camera } = this.eye;
    const m = new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorld.clone().invert());
    this.moving.forEach(({ body, node }, i) => {
      const tag = this.tags[i];
      tag.hidden = !on;
      if (!on) return;
      const p = new Vector3(...body.com).applyQuaternion(node.quaternion).add(node.position).applyMatrix4(m);
      tag.style.transform = `translate(${(p.x + 1) * w / 2}px, ${(1 - p.y) * h / 2}px)`;
    });
  }
}

/** Size that a signal, or the vector of several, passes in one row of twenty: a peak alone sets no scale. */
const biggest = (x) => {
  const parts = Array.isArray(x) ? x : x ? [x] : [];
  const sizes = Float64Array.from(parts[0] ?? [], (_, i) => Math.hypot(...parts.map((p) => p[i]))).sort();
  const high = sizes[Math.floor(0.95 * (sizes.length - 1))] ?? 0;
  return high || sizes.at(-1) || 0;
};

const corners = (box) => [0, 1, 2, 3, 4, 5, 6, 7].map((i) => new Vector3(
  i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z));
