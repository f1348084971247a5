// Marks that stand for things which have no body: arrows, frames, centers of mass, traces.
import {
  AxesHelper, BufferAttribute, BufferGeometry, CanvasTexture, ConeGeometry, CylinderGeometry, Group, Line,
  LineBasicMaterial, Mesh, MeshBasicMaterial, Sprite, SpriteMaterial, SRGBColorSpace, Vector3,
} from "three";

const UP = new Vector3(0, 1, 0);

/** An arrow that can be pointed again and again: `set(from, vector)`. */
export class Arrow extends Group {
  constructor(color, width, double = false) {
    super();
    const material = new MeshBasicMaterial({ color, transparent: true, opacity: 0.9, depthTest: false });
    this.shaft = new Mesh(new CylinderGeometry(width, width, 1, 10).translate(0, 0.5, 0), material);
    this.heads = Array.from({ length: double ? 2 : 1 }, () =>
      new Mesh(new ConeGeometry(2.6 * width, 7 * width, 14).translate(0, -3.5 * width, 0), material));
    this.size = 7 * width;
    for (const part of [this.shaft, ...this.heads]) part.renderOrder = 4;    // seen through bodies
    this.add(this.shaft, ...this.heads);
  }

  set(from, vector) {
    const length = vector.length();
    this.visible = length > 0.02 * this.size;
    if (!this.visible) return;
    this.position.copy(from);
    this.quaternion.setFromUnitVectors(UP, vector.clone().divideScalar(length));
    const head = Math.min(1, length / this.size);
    this.shaft.scale.set(1, Math.max(1e-6, length - 0.9 * this.size * head), 1);
    this.heads.forEach((cone, i) => {
      cone.scale.setScalar(head);
      cone.position.y = length - 0.6 * this.size * head * i;
    });
  }
}

export function frame(size) {
  const axes = new AxesHelper(size);
  axes.setColors("#d1495b", "#2a9d6f", "#3b7dd8");
  axes.material.linewidth = 2;
  return axes;
}

/** Quartered disc, the draughtsman's mark of a center of mass; always faces the reader. */
let quarters;
export function center(size) {
  if (!quarters) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 64;
    const c = canvas.getContext("2d");
    const wedge = (from, fill) => {
      c.beginPath(); c.moveTo(32, 32); c.arc(32, 32, 28, from, from + Math.PI / 2); c.fillStyle = fill; c.fill();
    };
    [0, 1, 2, 3].forEach((i) => wedge(i * Math.PI / 2, i % 2 ? "#fff" : "#111"));
    c.beginPath(); c.arc(32, 32, 28, 0, 7); c.lineWidth = 4; c.strokeStyle = "#111"; c.stroke();
    quarters = new CanvasTexture(canvas);
    quarters.colorSpace = SRGBColorSpace;
  }
  const sprite = new Sprite(new SpriteMaterial({ map: quarters, depthTest: false }));
  sprite.scale.setScalar(size);
  sprite.renderOrder = 5;
  return sprite;
}

/** The path of a point: points as a flat array of coordinates. */
export function trace(points, color, opacity) {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(points, 3));
  const line = new Line(geometry, new LineBasicMaterial({ color, transparent: true, opacity }));
  line.frustumCulled = false;
  return line;
}
