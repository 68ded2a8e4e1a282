//! Generates random instructions for a phase.

use agal_core::Component;

use super::{HullGenerator, id};
use crate::hull::register::PhaseKind as Kind;

/// Opcodes by source count; here float operations whose results IEEE 754 defines exactly.
const EXACT: [(usize, &[&str]); 3] = [
    (1, &["mov", "frc", "round_ne", "round_ni", "round_pi", "round_z"]),
    (2, &["add", "mul", "min", "max", "dp2", "dp3", "dp4"]),
    (3, &["mad"]),
];
const ROUGH: &[&str] = &["exp", "log", "rsq", "rcp", "sqrt"];
#[rustfmt::skip]
const INT: [(usize, &[&str]); 4] = [
    (1, &["not", "ineg", "countbits", "firstbit_hi", "firstbit_lo", "firstbit_shi", "bfrev", "mov"]),
    (2, &["iadd", "imax", "imin", "ishl", "ishr", "ushr", "umax", "umin", "and", "or", "xor", "ieq", "ine", "ilt", "ige",
        "ult", "uge"]),
    (3, &["imad", "umad", "ubfe", "ibfe", "movc"]),
    (4, &["bfi"]),
];
const PAIRS: &[&str] = &["imul", "umul", "udiv", "uaddc", "usubb"];
const COMPARE: &[&str] = &["eq", "ne", "lt", "ge"];
const MASKS: [&str; 8] = ["x", "y", "xy", "yz", "xyz", "xw", "zw", "xyzw"];
const FACTORS: [&str; 6] =
    ["l(1.000000)", "l(2.500000)", "l(3.000000)", "r0.x", "r1.y", "l(-1.000000)"];
/// Excludes 0: Mesa's compiler folds products with a literal 0 to 0, even for infinities.
const FLOATS: [&str; 3] =
    ["l(0.500000, -1.500000, 3.000000, 1000.000000)", "l(2.000000)", "l(-0.250000)"];
const INTS: [&str; 4] = ["l(1, 31, 32, -5)", "l(0x7fffffff)", "l(0)", "icb[0].yzyz"];

impl HullGenerator {
    pub(super) fn body(&mut self, kind: Kind, own: &[u32], factors: u32) {
        self.line("mov r2.xyzw, l(1, 2, 3, 4)\nmov r3.xyzw, l(0x80000000, -1, 77, 5)");
        self.line(
            "mov r4.xyzw, l(0,0,0,0)\nmov r5.xyzw, l(0,0,0,0)\nmov r6.x, l(0)\nmov r7.x, l(0)",
        );
        let (a, b) = (self.float(kind), self.float(kind));
        self.line(format_args!("mov r0.xyzw, {a}\nmov r1.xyzw, {b}"));
        for n in 0..4 {
            self.line(format_args!("mov x0[{n}].xyzw, r{}.xyzw", n % 2));
        }
        let scalar = if kind == Kind::ControlPoint { "" } else { ".x" };
        self.line(format_args!("mov r2.y, {}{scalar}\nmov r3.w, vPrim", id(kind)));
        let length = 4 + self.random.below(14);
        let subroutine = self.random.chance(25);
        if subroutine {
            let scalar = self.int_scalar();
            self.line(format_args!("call label0\ncallc_nz {scalar}, label0"));
        }
        self.block(kind, length, 0);
        for register in 0..factors {
            let value = self.random.word_of(&FACTORS);
            self.line(format_args!("mov o{register}.x, {value}"));
        }
        for register in own {
            // Inexact results go to the last control point register or to the first patch constant.
            let inexact = match kind {
                Kind::ControlPoint => own.last() == Some(register),
                Kind::Fork | Kind::Join => *register == self.factors,
            };
            let value = if inexact { "r5" } else { self.random.word_of(&["r0", "r1", "r2", "r3"]) };
            self.line(format_args!("mov o{register}.xyzw, {value}.xyzw"));
        }
        self.line("ret ");
        if subroutine {
            self.line("label label0");
            self.block(kind, 4, 1);
            let scalar = self.int_scalar();
            self.line(format_args!("retc_z {scalar}"));
            self.exact(kind);
            self.line("ret ");
        }
    }

    fn block(&mut self, kind: Kind, length: u32, depth: u32) {
        for _ in 0..length {
            match self.random.below(if depth < 2 { 12 } else { 9 }) {
                0..=2 => self.exact(kind),
                3..=4 => self.integer(),
                5 => self.between(kind),
                6..=7 => self.look_up(),
                8 => self.inexact(kind),
                9 => self.test(kind, depth),
                10 => self.count(kind, depth),
                _ => self.switch(kind),
            }
        }
    }

    fn test(&mut self, kind: Kind, depth: u32) {
        let test = self.random.word_of(&["if_nz", "if_z"]);
        let scalar = self.int_scalar();
        self.line(format_args!("{test} {scalar}"));
        self.block(kind, 3, depth + 1);
        if self.random.chance(50) {
            self.line("else ");
            self.block(kind, 2, depth + 1);
        }
        self.line("endif ");
    }

    /// Generates a loop. Each nesting depth has a separate counter, so every loop terminates.
    fn count(&mut self, kind: Kind, depth: u32) {
        let (counter, most) = (6 + depth, 1 + self.random.below(4));
        self.line(format_args!(
            "mov r{counter}.x, l(0)\nloop \nige r{counter}.y, r{counter}.x, l({most})\nbreakc_nz r{counter}.y\n\
             iadd r{counter}.x, r{counter}.x, l(1)"
        ));
        self.block(kind, 2, depth + 1);
        if self.random.chance(30) {
            let scalar = self.int_scalar();
            self.line(format_args!("continuec_nz {scalar}"));
            self.exact(kind);
        }
        self.line("endloop ");
    }

    fn switch(&mut self, kind: Kind) {
        let scalar = self.int_scalar();
        self.line(format_args!("and r4.x, {scalar}, l(3)\nswitch r4.x"));
        for case in 0..1 + self.random.below(3) {
            self.line(format_args!("case l({case})"));
            self.exact(kind);
            if self.random.chance(70) {
                self.line("break ");
            }
        }
        if self.random.chance(50) {
            self.line("default ");
            self.integer();
            self.line("break ");
        }
        self.line("endswitch ");
    }

    fn letter(&mut self) -> char {
        self.random.pick(&Component::ALL).map_or('x', |component| component.letter())
    }

    fn swizzle(&mut self) -> String {
        (0..4).map(|_| self.letter()).collect()
    }

    fn float(&mut self, kind: Kind) -> String {
        let swizzle = self.swizzle();
        let vertex = self.random.below(self.inputs);
        let element = self.random.below(self.input_registers);
        let file = if kind == Kind::ControlPoint { "v" } else { "vicp" };
        let register = match self.random.below(10) {
            0 | 1 => format!("r{}", self.random.below(2)),
            2 => format!("{file}[{vertex}][{element}]"),
            3 => format!("{file}[r4.x + {vertex}][{element}]"),
            4 if self.input_registers > 1 => format!("{file}[{vertex}][r4.x + 0]"),
            5 => format!("cb0[{}]", self.random.word_of(&["0", "3", "r4.x + 1"])),
            6 => format!("x0[{}]", self.random.word_of(&["0", "2", "r4.x + 0"])),
            7 if kind != Kind::ControlPoint && self.output_registers > 1 => {
                // Excludes the last output register of the control points, because that register's values are inexact.
                let vertex = self.random.below(self.outputs);
                format!("vocp[{vertex}][{}]", self.random.below(self.output_registers - 1))
            }
            8 if kind == Kind::Join => {
                format!("vpc{}", self.random.pick(&self.made).copied().unwrap_or(0))
            }
            _ => return self.random.word_of(&FLOATS).to_owned(),
        };
        match self.random.below(8) {
            0 => format!("-{register}.{swizzle}"),
            1 => format!("|{register}.{swizzle}|"),
            2 => format!("-|{register}.{swizzle}|"),
            _ => format!("{register}.{swizzle}"),
        }
    }

    fn int(&mut self) -> String {
        let swizzle = self.swizzle();
        match self.random.below(5) {
            0..=3 => format!("r{}.{swizzle}", 2 + self.random.below(2)),
            _ => self.random.word_of(&INTS).to_owned(),
        }
    }

    fn int_scalar(&mut self) -> String {
        let letter = self.letter();
        format!("r{}.{letter}", 2 + self.random.below(2))
    }

    fn exact(&mut self, kind: Kind) {
        let (count, list) = self.random.pick(&EXACT).copied().unwrap_or_default();
        let name = self.random.word_of(list);
        let sat = if self.random.chance(15) { "_sat" } else { "" };
        let dest = match self.random.below(6) {
            0 => format!("x0[{}]", self.random.word_of(&["1", "3", "r4.x + 0"])),
            n => format!("r{}", n % 2),
        };
        let mask = self.random.word_of(&MASKS);
        // `mov` accepts arbitrary bits; it interprets them as floats only if the source has a modifier.
        let sources: Vec<String> = (0..count).map(|_| self.float(kind)).collect();
        self.line(format_args!("{name}{sat} {dest}.{mask}, {}", sources.join(", ")));
    }

    fn integer(&mut self) {
        let mask = self.random.word_of(&MASKS);
        if self.random.chance(20) {
            let name = self.random.word_of(PAIRS);
            let (a, b) = (self.int(), self.int());
            let null = self.random.chance(30) && !["uaddc", "usubb"].contains(&name);
            let first = if null { "null".to_owned() } else { format!("r2.{mask}") };
            return self.line(format_args!("{name} {first}, r3.{mask}, {a}, {b}"));
        }
        let (count, list) = self.random.pick(&INT).copied().unwrap_or_default();
        let name = self.random.word_of(list);
        let sources: Vec<String> = (0..count).map(|_| self.int()).collect();
        let register = 2 + self.random.below(2);
        self.line(format_args!("{name} r{register}.{mask}, {}", sources.join(", ")));
    }

    fn between(&mut self, kind: Kind) {
        let mask = self.random.word_of(&MASKS);
        let (a, b, int) = (self.float(kind), self.float(kind), self.int());
        match self.random.below(6) {
            0 => self.line(format_args!("ftoi r2.{mask}, {a}")),
            1 => self.line(format_args!("ftou r3.{mask}, {a}")),
            2 => self.line(format_args!("itof r0.{mask}, {int}")),
            3 => self.line(format_args!("utof r1.{mask}, {int}")),
            4 => self.line(format_args!("movc r0.{mask}, {int}, {a}, {b}")),
            _ => {
                let name = self.random.word_of(COMPARE);
                self.line(format_args!("{name} r2.{mask}, {a}, {b}"));
            }
        }
    }

    /// Generates reads from buffers, textures and the immediate constant buffer. Texture coordinates stay away from
    /// texel edges, where drivers may select different texels.
    fn look_up(&mut self) {
        const TYPES: &str = "(float,float,float,float)";
        let (mask, scalar, int) = (self.random.word_of(&MASKS), self.int_scalar(), self.int());
        let level = self.random.word_of(&["0.000000", "0.250000", "1.250000", "2.000000"]);
        let whole = self.random.word_of(&["0.000000", "1.000000", "3.000000"]);
        let offset = self.random.word_of(&["", "(1,-1,0)", "(-8,7,0)"]);
        let suffix = if offset.is_empty() { "" } else { "_aoffimmi" };
        // The coordinates lie inside and outside of a texture with 8 texels per axis.
        let at = format!(
            "and r4.yz, {int}, l(0, 15, 15, 0)\nitof r5.xy, r4.yzyy\nmad r5.xy, r5.xyxx, l(0.125000), l(0.031250)\n"
        );
        let flat = format!("{suffix}_indexable{offset}(texture2d){TYPES}");
        let text = match self.random.below(10) {
            0 => format!("and r4.x, {scalar}, l(7)"),
            1 => format!(
                "and r4.y, {scalar}, l(0x1fc)\nld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r0.{mask}, r4.y, t0.xyzw"
            ),
            2 => format!(
                "and r4.y, {scalar}, l(31)\nld_structured_indexable(structured_buffer, stride=16)(mixed,mixed,mixed,mixed) \
                 r1.{mask}, r4.y, l(0), t1.wzyx"
            ),
            3 => {
                format!("and r4.yzw, {int}, l(0, 15, 15, 7)\nld{flat} r0.{mask}, r4.yzww, t2.xyzw")
            }
            4 => format!("{at}sample_l{flat} r5.{mask}, r5.xyxx, t2.yxwz, s0, l({level})"),
            5 => format!("{at}sample_l{flat} r1.{mask}, r5.xyxx, t2.xyzw, s1, l({whole})"),
            6 => {
                let channel = self.random.word_of(&["x", "y", "w"]);
                format!("{at}gather4{flat} r0.{mask}, r5.xyxx, t2.xyzw, s0.{channel}")
            }
            7 => format!(
                "and r4.yzw, {int}, l(0, 15, 15, 15)\nitof r5.xyz, r4.yzwy\n\
                 add r5.xyz, r5.xyzx, l(-7.630000, -6.390000, -7.170000, 0.000000)\n\
                 sample_l_indexable(texturecube){TYPES} r1.{mask}, r5.xyzx, t3.zyxw, s1, l({whole})"
            ),
            8 => {
                let level = self.random.below(4);
                format!("resinfo_indexable(texture2d){TYPES}_uint r2.{mask}, l({level}), t2.xyzx")
            }
            _ => format!("and r4.x, {scalar}, l(1)\nmov r0.{mask}, icb[r4.x + 0].xwxw"),
        };
        self.line(text);
    }

    fn inexact(&mut self, kind: Kind) {
        let mask = self.random.word_of(&MASKS);
        let (a, b) = (self.float(kind), self.float(kind));
        // Error bounds are known for small positive numbers.
        self.line(format_args!("add_sat r5.{mask}, {a}, {b}\nadd r5.{mask}, r5.xyzw, l(0.250000)"));
        match self.random.below(4) {
            0 => self.line(format_args!("sincos r5.{mask}, null, r5.xyzw")),
            1 => self.line(format_args!("div r5.{mask}, l(1.000000), r5.xyzw")),
            _ => {
                let name = self.random.word_of(ROUGH);
                self.line(format_args!("{name} r5.{mask}, r5.xyzw"));
            }
        }
    }
}
