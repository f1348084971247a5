// Light, shadow and ground: what stands around the mechanism.
import {
  CircleGeometry, Color, DirectionalLight, Group, LightProbe, Mesh, NeutralToneMapping, PCFShadowMap, PlaneGeometry, ShaderMaterial,
  ShadowMaterial, SphericalHarmonics3, Vector3,
} from "three";
import { color } from "./theme.js";

/** What a studio looks like in a direction: a bright ceiling, a window on one side, a gray floor. */
function studio(d) {
  const ceiling = Math.max(0, d.z) ** 1.5, window = Math.max(0, 0.8 * d.x - 0.55 * d.y + 0.2 * d.z) ** 4;
  const floor = Math.max(0, -d.z);
  const sum = (k, c, w, f) => k + c * ceiling + w * window + f * floor;
  return [sum(0.42, 0.62, 0.9, -0.12), sum(0.44, 0.64, 0.86, -0.12), sum(0.48, 0.68, 0.8, -0.10)];
}

/** The studio as nine numbers a color (spherical harmonics): light from everywhere, at no cost. */
function environment(turned) {
  const probe = new LightProbe(), n = 600, d = new Vector3(), basis = new Array(9);
  for (let i = 0; i < n; i++) {                          // a spiral of directions, all alike in weight
    const z = 1 - (2 * i + 1) / n, r = Math.sqrt(1 - z * z), a = i * Math.PI * (3 - Math.sqrt(5));
    const light = studio(d.set(r * Math.cos(a), r * Math.sin(a), z));
    SphericalHarmonics3.getBasisAt(d.applyQuaternion(turned), basis);
    basis.forEach((b, k) => probe.sh.coefficients[k].add(new Vector3(...light).multiplyScalar((b * 4 * Math.PI) / n)));
  }
  return probe;
}

/** Light of the studio, a key light with a soft shadow on what `whole` holds, a rim light. */
export function light(renderer, scene, whole, turned) {
  renderer.toneMapping = NeutralToneMapping;
  renderer.toneMappingExposure = 1.0;
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = PCFShadowMap;
  scene.add(environment(turned));
  const rim = new DirectionalLight("#dfe9ff", 0.7);
  rim.position.set(-0.8, 0.9, 0.5).applyQuaternion(turned).multiplyScalar(4 * whole.radius).add(whole.center);
  scene.add(rim);
  const sun = new DirectionalLight("#fffaf0", 1.9), r = whole.radius;
  sun.position.set(0.55, -0.75, 1.5).applyQuaternion(turned).multiplyScalar(2.2 * r).add(whole.center);
  sun.target.position.copy(whole.center);
  sun.castShadow = true;
  Object.assign(sun.shadow.camera, { left: -1.5 * r, right: 1.5 * r, top: 1.5 * r, bottom: -1.5 * r, near: 0.1 * r, far: 8 * r });
  sun.shadow.mapSize.set(1024, 1024);
  sun.shadow.radius = 5;
  sun.shadow.normalBias = 0.004 * r;
  scene.add(sun, sun.target);
  return sun;
}

const GRID = {
  vertexShader: "varying vec2 p; void main() { p = position.xy; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
  fragmentShader: `
    varying vec2 p; uniform float cell, reach; uniform vec2 shift; uniform vec3 thin, thick; uniform float strength;
    float line(vec2 x, float w) { vec2 d = abs(fract(x - 0.5) - 0.5) / fwidth(x); return 1.0 - min(min(d.x, d.y) / w, 1.0); }
    void main() {
      vec2 x = (p + shift) / cell;
      float fade = 1.0 - smoothstep(0.25, 1.0, length(p) / reach);
      float strong = line(x / 5.0, 1.3), weak = line(x, 1.0);
      gl_FragColor = vec4(mix(thin, thick, strong), max(0.8 * strong, 0.45 * weak) * fade * strength);
      #include <colorspace_fragment>
    }`,
};

/** A disc of grid lines that fades out, and the shadow on it. */
export function ground(whole, up, height, cell) {
  const group = new Group(), reach = 3.2 * whole.radius, shaded = 2 * whole.radius;   // no shadow falls farther
  const grid = new Mesh(new CircleGeometry(reach, 48), new ShaderMaterial({ ...GRID, transparent: true,
    depthWrite: false, uniforms: { cell: { value: cell }, reach: { value: reach }, strength: { value: 0.9 },
      shift: { value: [0, 0] }, thin: { value: new Color(color("grid-strong")) }, thick: { value: new Color(color("grid-strong")).multiplyScalar(0.85) } } }));
  const shade = new Mesh(new PlaneGeometry(2 * shaded, 2 * shaded), new ShadowMaterial({ opacity: 0.26, depthWrite: false }));
  shade.receiveShadow = true;
  group.add(grid, shade);
  group.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), up);
  group.position.copy(whole.center).addScaledVector(up, height - whole.center.dot(up));
  const settle = () => {                            // lines stand at round places of the world
    const inside = group.position.clone().applyQuaternion(group.quaternion.clone().invert());
    grid.material.uniforms.shift.value = [inside.x, inside.y];
  };
  group.go = (move) => { group.position.addScaledVector(move, 1).addScaledVector(up, -move.dot(up)); settle(); };
  settle();
  return group;
}
