//! Sequences of random calls, devices for them, and properties that hold for every backend.
//!
//! `MOLEHILL_RANDOM_CALLS=n` runs n sequences instead of a test's number, and `MOLEHILL_RANDOM_SEED=s` sets the first
//! seed. A failure report has the seed and a minimal list of steps.
#![expect(
    clippy::panic,
    clippy::expect_used,
    reason = "a test has to stop with what is known of it"
)]

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use agal::generate::seed_bytes;
use context3d::arguments::BitmapPatch;
use context3d::backend::{Backend, BackendCaps, BackendError, NullBackend, ReadSurface};
use context3d::keys::TextureKey;
use context3d::packets::{Draw, Packet, RenderTarget};
use context3d::{ContextOptions, Error, ObjectHandle, Reply};
use context3d_layers::{RecoverableBackend, RecoveryOptions};

use crate::{CallStep, STEP_BYTES, TestContext};

use arbitrary::{Arbitrary, Unstructured};

/// Maximum number of steps of a sequence.
const STEPS: u64 = 60;
/// Every `DRAW_EVERY`th step of a sequence is a draw.
const DRAW_EVERY: u64 = 4;
/// Maximum width and height of a target.
const MAX_TARGET: u32 = 256;
/// Maximum number of instances and indices of a draw. Flash doesn't limit instances, so that a draw could take years.
const MAX_INSTANCES: u32 = 4;
const MAX_INDICES: u32 = 3 * 256;
/// Maximum number of packets before a device is lost.
const LIFE: u64 = 90;
/// Number of levels of a texture to compare.
const COMPARED_LEVELS: u8 = 5;

/// A sequence of steps, with the context's options.
#[derive(Clone, Debug)]
pub struct StepSequence {
    pub options: ContextOptions,
    pub steps: Vec<CallStep>,
    /// Number of packets that each device executes before its loss. The last device is never lost.
    pub lives: Vec<u64>,
}

impl StepSequence {
    fn new(seed: u64) -> Self {
        let bytes = seed_bytes(seed, 64 + 8 * 4);
        let mut u = Unstructured::new(&bytes);
        let more = "bytes that run out are no error";
        let options = crate::fuzzing::options(&mut u).expect(more);
        let count = u.int_in_range(10..=STEPS).expect(more);
        let losses = u.int_in_range(1..=3).expect(more);
        let lives = (0..losses).map(|_| u.int_in_range(0..=LIFE).expect(more));
        let lives = lives.collect();
        let step = |number: u64| {
            let seed = seed.wrapping_mul(STEPS).wrapping_add(number).wrapping_add(1 << 40);
            let bytes = seed_bytes(seed, STEP_BYTES);
            let mut u = Unstructured::new(&bytes);
            let step = match number % DRAW_EVERY {
                0 => CallStep::draw(&mut u),
                _ => CallStep::arbitrary(&mut u),
            };
            step.expect(more)
        };
        let steps = (0..count).map(step).collect();
        StepSequence { options, steps, lives }
    }
}

fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    Some(value.parse().expect("a number"))
}

/// Returns the number of sequences: the environment variable's value, or else the test's default.
pub fn count(own: u64) -> u64 {
    number("MOLEHILL_RANDOM_CALLS").unwrap_or(own)
}

/// Tries the sequences and panics with the first failing sequence, shortened as far as possible. `attempt` returns the
/// number of tested events (draws, losses or images), whose total must not be too small.
pub fn each_sequence(count: u64, mut attempt: impl FnMut(&StepSequence) -> Result<u64, String>) {
    let first = number("MOLEHILL_RANDOM_SEED").unwrap_or(0);
    let count = self::count(count);
    let mut attempt = |sequence: &StepSequence| {
        catch_unwind(AssertUnwindSafe(|| attempt(sequence)))
            .unwrap_or_else(|_| Err("a panic".to_owned()))
    };
    let mut happened = 0;
    for seed in first..first.saturating_add(count) {
        let sequence = StepSequence::new(seed);
        match attempt(&sequence) {
            Ok(times) => happened += times,
            Err(why) => {
                let (sequence, why) = shorten(sequence, why, &mut attempt);
                let StepSequence { options, lives, .. } = &sequence;
                let steps = sequence.steps.iter().map(|step| format!("  {step:?}\n"));
                let steps: String = steps.collect();
                panic!("seed {seed}, {options:?}, lost after {lives:?}: {why}\n{steps}");
            }
        }
    }
    println!("{count} sequences, {happened} draws, losses or images");
    // A single sequence may contain no draw, loss or image, so that only the total count is checked.
    assert!(happened >= count / 2, "{happened} in {count} sequences");
}

/// Removes steps while the remaining sequence still fails.
fn shorten(
    mut sequence: StepSequence,
    mut why: String,
    attempt: &mut impl FnMut(&StepSequence) -> Result<u64, String>,
) -> (StepSequence, String) {
    let mut length = sequence.steps.len().div_ceil(2);
    while length > 0 {
        let mut start = 0;
        while start < sequence.steps.len() {
            let mut shorter = sequence.clone();
            let end = (start + length).min(shorter.steps.len());
            shorter.steps.drain(start..end);
            match attempt(&shorter) {
                Ok(_) => start = end,
                Err(reason) => (sequence, why) = (shorter, reason),
            }
        }
        length /= 2;
    }
    (sequence, why)
}

/// A wrapper of a device that limits the sizes of targets and draws.
pub struct SmallTargets<B> {
    pub backend: B,
    caps: BackendCaps,
    pub draws: u64,
    /// True if the back buffer was cleared since its content became undefined.
    pub defined: bool,
}

impl<B: Backend> SmallTargets<B> {
    pub fn new(backend: B) -> Self {
        let mut caps = backend.caps().clone();
        caps.max_target_size = MAX_TARGET;
        SmallTargets { backend, caps, draws: 0, defined: false }
    }
}

impl<B: Backend> Backend for SmallTargets<B> {
    fn caps(&self) -> &BackendCaps {
        &self.caps
    }

    context3d::forward_backend!(self => self.backend; read_region read_texels);

    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        match &packet {
            Packet::BeginPass(pass) if pass.clear.color.is_some() => {
                self.defined |= pass.target == RenderTarget::BackBuffer;
            }
            Packet::Present | Packet::ConfigureBackBuffer(_) => self.defined = false,
            _ => {}
        }
        let Packet::Draw(draw) = &packet else {
            return self.backend.execute(packet);
        };
        self.draws += 1;
        let draw: Draw = Draw {
            instances: draw.instances.min(MAX_INSTANCES),
            index_count: draw.index_count.min(MAX_INDICES),
            ..***draw
        };
        let draw = Box::new(draw);
        self.backend.execute(Packet::Draw(std::borrow::Cow::Borrowed(&draw)))
    }
}

/// A device that is lost after a number of packets.
pub struct LosableDevice<B> {
    backend: B,
    /// The number of packets left before the loss, which the test may change; `None` for no loss.
    left: Rc<Cell<Option<u64>>>,
    lost: bool,
}

impl<B: Backend> LosableDevice<B> {
    pub fn new(backend: B, left: Rc<Cell<Option<u64>>>) -> Self {
        LosableDevice { backend, left, lost: false }
    }

    fn below(&mut self) -> Result<&mut B, BackendError> {
        match self.left.get() {
            Some(0) => self.lost = true,
            left => self.left.set(left.map(|left| left - 1)),
        }
        if self.lost { Err(BackendError::Lost) } else { Ok(&mut self.backend) }
    }
}

impl<B: Backend> Backend for LosableDevice<B> {
    context3d::forward_backend!(self => self.backend; caps);
    context3d::forward_backend!(self => self.below()?; execute read_region read_texels);
}

/// A device that rejects some packets that create or fill an object.
pub struct RefusingDevice<B> {
    pub backend: B,
    packets: u64,
    pub refused: u64,
}

/// Every `REFUSED`th packet that creates or fills an object is rejected.
const REFUSED: u64 = 7;

impl<B: Backend> RefusingDevice<B> {
    pub fn new(backend: B) -> Self {
        RefusingDevice { backend, packets: 0, refused: 0 }
    }

    fn refuse(&mut self, packet: &Packet<'_>) -> Option<BackendError> {
        let error = match packet {
            Packet::CreateVertexBuffer { .. }
            | Packet::UploadVertexBuffer { .. }
            | Packet::CreateIndexBuffer { .. }
            | Packet::UploadIndexBuffer { .. }
            | Packet::CreateTexture { .. }
            | Packet::UploadTexture { .. }
            | Packet::ConfigureBackBuffer(_) => BackendError::OutOfMemory,
            Packet::UploadProgram { .. } => BackendError::CompileFailed {
                stage: "vertex",
                source: String::new(),
                log: "refused".to_owned(),
            },
            _ => return None,
        };
        self.packets += 1;
        let refuses = self.packets.is_multiple_of(REFUSED);
        self.refused += u64::from(refuses);
        refuses.then_some(error)
    }
}

impl<B: Backend> Backend for RefusingDevice<B> {
    context3d::forward_backend!(self => self.backend; caps read_region read_texels);

    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        match self.refuse(&packet) {
            Some(error) => Err(error),
            None => self.backend.execute(packet),
        }
    }
}

/// Returns all readable surfaces: the back and front buffer, and the faces and levels of textures.
pub fn surfaces(textures: &[TextureKey]) -> impl Iterator<Item = ReadSurface> {
    let levels = textures.iter().flat_map(|texture| {
        (0..6).flat_map(move |side| {
            (0..COMPARED_LEVELS).map(move |level| ReadSurface::Texture {
                texture: *texture,
                side,
                level,
            })
        })
    });
    [ReadSurface::BackBuffer, ReadSurface::Front].into_iter().chain(levels)
}

/// Returns size and content of a surface.
pub fn pixels(
    backend: &mut impl Backend,
    surface: ReadSurface,
) -> Result<(u32, u32, Vec<u8>), String> {
    let mut out = Vec::new();
    match backend.read_pixels(surface, &mut out) {
        Ok((width, height)) => Ok((width, height, out)),
        Err(error) => Err(format!("reading {surface:?}: {error}")),
    }
}

/// Compares every surface with defined content.
pub fn same_pixels<B: Backend, C: Backend>(
    player: &mut TestContext<B>,
    twin: &mut TestContext<SmallTargets<C>>,
) -> Result<(), String> {
    let textures: Vec<_> = twin.objects.textures().iter().copied().map(ObjectHandle::key).collect();
    let (a, b) = (player.context.backend_mut(), twin.context.backend_mut());
    for surface in surfaces(&textures) {
        if surface == ReadSurface::BackBuffer && !b.defined {
            continue;
        }
        if pixels(a, surface) != pixels(b, surface) {
            return Err(format!("{surface:?} differs"));
        }
    }
    Ok(())
}

/// Returns whether two replies are equal, except for the pixels of a bitmap.
pub fn alike(a: &Result<Reply, Error>, b: &Result<Reply, Error>) -> bool {
    match (a, b) {
        (Ok(Reply::Bitmap(a)), Ok(Reply::Bitmap(b))) => {
            let place = |patch: &BitmapPatch| {
                (patch.x, patch.y, patch.width, patch.height, patch.bgra.len())
            };
            place(a) == place(b)
        }
        _ => a == b,
    }
}

/// Runs a sequence on a backend and on a backend that draws nothing. Returns the first backend's context if the replies
/// are equal.
pub fn same_as_nothing<B: Backend>(
    player: B,
    nothing: impl Backend,
    sequence: &StepSequence,
) -> Result<TestContext<B>, String> {
    let mut player = TestContext::over(player, sequence.options);
    let mut twin = player.twin(nothing);
    for step in &sequence.steps {
        for command in player.objects.commands(step) {
            let (result, other) = (player.execute(&command), twin.execute(&command));
            if !alike(&result, &other) {
                return Err(format!("{command:?}: {result:?} and {other:?}"));
            }
        }
    }
    Ok(player)
}

/// Returns a backend that draws nothing, with the capabilities of the given backend.
pub fn nothing(backend: &impl Backend) -> NullBackend {
    NullBackend::counting().with_caps(backend.caps().clone())
}

/// Runs a sequence on a device that is never lost, and on devices that are lost. Returns the number of losses if
/// replies and pixels are equal. `errors` returns the number of a backend's errors.
pub fn same_after_losses<B: Backend>(
    device: impl Fn() -> Result<SmallTargets<B>, BackendError>,
    sequence: &StepSequence,
    errors: impl Fn(&mut B) -> u64,
) -> Result<u64, String> {
    let text = |error: BackendError| error.to_string();
    let doomed = Rc::new(Cell::new(None));
    let fate = Rc::clone(&doomed);
    let mut lives = sequence.lives.clone().into_iter();
    let mortal = || {
        fate.set(lives.next());
        Ok(LosableDevice::new(device()?, Rc::clone(&fate)))
    };
    let restoring = RecoverableBackend::new(mortal, RecoveryOptions::default()).map_err(text)?;
    let mut player = TestContext::over(restoring, sequence.options);
    let mut twin = player.twin(device().map_err(text)?);
    for step in &sequence.steps {
        for command in twin.objects.commands(step) {
            let (result, other) = (player.execute(&command), twin.execute(&command));
            if result != other {
                return Err(format!("{command:?}: {result:?} and {other:?}"));
            }
        }
    }
    let restored = player.context.backend().restored();
    doomed.set(None);
    same_pixels(&mut player, &mut twin).map_err(|why| format!("{why} after {restored} losses"))?;
    let left = &mut player.context.backend_mut().backend_mut().backend.backend;
    match errors(left) + errors(&mut twin.context.backend_mut().backend) {
        0 => Ok(restored),
        errors => Err(format!("{errors} errors of the device")),
    }
}
