//! Functions that compute the results of queries about a capture.

use std::ops::ControlFlow;
use std::time::Duration;

use molehill_analysis::dump::ObjectUse;
use molehill_analysis::edit::pattern::CallPattern;
use molehill_analysis::evidence::crosses;
use molehill_analysis::scan::ranked;
use molehill_analysis::{CapturePlace, FrameSelection, Inspector, Result};
use molehill_replay::image::RgbaImage;
use molehill_replay::table::{aligned, cells};
use serde_json::{Value, json};

use super::{
    Answer, DEFAULT_SECONDS, OUT, OutputFile, OutputFiles, QueryParameters, answer, face, object,
    place as pixel_at,
};
use crate::explain::{Bounds, expect_state, explain as search, wrong_pixels};
use crate::pixel_request::{PixelAnswer, PixelRequest};

pub(super) fn list_frames(inspector: &Inspector) -> Result<Answer> {
    let frames = inspector.capture().frames().iter();
    let frame = |frame: &molehill_analysis::capture::CaptureFrame| {
        let (first, last) = (frame.calls.start, frame.calls.end.saturating_sub(1));
        json!({ "frame": frame.number, "calls": [first, last] })
    };
    let rows: Vec<Value> = frames.map(frame).collect();
    let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
    answer(&json!({ "frames": rows }), text)
}

pub(super) fn dump(inspector: &Inspector, given: &QueryParameters<'_>) -> Result<Answer> {
    let capture = inspector.capture();
    let ranges = match given.selection("frames")? {
        Some(frames) => {
            let frames = frames.frames(capture)?.into_iter();
            frames.map(|frame| frame.calls.clone()).collect()
        }
        None => {
            let calls = given.selection("calls")?.unwrap_or(FrameSelection::All).calls(capture)?;
            calls.into_iter().map(|calls| *calls.start()..calls.end() + 1).collect::<Vec<_>>()
        }
    };
    let id = |name: &str| given.text(name).map(object).transpose();
    let (name, object, program) =
        (given.text("only").map(str::to_owned), id("object")?, id("program")?);
    let mut pattern = CallPattern { name, object, program, ..CallPattern::default() };
    if given.flag("census") {
        pattern.calls = match (ranges.first(), ranges.last()) {
            (Some(first), Some(last)) => first.start..last.end,
            _ => 0..0,
        };
        let census = inspector.census(&pattern)?;
        return answer(&census, &census);
    }
    let mut lines = Vec::new();
    for calls in ranges {
        pattern.calls = calls;
        for call in pattern.matching(capture)? {
            let mut line = inspector.line(call)?;
            if given.flag("data") {
                inspector.add_data(&mut line)?;
            }
            lines.push(line);
        }
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    answer(&json!({ "calls": lines }), text)
}

pub(super) fn objects(inspector: &Inspector) -> Result<Answer> {
    let all = inspector.objects()?;
    let row = |used: &ObjectUse| {
        let ObjectUse { object, bytes, uploads, uses, draws, created, last, disposed } = used;
        let disposed = disposed.map_or("-".to_owned(), |call| call.to_string());
        let numbers = format!("{bytes} {uploads} {uses} {draws} {created} {last} {disposed}");
        [vec![object.clone()], cells(&numbers)].concat()
    };
    let head = cells("object bytes uploads uses draws created last disposed");
    let lines: Vec<_> = std::iter::once(head).chain(all.iter().map(row)).collect();
    answer(&json!({ "objects": all }), aligned(&lines, "<>>>>>>>").concat())
}

pub(super) fn state(
    inspector: &mut Inspector,
    given: &mut QueryParameters<'_>,
    files: OutputFiles<'_>,
) -> Result<Answer> {
    let (call, place) = given.call(inspector)?;
    if let Some(index) = given.number("vertex")? {
        let vertex = (index, given.number("instance")?.unwrap_or(0));
        let report = inspector.vertex(call, vertex, given.flag("step"))?;
        return Ok(answer(&report, &report)?.at(&place, "call"));
    }
    if given.flag("like") {
        let report = inspector.like(call)?;
        return answer(&report, &report);
    }
    let mut state = inspector.state(call)?;
    if let Some(expected) = &mut given.1 {
        expect_state(inspector, &mut state, expected)?;
    }
    inspector.add_vertices(&mut state)?;
    inspector.add_evidence(&mut state)?;
    if let Some(write) = files {
        // Creates the mesh first, so that no file is written if the call has no mesh.
        let mesh = given.flag("obj").then(|| inspector.mesh(call)).transpose()?;
        if let Some(program) = &state.program {
            for (texts, extension) in [(&program.agal, "agal"), (&program.glsl, "glsl")] {
                for (stage, text) in ["vertex", "fragment"].iter().zip(texts) {
                    write(&format!("{stage}.{extension}"), OutputFile::Text(text))?;
                }
            }
        }
        let textures = inspector.textures(call)?;
        for texture in &textures {
            let (slot, side, level) = (texture.slot, texture.side, texture.level);
            let name = format!("fs{slot}-side{side}-level{level:02}.png");
            write(&name, OutputFile::Picture(&texture.image))?;
        }
        for (slot, cross) in crosses(&textures) {
            write(&format!("fs{slot}-cross.png"), OutputFile::Picture(&cross))?;
        }
        if let Some(target) = inspector.picture(call)? {
            write("target.png", OutputFile::Picture(&target))?;
        }
        if let Some(mesh) = mesh {
            write("before.obj", OutputFile::Text(&mesh.obj(false)))?;
            write("after.obj", OutputFile::Text(&mesh.obj(true)))?;
        }
    }
    Ok(answer(&state, &state)?.at(&place, "call"))
}

pub(super) fn draws(
    inspector: &mut Inspector,
    given: &mut QueryParameters<'_>,
    files: OutputFiles<'_>,
) -> Result<Answer> {
    let place = match given.selection("frames")? {
        None => inspector.place(given.1.as_deref())?,
        Some(frames) if frames.single().is_ok() => {
            CapturePlace::named(frames.frame(inspector.capture())?, None)
        }
        Some(frames) => return compare_frames(inspector, &frames, given, files.is_some()),
    };
    let frame = place.frame;
    let mut report = match files {
        None => inspector.draws(frame)?,
        Some(write) => inspector.draws_with_pictures(frame, &mut |draw, pictures| {
            let mut write = |what: String, image: &RgbaImage| {
                write(&format!("{:06}-{what}.png", draw.call), OutputFile::Picture(image))
            };
            for (when, images) in [("before", &pictures.before), ("after", &pictures.after)] {
                for (output, image) in images.iter().enumerate() {
                    let output = if output == 0 { String::new() } else { format!("-{output}") };
                    write(format!("{when}{output}"), image)?;
                }
            }
            let changed = pictures.changed();
            let others = [
                ("changed", changed.as_ref()),
                ("depth", pictures.depth.as_ref()),
                ("stencil", pictures.stencil.as_ref()),
                ("overdraw", Some(&pictures.overdraw)),
            ];
            let mut there = others.into_iter().filter_map(|(what, image)| Some((what, image?)));
            there.try_for_each(|(what, image)| write(what.to_owned(), image))
        })?,
    };
    if let Some(expected) = &mut given.1 {
        report.expect(wrong_pixels(inspector, frame, expected)?);
    }
    Ok(answer(&report, report.text(given.flag("waste")))?.drawn().at(&place, "frame"))
}

/// Compares several frames: returns a row per frame, and the anomalies.
fn compare_frames(
    inspector: &mut Inspector,
    which: &FrameSelection,
    given: &mut QueryParameters<'_>,
    files: bool,
) -> Result<Answer> {
    for (name, without_effect) in [(OUT, files), ("waste", given.flag("waste"))] {
        if without_effect {
            return Err(format!("{name} has no effect with several frames, found {which}").into());
        }
    }
    let frames = which.frames(inspector.capture())?;
    let (first, last) = (frames.first().map(|it| it.number), frames.last().map(|it| it.number));
    let mut scan = inspector.frame_scan(first.unwrap_or(0), last.unwrap_or(0))?;
    scan.frames.retain(|row| which.contains(row.frame));
    scan.outliers.retain(|outlier| which.contains(outlier.frame));
    if let Some(expected) = &mut given.1 {
        inspector.expect_frames(&mut scan, expected)?;
    }
    scan.outliers = ranked(scan.outliers);
    answer(&scan, &scan)
}

pub(super) fn explain(
    inspector: &mut Inspector,
    given: &mut QueryParameters<'_>,
) -> Result<Answer> {
    let place = given.place(inspector)?;
    let seconds: u32 = given.number("timeLimit")?.unwrap_or(DEFAULT_SECONDS);
    let expected = given
        .1
        .as_mut()
        .ok_or("explain needs the parameter \"expect\"".to_owned())?
        .picture(place.frame)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let bounds = Bounds { time: Duration::from_secs(seconds.into()), threads };
    let found = search(inspector, place.frame, &expected, bounds, &|_| ControlFlow::Continue(()))?;
    Ok(answer(&found, &found)?.at(&place, "frame"))
}

pub(super) fn pixel(inspector: &mut Inspector, given: &mut QueryParameters<'_>) -> Result<Answer> {
    let place = given.place(inspector)?;
    let request = PixelRequest {
        frame: place.frame,
        at: given.text("at").map(pixel_at).transpose()?,
        texture: given.text("texture").map(face).transpose()?,
        step: given.number("step")?,
        fragment: given.number("fragment")?,
    };
    let answer = match request.answer(inspector, given.1.as_deref_mut())? {
        PixelAnswer::Steps(steps) => answer(&steps, &steps),
        PixelAnswer::History(history) => answer(&history, history.text(inspector.capture(), &[])),
    };
    Ok(answer?.at(&place, "frame"))
}
