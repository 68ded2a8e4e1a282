//! Answers questions about a capture of a Stage3D program, from the reference renderer and the interpreter of AGAL: no
//! driver, no files, no window.
//!
//! [`Capture`] holds the calls; [`Inspector`] opens one once and answers many questions:
//!
//! | question | answer |
//! |---|---|
//! | which calls, with which results? | [`Inspector::dump`] |
//! | who uses what, and how large is it? | [`Inspector::objects`] |
//! | what does the target show after a call? | [`Inspector::picture`] |
//! | what is bound at a call, and what changed since the draw before? | [`Inspector::state`], [`Inspector::textures`], [`Inspector::mesh`] |
//! | what did each draw of a frame do, and what was in vain? | [`Inspector::draws`], [`Inspector::draw_pictures`] |
//! | why has a pixel its colour? | [`Inspector::pixel`], [`Inspector::texture_pixel`], [`Inspector::step`] |
//!
//! [`Inspector::shortcut`] tells what another renderer may leave out on the way to a call.
//!
//! It keeps copies of the renderer on the way to a question, so that the next one nearby doesn't start from the beginning;
//! the copies share all buffers that don't change. It may move to another thread. [`trim()`] cuts a capture that stands
//! alone, [`minimize()`] deletes all calls that a fault doesn't need, [`diff()`] finds where two replays part.
//!
//! Calls are numbered from 1, in the order of the capture; frames have the capture's numbers; passes are numbered from 1 in
//! their frame. A pass is what is cleared and drawn into one set of targets until the target changes, is cleared anew or is
//! presented. Answers are plain data that `serde` writes.
//!
//! ```
//! use molehill_capture::Reader;
//! use molehill_inspect::{Capture, Inspector, Limits};
//!
//! # let file: &[u8] = br##"{"stage3dCapture":1,"title":"","swfVersion":30,"stageWidth":4,"stageHeight":4,"stageColor":"#102030"}
//! # {"call":"requestContext3D","on":1,"result":2,"profile":"baseline","stage3DIndex":0,"context3DRenderMode":"auto"}
//! # {"frame":0}
//! # "##;
//! let capture = Capture::read(&mut Reader::new(file)?, Limits::default())?;
//! let mut inspector = Inspector::new(capture);
//! let lines = inspector.dump(1..=1)?;
//! assert!(lines[0].to_string().contains("requestContext3D"));
//! let history = inspector.pixel(0, (1, 2))?;
//! assert_eq!(history.shown, [0x10, 0x20, 0x30, 255]); // the stage: nothing is presented
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod buffers;
pub mod capture;
pub mod diff;
pub mod draws;
pub mod dump;
mod effects;
mod error;
mod inspector;
pub mod marks;
pub mod minimize;
mod number;
mod pages;
pub mod pixel;
mod plan;
pub mod renderers;
mod restore;
pub mod shortcut;
mod shrink;
pub mod state;
pub mod step;
pub mod textures;
pub mod trim;
pub mod warnings;

pub use capture::{Capture, Limits};
pub use diff::diff;
pub use error::InspectError;
pub use inspector::{Inspector, Player, Progress};
pub use minimize::minimize;
pub use number::Number;
pub use trim::trim;
