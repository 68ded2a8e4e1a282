//! Executes texture instructions of ps_1_x ([d3d9.ps1.bem] [d3d9.ps1.matrix] [d3d9.ps1.specular] [d3d9.ps1.depth]
//! [d3d9.ps1.dp3]).

use agal_core::float::FloatRules;
use agal_core::lanes::{saturate, zip};

use super::compile::Op;
use super::exec::D3d9Machine;
use super::{D3d9Lookup, DeclaredSampler, DetailLevel, LaneRegister as Value, LaneValues, alu};
use crate::opcode::TextureOp;
use crate::operand::Component;
use crate::register::{D3d9Register, ShaderFile};
use crate::texture_stage::TextureStage;

const ZERO: LaneValues = [0.0; 4];
const ONE: LaneValues = [1.0; 4];

impl D3d9Machine<'_> {
    /// Reads the texture of a stage; ps_1_1 to ps_1_3 divide coordinates by w if the stage's state requires projection.
    fn sample(&self, stage: u16, coordinates: &Value) -> Value {
        let sampler = &DeclaredSampler { number: stage, dimension: self.stage(stage).dimension };
        self.textures.read(&D3d9Lookup { sampler, coordinates, level: DetailLevel::Implicit(ZERO) })
    }

    fn stage(&self, number: u16) -> TextureStage {
        let stage = self.inputs.stages.get(usize::from(number));
        stage.copied().unwrap_or_default()
    }

    /// Returns the texture coordinates of a stage, projected if the stage's state requires projection.
    fn stage_coordinates(&self, number: u16) -> Value {
        let value = self.state.coordinates(number);
        if !self.stage(number).projected {
            return value;
        }
        self.divided(&value, Component::W)
    }

    /// Returns `base.xy` plus the product of the stage's bump matrix and the vector (r, g).
    pub(super) fn bump(&self, base: &Value, [r, g]: [LaneValues; 2], stage: u16) -> Value {
        let [m00, m01, m10, m11] = self.stage(stage).matrix;
        let [x, y, z, w] = base.0;
        let moved = |base: LaneValues, to_r: f32, to_g: f32| {
            let by = zip(r, g, |r, g| to_r * r + to_g * g);
            zip(base, by, |base, by| base + by)
        };
        Value([moved(x, m00, m10), moved(y, m01, m11), z, w])
    }

    pub(super) fn texture_1(&mut self, op: &Op, texture: TextureOp, target: D3d9Register) -> Value {
        let stage = target.number;
        let four = !self.compiled.version.is_ps_1_1_to_1_3();
        let source = self.source(op, 0);
        // If the instruction completes a matrix, adds the matrix's last row.
        let [x, y, z] = match texture {
            TextureOp::MatrixLoad { .. } | TextureOp::Reflect { .. } => {
                self.last_row(stage, &source)
            }
            TextureOp::MatrixValue | TextureOp::MatrixDepth => self.last_row(stage, &source),
            _ => [ZERO; 3],
        };
        match texture {
            TextureOp::Coordinate if four => source,
            TextureOp::Coordinate => {
                let [x, y, z, _] = self.state.coordinates(stage).0;
                Value([x, y, z, ONE]).map(saturate)
            }
            TextureOp::Load if four => self.sample(stage, &source),
            TextureOp::Load => self.sample(stage, &self.stage_coordinates(stage)),
            TextureOp::Bem { luminance } => self.bumped(stage, &source, luminance),
            TextureOp::FromRegister(components) => {
                let mut coordinates = Value([ZERO, ZERO, ZERO, ONE]);
                for (to, from) in coordinates.0.iter_mut().zip(components) {
                    *to = source.get(Component::from_bits(*from));
                }
                self.sample(stage, &coordinates)
            }
            TextureOp::Pad { .. } => {
                self.add_row(stage, &source);
                source
            }
            TextureOp::MatrixLoad { .. } => self.sample(stage, &Value([x, y, z, ONE])),
            TextureOp::MatrixValue => Value([x, y, z, ONE]),
            TextureOp::Reflect { varying } => {
                let eye = if varying { self.varying_eye(stage) } else { self.source(op, 1) };
                let normal = Value([x, y, z, ZERO]);
                self.sample(stage, &reflected(self.compiled.rules, &normal, &eye))
            }
            TextureOp::MatrixDepth => {
                let depth = self.set_depth(x, y);
                Value([depth; 4])
            }
            TextureOp::Dot => Value([self.row_of(stage, &source); 4]),
            TextureOp::DotLoad => {
                let u = self.row_of(stage, &source);
                self.sample(stage, &Value([u, ZERO, ZERO, ONE]))
            }
            TextureOp::Depth => {
                let [r, g, ..] = self.state.register(target).0;
                self.set_depth(r, g);
                Value::default()
            }
            TextureOp::Kill | TextureOp::LoadGradient | TextureOp::LoadLevel => source,
        }
    }

    /// Reads the texture at the stage's coordinates plus a bump vector, and scales the texel by the luminance.
    fn bumped(&self, stage: u16, vector: &Value, luminance: bool) -> Value {
        let [r, g, b, _] = vector.0;
        let moved = self.bump(&self.stage_coordinates(stage), [r, g], stage);
        let texel = self.sample(stage, &moved);
        if !luminance {
            return texel;
        }
        let [scale, offset] = self.stage(stage).luminance;
        let light = b.map(|b| b * scale + offset);
        Value(texel.0.map(|lanes| zip(lanes, light, |a, b| a * b)))
    }

    /// Returns the eye vector, stored in the w components of three stages' coordinates.
    fn varying_eye(&self, stage: u16) -> Value {
        let w = |back: u16| self.state.coordinates(stage.saturating_sub(back)).get(Component::W);
        Value([w(2), w(1), w(0), ZERO])
    }

    fn row_of(&self, stage: u16, source: &Value) -> LaneValues {
        alu::dot(&self.state.coordinates(stage), source, 3)
    }

    fn add_row(&mut self, stage: u16, source: &Value) {
        let row = self.row_of(stage, source);
        if let Some(slot) = self.rows.get_mut(self.row) {
            *slot = row;
        }
        self.row = self.row.saturating_add(1);
    }

    /// Adds the last row and returns all rows of the matrix; missing rows are zero.
    fn last_row(&mut self, stage: u16, source: &Value) -> [LaneValues; 3] {
        self.add_row(stage, source);
        self.row = 0;
        std::mem::replace(&mut self.rows, [ZERO; 3])
    }

    /// Sets the depth to a quotient, or to 1 if the divisor is 0, and returns the depth.
    fn set_depth(&mut self, a: LaneValues, b: LaneValues) -> LaneValues {
        let rules = self.compiled.rules;
        let depth = zip(a, b, |a, b| if b == 0.0 { 1.0 } else { rules.div(a, b) });
        if let Some(register) = self.state.get_mut(ShaderFile::Depth.at(0)) {
            *register = Value([depth.map(saturate); 4]);
        }
        depth
    }

    /// Begins the second phase, which preserves colours and loses alpha.
    pub(super) fn phase(&mut self) {
        for number in 0..6 {
            if let Some(register) = self.state.get_mut(ShaderFile::Temp.at(number)) {
                let [.., alpha] = &mut register.0;
                *alpha = ZERO;
            }
        }
    }
}

/// Returns the reflected eye vector, 2 (N·E) / (N·N) N - E.
fn reflected(rules: FloatRules, normal: &Value, eye: &Value) -> Value {
    let [ne, nn] = [eye, normal].map(|other| alu::dot(normal, other, 3));
    let factor = zip(ne, nn, |ne, nn| rules.div(2.0 * ne, nn));
    let along = normal.0.map(|lanes| zip(lanes, factor, |n, f| n * f));
    let component = |along: LaneValues, eye: LaneValues| zip(along, eye, |a, e| a - e);
    let [x, y, z, _] = zip(along, eye.0, component);
    Value([x, y, z, ONE])
}
