use super::*;

#[test]
fn what_is_wrong_is_told() {
    let wrong = |bytes: &[u8]| shader(bytes.to_vec(), "x").unwrap_err();
    assert!(wrong(b"DXBC\0\0\0\0").contains("DXBC"));
    assert!(wrong(&[0xa0, 1, 0, 0, 0, 0xa1, 0]).contains("molehill agal"));
    assert!(
        wrong(b"ps_2_0\nmvo r0").contains("x:2:1: unknown instruction `mvo`; did you mean `mov`?")
    );
    assert!(wrong(b"").contains("no bytes") || wrong(b"").contains("a version"));
}
