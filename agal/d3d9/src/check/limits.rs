//! Rule 58: limits of instruction slots and of dependent texture reads.

use super::D3d9Checker;
use super::rule::D3d9Rule;
use crate::opcode::Operation;
use crate::program::D3d9Instruction;
use crate::slots::{Slots, instruction_slots};
use crate::texture_order::MAX_ORDER;
use crate::version::ShaderVersion;

const MAX_SLOTS_3: u32 = 32768;

impl D3d9Checker<'_> {
    pub(super) fn limit(&mut self, instruction: &D3d9Instruction) {
        let slots = instruction_slots(instruction, self.version);
        let all = &mut self.report.facts.slots;
        *all = all.plus(slots);
        if instruction.opcode.operation() == Operation::Phase {
            self.phase_limit();
            self.phase = Slots::default();
        }
        self.phase = self.phase.plus(slots);
        if self.version.is_vertex() || self.version.major() < 2 {
            return;
        }
        // Limits the order of dependent texture reads ([d3d9.order.levels]).
        let limited = match self.version {
            ShaderVersion::Ps20 => true,
            ShaderVersion::Ps2x => !self.caps.pixel.no_dependent_limit,
            _ => false,
        };
        let order = self.orders.add(instruction, self.version).unwrap_or(0);
        report! { self; error Limits if limited && order > MAX_ORDER =>
        "a dependent texture read of order {order}: at most {MAX_ORDER} is allowed"; }
    }

    fn too_many(&mut self, what: &str, found: u32, limit: u32) {
        let version = self.version;
        report! { self; error Limits if found > limit => "{found} {what}: {version} allows {limit}"; }
    }

    /// Checks the instruction slots of a phase: each phase of ps_1_4 has limits of its own.
    fn phase_limit(&mut self) {
        let phase = self.phase;
        self.too_many("texture slots in a phase", phase.texture, 6);
        self.too_many("arithmetic slots in a phase", phase.arithmetic, 8);
    }

    /// Checks the instruction slots of the whole shader ([d3d9.slots.version]).
    pub(super) fn limit_end(&mut self) {
        let slots = self.report.facts.slots;
        let total = slots.total();
        match self.version {
            ShaderVersion::Vs11 => self.too_many("slots", total, 128),
            ShaderVersion::Vs20 | ShaderVersion::Vs2x => self.too_many("slots", total, 256),
            ShaderVersion::Ps11 | ShaderVersion::Ps12 | ShaderVersion::Ps13 => {
                self.too_many("texture slots", slots.texture, 4);
                self.too_many("arithmetic slots", slots.arithmetic, 8);
            }
            ShaderVersion::Ps14 => self.phase_limit(),
            ShaderVersion::Ps20 => {
                self.too_many("texture slots", slots.texture, 32);
                self.too_many("arithmetic slots", slots.arithmetic, 64);
            }
            ShaderVersion::Ps2x => self.too_many("slots", total, 512),
            ShaderVersion::Vs30 | ShaderVersion::Ps30 => {
                self.too_many("slots", total, MAX_SLOTS_3);
                let large = total > 512 && total <= MAX_SLOTS_3;
                report! { self; warning Limits if large => "{total} slots: devices guarantee only 512"; }
            }
            ShaderVersion::Vs2sw
            | ShaderVersion::Vs3sw
            | ShaderVersion::Ps2sw
            | ShaderVersion::Ps3sw => {}
        }
    }
}
