//! Tests that no two modules of a folder import each other, directly or indirectly. `HOUSE.md` shows the layers of
//! crates and modules; `UPDATE=1 cargo test -p molehill --test house` writes it.

mod names;
mod texts;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use syn::visit::{self, Visit};
use syn::{Item, ItemMod, ItemUse, UseTree};

/// A Rust path from the crate's root, as names.
type Names = Vec<String>;

/// The Rust paths in a source file, as written.
#[derive(Default)]
struct Paths(BTreeSet<Names>);

impl Paths {
    fn tree(&mut self, tree: &UseTree, before: &[String]) {
        let with = |name: String| [before, &[name]].concat();
        match tree {
            UseTree::Path(path) => self.tree(&path.tree, &with(path.ident.to_string())),
            UseTree::Name(name) => drop(self.0.insert(with(name.ident.to_string()))),
            UseTree::Rename(name) => drop(self.0.insert(with(name.ident.to_string()))),
            UseTree::Glob(_) => drop(self.0.insert(before.to_vec())),
            UseTree::Group(group) => group.items.iter().for_each(|item| self.tree(item, before)),
        }
    }
}

impl<'a> Visit<'a> for Paths {
    fn visit_item_use(&mut self, item: &'a ItemUse) {
        self.tree(&item.tree, &[]);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        self.0.insert(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_item_mod(&mut self, module: &'a ItemMod) {
        // Unit test modules may import everything.
        if module.ident != "tests" {
            visit::visit_item_mod(self, module);
        }
    }
}

/// The modules of a crate: the paths in each source file, and the origins of re-exports.
#[derive(Default)]
struct Crate {
    modules: BTreeMap<Names, Paths>,
    exports: BTreeMap<Names, Names>,
}

impl Crate {
    fn read(&mut self, file: &Path, module: Names) {
        let text = fs::read_to_string(file).expect("a source file");
        let parsed =
            syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let folder = match file.file_stem().and_then(|stem| stem.to_str()) {
            Some("lib" | "main" | "mod") => file.with_file_name(""),
            _ => file.with_extension(""),
        };
        let mut paths = Paths::default();
        paths.visit_file(&parsed);
        for item in &parsed.items {
            match item {
                Item::Mod(inner) if inner.content.is_none() && inner.ident != "tests" => {
                    let name = inner.ident.to_string();
                    let candidates =
                        [folder.join(format!("{name}.rs")), folder.join(&name).join("mod.rs")];
                    if let Some(file) = candidates.iter().find(|file| file.is_file()) {
                        self.read(file, [&module[..], &[name]].concat());
                    }
                }
                Item::Use(item) => {
                    let mut used = Paths::default();
                    used.visit_item_use(item);
                    for path in used.0 {
                        let exported = [&module[..], &path[path.len() - 1..]].concat();
                        self.exports.insert(exported, self.resolved(&module, &path));
                    }
                }
                _ => {}
            }
        }
        self.modules.insert(module, paths);
    }

    /// Resolves a path that is written in a module to a path from the crate's root.
    fn resolved(&self, module: &[String], path: &[String]) -> Names {
        let up = path.iter().take_while(|name| *name == "super").count();
        match path.first().map(String::as_str) {
            Some("crate") => path[1..].to_vec(),
            Some("self") => [module, &path[1..]].concat(),
            Some("super") => [&module[..module.len().saturating_sub(up)], &path[up..]].concat(),
            _ => [module, path].concat(),
        }
    }

    /// Returns the module to which a path leads, following re-exports.
    fn target(&self, mut path: Names) -> Option<Names> {
        for _ in 0..8 {
            let known =
                (0..=path.len()).rev().find(|at| self.modules.contains_key(&path[..*at]))?;
            let exported = path.get(..=known).and_then(|name| self.exports.get(name));
            match exported {
                Some(from) if from[..] != path[..=known] => {
                    path = [&from[..], &path[known + 1..]].concat();
                }
                _ => return Some(path[..known].to_vec()),
            }
        }
        None
    }

    /// Returns the imports between the modules of each folder.
    fn edges(&self) -> BTreeMap<Names, Edges> {
        let mut edges: BTreeMap<Names, Edges> = BTreeMap::new();
        for (module, paths) in &self.modules {
            for path in &paths.0 {
                let Some(target) = self.target(self.resolved(module, path)) else { continue };
                let common = module.iter().zip(&target).take_while(|(a, b)| a == b).count();
                if let (Some(from), Some(to)) = (module.get(common), target.get(common)) {
                    let folder = edges.entry(module[..common].to_vec()).or_default();
                    folder.entry(from.clone()).or_default().insert(to.clone());
                }
            }
        }
        edges
    }
}

/// The modules or crates that each module or crate imports.
type Edges = BTreeMap<String, BTreeSet<String>>;

/// Returns whether module `start` imports module `goal`, directly or indirectly.
fn reaches(edges: &Edges, start: &str, goal: &str) -> bool {
    let (mut open, mut seen) = (vec![start], BTreeSet::new());
    while let Some(module) = open.pop() {
        for next in edges.get(module).into_iter().flatten() {
            if next == goal {
                return true;
            }
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    false
}

/// Returns the modules that import themselves indirectly.
fn circle(edges: &Edges) -> Vec<&String> {
    edges.keys().filter(|module| reaches(edges, module, module)).collect()
}

/// Returns the imports as a Mermaid diagram, without arrows that follow from other arrows.
fn picture(edges: &Edges) -> String {
    let mut lines = String::from("```mermaid\nflowchart TD\n");
    for (from, used) in edges {
        let follows = |to: &String| used.iter().any(|via| via != to && reaches(edges, via, to));
        for to in used.iter().filter(|to| !follows(to)) {
            // A bare name could be a keyword of Mermaid, such as `end`.
            let [from, to] = [from, to].map(|name| format!("{}_[{name}]", name.replace('-', "_")));
            lines += &format!("    {from} --> {to}\n");
        }
    }
    lines + "```\n"
}

/// A crate of the workspace.
struct Member {
    folder: PathBuf,
    name: String,
    published: bool,
    modules: Crate,
}

/// The workspace's crates, read once.
static MEMBERS: LazyLock<Vec<Member>> = LazyLock::new(|| {
    let members = crates().into_iter().map(|folder| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let name = manifest.split('"').nth(1).expect("a name").to_owned();
        let mut modules = Crate::default();
        let root = ["src/lib.rs", "src/main.rs"].map(|root| folder.join(root));
        if let Some(root) = root.into_iter().find(|root| root.is_file()) {
            modules.read(&root, Vec::new());
        }
        Member { folder, name, published: !manifest.contains("publish = false"), modules }
    });
    members.collect()
});

/// Returns the folders of the workspace's crates.
fn crates() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("a manifest");
    let (_, members) = manifest.split_once("members = [").expect("members");
    let (members, _) = members.split_once(']').expect("an end");
    members.split('"').skip(1).step_by(2).map(|member| root.join(member)).collect()
}

/// Returns all Rust files of the repository with their contents. The paths begin at the repository's root.
fn sources() -> impl Iterator<Item = (PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let walk = walkdir::WalkDir::new(&root).sort_by_file_name().into_iter();
    let is_source = |entry: &walkdir::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        // A module may have the name of the folder in which Cargo builds.
        let is_module = entry.path().with_extension("rs").is_file();
        entry.depth() == 0 || !name.starts_with('.') && (name != "target" || is_module)
    };
    walk.filter_entry(is_source).filter_map(move |entry| {
        let entry = entry.expect("the folder can be read");
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            return None;
        }
        let source = fs::read_to_string(path).expect("a source file");
        Some((path.strip_prefix(&root).expect("below the root").to_owned(), source))
    })
}

#[test]
fn the_house_is_drawn_as_it_is() {
    let mut imports = Edges::new();
    for member in MEMBERS.iter() {
        let paths = member.modules.modules.values().flat_map(|paths| &paths.0);
        let firsts: BTreeSet<&str> =
            paths.filter_map(|path| path.first()).map(|it| &**it).collect();
        let names = MEMBERS.iter().map(|other| &other.name).filter(|other| **other != member.name);
        let used = names.filter(|other| firsts.contains(&*other.replace('-', "_"))).cloned();
        imports.insert(member.name.clone(), used.collect());
    }
    assert!(circle(&imports).is_empty(), "crates import each other: {:?}", circle(&imports));

    let mut page = format!(
        "# The house\n\nGenerated from the imports; `UPDATE=1 cargo test -p molehill --test house` writes this page. An arrow leads \
         from what\nimports to what is imported. Arrows that follow from others are left out.\n\n## Crates\n\n{}",
        picture(&imports)
    );
    for member in MEMBERS.iter().filter(|member| member.published) {
        if let Some(edges) = member.modules.edges().get(&Names::new()) {
            page += &format!("\n## Modules of `{}`\n\n{}", member.name, picture(edges));
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("HOUSE.md");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &page).expect("the page is written");
    }
    let drawn = fs::read_to_string(&path).expect("HOUSE.md");
    assert!(drawn == page, "HOUSE.md is old: UPDATE=1 cargo test -p molehill --test house");
}

#[test]
fn no_modules_of_a_folder_are_in_a_circle() {
    let mut circles = Vec::new();
    assert!(MEMBERS.len() > 10);
    for Member { folder, modules, .. } in MEMBERS.iter() {
        for (within, edges) in modules.edges() {
            let circle = circle(&edges);
            for module in &circle {
                let uses = edges[*module].iter().filter(|used| circle.contains(used));
                let uses = uses.map(String::as_str).collect::<Vec<_>>().join(", ");
                let folder = folder.display();
                circles.push(format!("{folder} {}: {module} uses {uses}", within.join("::")));
            }
        }
    }
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

/// Debug assertions never run in a crate that Cargo.toml builds without them.
#[test]
fn crates_without_assertions_have_none() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("a manifest");
    let (_, rows) = manifest.split_once("[profile.dev.package]").expect("the development profile");
    let rows = rows.lines().filter(|row| row.contains("debug-assertions = false"));
    let names: BTreeSet<&str> = rows.filter_map(|row| row.split(' ').next()).collect();
    let folders = crates().into_iter().filter(|folder| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        let name = manifest.split('"').nth(1).expect("a name");
        names.contains(name)
    });
    let folders: Vec<PathBuf> = folders.collect();
    assert!(folders.len() > 5, "{folders:?}");
    for (path, source) in sources() {
        let path = root.join(path);
        let is_checked = folders.iter().any(|folder| path.starts_with(folder.join("src")));
        let asserts = source.contains("debug_assert") || source.contains("(debug_assertions)");
        assert!(!is_checked || !asserts, "{} has debug assertions", path.display());
    }
}
