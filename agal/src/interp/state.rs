//! The registers of a run.

use super::{LANES, LaneRegister};
use crate::isa::register::{MAX_TRACKED, RegisterFile};

/// The first slots of the register files in a state. Each register file except the constants has at most
/// [`MAX_TRACKED`] slots.
const ATTRIBUTES: usize = 0;
const VARYINGS: usize = ATTRIBUTES + 16;
const TEMPORARIES: usize = VARYINGS + 16;
const OUTPUTS: usize = TEMPORARIES + MAX_TRACKED;
const DEPTH: usize = OUTPUTS + 4;
const INSTANCE: usize = DEPTH + 1;
const CONSTANTS: usize = INSTANCE + 1;
/// The total number of slots, one for each register. Constants occupy the last slots: at most 250 registers (AGAL 3,
/// [agal.register.counts]), rounded up to 256.
const SLOTS: usize = CONSTANTS + 256;

/// The value of a register without a slot.
const ZERO: LaneRegister = LaneRegister([[0.0; LANES]; 4]);

/// All registers of four invocations. [`CompiledProgram::state`](super::CompiledProgram::state) creates a state, which
/// can be reused for any number of runs.
#[derive(Clone, Debug)]
pub struct AgalState {
    slots: [LaneRegister; SLOTS],
    pub(super) alive: [bool; LANES],
}

/// Returns the slot of a register. Samplers, and numbers that no AGAL version has, have no slot.
pub(super) fn slot(file: RegisterFile, number: u16) -> Option<u16> {
    let (first, count) = match file {
        RegisterFile::Attribute => (ATTRIBUTES, VARYINGS - ATTRIBUTES),
        RegisterFile::Varying => (VARYINGS, TEMPORARIES - VARYINGS),
        RegisterFile::Temporary => (TEMPORARIES, OUTPUTS - TEMPORARIES),
        RegisterFile::Output => (OUTPUTS, DEPTH - OUTPUTS),
        RegisterFile::DepthOutput => (DEPTH, 1),
        RegisterFile::InstanceId => (INSTANCE, 1),
        RegisterFile::Constant => (CONSTANTS, SLOTS - CONSTANTS),
        RegisterFile::Sampler => return None,
    };
    let number = usize::from(number);
    let slot = (number < count).then_some(first + number)?;
    u16::try_from(slot).ok()
}

impl AgalState {
    pub(super) fn new() -> AgalState {
        let mut state = AgalState { slots: [LaneRegister::default(); SLOTS], alive: [true; LANES] };
        for lane in 0..LANES {
            state.set_instance(lane, 0);
        }
        state
    }

    pub(super) fn get_mut(&mut self, slot: u16) -> Option<&mut LaneRegister> {
        self.slots.get_mut(usize::from(slot))
    }

    /// Returns the value of a register in every lane; zero if no register has this number.
    pub fn register(&self, file: RegisterFile, number: u16) -> &LaneRegister {
        let slot = slot(file, number).and_then(|slot| self.slots.get(usize::from(slot)));
        slot.unwrap_or(&ZERO)
    }

    pub(super) fn slot_mut(
        &mut self,
        file: RegisterFile,
        number: u16,
    ) -> Option<&mut LaneRegister> {
        slot(file, number).and_then(|slot| self.get_mut(slot))
    }

    fn set(&mut self, file: RegisterFile, number: u16, lane: usize, value: [f32; 4]) {
        if let Some(register) = self.slot_mut(file, number) {
            register.set_lane(lane, value);
        }
    }

    /// Sets attribute `va<number>` of one lane. The initial value of attributes is zero.
    pub fn set_attribute(&mut self, number: u16, lane: usize, value: [f32; 4]) {
        self.set(RegisterFile::Attribute, number, lane, value);
    }

    /// Sets varying `v<number>` of one lane, an input of a fragment program.
    pub fn set_varying(&mut self, number: u16, lane: usize, value: [f32; 4]) {
        self.set(RegisterFile::Varying, number, lane, value);
    }

    pub(super) fn set_constant(&mut self, number: u16, value: [f32; 4]) {
        self.set_lanes(RegisterFile::Constant, number, &LaneRegister::splat(value));
    }

    /// Sets the value of a register in every lane.
    pub fn set_lanes(&mut self, file: RegisterFile, number: u16, value: &LaneRegister) {
        if let Some(register) = self.slot_mut(file, number) {
            *register = *value;
        }
    }

    /// Sets the instance id of one lane. Flash's values of y, z and w are unknown ([agal.iid.others]); this function
    /// sets 0, 0 and 1, like an attribute with one component.
    #[expect(
        clippy::cast_precision_loss,
        reason = "the register is a float: instances beyond 2^24 share values there too"
    )]
    pub fn set_instance(&mut self, lane: usize, instance: u32) {
        self.set(RegisterFile::InstanceId, 0, lane, [instance as f32, 0.0, 0.0, 1.0]);
    }

    /// Returns varying `v<number>` of one lane, an output of a vertex program.
    pub fn varying(&self, number: u16, lane: usize) -> [f32; 4] {
        self.register(RegisterFile::Varying, number).lane(lane)
    }

    /// Returns the position that a vertex program wrote, in Flash's clip space (z from 0 to w).
    pub fn position(&self, lane: usize) -> [f32; 4] {
        self.register(RegisterFile::Output, 0).lane(lane)
    }

    /// Returns a colour output of a fragment program in one lane.
    pub fn color(&self, number: u16, lane: usize) -> [f32; 4] {
        self.register(RegisterFile::Output, number).lane(lane)
    }

    /// Returns the depth output of a fragment program in one lane.
    pub fn depth(&self, lane: usize) -> f32 {
        let [x, ..] = self.register(RegisterFile::DepthOutput, 0).lane(lane);
        x
    }

    /// Returns the lanes that have not been discarded.
    pub fn alive(&self) -> [bool; LANES] {
        self.alive
    }
}
