//! Compares the demo's image in the README with OpenGL and OpenGL ES.

use std::path::Path;
use std::process::Command;

/// The frame of the demo that the README shows.
const SHOWN_FRAME: u32 = 12;

fn path(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("captures").join(name);
    path.to_string_lossy().into_owned()
}

/// Drivers round differently, mostly at edges and between mip levels. A wrong face, blend or mirror image changes tens
/// of thousands of pixels.
#[test]
fn every_kind_of_opengl_draws_the_picture_of_the_readme() {
    for api in [&[][..], &["--gles"]] {
        let frame = SHOWN_FRAME.to_string();
        let output = Command::new(env!("CARGO_BIN_EXE_molehill"))
            .args(["replay", &path("knot.s3d.jsonl"), "--expect", &path("knot.png")])
            .args(["--frame", &frame, "--tolerance", "16", "--max-outliers", "2500", "--strict"])
            .args(api)
            .current_dir(env!("CARGO_TARGET_TMPDIR"))
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{api:?}: {}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
}
