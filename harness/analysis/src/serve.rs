//! [`Server`]: answers questions in JSON-RPC 2.0, as a server of the Model Context Protocol (MCP) does: its tools are
//! [`QUESTIONS`], and `edit`. A question's name is also a method, whose result is the answer as JSON.

use std::io;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use molehill_reference::ReferenceFactory;
use molehill_replay::image::encode_png;
use serde_json::{Map, Value, json};

use crate::diff::{Side, diff};
use crate::edit::{apply, parse_value};
use crate::error::InspectError;
use crate::inspector::Inspector;
use crate::question::{Answer, File, Kind, Parameter, QUESTIONS, Question, question};

/// The version of the protocol that is answered if a client names none.
const PROTOCOL: &str = "2025-06-18";
/// Captures that stay open, the least recently used is closed first; and most pictures of an answer.
const MAX_OPEN: usize = 4;
const MAX_PICTURES: usize = 16;

/// What a server can open and read.
pub trait Host {
    /// Opens a capture. Errors: a message.
    fn open(&mut self, path: &str) -> Result<Inspector, String>;

    /// Reads a file that a change names. Errors: as of the file.
    fn read(&mut self, path: &str) -> io::Result<Vec<u8>>;
}

/// Keeps the captures open that it was asked about, so that no question replays what an earlier one did.
pub struct Server<H> {
    host: H,
    /// The capture of questions that name none.
    default: Option<String>,
    /// Most recently used last.
    open: Vec<(String, Inspector)>,
}

/// An error's code and message.
type Failure = (i64, String);

fn refused(message: impl Into<String>) -> Failure {
    (-32602, message.into())
}

impl<H: Host> Server<H> {
    pub fn new(host: H, default: Option<String>) -> Self {
        Server { host, default, open: Vec::new() }
    }

    /// The response to a message, both without a line end; `None` to a notification.
    pub fn answer(&mut self, message: &str) -> Option<String> {
        let request: Value = match serde_json::from_str(message) {
            Ok(request) => request,
            Err(error) => return Some(response(&Value::Null, Err((-32700, error.to_string())))),
        };
        let id = request.get("id")?;
        let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
        let parameters = request.get("params").and_then(Value::as_object);
        let parameters = parameters.cloned().unwrap_or_default();
        Some(response(id, self.result(method, parameters)))
    }

    fn result(
        &mut self,
        method: &str,
        mut parameters: Map<String, Value>,
    ) -> Result<Value, Failure> {
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
                let tools = QUESTIONS.iter().map(tool).chain([edit_tool()]);
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
                Ok(match self.call(name, arguments, &mut content) {
                    Ok(Answer { json, text }) => {
                        content.insert(0, json!({ "type": "text", "text": text }));
                        json!({ "content": content, "structuredContent": json })
                    }
                    Err((_, text)) => {
                        json!({ "content": [{ "type": "text", "text": text }], "isError": true })
                    }
                })
            }
            name if name == EDIT || question(name).is_some() => {
                Ok(self.call(name, parameters, &mut Vec::new())?.json)
            }
            name => Err((-32601, format!("no method {name:?}"))),
        }
    }

    /// Asks a question, or makes changes. The pictures of the answer go to `content`.
    fn call(
        &mut self,
        name: &str,
        mut parameters: Map<String, Value>,
        content: &mut Vec<Value>,
    ) -> Result<Answer, Failure> {
        let capture = match parameters.remove("capture") {
            Some(Value::String(path)) => path,
            _ => self.default.clone().ok_or_else(|| refused("which capture?"))?,
        };
        let Some(question) = question(name) else { return self.edit(&capture, &parameters) };
        let inspector = self.inspector(&capture)?;
        let wanted = parameters.remove("pictures") == Some(Value::Bool(true));
        let mut take = |name: &str, file: File<'_>| {
            let File::Picture(image) = file else { return Ok(()) };
            if content.len() < MAX_PICTURES {
                let png = encode_png(image)
                    .map_err(|error| InspectError::Unsupported(error.to_string()))?;
                content.push(json!({ "type": "text", "text": name }));
                let data = STANDARD.encode(png);
                content.push(json!({ "type": "image", "mimeType": "image/png", "data": data }));
            }
            Ok(())
        };
        let answer = question.ask(inspector, &parameters, wanted.then_some(&mut take));
        answer.map_err(|error| refused(error.to_string()))
    }

    fn inspector(&mut self, path: &str) -> Result<&mut Inspector, Failure> {
        let known = self.open.iter().position(|(name, _)| name == path);
        let entry = match known {
            Some(known) => self.open.remove(known),
            None => (path.to_owned(), self.host.open(path).map_err(refused)?),
        };
        self.keep(entry);
        let last = self.open.last_mut().map(|(_, inspector)| inspector);
        last.ok_or_else(|| refused("nothing is open"))
    }

    fn keep(&mut self, entry: (String, Inspector)) {
        if self.open.len() >= MAX_OPEN {
            self.open.remove(0);
        }
        self.open.push(entry);
    }

    /// Makes a changed capture, which later questions ask about by its name. Answers with the first differences.
    fn edit(&mut self, path: &str, parameters: &Map<String, Value>) -> Result<Answer, Failure> {
        let edits = parameters.get("edits").and_then(Value::as_array);
        let edits = edits.ok_or_else(|| refused("\"edits\" must be a list of changes"))?;
        let name = parameters.get("name").and_then(Value::as_str).unwrap_or("edited").to_owned();
        let mut read = |path: &str| self.host.read(path);
        let edits = edits.iter().cloned().map(|edit| parse_value(edit, &mut read));
        let edits = edits.collect::<Result<Vec<_>, _>>().map_err(refused)?;
        let before = self.inspector(path)?.capture().clone();
        let after = apply(&before, &edits).map_err(|error| refused(error.to_string()))?;
        let (a, b) = (Some(path), Some(name.as_str()));
        let a = Side { capture: &before, input: a, factory: &mut ReferenceFactory::default };
        let b = Side { capture: &after, input: b, factory: &mut ReferenceFactory::default };
        let found = diff(a, b, 0, 0).map_err(|error| refused(error.to_string()))?;
        self.open.retain(|(known, _)| *known != name);
        self.keep((name, Inspector::new(after)));
        let json = serde_json::to_value(&found).map_err(|error| refused(error.to_string()))?;
        Ok(Answer { json, text: found.to_string() })
    }
}

fn response(id: &Value, result: Result<Value, Failure>) -> String {
    let answer = match result {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err((code, message)) => {
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
        }
    };
    answer.to_string()
}

fn capture_schema() -> Value {
    json!({ "type": "string", "description": "The capture's file; the server's own by default" })
}

/// A question as a tool.
fn tool(question: &Question) -> Value {
    let mut properties = Map::new();
    properties.insert("capture".to_owned(), capture_schema());
    for Parameter { name, kind, about, .. } in question.parameters {
        let kind = match kind {
            Kind::Number => "integer",
            Kind::Flag => "boolean",
            Kind::Text => "string",
        };
        let schema = json!({ "type": kind, "description": about });
        properties.insert((*name).to_owned(), schema);
    }
    if question.files.is_some() {
        let about = "Also return the pictures";
        let schema = json!({ "type": "boolean", "description": about });
        properties.insert("pictures".to_owned(), schema);
    }
    let required = question.parameters.iter().filter(|one| one.is_required);
    let required: Vec<&str> = required.map(|one| one.name).collect();
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    json!({ "name": question.name, "description": question.about, "inputSchema": schema })
}

const EDIT: &str = "edit";

fn edit_tool() -> Value {
    let about = "Changes calls of a capture and shows the first differences. Each change has \"call\" and one of: \
        \"vertex\" and \"fragment\" (AGAL of a program's upload), \"constant\" with \"values\" (before the call), \"with\" \
        (other arguments), \"insert\" (a call before it), \"delete\": true, \"png\" (of a texture's upload)";
    let edits =
        json!({ "type": "array", "items": { "type": "object" }, "description": "The changes" });
    let name = json!({ "type": "string", "description": "Name of the changed capture, for later questions: edited" });
    let properties = json!({ "capture": capture_schema(), "edits": edits, "name": name });
    let schema = json!({ "type": "object", "properties": properties, "required": ["edits"] });
    json!({ "name": EDIT, "description": about, "inputSchema": schema })
}
