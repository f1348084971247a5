// Shapes of bodies, as three.js meshes.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CanvasTexture, CapsuleGeometry, CatmullRomCurve3, Color,
  ConeGeometry, CylinderGeometry, DoubleSide, EdgesGeometry, ExtrudeGeometry, FrontSide, Group, LatheGeometry,
  LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshStandardMaterial,
  RepeatWrapping, Shape, SphereGeometry, SRGBColorSpace, TubeGeometry, Vector2, Vector3,
} from "three";
import { PALETTE } from "./theme.js";

export const STEEL = "#5d6878", DARK = "#39424f";
const UP = new Vector3(0, 1, 0), WHITE = 0.62;
const upright = (geometry) => geometry.rotateX(Math.PI / 2);   // ours lie along z, three's along y

export const matt = (color, more = {}) => new MeshStandardMaterial({ color, roughness: 0.6, metalness: 0.05, ...more });
export const metal = (color = STEEL, more = {}) => new MeshStandardMaterial({ color, roughness: 0.38, metalness: 0.22, ...more });

function decode(text, kind) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new kind(bytes.buffer);
}

/** The outline of a flat bar: two eyes and a slightly waisted shank, extruded across. */
function flatBar(length, r) {
  const s = new Shape(), w = 0.72 * r;
  const lean = Math.asin(Math.min(1, w / r));
  s.absarc(0, 0, r, lean, 2 * Math.PI - lean, false);
  s.lineTo(length - r * Math.cos(lean), -w);
  s.absarc(length, 0, r, Math.PI + lean, 3 * Math.PI - lean, false);
  s.closePath();
  const depth = 0.62 * r;
  return new ExtrudeGeometry(s, { depth, curveSegments: 20, bevelEnabled: true, bevelSize: 0.12 * r,
    bevelThickness: 0.12 * r, bevelSegments: 3 }).translate(0, 0, -depth / 2);
}

function bar(s, material) {
  const a = new Vector3(...s.a), b = new Vector3(...s.b), length = b.distanceTo(a), r = s.radius;
  const x = b.clone().sub(a).normalize();
  let mesh;
  if (s.normal) {
    const z = new Vector3(...s.normal), n = z.clone().addScaledVector(x, -z.dot(x)).normalize();
    mesh = new Mesh(flatBar(length, 1.25 * r), material);
    mesh.quaternion.setFromRotationMatrix(new Matrix4().makeBasis(x, n.clone().cross(x), n));
    mesh.position.copy(a).addScaledVector(n, (s.layer ?? 0) * 1.35 * r);
  } else {
    const g = new CylinderGeometry(0.72 * r, r, length, 24).translate(0, length / 2, 0);
    mesh = new Mesh(g, material);
    mesh.quaternion.setFromUnitVectors(UP, x);
    mesh.position.copy(a);
    const tip = new Mesh(new SphereGeometry(0.85 * r, 20, 14), material);
    tip.position.y = length;
    mesh.add(tip, new Mesh(new SphereGeometry(1.1 * r, 20, 14), material));
  }
  return mesh;
}

/** A tire on a rim with spokes and a mark, so that one sees it turn; it turns about z. */
function wheel(s) {
  const node = new Group(), r = s.radius, w = s.width, t = 0.13 * r;
  const profile = [[r - 0.3 * r, -w / 2], [r - 0.08 * r, -w / 2], [r, -w / 2 + t], [r, w / 2 - t],
    [r - 0.08 * r, w / 2], [r - 0.3 * r, w / 2]].map(([x, y]) => new Vector2(x, y));
  node.add(new Mesh(upright(new LatheGeometry(profile, 56)), matt("#2b3037", { roughness: 0.9, metalness: 0, side: DoubleSide })));
  const rim = metal("#b6bec9");
  node.add(new Mesh(upright(new CylinderGeometry(0.71 * r, 0.71 * r, 0.82 * w, 40, 1, true)), metal("#8b95a3", { side: DoubleSide })));
  for (let i = 0; i < 5; i++) {
    const spoke = new Mesh(new BoxGeometry(0.62 * r, 0.13 * r, 0.3 * w), rim);
    spoke.position.x = 0.39 * r;
    const turn = new Group();
    turn.rotation.z = (2 * Math.PI * i) / 5;
    turn.add(spoke);
    node.add(turn);
  }
  node.add(new Mesh(upright(new CylinderGeometry(0.16 * r, 0.16 * r, 0.6 * w, 24)), rim));
  const mark = new Mesh(new BoxGeometry(0.18 * r, 0.06 * r, 1.02 * w), matt("#e69f00", { roughness: 0.5 }));
  mark.position.x = 0.87 * r;
  node.add(mark);
  return node;
}

/** A toothed disc about z. */
function gear(s) {
  const n = Math.max(10, Math.round(90 * Math.min(1, s.radius / (8 * s.length)))), m = (2 * s.radius) / n;
  const shape = new Shape();
  for (let i = 0; i < n; i++) for (const [u, k] of [[0, -1.1], [0.28, -1.1], [0.4, 0.9], [0.72, 0.9], [0.86, -1.1]]) {
    const a = (2 * Math.PI * (i + u)) / n, r = s.radius + k * m;
    shape[i || u ? "lineTo" : "moveTo"](r * Math.cos(a), r * Math.sin(a));
  }
  return new ExtrudeGeometry(shape, { depth: s.length, bevelEnabled: false }).translate(0, 0, -s.length / 2);
}

let stripes;
function hatch() {
  if (!stripes) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 64;
    const c = canvas.getContext("2d");
    c.fillStyle = "#c9ced6"; c.fillRect(0, 0, 64, 64);
    c.strokeStyle = "#7f8896"; c.lineWidth = 5;
    for (const k of [-64, 0, 64]) { c.beginPath(); c.moveTo(k - 8, 72); c.lineTo(k + 72, -8); c.stroke(); }
    stripes = new CanvasTexture(canvas);
    stripes.wrapS = stripes.wrapT = RepeatWrapping;
    stripes.colorSpace = SRGBColorSpace;
  }
  return stripes.clone();
}

/** A wall: a slab whose face is at z = 0 and looks along z, hatched behind. */
function plane(s) {
  const t = 0.05 * s.size, map = hatch();
  map.repeat.set(10, 0.5);
  const side = matt("#c9ced6", { map, metalness: 0 }), face = matt("#bcc4cf", { roughness: 0.9, metalness: 0 });
  return new Mesh(new BoxGeometry(s.size, s.size, t).translate(0, 0, -t / 2), [side, side, side, side, face, face]);
}

function curve(s) {
  const points = s.points.map((p) => new Vector3(...p));
  return new TubeGeometry(new CatmullRomCurve3(points), Math.min(600, 4 * points.length), s.radius, 10);
}

function surface(s) {
  const g = new BufferGeometry(), index = [];
  g.setAttribute("position", new BufferAttribute(Float32Array.from(s.points), 3));
  for (let i = 0; i + 1 < s.rows; i++) for (let j = 0; j + 1 < s.columns; j++) {
    const a = i * s.columns + j, b = a + 1, c = a + s.columns, d = c + 1;
    index.push(a, c, b, b, c, d);
  }
  g.setIndex(index);
  g.computeVertexNormals();
  return g;
}

const GEOMETRY = {
  box: (s) => new BoxGeometry(...s.size),
  sphere: (s) => new SphereGeometry(s.radius, 40, 28),
  ellipsoid: (s) => new SphereGeometry(1, 40, 28).scale(...s.radii),
  cylinder: (s) => upright(new CylinderGeometry(s.radius, s.radius, s.length, 40)),
  capsule: (s) => upright(new CapsuleGeometry(s.radius, s.length, 8, 24)),
  curve, surface, gear,
  mesh: (s) => {
    const geometry = new BufferGeometry();
    const steps = decode(s.vertices, Uint16Array);
    const place = Float32Array.from(steps, (x, i) => s.low[i % 3] + (s.high[i % 3] - s.low[i % 3]) * x / 65535);
    geometry.setAttribute("position", new BufferAttribute(place, 3));
    geometry.setIndex(new BufferAttribute(decode(s.triangles, s.wide ? Uint32Array : Uint16Array), 1));
    geometry.computeVertexNormals();
    return geometry;
  },
};

const BUILT = { bar: (s, material) => bar(s, material), wheel, plane, anchor };
export const KINDS = [...Object.keys(GEOMETRY), ...Object.keys(BUILT)];

/** Where the world holds a joint: a foot under the pin. */
function anchor(s, _, up) {
  const node = new Group(), r = s.radius, turn = new Group();
  turn.add(new Mesh(new ConeGeometry(1.5 * r, 2.6 * r, 4, 1).rotateY(Math.PI / 4).translate(0, -1.3 * r, 0), matt("#8a93a1")));
  turn.add(new Mesh(new BoxGeometry(3.4 * r, 0.4 * r, 3.4 * r).translate(0, -2.7 * r, 0), matt("#6d7684")));
  turn.quaternion.setFromUnitVectors(UP, up);
  node.add(turn);
  return node;
}

/** A mesh for one part of a body; `tint` is the body's number in the palette. */
export function part(s, tint, up) {
  const color = s.color ? new Color().setRGB(...s.color, "srgb") : new Color(PALETTE[tint % PALETTE.length]);
  const light = Math.max(color.r, color.g, color.b);
  if (light > WHITE) color.multiplyScalar(WHITE / light);   // what is white has no shade under a bright sky
  if (s.quiet) color.lerp(new Color("#8a94a3"), 0.65);
  const opacity = s.opacity ?? (s.kind === "surface" ? 0.82 : 1);
  const material = matt(color, { transparent: opacity < 1, opacity, depthWrite: opacity === 1,
    side: ["mesh", "surface"].includes(s.kind) ? DoubleSide : FrontSide, flatShading: s.kind === "mesh" });
  const mesh = BUILT[s.kind]?.(s, material, up) ?? new Mesh(GEOMETRY[s.kind](s), material);
  if (s.kind === "box") {
    const line = new LineBasicMaterial({ color: color.clone().multiplyScalar(0.6), transparent: true, opacity: 0.6 });
    mesh.add(new LineSegments(new EdgesGeometry(mesh.geometry), line));
  }
  if (s.mark && s.kind === "cylinder") {           // so does a disc
    const stripe = new Mesh(new BoxGeometry(0.3 * s.radius, 0.09 * s.radius, 1.04 * s.length), matt("#ffffff"));
    for (const side of [-1, 1]) mesh.add(Object.assign(stripe.clone(), { name: "mark" }).translateX(0.78 * side * s.radius));
  } else if (s.mark) {                            // a ball shows that it rolls
    for (const d of [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]) {
      const spot = new Mesh(new SphereGeometry(0.22 * s.radius, 16, 10), matt("#ffffff"));
      spot.position.fromArray(d).multiplyScalar(0.83 * s.radius);
      mesh.add(spot);
    }
  }
  if (s.kind !== "bar") {
    mesh.position.fromArray(s.at ?? [0, 0, 0]);
    const [w, x, y, z] = s.turn ?? [1, 0, 0, 0];
    mesh.quaternion.set(x, y, z, w);
  }
  const faint = opacity < 0.7 || s.kind === "surface";
  mesh.traverse((m) => { if (m.isMesh) { m.castShadow = !faint; m.receiveShadow = !faint; } });
  return mesh;
}

