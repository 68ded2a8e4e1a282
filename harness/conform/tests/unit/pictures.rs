use super::*;

#[test]
fn every_row_is_a_scene_with_a_reason() {
    let cases = crate::cases::all();
    assert!(rows().len() >= 200, "{}", rows().len());
    for (name, row) in rows() {
        let case = cases.iter().find(|case| case.name == *name);
        let case = case.unwrap_or_else(|| panic!("no case {name}"));
        assert!(matches!(case.body, CaseBody::Scene(_)), "{name}");
        assert!(row.reason.len() > 20, "{name}: {}", row.reason);
        assert_eq!(tiles(row).len(), row.count, "{name}");
    }
    // Reading and writing the sheet of expected images preserves all tiles.
    let (table, sheet, unfit) = bless(&[], "").unwrap();
    assert_eq!((table.as_str(), unfit.len()), (ROWS, 0));
    assert_eq!(decode_png(&sheet).unwrap(), decode_png(SHEET).unwrap());
}
