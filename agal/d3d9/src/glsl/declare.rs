//! Declarations outside of functions: version, inputs, outputs, uniforms, constants and helper functions.

use agal_core::glsl::INVARIANT_POSITION;

use super::D3d9Emitter;
use super::interface::{distinct, outputs, usage, varyings};
use super::options::{PositionTransform, RegisterNaming};
use crate::ctab::RegisterSet;
use crate::opcode::{Operation, TextureOp};
use crate::operand::{ADDRESS_LIMIT, DeclUsage, Dimension};
use crate::register::ShaderFile;

/// A GLSL function that returns the index, or the index of the extra element if out of range (see `ShaderFile::reach`).
const AT: &str = "\
int d3d9_at(int n, int count) {
    return n >= 0 && n < count ? n : count;
}
";

/// Returns a `vec4` literal. Infinities and NaN have no GLSL literal and are written as bit patterns.
fn vec4(values: [f32; 4]) -> String {
    let finite = values.iter().all(|value| value.is_finite());
    let literals = values.map(|value| {
        if !value.is_finite() {
            format!("uintBitsToFloat({:#010x}u)", value.to_bits())
        } else if !finite && value.is_sign_negative() {
            format!("({value:?})")
        } else {
            format!("{value:?}")
        }
    });
    format!("vec4({})", literals.join(", "))
}

impl D3d9Emitter<'_> {
    /// Returns the prefix of uniform names: `v` or `p`, or `f` for pixel shaders with AGAL naming.
    pub(super) fn prefix(&self) -> char {
        match (self.vertex(), self.options.naming) {
            (true, _) => 'v',
            (false, RegisterNaming::Direct3D) => 'p',
            (false, RegisterNaming::Agal) => 'f',
        }
    }

    pub(super) fn varying(&self, (usage, index): (DeclUsage, u8)) -> String {
        match (self.options.naming, usage) {
            (RegisterNaming::Agal, DeclUsage::TexCoord) => format!("v{index}"),
            _ => format!("vary_{}{index}", usage.name()),
        }
    }

    /// Returns the GLSL name of an input register. With AGAL naming, `v#` is a varying.
    pub(super) fn input_name(&self, number: u16) -> String {
        let prefix = match (self.options.naming, self.vertex()) {
            (RegisterNaming::Direct3D, _) => "v",
            (RegisterNaming::Agal, true) => "va",
            (RegisterNaming::Agal, false) => "in",
        };
        format!("{prefix}{number}")
    }

    pub(super) fn color_name(&self, number: u16) -> String {
        match self.options.naming {
            RegisterNaming::Direct3D => format!("oC{number}"),
            RegisterNaming::Agal if self.used.registers.bits(ShaderFile::Color) <= 1 => {
                "oc".to_owned()
            }
            RegisterNaming::Agal => format!("fo{number}"),
        }
    }

    pub(super) fn globals(&mut self) {
        let dialect = self.options.dialect;
        let samplers = self.used.samplers.into_iter().flatten();
        let mut samplers: Vec<&str> = samplers.map(Dimension::sampler_type).collect();
        samplers.sort_unstable();
        samplers.dedup();
        self.line(dialect.version_line());
        self.code.push_str(&dialect.precision_lines(!self.vertex(), &samplers));
        if self.vertex() {
            self.code.push_str(INVARIANT_POSITION);
            self.attributes();
            for (usage, _) in outputs(self.program, &self.declared) {
                // In GLSL, position and point size are built-in variables.
                if !matches!(usage, (DeclUsage::Position | DeclUsage::PointSize, 0)) {
                    self.line(format_args!("out vec4 {};", self.varying(usage)));
                }
            }
            for name in &self.zeros {
                self.code.line(format_args!("out vec4 {name};"));
            }
        } else {
            self.varyings_in();
        }
        self.uniforms();
        if !self.vertex() {
            let bits = self.used.registers.bits(ShaderFile::Color);
            let colors = if self.version.is_ps_1() { 1 } else { bits };
            for number in (0..4).filter(|number| colors & 1 << number != 0) {
                let name = self.color_name(number);
                self.line(format_args!("layout(location = {number}) out vec4 {name};"));
            }
        }
        self.helpers();
    }

    fn attributes(&mut self) {
        for input in distinct(&self.inputs, |input| input.register) {
            let number = input.register.number;
            let (usage, index) = usage(&input);
            let comment = self.comment(Some(format!("{}{index}", usage.name())));
            let name = self.input_name(number);
            self.line(format_args!("layout(location = {number}) in vec4 {name};{comment}"));
        }
    }

    fn varyings_in(&mut self) {
        let inputs = varyings(&self.inputs);
        for input in &inputs {
            let centroid = if input.centroid { "centroid " } else { "" };
            self.line(format_args!("{centroid}in vec4 {};", self.varying(usage(input))));
        }
        let fog = (DeclUsage::Fog, 0);
        if self.fogged() && !inputs.iter().any(|input| usage(input) == fog) {
            self.line(format_args!("in vec4 {};", self.varying(fog)));
        }
    }

    pub(super) fn fogged(&self) -> bool {
        self.options.fog && !self.vertex() && self.version.major() < 3
    }

    fn uniforms(&mut self) {
        let prefix = self.prefix();
        let indexed = self.used.relative.has(ShaderFile::Const);
        let floats = self.used.floats.max(if indexed { self.options.vertex_constants } else { 0 });
        if floats > 0 {
            self.line(format_args!("uniform vec4 {prefix}c[{floats}];"));
            self.constant_comments(prefix);
        }
        let (integers, booleans) = (self.used.integers, self.used.booleans);
        if integers > 0 {
            self.line(format_args!("uniform ivec4 {prefix}i[{integers}];"));
        }
        if booleans > 0 {
            self.line(format_args!("uniform bool {prefix}b[{booleans}];"));
        }
        for (number, dimension) in (0u16..).zip(self.used.samplers) {
            if let Some(dimension) = dimension {
                let kind = dimension.sampler_type();
                let comment = self.comment(self.names.name(RegisterSet::Sampler, number));
                self.line(format_args!("uniform {kind} {prefix}s{number};{comment}"));
            }
        }
        if self
            .any(|kind| matches!(kind, Operation::Bem | Operation::Texture(TextureOp::Bem { .. })))
        {
            self.line("uniform vec4 d3d9_bump[8];\nuniform vec2 d3d9_luminance[8];");
        }
        let mut inputs = self.inputs.iter();
        let reads_position = inputs.any(|input| input.register.file == ShaderFile::PixelPosition);
        if self.options.position == PositionTransform::Uniform && (self.vertex() || reads_position)
        {
            self.line("uniform vec4 d3d9_fixup;");
        }
        if self.fogged() {
            self.line("uniform vec4 d3d9_fog_color;");
        }
        for (number, values) in &self.declared.floats {
            self.code.line(format_args!("const vec4 c{number} = {};", vec4(*values)));
        }
        for (number, [x, y, z, w]) in &self.declared.integers {
            self.code.line(format_args!("const ivec4 i{number} = ivec4({x}, {y}, {z}, {w});"));
        }
    }

    fn constant_comments(&mut self, prefix: char) {
        for constant in self.names.constants.clone() {
            let (first, kind, name) = (constant.register, &constant.kind, &constant.name);
            let numbers = match constant.count {
                0 | 1 => first.to_string(),
                count => format!("{first}..{}", first.saturating_add(count).saturating_sub(1)),
            };
            let comment = self.comment(Some(format!("{prefix}c[{numbers}]: {kind} {name}")));
            if constant.set == RegisterSet::Float {
                self.line(comment.trim_start());
            }
        }
    }

    fn helpers(&mut self) {
        self.float_functions();
        if self.used.registers.has(ShaderFile::Address) {
            let function = if self.version.major() == 1 { "floor" } else { "roundEven" };
            // GLSL leaves the conversion of floats outside of the range of `int` undefined.
            self.code.open("ivec4 d3d9_address(vec4 v) {");
            self.line(format_args!("vec4 low = vec4(-{ADDRESS_LIMIT:?});"));
            self.line(format_args!(
                "return ivec4(mix(low, min({function}(v), -low), greaterThan(v, low)));"
            ));
            self.code.close();
        }
        if [ShaderFile::Input, ShaderFile::Output].iter().any(|file| self.used.relative.has(*file))
        {
            self.code.push_str(AT);
        }
        if self.used.relative.has(ShaderFile::Const) {
            let prefix = self.prefix();
            self.code.open("vec4 d3d9_c(int n) {");
            self.line("switch (n) {");
            for number in self.declared.floats.keys() {
                self.code.line(format_args!("case {number}: return c{number};"));
            }
            self.line(format_args!(
                "default: return n >= 0 && n < {prefix}c.length() ? {prefix}c[n] : vec4(0.0);"
            ));
            self.line("}");
            self.code.close();
        }
    }
}
