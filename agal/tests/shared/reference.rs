//! Compares the tables of this crate with those of the reference (`shared/reference`, beside the repository): numbers,
//! classes, messages and evidence of the errors, register counts and limits of the profiles.

use std::collections::BTreeMap;
use std::fs;

use agal::errors::ErrorKind;
use agal::register::RegisterFile;
use agal::{Profile, Stage};
use libtest_mimic::Trial;

use crate::needs;

type Test = (&'static str, &'static str, fn(&str));

const TESTS: [Test; 2] = [
    ("errors", "agal-errors.tsv", errors),
    ("profile_limits", "profile-limits.tsv", profile_limits),
];

pub(crate) fn trials() -> Vec<Trial> {
    needs::shared("reference", |folder| {
        let trials = TESTS.into_iter().map(|(name, file, check)| {
            let path = folder.join(file);
            Trial::test(name, move || {
                check(&fs::read_to_string(path)?);
                Ok(())
            })
        });
        trials.collect()
    })
}

/// The lines of a table by their first column, without comments.
fn rows(table: &str) -> BTreeMap<&str, Vec<&str>> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| {
            let (key, rest) = line.split_once('\t')?;
            Some((key, rest.split('\t').collect()))
        })
        .collect()
}

/// Columns: number, domain, class, needs error checking, message, trigger, evidence.
fn errors(table: &str) {
    let rows = rows(table);
    let of_agal = rows.iter().filter(|(_, row)| row.first() == Some(&"agal"));
    let mut count = 0;
    for (number, row) in of_agal {
        let kind = ErrorKind::ALL.iter().find(|kind| kind.number().to_string() == **number);
        let kind = kind.unwrap_or_else(|| panic!("#{number} has no row"));
        let [_, class, _, message, _, evidence] = row.as_slice() else {
            panic!("#{number}: {row:?}");
        };
        assert_eq!(kind.template(), message.replace("\\n", "\n"), "#{number}");
        assert_eq!(kind.evidence().name(), *evidence, "#{number}");
        // 3615 has both classes.
        let expected = match number {
            &"3615" => "Error",
            _ => class,
        };
        assert_eq!(kind.class().name(), expected, "#{number}");
        count += 1;
    }
    assert_eq!(count, ErrorKind::ALL.len());
}

/// Columns: limit, the profiles from the weakest on, source. `?` marks unverified values.
fn profile_limits(table: &str) {
    let rows = rows(table);
    let (v, f) = (Stage::Vertex, Stage::Fragment);
    let files = [
        ("vertex_attributes", RegisterFile::Attribute, v),
        ("vertex_constants", RegisterFile::Constant, v),
        ("vertex_temporaries_recommended", RegisterFile::Temporary, v),
        ("varyings", RegisterFile::Varying, v),
        ("varyings", RegisterFile::Varying, f),
        ("fragment_constants", RegisterFile::Constant, f),
        ("fragment_temporaries_recommended", RegisterFile::Temporary, f),
        ("fragment_samplers", RegisterFile::Sampler, f),
        ("vertex_samplers", RegisterFile::Sampler, v),
        ("instance_id", RegisterFile::InstanceId, v),
        ("color_outputs", RegisterFile::Output, f),
        ("depth_output", RegisterFile::DepthOutput, f),
    ];
    let number = |name: &str, profile: usize| -> usize {
        let cell = rows[name][profile];
        let digits = cell.trim_end_matches('?');
        digits.parse().unwrap_or_else(|_| panic!("{name}: {cell}"))
    };
    for (at, profile) in Profile::ALL.iter().copied().enumerate() {
        // A profile's limit is that of its highest version.
        let version = profile.max_version();
        for (name, file, stage) in files {
            let count = file.count(stage, version, profile).unwrap_or(0);
            assert_eq!(usize::from(count), number(name, at), "{name} of {profile}");
        }
        let highest = usize::try_from(version.number()).unwrap();
        assert_eq!(highest, number("agal_version_max", at), "{profile}");
        assert_eq!(version.max_tokens(), number("tokens", at), "{profile}");
    }
}
