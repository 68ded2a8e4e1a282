//! Builds the scenes of cases: short methods for the API's calls, each executed and recorded.

mod objects;
mod state;
mod textures;

use std::io;

use agal::Stage;
use context3d::Profile;
use context3d::enums::FlashName;

use super::device::Device;
use crate::mutations::front::Change as FrontChange;
use molehill_capture::data::{Enum, Optional};
use molehill_capture::objects::ObjectId;
use molehill_capture::{Call, Header};
use molehill_replay::record::{RecordError, Recorder};
use molehill_replay::report::Report;

pub use textures::{Compressed, bitmap};

/// The result of a step.
pub type Done = Result<(), RecordError>;

/// Side of a scene's back buffer in pixels, the smallest that Flash allows (profile-limits.tsv).
pub const SIDE: u32 = 32;

/// Position from `va0`; passes `va1` on as `v0`.
pub const PASS: &str = "mov op, va0\nmov v0, va1";
/// Writes `v0` as the colour.
pub const VARYING: &str = "mov oc, v0";
/// Floats of a vertex: position (3) and a value (4).
const VERTEX: usize = 7;

/// The profile and SWF version that a scene starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Profile of the context.
    pub profile: Profile,
    /// SWF version of the program.
    pub swf_version: u32,
}

/// A rectangle with a value at each corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quad {
    /// Left, top, right, bottom in pixels of the target.
    pub corners: [f32; 4],
    /// Depth, 0 to 1.
    pub z: f32,
    /// `va1` at the corners: top left, top right, bottom left, bottom right.
    pub values: [[f32; 4]; 4],
    /// Counter-clockwise as seen on the screen: a back face.
    pub back: bool,
}

impl Quad {
    /// A quad with the same value at all corners.
    pub fn flat(corners: [f32; 4], z: f32, value: [f32; 4]) -> Quad {
        Quad { corners, z, values: [value; 4], back: false }
    }

    /// A quad with texture coordinates from (`u0`, `v0`) at the top left to (`u1`, `v1`) at the bottom right.
    pub fn textured(corners: [f32; 4], [u0, v0, u1, v1]: [f32; 4]) -> Quad {
        let value = |u, v| [u, v, 0.0, 0.0];
        Quad {
            corners,
            z: 0.5,
            values: [value(u0, v0), value(u1, v0), value(u0, v1), value(u1, v1)],
            back: false,
        }
    }

    /// The same rectangle as a back face.
    #[must_use]
    pub fn behind(self) -> Quad {
        Quad { back: true, ..self }
    }
}

/// The whole target, if it has [`SIDE`] pixels a side.
#[expect(clippy::cast_precision_loss, reason = "a small constant")]
pub const FULL: [f32; 4] = [0.0, 0.0, SIDE as f32, SIDE as f32];

const STAGE3D: ObjectId = Recorder::<Vec<u8>, Device>::STAGE3D;
/// Larger than the ids of objects, which are counted from 1.
const OTHER_STAGE3D: ObjectId = ObjectId(1 << 32);

/// A context that is being recorded. Unless noted otherwise, a method fails with the error of its call.
pub struct SceneBuilder {
    recorder: Recorder<Vec<u8>, Device>,
    profile: Profile,
    context: ObjectId,
    size: (u32, u32),
    expecting: bool,
    front: Option<FrontChange>,
}

fn text<T: FlashName>(value: &str) -> Enum<T> {
    Enum::parse(Some(value))
}

fn int(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn invalid(error: impl ToString) -> RecordError {
    io::Error::new(io::ErrorKind::InvalidData, error.to_string()).into()
}

/// Assembles one program.
///
/// # Errors
/// The assembler's, as an [`io::Error`].
pub fn assemble(source: &str, stage: Stage, version: u32) -> Result<Vec<u8>, RecordError> {
    let program = agal::asm::assemble(source, stage, version);
    Ok(program.map_err(invalid)?.encode())
}

impl SceneBuilder {
    /// A context on a device, without a back buffer.
    ///
    /// # Errors
    /// The device can't be opened.
    pub fn without_back_buffer(
        title: &str,
        setup: Setup,
        device: Device,
    ) -> Result<Self, RecordError> {
        let header = Header {
            title: title.to_owned(),
            swf_version: setup.swf_version,
            stage_width: SIDE,
            stage_height: SIDE,
            stage_color: [0; 3],
            frame_rate: None,
            generator: Some("molehill conform".to_owned()),
        };
        let recorder = Recorder::new(Vec::new(), &header, device)?;
        let mut builder = SceneBuilder {
            recorder,
            profile: setup.profile,
            context: STAGE3D,
            size: (SIDE, SIDE),
            expecting: false,
            front: None,
        };
        builder.context = builder.request(STAGE3D, 0)?;
        Ok(builder)
    }

    fn request(&mut self, stage3d: ObjectId, stage3d_index: u32) -> Result<ObjectId, RecordError> {
        let request = Call::RequestContext3D {
            stage3d_index,
            render_mode: Optional(Some(text("auto"))),
            profile: Optional(Some(Some(self.profile.name().to_owned()))),
            profiles: Optional(None),
        };
        self.recorder.create(stage3d, request)
    }

    /// Replaces the context by a fresh one with the initial state and a cleared back buffer with depth and stencil.
    pub fn renew(&mut self) -> Done {
        self.call(Call::Dispose { recreate: Optional(Some(true)) })?;
        self.context = self.request(STAGE3D, 0)?;
        self.configure(SIDE, SIDE, 0, true)?;
        self.clear([0.0, 0.0, 0.0, 1.0])
    }

    /// Makes calls on the context of another Stage3D.
    pub fn elsewhere<T>(
        &mut self,
        calls: impl FnOnce(&mut Self) -> Result<T, RecordError>,
    ) -> Result<T, RecordError> {
        let other = self.request(OTHER_STAGE3D, 1)?;
        let own = std::mem::replace(&mut self.context, other);
        let made = calls(self);
        self.context = own;
        made
    }

    /// A context with a cleared back buffer with depth and stencil. The depth test is off, so that only scenes after
    /// [`SceneBuilder::renew`] depend on its default (context3d-witnesses.md: likely).
    ///
    /// # Errors
    /// As [`SceneBuilder::without_back_buffer`].
    pub fn open(title: &str, setup: Setup, device: Device) -> Result<Self, RecordError> {
        let mut builder = Self::without_back_buffer(title, setup, device)?;
        builder.configure(SIDE, SIDE, 0, true)?;
        builder.clear([0.0, 0.0, 0.0, 1.0])?;
        builder.depth(false, "always")?;
        Ok(builder)
    }

    /// Marks the next step as the one that is checked.
    pub fn expect(&mut self) {
        self.expecting = true;
    }

    /// Whether [`SceneBuilder::expect`] was called.
    pub fn is_expecting(&self) -> bool {
        self.expecting
    }

    /// The report so far.
    pub fn report(&self) -> &Report {
        self.recorder.report()
    }

    /// Ends the recording and returns it.
    ///
    /// # Errors
    /// None in practice: it is written to memory.
    pub fn finish(self) -> Result<Vec<u8>, RecordError> {
        Ok(self.recorder.finish()?)
    }

    /// A call that raises the error with this number, and is recorded with it.
    ///
    /// # Errors
    /// The call succeeds, or raises another error.
    pub fn fails(&mut self, number: u16, call: impl FnOnce(&mut Self) -> Done) -> Done {
        match call(self) {
            Err(RecordError::Flash(error)) if error.number() == number => Ok(()),
            Err(error) => Err(error),
            Ok(()) => Err(invalid(format!("error {number} was not raised"))),
        }
    }

    /// A call on the context.
    pub fn call(&mut self, call: Call) -> Done {
        self.execute(self.context, call).map(drop)
    }

    /// A call on an object.
    pub fn on(&mut self, object: ObjectId, call: Call) -> Done {
        self.execute(object, call).map(drop)
    }

    /// A call on the context that creates an object.
    pub fn create(&mut self, call: Call) -> Result<ObjectId, RecordError> {
        let name = call.name();
        let created = self.execute(self.context, call)?;
        created.ok_or_else(|| invalid(format!("{name} creates nothing")))
    }

    /// Makes calls from now on as a front end with an error does.
    pub(crate) fn mutate(&mut self, change: Option<FrontChange>) {
        self.front = change;
    }

    fn execute(&mut self, on: ObjectId, mut call: Call) -> Result<Option<ObjectId>, RecordError> {
        let Some(front) = self.front else {
            return self.recorder.call(on, call);
        };
        if front.refuses(&call) || front.change(&mut call, self.profile) {
            return Err(RecordError::Unsupported(format!("{} by the mutation", call.name())));
        }
        let creates = call.creates().is_some();
        match self.recorder.call(on, call.clone()) {
            // An object that doesn't exist: a case that checks the call uses it no more.
            Err(RecordError::Flash(error)) if front.leaves_out(&call, error.number()) => {
                Ok(creates.then_some(ObjectId(u64::MAX)))
            }
            result => result,
        }
    }

    /// Shows the back buffer and ends the SWF frame.
    pub fn present(&mut self) -> Done {
        self.call(Call::Present {})?;
        Ok(self.recorder.end_frame()?)
    }

    /// `configureBackBuffer`
    pub fn configure(&mut self, width: u32, height: u32, anti_alias: i32, depth: bool) -> Done {
        self.size = (width, height);
        self.configure_as(width.cast_signed(), height.cast_signed(), anti_alias, depth)
    }

    /// `configureBackBuffer` with any numbers.
    pub fn configure_as(&mut self, width: i32, height: i32, anti_alias: i32, depth: bool) -> Done {
        self.call(Call::ConfigureBackBuffer {
            width,
            height,
            anti_alias,
            enable_depth_and_stencil: depth,
            wants_best_resolution: false,
            wants_best_resolution_on_browser_zoom: false,
        })
    }

    /// Clears everything: depth to 1, stencil to 0.
    pub fn clear(&mut self, color: [f64; 4]) -> Done {
        self.clear_to(color, 1.0, 0, u32::MAX)
    }

    /// `clear`
    pub fn clear_to(&mut self, color: [f64; 4], depth: f64, stencil: u32, mask: u32) -> Done {
        let [red, green, blue, alpha] = color;
        self.call(Call::Clear { red, green, blue, alpha, depth, stencil, mask })
    }
}
