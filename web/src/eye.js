// Where the reader looks from: mouse, keys, presets, and following a body.
import { PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

export const VIEWS = ["Free", "Front", "Side", "Top"];
const TURNS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const FILL = 0.8;                                   // of the view that the whole run takes

/** Directions to look from, about the mechanism's own axes: its plane is seen from the front, wheels from the side. */
function directions(up, normal, forward) {
  const most = (v) => v.toArray().reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0);
  const flat = normal && Math.abs(normal.dot(up)) > 0.9;          // the plane lies on the ground
  let front = normal && !flat ? normal.clone() : new Vector3(0, -1, 0);
  if (Math.abs(front.dot(up)) > 0.9) front = new Vector3(0, 0, 1);
  if (normal && !flat && most(up.clone().cross(front)) < 0) front.negate();
  const side = up.clone().cross(front).normalize();
  front = side.clone().cross(up).normalize();
  const mix = (f, s, u) => front.clone().multiplyScalar(f).addScaledVector(side, s).addScaledVector(up, u).normalize();
  const free = flat ? mix(0.8, 0.35, 1) : normal ? mix(1, 0.16, 0.13) : mix(1, 0.5, 0.42);
  if (forward) return { Free: free, Front: forward, Side: forward.clone().cross(up), Top: mix(1e-3, 0, 1) };
  return { Free: free, Front: front, Side: side, Top: mix(1e-3, 0, 1) };
}

export class Eye {
  /** `corners` are points to hold in view, `whole` the sphere around them. */
  constructor(canvas, corners, whole, up, normal, forward, changed) {
    Object.assign(this, { corners, whole, up, changed, body: null, last: null, name: "Free", moved: new Vector3() });
    this.from = directions(up, normal, forward);
    this.camera = new PerspectiveCamera(30, 1, 0.01, 1000);
    this.camera.up.copy(up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", changed);
    this.controls.addEventListener("start", () => { this.name = null; });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  /** Arrow keys turn the view, plus and minus come nearer and go back. */
  key(event) {
    const arm = this.camera.position.clone().sub(this.controls.target);
    if (TURNS[event.key]) {
      const [side, down] = TURNS[event.key];
      const across = this.up.clone().cross(arm).normalize();
      arm.applyAxisAngle(this.up, side * 0.1);
      if (Math.abs(arm.clone().applyAxisAngle(across, down * 0.1).normalize().dot(this.up)) < 0.995)
        arm.applyAxisAngle(across, down * 0.1);
    } else if (event.key === "+" || event.key === "-") {
      arm.multiplyScalar(event.key === "+" ? 0.9 : 1 / 0.9);
    } else return;
    event.preventDefault();
    event.stopPropagation();
    this.name = null;
    this.camera.position.copy(this.controls.target).add(arm);
    this.controls.update();
    this.changed();
  }

  look(name) {
    this.name = VIEWS.includes(name) ? name : "Free";
    this.frame(this.from[this.name], this.corners.map((c) => c.clone().add(this.moved)));
  }

  /** Look from a direction so that all points are inside, as near as that allows. */
  frame(from, points) {
    const right = this.up.clone().cross(from).normalize(), over = from.clone().cross(right);
    const tall = Math.tan((this.camera.fov * Math.PI) / 360) * FILL, wide = tall * this.camera.aspect;
    const span = [right, over].map((d) => {
      const x = points.map((p) => p.dot(d));
      return (Math.min(...x) + Math.max(...x)) / 2;
    });
    const depth = this.whole.center.dot(from) + this.moved.dot(from);
    const target = new Vector3().addScaledVector(right, span[0]).addScaledVector(over, span[1]).addScaledVector(from, depth);
    let distance = 1e-6;
    for (const p of points) {
      const q = p.clone().sub(target), near = q.dot(from);
      distance = Math.max(distance, near + Math.abs(q.dot(right)) / wide, near + Math.abs(q.dot(over)) / tall);
    }
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(from, distance);
    this.camera.near = distance / 100;
    this.camera.far = distance + 12 * this.whole.radius;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.changed();
  }

  shape(width, height) {
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.name) this.look(this.name);
  }

  /** Go with a place from now on, or with nothing. */
  follow(place) {
    this.body = place;
    this.last = place?.position.clone() ?? null;
    this.changed();
  }

  chase() {
    if (!this.body) return null;
    const move = this.body.position.clone().sub(this.last);
    this.last.copy(this.body.position);
    this.moved.add(move);
    this.camera.position.add(move);
    this.controls.target.add(move);
    this.camera.lookAt(this.controls.target);
    return move;
  }
}
