//! Tests formatting of numbers.

use super::{count, float};

#[test]
fn numbers_are_short() {
    assert_eq!(count(1_234_567), "1,234,567");
    assert_eq!(count(12), "12");
    assert_eq!(float(0.5), "0.5");
    assert_eq!(float(-3.0), "-3");
    assert_eq!(float(1e-9), "1e-9");
    assert_eq!(float(f32::NAN), "NaN");
}
