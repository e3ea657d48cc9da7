/* player_step.js: the frames of a block, and the panes that show one of them; see player.js. */

/* ---- frames ---- */

let frames = [], insns = [], vectors = [];
let at = 0, lane = 0, all_warps = false,
    chosen = -1; /* chosen: which value has its lanes shown; -1: the first written */

const NEVER = -1;
const kind_bit = {
  barrier: 4,
  split: 8,
  wait: 16,
  scattered: 32,
  memory: 64,
  fault: 1024
}; /* 1 << enum frame_kind */

function unpack() {
  let clock = 0;
  frames = step.frames.map(f => {
    clock += f[1];
    return {
      i: f[0],
      clock,
      warp: f[2],
      insn: step.insns[f[3]],
      lanes: f[4],
      text: step.texts[f[5]],
      kinds: f[6],
      reads: f[7],
      writes: f[8],
      access: f[9],
      shared: f[10],
      waits: f[11]
    };
  });
}

/* What 32 lanes hold: numbers, or BigInts for 64 bits. */
function vector(n, bytes) {
  if (vectors[n + ":" + bytes]) return vectors[n + ":" + bytes];
  const text = step.vectors[n], rest = text.slice(1), wide = bytes > 128, out = [];
  if (text[0] === "m") {
    for (let l = 0; l < 32; l++) out.push(parseInt(rest, 16) >>> l & 1);
  } else if (text[0] === "w" || text[0] === "d") {
    const raw = atob(rest), size = text[0] === "d" ? 8 : 4, data = new DataView(new ArrayBuffer(32 * size));
    for (let k = 0; k < raw.length; k++) data.setUint8(k, raw.charCodeAt(k));
    for (let l = 0; l < 32; l++) out.push(wide ? data.getBigUint64(8 * l, true) : data.getUint32(4 * l, true));
  } else {
    const [base, by] = (text[0] === "u" ? [rest, "0"] : rest.split(",")).map(t => BigInt("0x" + t));
    for (let l = 0; l < 32; l++) {
      const v = BigInt.asUintN(wide ? 64 : 32, base + by * BigInt(l));
      out.push(wide ? v : Number(v));
    }
  }
  return vectors[n + ":" + bytes] = out;
}

const bits_of = type => parseInt(type.replace(/^\D+/, ""), 10) || 8;

/* "data[32]" for an address within a buffer */
function place(address) {
  for (const a of step.buffers) {
    if (address < BigInt(a.from) || address >= BigInt(a.to)) continue;
    const offset = address - BigInt(a.from), size = BigInt(Math.max(1, bits_of(a.type) / 8));
    return offset % size ? (a.name || "memory") + " + " + offset + " B" :
                           (a.name || "memory") + "[" + offset / size + "]";
  }
  return null;
}

/* As printf's %.6g: the page and the terminal show the same digits. */
function real_text(v, digits) {
  if (!Number.isFinite(v)) return Number.isNaN(v) ? "nan" : v < 0 ? "-inf" : "inf";
  const [mantissa, exponent] = v.toExponential(digits - 1).split("e");
  if (+exponent >= -4 && +exponent < digits)
    return String(+v.toFixed(digits - 1 - exponent)).replace(/^0$/, Object.is(v, -0) ? "-0" : "0");
  return +mantissa + "e" + exponent[0] + exponent.slice(1).padStart(2, "0");
}

const convert = new DataView(new ArrayBuffer(8));
function number(value, type, bytes) {
  const real = type[0] === "f";
  if (bytes === 4) return value ? "true" : "false";
  if (bytes === 128 && real) {
    convert.setUint32(0, value);
    return real_text(convert.getFloat32(0), 6);
  }
  if (bytes === 128) return String(type[0] === "u" ? value : value | 0);
  if (bytes === 256 && real) {
    convert.setBigUint64(0, value);
    return real_text(convert.getFloat64(0), 8);
  }
  const named = place(value);
  if (named) return named;
  return value >> 32n && !(value >> 48n) ? "0x" + value.toString(16) : String(BigInt.asIntN(64, value));
}

const on = (f, l) => f.lanes >>> l & 1;
const lanes_on = f => Array.from({length: 32}, (x, l) => l).filter(l => on(f, l));

/* "true in lanes 16 to 31" */
function flags_text(list, values) {
  const set = list.filter(l => values[l]), runs = [];
  if (!set.length || set.length === list.length) return say(set.length ? "true in each" : "false in each");
  for (const l of set) {
    if (runs.length && runs[runs.length - 1][1] === l - 1) runs[runs.length - 1][1] = l;
    else runs.push([l, l]);
  }
  const text = runs.map(
                       ([from, to]) =>
                           (to > from + 1 ? say("{1} to {2}", from, to) :
                                to > from ? from + ", " + to :
                                            from))
                   .join(", ");
  return say(set.length > 1 ? "true in lanes {1}" : "true in lane {1}", text);
}

/* All lanes in as few words as what they have in common allows. */
function lanes_text(f, values, operand) {
  const list = lanes_on(f), texts = list.map(l => number(values[l], operand[2], operand[3]));
  if (!list.length) return say("no lane is on");
  if (operand[3] === 4) return flags_text(list, values);
  if (list.every(l => values[l] === values[list[0]])) return list.length > 1 ? say("{1} in each", texts[0]) : texts[0];
  if (list.length > 3 && operand[2][0] !== "f") {
    const of = k => operand[3] > 128 ? BigInt.asIntN(64, values[list[k]]) : BigInt(values[list[k]] | 0);
    const by = of(1) - of(0);
    if (list.every((l, k) => !k || (l === list[k - 1] + 1 && of(k) - of(k - 1) === by)))
      return texts[0] + ", " + texts[1] + " ... " + texts[texts.length - 1];
  }
  return texts.join(" ");
}

/* ---- panes ---- */

function make_source() {
  const list = by_id("source");
  if (!step.source.length) list.append(make("li", {cls: "dim", text: say("(no source: its PTX is below)")}));
  let gap = false;
  step.source.forEach((text, k) => {
    if (text === null) {
      gap = true;
      return;
    }
    if (gap) list.append(make("li", {cls: "dim", text: "  ..."}));
    gap = false;
    const line = make("li", {text: String(k + 1).padStart(5) + "  " + text});
    line.dataset.line = k + 1;
    list.append(line);
  });
  by_id("source-name").textContent = step.source_name || say("Source");
}

function show_source(f) {
  const list = by_id("source"), before = list.querySelector("[aria-current]"),
        now = list.querySelector('[data-line="' + f.insn[0] + '"]');
  if (before !== now) {
    if (before) before.removeAttribute("aria-current");
    if (now) {
      now.setAttribute("aria-current", "true");
      list.scrollTop = now.offsetTop - list.clientHeight / 2;
    }
  }
  by_id("ptx").textContent = f.insn[1];
}

/* The waits and the shared memory of a frame: all changes up to it. */
const state = {
  at: -1,
  waits: [],
  owner: null
};
function bring_state(to) {
  if (state.at > to || state.at < 0) {
    state.at = -1;
    state.waits = [];
    state.owner = {};
  }
  while (state.at < to) {
    const f = frames[++state.at];
    for (let k = 0; k < f.waits.length; k += 2) state.waits[f.waits[k]] = f.waits[k + 1];
    for (let k = 0; k < f.shared.length; k += 3)
      for (let w = f.shared[k]; w < f.shared[k] + f.shared[k + 1]; w++) state.owner[w] = f.shared[k + 2];
  }
}

const state_look = {
  "#": ["#", "issues"],
  "m": ["~", "waits"],
  "b": ["=", "at the barrier"],
  ":": [":", "ready"],
  ".": [".", "ended"],
  "-": ["?", "unknown"]
};
function make_warps() {
  for (let w = 0; w < step.warps; w++)
    by_id("warps").append(make(
        "li", {},
        make("button", {onclick: () => other_warp(w)}, make("b", {"aria-hidden": "true"}), make("span"))));
}
function show_warps(f) {
  [...by_id("warps").children].forEach((row, w) => {
    const text = step.texts[state.waits[w]] || "-", button = row.firstChild, mine = w === f.warp;
    button.firstChild.textContent = mine ? ">" : state_look[text[0]][0];
    button.lastChild.textContent = say("warp {1}", w) + "  " + text.slice(1);
    if (mine) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
    if (mine) {
      const list = by_id("warps");
      if (row.offsetTop - list.offsetTop < list.scrollTop ||
          row.offsetTop - list.offsetTop + row.offsetHeight > list.scrollTop + list.clientHeight)
        list.scrollTop = row.offsetTop - list.offsetTop - list.clientHeight / 2;
    }
  });
}

function make_lanes() {
  for (let l = 0; l < 32; l++)
    by_id("lanes").append(make("button", {
      text: l,
      onclick: () => {
        lane = l;
        show();
      }
    }));
}
function show_lanes(f) {
  const n = lanes_on(f).length;
  by_id("mask").textContent =
      (n === 32 ? say("all 32 on") : say("{1} of 32 on, mask {2}", n, (f.lanes >>> 0).toString(16).padStart(8, "0"))) +
      say("; ") + say(on(f, lane) ? "lane {1} is on" : "lane {1} is off", lane);
  [...by_id("lanes").children].forEach((button, l) => {
    button.classList.toggle("off", !on(f, l));
    button.textContent = on(f, l) ? l : "\u00b7" + l;
    button.setAttribute("aria-label", say(on(f, l) ? "lane {1}, on" : "lane {1}, off", l));
    button.setAttribute("aria-pressed", l === lane ? "true" : "false");
  });
}

function show_values(f) {
  const table = by_id("values"), rows = [];
  const add = (what, operands, list) => list.forEach((n, k) => {
    if (operands[k][0] || operands[k][1]) rows.push([what, operands[k], vector(n, operands[k][3])]);
  });
  add("reads", f.insn[2], f.reads);
  add("writes", f.insn[3], f.writes);
  const name = r => r[1][0] || r[1][1];
  table.replaceChildren(
      make("caption", {cls: "dim", text: rows.length ? "" : say("It reads and writes no register.")}));
  if (rows.length)
    table.append(make(
        "tr", {},
        ...["", say("value"), say("lane {1}", lane), say("all lanes")].map(text => make("th", {text, scope: "col"}))));
  const first_written = rows.findIndex(r => r[0] === "writes"),
        shown = chosen >= 0 && chosen < rows.length ? chosen : Math.max(0, first_written);
  rows.forEach(
      (r, k) => table.append(make(
          "tr", {}, make("td", {text: say(r[0])}), make("td", {}, make("button", {
                                                     text: name(r),
                                                     "aria-pressed": k === shown ? "true" : "false",
                                                     title: r[1][1] + " " + r[1][2],
                                                     onclick: () => {
                                                       chosen = k;
                                                       show();
                                                     }
                                                   })),
          make("td", {text: on(f, lane) ? number(r[2][lane], r[1][2], r[1][3]) : say("off")}),
          make("td", {cls: "all", text: lanes_text(f, r[2], r[1])}))));
  const box = by_id("chosen");
  by_id("chosen-name").textContent = rows.length ?
      say(rows[shown][0] === "reads" ? "{1}, read by each lane" : "{1}, written by each lane", name(rows[shown])) :
      "";
  box.replaceChildren();
  box.setAttribute(
      "aria-label",
      rows.length ? name(rows[shown]) + ": " + lanes_text(f, rows[shown][2], rows[shown][1]) : say("no value"));
  for (let l = 0; rows.length && l < 32; l++) {
    const text = on(f, l) ? number(rows[shown][2][l], rows[shown][1][2], rows[shown][1][3]) : say("off");
    box.append(make(
        "div", {cls: (on(f, l) ? "" : "off") + (l === lane ? " mine" : ""), title: text},
        make("span", {text: String(l).padStart(2) + ": "}), text));
  }
}

/* A row of the picture: 64 bytes, 16 words; a number is the lane that wants the word. */
function draw_memory(a, addresses) {
  const wanted = new Map();
  addresses.forEach((address, l) => {
    if (!(a.mask >>> l & 1)) return;
    for (let w = address / 4n; w * 4n < address + BigInt(a.size); w++) wanted.set(w, [...(wanted.get(w) || []), l]);
  });
  const rows = [...new Set([...wanted.keys()].map(w => w / 16n))].sort((x, y) => (x < y ? -1 : 1));
  const out = [make(
      "div", {cls: "row head"}, make("span", {cls: "at", text: say("byte")}),
      ...Array.from({length: 16}, (x, k) => make("span", {text: "+" + 4 * k})))];
  rows.forEach((row, k) => {
    if (rows.length > 12 && k >= 7 && k < rows.length - 3) {
      if (k === 7)
        out.push(make("div", {cls: "row"}, make("span", {cls: "at", text: say("... {1} rows", rows.length - 10)})));
      return;
    }
    if (k && rows[k - 1] + 1n !== row && !(rows.length > 12 && k >= 7))
      out.push(make("div", {cls: "row dim"}, make("span", {cls: "at", text: "..."})));
    const cells = [];
    for (let w = 0n; w < 16n; w++) {
      const lanes = wanted.get(row * 16n + w) || [];
      cells.push(make("span", {
        cls: (lanes.length ? "wanted" : "") + (w === 0n || (!step.strict && w === 8n) ? " sector" : ""),
        title: lanes.length ? say("lane {1}", lanes.join(", ")) : "",
        text: lanes.length ? lanes[0] + (lanes.length > 1 ? "+" : "") : "."
      }));
    }
    out.push(make("div", {cls: "row"}, make("span", {cls: "at", text: "+" + row * 64n}), ...cells));
  });
  return out;
}

/* A column per bank; below it the words that its lanes want, one pass each. */
function draw_banks(a, addresses) {
  const out = [], halves = step.banks === 16 ? [[0, 16], [16, 32]] : [[0, 32]];
  halves.forEach(([from, to]) => {
    const bank = Array.from({length: step.banks}, () => new Map());
    for (let l = from; l < to; l++) {
      if (!(a.mask >>> l & 1)) continue;
      for (let w = addresses[l] / 4n; w * 4n < addresses[l] + BigInt(a.size); w++) {
        const words = bank[Number(w % BigInt(step.banks))];
        words.set(w, [...(words.get(w) || []), l]);
      }
    }
    const worst = Math.max(...bank.map(b => b.size));
    if (!worst) return;
    out.push(make(
        "div", {cls: "row head"},
        make("span", {cls: "at", text: halves.length > 1 ? say("lanes {1}-{2}", from, to - 1) : say("bank")}),
        ...bank.map((b, k) => make("span", {text: k}))));
    for (let pass = 0; pass < worst; pass++)
      out.push(make("div", {cls: "row"}, make("span", {cls: "at", text: say("pass {1}", pass + 1)}), ...bank.map(b => {
        const entry = [...b][pass];
        return make("span", {
          cls: entry ? "wanted" : "",
          title: entry ? say("word {1}, lane {2}", entry[0], entry[1].join(", ")) : "",
          text: entry ? entry[1][0] + (entry[1].length > 1 ? "+" : "") : "."
        });
      })));
  });
  return out;
}

function bytes_text(n) { return n < 1024 ? n + " B" : +(n / 1024).toPrecision(3) + " KiB"; }

function show_access(f) {
  const box = by_id("access"), name = by_id("access-name");
  if (!f.access) {
    name.textContent = say("Access: none");
    box.replaceChildren();
    box.setAttribute("aria-label", say("no access"));
    by_id("access-text").textContent =
        say("This instruction accesses no memory; the key e goes to one that does.");
    return;
  }
  const [space, kind, size, mask, addresses, number_of, moved, called, places] = f.access, shared = space === "s";
  const lanes = Array.from({length: 32}, (x, l) => mask >>> l & 1).reduce((x, y) => x + y);
  name.textContent =
      say({r: "Access: reads {1}", w: "Access: writes {1}", a: "Access: changes atomically {1}"}[kind],
          step.texts[called]);
  box.replaceChildren(...(shared ? draw_banks : draw_memory)({size, mask}, vector(addresses, 256)));
  const cost = shared ?
      plural(number_of, "{1} pass over the banks", "{1} passes over the banks") :
      say("{1}, {2} moved", plural(number_of, "{1} transaction", "{1} transactions"), bytes_text(moved));
  const text = say("{1} for {2}: {3}.", plural(lanes, "{1} lane", "{1} lanes"), bytes_text(lanes * size), cost) + " " +
      step.texts[places];
  box.setAttribute("aria-label", text);
  by_id("access-text").textContent = text;
}

/* A letter per word, or per few words where there is no room. */
function show_shared(f) {
  const box = by_id("shared"), em = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const across = Math.max(
      32, Math.min(128, Math.floor(box.clientWidth / (0.52 * em) / 32) * 32)); /* banks stand above each other */
  const now = {};
  for (let k = 0; k < f.shared.length; k += 3)
    for (let w = f.shared[k]; w < f.shared[k] + f.shared[k + 1]; w++)
      if (f.shared[k + 2] === f.warp && state.at > 0) now[w] = true;
  box.replaceChildren();
  for (const area of step.shared) {
    const from = Math.floor(area.from / 4), words = Math.ceil((area.to - area.from) / 4),
          each = Math.max(1, Math.ceil(words / (across * 16)));
    const pre = make("pre", {"aria-label": area.name || say("shared memory")});
    let run = "", cls = "";
    const flush = () => {
      if (run) pre.append(make("span", {cls, text: run}));
      run = "";
    };
    for (let k = 0, n = 0; k < words; k += each, n++) {
      let owner = -1, is_now = false;
      for (let w = from + k; w < from + Math.min(words, k + each); w++) {
        if (w in state.owner && state.owner[w] >= 0) owner = state.owner[w];
        is_now = is_now || !!now[w];
      }
      const next = is_now ? "now" : owner < 0 ? "" : owner % 2 ? "w" : "v";
      if (n && n % across === 0) run += "\n";
      if (next !== cls) flush();
      cls = next;
      run += owner < 0 ? "." : "0123456789abcdefghijklmnopqrstuv"[owner % 32];
    }
    flush();
    box.append(
        make("p", {
          text: say("{1}, {2}; each sign is {3}: the warp that touched it last, . nobody; reversed: now",
                    area.name || say("shared memory"), plural(words, "{1} word", "{1} words"),
                    plural(each, "{1} word", "{1} words"))
        }),
        pre);
  }
}

function show() {
  const f = frames[at];
  bring_state(at);
  cursor = f.clock;
  const slider = by_id("slider");
  slider.value = at;
  slider.setAttribute("aria-valuetext", say("step {1}, clock {2}, warp {3}", f.i + 1, f.clock, f.warp));
  by_id("where").textContent =
      say(step.more ? "step {1}  clock {3}  warp {4}" : "step {1} of {2}  clock {3}  warp {4}", count(f.i + 1),
          count(frames[frames.length - 1].i + 1), count(f.clock), f.warp);
  by_id("sentence").textContent = f.text;
  show_source(f);
  show_warps(f);
  show_lanes(f);
  show_values(f);
  show_access(f);
  show_shared(f);
  follow();
}
