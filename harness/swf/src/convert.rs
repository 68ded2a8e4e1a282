//! A capture as an SWF file.

use std::collections::HashMap;

use molehill_capture::data::Optional;
use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{Call, CallLine, Header, Record};
use swf::avm2::types::Op;

use crate::SwfError;
use crate::arguments::{Argument, Data, LeftOut, object};
use crate::code::Code;
use crate::file::{File, Stage};
use crate::pool::Name;
use crate::runtime::{self, AWAITED, OBJECTS, increase};

/// Calls of one method: AVM2 reads a whole method before it runs it.
const CALLS_PER_METHOD: usize = 200;
/// Largest side of a picture that is read back: that of a `BitmapData` of all versions.
const MAX_PICTURE: u32 = 2880;
/// Most frames a second that SWF can say are 255.99; this is the usual number.
const FRAME_RATE: f64 = 30.0;

/// A written file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converted {
    /// The file.
    pub swf: Vec<u8>,
    /// Number of calls.
    pub calls: u64,
    /// Calls that ActionScript can't make, with their lines and the reason.
    pub left_out: Vec<(u64, String)>,
}

/// Writes the records of a capture, with their lines, as an SWF file that makes the same calls. Each call is named by
/// its line in what the file prints. `pictures`: each `present` prints the picture.
///
/// # Errors
/// If the file would exceed a limit of its format.
pub fn convert(
    header: &Header,
    records: impl IntoIterator<Item = (u64, Record)>,
    pictures: bool,
) -> Result<Converted, SwfError> {
    let mut steps = Steps { pictures, ..Steps::default() };
    for (line, record) in records {
        match record {
            Record::Call(call) => steps.call(line, &call)?,
            Record::Frame(number) => {
                steps.code().local(0).text(&format!("frame {number}")).void("say", 1);
                steps.end_step()?;
            }
            Record::Event(_) => {
                increase(steps.code(), AWAITED);
                steps.end_step()?;
            }
        }
    }
    steps.end_step()?;
    let Steps { mut file, data, steps, calls, left_out, .. } = steps;
    runtime::add(&mut file, steps)?;
    let stage = Stage {
        swf_version: u8::try_from(header.swf_version).unwrap_or(u8::MAX),
        size: (header.stage_width, header.stage_height),
        color: header.stage_color,
        frame_rate: header
            .frame_rate
            .filter(|rate| (0.01..256.0).contains(rate))
            .unwrap_or(FRAME_RATE),
    };
    // A player may refuse an empty character.
    let bytes = if data.bytes.is_empty() { &[0][..] } else { &data.bytes };
    let swf = file.finish(&stage, bytes, runtime::constructor)?;
    Ok(Converted { swf, calls, left_out })
}

/// The steps: what the program did in one frame, as methods of at most [`CALLS_PER_METHOD`] calls.
#[derive(Default)]
struct Steps {
    file: File,
    data: Data,
    pictures: bool,
    /// The method that is being written, and its number of calls.
    open: Option<Code>,
    in_method: usize,
    /// Number of methods, and of finished steps.
    methods: usize,
    steps: usize,
    /// The methods of the current step.
    first: usize,
    stages: Vec<ObjectId>,
    /// Stages whose contexts the next step takes over, with the contexts' numbers.
    requested: Vec<(i32, i32)>,
    /// Sizes of back buffers.
    sizes: HashMap<ObjectId, (u32, u32)>,
    calls: u64,
    left_out: Vec<(u64, String)>,
}

impl Steps {
    fn code(&mut self) -> &mut Code {
        let (file, requested) = (&mut self.file, &mut self.requested);
        self.open.get_or_insert_with(|| {
            let mut code = file.begin();
            for (stage, number) in requested.drain(..) {
                code.local(0).get(OBJECTS).int(number);
                stage3d(&mut code, stage);
                code.get("context3D").set(Name::Late);
                for property in ["driverInfo", "profile"] {
                    code.local(0).text(&format!("property {property} "));
                    object(&mut code, number);
                    code.get(property).op(Op::Add).void("say", 1);
                }
            }
            code
        })
    }

    fn end_method(&mut self) -> Result<(), SwfError> {
        if let Some(code) = self.open.take() {
            self.file.add_method(&format!("part{}", self.methods), 0, code)?;
            self.methods += 1;
        }
        self.in_method = 0;
        Ok(())
    }

    fn end_step(&mut self) -> Result<(), SwfError> {
        self.end_method()?;
        let parts = self.first..self.methods;
        if !parts.is_empty() {
            self.file.method(&format!("step{}", self.steps), 0, |code| {
                for part in parts {
                    code.local(0).void(format!("part{part}").as_str(), 0);
                }
            })?;
            self.steps += 1;
            self.first = self.methods;
        }
        Ok(())
    }

    /// The index of a Stage3D, in the order in which the program first calls them.
    fn stage(&mut self, id: ObjectId) -> i32 {
        let known = self.stages.iter().position(|stage| *stage == id);
        let index = known.unwrap_or_else(|| {
            self.stages.push(id);
            self.stages.len() - 1
        });
        i32::try_from(index).unwrap_or(i32::MAX)
    }

    fn call(&mut self, line: u64, record: &CallLine) -> Result<(), SwfError> {
        if self.in_method == CALLS_PER_METHOD {
            self.end_method()?;
        }
        self.in_method += 1;
        let CallLine { on, call, result, .. } = record;
        let of_stage = call.info().receivers == [ObjectKind::Stage3D];
        let receiver = if of_stage { self.stage(*on) } else { self.data.object(*on) };
        let result = result.map(|id| self.data.object(id));
        if let Call::ConfigureBackBuffer { width, height, .. } = call {
            let side = |side: &i32| u32::try_from(*side).unwrap_or(1).clamp(1, MAX_PICTURE);
            self.sizes.insert(*on, (side(width), side(height)));
        }
        let size = self.sizes.get(on).copied().filter(|_| self.pictures);
        let number = i32::try_from(line).unwrap_or(i32::MAX);
        self.code();
        let (Some(code), data) = (&mut self.open, &mut self.data) else {
            return Ok(());
        };
        // Tried first, because a call that ActionScript can't make must leave nothing.
        let before = code.len();
        let possible = push_arguments(code, call, data);
        code.truncate(before);
        if let Err(why) = possible {
            self.left_out.push((line, format!("{}: {why}", call.name())));
            return Ok(());
        }
        self.calls += 1;
        let asynchronous = result.is_none() && is_asynchronous(call);
        code.try_catch(
            1,
            |code| {
                if asynchronous {
                    object(code, receiver);
                    listen(code, 2, ["textureReady", "error"]);
                }
                if let (Call::Present { .. }, Some((width, height))) = (call, size) {
                    code.local(0).int(number);
                    object(code, receiver);
                    code.uint(width).uint(height).void("present", 4);
                }
                make(code, data, call, (receiver, of_stage, result));
            },
            |code| {
                code.local(0).int(number).local(1).void("caught", 2);
            },
        );
        if let (true, Some(context)) = (of_stage, result) {
            self.requested.push((receiver, context));
            self.end_step()?;
        }
        Ok(())
    }
}

/// `stage.stage3Ds[index]`
fn stage3d(code: &mut Code, index: i32) {
    code.local(0).get("stage").get("stage3Ds").int(index).get(Name::Late);
}

/// Adds listeners for events to the object on the stack.
fn listen(code: &mut Code, local: u32, events: [&str; 2]) {
    code.set_local(local);
    for event in events {
        code.local(local).text(event).local(0).get("arrive").void("addEventListener", 2);
    }
}

fn is_asynchronous(call: &Call) -> bool {
    matches!(
        call,
        Call::TextureUploadFromBitmapDataAsync { .. }
            | Call::TextureUploadFromByteArrayAsync { .. }
            | Call::TextureUploadCompressedFromByteArray { is_async: true, .. }
    )
}

/// Makes a call and stores its result. `result` is the number of the object that it creates.
fn make(
    code: &mut Code,
    data: &mut Data,
    call: &Call,
    (receiver, of_stage, result): (i32, bool, Option<i32>),
) {
    let load: fn(&mut Code, i32) = if of_stage { stage3d } else { object };
    if let (true, Some(_)) = (of_stage, result) {
        load(code, receiver);
        listen(code, 2, ["context3DCreate", "error"]);
    } else if let Some(result) = result {
        code.local(0).get(OBJECTS).int(result);
    }
    load(code, receiver);
    // Tried before.
    let count = push_arguments(code, call, data).unwrap_or(0);
    let matching = matches!(call, Call::RequestContext3D { profiles: Optional(Some(_)), .. });
    let _ = match (kind(call), result) {
        (Kind::Setter, _) => code.set(call.name()),
        (Kind::Method, Some(_)) if of_stage => {
            let name = if matching { "requestContext3DMatchingProfiles" } else { call.name() };
            code.void(name, count);
            increase(code, AWAITED);
            code
        }
        (Kind::Method, Some(_)) => code.call(call.name(), count).set(Name::Late),
        (Kind::Method, None) => code.void(call.name(), count),
    };
}

enum Kind {
    Method,
    Setter,
}

macro_rules! kind {
    (method) => {
        Kind::Method
    };
    (setter) => {
        Kind::Setter
    };
}

macro_rules! define {
    ($(
        $(#[$doc:meta])*
        $variant:ident: $kind:ident $($class:ident)|+ $(($receiver:ident: $base:ident))? $name:literal $(-> $result:ident)?,
            since $since:literal, needs $needs:ident $(dirties [$($dirty:ident)*])? {
                $($field:ident $parameter:literal: $($type:ident)+ $(= $default:expr)?),* $(,)?
            } [$($code:ident)*] $(as $like:ident)?
            => $witness:literal;
    )+) => {
        fn kind(call: &Call) -> Kind {
            match call {
                $(Call::$variant { .. } => kind!($kind),)+
            }
        }

        /// Pushes the arguments of a call; returns their number.
        fn push_arguments(code: &mut Code, call: &Call, data: &mut Data) -> Result<u32, LeftOut> {
            match call {
                Call::RequestContext3D { profiles: Optional(Some(profiles)), .. } => return profiles.push(code, data),
                Call::RequestContext3D { render_mode, profile, .. } => {
                    return Ok(render_mode.push(code, data)? + profile.push(code, data)?);
                }
                Call::TextureUploadBlocks { .. } | Call::VideoTextureFrame { .. } => {
                    return Err("not a method in ActionScript");
                }
                _ => {}
            }
            match call {
                $(Call::$variant { $($field),* } => {
                    #[allow(unused_mut, reason = "without parameters")]
                    let mut count = 0;
                    $(count += $field.push(code, data)?;)*
                    let _ = (&code, &data);
                    Ok(count)
                })+
            }
        }
    };
}

molehill_capture::record_table!(define);
