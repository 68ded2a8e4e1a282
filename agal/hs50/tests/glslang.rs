//! What the emitter writes is GLSL: glslangValidator, which knows nothing of Direct3D or of a driver, compiles the control
//! shader of every shared hull shader and of the programs here, in every dialect.

mod common;

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use hs50::check::{Options, check};
use hs50::container::Checksum;
use hs50::glsl::{Target, emit};
use hs50::names::ProgramKind;
use hs50::shader::Shader;
use hs50::text::assemble;
use libtest_mimic::{Arguments, Failed, Trial};

const COMPILER: &str = "glslangValidator";
/// Set where a missing compiler is a failure and not a reason to skip.
const REQUIRED: &str = "MOLEHILL_REQUIRE_GLSLANG";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    if Command::new(COMPILER).arg("--version").output().is_err() {
        println!("skipped: no {COMPILER}");
        let required = std::env::var_os(REQUIRED).is_some();
        let missing = || Err(format!("no {COMPILER}").into());
        trials.push(Trial::test("skipped", missing).with_ignored_flag(!required));
        return libtest_mimic::run(&arguments, trials).exit_code();
    }
    for target in Target::ALL.iter().copied() {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
        let own = fs::read_dir(own)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path());
        for path in own.chain(common::files("dxbc")) {
            let name = format!("{}::{}", target.name(), common::stem(&path));
            trials.push(Trial::test(name, move || compiles(&path, target)));
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn compiles(path: &Path, target: Target) -> Result<(), Failed> {
    let shader = match path
        .extension()
        .is_some_and(|extension| extension == "dxbc")
    {
        true => Shader::read(fs::read(path)?, Checksum::Ignore)?,
        false => assemble(&fs::read_to_string(path)?)?,
    };
    if shader.program.version.kind != ProgramKind::Hull {
        return Ok(());
    }
    let hull = check(&shader, Options::default())?
        .valid()
        .map_err(|report| format!("{:?}", report.findings))?;
    let glsl = emit(
        &hull,
        hs50::glsl::Options {
            target,
            ..Default::default()
        },
    );
    let glsl = match (glsl, common::stem(path).as_str()) {
        // The one shader that chooses a texture of an array by a register.
        (Err(error), "dxc_hs1_sm51") => {
            assert_eq!(
                error.to_string(),
                "instruction 19: a range of t# of shader model 5.1 is not supported"
            );
            return Ok(());
        }
        (Err(error), "doubles") if target == Target::Es320 => {
            assert!(
                error
                    .to_string()
                    .ends_with("in GLSL 320es is not supported"),
                "{error}"
            );
            return Ok(());
        }
        (glsl, _) => glsl?,
    };
    let mut child = Command::new(COMPILER)
        .args(["--stdin", "-S", "tesc"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    child
        .stdin
        .take()
        .ok_or("no input")?
        .write_all(glsl.control.as_bytes())?;
    let output = child.wait_with_output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        glsl.control
    )
    .into())
}
