//! The shader of one stage, and the properties that a writer needs for its declarations.

use super::WgslOptions;
use crate::asm;
use crate::interface::Interface;
use crate::isa::register::RegisterFile;
use crate::isa::sampler::SamplerOp;
use crate::link::LinkedPair;
use crate::liveness::{Liveness, bits};
use crate::token::AgalInstruction;
use crate::validate::ValidProgram;
use crate::version::Stage;

/// The shader of one stage.
#[derive(Clone)]
pub struct WgslShader<'a> {
    /// The linked pair that contains the program.
    pub pair: &'a LinkedPair,
    /// The program of this stage.
    pub program: &'a ValidProgram,
    /// The stage of the shader.
    pub stage: Stage,
    /// The host's options for the translation.
    pub target: &'a WgslOptions<'a>,
    /// The registers that the program uses.
    pub liveness: Liveness,
}

impl<'a> WgslShader<'a> {
    /// Creates the shader of a stage.
    pub fn new(pair: &'a LinkedPair, stage: Stage, target: &'a WgslOptions<'a>) -> Self {
        let (program, varyings) = match stage {
            Stage::Vertex => (pair.vertex(), pair.interface().varyings),
            Stage::Fragment => (pair.fragment(), 0),
        };
        WgslShader { pair, program, stage, target, liveness: Liveness::of(program, varyings) }
    }

    /// Returns the interface of the pair.
    pub fn interface(&self) -> &'a Interface {
        self.pair.interface()
    }

    /// Returns the array element for this shader's stage: vertex or fragment.
    pub fn of_stage<T>(&self, [vertex, fragment]: [T; 2]) -> T {
        match self.stage {
            Stage::Vertex => vertex,
            Stage::Fragment => fragment,
        }
    }

    /// Returns the number of elements in the array of constants.
    pub fn constants(&self) -> u16 {
        let interface = self.interface();
        self.of_stage([interface.vertex_constants, interface.fragment_constants])
    }

    /// Returns the samplers that the program uses.
    pub fn samplers(&self) -> impl Iterator<Item = &'a SamplerOp> + use<'a> {
        let interface = self.interface();
        self.of_stage([&interface.vertex_samplers[..], &interface.samplers]).iter().flatten()
    }

    /// Returns the inputs that have a location: attributes or varyings.
    pub fn inputs(&self) -> impl Iterator<Item = (RegisterFile, u16)> + use<> {
        let interface = self.interface();
        let (file, numbers) = self.of_stage([
            (RegisterFile::Attribute, interface.attributes),
            (RegisterFile::Varying, interface.varyings),
        ]);
        bits(numbers.into()).map(move |number| (file, number))
    }

    /// Returns the outputs that have a location: varyings or colours.
    pub fn outputs(&self) -> impl Iterator<Item = (RegisterFile, u16)> + use<> {
        let interface = self.interface();
        let (file, numbers) = self.of_stage([
            (RegisterFile::Varying, interface.varyings),
            (RegisterFile::Output, interface.color_outputs.into()),
        ]);
        bits(numbers.into()).map(move |number| (file, number))
    }

    /// Returns the registers that become variables. The variables start at zero, because a branch that isn't taken may
    /// contain the only write.
    pub fn variables(&self) -> impl Iterator<Item = (RegisterFile, u16)> + use<> {
        let interface = self.interface();
        let outputs = self.of_stage([1, interface.color_outputs.into()]);
        let varyings = self.of_stage([self.pair.varyings(Stage::Vertex), 0]);
        let depth = self.of_stage([false, interface.depth_output]);
        let sets = [
            (RegisterFile::Output, outputs),
            (RegisterFile::Varying, varyings),
            (RegisterFile::DepthOutput, depth.into()),
            (RegisterFile::Temporary, self.liveness.temporaries),
        ];
        sets.into_iter().flat_map(|(file, set)| bits(set).map(move |number| (file, number)))
    }

    /// Returns whether the shader reads the instance index.
    pub fn has_instance(&self) -> bool {
        self.stage == Stage::Vertex && self.interface().instance_id
    }

    /// Returns whether the shader writes depth.
    pub fn writes_depth(&self) -> bool {
        let has_depth = self.interface().depth_output && self.target.depth_output;
        self.stage == Stage::Fragment && has_depth
    }

    /// Returns the AGAL of an instruction as a comment; an empty text if the target's comments are off.
    pub(crate) fn comment(&self, token: Option<&AgalInstruction>) -> String {
        let token = token.filter(|_| self.target.comments);
        let text = token.and_then(|token| asm::instruction_text(token, self.stage));
        text.map_or_else(String::new, |text| format!(" // {text}"))
    }
}
