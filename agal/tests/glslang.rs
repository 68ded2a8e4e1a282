//! The emitter's output is valid GLSL: glslangValidator, which is independent of AGAL and of drivers, compiles every
//! snapshot in every dialect and links its halves, and compiles the games' and generated programs.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use agal::glsl::{ClipDepth, Dialect, Target, emit};
use agal::{LinkedPair, Version};
use agal_generate::{Generator, Options, seed_bytes};
use arbitrary::Unstructured;
use common::{SHARED_REQUIRED, goldens, pair, shared, shared_folder, valid, with_partner};
use libtest_mimic::{Arguments, Failed, Trial};

const COMPILER: &str = "glslangValidator";
/// If set, a missing compiler is a failure and not skipped.
const REQUIRED: &str = "MOLEHILL_REQUIRE_GLSLANG";

/// Extensions that the compiler (version 12) lacks, with replacement lines, so that the rest of such a shader is
/// compiled. It accepts `gl_FragData` with any index, and has no instance id in old dialects.
const UNKNOWN: [(&str, &str); 2] = [
    ("#extension GL_EXT_draw_buffers : require\n", "\n"),
    (
        "#extension GL_ARB_draw_instanced : require\n",
        "#define gl_InstanceIDARB 1\n",
    ),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let compiler = Command::new(COMPILER).arg("--version").output();
    let trials = match compiler {
        Ok(_) => Dialect::ALL.iter().flat_map(|d| trials(*d)).collect(),
        Err(_) => vec![skipped("no glslangValidator", REQUIRED, COMPILER.into())],
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A trial that is ignored, or fails if a variable says that it must not be skipped.
fn skipped(reason: &str, required: &str, absent: PathBuf) -> Trial {
    println!("skipped: {reason}");
    let required = std::env::var_os(required).is_some();
    let missing = move || Err(format!("no {}", absent.display()).into());
    Trial::test(format!("skipped: {reason}"), missing).with_ignored_flag(!required)
}

fn trials(dialect: Dialect) -> Vec<Trial> {
    let mut trials = vec![Trial::test(
        format!("goldens::{}", dialect.name()),
        move || goldens_link(dialect),
    )];
    trials.push(Trial::test(
        format!("generated::{}", dialect.name()),
        move || generated_pairs_compile(dialect),
    ));
    if !shared().is_empty() {
        trials.push(Trial::test(
            format!("shared::{}", dialect.name()),
            move || shared_programs_compile(dialect),
        ));
    } else if dialect == Dialect::Glsl330 {
        let absent = shared_folder();
        trials.push(skipped("no shared captures", SHARED_REQUIRED, absent));
    }
    trials
}

/// Each snapshot separately, because linking checks that the halves fit; then all at once for the other clip space.
fn goldens_link(dialect: Dialect) -> Result<(), Failed> {
    let folder = Folder::new(&format!("goldens-{}", dialect.name()))?;
    let mut files = Vec::new();
    for (name, text) in goldens() {
        let pair = pair(&name, &text);
        let mut target = Target {
            dialect,
            clip_depth: ClipDepth::ZeroToOne,
            position_bias: 0.0,
            comments: true,
        };
        if let Some(files) = folder.shaders(&format!("{name}-linked"), &pair, &target)? {
            compile(Command::new(COMPILER).arg("-l"), &files)?;
        }
        target.clip_depth = ClipDepth::MinusOneToOne;
        target.comments = false;
        files.extend(folder.shaders(&name, &pair, &target)?.into_iter().flatten());
    }
    compile(&mut Command::new(COMPILER), &files)
}

/// All at once.
fn shared_programs_compile(dialect: Dialect) -> Result<(), Failed> {
    let folder = Folder::new(&format!("shared-{}", dialect.name()))?;
    let target = Target {
        dialect,
        clip_depth: ClipDepth::ZeroToOne,
        position_bias: 0.0,
        comments: false,
    };
    let mut files = Vec::new();
    for (path, stage) in shared() {
        let pair = with_partner(&path, valid(&path, stage, &fs::read(&path)?));
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        files.extend(folder.shaders(&name, &pair, &target)?.into_iter().flatten());
    }
    assert!(!files.is_empty());
    compile(&mut Command::new(COMPILER), &files)
}

/// Pairs of every version, all at once.
fn generated_pairs_compile(dialect: Dialect) -> Result<(), Failed> {
    let folder = Folder::new(&format!("generated-{}", dialect.name()))?;
    let mut files = Vec::new();
    for (version, seed) in Version::ALL.iter().cycle().zip(0..100) {
        let bytes = seed_bytes(seed, 2048);
        let generator = Generator::new(Options::new(*version));
        let pair = generator.pair(&mut Unstructured::new(&bytes))?.link()?;
        let target = Target {
            dialect,
            clip_depth: ClipDepth::MinusOneToOne,
            position_bias: 0.0,
            comments: seed % 2 == 0,
        };
        files.extend(
            folder
                .shaders(&format!("{seed}"), &pair, &target)?
                .into_iter()
                .flatten(),
        );
    }
    assert!(!files.is_empty());
    compile(&mut Command::new(COMPILER), &files)
}

/// The folder with the shaders of one trial; they are kept for inspection.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Result<Folder, Failed> {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("glslang")
            .join(name);
        fs::create_dir_all(&path)?;
        Ok(Folder(path))
    }

    /// Writes both shaders of a pair. `None` if the dialect lacks a feature.
    fn shaders(
        &self,
        name: &str,
        pair: &LinkedPair,
        target: &Target,
    ) -> Result<Option<[PathBuf; 2]>, Failed> {
        let Ok(glsl) = emit(pair, target) else {
            assert!(!Dialect::COMPLETE.contains(&target.dialect));
            return Ok(None);
        };
        let files = [("vert", glsl.vertex), ("frag", glsl.fragment)];
        let [vertex, fragment] = files.map(|(extension, shader)| {
            let shader = UNKNOWN.iter().fold(shader, |shader, (line, instead)| {
                shader.replace(line, instead)
            });
            let path = self.0.join(format!("{name}.{extension}"));
            fs::write(&path, shader).map(|()| path)
        });
        Ok(Some([vertex?, fragment?]))
    }
}

/// Runs the compiler on files; fails with its output.
fn compile(compiler: &mut Command, files: &[PathBuf]) -> Result<(), Failed> {
    let output = compiler.args(files).output()?;
    if output.status.success() {
        return Ok(());
    }
    // The output names every file, followed by its errors.
    let text = String::from_utf8_lossy(&output.stdout);
    let mut present = "";
    let mut complaints = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        if line.starts_with("ERROR") || line.starts_with("WARNING") {
            complaints.push(format!("{present}: {line}"));
        } else {
            present = line;
        }
    }
    Err(format!("{}\n{}", output.status, complaints.join("\n")).into())
}
