//! What the emitter writes is GLSL: glslangValidator, which knows nothing of Direct3D or of a driver, compiles the shared
//! shaders and programs that use every instruction, in both dialects.

mod common;
#[path = "common/programs.rs"]
mod programs;

use std::fs;
use std::process::{Command, ExitCode};

use agal::glsl::{ClipDepth, Dialect};
use d3d9::glsl::{Naming, Position, Target, emit, emit_pair, link};
use d3d9::interp::Stage as TextureStage;
use d3d9::operand::Dimension;
use d3d9::text::assemble;
use d3d9::{Program, Stage};
use libtest_mimic::{Arguments, Failed, Trial};

const COMPILER: &str = "glslangValidator";
/// Set where a missing compiler is a failure and not a reason to skip.
const REQUIRED: &str = "MOLEHILL_REQUIRE_GLSLANG";

const DIALECTS: [Dialect; 2] = [Dialect::Glsl330, Dialect::Glsl300Es];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let there = Command::new(COMPILER).arg("--version").output().is_ok();
    let required = std::env::var_os(REQUIRED).is_some();
    if !there {
        println!("skipped: no {COMPILER}");
    }
    let samples = common::shared("d3d9").exists();
    let mut trials = Vec::new();
    for dialect in DIALECTS {
        let name = dialect.name();
        let trial = |kind: &str, run: fn(Dialect) -> Result<(), Failed>| {
            Trial::test(format!("{kind}::{name}"), move || run(dialect))
        };
        trials.push(trial("instructions", instructions).with_ignored_flag(!there && !required));
        trials.push(trial("shared", shared).with_ignored_flag((!there || !samples) && !required));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Each way of writing: readable, and with every option.
fn targets(dialect: Dialect) -> [Target; 3] {
    let plain = Target::new(dialect);
    let cube = TextureStage {
        dimension: Dimension::Cube,
        projected: true,
        ..TextureStage::default()
    };
    let all = Target {
        clip_depth: ClipDepth::ZeroToOne,
        position: Position::Uniform,
        fog: true,
        point_size: true,
        comments: true,
        lod_bias: [0.5; 16],
        stages: [cube; 8],
        ..plain.clone()
    };
    let agal = Target {
        naming: Naming::Agal,
        position: Position::Flipped(2.0e-7),
        ..plain.clone()
    };
    [plain, all, agal]
}

/// Compiles texts, many in one call.
fn compile(name: &str, texts: &[(String, Stage, String)]) -> Result<(), Failed> {
    let folder = std::env::temp_dir().join(format!("d3d9-glslang-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let mut paths = Vec::new();
    for (place, (_, stage, text)) in texts.iter().enumerate() {
        let extension = match stage {
            Stage::Vertex => "vert",
            Stage::Fragment => "frag",
        };
        let path = folder.join(format!("{place}.{extension}"));
        fs::write(&path, text)?;
        paths.push(path);
    }
    let mut errors = String::new();
    for (paths, texts) in paths.chunks(50).zip(texts.chunks(50)) {
        let output = Command::new(COMPILER).args(paths).output()?;
        let log = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            // Find which one it is.
            for (path, (name, _, text)) in paths.iter().zip(texts) {
                let output = Command::new(COMPILER).arg(path).output()?;
                if !output.status.success() {
                    let log = String::from_utf8_lossy(&output.stdout);
                    errors.push_str(&format!("{name}\n{log}\n{text}\n"));
                }
                if errors.len() > 8000 {
                    return Err(errors.into());
                }
            }
            if errors.is_empty() {
                errors.push_str(&log);
            }
        }
    }
    fs::remove_dir_all(&folder)?;
    if errors.is_empty() {
        Ok(())
    } else {
        Err(errors.into())
    }
}

fn shared(dialect: Dialect) -> Result<(), Failed> {
    let mut texts = Vec::new();
    for sample in common::samples() {
        let program = Program::decode(&sample.bytes)?;
        for target in targets(dialect) {
            let text =
                emit(&program, &target).map_err(|error| format!("{}: {error}", sample.name))?;
            texts.push((sample.name.clone(), program.version.stage(), text));
        }
    }
    compile(&format!("shared-{}", dialect.name()), &texts)
}

fn instructions(dialect: Dialect) -> Result<(), Failed> {
    let mut texts = Vec::new();
    for source in programs::PROGRAMS {
        let program = assemble(source)?;
        for target in targets(dialect) {
            let text = emit(&program, &target).map_err(|error| format!("{source}\n{error}"))?;
            texts.push(((*source).to_owned(), program.version.stage(), text));
        }
    }
    assert!(emit(&assemble("ps_2_0\nmov oC0, r0")?, &Target::new(dialect)).is_err());
    links(dialect)?;
    compile(&format!("instructions-{}", dialect.name()), &texts)
}

/// d3d9-shaders.md section 5.6.
fn links(dialect: Dialect) -> Result<(), Failed> {
    let vs = assemble(
        "vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_texcoord1 o1.xy\nmov o0, v0\nmov o1.xy, v0",
    )?;
    let fits = assemble("ps_3_0\ndcl_texcoord1 v3.xy\nmov oC0, v3.x")?;
    let wider = assemble("ps_3_0\ndcl_texcoord1 v3.xyz\nmov oC0, v3.z")?;
    let old = assemble("ps_2_0\ndcl t0\nmov r0, t0\nmov oC0, r0")?;
    let (_, text) = emit_pair(&vs, &fits, &Target::new(dialect))?;
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
    assert!(emit(&fits, &Target::new(Dialect::Glsl120)).is_err());
    Ok(())
}
