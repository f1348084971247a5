// Joints as one sees them: pins with flanges, rails with sleeves, balls, crosses; what sits around a pin.
import {
  BoxGeometry, CatmullRomCurve3, ConeGeometry, CylinderGeometry, DoubleSide, Group, Mesh, MeshBasicMaterial,
  SphereGeometry, TorusGeometry, TubeGeometry, Vector3,
} from "three";
import { DARK, STEEL, matt, metal } from "./shapes.js";

const UP = new Vector3(0, 1, 0);
const cylinder = (r, length, sides = 28) => new CylinderGeometry(r, r, length, sides);
const along = (direction, ...parts) => {
  const group = new Group();
  if (parts.length) group.add(...parts);
  group.quaternion.setFromUnitVectors(UP, new Vector3(...direction));
  return group;
};
const at = (mesh, y) => { mesh.position.y = y; return mesh; };

function pin(direction, s, color = DARK) {
  const r = 0.16 * s, half = 0.36 * s;
  return along(direction, new Mesh(cylinder(r, 2 * half), metal(color)),
    ...[-1, 1].map((k) => at(new Mesh(cylinder(1.5 * r, 0.12 * s), metal(STEEL)), k * half)));
}

function rail(joint, s, fixed) {
  const [a] = joint.axes, [low, high] = joint.range;
  const length = high - low + 2.2 * s, middle = (low + high) / 2;
  const bars = [-1, 1].map((k) => {
    const bar = new Mesh(new BoxGeometry(0.07 * s, length, 0.07 * s), metal("#98a2b0"));
    bar.position.set(0.3 * s * k, middle, 0);
    return bar;
  });
  fixed.add(along(a.along, ...bars));
  return along(a.along, new Mesh(new BoxGeometry(0.86 * s, 0.5 * s, 0.22 * s), matt(DARK)));
}

function thread(s, length, middle) {
  const points = [];
  for (let i = 0; i <= 160; i++) points.push(new Vector3(0.13 * s * Math.cos(i / 1.6), middle + length * (i / 160 - 0.5), 0.13 * s * Math.sin(i / 1.6)));
  return new Mesh(new TubeGeometry(new CatmullRomCurve3(points), 480, 0.03 * s, 6), metal("#98a2b0"));
}

const axisOf = (joint, k = 0) => joint.axes[Math.min(k, joint.axes.length - 1)]?.along ?? [0, 0, 1];

/** What moves with the child; what stays with the parent is put into `fixed`. */
const PICTURES = {
  pin: (j, s) => pin(axisOf(j), s),
  rail: (j, s, fixed) => rail(j, s, fixed),
  sleeve(j, s, fixed) {
    const [low, high] = j.range;
    fixed.add(along(axisOf(j), at(new Mesh(cylinder(0.12 * s, high - low + 2.4 * s), metal("#98a2b0")), (low + high) / 2)));
    return along(axisOf(j), new Mesh(cylinder(0.24 * s, 0.7 * s), matt(DARK)));
  },
  screw(j, s, fixed) {
    fixed.add(along(axisOf(j), thread(s, 3 * s, 0), new Mesh(cylinder(0.11 * s, 3 * s), metal("#98a2b0"))));
    return along(axisOf(j), new Mesh(cylinder(0.3 * s, 0.45 * s, 6), matt(DARK)));
  },
  ball(j, s, fixed) {
    fixed.add(new Mesh(new SphereGeometry(0.34 * s, 28, 14, 0, 2 * Math.PI, Math.PI / 2.4, Math.PI), matt(STEEL, { side: DoubleSide })));
    return new Mesh(new SphereGeometry(0.27 * s, 32, 22), metal(DARK));
  },
  cross: (j, s) => {
    const group = new Group();
    group.add(pin(axisOf(j, 0), 0.85 * s), pin(axisOf(j, 1), 0.85 * s, STEEL));
    return group;
  },
  plate(j, s, fixed) {
    fixed.add(along(axisOf(j), new Mesh(new BoxGeometry(4 * s, 0.04 * s, 4 * s), matt("#aeb6c2", { transparent: true, opacity: 0.45 }))));
    return along(axisOf(j), new Mesh(cylinder(0.3 * s, 0.16 * s), matt(DARK)));
  },
  gantry: (j, s) => {
    const group = new Group();
    for (const d of [[1, 0, 0], [0, 1, 0], [0, 0, 1]]) group.add(along(d, new Mesh(cylinder(0.05 * s, 1.3 * s), metal())));
    return group;
  },
  free: (j, s) => {
    const group = new Group();
    for (const d of [[1, 0, 0], [0, 1, 0], [0, 0, 1]])
      group.add(along(d, new Mesh(cylinder(0.018 * s, 0.6 * s, 8), matt(STEEL, { transparent: true, opacity: 0.5 }))));
    return group;
  },
  seam: (j, s) => new Mesh(new TorusGeometry(0.2 * s, 0.05 * s, 10, 28), metal("#98a2b0")),
  track: (j, s) => new Mesh(new SphereGeometry(0.26 * s, 24, 16), matt(DARK)),
  linkage: (j, s) => new Mesh(new SphereGeometry(0.2 * s, 24, 16), matt(DARK)),
};
export const JOINT_PICTURES = Object.keys(PICTURES);

/** A joint: `moving` goes with the child's frame, `fixed` with the parent's. */
export function pivot(joint, size) {
  const fixed = new Group(), moving = new Group();
  moving.add(PICTURES[joint.picture](joint, size, fixed));
  for (const g of [fixed, moving]) g.traverse((m) => { m.castShadow = m.receiveShadow = Boolean(m.isMesh); });
  return { fixed, moving };
}

function spiral(s) {
  const points = [];
  for (let i = 0; i <= 90; i++) {
    const a = i / 6, r = s * (0.26 + (0.5 * i) / 90);
    points.push(new Vector3(r * Math.cos(a), 0, r * Math.sin(a)));
  }
  return new Mesh(new TubeGeometry(new CatmullRomCurve3(points), 240, 0.035 * s, 6), metal("#7d8795"));
}

/** What a law on a turning coordinate looks like, around the pin. */
const HUBS = {
  coil: (s) => spiral(s),
  damper: (s) => new Mesh(cylinder(0.42 * s, 0.3 * s), matt("#4b5563")),
  brake: (s) => new Mesh(cylinder(0.5 * s, 0.1 * s), matt("#7a4e3a", { roughness: 0.95 })),
  stop: (s) => new Mesh(new TorusGeometry(0.4 * s, 0.07 * s, 10, 30, 4.4).rotateX(Math.PI / 2), matt("#33383f")),
  drive: (s) => new Mesh(cylinder(0.4 * s, 0.62 * s), matt("#0f6e56")),
  crush: (s) => new Mesh(cylinder(0.42 * s, 0.3 * s, 8), metal("#9a7b4f")),
  gear: (s) => new Mesh(cylinder(0.5 * s, 0.12 * s, 18), matt(STEEL)),
  tie: (s) => new Mesh(new TorusGeometry(0.36 * s, 0.03 * s, 8, 30).rotateX(Math.PI / 2), metal()),
};
export const HUB_LOOKS = Object.keys(HUBS);

export function hub(looks, axis, size) {
  const group = along(axis);
  looks.forEach((word, i) => group.add(at(HUBS[word](size), (0.5 + 0.3 * i) * size * (i % 2 ? -1 : 1))));
  group.traverse((m) => { m.castShadow = Boolean(m.isMesh); });
  return group;
}

/** A moment about an axis: an arc with a head, longer with the moment. */
export class Swirl extends Group {
  constructor(color, radius, width) {
    super();
    Object.assign(this, { radius, width, material: new MeshBasicMaterial({ color, transparent: true, opacity: 0.9, depthTest: false }) });
    this.head = new Mesh(new ConeGeometry(2.6 * width, 7 * width, 14), this.material);
    this.arc = new Mesh(undefined, this.material);
    this.add(this.arc, this.head);
    for (const m of [this.arc, this.head]) m.renderOrder = 4;
  }

  /** `share` of a full circle, with its sign; about y. */
  set(share) {
    this.visible = Math.abs(share) > 0.01;
    if (!this.visible) return;
    const angle = Math.min(0.85, Math.abs(share)) * 2 * Math.PI, r = this.radius, way = Math.sign(share);
    this.arc.geometry.dispose();
    this.arc.geometry = new TorusGeometry(r, this.width, 8, 40, angle).rotateX(-Math.PI / 2);
    this.head.position.set(r * Math.cos(angle), 0, -r * Math.sin(angle));
    this.head.quaternion.setFromUnitVectors(UP, new Vector3(-Math.sin(angle), 0, -Math.cos(angle)));
    this.scale.set(1, 1, way);
  }
}
