use super::*;

#[test]
fn vectors_are_filled_up() {
    let vector = |text| vector(text, MISSING);
    assert_eq!(vector("1"), Ok([1.0, 0.0, 0.0, 1.0]));
    assert_eq!(vector("-1, .5,1e3"), Ok([-1.0, 0.5, 1000.0, 1.0]));
    assert!(vector("nan").unwrap()[0].is_nan());
    assert_eq!(vector("-inf").unwrap()[0], f32::NEG_INFINITY);
    for text in ["", "1,", "x", "1,2,3,4,5", "a.png"] {
        assert!(vector(text).is_err(), "{text:?}");
    }
}

#[test]
fn one_value_or_four() {
    let instances = spread::<u32, 4>;
    assert_eq!(instances("7", number), Ok([7; 4]));
    assert_eq!(instances("1/2/3/4", number), Ok([1, 2, 3, 4]));
    for text in ["", "1/2", "1/2/3/4/5", "-1", "1.5"] {
        assert!(instances(text, number).is_err(), "{text:?}");
    }
    let each: [[f32; 4]; 4] = spread("1/2/3/4", |text| vector(text, MISSING)).unwrap();
    assert_eq!(each[2], [3.0, 0.0, 0.0, 1.0]);
}
