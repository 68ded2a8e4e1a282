//! Public ATF files in `../shared`: all encodings of an image must be similar to the DXT encoding.

#[path = "../../../../agal/tests/common/needs.rs"]
mod needs;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use atf::{Atf, Differences, LevelEncoding};
use libtest_mimic::{Arguments, Failed, Trial};

/// The folders of files that contain several encodings, or one encoding each.
const FOLDERS: [&str; 3] = ["atf", "13-pvrtc-parts", "14-etc1-alpha-parts"];
/// Suffixes of file names: these files contain one image in one encoding each.
const ENDS: [&str; 3] = ["_dxt", "_etc1", "_pvrtc"];
/// Minimum similarity of two lossy encodings of an image in decibels; unrelated images have at most 16.
const LEAST: f64 = 24.0;
/// Size of 16 blocks in bytes. Smaller levels have few JPEG-XR pixels, whose chroma may be subsampled, so that their
/// encodings are less similar.
const SMALL: usize = 16 * 16 * 4;
const LEAST_OF_SMALL: f64 = 20.0;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = needs::shared("cases", |folder| {
        let pictures = pictures(folder).into_iter();
        let trial = |(name, files): (String, Vec<PathBuf>)| {
            Trial::test(format!("{name}::encodings_agree"), move || encodings_agree(&files))
        };
        pictures.map(trial).collect()
    });
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Returns the files of each image, by the image's name.
fn pictures(folder: &Path) -> BTreeMap<String, Vec<PathBuf>> {
    let mut pictures = BTreeMap::<String, Vec<PathBuf>>::new();
    for name in FOLDERS {
        let entries = std::fs::read_dir(folder.join(name)).expect("the folder can be read");
        for path in entries.map(|entry| entry.expect("an entry").path()) {
            let stem = needs::stem(&path);
            let picture = ENDS.iter().find_map(|end| stem.strip_suffix(end)).unwrap_or(&stem);
            if path.extension().is_some_and(|extension| extension == "atf") {
                pictures.entry(format!("{name}::{picture}")).or_default().push(path);
            }
        }
    }
    pictures
}

/// Decodes an encoding of a file's level 0 to B, G, R, A bytes.
fn largest(bytes: &[u8], encoding: LevelEncoding) -> Option<Vec<u8>> {
    let image = Atf::open(bytes).expect("a header").images().next()?;
    image.expect("a level").decode(encoding).expect("texels")
}

/// Only level 0 is compared, because the encoders filtered the smaller levels differently. [atf.parts.picture]
/// [atf.parts.pvrtc] [atf.parts.etc1] [atf.parts.dxt]
fn encodings_agree(files: &[PathBuf]) -> Result<(), Failed> {
    let files: Vec<Vec<u8>> = files.iter().map(std::fs::read).collect::<Result<_, _>>()?;
    let decoded = |encoding: LevelEncoding| {
        let levels = files.iter().filter_map(move |bytes| largest(bytes, encoding));
        levels.map(move |level| (encoding.name(), level))
    };
    let mut levels = LevelEncoding::BY_QUALITY.into_iter().flat_map(decoded);
    let (_, witness) = levels.next().ok_or("no texels")?;
    let mut compared = 0;
    for (name, level) in levels {
        assert_eq!(level.len(), witness.len(), "{name}");
        let mut differences = Differences::default();
        differences.add(&level, &witness);
        let (color, alpha) = (differences.color(), differences.alpha());
        let least = if level.len() < SMALL { LEAST_OF_SMALL } else { LEAST };
        if color < least || alpha < least {
            return Err(format!("{name}: colours {color:.1} dB, alpha {alpha:.1} dB").into());
        }
        compared += 1;
    }
    if compared > 0 { Ok(()) } else { Err("only one encoding".into()) }
}
