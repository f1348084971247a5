// A cloud of points in space, colored by a map that is chosen; drag turns it, the wheel zooms.
(function () {
  const host = document.currentScript.parentElement;
  const data = JSON.parse(host.querySelector('script[type="application/json"]').textContent);
  const bytes = t => Uint8Array.from(atob(t), c => c.charCodeAt(0));
  const P = new Float32Array(bytes(data.points).buffer), n = P.length / 3;
  const maps = data.maps.map(m => ({ ...m, level: bytes(m.level) }));
  const canvas = host.querySelector('canvas'), select = host.querySelector('select');
  const low = host.querySelector('.low'), high = host.querySelector('.high');
  const only = host.querySelector('input');
  const ctx = canvas.getContext('2d');
  const number = t => (window.bilingual ? window.bilingual.number(t) : t); // a page with a switch
  // viridis at five stops
  const stops = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
  const colors = Array.from({ length: 256 }, (_, i) => {
    const x = i / 255 * 4, k = Math.min(3, Math.floor(x)), f = x - k;
    const c = stops[k].map((a, j) => Math.round(a + f * (stops[k + 1][j] - a)));
    return `rgb(${c})`;
  });
  let yaw = -0.7, pitch = 0.45, zoom = 1, map = maps[0];
  const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity];
  const wide = (x, k) => { lo[k] = Math.min(lo[k], x); hi[k] = Math.max(hi[k], x); };
  for (let i = 0; i < P.length; i++) wide(P[i], i % 3);
  data.arm.forEach(p => p.forEach(wide));
  const mid = lo.map((a, k) => (a + hi[k]) / 2);
  const size = Math.max(1e-9, Math.hypot(...lo.map((a, k) => hi[k] - a)) / 2);
  function view(x, y, z) {
    const a = x - mid[0], b = y - mid[1], c = z - mid[2];
    const u = Math.cos(yaw) * a + Math.sin(yaw) * b, v = -Math.sin(yaw) * a + Math.cos(yaw) * b;
    const up = Math.cos(pitch) * c + Math.sin(pitch) * v * -1;
    const far = Math.sin(pitch) * c + Math.cos(pitch) * v;
    const s = zoom * 0.62 * Math.min(canvas.width, canvas.height) / size / (1 + 0.25 * far / size);
    return [canvas.width / 2 + u * s, canvas.height / 2 - up * s, far];
  }
  function line(points, color, width) {
    ctx.strokeStyle = color; ctx.lineWidth = width; ctx.beginPath();
    points.forEach((p, i) => { const q = view(...p); i ? ctx.lineTo(q[0], q[1]) : ctx.moveTo(q[0], q[1]); });
    ctx.stroke();
  }
  function draw() {
    const r = canvas.getBoundingClientRect(), d = window.devicePixelRatio || 1;
    canvas.width = r.width * d; canvas.height = r.height * d;
    const ink = getComputedStyle(canvas).color;
    ctx.clearRect(0, 0, canvas.width, canvas.height);
    const at = new Array(n), order = new Uint32Array(n);
    for (let i = 0; i < n; i++) { at[i] = view(P[3 * i], P[3 * i + 1], P[3 * i + 2]); order[i] = i; }
    order.sort((a, b) => at[b][2] - at[a][2]);
    const w = Math.min(7, Math.max(2, 90 / Math.sqrt(n))) * d; // few places are larger
    for (const i of order) {
      if (map.level[i] === 255 && map.missing) continue;
      if (only.checked && P[3 * i + 1] > mid[1]) continue;
      ctx.fillStyle = colors[map.level[i]];
      ctx.fillRect(at[i][0] - w / 2, at[i][1] - w / 2, w, w);
    }
    line(data.arm, ink, 3 * d);
    const o = data.arm[0] || mid, s = 0.25 * size;
    [['#b3261e', 0], ['#1b7f3b', 1], ['#1769aa', 2]].forEach(([c, k]) => {
      const e = o.slice(); e[k] += s; line([o, e], c, 1.5 * d);
      const q = view(...e); ctx.fillStyle = c; ctx.font = `${12 * d}px system-ui`; ctx.fillText('xyz'[k], q[0] + 3, q[1]);
    });
    low.textContent = number(map.low); high.textContent = number(map.high);
  }
  select.onchange = () => { map = maps[select.value]; draw(); };
  only.onchange = draw;
  let held = null;
  canvas.onpointerdown = e => { held = [e.clientX, e.clientY]; canvas.setPointerCapture(e.pointerId); };
  canvas.onpointerup = () => { held = null; };
  canvas.onpointermove = e => {
    if (!held) return;
    yaw += (e.clientX - held[0]) * 0.008;
    pitch = Math.max(-1.57, Math.min(1.57, pitch + (e.clientY - held[1]) * 0.008));
    held = [e.clientX, e.clientY]; draw();
  };
  canvas.onwheel = e => { e.preventDefault(); zoom *= Math.exp(-e.deltaY * 0.001); draw(); };
  canvas.onkeydown = e => {
    const turn = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[e.key];
    if (turn) { yaw += turn[0]; pitch += turn[1]; e.preventDefault(); draw(); }
  };
  new ResizeObserver(draw).observe(canvas);
  document.addEventListener('spoken', draw);
  draw();
  if (!host.closest('[role="tabpanel"]')) document.documentElement.dataset.ready = 'yes';
})();
