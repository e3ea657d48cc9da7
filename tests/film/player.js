// player.js PAGE TEXT: runs the script of a page that `step --record` wrote on a stand-in for a browser,
// presses keys, and compares what it shows with what `step --text` printed of the same steps.
"use strict";
const fs = require("fs"), vm = require("vm");
const page = fs.readFileSync(process.argv[2], "utf8"), text = fs.readFileSync(process.argv[3], "utf8");
const film = page.split('<script type="application/json" id="film">')[1].split("</script>")[0];
const script = page.split("<script>")[1].split("</script>")[0];

class Element {
  constructor(tag) {
    Object.assign(this, { tag, children: [], attributes: {}, dataset: {}, style: {}, listeners: {}, own: "",
      scrollTop: 0, offsetTop: 0,
                          offsetHeight: 20, clientHeight: 200, clientWidth: 900, width: 0, height: 0 });
    this.classList = { toggle: (name, on) => { this.classes = this.classes || {}; this.classes[name] = on; } };
  }
  get textContent() { return this.own + this.children.map(c => (typeof c === "string" ? c : c.textContent)).join(""); }
  set textContent(t) { this.own = String(t); this.children = []; }
  get firstChild() { return this.children[0]; }
  get lastChild() { return this.children[this.children.length - 1]; }
  append(...list) { this.children.push(...list); }
  replaceChildren(...list) { this.own = ""; this.children = list; }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
    if (name === "id") ids[value] = this;
  }
  removeAttribute(name) { delete this.attributes[name]; }
  addEventListener(name, act) { this.listeners[name] = act; }
  getBoundingClientRect() { return { left: 0, width: 900 }; }
  getContext() {
    return new Proxy({}, {
      get: (o, name) => (name in o ? o[name] : () => {}),
      set: (o, name, v) => { o[name] = v; return true; },
    });
  }
  querySelector(what) {
    const line = /data-line="(\d+)"/.exec(what);
    const is = c => (line ? String(c.dataset.line) === line[1] : "aria-current" in c.attributes);
    return this.children.find(is) || null;
  }
}
const ids = {}, pressed = {};
const by_id = id => ids[id] = ids[id] || new Element(id);
by_id("film").textContent = film;
vm.runInNewContext(script, {
  document: { getElementById: by_id, createElement: tag => new Element(tag), querySelectorAll: () => [],
    documentElement: new Element("html"),
              addEventListener: (name, act) => { pressed[name] = act; } },
  window: { devicePixelRatio: 1, addEventListener() {}, matchMedia: () => ({ addEventListener() {} }) },
  getComputedStyle: () => ({ fontSize: "16px", getPropertyValue: () => " #123456" }), location: { hash: "" },
  atob: t => Buffer.from(t, "base64").toString("latin1"), console,
});
const press = key => pressed.keydown({ key, preventDefault() {} });
const where = () => by_id("where").textContent;

let failed = 0, compared = 0;
function check(right, what) { if (!right) { failed++; if (failed < 8) console.log("FAIL " + what); } }

// each step: its line of head, the values that the text names, its sentence
press("a");
press("Home");
for (const part of text.split(/\n\n(?=step )/).filter(t => t.startsWith("step "))) {
  const [, number, clock, warp] = /^step (\d+), clock ([\d,]+), warp (\d+)/.exec(part);
  const here = where();
  check(here.replace(/,/g, "").startsWith("step " + number) && here.includes("clock " + clock + "  warp " + warp),
    here + " is not step " + number);
  const rows = by_id("values").children.slice(2).map(r => r.children.map(c => c.textContent));
  const lines = part.replace(/\n {34}(?=\S)/g, " ").split("\n");
  for (const line of lines) {
    if (!/^  (reads|writes) /.test(line) || line.slice(32, 34) !== "  ") continue; // a long name has a line of its own
    const what = line.slice(2, 10).trim(), name = line.slice(10, 34).trim(), value = line.slice(34);
    const shown = rows.find(r => r[0] === what && r[1] === name), cut = value.replace(/ \.\.\.$/, "");
    const same = t => t.replace(/e([+-])0(\d)\b/g, "e$1$2"); // C writes 1e-07 for 1e-7
    check(shown && (value.endsWith(" ...") ? same(shown[3]).startsWith(same(cut)) : same(shown[3]) === same(value)),
          "step " + number + ": " + line + " | " + (shown ? shown[3] : "not shown"));
    compared++;
  }
  const said = lines.filter(l => /^  \S/.test(l) &&
    !/^  (reads  |writes  |access  |warps? \d| *\d+  )/.test(l)).map(l => l.trim()).join(" ");
  check(by_id("sentence").textContent === said, "step " + number + " says: " +
    by_id("sentence").textContent + " | " + said);
  const warps = by_id("warps").children.map(row => row.children[0].attributes["aria-current"] ? 1 : 0);
  check(warps[+warp] === 1 && warps.reduce((a, b) => a + b) === 1, "step " + number + ": the warp is not marked");
  press("ArrowRight");
}
// there and back
const barriers = JSON.parse(film).step.frames.some(f => f[6] & 4);
press("End");
const last = where();
press("b");
check(by_id("sentence").textContent.startsWith("There is no barrier after"), "no barrier after the last step");
press("B");
check(barriers === (where() !== last), "the barrier before: " + by_id("sentence").textContent);
for (const key of ["ArrowDown", "ArrowUp", "w", "W", "m", "M", "]", "[", "PageDown", "PageUp", ".", ",", "+", "-",
  "Home"]) press(key);
check(where().startsWith("step 1 "), "Home goes to step 1, not " + where());
press("b");
check(barriers === !where().startsWith("step 1 "), "the first barrier");
by_id("slider").value = 0;
by_id("slider").listeners.input();
check(where().startsWith("step 1 "), "the slider goes to step 1");
by_id("lanes").children[7].listeners.click();
check(by_id("mask").textContent.includes("lane 7 is on"), "a click chooses lane 7: " + by_id("mask").textContent);
check(compared > 100, "only " + compared + " values compared");
process.exit(failed ? 1 : 0);
