//! The registers of a shader invocation.

use super::{LANES, LaneRegister as Value};
use crate::register::{D3d9Register, FLOATS, INPUTS, ShaderFile};

/// All registers of four invocations, except constants. Created by
/// [`CompiledShader::state`](super::CompiledShader::state). Runs don't change the inputs.
#[derive(Clone, Debug)]
pub struct D3d9State {
    slots: Box<[Value; FLOATS]>,
    /// For ps_1_1 to ps_1_3, the texels in `t#`; the register slots hold the texture coordinates.
    texels: Option<[Value; 8]>,
    pub(super) address: [[i32; LANES]; 4],
    pub(super) predicate: [[bool; LANES]; 4],
    pub(super) alive: [bool; LANES],
}

impl D3d9State {
    pub(super) fn new(texels: bool) -> D3d9State {
        D3d9State {
            slots: Box::new([Value::default(); FLOATS]),
            texels: texels.then(Default::default),
            address: [[0; LANES]; 4],
            predicate: [[false; LANES]; 4],
            alive: [true; LANES],
        }
    }

    pub(super) fn clear(&mut self) {
        let kept = self.slots.iter_mut().skip(INPUTS);
        let texels = self.texels.iter_mut().flatten();
        kept.chain(texels).for_each(|slot| *slot = Value::default());
        self.address = [[0; LANES]; 4];
        self.predicate = [[false; LANES]; 4];
        self.alive = [true; LANES];
    }

    /// Returns a register's value in all lanes, or zero if the register doesn't exist.
    pub fn register(&self, register: D3d9Register) -> Value {
        let value = match &self.texels {
            Some(texels) if register.file == ShaderFile::Texture => {
                texels.get(usize::from(register.number))
            }
            _ => register.slot().and_then(|slot| self.slots.get(slot)),
        };
        value.copied().unwrap_or_default()
    }

    pub(super) fn get_mut(&mut self, register: D3d9Register) -> Option<&mut Value> {
        match &mut self.texels {
            Some(texels) if register.file == ShaderFile::Texture => {
                texels.get_mut(usize::from(register.number))
            }
            _ => self.slots.get_mut(register.slot()?),
        }
    }

    /// Returns the interpolated coordinates of `t#`, even in ps_1_1 to ps_1_3, where `t#` holds a texel.
    pub(super) fn coordinates(&self, number: u16) -> Value {
        let slot = ShaderFile::Texture.at(number).slot();
        let register = slot.and_then(|slot| self.slots.get(slot));
        register.copied().unwrap_or_default()
    }

    /// Sets one lane of an input: `v#`, `t#`, `vPos` in whole pixels from the top left corner, or `vFace`, which is
    /// negative for a back face. Inputs that aren't set are zero.
    pub fn set(&mut self, input: D3d9Register, lane: usize, value: [f32; 4]) {
        if let Some(known) = input.slot().and_then(|slot| self.slots.get_mut(slot)) {
            known.set_lane(lane, value);
        }
    }

    /// Returns one lane of a register, or zero if the register doesn't exist. In ps_1_x, `oC0` is the clamped `r0`.
    pub fn lane(&self, register: D3d9Register, lane: usize) -> [f32; 4] {
        self.register(register).lane(lane)
    }
    /// Returns for each lane whether the pixel is still alive, that is, not discarded by `texkill`.
    pub fn alive(&self) -> [bool; LANES] {
        self.alive
    }
}
