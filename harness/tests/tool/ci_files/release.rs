//! The workflows of this repository, and `harness/release.sh`. Compilers are scripts that make empty files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use super::scripts::{GITHUB_SHELL, executable, folder, script, shell, succeeds};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A workflow of this repository.
pub(crate) fn workflow(name: &str) -> String {
    let path = repository().join(".github/workflows").join(name);
    fs::read_to_string(path).expect("a workflow")
}

/// A compiler and a system that are named so, in a folder's `bin`, with what a build leaves.
fn toolchain(folder: &Path, target: &str, system: &str, built: &[&str]) {
    let bin = folder.join("bin");
    let output = folder.join("target/release");
    let files: Vec<String> =
        built.iter().map(|file| format!("echo {file} >'{}/{file}'\n", output.display())).collect();
    let cargo = format!(
        "#!/bin/sh\ncase $1 in\nmetadata) echo '{{\"target_directory\":\"{}\",\"version\":1}}' ;;\n\
         build)\nmkdir -p '{}'\n{};;\n*) exit 1 ;;\nesac\n",
        folder.join("target").display(),
        output.display(),
        files.concat()
    );
    executable(&bin.join("cargo"), &cargo);
    let rustc = format!("#!/bin/sh\n[ \"$1\" = -vV ] && echo 'host: {target}'\n");
    executable(&bin.join("rustc"), &rustc);
    executable(&bin.join("uname"), &format!("#!/bin/sh\necho {system}\n"));
    // As 7-Zip is called: a -bso0 ARCHIVE FOLDER.
    executable(
        &bin.join("7z"),
        "#!/bin/sh\n[ \"$1 $2\" = 'a -bso0' ] && exec tar -cf \"$3\" \"$4\"\n",
    );
}

/// Packs a release; the paths in the archive.
fn packed(name: &str, target: &str, system: &str, extension: &str, built: &[&str]) -> Vec<String> {
    let folder = folder(name);
    toolchain(&folder, target, system, built);
    let pack = script(&workflow("release.yml"), "release.sh");
    let pack = pack.replace("harness/release.sh", "\"$REPOSITORY/harness/release.sh\"");
    let path = repository();
    let path = path.to_str().expect("a path");
    succeeds(&shell(&folder, &GITHUB_SHELL, &pack, &[("REPOSITORY", path)]));
    let root = format!("molehill-{}-{target}", env!("CARGO_PKG_VERSION"));
    let archive = format!("{root}.{extension}");
    let check = format!("sha256sum -c --quiet {archive}.sha256 && tar -tf {archive}");
    let listed = shell(&folder.join("out"), &GITHUB_SHELL, &check, &[]);
    succeeds(&listed);
    let listed = String::from_utf8(listed.stdout).expect("text");
    let files = listed.lines().filter(|path| !path.ends_with('/'));
    let inside = files.map(|path| path.strip_prefix(&format!("{root}/")).expect("one folder"));
    let mut inside: Vec<String> = inside.map(str::to_owned).collect();
    inside.sort();
    inside
}

const TEXTS: [&str; 3] = ["LICENSE-APACHE", "LICENSE-MIT", "README.md"];
const HEADERS: [&str; 4] = [
    "include/molehill.h",
    "include/molehill.hpp",
    "include/molehill_calls.hpp",
    "include/molehill_natives.hpp",
];
const SHARED: [&str; 10] = [
    "share/doc/molehill/LICENSE-APACHE",
    "share/doc/molehill/LICENSE-MIT",
    "share/doc/molehill/README.md",
    "share/molehill/examples/demo.c",
    "share/molehill/examples/demo.cpp",
    "share/molehill/examples/demo_programs.h",
    "share/molehill/examples/demo_scene.h",
    "share/molehill/examples/minimal.c",
    "share/molehill/python/demo.py",
    "share/molehill/python/molehill.py",
];
const FINDERS: [&str; 3] = [
    "lib/cmake/molehill/molehill-config-version.cmake",
    "lib/cmake/molehill/molehill-config.cmake",
    "lib/pkgconfig/molehill.pc",
];

#[track_caller]
fn are(found: &[String], expected: &[&[&str]]) {
    let mut expected = expected.concat();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn a_release_has_the_tool_the_inspector_and_the_c_library() {
    let unix = ["molehill", "molehill-inspector", "libmolehill_c.a"];
    let tools = ["bin/molehill", "bin/molehill-inspector", "lib/libmolehill.a"];
    let built = [&unix[..], &["libmolehill_c.so"]].concat();
    let linux = packed("linux", "x86_64-unknown-linux-gnu", "Linux", "tar.gz", &built);
    let shared = ["lib/libmolehill.so", "lib/libmolehill.so.0.2"];
    are(&linux, &[&TEXTS, &HEADERS, &SHARED, &FINDERS, &tools, &shared]);

    let built = [&unix[..], &["libmolehill_c.dylib"]].concat();
    let mac = packed("mac", "aarch64-apple-darwin", "Darwin", "tar.gz", &built);
    let shared = ["lib/libmolehill.dylib", "lib/libmolehill.0.2.dylib"];
    are(&mac, &[&TEXTS, &HEADERS, &SHARED, &FINDERS, &tools, &shared]);

    let libraries = ["molehill_c.dll", "molehill_c.dll.lib", "molehill_c.lib"];
    let built = [&["molehill.exe", "molehill-inspector.exe"][..], &libraries].concat();
    let windows = packed("windows", "x86_64-pc-windows-msvc", "MINGW64_NT-10.0", "zip", &built);
    let tools = ["bin/molehill.exe", "bin/molehill-inspector.exe"];
    let libraries = libraries.map(|name| format!("lib/{name}"));
    let libraries = libraries.each_ref().map(String::as_str);
    are(&windows, &[&TEXTS, &HEADERS, &tools, &libraries]);
}

#[test]
fn a_build_that_fails_packs_nothing() {
    let folder = folder("unbuilt");
    toolchain(&folder, "x86_64-unknown-linux-gnu", "Linux", &["molehill"]);
    let path = repository().join("harness/release.sh");
    let script = format!("bash '{}' out", path.display());
    assert!(!shell(&folder, &GITHUB_SHELL, &script, &[]).status.success());
    let archives = fs::read_dir(folder.join("out")).expect("a folder");
    let mut archives = archives.filter_map(Result::ok).map(|entry| entry.path());
    assert!(archives.all(|path| path.is_dir()));
}

#[test]
fn only_the_tag_of_the_version_is_released() {
    let check = script(&workflow("release.yml"), "the tag is");
    let root = repository();
    let run = |tag: &str| shell(&root, &GITHUB_SHELL, &check, &[("GITHUB_REF_NAME", tag)]);
    succeeds(&run(&format!("v{}", env!("CARGO_PKG_VERSION"))));
    let refused = run("v9.9.9");
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("v9.9.9"));
}

#[test]
fn a_release_attaches_every_file_unless_one_is_damaged() {
    let folder = folder("attached");
    let gh = "#!/bin/sh\nprintf '%s\\n' \"$@\" >../gh.txt\n";
    executable(&folder.join("bin/gh"), gh);
    fs::create_dir_all(folder.join("page")).expect("a folder");
    fs::write(folder.join("page/index.html"), "<!doctype html>").expect("a file");
    let environment = [("GITHUB_REF_NAME", "v1.2.3"), ("GITHUB_REPOSITORY", "a/b")];
    let release = workflow("release.yml");
    let run = |part: &str| -> Output {
        shell(&folder, &GITHUB_SHELL, &script(&release, part), &environment)
    };
    succeeds(&run("molehill-pages-"));
    fs::write(folder.join("out/tool.tar.gz"), "packed").expect("a file");
    let sum = "cd out && sha256sum tool.tar.gz >tool.tar.gz.sha256";
    succeeds(&shell(&folder, &GITHUB_SHELL, sum, &[]));
    succeeds(&run("gh release create"));
    let arguments = fs::read_to_string(folder.join("gh.txt")).expect("arguments");
    let (options, files) = arguments.split_once("--\n").expect("files");
    assert!(options.starts_with("release\ncreate\nv1.2.3\n"), "{options}");
    assert_eq!(files, "molehill-pages-1.2.3.tar.gz\ntool.tar.gz\ntool.tar.gz.sha256\n");

    fs::remove_file(folder.join("gh.txt")).expect("removed");
    fs::write(folder.join("out/tool.tar.gz"), "damaged").expect("a file");
    assert!(!run("gh release create").status.success());
    assert!(!folder.join("gh.txt").exists());
}

#[test]
fn the_demo_is_drawn_without_a_driver() {
    let draw = script(&workflow("ci.yml"), "knot.png");
    let tool = format!("'{}'", env!("CARGO_BIN_EXE_molehill"));
    let captures = repository().join("harness/captures");
    let draw = draw
        .replace("target/release/molehill", &tool)
        .replace("harness/captures", captures.to_str().expect("a path"));
    let folder = folder("drawn");
    succeeds(&shell(&folder, &GITHUB_SHELL, &draw, &[]));
}
