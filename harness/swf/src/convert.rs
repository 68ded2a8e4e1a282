//! Converts captures to SWF files.

use std::collections::HashMap;

use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{Call, CallLine, CaptureHeader, CaptureRecord};
use swf::avm2::types::Op;

use crate::SwfError;
use crate::arguments::{Data, object};
use crate::call::{BITMAP, Receiver, make, push_arguments, since, stage3d};
use crate::code::MethodCode;
use crate::file::{DocumentMethods, MovieHeader};
use crate::pool::{MultiName, PoolBuilder};
use crate::results::{self, OutputLine};
use crate::runtime::{self, AWAITED, CAPTION_HEIGHT, OBJECTS, increase};

/// Maximum number of calls in one method: AVM2 verifies a whole method before it runs.
const CALLS_PER_METHOD: usize = 200;
/// Maximum width and height of an image that is read back: the limit of `BitmapData` in all versions.
const MAX_PICTURE: u32 = 2880;
/// Default frame rate, for captures without one. SWF can store at most 255.99 frames per second.
const FRAME_RATE: f64 = 30.0;
/// Width of a stage with captions.
const CAPTION_WIDTH: u32 = 320;

/// A converted SWF file with its description.
#[derive(Clone, Debug, PartialEq)]
pub struct SwfFile {
    /// The bytes of the SWF file.
    pub swf: Vec<u8>,
    /// Number of calls that the file makes.
    pub calls: u64,
    /// Number of frames in the player, if every context and event arrives in time.
    pub frames: usize,
    /// The expected output of the player, as in the recording player, without events, properties and images.
    pub expected: Vec<OutputLine>,
    /// Calls that ActionScript can't make, each with its line in the capture and the reason.
    pub left_out: Vec<(u64, String)>,
}

impl SwfFile {
    /// Returns [`SwfFile::expected`] as lines of text.
    pub fn expected_text(&self) -> String {
        self.expected.iter().map(|line| format!("{line}\n")).collect()
    }
}

/// Returns whether a text has the form of [`SwfFile::expected_text`].
pub fn is_expected_text(text: &str) -> bool {
    let lines = results::parse(text);
    let expected = |line: &OutputLine| match line {
        OutputLine::Case(_) | OutputLine::Frame(_) | OutputLine::End => true,
        OutputLine::Error { class, .. } => class.is_empty(),
        OutputLine::Picture { .. }
        | OutputLine::Event(_)
        | OutputLine::Property(..)
        | OutputLine::Timeout
        | OutputLine::Aborted => false,
    };
    let again: String = lines.iter().map(|line| format!("{line}\n")).collect();
    again == text && lines.last() == Some(&OutputLine::End) && lines.iter().all(expected)
}

/// The output that a file prints in the player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrintedOutput {
    /// Only output that is equal in all correct players: cases, ends of frames, and errors without their classes.
    Expected,
    /// Everything that `Expected` prints, and the classes of errors, events and properties.
    #[default]
    All,
    /// The output of `All`, and the image of each `present` and `drawToBitmapData`.
    Pictures,
}

/// Converts records with their line numbers to an SWF file that makes the same calls.
///
/// # Errors
/// Returns an error if the file would exceed a limit of the SWF format.
pub fn convert(
    header: &CaptureHeader,
    records: impl IntoIterator<Item = (u64, CaptureRecord)>,
    prints: PrintedOutput,
) -> Result<SwfFile, SwfError> {
    let mut writer = SwfWriter::new(prints);
    for (line, record) in records {
        writer.record(line, &record)?;
    }
    writer.finish(header)
}

/// Writes an SWF file call by call. The output of the SWF file identifies each call by its line number in the capture.
#[derive(Default)]
pub struct SwfWriter {
    file: DocumentMethods,
    data: Data,
    prints: PrintedOutput,
    captions: bool,
    /// The code of the current method, and its number of calls.
    open: Option<MethodCode>,
    in_method: usize,
    /// Number of methods so far. A step, the calls of one frame, has several methods of at most [`CALLS_PER_METHOD`]
    /// calls.
    methods: usize,
    steps: usize,
    /// The index of the first method that belongs to the current step.
    first: usize,
    stages: Vec<ObjectId>,
    /// The object indices of contexts.
    contexts: Vec<i32>,
    /// Contexts that the next step receives, with the indices of their Stage3Ds.
    requested: Vec<(i32, i32)>,
    /// Sizes of the contexts' back buffers.
    sizes: HashMap<ObjectId, (u32, u32)>,
    /// The lowest SWF version that supports all calls.
    since: u32,
    calls: u64,
    expected: Vec<OutputLine>,
    left_out: Vec<(u64, String)>,
}

impl SwfWriter {
    /// Creates an empty file.
    pub fn new(prints: PrintedOutput) -> Self {
        SwfWriter { prints, ..SwfWriter::default() }
    }

    /// Begins a case, and disposes the contexts of the previous case. `name` has no spaces.
    ///
    /// # Errors
    /// Returns an error if the file would exceed a limit of the SWF format.
    pub fn case(&mut self, name: &str) -> Result<(), SwfError> {
        self.end_step()?;
        let contexts = std::mem::take(&mut self.contexts);
        let code = self.code();
        for number in contexts {
            code.try_catch(
                1,
                |code| {
                    object(code, number);
                    code.bool(false).void("dispose", 1);
                },
                |_| {},
            );
        }
        code.local(0).op(Op::NewArray { num_args: 0 }).set(OBJECTS);
        self.data.forget_objects();
        self.stages.clear();
        self.sizes.clear();
        self.say(OutputLine::Case(name.to_owned()));
        self.end_step()
    }

    /// Shows a line of text below the image, starting at the next call.
    pub fn caption(&mut self, text: &str) {
        self.captions = true;
        self.code().local(0).text(text).void("caption", 1);
    }

    /// Returns the first call that ActionScript can't make, with the reason.
    pub fn left_out(records: &[(u64, CaptureRecord)]) -> Option<String> {
        let (mut code, mut data) = (MethodCode::new(PoolBuilder::default()), Data::default());
        let calls = records.iter().filter_map(|(_, record)| record.call());
        let why = |line: &CallLine| {
            push_arguments(&mut code, &line.call, &mut data)
                .err()
                .map(|why| (line.call.name(), why))
        };
        calls.map(why).find_map(|why| why).map(|(name, why)| format!("{name}: {why}"))
    }

    /// Adds the call or event of a record to the file.
    ///
    /// # Errors
    /// Returns an error if the file would exceed a limit of the SWF format.
    pub fn record(&mut self, line: u64, record: &CaptureRecord) -> Result<(), SwfError> {
        match record {
            CaptureRecord::Call(call) => self.call(line, call),
            CaptureRecord::Frame(number) => {
                self.say(OutputLine::Frame(*number));
                self.end_step()
            }
            CaptureRecord::Event(_) => {
                increase(self.code(), AWAITED);
                self.end_step()
            }
            // Notes are annotations without effect.
            CaptureRecord::Note(_) => Ok(()),
        }
    }

    /// Returns the complete file, with the version, the stage and the frame rate of the header.
    ///
    /// # Errors
    /// Returns an error if the file would exceed a limit of the SWF format.
    pub fn finish(mut self, header: &CaptureHeader) -> Result<SwfFile, SwfError> {
        self.end_step()?;
        let SwfWriter {
            mut file,
            data,
            steps,
            calls,
            mut expected,
            left_out,
            since,
            captions,
            prints,
            ..
        } = self;
        runtime::add(&mut file, steps, prints == PrintedOutput::Expected)?;
        expected.push(OutputLine::End);
        let (width, height) = (header.stage_width, header.stage_height);
        let stage = MovieHeader {
            swf_version: u8::try_from(header.swf_version.max(since)).unwrap_or(u8::MAX),
            size: if captions {
                (width.max(CAPTION_WIDTH), height.saturating_add(CAPTION_HEIGHT))
            } else {
                (width, height)
            },
            color: header.stage_color,
            frame_rate: header
                .frame_rate
                .filter(|rate| (0.01..256.0).contains(rate))
                .unwrap_or(FRAME_RATE),
        };
        // A player may reject an empty binary data tag.
        let bytes = if data.bytes.is_empty() { &[0][..] } else { &data.bytes };
        let swf = file.finish(&stage, bytes, runtime::constructor)?;
        // After the last step, the SWF file needs one more frame to print `end`.
        Ok(SwfFile { swf, calls, frames: steps + 1, expected, left_out })
    }

    fn code(&mut self) -> &mut MethodCode {
        let (file, requested) = (&mut self.file, &mut self.requested);
        let properties: &[&str] =
            if self.prints == PrintedOutput::Expected { &[] } else { &["driverInfo", "profile"] };
        self.open.get_or_insert_with(|| {
            let mut code = file.begin();
            for (number, stage) in requested.drain(..) {
                code.local(0).get(OBJECTS).int(number);
                stage3d(&mut code, stage);
                code.get("context3D").set(MultiName::Late);
                for property in properties {
                    code.try_catch(
                        1,
                        |code| {
                            code.local(0).text(&format!("property {property} "));
                            object(code, number);
                            code.get(*property).add().void("say", 1);
                        },
                        |_| {},
                    );
                }
            }
            code
        })
    }

    /// Generates code that prints a line, and adds it to the expected output.
    fn say(&mut self, line: OutputLine) {
        let text = line.to_string();
        self.code().local(0).text(text.trim_start_matches("molehill ")).void("say", 1);
        self.expected.push(line);
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

    /// Returns the index of a Stage3D, in the order of their first calls.
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
        let CallLine { on, call, result, throws, .. } = record;
        let receiver = match call.info().receivers {
            [ObjectKind::Stage3D] => Receiver::Stage(self.stage(*on)),
            _ => Receiver::Object(self.data.object(*on)),
        };
        let result = result.map(|id| self.data.object(id));
        if let Call::ConfigureBackBuffer { width, height, .. } = call {
            let side = |side: &i32| u32::try_from(*side).unwrap_or(1).clamp(1, MAX_PICTURE);
            self.sizes.insert(*on, (side(width), side(height)));
        }
        let pictures = self.prints == PrintedOutput::Pictures;
        let size = self.sizes.get(on).copied().filter(|_| pictures);
        let number = i32::try_from(line).unwrap_or(i32::MAX);
        self.code();
        let (Some(code), data) = (&mut self.open, &mut self.data) else {
            return Ok(());
        };
        // The arguments are tried first, because a call that ActionScript can't make must leave no code.
        let before = code.len();
        let possible = push_arguments(code, call, data);
        code.truncate(before);
        if let Err(why) = possible {
            self.left_out.push((line, format!("{}: {why}", call.name())));
            return Ok(());
        }
        self.calls += 1;
        self.since = self.since.max(since(call));
        if let (Call::Present { .. }, Receiver::Object(context), Some((width, height))) =
            (call, receiver, size)
        {
            code.local(0).int(number);
            object(code, context);
            code.uint(width).uint(height).void("present", 4);
        }
        code.try_catch(
            1,
            |code| {
                make(code, data, call, (receiver, result));
                if let (Call::DrawToBitmapData { .. }, true) = (call, pictures) {
                    code.local(0).int(number).local(BITMAP).void("picture", 2);
                }
            },
            |code| {
                code.local(0).int(number).local(1).void("caught", 2);
            },
        );
        if let Some(number) = *throws {
            self.expected.push(OutputLine::Error { line, number, class: String::new() });
        }
        if let (Receiver::Stage(stage), Some(context)) = (receiver, result) {
            self.requested.push((context, stage));
            self.contexts.push(context);
            self.end_step()?;
        }
        Ok(())
    }
}
