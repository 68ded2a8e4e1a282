//! Checks that the emitter's output is valid GLSL with glslangValidator, which is independent of AGAL and of drivers.
//! The compiler checks and links every snapshot in every dialect, and checks the games' programs and generated
//! programs.

use std::fs;
use std::path::PathBuf;

use agal::generate::{GenerateOptions, PairGenerator, seed_bytes};
use agal::glsl::{COMPLETE, ClipDepth, DIALECTS, Dialect, GlslOptions, emit};
use agal::{AgalVersion, LinkedPair};
use arbitrary::Unstructured;
use libtest_mimic::{Failed, Trial};

use crate::common::{goldens, pair, shared, valid, with_partner};
use crate::needs;

/// Extensions that the compiler (version 12) lacks, with replacement lines, so that it compiles the rest of the shader.
/// The compiler accepts any index of `gl_FragData`, and lacks the instance id in old dialects.
const UNKNOWN: [(&str, &str); 2] = [
    ("#extension GL_EXT_draw_buffers : require\n", "\n"),
    ("#extension GL_ARB_draw_instanced : require\n", "#define gl_InstanceIDARB 1\n"),
];

const HIGH: &str = "GL_FRAGMENT_PRECISION_HIGH";

pub(crate) fn trials() -> Vec<Trial> {
    needs::glslang(|| {
        type Test = fn(Dialect) -> Result<(), Failed>;
        let trials = |name: &str, test: Test| -> Vec<Trial> {
            let trial = |dialect: &Dialect| {
                let dialect = *dialect;
                Trial::test(format!("{name}::{}", dialect.name()), move || test(dialect))
            };
            DIALECTS.iter().map(trial).collect()
        };
        let mut all = trials("goldens", goldens_link);
        all.extend(trials("generated", generated_pairs_compile));
        all.extend(needs::shared("agal", |_| trials("shared", shared_programs_compile)));
        all
    })
}

/// Links each snapshot separately, because linking checks that the two shaders fit. Then compiles all shaders for the
/// clip space with z from -1 to 1 in one run.
fn goldens_link(dialect: Dialect) -> Result<(), Failed> {
    let mut files = Vec::new();
    for (name, text) in goldens() {
        let pair = pair(&name, &text);
        let mut target = GlslOptions { comments: true, ..GlslOptions::new(dialect) };
        if let Some(files) = shaders("goldens", &format!("{name}-linked"), &pair, &target)? {
            needs::compile(&["-l"], &files)?;
        }
        target.clip_depth = ClipDepth::MinusOneToOne;
        target.comments = false;
        files.extend(shaders("goldens", &name, &pair, &target)?.into_iter().flatten());
        // Also compiles the code for devices without `highp`, because glslang supports `highp`.
        if let Ok(glsl) = emit(&pair, &target)
            && glsl.fragment.contains(HIGH)
        {
            let half = glsl.fragment.replace(HIGH, "UNKNOWN");
            let half = half.replace("#extension GL_EXT_draw_buffers : require\n", "\n");
            let folder = format!("goldens-{}", dialect.name());
            files.push(needs::shader(&folder, &format!("{name}-half"), "frag", &half)?);
        }
    }
    needs::compile(&[], &files)
}

fn shared_programs_compile(dialect: Dialect) -> Result<(), Failed> {
    let target = GlslOptions::new(dialect);
    let mut files = Vec::new();
    for (path, stage) in shared() {
        let pair = with_partner(&path, valid(&path, stage, &fs::read(&path)?));
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        files.extend(shaders("shared", &name, &pair, &target)?.into_iter().flatten());
    }
    needs::compile(&[], &files)
}

fn generated_pairs_compile(dialect: Dialect) -> Result<(), Failed> {
    let mut files = Vec::new();
    for (version, seed) in AgalVersion::ALL.iter().cycle().zip(0..100) {
        let bytes = seed_bytes(seed, 2048);
        let generator = PairGenerator::new(GenerateOptions::new(*version));
        let pair = generator.pair(&mut Unstructured::new(&bytes))?.link()?;
        let target = GlslOptions {
            clip_depth: ClipDepth::MinusOneToOne,
            comments: seed % 2 == 0,
            ..GlslOptions::new(dialect)
        };
        let shaders = shaders("generated", &format!("{seed}"), &pair, &target)?;
        files.extend(shaders.into_iter().flatten());
    }
    needs::compile(&[], &files)
}

/// Writes both shaders of a pair. Returns `None` if the dialect lacks a feature of the pair.
fn shaders(
    folder: &str,
    name: &str,
    pair: &LinkedPair,
    target: &GlslOptions,
) -> Result<Option<[PathBuf; 2]>, Failed> {
    let Ok(glsl) = emit(pair, target) else {
        assert!(!COMPLETE.contains(&target.dialect));
        return Ok(None);
    };
    let write = |extension, shader: String| {
        let shader =
            UNKNOWN.iter().fold(shader, |shader, (line, instead)| shader.replace(line, instead));
        let folder = format!("{folder}-{}", target.dialect.name());
        needs::shader(&folder, name, extension, &shader)
    };
    Ok(Some([write("vert", glsl.vertex)?, write("frag", glsl.fragment)?]))
}
