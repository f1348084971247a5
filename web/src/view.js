// The mechanism in 3D.  Draws only when something changed.
import { Box3, Group, Matrix4, Quaternion, Raycaster, Scene, Sphere, Vector2, Vector3, WebGLRenderer } from "three";
import { prefixed } from "./data.js";
import { byId, el, select } from "./dom.js";
import { Eye, VIEWS } from "./eye.js";
import { Arrow, center, frame, trace } from "./glyphs.js";
import { Member } from "./members.js";
import { Swirl, hub, pivot } from "./pivots.js";
import { part } from "./shapes.js";
import { ground, light } from "./stage.js";
import { PALETTE, onTheme } from "./theme.js";
import { onLanguage, say } from "./words.js";

const FORCE = "#d1495b", REACTION = "#8262c9";
const LAYERS = {
  bodies: ["Bodies", true], axes: ["Joints", true], lines: ["Springs and links", true],
  forces: ["Force arrows", true], reactions: ["Reaction arrows", false], traces: ["Traces", true],
  ghosts: ["Ghosts", false], coms: ["Centers of mass", false], frames: ["Frames", false],
  names: ["Names", false], grid: ["Ground grid", true],
};
const GHOSTS = 10;
const LONG = 25, COARSE = 0.55;   // ms of a frame that is long; pixels a side of one that hurries
const turnOf = ([w, x, y, z]) => new Quaternion(x, y, z, w);

export class View {
  constructor(run, clock) {
    this.run = run;
    this.clock = clock;
    this.canvas = byId("canvas");
    this.renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.fine = Math.min(2, devicePixelRatio || 1);
    this.renderer.setPixelRatio(this.fine);
    this.scene = new Scene();
    this.layers = Object.fromEntries(Object.entries(LAYERS).map(([name, [, on]]) => {
      const group = new Group();
      group.visible = on && !(name === "axes" && run.scene.shaped);
      this.scene.add(group);
      return [name, group];
    }));
    this.up = new Vector3(...run.scene.up);
    this.turned = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), this.up);
    this.places = new Map([["world", { position: new Vector3(), quaternion: new Quaternion() }]]);
    this.gain = 1;
    this.spread = 0;
    this.size = Math.max(run.scene.size, 1e-6);
    this.build();
    this.sun = light(this.renderer, this.scene, this.whole, this.turned);
    this.ground();
    const [normal, forward] = [run.scene.normal, run.scene.forward].map((v) => (v ? new Vector3(...v) : null));
    this.eye = new Eye(this.canvas, corners(this.box), this.whole, this.up, normal, forward, () => this.invalidate());
    this.controlsOnPage();
    new ResizeObserver(() => this.resize()).observe(byId("view"));
    this.resize();
    this.look("Free");
    clock.watch(() => this.invalidate());
    onTheme(() => { this.ground(); this.invalidate(); });
    onLanguage(() => { this.controlsOnPage(); this.invalidate(); });
    this.canvas.addEventListener("dblclick", (event) => this.pick(event));
  }

  build() {
    this.bodies();
    this.joints();
    this.forces();
    this.traces();
    this.measure();
    this.drawn = this.looks();
    this.shaped = this.run.scene;
  }

  /** Signals that are seen here beside the places of bodies. */
  needs() {
    const { lines, wrenches, hubs } = this.run.scene;
    return [...lines.map((x) => x.force), ...hubs.map((x) => x.effort), ...wrenches.flatMap((x) => [x.size, ...x.inputs]),
      ...(this.layers.reactions.visible ? this.hinges.flatMap((x) => x.names) : [])].filter(Boolean);
  }

  /** What the scene looks like apart from its motion. */
  looks() { return JSON.stringify({ ...this.run.scene, size: 0, ground: 0 }); }

  /** The run was computed anew.  Where shapes are the same only tracks change; the rest settles after a pause. */
  renew() {
    clearTimeout(this.settling);
    if (this.run.scene !== this.shaped && this.looks() !== this.drawn) { this.restyled = true; this.invalidate(); return; }   // with the next frame
    for (const m of this.moving) m.track = this.track(m.body.name);
    const kept = [...this.paths.keys()];
    this.layers.traces.traverse((m) => m.geometry?.dispose());
    this.layers.traces.clear();
    this.paths.clear();
    for (const p of this.traceable) if (kept.includes(p.label)) this.trace(p, true);
    this.scales();
    this.hurried = true;
    this.settling = setTimeout(() => { this.hurried = false; this.rebuild(); }, 400);
    this.invalidate();
  }

  /** All of it anew, seen from where the reader stands. */
  rebuild() {
    this.restyled = false;
    for (const group of Object.values(this.layers)) {
      group.traverse((m) => m.geometry?.dispose());
      group.clear();
    }
    byId("tags").replaceChildren();
    this.size = Math.max(this.run.scene.size, 1e-6);
    this.build();
    this.ground();
    if (this.layers.ghosts.visible) this.ghosts();
    this.invalidate();
  }

  // ---- what there is ------------------------------------------------------------------------
  track(name) {
    const get = (what, letters) => [...letters].map((c) => this.run.values(`${name}.${what}.${c}`));
    const p = get("position", "xyz"), q = get("orientation", "wxyz");
    return p.every(Boolean) && q.every(Boolean) ? { p, q } : null;
  }

  /** The box that holds every body at all times, and the sphere around it; lengths of members. */
  measure() {
    this.box = new Box3();
    this.layers.bodies.updateMatrixWorld(true);
    for (const part of this.still.children) this.box.expandByObject(part);
    const step = Math.max(1, Math.floor(this.run.rows / 60)), v = new Vector3();
    const own = this.moving.map(({ node }) => {
      const box = new Box3();
      node.position.set(0, 0, 0);
      node.quaternion.identity();
      node.updateMatrixWorld(true);
      for (const child of node.children) box.expandByObject(child);
      return box.isEmpty() ? [new Vector3()] : corners(box);
    });
    const lengths = this.pulls.map(() => []);
    for (let i = 0; i < this.run.rows; i += step) {
      this.pose(this.run.time[i]);
      this.moving.forEach(({ node, track }, k) => {
        if (track) for (const c of own[k])
          this.box.expandByPoint(v.copy(c).applyQuaternion(node.quaternion).add(node.position));
      });
      this.pulls.forEach(({ line }, k) => {
        const ends = [this.point(line.a), this.point(line.b)];
        for (const end of ends) this.box.expandByPoint(end);
        lengths[k].push(ends[0].distanceTo(ends[1]));
      });
    }
    this.pulls.forEach(({ member }, k) => member.fit(lengths[k]));
    if (this.box.isEmpty()) this.box.expandByPoint(v.set(0, 0, 0)).expandByScalar(this.size);
    this.whole = this.box.getBoundingSphere(new Sphere());
    this.pose(this.run.t0);
    const first = new Box3();
    this.moving.forEach(({ node }, k) => {
      for (const c of own[k]) first.expandByPoint(v.copy(c).applyQuaternion(node.quaternion).add(node.position));
    });
    for (const part of this.still.children) first.expandByObject(part);
    for (const { line } of this.pulls) for (const end of [line.a, line.b]) first.expandByPoint(this.point(end));
    const near = first.isEmpty() ? this.whole : first.getBoundingSphere(new Sphere());
    if (near.radius > 0 && this.whole.radius > 4 * near.radius) {       // it travels far: go with it
      this.leader = this.moving.reduce((a, b) => (b.body.mass > a.body.mass ? b : a));
      this.ground0 = Math.min(...corners(this.box).map((c) => c.dot(this.up)));
      this.box = first.expandByScalar(0.4 * near.radius);
      this.whole = this.box.getBoundingSphere(new Sphere());
    }
    this.whole.radius = Math.max(this.whole.radius, 0.3 * this.size);
  }

  bodies() {
    const unit = this.size;
    this.moving = [];
    this.fixedOn = [];
    this.run.scene.bodies.forEach((body, i) => {
      const track = this.track(body.name);
      const node = new Group();
      node.name = body.name;
      for (const p of body.parts) node.add(part(p, i, this.up));
      this.layers.bodies.add(node);
      const marks = new Group(), axes = frame(0.22 * unit);
      marks.add(axes);
      this.layers.frames.add(marks);
      const com = body.mass > 0 ? center(0.07 * unit) : null;
      if (com) this.layers.coms.add(com);
      const place = { position: node.position, quaternion: node.quaternion };
      this.places.set(body.name, place);
      this.moving.push({ body, track, node, marks, com, offset: new Vector3(...body.offset) });
    });
    const fixed = this.still = new Group();
    for (const p of this.run.scene.world) fixed.add(part({ quiet: true, ...p }, 9, this.up));
    this.layers.bodies.add(fixed);
    this.layers.frames.add(frame(0.3 * unit));
    for (const f of this.run.scene.frames) {
      const axes = frame(0.16 * unit);
      axes.position.fromArray(f.at);
      axes.quaternion.copy(turnOf(f.turn));
      const owner = this.moving.find((m) => m.body.name === f.body);
      if (owner) owner.marks.add(axes); else this.layers.frames.add(axes);
      const place = { position: new Vector3(), quaternion: new Quaternion() };
      this.places.set(f.name, place);
      this.fixedOn.push({ frame: axes, on: f.body, place });
    }
    this.named = false;
    this.tags = this.moving.map(({ body }) => {
      const tag = el("span", { hidden: true }, body.name);
      byId("tags").append(tag);
      return tag;
    });
  }

  joints() {
    this.hinges = this.run.scene.joints.map((joint) => {
      const { moving, fixed } = pivot(joint, 0.15 * this.size);
      this.layers.axes.add(moving, fixed);
      const names = ["x", "y", "z"].map((c) => `${joint.name}.reaction.force.${c}`);
      const reaction = names.every((n) => this.run.has(n)) ? new Arrow(REACTION, 0.008 * this.size) : null;
      if (reaction) this.layers.reactions.add(reaction);
      const swirls = this.run.scene.hubs.filter((h) => h.joint === joint.name).map((h) => {
        const axis = joint.axes.find((a) => a.turn)?.along ?? [0, 0, 1];
        moving.add(hub(h.looks, axis, 0.15 * this.size));
        if (!h.effort) return null;
        const swirl = new Swirl(FORCE, 0.16 * this.size, 0.007 * this.size);
        swirl.axis = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), new Vector3(...axis));
        swirl.effort = h.effort;
        this.layers.forces.add(swirl);
        return swirl;
      }).filter(Boolean);
      return { joint, moving, fixed, reaction, names, swirls, turn: turnOf(joint.turn), at: new Vector3(...joint.at),
        own: this.moving.find((m) => m.body.name === joint.body), footTurn: turnOf(joint.foot.turn), footAt: new Vector3(...joint.foot.at) };
    });
  }

  forces() {
    const width = 0.009 * this.size;
    this.pulls = this.run.scene.lines.map((line) => {
      const member = new Member(line, this.size);
      this.layers.lines.add(member);
      const arrows = line.force ? [new Arrow(FORCE, width), new Arrow(FORCE, width)] : [];
      if (arrows.length) this.layers.forces.add(...arrows);
      return { line, member, arrows };
    });
    this.pushes = this.run.scene.wrenches.map((wrench) => {
      const arrow = new Arrow(FORCE, width);
      this.layers.forces.add(arrow);
      return { wrench, arrow };
    });
    this.scales();
  }

  /** The largest of each kind of arrow: what their lengths are shares of. */
  scales() {
    for (const { swirls } of this.hinges) for (const s of swirls) s.most = biggest(this.run.values(s.effort)) || 1;
    this.most = {
      forces: Math.max(0, ...this.pulls.map(({ line }) => biggest(this.run.values(line.force))),
        ...this.pushes.map(({ wrench }) => this.biggestPush(wrench))),
      reactions: Math.max(0, ...this.hinges.filter((h) => h.reaction).map((h) => biggest(
        h.names.map((n) => this.run.values(n))))),
    };
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
    const drawn = this.paths ? [...this.paths.keys()] : this.run.scene.traced;   // what the reader chose stays
    this.paths = new Map();
    this.traceable = [
      ...this.run.scene.bodies.map((b) => ({ label: b.name, body: b.name, at: b.com })),
      ...this.run.scene.frames.map((f) => ({ label: f.name, body: f.body, at: f.at })),
    ].filter((p) => p.body !== "world" && this.track(p.body));
    this.traceable.forEach((p) => {
      p.color = PALETTE[this.moving.findIndex((m) => m.body.name === p.body) % PALETTE.length];
      if (drawn.includes(p.label)) this.trace(p, true);
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

  /** The mechanism at several instants at once, faint. */
  ghosts() {
    if (this.layers.ghosts.children.length) return;
    const { t0, t1 } = this.run;
    for (let k = 0; k <= GHOSTS; k++) {
      this.pose(t0 + (k / GHOSTS) * (t1 - t0));
      for (const { node } of this.moving) {
        const copy = node.clone();
        copy.traverse((m) => {
          if (!m.isMesh) return;
          const fade = (x) => Object.assign(x.clone(), { transparent: true, opacity: 0.10 + (0.12 * k) / GHOSTS, depthWrite: false });
          m.material = Array.isArray(m.material) ? m.material.map(fade) : fade(m.material);
          m.castShadow = false;
        });
        this.layers.ghosts.add(copy);
      }
    }
  }

  ground() {
    this.layers.grid.clear();
    const span = Math.max(2.2 * this.whole.radius, 1e-6);
    const cell = 10 ** Math.floor(Math.log10(span / 4));
    this.gridStep = [1, 2, 5].map((k) => k * cell).find((k) => span / k <= 16) ?? 10 * cell;
    const low = this.ground0 ?? Math.min(...corners(this.box).map((c) => c.dot(this.up)));
    this.layers.grid.add(ground(this.whole, this.up, this.run.scene.ground ?? low, this.gridStep));
  }

  look(name) { this.eye.look(name); }

  /** A body that was double-clicked fills the view; empty space shows all. */
  pick(event) {
    const box = this.canvas.getBoundingClientRect(), ray = new Raycaster();
    ray.setFromCamera(new Vector2(((event.clientX - box.x) / box.width) * 2 - 1, 1 - ((event.clientY - box.y) / box.height) * 2), this.eye.camera);
    let [hit] = ray.intersectObjects(this.moving.map((m) => m.node), true).map((h) => h.object);
    while (hit && !this.moving.some((m) => m.node === hit)) hit = hit.parent;
    if (!hit) return this.look("Free");
    const from = this.eye.camera.position.clone().sub(this.eye.controls.target).normalize();
    this.eye.name = null;
    this.eye.frame(from, corners(new Box3().setFromObject(hit)));
  }

  resize() {
    const { clientWidth: w, clientHeight: h } = byId("view");
    if (!w || !h) return;
    this.renderer.setSize(w, h, false);
    this.eye.shape(w, h);
    this.draw();                                    // setting the size has cleared the canvas
  }

  // ---- switches -----------------------------------------------------------------------------
  controlsOnPage() {
    byId("cameras").replaceChildren();
    byId("switches").replaceChildren();
    for (const name of VIEWS)
      byId("cameras").append(el("button", { type: "button", onclick: () => this.look(name) }, say(name)));
    const box = byId("switches");
    const effective = this.hinges.some((h) => h.swirls.length);
    const empty = { lines: !this.pulls.length, forces: !this.pulls.length && !this.pushes.length && !effective,
      reactions: !this.hinges.some((h) => h.reaction), axes: !this.hinges.length, ghosts: !(this.run.t1 > this.run.t0) };
    for (const [name, [label]] of Object.entries(LAYERS)) {
      if (empty[name]) continue;
      const input = el("input", { type: "checkbox", "data-layer": name, onchange: () => this.switch(name, input.checked) });
      input.checked = this.layers[name].visible;
      box.append(el("label", {}, input, " ", say(label)));
    }
    const slider = (label, low, high, value, change) => {
      const input = el("input", { type: "range", min: low, max: high, step: "any", value,
        oninput: () => { change(Number(input.value)); this.invalidate(); } });
      box.append(el("label", {}, say(label), " ", input));
      return input;
    };
    slider("Arrow length", -1.5, 1.5, 0, (x) => { this.gain = 10 ** x; });
    if (this.moving.length > 1) slider("Exploded", 0, 1, 0, (x) => { this.spread = x; }).id = "explode";
    const [label, follow] = select(say("Follow"), [["", say("nothing")],
      ...this.run.scene.bodies.map((b) => [b.name, b.name])], "",
    (name) => this.eye.follow(name ? this.places.get(name) : null));
    follow.id = "follow";
    if (this.leader) {
      follow.value = this.leader.body.name;
      this.pose(this.run.t0);
      this.eye.follow(this.leader.node);
    }
    box.append(label);
    const list = el("details", {}, el("summary", {}, say("Traced points")));
    for (const p of this.traceable) {
      const input = el("input", { type: "checkbox", onchange: () => this.trace(p, input.checked) });
      input.checked = this.paths.has(p.label);
      list.append(el("label", {}, input, ` ${p.label}`));
    }
    box.append(list);
  }

  switch(name, on) {
    if (name === "ghosts" && on) this.ghosts();
    this.layers[name].visible = on;
    this.invalidate();
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
    const q0 = new Quaternion(), q1 = new Quaternion(), out = new Vector3();
    for (const { body, track, node, marks, com, offset } of this.moving) {
      if (!track) continue;
      const read = (x, k) => x[Math.min(k, x.length - 1)];
      node.position.set(...track.p.map((x) => read(x, i) * (1 - w) + read(x, i + 1) * w)).add(offset);
      q0.set(...[1, 2, 3, 0].map((k) => read(track.q[k], i)));
      q1.set(...[1, 2, 3, 0].map((k) => read(track.q[k], i + 1)));
      node.quaternion.slerpQuaternions(q0.normalize(), q1.normalize(), w);   // SH.3
      if (this.spread) {
        out.fromArray(body.com).applyQuaternion(node.quaternion).add(node.position).sub(this.whole.center);
        node.position.addScaledVector(out, this.spread);
      }
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
    const cell = round(this.gridStep * largest / (0.6 * this.size * this.gain)), scale = this.gridStep / cell;
    for (const { joint, moving, fixed, reaction, names, swirls, turn, at, footTurn, footAt, own } of this.hinges) {
      const on = this.places.get(joint.body), base = this.places.get(joint.parent);
      if (!on?.position) continue;
      moving.position.copy(at).applyQuaternion(on.quaternion).add(on.position);
      moving.quaternion.copy(on.quaternion).multiply(turn);
      if (base) {
        fixed.position.copy(footAt).applyQuaternion(base.quaternion).add(base.position);
        if (own && joint.parent === "world") fixed.position.add(own.offset);
        fixed.quaternion.copy(base.quaternion).multiply(footTurn);
      }
      for (const swirl of swirls) {
        swirl.position.copy(moving.position);
        swirl.quaternion.copy(moving.quaternion).multiply(swirl.axis);
        swirl.set((0.7 * this.run.at(swirl.effort, t)) / swirl.most);
      }
      reaction?.set(moving.position, new Vector3(...names.map((n) => this.run.at(n, t)))
        .applyQuaternion(moving.quaternion).multiplyScalar(scale));
    }
    for (const { line, member, arrows } of this.pulls) {
      const a = this.point(line.a), b = this.point(line.b);
      member.set(a, b, t);
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
    byId("legend").textContent = `${say("grid")} ${prefixed(this.gridStep, "m", 2)}`
      + (largest > 1e-12 ? `  ·  ${say("arrows: one cell is")} ${prefixed(cell, "N", 2)}` : "");
  }

  draw() {
    if (this.restyled) this.rebuild();
    const { t } = this.clock;
    this.pose(t);
    this.arrows(t);
    const [i] = this.run.locate(t);
    for (const path of this.paths.values()) path.past.geometry.setDrawRange(0, i + 2);
    const moved = this.eye.chase();
    if (moved) {                                      // light and ground go with it, lines stay where they are
      this.sun.position.add(moved);
      this.sun.target.position.add(moved);
      this.layers.grid.children[0].go(moved);
    }
    this.render();
    this.label();
  }

  /** Where frames take long (no graphics card) those of something that moves are coarse, what stands still is fine. */
  render() {
    const hurried = this.clock.playing || this.hurried, { renderer } = this, gl = renderer.getContext();
    const ratio = hurried && this.slow ? COARSE * this.fine : this.fine;
    if (renderer.getPixelRatio() !== ratio) renderer.setPixelRatio(ratio);
    const begun = performance.now();
    renderer.render(this.scene, this.eye.camera);
    if (!hurried || this.slow !== undefined) return;
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));   // waits for the frame
    this.slow = performance.now() - begun > LONG;
  }

  label() {
    const on = this.layers.names.visible;
    if (on === this.named && !on) return;             // asks for no layout
    this.named = on;
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

/** The nearest number that people count in. */
const round = (x) => {
  const ten = 10 ** Math.floor(Math.log10(x));
  return ten * [1, 1.5, 2, 3, 4, 5, 6, 8, 10].reduce((a, b) => (Math.abs(b - x / ten) < Math.abs(a - x / ten) ? b : a));
};

/** Size that a signal, or the vector of several, passes in one row of twenty: a peak alone sets no scale. */
const biggest = (x) => {
  const parts = Array.isArray(x) ? x : x ? [x] : [];
  const sizes = Float64Array.from(parts[0] ?? [], (_, i) => Math.hypot(...parts.map((p) => p[i]))).sort();
  const high = sizes[Math.floor(0.95 * (sizes.length - 1))] ?? 0;
  return high || sizes.at(-1) || 0;
};

const corners = (box) => [0, 1, 2, 3, 4, 5, 6, 7].map((i) => new Vector3(
  i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z));
