//! Tests every rule, [d3d9.rule.1] to [d3d9.rule.58], with a program that breaks only this rule, and the message.

use d3d9::D3d9Program;
use d3d9::check::{Caps, D3d9Finding, D3d9Rule, Severity, check};
use d3d9::text::assemble;
use proptest::prelude::*;

use Severity::{Error, Warning};

fn findings_of(program: &D3d9Program, caps: &Caps) -> Vec<D3d9Finding> {
    check(program, caps).findings
}

fn findings(text: &str) -> Vec<D3d9Finding> {
    let program = assemble(text).unwrap_or_else(|error| panic!("{text}\n{error}"));
    findings_of(&program, &Caps::MAX)
}

/// Returns a complete program for a test case; the rest of the program breaks no rule.
fn whole(version: &str, body: &str) -> String {
    let (front, back) = match version {
        "ps_2_0" | "ps_2_x" => (
            "dcl t0\ndcl t1\ndcl v0\ndcl_2d s0\ndcl_cube s1\nmov r0, t0\nmov r1, t1\n",
            "mov oC0, r0\n",
        ),
        "ps_3_0" => (
            "defi i0, 3, 0, 1, 0\ndcl_texcoord v0\ndcl_texcoord1 v1\ndcl_2d s0\ndcl_cube s1\nmov r0, v0\nmov r1, v1\n",
            "mov oC0, r0\n",
        ),
        "vs_1_1" | "vs_2_0" | "vs_2_x" => {
            ("dcl_position v0\ndcl_texcoord v1\nmov r0, v0\nmov r1, v0\n", "mov oPos, r0\n")
        }
        "vs_3_0" => (
            "dcl_position v0\ndcl_texcoord v1\ndcl_position o0\ndcl_texcoord o1\nmov r0, v0\nmov r1, v0\nmov o1, r0\n",
            "mov o0, r0\n",
        ),
        "ps_1_1" | "ps_1_3" => ("", "mov r0, v0\n"),
        "ps_1_4" => ("", "mov r0, c0\n"),
        _ => ("", ""),
    };
    // Declarations of the test case are placed before its instructions.
    let is_declaration =
        |line: &&str| line.starts_with("d") && !["dp", "ds"].iter().any(|d| line.starts_with(d));
    let (early, late): (Vec<&str>, Vec<&str>) = body.lines().partition(is_declaration);
    let early: String = early.iter().map(|line| format!("{line}\n")).collect();
    let late: String = late.iter().map(|line| format!("{line}\n")).collect();
    format!("{version}\n{early}{front}{late}{back}")
}

macro_rules! cases {
    ($($rule:literal $severity:ident $version:literal $body:literal => $message:literal;)+) => {
        /// Columns: rule, severity, version, the lines that break the rule, part of the message. [`whole`] adds the
        /// rest of the program, unless the version begins with `!`.
        const CASES: &[(u8, Severity, &str, &str, &str)] =
            &[$(($rule, $severity, $version, $body, $message)),+];
    };
}

// [d3d9.relative.files] [d3d9.depth.blocks] [d3d9.stream.trailing] [d3d9.rule.2] [d3d9.rule.3] [d3d9.rule.4]
// [d3d9.rule.5] [d3d9.rule.6] [d3d9.rule.7] [d3d9.rule.8] [d3d9.rule.9] [d3d9.rule.10] [d3d9.rule.11] [d3d9.rule.12]
// [d3d9.rule.13] [d3d9.rule.14] [d3d9.rule.15] [d3d9.rule.16] [d3d9.rule.17] [d3d9.rule.18] [d3d9.rule.19]
// [d3d9.rule.20] [d3d9.rule.21] [d3d9.rule.22] [d3d9.rule.23] [d3d9.rule.24] [d3d9.rule.25] [d3d9.rule.26]
// [d3d9.rule.27] [d3d9.rule.28] [d3d9.rule.29] [d3d9.rule.30] [d3d9.rule.31] [d3d9.rule.32] [d3d9.rule.33]
// [d3d9.rule.34] [d3d9.rule.35] [d3d9.rule.36] [d3d9.rule.37] [d3d9.rule.38] [d3d9.rule.39] [d3d9.rule.40]
// [d3d9.rule.41] [d3d9.rule.42] [d3d9.rule.43] [d3d9.rule.44] [d3d9.rule.45] [d3d9.rule.46] [d3d9.rule.47]
// [d3d9.rule.49] [d3d9.rule.50] [d3d9.rule.51] [d3d9.rule.52] [d3d9.texkill.written] [d3d9.ps1.unsigned]
// [d3d9.opcode.reserved] [d3d9.rule.53] [d3d9.rule.54] [d3d9.rule.55] [d3d9.rule.56] [d3d9.rule.57]
cases! {
    2 Error "ps_2_0" ".words 0x0200005B 0x800F0000 0x80E40000" => "`dsx` does not exist in ps_2_0 (needs ps_2_x)";
    2 Error "ps_2_0" ".words 0x00000064" => "opcode 100 does not exist";
    2 Error "ps_2_0" ".words 0x0200004B 0x800F0000 0x80E40000" => "`reserved0` does not exist in ps_2_0";
    2 Error "vs_2_0" ".words 0x01000041 0x800F0000" => "`texkill` does not exist in vs_2_0";
    2 Error "!ps_1_4" ".words 0x00000043 0x800F0001 0xB0E40000\nmov r0, c0" => "last version: ps_1_3";
    3 Error "ps_2_0" ".words 0x03000001 0x800F0000 0x80E40000 0x80E40000"
        => "the instruction length is 3 words, but its operands take 2";
    3 Error "ps_2_0" ".words 0x02000002 0x800F0000 0x80E40000"
        => "the instruction length is 2 words, but its operands take 3";
    3 Error "ps_1_1" ".words 0x02000001 0x800F0000 0xA0E40000" => "model 1 has no lengths";
    4 Error "ps_2_0" ".words 0x22000001 0x800F0000 0x80E40000" => "reserved bits";
    4 Error "ps_2_0" ".words 0x02000001 0x800F4000 0x80E40000" => "reserved bits";
    4 Error "ps_2_0" ".words 0x02000001 0x800F0000 0x80E4C000" => "reserved bits";
    4 Error "ps_2_0" ".words 0x02000001 0x808F0000 0x80E40000" => "reserved bits";
    4 Error "ps_2_0" ".words 0x02000001 0x800F0000 0x8EE40000" => "reserved bits";
    4 Error "ps_2_0" ".words 0x80000000" => "expected an instruction, found an operand";
    4 Error "vs_3_0" ".words 0x03000001 0x800F0000 0xA0E42000 0xB0E40000" => "reserved bits";
    4 Error "!ps_2_0" ".words 0x0200001F 0x80000100 0xB00F0000\ndcl t1\nmov r0, t1\nmov oC0, r0" => "reserved bits";
    5 Error "ps_2_0" ".noend" => "the end token is missing";
    5 Warning "ps_2_0" ".trailing 1 2" => "2 words follow the end token";
    6 Error "ps_2_0" ".words 0x02010001 0x800F0000 0x80E40000" => "`mov` has undefined control bits 0x1";
    6 Error "ps_3_0" ".words 0x02070029 0x80000000 0x80000001\nendif" => "";
    6 Error "ps_2_0" ".words 0x03030042 0x800F0002 0x80E40000 0xA0E40800" => "control bits 0x3";
    7 Error "ps_2_0" ".words 0x42000001 0x800F0000 0x80E40000" => "co-issue exists only in ps_1_x";
    7 Error "!ps_1_1" "+mov r0, v0" => "no previous instruction to co-issue with";
    7 Error "!ps_1_1" "mov r0.xyz, v0\n+mov r0.xyz, v1\nmov r0.w, v0" => "one must write color and the other alpha";
    7 Error "!ps_1_2" "mov r0.xyz, v0\n+dp4 r0.w, v0, v1" => "`dp4` can't be co-issued";
    8 Error "!ps_2_0" "mov r0, c0\ndef c1, 0, 0, 0, 0\nmov oC0, r0"
        => "`def` comes after the first executable instruction";
    9 Error "ps_3_0" ".words 0x13000001 0x800F0000 0x80E40000 0x80E40000" => "the predicate is not p0";
    9 Error "ps_3_0" "setp_gt p0, r0, r1\n.words 0x13000001 0x800F0000 0xB1E41000 0x80E40000"
        => "only modifier can be `!`";
    9 Error "ps_3_0" "setp_gt p0, r0, r1\n.words 0x13000001 0x800F0000 0xB01B1000 0x80E40000"
        => "must have all components or one";
    9 Error "ps_2_0" ".words 0x13000001 0x800F0000 0xB0E41000 0x80E40000" => "ps_2_0 has no predicates";
    9 Error "ps_2_x" "setp_gt p0, r0, r1\ndef c1, -1.5500992e-06, -2.1701389e-05, 0.0026041667, 0.00026041668\ndef \
        c2, -0.020833334, -0.125, 1, 0.5\n(p0) sincos r2.xy, r0.x, c1, c2"
        => "needs one component";
    9 Error "ps_3_0" "setp_gt p0, r0, r1\nif_gt r0.x, r1.x\n(p0) else\nendif" => "`else` can't be predicated";
    10 Error "ps_2_0" "mov r0, r12\n" => "r12 does not exist: ps_2_0 has only 12 r#";
    10 Error "ps_2_0" "mov r0, c32\n" => "c32 does not exist: ps_2_0 has only 32 c#";
    10 Error "vs_2_0" "mov oT8, r0" => "oT8 does not exist: vs_2_0 has only 8 oT#";
    10 Error "ps_2_0" ".words 0x02000001 0x800F0002 0xA0E41000" => "";
    11 Error "vs_2_0" "mov r0, oPos" => "oPos can't be read";
    11 Error "vs_2_0" "mov v0, r0" => "`mov` can't write v0";
    11 Error "ps_2_0" "mov c0, r0" => "`mov` can't write c0";
    11 Error "ps_3_0" "mov p0, r0" => "only `setp` can write p0";
    11 Error "ps_3_0" "setp_gt r0, r0, r1" => "`setp` can write only p0";
    11 Error "!ps_2_0" ".words 0x05000051 0x800F0001 0x00000000 0x00000000 0x00000000 0x00000000\nmov r0, c0\nmov \
        oC0, r0"
        => "";
    12 Error "ps_2_0" "mov r0, t3" => "t3 is not declared";
    12 Error "ps_2_0" "texld r0, t0, s4" => "s4 is not declared";
    12 Error "ps_2_0" "dcl t3.xy\nadd r0, r0, t3.z" => "t3.z is not declared";
    12 Error "ps_2_0" "dcl t3.xyz\ntexkill t3" => "t3.w is not declared";
    12 Error "vs_3_0" "mov o4, r0" => "o4 is not declared";
    12 Error "ps_3_0" "mov r0.x, vFace" => "vFace is not declared";
    13 Error "ps_2_0" "dcl t0" => "t0 is declared twice";
    13 Error "ps_2_0" "dcl_2d s0" => "s0 is declared twice";
    13 Error "vs_2_0" "dcl_texcoord v5" => "texcoord0 is declared twice";
    14 Error "ps_2_0" "add r0, r0, r5" => "r5.xyzw is read before it is written";
    14 Error "ps_2_0" "mov r5.xy, r0\nadd r0, r0, r5.z" => "r5.z is read before it is written";
    14 Error "ps_3_0" "if_gt r0.x, r1.x\nmov r5, r0\nendif\nadd r0, r0, r5" => "r5.xyzw is read";
    14 Error "vs_2_0" "mov r1, c[a0.x]" => "a0.x is read before it is written";
    14 Error "ps_3_0" "(p0) mov r1, r0" => "p0 is read before it is written";
    15 Error "ps_2_0" "add r0, c0, c1" => "`add` reads 2 different c#";
    15 Error "vs_2_0" "add r0, v0, v1" => "`add` reads 2 different v#";
    15 Error "vs_3_0" "mova a0.x, r0.x\nadd r0, c0, c0[a0.x]" => "`add` reads 2 different c#";
    15 Error "!ps_1_1" "mad r0, c0, c1, c2" => "`mad` reads 3 different c#";
    16 Error "ps_2_0" "mad r0, c0, c0, c0" => "`mad` reads c# 3 times";
    17 Error "ps_2_x" "mov r0, b0" => "`mov` can't read b0";
    17 Error "vs_2_0" "mov r1, c0[aL]" => "aL is read outside of a loop";
    17 Error "vs_2_0" "mov r1, a0" => "`mov` can't read a0";
    17 Error "ps_3_0" "loop aL, i0.x\nendloop" => "`loop` needs all components of i0";
    17 Error "ps_3_0" "rep c0\nendrep" => "`rep` needs i here, not c0";
    17 Error "ps_2_0" "mov r1, s0" => "`mov` can't read s0";
    18 Error "ps_2_0" ".words 0x03000001 0x800F0002 0xA0E42000 0xF0E40800" => "";
    18 Error "vs_2_0" "mova a0.x, r0.x\nmov r1, v0[a0.x]" => "v# can't be indexed by a0 in vs_2_0";
    18 Error "ps_3_0" "loop aL, i0\nmov r1, c0[aL]\nendloop" => "c# can't be indexed by aL in ps_3_0";
    19 Warning "vs_2_0" "mova a0.x, r0.x\nmov r1, c300[a0.x]" => "the index base c300";
    20 Error "!vs_2_0" "dcl_position v0\nmov oPos.xyz, v0" => "the position output is incomplete: w is not written";
    20 Error "!vs_3_0" "dcl_position v0\ndcl_position o0\nmov o0.xz, v0" => "yw is not written";
    21 Error "vs_2_0" "mov oT0.xz, r0" => "oT0.xz: only x, xy, xyz or xyzw can be written";
    21 Warning "vs_2_0" "mov oT1, r0" => "oT1 is written, but not all oT# before it";
    22 Error "!vs_3_0" "dcl_position v0\ndcl_texcoord o0\nmov o0, v0" => "there must be one position output";
    22 Error "!vs_3_0" "dcl_position v0\ndcl_position o0.xyz\nmov o0.xyz, v0"
        => "the position must be declared with all components";
    22 Error "vs_3_0" "dcl_psize o2.x\nmov o2.x, r0.x" => "the point size must be declared with all components";
    22 Error "vs_3_0" "dcl_color o2.xy\nmov o2.xyz, r0" => "o2.z is not declared";
    22 Warning "vs_3_0" "dcl_color o2" => "o2.xyzw is declared but not written";
    23 Error "!ps_2_0" "dcl t0\nadd oC0, t0, c0" => "only `mov` can write oC0";
    23 Error "!ps_2_0" "mov r0, c0\nmov oC0.xyz, r0" => "oC0 must be written with all components";
    23 Error "!ps_2_0" "mov r0, c0\nmov oC0, -r0" => "can't have a swizzle or modifier";
    23 Error "!ps_2_0" "mov r0, c0\nmov oC0, r0\nmov oC0, r0" => "oC0 is written twice";
    23 Error "!ps_2_0" "mov r0, c0\nmov oC1, r0" => "oC0 is not written";
    23 Error "ps_2_0" "mov oC2, r0" => "oC# must be written from oC0 without gaps";
    24 Error "ps_2_0" "mov oDepth, r0" => "the source for oDepth must be one component";
    24 Error "ps_2_0" "add oDepth, r0, r1" => "only `mov` can write oDepth";
    24 Error "ps_2_0" "mov oDepth, r0.x\nmov oDepth, r0.x" => "oDepth is written twice";
    24 Error "ps_2_x" "if b0\nmov oDepth, r0.x\nendif" => "oDepth is written in flow control";
    25 Error "ps_2_x" "if_gt r0.x, r1.x\nmov oC1, r0\nendif" => "oC1 is written under dynamic flow control";
    25 Error "ps_3_0" "if_gt r0.x, r1.x\nmov oC1, r0\nendif" => "oC1.xyzw is not written on every path";
    25 Error "ps_3_0" "if_gt r0.x, r1.x\nmov oC1, r0\nelse\nmov oC1.xyz, r0\nendif" => "oC1.w is not written on every path";
    25 Error "ps_3_0" "if_gt r0.x, r1.x\nmov oDepth, r0.x\nendif" => "oDepth.xyzw is not written on every path";
    25 Error "ps_3_0" "setp_gt p0, r0, r1\n(p0) mov oC1, r0" => "oC1.xyzw is not written on every path";
    25 Error "ps_3_0" "rep i0\nbreak_gt r0.x, r1.x\nmov oC1, r0\nendrep" => "oC1.xyzw is not written on every path";
    25 Error "ps_3_0" "rep i0\nif_gt r0.x, r1.x\nbreak\nendif\nmov oC1, r0\nendrep" => "oC1.xyzw is not written on every path";
    25 Error "!ps_3_0" "dcl_texcoord v0\nif_gt v0.x, v0.y\ncall l0\nendif\nret\nlabel l0\nmov oC0, v0\nret"
        => "oC0.xyzw is not written on every path";
    25 Error "!ps_3_0" "dcl_texcoord v0\ncall l0\nret\nlabel l0\nif_gt v0.x, v0.y\nmov oC0, v0\nendif\nret"
        => "oC0.xyzw is not written on every path";
    25 Error "ps_2_x" "setp_gt p0, r0, r1\n(p0) mov oDepth, r0.x" => "oDepth is written under dynamic flow control";
    26 Error "!ps_2_0" "mov r0, c0\nmov_sat oC0, r0" => "oC0 can't be saturated";
    27 Error "!ps_1_1" "mov r1, v0" => "r0, the output color, is not written";
    27 Error "!ps_1_1" "mov r0.xyz, v0" => "the alpha of r0 is not written";
    27 Error "!ps_1_4" "mov r0, c0\nphase\nmov r0.xyz, c0" => "the alpha of r0 is not written in the second phase";
    28 Error "ps_2_0" "rcp r0, r1" => "`rcp` needs one component of r1";
    28 Error "ps_2_0" "pow r2.x, r1.x, r0" => "`pow` needs one component of r0";
    28 Error "ps_3_0" "if_gt r0, r1.x\nendif" => "`if` needs one component of r0";
    28 Error "ps_2_0" "dp2add r0, r1, r1, r0" => "`dp2add` needs one component of r0";
    28 Warning "vs_2_0" "rcp r0, r1.x" => "more than one component";
    29 Error "vs_2_0" "mova r1, r0" => "`mova` can write only a0";
    29 Error "vs_1_1" "mov a0.y, r0.x" => "vs_1_1 has only a0.x";
    29 Error "vs_2_0" "add a0.x, r0, r1" => "only `mova` can write a0";
    29 Warning "vs_2_0" "mov a0.x, r0" => "the documentation requires `mova`";
    30 Error "vs_2_0" "m4x4 r2.xyz, r0, c0" => "`m4x4` must write 4 components";
    30 Error "vs_2_0" "m4x4 r2, r0, c0.x" => "can't have a swizzle or modifier";
    30 Error "vs_2_0" "m4x4 r0, r0, c0" => "`m4x4` can't write to its source";
    30 Error "vs_2_0" "m4x4 r2, r0, c254" => "extends past the last c#";
    31 Error "vs_2_0" "crs r2, r0, r1" => "`crs` can write only x, y and z";
    31 Error "vs_2_0" "crs r0.xyz, r0, r1" => "`crs` can't write to its source";
    31 Error "vs_2_0" "crs r2.xyz, r0.yzxw, r1" => "the sources of `crs` can't have swizzles";
    31 Error "vs_2_0" "crs oT0.xyz, r0, r1" => "`crs` can write only a temporary";
    32 Error "vs_2_0" "nrm r0.xyz, r0" => "`nrm` can't write to its source";
    32 Error "vs_2_0" "nrm r2.xy, r0" => "`nrm` must write xyz or xyzw";
    32 Error "vs_2_0" "pow r0.x, r1.x, r0.x" => "`pow` can't write to its source";
    33 Error "ps_3_0" "sincos r2.xyz, r0.x" => "`sincos` must write x, y or xy";
    33 Error "vs_2_0" "sincos r2.xy, r0.x, c0, c0" => "two different constants";
    33 Error "vs_2_0" "sgn r2, r0, r3, r3" => "two different temporaries";
    33 Warning "vs_2_0" "def c0, 1, 2, 3, 4\nsincos r2.xy, r0.x, c0, c1"
        => "c0 doesn't hold the values that `sincos` needs";
    34 Error "ps_2_0" "frc_sat r0, r1" => "`frc` can't saturate";
    34 Error "ps_3_0" "texld_sat r0, r1, s0" => "`texld` can't saturate";
    34 Error "vs_1_1" "frc r0, r1" => "`frc` of vs_1_1 must write y or xy";
    35 Error "ps_2_0" "texld r0.xyz, t0, s0" => "must write all components of an r#";
    35 Error "ps_2_0" "texld r0, t0.yxzw, s0" => "can't have swizzles or modifiers";
    35 Error "ps_2_0" "texld r0, v0, s0" => "must be an r# or t#";
    36 Error "ps_3_0" "texld r0, v0, -s0" => "the sampler can't have a modifier";
    36 Error "ps_3_0" "texldl r0, v0, -s0" => "the sampler can't have a modifier";
    37 Error "ps_2_0" "dcl t3.xy\ntexld r0, t3, s1" => "t3 lacks components that a cube coordinate needs";
    37 Error "ps_2_0" "dcl t3.xy\ntexldp r0, t3, s0" => "t3 lacks components that a 2d coordinate needs";
    38 Warning "ps_2_0" "texldp r0, t0, s1" => "`texldp` reads a cube texture";
    39 Error "ps_2_0" "texkill r0.xyz" => "`texkill` must take a whole register";
    39 Warning "ps_3_0" "texkill r0.x" => "partial mask";
    39 Error "ps_2_0" "mov r5.x, r0\ntexkill r5" => "r5.yzw is read before it is written";
    39 Error "ps_2_0" "texkill v0" => "must be an r# or t#";
    39 Error "ps_2_0" "mov r5.xyz, r0\ntexkill r5" => "r5.w is read before it is written";
    39 Error "!ps_1_4" "texcrd r1.xyz, t0\ntexkill r1.xy\nmov r0, c0" => "`texkill` must take a whole register";
    39 Error "!ps_1_1" "texkill v0\nmov r0, c0" => "must be an r# or t#";
    40 Error "ps_2_0" "mov r0, r1.xxyz" => "ps_2_0 doesn't support the swizzle .xxyz";
    41 Error "ps_1_1" "cnd r0, v0, c0, c1" => "`cnd` must test r0.a";
    42 Error "ps_1_1" "tex t1\ntexbem t0, t1" => "must read a t# with a lower number";
    42 Error "ps_1_1" "tex t0\ntexm3x2pad t1, t0" => "a matrix has no last row";
    42 Error "ps_1_1" "tex t0\ntexm3x2pad t1, t0\ntexm3x2tex t3, t0" => "matrix rows must be consecutive";
    42 Error "ps_1_1" "tex t0\ntexbem t1, t0\nadd r1, t0, t1" => "t0 is read by `texbem`";
    42 Error "ps_1_1" "tex t0\ntexreg2ar t1, t0_bx2" => "`texreg2ar` doesn't allow `_bx2`";
    42 Error "ps_1_1" "mov r1, v0\ntex t0" => "texture instructions must come before arithmetic";
    43 Error "ps_1_4" "texcrd r1.xyz, t0\ntexcrd r2.xyz, t0.xyw" => "always be read with the same selector";
    43 Error "ps_1_4" "mov r1, c0\ntexld r2, r1" => "";
    43 Error "!ps_1_4" "mov r0.xyz, c0\nphase\ntexld r1, r0_dz\ntexld r2, r0_dz\ntexld r3, r0_dz\nmov r0, c0"
        => "more than twice";
    43 Error "!ps_1_4" "texcrd r5.xyz, t0\ntexdepth r5\nmov r0, c0" => "in the second phase";
    43 Error "!ps_1_4" "phase\nphase\nmov r0, c0" => "`phase` is used twice";
    44 Error "vs_2_0" "mov_sat r0, r1" => "vs_2_0 doesn't support `_sat`";
    44 Error "vs_3_0" "mov_pp r0, r1" => "don't support `_pp`";
    44 Error "ps_2_0" "mov_x2 r0, r1" => "ps_2_0 doesn't support result shifts";
    44 Error "ps_1_1" "mov_d8 r1, v0" => "only `_x2`, `_x4` and `_d2`";
    44 Error "vs_2_0" "dcl_color_pp v3" => "only in pixel shaders";
    45 Error "ps_2_0" "mov r0, r1_bx2" => "`r1_bx2`: ps_2_0 doesn't allow this modifier here";
    45 Error "vs_2_0" "mov r0, r1_abs" => "`r1_abs`: vs_2_0 doesn't allow this modifier here";
    45 Error "ps_1_1" "mov r1, v0_x2" => "doesn't allow this modifier";
    45 Error "ps_1_4" "mov r1, c0\nmov r0, r1_dz" => "";
    46 Error "ps_3_0" "mov r0, c0_abs\nmov r1, c1" => "on all constants or on none";
    47 Error "ps_1_4" "mov r1, -c0" => "a constant can't have a modifier in ps_1_4";
    47 Warning "ps_1_1" "mov r1, -c0" => "drivers treat differently";
    49 Error "ps_3_0" "if b0\nrep i0\nendif\nendrep" => "`endif` has no matching start of a block";
    49 Error "ps_3_0" "else" => "`else` has no `if`";
    49 Error "!ps_3_0" "if b0" => "1 blocks are not closed";
    50 Error "ps_3_0" "break" => "`break` is outside of a loop";
    51 Error "vs_2_0" "rep i0\nrep i1\nendrep\nendrep" => "2 nested loops: vs_2_0 allows 1";
    52 Error "ps_3_0" "call l3" => "label l3 does not exist";
    52 Warning "!ps_3_0" "ret\nlabel l0\nret" => "l0 is never called";
    52 Error "!ps_3_0" "call l0\nret\nlabel l0\nret\nlabel l0\nret" => "l0 is defined twice";
    52 Error "!ps_3_0" "call l0\nlabel l0\nret" => "does not follow a `ret`";
    53 Error "!ps_3_0" "call l0\nret\nlabel l0\ncall l0\nret" => "l0 calls itself";
    53 Error "!vs_2_0" "dcl_position v0\nmov oPos, v0\ncall l0\nret\nlabel l0\ncall l1\nret\nlabel l1\nret"
        => "the call depth is 2: vs_2_0 allows 1";
    54 Error "!ps_3_0" "if b0\nret\nendif" => "";
    54 Error "!ps_3_0" "ret\nmov r0, c0" => "only a label can follow";
    55 Error "!ps_3_0" "dcl_texcoord v0\ncall l0\nret\nlabel l0\nmov r0, v0[aL]\nret"
        => "l0 reads aL, but is called outside of a loop";
    56 Error "ps_3_0" "defi i1, 300, 0, 1, 0\nrep i1\nendrep" => "i1 = 300, 0, 1, 0 is out of range for a loop";
    57 Error "ps_3_0" "if_gt r0.x, r1.x\ntexld r0, r1, s0\nendif"
        => "`texld` takes gradients of a temporary in dynamic flow control";
    57 Error "ps_3_0" "rep i0\ndsx r0, r1\nbreak_gt r0.x, r1.x\nendrep" => "`dsx` takes gradients of a temporary";
    57 Error "!ps_3_0" "dcl_texcoord v0\nmov r0, v0\nif_gt v0.x, v0.y\ncall l0\nendif\nmov oC0, r0\nret\nlabel l0\n\
        dsx r0, r0\nret"
        => "`dsx` takes gradients of a temporary in dynamic flow control";
    57 Warning "ps_3_0" "setp_gt p0, r0, r1\n(p0) texld r0, r1, s0" => "under a predicate";
}

#[test]
fn each_rule_has_a_program_that_breaks_it_alone() {
    let mut seen = [false; 59];
    let mut failures = Vec::new();
    for (number, severity, version, body, message) in CASES {
        let text = match version.strip_prefix('!') {
            Some(version) => format!("{version}\n{body}"),
            None => whole(version, body),
        };
        let found = findings(&text);
        let alone = found.iter().all(|f| f.rule.number() == *number && f.severity == *severity);
        let said = found.iter().any(|f| f.message.contains(message));
        // Findings have an instruction index, except for findings of the following rules, which concern the whole
        // shader.
        let whole = matches!(number, 5 | 20 | 21 | 22 | 23 | 27 | 42 | 49 | 52);
        let placed = whole || found.iter().all(|f| f.location.0.is_some());
        if found.is_empty() || !alone || !said || !placed {
            let shown: Vec<String> = found.iter().map(ToString::to_string).collect();
            failures.push(format!(
                "rule {number}, {severity:?}, {message}\n{text}\n{}",
                shown.join("\n")
            ));
        }
        seen[usize::from(*number)] = true;
    }
    assert!(failures.is_empty(), "{} fail\n{}", failures.len(), failures.join("\n----\n"));
    // Rule 1 is a decoding error, no token stream can break rule 48, and rule 58 has a test below.
    for rule in D3d9Rule::ALL {
        let number = usize::from(rule.number());
        assert!(seen[number] || [1, 48, 58].contains(&number), "{rule}");
    }
    assert!(D3d9Program::from_words(&[0xfffe_0100]).is_err());
    let both = assemble("ps_1_1\nmov r0, 1-r0_bx2").unwrap_err().to_string();
    assert!(both.contains("`1-r_bx2` is not a source modifier"), "{both}");
}

/// Rule 25 in ps_3_0: programs that write their outputs on every path. The first program is the output of Microsoft's
/// compiler 10.1 for an `if` around a `return`. [d3d9.rule.25]
#[test]
fn outputs_may_be_written_on_every_path() {
    for body in [
        "if_ge v0.x, v0.y\nmov oC0, v0\nelse\nmov oC0, -v0\nendif",
        "if_ge v0.x, v0.y\nmov oC0, v0\nmov oDepth, v0.x\nelse\nmov oDepth, v0.y\nmov oC0, -v0\nendif",
        "mov oC0, v0\nif_ge v0.x, v0.y\nmov oC0, -v0\nendif",
        "if_ge v0.x, v0.y\nmov oC0, -v0\nendif\nmov oC0, v0",
        "if_ge v0.x, v0.y\nmov oC0.xy, v0\nelse\nmov oC0.x, v0\nmov oC0.y, v0\nendif\nmov oC0.zw, v0",
        "if_ge v0.x, v0.y\nif_ge v0.z, v0.y\nmov oC0, v0\nelse\nmov oC0, -v0\nendif\nelse\nmov oC0, v0\nendif",
        "setp_gt p0, v0, v0.x\nmov oC0, v0\n(p0) mov oC0, -v0",
        "rep i0\nmov oC0, v0\nbreak_gt v0.x, v0.y\nendrep",
        "rep i0\nif_gt v0.x, v0.y\nmov oC0, v0\nbreak\nelse\nmov oC0, -v0\nendif\nendrep",
        "call l0\nret\nlabel l0\nif_ge v0.x, v0.y\nmov oC0, v0\nelse\ncall l1\nendif\nret\nlabel l1\nmov oC0, -v0\nret",
        "if b0\nmov oC1, v0\nendif\nmov oC0, v0",
    ] {
        let text = format!("ps_3_0\ndcl_texcoord v0\n{body}");
        assert_eq!(findings(&text), [], "{text}");
    }
}

/// Valid programs: any mask and swizzle of gradients, coordinates with extra components, a ps_1_1 matrix that ends at
/// stage 3, v# in a shader without `phase`, and a main program without `ret`. [d3d9.gradient.operands] [d3d9.rule.37]
/// [d3d9.ps1.stage] [d3d9.ps1.phase] [d3d9.flow.call]
#[test]
fn what_the_opcode_page_allows_breaks_no_rule() {
    for (version, body) in [
        ("ps_2_x", "dsx r2.yw, r0.wzyx\ndsy r2.z, r0.xxyz\ntexldd r3.xz, t0.yxzw, s0, r0.wzyx, r1"),
        ("ps_3_0", "dsx r2.yw, v0.wzyx\ntexldd r3.xz, v0.yxzw, s0, r0.wzyx, r1"),
        ("ps_2_0", "dcl t3\ntexld r0, t3, s0"),
        ("!ps_1_1", "tex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3tex t3, t0\nmov r0, t3"),
        ("!ps_1_4", "mov r0, v0"),
    ] {
        let text = match version.strip_prefix('!') {
            Some(version) => format!("{version}\n{body}"),
            None => whole(version, body),
        };
        assert_eq!(findings(&text), [], "{text}");
    }
}

/// In model 1, `texkill` tests three components, the ones that `texcrd` writes [d3d9.texkill.components].
#[test]
fn texkill_of_model_1_needs_no_alpha() {
    assert_eq!(findings("ps_1_4\ntexcrd r0.xyz, t0\nphase\ntexkill r0\nmov r0, c0"), []);
}

/// Rule 42: an interrupted matrix is reported once. Hundreds of `texm3x2pad` and similar instructions, without the last
/// row of the matrix, don't overflow the row counter.
#[test]
fn matrix_rows_are_counted() {
    for (body, expected) in rows! {
        "tex t0\ntexm3x2pad t1, t0\ntex t1\ntexm3x2pad t2, t0\ntexm3x2tex t3, t0", vec!["a matrix has no last row"];
        "tex t0\ntexm3x3pad t1, t0\ntexm3x2pad t2, t0\ntexm3x2tex t3, t0",
            vec!["matrix rows must be consecutive, with one source, up to the last row"];
    } {
        let found = findings(&format!("ps_1_1\n{body}\nmov r0, t0"));
        let rows = found.iter().filter(|finding| finding.rule == D3d9Rule::Addressing);
        let messages: Vec<_> = rows.map(|finding| finding.message.as_str()).collect();
        assert_eq!(messages, expected, "{body}");
    }
    let pads = "texm3x2pad t1, t0\n".repeat(300);
    let found = findings(&format!("ps_1_1\ntex t0\n{pads}mov r0, t0"));
    assert_eq!(found.len(), d3d9::check::MAX_FINDINGS);
}

/// The programs that `whole` builds around the test cases break no rule.
#[test]
fn whole_programs_are_clean() {
    for version in
        ["ps_2_0", "ps_2_x", "ps_3_0", "vs_1_1", "vs_2_0", "vs_2_x", "vs_3_0", "ps_1_1", "ps_1_4"]
    {
        assert_eq!(findings(&whole(version, "")), [], "{version}");
    }
}

/// Rule 58: limits of slots and dependent reads. [d3d9.slots.version] [d3d9.order.levels] [d3d9.order.arithmetic]
/// [d3d9.slots.model]
#[test]
fn limits_are_counted() {
    let message = |text: &str| {
        findings(text)
            .iter()
            .map(|f| format!("{} {}", f.rule.number(), f.message))
            .collect::<Vec<_>>()
    };
    let adds = |count: usize| whole("ps_2_0", &"add r0, r0, r1\n".repeat(count));
    // The program contains three further `mov` instructions.
    assert_eq!(message(&adds(61)), Vec::<String>::new());
    assert_eq!(message(&adds(62)), ["58 65 arithmetic slots: ps_2_0 allows 64"]);
    let reads = |count: usize| whole("ps_2_0", &"texld r0, r0, s0\n".repeat(count));
    assert_eq!(message(&reads(3)), Vec::<String>::new());
    assert_eq!(
        message(&reads(4)),
        ["58 a dependent texture read of order 4: at most 3 is allowed"]
    );
    let many = whole("ps_2_0", &"texkill r0\n".repeat(33));
    assert_eq!(message(&many), ["58 33 texture slots: ps_2_0 allows 32"]);
    let old = whole("ps_1_1", &"mov r1, v0\n".repeat(8));
    assert_eq!(message(&old), ["58 9 arithmetic slots: ps_1_1 allows 8"]);
    let pairs = whole("ps_1_1", &"mov r1.xyz, v0\n+mov r1.w, v0\n".repeat(7));
    assert_eq!(message(&pairs), Vec::<String>::new());
    let vertex = whole("vs_2_0", &"nrm r2.xyz, r0\n".repeat(85));
    assert_eq!(message(&vertex), ["58 258 slots: vs_2_0 allows 256"]);
    let big = whole("ps_3_0", &"add r0, r0, r1\n".repeat(510));
    assert_eq!(message(&big), ["58 513 slots: devices guarantee only 512"]);
}

/// The checker reports instructions that exceed a device's capabilities.
#[test]
fn caps_count() {
    let text = whole("ps_2_x", "dsx r2, r0\nmov r3, r0.xxyz\nmov r23, r0");
    let program = assemble(&text).unwrap();
    let rules =
        |caps| findings_of(&program, caps).iter().map(|f| f.rule.number()).collect::<Vec<_>>();
    assert_eq!(rules(&Caps::MAX), Vec::<u8>::new());
    assert_eq!(rules(&Caps::PROFILE_2_A), [10]);
    assert_eq!(rules(&Caps::PROFILE_2_B), [2, 40]);
}

fn word() -> impl Strategy<Value = u32> {
    prop_oneof![
        any::<u32>(),
        (0u32..100, 0u32..7, 0u32..8, 0u32..2)
            .prop_map(|(op, len, control, bit)| op | len << 24 | control << 16 | bit << 28),
        (0u32..8, 0u32..40, 0u32..256)
            .prop_map(|(kind, number, swizzle)| 0x8000_0000 | kind << 28 | number | swizzle << 16),
        Just(0x0000_ffff),
    ]
}

proptest! {
    /// The checker accepts arbitrary dwords and returns a bounded number of findings.
    #[test]
    fn any_words_are_checked(version in 0..d3d9::ShaderVersion::ALL.len(),
        body in prop::collection::vec(word(), 0..64)) {
        let mut words = vec![d3d9::ShaderVersion::ALL[version].word()];
        words.extend(body);
        let program = D3d9Program::from_words(&words).unwrap();
        let report = check(&program, &Caps::MAX);
        prop_assert!(report.findings.len() <= d3d9::check::MAX_FINDINGS);
    }
}
