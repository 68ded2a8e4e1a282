//! Tests of tables as text.

use molehill_replay::table::{aligned, cells};

#[test]
fn columns_are_as_wide_as_their_widest_cell() {
    let lines = ["name bytes of", "é 7", "longer 1234 all"].map(cells);
    assert_eq!(
        aligned(&lines, "<>").concat(),
        "name    bytes  of\né           7\nlonger   1234  all\n"
    );
    assert_eq!(aligned(&lines[1..], "").concat(), "é       7\nlonger  1234  all\n");
    assert_eq!(aligned(&[], "<"), [""; 0]);
}
