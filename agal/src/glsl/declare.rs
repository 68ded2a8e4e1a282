//! Writes a shader's declarations: version, extensions, precision, interface, helpers and locals.

use agal_core::float::GLSL_LARGEST;
use agal_core::glsl::{IF_HIGH, INVARIANT_POSITION, OutputDeclaration, Precision, Support};

use super::{GlslEmitter, POSITION, PairFeature};
use crate::float::FloatRules;
use crate::isa::register::RegisterFile;
use crate::isa::sampler::Dimension;
use crate::liveness::bits;
use crate::version::Stage;
use crate::wgsl::text::{self, KILLED, NORMALIZE};
use crate::wgsl::writer::ShaderWriter as _;

/// The GLSL code that converts a float to an index: statements, then an expression. The first row is for GLSL 1.30 and
/// ES 3.00, the second row for older versions. Floats outside the range of `int` are clamped, because their conversion
/// is undefined. The clamp's bounds, -512 and 512, exceed all counts of constant registers and all offsets.
const INDEX: [[&str; 2]; 2] = [
    ["", "int(roundEven(clamp(index, -512.0, 512.0)))"],
    [
        "    index = clamp(index, -512.0, 512.0);
    float whole = floor(index + 0.5);
    whole -= float(whole - index == 0.5) * mod(whole, 2.0);
",
        "int(whole)",
    ],
];

impl GlslEmitter<'_> {
    pub(super) fn header(&mut self) {
        self.out.put(&[self.language.dialect.version_line(), "\n"]);
        for feature in PairFeature::ALL {
            if feature.stage() == self.shader.stage
                && let Support::Extension(name) = feature.support(self.language.dialect)
                && feature.is_used_by(self.shader.pair)
            {
                self.out.put(&["#extension ", name, " : require\n"]);
            }
        }
        let used = |dimension: Dimension| {
            let mut samplers = self.shader.samplers();
            samplers.any(|sampler| sampler.dimension == dimension).then_some(kind(dimension))
        };
        let kinds: Vec<&str> = Dimension::ALL.iter().copied().filter_map(used).collect();
        let lines =
            self.language.dialect.precision_lines(self.shader.stage == Stage::Fragment, &kinds);
        self.out.push_str(&lines);
    }

    pub(super) fn globals(&mut self) {
        let (stage, interface) = (self.shader.stage, self.shader.interface());
        let words = self.language.dialect.words();
        let varying = self.shader.of_stage(words.varying);
        if stage == Stage::Vertex {
            self.out.push_str(INVARIANT_POSITION);
            for n in bits(interface.attributes.into()) {
                if self.language.dialect.located_attributes() {
                    self.location(n);
                }
                self.declare(words.attribute, " vec4 ", RegisterFile::Attribute, n);
            }
        }
        for n in bits(self.shader.pair.varyings(stage)) {
            self.declare(varying, " vec4 ", RegisterFile::Varying, n);
        }
        if !self.language.constants.is_empty() {
            self.out.push_str("uniform vec4 ");
            let count = u16::try_from(self.language.constants.len()).unwrap_or_default();
            self.register_name(RegisterFile::Constant, count);
            self.out.push_str(";\n");
        }
        for sampler in self.shader.samplers() {
            self.out.push_str("uniform ");
            self.declare(kind(sampler.dimension), " ", RegisterFile::Sampler, sampler.register);
        }
        if stage == Stage::Fragment && self.language.dialect.outputs() != OutputDeclaration::BuiltIn
        {
            for n in bits(interface.color_outputs.into()) {
                if self.language.dialect.outputs() == OutputDeclaration::Located {
                    self.location(n);
                }
                self.declare("out", " vec4 ", RegisterFile::Output, n);
            }
        }
    }

    fn location(&mut self, number: u16) {
        self.out.numbered("layout(location = ", number.into());
        self.out.push_str(") ");
    }

    fn declare(&mut self, keyword: &str, kind: &str, file: RegisterFile, number: u16) {
        self.out.put(&[keyword, kind]);
        self.register(file, number);
        self.out.push_str(";\n");
    }

    pub(super) fn helpers(&mut self) {
        if self.shader.liveness.normalizes {
            self.normalize_helper();
        }
        if self.shader.liveness.indexes {
            self.index_helper();
        }
    }

    /// Returns the declaration of the largest float: a half float, if the shader may lack high precision.
    pub(super) fn largest(&self) -> String {
        let line = |value| format!("const float agal_largest = {value};\n");
        let largest = line(GLSL_LARGEST);
        if self.may_be_half() {
            [IF_HIGH, &largest, "#else\n", &line("65504.0"), "#endif\n"].concat()
        } else {
            largest
        }
    }

    /// Returns whether floats may have half precision.
    fn may_be_half(&self) -> bool {
        self.shader.stage == Stage::Fragment
            && self.language.dialect.precision() == Precision::HighIfThere
    }

    /// Writes the helper function for `nrm`. The sum of squares of half floats overflows from 256 on and vanishes below
    /// 2⁻¹², so the vector is scaled first.
    fn normalize_helper(&mut self) {
        self.out.put(&["vec3 ", NORMALIZE, "(vec3 v) {\n"]);
        if self.may_be_half() {
            let scale = "    v /= max(max(max(abs(v.x), abs(v.y)), abs(v.z)), 6.2e-5);\n";
            self.out.put(&["#ifndef GL_FRAGMENT_PRECISION_HIGH\n", scale, "#endif\n"]);
        }
        self.largest |= self.language.options.float_rules == FloatRules::Direct3D9;
        self.out.push_str(match self.language.options.float_rules {
            FloatRules::Direct3D9 => "    return v * min(inversesqrt(dot(v, v)), agal_largest);\n}\n",
            FloatRules::Ieee => {
                "    float d = dot(v, v);\n    return d > 0.0 ? v * inversesqrt(d) : vec3(0.0);\n}\n"
            }
        });
    }

    /// Writes the helper function for indices. An index is rounded, then clamped to the array of constants, so that no
    /// read is out of bounds ([agal.indirect.rounding] [agal.indirect.outside]).
    fn index_helper(&mut self) {
        let [modern, old] = INDEX;
        let ([statements, whole], [open, zero, end]) = if self.language.dialect.integers() {
            (modern, ["clamp(", ", 0, ", ")"])
        } else {
            (old, ["int(clamp(float(", "), 0.0, ", ".0))"])
        };
        self.out.put(&["int ", text::INDEX, "(float index, int offset) {\n"]);
        self.out.put(&[statements, "    return ", open, whole, " + offset"]);
        let last = self.shader.interface().vertex_constants.saturating_sub(1);
        self.out.numbered(zero, last.into());
        self.out.put(&[end, ";\n}\n"]);
    }

    /// Declares locals. One line declares the registers that every path writes before reading. All other registers
    /// start at zero, because a branch that isn't taken may contain the only write.
    pub(super) fn locals(&mut self) {
        let mut before = "    vec4 ";
        if self.shader.stage == Stage::Vertex {
            self.out.put(&[before, POSITION]);
            before = ", ";
        }
        for number in bits(self.shader.liveness.temporaries & !self.shader.liveness.zeroed) {
            self.out.push_str(before);
            self.register(RegisterFile::Temporary, number);
            before = ", ";
        }
        if before == ", " {
            self.out.push_str(";\n");
        }
        for number in bits(self.shader.liveness.zeroed) {
            self.out.push_str("    vec4 ");
            self.zero(RegisterFile::Temporary, number);
        }
        for number in bits(self.shader.liveness.zeroed_varyings) {
            self.out.push_str("    ");
            self.zero(RegisterFile::Varying, number);
        }
        self.instance_id();
        if self.shader.liveness.late_kill {
            self.out.put(&["    bool ", KILLED, " = false;\n"]);
        }
    }

    fn zero(&mut self, file: RegisterFile, number: u16) {
        self.register(file, number);
        self.out.push_str(" = vec4(0.0);\n");
    }

    fn instance_id(&mut self) {
        if self.shader.has_instance() {
            let word = self.language.dialect.features().instance_id.word;
            self.out.push_str("    vec4 ");
            self.register(RegisterFile::InstanceId, 0);
            self.out.push_str(" = ");
            self.instance(|out| out.out.push_str(word));
            self.out.push_str(";\n");
        }
    }
}

fn kind(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::TwoD => "sampler2D",
        Dimension::Cube => "samplerCube",
    }
}
