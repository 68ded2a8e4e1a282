// Exercises the inspector's page, for `molehill-browser --script`, on `inspect.html?capture=first&compare=picture.png`,
// with the captures `first` and `second` and the picture `picture.png` served beside it. Returns the measured times.
const until = async (what, is) => {
  const began = performance.now();
  for (;;) {
    const value = is();
    if (value) return [value, Math.round(performance.now() - began)];
    const error = globalThis.inspector?.status().error;
    if (error) throw new Error(`${what}: ${error}`);
    if (performance.now() - began > 100000) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};
const equal = (what, found, expected) => {
  if (found !== expected) throw new Error(`${what}: ${found} and not ${expected}`);
};
const file = async (name) => new File([await (await fetch(name)).blob()], name);
const moved = (files) => {
  const data = new DataTransfer();
  for (const each of files) data.items.add(each);
  return data;
};
const give = (field, ...files) => {
  const element = document.getElementById(field);
  element.files = moved(files).files;
  element.dispatchEvent(new Event("change"));
};
const drop = (share, ...files) => {
  const canvas = document.getElementById("canvas");
  const at = { dataTransfer: moved(files), clientX: innerWidth * share, clientY: 300, bubbles: true, cancelable: true };
  for (const name of ["dragover", "drop"]) canvas.dispatchEvent(new DragEvent(name, at));
};
const told = [];

// Opening by URL.
await until("the page starts", () => globalThis.inspector);
const page = globalThis.inspector;
const ready = () => page.status().open && page.status().idle;
await until("the first image", () => page.status().shown);
told.push(`first image ${Math.round(performance.now())} ms after the page's address`);
await until("?compare=", () => page.status().compared);
await until("all is there", ready);

// Opening by file input; counts the animation frames while the capture is read.
let shares = [];
const watch = () => { shares.push(page.status().opening); watching = requestAnimationFrame(watch); };
let watching = requestAnimationFrame(watch);
location.hash = "#frame=1";
await until("the address selects", () => page.status().fragment === "#frame=1");
give("open", await file("second"));
const [, reading] = await until("it is open", () => page.status().number === 2);
cancelAnimationFrame(watching);
shares = shares.filter((share) => share !== null);
told.push(`opened in ${reading} ms with ${shares.length} frames drawn, at ${shares.map((share) => share.toFixed(2)).join(" ")}`);
await until("all of it is there", ready);
equal("nothing is compared any more", page.status().compared, null);
give("compare", await file("picture.png"));
await until("an image is compared", () => page.status().compared);

// Opening by drag and drop.
drop(0.25, await file("first"));
await until("the dropped capture is there", () => page.status().number === 3 && ready());
drop(0.75, await file("first"));
const [same] = await until("a capture is compared", () => page.status().compared);
equal("a capture and itself", same, "equal");
drop(0.25, await file("picture.png"));
await until("an image is compared wherever it is dropped", () => page.status().compared !== "equal" && page.status().compared);

// Selecting draws, forward and back.
const times = [];
for (const frame of [1, 2, 20, 2, 1]) {
  const before = page.status().fragment;
  page.follow(`#frame=${frame}&draw=1`);
  await until("a draw is chosen", () => page.status().fragment !== before);
  times.push((await until("its page", () => page.status().shown))[1]);
}
told.push(`draws' pages after ${times.join(", ")} ms`);
return told.join("\n");
