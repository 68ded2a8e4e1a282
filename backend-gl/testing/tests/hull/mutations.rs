//! Mutations: one deliberate error on the way to the driver, to test that grids and random programs detect it.

use molehill_testing::probe::hull::DriverText;

/// A deliberate error in the text for the driver.
#[derive(Debug)]
pub(crate) struct Mutation {
    /// The mutation's name: words with hyphens.
    pub(crate) name: &'static str,
    text: DriverText,
    /// Pairs of a string and its replacement, applied in order. Later pairs don't change a replacement that begins with
    /// `#`, so that a mutation can swap two strings.
    replace: &'static [(&'static str, &'static str)],
}

macro_rules! mutations {
    ($($name:literal $text:ident: $($from:literal => $to:literal),+;)+) => {
        /// All mutations.
        pub(crate) const MUTATIONS: &[Mutation] = &[$(Mutation {
            name: $name,
            text: DriverText::$text,
            replace: &[$(($from, $to)),+],
        }),+];
    };
}

mutations! {
    // Errors of assemblers, decoders and translators that confuse operands.
    "swizzle" Listing: ", r1.x" => ", r1.y";
    "swizzle-of-integers" Listing: ", r2.x" => ", r2.w";
    "mask" Listing: " r5.xy," => " r5.xyz,";
    "mask-of-integers" Listing: " r5.zw," => " r5.w,";
    "register" Listing: ", r1." => ", r0.";
    "register-of-integers" Listing: ", r3." => ", r2.";
    "minus-lost" Listing: ", -r" => ", r", ", -v" => ", v";
    "absolute-lost" Listing: "|r0" => "r0", "|, " => ", ", "|\n" => "\n", "|r1" => "r1", "|v" => "v", "|c" => "c", "|x" => "x";
    "saturation-lost" Listing: "_sat r5" => " r5";
    "test-turned" Listing: "if_nz" => "#if_z", "if_z" => "#if_nz";
    "constant-register" Listing: "cb0[3]" => "cb0[2]";
    "constant-by-index" Listing: "cb0[r4.x + 1]" => "cb0[r4.x + 0]";
    "input-vertex" Listing: "v[0][" => "#v[1][", "v[1][" => "#v[0][";
    "output-vertex" Listing: "vocp[1][" => "vocp[0][";
    "fork-instance" Listing: "mov r2.y, vForkInstanceID.x" => "mov r2.y, l(5)";
    "join-instance" Listing: "mov r2.y, vJoinInstanceID.x" => "mov r2.y, l(5)";
    "control-point-number" Listing: "mov r2.y, vOutputControlPointID" => "mov r2.y, l(5)";
    "patch-number" Listing: "mov r3.w, vPrim" => "mov r3.w, l(5)";
    "indexable-temporary" Listing: "x0[r4.x + 0]" => "x0[0]";
    "immediate-buffer" Listing: "icb[r4.x + 0]" => "icb[0]";
    "signed-for-unsigned" Listing: "ult r" => "ilt r", "umax r" => "imax r", "ushr r" => "ishr r";
    "rounding" Listing: "round_ne" => "round_pi", "round_z" => "round_ni";
    "raw-address" Listing: "l(0x1fc)" => "l(0x1f8)";
    "structure-swizzle" Listing: "t1.wzyx" => "t1.xyzw";
    "texture-swizzle" Listing: "t2.yxwz" => "t2.xyzw";
    "texture-offset" Listing: "(1,-1,0)" => "(-1,1,0)";
    "gather-channel" Listing: "s0.y\n" => "s0.x\n";
    "texture-level" Listing: "l(1.250000)" => "l(0.250000)";
    "sampler" Listing: "s1, l(" => "s0, l(";
    "cube-face" Listing: "r6.xyzx, t3" => "r6.yxzx, t3";
    // Errors of translators that omit or swap code.
    "saturates-to-two" Control: "clamp(v, 0.0, 1.0)" => "clamp(v, 0.0, 2.0)";
    "shift-of-more-bits" Control: "& 31u" => "& 15u";
    "division-by-zero" Control: "(uvec4(0u) - uvec4(equal(b, uvec4(0u))))" => "uvec4(0u)";
    "nan-becomes-a-number" Control: "ivec4 hs_ftoi(vec4 v) {" => "ivec4 hs_ftoi(vec4 v) { v = v * 0.5;";
    "instance-off-by-one" Control: "(n);\n" => "(n + 1u);\n";
    "control-points-not-run" Control: "    control_point();\n" => "";
    "control-points-from-the-first" Control: "vicp[gl_InvocationID]" => "vicp[0]";
    "patch-constant-of-another" Control: "pc.c[0] = P[0]" => "pc.c[0] = P[0].yzwx";
    "factor-order" Control: "gl_TessLevelOuter[0]" => "#gl_TessLevelOuter[1]", "gl_TessLevelOuter[1]" => "#gl_TessLevelOuter[0]";
    "opposite-edges" Control: "gl_TessLevelOuter[1]" => "#gl_TessLevelOuter[3]", "gl_TessLevelOuter[3]" => "#gl_TessLevelOuter[1]";
    "inside-order" Control: "gl_TessLevelInner[0]" => "#gl_TessLevelInner[1]", "gl_TessLevelInner[1]" => "#gl_TessLevelInner[0]";
    "factor-clamped" Control: "gl_TessLevelOuter[0] = " => "gl_TessLevelOuter[0] = 0.9 * ";
    "never-culled" Control: "gl_TessLevelOuter[0] = uint" => "gl_TessLevelOuter[0] = 1e-3 + abs(1.0) * uint";
    "winding" Layout: "ccw" => "cw";
    "spacing-of-whole-numbers" Layout: "equal" => "fractional_even";
    "spacing-odd" Layout: "fractional_odd" => "fractional_even";
    "spacing-even" Layout: "fractional_even" => "equal";
    // Errors of the formulas and operands in the emitted GLSL.
    "absolute-of-negative" Control: " & 0x7fffffffu" => " | 0u";
    "sign-not-changed" Control: " ^ 0x80000000u" => " ^ 0u";
    "sign-of-absolute" Control: " | 0x80000000u" => " | 0u";
    "integer-not-negated" Control: "(uvec4(0u) - " => "(uvec4(0u) + ";
    "round-half-up" Control: "roundEven(" => "floor(0.5 + ";
    "lowest-bit-is-highest" Control: "findLSB(" => "findMSB(";
    "bits-not-reversed" Control: "bitfieldReverse(" => "(";
    "carry-lost" Control: "uvec4(lessThan(" => "uvec4(greaterThan(";
    "branch-of-unequal" Control: "notEqual(" => "equal(";
    "float-and-integer-less" Control: "lessThan(uintBitsToFloat" => "greaterThan(uintBitsToFloat";
    "instruction-after-return" Control: ") return;" => ") {}";
    "loop-not-left" Control: ") continue;" => ") {}";
    "read-past-the-end" Control: ": uvec4(0u))" => ": uvec4(7u))";
}

/// Follows each letter of a replacement with `#`, so that later pairs don't match the replaced text.
const GUARD: char = '\u{1}';

impl Mutation {
    /// Applies the mutation to a string; returns `None` if the string doesn't change.
    pub(crate) fn apply(&self, kind: DriverText, text: &str) -> Option<String> {
        if kind != self.text {
            return None;
        }
        let mut changed = text.to_owned();
        for (from, to) in self.replace {
            let guarded = match to.strip_prefix('#') {
                Some(to) => to.chars().flat_map(|letter| [letter, GUARD]).collect(),
                None => (*to).to_owned(),
            };
            changed = changed.replace(from, &guarded);
        }
        let changed = changed.replace(GUARD, "");
        (changed != text).then_some(changed)
    }
}
