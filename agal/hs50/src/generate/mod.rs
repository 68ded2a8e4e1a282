//! Generates random valid hull shaders as listings, for comparing implementations.
//!
//! Only [`GeneratedHull::inexact_output`] and [`GeneratedHull::inexact_constant`] receive results that implementations
//! may round differently.

mod instructions;

use std::fmt::Display;

use agal::generate::Random;

use crate::hull::register::PhaseKind as Kind;
use crate::names::{Domain, Partitioning};
use crate::words::length;

/// A randomly generated hull shader.
#[derive(Clone, Debug)]
pub struct GeneratedHull {
    /// The shader as a listing for the assembler.
    pub text: String,
    /// The control point output register that receives inexact results.
    pub inexact_output: u32,
    /// The patch constant register that receives inexact results.
    pub inexact_constant: u32,
}

/// Temporaries: r0 and r1 are floats, r2 and r3 integers, r4.x an index, r5 inexact, r6 and r7 loop counters.
const TEMPS: u32 = 8;

/// Returns the patch constant signature of a domain's tessellation factors, in listing format. Register numbers start
/// at 0.
pub fn factor_signature(domain: Domain) -> String {
    let groups = [domain.edges(), domain.insides()];
    let factors = groups.iter().flat_map(|group| group.iter().enumerate()).enumerate();
    let rows = factors.map(|(register, (index, factor))| {
        format!("// SV_Factor {index} x {register} {} float x\n", factor.short())
    });
    std::iter::once("// Patch Constant signature:\n//\n".to_owned()).chain(rows).collect()
}

/// Returns the name of the register that holds the control point index or instance index.
fn id(kind: Kind) -> &'static str {
    match kind {
        Kind::ControlPoint => "vOutputControlPointID",
        Kind::Fork => "vForkInstanceID",
        Kind::Join => "vJoinInstanceID",
    }
}

struct HullGenerator {
    random: Random,
    out: String,
    inputs: u32,
    outputs: u32,
    input_registers: u32,
    output_registers: u32,
    factors: u32,
    /// The patch constants that earlier fork phases have written.
    made: Vec<u32>,
}

/// Generates a hull shader from a seed.
pub fn generate(seed: u64) -> GeneratedHull {
    let mut random = Random::new(seed);
    let domain = random.pick(Domain::ALL).copied().unwrap_or(Domain::Quad);
    let mut generator = HullGenerator {
        inputs: 1 + random.below(6),
        outputs: 1 + random.below(6),
        input_registers: 1 + random.below(3),
        output_registers: 2 + random.below(2),
        factors: length(domain.factors().count()),
        made: Vec::new(),
        out: String::new(),
        random,
    };
    generator.shader(domain);
    GeneratedHull {
        inexact_output: generator.output_registers - 1,
        inexact_constant: generator.factors,
        text: generator.out,
    }
}

impl HullGenerator {
    fn line(&mut self, text: impl Display) {
        self.out += &format!("{text}\n");
    }

    fn shader(&mut self, domain: Domain) {
        let control_point = self.random.chance(80);
        if !control_point {
            self.outputs = self.inputs;
            self.output_registers = self.input_registers;
        }
        let forks = 1 + self.random.below(3);
        let joins = self.random.below(3);
        // Patch constants: the tessellation factors, the register with inexact results, then one register per phase.
        let constants = self.factors + 1 + forks + joins;
        self.signatures(domain, constants);
        let partitioning = self.random.pick(Partitioning::ALL);
        let partitioning = partitioning.map_or("", |partitioning| partitioning.name());
        let primitives: &[&str] = match domain {
            Domain::Isoline => &["point", "line"],
            Domain::Tri | Domain::Quad => &["point", "triangle_cw", "triangle_ccw"],
        };
        let primitive = self.random.word_of(primitives);
        let (inputs, outputs) = (self.inputs, self.outputs);
        self.line(format_args!(
            "hs_5_0\nhs_decls \ndcl_input_control_point_count {inputs}\ndcl_output_control_point_count {outputs}\n\
             dcl_tessellator_domain {}\ndcl_tessellator_partitioning {partitioning}\n\
             dcl_tessellator_output_primitive output_{primitive}\n\
             dcl_immediateConstantBuffer {{ {{ 1.000000, 2, -3, 0.500000}},\n{{ 7, 1.500000, 0x80000000, -2.000000}} }}\n\
             dcl_constantbuffer CB0[4], dynamicIndexed\ndcl_resource_raw t0\ndcl_resource_structured t1, 16\n\
             dcl_sampler s0, mode_default\ndcl_sampler s1, mode_default\n\
             dcl_resource_texture2d (float,float,float,float) t2\ndcl_resource_texturecube (float,float,float,float) t3",
            domain.name()
        ));
        if control_point {
            self.phase(Kind::ControlPoint, None, None);
        }
        for fork in 0..forks {
            let constant = self.factors + 1 + fork;
            self.phase(Kind::Fork, Some(constant), (fork == 0).then_some(domain));
            self.made.push(constant);
        }
        for join in 0..joins {
            self.phase(Kind::Join, Some(self.factors + 1 + forks + join), None);
        }
    }

    fn signatures(&mut self, domain: Domain, constants: u32) {
        self.out += &factor_signature(domain);
        let signatures = [
            ("", self.factors..constants),
            ("//\n// Input signature:\n//\n", 0..self.input_registers),
            ("//\n// Output signature:\n//\n", 0..self.output_registers),
        ];
        for (title, registers) in signatures {
            self.out += title;
            for register in registers {
                self.line(format_args!("// DATA {register} xyzw {register} NONE float xyzw"));
            }
        }
    }

    fn phase(&mut self, kind: Kind, constant: Option<u32>, factors: Option<Domain>) {
        let control_point = kind == Kind::ControlPoint;
        let (name, id) = (kind.name(), id(kind));
        let twice = !control_point && factors.is_none() && self.random.chance(30);
        self.line(format_args!("hs_{name}_phase "));
        if twice {
            self.line(format_args!("dcl_hs_{name}_phase_instance_count 2"));
        }
        self.line(format_args!("dcl_input {id}\ndcl_input vPrim"));
        let (file, inputs, outputs) =
            (if control_point { "v" } else { "vicp" }, self.inputs, self.outputs);
        for register in 0..self.input_registers {
            self.line(format_args!("dcl_input {file}[{inputs}][{register}].xyzw"));
        }
        for register in 0..if control_point { 0 } else { self.output_registers } {
            self.line(format_args!("dcl_input vocp[{outputs}][{register}].xyzw"));
        }
        let read = if kind == Kind::Join { self.made.clone() } else { Vec::new() };
        for register in read {
            self.line(format_args!("dcl_input vpc{register}.xyzw"));
        }
        let own: Vec<u32> = match constant {
            None => (0..self.output_registers).collect(),
            Some(constant) if factors.is_none() => vec![constant],
            Some(constant) => vec![self.factors, constant],
        };
        for (register, factor) in factors.iter().flat_map(|domain| domain.factors()).enumerate() {
            self.line(format_args!("dcl_output_siv o{register}.x, {}", factor.name()));
        }
        for register in &own {
            self.line(format_args!("dcl_output o{register}.xyzw"));
        }
        self.line(format_args!("dcl_temps {TEMPS}\ndcl_indexableTemp x0[4], 4"));
        if self.input_registers > 1 {
            let count = self.input_registers;
            self.line(format_args!("dcl_indexrange {file}[{inputs}][0].xyzw {count}"));
        }
        let factors = if factors.is_some() { self.factors } else { 0 };
        self.body(kind, &own, factors);
    }
}
