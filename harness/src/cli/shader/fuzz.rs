//! `molehill shader fuzz`: compares the driver with the interpreter, and AGAL with its translation.

use std::convert::Infallible;
use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use agal::Stage;
use agal::generate::{
    OpcodeProgram, all_inputs, opcode_pairs, opcode_programs, opcode_triple, sequence_inputs,
    sequence_programs,
};
use agal::glsl::Dialect;
use clap::builder::PossibleValuesParser;
use clap::value_parser;
use d3d9::generate::exhaustive;
use hs50::generate::programs;
use serde_json::{Value, json};

use super::ShaderForm;
use super::options::{RestrictedOptions, VERSIONS, target, target_of};
use super::refusal::UnsupportedOption;
use crate::cli::{
    CommandFailure, CommandStatus, FloatArgument, OutputFormat, ProgressLine, UntestedArguments,
    named, output,
};
use molehill_conform::device::ShaderRoute;
use molehill_conform::differential::{
    FuzzFailure, FuzzOptions, Fuzzer, ProgramRunner, compare_tokens,
};
use molehill_replay::evidence::{ComparisonEvidence, Party, ResultTally};
use molehill_testing::probe::hull::TessellationContext;

/// The number of opcode triples that share programs.
const BATCH: usize = 64;
/// The run fails if more than 1 / `MIN_GENERATED` of its programs can't be generated.
const MIN_GENERATED: u64 = 10;

/// Compares the driver with the interpreter on random programs
#[derive(clap::Args)]
pub(in crate::cli) struct Fuzz {
    #[command(flatten)]
    given: RestrictedOptions,
    /// Language of the programs
    #[arg(long, default_value = "agal", value_parser = named(ShaderForm::ALL, ShaderForm::name))]
    language: ShaderForm,
    /// Time limit in seconds [default: 10 without --count]
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,
    /// Number of programs
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// Seed of the first program; each further program has the next seed
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Maximum number of failures
    #[arg(long, value_name = "N", default_value_t = 10)]
    max_failures: u64,
    /// Folder for failing programs
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Test every opcode, mask, swizzle, modifier and register file; only AGAL also has random programs
    #[arg(long, conflicts_with_all = ["seconds", "count", "seed", "length"])]
    exhaustive: bool,
    /// With --exhaustive or --pairs: test only every Nth instruction or pair
    #[arg(long, value_name = "N", default_value = "1", conflicts_with_all = ["count", "seconds"],
        value_parser = value_parser!(u16).range(1..))]
    thin: u16,
    /// Test every ordered pair of AGAL opcodes; the second reads the first one's result
    #[arg(long, conflicts_with_all = ["seconds", "count", "seed", "exhaustive", "triples"])]
    pairs: bool,
    /// Test random triples of AGAL opcodes, several to a program
    #[arg(long, conflicts_with = "exhaustive")]
    triples: bool,
    /// AGAL: maximum number of instructions of a program [default: 48]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=2048))]
    length: Option<u16>,
    /// AGAL version, or version of a Direct3D 9 shader; repeatable [default: all]
    #[arg(long, conflicts_with = "from_agal", value_parser = versions())]
    version: Vec<String>,
    /// Version of GLSL; repeatable [default: all; 400 for hull shaders]
    #[arg(long, value_name = "VERSION", conflicts_with = "from_agal", value_parser = target())]
    target: Vec<Dialect>,
    #[command(flatten)]
    floats: FloatArgument,
    /// AGAL: path to GLSL: agal (direct) or d3d9 (through Direct3D 9 tokens) [default: agal]
    #[arg(long, value_name = "WAY", conflicts_with = "from_agal",
        value_parser = named(ShaderRoute::ALL, ShaderRoute::name))]
    shaders: Option<ShaderRoute>,
    /// AGAL: run WGSL on Vulkan's software renderer instead of GLSL on OpenGL
    #[cfg(feature = "wgpu")]
    #[arg(long, conflicts_with_all = ["target", "shaders", "from_agal"])]
    wgsl: bool,
    /// AGAL: like --wgsl, but with the naga modules that the wgpu backend uses
    #[cfg(feature = "wgpu")]
    #[arg(long, conflicts_with_all = ["target", "shaders", "from_agal", "wgsl"])]
    naga: bool,
    /// Direct3D 9: compare random AGAL programs with their translations; needs no driver
    #[arg(long, conflicts_with_all = ["exhaustive", "length", "float_rules"])]
    from_agal: bool,
    /// Minimum number of compared values; fewer are a failure
    #[arg(long, value_name = "N", default_value_t = 0)]
    require: u64,
    #[command(flatten)]
    untested: UntestedArguments,
    #[command(flatten)]
    format: OutputFormat,
}

/// Returns a parser for the versions of AGAL and of Direct3D 9 shaders.
fn versions() -> PossibleValuesParser {
    let tokens = shader_versions().map(|(_, name)| name);
    PossibleValuesParser::new(VERSIONS.into_iter().map(|(_, name)| name).chain(tokens))
}

/// Returns the versions of Direct3D 9 shaders that drivers run.
fn shader_versions() -> impl Iterator<Item = (d3d9::ShaderVersion, &'static str)> {
    let versions = d3d9::ShaderVersion::ALL.iter().filter(|version| !version.is_software());
    versions.map(|version| (*version, version.name()))
}

impl Fuzz {
    pub(super) fn run(self) -> Result<CommandStatus, CommandFailure> {
        let language = self.language;
        self.given.check(language)?;
        let of_sequences = if self.from_agal { ShaderForm::D3d9 } else { ShaderForm::Agal };
        let sequences = [("--pairs", self.pairs), ("--triples", self.triples)];
        if let Some((option, _)) = sequences.iter().find(|(_, is_given)| *is_given)
            && language != of_sequences
        {
            return Err(UnsupportedOption::Option { language, option: (*option).to_owned() }.into());
        }
        let needs = match (language, self.from_agal) {
            (ShaderForm::Agal, _) | (ShaderForm::D3d9, true) => return self.agal(),
            (ShaderForm::D3d9, false) if self.exhaustive => return self.tokens(),
            (ShaderForm::Hs50, _) if self.exhaustive => return self.hull(),
            (ShaderForm::D3d9, false) => "--exhaustive or --from-agal",
            (ShaderForm::Hs50, _) => "--exhaustive",
        };
        Err(CommandFailure(format!("--language {} needs {needs}", language.name())))
    }

    fn agal(&self) -> Result<CommandStatus, CommandFailure> {
        let all = FuzzOptions::default();
        let options = match self.from_agal {
            true => FuzzOptions::translations(self.seed),
            false => FuzzOptions {
                seed: self.seed,
                max_tokens: self.length.map_or(all.max_tokens, usize::from),
                versions: self.versions(VERSIONS)?,
                dialects: self.targets()?,
                float_rules: self.floats.rules(),
                shaders: self.shaders.unwrap_or_default(),
                ..all
            },
        };
        let (runner, tested) = self.runner(&options.dialects)?;
        let mut fuzzer = Fuzzer::with_runner(runner, options);
        let mut run = FuzzRun::new(self, "agal")?;
        // A translation of several sequences would exceed the limits of most shader models.
        if let Some(programs) = self.sequences(if self.from_agal { 1 } else { usize::MAX }) {
            run.each(programs, |program| {
                fuzzer.check(&program.pair, &[program.stage], sequence_inputs(&program), 0)
            })?;
        } else if self.exhaustive {
            let stages = [Stage::Vertex, Stage::Fragment].into_iter();
            let programs = stages.flat_map(|stage| opcode_programs(stage, self.thin.into()));
            run.each(programs, |program| {
                fuzzer.check(&program.pair, &[program.stage], all_inputs(&program), 0)
            })?;
        } else {
            run.each(0.., |_: u64| fuzzer.step())?;
        }
        run.finish(tested, ShaderForm::Agal)
    }

    /// Opens the drivers, or the interpreter of tokens, that run AGAL programs. Also returns the tested party.
    fn runner(&self, dialects: &[Dialect]) -> Result<(ProgramRunner, Party), CommandFailure> {
        if self.from_agal {
            let tested = Party::Interpreter(ShaderForm::D3d9.title().to_owned());
            return Ok((ProgramRunner::translations(), tested));
        }
        let named = |runner: ProgramRunner, api| {
            let tested = Party::renderer(api, runner.renderer().unwrap_or_default());
            (runner, tested)
        };
        #[cfg(feature = "wgpu")]
        if self.wgsl || self.naga {
            use molehill_conform::differential::DriverLanguage;
            let language = if self.naga { DriverLanguage::Naga } else { DriverLanguage::Wgsl };
            return Ok(named(ProgramRunner::open_vulkan(language)?, "Vulkan"));
        }
        Ok(named(ProgramRunner::open(dialects)?, "OpenGL"))
    }

    fn tokens(&self) -> Result<CommandStatus, CommandFailure> {
        let versions = self.versions(shader_versions())?.into_iter();
        let mut runner = ProgramRunner::open(&self.targets()?)?;
        let mut run = FuzzRun::new(self, "asm")?;
        let all = versions.flat_map(|version| exhaustive(version, self.thin.into()));
        run.each(all, |program| compare_tokens(&mut runner, &program, self.floats.rules()))?;
        run.finish(driver(runner.renderer().unwrap_or_default()), ShaderForm::D3d9)
    }

    fn hull(&self) -> Result<CommandStatus, CommandFailure> {
        let target = match self.target.as_slice() {
            [] => target_of(self.language, None)?,
            [one] => target_of(self.language, Some(*one))?,
            _ => {
                return Err(CommandFailure(
                    "--target: hull shaders need exactly one version".to_owned(),
                ));
            }
        };
        let mut fuzzer = TessellationContext::open(target)?;
        let mut run = FuzzRun::new(self, "hs50")?;
        let programs = (0..).zip(programs()).step_by(self.thin.into());
        run.each(programs, |(number, program)| {
            let values = fuzzer.check_generated(number, &program).map(Option::unwrap_or_default);
            let tally = |values| ResultTally { programs: 1, values, ..ResultTally::default() };
            Ok::<_, Infallible>(values.map(tally).map_err(Box::new))
        })?;
        run.finish(driver(&format!("{}, {target}", fuzzer.renderer())), ShaderForm::Hs50)
    }

    /// Returns the selected versions of a language, or all versions.
    fn versions<T>(
        &self,
        known: impl IntoIterator<Item = (T, &'static str)>,
    ) -> Result<Vec<T>, CommandFailure> {
        let mut missing: Vec<&String> = self.version.iter().collect();
        let chosen = known.into_iter().filter(|(_, name)| {
            missing.retain(|wanted| wanted != name);
            self.version.is_empty() || self.version.iter().any(|wanted| wanted == name)
        });
        let chosen = chosen.map(|(version, _)| version).collect();
        match missing.first() {
            None => Ok(chosen),
            Some(other) => Err(CommandFailure(format!(
                "--version: {} have no version {other}",
                self.language.title()
            ))),
        }
    }

    /// Returns the selected GLSL dialects, or all dialects.
    fn targets(&self) -> Result<Vec<Dialect>, UnsupportedOption> {
        let language = match self.shaders.unwrap_or_default() {
            ShaderRoute::Agal => self.language,
            ShaderRoute::D3d9 => ShaderForm::D3d9,
        };
        if self.target.is_empty() {
            return Ok(language.targets().to_vec());
        }
        self.target.iter().map(|target| target_of(language, Some(*target))).collect()
    }

    /// Returns the programs for `--pairs` or `--triples`, each with up to `capacity` opcode sequences.
    fn sequences(&self, capacity: usize) -> Option<Box<dyn Iterator<Item = OpcodeProgram>>> {
        if self.pairs {
            let pairs: Vec<_> = opcode_pairs().into_iter().step_by(self.thin.into()).collect();
            return Some(Box::new(sequence_programs(&pairs, capacity).into_iter()));
        }
        let batches = (self.seed..).step_by(BATCH).flat_map(move |first| {
            let triples: Vec<_> = (first..).take(BATCH).map(opcode_triple).collect();
            sequence_programs(&triples, capacity)
        });
        self.triples.then(|| Box::new(batches) as Box<dyn Iterator<Item = _>>)
    }
}

/// Returns the entry for an OpenGL driver in the list of compared implementations.
fn driver(name: &str) -> Party {
    Party::renderer("OpenGL", name)
}

struct FuzzRun<'a> {
    fuzz: &'a Fuzz,
    /// The extension of the files with failing programs.
    ending: &'static str,
    tally: ResultTally,
    tried: u64,
    /// The number of programs that could not be generated or linked.
    skipped: u64,
    failures: Vec<Value>,
    progress: ProgressLine,
}

impl<'a> FuzzRun<'a> {
    fn new(fuzz: &'a Fuzz, ending: &'static str) -> Result<Self, CommandFailure> {
        fuzz.out.as_ref().map_or(Ok(()), |out| output::make_folder(out))?;
        let (tally, failures, progress) = (ResultTally::default(), Vec::new(), ProgressLine::new());
        Ok(FuzzRun { fuzz, ending, tally, tried: 0, skipped: 0, failures, progress })
    }

    /// Returns whether the run has reached a limit: failures, programs or time. Finite runs have no default time limit.
    fn is_over(&self) -> bool {
        let Fuzz { seconds, count, exhaustive, pairs, max_failures, .. } = *self.fuzz;
        let finite = count.is_some() || exhaustive || pairs;
        let end = seconds.or((!finite).then_some(10)).map(Duration::from_secs);
        self.tally.differing >= max_failures
            || count.is_some_and(|count| self.tried >= count)
            || end.is_some_and(|end| self.progress.elapsed() >= end)
    }

    /// Calls the function `step` with each item until the run is over.
    fn each<T, E: Error>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut step: impl FnMut(T) -> Result<Result<ResultTally, Box<FuzzFailure>>, E>,
    ) -> Result<(), CommandFailure> {
        let mut items = items.into_iter();
        while !self.is_over()
            && let Some(item) = items.next()
        {
            self.tried += 1;
            match step(item)? {
                Ok(tally) => {
                    self.skipped += u64::from(tally == ResultTally::default());
                    self.tally.add(tally);
                }
                Err(failure) => self.record(*failure)?,
            }
            let tally = self.tally;
            self.progress.update(|| (tally.to_string(), self.tried, None));
        }
        Ok(())
    }

    /// Writes a failing program to the output folder, or prints it if there is no folder.
    fn record(&mut self, failure: FuzzFailure) -> Result<(), CommandFailure> {
        let (text, FuzzFailure { seed, reason, .. }) = (failure.to_string(), failure);
        self.tally.differing += 1;
        let name = format!("differs-{seed}-{}.{}", self.tried, self.ending);
        let path = self.fuzz.out.as_ref().map(|out| out.join(name));
        path.as_ref().map_or(Ok(()), |path| output::write(path, &text))?;
        let path = path.map(|path| path.display().to_string());
        // The JSON output lists all failures at the end.
        if !self.fuzz.format.json {
            let shown = path.as_ref().map_or(text.clone(), |path| format!("{path}: {reason}"));
            self.progress.suspend(|| output::print(&(shown + "\n")))?;
        }
        let text = path.is_none().then_some(text);
        self.failures.push(json!({ "seed": seed, "file": path, "text": text, "reason": reason }));
        Ok(())
    }

    /// Prints the numbers of compared results and of skipped programs. Returns the exit status that follows from both
    /// numbers.
    fn finish(
        mut self,
        tested: Party,
        interpreter: ShaderForm,
    ) -> Result<CommandStatus, CommandFailure> {
        self.progress.finish();
        let seconds = self.progress.elapsed().as_secs_f64();
        let (tried, skipped) = (self.tried, self.skipped);
        let mut evidence = ComparisonEvidence::new(tested);
        evidence.add(Party::Interpreter(interpreter.title().to_owned()), self.tally);
        let answer = json!({
            "evidence": evidence, "made": tried, "notGenerated": skipped, "failures": self.failures,
            "seconds": seconds,
        });
        self.fuzz.format.print(&answer, || {
            format!("{evidence}; {skipped} of {tried} not generated, {seconds:.1} s\n")
        })?;
        let (values, least) = (self.tally.values, self.fuzz.require);
        match self.fuzz.untested.status(&evidence) {
            CommandStatus::Success if skipped > tried / MIN_GENERATED => {
                let most = tried / MIN_GENERATED;
                output::complain(&format!(
                    "not tested: {skipped} programs could not be generated, at most {most} are allowed"
                ));
                Ok(CommandStatus::Untested)
            }
            CommandStatus::Success if values < least => {
                output::complain(&format!("{values} values were compared, {least} are required"));
                Ok(CommandStatus::Mismatch)
            }
            status => Ok(status),
        }
    }
}

#[cfg(test)]
#[path = "../../../tests/unit/shader_fuzz.rs"]
mod tests;
