//! Compares the tables in `expected` with those of the reference pages, and with AGAL's registers.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use agal::register::RegisterFile;
use agal::{Profile, Stage};
use molehill_conform::facts::PAGES;

const ERRORS: &str = include_str!("../../expected/errors.tsv");
const LIMITS: &str = include_str!("../../expected/limits.tsv");
const ENUMS: &str = include_str!("../../expected/enums.tsv");

/// Returns the rows of a table of expected values, by their first column. Comment lines are omitted.
fn rows(table: &'static str) -> HashMap<&'static str, Vec<&'static str>> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let rows = lines.filter_map(|line| {
        let (key, rest) = line.split_once('\t')?;
        Some((key, rest.split('\t').collect()))
    });
    rows.collect()
}

/// Reads a shared file outside the repository. Returns `None` if the file is missing and not required.
fn shared(name: &str) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let path: PathBuf = root.join(name);
    if !path.is_file() {
        let required = std::env::var_os("MOLEHILL_REQUIRE_SHARED").is_some();
        assert!(!required, "{} is required", path.display());
        println!("skipped: {} is absent", path.display());
        return None;
    }
    Some(fs::read_to_string(path).unwrap())
}

/// Returns the rows of a generated table in a reference page, by their first cell.
fn table(page: &str, name: &str) -> HashMap<&'static str, Vec<&'static str>> {
    let (_, text) = PAGES.iter().find(|(path, _)| *path == page).unwrap();
    let (_, text) = text.split_once(&format!("<!-- table: {name} -->")).unwrap();
    let (text, _) = text.split_once("<!-- end -->").unwrap();
    let lines = text.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let rows = lines.skip(2).map(|line| line.split(" | "));
    rows.map(|mut row| (row.next().unwrap(), row.collect())).collect()
}

#[test]
fn errors_are_those_of_the_pages() {
    let own = rows(ERRORS);
    let agal = table("agal/REFERENCE-errors.md", "agal-errors");
    let context3d = table("context3d/REFERENCE-errors.md", "context3d-errors");
    assert_eq!(own.len(), agal.len() + context3d.len());
    for (number, row) in own {
        let [class, raised, message, source] = row.as_slice() else {
            panic!("{number}: {row:?}");
        };
        let message = format!("`{}`", message.replace("\\n", " "));
        if let Some(row) = agal.get(number) {
            assert_eq!((row[0], row[1], *raised), (*class, &*message, "always"), "{number}");
            assert!(source.ends_with(row[3]), "{number}: {source}");
            continue;
        }
        let raised = match *raised {
            "always" => "always",
            "skipped" => "with checking; else the draw is dropped",
            "drawn" => "with checking; else the draw is made",
            other => panic!("{number}: {other}"),
        };
        assert_eq!(context3d[number][..3], [*class, &*message, raised], "{number}");
    }
}

/// Compares the expected limits of Context3D with the reference.
#[test]
fn limits_are_those_of_the_pages() {
    let page = table("context3d/REFERENCE-textures.md", "context3d-limits");
    let mut compared = 0;
    for (name, row) in rows(LIMITS) {
        let name = match name {
            "vertex_attributes" => "vertex_streams",
            "fragment_samplers" => "samplers",
            "draw_calls_per_present" => "draws_per_present",
            other => other.trim_end_matches("_64bit_desktop"),
        };
        let (name, unit) = name.strip_suffix("_mb").map_or((name, ""), |name| (name, " MB"));
        let Some(limits) = page.get(&*name.replace('_', " ")) else { continue };
        let value = |limit: &str| match limit {
            "" => "0".to_owned(),
            "yes" => "1".to_owned(),
            number => number.strip_suffix(unit).unwrap().to_owned(),
        };
        let limits: Vec<String> = limits.iter().map(|limit| value(limit)).collect();
        assert_eq!(row[..7], limits, "{name}");
        compared += 1;
    }
    // Two rows of the page, about the software renderer and its back buffer, aren't compared.
    assert_eq!(compared, page.len() - 2);
}

/// Compares AGAL's limits with the reference. The table [agal.register.profile] lacks the last three entries of
/// `files`.
#[test]
fn registers_are_as_many_as_the_profiles_have() {
    let (v, f) = (Stage::Vertex, Stage::Fragment);
    let own = rows(LIMITS);
    let row = |name: &str| own[name][..7].iter().map(|cell| cell.parse().unwrap()).collect();
    let files: [(_, Vec<usize>, _); 12] = [
        (RegisterFile::Attribute, row("vertex_attributes"), v),
        (RegisterFile::Constant, row("vertex_constants"), v),
        (RegisterFile::Temporary, row("vertex_temporaries_recommended"), v),
        (RegisterFile::Varying, row("varyings"), v),
        (RegisterFile::Varying, row("varyings"), f),
        (RegisterFile::Constant, row("fragment_constants"), f),
        (RegisterFile::Temporary, row("fragment_temporaries_recommended"), f),
        (RegisterFile::Sampler, row("fragment_samplers"), f),
        (RegisterFile::Output, row("color_outputs"), f),
        (RegisterFile::Sampler, vec![0, 0, 0, 0, 0, 0, 4], v),
        (RegisterFile::InstanceId, vec![0, 0, 0, 0, 0, 1, 1], v),
        (RegisterFile::DepthOutput, vec![0, 0, 0, 0, 1, 1, 1], f),
    ];
    for (at, profile) in Profile::ALL.iter().copied().enumerate() {
        // A profile's limit is that of its highest AGAL version.
        let version = profile.max_version();
        for (file, counts, stage) in &files {
            let count = file.count(*stage, version, profile).unwrap_or(0);
            assert_eq!(usize::from(count), counts[at], "{file:?} of {stage} in {profile}");
        }
        assert_eq!(u64::from(version.number()), row("agal_version_max")[at] as u64, "{profile}");
        assert_eq!(version.max_tokens(), row("tokens")[at], "{profile}");
    }
}

#[test]
fn enumerations_are_those_of_the_pages() {
    let own = rows(ENUMS).into_iter().map(|(name, row)| {
        let strings: Vec<String> = row[0].split(' ').map(|string| format!("`{string}`")).collect();
        (format!("`Context3D{}`", flash_name(name)), strings.join(", "))
    });
    let page = table("context3d/REFERENCE-calls.md", "context3d-enums").into_iter();
    let page = page.map(|(class, row)| (class.to_owned(), row[0].to_owned()));
    assert_eq!(own.collect::<BTreeMap<_, _>>(), page.collect());
}

fn flash_name(name: &str) -> &str {
    if name == "VertexFormat" { "VertexBufferFormat" } else { name }
}

#[path = "../../../../context3d/examples/declarations.rs"]
#[allow(dead_code, reason = "its `main`")]
mod declarations;

/// [context3d.profile.names] [context3d.swf.late]
#[test]
fn only_air_declares_the_profile_enhanced() {
    let enhanced = |air| {
        let files = declarations::declarations(air, "");
        let profiles = &files["flash/display3D/Context3DProfile.as"];
        let line = profiles.lines().find(|line| line.contains("enhanced"));
        line.map(|line| line.trim().to_owned())
    };
    let declared = "[API(\"723\")] public static const ENHANCED:String = \"enhanced\";";
    assert_eq!((enhanced(false), enhanced(true).as_deref()), (None, Some(declared)));
}

/// Returns the class members that are visible to a SWF of a version, in the format of `reflected`.
fn declared(swf: u32) -> BTreeMap<String, BTreeSet<String>> {
    // In the declarations, odd version numbers are those of AIR.
    let visible = |line: &str| {
        let api: u32 = line.split('"').nth(1).and_then(|number| number.parse().ok()).unwrap();
        api.is_multiple_of(2) && api <= 648 + 2 * swf
    };
    let mut classes = BTreeMap::new();
    for (path, text) in declarations::declarations(false, "") {
        let lines = text.lines().map(str::trim).filter(|line| line.starts_with("[API"));
        let mut lines = lines.filter(|line| visible(line));
        let Some(_) = lines.next() else { continue };
        let class = path.rsplit('/').next().and_then(|file| file.strip_suffix(".as")).unwrap();
        let members = lines.map(|line| {
            let (_, line) = line.split_once("public ").unwrap();
            let line = line.replace("native function ", "").replace("static ", "");
            let line = line.trim_end_matches(';');
            if let Some(constant) = line.strip_prefix("const ") {
                return format!("const {}", constant.split(" = ").next().unwrap());
            }
            let (name, rest) = line.split_once('(').unwrap();
            let (parameters, result) = rest.rsplit_once("):").unwrap();
            let parameter = |text: &str| {
                let (kind, default) = text.split_once(':')?.1.split_once(" =").unzip();
                let kind = kind.unwrap_or(text.split_once(':')?.1);
                Some(format!("{kind}{}", if default.is_some() { "?" } else { "" }))
            };
            let parameters: Vec<String> = parameters.split(", ").filter_map(parameter).collect();
            format!("{name}({}):{result}", parameters.join(", "))
        });
        classes.insert(class.to_owned(), members.collect());
    }
    classes
}

/// Returns the members that Flash Player reflects: `const ALL:int`, `get profile():String`, `clear(Number?, …):void`.
fn reflected(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let attribute = |tag: &str, name: &str| {
        let (_, value) = tag.split_once(&format!(" {name}=\"")).unwrap_or_else(|| panic!("{tag}"));
        let value = value.split('"').next().unwrap().replace("__AS3__.vec::", "");
        value.rsplit("::").next().unwrap().rsplit("textures.").next().unwrap().to_owned()
    };
    let mut classes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for class in text.split("<type").skip(1) {
        let members = classes.entry(attribute(class, "name")).or_default();
        for tag in class.split("\n").filter(|tag| tag.contains("<constant ")) {
            members.insert(format!("const {}:{}", attribute(tag, "name"), attribute(tag, "type")));
        }
        for tag in class.split("<accessor ").skip(1).map(|tag| tag.split('>').next().unwrap()) {
            let tag = format!(" {tag}");
            let (name, kind) = (attribute(&tag, "name"), attribute(&tag, "type"));
            if name != "prototype" {
                members.insert(format!("get {name}():{kind}"));
                if attribute(&tag, "access") == "readwrite" {
                    members.insert(format!("set {name}({kind}):void"));
                }
            }
        }
        for method in class.split("<method").skip(1) {
            let (tag, body) = method.split_once('>').unwrap();
            if !tag.contains("flash.events::") {
                let body =
                    if tag.ends_with('/') { "" } else { body.split("</method>").next().unwrap() };
                let parameters = body.split("<parameter").skip(1).map(|tag| {
                    let optional = attribute(tag, "optional") == "true";
                    format!("{}{}", attribute(tag, "type"), if optional { "?" } else { "" })
                });
                let parameters = parameters.collect::<Vec<_>>().join(", ");
                let (name, result) = (attribute(tag, "name"), attribute(tag, "returnType"));
                members
                    .insert(format!("{name}({parameters}):{}", result.rsplit('.').next().unwrap()));
            }
        }
    }
    classes
}

/// Compares the members and types of `flash.display3D` with Flash Player's [context3d.recording.reflection].
#[test]
fn declarations_are_those_of_the_player() {
    for swf in [12, 13, 30] {
        let Some(text) = shared(&format!("player-api/swf{swf}.xml")) else {
            return;
        };
        let (mut declared, reflected) = (declared(swf), reflected(&text));
        declared.retain(|class, _| {
            reflected.contains_key(class) || text.contains(&format!("{class} not accessible"))
        });
        let known = if swf == 12 { 3 } else { 12 };
        assert!(reflected.len() >= known, "{}", reflected.len());
        assert_eq!(declared, reflected, "SWF {swf}");
    }
}
