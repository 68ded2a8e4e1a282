//! Tests the query `dump`.

use molehill_analysis::Inspector;
use molehill_queries::question::question;
use serde_json::{Value, json};

use crate::room::room;

fn ask(what: &str, parameters: Value) -> (Value, String) {
    let Value::Object(parameters) = parameters else { panic!("{parameters}") };
    let mut inspector = Inspector::new(room());
    let answer = question(what).unwrap().ask(&mut inspector, &parameters, None, None).unwrap();
    (answer.json, answer.text)
}

#[test]
fn calls_are_listed_by_name_object_and_program() {
    let number = |parameters| ask("dump", parameters).0["calls"].as_array().unwrap().len();
    assert_eq!(number(json!({ "frame": 1, "only": "drawTriangles" })), 4);
    assert_eq!(number(json!({ "object": "texture#7" })), 4);
    assert_eq!(number(json!({ "program": "3", "only": "setCulling" })), 8);
    assert_eq!(number(json!({ "program": "9" })), 0);
    let text = ask("dump", json!({ "only": "uploadFromByteArray", "object": "8" })).1;
    assert!(text.contains("side: 3 (-y)"), "{text}");
    // Bulk data comes last in a line, and is complete only on request.
    let matrix = json!({ "only": "setProgramConstantsFromMatrix" });
    let text = ask("dump", matrix).1;
    assert!(text.find("transposedMatrix") < text.find("matrix: ["), "{text}");
    let text = ask("dump", json!({ "only": "uploadFromVector", "data": true })).1;
    assert!(text.contains("0: -1, 1, 0, 0, 0\n") && text.contains("19: 0, 2, 3\n"), "{text}");
    assert!(!ask("dump", json!({ "only": "uploadFromVector" })).1.contains("19: 0, 2, 3"));
}

#[test]
fn a_census_counts_values_by_program_and_place() {
    let (json, text) = ask("dump", json!({ "census": true, "only": "setTextureAt" }));
    let rows = json["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["parameter"] == "texture" && row["value"] == "7").unwrap();
    assert_eq!((row["calls"].as_u64(), &row["places"]), (Some(2), &json!([[4, 2]])), "{row}");
    assert_eq!(row["programs"], json!([["program#3", 2]]));
    assert!(text.contains("program#3 2; draw 4: 2"), "{text}");
}
