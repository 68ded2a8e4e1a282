//! Tests the detection of anomalous frames.

use super::stands_out;

#[test]
fn a_frame_stands_out_from_its_neighbours() {
    let mut values = vec![Some(10.0); 20];
    assert!((0..20).all(|frame| !stands_out(&values, frame)));
    values[9] = Some(2.0);
    values[15] = Some(11.0);
    let found: Vec<usize> = (0..20).filter(|frame| stands_out(&values, *frame)).collect();
    assert_eq!(found, [9], "a tenth more does not");
    values[9] = None;
    assert!(!stands_out(&values, 9) && !stands_out(&values, 40));
    assert!(!stands_out(&[Some(1.0), Some(9.0)], 1), "two frames are too few");
}
