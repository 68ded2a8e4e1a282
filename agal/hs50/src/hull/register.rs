//! THE register model: the registers of every phase (hs50-registers.tsv). The checker, `molehill shader registers`, the
//! interpreter's storage and the GLSL declarations share the register model.

use super::rule::HullRule;
use crate::tokens::operand::OperandKind;

agal_core::table! {
    /// The phase types of a hull shader, in program order.
    #[derive(Default)]
    pub enum PhaseKind {
        /// Returns the phase's name in the register model.
        name: &'static str => from_name(&str),
        /// Returns the name used in messages.
        words: &'static str as Display,
    }
    /// The control point phase, which runs once per output control point.
    #[default]
    ControlPoint "control_point", "control point";
    /// Computes patch constants from control points.
    Fork "fork", "fork";
    /// Computes patch constants from control points and the results of fork phases.
    Join "join", "join";
}

agal_core::table! {
    /// The permitted access to a register.
    pub enum HullAccess {
        /// Returns the access as text: `r`, `w` or `rw`.
        name: &'static str,
        /// Returns whether programs may read the register.
        reads: bool,
        /// Returns whether programs may write the register.
        writes: bool,
    }
    Read      "r",  true,  false;
    Write     "w",  false, true;
    ReadWrite "rw", true,  true;
}

use HullRule::*;
use OperandKind as Kind;
use PhaseKind::{ControlPoint, Fork, Join};

const ALL: &[PhaseKind] = PhaseKind::ALL;
const PATCH: &[PhaseKind] = &[Fork, Join];

agal_core::table! {
    /// An entry of the register model.
    pub enum RegisterInfo {
        /// Returns the register file of the entry.
        kind: OperandKind,
        /// Returns the phases in which the register exists.
        phases: &'static [PhaseKind],
        /// Returns the name of the register.
        register: &'static str,
        /// Returns the register's format in listings.
        assembly: &'static str,
        /// Returns the number of registers, or 0 if there is no fixed number.
        count: u32,
        /// Returns a description of the number of registers.
        counted: &'static str,
        /// Returns the permitted access to the register.
        access: HullAccess,
        /// Returns the number of components of the register.
        components: &'static str,
        /// Returns the number of indices of the register.
        indices: usize,
        /// Returns the index positions that may contain a register, for relative addressing.
        indexable: &'static [usize],
        /// Returns a description of the register's relative addressing.
        indexed: &'static str,
        /// Returns a description of the register's initial value.
        default: &'static str,
        /// Returns a description of the declaration that the register needs.
        declaration: &'static str,
        /// Returns the rules that concern the register.
        rules: &'static [HullRule],
    }
    // columns: kind, phases, register, assembly, count, counted, access, components, indices, indexable, indexed,
    // default, declaration, rules
    Temp Kind::Temp, ALL, "temp", "r#", 4096, "4096 shared by r# and x#[]", HullAccess::ReadWrite,
        "4", 1, &[], "no", "none", "yes (dcl_temps n)", &[R1, R2];
    IndexableTemp Kind::IndexableTemp, ALL, "indexable temp", "x#[n]", 4096, "4096 shared by r# and x#[]", HullAccess::ReadWrite,
        "4", 2, &[1], "yes", "none", "yes (dcl_indexableTemp x#[n], c)", &[R1, R2];
    Input Kind::Input, &[ControlPoint], "input control point", "v[vertex][element]", 32, "32 elements * 32 vertices", HullAccess::Read,
        "4", 2, &[0, 1], "yes, both axes", "none", "yes (dcl_input v[n][e].mask)", &[R6, R7, R8];
    OutputControlPointId Kind::OutputControlPointId, &[ControlPoint], "OutputControlPointID", "vOutputControlPointID", 1, "1", HullAccess::Read,
        "1 (uint)", 0, &[], "no", "none", "yes (dcl_input)", &[R9];
    PrimitiveId Kind::PrimitiveId, ALL, "PrimitiveID", "vPrim", 1, "1", HullAccess::Read,
        "1 (uint)", 0, &[], "no", "n/a", "yes (dcl_input)", &[R10];
    Resource Kind::Resource, ALL, "input resource element", "t#", 128, "128", HullAccess::Read,
        "128 (as printed; a resource has up to 4 components)", 1, &[0], "yes", "none", "yes (dcl_resource*, in hs_decls)", &[R3];
    Sampler Kind::Sampler, ALL, "sampler", "s#", 16, "16", HullAccess::Read,
        "1", 1, &[0], "yes", "none", "yes (dcl_sampler, in hs_decls)", &[R3];
    ConstantBuffer Kind::ConstantBuffer, ALL, "constant buffer", "cb#[index]", 15, "15", HullAccess::Read,
        "4", 2, &[1], "yes (index; the slot is a literal in sm5.0)", "none", "yes (dcl_constantbuffer, in hs_decls)", &[R3, R4];
    ImmediateConstantBuffer Kind::ImmediateConstantBuffer, ALL, "immediate constant buffer", "icb[index]", 1, "1 (up to 4096 vec4)", HullAccess::Read,
        "4", 1, &[0], "yes (contents)", "none", "yes (custom data class 3, in hs_decls)", &[R3, R5];
    Output Kind::Output, &[ControlPoint], "output control point element", "o#", 32, "32, and output scalars * output control points <= 3968", HullAccess::Write,
        "4", 1, &[0], "yes", "none", "yes (dcl_output / dcl_output_siv)", &[R11, R12, R13];
    InputControlPoint Kind::InputControlPoint, PATCH, "input control point (before the control point phase)", "vicp[vertex][element]", 32, "32 (elements) * 32 (vertices)", HullAccess::Read,
        "4 (component) * 32 (element) * 32 (vertex)", 2, &[0, 1], "yes", "none", "yes (dcl_input vicp[n][e].mask)", &[R14, R15, R16];
    OutputControlPoint Kind::OutputControlPoint, PATCH, "output control point (after the control point phase)", "vocp[vertex][element]", 32, "32 (elements) * 32 (vertices)", HullAccess::Read,
        "4 (component) * 32 (element) * 32 (vertex)", 2, &[0, 1], "yes", "none", "yes (dcl_input vocp[n][e].mask)", &[R14, R15, R16];
    ForkInstanceId Kind::ForkInstanceId, &[Fork], "ForkInstanceID", "vForkInstanceID", 1, "1", HullAccess::Read,
        "1 (uint)", 0, &[], "no", "n/a", "yes (dcl_input)", &[R17];
    PatchOutput Kind::Output, PATCH, "patch constant output element", "o#", 32, "32, shared by all fork and join phases", HullAccess::Write,
        "4", 1, &[0], "yes", "none", "yes (dcl_output / dcl_output_siv)", &[R18, R19, R20, R21, R22];
    PatchConstant Kind::PatchConstant, &[Join], "patch constant input", "vpc[element]", 32, "32", HullAccess::Read,
        "4", 1, &[0], "yes", "none", "yes (dcl_input vpc#.mask)", &[R23];
    JoinInstanceId Kind::JoinInstanceId, &[Join], "JoinInstanceID", "vJoinInstanceID", 1, "1", HullAccess::Read,
        "1 (uint)", 0, &[], "no", "n/a", "yes (dcl_input)", &[R17];
    Null Kind::Null, ALL, "null", "null", 0, "-", HullAccess::Write,
        "-", 0, &[], "no", "n/a", "no", &[];
    Immediate32 Kind::Immediate32, ALL, "immediate 32", "l(...)", 0, "-", HullAccess::Read,
        "1 or 4", 0, &[], "no", "n/a", "no", &[];
    Immediate64 Kind::Immediate64, ALL, "immediate 64", "d(...)", 0, "-", HullAccess::Read,
        "1 or 2 doubles", 0, &[], "no", "n/a", "no", &[];
}

/// Returns the entry for a register file in a phase, or `None` if the phase lacks the file.
pub fn find(phase: PhaseKind, kind: OperandKind) -> Option<RegisterInfo> {
    let mut rows = RegisterInfo::ALL.iter().copied();
    rows.find(|row| row.kind() == kind && row.phases().contains(&phase))
}

pub(crate) fn count(phase: PhaseKind, kind: OperandKind) -> u32 {
    find(phase, kind).map_or(0, RegisterInfo::count)
}

/// Returns whether `dcl_input` declares registers of the register file `kind`.
pub(crate) fn is_input(kind: OperandKind) -> bool {
    use OperandKind::{ForkInstanceId, Input, InputControlPoint, JoinInstanceId};
    use OperandKind::{OutputControlPoint, OutputControlPointId, PatchConstant, PrimitiveId};
    let numbers =
        matches!(kind, OutputControlPointId | PrimitiveId | ForkInstanceId | JoinInstanceId);
    numbers || matches!(kind, Input | InputControlPoint | OutputControlPoint | PatchConstant)
}

/// Maximum number of registers per signature: 32 for control points, 32 for patch constants ([hs50.rule.r13]
/// [hs50.rule.r14] [hs50.rule.r18]).
pub const MAX_ELEMENTS: u32 = 32;
/// Maximum number of control points per patch ([hs50.rule.r6]).
pub const MAX_CONTROL_POINTS: u32 = 32;
/// Maximum number of scalars in all output control points ([hs50.rule.r11]): 128 of 4096 are for patch constants.
pub const MAX_OUTPUT_SCALARS: u32 = 4096 - 128;
/// Maximum instance count of a fork or join phase ([hs50.rule.r17]): 128 by FS 10.8.4, but 2^32-1 by FS 22.3.24
/// ([hs50.rule.r17_count]).
pub const MAX_INSTANCES: u32 = 128;
/// Maximum number of rows of the immediate constant buffer ([hs50.rule.r5]).
pub const MAX_IMMEDIATE_CONSTANTS: usize = 4096;
/// Maximum nesting depth of blocks ([hs50.rule.nesting]).
pub const MAX_NESTING: usize = 64;
