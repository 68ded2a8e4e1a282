//! The folder for a replay's images, with a list of their names, so that replays never mix images.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::{CommandFailure, output};
use molehill_replay::image::{RgbaImage, write_png};

/// The file that lists a replay's images, one name per line.
const LIST: &str = ".replayed-pictures";
/// The maximum size in bytes of the list of images, enough for a million names.
const MAX_LIST: u64 = 16 << 20;
pub(super) const DIFFERENCE: &str = "difference.png";

/// A folder of images, locked for this replay.
pub(super) struct PictureFolder {
    pub(super) path: PathBuf,
    list: File,
}

impl PictureFolder {
    /// Creates the output folder if needed, and removes the images of earlier replays.
    pub(super) fn open(path: &Path) -> Result<Self, CommandFailure> {
        output::make_folder(path)?;
        let failed = CommandFailure::of(path.display());
        let list = path.join(LIST);
        let list = File::options().create(true).append(true).read(true).open(list);
        let mut list = list.map_err(&failed)?;
        // Ignore errors other than `WouldBlock`, because some file systems have no locks.
        if let Err(TryLockError::WouldBlock) = list.try_lock() {
            let text = "another replay is writing into this folder; use another folder";
            return Err(CommandFailure::of(path.display())(text));
        }
        let earlier = remove_earlier(path, &mut list).map_err(&failed)?;
        if earlier > 0 {
            let path = path.display();
            output::tell(&format!("{path}: replacing {earlier} images of an earlier replay"));
        }
        let path = path.to_owned();
        Ok(PictureFolder { path, list })
    }

    pub(super) fn write(&mut self, name: &str, image: &RgbaImage) -> Result<PathBuf, String> {
        let path = self.path.join(name);
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        // List the name before writing the image, so that an interrupted replay leaves no unlisted image.
        writeln!(self.list, "{name}").map_err(|error| failed(&error))?;
        write_png(&path, image).map_err(|error| failed(&error))?;
        Ok(path)
    }
}

/// Returns whether a file name is one that a replay gives to its images.
fn is_picture(name: &str) -> bool {
    let number = |start: &str| {
        let digits = name.strip_prefix(start).and_then(|rest| rest.strip_suffix(".png"));
        digits
            .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
    };
    name == DIFFERENCE || number("frame-") || number("bitmap-")
}

/// Removes the listed images and empties the list. Returns the number of images.
fn remove_earlier(folder: &Path, list: &mut File) -> io::Result<usize> {
    let mut text = String::new();
    list.take(MAX_LIST).read_to_string(&mut text)?;
    let listed: BTreeSet<&str> = text.lines().collect();
    let mut pictures = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        pictures.extend(name.to_str().filter(|name| is_picture(name)).map(str::to_owned));
    }
    let mut others = pictures.iter().filter(|name| !listed.contains(name.as_str()));
    if let Some(name) = others.next() {
        let and_more = match others.count() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let text = format!(
            "{name}{and_more} would be mixed with the images of this replay; use another folder"
        );
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
    }
    for name in &pictures {
        fs::remove_file(folder.join(name))?;
    }
    list.set_len(0)?;
    list.rewind()?;
    Ok(pictures.len())
}
