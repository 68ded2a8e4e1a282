//! Translates every `programs/*.agal` to WGSL and compares it with `wgsl/<name>.snap`. naga checks these shaders and
//! those of generated programs.
//!
//! To accept a change, run `INSTA_UPDATE=always cargo test -p agal --test wgsl` and review the difference.

mod common;
#[path = "common/naga.rs"]
mod naga;

use std::collections::BTreeSet;
use std::fs;

use agal::float::FloatRules;
use agal::generate::{GenerateOptions, PairGenerator, seed_bytes};
use agal::operand::WriteMask;
use agal::wgsl::{BindingAddress, WgslOptions, WgslResource, emit, emit_module};
use agal::{AgalVersion, LinkedPair, Stage};
use arbitrary::Unstructured;
use common::{folder, goldens, pair};

/// The programs that have a second snapshot with IEEE's float rules.
const IEEE: [&str; 2] = ["arithmetic", "vectors"];

fn checked(name: &str, shader: &str) {
    naga::check(shader).unwrap_or_else(|error| panic!("{name}: {error}\n{shader}"));
}

/// Checks the modules of both stages, and the module that contains both.
fn check(name: &str, pair: &LinkedPair, target: &WgslOptions<'_>) {
    let shaders = emit(pair, target);
    for shader in [&shaders.vertex, &shaders.fragment, &emit_module(pair, target)] {
        checked(name, shader);
    }
}

#[test]
fn wgsl_is_as_read() {
    let mut wanted = BTreeSet::new();
    let target = WgslOptions { comments: true, ..WgslOptions::default() };
    for (name, text) in goldens() {
        let pair = pair(&name, &text);
        let mut snapshot = |name: String, target: &WgslOptions<'_>| {
            check(&name, &pair, target);
            let mut settings = insta::Settings::clone_current();
            settings.set_snapshot_path(folder("wgsl"));
            settings.set_prepend_module_to_snapshot(false);
            settings.set_omit_expression(true);
            settings.bind(|| insta::assert_snapshot!(name.as_str(), emit_module(&pair, target)));
            wanted.insert(format!("{name}.snap"));
        };
        if IEEE.contains(&name.as_str()) {
            let ieee = WgslOptions { float_rules: FloatRules::Ieee, ..target };
            snapshot(format!("{name}-ieee"), &ieee);
        }
        snapshot(name, &target);
    }
    let found: BTreeSet<String> = fs::read_dir(folder("wgsl"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(found, wanted, "a snapshot is missing or left over");
}

/// Generated pairs of every version, with every feature and both float rules, become valid WGSL.
#[test]
fn generated_programs_are_valid() {
    for (version, seed) in AgalVersion::ALL.iter().cycle().zip(0..80) {
        let bytes = seed_bytes(seed, 2048);
        let generator = PairGenerator::new(GenerateOptions::new(*version));
        let pair = generator.pair(&mut Unstructured::new(&bytes)).unwrap().link().unwrap();
        let float_rules = if seed % 3 == 0 { FloatRules::Ieee } else { FloatRules::Direct3D9 };
        check(&seed.to_string(), &pair, &WgslOptions { float_rules, ..WgslOptions::default() });
    }
}

/// A write mask changes exactly its components, even if the destination is also a source.
#[test]
fn masks_write_their_components() {
    let statements = [
        ("x", "vt0.x = vt0.w;"),
        ("xy", "vt0 = vec4f(vt0.wz, vt0.zw);"),
        ("yz", "vt0 = vec4f(vt0.x, vt0.zy, vt0.w);"),
        ("zw", "vt0 = vec4f(vt0.xy, vt0.yx);"),
        ("yzw", "vt0 = vec4f(vt0.x, vt0.zyx);"),
        ("xz", "let t2 = vt0.wy; vt0.x = t2.x; vt0.z = t2.y;"),
        ("xyw", "let t2 = vt0.wzx; vt0.x = t2.x; vt0.y = t2.y; vt0.w = t2.z;"),
        ("xyzw", "vt0 = vt0.wzyx;"),
    ];
    for (mask, statement) in statements {
        let text = format!(
            "// version: 1\n// vertex\nmov vt0, va0\nmov vt0.{mask}, vt0.wzyx\nmov op, vt0\n\
             // fragment\nmov oc, fc0"
        );
        let shader = emit(&pair(mask, &text), &WgslOptions::default()).vertex;
        assert!(shader.contains(&format!("    {statement}\n")), "{mask}: {shader}");
    }
    for bits in 1..16 {
        let mask = WriteMask::from_bits(bits);
        for line in ["mov vt0.{m}, vt0.wzyx", "dp3 vt0.{m}, va0, vc0", "slt vt0.{m}, vt0, va0"] {
            let line = line.replace("{m}", &mask.to_string());
            let text = format!(
                "// version: 1\n// vertex\nmov vt0, va0\n{line}\nmov op, vt0\n// fragment\nmov oc, fc0"
            );
            check(&line, &pair(&line, &text), &WgslOptions::default());
        }
    }
}

/// The host chooses groups, bindings, entry points, and the textures without alpha.
#[test]
fn the_host_names_its_resources() {
    let text = "// version: 1\n// vertex\nm44 op, va0, vc0\nmov v0, va1\n// fragment\n\
                tex ft0, v0, fs3 <2d,linear>\nmul oc, ft0, fc1";
    let pair = pair("resources", text);
    let target = WgslOptions {
        bindings: &|resource| match resource {
            WgslResource::Constants(Stage::Vertex) => BindingAddress { group: 2, binding: 11 },
            WgslResource::Constants(Stage::Fragment) => BindingAddress { group: 3, binding: 12 },
            WgslResource::Texture(_, number) => BindingAddress { group: 0, binding: number.into() },
            WgslResource::Sampler(_, number) => BindingAddress { group: 1, binding: number.into() },
        },
        opaque: [0, 1 << 3],
        entry_points: ["left", "right"],
        ..WgslOptions::default()
    };
    let module = emit_module(&pair, &target);
    for line in [
        "@group(2) @binding(11) var<uniform> vc: array<vec4f, 4>;",
        "@group(3) @binding(12) var<uniform> fc: array<vec4f, 2>;",
        "@group(0) @binding(3) var fs3: texture_2d<f32>;",
        "@group(1) @binding(3) var fs3_sampler: sampler;",
        "    ft0 = vec4f(textureSample(fs3, fs3_sampler, v0.xy).rgb, 1.0);",
        "    @invariant @builtin(position) op: vec4f,",
    ] {
        assert!(module.lines().any(|found| found == line), "{line}\n{module}");
    }
    assert!(module.contains("@vertex\nfn left(") && module.contains("@fragment\nfn right("));
    checked("resources", &module);
}

/// `sne` of NaN is 1, and `ine` of NaN takes the branch. [agal.compare.wgsl]
#[test]
fn differing_is_the_opposite_of_being_equal() {
    let text = "// version: 2\n// vertex\nsne vt0, va0, vc0\nine va0.x, vc0.y\nmov vt0, vc0\neif\nmov op, vt0\n\
                // fragment\nmov oc, fc0";
    let shader = emit(&pair("differing", text), &WgslOptions::default()).vertex;
    assert!(shader.contains("!(va0 == vc[0])") && shader.contains("if !(va0.x == vc[0].y) {"));
    assert!(!shader.contains("!="), "{shader}");
}
