//! A shader: the program and signatures in a container.

use crate::container::{Checksum, Container, ContainerError, Tag};
use crate::names::ProgramKind;
use crate::program::Program;
use crate::signature::{Signature, SignatureError, SignatureKind};
use crate::stat;
use crate::token::TokenError;

/// A shader with its signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shader {
    /// The program.
    pub program: Program,
    /// The input signature: input control points, or the inputs of another stage.
    pub input: Signature,
    /// The output signature: output control points, or the outputs of another stage.
    pub output: Signature,
    /// The patch constant signature of hull and domain shaders.
    pub patch_constant: Option<Signature>,
    /// The instruction count in the STAT chunk, if there is one.
    pub instruction_count: Option<u32>,
}

/// Why bytes can't be read as a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// An invalid container.
    Container(ContainerError),
    /// An invalid signature.
    Signature(SignatureError),
    /// An invalid program.
    Token(TokenError),
}

shader_core::messages! { ReadError {
    Self::Container(error) => "{error}";
    Self::Signature(error) => "{error}";
    Self::Token(error) => "SHEX: {error}";
} }

impl From<ContainerError> for ReadError {
    fn from(error: ContainerError) -> ReadError {
        ReadError::Container(error)
    }
}

impl From<SignatureError> for ReadError {
    fn from(error: SignatureError) -> ReadError {
        ReadError::Signature(error)
    }
}

impl From<TokenError> for ReadError {
    fn from(error: TokenError) -> ReadError {
        ReadError::Token(error)
    }
}

impl Shader {
    /// Reads a shader from a container's bytes.
    ///
    /// # Errors
    /// [`ReadError`] for an invalid container, signature or program.
    pub fn read(bytes: Vec<u8>, sum: Checksum) -> Result<Shader, ReadError> {
        Shader::from_container(&Container::read(bytes, sum)?)
    }

    /// Reads a shader from a container.
    ///
    /// # Errors
    /// [`ReadError`] for an invalid signature or program, and for missing chunks.
    pub fn from_container(container: &Container) -> Result<Shader, ReadError> {
        let signature = |kind| Signature::find(container, kind);
        let missing = |tag| ReadError::from(ContainerError::Missing(tag));
        let statistics = container.chunk(Tag::STAT);
        Ok(Shader {
            program: Program::decode(container.program()?.data)?,
            input: signature(SignatureKind::Input)?.ok_or(missing("ISGN"))?,
            output: signature(SignatureKind::Output)?.ok_or(missing("OSGN"))?,
            patch_constant: signature(SignatureKind::PatchConstant)?,
            instruction_count: statistics.and_then(|chunk| stat::instructions(chunk.data)),
        })
    }

    /// The signature of a kind, if the shader has one.
    pub fn signature(&self, kind: SignatureKind) -> Option<&Signature> {
        match kind {
            SignatureKind::Input => Some(&self.input),
            SignatureKind::Output => Some(&self.output),
            SignatureKind::PatchConstant => self.patch_constant.as_ref(),
        }
    }

    /// Writes a container with the signatures and the program, in fxc's order, and nothing else.
    pub fn to_container(&self) -> Container {
        use SignatureKind::{Input, Output, PatchConstant};
        let order = match self.program.version.kind {
            ProgramKind::Domain => [Input, PatchConstant, Output],
            _ => [Input, Output, PatchConstant],
        };
        let signatures = order.into_iter().filter_map(|kind| self.signature(kind));
        let chunks = signatures.map(|signature| (signature.tag(), signature.encode()));
        let mut chunks: Vec<(Tag, Vec<u8>)> = chunks.collect();
        chunks.push((Tag::SHEX, self.program.encode()));
        Container::from_chunks(chunks.iter().map(|(tag, data)| (*tag, data.as_slice())))
    }
}
