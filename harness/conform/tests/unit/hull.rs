use super::*;
use agal::glsl::Dialect;
use molehill_testing::probe::hull::TessellationContext;

/// A hull shader case must not pass if nothing was compared.
#[test]
fn a_shader_of_which_nothing_is_compared_has_no_evidence() {
    let mut context = match TessellationContext::open(Dialect::Glsl400) {
        Ok(context) => context,
        Err(TessellationError::Unsupported(what)) => return println!("skipped: {what}"),
        Err(error) => panic!("{error}"),
    };
    let compared = |context: &mut TessellationContext| {
        let found = HullCase::Programs("move").run(context);
        assert_eq!(found.failures, [""; 0]);
        found.compared.iter().map(|(_, tally)| tally.total()).sum::<u64>()
    };
    assert!(compared(&mut context) > 0);
    // A deliberate error without effect is no evidence about the driver.
    context.change = Some(Box::new(|_, text| Some(text.to_owned())));
    assert_eq!(compared(&mut context), 0);
}
