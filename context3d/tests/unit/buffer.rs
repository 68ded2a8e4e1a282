//! Tests of buffer contents.

use super::*;

#[test]
fn the_largest_index_of_any_range() {
    let values: Vec<u16> = (0..300u16).map(|i| i.wrapping_mul(7919) % 1000).collect();
    let mut buffer = IndexBuffer::new(values.len());
    buffer.write(0, values[..100].iter().copied());
    buffer.write(100, values[100..].iter().copied());
    assert_eq!(buffer.max(), *values.iter().max().unwrap());
    for first in 0..values.len() {
        for count in [0, 1, 3, 63, 64, 65, 128, 129, 200, 299] {
            let Some(range) = values.get(first..first + count) else {
                continue;
            };
            assert_eq!(buffer.max_of(first, count), largest(range), "{first}+{count}");
        }
    }
}

#[test]
fn overwriting_lowers_the_maximum() {
    let mut buffer = IndexBuffer::new(200);
    buffer.write(130, [900].into_iter());
    assert_eq!((buffer.max(), buffer.max_of(0, 130), buffer.max_of(0, 131)), (900, 0, 900));
    buffer.write(130, [1].into_iter());
    assert_eq!(buffer.max(), 1);
    buffer.write(199, [5, 6, 7].into_iter());
    buffer.write(usize::MAX, [9].into_iter());
    assert_eq!(buffer.max(), 5);
}
