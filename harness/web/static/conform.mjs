// Runs the cases that the page's URL selects, one after the other. With `report=PATH` in the URL, posts the reports
// below that path afterwards, and finally the summary that a test runner waits for.
const MODULE = "./molehill_web.js";
const query = new URLSearchParams(location.search);
const patterns = (name) => query.getAll(name).filter((pattern) => pattern !== "");
const [filter, exclude] = [patterns("filter"), patterns("exclude")];
const unknown = [...query.keys()].find((key) => !["filter", "exclude", "backend", "report"].includes(key));
const element = (id) => document.getElementById(id);
for (const name of ["filter", "exclude"]) document.querySelector(`[name=${name}]`).value = patterns(name)[0] ?? "";

const backend = query.get("backend") ?? "";
document.querySelector("[name=backend]").value = backend;
let webgpu = backend !== "webgl";

/// Loads a new instance of the module: one that panicked can't be used again. Opens WebGPU's device for it; where the
/// browser has none, the cases run on WebGL 2.
async function load(number) {
  const module = await import(`${MODULE}?${number}`);
  await module.default();
  if (!["", "webgpu", "webgl"].includes(backend)) throw new Error(`?backend=${backend}: expected webgpu or webgl`);
  let reason = "";
  if (webgpu) {
    try {
      element("device").textContent = `WebGPU (${await module.open_webgpu()})`;
    } catch (error) {
      if (backend === "webgpu" || number > 0) throw error;
      webgpu = false;
      reason = `: ${error}`;
    }
  }
  if (!webgpu) element("device").textContent = `WebGL 2${reason}`;
  return module;
}

/// Yields to the browser without the delay of timers; lets it draw a frame every 100 ms.
const channel = new MessageChannel();
let drawn = performance.now();
async function pause() {
  if (performance.now() - drawn > 100) {
    // Hidden pages get no animation frames, so a timer ends the wait.
    await new Promise((resolve) => { requestAnimationFrame(resolve); setTimeout(resolve, 50); });
    drawn = performance.now();
  } else {
    await new Promise((resolve) => { channel.port1.onmessage = resolve; channel.port2.postMessage(null); });
  }
}

const outcomes = [];
async function add(module, line) {
  if (webgpu) line = module.with_errors(line, await module.webgpu_errors());
  const outcome = JSON.parse(line);
  outcomes.push(line);
  element("done").value = outcomes.length;
  if (!["pass", "flaky", "allowed untested", "not supported", "known failure"].includes(outcome.verdict)) {
    element("failed").textContent += `${outcome.verdict}: ${outcome.name}: ${outcome.reasons?.[0] ?? ""}\n`;
  }
}

const event = (target, name) => new Promise((resolve) => target.addEventListener(name, resolve, { once: true }));

/// Returns a canvas and its context; none of them with WebGPU.
function opened() {
  if (webgpu) return [];
  const canvas = element("canvas").cloneNode();
  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  return [canvas, canvas.getContext("webgl2", { antialias: false })];
}

async function lose(module, scene, canvas, extension) {
  if (webgpu) {
    scene.lost();
    await module.open_webgpu();
    return;
  }
  const [gone, back] = [event(canvas, "webglcontextlost"), event(canvas, "webglcontextrestored")];
  extension.loseContext();
  await gone;
  scene.lost();
  // In a new task, after all listeners: one of them allows the restoration with `preventDefault`.
  await new Promise((resolve) => setTimeout(resolve, 0));
  extension.restoreContext();
  await back;
}

async function lost(module, name) {
  const [canvas, context] = opened();
  const extension = context?.getExtension("WEBGL_lose_context");
  const scene = new module.LostScene(name, context);
  let error;
  try {
    while (scene.play()) await lose(module, scene, canvas, extension);
  } catch (thrown) {
    error = `${thrown}`;
  }
  await add(module, scene.outcome(error));
  scene.free();
  extension?.loseContext(); // browsers limit the number of contexts
}

async function together(module, name) {
  const [, context] = opened();
  await add(module, module.play_together(name, context));
  context?.getExtension("WEBGL_lose_context").loseContext(); // browsers limit the number of contexts
}

async function run() {
  if (unknown) throw new Error(`unknown parameter "${unknown}": filter, exclude, backend, report`);
  let modules = 0;
  let module = await load(modules);
  let suite = new module.Suite(filter, exclude, webgpu);
  const names = suite.names();
  const scenes = module.lost_scenes(filter, exclude);
  const shared = module.together_scenes(filter, exclude);
  const all = [...names, ...scenes, ...shared];
  const total = all.length;
  const driver = suite.driver();
  element("done").max = total;
  if (total === 0) throw new Error("no case matches");
  for (const [number, name] of names.entries()) {
    element("now").textContent = `${number + 1} of ${total}: ${name}`;
    await pause();
    try {
      await add(module, suite.run(number));
    } catch (thrown) {
      modules += 1;
      module = await load(modules);
      suite = new module.Suite(filter, exclude, webgpu);
      await add(module, suite.crashed(number, `the module ended: ${thrown}`));
    }
  }
  for (const name of scenes) {
    element("now").textContent = `${outcomes.length + 1} of ${total}: ${name}`;
    await pause();
    await lost(module, name);
  }
  for (const name of shared) {
    element("now").textContent = `${outcomes.length + 1} of ${total}: ${name}`;
    await pause();
    await together(module, name);
  }
  return new module.WebReport(driver, all, outcomes, webgpu);
}

async function post(path, body) {
  const answer = await fetch(path, { method: "POST", body });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
}

const reports = query.get("report");
try {
  const report = await run();
  const [page, summary] = [report.html(), report.summary()];
  element("now").textContent = summary.trim().split("\n").pop();
  element("report").srcdoc = page;
  element("report").hidden = false;
  const files = { "results.jsonl": report.lines(), "index.html": page, "junit.xml": report.junit() };
  for (const [name, text] of Object.entries(files)) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text]));
    link.download = name;
    link.textContent = name;
    element("files").append(" ", link);
    if (reports !== null) await post(`${reports}/${name}`, text);
  }
  if (reports !== null) await post(`${reports}?failing=${report.failing()}&compared=${report.compared()}`, summary);
} catch (thrown) {
  element("now").textContent = `${thrown}`;
  if (reports !== null) await post(`${reports}?failing=1&compared=0`, `${thrown}\n${thrown.stack ?? ""}\n`);
}
