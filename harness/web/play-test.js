// Exercises the playground, for `molehill-browser --script`, on `play.html`: typing, errors at their lines, links, bytes,
// steps, and the width of a phone. Returns the measured times.
const until = async (what, is) => {
  const began = performance.now();
  for (;;) {
    const value = await is();
    if (value) return value;
    if (performance.now() - began > 20000) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};
const equal = (what, found, expected) => {
  const [one, other] = [found, expected].map((value) => JSON.stringify(value));
  if (one !== other) throw new Error(`${what}: ${one} and not ${other}`);
};
await until("the page starts", () => globalThis.playground?.answer);
const element = (id) => document.getElementById(id);
const shown = () => element("panel").innerText;
const choose = (id, value) => {
  element(id).value = value;
  element(id).dispatchEvent(new Event("change"));
};
const tab = (name) => document.querySelector(`[data-tab=${name}]`).click();
/** Types a text into the program, and waits for its answer. */
async function type(text) {
  const before = playground.answer;
  element("text").value = text;
  element("text").dispatchEvent(new Event("input"));
  await until("an answer", () => playground.answer !== before);
}
const lines = () => [...element("verdict").querySelectorAll("button")].map((button) => button.textContent);

// A program becomes GLSL, WGSL and Direct3D 9 tokens.
const pair = "// vertex\nmov op, va0\nmov v0, va1\n// fragment\n\nrcp ft0, v0 // a comment\nmov oc, ft0\n";
const began = performance.now();
await type(pair);
const typed = Math.round(performance.now() - began);
equal("no problem", playground.answer.problems, []);
const words = { glsl: "#version 330", wgsl: "@vertex", d3d9: "vs_2_0", listing: "rcp ft0, v0" };
for (const [name, text] of Object.entries(words)) {
  tab(name);
  await until(`${text} in ${name}`, () => shown().includes(text));
}
tab("glsl");
choose("dialect", "100es");
await until("the chosen dialect", () => shown().includes("#version 100"));

// Errors are at their lines, and the last GLSL stays.
await type(pair.replace("rcp ft0, v0", "rcp ft0, ft1"));
equal("Flash's error", playground.answer.problems.map(({ number, line }) => [number, line]), [[3647, 6]]);
equal("its line", lines(), ["Line 6"]);
const wave = document.querySelector("#marks .wave");
equal("the underlined code", [wave.textContent, wave.offsetTop], ["rcp ft0, ft1", 10 + 19 * 5]);
equal("the text of the error", element("verdict").innerText.includes("Error #3647"), true);
equal("the last GLSL is stale", document.querySelectorAll("#texts .stale").length, 2);
await type(pair.replace("mov v0", "mvo v0"));
equal("the assembler's error", document.querySelector("#marks .wave").textContent, "mvo");

// Values of each step; NaN and infinities are shown.
await type(pair);
choose("floats", "ieee");
tab("run");
const inputs = await until("the inputs", () => element("inputs").children.length === 2 && element("inputs").children);
const [, attribute] = [...inputs].map((label) => label.querySelector("input"));
attribute.value = "0,NaN,2";
attribute.dispatchEvent(new Event("input"));
await until("the value", () => playground.answer.steps[2].value[0].join() === "inf,NaN,0.5,1.0");
element("slider").value = 3;
element("slider").dispatchEvent(new Event("input"));
const registers = [...element("registers").rows].map((row) => row.innerText.replace(/\s+/g, " ").trim());
equal("the registers", registers, ["x y z w", "v0 0 NaN 2 1", "ft0 ∞ NaN 0.5 1"]);
equal("the current line", document.querySelector("#marks .now").offsetTop, 10 + 19 * 5);

// A link holds all of it: opened in a page of a phone's width, which doesn't scroll horizontally.
await until("the address", () => location.hash.length > 50);
await new Promise((resolve) => setTimeout(resolve, 400));
const phone = document.createElement("iframe");
phone.style = "position: fixed; width: 390px; height: 800px";
phone.src = location.href;
document.body.append(phone);
const has = (page) => page.playground?.answer?.steps.length === 4 && page;
const there = await until("the link's page", () => has(phone.contentWindow));
equal("the link's state", there.playground.state, playground.state);
equal("the width of the page", there.document.documentElement.scrollWidth <= 390, true);
phone.remove();
location.hash = "#broken";
await until("a broken link", () => element("verdict").innerText.includes("The link can't be read"));

// The examples say what they are.
const examples = [...element("example").options].slice(1);
for (const { value, text } of examples) {
  const before = playground.answer;
  choose("example", value);
  await until(text, () => playground.answer !== before);
  equal(text, playground.answer.problems.length > 0, text.startsWith("Errors"));
}

// Bytes: dropped, and in base64; the error's line is that of its token.
const bytes = new Uint8Array([0xa0, 1, 0, 0, 0, 0xa1, 1, ...new Array(24).fill(0), 0xff, ...new Array(23).fill(0)]);
const dropped = new DataTransfer();
dropped.items.add(new File([bytes], "program.bin"));
dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, cancelable: true }));
await until("the dropped file", () => playground.answer.isBytes);
equal("its lines", element("text").value.split("\n").length, 3);
equal("the token's line", lines().slice(-1), ["Line 2"]);
element("as-text").click();
await until("the file as text", () => !playground.answer.isBytes && element("text").value.includes("// fragment"));
await type(btoa(String.fromCharCode(...bytes)));
equal("base64", playground.answer.isBytes, true);

// Long and odd texts get an answer.
const nested = `// fragment\n${"ife fc0.x, fc0.y\n".repeat(1000)}`;
for (const text of ["\0\u{1f480}<b>", "a".repeat(1 << 20), "mov oc, fc0\n".repeat(20000), nested]) {
  await type(text);
  equal("an error", playground.answer.problems.length > 0, true);
}
return `${examples.length} examples; an answer ${typed} ms after typing`;
