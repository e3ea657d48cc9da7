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
  by_id("sentence").textContent = "There is no " + what + " " + (by > 0 ? "after" : "before") +
      " this on the page" + (all_warps ? "." : " in this warp (key a: look in all warps).");
}
const to_step = by => () => seek(by, "step", () => true);
const to_line = by => () => {
  const f = frames[at];
  seek(by, "other line", x => x.warp !== f.warp || x.insn[0] !== f.insn[0]);
};
const to_kind = (by, kind) => () => seek(by, kind, x => x.kinds & kind_bit[kind]);
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
  [["Home", "g"], () => go(0), "first", "first step"],
  [["ArrowUp", "k"], to_line(-1), "\u25c0 line", "the source line before"],
  [["ArrowLeft", "h"], to_step(-1), "\u25c0 step", "the instruction before"],
  [["ArrowRight", "l"], to_step(1), "step \u25b6", "next instruction"],
  [["ArrowDown", "j"], to_line(1), "line \u25b6", "next source line"],
  [["End", "G"], () => go(frames.length - 1), "last", "last step on the page"],
  [["b"], to_kind(1, "barrier"), "barrier", "next barrier"],
  [["B"], to_kind(-1, "barrier"), "", "the barrier before"],
  [["w"], to_kind(1, "wait"), "long wait", "next long wait"],
  [["W"], to_kind(-1, "wait"), "", "the long wait before"],
  [["s"], to_kind(1, "split"), "split", "next branch that parts the lanes"],
  [["S"], to_kind(-1, "split"), "", "the one before"],
  [["m"], to_kind(1, "scattered"), "scattered", "next scattered access or bank conflict"],
  [["M"], to_kind(-1, "scattered"), "", "the one before"],
  [["e"], to_kind(1, "memory"), "memory", "next memory access"],
  [["E"], to_kind(-1, "memory"), "", "the memory access before"],
  [["f"], to_kind(1, "fault"), "", "the fault"],
  [["F"], to_kind(-1, "fault"), "", "the fault, looking back"],
  [["PageDown"], () => go(Math.min(frames.length - 1, at + 100)), "", "a hundred steps on"],
  [["PageUp"], () => go(Math.max(0, at - 100)), "", "a hundred steps back"],
  [["]"], next_warp(1), "", "next warp"],
  [["["], next_warp(-1), "", "the warp before"],
  [
    ["."],
    () => {
      lane = (lane + 1) % 32;
      show();
    },
    "", "next lane"
  ],
  [
    [","],
    () => {
      lane = (lane + 31) % 32;
      show();
    },
    "", "the lane before"
  ],
  [["a"], toggle_all, "", "keys go on in this warp only, or in all warps"],
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
    text: "all warps",
    "aria-pressed": "false",
    title: "keys go on in all warps (a)",
    onclick: toggle_all
  }));
  for (const [names, , , label] of keys)
    by_id("help-list").append(make("dt", {text: names.join(" ")}), make("dd", {text: label}));
}

/* ---- the page ---- */

function start() {
  const f = film.films[0];
  by_id("title").textContent = film.films.map(x => x.title).join(" and ");
  by_id("about").textContent =
      film.films
          .map(
              x => x.kernel + " on " + x.device +
                  (step ? ", block " + x.block.join(",") + " of " + x.grid.join(" x ") + ", launch " + x.launch :
                          ""))
          .join("; ") +
      ". Simulated; the clock counts from the kernel's start.";
  film.films.forEach(make_strip);
  for (const x of film.films)
    if (x.places > x.levels[0].rows.length) {
      by_id("note").textContent = "The first " + x.levels[0].rows.length + " of " + x.places + " warps are drawn. ";
      by_id("note").hidden = false;
    }
  make_strip_tools();
  if (step && step.frames.length) {
    unpack();
    const shown = frames.length, last = frames[shown - 1].i + 1;
    if (step.more || shown < step.asked) {
      by_id("note").textContent += "This page has " + plural(shown, "step") + ", up to step " + count(last) +
          "; the block has more. --from and --to of `step` choose others.";
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
  by_id("foot").textContent = "Made by warpstep " + film.version + (step ? ": step " : ": warps ") +
      film.films.map(x => x.title).join(" ") + " --record FILE.html";
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
