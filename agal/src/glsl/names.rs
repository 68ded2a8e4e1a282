//! What registers are called in GLSL.

use std::fmt::Write as _;

use super::{Emitter, put};
use crate::register::RegisterFile;
use crate::version::Stage;

/// The local that gathers the position before it is handed to GL.
pub(super) const POSITION: &str = "op";
/// The local that notes that the fragment is to be discarded.
pub(super) const KILLED: &str = "killed";
/// The local that holds a texture read of a conditional; the token's number follows.
pub(super) const HOISTED: &str = "tex";

impl Emitter<'_> {
    /// The name of a register that the stage may use.
    pub(super) fn register(&mut self, file: RegisterFile, number: u16) {
        let (stage, out) = (self.stage, &mut self.out);
        let letter = match stage {
            Stage::Vertex => 'v',
            Stage::Fragment => 'f',
        };
        match (file, stage) {
            (RegisterFile::Attribute, _) => put!(out, "va{number}"),
            (RegisterFile::Constant, _) => put!(out, "{letter}c[{number}]"),
            (RegisterFile::Temporary, _) => put!(out, "{letter}t{number}"),
            (RegisterFile::Output, Stage::Vertex) => out.push_str(POSITION),
            (RegisterFile::Output, Stage::Fragment) => {
                // One output is Flash's `oc`, several are `fo0`, `fo1`, …
                if self.pair.interface().color_outputs == 1 {
                    out.push_str("oc");
                } else {
                    put!(out, "fo{number}");
                }
            }
            (RegisterFile::Varying, _) => put!(out, "v{number}"),
            (RegisterFile::Sampler, _) => put!(out, "{letter}s{number}"),
            (RegisterFile::DepthOutput, _) => out.push_str("gl_FragDepth"),
            (RegisterFile::InstanceId, _) => out.push_str("iid"),
        }
    }
}
