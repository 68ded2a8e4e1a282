//! Records the calls of a test case, and draws its expected images.

use std::io::Cursor;

use molehill_capture::{Header, Reader, Record};
use molehill_replay::image::Image;
use molehill_replay::record::RecordError;

use crate::case::{Body, CallCase, Case};
use crate::device::Device;
use crate::scene;
use crate::scene_builder::SceneBuilder;

/// Records the calls of a test case, with the errors that Flash raises.
fn record(case: &Case) -> Result<Vec<u8>, String> {
    let recorded = match &case.body {
        Body::Scene(scene) => scene::record(case, case.setup, scene),
        Body::Calls(calls) => record_calls(case, calls),
        Body::Program(_) => {
            return Err(
                "compares floats, which no player returns (agal.op.*.drawn draws them)".to_owned()
            );
        }
        Body::Hull(_) => return Err("no player has hull shaders".to_owned()),
        Body::Capture(_) => return Err("a capture, which `molehill convert` writes".to_owned()),
        Body::Mutant(_) => return Err("a deliberate error of Molehill".to_owned()),
    };
    recorded.map_err(|error| error.to_string())
}

fn record_calls(case: &Case, calls: &CallCase) -> Result<Vec<u8>, RecordError> {
    let mut builder =
        SceneBuilder::for_calls(&case.name, case.setup, calls.without_back_buffer, Device::Null)?;
    match (calls.recipe)(&mut builder) {
        Ok(()) | Err(RecordError::Flash(_)) => builder.finish(),
        Err(error) => Err(error),
    }
}

/// Reads the recorded calls of a test case. The error is the reason why the case has no calls.
pub(super) fn records(case: &Case) -> Result<(Header, Vec<(u64, Record)>), String> {
    let capture = record(case)?;
    let reader = Reader::new(Cursor::new(capture)).map_err(|error| error.to_string())?;
    let header = reader.header().clone();
    let records = reader.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    Ok((header, records))
}

pub(super) fn expected_pictures(case: &Case) -> Result<Vec<Image>, String> {
    match &case.body {
        Body::Scene(scene) => match &scene.expected_pictures {
            Some((_, pictures)) => Ok(pictures()),
            None => scene::draw(case, scene, Device::Reference),
        },
        Body::Program(_) | Body::Calls(_) | Body::Hull(_) | Body::Capture(_) | Body::Mutant(_) => {
            Ok(Vec::new())
        }
    }
}
