//! Tests of atomically replaced files, and of folders that allow one writer.

use std::fs::{self, File};
use std::io::Write as _;
use std::{io, process};

use molehill_replay::files::{Lock, create, make_folder, replace, write};

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
    // A process that has opened the old file can still read all of it.
    let mut old = File::open(&path).unwrap();
    write(&path, b"new").unwrap();
    assert_eq!(io::read_to_string(&mut old).unwrap(), "old");
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert!(write(&folder, b"x").is_err() && write(&folder.join("b/c"), b"x").is_err());
    // No temporary file remains in the folder.
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_file_that_is_not_finished_has_no_visible_name_and_does_not_stay() {
    let folder = scratch("stale");
    let path = folder.join("a.s3d");
    let files = || {
        let entries = fs::read_dir(&folder).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect::<Vec<_>>()
    };
    // The temporary file of `a.s3d` was left by an interrupted run. The next two files belong to other programs.
    fs::write(folder.join(".a.s3d.12-0.molehill-tmp"), "torn").unwrap();
    fs::write(folder.join(".b.s3d.7-3.molehill-tmp"), "").unwrap();
    fs::write(folder.join(".notes.tmp"), "").unwrap();
    let failed = replace(&path, |_| {
        let names = files();
        assert!(names.len() == 2 && names.iter().all(|name| name.starts_with('.')), "{names:?}");
        // A running process's temporary file is not removed.
        write(&path, b"by another run").map(|()| assert_eq!(files().len(), 3))?;
        Err::<(), _>(io::Error::other("full"))
    });
    assert_eq!(failed.unwrap_err().to_string(), "full");
    assert_eq!(fs::read(&path).unwrap(), b"by another run");
    assert_eq!(files().len(), 2);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_file_is_no_folder() {
    let folder = scratch("folder");
    make_folder(&folder.join("a/b")).unwrap();
    fs::write(folder.join("file"), "").unwrap();
    let message = make_folder(&folder.join("file")).unwrap_err().to_string();
    assert_eq!(message, "expected a folder, found a file");
    let message = make_folder(&folder.join("file/b/c")).unwrap_err().to_string();
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

/// Creating a file is atomic and never replaces an existing file.
#[test]
fn a_new_file_is_whole_or_absent() {
    let folder = scratch("new-file");
    let path = folder.join("file");
    let half = |mut file: &fs::File| {
        file.write_all(b"half")?;
        Err::<(), _>(std::io::Error::other("the rest is missing"))
    };
    assert_eq!(create(&path, half).unwrap_err().to_string(), "the rest is missing");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    create(&path, |mut file| file.write_all(b"whole")).unwrap();
    for _ in 0..2 {
        let error = create(&path, |mut file| file.write_all(b"other")).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }
    // Another program creates the file in the meantime.
    let late = folder.join("late");
    let error = create(&late, |mut file| {
        fs::write(&late, "theirs")?;
        file.write_all(b"ours")
    });
    assert_eq!(error.unwrap_err().kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read(&late).unwrap(), b"theirs");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
    fs::remove_dir_all(folder).unwrap();
}
