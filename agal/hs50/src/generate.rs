//! Random hull shaders that break no rule, as text: for comparing implementations.
//!
//! Results that implementations may round differently go to registers of their own, [`Generated::rough_output`] and
//! [`Generated::rough_constant`], and nowhere else.

use std::fmt::Write as _;

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn wide(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let a = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let b = (a ^ a >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        b ^ b >> 31
    }

    /// 32 bits.
    pub fn word(&mut self) -> u32 {
        u32::try_from(self.wide() >> 32).unwrap_or(0)
    }

    /// A number below a limit, which is not 0.
    pub fn below(&mut self, limit: u32) -> u32 {
        self.word().checked_rem(limit).unwrap_or(0)
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> Option<T> {
        let place = self.below(crate::words::length(list.len()));
        list.get(place as usize).copied()
    }

    fn word_of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        self.pick(list).unwrap_or_default()
    }
}

/// A random hull shader.
#[derive(Clone, Debug)]
pub struct Generated {
    /// Its listing, with signatures.
    pub text: String,
    /// The register of control points that may be rough.
    pub rough_output: u32,
    /// The patch constant that may be rough.
    pub rough_constant: u32,
}

/// Float operations that IEEE gives to the bit, by their number of sources.
const EXACT: [&[&str]; 3] = [
    &["mov", "frc", "round_ne", "round_ni", "round_pi", "round_z"],
    &["add", "mul", "min", "max", "dp2", "dp3", "dp4"],
    &["mad"],
];
const ROUGH: &[&str] = &["exp", "log", "rsq", "rcp", "sqrt"];
const INT: [&[&str]; 4] = [
    &[
        "not",
        "ineg",
        "countbits",
        "firstbit_hi",
        "firstbit_lo",
        "firstbit_shi",
        "bfrev",
        "mov",
    ],
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
/// Floats are in r0 and r1, integers in r2 and r3, an index in r4.x, rough results in r5, loop counters in r6 and r7.
const TEMPS: u32 = 8;
const DOMAINS: [(&str, &[(&str, &str)]); 3] = [
    (
        "quad",
        &[
            ("QUADEDGE", "finalQuadUeq0EdgeTessFactor"),
            ("QUADEDGE", "finalQuadVeq0EdgeTessFactor"),
            ("QUADEDGE", "finalQuadUeq1EdgeTessFactor"),
            ("QUADEDGE", "finalQuadVeq1EdgeTessFactor"),
            ("QUADINT", "finalQuadUInsideTessFactor"),
            ("QUADINT", "finalQuadVInsideTessFactor"),
        ],
    ),
    (
        "tri",
        &[
            ("TRIEDGE", "finalTriUeq0EdgeTessFactor"),
            ("TRIEDGE", "finalTriVeq0EdgeTessFactor"),
            ("TRIEDGE", "finalTriWeq0EdgeTessFactor"),
            ("TRIINT", "finalTriInsideTessFactor"),
        ],
    ),
    (
        "isoline",
        &[
            ("LINEDEN", "finalLineDensityTessFactor"),
            ("LINEDET", "finalLineDetailTessFactor"),
        ],
    ),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    ControlPoint,
    Fork,
    Join,
}

struct Generator {
    random: Random,
    out: String,
    inputs: u32,
    outputs: u32,
    input_registers: u32,
    output_registers: u32,
    factors: u32,
    /// Patch constants that fork phases have made so far.
    made: Vec<u32>,
}

/// A random hull shader from a seed.
pub fn generate(seed: u64) -> Generated {
    let mut random = Random::new(seed);
    let (domain, factors) = random.pick(&DOMAINS).unwrap_or(DOMAINS[0]);
    let mut generator = Generator {
        inputs: 1 + random.below(6),
        outputs: 1 + random.below(6),
        input_registers: 1 + random.below(3),
        output_registers: 2 + random.below(2),
        factors: crate::words::length(factors.len()),
        made: Vec::new(),
        out: String::new(),
        random,
    };
    // Writing to a string can't fail.
    let _ = generator.shader(domain, factors);
    Generated {
        rough_output: generator.output_registers - 1,
        rough_constant: generator.factors,
        text: generator.out,
    }
}

impl Generator {
    fn shader(&mut self, domain: &str, factors: &[(&str, &str)]) -> std::fmt::Result {
        let control_point = self.random.chance(80);
        if !control_point {
            self.outputs = self.inputs;
            self.output_registers = self.input_registers;
        }
        let forks = 1 + self.random.below(3);
        let joins = self.random.below(3);
        // Behind the factors: the rough one, then one for each phase.
        let constants = self.factors + 1 + forks + joins;
        self.signatures(factors, constants)?;
        let partitioning =
            self.random
                .word_of(&["integer", "pow2", "fractional_odd", "fractional_even"]);
        let primitive = match domain {
            "isoline" => self.random.word_of(&["point", "line"]),
            _ => self
                .random
                .word_of(&["point", "triangle_cw", "triangle_ccw"]),
        };
        let (inputs, outputs) = (self.inputs, self.outputs);
        write!(
            self.out,
            "hs_5_0\nhs_decls \ndcl_input_control_point_count {inputs}\ndcl_output_control_point_count {outputs}\n\
             dcl_tessellator_domain domain_{domain}\ndcl_tessellator_partitioning partitioning_{partitioning}\n\
             dcl_tessellator_output_primitive output_{primitive}\n\
             dcl_immediateConstantBuffer {{ {{ 1.000000, 2, -3, 0.500000}},\n{{ 7, 1.500000, 0x80000000, -2.000000}} }}\n\
             dcl_constantbuffer CB0[4], dynamicIndexed\ndcl_resource_raw t0\ndcl_resource_structured t1, 16\n"
        )?;
        if control_point {
            self.phase(Kind::ControlPoint, None, &[])?;
        }
        for fork in 0..forks {
            let constant = self.factors + 1 + fork;
            self.phase(
                Kind::Fork,
                Some(constant),
                if fork == 0 { factors } else { &[] },
            )?;
            self.made.push(constant);
        }
        for join in 0..joins {
            self.phase(Kind::Join, Some(self.factors + 1 + forks + join), &[])?;
        }
        Ok(())
    }

    fn signatures(&mut self, factors: &[(&str, &str)], constants: u32) -> std::fmt::Result {
        self.out.push_str("// Patch Constant signature:\n//\n");
        for (register, (system, _)) in (0u32..).zip(factors) {
            let inside = factors
                .iter()
                .position(|(other, _)| other == system)
                .unwrap_or(0);
            let index = register - crate::words::length(inside);
            writeln!(
                self.out,
                "// SV_Factor {index} x {register} {system} float x"
            )?;
        }
        for register in self.factors..constants {
            writeln!(
                self.out,
                "// DATA {register} xyzw {register} NONE float xyzw"
            )?;
        }
        for (name, count) in [
            ("Input", self.input_registers),
            ("Output", self.output_registers),
        ] {
            writeln!(self.out, "//\n// {name} signature:\n//")?;
            for register in 0..count {
                writeln!(
                    self.out,
                    "// DATA {register} xyzw {register} NONE float xyzw"
                )?;
            }
        }
        Ok(())
    }

    fn phase(
        &mut self,
        kind: Kind,
        constant: Option<u32>,
        factors: &[(&str, &str)],
    ) -> std::fmt::Result {
        let (inputs, outputs) = (self.inputs, self.outputs);
        let instances =
            if kind != Kind::ControlPoint && factors.is_empty() && self.random.chance(30) {
                2
            } else {
                1
            };
        match kind {
            Kind::ControlPoint => self
                .out
                .push_str("hs_control_point_phase \ndcl_input vOutputControlPointID\n"),
            Kind::Fork => self.out.push_str("hs_fork_phase \n"),
            Kind::Join => self.out.push_str("hs_join_phase \n"),
        }
        let name = if kind == Kind::Join { "join" } else { "fork" };
        if instances > 1 {
            writeln!(self.out, "dcl_hs_{name}_phase_instance_count {instances}")?;
        }
        self.out.push_str(match kind {
            Kind::ControlPoint => "",
            Kind::Fork => "dcl_input vForkInstanceID\n",
            Kind::Join => "dcl_input vJoinInstanceID\n",
        });
        self.out.push_str("dcl_input vPrim\n");
        let file = if kind == Kind::ControlPoint {
            "v"
        } else {
            "vicp"
        };
        for register in 0..self.input_registers {
            writeln!(self.out, "dcl_input {file}[{inputs}][{register}].xyzw")?;
        }
        if kind != Kind::ControlPoint {
            for register in 0..self.output_registers {
                writeln!(self.out, "dcl_input vocp[{outputs}][{register}].xyzw")?;
            }
        }
        if kind == Kind::Join {
            for register in &self.made {
                writeln!(self.out, "dcl_input vpc{register}.xyzw")?;
            }
        }
        let own: Vec<u32> = match constant {
            None => (0..self.output_registers).collect(),
            Some(constant) if factors.is_empty() => vec![constant],
            Some(constant) => vec![self.factors, constant],
        };
        for (register, (_, name)) in factors.iter().enumerate() {
            writeln!(self.out, "dcl_output_siv o{register}.x, {name}")?;
        }
        for register in &own {
            writeln!(self.out, "dcl_output o{register}.xyzw")?;
        }
        write!(self.out, "dcl_temps {TEMPS}\ndcl_indexableTemp x0[4], 4\n")?;
        if self.input_registers > 1 {
            let count = self.input_registers;
            writeln!(self.out, "dcl_indexrange {file}[{inputs}][0].xyzw {count}")?;
        }
        self.body(kind, &own, factors)
    }

    fn body(&mut self, kind: Kind, own: &[u32], factors: &[(&str, &str)]) -> std::fmt::Result {
        self.out.push_str("mov r2.xyzw, l(1, 2, 3, 4)\nmov r3.xyzw, l(0x80000000, -1, 77, 5)\nmov r4.xyzw, l(0,0,0,0)\n");
        self.out
            .push_str("mov r5.xyzw, l(0,0,0,0)\nmov r6.x, l(0)\nmov r7.x, l(0)\n");
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
        self.block(kind, length, 0)?;
        for (register, _) in factors.iter().enumerate() {
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
            // The rough register is the control points' last, and the patch constants' first.
            let rough = match kind {
                Kind::ControlPoint => place == last,
                _ => *register == self.factors,
            };
            let value = if rough {
                "r5"
            } else {
                self.random.word_of(&["r0", "r1", "r2", "r3"])
            };
            writeln!(self.out, "mov o{register}.xyzw, {value}.xyzw")?;
        }
        self.out.push_str("ret \n");
        Ok(())
    }

    fn block(&mut self, kind: Kind, length: u32, depth: u32) -> std::fmt::Result {
        for _ in 0..length {
            match self.random.below(if depth < 2 { 12 } else { 9 }) {
                0..=2 => self.exact(kind)?,
                3..=5 => self.integer()?,
                6 => self.between(kind)?,
                7 => self.look_up()?,
                8 => self.rough(kind)?,
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
                    // A counter of each depth, so that every loop ends.
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

    fn swizzle(&mut self) -> String {
        (0..4)
            .map(|_| self.random.pick(&crate::operand::LETTERS).unwrap_or('x'))
            .collect()
    }

    /// A source of floats. No literal is 0: Mesa's compiler makes a product with such a one 0, also of infinities.
    fn float(&mut self, kind: Kind) -> String {
        let swizzle = self.swizzle();
        let vertex = self.random.below(self.inputs);
        let element = self.random.below(self.input_registers);
        let file = if kind == Kind::ControlPoint {
            "v"
        } else {
            "vicp"
        };
        let source = match self.random.below(10) {
            0 | 1 => format!("r{}.{swizzle}", self.random.below(2)),
            2 => format!("{file}[{vertex}][{element}].{swizzle}"),
            3 => format!("{file}[r4.x + {vertex}][{element}].{swizzle}"),
            4 if self.input_registers > 1 => format!("{file}[{vertex}][r4.x + 0].{swizzle}"),
            5 => format!(
                "cb0[{}].{swizzle}",
                self.random.word_of(&["0", "3", "r4.x + 1"])
            ),
            6 => format!(
                "x0[{}].{swizzle}",
                self.random.word_of(&["0", "2", "r4.x + 0"])
            ),
            7 if kind != Kind::ControlPoint && self.output_registers > 1 => {
                // Not the rough one.
                let (vertex, element) = (
                    self.random.below(self.outputs),
                    self.random.below(self.output_registers - 1),
                );
                format!("vocp[{vertex}][{element}].{swizzle}")
            }
            8 if kind == Kind::Join => {
                let register = self.random.pick(&self.made.clone()).unwrap_or(0);
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

    /// A source of integers.
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
        let letter = self.random.pick(&crate::operand::LETTERS).unwrap_or('x');
        format!("r{}.{letter}", 2 + self.random.below(2))
    }

    fn exact(&mut self, kind: Kind) -> std::fmt::Result {
        let list = self.random.pick(&EXACT).unwrap_or(EXACT[0]);
        let count = EXACT.iter().position(|other| *other == list).unwrap_or(0) + 1;
        let name = self.random.word_of(list);
        let sat = if self.random.chance(15) { "_sat" } else { "" };
        let dest = match self.random.below(6) {
            0 => format!("x0[{}]", self.random.word_of(&["1", "3", "r4.x + 0"])),
            n => format!("r{}", n % 2),
        };
        let mask = self.random.word_of(&MASKS);
        let sources: Vec<String> = (0..count).map(|_| self.float(kind)).collect();
        // mov takes any bits, and would make floats of them only with a modifier.
        writeln!(
            self.out,
            "{name}{sat} {dest}.{mask}, {}",
            sources.join(", ")
        )
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
        let list = self.random.pick(&INT).unwrap_or(INT[0]);
        let count = INT.iter().position(|other| *other == list).unwrap_or(0) + 1;
        let name = self.random.word_of(list);
        let sources: Vec<String> = (0..count).map(|_| self.int()).collect();
        writeln!(
            self.out,
            "{name} r{}.{mask}, {}",
            2 + self.random.below(2),
            sources.join(", ")
        )
    }

    /// From floats to integers and back.
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

    fn look_up(&mut self) -> std::fmt::Result {
        let (mask, scalar) = (self.random.word_of(&MASKS), self.int_scalar());
        match self.random.below(4) {
            0 => writeln!(self.out, "and r4.x, {scalar}, l(7)"),
            1 => writeln!(
                self.out,
                "and r4.y, {scalar}, l(0x1fc)\nld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r0.{mask}, r4.y, t0.xyzw"
            ),
            2 => writeln!(
                self.out,
                "and r4.y, {scalar}, l(31)\nld_structured_indexable(structured_buffer, stride=16)(mixed,mixed,mixed,mixed) r1.{mask}, r4.y, l(0), t1.wzyx"
            ),
            _ => writeln!(
                self.out,
                "and r4.x, {scalar}, l(1)\nmov r0.{mask}, icb[r4.x + 0].xwxw"
            ),
        }
    }

    fn rough(&mut self, kind: Kind) -> std::fmt::Result {
        let mask = self.random.word_of(&MASKS);
        let (a, b) = (self.float(kind), self.float(kind));
        // Small positive numbers, where the errors are known.
        write!(
            self.out,
            "add_sat r5.{mask}, {a}, {b}\nadd r5.{mask}, r5.xyzw, l(0.250000)\n"
        )?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Options, Severity, check};

    #[test]
    fn generated_programs_break_no_rule() {
        for seed in 0..300 {
            let text = generate(seed).text;
            let shader = crate::text::assemble(&text)
                .unwrap_or_else(|errors| panic!("seed {seed}: {errors}\n{text}"));
            let report = check(&shader, Options::default()).unwrap();
            let errors: Vec<_> = report
                .findings
                .iter()
                .filter(|finding| finding.severity == Severity::Error)
                .collect();
            assert!(errors.is_empty(), "seed {seed}: {errors:?}\n{text}");
        }
    }
}
