//! Tests on the captures in `../shared`, next to the repository.

mod agal;
mod atf;
mod captures;
mod edges;
mod inspect;
mod jxr;
#[path = "../../../agal/tests/common/needs.rs"]
mod needs;
#[path = "../tool/run.rs"]
mod run;
mod sharp;

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use molehill_replay::folder::capture_in;

type Test = (&'static str, fn(&Path));

const TESTS: [Test; 3] = [
    ("captures_show_their_textures_with_and_without_blocks", atf::both_ways),
    ("flash_players_edges_are_met_with_its_samples", edges::edges_are_met),
    ("parts_decode_to_the_samples_of_the_reference", jxr::parts_decode),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = needs::shared("agal", |folder| {
        let name = "programs_are_accepted_come_back_and_become_glsl";
        vec![needs::trial(name, folder, agal::real_programs)]
    });
    trials.extend(needs::shared("captures", |folder| {
        let captures = captures::captures(folder);
        let sharp = sharp::trials(&captures);
        let captures = captures.iter().flat_map(|path| captures::trials(path));
        TESTS
            .into_iter()
            .map(|(name, test)| needs::trial(name, folder, test))
            .chain(inspected(folder))
            .chain(captures)
            .chain(sharp)
            .collect()
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn inspected(folder: &Path) -> Vec<Trial> {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let trial = |entry: std::io::Result<std::fs::DirEntry>| {
        let folder = entry.expect("an entry").path();
        let name = folder.file_name()?.to_string_lossy().into_owned();
        let capture = capture_in(&folder)?;
        let name = format!("{name}::is_cut_and_inspected");
        Some(needs::trial(name, &capture, inspect::inspect))
    };
    entries.filter_map(trial).collect()
}
