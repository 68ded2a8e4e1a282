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
        // A validated program uses only files that have a name in its stage.
        let name = file.name(stage).unwrap_or_default();
        match (file, stage) {
            (
                RegisterFile::Attribute
                | RegisterFile::Temporary
                | RegisterFile::Varying
                | RegisterFile::Sampler,
                _,
            ) => put!(out, "{name}{number}"),
            (RegisterFile::Constant, _) => put!(out, "{name}[{number}]"),
            (RegisterFile::Output, Stage::Vertex) => out.push_str(POSITION),
            (RegisterFile::Output, Stage::Fragment) => {
                // One output is Flash's `oc`, several are `fo0`, `fo1`, …
                if self.pair.interface().color_outputs == 1 {
                    out.push_str(name);
                } else {
                    put!(out, "fo{number}");
                }
            }
            (RegisterFile::DepthOutput, _) => out.push_str("gl_FragDepth"),
            (RegisterFile::InstanceId, _) => out.push_str(name),
        }
    }
}
