//! A shader: the program and the signatures from a DXBC container.

use thiserror::Error;

use crate::container::signature::{ShaderSignature, SignatureError, SignatureKind};
use crate::container::{Checksum, ContainerError, DxbcContainer, Tag, statistics};
use crate::names::ProgramKind;
use crate::tokens::program::{HullProgram, TokenError};

/// A shader program with its signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HullProgramShader {
    /// The program in tokens of shader model 5.
    pub program: HullProgram,
    /// The signature of input control points, or of the inputs of another shader stage.
    pub input: ShaderSignature,
    /// The signature of output control points, or of the outputs of another shader stage.
    pub output: ShaderSignature,
    /// The patch constant signature, or `None` if the container lacks it.
    pub patch_constant: Option<ShaderSignature>,
    /// The instruction count from the STAT chunk, if present.
    pub instruction_count: Option<u32>,
}

/// The types of errors when a shader is read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ShaderReadError {
    /// The container is malformed.
    #[error(transparent)]
    Container(#[from] ContainerError),
    /// A signature is malformed.
    #[error(transparent)]
    Signature(#[from] SignatureError),
    /// The program's tokens are malformed.
    #[error("SHEX: {0}")]
    Token(#[from] TokenError),
}

impl HullProgramShader {
    /// Reads a shader from the bytes of a DXBC container.
    pub fn read(bytes: Vec<u8>, sum: Checksum) -> Result<HullProgramShader, ShaderReadError> {
        HullProgramShader::from_container(&DxbcContainer::read(bytes, sum)?)
    }

    /// Reads a shader from a DXBC container.
    pub fn from_container(container: &DxbcContainer) -> Result<HullProgramShader, ShaderReadError> {
        let signature = |kind| ShaderSignature::find(container, kind);
        let missing = |tag| ShaderReadError::from(ContainerError::Missing(tag));
        let counts = container.chunk(Tag::STAT);
        Ok(HullProgramShader {
            program: HullProgram::decode(container.program()?.data)?,
            input: signature(SignatureKind::Input)?.ok_or(missing("ISGN"))?,
            output: signature(SignatureKind::Output)?.ok_or(missing("OSGN"))?,
            patch_constant: signature(SignatureKind::PatchConstant)?,
            instruction_count: counts.and_then(|chunk| statistics::instructions(chunk.data)),
        })
    }

    /// Returns the shader's signature of a type.
    pub fn signature(&self, kind: SignatureKind) -> Option<&ShaderSignature> {
        match kind {
            SignatureKind::Input => Some(&self.input),
            SignatureKind::Output => Some(&self.output),
            SignatureKind::PatchConstant => self.patch_constant.as_ref(),
        }
    }

    /// Creates a container with only the signatures and the program, in fxc's chunk order.
    pub fn to_container(&self) -> DxbcContainer {
        use SignatureKind::{Input, Output, PatchConstant};
        let order = match self.program.version.kind {
            ProgramKind::Domain => [Input, PatchConstant, Output],
            _ => [Input, Output, PatchConstant],
        };
        let signatures = order.into_iter().filter_map(|kind| self.signature(kind));
        let chunks = signatures.map(|signature| (signature.tag(), signature.encode()));
        let mut chunks: Vec<(Tag, Vec<u8>)> = chunks.collect();
        chunks.push((Tag::SHEX, self.program.encode()));
        DxbcContainer::from_chunks(chunks.iter().map(|(tag, data)| (*tag, data.as_slice())))
    }
}
