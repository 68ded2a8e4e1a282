//! The command line.

use super::*;

#[test]
fn the_command_line_is_sound() {
    command().debug_assert();
}
