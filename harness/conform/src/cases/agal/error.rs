//! Cases for programs that `Program3D.upload` rejects, one for each error, and for similar programs that it accepts
//! although they look wrong (`scripts/programs.txt`).

use agal::Stage;
use agal::asm::AssembleOptions;
use context3d::Profile;

use crate::calls::{Calls as _, invalid};
use crate::case::{CallExpectation, Cases};
use crate::mutations::{HEADER, TOKEN};
use crate::scene_builder::{SceneBuilder, SceneResult, assemble};
use crate::script::{self, ScriptRow};
use molehill_capture::data::{ByteArray, ByteArrayData};
use molehill_replay::record::RecordError;

const SCRIPT: &str = include_str!("../../../scripts/programs.txt");
const SOURCE: &str = "[agal.check.form] [agal.error.3612] [agal.error.3615]";
pub(super) const VERTEX: &str = "mov op, va0\nmov v0, va1\nmov v1, va2";
pub(super) const FRAGMENT: &str = "mov oc, v0";

fn program(row: &ScriptRow, stage: Stage) -> Result<Vec<u8>, RecordError> {
    let version = row.option("version").and_then(|version| version.parse().ok()).unwrap_or(1);
    let text = row.option(stage.name()).unwrap_or(match stage {
        Stage::Vertex => VERTEX,
        Stage::Fragment if row.option("vertex").is_some() => "mov oc, fc0",
        Stage::Fragment => FRAGMENT,
    });
    let options = AssembleOptions { stage: Some(stage), version, ignore_limits: true };
    let mut bytes = options.assemble(text).map_err(invalid)?.encode();
    if let Some(patch) =
        row.option("patch").and_then(|patch| patch.strip_prefix(stage.name())?.strip_prefix(','))
    {
        let numbers: Result<Vec<usize>, _> = patch.split(',').map(str::parse).collect();
        let Ok(&[token, byte, value]) = numbers.as_deref() else {
            return Err(invalid(format!("a patch must be STAGE,TOKEN,BYTE,VALUE, found {patch}")));
        };
        let start = if token == 0 { 0 } else { HEADER + (token - 1) * TOKEN };
        let at = bytes
            .get_mut(start + byte)
            .ok_or_else(|| invalid("the patch is outside the program"))?;
        *at = u8::try_from(value).map_err(invalid)?;
    }
    Ok(bytes)
}

pub(super) fn upload(
    s: &mut SceneBuilder,
    vertex: impl Into<ByteArray>,
    fragment: impl Into<ByteArray>,
) -> SceneResult {
    let program = s.create_program()?;
    s.expect();
    s.program_upload(program, vertex, fragment)
}

pub(super) fn add(cases: &mut Cases) {
    for row in script::rows(cases, "agal.error", SCRIPT, &|_| None) {
        let [number, what, ..] = row.words.as_slice() else { continue };
        let number: Option<u16> = number.parse().ok();
        let area = number.map_or("legal".to_owned(), |number| format!("error.{number}"));
        let expected = number.map_or(CallExpectation::Allowed, |number| row.raises(number));
        let made = row.clone();
        let case = cases.calls(format!("agal.{area}.{what}"), &row.source, expected, move |s| {
            upload(s, program(&made, Stage::Vertex)?, program(&made, Stage::Fragment)?)
        });
        if number.is_some() {
            case.exactly(Profile::Enhanced);
        }
        row.configure(case.on_null_backend());
    }
    sizes(cases);
    native(cases);
}

/// Adds programs that exceed the hardware limits of the lowest profile ([agal.native.limits]).
fn native(cases: &mut Cases) {
    let rows = [
        (3716, "alu", "add ft0, ft0, v0\n", 65),
        (3717, "textures", "tex ft1, v0, fs0 <2d>\nadd ft0, ft0, ft1\n", 33),
        (3721, "dependent_reads", "tex ft0, ft0, fs0 <2d>\n", 5),
    ];
    for (number, what, tokens, count) in rows {
        let name = format!("agal.error.{number}.{what}");
        let text = format!("mov ft0, v0\n{}mov oc, ft0", tokens.repeat(count));
        let expected = CallExpectation::raises(number, &["fragment"]);
        let source = format!("[agal.error.{number}] [agal.native.limits] [agal.native.counts]");
        let case = cases.calls(name, &source, expected, move |s| {
            upload(s, assemble(VERTEX, Stage::Vertex, 1)?, assemble(&text, Stage::Fragment, 1)?)
        });
        case.exactly(Profile::BaselineConstrained).on_null_backend();
    }
}

/// Adds program byte arrays that are too short or have the wrong byte order.
fn sizes(cases: &mut Cases) {
    let pair = || -> Result<_, RecordError> {
        Ok([assemble(VERTEX, Stage::Vertex, 1)?, assemble(FRAGMENT, Stage::Fragment, 1)?])
    };
    for bytes in [1, 6, 7, 30] {
        for stage in [Stage::Vertex, Stage::Fragment] {
            let expected = CallExpectation::raises(3615, &[stage.name()]);
            let name = format!("agal.error.3615.{}_of_{bytes}_bytes", stage.name());
            let case = cases.calls(name, SOURCE, expected, move |s| {
                let mut programs = pair()?;
                if let Some(program) = programs.get_mut(usize::from(stage.code())) {
                    program.truncate(bytes);
                }
                let [vertex, fragment] = programs;
                upload(s, vertex, fragment)
            });
            case.on_null_backend();
        }
    }
    let big_endian = CallExpectation::raises(3612, &[]);
    let case = cases.calls("agal.error.3612.big_endian", SOURCE, big_endian, move |s| {
        let [bytes, fragment] = pair()?;
        upload(s, ByteArray(Some(ByteArrayData { bytes, endian: agal::Endian::Big })), fragment)
    });
    case.on_null_backend();
}
