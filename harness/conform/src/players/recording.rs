//! Records the calls of a test case, and draws its expected images.

use std::io::Cursor;

use molehill_capture::{CaptureHeader, CaptureReader, CaptureRecord};
use molehill_replay::image::RgbaImage;
use molehill_replay::record::RecordError;

use crate::case::{CallCase, Case, CaseBody};
use crate::device::ConformDevice;
use crate::scene;
use crate::scene_builder::SceneBuilder;

/// Records the calls of a test case, with the errors that Flash raises.
fn record(case: &Case) -> Result<Vec<u8>, String> {
    let recorded = match &case.body {
        CaseBody::Scene(scene) => scene::record(case, case.setup, scene),
        CaseBody::Calls(calls) => record_calls(case, calls),
        CaseBody::Program(_) => {
            return Err(
                "compares floats, which no player returns (agal.op.*.drawn draws them)".to_owned()
            );
        }
        CaseBody::Hull(_) => return Err("no player has hull shaders".to_owned()),
        CaseBody::Capture(_) => return Err("a capture, which `molehill convert` writes".to_owned()),
        CaseBody::Mutant(_) => return Err("a deliberate error of Molehill".to_owned()),
    };
    recorded.map_err(|error| error.to_string())
}

fn record_calls(case: &Case, calls: &CallCase) -> Result<Vec<u8>, RecordError> {
    let mut builder = SceneBuilder::for_calls(
        &case.name,
        case.setup,
        calls.without_back_buffer,
        ConformDevice::Null,
    )?;
    match (calls.recipe)(&mut builder) {
        Ok(()) | Err(RecordError::Flash(_)) => builder.finish(),
        Err(error) => Err(error),
    }
}

/// Reads the recorded calls of a test case. The error is the reason why the case has no calls.
pub(super) fn records(case: &Case) -> Result<(CaptureHeader, Vec<(u64, CaptureRecord)>), String> {
    let capture = record(case)?;
    let reader = CaptureReader::new(Cursor::new(capture)).map_err(|error| error.to_string())?;
    let header = reader.header().clone();
    let records = reader.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    Ok((header, records))
}

pub(super) fn expected_pictures(case: &Case) -> Result<Vec<RgbaImage>, String> {
    match &case.body {
        CaseBody::Scene(scene) => match &scene.expected_pictures {
            Some((_, pictures)) => Ok(pictures()),
            None => scene::draw(case, scene, ConformDevice::Reference),
        },
        CaseBody::Program(_)
        | CaseBody::Calls(_)
        | CaseBody::Hull(_)
        | CaseBody::Capture(_)
        | CaseBody::Mutant(_) => Ok(Vec::new()),
    }
}
