//! Tests the constants of the checksum.

use super::*;

#[test]
fn constants_are_md5s() {
    assert_eq!(sine(0), 0xd76a_a478);
    assert_eq!(sine(31), 0x8d2a_4c8a);
    assert_eq!(sine(63), 0xeb86_d391);
}
