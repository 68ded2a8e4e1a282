//! Tests every rule and its message with a minimal change to a valid program.

use hs50::check::{CheckOptions, Severity, check};
use hs50::rule::HullRule;
use hs50::shader::HullProgramShader;
use hs50::text::assemble;

const WHOLE: &str = include_str!("programs/whole.hs50");

fn changed(edits: &[(&str, &str)]) -> HullProgramShader {
    let mut text = WHOLE.to_owned();
    for (old, new) in edits {
        assert_eq!(text.matches(old).count(), 1, "{old} is not there once");
        text = text.replace(old, new);
    }
    assemble(&text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn findings(shader: &HullProgramShader) -> Vec<(HullRule, Severity, String)> {
    let report = check(shader, CheckOptions::default()).expect("a hull shader");
    report
        .findings
        .iter()
        .map(|finding| (finding.rule, finding.severity, finding.to_string()))
        .collect()
}

/// Columns: rule, replacements in the valid program, message.
type Case = (HullRule, &'static [(&'static str, &'static str)], &'static str);

macro_rules! cases {
    ($($rule:ident [$($from:literal -> $to:literal),+ $(,)?] => $message:literal;)+) => {
        const CASES: &[Case] = &[$((HullRule::$rule, &[$(($from, $to)),+], $message)),+];
    };
}

// [hs50.rule.r1] [hs50.rule.r2] [hs50.rule.r3] [hs50.rule.r4] [hs50.rule.r5] [hs50.rule.r6] [hs50.rule.r7]
// [hs50.rule.r8] [hs50.rule.r9] [hs50.rule.r10] [hs50.rule.r13] [hs50.rule.r14] [hs50.rule.r15] [hs50.rule.r16]
// [hs50.rule.r17] [hs50.rule.r18] [hs50.rule.r19] [hs50.rule.r20] [hs50.rule.r21] [hs50.rule.r22] [hs50.rule.r23]
// [hs50.rule.r24] [hs50.rule.r25] [hs50.rule.r27] [hs50.rule.r28] [hs50.rule.r29] [hs50.rule.state]
// [hs50.rule.opcode] [hs50.rule.operand] [hs50.rule.register] [hs50.rule.nesting] [hs50.rule.signature]
// [hs50.phase.kinds] [hs50.register.kinds] [hs50.opcode.allowed] [hs50.opcode.read_dimension]
// [hs50.run.unwritten] [hs50.run.outputs] [hs50.resource.instructions]
cases! {
    R1 ["dcl_temps 2\ndcl_indexableTemp x0[4], 4" -> "dcl_temps 4000\ndcl_indexableTemp x0[97], 1"]
        => "error R1, control point phase: 4000 temporaries and 97 elements of indexable temporaries total 4097, \
            at most 4096 are allowed";
    R2 ["utof r0.x, vPrim\nadd o6" -> "add o6"]
        => "warning R2, fork phase 1: r0.x is read but never written in this phase";
    R3 ["dcl_sampler s0, mode_default" -> "dcl_sampler s0, mode_default\ndcl_sampler s16, mode_default"]
        => "error R3: s16 is past the last register, s15";
    R3 ["dcl_sampler s0, mode_default" -> "dcl_sampler s0, mode_default\ndcl_constantbuffer CB0[4], immediateIndexed"]
        => "error R3: cb0 is declared twice; all phases share it";
    R3 [
        "dcl_sampler s0, mode_default"
            -> "dcl_sampler s0, mode_default\ndcl_constantbuffer CB15[4], immediateIndexed",
    ]
        => "error R3: cb15 is past the last register, cb14";
    R3 ["dcl_sampler s0, mode_default" -> "dcl_sampler s0, mode_default\ndcl_resource_raw t128"]
        => "error R3: t128 is past the last register, t127";
    R4 ["cb0[r0.z + 1].xyzx" -> "cb[r0.z + 0][1].xyzx"]
        => "error R4, control point phase: cb[r0.z + 0][1] can't be indexed by a register there";
    R4 ["cb0[r0.z + 1].xyzx" -> "cb0[4].xyzx"]
        => "warning R4, control point phase: cb0[4] is beyond the 4 registers, so it reads as 0";
    R5 ["mov x0[1].xyzw, l(0,0,0,0)" -> "mov x0[4].xyzw, l(0,0,0,0)"]
        => "warning R5, control point phase: x0[4] is beyond the 4 elements";
    R6 [
        "dcl_output_control_point_count 4" -> "dcl_output_control_point_count 33",
        "dcl_input vocp[4]" -> "dcl_input vocp[33]",
    ]
        => "error R6: there are 33 output control points, 0 to 32 are allowed";
    R7 ["dcl_input v[4][2].xyz" -> "dcl_input v[3][2].xyz"]
        => "error R7, control point phase: v[][2] is declared with 3 vertices, but there are 4 input control points";
    R8 ["dcl_indexrange v[4][1].xyz 2\n" -> ""]
        => "error R8, control point phase: v[r0.x + 0][r0.z + 1] is indexed by a register, but 1 is not in a \
            dcl_indexrange";
    R8 ["dcl_indexrange o4.x 2\n" -> "", "mov o5.x, vpc[r0.x + 0].x" -> "mov o[r0.x + 4].x, vpc[r0.x + 0].x"]
        => "error R8, join phase 0: o[r0.x + 4] is indexed by a register, but 4 is not in a dcl_indexrange";
    R9 ["dcl_input vOutputControlPointID\n" -> ""]
        => "error R9, control point phase: vOutputControlPointID is not declared in this phase";
    R9 ["utof r0.x, vPrim\nadd" -> "utof r0.x, vOutputControlPointID\nadd"]
        => "error R9, fork phase 1: a fork phase has no vOutputControlPointID";
    R10 ["dcl_input vPrim\ndcl_input vicp" -> "dcl_input vicp"]
        => "error R10, fork phase 1: vPrim is not declared in this phase";
    R13 ["dcl_output o1.w\n" -> "dcl_output o1.w\ndcl_output o32.x\n"]
        => "error R13, control point phase: o32.x is past the last register, o31";
    R14 ["dcl_input vicp[4][0].xyzw" -> "dcl_input vicp[4][0].xyzw\ndcl_input vicp[4][3].x"]
        => "error R14, fork phase 1: vicp[][3] is not an element of the input signature";
    R14 ["dcl_input vocp[4][0].x" -> "dcl_input vocp[4][0].x\ndcl_input vocp[4][2].x"]
        => "error R14, fork phase 0: vocp[][2] is not an element of the output signature";
    R15 ["dcl_input vocp[4][0].x" -> "dcl_input vocp[5][0].x"]
        => "error R15, fork phase 0: vocp[][0] is declared with 5 vertices, but there are 4 output control points";
    R16 ["dcl_input vicp[4][0].xyzw" -> "dcl_input vicp[4][0].xyzw\ndcl_input vicp[4][1].w"]
        => "error R16, fork phase 1: vicp[][1].w is declared, but the input signature has .xyz";
    R17 ["dcl_hs_fork_phase_instance_count 4" -> "dcl_hs_fork_phase_instance_count 129"]
        => "error R17, fork phase 0: the phase has 129 instances, 1 to 128 are allowed";
    R17 ["dcl_hs_join_phase_instance_count 2" -> "dcl_hs_join_phase_instance_count 0"]
        => "error R17, join phase 0: the phase has 0 instances, 1 to 128 are allowed";
    R17 [
        "dcl_hs_join_phase_instance_count 2\n"
            -> "dcl_hs_join_phase_instance_count 2\ndcl_hs_fork_phase_instance_count 2\n",
    ]
        => "error R17, join phase 0: dcl_hs_fork_phase_instance_count is not allowed in join phase 0";
    R17 ["dcl_input vForkInstanceID\n" -> ""]
        => "error R17, fork phase 0: vForkInstanceID is not declared in this phase";
    R18 ["dcl_output o7.xyzw" -> "dcl_output o7.xyzw\ndcl_output o32.x"]
        => "error R18, join phase 1: o32.x is past the last register, o31";
    R19 ["dcl_output o7.xyzw" -> "dcl_output o7.xyzw\ndcl_output o6.y"]
        => "error R19, join phase 1: o6.y is also an output of the fork phase 1";
    R20 ["dcl_output o1.w\n" -> "dcl_output_siv o1.w, finalQuadUInsideTessFactor\n"]
        => "error R20, control point phase: o1.w is a tessellation factor in the control point phase";
    R21 ["dcl_indexrange o4.x 2" -> "dcl_indexrange o4.x 3"]
        => "error R21, join phase 0: the index range of o4 (3 registers) extends past a group of tessellation \
            factors";
    R21 ["dcl_indexrange v[4][1].xyz 2" -> "dcl_indexrange v[4][1].xyz 2\ndcl_indexrange v[4][0].xyz 2"]
        => "error R21, control point phase: the index range of v0 (2 registers) overlaps that of v1 (2 registers)";
    R22 [
        "dcl_output_siv o5.x, finalQuadVInsideTessFactor\n" -> "",
        "dcl_indexrange o4.x 2\n" -> "",
        "  mov o5.x, vpc[r0.x + 0].x" -> "  nop ",
    ]
        => "error R22: finalQuadVInsideTessFactor is declared 0 times instead of once";
    R22 [
        "SV_InsideTessFactor      1   x           5" -> "SV_InsideTessFactor      1    y          5",
        "dcl_output_siv o5.x" -> "dcl_output_siv o5.y",
        "dcl_indexrange o4.x 2\n" -> "",
        "  mov o5.x, vpc[r0.x + 0].x" -> "  mov o5.y, vpc[r0.x + 0].x",
    ]
        => "error R22: finalQuadVInsideTessFactor must be in the register after finalQuadUInsideTessFactor, in the \
            same component";
    R23 ["dcl_input vpc1.x" -> "dcl_input vpc1.xy"]
        => "error R23, join phase 0: vpc1.y is not an output of a fork phase";
    R24 [
        "hs_join_phase \ndcl_input vpc6.xyzw\ndcl_output o7.xyzw\nmov o7.xyzw, vpc6.wzyx"
            -> "hs_fork_phase \ndcl_output o7.xyzw\nmov o7.xyzw, l(0,0,0,0)",
    ]
        => "error R24, fork phase 2: a fork phase comes after a join phase";
    R25 [
        "hs_control_point_phase \ndcl_input vOutputControlPointID\ndcl_input vPrim\ndcl_input v[4][0].xyzw\n\
            dcl_input v[4][1].xyz\ndcl_input v[4][2].xyz\ndcl_output o0.xyzw\ndcl_output o1.xyz\ndcl_output o1.w\n\
            dcl_temps 2\ndcl_indexableTemp x0[4], 4\ndcl_indexrange v[4][1].xyz 2\nmov r0.x, vOutputControlPointID\n\
            utof r0.y, vPrim\nsample_l_indexable(texture2d)(float,float,float,float) r1.xyzw, r0.xyxx, t0.xyzw, s0, \
            l(0.000000)\nand r0.z, r0.x, l(1)\nmov x0[0].xyzw, r1.xyzw\nmov x0[1].xyzw, l(0,0,0,0)\nadd o0.xyzw, \
            v[r0.x + 0][0].xyzw, x0[r0.z + 0].xyzw\nmul o1.xyz, v[r0.x + 0][r0.z + 1].xyzx, cb0[r0.z + 1].xyzx\nmov \
            o1.w, icb[r0.z + 0].x\nret \n"
            -> "",
        "dcl_output_control_point_count 4" -> "dcl_output_control_point_count 3",
        "dcl_input vocp[4]" -> "dcl_input vocp[3]",
    ]
        => "error R25: without a control point phase, the number of output control points must be 0 or 4, not 3";
    R27 ["dcl_hs_max_tessfactor l(32.000000)" -> "dcl_hs_max_tessfactor l(65.000000)"]
        => "error R27: dcl_hs_max_tessfactor is 65, 1 to 64 is allowed";
    R28 ["output_triangle_cw" -> "output_line"]
        => "error R28: output_line can't be combined with domain_quad";
    R29 ["dcl_output o1.w\n" -> "dcl_output o1.zw\n"]
        => "error R29, control point phase: o1.z is declared twice";
    State ["dcl_tessellator_partitioning partitioning_fractional_odd\n" -> ""]
        => "error state: dcl_tessellator_partitioning is missing";
    State ["dcl_tessellator_partitioning partitioning_fractional_odd\n" -> "dcl_tessellator_partitioning 5\n"]
        => "error state: dcl_tessellator_partitioning has an undefined value";
    Opcode ["and r0.z, r0.x, l(1)" -> "and r0.z, r0.x, l(1)\nderiv_rtx r0.y, r0.y"]
        => "error opcode, control point phase: deriv_rtx is not allowed in hull shaders";
    Opcode ["and r0.z, r0.x, l(1)" -> "and r0.z, r0.x, l(1)\ndadd r0.xy, r0.xyxy, d(1.000000l, 2.000000l)"]
        => "error opcode, control point phase: dadd needs the global flag enableDoublePrecisionFloatOps";
    Opcode ["and r0.z, r0.x, l(1)" -> "and r0.z, r0.x, l(1)\natomic_iadd u0, r0.x, r0.x"]
        => "error opcode, control point phase: atomic_iadd needs feature level 11.1 (unordered access views)";
    Operand ["and r0.z, r0.x, l(1)" -> "and r0.z, -r0.x, l(1)"]
        => "error operand, control point phase: and can't negate r0";
    Operand ["and r0.z, r0.x, l(1)" -> "and r0.z, r0.x, l(1)\nadd null, r0.x, r0.x"]
        => "error operand, control point phase: add has only one result, which can't be discarded with null";
    Operand ["and r0.z, r0.x, l(1)" -> "and r0.z, r0.x, t0.x"]
        => "error operand, control point phase: and can't take t0 here";
    Operand ["mov o1.w, icb[r0.z + 0].x" -> "mov o1.w, v[0].x"]
        => "error operand, control point phase: v0 has 1 indices, but takes 2";
    Operand [
        "dcl_resource_texture2d (float,float,float,float) t0"
            -> "dcl_resource_texture3d (float,float,float,float) t0",
        "sample_l_indexable(texture2d)(float,float,float,float) r1.xyzw, r0.xyxx, t0.xyzw, s0, l(0.000000)"
            -> "sample_c_lz r1.x, r0.xyxx, t0.xxxx, s0, l(0.000000)\nmov r1.yzw, l(0,0,0,0)",
    ]
        => "error operand, control point phase: sample_c_lz can't read a texture3d";
    Operand [
        "dcl_resource_texture2d (float,float,float,float) t0" -> "dcl_resource_buffer (float,float,float,float) t0",
    ]
        => "error operand, control point phase: sample_l can't read a buffer";
    Operand [
        "dcl_resource_texture2d (float,float,float,float) t0"
            -> "dcl_resource_texturecube (float,float,float,float) t0",
        "sample_l_indexable(texture2d)(float,float,float,float) r1.xyzw, r0.xyxx, t0.xyzw, s0, l(0.000000)"
            -> "sample_l_aoffimmi(1,0,0) r1.xyzw, r0.xyxx, t0.xyzw, s0, l(0.000000)",
    ]
        => "error operand, control point phase: sample_l can't read a texturecube with an offset";
    Register [
        "dcl_temps 1\ndcl_indexrange o0.x 4" -> "dcl_temps 0\ndcl_indexrange o0.x 4",
        "mov r0.x, vForkInstanceID.x\n" -> "",
        "min o[r0.x + 0].x, vocp[r0.x + 0][0].x, l(32.000000)" -> "mov r0.x, vForkInstanceID.x",
    ]
        => "error register, fork phase 0: r0 is used, but dcl_temps declares only 0";
    Register ["add o6.xyzw, vicp[2][0].xyzw" -> "add o6.xyzw, vicp[2][1].xyzw"]
        => "error register, fork phase 1: vicp[2][1], component xyzw, is not declared in this phase";
    Register ["add o6.xyzw, vicp[2][0].xyzw" -> "add o6.xyzw, vicp[4][0].xyzw"]
        => "error register, fork phase 1: vicp[4][0] is beyond the 4 declared vertices";
    Register ["add o6.xyzw, vicp[2][0].xyzw" -> "add o6.xyzw, v[2][0].xyzw"]
        => "error register, fork phase 1: a fork phase has no v";
    Register ["add o6.xyzw, vicp[2][0].xyzw" -> "add o6.xyzw, o6.xyzw"]
        => "error register, fork phase 1: o6 is read, but it can only be written";
    Register ["mov o7.xyzw, vpc6.wzyx" -> "mov vpc6.xyzw, vpc6.wzyx"]
        => "error register, join phase 1: vpc6 is written, but it can only be read";
    Nesting ["endif \n" -> ""]
        => "error nesting, join phase 0: if is not closed at the end of the phase";
    Nesting ["else \n" -> "else \nelse \n"]
        => "error nesting, join phase 0: else has no if";
    Nesting ["else \n" -> "break \nelse \n"]
        => "error nesting, join phase 0: break is outside of loop and switch";
    Signature [
        "dcl_output_siv o4.x, finalQuadUInsideTessFactor"
            -> "dcl_output_siv o4.x, finalQuadUInsideTessFactor\ndcl_output o4.y",
    ]
        => "error signature, join phase 0: o4.y is declared, but its signature has .x";
    Signature ["dcl_input v[4][2].xyz" -> "dcl_input v[4][2].xyz\ndcl_input v[4][5].x"]
        => "error signature, control point phase: v[][5] is not an element of the input signature";
}

/// Rules without a test case above: definitions, which no program can break, and R11, which needs a larger change.
const ELSEWHERE: [HullRule; 4] = [HullRule::R11, HullRule::R12, HullRule::R26, HullRule::R30];

#[test]
fn the_whole_program_breaks_none() {
    assert_eq!(findings(&changed(&[])), []);
}

#[test]
fn each_change_breaks_one() {
    let mut seen = Vec::new();
    let mut wrong = String::new();
    for (rule, edits, message) in CASES {
        let found = findings(&changed(edits));
        let texts: Vec<&str> = found.iter().map(|(_, _, text)| text.as_str()).collect();
        if texts != [*message] || found[0].0 != *rule {
            wrong += &format!("{rule} {edits:?}\n  expected {message:?}\n  found    {texts:#?}\n");
        }
        seen.push(*rule);
    }
    assert!(wrong.is_empty(), "{wrong}");
    for rule in HullRule::ALL {
        assert!(seen.contains(rule) != ELSEWHERE.contains(rule), "{rule}");
    }
}

/// R11 and R12: scalars are counted by masks, without unused components. [hs50.rule.r11] [hs50.rule.r12]
#[test]
fn scalars_are_components_of_masks() {
    let points = |count: u32, registers: u32, last: &str| {
        let mut outputs = String::new();
        let mut table = String::new();
        for register in 0..registers {
            let mask = if register + 1 == registers { last } else { "xyzw" };
            outputs += &format!("dcl_output o{register}.{mask}\n");
            table += &format!("// A {register} {mask} {register} NONE float xyzw\n");
        }
        let old_table =
            &WHOLE[WHOLE.find("// Output signature").unwrap()..WHOLE.find("hs_5_0").unwrap()];
        let text = WHOLE
            .replace(old_table, &format!("// Output signature:\n{table}//\n"))
            .replace(
                "dcl_output_control_point_count 4",
                &format!("dcl_output_control_point_count {count}"),
            )
            .replace("dcl_output o0.xyzw\ndcl_output o1.xyz\ndcl_output o1.w\n", &outputs)
            .replace("vocp[4]", &format!("vocp[{count}]"));
        let text = text
            .lines()
            .filter(|line| {
                !line.starts_with("add o0")
                    && !["mul o1", "mov o1"].iter().any(|start| line.starts_with(start))
            })
            .fold(String::new(), |all, line| all + line + "\n");
        findings(&assemble(&text).unwrap_or_else(|errors| panic!("{errors}")))
            .into_iter()
            .filter(|(rule, ..)| *rule == HullRule::R11)
            .map(|(_, _, text)| text)
            .collect::<Vec<_>>()
    };
    // [hs50.rule.r11]: 32 x 124 and 31 x 128 scalars are within the limit, 32 x 125 are not.
    assert_eq!(points(32, 31, "xyzw"), [""; 0]);
    assert_eq!(points(31, 32, "xyzw"), [""; 0]);
    assert_eq!(
        points(32, 32, "y"),
        [
            "error R11, control point phase: 125 scalars times 32 output control points are 4000, at most 3968 are allowed"
        ]
    );
}

/// The option `any_instance_count` accepts more fork phase instances than rule R17 [hs50.rule.r17_count].
#[test]
fn any_instance_count_can_be_allowed() {
    let shader =
        changed(&[("dcl_hs_fork_phase_instance_count 4", "dcl_hs_fork_phase_instance_count 129")]);
    let report = check(&shader, CheckOptions { any_instance_count: true }).expect("a hull shader");
    assert!(report.findings.is_empty());
}

/// R15: a phase may declare fewer control points than the patch has [hs50.rule.r15].
#[test]
fn a_phase_may_declare_fewer_vertices() {
    for (kind, count) in [("vicp[4][0].xyzw", "vicp[3][0].xyzw"), ("vocp[4][0].x", "vocp[3][0].x")]
    {
        let [from, to] = [kind, count].map(|text| format!("dcl_input {text}"));
        assert_eq!(findings(&changed(&[(&from, &to)])), [], "{to}");
    }
}

/// R26: without an instance count declaration, the instance id is valid and 0. [hs50.rule.r26]
#[test]
fn an_instance_id_needs_no_count() {
    assert_eq!(findings(&changed(&[("dcl_hs_join_phase_instance_count 2\n", "")])), []);
}

/// R30: the assembler accepts the old SDK's syntax. [hs50.rule.r30]
#[test]
fn the_old_sdk_spells_differently() {
    let edits = [
        (
            "dcl_output_siv o4.x, finalQuadUInsideTessFactor",
            "dcl_output_sv o4.x, finalQuadUInsideTessFactor",
        ),
        ("dcl_indexrange o4.x 2", "dcl_indexRange o[4].x, o[5].x"),
    ];
    assert_eq!(changed(&edits), changed(&[]));
}

#[test]
fn other_stages_are_not_checked() {
    let shader = assemble("vs_5_0\nret \n").expect("a shader");
    let refused = check(&shader, CheckOptions::default()).expect_err("no hull shader");
    assert_eq!(
        refused.to_string(),
        "this is vs_5_0: only hull shaders are checked, run and translated"
    );
}
