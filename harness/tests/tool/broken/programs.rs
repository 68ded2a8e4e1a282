//! Broken comparisons of fuzzed shader programs.

use std::fs;
use std::path::Path;

use super::Row;

/// The arguments for comparing four pairs, which need no driver.
const PAIRS: &[&str] = &["shader", "fuzz", "--language", "d3d9", "--from-agal", "--count", "4"];
/// The arguments for comparing AGAL 1 programs on the driver.
const AGAL: &[&str] = &["shader", "fuzz", "--version", "1", "--target", "330", "--count", "2"];
const HULL: &str = "agal/hs50/tests/programs/sheet.hs50";

/// Creates a folder with a hull shader, and another folder with only a shader of another stage.
fn shaders(folder: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for name in ["hull", "vertex"] {
        fs::create_dir(folder.join(name)).unwrap();
    }
    fs::copy(root.join(HULL), folder.join("hull/sheet.hs50")).unwrap();
    fs::write(folder.join("vertex/v.hs50"), "vs_5_0\ndcl_input v0.xyzw\nret \n").unwrap();
}

fn nothing(_: &Path) {}

pub(super) const ROWS: &[Row] = &[
    Row {
        name: "fuzz of no program",
        prepare: nothing,
        intact: PAIRS,
        broken: &["shader", "fuzz", "--language", "d3d9", "--from-agal", "--count", "0"],
        environment: &[],
        status: 2,
        says: "not tested: no result was compared",
    },
    Row {
        name: "fuzz in a dialect that lacks what every program needs",
        prepare: nothing,
        intact: AGAL,
        broken: &["shader", "fuzz", "--version", "4", "--target", "100es", "--count", "3"],
        environment: &[],
        status: 2,
        says: "not tested: no result was compared",
    },
    Row {
        name: "exhaustive fuzz that thins everything out",
        prepare: nothing,
        intact: AGAL,
        broken: &[
            "shader",
            "fuzz",
            "--language",
            "d3d9",
            "--exhaustive",
            "--thin",
            "60000",
            "--version",
            "ps_2_0",
        ],
        environment: &[],
        status: 2,
        says: "not tested: no result was compared",
    },
    Row {
        name: "fuzz that compares fewer values than are required",
        prepare: nothing,
        intact: &[
            "shader",
            "fuzz",
            "--language",
            "d3d9",
            "--from-agal",
            "--count",
            "4",
            "--require",
            "1",
        ],
        broken: &[
            "shader",
            "fuzz",
            "--language",
            "d3d9",
            "--from-agal",
            "--count",
            "4",
            "--require",
            "1000000",
        ],
        environment: &[],
        status: 1,
        says: "values were compared, 1000000 are required",
    },
    Row {
        name: "fuzz without a driver",
        prepare: nothing,
        intact: AGAL,
        broken: AGAL,
        environment: &[("__EGL_VENDOR_LIBRARY_DIRS", "/nonexistent")],
        status: 2,
        says: "no context for GLSL 330",
    },
    Row {
        name: "a folder without a shader that can be checked",
        prepare: shaders,
        intact: &["shader", "check", "hull"],
        broken: &["shader", "check", "vertex"],
        environment: &[],
        status: 2,
        says: "not tested: no input has a language with this command",
    },
    Row {
        name: "a folder without a shader that can be translated",
        prepare: shaders,
        intact: &["shader", "glsl", "hull"],
        broken: &["shader", "glsl", "vertex", "--json"],
        environment: &[],
        status: 2,
        says: "not tested: no input has a language with this command",
    },
];
