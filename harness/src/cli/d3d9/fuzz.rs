//! `molehill d3d9 fuzz`

use std::convert::Infallible;

use agal::glsl::Dialect;
use clap::value_parser;
use d3d9::Version;

use crate::cli::{
    Failure as CliFailure, FuzzArguments, FuzzRun, Status, SystematicArguments, chosen, named,
};
use molehill_conform::differential::{
    Failure, TokenFailure, TokenFuzzer, TokenOptions, TranslationFuzzer, exhaustive,
    sequence_inputs,
};

/// Compares the driver with the interpreter on random shaders
#[derive(clap::Args)]
#[command(
    mut_arg("pairs", |pairs| pairs.requires("from_agal")),
    mut_arg("triples", |triples| triples.requires("from_agal"))
)]
pub(in crate::cli) struct Fuzz {
    #[command(flatten)]
    fuzz: FuzzArguments,
    #[command(flatten)]
    systematic: SystematicArguments,
    /// Maximum number of instructions of a shader
    #[arg(long, value_name = "N", default_value = "24", value_parser = value_parser!(u16).range(1..=200))]
    instructions: u16,
    /// Shader version; repeatable [default: all]
    #[arg(long, value_parser = named(&TokenOptions::default().versions, Version::name))]
    version: Vec<Version>,
    /// Dialect of GLSL; repeatable [default: all]
    #[arg(long, value_name = "DIALECT", value_parser = named(&TokenOptions::default().dialects, Dialect::name))]
    target: Vec<Dialect>,
    /// Compare random AGAL programs with their translations; needs no driver
    #[arg(long, conflicts_with_all = ["exhaustive", "version", "target"])]
    from_agal: bool,
}

impl Fuzz {
    pub(super) fn run(self) -> Result<Status, CliFailure> {
        if self.from_agal {
            return self.translations();
        }
        let mut fuzzer = TokenFuzzer::new(self.options())?;
        let systematic = self.systematic;
        let mut run = FuzzRun::<TokenFailure>::new(self.fuzz, Some(&systematic))?;
        if systematic.exhaustive {
            let versions = fuzzer.options.versions.clone();
            let all = versions.iter().flat_map(|version| exhaustive(*version, systematic.thin()));
            run.each(all, |program| fuzzer.check(&program, 0))?;
        } else {
            run.each(0.., |_: u64| fuzzer.step())?;
        }
        run.finish(fuzzer.renderer().unwrap_or("no driver"))
    }

    fn translations(self) -> Result<Status, CliFailure> {
        let (seed, systematic) = (self.fuzz.seed, self.systematic);
        let mut fuzzer = TranslationFuzzer::new(seed);
        let mut run = FuzzRun::<Failure>::new(self.fuzz, Some(&systematic))?;
        match systematic.sequences(seed, 1) {
            Some(programs) => {
                let runs = programs.flat_map(|program| {
                    let inputs = sequence_inputs(&program).into_iter();
                    inputs.map(move |inputs| (program.pair.clone(), inputs))
                });
                run.each(runs, |(pair, inputs)| {
                    Ok::<_, Infallible>(TranslationFuzzer::check(&pair, &inputs, 0))
                })?;
            }
            None => run.each(0.., |_: u64| Ok::<_, Infallible>(fuzzer.step()))?,
        }
        run.finish("interpreters")
    }

    fn options(&self) -> TokenOptions {
        let all = TokenOptions::default();
        TokenOptions {
            seed: self.fuzz.seed,
            max_tokens: self.instructions.into(),
            versions: chosen(&self.version, all.versions),
            dialects: chosen(&self.target, all.dialects),
        }
    }
}
