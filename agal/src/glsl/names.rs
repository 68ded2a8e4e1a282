//! What registers are called in GLSL.

use super::Emitter;
use super::dialect::Outputs;
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
        // A validated program uses only files that have a name in its stage.
        let name = file.name(self.stage).unwrap_or_default();
        match (file, self.stage) {
            (
                RegisterFile::Attribute
                | RegisterFile::Temporary
                | RegisterFile::Varying
                | RegisterFile::Sampler,
                _,
            ) => self.numbered(name, number),
            (RegisterFile::Constant, _) => self.element(name, number),
            (RegisterFile::Output, Stage::Vertex) => self.out.push_str(POSITION),
            (RegisterFile::Output, Stage::Fragment) => self.color(name, number),
            (RegisterFile::DepthOutput, _) => {
                self.out.push_str(self.dialect.features.depth_output.word);
            }
            (RegisterFile::InstanceId, _) => self.out.push_str(name),
        }
    }

    /// One output is Flash's `oc`, several are `fo0`, `fo1`, …
    fn color(&mut self, name: &str, number: u16) {
        let single = self.pair.interface().color_outputs == 1;
        match (self.dialect.outputs, single) {
            (Outputs::BuiltIn, true) => self.out.push_str("gl_FragColor"),
            (Outputs::BuiltIn, false) => self.element("gl_FragData", number),
            (Outputs::Located | Outputs::Bound, true) => self.out.push_str(name),
            (Outputs::Located | Outputs::Bound, false) => self.numbered("fo", number),
        }
    }

    pub(super) fn numbered(&mut self, name: &str, number: u16) {
        self.out.push_str(name);
        self.number(number.into());
    }

    fn element(&mut self, array: &str, number: u16) {
        self.out.push_str(array);
        self.out.push('[');
        self.number(number.into());
        self.out.push(']');
    }
}
