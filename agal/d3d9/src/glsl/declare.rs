//! What stands around the statements: version, inputs, outputs, uniforms, helpers, registers.

use std::fmt::Write as _;

use agal::glsl::{ClipDepth, Dialect};

use super::Emitter;
use super::interface::{Input, outputs};
use super::target::{Names, Position};
use crate::ctab::RegisterSet;
use crate::operand::{Component, Usage, WriteMask};
use crate::register::{File, Register};

const POW: &str =
    "float d3d9_pow(float a, float b) {\n    return b == 0.0 ? 1.0 : pow(abs(a), b);\n}\n";
const NORMALIZE: &str = "vec4 d3d9_nrm(vec4 v) {\n    float d = dot(v.xyz, v.xyz);\n    return d > 0.0 ? v * inversesqrt(d) : vec4(0.0);\n}\n";
const LIT: &str = "vec4 d3d9_lit(float x, float y, float w) {\n    float z = x > 0.0 && y > 0.0 ? pow(y, clamp(w, -127.9961, 127.9961)) : 0.0;\n    return vec4(1.0, max(x, 0.0), z, 1.0);\n}\n";

/// A float as a literal of GLSL. Infinities and NaN have none: their bits do.
pub(super) fn literal(value: f32) -> String {
    if value.is_finite() {
        let text = format!("{value:?}");
        return if value.is_sign_negative() {
            format!("({text})")
        } else {
            text
        };
    }
    format!("uintBitsToFloat({:#010x}u)", value.to_bits())
}

fn vec4(values: [f32; 4]) -> String {
    let [x, y, z, w] = values.map(|value| format!("{value:?}"));
    let finite = values.iter().all(|value| value.is_finite());
    if finite {
        return format!("vec4({x}, {y}, {z}, {w})");
    }
    let bits = values.map(literal);
    format!("vec4({})", bits.join(", "))
}

/// The numbers of the bits that are set.
pub(super) fn bits(set: u32) -> impl Iterator<Item = u8> {
    (0..32).filter(move |bit| set & 1 << bit != 0)
}

impl Emitter<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub(super) fn header(&mut self) {
        let dialect = self.target.dialect;
        self.put(dialect.version_line());
        self.put("\n");
        if dialect == Dialect::Glsl300Es {
            self.put("precision highp float;\nprecision highp int;\n");
            let kinds = self.used.samplers.into_iter().flatten();
            let mut kinds: Vec<&str> = kinds.map(|dimension| dimension.sampler_type()).collect();
            kinds.sort_unstable();
            kinds.dedup();
            for kind in kinds {
                let _ = writeln!(self.out, "precision highp {kind};");
            }
        }
    }

    /// The prefix of uniforms: `v` or `p`; `agal` says `f`.
    pub(super) fn prefix(&self) -> char {
        match (self.vertex(), self.target.names) {
            (true, _) => 'v',
            (false, Names::Direct3D) => 'p',
            (false, Names::Agal) => 'f',
        }
    }

    /// The name of what goes from shader to shader.
    pub(super) fn varying(&self, (usage, index): (Usage, u8)) -> String {
        match (self.target.names, usage) {
            (Names::Agal, Usage::TexCoord) => format!("v{index}"),
            _ => format!("vary_{}{index}", usage.name()),
        }
    }

    /// An input register in the text: in `agal`'s names `v#` is taken.
    pub(super) fn input_name(&self, number: u16) -> String {
        format!("{}{number}", self.input_prefix())
    }

    pub(super) fn input_prefix(&self) -> &'static str {
        match (self.target.names, self.vertex()) {
            (Names::Direct3D, _) => "v",
            (Names::Agal, true) => "va",
            (Names::Agal, false) => "in",
        }
    }

    /// A colour output in the text.
    pub(super) fn color_name(&self, number: u16) -> String {
        match self.target.names {
            Names::Direct3D => format!("oC{number}"),
            Names::Agal if self.used.colors <= 1 => "oc".to_owned(),
            Names::Agal => format!("fo{number}"),
        }
    }

    pub(super) fn globals(&mut self) {
        if self.vertex() {
            self.attributes();
            for (usage, mask) in outputs(self.program) {
                if self.is_varying(usage) {
                    let name = self.varying(usage);
                    let _ = mask;
                    let _ = writeln!(self.out, "out vec4 {name};");
                }
            }
        } else {
            self.varyings_in();
        }
        self.uniforms();
        if !self.vertex() {
            let colors = if self.version.is_ps_1() {
                1
            } else {
                self.used.colors
            };
            for number in (0..4).filter(|number| colors & 1 << number != 0) {
                let name = self.color_name(number);
                let _ = writeln!(self.out, "layout(location = {number}) out vec4 {name};");
            }
        }
        self.helpers();
    }

    /// Position and point size have variables of GLSL's own.
    fn is_varying(&self, usage: (Usage, u8)) -> bool {
        !matches!(usage, (Usage::Position | Usage::PointSize, 0))
    }

    fn attributes(&mut self) {
        let mut seen = Vec::new();
        for input in self.declared.inputs.clone() {
            let number = input.register.number;
            if !seen.contains(&number) {
                seen.push(number);
                let name = self.input_name(number);
                let _ = write!(self.out, "layout(location = {number}) in vec4 {name};");
                self.usage_comment(&input);
            }
        }
    }

    fn usage_comment(&mut self, input: &Input) {
        if self.target.comments {
            let (usage, index) = input.usage;
            let _ = write!(self.out, " // {}{index}", usage.name());
        }
        self.put("\n");
    }

    fn varyings_in(&mut self) {
        let mut seen = Vec::new();
        for input in self.declared.inputs.clone() {
            if matches!(input.register.file, File::PixelPosition | File::Face)
                || seen.contains(&input.usage)
            {
                continue;
            }
            seen.push(input.usage);
            let name = self.varying(input.usage);
            let centroid = if input.centroid { "centroid " } else { "" };
            let _ = writeln!(self.out, "{centroid}in vec4 {name};");
        }
        if self.fogged() && !seen.contains(&(Usage::Fog, 0)) {
            let name = self.varying((Usage::Fog, 0));
            let _ = writeln!(self.out, "in vec4 {name};");
        }
    }

    /// Does this shader blend with fog?
    fn fogged(&self) -> bool {
        self.target.fog && !self.vertex() && self.version.major() < 3
    }

    fn uniforms(&mut self) {
        let prefix = self.prefix();
        let count = if self.used.relative_constants {
            let least = self.target.vertex_constants;
            Some(
                self.used
                    .floats
                    .map_or(least, |highest| least.max(highest.saturating_add(1))),
            )
        } else {
            self.used.floats.map(|highest| highest.saturating_add(1))
        };
        if let Some(count) = count {
            let _ = writeln!(self.out, "uniform vec4 {prefix}c[{count}];");
            self.constant_comments(RegisterSet::Float, prefix);
        }
        if let Some(highest) = self.used.integers {
            let _ = writeln!(
                self.out,
                "uniform ivec4 {prefix}i[{}];",
                u32::from(highest) + 1
            );
        }
        if let Some(highest) = self.used.booleans {
            let _ = writeln!(
                self.out,
                "uniform bool {prefix}b[{}];",
                u32::from(highest) + 1
            );
        }
        let samplers = self.used.samplers;
        for (number, dimension) in samplers.into_iter().enumerate() {
            if let Some(dimension) = dimension {
                let kind = dimension.sampler_type();
                let _ = write!(self.out, "uniform {kind} {prefix}s{number};");
                let number = u16::try_from(number).unwrap_or(0);
                let name = self.names.name(RegisterSet::Sampler, number);
                if let Some(name) = name.filter(|_| self.target.comments) {
                    let _ = write!(self.out, " // {name}");
                }
                self.put("\n");
            }
        }
        if self.used.bumps {
            self.put("uniform vec4 d3d9_bump[8];\nuniform vec2 d3d9_luminance[8];\n");
        }
        let positions = self.declared.inputs.iter();
        let reads_position = positions
            .into_iter()
            .any(|i| i.register.file == File::PixelPosition);
        if self.target.position == Position::Uniform && (self.vertex() || reads_position) {
            self.put("uniform vec4 d3d9_fixup;\n");
        }
        if self.fogged() {
            self.put("uniform vec4 d3d9_fog_color;\n");
        }
        let own = self.used.own_floats.clone();
        for (number, values) in &own {
            let _ = writeln!(self.out, "const vec4 c{number} = {};", vec4(*values));
        }
        for (number, [x, y, z, w]) in self.used.own_integers.clone() {
            let _ = writeln!(
                self.out,
                "const ivec4 i{number} = ivec4({x}, {y}, {z}, {w});"
            );
        }
    }

    /// The names that the compiler left.
    fn constant_comments(&mut self, set: RegisterSet, prefix: char) {
        if !self.target.comments {
            return;
        }
        for constant in self.names.constants.clone() {
            if constant.set == set {
                let (first, count) = (constant.register, constant.count);
                let place = match count {
                    0 | 1 => format!("[{first}]"),
                    _ => format!(
                        "[{first}..{}]",
                        first.saturating_add(count).saturating_sub(1)
                    ),
                };
                let _ = writeln!(
                    self.out,
                    "// {prefix}c{place}: {} {}",
                    constant.kind, constant.name
                );
            }
        }
    }

    fn helpers(&mut self) {
        if self.used.powers {
            self.put(POW);
        }
        if self.used.normals {
            self.put(NORMALIZE);
        }
        if self.used.lits {
            self.put(LIT);
        }
        if self.used.relative_constants {
            let prefix = self.prefix();
            self.put("vec4 d3d9_c(int n) {\n    switch (n) {\n");
            for number in self.used.own_floats.keys() {
                let _ = writeln!(self.out, "    case {number}: return c{number};");
            }
            let _ = writeln!(
                self.out,
                "    default: return n >= 0 && n < {prefix}c.length() ? {prefix}c[n] : vec4(0.0);\n    }}\n}}"
            );
        }
    }

    /// Subroutines may be called before they are defined.
    pub(super) fn prototypes(&mut self) {
        let program = self.program;
        for (_, instruction) in program.instructions() {
            if instruction.opcode == crate::opcode::Opcode::Label {
                let label = instruction.source(0).number();
                let _ = writeln!(self.out, "void l{label}(int aL);");
            }
        }
    }

    /// Registers, all zero: uninitialised ones are read despite the rule against it (d3d9-shaders.md section 6).
    pub(super) fn locals(&mut self) {
        for number in bits(self.used.temps) {
            self.line(format_args!("vec4 r{number} = vec4(0.0);"));
        }
        if self.used.address {
            self.line("ivec4 a0 = ivec4(0);");
        }
        if self.used.predicate {
            self.line("bvec4 p0 = bvec4(false);");
        }
        if self.vertex() {
            self.output_registers();
        } else {
            self.input_registers();
            if self.used.kills {
                self.line("bool killed = false;");
            }
            if self.used.depth {
                self.line("vec4 oDepth = vec4(0.0);");
            }
            for row in 0..3 {
                if self.version.is_ps_1_1_to_1_3() {
                    self.line(format_args!("float row{row} = 0.0;"));
                }
            }
        }
    }

    fn output_registers(&mut self) {
        let singles = [
            (self.used.singles[0], "oPos"),
            (self.used.singles[1], "oFog"),
            (self.used.singles[2], "oPts"),
            (self.used.singles[3], "oD0"),
            (self.used.singles[4], "oD1"),
        ];
        for (_, name) in singles.into_iter().filter(|(used, _)| *used) {
            self.line(format_args!("vec4 {name} = vec4(0.0);"));
        }
        for number in bits(self.used.texcoords.into()) {
            self.line(format_args!("vec4 oT{number} = vec4(0.0);"));
        }
        if self.used.relative_outputs {
            self.line("vec4 o[16];");
        } else {
            for number in bits(self.used.outputs.into()) {
                self.line(format_args!("vec4 o{number} = vec4(0.0);"));
            }
        }
    }

    fn input_registers(&mut self) {
        let mut seen: Vec<Register> = Vec::new();
        for input in self.declared.inputs.clone() {
            if seen.contains(&input.register) {
                continue;
            }
            seen.push(input.register);
            let number = input.register.number;
            let name = match input.register.file {
                File::Input => self.input_name(number),
                File::PixelPosition => "vPos".to_owned(),
                File::Face => "vFace".to_owned(),
                _ if self.version.is_ps_1_1_to_1_3() => format!("coord{number}"),
                _ => format!("t{number}"),
            };
            self.line(format_args!("vec4 {name} = vec4(0.0);"));
            if self.version.is_ps_1_1_to_1_3() && input.register.file == File::Texture {
                self.line(format_args!("vec4 t{number} = vec4(0.0);"));
            }
        }
        if self.used.relative_inputs {
            self.line("vec4 v[10];");
        }
    }

    /// Inputs go to their registers.
    pub(super) fn prologue(&mut self) {
        if self.vertex() {
            if self.used.relative_outputs {
                self.line("for (int n = 0; n < 16; ++n) o[n] = vec4(0.0);");
            }
            if self.used.relative_inputs {
                self.line("vec4 v[16];");
                self.line("for (int n = 0; n < 16; ++n) v[n] = vec4(0.0);");
                let mut seen = Vec::new();
                for input in self.declared.inputs.clone() {
                    let number = input.register.number;
                    if !seen.contains(&number) {
                        seen.push(number);
                        let name = self.input_name(number);
                        self.line(format_args!("v[{number}] = {name};"));
                    }
                }
            }
            return;
        }
        for input in self.declared.inputs.clone() {
            self.input(&input);
        }
        if self.used.relative_inputs {
            self.line("for (int n = 0; n < 10; ++n) v[n] = vec4(0.0);");
            let numbers: std::collections::BTreeSet<u16> = self
                .declared
                .inputs
                .iter()
                .filter(|input| input.register.file == File::Input)
                .map(|input| input.register.number)
                .collect();
            for number in numbers {
                let name = self.input_name(number);
                self.line(format_args!("v[{number}] = {name};"));
            }
        }
    }

    fn input(&mut self, input: &Input) {
        let number = input.register.number;
        let mask = if input.mask == WriteMask::ALL {
            String::new()
        } else {
            let letters: String = input.mask.iter().map(Component::letter).collect();
            format!(".{letters}")
        };
        let from = self.varying(input.usage);
        let line = match input.register.file {
            File::PixelPosition => match self.target.position {
                Position::Uniform => "vPos.xy = floor(vec2(gl_FragCoord.x, d3d9_fixup.z < 0.0 ? gl_FragCoord.y : d3d9_fixup.w - gl_FragCoord.y));".to_owned(),
                Position::Plain | Position::Mirrored(_) => "vPos.xy = floor(gl_FragCoord.xy);".to_owned(),
            },
            File::Face => "vFace = vec4(gl_FrontFacing ? 1.0 : -1.0);".to_owned(),
            // Colours are 0 to 1 below 3_0 (d3d9-shaders.md section 5.6).
            File::Input if self.version.major() < 3 => {
                let name = self.input_name(number);
                format!("{name}{mask} = clamp({from}{mask}, 0.0, 1.0);")
            }
            File::Input => {
                let name = self.input_name(number);
                format!("{name}{mask} = {from}{mask};")
            }
            _ if self.version.is_ps_1_1_to_1_3() => format!("coord{number} = {from};"),
            _ => format!("t{number}{mask} = {from}{mask};"),
        };
        self.line(&line);
    }

    /// Registers go to the outputs.
    pub(super) fn epilogue(&mut self) {
        self.depth = 1;
        if self.vertex() {
            self.hand_on();
            return;
        }
        if self.version.is_ps_1() {
            let name = self.color_name(0);
            self.line(format_args!("{name} = clamp(r0, 0.0, 1.0);"));
        }
        if self.fogged() {
            let (name, fog) = (self.color_name(0), self.varying((Usage::Fog, 0)));
            self.line(format_args!(
                "{name}.xyz = mix(d3d9_fog_color.xyz, {name}.xyz, {fog}.x);"
            ));
        }
        if self.used.depth {
            self.line("gl_FragDepth = clamp(oDepth.x, 0.0, 1.0);");
        }
        if self.used.kills {
            self.line("if (killed) discard;");
        }
    }

    fn hand_on(&mut self) {
        if self.version.major() == 3 {
            for output in self.declared.outputs.clone() {
                let number = output.register.number;
                let register = if self.used.relative_outputs {
                    format!("o[{number}]")
                } else if self.used.outputs & 1 << number.min(15) != 0 {
                    format!("o{number}")
                } else {
                    continue;
                };
                match output.usage {
                    (Usage::Position, 0) => self.position(&register),
                    (Usage::PointSize, 0) => self.point_size(&register),
                    usage => {
                        let name = self.varying(usage);
                        let letters: String = output.mask.iter().map(Component::letter).collect();
                        let missing = output.mask != WriteMask::ALL;
                        if missing {
                            self.line(format_args!("{name} = vec4(0.0);"));
                        }
                        let mask = if missing {
                            format!(".{letters}")
                        } else {
                            String::new()
                        };
                        self.line(format_args!("{name}{mask} = {register}{mask};"));
                    }
                }
            }
            return;
        }
        for number in 0..2u8 {
            if self.used.singles.get(usize::from(3 + number)) == Some(&true) {
                let name = self.varying((Usage::Color, number));
                self.line(format_args!("{name} = clamp(oD{number}, 0.0, 1.0);"));
            }
        }
        if self.used.singles[1] {
            let name = self.varying((Usage::Fog, 0));
            self.line(format_args!("{name} = clamp(oFog, 0.0, 1.0);"));
        }
        for number in bits(self.used.texcoords.into()) {
            let name = self.varying((Usage::TexCoord, number));
            self.line(format_args!("{name} = oT{number};"));
        }
        if self.used.singles[2] {
            self.point_size("oPts");
        }
        self.position("oPos");
    }

    fn point_size(&mut self, register: &str) {
        if self.target.point_size {
            self.line(format_args!("gl_PointSize = {register}.x;"));
        }
    }

    fn position(&mut self, p: &str) {
        let z = match self.target.clip_depth {
            ClipDepth::AsWritten => {
                self.line(format_args!("gl_Position = {p};"));
                return;
            }
            ClipDepth::ZeroToOne => format!("{p}.z"),
            ClipDepth::MinusOneToOne => format!("2.0 * {p}.z - {p}.w"),
        };
        let xy = match self.target.position {
            Position::Plain => format!("{p}.x, {p}.y"),
            Position::Uniform => format!(
                "{p}.x + d3d9_fixup.x * {p}.w, d3d9_fixup.z * ({p}.y + d3d9_fixup.y * {p}.w)"
            ),
            Position::Mirrored(bias) => {
                format!("{p}.x - {bias:?} * {p}.w, {bias:?} * {p}.w - {p}.y")
            }
        };
        self.line(format_args!("gl_Position = vec4({xy}, {z}, {p}.w);"));
    }
}
