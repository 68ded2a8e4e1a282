//! Translates shaders to GLSL 330 and GLSL ES 300 ([d3d9.value.order]). Registers keep their names: `mul r0.xyz, t0,
//! c0.x` becomes `r0.xyz = t0.xyz * pc[0].xxx;`.

mod declare;
mod dest;
mod float;
mod flow;
mod instruction;
mod interface;
mod options;
mod ps1;
mod registers;
mod source;
mod texture;
mod used;

use std::collections::BTreeSet;

use agal_core::glsl::Dialect;
use agal_core::output::ShaderText;

use crate::check::{Caps, D3d9Finding, check};
use crate::ctab::ConstantTable;
use crate::dataflow::{self, RegisterRead};
use crate::declarations::{Declarations, DeclaredInput};
use crate::divergence::divergent_derivatives;
use crate::opcode::{D3d9Opcode, Operation};
use crate::operand::DeclUsage;
use crate::overflow::limited_sums;
use crate::program::{D3d9Instruction, D3d9Program};
use crate::register::{D3d9Register, ShaderFile};
use crate::version::ShaderVersion;

pub use interface::{LinkError, link};
pub use options::{D3d9GlslOptions, PositionTransform, RegisterNaming};

use used::UsedRegisters;

/// The supported GLSL dialects, which have integers, boolean vectors and explicit locations.
pub const DIALECTS: [Dialect; 2] = [Dialect::Glsl330, Dialect::Glsl300Es];

agal_core::errors! {
    /// The types of errors of a translation to GLSL.
    #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
    pub enum GlslError {
        /// The shader breaks a rule of the checker.
        Invalid(D3d9Finding) = "{0}";
        /// The dialect isn't in [`DIALECTS`].
        Dialect(Dialect) = "{0} is not supported: only 330 and 300es are";
        Unsupported { instruction: u32, what: &'static str } =
            "instruction {instruction}: {what} can't be translated to GLSL";
        /// The constant's index exceeds the uniform arrays; only software versions have such constants.
        Constants { instruction: u32, register: D3d9Register, count: u16 } =
            "instruction {instruction}: {register} can't be translated to GLSL, which has only {count} of them";
        /// The vertex and pixel shader can't be linked.
        Link(LinkError) = "{0}";
    }
}

/// Translates one shader. Varyings are named by usage and index (`vary_texcoord0`), so any two shaders that [`link`]
/// accepts can be combined. Ignores warnings of the checker.
pub fn emit(program: &D3d9Program, options: &D3d9GlslOptions) -> Result<String, GlslError> {
    emit_with(program, options, |_| Vec::new())
}

/// Finds a constant of a software version whose index exceeds the uniform arrays ([d3d9.glsl.constants]). The arrays
/// have the size of a hardware version of model 3; the host sets the number of vertex constants.
fn constants_beyond(
    program: &D3d9Program,
    declared: &Declarations,
    vertex_constants: u16,
) -> Option<GlslError> {
    let version = program.version;
    let vertex = version.is_vertex();
    let hardware = if vertex { ShaderVersion::Vs30 } else { ShaderVersion::Ps30 };
    let mut found = None;
    let code = program.instructions().filter(|_| version.is_software());
    for (number, instruction) in code.filter(|(_, one)| !one.opcode.is_declaration()) {
        dataflow::for_each(
            instruction,
            version,
            None,
            |RegisterRead { register, relative, .. }| {
                let file = register.file;
                let own = match file {
                    ShaderFile::Const => declared.floats.contains_key(&register.number),
                    ShaderFile::Integer => declared.integers.contains_key(&register.number),
                    ShaderFile::Boolean => declared.booleans.contains_key(&register.number),
                    _ => return,
                };
                let most = if vertex && file == ShaderFile::Const { vertex_constants } else { 0 };
                let count = file.reach(hardware).max(most);
                let last = file.reach(version).saturating_sub(1);
                let register = if relative { file.at(last) } else { register };
                if (relative || !own) && register.number >= count && found.is_none() {
                    found = Some(GlslError::Constants { instruction: number, register, count });
                }
            },
        );
    }
    found
}

/// Translates a shader. `zeros` returns the varyings that the pixel shader reads but this vertex shader doesn't write.
fn emit_with(
    program: &D3d9Program,
    options: &D3d9GlslOptions,
    zeros: impl FnOnce(&D3d9Emitter<'_>) -> Vec<String>,
) -> Result<String, GlslError> {
    if !DIALECTS.contains(&options.dialect) {
        return Err(GlslError::Dialect(options.dialect));
    }
    let report = check(program, &Caps::MAX);
    if let Some(finding) = report.errors().next() {
        return Err(GlslError::Invalid(finding.clone()));
    }
    let declared = Declarations::of(program);
    if let Some(error) = constants_beyond(program, &declared, options.vertex_constants) {
        return Err(error);
    }
    let names = program.constant_table().filter(|_| options.comments);
    let mut emitter = D3d9Emitter {
        program,
        version: program.version,
        options,
        names: names.unwrap_or_default(),
        used: UsedRegisters::of(program, &declared, &options.stages),
        hoisted: divergent_derivatives(program),
        sums: limited_sums(program),
        is_limited: false,
        inputs: interface::inputs(program, &declared),
        declared,
        code: ShaderText::default(),
        counters: 0,
        in_function: false,
        rows: 0,
        zeros: Vec::new(),
    };
    emitter.zeros = zeros(&emitter);
    emitter.shader()
}

/// Translates a linked pair, the vertex shader first.
pub fn emit_pair(
    vertex: &D3d9Program,
    pixel: &D3d9Program,
    options: &D3d9GlslOptions,
) -> Result<(String, String), GlslError> {
    link(vertex, pixel).map_err(GlslError::Link)?;
    let pixel_shader = emit(pixel, options)?;
    let vertex_shader = emit_with(vertex, options, |emitter| {
        let written = interface::outputs(vertex, &emitter.declared);
        let inputs = interface::inputs(pixel, &Declarations::of(pixel));
        let read = interface::varyings(&inputs);
        let fog = (options.fog && pixel.version.major() < 3).then_some((DeclUsage::Fog, 0));
        let mut missing: Vec<_> = read.iter().map(interface::usage).chain(fog).collect();
        missing.retain(|usage| written.iter().all(|(one, _)| one != usage));
        missing.dedup();
        missing.into_iter().map(|usage| emitter.varying(usage)).collect()
    })?;
    Ok((vertex_shader, pixel_shader))
}

struct D3d9Emitter<'a> {
    program: &'a D3d9Program,
    version: ShaderVersion,
    options: &'a D3d9GlslOptions,
    names: ConstantTable,
    used: UsedRegisters,
    /// Instructions whose derivatives GLSL leaves undefined, because they are in dynamic flow control.
    hoisted: BTreeSet<u32>,
    /// The instruction numbers of sums and products whose results the float rules clamp; `is_limited`: the current
    /// instruction is in `sums`.
    sums: BTreeSet<u32>,
    is_limited: bool,
    declared: Declarations,
    inputs: Vec<DeclaredInput>,
    code: ShaderText,
    /// Number of enclosing loops that declare `aL` as a variable; in subroutines `aL` is a parameter.
    counters: usize,
    in_function: bool,
    /// In ps_1_x, how many rows of the current texture matrix have been emitted.
    rows: u32,
    /// The varyings that the vertex shader sets to zero.
    zeros: Vec<String>,
}

impl D3d9Emitter<'_> {
    fn vertex(&self) -> bool {
        self.version.is_vertex()
    }

    fn any(&self, is: impl Fn(Operation) -> bool) -> bool {
        self.program.instructions().any(|(_, instruction)| is(instruction.opcode.operation()))
    }

    fn shader(mut self) -> Result<String, GlslError> {
        self.globals();
        let code: Vec<(u32, &D3d9Instruction)> = self.program.instructions().collect();
        let is_label =
            |(_, instruction): &(u32, &D3d9Instruction)| instruction.opcode == D3d9Opcode::Label;
        let first = code.iter().position(is_label).unwrap_or(code.len());
        let (main, functions) = code.split_at(first);
        // Subroutines share all registers, so registers become global variables.
        if !functions.is_empty() {
            self.locals();
            // Declares all subroutines first, because a call may precede the definition.
            for (_, label) in functions.iter().filter(|one| is_label(one)) {
                self.line(format_args!("void l{}(int aL);", label.source(0).number()));
            }
            self.in_function = true;
            self.instructions(functions)?;
            self.in_function = false;
        }
        self.code.open("void main() {");
        if functions.is_empty() {
            self.locals();
        }
        self.prologue();
        self.hoist()?;
        self.instructions(main)?;
        self.epilogue();
        self.code.close();
        Ok(self.code.text)
    }

    fn instructions(&mut self, code: &[(u32, &D3d9Instruction)]) -> Result<(), GlslError> {
        for (number, instruction) in code {
            let what = |what| GlslError::Unsupported { instruction: *number, what };
            self.is_limited = self.sums.contains(number);
            self.instruction(*number, instruction).map_err(what)?;
        }
        Ok(())
    }

    /// Hoists derivatives out of dynamic flow control to the start of the shader ([d3d9.gradient.flow]).
    fn hoist(&mut self) -> Result<(), GlslError> {
        let program = self.program;
        let hoisted = self.hoisted.clone();
        let code = program.instructions().filter(|(number, _)| hoisted.contains(number));
        for (number, instruction) in code {
            let value = self.derivatives(instruction);
            let value =
                value.map_err(|what| GlslError::Unsupported { instruction: number, what })?;
            self.line(format_args!("hoisted{number} = {value};"));
        }
        Ok(())
    }

    fn line(&mut self, text: impl std::fmt::Display) {
        self.code.line(text);
    }

    /// Returns ` // text` if comments are enabled. Strips a final backslash, which would join the next line.
    fn comment(&self, text: Option<String>) -> String {
        let text = text.filter(|_| self.options.comments);
        text.map_or_else(String::new, |text| format!(" // {}", text.trim_end_matches(['\\', ' '])))
    }
}
