// Pointer and keyboard navigation of plots: arrow keys move between points, Home and End to the ends, Escape leaves the plot.
// Plots of one group have the same points in the same order and move together.
"use strict";
for (const plot of document.querySelectorAll(".plot")) {
  const data = plot.querySelector("script");
  if (!data) continue;
  const points = JSON.parse(data.textContent); // [x, y, text]: fractions of the width and height
  const frame = plot.querySelector(".frame");
  const readout = plot.querySelector(".readout");
  const atRest = readout.textContent;
  const byRow = plot.dataset.by === "y";
  const finder = document.createElement("div");
  const hair = document.createElement("div");
  const spot = document.createElement("div");
  finder.className = "finder";
  hair.className = "hair";
  spot.className = "spot";
  finder.tabIndex = 0;
  finder.setAttribute("role", "slider");
  finder.setAttribute("aria-label", frame.querySelector("title").textContent + ": values");
  finder.setAttribute("aria-valuemin", 1);
  finder.setAttribute("aria-valuemax", points.length);
  finder.append(hair, spot);
  plot.append(finder);

  let at = -1;
  const place = () => {
    finder.style.left = frame.parentElement.offsetLeft + "px";
    finder.style.top = frame.parentElement.offsetTop + "px";
    finder.style.width = frame.parentElement.clientWidth + "px";
    finder.style.height = frame.parentElement.clientHeight + "px";
  };
  const show = (index) => {
    at = index;
    const shown = index >= 0;
    hair.hidden = !shown || byRow;
    spot.hidden = !shown;
    readout.textContent = shown ? points[index][2] : atRest;
    finder.setAttribute("aria-valuenow", shown ? index + 1 : 1);
    finder.setAttribute("aria-valuetext", readout.textContent);
    if (!shown) return;
    hair.style.left = spot.style.left = points[index][0] * 100 + "%";
    spot.style.top = points[index][1] * 100 + "%";
  };
  const move = (index) => {
    const group = plot.dataset.group;
    if (!group) return show(index);
    for (const other of document.querySelectorAll('.plot[data-group="' + group + '"]')) other.show(index);
  };
  plot.show = show;

  const nearest = (event) => {
    const box = finder.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width;
    const y = (event.clientY - box.top) / box.height;
    const far = (point) => (byRow ? Math.abs(point[1] - y) : plot.dataset.by === "both" ? Math.abs(point[1] - y) * 10 + Math.abs(point[0] - x) : Math.abs(point[0] - x));
    let best = 0;
    points.forEach((point, index) => {
      if (far(point) < far(points[best])) best = index;
    });
    return best;
  };
  finder.addEventListener("pointermove", (event) => move(nearest(event)));
  finder.addEventListener("pointerdown", (event) => move(nearest(event)));
  finder.addEventListener("pointerleave", () => document.activeElement !== finder && move(-1));
  finder.addEventListener("focus", () => at < 0 && move(0));
  finder.addEventListener("blur", () => move(-1));
  finder.addEventListener("keydown", (event) => {
    const last = points.length - 1;
    const far = Math.max(1, Math.round(points.length / 10));
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, PageDown: at + far, PageUp: at - far, Home: 0, End: last }[event.key];
    if (event.key === "Escape") return finder.blur();
    if (to === undefined) return;
    event.preventDefault();
    move(Math.min(last, Math.max(0, to)));
  });
  new ResizeObserver(place).observe(plot);
  place();
  show(-1);
}
