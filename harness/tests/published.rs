//! Checks that the pages, metadata and documentation of crates for crates.io need no other files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Returns the workspace's packages, as `cargo metadata` describes them.
fn packages() -> Vec<Value> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--no-deps", "--format-version", "1"])
        .current_dir(root)
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

/// Returns the workspace's packages that may be published.
fn published() -> Vec<Value> {
    let all = packages().into_iter();
    all.filter(|package| package["publish"].as_array().is_none_or(|to| !to.is_empty())).collect()
}

fn text<'v>(package: &'v Value, key: &str) -> &'v str {
    package[key].as_str().unwrap_or_default()
}

/// Returns the problems of a package's metadata and files.
fn faults(package: &Value, names: &BTreeSet<&str>) -> Vec<String> {
    let name = text(package, "name");
    let folder = Path::new(text(package, "manifest_path")).parent().expect("a folder");
    let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap_or_default();
    let mut faults = Vec::new();
    let mut must = |holds: bool, fault: &str| {
        if !holds {
            faults.push(format!("{name}: {fault}"));
        }
    };

    for key in ["description", "repository", "rust_version"] {
        must(!text(package, key).is_empty(), &format!("the manifest has no {key}"));
    }
    must(text(package, "license") == "MIT OR Apache-2.0", "the manifest has another license");
    must(text(package, "readme") == "README.md", "the manifest has no `readme`");
    let page = format!("https://docs.rs/{name}");
    must(text(package, "documentation") == page, "`documentation` is not the page of docs.rs");
    let lengths = [("keywords", 3..=5), ("categories", 1..=5)];
    for (key, allowed) in lengths {
        let count = package[key].as_array().map_or(0, Vec::len);
        must(allowed.contains(&count), &format!("{count} {key}, {allowed:?} are allowed"));
    }

    for license in ["LICENSE-MIT", "LICENSE-APACHE"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(license);
        let root = fs::read_to_string(root).expect("the workspace's license");
        // In a checkout without symbolic links, the file contains the link's target.
        let own = read(license);
        must(own == root || own.ends_with(license), &format!("{license} is missing or differs"));
    }
    let manifest = read("Cargo.toml");
    let include = manifest.lines().find(|line| line.starts_with("include = ")).unwrap_or_default();
    for file in ["/src/**", "/README.md", "/LICENSE-*"] {
        must(include.contains(file), &format!("`include` lacks {file}"));
    }
    must(!include.contains("tests"), "`include` packs tests");

    let readme = read("README.md");
    let examples =
        readme.matches("\n```rust\n").count() + readme.matches("\n```rust,no_run\n").count();
    must(examples >= 3, &format!("README.md has {examples} examples, 3 are needed"));
    for word in ["## Limits", "Rust 1.95", "Apache License 2.0 or MIT license"] {
        must(readme.contains(word), &format!("README.md lacks `{word}`"));
    }
    // Pages of crates.io and docs.rs can't link to files of the repository.
    let links = readme.split("](").skip(1).filter(|link| !link.starts_with("https://"));
    for link in links {
        let link = link.split(')').next().unwrap_or_default();
        must(false, &format!("README.md has the relative link {link}"));
    }
    let library = read("src/lib.rs");
    let includes = library.starts_with("#![doc = include_str!(\"../README.md\")]");
    must(
        includes,
        "src/lib.rs does not begin with the README, so that its examples are not tested",
    );

    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        let (other, kind) = (text(dependency, "name"), text(dependency, "kind"));
        let own = dependency["path"].is_string();
        if own && kind != "dev" {
            must(names.contains(other), &format!("depends on {other}, which is not published"));
        }
        // A published package omits dependencies that have only a path.
        let alone = text(dependency, "req") == "*";
        if own && kind == "dev" && !alone {
            must(names.contains(other), &format!("is tested with a version of {other}"));
        }
    }
    faults
}

#[test]
fn published_crates_have_pages_metadata_and_licenses() {
    let published = published();
    let names: BTreeSet<&str> = published.iter().map(|package| text(package, "name")).collect();
    assert!(names.len() >= 10, "{names:?}");
    let faults: Vec<String> = published.iter().flat_map(|crate_| faults(crate_, &names)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Collects the source files of a folder.
fn sources(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        match entry.path() {
            path if path.is_dir() => sources(&path, found),
            path => found.push(path),
        }
    }
}

#[test]
fn published_crates_document_every_item() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let workspace = fs::read_to_string(root.join("Cargo.toml")).expect("a manifest");
    assert!(workspace.contains("missing_docs = \"deny\""), "the workspace allows missing docs");
    let mut exceptions = Vec::new();
    for package in published() {
        let folder = Path::new(text(&package, "manifest_path")).parent().expect("a folder");
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let inherits = manifest.contains("[lints]\nworkspace = true");
        assert!(inherits, "{}: the lints are not the workspace's", text(&package, "name"));
        let mut files = Vec::new();
        sources(&folder.join("src"), &mut files);
        for file in files.into_iter().filter(|file| file.extension().is_some_and(|end| end == "rs"))
        {
            let source = fs::read_to_string(&file).expect("a source file");
            if ["allow(missing_docs", "expect(missing_docs"]
                .iter()
                .any(|word| source.contains(word))
            {
                exceptions.push(file.display().to_string());
            }
        }
    }
    assert!(exceptions.is_empty(), "missing_docs is allowed in:\n{}", exceptions.join("\n"));
}
