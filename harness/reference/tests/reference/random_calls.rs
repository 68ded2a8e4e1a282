//! Tests random calls: no call panics, and the replies equal those of a backend that draws nothing.

use context3d::Error;
use context3d::backend::{Backend as _, BackendError, ReadSurface};
use molehill_reference::{RasterOptions, ReferenceBackend};
use molehill_testing::TestContext;
use molehill_testing::random::{self, SmallTargets};

/// Default number of sequences; `MOLEHILL_RANDOM_CALLS=n` replaces it.
const SEQUENCES: u64 = 60;

fn small(memory: usize) -> SmallTargets<ReferenceBackend> {
    SmallTargets::new(ReferenceBackend::new(RasterOptions { memory, ..super::threads(2) }))
}

pub(crate) fn sequences() -> u64 {
    random::count(SEQUENCES)
}

#[test]
fn calls_are_answered_as_by_a_device_that_draws_nothing() {
    random::each_sequence(SEQUENCES, |sequence| {
        let small = small(RasterOptions::default().memory);
        let nothing = random::nothing(&small);
        let mut player = random::same_as_nothing(small, nothing, sequence)?;
        let textures = player.objects.textures().to_vec();
        let backend = player.context.backend_mut();
        let mut out = Vec::new();
        for texture in textures {
            for (side, level) in (0..7).flat_map(|side| (0..5).map(move |level| (side, level))) {
                let surface = ReadSurface::Texture { texture: texture.key(), side, level };
                let (width, height) = backend.read_pixels(surface, &mut out).expect("pixels");
                assert_eq!(out.len(), (width * height * 4) as usize);
            }
            backend.read_texels(texture.key(), 0, &mut out).expect("texels");
        }
        Ok(backend.draws)
    });
}

/// If memory is exhausted, the renderer returns an error and stays usable.
#[test]
fn little_memory_is_an_error_and_no_more() {
    random::each_sequence(SEQUENCES / 2, |sequence| {
        let mut player = TestContext::over(small(100_000), sequence.options);
        let mut refused = 0;
        for step in &sequence.steps {
            for command in player.objects.commands(step) {
                let result = player.execute(&command);
                refused += u64::from(result == Err(Error::Backend(BackendError::OutOfMemory)));
            }
        }
        Ok(refused)
    });
}
