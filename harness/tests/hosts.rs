//! The adapters in `harness/hosts`, as far as they can be checked without a checkout of an emulator.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use context3d::calls::{CALLS, CallKind, PROPERTIES};

fn hosts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("hosts")
}

/// Ruffle's functions have ActionScript's names with underscores.
#[test]
fn ruffle_has_a_native_for_every_row() {
    let adapter = fs::read_to_string(hosts().join("ruffle/natives.rs")).expect("the adapter");
    let adapter = adapter.replace('_', "").to_lowercase();
    let words: Vec<&str> = adapter.split(|c: char| !c.is_alphanumeric()).collect();
    // Ruffle has no `Vector.<float>`.
    let has_float = |call: &&context3d::calls::Call| {
        call.parameters.iter().any(|parameter| parameter.table_type == "VectorFloat")
    };
    for call in CALLS.iter().filter(|call| !has_float(call)) {
        let name = call.name.to_lowercase();
        let name = match call.kind {
            CallKind::Method => name,
            CallKind::Setter => format!("set{name}"),
            CallKind::Host => continue,
        };
        assert!(words.contains(&&*name), "{name}");
    }
    for property in PROPERTIES {
        let name = format!("get{}", property.name.to_lowercase());
        assert!(words.contains(&&*name), "{name}");
    }
}

/// A folder with the anchors of the script, and a cargo that only writes declarations.
fn checkout(folder: &Path) {
    let _ = fs::remove_dir_all(folder);
    let object = folder.join("core/src/avm2/object");
    let globals = folder.join("core/src/avm2/globals/flash");
    for path in [&object, &globals.join("display"), &globals.join("display3D")] {
        fs::create_dir_all(path).expect("a folder");
    }
    let write = |path: &str, text: &str| fs::write(folder.join(path), text).expect("a file");
    write("core/Cargo.toml", "[package]\n[dependencies]\nswf = 1\n");
    write("core/src/avm2/object.rs", "mod array_object;\nmod context3d_object;\n");
    write("core/src/avm2/globals/globals.as", "include \"Context3DCompareMode.as\"\n");
    let cargo = "#!/bin/sh\n[ \"$1\" = run ] || exit 0\nmkdir -p \"$8/flash/display3D\"\n\
                 printf 'class X\\nVector.<float>\\n' > \"$8/flash/display3D/X.as\"\n";
    write("cargo", cargo);
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(folder.join("cargo"), executable).expect("a script");
    let git = |words: &[&str]| {
        let made = Command::new("git").arg("-C").arg(folder).args(words).output().expect("git");
        assert!(made.status.success(), "{made:?}");
    };
    git(&["init", "-q"]);
    git(&["-c", "user.name=x", "-c", "user.email=x", "commit", "-q", "--allow-empty", "-m", "x"]);
}

fn build(folder: &Path) -> Output {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut script = Command::new("sh");
    script.arg(hosts().join("build.sh")).arg("--ruffle").arg(folder);
    script.env("PATH", format!("{}:{path}", folder.display())).output().expect("a shell")
}

#[test]
fn the_script_puts_the_adapter_in_once() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ruffle");
    checkout(&folder);
    for _ in 0..2 {
        let built = build(&folder);
        let said = String::from_utf8_lossy(&built.stderr);
        assert!(built.status.success() && said.contains("the adapter was made for"), "{said}");
    }
    let read = |path: &str| fs::read_to_string(folder.join(path)).expect(path);
    assert_eq!(read("core/Cargo.toml").matches("context3d = {").count(), 1);
    let objects = "mod array_object;\nmod context3d_object;\npub mod molehill;\n";
    assert_eq!(read("core/src/avm2/object.rs"), objects);
    assert_eq!(read("core/src/avm2/globals/flash/display3D/X.as"), "class X\n");
    assert!(read("core/src/avm2/object/molehill.rs").contains("Molehill"));
    assert!(read("core/src/avm2/object/stage3d_object.rs").contains("Stage3DObject"));

    fs::write(folder.join("core/src/avm2/object.rs"), "mod array_object;\n").expect("a file");
    let built = build(&folder);
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(!built.status.success() && said.contains("object.rs: nothing matches"), "{said}");
    assert_eq!(build(Path::new("nowhere")).status.code(), Some(2));
}
