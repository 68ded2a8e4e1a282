//! Tests the indices of sampler states.

use super::{FILTERS, MIPS, WRAPS, index};
use context3d::enums::{FlashName as _, MipFilter, TextureFilter, WrapMode};
use context3d::packets::SamplerState;

#[test]
fn every_state_has_its_own_slot() {
    let mut seen = [false; WRAPS * FILTERS * MIPS];
    for &(wrap, _) in WrapMode::NAMES {
        for &(filter, _) in TextureFilter::NAMES {
            for &(mip, _) in MipFilter::NAMES {
                let slot = &mut seen[index(SamplerState { wrap, filter, mip })];
                assert!(!*slot);
                *slot = true;
            }
        }
    }
    assert!(seen.iter().all(|slot| *slot));
}
