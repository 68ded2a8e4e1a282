//! Compiles the emitted GLSL with glslangValidator, which doesn't depend on Direct3D or drivers. Tests all shared hull
//! shaders, and the programs of this crate, in every dialect.

use std::fs;
use std::path::{Path, PathBuf};

use hs50::check::{CheckOptions, check};
use hs50::container::Checksum;
use hs50::glsl::{DIALECTS, Dialect, emit};
use hs50::names::ProgramKind;
use hs50::shader::HullProgramShader;
use hs50::text::assemble;
use libtest_mimic::{Failed, Trial};

use crate::files;
use crate::needs::{self, stem};

pub(crate) fn trials() -> Vec<Trial> {
    needs::glslang(|| {
        let mut trials = Vec::new();
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
        let own = fs::read_dir(own).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = own.map(|entry| entry.path()).collect();
        paths.extend(files("dxbc"));
        for dialect in DIALECTS {
            for path in paths.clone() {
                let name = format!("{}::{}", dialect.name(), stem(&path));
                trials.push(Trial::test(name, move || compiles(&path, dialect)));
            }
        }
        trials
    })
}

fn compiles(path: &Path, dialect: Dialect) -> Result<(), Failed> {
    let shader = match path.extension().is_some_and(|extension| extension == "dxbc") {
        true => HullProgramShader::read(fs::read(path)?, Checksum::Ignore)?,
        false => assemble(&fs::read_to_string(path)?)?,
    };
    if shader.program.version.kind != ProgramKind::Hull {
        return Ok(());
    }
    let hull = check(&shader, CheckOptions::default())?
        .valid()
        .map_err(|report| format!("{:?}", report.findings))?;
    let glsl = emit(&hull, hs50::glsl::HullGlslOptions { dialect, ..Default::default() });
    let glsl = match (glsl, stem(path).as_str()) {
        // The only shader that indexes an array of textures dynamically.
        (Err(error), "dxc_hs1_sm51") => {
            assert_eq!(
                error.to_string(),
                "instruction 19: a range of t# of shader model 5.1 is not supported"
            );
            return Ok(());
        }
        (Err(error), "doubles") if dialect == Dialect::Glsl320Es => {
            assert!(error.to_string().ends_with("in GLSL 320es is not supported"), "{error}");
            return Ok(());
        }
        (glsl, _) => glsl?,
    };
    let file = needs::shader(dialect.name(), &stem(path), "tesc", &glsl.control)?;
    needs::compile(&[], &[file])
}
