//! Rule 58: limits of instruction slots and dependent texture reads.

use super::Checker;
use super::rule::Rule;
use crate::dependent::{MAX_ORDER, Orders};
use crate::opcode::Kind;
use crate::program::Instruction;
use crate::slots::{Slots, instruction_slots};
use crate::version::Version;

/// Running counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Limits {
    pub(super) slots: Slots,
    /// Slots of the current phase.
    phase: Slots,
    pub(super) orders: Orders,
}

impl Checker<'_> {
    pub(super) fn limit(&mut self, instruction: &Instruction) {
        let dimension = self.dimension(instruction);
        let slots = instruction_slots(instruction, self.version, self.options.slots, dimension);
        self.limits.slots = self.limits.slots.plus(slots);
        if instruction.opcode.kind() == Kind::Phase {
            self.phase_limit();
            self.limits.phase = Slots::default();
        }
        self.limits.phase = self.limits.phase.plus(slots);
        if !self.version.is_vertex() && self.version.major() >= 2 {
            self.order(instruction);
        }
    }

    /// Checks the order of dependent texture reads (d3d9-shaders.md section 3.5).
    fn order(&mut self, instruction: &Instruction) {
        let limited = match self.version {
            Version::Ps20 => true,
            Version::Ps2x => !self.options.caps.pixel.no_dependent_limit,
            _ => false,
        };
        let order = self.limits.orders.add(instruction, self.version);
        if let Some(order) = order.filter(|order| limited && *order > MAX_ORDER) {
            let message = format!(
                "a dependent texture read of order {order}: at most {MAX_ORDER} is allowed"
            );
            self.error(Rule::Limits, message);
        }
    }

    fn too_many(&mut self, what: &str, found: u32, limit: u32) {
        first! { self; error Limits if found > limit => "{found} {what}: {} allows {limit}", self.version; }
    }

    /// Checks the slots of a phase: ps_1_4 limits each phase by itself.
    fn phase_limit(&mut self) {
        let phase = self.limits.phase;
        self.too_many("texture slots in a phase", phase.texture, 6);
        self.too_many("arithmetic slots in a phase", phase.arithmetic, 8);
    }

    /// Checks the slots of the whole shader (d3d9-shaders.md section 3.1).
    pub(super) fn limit_end(&mut self) {
        let slots = self.limits.slots;
        let total = slots.total();
        let caps = self.options.caps;
        match self.version {
            Version::Vs11 => self.too_many("slots", total, 128),
            Version::Vs20 => self.too_many("slots", total, 256),
            Version::Vs2x => self.too_many("slots", total, caps.vertex.slots),
            Version::Ps11 | Version::Ps12 | Version::Ps13 => {
                self.too_many("texture slots", slots.texture, 4);
                self.too_many("arithmetic slots", slots.arithmetic, 8);
            }
            Version::Ps14 => self.phase_limit(),
            Version::Ps20 => {
                self.too_many("texture slots", slots.texture, 32);
                self.too_many("arithmetic slots", slots.arithmetic, 64);
            }
            Version::Ps2x => {
                if !caps.pixel.no_texture_limit {
                    self.too_many("texture slots", slots.texture, 32);
                }
                self.too_many("slots", total, caps.pixel.slots);
            }
            Version::Vs30 | Version::Ps30 => {
                self.too_many("slots", total, caps.slots_3_0);
                if total > 512 && total <= caps.slots_3_0 {
                    let message = format!("{total} slots: devices guarantee only 512");
                    self.warning(Rule::Limits, message);
                }
            }
            Version::Vs2sw | Version::Vs3sw | Version::Ps2sw | Version::Ps3sw => {}
        }
    }
}
