use super::*;

#[test]
fn bits_come_in_order_and_end_in_zeros() {
    let data: Vec<u8> = (0..40u8).map(|n| n.wrapping_mul(37)).collect();
    let mut reader = BitReader::new(&data, 3);
    let mut expected = 24;
    for count in (0..=32u8).cycle().take(40) {
        let mut bits = 0u32;
        for at in expected..expected + usize::from(count) {
            let bit = data.get(at / 8).map_or(0, |byte| byte >> (7 - at % 8) & 1);
            bits = bits << 1 | u32::from(bit);
        }
        expected += usize::from(count);
        assert_eq!(reader.bits(u32::from(count)), bits);
        assert_eq!(reader.position(), expected as u64);
        assert_eq!(reader.overrun(), expected > 320);
    }
    assert!(reader.overrun());
}

#[test]
fn signs_follow_magnitudes_that_are_not_zero() {
    let mut reader = BitReader::new(&[0b0011_1010, 0b1000_0000], 0);
    assert_eq!(reader.signed(2), 0);
    assert_eq!(reader.signed(2), -3);
    assert_eq!(reader.signed(2), 1);
    assert_eq!(reader.position(), 8);
}
