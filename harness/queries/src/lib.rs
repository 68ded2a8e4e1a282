//! Answers queries about a capture of a Stage3D program by name, for commands, servers and the inspector. Like
//! [`molehill_analysis`], this crate needs no driver, files or window.
//!
//! | query | result |
//! |---|---|
//! | any query of the list [`question::QUESTIONS`] | [`question::CaptureQuery::ask`] |
//! | a query or an edit in JSON | [`serve::CaptureServer`] |
//! | the draws that wrote wrong pixels | [`explain::wrong_pixels`] |
//! | corrections of the calls that cause wrong pixels | [`explain::explain`] |
//! | the history of a pixel, or the steps of its program | [`pixel_request::PixelRequest`] |
//! | the summary of a capture | [`info::inspect`] |
//! | an HTML page that shows a capture | [`share::PageFiles`] |
#![allow(missing_docs, reason = "comments stand where a name does not say it")]

pub mod explain;
pub mod info;
pub mod info_text;
pub mod pixel_request;
pub mod question;
pub mod serve;
pub mod share;
