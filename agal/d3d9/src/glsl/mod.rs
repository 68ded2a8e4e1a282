//! Shaders to GLSL 330 and 300 es (d3d9-shaders.md section 6). Registers keep their names: what was `mul r0.xyz, t0, c0.x`
//! reads `r0.xyz = t0.xyz * pc[0].xxx;`.

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

use agal::glsl::Dialect;

use crate::check::{Finding, Options, check};
use crate::ctab::ConstantTable;
use crate::opcode::{Flow, Kind, Opcode};
use crate::operand::{Dimension, Index};
use crate::program::{Instruction, Program};
use crate::register::{File, Register};
use crate::version::{Stage, Version};

pub use interface::{LinkError, link};
pub use target::{Names, Position, Target};

use interface::Declared;

/// Why there is no GLSL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GlslError {
    /// The shader breaks a rule.
    Invalid(Finding),
    /// The dialect lacks vectors of truth values, integers and the like: only 330 and 300 es have them all.
    Dialect(Dialect),
    /// An instruction that GLSL has no counterpart of.
    Unsupported {
        /// Number of the instruction, from 1.
        instruction: u32,
        /// What it is.
        what: &'static str,
    },
    /// Two shaders that don't fit together.
    Link(LinkError),
}

impl fmt::Display for GlslError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GlslError::Invalid(finding) => write!(f, "{finding}"),
            GlslError::Dialect(dialect) => {
                write!(
                    f,
                    "{dialect} lacks what shaders need: 330 and 300es have it"
                )
            }
            GlslError::Unsupported { instruction, what } => {
                write!(f, "instruction {instruction}: {what} has no GLSL")
            }
            GlslError::Link(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for GlslError {}

/// Translates one shader. Its inputs and outputs are named by usage and index (`vary_texcoord0`), so that any two shaders
/// that [`link`] fit.
///
/// # Errors
/// [`GlslError`] where the shader breaks a rule (warnings don't count), or the dialect is neither 330 nor 300 es.
pub fn emit(program: &Program, target: &Target) -> Result<String, GlslError> {
    if !matches!(target.dialect, Dialect::Glsl330 | Dialect::Glsl300Es) {
        return Err(GlslError::Dialect(target.dialect));
    }
    let report = check(program, &Options::default());
    if let Some(finding) = report.errors().next() {
        return Err(GlslError::Invalid(finding.clone()));
    }
    Emitter::new(program, target).shader()
}

/// Translates a vertex and a pixel shader that fit together: vertex shader first.
///
/// # Errors
/// As [`emit`]; [`GlslError::Link`] where they don't fit.
pub fn emit_pair(
    vertex: &Program,
    pixel: &Program,
    target: &Target,
) -> Result<(String, String), GlslError> {
    link(vertex, pixel).map_err(GlslError::Link)?;
    Ok((emit(vertex, target)?, emit(pixel, target)?))
}

/// What a shader uses.
#[derive(Clone, Debug, Default)]
struct Usage {
    /// Highest number of each file.
    temps: u32,
    colors: u8,
    /// Highest constant that is read directly.
    floats: Option<u16>,
    integers: Option<u16>,
    booleans: Option<u16>,
    /// Which constants the shader itself defines and reads.
    own_floats: BTreeMap<u16, [f32; 4]>,
    own_integers: BTreeMap<u16, [i32; 4]>,
    own_booleans: BTreeMap<u16, bool>,
    relative_constants: bool,
    relative_inputs: bool,
    relative_outputs: bool,
    address: bool,
    predicate: bool,
    kills: bool,
    depth: bool,
    labels: bool,
    powers: bool,
    normals: bool,
    lits: bool,
    bumps: bool,
    outputs: u16,
    texcoords: u16,
    samplers: [Option<Dimension>; 16],
    singles: [bool; 5],
}

/// Adds a text to one that is most often empty.
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
    /// Loops around, in which `aL` is a variable; in subroutines it is an argument.
    counters: usize,
    in_function: bool,
    /// Rows of the present texture matrix, in ps_1_x.
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

    /// Notes what an instruction uses.
    fn note(&mut self, instruction: &Instruction) {
        let kind = instruction.opcode.kind();
        match kind {
            Kind::Dcl => return,
            Kind::Def(_) => return self.note_definition(instruction),
            Kind::Scalar(crate::opcode::Formula::Pow) => self.used.powers = true,
            Kind::Normalize => self.used.normals = true,
            Kind::Lit => self.used.lits = true,
            Kind::Bem | Kind::Texture(crate::opcode::Texture::Bem { .. }) => self.used.bumps = true,
            Kind::Texture(crate::opcode::Texture::Kill) => self.used.kills = true,
            Kind::Texture(crate::opcode::Texture::Depth | crate::opcode::Texture::MatrixDepth) => {
                self.used.depth = true;
            }
            Kind::Flow(Flow::Label) => self.used.labels = true,
            _ => {}
        }
        if let Some(dest) = instruction.dest
            && let Some(register) = dest.register(self.version)
        {
            self.note_register(register, 1, dest.is_relative());
        }
        let rows = match kind {
            Kind::Matrix { rows, .. } => u16::from(rows),
            _ => 1,
        };
        for (place, source) in instruction.sources().iter().enumerate() {
            if let Some(register) = source.register(self.version) {
                let rows = if place == 1 { rows } else { 1 };
                self.note_register(register, rows, source.is_relative());
            }
            self.used.address |= matches!(source.index(self.version), Some(Index::Address(_)));
        }
        self.used.predicate |= instruction.predicate.is_some();
        let stage = match kind {
            Kind::Texture(texture)
                if self.version.is_ps_1() && texture.reads_texels(self.version) =>
            {
                instruction.dest.map(crate::operand::Dest::number)
            }
            _ => None,
        };
        if let Some(stage) = stage
            && let Some(place) = self.used.samplers.get_mut(usize::from(stage))
        {
            *place = Some(self.target.stage(stage).dimension);
        }
    }

    fn note_definition(&mut self, instruction: &Instruction) {
        let register = instruction
            .dest
            .and_then(|dest| dest.register(self.version));
        let Some(Register { file, number }) = register else {
            return;
        };
        match file {
            File::Integer => {
                self.used
                    .own_integers
                    .insert(number, instruction.integers());
            }
            File::Boolean => {
                let value = instruction
                    .literals()
                    .first()
                    .is_some_and(|word| *word != 0);
                self.used.own_booleans.insert(number, value);
            }
            _ => {
                self.used.own_floats.insert(number, instruction.floats());
            }
        }
    }

    fn note_register(&mut self, register: Register, rows: u16, relative: bool) {
        let Register { file, number } = register;
        let used = &mut self.used;
        let highest = |old: Option<u16>, own: bool| if own { old } else { old.max(Some(number)) };
        let bit = 1u32.checked_shl(number.into()).unwrap_or(0);
        let low = u16::try_from(bit & 0xffff).unwrap_or(0);
        match file {
            File::Temp => used.temps |= bit,
            File::Const if relative => used.relative_constants = true,
            File::Const => {
                for number in number..number.saturating_add(rows) {
                    if !used.own_floats.contains_key(&number) {
                        used.floats = used.floats.max(Some(number));
                    }
                }
            }
            File::Integer => {
                used.integers = highest(used.integers, used.own_integers.contains_key(&number));
            }
            File::Boolean => {
                used.booleans = highest(used.booleans, used.own_booleans.contains_key(&number));
            }
            File::Input => used.relative_inputs |= relative,
            File::Output => {
                used.outputs |= low;
                used.relative_outputs |= relative;
            }
            File::TexCoordVarying => used.texcoords |= low,
            File::Color => used.colors |= u8::try_from(bit & 0xff).unwrap_or(0),
            File::Address => used.address = true,
            File::Predicate => used.predicate = true,
            File::Depth => used.depth = true,
            File::Sampler => {
                let dimension = self.declared.sampler(number);
                if let Some(place) = used.samplers.get_mut(usize::from(number)) {
                    *place = Some(dimension);
                }
            }
            File::Position => used.singles[0] = true,
            File::Fog => used.singles[1] = true,
            File::PointSize => used.singles[2] = true,
            File::ColorVarying if number == 0 => used.singles[3] = true,
            File::ColorVarying => used.singles[4] = true,
            File::Texture if self.version.is_ps_1_1_to_1_3() => used.texcoords |= low,
            File::Texture | File::Loop | File::PixelPosition | File::Face | File::Label => {}
        }
    }

    /// The whole text.
    fn shader(mut self) -> Result<String, GlslError> {
        self.header();
        self.globals();
        let room = String::with_capacity(self.program.items.len().saturating_mul(32));
        let mut body = std::mem::replace(&mut self.out, room);
        let mut functions = String::new();
        let mut main = String::new();
        for (number, instruction) in self.program.instructions() {
            self.number = number;
            if instruction.opcode == Opcode::Label {
                // What has been written so far is main, or the function before.
                let text = std::mem::take(&mut self.out);
                let target = if self.in_function {
                    &mut functions
                } else {
                    &mut main
                };
                append(target, text);
                self.in_function = true;
                let label = instruction.source(0).number();
                let _ = writeln!(self.out, "void l{label}(int aL) {{");
                continue;
            }
            self.instruction(instruction)?;
        }
        let text = std::mem::take(&mut self.out);
        let target = if self.in_function {
            &mut functions
        } else {
            &mut main
        };
        append(target, text);
        self.prototypes();
        body.push_str(&std::mem::take(&mut self.out));
        body.push_str(&functions);
        self.locals();
        let locals = std::mem::take(&mut self.out);
        if self.used.labels {
            // Subroutines share the registers.
            let mut globals = String::with_capacity(locals.len());
            for line in locals.lines() {
                globals.push_str(line.trim_start());
                globals.push('\n');
            }
            let at = body.find("void l").unwrap_or(body.len());
            body.insert_str(at, &globals);
        }
        body.reserve(locals.len().saturating_add(main.len()).saturating_add(512));
        body.push_str("void main() {\n");
        if !self.used.labels {
            body.push_str(&locals);
        }
        self.prologue();
        body.push_str(&std::mem::take(&mut self.out));
        body.push_str(&main);
        self.epilogue();
        body.push_str(&self.out);
        body.push_str("}\n");
        Ok(body)
    }

    fn unsupported(&self, what: &'static str) -> GlslError {
        GlslError::Unsupported {
            instruction: self.number,
            what,
        }
    }

    /// One statement.
    fn line(&mut self, text: impl fmt::Display) {
        self.indent();
        // Writing to a string doesn't fail.
        let _ = writeln!(self.out, "{text}");
    }

    fn indent(&mut self) {
        for _ in 0..self.depth.min(64) {
            self.out.push_str("    ");
        }
    }
}
