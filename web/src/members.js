// What stretches between two moving points: springs, dampers, rods, members that crush.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CatmullRomCurve3, CylinderGeometry, DoubleSide, Group, Mesh,
  SphereGeometry, TubeGeometry, Vector3,
} from "three";
import { DARK, matt, metal } from "./shapes.js";

const UP = new Vector3(0, 1, 0);
const TURNS = 7, RINGS = 17, CORNERS = 4;
const TORN = "#b3261e";

const tube = (r, length = 1, sides = 20) => new CylinderGeometry(r, r, length, sides).translate(0, length / 2, 0);

/** Each picture lies along y from 0 on; `set(length)` gives it its present length. */
const LOOKS = {
  coil(size, { mean }) {
    const r = 0.034 * size, points = [], n = 14 * TURNS;
    points.push(new Vector3(0, 0, 0), new Vector3(0, 0.06 * mean, 0));
    for (let i = 0; i <= n; i++) {
      const a = (2 * Math.PI * i) / 14, lift = Math.min(1, i / 5, (n - i) / 5);
      points.push(new Vector3(lift * r * Math.cos(a), mean * (0.1 + (0.8 * i) / n), lift * r * Math.sin(a)));
    }
    points.push(new Vector3(0, 0.94 * mean, 0), new Vector3(0, mean, 0));
    const mesh = new Mesh(new TubeGeometry(new CatmullRomCurve3(points), 12 * TURNS * 3, 0.0062 * size, 7), metal("#7d8795"));
    mesh.set = (length) => { mesh.scale.y = length / mean; };
    return mesh;
  },
  damper(size, { least, most }, color = "#4b5563") {
    const r = 0.02 * size, body = Math.min(0.58 * most, 0.9 * least), stem = Math.min(most - 0.9 * body, 0.98 * least);
    const group = new Group(), rod = new Mesh(tube(0.4 * r, stem), metal("#c3cad4"));
    group.add(new Mesh(tube(r, body), matt(color)), rod);
    group.set = (length) => { rod.position.y = length - stem; };
    return group;
  },
  crush(size, { most }) {
    const g = new BufferGeometry(), w = Math.min(0.05 * size, 0.16 * most), index = [];
    g.setAttribute("position", new BufferAttribute(new Float32Array(3 * RINGS * (CORNERS + 1)), 3));
    for (let i = 0; i + 1 < RINGS; i++) for (let j = 0; j < CORNERS; j++) {
      const a = i * (CORNERS + 1) + j, b = a + 1, c = a + CORNERS + 1, d = c + 1;
      index.push(a, b, c, b, d, c);
    }
    g.setIndex(index);
    const mesh = new Mesh(g, metal("#9a7b4f", { side: DoubleSide, flatShading: true }));
    mesh.frustumCulled = false;
    mesh.set = (length) => {
      const fold = Math.min(0.75, Math.max(0, 1 - length / most)), p = g.attributes.position;
      for (let i = 0; i < RINGS; i++) {
        const near = Math.min(1, 2.2 * fold) * (i % 2 ? 1 : -0.35);       // folds stand out as it shortens
        const r = w * (1 + (i === 0 || i === RINGS - 1 ? 0 : 0.9 * near));
        for (let j = 0; j <= CORNERS; j++) {
          const a = Math.PI / 4 + (2 * Math.PI * j) / CORNERS;
          p.setXYZ(i * (CORNERS + 1) + j, r * Math.cos(a), (length * i) / (RINGS - 1), r * Math.sin(a));
        }
      }
      p.needsUpdate = true;
    };
    return mesh;
  },
  rod(size) {
    const r = 0.014 * size, group = new Group(), shank = new Mesh(tube(0.8 * r), metal("#707c8c"));
    const ends = [0, 1].map(() => new Mesh(new SphereGeometry(1.35 * r, 18, 12), metal(DARK)));
    group.add(shank, ...ends);
    group.set = (length) => { shank.scale.y = length; ends[1].position.y = length; };
    return group;
  },
  bushing(size) {
    const group = new Group(), shank = new Mesh(tube(0.007 * size), metal());
    const ring = new Mesh(new CylinderGeometry(0.035 * size, 0.035 * size, 0.05 * size, 28), matt("#33383f", { roughness: 0.95 }));
    group.add(shank, ring);
    group.set = (length) => { shank.scale.y = Math.max(1e-6, length); ring.position.y = length / 2; };
    return group;
  },
  stop(size) {
    const group = new Group(), shank = new Mesh(tube(0.008 * size), metal());
    const ends = [0.3, 0.7].map(() => new Mesh(new CylinderGeometry(0.026 * size, 0.026 * size, 0.018 * size, 24), matt("#33383f")));
    group.add(shank, ...ends);
    group.set = (length) => { shank.scale.y = length; ends.forEach((e, i) => { e.position.y = length * (0.35 + 0.3 * i); }); };
    return group;
  },
  brake(size) {
    const group = new Group(), shank = new Mesh(tube(0.009 * size), metal());
    const pads = [-1, 1].map((k) => {
      const pad = new Mesh(new BoxGeometry(0.014 * size, 0.09 * size, 0.05 * size), matt("#7a4e3a", { roughness: 0.95 }));
      pad.position.x = 0.018 * size * k;
      return pad;
    });
    group.add(shank, ...pads);
    group.set = (length) => { shank.scale.y = length; for (const p of pads) p.position.y = length / 2; };
    return group;
  },
  drive: (size, span) => LOOKS.damper(size, span, "#0f6e56"),
  gear: (size) => LOOKS.rod(size),
  tie: (size) => LOOKS.rod(size),
};
export const MEMBER_LOOKS = Object.keys(LOOKS);

/** A member between its ends; two stubs apart once it is torn. */
export class Member extends Group {
  constructor(line, size) {
    super();
    Object.assign(this, { line, size, whole: new Group(), stubs: [] });
    this.add(this.whole);
    if (line.torn !== null) this.stubs = [0, 1].map(() => new Mesh(tube(0.02 * size), matt(TORN)));
    if (this.stubs.length) this.add(...this.stubs);
  }

  /** Lengths over the run are known: now it can be built. */
  fit(lengths) {
    const least = Math.max(1e-6, Math.min(...lengths)), most = Math.max(1e-6, ...lengths);
    for (const word of this.line.looks) this.whole.add(LOOKS[word](this.size, { least, most, mean: (least + most) / 2 }));
    this.traverse((m) => { m.castShadow = Boolean(m.isMesh); });
  }

  set(a, b, t) {
    const along = b.clone().sub(a), length = along.length();
    this.position.copy(a);
    if (length > 1e-9) this.quaternion.setFromUnitVectors(UP, along.divideScalar(length));
    const broken = this.line.torn !== null && t >= this.line.torn;
    this.whole.visible = !broken && length > 1e-9;
    for (const look of this.whole.children) look.set(Math.max(1e-9, length));
    this.stubs.forEach((stub, i) => {
      stub.visible = broken;
      stub.scale.y = (i ? -0.36 : 0.36) * length;
      stub.position.y = i ? length : 0;
    });
  }
}
