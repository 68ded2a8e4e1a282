//! Tests the conversion of colours that are read back.

use super::floats_to_bytes;

#[test]
fn floats_are_clamped_and_rounded() {
    let floats = [0.0f32, 1.0, 0.5, -3.0, 7.0, f32::NAN];
    let mut data: Vec<u8> = floats.iter().flat_map(|f| f.to_ne_bytes()).collect();
    floats_to_bytes(&mut data);
    assert_eq!(data, [0, 255, 128, 0, 255, 0]);
}
