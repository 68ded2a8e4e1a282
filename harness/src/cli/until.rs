//! `molehill replay --until`

use clap::ArgMatches;
use molehill_inspect::Limits;
use molehill_inspect::renderers::picture_on;
use serde_json::json;

use super::inspect::{folder, picture, print, read};
use super::{Failure, Status, renderer};

/// Replays up to a call and writes the picture of the current render target.
pub(super) fn run(matches: &ArgMatches, call: usize) -> Result<Status, Failure> {
    let capture = read(matches, Limits::default())?;
    let factory = renderer::chosen(matches).factory();
    let image = picture_on(&capture, factory, call)?;
    let image = image.ok_or_else(|| Failure(format!("no picture after call {call}")))?;
    let name = format!("call-{call:06}.png");
    if let Some(out) = folder(matches)? {
        picture(&out, &name, &image)?;
    }
    let size = (image.width(), image.height());
    let answer = json!({ "call": call, "picture": name, "size": size });
    print(matches, &answer, |_| format!("{name}: {}×{} pixels\n", size.0, size.1))
}
