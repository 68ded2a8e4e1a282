//! Everything around the statements: version, inputs, outputs, uniforms, helpers, registers.

use std::fmt::Display;

use shader_core::glsl::position;

use super::Emitter;
use super::interface::{Input, fixed_usage, outputs};
use super::source::selector;
use super::target::{Naming, Position};
use crate::ctab::RegisterSet;
use crate::opcode::Opcode;
use crate::operand::{ADDRESS_LIMIT, Dimension, Swizzle, Usage, WriteMask};
use crate::register::File;

const POW: &str =
    "float d3d9_pow(float a, float b) {\n    return b == 0.0 ? 1.0 : pow(abs(a), b);\n}\n";
const NORMALIZE: &str = "vec4 d3d9_nrm(vec4 v) {\n    float d = dot(v.xyz, v.xyz);\n    return d > 0.0 ? v * inversesqrt(d) : vec4(0.0);\n}\n";
const LIT: &str = "vec4 d3d9_lit(float x, float y, float w) {\n    float z = x > 0.0 && y > 0.0 ? pow(y, clamp(w, -127.9961, 127.9961)) : 0.0;\n    return vec4(1.0, max(x, 0.0), z, 1.0);\n}\n";
const PIXEL_POSITION: &str = "vPos.xy = floor(vec2(gl_FragCoord.x, d3d9_fixup.z < 0.0 ? gl_FragCoord.y : d3d9_fixup.w - gl_FragCoord.y));";

/// A `vec4` of four floats. GLSL has no literals for infinities and NaN, so these are written as bits.
fn vec4(values: [f32; 4]) -> String {
    let finite = values.iter().all(|value| value.is_finite());
    let literals = values.map(|value| match value.is_finite() {
        false => format!("uintBitsToFloat({:#010x}u)", value.to_bits()),
        true if !finite && value.is_sign_negative() => format!("({value:?})"),
        true => format!("{value:?}"),
    });
    format!("vec4({})", literals.join(", "))
}

/// Removes elements whose key occurred before.
fn distinct<T: Copy, K: PartialEq>(list: &[T], key: impl Fn(&T) -> K) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for one in list {
        if !kept.iter().any(|other| key(other) == key(one)) {
            kept.push(*one);
        }
    }
    kept
}

/// The mask as a selector, such as `.xyz`; empty for all components.
fn masked(mask: WriteMask) -> String {
    selector(Swizzle::IDENTITY, mask)
}

impl Emitter<'_> {
    pub(super) fn header(&mut self) {
        let dialect = self.target.dialect;
        self.put(format_args!("{}\n", dialect.version_line()));
        let kinds = self.used.samplers.into_iter().flatten();
        let mut kinds: Vec<&str> = kinds.map(Dimension::sampler_type).collect();
        kinds.sort_unstable();
        kinds.dedup();
        self.out += &dialect.precision_lines(!self.vertex(), &kinds);
    }

    /// The prefix of uniforms: `v` or `p`; `f` with `agal`'s names.
    pub(super) fn prefix(&self) -> char {
        match (self.vertex(), self.target.naming) {
            (true, _) => 'v',
            (false, Naming::Direct3D) => 'p',
            (false, Naming::Agal) => 'f',
        }
    }

    /// The name of a varying.
    pub(super) fn varying(&self, (usage, index): (Usage, u8)) -> String {
        match (self.target.naming, usage) {
            (Naming::Agal, Usage::TexCoord) => format!("v{index}"),
            _ => format!("vary_{}{index}", usage.name()),
        }
    }

    /// The name of an input register; with `agal`'s names, `v#` is taken.
    pub(super) fn input_name(&self, number: u16) -> String {
        format!("{}{number}", self.input_prefix())
    }

    pub(super) fn input_prefix(&self) -> &'static str {
        match (self.target.naming, self.vertex()) {
            (Naming::Direct3D, _) => "v",
            (Naming::Agal, true) => "va",
            (Naming::Agal, false) => "in",
        }
    }

    /// The name of a colour output.
    pub(super) fn color_name(&self, number: u16) -> String {
        match self.target.naming {
            Naming::Direct3D => format!("oC{number}"),
            Naming::Agal if self.used.registers.bits(File::Color) <= 1 => "oc".to_owned(),
            Naming::Agal => format!("fo{number}"),
        }
    }

    pub(super) fn globals(&mut self) {
        if self.vertex() {
            self.attributes();
            for (usage, _) in outputs(self.program) {
                // Position and point size have built-in variables in GLSL.
                if !matches!(usage, (Usage::Position | Usage::PointSize, 0)) {
                    self.put(format_args!("out vec4 {};\n", self.varying(usage)));
                }
            }
        } else {
            self.varyings_in();
        }
        self.uniforms();
        if !self.vertex() {
            let colors = match self.version.is_ps_1() {
                true => 1,
                false => self.used.registers.bits(File::Color),
            };
            for number in (0..4).filter(|number| colors & 1 << number != 0) {
                let name = self.color_name(number);
                self.put(format_args!("layout(location = {number}) out vec4 {name};\n"));
            }
        }
        self.helpers();
    }

    fn attributes(&mut self) {
        for input in distinct(&self.declared.inputs, |input| input.register) {
            let number = input.register.number;
            let (usage, index) = input.usage;
            let comment = format!("{}{index}", usage.name());
            let comment = self.comment(Some(comment));
            let name = self.input_name(number);
            self.put(format_args!("layout(location = {number}) in vec4 {name};{comment}\n"));
        }
    }

    /// ` // text` if comments are enabled. A backslash at the end would continue the comment on the next line.
    fn comment(&self, text: Option<String>) -> String {
        let text = text.filter(|_| self.target.comments);
        text.map_or_else(String::new, |text| format!(" // {}", text.trim_end_matches(['\\', ' '])))
    }

    fn varyings_in(&mut self) {
        let mut inputs = self.declared.inputs.clone();
        inputs.retain(|input| !matches!(input.register.file, File::PixelPosition | File::Face));
        let inputs = distinct(&inputs, |input| input.usage);
        for input in &inputs {
            let centroid = if input.centroid { "centroid " } else { "" };
            self.put(format_args!("{centroid}in vec4 {};\n", self.varying(input.usage)));
        }
        let fog = (Usage::Fog, 0);
        if self.fogged() && !inputs.iter().any(|input| input.usage == fog) {
            self.put(format_args!("in vec4 {};\n", self.varying(fog)));
        }
    }

    /// Whether this shader applies fog.
    fn fogged(&self) -> bool {
        self.target.fog && !self.vertex() && self.version.major() < 3
    }

    fn uniforms(&mut self) {
        let prefix = self.prefix();
        let count = |highest: Option<u16>| highest.map(|highest| highest.saturating_add(1));
        let mut floats = count(self.used.floats);
        if self.used.relative.has(File::Const) {
            floats = floats.max(Some(self.target.vertex_constants));
        }
        if let Some(count) = floats {
            self.put(format_args!("uniform vec4 {prefix}c[{count}];\n"));
            self.constant_comments(prefix);
        }
        if let Some(count) = count(self.used.integers) {
            self.put(format_args!("uniform ivec4 {prefix}i[{count}];\n"));
        }
        if let Some(count) = count(self.used.booleans) {
            self.put(format_args!("uniform bool {prefix}b[{count}];\n"));
        }
        for (number, dimension) in (0u16..).zip(self.used.samplers) {
            if let Some(dimension) = dimension {
                let kind = dimension.sampler_type();
                let comment = self.comment(self.names.name(RegisterSet::Sampler, number));
                self.put(format_args!("uniform {kind} {prefix}s{number};{comment}\n"));
            }
        }
        if self.used.bumps {
            self.put("uniform vec4 d3d9_bump[8];\nuniform vec2 d3d9_luminance[8];\n");
        }
        let mut inputs = self.declared.inputs.iter();
        let reads_position = inputs.any(|input| input.register.file == File::PixelPosition);
        if self.target.position == Position::Uniform && (self.vertex() || reads_position) {
            self.put("uniform vec4 d3d9_fixup;\n");
        }
        if self.fogged() {
            self.put("uniform vec4 d3d9_fog_color;\n");
        }
        for (number, values) in self.used.own_floats.clone() {
            self.put(format_args!("const vec4 c{number} = {};\n", vec4(values)));
        }
        for (number, [x, y, z, w]) in self.used.own_integers.clone() {
            self.put(format_args!("const ivec4 i{number} = ivec4({x}, {y}, {z}, {w});\n"));
        }
    }

    /// Comments with constant names from the compiler's table.
    fn constant_comments(&mut self, prefix: char) {
        let constants = self.names.constants.clone();
        for constant in constants.iter().filter(|one| one.set == RegisterSet::Float) {
            let (first, kind, name) = (constant.register, &constant.kind, &constant.name);
            let place = match constant.count {
                0 | 1 => first.to_string(),
                count => format!("{first}..{}", first.saturating_add(count).saturating_sub(1)),
            };
            let comment = self.comment(Some(format!("{prefix}c[{place}]: {kind} {name}")));
            self.put(format_args!("{}\n", comment.trim_start()));
        }
    }

    fn helpers(&mut self) {
        let used = &self.used;
        let helpers = [(used.powers, POW), (used.normals, NORMALIZE), (used.lits, LIT)];
        for (_, text) in helpers.into_iter().filter(|(called, _)| *called) {
            self.put(text);
        }
        if self.used.registers.has(File::Address) {
            let function = match self.version.major() {
                1 => "floor",
                _ => "roundEven",
            };
            // A conversion of what an integer can't hold is undefined.
            self.put(format_args!(
                "ivec4 d3d9_address(vec4 v) {{\n    vec4 low = vec4(-{ADDRESS_LIMIT:?});\n    \
                return ivec4(mix(low, min({function}(v), -low), greaterThan(v, low)));\n}}\n"
            ));
        }
        if [File::Input, File::Output].iter().any(|file| self.used.relative.has(*file)) {
            // The element behind the registers, see `File::reach`.
            self.put(
                "int d3d9_at(int n, int count) {\n    return n >= 0 && n < count ? n : count;\n}\n",
            );
        }
        if self.used.relative.has(File::Const) {
            let prefix = self.prefix();
            self.put("vec4 d3d9_c(int n) {\n    switch (n) {\n");
            for number in self.used.own_floats.clone().into_keys() {
                self.put(format_args!("    case {number}: return c{number};\n"));
            }
            self.put(format_args!(
                "    default: return n >= 0 && n < {prefix}c.length() ? {prefix}c[n] : vec4(0.0);\n    }}\n}}\n"
            ));
        }
    }

    /// Declares subroutines, since they may be called before their definition.
    pub(super) fn prototypes(&mut self) {
        for (_, instruction) in self.program.instructions() {
            if instruction.opcode == Opcode::Label {
                let label = instruction.source(0).number();
                self.put(format_args!("void l{label}(int aL);\n"));
            }
        }
    }

    /// Declares a register as zero: some shaders read uninitialised ones, against the rule (d3d9-shaders.md section 6).
    fn zero(&mut self, name: impl Display) {
        self.line(format_args!("vec4 {name} = vec4(0.0);"));
    }

    fn zeros(&mut self, file: File) {
        for register in self.used.registers.of(file) {
            self.zero(register);
        }
    }

    /// Declares the registers that are used.
    pub(super) fn locals(&mut self) {
        self.zeros(File::Temp);
        if self.used.registers.has(File::Address) {
            self.line("ivec4 a0 = ivec4(0);");
        }
        if self.used.registers.has(File::Predicate) {
            self.line("bvec4 p0 = bvec4(false);");
        }
        self.array(File::Input, "v");
        if self.vertex() {
            use File::{ColorVarying, Fog, PointSize, Position, TexCoordVarying};
            for file in [Position, Fog, PointSize, ColorVarying, TexCoordVarying] {
                self.zeros(file);
            }
            if !self.array(File::Output, "o") {
                self.zeros(File::Output);
            }
            return;
        }
        self.input_registers();
        if self.used.kills {
            self.line("bool killed = false;");
        }
        self.zeros(File::Depth);
        for row in 0..3 {
            if self.version.is_ps_1_1_to_1_3() {
                self.line(format_args!("float row{row} = 0.0;"));
            }
        }
    }

    /// Declares the array of a file that is indexed, with the element behind its registers; returns whether it is.
    fn array(&mut self, file: File, name: &str) -> bool {
        let indexed = self.used.relative.has(file);
        if indexed {
            let count = file.reach(self.version).saturating_add(1);
            self.line(format_args!("vec4 {name}[{count}];"));
        }
        indexed
    }

    /// Sets the array of an indexed file to 0.
    fn clear(&mut self, file: File, name: &str) {
        if self.used.relative.has(file) {
            let count = file.reach(self.version);
            self.line(format_args!("for (int n = 0; n <= {count}; ++n) {name}[n] = vec4(0.0);"));
        }
    }

    fn input_registers(&mut self) {
        let texels = self.version.is_ps_1_1_to_1_3();
        for input in distinct(&self.declared.inputs, |input| input.register) {
            let number = input.register.number;
            match input.register.file {
                File::Input => self.zero(self.input_name(number)),
                File::Texture if texels => {
                    self.zero(format_args!("coord{number}"));
                    self.zero(input.register);
                }
                _ => self.zero(input.register),
            }
        }
    }

    /// Copies inputs to their registers.
    pub(super) fn prologue(&mut self) {
        let mut numbers = self.declared.inputs.clone();
        numbers.retain(|input| input.register.file == File::Input);
        let mut numbers = distinct(&numbers, |input| input.register);
        self.clear(File::Output, "o");
        self.clear(File::Input, "v");
        if !self.vertex() {
            for input in self.declared.inputs.clone() {
                self.input(&input);
            }
            numbers.sort_by_key(|input| input.register);
        }
        if self.used.relative.has(File::Input) {
            for number in numbers.iter().map(|input| input.register.number) {
                let name = self.input_name(number);
                self.line(format_args!("v[{number}] = {name};"));
            }
        }
    }

    fn input(&mut self, input: &Input) {
        let number = input.register.number;
        let mask = masked(input.mask);
        let from = self.varying(input.usage);
        let name = self.input_name(number);
        let line = match input.register.file {
            File::PixelPosition => match self.target.position {
                Position::Uniform => PIXEL_POSITION.to_owned(),
                Position::Plain | Position::Flipped(_) => {
                    "vPos.xy = floor(gl_FragCoord.xy);".to_owned()
                }
            },
            File::Face => "vFace = vec4(gl_FrontFacing ? 1.0 : -1.0);".to_owned(),
            // Below 3_0 colours are clamped to 0..1 (d3d9-shaders.md section 5.6).
            File::Input if self.version.major() < 3 => {
                format!("{name}{mask} = clamp({from}{mask}, 0.0, 1.0);")
            }
            File::Input => format!("{name}{mask} = {from}{mask};"),
            _ if self.version.is_ps_1_1_to_1_3() => format!("coord{number} = {from};"),
            _ => format!("t{number}{mask} = {from}{mask};"),
        };
        self.line(&line);
    }

    /// Copies registers to the outputs.
    pub(super) fn epilogue(&mut self) {
        self.depth = 1;
        match (self.vertex(), self.version.major()) {
            (true, 3) => return self.outputs_3(),
            (true, _) => return self.outputs_2(),
            (false, _) => {}
        }
        let name = self.color_name(0);
        if self.version.is_ps_1() {
            self.line(format_args!("{name} = clamp(r0, 0.0, 1.0);"));
        }
        if self.fogged() {
            let fog = self.varying((Usage::Fog, 0));
            self.line(format_args!("{name}.xyz = mix(d3d9_fog_color.xyz, {name}.xyz, {fog}.x);"));
        }
        if self.used.registers.has(File::Depth) {
            self.line("gl_FragDepth = clamp(oDepth.x, 0.0, 1.0);");
        }
        if self.used.kills {
            self.line("if (killed) discard;");
        }
    }

    fn outputs_3(&mut self) {
        for output in self.declared.outputs.clone() {
            let number = output.register.number;
            let register = if self.used.relative.has(File::Output) {
                format!("o[{number}]")
            } else if self.used.registers.bits(File::Output) & 1 << number.min(15) != 0 {
                format!("o{number}")
            } else {
                continue;
            };
            match output.usage {
                (Usage::Position, 0) => self.position(&register),
                (Usage::PointSize, 0) => self.point_size(&register),
                usage => {
                    let (name, mask) = (self.varying(usage), masked(output.mask));
                    if !mask.is_empty() {
                        self.line(format_args!("{name} = vec4(0.0);"));
                    }
                    self.line(format_args!("{name}{mask} = {register}{mask};"));
                }
            }
        }
    }

    fn outputs_2(&mut self) {
        for file in [File::ColorVarying, File::Fog, File::TexCoordVarying] {
            for register in self.used.registers.of(file) {
                let name = self.varying(fixed_usage(register));
                match file {
                    File::TexCoordVarying => self.line(format_args!("{name} = {register};")),
                    _ => self.line(format_args!("{name} = clamp({register}, 0.0, 1.0);")),
                }
            }
        }
        if self.used.registers.has(File::PointSize) {
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
        let xy = match self.target.position {
            Position::Plain => format!("{p}.x, {p}.y"),
            Position::Uniform => format!(
                "{p}.x + d3d9_fixup.x * {p}.w, d3d9_fixup.z * ({p}.y + d3d9_fixup.y * {p}.w)"
            ),
            Position::Flipped(bias) => {
                format!("{p}.x - {bias:?} * {p}.w, {bias:?} * {p}.w - {p}.y")
            }
        };
        self.line(position(p, self.target.clip_depth, &xy));
    }
}
