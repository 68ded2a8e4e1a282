//! Compiles the emitted GLSL with glslangValidator, which doesn't depend on Direct3D or drivers. Tests the shared
//! shaders and programs with every instruction, in both dialects.

use std::path::PathBuf;

use agal_core::glsl::{ClipDepth, Dialect};
use d3d9::float::FloatRules;
use d3d9::glsl::{D3d9GlslOptions, PositionTransform, RegisterNaming, emit, emit_pair, link};
use d3d9::interp::TextureStage;
use d3d9::operand::Dimension;
use d3d9::text::assemble;
use d3d9::{D3d9Program, Stage};
use libtest_mimic::{Failed, Trial};

use crate::samples::samples;
use crate::{needs, programs};

const DIALECTS: [Dialect; 2] = [Dialect::Glsl330, Dialect::Glsl300Es];

pub(crate) fn trials() -> Vec<Trial> {
    needs::glslang(|| {
        let trial = |kind: &str, dialect: Dialect, run: fn(Dialect) -> Result<(), Failed>| {
            Trial::test(format!("{kind}::{}", dialect.name()), move || run(dialect))
        };
        let mut trials: Vec<Trial> =
            DIALECTS.map(|d| trial("instructions", d, instructions)).into();
        trials
            .extend(needs::shared("d3d9", |_| DIALECTS.map(|d| trial("shared", d, shared)).into()));
        trials
    })
}

/// Returns three sets of options: the defaults, all options enabled, and AGAL naming.
fn targets(dialect: Dialect) -> [D3d9GlslOptions; 3] {
    let plain = D3d9GlslOptions::new(dialect);
    let cube =
        TextureStage { dimension: Dimension::Cube, projected: true, ..TextureStage::default() };
    let all = D3d9GlslOptions {
        clip_depth: ClipDepth::ZeroToOne,
        float_rules: FloatRules::Ieee,
        position: PositionTransform::Uniform,
        fog: true,
        point_size: true,
        comments: true,
        lod_bias: [0.5; 16],
        stages: [cube; 8],
        ..plain.clone()
    };
    let agal = D3d9GlslOptions {
        naming: RegisterNaming::Agal,
        position: PositionTransform::Flipped(2.0e-7),
        ..plain.clone()
    };
    [plain, all, agal]
}

/// Translates a program with each set of options.
fn shaders(
    kind: &str,
    name: &str,
    program: &D3d9Program,
    dialect: Dialect,
) -> Result<Vec<PathBuf>, Failed> {
    let extension = match program.version.stage() {
        Stage::Vertex => "vert",
        Stage::Fragment => "frag",
    };
    let folder = format!("{kind}-{}", dialect.name());
    let mut files = Vec::new();
    for (number, target) in targets(dialect).iter().enumerate() {
        let text = emit(program, target).map_err(|error| format!("{name}: {error}"))?;
        files.push(needs::shader(&folder, &format!("{name}-{number}"), extension, &text)?);
    }
    Ok(files)
}

fn shared(dialect: Dialect) -> Result<(), Failed> {
    let mut files = Vec::new();
    for sample in samples() {
        let program = D3d9Program::decode(&sample.bytes)?;
        files.extend(shaders("shared", &sample.name, &program, dialect)?);
    }
    needs::compile(&[], &files)
}

fn instructions(dialect: Dialect) -> Result<(), Failed> {
    let mut files = Vec::new();
    for (number, source) in programs::PROGRAMS.iter().enumerate() {
        files.extend(shaders("instructions", &number.to_string(), &assemble(source)?, dialect)?);
    }
    assert!(emit(&assemble("ps_2_0\nmov oC0, r0")?, &D3d9GlslOptions::new(dialect)).is_err());
    links(dialect)?;
    needs::compile(&[], &files)
}

/// [d3d9.linkage.registers]
fn links(dialect: Dialect) -> Result<(), Failed> {
    let vs = assemble(
        "vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_texcoord1 o1.xy\nmov o0, v0\nmov o1.xy, v0",
    )?;
    let fits = assemble("ps_3_0\ndcl_texcoord1 v3.xy\nmov oC0, v3.x")?;
    let wider = assemble("ps_3_0\ndcl_texcoord1 v3.xyz\nmov oC0, v3.z")?;
    let old = assemble("ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0")?;
    let (_, text) = emit_pair(&vs, &fits, &D3d9GlslOptions::new(dialect))?;
    assert!(text.contains("v3.xy = vary_texcoord1.xy;"), "{text}");
    assert_eq!(
        link(&vs, &wider).unwrap_err().to_string(),
        "the pixel shader reads texcoord1.z, which is not written"
    );
    assert_eq!(
        link(&vs, &old).unwrap_err().to_string(),
        "vs_3_0 and ps_2_0 can't be linked: model 3 can be linked only with model 3"
    );
    assert!(link(&fits, &vs).is_err());
    assert!(emit(&fits, &D3d9GlslOptions::new(Dialect::Glsl120)).is_err());
    Ok(())
}
