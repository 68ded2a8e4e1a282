//! The tool's commands as a user types them: each file in `cmd` shows commands with what they print. `TRYCMD=overwrite`
//! writes what they print now.

#[test]
fn commands_print_what_the_pages_show() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}
