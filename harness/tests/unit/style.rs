use super::*;

#[test]
fn verdicts_and_carets_are_painted() {
    let (good, bad) = (GOOD.render(), BAD.render());
    let reset = GOOD.render_reset();
    for (text, painted) in [
        ("x: accepted\n", format!("x: {good}accepted{reset}\n")),
        ("refused   a.bin  valid\n", format!("{bad}refused{reset}   a.bin  {good}valid{reset}\n")),
        ("  ^\n", format!("  {bad}^{reset}\n")),
        ("fail: api.x: 3 pixels differ\n", format!("{bad}fail{reset}: api.x: 3 pixels differ\n")),
    ] {
        assert_eq!(paint(text), painted);
    }
    for text in ["", "valid programs\n", "1 passed, 0 failed", "a ^ b\n", "\n\n"] {
        assert_eq!(paint(text), text);
    }
}
