use super::*;

#[test]
fn the_format_can_be_said() {
    let of = |bytes: &[u8], format| content(bytes.to_vec(), Some(format));
    assert_eq!(of(b"0b 01", FileFormat::Hex), Ok(Content::Bytes(vec![0x0b, 1])));
    assert_eq!(of(b"b001", FileFormat::Raw), Ok(Content::Bytes(b"b001".to_vec())));
    assert_eq!(of(b"a001", FileFormat::Text), Ok(Content::Text("a001".to_owned())));
    assert_eq!(of(b"AAEC", FileFormat::Base64), Ok(Content::Bytes(vec![0, 1, 2])));
    assert!(of(b"b0z1", FileFormat::Hex).is_err());
    assert!(of(b"b00", FileFormat::Hex).is_err());
    assert!(of(b"*", FileFormat::Base64).is_err());
    assert!(of(&[0xff], FileFormat::Text).is_err());
}
