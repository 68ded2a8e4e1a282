//! Checks the modules of every `programs/*.agal` of `agal` and of generated programs. Naga must accept the modules,
//! and their interface must equal that of the WGSL. `harness/wgpu/tests/probe.rs` runs modules, and creates pipelines
//! of the games' programs.

extern crate naga_30 as naga;

#[path = "../../tests/common/naga.rs"]
mod check;
#[path = "../../tests/common/mod.rs"]
mod common;

use std::collections::BTreeSet;
use std::fs;

use agal::float::FloatRules;
use agal::generate::{GenerateOptions, PairGenerator, seed_bytes};
use agal::wgsl::{BindingAddress, WgslOptions, WgslResource, emit};
use agal::{AgalVersion, LinkedPair, Stage};
use arbitrary::Unstructured;
use common::pair;

const STAGES: [Stage; 2] = [Stage::Vertex, Stage::Fragment];
/// The folder with the test programs of `agal`.
const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/programs");

/// Validates the modules of both stages, and translates them to other languages.
fn check(name: &str, pair: &LinkedPair, target: &WgslOptions<'_>) {
    for stage in STAGES {
        let module = agal_naga::module(pair, stage, target);
        check::check_module(&module, "").unwrap_or_else(|why| {
            let program = [pair.vertex(), pair.fragment()].map(|valid| valid.program().to_string());
            panic!("{name}, {stage}: {why}\n{program:?}\n{module:#?}")
        });
    }
}

fn goldens() -> impl Iterator<Item = (String, LinkedPair)> {
    let files =
        fs::read_dir(PROGRAMS).expect("a folder").map(|entry| entry.expect("a file").path());
    files.map(|path| {
        let name = path.display().to_string();
        let pair = pair(&name, &fs::read_to_string(path).expect("reads"));
        (name, pair)
    })
}

#[test]
fn goldens_are_valid() {
    for (name, pair) in goldens() {
        for float_rules in [FloatRules::Direct3D9, FloatRules::Ieee] {
            let target =
                WgslOptions { float_rules, opaque: [u16::MAX; 2], ..WgslOptions::default() };
            check(&name, &pair, &target);
        }
        check(&name, &pair, &WgslOptions { depth_output: false, ..WgslOptions::default() });
    }
}

/// Generated pairs of every version are valid with all features and both float rules.
#[test]
fn generated_programs_are_valid() {
    for (version, seed) in AgalVersion::ALL.iter().cycle().zip(0..24) {
        let bytes = seed_bytes(seed, 2048);
        let generator = PairGenerator::new(GenerateOptions::new(*version));
        let pair = generator.pair(&mut Unstructured::new(&bytes)).unwrap().link().unwrap();
        let float_rules = if seed % 3 == 0 { FloatRules::Ieee } else { FloatRules::Direct3D9 };
        check(&seed.to_string(), &pair, &WgslOptions { float_rules, ..WgslOptions::default() });
    }
}

/// Returns the resources, inputs and outputs of a module as texts.
fn interface(module: &naga::Module) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let inner = |ty| &module.types[ty].inner;
    let array = |ty| match inner(ty) {
        naga::TypeInner::Array { size, stride, .. } => format!("array {size:?} {stride}"),
        other => format!("{other:?}"),
    };
    for (_, variable) in module.global_variables.iter() {
        found.insert(format!("{:?} {:?} {}", variable.binding, variable.space, array(variable.ty)));
    }
    let entry = &module.entry_points[0];
    found.insert(format!("{:?} {}", entry.stage, entry.name));
    for argument in &entry.function.arguments {
        found.insert(format!("in {:?} {:?}", argument.binding, inner(argument.ty)));
    }
    let result = entry.function.result.as_ref().expect("a result");
    let naga::TypeInner::Struct { members, span } = inner(result.ty) else { panic!("{result:?}") };
    for member in members {
        found.insert(format!("out {:?} {:?} {}", member.binding, inner(member.ty), member.offset));
    }
    found.insert(format!("{span} bytes"));
    found
}

#[test]
fn modules_have_the_interface_of_the_text() {
    let place = |resource: WgslResource| {
        let BindingAddress { group, binding } = resource.binding();
        BindingAddress { group: group + 1, binding: binding + 7 }
    };
    let target =
        WgslOptions { bindings: &place, entry_points: ["left", "right"], ..WgslOptions::default() };
    for (name, pair) in goldens() {
        let texts = emit(&pair, &target);
        for (stage, text) in STAGES.into_iter().zip([texts.vertex, texts.fragment]) {
            let parsed = naga::front::wgsl::parse_str(&text).expect("WGSL");
            let built = agal_naga::module(&pair, stage, &target);
            assert_eq!(interface(&built), interface(&parsed), "{name}, {stage}");
        }
    }
}

/// Both branches store the same constant. The value loaded in the first branch is not in scope in the second.
#[test]
fn branches_load_their_own_values() {
    let text = "// version: 2\n// vertex\nifl va0.x, vc0.x\nmov v0, vc1\nels\nmov v0, vc1\neif\nmov op, va0\n\
                // fragment\nmov oc, v0\n";
    check("branches", &pair("branches", text), &WgslOptions::default());
}
