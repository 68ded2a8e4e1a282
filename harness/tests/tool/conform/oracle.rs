//! Tests runs without an oracle renderer, or with the tested renderer as the oracle.

use super::{conform, folder, text};

/// Without an oracle renderer, the cases that need one are skipped, and the output contains their number.
#[test]
fn cases_that_need_another_renderer_are_left_out() {
    let folder = folder("oracle-none");
    let filters = ["--filter", "texture.wrap.linear.mipnone", "--filter", "api.scissor.all"];
    let run = |more: &[&str]| {
        conform(&folder, &[&["--backend", "reference"], &filters[..], more].concat())
    };
    let listed = |oracle| {
        let list = ["list", "--backend", "reference", "--oracle", oracle];
        text(&conform(&folder, &[&list, &filters[..]].concat())).lines().count()
    };
    let (all, left) = (listed("reference"), listed("none"));
    assert!(0 < left && left < all, "{left} of {all}");
    let output = run(&["--oracle", "none"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let said = format!("\n{} cases that need another renderer are left out\n", all - left);
    assert!(text(&output).contains(&said), "{}", text(&output));
    let json: serde_json::Value =
        serde_json::from_slice(&run(&["--oracle", "none", "--json"]).stdout).unwrap();
    assert_eq!((&json["leftOut"], &json["ran"]), (&(all - left).into(), &left.into()));
    assert_eq!(json["renderer"], "the reference renderer");
    let stored = &json["evidence"]["oracles"][0];
    assert_eq!((&stored["oracle"], &stored["images"]), (&"storedImages".into(), &left.into()));
    // If the tested renderer is the oracle, nothing is tested, which is an error unless it is allowed.
    let output = run(&["--oracle", "reference"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    let output = run(&["--oracle", "reference", "--allow-untested"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let said = format!("{left} pass, {} allowed untested, ", all - left);
    assert!(text(&output).contains(&said), "{}", text(&output));
}
