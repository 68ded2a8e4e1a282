use super::*;

#[test]
fn what_is_dropped_can_be_had_again() {
    let budget = Budget::new(100);
    let first: ChargedItems<u32> = budget.buffer(20).unwrap();
    assert_eq!(budget.buffer::<u32>(6).map(|_| ()), Err(BackendError::OutOfMemory));
    let second: ChargedItems<u32> = budget.buffer(5).unwrap();
    drop((first, second));
    assert_eq!(budget.buffer::<u8>(100).unwrap().len(), 100);
    assert_eq!(budget.buffer::<u64>(usize::MAX).map(|_| ()), Err(BackendError::OutOfMemory));
}

#[test]
fn only_copies_that_are_written_are_held_twice() {
    let budget = Budget::new(100);
    let held = || budget.held().1;
    let first: ChargedItems<u32> = budget.buffer(10).unwrap();
    let mut second = first.clone();
    assert_eq!(held(), 40);
    second[0] = 1;
    assert_eq!(held(), 80);
    drop(first);
    assert_eq!(held(), 40);
    drop(second);
    assert_eq!(held(), 0);
    assert_eq!(budget.buffer::<u8>(100).unwrap().len(), 100);
}
