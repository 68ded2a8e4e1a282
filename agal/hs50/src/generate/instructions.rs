//! The instructions of a phase.

use std::fmt::Write as _;

use shader_core::Component;

use super::Generator;
use crate::hull::register::PhaseKind as Kind;

/// Float operations whose results IEEE 754 defines bit for bit, by number of sources.
const EXACT: [&[&str]; 3] = [
    &["mov", "frc", "round_ne", "round_ni", "round_pi", "round_z"],
    &["add", "mul", "min", "max", "dp2", "dp3", "dp4"],
    &["mad"],
];
const ROUGH: &[&str] = &["exp", "log", "rsq", "rcp", "sqrt"];
const INT: [&[&str]; 4] = [
    &["not", "ineg", "countbits", "firstbit_hi", "firstbit_lo", "firstbit_shi", "bfrev", "mov"],
    &[
        "iadd", "imax", "imin", "ishl", "ishr", "ushr", "umax", "umin", "and", "or", "xor", "ieq",
        "ine", "ilt", "ige", "ult", "uge",
    ],
    &["imad", "umad", "ubfe", "ibfe", "movc"],
    &["bfi"],
];
const PAIRS: &[&str] = &["imul", "umul", "udiv", "uaddc", "usubb"];
const COMPARE: &[&str] = &["eq", "ne", "lt", "ge"];
const MASKS: [&str; 8] = ["x", "y", "xy", "yz", "xyz", "xw", "zw", "xyzw"];

impl Generator {
    pub(super) fn body(&mut self, kind: Kind, own: &[u32], factors: u32) -> std::fmt::Result {
        self.out.push_str("mov r2.xyzw, l(1, 2, 3, 4)\nmov r3.xyzw, l(0x80000000, -1, 77, 5)\nmov r4.xyzw, l(0,0,0,0)\n");
        self.out.push_str("mov r5.xyzw, l(0,0,0,0)\nmov r6.x, l(0)\nmov r7.x, l(0)\n");
        let (a, b) = (self.float(kind), self.float(kind));
        write!(self.out, "mov r0.xyzw, {a}\nmov r1.xyzw, {b}\n")?;
        for n in 0..4 {
            writeln!(self.out, "mov x0[{n}].xyzw, r{}.xyzw", n % 2)?;
        }
        let id = match kind {
            Kind::ControlPoint => "vOutputControlPointID",
            Kind::Fork => "vForkInstanceID.x",
            Kind::Join => "vJoinInstanceID.x",
        };
        write!(self.out, "mov r2.y, {id}\nmov r3.w, vPrim\n")?;
        let length = 4 + self.random.below(14);
        let subroutine = self.random.chance(25);
        if subroutine {
            let scalar = self.int_scalar();
            write!(self.out, "call label0\ncallc_nz {scalar}, label0\n")?;
        }
        self.block(kind, length, 0)?;
        for register in 0..factors {
            let value = self.random.word_of(&[
                "l(1.000000)",
                "l(2.500000)",
                "l(3.000000)",
                "r0.x",
                "r1.y",
                "l(-1.000000)",
            ]);
            writeln!(self.out, "mov o{register}.x, {value}")?;
        }
        let last = own.len().saturating_sub(1);
        for (place, register) in own.iter().enumerate() {
            // The register for inexact results is the last of the control points, and the first of the patch constants.
            let inexact = match kind {
                Kind::ControlPoint => place == last,
                _ => *register == self.factors,
            };
            let value = if inexact { "r5" } else { self.random.word_of(&["r0", "r1", "r2", "r3"]) };
            writeln!(self.out, "mov o{register}.xyzw, {value}.xyzw")?;
        }
        self.out.push_str("ret \n");
        if subroutine {
            self.out.push_str("label label0\n");
            self.block(kind, 4, 1)?;
            let scalar = self.int_scalar();
            writeln!(self.out, "retc_z {scalar}")?;
            self.exact(kind)?;
            self.out.push_str("ret \n");
        }
        Ok(())
    }

    fn block(&mut self, kind: Kind, length: u32, depth: u32) -> std::fmt::Result {
        for _ in 0..length {
            match self.random.below(if depth < 2 { 12 } else { 9 }) {
                0..=2 => self.exact(kind)?,
                3..=4 => self.integer()?,
                5 => self.between(kind)?,
                6..=7 => self.look_up()?,
                8 => self.inexact(kind)?,
                9 => {
                    let test = self.random.word_of(&["if_nz", "if_z"]);
                    let scalar = self.int_scalar();
                    writeln!(self.out, "{test} {scalar}")?;
                    self.block(kind, 3, depth + 1)?;
                    if self.random.chance(50) {
                        self.out.push_str("else \n");
                        self.block(kind, 2, depth + 1)?;
                    }
                    self.out.push_str("endif \n");
                }
                10 => {
                    // A loop counter for each nesting depth, so that every loop ends.
                    let counter = 6 + depth;
                    let most = 1 + self.random.below(4);
                    write!(
                        self.out,
                        "mov r{counter}.x, l(0)\nloop \nige r{counter}.y, r{counter}.x, l({most})\nbreakc_nz r{counter}.y\n"
                    )?;
                    writeln!(self.out, "iadd r{counter}.x, r{counter}.x, l(1)")?;
                    self.block(kind, 2, depth + 1)?;
                    if self.random.chance(30) {
                        let scalar = self.int_scalar();
                        writeln!(self.out, "continuec_nz {scalar}")?;
                        self.exact(kind)?;
                    }
                    self.out.push_str("endloop \n");
                }
                _ => {
                    let scalar = self.int_scalar();
                    writeln!(self.out, "and r4.x, {scalar}, l(3)\nswitch r4.x")?;
                    for case in 0..1 + self.random.below(3) {
                        writeln!(self.out, "case l({case})")?;
                        self.exact(kind)?;
                        if self.random.chance(70) {
                            self.out.push_str("break \n");
                        }
                    }
                    if self.random.chance(50) {
                        self.out.push_str("default \n");
                        self.integer()?;
                        self.out.push_str("break \n");
                    }
                    self.out.push_str("endswitch \n");
                }
            }
        }
        Ok(())
    }

    fn letter(&mut self) -> char {
        self.random.pick(&Component::ALL).map_or('x', |component| component.letter())
    }

    fn swizzle(&mut self) -> String {
        (0..4).map(|_| self.letter()).collect()
    }

    /// A float source. Literals are never 0: Mesa's compiler folds products with a literal 0 to 0, even for infinities.
    fn float(&mut self, kind: Kind) -> String {
        let swizzle = self.swizzle();
        let vertex = self.random.below(self.inputs);
        let element = self.random.below(self.input_registers);
        let file = if kind == Kind::ControlPoint { "v" } else { "vicp" };
        let source = match self.random.below(10) {
            0 | 1 => format!("r{}.{swizzle}", self.random.below(2)),
            2 => format!("{file}[{vertex}][{element}].{swizzle}"),
            3 => format!("{file}[r4.x + {vertex}][{element}].{swizzle}"),
            4 if self.input_registers > 1 => format!("{file}[{vertex}][r4.x + 0].{swizzle}"),
            5 => format!("cb0[{}].{swizzle}", self.random.word_of(&["0", "3", "r4.x + 1"])),
            6 => format!("x0[{}].{swizzle}", self.random.word_of(&["0", "2", "r4.x + 0"])),
            7 if kind != Kind::ControlPoint && self.output_registers > 1 => {
                // Excludes the register with inexact results.
                let (vertex, element) =
                    (self.random.below(self.outputs), self.random.below(self.output_registers - 1));
                format!("vocp[{vertex}][{element}].{swizzle}")
            }
            8 if kind == Kind::Join => {
                let register = self.random.pick(&self.made).copied().unwrap_or(0);
                format!("vpc{register}.{swizzle}")
            }
            _ => {
                return self
                    .random
                    .word_of(&[
                        "l(0.500000, -1.500000, 3.000000, 1000.000000)",
                        "l(2.000000)",
                        "l(-0.250000)",
                    ])
                    .to_owned();
            }
        };
        match self.random.below(8) {
            0 => format!("-{source}"),
            1 => format!("|{source}|"),
            2 => format!("-|{source}|"),
            _ => source,
        }
    }

    fn int(&mut self) -> String {
        let swizzle = self.swizzle();
        match self.random.below(5) {
            0..=3 => format!("r{}.{swizzle}", 2 + self.random.below(2)),
            _ => self
                .random
                .word_of(&["l(1, 31, 32, -5)", "l(0x7fffffff)", "l(0)", "icb[0].yzyz"])
                .to_owned(),
        }
    }

    fn int_scalar(&mut self) -> String {
        let letter = self.letter();
        format!("r{}.{letter}", 2 + self.random.below(2))
    }

    fn exact(&mut self, kind: Kind) -> std::fmt::Result {
        let list = self.random.pick(&EXACT).copied().unwrap_or_default();
        let count = EXACT.iter().position(|other| *other == list).unwrap_or(0) + 1;
        let name = self.random.word_of(list);
        let sat = if self.random.chance(15) { "_sat" } else { "" };
        let dest = match self.random.below(6) {
            0 => format!("x0[{}]", self.random.word_of(&["1", "3", "r4.x + 0"])),
            n => format!("r{}", n % 2),
        };
        let mask = self.random.word_of(&MASKS);
        let sources: Vec<String> = (0..count).map(|_| self.float(kind)).collect();
        // `mov` accepts any bits and treats them as floats only with a modifier.
        writeln!(self.out, "{name}{sat} {dest}.{mask}, {}", sources.join(", "))
    }

    fn integer(&mut self) -> std::fmt::Result {
        let mask = self.random.word_of(&MASKS);
        if self.random.chance(20) {
            let name = self.random.word_of(PAIRS);
            let (a, b) = (self.int(), self.int());
            let first = if self.random.chance(30) && !["uaddc", "usubb"].contains(&name) {
                "null".to_owned()
            } else {
                format!("r2.{mask}")
            };
            return writeln!(self.out, "{name} {first}, r3.{mask}, {a}, {b}");
        }
        let list = self.random.pick(&INT).copied().unwrap_or_default();
        let count = INT.iter().position(|other| *other == list).unwrap_or(0) + 1;
        let name = self.random.word_of(list);
        let sources: Vec<String> = (0..count).map(|_| self.int()).collect();
        writeln!(self.out, "{name} r{}.{mask}, {}", 2 + self.random.below(2), sources.join(", "))
    }

    fn between(&mut self, kind: Kind) -> std::fmt::Result {
        let mask = self.random.word_of(&MASKS);
        let (a, b, int) = (self.float(kind), self.float(kind), self.int());
        match self.random.below(6) {
            0 => writeln!(self.out, "ftoi r2.{mask}, {a}"),
            1 => writeln!(self.out, "ftou r3.{mask}, {a}"),
            2 => writeln!(self.out, "itof r0.{mask}, {int}"),
            3 => writeln!(self.out, "utof r1.{mask}, {int}"),
            4 => writeln!(self.out, "movc r0.{mask}, {int}, {a}, {b}"),
            _ => {
                let name = self.random.word_of(COMPARE);
                writeln!(self.out, "{name} r2.{mask}, {a}, {b}")
            }
        }
    }

    /// Reads from buffers, textures and the immediate constant buffer. Texture coordinates avoid the texel edges, where
    /// drivers may choose different texels.
    fn look_up(&mut self) -> std::fmt::Result {
        let (mask, scalar, int) = (self.random.word_of(&MASKS), self.int_scalar(), self.int());
        let level = self.random.word_of(&["0.000000", "0.250000", "1.250000", "2.000000"]);
        let whole = self.random.word_of(&["0.000000", "1.000000", "3.000000"]);
        let offset = self.random.word_of(&["", "(1,-1,0)", "(-8,7,0)"]);
        let suffix = if offset.is_empty() { "" } else { "_aoffimmi" };
        const FLOATS: &str = "(float,float,float,float)";
        // Texture coordinates inside and outside of a texture with 8 texels per side.
        let place = format!(
            "and r4.yz, {int}, l(0, 15, 15, 0)\nitof r5.xy, r4.yzyy\nmad r5.xy, r5.xyxx, l(0.125000), l(0.031250)\n"
        );
        match self.random.below(10) {
            0 => writeln!(self.out, "and r4.x, {scalar}, l(7)"),
            1 => writeln!(
                self.out,
                "and r4.y, {scalar}, l(0x1fc)\nld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r0.{mask}, r4.y, t0.xyzw"
            ),
            2 => writeln!(
                self.out,
                "and r4.y, {scalar}, l(31)\nld_structured_indexable(structured_buffer, stride=16)(mixed,mixed,mixed,mixed) r1.{mask}, r4.y, l(0), t1.wzyx"
            ),
            3 => writeln!(
                self.out,
                "and r4.yzw, {int}, l(0, 15, 15, 7)\nld{suffix}_indexable{offset}(texture2d){FLOATS} r0.{mask}, r4.yzww, t2.xyzw"
            ),
            4 => writeln!(
                self.out,
                "{place}sample_l{suffix}_indexable{offset}(texture2d){FLOATS} r5.{mask}, r5.xyxx, t2.yxwz, s0, l({level})"
            ),
            5 => writeln!(
                self.out,
                "{place}sample_l{suffix}_indexable{offset}(texture2d){FLOATS} r1.{mask}, r5.xyxx, t2.xyzw, s1, l({whole})"
            ),
            6 => {
                let channel = self.random.word_of(&["x", "y", "w"]);
                writeln!(
                    self.out,
                    "{place}gather4{suffix}_indexable{offset}(texture2d){FLOATS} r0.{mask}, r5.xyxx, t2.xyzw, s0.{channel}"
                )
            }
            8 => {
                let level = self.random.below(4);
                writeln!(
                    self.out,
                    "resinfo_indexable(texture2d){FLOATS}_uint r2.{mask}, l({level}), t2.xyzx"
                )
            }
            7 => writeln!(
                self.out,
                "and r4.yzw, {int}, l(0, 15, 15, 15)\nitof r5.xyz, r4.yzwy\nadd r5.xyz, r5.xyzx, l(-7.630000, -6.390000, -7.170000, 0.000000)\n\
                 sample_l_indexable(texturecube){FLOATS} r1.{mask}, r5.xyzx, t3.zyxw, s1, l({whole})"
            ),
            _ => writeln!(self.out, "and r4.x, {scalar}, l(1)\nmov r0.{mask}, icb[r4.x + 0].xwxw"),
        }
    }

    fn inexact(&mut self, kind: Kind) -> std::fmt::Result {
        let mask = self.random.word_of(&MASKS);
        let (a, b) = (self.float(kind), self.float(kind));
        // Small positive numbers, for which error bounds are known.
        write!(self.out, "add_sat r5.{mask}, {a}, {b}\nadd r5.{mask}, r5.xyzw, l(0.250000)\n")?;
        match self.random.below(4) {
            0 => writeln!(self.out, "sincos r5.{mask}, null, r5.xyzw"),
            1 => writeln!(self.out, "div r5.{mask}, l(1.000000), r5.xyzw"),
            _ => {
                let name = self.random.word_of(ROUGH);
                writeln!(self.out, "{name} r5.{mask}, r5.xyzw")
            }
        }
    }
}
