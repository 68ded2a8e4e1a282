//! Translates texture instructions of ps_1_x ([d3d9.ps1.bem] [d3d9.ps1.matrix] [d3d9.ps1.specular] [d3d9.ps1.depth]
//! [d3d9.ps1.dp3]).

use agal_core::WriteMask;

use super::D3d9Emitter;
use crate::opcode::TextureOp;
use crate::operand::{Component, Dimension};
use crate::program::D3d9Instruction;

impl D3d9Emitter<'_> {
    fn sample(&self, stage: u16, coordinates: &str) -> String {
        let letters = match self.options.stage(stage).dimension {
            Dimension::TwoD => "xy",
            Dimension::Cube | Dimension::Volume => "xyz",
        };
        let bias = self.bias(stage);
        let bias = if bias == 0.0 { String::new() } else { format!(", {bias:?}") };
        format!("texture({}s{stage}, {coordinates}.{letters}{bias})", self.prefix())
    }

    /// Returns the texture coordinates of a stage, projected if the stage's state requires projection.
    fn stage_coordinates(&self, stage: u16) -> String {
        if self.options.stage(stage).projected {
            let coordinates = format!("coord{stage}");
            format!("({})", self.quotient(&coordinates, &format!("{coordinates}.w")))
        } else {
            format!("coord{stage}")
        }
    }

    fn bump(&self, base: &str, vector: &str, stage: u16) -> String {
        let m = format!("d3d9_bump[{stage}]");
        format!("({base}.xy + {m}.xy * {vector}.x + {m}.zw * {vector}.y)")
    }

    pub(super) fn bem(&mut self, instruction: &D3d9Instruction, mask: WriteMask) {
        let stage = instruction.dest.map_or(0, |dest| dest.number());
        let [a, b] =
            [0, 1].map(|index| self.source(instruction.source(index), WriteMask::first(2)));
        let value = format!("vec4({}, 0.0, 0.0)", self.bump(&a, &b, stage));
        self.assign_masked(instruction, mask, &value);
    }

    /// Emits a write of the depth: the quotient, or 1 if the divisor is 0.
    fn depth(&mut self, a: &str, b: &str) {
        let quotient = self.quotient(a, b);
        self.line(format_args!("oDepth = vec4({b} == 0.0 ? 1.0 : {quotient});"));
    }

    fn add_row(&mut self, stage: u16, source: &str) {
        let row = self.rows.min(2);
        self.line(format_args!("row{row} = dot(coord{stage}.xyz, {source});"));
        self.rows = self.rows.saturating_add(1);
    }

    fn last_row(&mut self, stage: u16, source: &str) {
        self.add_row(stage, source);
        self.rows = 0;
    }

    pub(super) fn texture_1(&mut self, instruction: &D3d9Instruction, texture: TextureOp) {
        let Some(dest) = instruction.dest else { return };
        let stage = dest.number();
        let all = self.source(instruction.source(0), WriteMask::ALL);
        let xyz = self.source(instruction.source(0), WriteMask::first(3));
        let mask = dest.mask();
        match texture {
            TextureOp::Kill => return self.kill(instruction),
            TextureOp::Depth => return self.depth("r5.x", "r5.y"),
            TextureOp::Pad { .. } => self.add_row(stage, &xyz),
            TextureOp::MatrixLoad { .. } | TextureOp::Reflect { .. } => self.last_row(stage, &xyz),
            TextureOp::MatrixValue => self.last_row(stage, &xyz),
            TextureOp::MatrixDepth => {
                self.last_row(stage, &xyz);
                self.depth("row0", "row1");
            }
            TextureOp::Coordinate | TextureOp::Load | TextureOp::Bem { .. } => {}
            TextureOp::FromRegister(_) | TextureOp::Dot | TextureOp::DotLoad => {}
            TextureOp::LoadGradient | TextureOp::LoadLevel => {}
        }
        let value = self.texel(instruction, texture, stage, [all, xyz]);
        let value = if mask == WriteMask::ALL { value } else { format!("({value})") };
        self.assign_masked(instruction, mask, &value);
    }

    /// Returns the result of a texture instruction, given its source as `vec4` and the source's xyz.
    fn texel(
        &self,
        instruction: &D3d9Instruction,
        texture: TextureOp,
        stage: u16,
        [all, xyz]: [String; 2],
    ) -> String {
        let four = !self.version.is_ps_1_1_to_1_3();
        match texture {
            TextureOp::Coordinate if four => all,
            TextureOp::Coordinate => format!("vec4(clamp(coord{stage}.xyz, 0.0, 1.0), 1.0)"),
            TextureOp::Load if four => self.sample(stage, &all),
            TextureOp::Load => self.sample(stage, &self.stage_coordinates(stage)),
            TextureOp::Bem { luminance } => {
                let base = self.stage_coordinates(stage);
                let moved = self.bump(&base, &all, stage);
                let texel = self.sample(stage, &format!("vec4({moved}, {base}.zw)"));
                let light = format!("d3d9_luminance[{stage}]");
                if luminance {
                    format!("{texel} * ({all}.z * {light}.x + {light}.y)")
                } else {
                    texel
                }
            }
            TextureOp::FromRegister(components) => {
                let letters = components.iter().map(|c| Component::from_bits(*c).letter());
                let letters: String = letters.collect();
                let zero = if components.len() == 2 { "0.0, " } else { "" };
                self.sample(stage, &format!("vec4({all}.{letters}, {zero}1.0)"))
            }
            TextureOp::MatrixLoad { rows } => {
                let z = if rows == 3 { "row2" } else { "0.0" };
                self.sample(stage, &format!("vec4(row0, row1, {z}, 1.0)"))
            }
            TextureOp::MatrixValue => "vec4(row0, row1, row2, 1.0)".to_owned(),
            TextureOp::Reflect { varying } => {
                let w = |back: u16| format!("coord{}.w", stage.saturating_sub(back));
                let eye = if varying {
                    format!("vec3({}, {}, {})", w(2), w(1), w(0))
                } else {
                    self.source(instruction.source(1), WriteMask::first(3))
                };
                let n = "vec3(row0, row1, row2)";
                let factor =
                    self.quotient(&format!("2.0 * dot({n}, {eye})"), &format!("dot({n}, {n})"));
                let reflected = format!("{factor} * {n} - {eye}");
                self.sample(stage, &format!("vec4({reflected}, 1.0)"))
            }
            TextureOp::MatrixDepth => "oDepth".to_owned(),
            TextureOp::Dot => format!("vec4(dot(coord{stage}.xyz, {xyz}))"),
            TextureOp::DotLoad => {
                self.sample(stage, &format!("vec4(dot(coord{stage}.xyz, {xyz}), 0.0, 0.0, 1.0)"))
            }
            TextureOp::Pad { .. } | TextureOp::Kill | TextureOp::Depth => all,
            TextureOp::LoadGradient | TextureOp::LoadLevel => all,
        }
    }
}
