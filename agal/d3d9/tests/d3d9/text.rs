//! Assembly text: encodings from the reference, round trips of arbitrary dwords, and positions of errors.

use d3d9::text::assemble;
use d3d9::{D3d9Program, ShaderVersion};
use proptest::prelude::*;

/// Columns: version, text, dwords after the version token ([d3d9.words.texld] [d3d9.words.m4x4] [d3d9.words.model_1]
/// [d3d9.instruction.predicate]).
const GOLDEN: &[(&str, &str, &str)] = &rows! {
    "vs_2_0", "dcl_texcoord1 v1", "0200001F 80010005 900F0001";
    "vs_2_0", "m4x4 oPos, v0, c0", "03000014 C00F0000 90E40000 A0E40000";
    "vs_2_0", "mov oT0, v1", "02000001 E00F0000 90E40001";
    "ps_2_0", "dcl t0", "0200001F 80000000 B00F0000";
    "ps_2_0", "dcl_2d s0", "0200001F 90000000 A00F0800";
    "ps_2_0", "dcl_pp v0", "0200001F 80000000 902F0000";
    "ps_2_0", "texld r0, t0, s0", "03000042 800F0000 B0E40000 A0E40800";
    "ps_2_0", "texldp r1, r0, s0", "03010042 800F0001 80E40000 A0E40800";
    "ps_2_0", "texldb r2, r0, s0", "03020042 800F0002 80E40000 A0E40800";
    "ps_2_0", "mov oC0, r0", "02000001 800F0800 80E40000";
    "ps_2_0", "mov oDepth, r0.x", "02000001 900F0800 80000000";
    "ps_2_0", "def c31, 1, 0, 0, 0", "05000051 A00F001F 3F800000 00000000 00000000 00000000";
    "ps_2_0", "add r1, t0, -c0", "03000002 800F0001 B0E40000 A1E40000";
    "ps_2_0", "cmp r1, r1, c31.y, c31.x", "04000058 800F0001 80E40001 A055001F A000001F";
    "ps_2_0", "mov r2, r1.w", "02000001 800F0002 80FF0001";
    "ps_2_0", "texkill r2", "01000041 800F0002";
    "ps_3_0", "setp_lt p0, v0, c0", "0304005E B00F1000 90E40000 A0E40000";
    "ps_3_0", "(p0) mov r0, c1.y", "13000001 800F0000 B0E41000 A0550001";
    "ps_2_x", "(!p0) add r2, r2, r3", "14000002 800F0002 BDE41000 80E40002 80E40003";
    "ps_3_0", "if_gt r0.x, c2.x", "02010029 80000000 A0000002";
    "ps_3_0", "else", "0000002A";
    "ps_3_0", "endif", "0000002B";
    "ps_3_0", "mov_sat r1, -r0_abs", "02000001 801F0001 8CE40000";
    "ps_3_0", "texldl r1, v1, s0", "0300005F 800F0001 90E40001 A0E40800";
    "ps_3_0", "mov r0, vPos", "02000001 800F0000 90E41000";
    "ps_3_0", "mov r0, vFace", "02000001 800F0000 90E41001";
    "ps_3_0", "mov r0, v12[aL]", "03000001 800F0000 90E4200C F0E40800";
    "vs_3_0", "mova a0.y, v0.w", "0200002E B0020000 90FF0000";
    "vs_3_0", "mov r0, c4[a0.y]", "03000001 800F0000 A0E42004 B0550000";
    "vs_3_0", "defi i0, 4, 0, 1, 0", "05000030 F00F0000 00000004 00000000 00000001 00000000";
    "vs_3_0", "loop aL, i0", "0200001B F0E40800 F0E40000";
    "vs_3_0", "add r0, r0, c8[aL]", "04000002 800F0000 80E40000 A0E42008 F0E40800";
    "vs_3_0", "endloop", "0000001D";
    "vs_2_0", "sincos r0.xy, r1.x, c0, c1", "04000025 80030000 80000001 A0E40000 A0E40001";
    "vs_3_0", "sgn r0, r1, r2, r3", "04000022 800F0000 80E40001 80E40002 80E40003";
    "ps_2_x", "call l0", "01000019 A0E41000";
    "ps_2_x", "ret", "0000001C";
    "ps_2_x", "label l0", "0100001E A0E41000";
    "ps_2_x", "callnz l0, !p0.z", "0200001A A0E41000 BDAA1000";
    "ps_2_x", "breakp p0.w", "01000060 B0FF1000";
    "ps_2_x", "defb b0, true", "0200002F E00F0800 00000001";
    "ps_2_x", "if !b0", "01000028 EDE40800";
    "ps_2_x", "rep i0", "01000026 F0E40000";
    "ps_2_x", "break_ne r0, r1", "0205002D 80E40000 80E40001";
    "ps_1_4", "texcrd r0.xyz, t0", "00000040 80070000 B0E40000";
    "ps_1_4", "texld r1, t1_dw.xyww", "00000042 800F0001 BAF40001";
    "ps_1_4", "phase", "0000FFFD";
    "ps_1_4", "texld r2, r0_dz", "00000042 800F0002 89E40000";
    "ps_1_4", "add_x2_sat r0.xyz, r1_bx2, 1-r2", "00000002 81170000 84E40001 86E40002";
    "ps_1_4", "+mul_d4 r0.w, -r1_bias, r2_x2", "40000005 8E080000 83E40001 87E40002";
    "ps_1_1", "tex t0", "00000042 B00F0000";
    "ps_1_1", "texbem t1, t0", "00000043 B00F0001 B0E40000";
    "ps_1_1", "texm3x3pad t2, t0_bx2", "00000049 B00F0002 B4E40000";
    "ps_1_1", "cnd r0, r0.w, c0, v0", "00000050 800F0000 80FF0000 A0E40000 90E40000";
    "vs_1_1", "mov a0.x, v0.x", "00000001 B0010000 90000000";
    "vs_1_1", "mov oT0, c4[a0.x]", "00000001 E00F0000 A0E42004";
    "vs_1_1", "mov oFog, v0.x", "00000001 C00F0001 90000000";
    "vs_3_0", "(p0) mov o2[a0.x], c5[a0.y]", "15000001 E00F2002 B0000000 B0E41000 A0E42005 B0550000";
    "vs_3_0", "mov o12[a0.x], r0", "03000001 E00F200C B0000000 80E40000";
    "ps_3_0", "dcl vPos.xy", "0200001F 80000000 90031000";
    "vs_3_sw", "mov r0, c3056", "02000001 800F0000 B0E40BF0";
};

fn words(text: &str) -> Vec<u32> {
    text.split(' ').map(|word| u32::from_str_radix(word, 16).unwrap()).collect()
}

/// Tests the dwords of assembled instructions: [d3d9.instruction.bits] [d3d9.instruction.length]
/// [d3d9.instruction.comparison] [d3d9.instruction.load] [d3d9.instruction.co_issue] [d3d9.instruction.no_dest]
/// [d3d9.dest.bits] [d3d9.source.bits] [d3d9.source.modifiers] [d3d9.relative.vs_1_1] [d3d9.relative.word]
/// [d3d9.relative.output] [d3d9.operands.version] [d3d9.operands.sgn] [d3d9.dcl.payload] [d3d9.dcl.usage]
/// [d3d9.def.literals].
#[test]
fn golden_vectors() {
    for (version, text, hex) in GOLDEN {
        let program =
            assemble(&format!("{version}\n{text}")).unwrap_or_else(|e| panic!("{text}: {e}"));
        let mut expected = vec![ShaderVersion::from_name(version).unwrap().word()];
        expected.extend(words(hex));
        expected.push(0xffff);
        assert_eq!(program.to_words(), expected, "{text}");
        let back = D3d9Program::from_words(&expected).unwrap();
        assert_eq!(back, program);
        let (_, instruction) = back.instructions().next().unwrap();
        assert_eq!(instruction.text(back.version), *text);
    }
}

/// The assembler accepts synonyms ([d3d9.text.synonyms]). [d3d9.source.selector]
#[test]
fn synonyms() {
    for (version, one, other) in rows! {
        "vs_2_0", "mov r0, c[a0.x]", "mov r0, c0[a0.x]";
        "vs_2_0", "mov r0, c4[2+a0.x+12]", "mov r0, c18[a0.x]";
        "ps_3_0", "mov r0, v[aL + 12]", "mov r0, v12[aL]";
        "ps_2_0", "mov r0.rgb, t0.xygb", "mov r0.xyz, t0.xyyz";
        "ps_2_0", "mov r0, t0.xy", "mov r0, t0.xyyy";
        "ps_2_0", "MOV R0, OC0 ; comment", "mov r0, oc0 // other";
        "ps_1_4", "texld r1, t1_da.xyw", "texld r1, t1.xyw_dw";
        "ps_1_4", "texld r1, r1_db", "texld r1, r1_dz";
        "ps_1_1", "mov r0, 1 - r1", "mov r0, 1-r1";
        "ps_2_x", "dcl_pp_centroid t0", "dcl_centroid_pp t0";
        "ps_1_1", "add_sat_x2 r0, r0, r0", "add_x2_sat r0, r0, r0";
        "vs.2.0", "rcp r0.x, r1", "rcp r0.x, r1.x";
        "vs_3_0", "dcl_texcoord0 v0", "dcl_texcoord v0";
        "ps_2_0", "/* a\nb */ mov r0, r1 /* c */", "mov r0, r1";
        "ps_2_0", "def c0, 1.0f, 0., -10.0e5, .5", "def c0, 1, 0, -1000000, 0.5";
    } {
        let words = |text| {
            assemble(&format!("{version}\n{text}")).unwrap_or_else(|e| panic!("{e}")).to_words()
        };
        assert_eq!(words(one), words(other), "{one}");
    }
    assert_eq!(assemble("ps_2_a").unwrap().version, ShaderVersion::Ps2x);
}

#[test]
fn errors_have_places() {
    for (text, line, column, message) in rows! {
        "mov r0, r1", 1, 1, "the text must begin with a version such as `ps_2_0`";
        "ps_2_0\nmvo r0, r1", 2, 1, "unknown instruction `mvo`; did you mean `mov`?";
        "ps_2_0\n  slt r0, r1, r2", 2, 3, "`slt` does not exist in ps_2_0";
        "ps_2_0\ndsx r0, r1", 2, 1, "`dsx` does not exist in ps_2_0 (needs ps_2_x)";
        "ps_1_1\ntexldp r0, t0, s0", 2, 1, "`texldp` does not exist in ps_1_1 (needs ps_2_0)";
        "ps_2_0\nmov r0, q1", 2, 9, "unknown register `q1`";
        "ps_2_0\nmov r0, oT1", 2, 9, "ps_2_0 has no register `oT1`";
        "ps_2_0\nmov r0, r9999", 2, 9, "`r9999`: the register number is too large";
        "ps_2_0\nmov r0.xw, r1.xyq", 2, 14, "`xyq` is not one to four";
        "ps_2_0\nmov r0.wx, r1", 2, 7, "`wx, r1` is not one to four of x, y, z, w (for a write mask, in this order)";
        "ps_2_0\nmov r0, r1_foo", 2, 9, "`r_foo` is not a source modifier";
        "ps_2_0\nmov_foo r0, r1", 2, 1, "`_foo` is not allowed here";
        "ps_2_0\nmov_x2_x4 r0, r1", 2, 1, "`_x4` is not allowed here";
        "ps_2_0\nadd r0, r1", 2, 1, "`add` takes 3 operands, found 2";
        "ps_2_0\nadd r0, r1, r2, r3", 2, 1, "`add` takes 3 operands, found 4";
        "ps_2_0\nmov r0 r1", 2, 8, "expected `,`";
        "ps_2_0\ndef c0, 1, 2, 3, x", 2, 18, "`x` is not a valid number here";
        "vs_2_0\nmov r0, c[a0]", 2, 13, "expected one component: `a0.x`";
        "vs_2_0\nmov r0, c[a0.x", 2, 15, "expected `]`";
        "vs_2_0\ndcl_texcord v0", 2, 1, "`_texcord` is not allowed here; did you mean `dcl_texcoord`?";
        "vs_2_0\ndcl_2d v0", 2, 8, "expected a register that matches the suffix";
        "ps_3_0\nsetp p0, r0, r1", 2, 1, "`setp` needs a comparison, as in `setp_gt`";
        "ps_2_0\n#define X", 2, 1, "the assembler doesn't support preprocessor directives";
        "ps_2_0\nvs_2_0", 2, 1, "a second version";
        "ps_2_0\n//@ 123", 2, 8, "expected `//@comment` before it";
        "ps_2_0\n.words 0xfffffffff", 2, 8, "`0xfffffffff` is not a valid number";
        "", 1, 1, "the text must begin with a version such as";
    } {
        let errors = assemble(text).expect_err(text);
        let shown = errors.to_string();
        let first = shown.lines().next().unwrap();
        let expected = format!("{line}:{column}: {message}");
        assert!(first.starts_with(&expected), "{text}: {shown}");
        assert!(shown.lines().nth(2).unwrap().ends_with('^'));
    }
    let many = "ps_2_0\n".to_owned() + &"mvo\n".repeat(100);
    assert_eq!(assemble(&many).unwrap_err().iter().count(), agal_core::text::MAX_ERRORS);
    let shown = assemble("ps_2_0\nmvo").unwrap_err().in_file("a.txt").to_string();
    assert!(shown.starts_with("a.txt:2:1: unknown instruction `mvo`"), "{shown}");
}

fn word() -> impl Strategy<Value = u32> {
    prop_oneof![
        any::<u32>(),
        (0u32..100, 0u32..7, 0u32..8, 0u32..2)
            .prop_map(|(op, len, control, bit)| op | len << 24 | control << 16 | bit << 28),
        any::<u32>().prop_map(|word| word | 0x8000_0000),
        (0u32..3, 0u32..16, 0u32..256)
            .prop_map(|(kind, number, swizzle)| 0x8000_0000 | kind << 28 | number | swizzle << 16),
        (0u32..4).prop_map(|len| 0xfffe | len << 16),
        Just(0x0000_ffff),
        Just(0x0000_fffd),
    ]
}

proptest! {
    #[test]
    fn any_words_assemble_again(version in 0..ShaderVersion::ALL.len(), body in prop::collection::vec(word(), 0..48)) {
        let mut words = vec![ShaderVersion::ALL[version].word()];
        words.extend(body);
        let program = D3d9Program::from_words(&words).unwrap();
        let text = program.listing().to_string();
        let again = assemble(&text).unwrap_or_else(|error| panic!("{text}\n{error}"));
        prop_assert_eq!(again.to_words(), words, "{}", text);
    }

    /// The assembler accepts or rejects arbitrary text without panicking.
    #[test]
    fn any_text_is_bounded(text in "(ps_2_0\n)?([a-z_0-9.,\\[\\]+ ;/*#()!-]{0,20}\n){0,4}") {
        if let Err(errors) = assemble(&text) {
            prop_assert!(errors.iter().count() > 0 && !errors.to_string().is_empty());
        }
    }
}
