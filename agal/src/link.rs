//! Links a vertex and a fragment program to a [`LinkedPair`], by the rules of linkage ([agal.link.kinds] …).

use crate::asm;
use crate::error::{AgalError, ErrorKind};
use crate::interface::Interface;
use crate::isa::operand::WriteMask;
use crate::isa::register::RegisterFile;
use crate::liveness::{Liveness, bits};
use crate::program::{Endian, RawProgram};
use crate::validate::{ValidProgram, validate};
use crate::version::{AgalVersion, Rules, Stage};

/// Two linked programs, the input of the emitters. Only [`link`] and [`upload`] create a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedPair {
    vertex: ValidProgram,
    fragment: ValidProgram,
    interface: Interface,
}

impl LinkedPair {
    /// Returns the interface of the pair: its attributes, constants, samplers and outputs.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }
    /// Returns the version of both programs.
    pub fn version(&self) -> AgalVersion {
        self.vertex.program().version()
    }
    /// Returns the varyings that the vertex program writes, or that the fragment program reads; bit n is varying n.
    pub(crate) fn varyings(&self, stage: Stage) -> u32 {
        match stage {
            Stage::Vertex => self.vertex.register_use().writes(RegisterFile::Varying).registers(),
            Stage::Fragment => self.interface.varyings.into(),
        }
    }
    /// Returns the vertex program.
    pub fn vertex(&self) -> &ValidProgram {
        &self.vertex
    }
    /// Returns the fragment program.
    pub fn fragment(&self) -> &ValidProgram {
        &self.fragment
    }
}

/// Links two validated programs.
///
/// # Errors
/// Returns the first of 3630, 3631 (a program in the wrong position), 3757, for each varying 3632 and 3633, then 3634,
/// 3635 ([agal.link.varyings]). The position of 3757 in this order is unknown, because AGAL 1 lacks error 3757
/// ([agal.link.versions]). The native limits (3715 to 3721), which this crate doesn't check, come last
/// ([agal.native.last]).
pub fn link(vertex: ValidProgram, fragment: ValidProgram) -> Result<LinkedPair, AgalError> {
    fragment.check_position(Stage::Fragment)?;
    vertex.check_position(Stage::Vertex)?;
    let version = vertex.program().version();
    if fragment.program().version() != version {
        return Err(ErrorKind::VersionsDiffer.report().into());
    }
    let (writes, reads) = (vertex.register_use(), fragment.register_use());
    let varyings = writes.writes(RegisterFile::Varying);
    let count = RegisterFile::Varying.version_count(Stage::Vertex, version);
    for varying in 0..count.unwrap_or(0) {
        let written = varyings.get(varying);
        if !written.contains_all(reads.varyings_read.get(varying)) {
            let report = ErrorKind::VaryingNotWritten.report();
            return Err(report.subject(varying).into());
        }
        // An incomplete varying is an error even if the fragment program never reads it.
        if !written.is_empty() && written != WriteMask::ALL {
            let report = ErrorKind::VaryingPartlyWritten.report();
            return Err(report.subject(varying).into());
        }
    }
    // A colour is always written completely (error 3701), so one component shows that it is written.
    if reads.color_outputs() & 1 == 0 {
        return Err(ErrorKind::FragmentOutputIncomplete.report().into());
    }
    if writes.writes(RegisterFile::Output).get(0) != WriteMask::ALL {
        return Err(ErrorKind::VertexOutputIncomplete.report().into());
    }
    let live = |varyings| Liveness::of(&vertex, varyings).attributes;
    let interface = Interface::of(writes, reads, live);
    Ok(LinkedPair { vertex, fragment, interface })
}

/// Links a program with a minimal program of the other stage, to translate it alone. The partner writes every varying,
/// or reads every varying that the program writes.
///
/// # Errors
/// Returns the errors of [`link`].
pub fn link_alone(valid: ValidProgram) -> Result<LinkedPair, AgalError> {
    let program = valid.program();
    let (stage, version) = (program.stage().other(), program.header_version());
    let text = match stage {
        Stage::Vertex => {
            let count = RegisterFile::Varying.version_count(stage, program.version());
            let writes = (0..count.unwrap_or(0)).map(|number| format!("mov v{number}, va0\n"));
            format!("mov op, va0\n{}", writes.collect::<String>())
        }
        Stage::Fragment => {
            let varyings = bits(valid.register_use().writes(RegisterFile::Varying).registers());
            let reads = varyings.map(|number| format!("add ft0, ft0, v{number}\n"));
            format!("mov ft0, fc0\n{}mov oc, ft0\n", reads.collect::<String>())
        }
    };
    let Ok(partner) = asm::assemble(&text, stage, version) else {
        return Err(ErrorKind::SizeBelowMinimum.report().subject(stage).into()); // never
    };
    let partner = validate(partner, stage, &Rules::NEWEST)?;
    match stage {
        Stage::Vertex => link(partner, valid),
        Stage::Fragment => link(valid, partner),
    }
}

/// Decodes, validates and links two programs, the vertex program first, as `Program3D.upload` does.
///
/// # Errors
/// Returns Flash's first error. Flash may check the encoding of both programs before the tokens of either
/// ([agal.check.programs]). This function checks the first program completely before the second.
pub fn upload(
    vertex: (&[u8], Endian),
    fragment: (&[u8], Endian),
    rules: &Rules,
) -> Result<LinkedPair, AgalError> {
    let checked = |(bytes, endian): (&[u8], Endian), argument| {
        let form = RawProgram::read(bytes, endian, argument)?;
        validate(form.limited().unpack(), argument, rules)
    };
    let vertex = checked(vertex, Stage::Vertex)?;
    let fragment = checked(fragment, Stage::Fragment)?;
    link(vertex, fragment)
}
