use std::sync::atomic::{AtomicU32, Ordering};

use super::*;

#[test]
fn everything_is_done_once() {
    for threads in [0, 1, 2, 5] {
        let mut items = [0u8; 100];
        let states = AtomicU32::new(0);
        let state = || states.fetch_add(1, Ordering::Relaxed);
        each(threads, items.iter_mut(), state, |_, item| *item += 1);
        assert!(items.iter().all(|item| *item == 1));
        assert!((1..=5).contains(&states.into_inner()));
    }
}
