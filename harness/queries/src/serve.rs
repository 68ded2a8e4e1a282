//! [`CaptureServer`]: answers queries by JSON-RPC 2.0, as an MCP (Model Context Protocol) server. The server's tools
//! are [`QUESTIONS`] and `edit`. The name of each query is also a method, which returns the result as JSON.

use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use molehill_analysis::Inspector;
use molehill_analysis::diff::{DiffSide, diff};
use molehill_analysis::edit::{apply, parse_values};
use molehill_analysis::expected::{ExpectedFile, FrameExpectation};
use molehill_reference::ReferenceFactory;
use molehill_replay::image::{decode_png, encode_png};
use serde_json::{Map, Value, json};

use crate::question::{
    Answer, CaptureQuery, EXPECT, OutputFile, ParameterKind, QUESTIONS, answer, question,
};

/// The version of MCP that is used if the client doesn't request one.
const PROTOCOL: &str = "2025-06-18";
/// Maximum number of open capture files. The least recently used capture is closed first.
const MAX_OPEN: usize = 4;
/// Maximum number of captures created by [`EDIT`], which stay open because no file contains them.
const MAX_EDITED: usize = 4;
const MAX_PICTURES: usize = 16;
/// Maximum size of a response in bytes.
const MAX_ANSWER: usize = 64 << 20;

/// The version of a file: its size, and the time of its last change.
pub type FileVersion = (u64, SystemTime);

/// The file access that an embedding program gives to the server.
pub trait FileHost {
    /// Opens a capture. Errors: a message for the client.
    fn open(&mut self, path: &str) -> Result<Inspector, String>;

    /// Returns a file's version. If the version changes, the server reopens the capture. Errors: those of the file
    /// system.
    fn version(&mut self, path: &str) -> io::Result<FileVersion>;

    /// Reads a file that an edit names. Errors: those of the file system.
    fn read(&mut self, path: &str) -> io::Result<Vec<u8>>;
}

/// A server that keeps captures open, so that later queries reuse the checkpoints of earlier queries.
pub struct CaptureServer<H> {
    host: H,
    /// The capture for queries that don't name a capture.
    default: Option<String>,
    /// The open capture files with the version that was read, most recently used last.
    files: Vec<(String, FileVersion, Inspector)>,
    edited: Vec<(String, Inspector)>,
    /// Maximum size of a response in bytes. The server replaces a longer response than `max_answer` by an error.
    pub max_answer: usize,
}

struct RpcError {
    code: i64,
    message: String,
}

impl RpcError {
    fn new(code: i64, message: impl std::fmt::Display) -> RpcError {
        RpcError { code, message: message.to_string() }
    }
}

fn refused(message: impl std::fmt::Display) -> RpcError {
    RpcError::new(-32602, message)
}

impl<H: FileHost> CaptureServer<H> {
    pub fn new(host: H, default: Option<String>) -> Self {
        CaptureServer {
            host,
            default,
            files: Vec::new(),
            edited: Vec::new(),
            max_answer: MAX_ANSWER,
        }
    }

    /// Returns the response to a JSON-RPC message, or `None` for a notification. Messages and responses have no newline
    /// at the end.
    pub fn answer(&mut self, message: &str) -> Option<String> {
        let request: Value = match serde_json::from_str(message) {
            Ok(request) => request,
            Err(error) => return Some(response(&Value::Null, Err(RpcError::new(-32700, error)))),
        };
        let id = request.get("id")?;
        let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
        let parameters = request.get("params").and_then(Value::as_object);
        let parameters = parameters.cloned().unwrap_or_default();
        let answer = response(id, self.result(method, parameters));
        let (bytes, most) = (answer.len(), self.max_answer);
        let too_large = || {
            let text = format!(
                "the response has {bytes} bytes, the maximum is {most}; request fewer frames or calls"
            );
            response(id, Err(refused(text)))
        };
        Some(if bytes > most { too_large() } else { answer })
    }

    fn result(
        &mut self,
        method: &str,
        mut parameters: Map<String, Value>,
    ) -> Result<Value, RpcError> {
        match method {
            "initialize" => {
                let version = parameters.remove("protocolVersion").unwrap_or(PROTOCOL.into());
                let info = json!({ "name": "molehill", "version": env!("CARGO_PKG_VERSION") });
                Ok(json!({
                    "protocolVersion": version, "capabilities": { "tools": {} }, "serverInfo": info,
                }))
            }
            "ping" => Ok(json!({})),
            "tools/list" => {
                let tools = QUESTIONS.iter().map(question_tool).chain([edit_tool()]);
                Ok(json!({ "tools": tools.collect::<Vec<_>>() }))
            }
            "tools/call" => {
                let name = parameters.get("name").and_then(Value::as_str).unwrap_or_default();
                let arguments = parameters.get("arguments").and_then(Value::as_object);
                let arguments = arguments.cloned().unwrap_or_default();
                if name != EDIT && question(name).is_none() {
                    return Err(refused(format!("no tool {name:?}")));
                }
                let mut content = Vec::new();
                Ok(match self.call(name, arguments, Some(&mut content)) {
                    Ok(Answer { json, text }) => {
                        content.insert(0, json!({ "type": "text", "text": text }));
                        json!({ "content": content, "structuredContent": json })
                    }
                    Err(RpcError { message, .. }) => {
                        json!({ "content": [{ "type": "text", "text": message }], "isError": true })
                    }
                })
            }
            name if name == EDIT || question(name).is_some() => {
                Ok(self.call(name, parameters, None)?.json)
            }
            name => Err(RpcError::new(-32601, format_args!("no method {name:?}"))),
        }
    }

    /// Executes a query or an edit. Adds the images and texts of the result to `content`.
    fn call(
        &mut self,
        name: &str,
        mut parameters: Map<String, Value>,
        content: Option<&mut Vec<Value>>,
    ) -> Result<Answer, RpcError> {
        let capture = take(&mut parameters, "capture", ParameterKind::Text)?;
        let capture = capture.as_ref().and_then(Value::as_str).or(self.default.as_deref());
        let capture = capture
            .ok_or_else(|| refused("the request names no capture; add \"capture\""))?
            .to_owned();
        let Some(question) = question(name) else { return self.edit(&capture, parameters) };
        let wanted = question.files.map(|_| take(&mut parameters, PICTURES, ParameterKind::Flag));
        let wanted = wanted.transpose()?.flatten() == Some(Value::Bool(true));
        let content = match content {
            None if wanted => return Err(refused("only tools/call returns images")),
            content => content.filter(|_| wanted),
        };
        let expected = parameters.get(EXPECT).and_then(Value::as_str).map(|text| {
            let text = text.to_owned();
            FrameExpectation::read(&text, &mut |path| {
                self.expected(path).map_err(|error| error.message.into())
            })
        });
        let mut expected = expected.transpose().map_err(refused)?;
        let inspector = self.inspector(&capture)?;
        let answer = match content {
            None => question.ask(inspector, &parameters, expected.as_mut(), None),
            Some(content) => {
                ask_with_files(question, inspector, (&parameters, expected.as_mut()), content)
            }
        };
        answer.map_err(refused)
    }

    /// Reads an expected image, or opens an expected capture.
    fn expected(&mut self, path: &str) -> Result<ExpectedFile, RpcError> {
        let is_capture = self.edited.iter().any(|(known, _)| known == path);
        if is_capture || !path.to_lowercase().ends_with(".png") {
            return Ok(ExpectedFile::Capture(Arc::clone(self.inspector(path)?.capture())));
        }
        let bytes = self.host.read(path).map_err(|error| refused(format!("{path}: {error}")))?;
        let image = decode_png(&bytes).map_err(|error| refused(format!("{path}: {error}")))?;
        Ok(ExpectedFile::Picture(image))
    }

    /// Returns the inspector of a capture. Reopens a file that has changed.
    fn inspector(&mut self, name: &str) -> Result<&mut Inspector, RpcError> {
        if let Some(at) = self.edited.iter().position(|(known, _)| known == name) {
            let edited = self.edited.get_mut(at).map(|(_, inspector)| inspector);
            return edited.ok_or_else(|| refused("no capture is open"));
        }
        let version = self.host.version(name);
        let version = version.map_err(|error| refused(format!("{name}: {error}")))?;
        let known = self.files.iter().position(|(known, ..)| known == name);
        let known = known.map(|known| self.files.remove(known));
        let file = match known.filter(|(_, read, _)| *read == version) {
            Some(file) => file,
            None => (name.to_owned(), version, self.host.open(name).map_err(refused)?),
        };
        if self.files.len() >= MAX_OPEN {
            self.files.remove(0);
        }
        Ok(&mut self.files.push_mut(file).2)
    }

    /// Creates an edited capture, which later queries can name. Returns the first differences from the original.
    fn edit(&mut self, path: &str, mut parameters: Map<String, Value>) -> Result<Answer, RpcError> {
        let Some(Value::Array(edits)) = parameters.remove("edits") else {
            return Err(refused("\"edits\" must be a list of edits"));
        };
        let name = take(&mut parameters, "name", ParameterKind::Text)?;
        let name = name.as_ref().and_then(Value::as_str).unwrap_or("edited").to_owned();
        let full = self.edited.len() >= MAX_EDITED;
        if let Some(unknown) = parameters.keys().next() {
            return Err(refused(format!("edit has no parameter {unknown:?}")));
        }
        if self.host.version(&name).is_ok() {
            let text = format!("{name} is a file; choose another name for the edited capture");
            return Err(refused(text));
        }
        if full && self.edited.iter().all(|(known, _)| *known != name) {
            let text = "edited captures are open; use the name of one of them to replace it";
            return Err(refused(format!("{MAX_EDITED} {text}")));
        }
        let before = self.inspector(path)?.capture().clone();
        let mut read = |path: &str| self.host.read(path);
        let edits = parse_values(&before, edits, &mut read);
        let edits = edits.map_err(refused)?;
        let after = apply(&before, &edits).map_err(refused)?;
        let (a, b) = (Some(path), Some(name.as_str()));
        let a = DiffSide { capture: &before, input: a, factory: &mut ReferenceFactory::default };
        let b = DiffSide { capture: &after, input: b, factory: &mut ReferenceFactory::default };
        let found = diff(a, b, 0, 0).map_err(refused)?;
        self.edited.retain(|(known, _)| *known != name);
        self.edited.push((name, Inspector::new(after)));
        answer(&found, &found).map_err(refused)
    }
}

/// Removes a parameter of this type from the map, and returns it.
fn take(
    parameters: &mut Map<String, Value>,
    name: &str,
    kind: ParameterKind,
) -> Result<Option<Value>, RpcError> {
    let value = parameters.remove(name).filter(|value| !value.is_null());
    match value.as_ref().and_then(|value| kind.lacks(value)) {
        Some(kind) => Err(refused(format!("{name} must be {kind}"))),
        None => Ok(value),
    }
}

/// Executes a query. Adds the texts and the first images of the result to `content`.
fn ask_with_files(
    question: &CaptureQuery,
    inspector: &mut Inspector,
    (parameters, expected): (&Map<String, Value>, Option<&mut FrameExpectation>),
    content: &mut Vec<Value>,
) -> molehill_analysis::Result<Answer> {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let mut pictures = 0usize;
    let mut write = |name: &str, file: OutputFile<'_>| {
        let part = match file {
            OutputFile::Text(lines) => text(lines),
            OutputFile::Picture(image) => {
                pictures += 1;
                if pictures > MAX_PICTURES {
                    return Ok(());
                }
                let png = encode_png(image).map_err(|error| error.to_string())?;
                json!({ "type": "image", "mimeType": "image/png", "data": STANDARD.encode(png) })
            }
        };
        content.extend([text(name), part]);
        Ok(())
    };
    let answer = question.ask(inspector, parameters, expected, Some(&mut write))?;
    if let more @ 1.. = pictures.saturating_sub(MAX_PICTURES) {
        content.push(text(&format!(
            "{more} more images are omitted: a response has at most {MAX_PICTURES}"
        )));
    }
    Ok(answer)
}

fn response(id: &Value, result: Result<Value, RpcError>) -> String {
    let answer = match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(RpcError { code, message }) => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
        }
    };
    answer.to_string()
}

/// Returns the MCP description of a tool. `own` lists the tool's parameters with their types and descriptions.
fn tool(name: &str, about: &str, own: &[(&str, Value, &str)], required: &[&str]) -> Value {
    let capture = "File of the capture [default: the capture that the server was started with]";
    let capture = [("capture", ParameterKind::Text.schema(), capture)];
    let schema = |kind: &Value, about: &str| json!({ "type": kind, "description": about });
    let all = capture.iter().chain(own);
    let properties: Map<_, _> =
        all.map(|(name, kind, about)| ((*name).to_owned(), schema(kind, about))).collect();
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    json!({ "name": name, "description": about, "inputSchema": schema })
}

/// Returns the MCP description of a query as a tool.
fn question_tool(question: &CaptureQuery) -> Value {
    let parameters = question.parameters.iter();
    let mut all: Vec<_> =
        parameters.clone().map(|one| (one.name, one.kind.schema(), one.about)).collect();
    if question.files.is_some() {
        all.push((PICTURES, ParameterKind::Flag.schema(), "Also return the images and text files"));
    }
    let required = parameters.filter(|one| one.is_required).map(|one| one.name);
    tool(question.name, question.about, &all, &required.collect::<Vec<_>>())
}

/// The parameter that requests the images of a result.
const PICTURES: &str = "pictures";

const EDIT: &str = "edit";

fn edit_tool() -> Value {
    let about = "Edits calls of a capture and shows the first differences. Each edit has \"call\" and one of: \
        \"vertex\" and \"fragment\" (AGAL of a program's upload), \"constant\" with \"values\" (before the call), \"with\" \
        (other arguments), \"insert\" (a call before it), \"delete\": true, \"png\" (of a texture's upload)";
    let name = "Name of the edited capture, for later requests [default: edited]";
    let own =
        [("edits", json!("array"), "The edits"), ("name", ParameterKind::Text.schema(), name)];
    let mut tool = tool(EDIT, about, &own, &["edits"]);
    tool["inputSchema"]["properties"]["edits"]["items"] = json!({ "type": "object" });
    tool
}
