//! Cases for every string parameter (`scripts/enums.txt`): each valid string, null, and invalid strings. It is an open
//! question whether null raises 2007 [context3d.name.null].

use context3d::Profile;

use crate::case::{CallExpectation, Cases};
use crate::expected;
use crate::script;

const SCRIPT: &str = include_str!("../../../scripts/enums.txt");

/// Strings that no enumeration contains [context3d.enum.other].
const WRONG: [(&str, &str); 4] =
    [("upper_case", "ONE"), ("empty", ""), ("spaced", "one "), ("foreign", "größe")];

pub(super) fn add(cases: &mut Cases) {
    for row in script::rows(cases, "api.enum", SCRIPT, &|_| None) {
        let [enumeration, parameter, ..] = row.words.as_slice() else { continue };
        let own = parameter.split('.').next_back().unwrap_or_default();
        let says = row.option("says").unwrap_or(own);
        let mut add = |tail: &str, expected: CallExpectation, value: Option<&str>| {
            let steps = row.steps_with(value);
            let is_allowed = expected == CallExpectation::Allowed;
            let name = format!("api.enum.{parameter}.{tail}");
            let case = cases.calls(name, &row.source, expected, move |s| {
                s.expect();
                script::run(&steps, s)
            });
            // The profile `standard` and higher profiles support every format.
            case.profile(Profile::Standard);
            if is_allowed {
                case.on_null_backend();
            }
        };
        for name in expected::names(enumeration) {
            add(name, CallExpectation::Allowed, Some(name));
        }
        add("null", CallExpectation::raises(2007, &[says]), None);
        for (tail, text) in WRONG {
            add(tail, CallExpectation::raises(2008, &[says]), Some(text));
        }
    }
}
