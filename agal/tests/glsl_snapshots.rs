//! Translates every `programs/*.agal` to GLSL and compares it with `snapshots/<name>@<target>.snap`.
//!
//! To accept a change, run `INSTA_UPDATE=always cargo test -p agal --test glsl_snapshots` and review the difference.
//! `glslang.rs` compiles the shaders in every dialect, and tests of `backend-gl` compile the shaders with a driver.

mod common;

use std::collections::BTreeSet;
use std::fs;

use agal::float::FloatRules;
use agal::generate::{GenerateOptions, PairGenerator, seed_bytes};
use agal::glsl::{
    COMPLETE, ClipDepth, DIALECTS, Dialect, GlslOptions, PairFeature, Support, constants, emit,
};
use agal::opcode::AgalOpcode;
use agal::{AgalVersion, Stage, asm};
use arbitrary::Unstructured;
use common::{folder, goldens, pair};

/// A translation target, and the programs with a snapshot for it; `None` selects all programs.
struct Kept {
    dialect: Dialect,
    float_rules: FloatRules,
    clip_depth: ClipDepth,
    comments: bool,
    programs: Option<&'static [&'static str]>,
}

/// GLSL 3.30 has snapshots of all programs; other targets have those of programs whose GLSL differs.
const KEPT: [Kept; 6] = [
    Kept {
        dialect: Dialect::Glsl330,
        float_rules: FloatRules::Direct3D9,
        clip_depth: ClipDepth::ZeroToOne,
        comments: true,
        programs: None,
    },
    Kept {
        dialect: Dialect::Glsl330,
        float_rules: FloatRules::Ieee,
        clip_depth: ClipDepth::ZeroToOne,
        comments: true,
        programs: Some(&["arithmetic", "vectors"]),
    },
    Kept {
        dialect: Dialect::Glsl150,
        float_rules: FloatRules::Direct3D9,
        clip_depth: ClipDepth::MinusOneToOne,
        comments: false,
        programs: Some(&["instances", "targets"]),
    },
    Kept {
        dialect: Dialect::Glsl300Es,
        float_rules: FloatRules::Direct3D9,
        clip_depth: ClipDepth::MinusOneToOne,
        comments: false,
        programs: Some(&["conditionals", "targets", "vertex_fetch"]),
    },
    Kept {
        dialect: Dialect::Glsl120,
        float_rules: FloatRules::Direct3D9,
        clip_depth: ClipDepth::ZeroToOne,
        comments: false,
        programs: Some(OLD),
    },
    Kept {
        dialect: Dialect::Glsl100Es,
        float_rules: FloatRules::Direct3D9,
        clip_depth: ClipDepth::MinusOneToOne,
        comments: false,
        programs: Some(OLD),
    },
];

const OLD: &[&str] = &[
    "derivatives",
    "indices",
    "indirect",
    "instances",
    "packed",
    "targets",
    "textures",
    "vectors",
    "vertex_fetch",
];

impl Kept {
    fn target(&self) -> GlslOptions {
        GlslOptions {
            clip_depth: self.clip_depth,
            position_bias: 2.0e-7,
            float_rules: self.float_rules,
            comments: self.comments,
            ..GlslOptions::new(self.dialect)
        }
    }

    fn keeps(&self, program: &str) -> bool {
        self.programs.is_none_or(|programs| programs.contains(&program))
    }
}

#[test]
fn glsl_is_as_read() {
    let mut wanted = BTreeSet::new();
    for (name, text) in goldens() {
        let pair = pair(&name, &text);
        for kept in KEPT.iter().filter(|kept| kept.keeps(&name)) {
            let rules = match kept.float_rules {
                FloatRules::Direct3D9 => "",
                FloatRules::Ieee => "-ieee",
            };
            let suffix = format!("glsl{}{rules}", kept.dialect.name());
            let shaders = match emit(&pair, &kept.target()) {
                Ok(glsl) => format!("{}\n{}", glsl.vertex, glsl.fragment),
                Err(missing) => format!("{missing}\n"),
            };
            wanted.insert(format!("{name}@{suffix}.snap"));
            let mut settings = insta::Settings::clone_current();
            settings.set_snapshot_suffix(suffix);
            settings.set_prepend_module_to_snapshot(false);
            settings.set_omit_expression(true);
            settings.bind(|| insta::assert_snapshot!(name.as_str(), shaders));
        }
    }
    let found: BTreeSet<String> = fs::read_dir(folder("snapshots"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(found, wanted, "a snapshot is missing or left over");
}

fn is_missing(dialect: Dialect, feature: PairFeature) -> bool {
    feature.support(dialect) == Support::Missing
}

/// Dialects in `COMPLETE` translate every program. A dialect outside of `COMPLETE` fails exactly for programs that use
/// a feature which the dialect lacks in the table of features. Each missing feature occurs in a program.
#[test]
fn dialects_lack_what_their_table_says() {
    let mut shown = BTreeSet::new();
    for (name, text) in goldens() {
        let pair = pair(&name, &text);
        for dialect in DIALECTS {
            let used = |feature: &PairFeature| feature.is_used_by(&pair);
            let mut features = PairFeature::ALL.iter().copied().filter(used);
            let missing = features.find(|feature| is_missing(dialect, *feature));
            match emit(&pair, &GlslOptions::new(dialect)) {
                Ok(_) => assert_eq!(missing, None, "{name}, {dialect}"),
                Err(error) => {
                    assert!(!COMPLETE.contains(&dialect), "{name}, {error}");
                    assert_eq!(error.dialect, dialect);
                    assert_eq!(Some(error.feature), missing, "{name}, {error}");
                    shown.insert((dialect.name(), error.feature.name()));
                }
            }
        }
    }
    for dialect in &DIALECTS {
        for feature in PairFeature::ALL {
            let shows = shown.contains(&(dialect.name(), feature.name()));
            assert_eq!(is_missing(*dialect, *feature), shows, "{dialect}, {feature:?}");
        }
    }
}

/// A shader enables exactly the extensions that its features need.
#[test]
fn extensions_are_required_where_used() {
    for (name, text) in goldens() {
        let pair = pair(&name, &text);
        for dialect in &DIALECTS {
            let Ok(glsl) = emit(&pair, &GlslOptions::new(*dialect)) else {
                continue;
            };
            let mut wanted = [Vec::new(), Vec::new()];
            for feature in PairFeature::ALL.iter().filter(|feature| feature.is_used_by(&pair)) {
                if let Support::Extension(name) = feature.support(*dialect) {
                    wanted[usize::from(feature.stage().code())]
                        .push(format!("#extension {name} : require"));
                }
            }
            let found = [&glsl.vertex, &glsl.fragment].map(|shader| {
                let lines = shader.lines().filter(|line| line.starts_with("#ext"));
                lines.map(str::to_owned).collect::<Vec<_>>()
            });
            assert_eq!(found, wanted, "{name}, {dialect}");
        }
    }
}

/// A row has the AGAL version, a vertex program, and the expected number of constants in its shader
/// ([agal.register.counts] has the bank sizes).
#[test]
fn constants_are_declared_as_far_as_used() {
    for (version, line, declared) in [
        (1, "mov op, va0", 0),
        (1, "add op, va0, vc7", 8),
        (1, "m44 op, va0, vc4", 8),
        (1, "mov op, va0\nm44 op.x, va0, vc4", 5),
        (1, "mov op, va0\nm34 op.xz, va0, vc4", 7),
        (1, "mov op, vc[va0.x]", 128),
        (2, "mov op, vc[va0.x+3]", 250),
        (3, "m44 op, va0, vc[iid.x]", 250),
    ] {
        let text = format!(
            "// version: {version}\n// vertex\n{line}\nmov v0, va0\n// fragment\nmov oc, v0"
        );
        let pair = pair(line, &text);
        assert_eq!(pair.interface().vertex_constants, declared, "{line}");
        let glsl = emit(&pair, &GlslOptions::new(Dialect::Glsl330)).unwrap();
        let declaration = format!("uniform vec4 vc[{declared}];");
        assert_eq!(glsl.vertex.contains(&declaration), declared > 0, "{line}");
    }
}

/// Returns the indices of an array's reads in textual order, without its declaration.
fn elements(shader: &str, array: &str) -> Vec<u16> {
    let of_line = |line: &str| -> Vec<u16> {
        let inside = line.split(array).skip(1).filter_map(|rest| rest.split(']').next());
        inside.filter_map(|number| number.parse().ok()).collect()
    };
    shader.lines().filter(|line| !line.starts_with("uniform")).flat_map(of_line).collect()
}

/// Old dialects declare only the constants that the program reads, because devices may have few. Each element of the
/// array must contain the register that newer dialects read.
#[test]
fn constants_are_packed_where_devices_have_few() {
    let golden = |name: &str| goldens().into_iter().find(|(golden, _)| golden == name).unwrap();
    let (name, text) = golden("packed");
    let packed = pair(&name, &text);
    let declared = |stage, dialect| constants(packed.interface(), stage, dialect);
    for dialect in DIALECTS {
        let [vertex, fragment] = if dialect.uniforms() == [128, 16] {
            [(0..128).collect(), vec![20, 27]]
        } else {
            [(0..128).collect::<Vec<u16>>(), (0..28).collect()]
        };
        assert_eq!(declared(Stage::Vertex, dialect), vertex, "{dialect}");
        assert_eq!(declared(Stage::Fragment, dialect), fragment, "{dialect}");
    }
    let mut saved = false;
    for (version, seed) in AgalVersion::ALL.iter().cycle().zip(0..200) {
        let bytes = seed_bytes(seed, 2048);
        let generator = PairGenerator::new(GenerateOptions::new(*version));
        let pair = generator.pair(&mut Unstructured::new(&bytes)).unwrap().link().unwrap();
        let plain = emit(&pair, &GlslOptions::new(Dialect::Glsl330)).unwrap();
        let Ok(old) = emit(&pair, &GlslOptions::new(Dialect::Glsl120)) else {
            continue;
        };
        for (stage, array, plain, old) in [
            (Stage::Vertex, "vc[", &plain.vertex, &old.vertex),
            (Stage::Fragment, "fc[", &plain.fragment, &old.fragment),
        ] {
            let registers = constants(pair.interface(), stage, Dialect::Glsl120);
            let named = elements(old, array).into_iter().map(|n| registers[usize::from(n)]);
            let wanted = elements(plain, array);
            saved |= elements(old, array) != wanted;
            assert_eq!(named.collect::<Vec<_>>(), wanted, "{old}");
        }
    }
    assert!(saved, "no generated program was packed");
}

/// Every vertex shader declares in a separate line that its position is invariant. [agal.position.invariant]
#[test]
fn positions_are_invariant() {
    for (name, text) in goldens() {
        for dialect in DIALECTS {
            if let Ok(glsl) = emit(&pair(&name, &text), &GlslOptions::new(dialect)) {
                let lines = |shader: &str| {
                    shader.lines().filter(|line| *line == "invariant gl_Position;").count()
                };
                assert_eq!(
                    (lines(&glsl.vertex), lines(&glsl.fragment)),
                    (1, 0),
                    "{name}, {dialect}"
                );
            }
        }
    }
}

#[test]
fn every_opcode_has_a_golden() {
    let mut seen = BTreeSet::new();
    for (name, text) in goldens() {
        let pair = pair(&name, &text);
        for program in [pair.vertex(), pair.fragment()] {
            let codes = program.program().instructions().iter();
            seen.extend(codes.map(|instruction| instruction.code()));
        }
    }
    for opcode in AgalOpcode::ALL {
        if opcode.since().is_some() {
            assert!(seen.contains(&opcode.code()), "{}", opcode.name());
        }
    }
}

#[test]
fn printed_text_assembles_to_the_same_bytes() {
    for (name, text) in goldens() {
        let (vertex, fragment) = asm::AssembleOptions::default().pair(&text).unwrap();
        for program in [vertex, fragment] {
            let printed = program.to_string();
            let back = asm::assemble(&printed, program.stage(), program.header_version())
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(back.encode(), program.encode(), "{name}");
        }
    }
}
