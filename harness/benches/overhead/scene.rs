//! Benchmark scenes: the same draw many times, with one type of change between draws.

use std::str::FromStr;

use allocation_counter::measure;
use backend_gl::offscreen::{Api, Offscreen, OffscreenOptions};
use context3d::backend::{Backend, BackendFactory as _, NullBackend};
use context3d::{Context3D, ContextOptions, Invocation, Profile, Reply};
use molehill_reference::{RasterOptions as ReferenceOptions, ReferenceBackend};
use molehill_testing::trace::{NoopFactory, record, recorded};

use crate::content::Data;
use crate::lanes::{Lane, take_turns, time};
use crate::row::{Row, float};
use crate::{Failed, Target, unfiltered, wgpu_backend};

/// The state that changes before each draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// No state changes between draws.
    Draws,
    /// Four vertex constants change before each draw.
    Constants4,
    /// Sixteen vertex constants change before each draw.
    Constants16,
    /// The bound texture changes before each draw.
    Textures,
    /// The bound program changes before each draw.
    Programs,
    /// The vertex buffer of all three attributes changes before each draw.
    Buffers,
    /// A dynamic vertex buffer, which feeds three attributes, is uploaded before each draw.
    Uploads,
    /// No state changes between draws, which have four instances each.
    Instances,
    /// The render target changes and is cleared before each draw.
    Targets,
    /// Fourteen calls precede each draw, as in Flash programs: most calls set the current value again.
    FlashLike,
}

impl Kind {
    pub(crate) const NAMES: [(Kind, &'static str); 10] = [
        (Kind::Draws, "draws"),
        (Kind::Constants4, "constants4"),
        (Kind::Constants16, "constants16"),
        (Kind::Textures, "textures"),
        (Kind::Programs, "programs"),
        (Kind::Buffers, "buffers"),
        (Kind::Uploads, "uploads"),
        (Kind::Instances, "instances"),
        (Kind::Targets, "targets"),
        (Kind::FlashLike, "flashlike"),
    ];
}

/// A scene with its counts of draws and objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scene {
    /// The state that changes between draws.
    pub(crate) kind: Kind,
    /// Number of draws per frame: 10 to 100,000.
    pub(crate) draws: usize,
    /// Number of objects that the draws alternate between: 10 to 4096.
    pub(crate) live: usize,
}

impl Scene {
    /// Default number of draws per frame, and of objects.
    pub(crate) const USUAL: (usize, usize) = (1000, 10);

    pub(crate) fn all() -> impl Iterator<Item = Scene> {
        let (draws, live) = Scene::USUAL;
        Kind::NAMES.map(|(kind, _)| Scene { kind, draws, live }).into_iter()
    }
}

impl FromStr for Scene {
    type Err = String;

    /// Parses `NAME[:DRAWS[:OBJECTS]]`.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let kind = Kind::NAMES.iter().find(|(_, text)| *text == name);
        let (kind, _) = kind.ok_or_else(|| {
            format!(
                "unknown scene; expected one of {}",
                Kind::NAMES.map(|(_, name)| name).join(", ")
            )
        })?;
        let mut number = |usual: usize, most: usize, what: &str| match parts.next() {
            None => Ok(usual),
            Some(text) => text
                .parse()
                .ok()
                .filter(|number| (10..=most).contains(number))
                .ok_or_else(|| format!("{what}: 10 to {most}")),
        };
        let scene = Scene {
            kind: *kind,
            draws: number(Scene::USUAL.0, 100_000, "draws")?,
            live: number(Scene::USUAL.1, 4096, "objects")?,
        };
        match parts.next() {
            None => Ok(scene),
            Some(_) => Err("NAME[:DRAWS[:OBJECTS]]".to_owned()),
        }
    }
}

impl std::fmt::Display for Scene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let row = Kind::NAMES.iter().find(|(kind, _)| *kind == self.kind);
        f.write_str(row.map_or("", |(_, name)| name))?;
        match (self.draws, self.live) == Scene::USUAL {
            true => Ok(()),
            false => write!(f, ":{}:{}", self.draws, self.live),
        }
    }
}

/// A context with a scene's objects, and the calls of one frame.
struct Stage<'d, B: Backend> {
    context: Context3D<B>,
    frame: Vec<Invocation<'d>>,
}

impl<'d, B: Backend> Stage<'d, B> {
    fn new(scene: &Scene, data: &'d Data, backend: B) -> Result<Self, Failed> {
        let options = ContextOptions { profile: Profile::Standard, swf_version: 30 };
        let mut context = Context3D::new(backend, options);
        // Only instancing needs a higher profile.
        if scene.kind == Kind::Instances {
            context.set_options(ContextOptions { profile: Profile::StandardExtended, ..options });
        }
        let objects = scene.prepare(&mut context)?;
        let frame = scene.frame(&objects, data);
        let mut stage = Stage { context, frame };
        // Draws some frames before the measurement, because the first draws create objects. A draw that Flash would
        // drop is a bug in the scene.
        stage.context.set_error_checking(false)?;
        for _ in 0..3 {
            stage.play_checked()?;
        }
        Ok(stage)
    }

    fn play_checked(&mut self) -> Result<(), Failed> {
        for command in &self.frame {
            if let Reply::Skipped(code) = self.context.execute(command)? {
                return Err(Failed(format!("a draw was dropped: {code:?}")));
            }
        }
        Ok(())
    }

    #[inline(never)]
    fn play(&mut self) -> Result<(), Failed> {
        for command in &self.frame {
            self.context.execute(command)?;
        }
        Ok(())
    }

    fn lane<'a>(mut self, target: Target, repeat: usize) -> Lane<'a>
    where
        Self: 'a,
    {
        Box::new(move || {
            self.play()?;
            time(target, || (0..repeat).try_for_each(|_| self.play()))
        })
    }
}

/// Minimum number of draws per run, so that a run is long enough to be timed.
const ENOUGH: usize = 20_000;

/// Measures a scene: `rounds` runs of each variant, alternating.
///
/// # Errors
/// The target can't be opened, or a call fails.
pub(crate) fn scene(scene: &Scene, target: Target, rounds: usize) -> Result<Row, Failed> {
    let data = Data::new();
    let repeat = match target {
        Target::Reference => 1,
        _ => ENOUGH.div_ceil(scene.draws),
    };
    let mut row =
        Row { name: scene.to_string(), frames: 1, draws: scene.draws as u64, ..Row::default() };
    let null = Stage::new(scene, &data, NullBackend::counting())?;
    row.calls = null.frame.len() as u64;
    for command in &null.frame {
        unfiltered::add(&mut row.unfiltered, command.method().name);
    }
    let mut noop = None;
    let whole = measure(|| noop = Some(quiet(scene, &data)));
    row.peak = whole.bytes_max;
    let mut noop = noop.unwrap_or_else(|| quiet(scene, &data))?;
    let mut played = Ok(());
    let counted = measure(|| played = noop.play());
    played?;
    row.allocations = float(counted.count_total);
    row.programs = 0;

    let mut lanes: Vec<Lane<'_>> = vec![null.lane(target, repeat), noop.lane(target, repeat)];
    let floor = match target {
        Target::Null => false,
        Target::Noop => {
            let stage = Stage::new(scene, &data, NoopFactory { recorded: true }.create()?)?;
            lanes.push(floor(stage, None, &mut row, repeat)?);
            true
        }
        Target::Gl | Target::Gles => {
            let api = if target == Target::Gl { Api::OpenGl } else { Api::Gles };
            let options = OffscreenOptions { exclusive: true, ..OffscreenOptions::new(api) };
            let plain = Offscreen::open_with(&options)?;
            lanes.push(Stage::new(scene, &data, plain.backend()?)?.lane(target, repeat));
            let second = Offscreen::open_with(&recorded(options))?;
            let stage = Stage::new(scene, &data, second.backend()?)?;
            lanes.push(floor(stage, Some(second), &mut row, repeat)?);
            true
        }
        Target::Reference => {
            let backend = ReferenceBackend::new(ReferenceOptions::default());
            lanes.push(Stage::new(scene, &data, backend)?.lane(target, repeat));
            false
        }
        Target::Wgpu => {
            lanes.push(Stage::new(scene, &data, wgpu_backend()?)?.lane(target, repeat));
            false
        }
    };
    let units = float((scene.draws * repeat) as u64);
    let mut samples = take_turns(&mut lanes, rounds, units)?;
    row.floor = if floor { samples.pop() } else { None };
    row.front = samples.first().cloned();
    row.own = match target {
        Target::Null => None,
        _ => samples.get(1).cloned(),
    };
    row.total = match target {
        Target::Null => row.front.clone(),
        _ => samples.pop(),
    }
    .unwrap_or_default();
    Ok(row)
}

fn quiet<'d>(scene: &Scene, data: &'d Data) -> Result<Stage<'d, backend_gl::GlBackend>, Failed> {
    Stage::new(scene, data, NoopFactory::default().create()?)
}

/// Records the OpenGL calls of two frames, one for each back buffer, and returns a variant that issues both lists
/// alternately. With one back buffer, a driver could skip the draws that the next frame's clear hides.
fn floor<'a>(
    mut stage: Stage<'a, backend_gl::GlBackend>,
    context: Option<Offscreen>,
    row: &mut Row,
    repeat: usize,
) -> Result<Lane<'a>, Failed> {
    let mut frame = || {
        let (played, trace) = record(|| stage.play());
        played.map(|()| trace)
    };
    let frames = [frame()?, frame()?];
    row.gl_calls = frames[0].counts();
    row.bytes = frames[0].bytes_read();
    let mut next = 0;
    Ok(Box::new(move || {
        // The backend owns the objects that the recorded calls use.
        let _keep = &stage;
        let mut issue = || {
            next = 1 - next;
            Ok(frames[next].issue(context.as_ref())?)
        };
        issue()?;
        time(Target::Gl, || (0..repeat).try_for_each(|_| issue()))
    }))
}
