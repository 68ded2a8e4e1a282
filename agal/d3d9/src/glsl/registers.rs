//! Declares registers, and copies inputs to registers and registers to outputs.

use std::fmt::Display;

use agal_core::glsl::position;

use super::D3d9Emitter;
use super::interface::distinct;
use super::interface::{fixed_usage, usage};
use super::options::PositionTransform;
use super::source::masked;
use crate::declarations::DeclaredInput;
use crate::opcode::{Operation, TextureOp};
use crate::operand::DeclUsage;
use crate::register::ShaderFile;

const PIXEL_POSITION: &str = "vPos.xy = floor(vec2(gl_FragCoord.x, d3d9_fixup.z < 0.0 ? gl_FragCoord.y : d3d9_fixup.w - gl_FragCoord.y));";

impl D3d9Emitter<'_> {
    /// Initializes a register with zero, because some shaders read unwritten registers despite [d3d9.rule.14].
    fn zero(&mut self, name: impl Display) {
        self.line(format_args!("vec4 {name} = vec4(0.0);"));
    }

    fn zeros(&mut self, file: ShaderFile) {
        for register in self.used.registers.of(file) {
            self.zero(register);
        }
    }

    fn kills(&self) -> bool {
        self.any(|kind| kind == Operation::Texture(TextureOp::Kill))
    }

    pub(super) fn locals(&mut self) {
        self.zeros(ShaderFile::Temp);
        if self.used.registers.has(ShaderFile::Address) {
            self.line("ivec4 a0 = ivec4(0);");
        }
        if self.used.registers.has(ShaderFile::Predicate) {
            self.line("bvec4 p0 = bvec4(false);");
        }
        self.array(ShaderFile::Input, "v");
        if self.vertex() {
            use ShaderFile::{ColorVarying, Fog, PointSize, Position, TexCoordVarying};
            for file in [Position, Fog, PointSize, ColorVarying, TexCoordVarying] {
                self.zeros(file);
            }
            if !self.array(ShaderFile::Output, "o") {
                self.zeros(ShaderFile::Output);
            }
            return;
        }
        let texels = self.version.is_ps_1_1_to_1_3();
        for input in distinct(&self.inputs, |input| input.register) {
            let number = input.register.number;
            match input.register.file {
                ShaderFile::Input => self.zero(self.input_name(number)),
                ShaderFile::Texture if texels => {
                    self.zero(format_args!("coord{number}"));
                    self.zero(input.register);
                }
                _ => self.zero(input.register),
            }
        }
        if self.kills() {
            self.line("bool killed = false;");
        }
        for number in &self.hoisted {
            self.code.line(format_args!("vec4 hoisted{number};"));
        }
        self.zeros(ShaderFile::Depth);
        for row in (0..3).filter(|_| texels) {
            self.line(format_args!("float row{row} = 0.0;"));
        }
    }

    /// Declares an array for a register file with relative addressing, with one extra element. Returns false if no
    /// instruction addresses the register file relatively.
    fn array(&mut self, file: ShaderFile, name: &str) -> bool {
        let indexed = self.used.relative.has(file);
        if indexed {
            let count = file.reach(self.version).saturating_add(1);
            self.line(format_args!("vec4 {name}[{count}];"));
        }
        indexed
    }

    fn clear(&mut self, file: ShaderFile, name: &str) {
        if self.used.relative.has(file) {
            let count = file.reach(self.version);
            self.line(format_args!("for (int n = 0; n <= {count}; ++n) {name}[n] = vec4(0.0);"));
        }
    }

    pub(super) fn prologue(&mut self) {
        self.clear(ShaderFile::Output, "o");
        self.clear(ShaderFile::Input, "v");
        let mut inputs = distinct(&self.inputs, |input| input.register);
        if !self.vertex() {
            for input in self.inputs.clone() {
                self.input(&input);
            }
            inputs.sort_by_key(|input| input.register);
        }
        inputs.retain(|input| {
            input.register.file == ShaderFile::Input && self.used.relative.has(ShaderFile::Input)
        });
        for number in inputs.iter().map(|input| input.register.number) {
            let name = self.input_name(number);
            self.line(format_args!("v[{number}] = {name};"));
        }
    }

    fn input(&mut self, input: &DeclaredInput) {
        let number = input.register.number;
        let mask = masked(input.mask);
        let from = self.varying(usage(input));
        let name = self.input_name(number);
        let line = match input.register.file {
            ShaderFile::PixelPosition => match self.options.position {
                PositionTransform::Uniform => PIXEL_POSITION.to_owned(),
                PositionTransform::Plain | PositionTransform::Flipped(_) => {
                    "vPos.xy = floor(gl_FragCoord.xy);".to_owned()
                }
            },
            ShaderFile::Face => "vFace = vec4(gl_FrontFacing ? 1.0 : -1.0);".to_owned(),
            // Colour inputs are clamped to 0..1 below 3_0 ([d3d9.linkage.clamp]).
            ShaderFile::Input if self.version.major() < 3 => {
                format!("{name}{mask} = clamp({from}{mask}, 0.0, 1.0);")
            }
            ShaderFile::Input => format!("{name}{mask} = {from}{mask};"),
            _ if self.version.is_ps_1_1_to_1_3() => format!("coord{number} = {from};"),
            _ => format!("t{number}{mask} = {from}{mask};"),
        };
        self.line(line);
    }

    pub(super) fn epilogue(&mut self) {
        for name in &self.zeros {
            self.code.line(format_args!("{name} = vec4(0.0);"));
        }
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
            let fog = self.varying((DeclUsage::Fog, 0));
            self.line(format_args!("{name}.xyz = mix(d3d9_fog_color.xyz, {name}.xyz, {fog}.x);"));
        }
        if self.used.registers.has(ShaderFile::Depth) {
            self.line("gl_FragDepth = clamp(oDepth.x, 0.0, 1.0);");
        }
        if self.kills() {
            self.line("if (killed) discard;");
        }
    }

    fn outputs_3(&mut self) {
        let outputs: Vec<DeclaredInput> =
            self.declared.of_file(ShaderFile::Output).copied().collect();
        for output in outputs {
            let number = output.register.number;
            let register = if self.used.relative.has(ShaderFile::Output) {
                format!("o[{number}]")
            } else if self.used.registers.bits(ShaderFile::Output) & 1 << number.min(15) != 0 {
                format!("o{number}")
            } else {
                continue;
            };
            match usage(&output) {
                (DeclUsage::Position, 0) => self.position(&register),
                (DeclUsage::PointSize, 0) => self.point_size(&register),
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
        for file in [ShaderFile::ColorVarying, ShaderFile::Fog, ShaderFile::TexCoordVarying] {
            for register in self.used.registers.of(file) {
                let name = self.varying(fixed_usage(register));
                match file {
                    ShaderFile::TexCoordVarying => self.line(format_args!("{name} = {register};")),
                    _ => self.line(format_args!("{name} = clamp({register}, 0.0, 1.0);")),
                }
            }
        }
        if self.used.registers.has(ShaderFile::PointSize) {
            self.point_size("oPts");
        }
        self.position("oPos");
    }

    fn point_size(&mut self, register: &str) {
        if self.options.point_size {
            self.line(format_args!("gl_PointSize = {register}.x;"));
        }
    }

    fn position(&mut self, p: &str) {
        let xy = match self.options.position {
            PositionTransform::Plain => format!("{p}.x, {p}.y"),
            PositionTransform::Uniform => format!(
                "{p}.x + d3d9_fixup.x * {p}.w, d3d9_fixup.z * ({p}.y + d3d9_fixup.y * {p}.w)"
            ),
            PositionTransform::Flipped(bias) => {
                format!("{p}.x - {bias:?} * {p}.w, {bias:?} * {p}.w - {p}.y")
            }
        };
        self.line(position(p, self.options.clip_depth, &xy));
    }
}
