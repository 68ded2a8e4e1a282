use super::*;

#[test]
fn every_half_comes_back() {
    for half in 0..=u16::MAX {
        let float = half_to_float(half);
        if float.is_nan() {
            assert!(half_to_float(float_to_half(float)).is_nan());
        } else {
            assert_eq!(float_to_half(float), half, "{float}");
        }
    }
}

#[test]
fn halves_round_to_nearest_even() {
    for half in 0..0x7BFFu16 {
        let (low, high) = (half_to_float(half), half_to_float(half + 1));
        let middle = f32::midpoint(low, high);
        assert_eq!(float_to_half(middle), half + (half & 1), "{middle}");
        assert_eq!(float_to_half(middle.next_down()), half);
        assert_eq!(float_to_half(middle.next_up()), half + 1);
    }
    assert_eq!(float_to_half(65519.0), 0x7BFF);
    assert_eq!(float_to_half(65520.0), 0x7C00);
    assert_eq!(float_to_half(f32::NEG_INFINITY), 0xFC00);
}

#[test]
fn floors_are_those_of_the_library() {
    for value in [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, -1.5, 8_388_607.5, -8_388_607.5, 1e9, -1e9] {
        let (whole, rest) = split(value);
        assert_eq!((whole as f32, rest), (value.floor(), value - value.floor()), "{value}");
        for small in [value, value / 256.0, value.next_up(), value.next_down()] {
            let lanes = split_lanes([small, 0.0, 1.5, -0.25]);
            assert_eq!(lanes, unzip(map([small, 0.0, 1.5, -0.25], split)));
        }
    }
    assert_eq!([floor(f32::NAN), floor(1e30), floor(-1e30)], [0, i32::MAX, i32::MIN]);
    assert!(split(f32::INFINITY).1.is_nan());
}

#[test]
fn bytes_and_depths_come_back() {
    for byte in 0..=u8::MAX {
        assert_eq!(unorm(f32::from(byte) / 255.0, 255), byte);
    }
    assert_eq!((unorm(f32::NAN, 255), unorm(-1.0, 255), unorm(9.0, 31)), (0, 0, 31));
    assert_eq!((depth(0.0), depth(1.0), depth(f64::NAN)), (0, DEPTH_MAX, 0));
}
