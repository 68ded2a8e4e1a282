//! Measures Molehill's own cost: scenes and captures, on OpenGL, on OpenGL functions that do nothing, on a backend that
//! only counts packets, and on the reference renderer.
//!
//! Each time is compared with its floor: the OpenGL calls that reach the driver, recorded at the loader and issued
//! again from a flat list in the same process. Runs of the compared variants alternate, and the median is reported.
//! Times are processor time of the calling thread, which other work on the machine disturbs little; for the reference
//! renderer they are wall time, because worker threads do the work.
//!
//! [`scene()`] and [`capture()`] measure one row; [`Report`] shows several as a table or as JSON;
//! [`counts`] are values that a test can compare, because they don't depend on the machine.

mod capture;
mod content;
pub mod counts;
mod lanes;
mod report;
mod row;
mod scene;
mod unfiltered;

use std::fmt;

use backend_gl::offscreen::{Api, Offscreen};
use context3d::Error;
use context3d::backend::BackendError;

pub use capture::{Recorded, capture};
pub use report::Report;
pub use row::{Row, Samples};
pub use scene::{Kind, Scene, scene};

/// The backend that is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// OpenGL.
    #[default]
    Gl,
    /// OpenGL ES.
    Gles,
    /// OpenGL functions that do nothing.
    Noop,
    /// A backend that only counts packets.
    Null,
    /// The reference renderer.
    Reference,
}

impl Target {
    /// All targets, with their names.
    pub const NAMES: [(Target, &'static str); 5] = [
        (Target::Gl, "gl"),
        (Target::Gles, "gles"),
        (Target::Noop, "noop"),
        (Target::Null, "null"),
        (Target::Reference, "reference"),
    ];

    /// The target with this name.
    pub fn from_name(name: &str) -> Option<Target> {
        let row = Target::NAMES.iter().find(|(_, text)| *text == name);
        row.map(|(target, _)| *target)
    }

    /// The target's name.
    pub fn name(self) -> &'static str {
        let row = Target::NAMES.iter().find(|(target, _)| *target == self);
        row.map_or("", |(_, name)| name)
    }
}

/// A description of the target for people; the driver's own for OpenGL.
///
/// # Errors
/// OpenGL can't be opened.
pub fn driver(target: Target) -> Result<String, Failed> {
    let open = |api| Ok(Offscreen::open(api)?.description().to_owned());
    match target {
        Target::Gl => open(Api::OpenGl),
        Target::Gles => open(Api::Gles),
        Target::Noop => Ok("OpenGL functions that do nothing".to_owned()),
        Target::Null => Ok("a backend that only counts packets".to_owned()),
        Target::Reference => Ok("reference renderer".to_owned()),
    }
}

/// Why a measurement failed.
#[derive(Debug)]
pub struct Failed(pub String);

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failed {}

macro_rules! failures {
    ($($error:ty),+) => {$(
        impl From<$error> for Failed {
            fn from(error: $error) -> Self {
                Failed(error.to_string())
            }
        }
    )+};
}

failures!(Error, BackendError, backend_gl::offscreen::OffscreenError, backend_gl_trace::Changed);
