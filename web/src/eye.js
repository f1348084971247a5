// Where the reader looks from: mouse, keys, presets, and following a body.
import { PerspectiveCamera, Vector3 } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

export const VIEWS = { Free: [0.75, -1.6, 0.75], Front: [0, -1, 0], Side: [1, 0, 0], Top: [0, 0, 1] };
const TURNS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Eye {
  /** `whole` is the sphere to hold in view; `up` and `turned` say where the sky is. */
  constructor(canvas, whole, up, turned, changed) {
    Object.assign(this, { whole, up, turned, changed, body: null, last: null });
    this.camera = new PerspectiveCamera(32, 1, 0.01, 1000);
    this.camera.up.copy(up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("change", changed);
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
    this.camera.position.copy(this.controls.target).add(arm);
    this.controls.update();
    this.changed();
  }

  look(name) {
    const from = new Vector3(...(VIEWS[name] ?? VIEWS.Free)).applyQuaternion(this.turned).normalize();
    if (name === "Top") from.addScaledVector(new Vector3(0, -1, 0).applyQuaternion(this.turned), 1e-3);
    const narrow = Math.min(1, this.camera.aspect);
    const distance = this.whole.radius / Math.sin((this.camera.fov * Math.PI) / 360) / narrow;
    this.controls.target.copy(this.whole.center);
    this.camera.position.copy(this.whole.center).addScaledVector(from, 1.02 * distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 20;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.changed();
  }

  shape(width, height) {
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  /** Go with a place from now on, or with nothing. */
  follow(place) {
    this.body = place;
    this.last = place?.position.clone() ?? null;
    this.changed();
  }

  chase() {
    if (!this.body) return;
    const move = this.body.position.clone().sub(this.last);
    this.last.copy(this.body.position);
    this.camera.position.add(move);
    this.controls.target.add(move);
    this.camera.lookAt(this.controls.target);
  }
}
