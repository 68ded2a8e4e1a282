//! Replays a capture of a Stage3D program on the reference renderer, and reports its calls, state, draws and pixels. It
//! needs no driver, files or window.
//!
//! [`Capture`] contains the calls. [`Inspector`] opens a capture once and answers many queries:
//!
//! | query | result |
//! |---|---|
//! | the calls with their results | [`Inspector::dump`] |
//! | the sizes of objects, and the calls that use the objects | [`Inspector::objects`] |
//! | the render target after a call | [`Inspector::picture`] |
//! | the state at a call, and its changes since the previous draw and the previous frame | [`Inspector::state`] |
//! | anomalous frames and draws, with their causes | [`Inspector::frame_scan`], [`Inspector::same_draw`] |
//! | the content of an object at a call | [`Inspector::content`], [`Inspector::thumbnails`] |
//! | the call that set a value or uploaded content | [`Inspector::origins`] |
//! | suspicious input of a frame, found without an expected image | [`Inspector::draws`], [`Inspector::add_evidence`] |
//! | the difference between a draw and the other draws of its program | [`Inspector::like`] |
//! | the bound textures, and the mesh of a draw | [`Inspector::textures`], [`Inspector::mesh`] |
//! | the effect of each draw, and the calls without effect | [`Inspector::draws`], [`Inspector::draw_pictures`] |
//! | the history of a pixel, and the position of a vertex | [`Inspector::pixel`], [`Inspector::texture_pixel`], [`Inspector::step`], [`Inspector::vertex`] |
//! | the histogram of an image | [`Inspector::histogram`] |
//! | the cost of draws and shader instructions | [`Inspector::cost`], [`cost::measure`] |
//!
//! [`Inspector::shortcut`] lists the draws that another renderer may skip when it seeks to a call.
//!
//! An inspector keeps checkpoints of the replay, so that later queries about nearby calls don't replay from the start.
//! Checkpoints share unchanged buffers. An inspector may be sent to another thread.
//!
//! [`edit::apply`] creates an edited capture. [`trim()`] extracts frames as a separate capture. [`minimize()`] deletes
//! calls that aren't needed to reproduce a bug. [`diff()`] finds the first difference between two replays.
//!
//! Calls are numbered from 1 in the capture, and passes from 1 in their frame. Frames have the numbers of the capture.
//! A pass is a sequence of clears and draws into one set of render targets. It ends when the targets change, are
//! cleared again, or are presented. Reports implement `serde::Serialize`; images and meshes don't.
//!
//! ```
//! use molehill_capture::CaptureReader;
//! use molehill_analysis::{Capture, Inspector, CaptureLimits};
//!
//! # let file: &[u8] = br##"{"stage3dCapture":1,"title":"","swfVersion":30,"stageWidth":4,"stageHeight":4,"stageColor":"#102030"}
//! # {"call":"requestContext3D","on":1,"result":2,"profile":"baseline","stage3DIndex":0,"context3DRenderMode":"auto"}
//! # {"frame":0}
//! # "##;
//! let capture = Capture::read(&mut CaptureReader::new(file)?, CaptureLimits::default())?;
//! let mut inspector = Inspector::new(capture);
//! let lines = inspector.dump(1..=1)?;
//! assert!(lines[0].to_string().contains("requestContext3D"));
//! let history = inspector.pixel(0, (1, 2))?;
//! assert_eq!(history.shown, [0x10, 0x20, 0x30, 255]); // the stage, because no image is presented
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![allow(missing_docs, reason = "comments stand where a name does not say it")]

pub mod calls;
pub mod capture;
pub mod cost;
pub mod diff;
mod draw_report;
pub mod draws;
pub mod dump;
pub mod edit;
mod effects;
mod error;
pub mod evidence;
pub mod expected;
mod faults;
mod habits;
pub mod histogram;
mod inspector;
mod like;
pub mod minimize;
pub mod names;
mod notes;
mod number;
pub mod origins;
mod outlying_frames;
mod pages;
pub mod passes;
pub mod pixel;
mod place;
mod plan;
pub mod renderers;
mod resource_key;
mod same_draw;
pub mod scan;
pub mod selection;
mod sentence;
mod shrink;
pub mod state;
mod state_items;
pub mod step;
mod text;
pub mod textures;
pub mod trim;
pub mod warnings;
mod writes;
pub mod wrong;

pub use capture::{Capture, CaptureLimits};
pub use diff::diff;
pub use error::{InspectError, Result};
pub use expected::FrameExpectation;
pub use inspector::{Inspector, KEPT_BYTES, ReferencePlayer, SearchState};
pub use like::{LikeReport, LikeRow};
pub use minimize::minimize;
pub use notes::CallSite;
pub use number::{ComponentNumber, count, range};
pub use place::{CapturePlace, SCAN_TIME, ShortScan};
pub use plan::Shortcut;
pub use same_draw::EarlierDraw;
pub use selection::FrameSelection;
pub use trim::trim;
