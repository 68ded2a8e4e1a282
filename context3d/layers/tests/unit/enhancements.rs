//! Tests of the options of `EnhancedBackend`.

use super::*;

fn read(given: &[(&str, &str)]) -> Result<Enhancements, String> {
    let value = |name: &str| given.iter().find(|(it, _)| *it == name);
    Enhancements::from_variables(|name| value(name).map(|(_, text)| (*text).to_owned()))
}

#[test]
fn variables_are_options_or_errors() {
    assert_eq!(read(&[]), Ok(Enhancements::default()));
    let all = [("MOLEHILL_SCALE", "8"), ("MOLEHILL_SAMPLES", " 3"), ("MOLEHILL_ANISOTROPY", "16")];
    let options = Enhancements { scale: 8, samples: 3, anisotropy: 16 };
    assert_eq!(read(&all), Ok(options));
    for (name, text) in
        [("SCALE", "9"), ("SCALE", "0"), ("SAMPLES", "17"), ("ANISOTROPY", "3"), ("SCALE", "two")]
    {
        let name = format!("MOLEHILL_{name}");
        let error = read(&[(&name, text)]).unwrap_err();
        assert!(error.starts_with(&format!("{name} is {text:?}; expected 1")), "{error}");
    }
}

/// The page for hosts lists all environment variables.
#[test]
fn the_page_lists_the_variables() {
    let page = include_str!("../../../PLUGIN.md");
    for (name, values, meaning) in VARIABLES {
        assert!(page.contains(&format!("| `{name}` | {values} | {meaning} |")), "{name}");
    }
}
