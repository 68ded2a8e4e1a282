//! Rule 58: limits of instruction slots and of dependent texture reads.

use super::Checker;
use super::rule::Rule;
use crate::opcode::Operation;
use crate::program::Instruction;
use crate::slots::{Slots, instruction_slots};
use crate::texture_order::MAX_ORDER;
use crate::version::Version;

const MAX_SLOTS_3: u32 = 32768;

impl Checker<'_> {
    pub(super) fn limit(&mut self, instruction: &Instruction) {
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
            Version::Ps20 => true,
            Version::Ps2x => !self.caps.pixel.no_dependent_limit,
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
            Version::Vs11 => self.too_many("slots", total, 128),
            Version::Vs20 | Version::Vs2x => self.too_many("slots", total, 256),
            Version::Ps11 | Version::Ps12 | Version::Ps13 => {
                self.too_many("texture slots", slots.texture, 4);
                self.too_many("arithmetic slots", slots.arithmetic, 8);
            }
            Version::Ps14 => self.phase_limit(),
            Version::Ps20 => {
                self.too_many("texture slots", slots.texture, 32);
                self.too_many("arithmetic slots", slots.arithmetic, 64);
            }
            Version::Ps2x => self.too_many("slots", total, 512),
            Version::Vs30 | Version::Ps30 => {
                self.too_many("slots", total, MAX_SLOTS_3);
                let large = total > 512 && total <= MAX_SLOTS_3;
                report! { self; warning Limits if large => "{total} slots: devices guarantee only 512"; }
            }
            Version::Vs2sw | Version::Vs3sw | Version::Ps2sw | Version::Ps3sw => {}
        }
    }
}
