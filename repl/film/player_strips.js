/* player_strips.js: the strips of time of a multiprocessor's warps, and what all parts of the player
 * need; see player.js. */

const film = JSON.parse(document.getElementById("film").textContent);
const step = film.step;
const by_id = id => document.getElementById(id);
const count = n => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
/* A text of the page in its language, with parts in its places {1}, {2} ...: page.c looks up every text between double
 * quotes of these files, and puts what has a translation into film.words. */
const say = (text, ...parts) => ((film.words || {})[text] || text).replace(/\{(\d)\}/g, (all, k) => parts[k - 1]);
const plural = (n, one, many) => say(n === 1 ? one : many, count(n));

function make(tag, props, ...inner) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(props || {})) {
    if (key === "text") e.textContent = value;
    else if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false)
      e.setAttribute(key === "cls" ? "class" : key, value === true ? "" : value);
  }
  e.append(...inner);
  return e;
}

/* ---- strips ---- */

/* What a sign looks like: its colour, how high it stands in its row, and how it is filled. */
const looks = {
  "#": ["--issue", 1, "full"],
  ":": ["--ready", 0.2, "full"],
  "-": ["--arithmetic", 0.4, "full"],
  "m": ["--memory", 0.75, "hatched"],
  "s": ["--shared", 0.75, "dotted"],
  "b": ["--barrier", 0.9, "hollow"],
};
const sign_name = Object.fromEntries(film.signs);

function paint(g, sign, x, y, w, h) {
  const look = looks[sign];
  if (!look || w <= 0) return;
  const high = Math.max(1, h * look[1]), top = y + h - high;
  g.fillStyle = g.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue(look[0]).trim();
  if (look[2] === "hollow" && w > 3 && high > 4) {
    g.lineWidth = 1.5;
    g.strokeRect(x + 0.75, top + 0.75, w - 1.5, high - 1.5);
    return;
  }
  g.fillRect(x, top, w, high);
  if (w < 6 || high < 4) return;
  g.save();
  g.beginPath();
  g.rect(x, top, w, high);
  g.clip();
  g.strokeStyle = g.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--soft").trim();
  g.lineWidth = 1.2;
  if (look[2] === "hatched") {
    g.beginPath();
    for (let k = Math.floor((x - high) / 5) * 5; k < x + w; k += 5) {
      g.moveTo(k, top + high);
      g.lineTo(k + high, top);
    }
    g.stroke();
  } else if (look[2] === "dotted") {
    for (let k = Math.ceil(x / 5) * 5; k < x + w; k += 5) g.fillRect(k, top + high / 2 - 1, 2, 2);
  }
  g.restore();
}

/* "#12m3" as a sign per column */
function spread(runs) { return runs.replace(/(\D)(\d*)/g, (all, sign, n) => sign.repeat(n ? +n : 1)); }

/* the clocks that all strips show */
const view = {
  from: film.from,
  to: film.to
};
let cursor = film.from; /* a clock */
const strips = [];

function make_strip(f) {
  const rows = f.levels[0].rows.length, tall = Math.max(5, Math.min(16, Math.floor(300 / rows)));
  const canvas = make("canvas", {role: "img", "aria-label": f.title + ": " + f.sentence});
  const s = {
    f,
    canvas,
    rows,
    tall,
    levels: f.levels.map(l => ({columns: l.columns, rows: l.rows.map(spread), issued: spread(l.issued)})),
    said: make("p", {cls: "dim"}),
    ends: [make("span"), make("span")]
  };
  canvas.addEventListener("click", event => {
    const box = canvas.getBoundingClientRect();
    choose_clock(
        Math.floor(view.from + (event.clientX - box.left - 46) / (box.width - 46) * (view.to - view.from)));
  });
  const head =
      say("{1} on {2}, multiprocessor {3} of {4}", f.title, f.device, f.multiprocessor + 1, f.multiprocessors);
  by_id("strips").append(make(
      "div", {cls: "strip"}, make("h2", {text: head}), canvas, make("div", {cls: "ends"}, ...s.ends),
      make("p", {text: f.sentence}), s.said));
  strips.push(s);
}

/* The coarsest level that has a column for each point on the screen, or the finest. */
function level_of(s, points) {
  return s.levels.find(l => l.columns * (view.to - view.from) / (film.to - film.from) >= points) ||
      s.levels[s.levels.length - 1];
}

function draw_strip(s) {
  const box = s.canvas.getBoundingClientRect(), scale = window.devicePixelRatio || 1, left = 46, band = 14;
  const width = Math.max(100, box.width), height = s.rows * s.tall + band + 4;
  s.canvas.style.height = height + "px";
  s.canvas.width = width * scale;
  s.canvas.height = height * scale;
  const g = s.canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
  const ink = style.getPropertyValue("--ink").trim(), span = view.to - view.from;
  g.scale(scale, scale);
  const l = level_of(s, width - left), each = (film.to - film.from) / l.columns;
  const x_of = clock => left + (clock - view.from) / span * (width - left);
  const first = Math.max(0, Math.floor((view.from - film.from) / each)),
        end = Math.min(l.columns, Math.ceil((view.to - film.from) / each));
  g.font = Math.min(11, s.tall) + "px ui-monospace, monospace";
  for (let p = 0; p < s.rows; p++) {
    const y = p * s.tall, row = l.rows[p];
    const mine = step && s.f.own >= 0 && p >= s.f.own && p < s.f.own + s.f.warps;
    g.fillStyle = ink;
    if (s.tall >= 9 || p % 4 === 0) g.fillText((mine ? ">" : " ") + "w" + p, 2, y + s.tall - 2);
    for (let c = first, to; c < end; c = to) {
      for (to = c + 1; to < end && row[to] === row[c];) to++;
      const x = Math.max(left, x_of(film.from + c * each));
      paint(g, row[c], x, y + 1, x_of(film.from + to * each) - x, s.tall - 1);
    }
  }
  const y = s.rows * s.tall + 3;
  g.fillStyle = ink;
  g.font = "11px ui-monospace, monospace";
  g.fillText(say("issue"), 2, y + band - 3);
  for (let c = first; c < end; c++) {
    const high = (l.issued.charCodeAt(c) - 97) / 10 * band, x = Math.max(left, x_of(film.from + c * each));
    g.fillRect(x, y + band - high, Math.max(0.5, x_of(film.from + (c + 1) * each) - x), high);
  }
  if (cursor >= view.from && cursor <= view.to) {
    g.fillStyle = ink;
    g.fillRect(Math.max(left, x_of(cursor) - 1), 0, 2, height);
  }
  s.ends[0].textContent = say("clock {1}", count(Math.round(view.from)));
  s.ends[1].textContent = count(Math.round(view.to));
  const finest = s.levels[s.levels.length - 1],
        column =
            Math.min(finest.columns - 1, Math.floor((cursor - film.from) / (film.to - film.from) * finest.columns));
  const states = {};
  finest.rows.forEach((row, p) => {
    (states[row[column]] = states[row[column]] || []).push(p);
  });
  const warps_text = warps => warps.length > 6 ? say("{1} warps", warps.length) : say("warp {1}", warps.join(", "));
  const parts = Object.entries(states).filter(([sign]) => sign !== "_");
  s.said.textContent = say(
      "Around clock {1}: {2}.", count(cursor),
      parts.map(([sign, warps]) => sign_name[sign] + say(": ") + warps_text(warps)).join(say("; ")) || say("no warp"));
}

function draw_strips() { strips.forEach(draw_strip); }

function zoom(by) {
  const span = Math.max(32, Math.min(film.to - film.from, (view.to - view.from) * by));
  move_to(Math.max(film.from, Math.min(film.to, cursor)) - span / 2, span);
}
function move_to(from, span) {
  view.from = Math.max(film.from, Math.min(film.to - span, from));
  view.to = view.from + span;
  draw_strips();
}
function follow() {
  const span = view.to - view.from;
  if (cursor < view.from || cursor > view.to) move_to(cursor - span / 2, span);
  else draw_strips();
}

function choose_clock(clock) {
  cursor = Math.max(film.from, Math.min(film.to, clock));
  if (!step) return follow();
  let best = 0; /* the last frame at or before that clock */
  while (best + 1 < frames.length && frames[best + 1].clock <= cursor) best++;
  go(best);
}

function make_strip_tools() {
  const tool = (text, label, act) => make("button", {text, "aria-label": label, onclick: act});
  const span = () => view.to - view.from;
  by_id("strips").append(make(
      "div", {cls: "tools", role: "group", "aria-label": say("Zoom")}, tool("+", say("zoom in (+)"), () => zoom(0.5)),
      tool("\u2212", say("zoom out (-)"), () => zoom(2)),
      tool(say("all"), say("show all clocks (0)"), () => move_to(film.from, film.to - film.from)),
      tool("\u25c0", say("earlier clocks"), () => move_to(view.from - span() / 2, span())),
      tool("\u25b6", say("later clocks"), () => move_to(view.from + span() / 2, span()))));
  const legend = make("ul", {cls: "legend", "aria-label": say("What a warp does most in a column's clocks")});
  for (const [sign, name] of film.signs) {
    if (!looks[sign]) continue;
    const canvas = make("canvas", {width: 64, height: 28, "aria-hidden": "true"});
    canvas.dataset.sign = sign;
    legend.append(make("li", {}, canvas, name));
  }
  if (step) legend.append(make("li", {text: say("> a warp of this block")}));
  legend.append(make("li", {text: say("issue, below: the share of clocks in which an instruction is issued")}));
  by_id("strips").append(legend);
}
function draw_legend() {
  for (const canvas of document.querySelectorAll(".legend canvas")) {
    const g = canvas.getContext("2d");
    g.clearRect(0, 0, 64, 28);
    paint(g, canvas.dataset.sign, 0, 0, 64, 28);
  }
}
