//! `molehill agal fuzz`

use agal::glsl::{DIALECTS, Dialect};
use agal::{Stage, Version};
use clap::value_parser;

use super::arguments::VERSIONS;
use crate::cli::{
    Failure as CliFailure, FuzzArguments, FuzzRun, Status, SystematicArguments, choice, chosen,
    named,
};
use molehill_conform::differential::{
    Failure, FuzzOptions, Fuzzer, inputs, opcode_programs, sequence_inputs,
};

/// Seeds of the inputs that each program runs on, and whether they have infinities and NaN.
const PROGRAM_INPUTS: [(u64, bool); 3] = [(1, false), (2, false), (3, true)];

/// Compares the driver with the interpreter on random programs
#[derive(clap::Args)]
pub(in crate::cli) struct Fuzz {
    #[command(flatten)]
    fuzz: FuzzArguments,
    #[command(flatten)]
    systematic: SystematicArguments,
    /// Maximum number of tokens of a program
    #[arg(long, value_name = "N", default_value = "48", conflicts_with = "exhaustive",
        value_parser = value_parser!(u16).range(1..=2048))]
    max_tokens: u16,
    /// AGAL version; repeatable [default: all]
    #[arg(long, value_name = "N", conflicts_with = "exhaustive", value_parser = choice(VERSIONS))]
    version: Vec<Version>,
    /// Dialect of GLSL; repeatable [default: all]
    #[arg(long, value_name = "DIALECT", value_parser = named(&DIALECTS, Dialect::name))]
    target: Vec<Dialect>,
}

impl Fuzz {
    pub(super) fn run(self) -> Result<Status, CliFailure> {
        let mut fuzzer = Fuzzer::new(self.options())?;
        let (seed, systematic) = (self.fuzz.seed, self.systematic);
        let mut run = FuzzRun::<Failure>::new(self.fuzz, Some(&systematic))?;
        if let Some(programs) = systematic.sequences(seed, usize::MAX) {
            run.each(programs, |program| {
                fuzzer.check(&program.pair, &[program.stage], sequence_inputs(&program), 0)
            })?;
        } else if systematic.exhaustive {
            let stages = [Stage::Vertex, Stage::Fragment].into_iter();
            let programs = stages.flat_map(|stage| opcode_programs(stage, systematic.thin()));
            run.each(programs, |program| {
                let seeds = PROGRAM_INPUTS.into_iter();
                let inputs = seeds.filter_map(|(seed, special)| inputs(&program, seed, special));
                fuzzer.check(&program.pair, &[program.stage], inputs.collect(), 0)
            })?;
        } else {
            run.each(0.., |_: u64| fuzzer.step())?;
        }
        run.finish(fuzzer.renderer().unwrap_or("no driver"))
    }

    fn options(&self) -> FuzzOptions {
        let all = FuzzOptions::default();
        FuzzOptions {
            seed: self.fuzz.seed,
            max_tokens: self.max_tokens.into(),
            versions: chosen(&self.version, all.versions),
            dialects: chosen(&self.target, all.dialects),
        }
    }
}
