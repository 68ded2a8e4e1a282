//! Writing folders and files: creates folders, replaces files atomically, locks folders during a run.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// The lock file that a process holds while it writes into a folder.
const LOCK: &str = ".lock";

/// Creates a folder and its parents.
///
/// # Errors
/// Those of the file system, with a clear message if a file has the folder's name.
pub fn make_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path).map_err(|error| {
        let mut above = path.ancestors();
        match above.find(|part| !part.as_os_str().is_empty() && part.exists() && !part.is_dir()) {
            Some(file) if file == path => {
                io::Error::new(ErrorKind::NotADirectory, "expected a folder, found a file")
            }
            Some(file) => {
                let text = format!(
                    "can't create a folder in {}, which is a file",
                    file.display()
                );
                io::Error::new(ErrorKind::NotADirectory, text)
            }
            None => error,
        }
    })
}

/// Writes a file atomically: to a temporary file in the same folder, which is then renamed. Readers see the old or the
/// new file, also after an interrupted run. Devices and pipes are written directly.
///
/// # Errors
/// Those of the file system; the old file stays.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(path, |mut file| file.write_all(bytes))
}

/// As [`write()`], with a function that writes the file, and may read the old one.
///
/// # Errors
/// Those of the file system and of the function; the old file stays.
pub fn replace<T>(path: &Path, write: impl FnOnce(&File) -> io::Result<T>) -> io::Result<T> {
    // For a link, its target is replaced.
    let target = fs::canonicalize(path);
    let target = target.as_deref().unwrap_or(path);
    let before = fs::metadata(target).ok();
    if before.as_ref().is_some_and(|before| !before.is_file()) {
        return write(&File::create(target)?);
    }
    let temporary = temporary_path(target)?;
    let all = || {
        let file = File::create_new(&temporary)?;
        let done = write(&file)?;
        if let Some(before) = before {
            file.set_permissions(before.permissions())?;
        }
        fs::rename(&temporary, target)?;
        Ok(done)
    };
    all().inspect_err(|_| {
        // The temporary file may not exist.
        let _ = fs::remove_file(&temporary);
    })
}

/// A unique name in the same folder.
fn temporary_path(path: &Path) -> io::Result<std::path::PathBuf> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let no_name = || io::Error::new(ErrorKind::IsADirectory, "expected a file, found a folder");
    let name = path.file_name().ok_or_else(no_name)?;
    let mut temporary = std::ffi::OsString::from(".");
    temporary.push(name);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    temporary.push(format!(".{}-{number}", process::id()));
    Ok(path.with_file_name(temporary))
}

/// Keeps other processes from writing into a folder. Released when the process ends, in any way.
#[derive(Debug)]
pub struct Lock(#[allow(dead_code, reason = "held for its lock")] File);

impl Lock {
    /// Locks a folder; `None` if another process has locked it.
    ///
    /// # Errors
    /// Those of the file system. A file system without locks is not an error.
    pub fn take(folder: &Path) -> io::Result<Option<Lock>> {
        let file = File::options()
            .create(true)
            .append(true)
            .open(folder.join(LOCK))?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Unsupported => Err(error),
            _ => Ok(Some(Lock(file))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("molehill-files-{}-{name}", process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_file_is_replaced_in_one_step() {
        let folder = scratch("write");
        let path = folder.join("a");
        write(&path, b"old").unwrap();
        // A reader of the old file still sees all of it.
        let mut old = File::open(&path).unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(io::read_to_string(&mut old).unwrap(), "old");
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(write(&folder, b"x").is_err() && write(&folder.join("b/c"), b"x").is_err());
        // No temporary file is left.
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_is_no_folder() {
        let folder = scratch("folder");
        make_folder(&folder.join("a/b")).unwrap();
        fs::write(folder.join("file"), "").unwrap();
        let message = make_folder(&folder.join("file")).unwrap_err().to_string();
        assert_eq!(message, "expected a folder, found a file");
        let message = make_folder(&folder.join("file/b/c"))
            .unwrap_err()
            .to_string();
        assert!(message.contains("which is a file"), "{message}");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_folder_has_one_writer() {
        let folder = scratch("lock");
        let lock = Lock::take(&folder).unwrap();
        assert!(lock.is_some() && Lock::take(&folder).unwrap().is_none());
        drop(lock);
        assert!(Lock::take(&folder).unwrap().is_some());
        fs::remove_dir_all(folder).unwrap();
    }
}
