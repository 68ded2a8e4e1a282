// The inspector as a page. `?capture=URL&compare=URL` opens files, `#frame=3&draw=12&at=100,80` selects.
// `?backend=webgpu` or `?backend=webgl` chooses the API that replays: WebGPU where the browser has it, else WebGL 2.
// `?scale=2&samples=4&anisotropy=16` draws sharper than Flash, like the variables `MOLEHILL_SCALE` and so on of hosts.
// With `report=PATH` in either part, posts the report that a test runner waits for, once nothing is pending.
import init, { InspectorPage } from "./molehill_inspector.js";

const element = (id) => document.getElementById(id);
const query = new URLSearchParams(location.search);
const asked = new URLSearchParams(location.hash.slice(1));
const listener = query.get("report") ?? asked.get("report");
const began = performance.now();
await init();
const page = new InspectorPage();

/** Fetches the bytes of a URL; a server of another origin must allow it. */
async function fetched(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  return new Uint8Array(await response.arrayBuffer());
}

async function load(open, address) {
  if (!address) return;
  try {
    open(address.split("/").pop(), await fetched(address));
  } catch (error) {
    page.fail(`${address}: ${error.message}`);
  }
}

async function take(open, files) {
  for (const file of files) open(file.name, new Uint8Array(await file.arrayBuffer()));
}

const open = (name, bytes) => page.open(name, bytes);
const compare = (name, bytes) => page.compare(name, bytes);

function follow(fragment) {
  try {
    page.follow(fragment);
  } catch (error) {
    page.fail(String(error));
  }
}

/** Updates the page's URL to the selection, so that it can be shared, and the bar's colours to the window's. */
function remember() {
  const { fragment, name, dark } = page.status();
  document.documentElement.style.colorScheme = dark ? "dark" : "light";
  if (name) document.title = `${name} – Molehill inspector`;
  if (fragment && fragment !== location.hash) history.replaceState(null, "", fragment);
}

async function report() {
  const done = ({ error, open, idle, events }) => error || (open && idle && (!asked.has("at") || events > 0));
  while (!done(page.status())) await new Promise((resolve) => setTimeout(resolve, 50));
  const { error, events, fragment } = page.status();
  const milliseconds = Math.round(performance.now() - began);
  const text = error ?? `${element("drawn").textContent}; ${events} events of the pixel's history at ${fragment}, after ${milliseconds} ms\n`;
  // One comparison: whether the page shows the capture.
  await fetch(`${listener}?failing=${error ? 1 : 0}&compared=1`, { method: "POST", body: text });
}

try {
  const variable = (name) => query.get(name.replace("MOLEHILL_", "").toLowerCase());
  const drawn = await page.start(element("canvas"), query.get("backend") ?? undefined, variable);
  element("drawn").textContent = `Drawn with ${drawn}`;
  element("message").remove();
  element("open").onchange = (event) => take(open, event.target.files);
  element("compare").onchange = (event) => take(compare, event.target.files);
  document.addEventListener("dragover", (event) => event.preventDefault());
  // In the capture phase, before the canvas: egui stops the event's propagation.
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    const beside = page.status().fragment !== "" && event.clientX > innerWidth / 2;
    take(beside ? compare : open, event.dataTransfer.files);
  }, true);
  // From the event: `remember` may have replaced `location.hash` since.
  addEventListener("hashchange", (event) => follow(new URL(event.newURL).hash));
  follow(location.hash);
  globalThis.inspector = page; // for the console, and for scripts
  await load(open, query.get("capture"));
  await load(compare, query.get("compare"));
  if (listener) report();
  else setInterval(remember, 500);
} catch (error) {
  element("message").textContent = `The inspector can't start: ${error.message ?? error}`;
  throw error;
}
