// Figures that stand in the page as SVG: a line at the present time, and a click that goes to another.
export function startFigures(clock) {
  const moved = [...document.querySelectorAll("svg[data-clock]")].map((svg) => {
    const [x0, x1, left, right, second] = svg.dataset.clock.split(" ").map(Number), line = svg.querySelector(".now");
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect(), u = ((event.clientX - box.x) / box.width) * svg.viewBox.baseVal.width;
      clock.seek(second * (x0 + ((u - left) / (right - left)) * (x1 - x0)));
    });
    return () => {
      const share = (clock.t / second - x0) / (x1 - x0);
      line.setAttribute("transform", `translate(${left + Math.min(1, Math.max(0, share)) * (right - left)} 0)`);
    };
  });
  clock.watch(() => { for (const move of moved) move(); });
}
