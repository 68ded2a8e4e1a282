// The playground: sends the program and the settings to the module, and shows the answer. The address's fragment holds
// both, as the JSON of `state`, deflated, in base64url.
import { EXAMPLES } from "./play-examples.mjs";
import { MAX_TEXT, bytesOf, isProgram, lineOfToken, pack, toHex, unpack } from "./play-source.mjs";

const element = (id) => document.getElementById(id);
const text = element("text");
const TABS = { listing: "Listing", glsl: "GLSL", wgsl: "WGSL", d3d9: "Direct3D 9", run: "Run" };

let answer = null;
let step = Infinity;
let lane = 0;

/** Makes an element with attributes and children. */
function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in made) made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/** Loads a new instance of the module: one that panicked can't be used again. */
let modules = 0;
async function load() {
  const module = await import(`./molehill_playground.js?${modules++}`);
  await module.default();
  return module;
}
let module = await load().catch((error) => {
  element("verdict").textContent = `The playground can't start: ${error.message ?? error}`;
  throw error;
});

/** The values of the settings, each with its label; the first one is the default. */
const CHOICES = JSON.parse(module.choices());
const first = Object.entries(CHOICES).map(([name, [[value]]]) => [name, value]);
const DEFAULTS = { ...Object.fromEntries(first), comments: "", tab: "glsl" };
let state = { ...DEFAULTS, text: "", values: {} };

/** Shows files: bytes in hexadecimal, texts with a section each. */
async function open(files) {
  const parts = [];
  for (const file of [...files].slice(0, 2)) {
    const bytes = new Uint8Array(await file.slice(0, MAX_TEXT + 1).arrayBuffer());
    let read = null;
    try {
      read = isProgram(bytes) ? null : new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch { /* bytes */ }
    const [, vertex, fragment] = file.name.match(/\b(?:(vsh|vert|vertex)|(fsh|frag|fragment))\b/i) ?? [];
    const section = vertex ? "// vertex\n" : fragment ? "// fragment\n" : "";
    const alone = read === null || files.length < 2 || /^\s*\/\/ *(vertex|fragment) *$/m.test(read);
    parts.push(read === null ? toHex(bytes) : (alone ? "" : section) + read);
  }
  change({ text: parts.join("\n\n") });
}

// The link.

async function toFragment() {
  const { tab, ...kept } = state;
  const changed = Object.entries(kept).filter(([name, value]) => value !== DEFAULTS[name]);
  return `#${await pack(JSON.stringify({ ...Object.fromEntries(changed), tab }))}`;
}

/** The state of a fragment; members of another type than here are left out. */
async function fromFragment(fragment) {
  const read = JSON.parse(await unpack(fragment.slice(1)));
  const known = Object.entries(read).filter(([name, value]) => Object.hasOwn(DEFAULTS, name) && typeof value === "string");
  const values = Object.entries(read.values ?? {}).filter(([, value]) => typeof value === "string");
  return { ...DEFAULTS, ...Object.fromEntries(known), text: String(read.text), values: Object.fromEntries(values) };
}

let remembered = "";
let waiting = 0;
function remember() {
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    remembered = await toFragment();
    history.replaceState(null, "", remembered);
  }, 300);
}

async function follow(fragment) {
  if (fragment === remembered) return;
  try {
    if (fragment.length > 1) change(await fromFragment(fragment));
  } catch (error) {
    const reason = `The link can't be read: ${error.message ?? error}`;
    element("verdict").replaceChildren(make("p", { className: "error" }, reason));
  }
}

// The answer.

/** Changes the state, and shows it. */
function change(part) {
  state = { ...state, ...part };
  if (!Object.hasOwn(TABS, state.tab)) state.tab = DEFAULTS.tab;
  if (text.value !== state.text) text.value = state.text;
  for (const name of Object.keys(CHOICES)) element(name).value = state[name];
  element("comments").checked = state.comments === "on";
  ask();
}

let asked = 0;
function ask() {
  cancelAnimationFrame(asked);
  asked = requestAnimationFrame(async () => {
    const { values, text: source, ...settings } = state;
    const lines = Object.entries({ ...settings, ...values }).map(([name, value]) => `${name}=${value}\n`).join("");
    const programs = bytesOf(source);
    const [first, second] = programs ?? [];
    const none = new Uint8Array();
    try {
      answer = JSON.parse(module.play(programs ? "" : source, first ?? none, second ?? none, lines));
    } catch (error) {
      module = await load();
      const problem = { severity: "error", message: `The module ended: ${error}` };
      answer = { problems: [problem], programs: [], inputs: [], steps: [] };
    }
    answer.isBytes = programs !== null;
    show();
    remember();
  });
}

function show() {
  for (const problem of answer.problems) {
    if (problem.token && answer.isBytes) problem.line = lineOfToken(text.value, ...problem.token);
  }
  showVerdict();
  showTab();
  showMarks();
}

function showVerdict() {
  const errors = answer.problems.filter((problem) => problem.severity === "error").length;
  const empty = state.text.trim() === "";
  const refused = errors ? ["error", "✗ refused"] : ["pass", "✓ accepted"];
  const [className, verdict] = empty ? ["soft", "Type a program, or choose an example."] : refused;
  const programs = empty ? "" : [answer.language, ...answer.programs].filter(Boolean).join(" · ");
  const line = make("p", {}, make("span", { className }, verdict), make("span", { className: "soft" }, ` ${programs}`));
  if (answer.text) {
    line.append(" ", make("button", { id: "as-text", onclick: () => change({ text: answer.text }) }, "Edit as text"));
  }
  const list = make("ul");
  for (const { severity, line, column, message } of empty ? [] : answer.problems) {
    const item = make("li");
    if (line) item.append(make("button", { onclick: () => select(line, column) }, `Line ${line}`));
    const [head, rest] = message.match(/^(Error #\d+)(.*)/s)?.slice(1) ?? [severity, `: ${message}`];
    item.append(make("b", { className: severity }, head), rest);
    list.append(item);
  }
  element("verdict").replaceChildren(line, list);
}

/** Selects a position in the program. */
function select(line, column) {
  const before = text.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  const at = before + (column ?? 1) - 1;
  text.focus();
  text.setSelectionRange(at, at);
  text.scrollTop = Math.max(0, (line - 4) * 19);
}

/** The column on the screen of a position in a line: a tab goes to the next multiple of 4. */
const visual = (line) => [...line].reduce((at, letter) => letter === "\t" ? at + 4 - at % 4 : at + 1, 0);

function showMarks() {
  const lines = text.value.split("\n");
  const numbers = element("numbers");
  if (numbers.dataset.count !== `${lines.length}`) {
    numbers.dataset.count = lines.length;
    numbers.textContent = lines.map((_, index) => index + 1).join("\n");
  }
  const marks = [];
  const mark = (line, className, style = "", content = "") => {
    marks.push(make("i", { className, style: `top: ${10 + 19 * (line - 1)}px; ${style}` }, content));
  };
  const current = state.tab === "run" ? answer.steps[step - 1] : null;
  if (current?.line && !answer.isBytes) mark(current.line, "now");
  for (const { line, column, severity } of state.text.trim() === "" ? [] : answer.problems) {
    const content = lines[line - 1];
    if (content === undefined) continue;
    const code = content.replace(/\/\/.*/, "").trimEnd() || content;
    const start = column ? column - 1 : content.length - content.trimStart().length;
    const word = column ? content.slice(start).match(/^[^\s,]+/)?.[0] ?? " " : code.slice(start);
    if (severity === "error") mark(line, "bad");
    mark(line, `wave ${severity}`, `left: calc(8px + ${visual(content.slice(0, start))}ch)`, word.slice(0, 400));
  }
  element("marks").replaceChildren(...marks);
  follows();
}

/** Moves the line numbers and the marks with the text. */
function follows() {
  element("marks").style.transform = `translate(${-text.scrollLeft}px, ${-text.scrollTop}px)`;
  element("numbers").style.transform = `translateY(${-text.scrollTop}px)`;
}

function showTab() {
  for (const button of element("tabs").children) {
    const chosen = button.dataset.tab === state.tab;
    button.setAttribute("aria-selected", chosen);
    button.tabIndex = chosen ? 0 : -1;
  }
  let tools = 0;
  for (const tool of document.querySelectorAll(".tools label")) {
    tool.hidden = !tool.dataset.for.split(" ").includes(state.tab);
    tools += !tool.hidden;
  }
  document.querySelector(".tools").hidden = tools === 0;
  element("panel").setAttribute("aria-label", TABS[state.tab]);
  element("run").hidden = state.tab !== "run";
  element("texts").hidden = state.tab === "run" && answer.steps.length > 0;
  if (state.tab === "run") showRun();
  else showTexts(answer[state.tab]);
}

/** Shows the texts of a panel; without new ones, the reason above the last ones. */
let shownTab = null;
function showTexts(panel) {
  const place = element("texts");
  const kept = shownTab === state.tab ? [...place.children].filter((child) => child.tagName === "SECTION") : [];
  shownTab = state.tab;
  if (!panel?.Ok) {
    for (const section of kept) section.className = "stale";
    const reason = `${panel?.Err ?? "There is no program."}${kept.length ? " Below is the last translation." : ""}`;
    place.replaceChildren(make("p", { className: "soft" }, reason), ...kept);
    return;
  }
  place.replaceChildren(...panel.Ok.map(({ title, text }) => {
    const copied = make("button", { onclick: () => copy(copied, text) }, "Copy");
    return make("section", {}, make("h2", {}, title, copied), make("pre", { tabIndex: 0 }, text));
  }));
  colour(place.querySelectorAll("pre"));
}

const WORDS = ["void", "vec[234]f?", "mat\\d", "float", "int", "uint", "bool", "in", "out", "uniform", "layout", "precision", "highp",
  "mediump", "if", "else", "return", "discard", "struct", "fn", "var", "let", "const", "attribute", "varying", "sampler\\w*",
  "texture_\\w+", "f32", "u32", "i32"];
const KINDS = [
  ["comment", /\/\/.*/g],
  ["number", /\b(?:0x[\da-f]+|\d+\.?\d*(?:e[+-]?\d+)?)\b/gi],
  ["word", new RegExp(`[#@]\\w+|\\b(?:${WORDS.join("|")})\\b`, "g")],
];

/** Colours comments, numbers and words of code, where the browser can. */
function colour(blocks) {
  if (!globalThis.Highlight) return;
  const found = Object.fromEntries(KINDS.map(([kind]) => [kind, new Highlight()]));
  for (const block of blocks) {
    const node = block.firstChild;
    if (!node || node.length > 100000 || /^[\da-f\s]*$/.test(node.data)) continue;
    for (const [kind, pattern] of KINDS) {
      for (const match of node.data.matchAll(pattern)) {
        const [startOffset, endOffset] = [match.index, match.index + match[0].length];
        found[kind].add(new StaticRange({ startContainer: node, startOffset, endContainer: node, endOffset }));
      }
    }
  }
  found.comment.priority = 1;
  for (const [kind, highlight] of Object.entries(found)) CSS.highlights.set(kind, highlight);
}

async function copy(button, value, otherwise = "Not allowed here") {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(value);
    button.textContent = "Copied";
  } catch {
    button.textContent = otherwise;
  }
  setTimeout(() => { button.textContent = label; }, 1500);
}

// The run.

/** A number in six digits, with all of them as its title; NaN and infinities are red. */
function shown(value, name = "span", className = "") {
  const odd = /NaN|inf/.test(value);
  const number = Object.is(Number(value), -0) ? "-0" : `${Number(Number(value).toPrecision(6))}`;
  const short = odd ? value.replace("inf", "∞") : number;
  return make(name, { className: `${className} ${odd ? "odd" : ""}`, title: value }, short.replace("-", "−"));
}

/** Paints colours on a canvas of square shape, or of a row of faces. */
function paint(canvas, colours) {
  const side = Math.sqrt(colours.length);
  const [width, height] = Number.isInteger(side) ? [side, side] : [colours.length, 1];
  Object.assign(canvas, { width, height });
  const bytes = Uint8ClampedArray.from(colours.flat(), (value) => Number(value) * 255);
  canvas.getContext("2d").putImageData(new ImageData(bytes, width, height), 0, 0);
}

let fields = "";
function showInputs() {
  const key = answer.inputs.map(({ stage, name, kind }) => `${stage} ${name} ${kind}`).join();
  const place = element("inputs");
  if (key !== fields) {
    fields = key;
    place.replaceChildren(...answer.inputs.map(({ stage, name, kind }) => {
      const field = make("input", { spellcheck: false, autocomplete: "off" });
      field.oninput = () => {
        const values = { ...state.values, [name]: field.value };
        if (field.value.trim() === "") delete values[name];
        change({ values });
      };
      const preview = ["texture", "cube"].includes(kind) ? [make("canvas")] : [];
      const error = make("div", { className: "error" });
      return make("label", { title: `${kind} of the ${stage} program` }, make("span", {}, name), field, ...preview, error);
    }));
  }
  for (const [index, { text: value, error, texels }] of answer.inputs.entries()) {
    const label = place.children[index];
    const field = label.querySelector("input");
    if (document.activeElement !== field) field.value = value;
    field.placeholder = value;
    label.lastChild.textContent = error ?? "";
    const preview = label.querySelector("canvas");
    if (preview && texels.length > 0 && texels.length <= 4096) paint(preview, texels);
  }
}

function showRun() {
  if (answer.steps.length === 0) {
    element("run").hidden = true;
    const other = answer.language && answer.language !== "AGAL";
    showTexts({ Err: other ? "Only AGAL runs here." : "A program without errors runs here." });
    return;
  }
  showInputs();
  const count = answer.steps.length;
  step = Math.max(0, Math.min(step, count));
  Object.assign(element("slider"), { max: count, value: step });
  element("count").textContent = `${step} of ${count}`;
  for (const [index, button] of [...document.querySelector(".lanes").children].entries()) {
    button.setAttribute("aria-pressed", index === lane);
  }
  showSteps();
  showRegisters();
  showResult();
}

let drawn = [];
function showSteps() {
  const body = element("steps").tBodies[0];
  if (drawn[0] !== answer || drawn[1] !== lane) body.replaceChildren(...answer.steps.map(stepRow));
  drawn = [answer, lane];
  body.querySelector(".new")?.classList.remove("new");
  body.rows[step - 1]?.classList.add("new");
}

function stepRow({ text, register, mask, value, active, alive, stage }, index) {
  const off = register && !active[lane] || !alive[lane];
  const row = make("tr", { className: off ? "off" : "", onclick: () => go(index + 1) });
  const numbers = [...mask].flatMap((letter) => [shown(value[lane]["xyzw".indexOf(letter)]), "  "]);
  row.append(make("td", { className: "soft" }, `${index + 1}`), make("td", {}, text), make("td", {}, ...numbers));
  if (!alive[lane]) row.lastChild.textContent = "discarded";
  else if (/^(if|els)/.test(text)) row.lastChild.textContent = active[lane] ? "branch taken" : "branch not taken";
  row.title = `${stage} program${register ? `, ${register}.${mask}` : ""}`;
  return row;
}

/** The registers after the current step. */
function registersAt(last) {
  const registers = new Map();
  const stage = answer.steps[Math.max(0, last - 1)].stage;
  for (const input of answer.inputs) {
    if (input.value && input.stage === stage) registers.set(input.name, { value: input.value, mask: "" });
  }
  for (const [index, { stage: of, register, value, mask }] of answer.steps.slice(0, last).entries()) {
    const kept = of === stage || /^v\d/.test(register ?? "");
    if (register && kept) registers.set(register, { value, mask: index === last - 1 ? mask : "" });
  }
  return registers;
}

function showRegisters() {
  const head = make("tr", {}, make("th"), ...[..."xyzw"].map((letter) => make("th", { className: "value" }, letter)));
  const rows = [...registersAt(step)].map(([name, { value, mask }]) => {
    const written = (index) => mask.includes("xyzw"[index]) ? "value new" : "value";
    const cells = value[lane].map((number, index) => shown(number, "td", written(index)));
    return make("tr", {}, make("td", {}, name), ...cells);
  });
  element("after").textContent = step === 0 ? "before the first step" : `after step ${step}, lane ${lane}`;
  element("registers").tBodies[0].replaceChildren(head, ...rows);
}

/** The colours of the four lanes. */
function showResult() {
  const last = answer.steps.at(-1);
  const colour = answer.steps.findLast(({ register }) => register === "oc");
  const parts = [];
  if (colour && last.stage === "fragment") {
    const canvas = make("canvas", { "aria-label": "The colours of the four lanes" });
    const number = (value) => Number(value.replace("inf", "Infinity")) || 0;
    const opaque = ([red, green, blue]) => [...[red, green, blue].map(number), 1];
    paint(canvas, colour.value.map((value, index) => last.alive[index] ? opaque(value) : [0, 0, 0, 0]));
    const gone = last.alive.flatMap((alive, index) => alive ? [] : [index]);
    const discarded = gone.length ? `; discarded: lane ${gone.join(", ")}` : "";
    parts.push(canvas, make("span", { className: "soft" }, `colours of the lanes, without alpha${discarded}`));
  }
  element("result").replaceChildren(...parts);
}

/** Goes to a step. */
function go(to) {
  step = to;
  showRun();
  showMarks();
  element("steps").rows[step - 1]?.scrollIntoView({ block: "nearest" });
}

// The controls.

for (const [name, values] of Object.entries(CHOICES)) {
  element(name).append(...values.map(([value, label]) => make("option", { value }, label)));
  element(name).onchange = ({ target }) => change({ [name]: target.value });
}
for (const [tab, label] of Object.entries(TABS)) {
  const onclick = () => change({ tab });
  element("tabs").append(make("button", { role: "tab", "data-tab": tab, "aria-controls": "panel", onclick }, label));
}
element("tabs").onkeydown = (event) => {
  const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!move) return;
  const names = Object.keys(TABS);
  change({ tab: names.at((names.indexOf(state.tab) + move) % names.length) });
  showTab();
  element("tabs").querySelector("[aria-selected=true]").focus();
};
for (const [index, [name]] of EXAMPLES.entries()) element("example").append(make("option", { value: index }, name));
function showExample(index) {
  const [, source, settings] = EXAMPLES[index] ?? [];
  const { tab, profile, dialect } = state;
  if (source) change({ ...DEFAULTS, tab, profile, dialect, values: {}, text: source, ...settings });
}
element("example").onchange = ({ target }) => {
  showExample(target.value);
  target.value = "";
};
element("comments").onchange = ({ target }) => change({ comments: target.checked ? "on" : "" });
element("file").onchange = ({ target }) => open(target.files);
element("link").onclick = async ({ target }) => {
  copy(target, new URL(await toFragment(), location.href).href, "See the address");
};
for (let index = 0; index < 4; index += 1) {
  document.querySelector(".lanes").append(make("button", { onclick: () => { lane = index; go(step); } }, `${index}`));
}
element("slider").oninput = ({ target }) => go(Number(target.value));
element("back").onclick = () => go(step - 1);
element("on").onclick = () => go(step + 1);
text.oninput = () => { step = Infinity; change({ text: text.value }); };
text.onscroll = follows;
addEventListener("dragover", (event) => { event.preventDefault(); document.querySelector("main").classList.add("over"); });
addEventListener("dragleave", () => document.querySelector("main").classList.remove("over"));
addEventListener("drop", (event) => {
  event.preventDefault();
  document.querySelector("main").classList.remove("over");
  if (event.dataTransfer.files.length > 0) open(event.dataTransfer.files);
});
addEventListener("hashchange", (event) => follow(new URL(event.newURL).hash));

showExample(0);
await follow(location.hash);
// For the console, and for scripts.
globalThis.playground = { get answer() { return answer; }, get state() { return state; } };
