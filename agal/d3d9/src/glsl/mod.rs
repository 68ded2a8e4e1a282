//! Translates shaders to GLSL 330 and 300 es (d3d9-shaders.md section 6). Registers keep their names:
//! `mul r0.xyz, t0, c0.x` becomes `r0.xyz = t0.xyz * pc[0].xxx;`.

mod declare;
mod dest;
mod flow;
mod instruction;
mod interface;
mod ps1;
mod source;
mod target;
mod texture;

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use shader_core::glsl::Dialect;

use crate::check::{Finding, Options, check};
use crate::ctab::ConstantTable;
use crate::opcode::{Flow, Formula, Kind, Opcode, Texture};
use crate::operand::{Dest, Dimension, Index};
use crate::program::{Instruction, Program};
use crate::register::{File, Register};
use crate::version::{Stage, Version};

pub use interface::{LinkError, link};
pub use target::{Naming, Position, Target};

use interface::Declared;

/// The dialects that shaders are translated to: they have integers, boolean vectors and locations.
pub const DIALECTS: [Dialect; 2] = [Dialect::Glsl330, Dialect::Glsl300Es];

/// Why no GLSL can be emitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GlslError {
    /// The shader breaks a rule.
    Invalid(Finding),
    /// None of [`DIALECTS`].
    Dialect(Dialect),
    /// An instruction without a counterpart in GLSL.
    Unsupported {
        /// Number of the instruction, from 1.
        instruction: u32,
        /// Description of the instruction.
        what: &'static str,
    },
    /// The two shaders can't be linked.
    Link(LinkError),
}

shader_core::messages! { GlslError {
    Self::Invalid(finding) => "{finding}";
    Self::Dialect(dialect) => "{dialect} is not supported: only 330 and 300es are";
    Self::Unsupported { instruction, what } => "instruction {instruction}: {what} can't be translated to GLSL";
    Self::Link(error) => "{error}";
} }

/// Translates one shader. Varyings are named by usage and index (`vary_texcoord0`), so that any two shaders that
/// [`link`] accepts go together.
///
/// # Errors
/// [`GlslError`] where the shader breaks a rule (warnings are ignored), the dialect is neither 330 nor 300 es, or GLSL
/// has no counterpart of an instruction.
pub fn emit(program: &Program, target: &Target) -> Result<String, GlslError> {
    if !DIALECTS.contains(&target.dialect) {
        return Err(GlslError::Dialect(target.dialect));
    }
    let report = check(program, &Options::default());
    if let Some(finding) = report.errors().next() {
        return Err(GlslError::Invalid(finding.clone()));
    }
    Emitter::new(program, target).shader()
}

/// Translates a vertex and a pixel shader that belong together; the vertex shader comes first.
///
/// # Errors
/// As [`emit`]; [`GlslError::Link`] where they can't be linked.
pub fn emit_pair(
    vertex: &Program,
    pixel: &Program,
    target: &Target,
) -> Result<(String, String), GlslError> {
    link(vertex, pixel).map_err(GlslError::Link)?;
    Ok((emit(vertex, target)?, emit(pixel, target)?))
}

/// A set of registers, by file.
#[derive(Clone, Debug, Default)]
struct Registers([u32; File::ALL.len()]);

impl Registers {
    /// Adds a register; only the first 32 registers of a file are recorded.
    fn add(&mut self, register: Register) {
        if let Some(bits) = self.0.get_mut(register.file as usize) {
            *bits |= 1u32.checked_shl(register.number.into()).unwrap_or(0);
        }
    }
    /// The register numbers of a file as bits.
    fn bits(&self, file: File) -> u32 {
        self.0.get(file as usize).copied().unwrap_or(0)
    }
    fn has(&self, file: File) -> bool {
        self.bits(file) != 0
    }
    fn of(&self, file: File) -> impl Iterator<Item = Register> + use<> {
        let bits = self.bits(file);
        let numbers = (0..32).filter(move |bit| bits & 1 << bit != 0);
        numbers.map(move |number| Register::new(file, number))
    }
}

/// The features and registers that a shader uses.
#[derive(Clone, Debug, Default)]
struct Usage {
    registers: Registers,
    /// Files with relative addressing.
    relative: Registers,
    /// The highest constant of each type that is read directly and not defined by the shader.
    floats: Option<u16>,
    integers: Option<u16>,
    booleans: Option<u16>,
    /// Constants that the shader defines.
    own_floats: BTreeMap<u16, [f32; 4]>,
    own_integers: BTreeMap<u16, [i32; 4]>,
    own_booleans: BTreeMap<u16, bool>,
    kills: bool,
    labels: bool,
    powers: bool,
    normals: bool,
    lits: bool,
    bumps: bool,
    samplers: [Option<Dimension>; 16],
}

/// Appends a string; moves it where the target is empty, the usual case.
fn append(to: &mut String, text: String) {
    if to.is_empty() {
        *to = text;
    } else {
        to.push_str(&text);
    }
}

struct Emitter<'a> {
    program: &'a Program,
    version: Version,
    target: &'a Target,
    names: ConstantTable,
    used: Usage,
    declared: Declared,
    out: String,
    depth: usize,
    number: u32,
    /// Number of enclosing loops in which `aL` is a variable; in subroutines it is a parameter.
    counters: usize,
    in_function: bool,
    /// Number of rows so far of the current texture matrix, in ps_1_x.
    rows: u32,
}

impl<'a> Emitter<'a> {
    fn new(program: &'a Program, target: &'a Target) -> Emitter<'a> {
        let mut emitter = Emitter {
            program,
            version: program.version,
            target,
            names: match target.comments {
                true => program.constant_table().unwrap_or_default(),
                false => ConstantTable::default(),
            },
            used: Usage::default(),
            declared: Declared::of(program),
            out: String::with_capacity(1024),
            depth: 1,
            number: 0,
            counters: 0,
            in_function: false,
            rows: 0,
        };
        for (_, instruction) in program.instructions() {
            emitter.note(instruction);
        }
        emitter
    }

    fn vertex(&self) -> bool {
        self.version.stage() == Stage::Vertex
    }

    /// Records what an instruction uses.
    fn note(&mut self, instruction: &Instruction) {
        let (version, kind) = (self.version, instruction.opcode.kind());
        match kind {
            Kind::Dcl => return,
            Kind::Def(_) => return self.note_definition(instruction),
            Kind::Scalar(Formula::Pow) => self.used.powers = true,
            Kind::Normalize => self.used.normals = true,
            Kind::Lit => self.used.lits = true,
            Kind::Bem | Kind::Texture(Texture::Bem { .. }) => self.used.bumps = true,
            Kind::Texture(Texture::Kill) => self.used.kills = true,
            Kind::Texture(Texture::Depth | Texture::MatrixDepth) => {
                self.used.registers.add(Register::new(File::Depth, 0));
            }
            Kind::Flow(Flow::Label) => self.used.labels = true,
            _ => {}
        }
        if let Some(dest) = instruction.dest
            && let Some(register) = dest.register(version)
        {
            self.note_register(register, 1, dest.is_relative());
        }
        for (place, source) in instruction.sources().iter().enumerate() {
            if let Some(register) = source.register(version) {
                let rows = match kind {
                    Kind::Matrix { rows, .. } if place == 1 => rows.into(),
                    _ => 1,
                };
                self.note_register(register, rows, source.is_relative());
            }
            if let Some(Index::Address(_)) = source.index(version) {
                self.used.registers.add(Register::new(File::Address, 0));
            }
        }
        if instruction.predicate.is_some() {
            self.used.registers.add(Register::new(File::Predicate, 0));
        }
        if let Kind::Texture(texture) = kind
            && version.is_ps_1()
            && texture.reads_texels()
            && let Some(stage) = instruction.dest.map(Dest::number)
            && let Some(place) = self.used.samplers.get_mut(usize::from(stage))
        {
            *place = Some(self.target.stage(stage).dimension);
        }
    }

    fn note_definition(&mut self, instruction: &Instruction) {
        let Some(Register { file, number }) = instruction.dest_register(self.version) else {
            return;
        };
        let used = &mut self.used;
        match file {
            File::Integer => drop(used.own_integers.insert(number, instruction.integers())),
            File::Boolean => drop(used.own_booleans.insert(number, instruction.boolean())),
            _ => drop(used.own_floats.insert(number, instruction.floats())),
        }
    }

    fn note_register(&mut self, register: Register, rows: u16, relative: bool) {
        let Register { file, number } = register;
        let used = &mut self.used;
        used.registers.add(register);
        if relative {
            used.relative.add(Register::new(file, 0));
        }
        match file {
            File::Const if !relative => {
                let read = number..number.saturating_add(rows);
                let given = read.rev().find(|number| !used.own_floats.contains_key(number));
                used.floats = used.floats.max(given);
            }
            File::Integer if !used.own_integers.contains_key(&number) => {
                used.integers = used.integers.max(Some(number));
            }
            File::Boolean if !used.own_booleans.contains_key(&number) => {
                used.booleans = used.booleans.max(Some(number));
            }
            File::Sampler => {
                let dimension = self.declared.sampler(number);
                if let Some(place) = used.samplers.get_mut(usize::from(number)) {
                    *place = Some(dimension);
                }
            }
            _ => {}
        }
    }

    /// Emits the whole shader.
    fn shader(mut self) -> Result<String, GlslError> {
        self.header();
        self.globals();
        let room = String::with_capacity(self.program.items.len().saturating_mul(32));
        let mut text = std::mem::replace(&mut self.out, room);
        let (mut main, mut functions) = (String::new(), String::new());
        for (number, instruction) in self.program.instructions() {
            self.number = number;
            if instruction.opcode == Opcode::Label {
                self.routine(&mut main, &mut functions);
                self.in_function = true;
                let label = instruction.source(0).number();
                self.put(format_args!("void l{label}(int aL) {{\n"));
                continue;
            }
            self.instruction(instruction)?;
        }
        self.routine(&mut main, &mut functions);
        // Subroutines share the registers, so with them these are global.
        self.depth = usize::from(!self.used.labels);
        if self.used.labels {
            self.locals();
            self.prototypes();
            self.out.push_str(&functions);
        }
        self.out.push_str("void main() {\n");
        if !self.used.labels {
            self.locals();
        }
        self.depth = 1;
        self.prologue();
        self.out.push_str(&main);
        self.epilogue();
        self.out.push_str("}\n");
        append(&mut text, self.out);
        Ok(text)
    }

    /// Ends `main` or a function: moves the statements written so far there.
    fn routine(&mut self, main: &mut String, functions: &mut String) {
        let text = std::mem::take(&mut self.out);
        let target = if self.in_function { functions } else { main };
        append(target, text);
    }

    fn unsupported(&self, what: &'static str) -> GlslError {
        GlslError::Unsupported { instruction: self.number, what }
    }

    fn put(&mut self, text: impl fmt::Display) {
        // Writing to a string doesn't fail.
        let _ = write!(self.out, "{text}");
    }

    /// Writes one statement on a line.
    fn line(&mut self, text: impl fmt::Display) {
        self.indent();
        self.put(text);
        self.out.push('\n');
    }

    fn indent(&mut self) {
        for _ in 0..self.depth.min(64) {
            self.out.push_str("    ");
        }
    }
}
