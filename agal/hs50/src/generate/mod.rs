//! Random valid hull shaders as text, for comparing implementations.
//!
//! Results that implementations may round differently are written only to the registers [`Generated::inexact_output`] and
//! [`Generated::inexact_constant`].

mod instructions;

use std::fmt::Write as _;

use agal_generate::Random;

use crate::hull::register::PhaseKind as Kind;
use crate::names::{Domain, Partitioning};

#[derive(Clone, Debug)]
pub struct Generated {
    /// Its listing, with signatures.
    pub text: String,
    /// The register of the output control points with inexact results.
    pub inexact_output: u32,
    /// The patch constant register with inexact results.
    pub inexact_constant: u32,
}

/// r0 and r1 hold floats, r2 and r3 integers, r4.x an index, r5 inexact results, r6 and r7 loop counters.
const TEMPS: u32 = 8;
/// The patch constant signature of a domain's tessellation factors, in registers from 0 on, as rows of a listing.
pub fn factor_signature(domain: Domain) -> String {
    let mut text = String::from("// Patch Constant signature:\n//\n");
    let groups = [domain.edges(), domain.insides()];
    let factors = groups.iter().flat_map(|group| group.iter().enumerate());
    for (register, (index, factor)) in factors.enumerate() {
        let short = factor.short();
        // Writing to a string can't fail.
        let _ = writeln!(text, "// SV_Factor {index} x {register} {short} float x");
    }
    text
}

fn count<T>(list: impl Iterator<Item = T>) -> u32 {
    u32::try_from(list.count()).unwrap_or(u32::MAX)
}

struct Generator {
    random: Random,
    out: String,
    inputs: u32,
    outputs: u32,
    input_registers: u32,
    output_registers: u32,
    factors: u32,
    /// Patch constants written by fork phases so far.
    made: Vec<u32>,
}

pub fn generate(seed: u64) -> Generated {
    let mut random = Random::new(seed);
    let domain = random.pick(Domain::ALL).copied().unwrap_or(Domain::Quad);
    let mut generator = Generator {
        inputs: 1 + random.below(6),
        outputs: 1 + random.below(6),
        input_registers: 1 + random.below(3),
        output_registers: 2 + random.below(2),
        factors: count(domain.factors()),
        made: Vec::new(),
        out: String::new(),
        random,
    };
    // Writing to a string can't fail.
    let _ = generator.shader(domain);
    Generated {
        inexact_output: generator.output_registers - 1,
        inexact_constant: generator.factors,
        text: generator.out,
    }
}

impl Generator {
    fn shader(&mut self, domain: Domain) -> std::fmt::Result {
        let control_point = self.random.chance(80);
        if !control_point {
            self.outputs = self.inputs;
            self.output_registers = self.input_registers;
        }
        let forks = 1 + self.random.below(3);
        let joins = self.random.below(3);
        // After the factors: the register with inexact results, then one register per phase.
        let constants = self.factors + 1 + forks + joins;
        self.signatures(domain, constants)?;
        let partitioning = self.random.pick(Partitioning::ALL);
        let partitioning = partitioning.map_or("", |partitioning| partitioning.name());
        let primitive = match domain {
            Domain::Isoline => self.random.word_of(&["point", "line"]),
            Domain::Tri | Domain::Quad => {
                self.random.word_of(&["point", "triangle_cw", "triangle_ccw"])
            }
        };
        let (inputs, outputs) = (self.inputs, self.outputs);
        write!(
            self.out,
            "hs_5_0\nhs_decls \ndcl_input_control_point_count {inputs}\ndcl_output_control_point_count {outputs}\n\
             dcl_tessellator_domain {}\ndcl_tessellator_partitioning {partitioning}\n\
             dcl_tessellator_output_primitive output_{primitive}\n\
             dcl_immediateConstantBuffer {{ {{ 1.000000, 2, -3, 0.500000}},\n{{ 7, 1.500000, 0x80000000, -2.000000}} }}\n\
             dcl_constantbuffer CB0[4], dynamicIndexed\ndcl_resource_raw t0\ndcl_resource_structured t1, 16\n\
             dcl_sampler s0, mode_default\ndcl_sampler s1, mode_default\n\
             dcl_resource_texture2d (float,float,float,float) t2\ndcl_resource_texturecube (float,float,float,float) t3\n",
            domain.name()
        )?;
        if control_point {
            self.phase(Kind::ControlPoint, None, None)?;
        }
        for fork in 0..forks {
            let constant = self.factors + 1 + fork;
            self.phase(Kind::Fork, Some(constant), (fork == 0).then_some(domain))?;
            self.made.push(constant);
        }
        for join in 0..joins {
            self.phase(Kind::Join, Some(self.factors + 1 + forks + join), None)?;
        }
        Ok(())
    }

    fn signatures(&mut self, domain: Domain, constants: u32) -> std::fmt::Result {
        self.out += &factor_signature(domain);
        for register in self.factors..constants {
            writeln!(self.out, "// DATA {register} xyzw {register} NONE float xyzw")?;
        }
        for (name, count) in [("Input", self.input_registers), ("Output", self.output_registers)] {
            writeln!(self.out, "//\n// {name} signature:\n//")?;
            for register in 0..count {
                writeln!(self.out, "// DATA {register} xyzw {register} NONE float xyzw")?;
            }
        }
        Ok(())
    }

    fn phase(
        &mut self,
        kind: Kind,
        constant: Option<u32>,
        factors: Option<Domain>,
    ) -> std::fmt::Result {
        let (inputs, outputs) = (self.inputs, self.outputs);
        let instances = if kind != Kind::ControlPoint && factors.is_none() && self.random.chance(30)
        {
            2
        } else {
            1
        };
        match kind {
            Kind::ControlPoint => {
                self.out.push_str("hs_control_point_phase \ndcl_input vOutputControlPointID\n")
            }
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
        let file = if kind == Kind::ControlPoint { "v" } else { "vicp" };
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
            Some(constant) if factors.is_none() => vec![constant],
            Some(constant) => vec![self.factors, constant],
        };
        for (register, factor) in factors.iter().flat_map(|domain| domain.factors()).enumerate() {
            writeln!(self.out, "dcl_output_siv o{register}.x, {}", factor.name())?;
        }
        for register in &own {
            writeln!(self.out, "dcl_output o{register}.xyzw")?;
        }
        write!(self.out, "dcl_temps {TEMPS}\ndcl_indexableTemp x0[4], 4\n")?;
        if self.input_registers > 1 {
            let count = self.input_registers;
            writeln!(self.out, "dcl_indexrange {file}[{inputs}][0].xyzw {count}")?;
        }
        let factors = if factors.is_some() { self.factors } else { 0 };
        self.body(kind, &own, factors)
    }
}
