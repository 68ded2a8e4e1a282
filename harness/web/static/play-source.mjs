// Programs as text: bytes in hexadecimal or base64, a paragraph for each program; and texts in links, deflated, in base64url.

/** The longest program in characters, as in the module. */
export const MAX_TEXT = 1 << 19;

/** Returns whether bytes begin like AGAL, Direct3D 9 tokens or a DXBC container. */
export const isProgram = (bytes) => bytes[0] === 0xa0 || (bytes[3] === 0xff && bytes[2] >= 0xfe)
  || String.fromCharCode(...bytes.slice(0, 4)) === "DXBC";

function fromHex(paragraph) {
  const digits = paragraph.replace(/0x|[\s,]/gi, "");
  if (digits.length < 8 || digits.length % 2 || /[^0-9a-f]/i.test(digits)) return null;
  return Uint8Array.from(digits.match(/../g), (pair) => parseInt(pair, 16));
}

function fromBase64(paragraph) {
  try {
    const letters = paragraph.replace(/\s/g, "").replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
    return isProgram(bytes) ? bytes : null;
  } catch {
    return null;
  }
}

/** The programs of a text that is bytes; null for other texts. */
export function bytesOf(source) {
  if (!/^[\s\w+/=,-]*$/.test(source)) return null;
  const programs = source.trim().split(/\n\s*\n/).map((paragraph) => fromHex(paragraph) ?? fromBase64(paragraph));
  return programs.includes(null) ? null : programs;
}

/** Bytes in hexadecimal: of AGAL the header, then a line for each token. */
export function toHex(bytes) {
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const [head, length] = bytes[0] === 0xa0 ? [14, 48] : [8, 64];
  return [digits.slice(0, head), ...digits.slice(head).match(new RegExp(`.{1,${length}}`, "g")) ?? []].join("\n");
}

/** The line of a token in a text of hexadecimal digits: that of its first byte. */
export function lineOfToken(source, program, token) {
  let [left, paragraph] = [2 * (7 + 24 * (token - 1)), 0];
  for (const [index, line] of source.split("\n").entries()) {
    if (line.trim() === "") paragraph += 1;
    else if (paragraph === program && (left -= line.replace(/0x|[\s,]/gi, "").length) < 0) return index + 1;
  }
  return null;
}

/** The bytes that come out of a stream, at most twice the longest program. */
const bytesThrough = async (bytes, stream) => {
  const read = new Blob([bytes]).stream().pipeThrough(stream).getReader();
  const chunks = [];
  for (let size = 0; ;) {
    const { done, value } = await read.read();
    if (done) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    if ((size += value.length) > 2 * MAX_TEXT) throw new Error("the link's program is too long");
    chunks.push(value);
  }
};

/** Packs a text into letters that a URL may hold. */
export async function pack(text) {
  const bytes = await bytesThrough(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The text of letters from `pack`. */
export async function unpack(letters) {
  const bytes = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
  const packed = Uint8Array.from(bytes, (letter) => letter.charCodeAt(0));
  return new TextDecoder().decode(await bytesThrough(packed, new DecompressionStream("deflate-raw")));
}
