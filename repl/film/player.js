/* player.js: shows a recorded film in a browser: strips of time of a multiprocessor's warps, and the
 * frames of one block, one after the other. The film is the JSON text in this page: page.c and
 * page_frames.c write it, and say what its lists mean. Text enters the page as text only.
 *
 * page.c puts player_strips.js, player_step.js and this file, in this order, into one function. */

/* ---- going ---- */

function go(to) {
  if (to < 0 || to >= frames.length) return;
  if (frames[to].insn !== frames[at].insn) chosen = -1;
  at = to;
  show();
}
function find(by, is) {
  const warp = frames[at].warp;
  for (let k = at + by; k >= 0 && k < frames.length; k += by)
    if ((all_warps || frames[k].warp === warp) && is(frames[k])) return k;
  return NEVER;
}
function seek(by, what, is) {
  const to = find(by, is);
  if (to !== NEVER) return go(to);
  by_id("sentence").textContent =
      say(by > 0 ? "There is no {1} after this on the page." : "There is no {1} before this on the page.", say(what)) +
      (all_warps ? "" : " " + say("Looked for in this warp; the key a looks in all warps."));
}
const to_step = by => () => seek(by, "step", () => true);
const to_line = by => () => {
  const f = frames[at];
  seek(by, "other line", x => x.warp !== f.warp || x.insn[0] !== f.insn[0]);
};
const kind_name = {
  barrier: "barrier",
  wait: "long wait",
  split: "branch that parts the lanes",
  scattered: "scattered access or bank conflict",
  memory: "memory access",
  fault: "fault"
};
const to_kind = (by, kind) => () => seek(by, kind_name[kind], x => x.kinds & kind_bit[kind]);
function other_warp(w) {
  let to = NEVER; /* its last frame so far, or its first */
  for (let k = 0; k < frames.length && (k <= at || to === NEVER); k++)
    if (frames[k].warp === w) to = k;
  if (to !== NEVER) go(to);
}
const next_warp = by => () => other_warp((frames[at].warp + step.warps + by) % step.warps);
function toggle_all() {
  all_warps = !all_warps;
  by_id("all").setAttribute("aria-pressed", all_warps ? "true" : "false");
}

/* key, what it does, its button if it has one */
const keys = [
  [["Home", "g"], () => go(0), say("first"), say("first step")],
  [["ArrowUp", "k"], to_line(-1), "\u25c0 " + say("line"), say("the source line before")],
  [["ArrowLeft", "h"], to_step(-1), "\u25c0 " + say("step"), say("the instruction before")],
  [["ArrowRight", "l"], to_step(1), say("step") + " \u25b6", say("next instruction")],
  [["ArrowDown", "j"], to_line(1), say("line") + " \u25b6", say("next source line")],
  [["End", "G"], () => go(frames.length - 1), say("last"), say("last step on the page")],
  [["b"], to_kind(1, "barrier"), say("barrier"), say("next barrier")],
  [["B"], to_kind(-1, "barrier"), "", say("the barrier before")],
  [["w"], to_kind(1, "wait"), say("long wait"), say("next long wait")],
  [["W"], to_kind(-1, "wait"), "", say("the long wait before")],
  [["s"], to_kind(1, "split"), say("split"), say("next branch that parts the lanes")],
  [["S"], to_kind(-1, "split"), "", say("the one before")],
  [["m"], to_kind(1, "scattered"), say("scattered"), say("next scattered access or bank conflict")],
  [["M"], to_kind(-1, "scattered"), "", say("the one before")],
  [["e"], to_kind(1, "memory"), say("memory"), say("next memory access")],
  [["E"], to_kind(-1, "memory"), "", say("the memory access before")],
  [["f"], to_kind(1, "fault"), "", say("the fault")],
  [["F"], to_kind(-1, "fault"), "", say("the fault, looking back")],
  [["PageDown"], () => go(Math.min(frames.length - 1, at + 100)), "", say("a hundred steps on")],
  [["PageUp"], () => go(Math.max(0, at - 100)), "", say("a hundred steps back")],
  [["]"], next_warp(1), "", say("next warp")],
  [["["], next_warp(-1), "", say("the warp before")],
  [
    ["."],
    () => {
      lane = (lane + 1) % 32;
      show();
    },
    "", say("next lane")
  ],
  [
    [","],
    () => {
      lane = (lane + 31) % 32;
      show();
    },
    "", say("the lane before")
  ],
  [["a"], toggle_all, "", say("keys go on in this warp only, or in all warps")],
];

/* The strips' own; with a step on the page, its keys move the cursor. */
const by_part = part => () => choose_clock(Math.round(cursor + (view.to - view.from) * part));
const strip_keys = [
  [["+", "="], () => zoom(0.5)],
  [["-"], () => zoom(2)],
  [["0"], () => move_to(film.from, film.to - film.from)],
  [["ArrowLeft"], by_part(-0.01)],
  [["ArrowRight"], by_part(0.01)],
  [["PageUp"], by_part(-0.5)],
  [["PageDown"], by_part(0.5)],
  [["Home"], () => choose_clock(film.from)],
  [["End"], () => choose_clock(film.to - 1)],
];

function listen() {
  const list = step ? keys.concat(strip_keys) : strip_keys;
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const row = list.find(k => k[0].includes(event.key));
    if (!row) return;
    event.preventDefault();
    row[1]();
  });
}

function make_controls() {
  const slider = by_id("slider"), bar = by_id("keys");
  slider.max = frames.length - 1;
  slider.addEventListener("input", () => go(+slider.value));
  bar.append(make("span", {id: "where"}));
  for (const [names, act, text, label] of keys)
    if (text)
      bar.append(
          make("button", {text, title: label + " (" + names.join(", ") + ")", "aria-label": label, onclick: act}));
  bar.append(make("button", {
    id: "all",
    text: say("all warps"),
    "aria-pressed": "false",
    title: say("keys go on in all warps (a)"),
    onclick: toggle_all
  }));
  for (const [names, , , label] of keys)
    by_id("help-list").append(make("dt", {text: names.join(" ")}), make("dd", {text: label}));
}

/* ---- the page ---- */

function start() {
  const f = film.films[0];
  by_id("title").textContent = film.films.map(x => x.title).join(say(" and "));
  by_id("about").textContent =
      film.films
          .map(
              x => step ? say("{1} on {2}, block {3} of {4}, launch {5}", x.kernel, x.device, x.block.join(","),
                              x.grid.join(" x "), x.launch) :
                          say("{1} on {2}", x.kernel, x.device))
          .join(say("; ")) +
      say(".") + " " + say("Simulated; the clock counts from the kernel's start.");
  film.films.forEach(make_strip);
  for (const x of film.films)
    if (x.places > x.levels[0].rows.length) {
      by_id("note").textContent = say("The first {1} of {2} warps are drawn.", x.levels[0].rows.length, x.places) + " ";
      by_id("note").hidden = false;
    }
  make_strip_tools();
  if (step && step.frames.length) {
    unpack();
    const shown = frames.length, last = frames[shown - 1].i + 1;
    if (step.more || shown < step.asked) {
      by_id("note").textContent += say(
          "This page has {1}, up to step {2}; the block has more. --from and --to of `step` choose others.",
          plural(shown, "{1} step", "{1} steps"), count(last));
      by_id("note").hidden = false;
    }
    by_id("step").hidden = false;
    by_id("shared-pane").hidden = !step.shared.length;
    make_source();
    make_warps();
    make_lanes();
    make_controls();
    const wish = parseInt(location.hash.slice(1), 10), to = frames.findIndex(x => x.i + 1 === wish);
    at = Math.max(0, to);
    show();
  }
  by_id("foot").textContent = say(
      "Made by warpstep {1}: {2}", film.version,
      (step ? "step " : "warps ") + film.films.map(x => x.title).join(" ") + " --record FILE.html");
  listen();
  const redraw = () => {
    draw_strips();
    draw_legend();
  };
  redraw();
  window.addEventListener("resize", () => (step ? show() : 0, redraw()));
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
}

start();
