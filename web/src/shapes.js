// Shapes of bodies, as three.js meshes.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, Color, CylinderGeometry, DoubleSide,
  EdgesGeometry, FrontSide, LineBasicMaterial, LineSegments, Mesh, MeshStandardMaterial, SphereGeometry,
} from "three";
import { PALETTE } from "./theme.js";

const upright = (geometry) => geometry.rotateX(Math.PI / 2);   // ours lie along z, three's along y

function decode(text, kind) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new kind(bytes.buffer);
}

const GEOMETRY = {
  box: (s) => new BoxGeometry(...s.size),
  sphere: (s) => new SphereGeometry(s.radius, 32, 20),
  ellipsoid: (s) => new SphereGeometry(1, 32, 20).scale(...s.radii),
  cylinder: (s) => upright(new CylinderGeometry(s.radius, s.radius, s.length, 36)),
  capsule: (s) => upright(new CapsuleGeometry(s.radius, s.length, 8, 20)),
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

/** A mesh for one part of a body; `tint` is the body's number in the palette. */
export function part(s, tint) {
  const color = s.color ? new Color().setRGB(...s.color, "srgb") : new Color(PALETTE[tint % PALETTE.length]);
  if (s.quiet) color.lerp(new Color("#8a94a3"), 0.55);
  const opacity = s.opacity ?? 1;
  const geometry = GEOMETRY[s.kind](s);
  const mesh = new Mesh(geometry, new MeshStandardMaterial({
    color, roughness: 0.55, metalness: 0.08, transparent: opacity < 1, opacity,
    depthWrite: opacity === 1, side: s.kind === "mesh" ? DoubleSide : FrontSide,
    flatShading: s.kind === "mesh",
  }));
  if (s.kind === "box") {
    const line = new LineBasicMaterial({ color: color.clone().multiplyScalar(0.55) });
    mesh.add(new LineSegments(new EdgesGeometry(geometry), line));
  }
  mesh.position.fromArray(s.at ?? [0, 0, 0]);
  const [w, x, y, z] = s.turn ?? [1, 0, 0, 0];
  mesh.quaternion.set(x, y, z, w);
  return mesh;
}
