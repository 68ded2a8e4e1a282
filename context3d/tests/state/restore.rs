//! Any sequence of calls on devices that go and come: as if nothing had happened.

use std::cell::Cell;

use context3d::script::{Contract, Player};
use context3d::{BackendError, Keep, Restoring};
use proptest::prelude::*;

use super::{options, steps};

/// Devices that are lost after so many packets, one after another; the last one stays.
fn mortal(lives: Vec<u32>) -> impl FnMut() -> Result<Contract, BackendError> {
    let mut lives = lives.into_iter();
    move || {
        let mut device = Contract::new();
        device.failure = lives.next().map(|packets| (packets, BackendError::Lost));
        Ok(device)
    }
}

fn keep() -> impl Strategy<Value = Keep> {
    (any::<bool>(), prop::sample::select(vec![0, 5000, 1 << 20])).prop_map(
        |(rendered_textures, frame_bytes)| Keep {
            rendered_textures,
            frame_bytes,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    /// Replies are the same, every packet that a new device gets keeps its promises, and it holds what the old one held.
    #[test]
    fn losses_are_not_noticed(
        options in options(),
        steps in steps(80),
        lives in prop::collection::vec(0u32..120, 0..3),
        keep in keep(),
    ) {
        let backend = Restoring::new(mortal(lives), keep);
        let mut player = Player::over(backend.expect("opens"), options);
        let mut twin = Player::over(Contract::new(), options);
        for step in &steps {
            for command in twin.pools.commands(step) {
                prop_assert_eq!(player.execute(&command), twin.execute(&command), "{:?}", command);
            }
        }
        let restoring = player.context.backend();
        restoring.backend().holds_the_same(twin.context.backend());
    }
}

#[test]
fn a_device_that_stays_away_is_lost() {
    let asked = Cell::new(0);
    let open = || {
        asked.set(asked.get() + 1);
        match asked.get() {
            1 => mortal(vec![3])(),
            _ => Err(BackendError::Lost),
        }
    };
    let restoring = Restoring::new(open, Keep::default()).expect("opens");
    let options = context3d::ContextOptions {
        profile: context3d::Profile::Standard,
        swf_version: 50,
    };
    // The scene's first objects are too much for it.
    let player = Player::over(restoring, options);
    assert!(player.context.is_disposed());
    assert_eq!(asked.get(), 4);
}

#[test]
fn a_lesser_device_is_refused() {
    let mut first = true;
    let open = || {
        let mut device = Contract::new();
        if std::mem::take(&mut first) {
            device.failure = Some((3, BackendError::Lost));
        } else {
            device.caps.max_texture_size = 16;
        }
        Ok(device)
    };
    let restoring = Restoring::new(open, Keep::default()).expect("opens");
    let options = context3d::ContextOptions {
        profile: context3d::Profile::Standard,
        swf_version: 50,
    };
    assert!(Player::over(restoring, options).context.is_disposed());
}
