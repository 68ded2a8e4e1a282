//! Random calls: nothing panics, and the replies equal those of a device that draws nothing.

use agal::generate::seed_bytes;
use arbitrary::{Arbitrary as _, Unstructured};
use context3d::backend::{Backend, BackendCaps, BackendError, NullBackend, Surface};
use context3d::packets::{Draw, Packet};
use context3d::{ContextOptions, Error, Reply};
use molehill_reference::{Options, ReferenceBackend};
use molehill_testing::{STEP_BYTES, Step, TestContext};

/// Default number of sequences, and steps per sequence. `MOLEHILL_RANDOM_CALLS=n` runs n sequences.
const SEQUENCES: u64 = 60;
const STEPS: u64 = 50;
/// Every n-th step is a draw.
const DRAW_EVERY: u64 = 4;
/// Largest side of a target.
const MAX_TARGET: u32 = 256;
/// Limits of a draw: instances, and indices.
const MAX_INSTANCES: u32 = 4;
const MAX_INDICES: u32 = 3 * 256;

/// A renderer with small targets and little work per draw.
struct Small {
    backend: ReferenceBackend,
    caps: BackendCaps,
    draws: u64,
}

impl Small {
    fn new(memory: usize) -> Self {
        let backend = ReferenceBackend::new(Options { memory, ..super::threads(2) });
        let mut caps = backend.caps().clone();
        caps.max_target_size = MAX_TARGET;
        Small { backend, caps, draws: 0 }
    }
}

impl Backend for Small {
    fn caps(&self) -> &BackendCaps {
        &self.caps
    }

    context3d::forward_backend!(self => self.backend; read_region read_texels);

    fn execute(&mut self, packet: Packet<'_>) -> Result<(), BackendError> {
        let Packet::Draw(draw) = &packet else {
            return self.backend.execute(packet);
        };
        self.draws += 1;
        let draw = Draw {
            instances: draw.instances.min(MAX_INSTANCES),
            index_count: draw.index_count.min(MAX_INDICES),
            ..***draw
        };
        let draw = std::borrow::Cow::Owned(Box::new(draw));
        self.backend.execute(Packet::Draw(draw))
    }
}

pub(crate) fn sequences() -> u64 {
    let count = std::env::var("MOLEHILL_RANDOM_CALLS").ok();
    count.map_or(SEQUENCES, |count| count.parse().expect("a number"))
}

fn options(seed: u64) -> ContextOptions {
    let bytes = seed_bytes(seed, 64);
    molehill_testing::fuzzing::options(&mut Unstructured::new(&bytes))
        .expect("bytes that run out are no error")
}

fn steps(seed: u64) -> impl Iterator<Item = Step> {
    (0..STEPS).map(move |number| {
        let bytes =
            seed_bytes(seed.wrapping_mul(STEPS).wrapping_add(number + (1 << 40)), STEP_BYTES);
        let mut u = Unstructured::new(&bytes);
        let step = match number % DRAW_EVERY {
            0 => Step::draw(&mut u),
            _ => Step::arbitrary(&mut u),
        };
        step.expect("bytes that run out are no error")
    })
}

/// Equality, except for the pixels of a bitmap.
fn alike(a: &Result<Reply, Error>, b: &Result<Reply, Error>) -> bool {
    match (a, b) {
        (Ok(Reply::Bitmap(a)), Ok(Reply::Bitmap(b))) => {
            (a.x, a.y, a.width, a.height, a.bgra.len())
                == (b.x, b.y, b.width, b.height, b.bgra.len())
        }
        _ => a == b,
    }
}

#[test]
fn calls_are_answered_as_by_a_device_that_draws_nothing() {
    let mut draws = 0;
    for seed in 0..sequences() {
        let small = Small::new(Options::default().memory);
        let nothing = NullBackend::counting().with_caps(small.caps().clone());
        let mut player = TestContext::over(small, options(seed));
        let mut twin = player.twin(nothing);
        for step in steps(seed) {
            for command in player.objects.commands(&step) {
                let (result, other) = (player.execute(&command), twin.execute(&command));
                assert!(alike(&result, &other), "seed {seed}: {command:?}: {result:?}, {other:?}");
            }
        }
        draws += player.context.backend().draws;
        let textures = player.objects.textures().to_vec();
        let backend = player.context.backend_mut();
        let mut out = Vec::new();
        for texture in textures {
            for (side, level) in (0..7).flat_map(|side| (0..5).map(move |level| (side, level))) {
                let surface = Surface::Texture { texture: texture.key(), side, level };
                let (width, height) = backend.read_pixels(surface, &mut out).expect("pixels");
                assert_eq!(out.len(), (width * height * 4) as usize);
            }
            backend.read_texels(texture.key(), 0, &mut out).expect("texels");
        }
    }
    assert!(draws >= sequences() / 2, "{draws} draws");
}

/// Without enough memory the renderer returns an error, and can continue.
#[test]
fn little_memory_is_an_error_and_no_more() {
    let mut refused = 0;
    for seed in 0..sequences() / 2 {
        let mut player = TestContext::over(Small::new(100_000), options(seed));
        for step in steps(seed) {
            for command in player.objects.commands(&step) {
                let result = player.execute(&command);
                refused += u64::from(result == Err(Error::Backend(BackendError::OutOfMemory)));
            }
        }
    }
    assert!(refused > 0);
}
