//! Tests the emulator adapters in `harness/hosts` as far as possible without an emulator's source code.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn hosts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("hosts")
}

/// Creates a folder that imitates an emulator's source code, and a cargo that only writes declarations.
fn checkout(folder: &Path) {
    let _ = fs::remove_dir_all(folder);
    let files = [
        (
            "core/Cargo.toml",
            "[package]\n[dependencies]\nswf = 1\ncontext3d = { path = \"/elsewhere\" }\n",
        ),
        (
            "core/src/avm2/object.rs",
            "mod array_object;\nmod context3d_object;\nmod stage3d_object;\n",
        ),
        ("core/src/avm2/object/stage3d_object.rs", "old\n"),
        ("core/src/avm2/globals/flash/display3D/X.as", "old\n"),
        (
            "core/src/display_object/stage.rs",
            "(0..4).map(|_| Stage3DObject::new(context))\nif stage3d.visible()\n\
             && let Some(context3d) = stage3d.context3d()\n{ context3d.render(context) }\n",
        ),
        ("core/src/avm2/globals/globals.as", "include \"Context3DCompareMode.as\"\n"),
        ("core/src/avm2/globals/flash/display/stage_3d.rs", "old\n"),
        ("core/src/avm2/globals/flash/display3D.rs", "old\n"),
        (
            "core/build_playerglobal/src/avm2.rs",
            "use std::str::FromStr;\nlet name = resolve_multiname_name(abc, multiname);\n",
        ),
        ("render/Cargo.toml", "[dependencies]\n"),
        ("render/wgpu/Cargo.toml", "[dependencies]\n"),
        ("render/wgpu/src/lib.rs", "mod context3d;\n"),
        ("render/wgpu/src/backend.rs", "impl RenderBackend for WgpuRenderBackend {\n"),
        ("render/src/backend.rs", "pub trait RenderBackend {\n"),
    ];
    let write = |path: &str, text: &str| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    for (path, text) in files {
        write(path, text);
    }
    let cargo = "[ \"$1\" = run ] || exit 0\nmkdir -p \"$8/flash/display3D\"\n\
                 printf 'class X\\nVector.<float>\\n' > \"$8/flash/display3D/X.as\"\n";
    script(&folder.join("cargo"), cargo);
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

/// Writes an executable shell script.
fn script(path: &Path, text: &str) {
    fs::write(path, format!("#!/bin/sh\n{text}\n")).expect("a file");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a script");
}

#[test]
fn results_are_named_by_the_paths_of_their_files() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("run-players");
    let _ = fs::remove_dir_all(&folder);
    let files = ["a.swf", "a.b.swf", "a/test.swf", "b/test.swf"];
    for file in files {
        let file = folder.join("swf").join(file);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, "").expect("a file");
    }
    let (player, tool) = (folder.join("player"), folder.join("tool"));
    let record =
        "case \"$*\" in *--help*) echo --frames ;; *) echo \"$*\" > \"$MOLEHILL_RECORD\" ;; esac";
    script(&player, record);
    script(&tool, "printf '{\\n  \"frames\": 7\\n}\\n'");
    for _ in 0..2 {
        let mut run = Command::new("sh");
        run.arg(hosts().join("run.sh")).args([&player, &folder.join("swf/"), &folder.join("out")]);
        let output = run.env("MOLEHILL", &tool).output().expect("a shell");
        let table = String::from_utf8_lossy(&output.stdout);
        let rows: Vec<_> = table.lines().skip(1).map(|row| row.split_whitespace().next()).collect();
        let names = [Some("a"), Some("a.b"), Some("a/test"), Some("b/test")];
        assert!(names.iter().all(|name| rows.contains(name)) && rows.len() == 4, "{table}");
        assert!(table.lines().skip(1).all(|row| row.contains(" 0      7 ")), "{table}");
    }
    for file in files {
        let recording = folder.join("out").join(file).with_extension("s3d");
        let played = fs::read_to_string(recording).expect(file);
        assert!(played.contains(&format!("swf/{file}")), "{file}: {played}");
    }
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
    assert!(!read("core/Cargo.toml").contains("elsewhere"));
    assert_eq!(read("core/src/avm2/object.rs"), "mod array_object;\nmod stage3d_object;\n");
    assert_eq!(
        read("core/src/display_object/stage.rs"),
        "Stage3DObject::all(context).into_iter()\n\n{ stage3d.render(context) }\n"
    );
    assert_eq!(read("core/src/avm2/globals/flash/display3D/X.as"), "class X\n");
    assert_eq!(read("core/src/avm2/globals/flash/display3D.rs"), "");
    assert!(read("core/src/avm2/object/stage3d_object.rs").contains("Molehill"));
    assert_eq!(
        read("core/build_playerglobal/src/avm2.rs").matches("fn molehill_native").count(),
        1
    );
    assert_eq!(read("render/wgpu/Cargo.toml").matches("backend-gl = {").count(), 1);
    assert_eq!(read("render/src/backend.rs").matches("fn stage3d_").count(), 2);

    fs::write(folder.join("render/wgpu/src/lib.rs"), "mod other;\n").expect("a file");
    let built = build(&folder);
    let said = String::from_utf8_lossy(&built.stderr);
    assert!(!built.status.success() && said.contains("lib.rs: nothing matches"), "{said}");
    assert_eq!(build(Path::new("nowhere")).status.code(), Some(2));
}
