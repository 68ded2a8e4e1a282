use super::*;

#[test]
fn wishes_are_met_as_far_as_possible() {
    let samples = |asked, most| pattern(asked, most).len();
    assert_eq!(
        [0, 1, 2, 3, 4, 5, 16, 255].map(|asked| samples(asked, 16)),
        [1, 1, 2, 4, 4, 8, 16, 16]
    );
    assert_eq!([2, 4, 16].map(|asked| samples(asked, 4)), [2, 4, 4]);
    assert_eq!([0, 16].map(|most| samples(16, most)), [1, 16]);
}

#[test]
fn samples_lie_in_their_pixel_each_in_a_row_and_column_of_its_own() {
    for most in [2, 4, 8, 16] {
        let pattern = pattern(most, MAX_SAMPLES);
        for axis in [|(x, _): &(i64, i64)| *x, |(_, y): &(i64, i64)| *y] {
            let mut places: Vec<i64> = pattern.iter().map(axis).collect();
            assert!(places.iter().all(|place| (0..256).contains(place)));
            places.sort_unstable();
            places.dedup();
            assert_eq!(places.len(), pattern.len());
        }
    }
}
