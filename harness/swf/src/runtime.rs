//! The methods of the document class that do not depend on the capture. The class `Main` has the steps of the capture
//! as methods, and runs one step in each frame of the player.

use swf::avm2::types::Op;

use crate::SwfError;
use crate::code::MethodCode;
use crate::file::{DATA, DocumentMethods};
use crate::pool::MultiName;

/// Maximum number of frames to wait for a context or an event.
const PATIENCE: i32 = 600;
/// Height of a caption, in pixels.
pub(crate) const CAPTION_HEIGHT: u32 = 20;
/// Number of sampled pixels of an image, in each direction.
pub(crate) const SAMPLES: i32 = 8;
/// Offset basis and prime of 32-bit FNV-1a.
pub(crate) const FNV: (u32, i32) = (2_166_136_261, 16_777_619);

const BITMAP_DATA: MultiName<'_> = MultiName::In("flash.display", "BitmapData");
const BYTE_ARRAY: MultiName<'_> = MultiName::In("flash.utils", "ByteArray");

/// The property with the objects of the capture, by index.
pub(crate) const OBJECTS: &str = "molehillObjects";
const BYTES: &str = "molehillData";
/// The properties that count received events, and the events that earlier steps wait for.
pub(crate) const ARRIVED: &str = "molehillArrived";
pub(crate) const AWAITED: &str = "molehillAwaited";
const TICKS: &str = "molehillTicks";
const NEXT: &str = "molehillNext";
/// The property that is true while a step runs, and stays true if the player aborts the step.
const RUNS: &str = "molehillRuns";
const TEXT: &str = "molehillText";
const CAPTION: &str = "molehillCaption";
/// The properties with the number of frames for which a step stays visible, and of frames since the last step.
const HOLD: &str = "molehillHold";
const HELD: &str = "molehillHeld";

const TEXT_FIELD: MultiName<'_> = MultiName::In("flash.text", "TextField");

/// Generates `this.name += 1`.
pub(crate) fn increase(code: &mut MethodCode, name: &str) {
    code.local(0).local(0).get(name).int(1).add().set(name);
}

/// Generates the body of the constructor.
pub(crate) fn constructor(code: &mut MethodCode) {
    code.local(0).op(Op::NewArray { num_args: 0 }).set(OBJECTS);
    code.local(0).find(DATA).construct(DATA, 0).set(BYTES);
    code.local(0).get(BYTES).text("littleEndian").set("endian");
    for counter in [ARRIVED, AWAITED, TICKS, NEXT, RUNS, HELD] {
        code.local(0).int(0).set(counter);
    }
    code.local(0).local(0).get("loaderInfo").get("parameters").get("hold");
    code.op(Op::ConvertI).set(HOLD);
    code.local(0).text("").set(TEXT);
    code.local(0).text("enterFrame").local(0).get("tick").void("addEventListener", 2);
}

/// Adds the methods to the class. If `brief` is set, the methods print only output that is equal in all correct
/// players.
pub(crate) fn add(file: &mut DocumentMethods, steps: usize, brief: bool) -> Result<(), SwfError> {
    for slot in [OBJECTS, BYTES, ARRIVED, AWAITED, TICKS, NEXT, RUNS, HELD, HOLD, TEXT, CAPTION] {
        file.slot(slot);
    }
    let steps = i32::try_from(steps).map_err(|_| SwfError::TooLong)?;
    file.method("tick", 1, |code| tick(code, steps))?;
    file.method("arrive", 1, |code| {
        increase(code, ARRIVED);
        if brief {
            return;
        }
        code.local(0).text("event ").local(1).get("type").add().void("say", 1);
    })?;
    file.method("say", 1, |code| {
        code.find("trace").text("molehill ").local(1).add().void("trace", 1);
        code.local(0).local(0).get(TEXT).local(1).add().text("\n").add().set(TEXT);
    })?;
    file.method("caught", 2, |code| {
        code.local(0).text("call ").local(1).add().text(" error ").add();
        code.local(2).get("errorID").add();
        if !brief {
            let name = MultiName::In("flash.utils", "getQualifiedClassName");
            code.text(" ").add().find(name).local(2).call(name, 1).add();
        }
        code.void("say", 1);
    })?;
    file.method("show", 1, show)?;
    file.method("caption", 1, caption)?;
    file.method("bytes", 3, bytes)?;
    file.method("numbers", 2, |code| vector(code, "Number", "readDouble"))?;
    file.method("uints", 2, |code| vector(code, "uint", "readUnsignedInt"))?;
    file.method("bitmap", 4, bitmap)?;
    file.method("present", 4, present)?;
    file.method("picture", 2, picture)
}

/// Generates `present(call, context, width, height)`, which prints the back buffer's image if it can be read.
fn present(code: &mut MethodCode) {
    code.try_catch(
        6,
        |code| {
            code.find(BITMAP_DATA).local(3).local(4).bool(false).int(0).construct(BITMAP_DATA, 4);
            code.set_local(5).local(2).local(5).void("drawToBitmapData", 1);
            code.local(0).local(1).local(5).void("picture", 2);
        },
        |_| {},
    );
}

/// Runs the next step, unless a context or an event is awaited.
fn tick(code: &mut MethodCode, steps: i32) {
    let [whole, held, run, step, end] = [(); 5].map(|()| code.label());
    code.local(0).get(RUNS).branch(|offset| Op::IfFalse { offset }, whole);
    code.local(0).int(0).set(RUNS).local(0).text("aborted").void("say", 1);
    code.here(whole).local(0).get(HELD).local(0).get(HOLD);
    code.branch(|offset| Op::IfNlt { offset }, held);
    increase(code, HELD);
    code.op(Op::ReturnVoid).here(held);
    code.local(0).get(ARRIVED).local(0).get(AWAITED);
    code.branch(|offset| Op::IfNlt { offset }, run);
    increase(code, TICKS);
    code.local(0).get(TICKS).int(PATIENCE).branch(|offset| Op::IfLt { offset }, end);
    code.local(0).text("timeout").void("say", 1);
    code.local(0).local(0).get(AWAITED).set(ARRIVED);
    code.here(run).local(0).int(0).set(TICKS);
    code.local(0).get(NEXT).set_local(2);
    code.local(2).int(steps).branch(|offset| Op::IfLt { offset }, step);
    code.local(0).text("enterFrame").local(0).get("tick").void("removeEventListener", 2);
    code.local(0).get("stage").text("click").local(0).get("show").void("addEventListener", 2);
    code.local(0).text("end").void("say", 1).op(Op::ReturnVoid);
    code.here(step).local(0).int(1).set(RUNS).local(0).int(0).set(HELD);
    increase(code, NEXT);
    code.try_catch(
        3,
        |code| {
            code.local(0).text("step").local(2).add().void(MultiName::Late, 0);
        },
        |code| {
            code.local(0).int(0).local(3).void("caught", 2);
        },
    );
    code.local(0).int(0).set(RUNS);
    code.here(end);
}

/// Shows the output as text, after the end or at a click, for players without a log.
fn show(code: &mut MethodCode) {
    code.find(TEXT_FIELD).construct(TEXT_FIELD, 0).set_local(2);
    for (to, from) in [("width", "stageWidth"), ("height", "stageHeight")] {
        code.local(2).local(0).get("stage").get(from).set(to);
    }
    code.local(2).bool(true).set("background");
    code.local(2).local(0).get(TEXT).set("text");
    code.local(0).local(2).void("addChild", 1);
}

/// Generates `caption(text)`, which shows a line below the image.
fn caption(code: &mut MethodCode) {
    let field = code.label();
    code.local(0).get(CAPTION).branch(|offset| Op::IfTrue { offset }, field);
    code.local(0).find(TEXT_FIELD).construct(TEXT_FIELD, 0).set(CAPTION);
    for (to, from, less) in [("width", "stageWidth", 0), ("y", "stageHeight", CAPTION_HEIGHT)] {
        let less = i32::try_from(less).unwrap_or(0);
        code.local(0).get(CAPTION).local(0).get("stage").get(from).int(less);
        code.op(Op::Subtract).set(to);
    }
    code.local(0).get(CAPTION).bool(true).set("background");
    code.local(0).local(0).get(CAPTION).void("addChild", 1);
    code.here(field).local(0).get(CAPTION).local(1).set("text");
}

/// Generates `bytes(offset, length, bigEndian)`, which returns a part of the data as a `ByteArray`.
fn bytes(code: &mut MethodCode) {
    let [big, empty] = [(); 2].map(|()| code.label());
    code.find(BYTE_ARRAY).construct(BYTE_ARRAY, 0).set_local(4);
    code.local(3).branch(|offset| Op::IfTrue { offset }, big);
    code.local(4).text("littleEndian").set("endian");
    // In ActionScript, length 0 means the rest of the array.
    code.here(big).local(2).branch(|offset| Op::IfFalse { offset }, empty);
    code.local(4).local(0).get(BYTES).local(1).local(2).void("writeBytes", 3);
    code.here(empty).local(4).int(0).set("position").local(4).op(Op::ReturnValue);
}

/// Generates `numbers(offset, length)`, which returns a part of the data as a `Vector`.
fn vector(code: &mut MethodCode, element: &str, read: &str) {
    let [next, end] = [(); 2].map(|()| code.label());
    code.vector(element, |code| code.local(2)).set_local(3);
    code.local(0).get(BYTES).local(1).set("position");
    code.int(0).set_local(4);
    code.here_loop(next).local(4).local(2).branch(|offset| Op::IfNlt { offset }, end);
    code.local(3).local(4).local(0).get(BYTES).call(read, 0).set(MultiName::Late);
    code.op(Op::IncLocalI { index: 4 }).branch(|offset| Op::Jump { offset }, next);
    code.here(end).local(3).op(Op::ReturnValue);
}

/// Generates `bitmap(offset, width, height, transparent)`, which returns a part of the data as a `BitmapData`.
fn bitmap(code: &mut MethodCode) {
    let rectangle = MultiName::In("flash.geom", "Rectangle");
    code.find(BITMAP_DATA).local(2).local(3).local(4).int(0).construct(BITMAP_DATA, 4).set_local(5);
    code.local(5).find(rectangle).int(0).int(0).local(2).local(3).construct(rectangle, 4);
    code.local(0).local(1).local(2).local(3).op(Op::MultiplyI).int(4).op(Op::MultiplyI).bool(true);
    code.call("bytes", 3).void("setPixels", 2).local(5).op(Op::ReturnValue);
}

/// Generates `picture(call, bitmap)`, which prints size, hash (FNV-1a over 32 bits per pixel) and sampled pixels.
fn picture(code: &mut MethodCode) {
    let [next, end, rows, row_end, columns, done] = [(); 6].map(|()| code.label());
    let (text, pixels, at, count, hash, y, x) = (3, 4, 5, 6, 7, 8, 9);
    code.local(2).local(2).get("rect").call("getPixels", 1).set_local(pixels);
    code.local(pixels).int(0).set("position");
    code.local(2).get("width").local(2).get("height").op(Op::MultiplyI).set_local(count);
    code.uint(FNV.0).op(Op::ConvertI).set_local(hash).int(0).set_local(at);
    code.here_loop(next).local(at).local(count).branch(|offset| Op::IfNlt { offset }, end);
    code.local(hash).local(pixels).call("readInt", 0).op(Op::BitXor);
    code.int(FNV.1).op(Op::MultiplyI).set_local(hash);
    code.op(Op::IncLocalI { index: at }).branch(|offset| Op::Jump { offset }, next);
    code.here(end).text("picture ").local(1).add().text(" ").add();
    code.local(2).get("width").add().text("x").add().local(2).get("height").add();
    code.text(" fnv1a ").add().local(hash).op(Op::ConvertU).add().text(" pixels").add();
    code.set_local(text).int(0).set_local(y);
    code.here_loop(rows).local(y).int(SAMPLES).branch(|offset| Op::IfNlt { offset }, done);
    code.int(0).set_local(x);
    code.here_loop(columns).local(x).int(SAMPLES).branch(|offset| Op::IfNlt { offset }, row_end);
    code.local(text).text(" ").add().local(2);
    for (index, side) in [(x, "width"), (y, "height")] {
        // The centre of a cell of the 8 × 8 grid.
        code.local(index).int(2).op(Op::MultiplyI).int(1).add();
        code.local(2).get(side).op(Op::MultiplyI).int(4).op(Op::RShift);
    }
    code.call("getPixel32", 2).add().set_local(text);
    code.op(Op::IncLocalI { index: x }).branch(|offset| Op::Jump { offset }, columns);
    code.here(row_end).op(Op::IncLocalI { index: y }).branch(|offset| Op::Jump { offset }, rows);
    code.here(done).local(0).local(text).void("say", 1);
}
