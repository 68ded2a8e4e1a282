use clap::Parser;

use super::*;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    fuzz: Fuzz,
}

/// Returns the exit status of a run that compared these numbers of values; `None` is a program that can't be generated.
fn status(options: &[&str], programs: impl IntoIterator<Item = Option<u64>>) -> CommandStatus {
    let fuzz = Line::parse_from([&["fuzz", "--count", "100"], options].concat()).fuzz;
    let mut run = FuzzRun::new(&fuzz, "agal").unwrap();
    let tally = |values: Option<u64>| match values {
        Some(values) => ResultTally { programs: 1, values, ..ResultTally::default() },
        None => ResultTally::default(),
    };
    let step = |values| Ok::<_, Infallible>(Ok::<_, Box<FuzzFailure>>(tally(values)));
    run.each(programs, step).unwrap();
    run.finish(driver("a driver"), ShaderForm::Agal).unwrap()
}

#[test]
fn the_evidence_gives_the_status() {
    let agree = |count| std::iter::repeat_n(Some(3), count);
    let none = |count| std::iter::repeat_n(None, count);
    assert_eq!(status(&[], agree(20)), CommandStatus::Success);
    assert_eq!(status(&["--require", "60"], agree(20)), CommandStatus::Success);
    assert_eq!(status(&["--require", "61"], agree(20)), CommandStatus::Mismatch);
    assert_eq!(status(&[], []), CommandStatus::Untested);
    assert_eq!(status(&[], [Some(0)]), CommandStatus::Untested);
    assert_eq!(status(&["--allow-untested"], [Some(0)]), CommandStatus::Success);
    // Up to a tenth of the programs may fail to be generated.
    assert_eq!(status(&[], agree(18).chain(none(2))), CommandStatus::Success);
    assert_eq!(status(&[], agree(17).chain(none(3))), CommandStatus::Untested);
}

#[test]
fn a_difference_is_a_mismatch() {
    let fuzz = Line::parse_from(["fuzz", "--json", "--max-failures", "1"]).fuzz;
    let mut run = FuzzRun::new(&fuzz, "hs50").unwrap();
    let failure = FuzzFailure { seed: 7, text: "hs_5_0".to_owned(), reason: "differs".to_owned() };
    let step = |_: u64| Ok::<_, Infallible>(Err::<ResultTally, _>(Box::new(failure.clone())));
    run.each(0.., step).unwrap();
    assert_eq!((run.tried, run.failures.len()), (1, 1));
    assert_eq!(run.finish(driver("a driver"), ShaderForm::Hs50).unwrap(), CommandStatus::Mismatch);
}
