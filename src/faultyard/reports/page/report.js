"use strict";
// Draws the users' figures, and opens what a link leads to. Without it the page still tells all.

const figures = JSON.parse(document.getElementById("figures").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
let drawn = [];

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// Canvas pixels; the library's scales are in them too.
function place(chart, t) {
  const { left, width } = chart.bbox;
  return Math.min(left + width, Math.max(left, chart.valToPos(t, "x", true)));
}

function bands(chart) {
  const { top, height } = chart.bbox;
  for (const band of figures.bands) {
    const from = place(chart, band.from);
    chart.ctx.fillStyle = colour(band.name);
    chart.ctx.fillRect(from, top, Math.max(2, place(chart, band.to) - from), height);
  }
}

function line(chart, x0, y0, x1, y1, style, dash) {
  const { ctx } = chart;
  ctx.save();
  ctx.strokeStyle = style;
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.setLineDash(dash.map((length) => length * devicePixelRatio));
  ctx.beginPath();
  ctx.moveTo(x0, y0);
  ctx.lineTo(x1, y1);
  ctx.stroke();
  ctx.restore();
}

function inside(chart, t) {
  return t >= chart.scales.x.min && t <= chart.scales.x.max;
}

function marks(chart, objective) {
  const { left, top, width, height } = chart.bbox;
  if (objective !== null && objective <= chart.scales.y.max) {
    const y = chart.valToPos(objective, "y", true);
    line(chart, left, y, left + width, y, colour("quiet"), [5, 5]);
  }
  if (figures.injected !== null && inside(chart, figures.injected)) {
    const x = place(chart, figures.injected);
    line(chart, x, top, x, top + height, colour("injected"), []);
  }
  const size = 5 * devicePixelRatio;
  const colours = { critical: colour("bad"), warning: colour("warn"), plain: colour("text") };
  for (const act of figures.acts.filter((each) => inside(chart, each.t))) {
    const x = place(chart, act.t);
    line(chart, x, top, x, top + height, `${colours[act.weight]}55`, []);
    chart.ctx.fillStyle = colours[act.weight];
    chart.ctx.beginPath();
    chart.ctx.moveTo(x - size, top - size);
    chart.ctx.lineTo(x + size, top - size);
    chart.ctx.lineTo(x, top + size);
    chart.ctx.fill();
  }
}

// What the agent reported: a diamond on the axis, so that it does not hide a write.
function reports(chart) {
  const { top, height } = chart.bbox;
  const size = 6 * devicePixelRatio;
  const bottom = top + height;
  for (const report of figures.reports.filter((each) => inside(chart, each.t))) {
    const x = place(chart, report.t);
    const style = colour(report.what);
    line(chart, x, top, x, bottom, `${style}88`, [2, 4]);
    chart.ctx.fillStyle = style;
    chart.ctx.beginPath();
    chart.ctx.moveTo(x, bottom - size);
    chart.ctx.lineTo(x + size, bottom);
    chart.ctx.lineTo(x, bottom + size);
    chart.ctx.lineTo(x - size, bottom);
    chart.ctx.fill();
  }
}

function minutes(seconds) {
  const whole = Math.round(Math.abs(seconds));
  const rest = String(whole % 60).padStart(2, "0");
  return `${seconds < -0.5 ? "−" : ""}${Math.floor(whole / 60)}:${rest}`;
}

function shown(unit) {
  return (chart, value) => (value === null || value === undefined ? "–" : `${value} ${unit}`);
}

function draw(element, rows, series, scale, objective) {
  const axis = { stroke: colour("quiet"), grid: { stroke: colour("grid") }, ticks: { stroke: colour("grid") } };
  const options = {
    width: Math.max(240, element.clientWidth),
    height: 190,
    padding: [10, 26, 0, 0],
    cursor: { sync: { key: "users" }, y: false },
    scales: { x: { time: false }, y: scale },
    axes: [{ ...axis, size: 34, values: (chart, ticks) => ticks.map(minutes) }, { ...axis, size: 48 }],
    series: [{ label: "at", value: (chart, value) => (value === null ? "–" : minutes(value)) }, ...series],
    hooks: { drawClear: [bands], draw: [(chart) => marks(chart, objective), reports] },
  };
  return new uPlot(options, [figures.t, ...rows], element);
}

function drawAll() {
  drawn.forEach((chart) => chart.destroy());
  drawn = [];
  const success = document.querySelector("[data-chart=success]");
  if (success === null) return;
  const line = { width: 2, points: { show: false }, spanGaps: false };
  drawn.push(
    draw(
      success,
      [figures.success],
      [{ ...line, label: "succeeded", stroke: colour("success"), value: shown("%") }],
      { range: [0, 104] },
      figures.objectives.success,
    ),
    draw(
      document.querySelector("[data-chart=latency]"),
      [figures.p50, figures.p99],
      [
        { ...line, label: "median", stroke: colour("median"), value: shown("ms") },
        { ...line, label: "p99", stroke: colour("slowest"), value: shown("ms") },
      ],
      { range: (chart, least, most) => [0, Math.max(10, (most || 0) * 1.08)] },
      figures.objectives.p99,
    ),
  );
}

function resize() {
  for (const chart of drawn) {
    const width = Math.max(240, chart.root.parentElement.clientWidth);
    if (width !== chart.width) chart.setSize({ width, height: chart.height });
  }
}

function open(hash) {
  const target = hash.length > 1 ? document.getElementById(hash.slice(1)) : null;
  if (target === null) return;
  const own = target.tagName === "LI" ? target : target.parentElement;
  own.querySelectorAll(":scope > details").forEach((each) => { each.open = true; });
  target.scrollIntoView();
}

function paper(on) {
  document.documentElement.classList.toggle("paper", on);
  drawAll();
}

drawAll();
new ResizeObserver(resize).observe(document.getElementById("main"));
dark.addEventListener("change", drawAll);
addEventListener("hashchange", () => open(location.hash));
addEventListener("beforeprint", () => paper(true));
addEventListener("afterprint", () => paper(false));
document.querySelectorAll(".undrawn").forEach((note) => note.remove());
open(location.hash);
