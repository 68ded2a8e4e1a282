//! Captures as SWF files.

use std::collections::HashMap;

use molehill_capture::objects::{ObjectId, ObjectKind};
use molehill_capture::{Call, CallLine, Header, Record};
use swf::avm2::types::Op;

use crate::SwfError;
use crate::arguments::{Data, object};
use crate::call::{BITMAP, Receiver, make, push_arguments, since, stage3d};
use crate::code::Code;
use crate::file::{File, Stage};
use crate::pool::{Name, Pool};
use crate::results::{self, Line};
use crate::runtime::{self, AWAITED, CAPTION_HEIGHT, OBJECTS, increase};

/// Calls of one method: AVM2 reads a whole method before it runs it.
const CALLS_PER_METHOD: usize = 200;
/// Largest side of a picture that is read back: that of a `BitmapData` of all versions.
const MAX_PICTURE: u32 = 2880;
/// Most frames a second that SWF can say are 255.99; this is the usual number.
const FRAME_RATE: f64 = 30.0;
/// Width of a stage with captions.
const CAPTION_WIDTH: u32 = 320;

/// A written file.
#[derive(Clone, Debug, PartialEq)]
pub struct Converted {
    /// The file.
    pub swf: Vec<u8>,
    /// Number of calls.
    pub calls: u64,
    /// Number of frames that the player needs, if no context or event is late.
    pub frames: usize,
    /// The output of the file in the recording player, without events, properties and pictures.
    pub expected: Vec<Line>,
    /// Calls that ActionScript can't make, with their lines and the reason.
    pub left_out: Vec<(u64, String)>,
}

impl Converted {
    /// The text of [`Converted::expected`].
    pub fn expected_text(&self) -> String {
        self.expected.iter().map(|line| format!("{line}\n")).collect()
    }
}

/// Returns whether a text can be [`Converted::expected_text`] of some file.
pub fn is_expected_text(text: &str) -> bool {
    let lines = results::parse(text);
    let expected = |line: &Line| match line {
        Line::Case(_) | Line::Frame(_) | Line::End => true,
        Line::Error { class, .. } => class.is_empty(),
        Line::Picture { .. }
        | Line::Event(_)
        | Line::Property(..)
        | Line::Timeout
        | Line::Aborted => false,
    };
    let again: String = lines.iter().map(|line| format!("{line}\n")).collect();
    again == text && lines.last() == Some(&Line::End) && lines.iter().all(expected)
}

/// The output of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prints {
    /// Only what every player should print: cases, ends of frames, and errors without their classes.
    Expected,
    /// Also classes of errors, events and properties.
    #[default]
    All,
    /// Also the picture of each `present` and `drawToBitmapData`.
    Pictures,
}

/// Writes the records of a capture, with their lines, as an SWF file that makes the same calls.
///
/// # Errors
/// If the file would exceed a limit of its format.
pub fn convert(
    header: &Header,
    records: impl IntoIterator<Item = (u64, Record)>,
    prints: Prints,
) -> Result<Converted, SwfError> {
    let mut writer = Writer::new(prints);
    for (line, record) in records {
        writer.record(line, &record)?;
    }
    writer.finish(header)
}

/// Writes a file call by call. Each call is named by its line in what the file prints.
#[derive(Default)]
pub struct Writer {
    file: File,
    data: Data,
    prints: Prints,
    captions: bool,
    /// The method that is being written, and its number of calls.
    open: Option<Code>,
    in_method: usize,
    /// Number of methods, and of finished steps: what the program did in one frame, as methods of at most
    /// [`CALLS_PER_METHOD`] calls.
    methods: usize,
    steps: usize,
    /// The methods of the current step.
    first: usize,
    stages: Vec<ObjectId>,
    /// The numbers of contexts.
    contexts: Vec<i32>,
    /// Contexts that the next step takes over, with the indices of their Stage3Ds.
    requested: Vec<(i32, i32)>,
    /// Sizes of back buffers.
    sizes: HashMap<ObjectId, (u32, u32)>,
    /// The lowest SWF version that has all calls.
    since: u32,
    calls: u64,
    expected: Vec<Line>,
    left_out: Vec<(u64, String)>,
}

impl Writer {
    /// An empty file.
    pub fn new(prints: Prints) -> Self {
        Writer { prints, ..Writer::default() }
    }

    /// Begins a case: disposes the contexts of the one before. `name` has no spaces.
    ///
    /// # Errors
    /// If the file would exceed a limit of its format.
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
        self.say(Line::Case(name.to_owned()));
        self.end_step()
    }

    /// Shows a line of text below the pictures from here on.
    pub fn caption(&mut self, text: &str) {
        self.captions = true;
        self.code().local(0).text(text).void("caption", 1);
    }

    /// The first call that ActionScript can't make, and why.
    pub fn left_out(records: &[(u64, Record)]) -> Option<String> {
        let (mut code, mut data) = (Code::new(Pool::default()), Data::default());
        let calls = records.iter().filter_map(|(_, record)| record.call());
        let why = |line: &CallLine| {
            push_arguments(&mut code, &line.call, &mut data)
                .err()
                .map(|why| (line.call.name(), why))
        };
        calls.map(why).find_map(|why| why).map(|(name, why)| format!("{name}: {why}"))
    }

    /// Writes a record.
    ///
    /// # Errors
    /// If the file would exceed a limit of its format.
    pub fn record(&mut self, line: u64, record: &Record) -> Result<(), SwfError> {
        match record {
            Record::Call(call) => self.call(line, call),
            Record::Frame(number) => {
                self.say(Line::Frame(*number));
                self.end_step()
            }
            Record::Event(_) => {
                increase(self.code(), AWAITED);
                self.end_step()
            }
            // For people who look at captures.
            Record::Note(_) => Ok(()),
        }
    }

    /// The whole file. Of the header, it has the version, the stage and the frame rate.
    ///
    /// # Errors
    /// If the file would exceed a limit of its format.
    pub fn finish(mut self, header: &Header) -> Result<Converted, SwfError> {
        self.end_step()?;
        let Writer {
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
        runtime::add(&mut file, steps, prints == Prints::Expected)?;
        expected.push(Line::End);
        let (width, height) = (header.stage_width, header.stage_height);
        let stage = Stage {
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
        // A player may refuse an empty character.
        let bytes = if data.bytes.is_empty() { &[0][..] } else { &data.bytes };
        let swf = file.finish(&stage, bytes, runtime::constructor)?;
        // One for the end.
        Ok(Converted { swf, calls, frames: steps + 1, expected, left_out })
    }

    fn code(&mut self) -> &mut Code {
        let (file, requested) = (&mut self.file, &mut self.requested);
        let properties: &[&str] =
            if self.prints == Prints::Expected { &[] } else { &["driverInfo", "profile"] };
        self.open.get_or_insert_with(|| {
            let mut code = file.begin();
            for (number, stage) in requested.drain(..) {
                code.local(0).get(OBJECTS).int(number);
                stage3d(&mut code, stage);
                code.get("context3D").set(Name::Late);
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

    /// Prints a line, which is expected.
    fn say(&mut self, line: Line) {
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
        let pictures = self.prints == Prints::Pictures;
        let size = self.sizes.get(on).copied().filter(|_| pictures);
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
            self.expected.push(Line::Error { line, number, class: String::new() });
        }
        if let (Receiver::Stage(stage), Some(context)) = (receiver, result) {
            self.requested.push((context, stage));
            self.contexts.push(context);
            self.end_step()?;
        }
        Ok(())
    }
}
