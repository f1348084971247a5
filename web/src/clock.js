// The one time that the view, the plots and the slider share.

const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100];
const GOOD = 6; // seconds a short or long run should take on the screen

export class Clock {
  constructor(run) {
    this.run = run;
    this.t = run.t0;
    this.loop = true;
    this.playing = false;
    this.listeners = [];
    this.speed = this.start();
  }

  start() {
    const span = this.run.t1 - this.run.t0;
    if (span >= 2 && span <= 30) return 1;
    const wish = span / GOOD || 1;
    return SPEEDS.reduce((a, b) =>
      Math.abs(Math.log(b / wish)) < Math.abs(Math.log(a / wish)) ? b : a);
  }

  static get speeds() { return SPEEDS; }

  watch(listener) { this.listeners.push(listener); listener(this); }

  tell() { for (const listener of this.listeners) listener(this); }

  seek(t) {
    this.t = Math.min(this.run.t1, Math.max(this.run.t0, t));
    this.tell();
  }

  /** Step by a share of the run. */
  step(share) { this.stop(); this.seek(this.t + share * (this.run.t1 - this.run.t0)); }

  play() {
    if (this.playing || !(this.run.t1 > this.run.t0)) return;
    if (this.t >= this.run.t1) this.t = this.run.t0;
    this.playing = true;
    let last = performance.now();
    const tick = (now) => {
      if (!this.playing) return;
      this.t += Math.max(0, now - last) / 1000 * this.speed;
      last = now;
      if (this.t >= this.run.t1) {
        if (this.loop) this.t = this.run.t0;
        else { this.t = this.run.t1; this.playing = false; }
      }
      this.tell();
      if (this.playing) requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
    this.tell();
  }

  stop() { if (this.playing) { this.playing = false; this.tell(); } }

  toggle() { if (this.playing) this.stop(); else this.play(); }
}
