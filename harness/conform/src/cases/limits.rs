//! Cases for every limit of every profile (`scripts/limits.txt`): the maximum is allowed, and one more raises an error.

use context3d::Profile;

use crate::calls::Calls as _;
use crate::case::{CallExpectation, Cases};
use crate::expected;
use crate::scene_builder::{SceneBuilder, SceneResult, assemble};
use crate::script::{self, ScriptRow};

const SCRIPT: &str = include_str!("../../scripts/limits.txt");

pub(super) fn add(cases: &mut Cases) {
    for &profile in Profile::ALL {
        let limit = |name: &str| expected::find_limit(name, profile).map(|limit| limit.to_string());
        for row in script::rows(cases, "limits", SCRIPT, &limit) {
            if row.option("if").is_none_or(|condition| holds(condition, profile)) {
                add_row(cases, &row, profile);
            }
        }
        tokens(cases, profile);
    }
}

fn add_row(cases: &mut Cases, row: &ScriptRow, profile: Profile) {
    let number = row.words.get(1).and_then(|number| number.parse().ok());
    let expected = number.map_or(CallExpectation::Allowed, |number| row.raises(number));
    let name =
        format!("limits.{}.{}", profile.name(), row.words.first().map_or("", String::as_str));
    let steps = row.steps.clone();
    let case = cases.calls(name, &row.source, expected, move |s| {
        s.expect();
        script::run(&steps, s)
    });
    case.exactly(profile).on_null_backend();
}

fn holds(condition: &str, profile: Profile) -> bool {
    let at = condition.find(['<', '=', '>']).unwrap_or(condition.len());
    let (name, rest) = condition.split_at(at);
    let (operator, number) = rest.split_at(rest.len().min(1));
    let (value, number) = (expected::limit(name, profile), number.parse().unwrap_or(u64::MAX));
    match operator {
        "<" => value < number,
        ">" => value > number,
        _ => value == number,
    }
}

/// Adds AGAL programs with the maximum token count and with one token more, in the profile's newest AGAL version.
fn tokens(cases: &mut Cases, profile: Profile) {
    const SOURCE: &str = "[agal.version.tokens] [agal.version.tokens_4]";
    let version = profile.max_version().number();
    let upload = move |s: &mut SceneBuilder, tokens: usize| -> SceneResult {
        s.expect();
        let text = "mov vt0, va0\n".repeat(tokens.saturating_sub(1)) + "mov op, va0";
        let vertex = assemble(&text, agal::Stage::Vertex, version)?;
        let fragment = assemble("mov oc, fc0", agal::Stage::Fragment, version)?;
        let program = s.create_program()?;
        s.program_upload(program, vertex, fragment)
    };
    let most = usize::try_from(expected::limit("tokens", profile)).unwrap_or(0);
    let past = CallExpectation::raises(3629, &["vertex", &(most + 1).to_string()]);
    let rows = [("at", CallExpectation::Allowed, most), ("past", past, most + 1)];
    // In the lowest profile, programs reach the hardware limits before the token limit.
    for (end, expected, count) in
        rows.into_iter().skip(usize::from(profile == Profile::BaselineConstrained))
    {
        let name = format!("limits.{}.tokens.{end}", profile.name());
        let case = cases.calls(name, SOURCE, expected, move |s| upload(s, count));
        case.exactly(profile).on_null_backend();
    }
}
