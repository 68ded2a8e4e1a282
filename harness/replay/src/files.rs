//! Writing folders and files: creates folders, replaces files atomically, locks folders during a run.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// The extension of temporary files.
const TEMPORARY: &str = ".molehill-tmp";
/// The lock file that a process holds while it writes into a folder.
const LOCK: &str = ".lock";

/// Creates a folder and its parent folders. Errors: those of the file system, with a clear message if a file has the
/// folder's name.
pub fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path).map_err(|error| {
        let mut above = path.ancestors();
        match above.find(|part| !part.as_os_str().is_empty() && part.exists() && !part.is_dir()) {
            Some(file) if file == path => {
                io::Error::new(ErrorKind::NotADirectory, "expected a folder, found a file")
            }
            Some(file) => {
                let text = format!("can't create a folder in {}, which is a file", file.display());
                io::Error::new(ErrorKind::NotADirectory, text)
            }
            None => error,
        }
    })
}

/// Writes a file atomically: writes a hidden temporary file in the same folder (`.NAME.PID-N.molehill-tmp`), syncs it,
/// and renames it. Readers see the old or the new file, also after an interrupted run or a power failure. Temporary
/// files that interrupted runs left are removed by the next run that writes into the folder. Devices and pipes are
/// written directly. Errors: those of the file system; the old file stays.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, |mut file| file.write_all(bytes))
}

/// Does the same as [`write()`], with a function that writes the file and may read the old one.
/// Errors: those of the file system and of the function; the old file stays.
pub fn replace<T>(path: &Path, write: impl FnOnce(&File) -> io::Result<T>) -> io::Result<T> {
    // Replace the target of a symbolic link, not the link.
    let target = fs::canonicalize(path);
    let target = target.as_deref().unwrap_or(path);
    let before = fs::metadata(target).ok();
    if before.as_ref().is_some_and(|before| !before.is_file()) {
        return write(&File::create(target)?);
    }
    let all = |file: &File| {
        let done = write(file)?;
        if let Some(before) = before {
            file.set_permissions(before.permissions())?;
        }
        Ok(done)
    };
    write_and_name(target, all, |temporary| fs::rename(temporary, target))
}

/// Does the same as [`replace`], for a new file. Errors: those of [`replace`], and [`ErrorKind::AlreadyExists`].
pub fn create<T>(path: &Path, write: impl FnOnce(&File) -> io::Result<T>) -> io::Result<T> {
    let there = || fs::symlink_metadata(path).is_ok();
    let taken = || io::Error::new(ErrorKind::AlreadyExists, "a file of this name exists");
    if there() {
        return Err(taken());
    }
    // Creating a hard link fails if the file exists. Some file systems have no links.
    write_and_name(path, write, |temporary| match fs::hard_link(temporary, path) {
        Err(_) if there() => Err(taken()),
        Err(_) => fs::rename(temporary, path),
        Ok(()) => Ok(()),
    })
}

/// Writes a temporary file next to `path`, syncs it, and calls `name` to rename it to `path`.
fn write_and_name<T>(
    path: &Path,
    write: impl FnOnce(&File) -> io::Result<T>,
    name: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<T> {
    let (temporary, file) = temporary(path)?;
    let all = || {
        let done = write(&file)?;
        // Without the sync, the renamed file may be empty after a power failure.
        file.sync_all()?;
        name(&temporary)?;
        Ok(done)
    };
    let done = all();
    // After a rename, the temporary file no longer exists.
    let _ = fs::remove_file(&temporary);
    done
}

/// Creates a temporary file with a unique name in the same folder, locked by this process.
fn temporary(path: &Path) -> io::Result<(PathBuf, File)> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let no_name = || io::Error::new(ErrorKind::IsADirectory, "expected a file, found a folder");
    let name = path.file_name().ok_or_else(no_name)?.to_string_lossy();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    remove_stale(folder.unwrap_or(Path::new(".")));
    loop {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let temporary = format!(".{name}.{}-{number}{TEMPORARY}", process::id());
        let temporary = path.with_file_name(temporary);
        match File::create_new(&temporary) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(file) => {
                // Another process may have removed the file as stale before it was locked here. On file systems without
                // locks, no file counts as stale.
                let lost = matches!(file.try_lock(), Err(TryLockError::WouldBlock));
                if !lost && temporary.exists() {
                    return Ok((temporary, file));
                }
            }
        }
    }
}

/// Removes the temporary files of interrupted runs, which no process locks, once for each folder.
fn remove_stale(folder: &Path) {
    static DONE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let mut done = DONE.lock().unwrap_or_else(PoisonError::into_inner);
    if !done.insert(folder.to_owned()) {
        return;
    }
    drop(done);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_str().unwrap_or_default();
        // Ignore stale files that can't be opened or removed.
        if name.starts_with('.')
            && name.ends_with(TEMPORARY)
            && let Ok(file) = File::options().append(true).open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// A file that is removed when it is dropped.
#[derive(Debug)]
pub struct TemporaryFile(pub PathBuf);

impl TemporaryFile {
    /// Creates a file with this extension and a unique name, next to another file.
    pub fn beside(path: &Path, extension: &str) -> io::Result<TemporaryFile> {
        for number in 0u32.. {
            let end = format!("candidate-{}-{number}.{extension}", process::id());
            let path = path.with_extension(end);
            match File::create_new(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => return made.map(|_| TemporaryFile(path)),
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // The file may have been removed already.
        let _ = fs::remove_file(&self.0);
    }
}

/// A lock that keeps other processes from writing into a folder. The lock ends with the process.
#[derive(Debug)]
pub struct Lock(#[allow(dead_code, reason = "held for its lock")] File);

impl Lock {
    /// Locks a folder. Returns `None` if another process has locked the folder. Errors: those of the file system. A
    /// file system without locks is not an error.
    pub fn take(folder: &Path) -> io::Result<Option<Lock>> {
        let file = File::options().create(true).append(true).open(folder.join(LOCK))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Unsupported => Err(error),
            _ => Ok(Some(Lock(file))),
        }
    }
}
