//! A shader: the program and signatures in a container.

use thiserror::Error;

use crate::container::signature::{Signature, SignatureError, SignatureKind};
use crate::container::{Checksum, Container, ContainerError, Tag, statistics};
use crate::names::ProgramKind;
use crate::tokens::program::{Program, TokenError};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shader {
    pub program: Program,
    /// Input control points, or the inputs of another stage.
    pub input: Signature,
    /// Output control points, or the outputs of another stage.
    pub output: Signature,
    pub patch_constant: Option<Signature>,
    /// The instruction count in the STAT chunk, if there is one.
    pub instruction_count: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadError {
    #[error(transparent)]
    Container(#[from] ContainerError),
    #[error(transparent)]
    Signature(#[from] SignatureError),
    #[error("SHEX: {0}")]
    Token(#[from] TokenError),
}

impl Shader {
    pub fn read(bytes: Vec<u8>, sum: Checksum) -> Result<Shader, ReadError> {
        Shader::from_container(&Container::read(bytes, sum)?)
    }

    pub fn from_container(container: &Container) -> Result<Shader, ReadError> {
        let signature = |kind| Signature::find(container, kind);
        let missing = |tag| ReadError::from(ContainerError::Missing(tag));
        let counts = container.chunk(Tag::STAT);
        Ok(Shader {
            program: Program::decode(container.program()?.data)?,
            input: signature(SignatureKind::Input)?.ok_or(missing("ISGN"))?,
            output: signature(SignatureKind::Output)?.ok_or(missing("OSGN"))?,
            patch_constant: signature(SignatureKind::PatchConstant)?,
            instruction_count: counts.and_then(|chunk| statistics::instructions(chunk.data)),
        })
    }

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
