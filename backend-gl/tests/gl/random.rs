//! Sequences of random calls, and devices to try them on.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use agal::generate::seed_bytes;
use context3d::ContextOptions;
use context3d::backend::{Backend, BackendCaps, BackendError, Surface};
use context3d::keys::TextureKey;
use context3d::packets::{Draw, Packet, Target};
use molehill_testing::{STEP_BYTES, Step};

use arbitrary::{Arbitrary, Unstructured};

/// Steps of a sequence, at most.
const STEPS: u64 = 60;
/// Of so many steps one is a draw for sure.
const DRAW_EVERY: u64 = 4;
/// Largest side of a target.
const MAX_TARGET: u32 = 256;
/// Most instances and indices of a draw. Flash has no limit on instances, so a program may ask for more work than any
/// device does in a lifetime.
const MAX_INSTANCES: u32 = 4;
const MAX_INDICES: u32 = 3 * 256;
/// Packets after which a device is lost, at most.
const LIFE: u64 = 90;
/// Levels of a texture that are compared.
const COMPARED_LEVELS: u8 = 5;

/// What is done in a context of some kind.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    pub(crate) options: ContextOptions,
    pub(crate) steps: Vec<Step>,
    /// After how many packets each device but the last one is lost.
    pub(crate) lives: Vec<u64>,
}

impl Sequence {
    fn new(seed: u64) -> Self {
        let bytes = seed_bytes(seed, 64 + 8 * 4);
        let mut u = Unstructured::new(&bytes);
        let more = "bytes that run out are no error";
        let options = molehill_testing::fuzzing::options(&mut u).expect(more);
        let count = u.int_in_range(10..=STEPS).expect(more);
        let losses = u.int_in_range(1..=3).expect(more);
        let lives = (0..losses).map(|_| u.int_in_range(0..=LIFE).expect(more));
        let lives = lives.collect();
        let step = |number: u64| {
            let seed = seed.wrapping_mul(STEPS).wrapping_add(number).wrapping_add(1 << 40);
            let bytes = seed_bytes(seed, STEP_BYTES);
            let mut u = Unstructured::new(&bytes);
            let step = match number % DRAW_EVERY {
                0 => Step::draw(&mut u),
                _ => Step::arbitrary(&mut u),
            };
            step.expect(more)
        };
        let steps = (0..count).map(step).collect();
        Sequence { options, steps, lives }
    }
}

fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    Some(value.parse().expect("a number"))
}

/// Tries the sequences and shows the first that fails, made as short as it gets. `attempt` gives how much of what it looks
/// for has happened, which must not be nothing over all sequences.
pub(crate) fn each_sequence(count: u64, mut attempt: impl FnMut(&Sequence) -> Result<u64, String>) {
    let first = number("MOLEHILL_RANDOM_SEED").unwrap_or(0);
    let count = number("MOLEHILL_RANDOM_CALLS").unwrap_or(count);
    let mut attempt = |sequence: &Sequence| {
        catch_unwind(AssertUnwindSafe(|| attempt(sequence)))
            .unwrap_or_else(|_| Err("a panic".to_owned()))
    };
    let mut happened = 0;
    for seed in first..first.saturating_add(count) {
        let sequence = Sequence::new(seed);
        match attempt(&sequence) {
            Ok(times) => happened += times,
            Err(why) => {
                let (sequence, why) = shorten(sequence, why, &mut attempt);
                let Sequence { options, lives, .. } = &sequence;
                let steps = sequence.steps.iter().map(|step| format!("  {step:?}\n"));
                let steps: String = steps.collect();
                panic!("seed {seed}, {options:?}, lost after {lives:?}: {why}\n{steps}");
            }
        }
    }
    println!("{count} sequences, {happened} draws, losses or pictures");
    // A single sequence may be without.
    assert!(happened >= count / 2, "{happened} in {count} sequences");
}

/// Leaves out steps as long as the rest fails, too.
fn shorten(
    mut sequence: Sequence,
    mut why: String,
    attempt: &mut impl FnMut(&Sequence) -> Result<u64, String>,
) -> (Sequence, String) {
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

/// A device with small targets that does little for each draw.
pub(crate) struct Small<B> {
    pub(crate) backend: B,
    caps: BackendCaps,
    pub(crate) draws: u64,
    /// The back buffer was cleared since its content became undefined.
    pub(crate) defined: bool,
}

impl<B: Backend> Small<B> {
    pub(crate) fn new(backend: B) -> Self {
        let mut caps = backend.caps().clone();
        caps.max_target_size = MAX_TARGET;
        Small { backend, caps, draws: 0, defined: false }
    }
}

impl<B: Backend> Backend for Small<B> {
    fn caps(&self) -> &BackendCaps {
        &self.caps
    }

    context3d::forward_backend!(self => self.backend; read_region read_texels);

    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        match &packet {
            Packet::BeginPass(pass) if pass.clear.color.is_some() => {
                self.defined |= pass.target == Target::BackBuffer;
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

/// A device that is lost after so many packets.
pub(crate) struct LosableDevice<B> {
    backend: B,
    /// Packets left, shared with whoever decides; `None`: for ever.
    left: Rc<Cell<Option<u64>>>,
    lost: bool,
}

impl<B: Backend> LosableDevice<B> {
    pub(crate) fn new(backend: B, left: Rc<Cell<Option<u64>>>) -> Self {
        LosableDevice { backend, left, lost: false }
    }
}

impl<B: Backend> LosableDevice<Small<B>> {
    pub(crate) fn inner(&mut self) -> &mut B {
        &mut self.backend.backend
    }
}

impl<B: Backend> LosableDevice<B> {
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

/// Everything that has pixels: both buffers, and the faces and levels of textures.
pub(crate) fn surfaces(textures: &[TextureKey]) -> impl Iterator<Item = Surface> {
    let levels = textures.iter().flat_map(|texture| {
        (0..6).flat_map(move |side| {
            (0..COMPARED_LEVELS).map(move |level| Surface::Texture {
                texture: *texture,
                side,
                level,
            })
        })
    });
    [Surface::BackBuffer, Surface::Front].into_iter().chain(levels)
}

/// Size and content of a surface.
pub(crate) fn pixels(
    backend: &mut impl Backend,
    surface: Surface,
) -> Result<(u32, u32, Vec<u8>), String> {
    let mut out = Vec::new();
    match backend.read_pixels(surface, &mut out) {
        Ok((width, height)) => Ok((width, height, out)),
        Err(error) => Err(format!("reading {surface:?}: {error}")),
    }
}
