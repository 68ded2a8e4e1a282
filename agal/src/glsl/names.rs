//! The names of registers in GLSL.

use agal_core::glsl::Outputs;

use super::Emitter;
use crate::isa::register::RegisterFile;
use crate::version::Stage;

pub(super) const POSITION: &str = "op";
pub(super) const KILLED: &str = "killed";
/// The function for the index of an indirect read.
pub(super) const INDEX: &str = "agal_index";
/// The function for `nrm`.
pub(super) const NORMALIZE: &str = "agal_nrm";

impl Emitter<'_> {
    /// Appends the name of a register that the stage may use.
    pub(super) fn name_of(&mut self, file: RegisterFile, number: u16) {
        // A valid program uses only files that have a name in its stage.
        let name = file.name(self.shader.stage).unwrap_or_default();
        match (file, self.shader.stage) {
            (RegisterFile::Output, Stage::Vertex) => self.out.push_str(POSITION),
            (RegisterFile::Output, Stage::Fragment) => self.color(number),
            (RegisterFile::DepthOutput, _) => {
                self.out.push_str(self.dialect.features().depth_output.word);
            }
            (RegisterFile::InstanceId, _) => self.out.push_str(name),
            (RegisterFile::Constant, _) => {
                let element = self.constants.binary_search(&number).unwrap_or_default();
                self.constant(name, element);
            }
            (
                RegisterFile::Attribute
                | RegisterFile::Temporary
                | RegisterFile::Varying
                | RegisterFile::Sampler,
                _,
            ) => self.out.numbered(name, number.into()),
        }
    }

    /// Writes an element of the array of constants. The declaration of the array has the same form.
    pub(super) fn constant(&mut self, array: &str, element: usize) {
        self.out.put(&[array, "["]);
        self.out.number(u32::try_from(element).unwrap_or_default());
        self.out.push(']');
    }

    /// Writes the name of a colour output: `oc` for a single output, as in Flash, and `fo0`, `fo1` and so on for
    /// several.
    fn color(&mut self, number: u16) {
        let single = self.shader.interface().color_outputs == 1;
        match (self.dialect.outputs(), single) {
            (Outputs::BuiltIn, true) => self.out.push_str("gl_FragColor"),
            (Outputs::BuiltIn, false) => {
                self.out.numbered("gl_FragData[", number.into());
                self.out.push(']');
            }
            (Outputs::Located | Outputs::Bound, true) => {
                let name = RegisterFile::Output.name(self.shader.stage);
                self.out.push_str(name.unwrap_or_default());
            }
            (Outputs::Located | Outputs::Bound, false) => self.out.numbered("fo", number.into()),
        }
    }
}
