//! Packs a capture and the inspector's web page into one HTML file.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

/// The contents of the page's files, which `harness/web/build.sh` builds, in the order of [`FILES`].
pub struct PageFiles(pub [Vec<u8>; 4]);

/// The names of the page's files in their folder.
pub const FILES: [&str; 4] =
    ["inspect.html", "inspect.mjs", "molehill_inspector.js", "molehill_inspector_bg.wasm"];

/// The path from which the page's script imports the wasm-bindgen glue code.
const GLUE: &str = "./molehill_inspector.js";
/// The expression by which the glue code locates the WebAssembly module.
const MODULE: &str = "new URL('molehill_inspector_bg.wasm', import.meta.url)";
const SCRIPT: &str = "<script type=\"module\" src=\"inspect.mjs\"></script>";

/// A script that decompresses the embedded files, starts the page's own script with them, and opens the capture.
const START: &str = r#"<script type="module">
const packed = (id) => fetch("data:;base64," + document.getElementById(id).textContent)
  .then((part) => new Response(part.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
const script = async (id, change = (text) => text) => {
  const text = change(new TextDecoder().decode(await packed(id)));
  return URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
};
globalThis.molehillModule = await packed("molehill-module");
const glue = await script("molehill-glue");
await import(await script("molehill-script", (text) => text.replace(GLUE, glue)));
globalThis.inspector.open(NAME, new Uint8Array(await packed("molehill-capture")));
</script>"#;

impl PageFiles {
    /// Returns an HTML file that shows a capture. `capture` is the content of its file, and `name` its file name.
    /// Errors: the page is from another version of Molehill.
    pub fn with(&self, name: &str, capture: &[u8]) -> Result<String, String> {
        let [html, script, glue, module] = &self.0;
        let [html, script, glue] = [html, script, glue].map(|it| String::from_utf8_lossy(it));
        let other = |what: &str| {
            format!("the inspector's page is of another version of Molehill: {what} differs")
        };
        if !glue.contains(MODULE) {
            return Err(other(FILES[2]));
        }
        if !script.contains(GLUE) {
            return Err(other(FILES[1]));
        }
        let glue = glue.replace(MODULE, "globalThis.molehillModule");
        let parts = [
            ("glue", glue.as_bytes()),
            ("script", script.as_bytes()),
            ("module", module),
            ("capture", capture),
        ];
        let mut body = String::new();
        for (part, bytes) in parts {
            let packed = packed(bytes).map_err(|error| error.to_string())?;
            body +=
                &format!("<script type=\"text/plain\" id=\"molehill-{part}\">{packed}</script>\n");
        }
        // Escapes `<`, because `</script>` in a string would end the script.
        let quoted = |text: &str| serde_json::Value::from(text).to_string().replace('<', "\\u003c");
        body += &START.replace("GLUE", &quoted(GLUE)).replace("NAME", &quoted(name));
        match html.split_once(SCRIPT) {
            Some((before, after)) => Ok(format!("{before}{body}{after}")),
            None => Err(other(FILES[0])),
        }
    }
}

fn packed(bytes: &[u8]) -> io::Result<String> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes)?;
    Ok(STANDARD.encode(packer.finish()?))
}
