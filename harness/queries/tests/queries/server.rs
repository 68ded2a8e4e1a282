//! Tests the server that answers queries about captures.

use std::cell::Cell;
use std::rc::Rc;
use std::time::SystemTime;

use molehill_analysis::Inspector;
use molehill_queries::question::question;
use molehill_queries::serve::{CaptureServer, FileHost, FileVersion};
use serde_json::{Map, Value, json};

use crate::scene::{LAST, scene};

/// Opens scenes of 3 + n frames, where n is the value of the `Cell`. The files have the version n.
#[derive(Clone, Default)]
struct Scenes(Rc<Cell<u64>>);

impl FileHost for Scenes {
    fn open(&mut self, path: &str) -> Result<Inspector, String> {
        path.strip_prefix("scene")
            .map(|_| Inspector::new(scene(3 + u32::try_from(self.0.get()).unwrap())))
            .ok_or("no such scene".to_owned())
    }

    fn version(&mut self, path: &str) -> std::io::Result<FileVersion> {
        let there = path.starts_with("scene").then_some((self.0.get(), SystemTime::UNIX_EPOCH));
        there.ok_or_else(|| std::io::ErrorKind::NotFound.into())
    }

    fn read(&mut self, path: &str) -> std::io::Result<Vec<u8>> {
        std::fs::read(path)
    }
}

#[test]
fn a_server_answers_as_the_questions_do() {
    let mut server = CaptureServer::new(Scenes::default(), Some("scene".to_owned()));
    let mut ask = |method: &str, params: Value| -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        let answer: Value =
            serde_json::from_str(&server.answer(&request.to_string()).unwrap()).unwrap();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(7)));
        answer
    };
    let hello = ask("initialize", json!({ "protocolVersion": "2024-11-05" }));
    assert_eq!(hello["result"]["protocolVersion"], "2024-11-05");
    let tools = ask("tools/list", json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap();
    for tool in tools {
        let known = question(tool["name"].as_str().unwrap());
        let required =
            known.map_or(1, |known| known.parameters.iter().filter(|one| one.is_required).count());
        assert_eq!(tool["inputSchema"]["required"].as_array().unwrap().len(), required);
    }
    assert_eq!(tools.len(), molehill_queries::question::QUESTIONS.len() + 1);
    let direct = ask("draws", json!({ "frame": 1 }));
    let mut inspector = Inspector::new(scene(3));
    let parameters: Map<String, Value> = [("frame".to_owned(), json!(1))].into_iter().collect();
    let answer = question("draws").unwrap().ask(&mut inspector, &parameters, None, None).unwrap();
    assert_eq!(direct["result"], answer.json);
    let call = json!({ "name": "draws", "arguments": { "frame": 1, "pictures": true } });
    let called = ask("tools/call", call);
    assert_eq!(called["result"]["content"][0]["text"], answer.text);
    assert_eq!(called["result"]["content"][2]["mimeType"], "image/png");
    // The edited capture can be queried by its name.
    let edits = json!([{ "call": LAST, "constant": "fc0", "values": [0, 0, 1, 1] }]);
    let changed = ask("edit", json!({ "edits": edits, "name": "blue" }));
    assert_eq!(changed["result"]["frame"], json!([1, 1]));
    let state = ask("state", json!({ "capture": "blue", "call": LAST + 1 }));
    assert!(
        state["result"]["rows"].as_array().unwrap().iter().any(|row| row["value"] == "0, 0, 1, 1")
    );
    let wrong = ask("draws", json!({ "frmae": 1 }));
    assert_eq!(wrong["error"]["message"], "draws has no parameter \"frmae\"");
    assert_eq!(ask("nothing", json!({}))["error"]["code"], -32601);
    let call = json!({ "name": "state", "arguments": { "call": 1, "capture": "film" } });
    assert_eq!(ask("tools/call", call)["result"]["isError"], true);
    assert_eq!(server.answer(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#), None);
    assert!(server.answer("{").unwrap().contains("-32700"));
}

fn server() -> (CaptureServer<Scenes>, Scenes) {
    let scenes = Scenes::default();
    (CaptureServer::new(scenes.clone(), Some("scene".to_owned())), scenes)
}

fn ask(server: &mut CaptureServer<Scenes>, method: &str, params: &Value) -> Value {
    let request = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    serde_json::from_str(&server.answer(&request.to_string()).unwrap()).unwrap()
}

fn frames(server: &mut CaptureServer<Scenes>, capture: &str) -> Result<usize, String> {
    let answer = ask(server, "frames", &json!({ "capture": capture }));
    let frames = answer["result"]["frames"].as_array().map(Vec::len);
    frames.ok_or_else(|| answer["error"]["message"].as_str().unwrap().to_owned())
}

#[test]
fn a_changed_file_is_read_again() {
    let (mut server, scenes) = server();
    assert_eq!(frames(&mut server, "scene"), Ok(3));
    scenes.0.set(2);
    assert_eq!(frames(&mut server, "scene"), Ok(5));
    assert!(frames(&mut server, "film").unwrap_err().starts_with("film: "));
}

#[test]
fn changed_captures_stay_open() {
    let (mut server, _) = server();
    let edits = json!([{ "call": LAST, "delete": true }]);
    let edit = |server: &mut CaptureServer<Scenes>, name: &str| {
        ask(server, "edit", &json!({ "edits": edits, "name": name }))
    };
    for name in ["a", "b", "c", "d"] {
        assert!(edit(&mut server, name)["error"].is_null());
    }
    // Opening more capture files doesn't close edited captures.
    for file in 0..9 {
        assert_eq!(frames(&mut server, &format!("scene{file}")), Ok(3));
    }
    let refused = edit(&mut server, "e")["error"]["message"].to_string();
    assert!(refused.contains("4 edited captures are open"), "{refused}");
    assert!(edit(&mut server, "b")["error"].is_null(), "it is replaced");
    for name in ["a", "b", "c", "d"] {
        assert_eq!(frames(&mut server, name), Ok(3), "{name}");
    }
    let refused = edit(&mut server, "scene1")["error"]["message"].to_string();
    assert!(refused.contains("scene1 is a file"), "{refused}");
}

#[test]
fn answers_that_are_too_large_say_so() {
    let (mut server, _) = server();
    server.max_answer = 1000;
    let answer = ask(&mut server, "dump", &json!({}))["error"]["message"].to_string();
    assert!(
        answer.contains(" bytes, the maximum is 1000; request fewer frames or calls"),
        "{answer}"
    );
    assert!(ask(&mut server, "dump", &json!({ "calls": "1-1" }))["error"].is_null());
    // The response reports the number of images that exceed its size limit.
    server.max_answer = usize::MAX;
    let call = json!({ "name": "draws", "arguments": { "frame": 1, "pictures": true } });
    let answer = ask(&mut server, "tools/call", &call);
    let content = answer["result"]["content"].as_array().unwrap();
    let pictures = content.iter().filter(|part| part["type"] == "image").count();
    assert_eq!(pictures, 16);
    let last = content.last().unwrap()["text"].as_str().unwrap();
    assert!(last.ends_with("more images are omitted: a response has at most 16"), "{last}");
}

#[test]
fn parameters_without_effect_are_refused() {
    let (mut server, _) = server();
    for (method, parameters, message) in [
        ("frames", json!({ "capture": 5 }), "capture must be a string"),
        ("draws", json!({ "frame": 1, "pictures": true }), "only tools/call returns images"),
        ("draws", json!({ "frame": 1, "pictures": 1 }), "pictures must be true or false"),
        ("draws", json!({ "frame": true }), "frames must be a whole number or a string, not true"),
        (
            "draws",
            json!({ "frame": 1, "frames": "all" }),
            "frames and frame are one parameter; give one of them",
        ),
        ("dump", json!({ "frame": 1, "calls": "1-2" }), "frames has no effect with calls"),
        ("dump", json!({ "pictures": true }), "dump has no parameter \"pictures\""),
        ("state", json!({ "call": 9, "step": true }), "step has no effect without vertex"),
        (
            "state",
            json!({ "call": 9, "vertex": 0, "step": "yes" }),
            "step must be true or false, not \"yes\"",
        ),
        ("state", json!({ "call": 9, "obj": true }), "obj has no effect without out"),
        ("edit", json!({ "edits": [], "nmae": "x" }), "edit has no parameter \"nmae\""),
    ] {
        let answer = ask(&mut server, method, &parameters);
        assert_eq!(answer["error"]["message"], message, "{method} {parameters}");
    }
    let arguments = json!({ "call": LAST, "vertex": 0, "pictures": true });
    let call = json!({ "name": "state", "arguments": arguments });
    let answer = ask(&mut server, "tools/call", &call);
    assert_eq!(answer["result"]["content"][0]["text"], "out has no effect with vertex");
    let arguments = json!({ "call": LAST, "obj": true, "pictures": true });
    let call = json!({ "name": "state", "arguments": arguments });
    let answer = ask(&mut server, "tools/call", &call);
    let content = answer["result"]["content"].as_array().unwrap();
    let named = content.iter().position(|part| part["text"] == "after.obj").unwrap();
    assert!(content[named + 1]["text"].as_str().unwrap().contains("\nf 1 2 3\n"));
}

#[test]
fn an_expected_capture_is_explained_and_the_edit_mends_it() {
    let (mut server, _) = server();
    let edits = json!([{ "match": "setProgramConstantsFromVector", "where": { "programType": "fragment" }, "with": { "firstRegister": 1 } }]);
    assert!(
        ask(&mut server, "edit", &json!({ "edits": edits, "name": "wrong" }))["error"].is_null()
    );
    let question = json!({ "capture": "wrong", "expect": "scene@last", "timeLimit": 100 });
    let found = ask(&mut server, "explain", &question)["result"].clone();
    let best = &found["suggestions"][0];
    assert_eq!(
        (&best["call"], &best["after"]["differing"]),
        (&json!("setProgramConstantsFromVector"), &json!(0)),
        "{found}"
    );
    let mended = json!({ "capture": "wrong", "edits": [best["pattern"]], "name": "mended" });
    assert!(ask(&mut server, "edit", &mended)["error"].is_null());
    let draws = |server: &mut CaptureServer<Scenes>, capture: &str| {
        let draws = json!({ "capture": capture, "frame": 1, "expect": "scene" });
        ask(server, "draws", &draws)["result"]["wrong"]["differing"].as_u64().unwrap()
    };
    assert!(draws(&mut server, "wrong") > 0);
    assert_eq!(draws(&mut server, "mended"), 0);
    let refused = ask(&mut server, "draws", &json!({ "frame": 1, "expect": "film" }));
    assert!(refused["error"]["message"].as_str().unwrap().starts_with("film: "), "{refused}");
    let refused = ask(&mut server, "explain", &json!({}));
    assert_eq!(refused["error"]["message"], "explain needs the parameter \"expect\"");
}
