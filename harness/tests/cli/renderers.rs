//! Who draws: `--backend`.

use std::fs;

use super::{HEADER, folder, molehill, stderr, stdout};

/// Makes a context, clears it and shows it.
const CALLS: &str = r#"{"call":"requestContext3D","on":1,"stage3DIndex":0,"context3DRenderMode":"auto","profile":"baseline","result":2}
{"call":"configureBackBuffer","on":2,"width":50,"height":50,"antiAlias":0,"enableDepthAndStencil":false,"wantsBestResolution":false,"wantsBestResolutionOnBrowserZoom":false}
{"call":"clear","on":2,"red":1,"green":0,"blue":0,"alpha":1,"depth":1,"stencil":0,"mask":4294967295}
{"call":"present","on":2}
{"frame":0}
"#;

/// A variable that hides all drivers from libEGL.
const NO_DRIVER: (&str, &str) = ("__EGL_VENDOR_LIBRARY_DIRS", "/nonexistent");

#[test]
fn without_opengl_the_reference_renderer_draws_and_says_so() {
    let folder = folder("without_opengl");
    fs::write(folder.join("c"), format!("{HEADER}\n{CALLS}")).unwrap();
    let replay = |backend: &[&str]| {
        let arguments = [&["replay", "c", "--json", "--threads", "2"], backend].concat();
        let mut command = molehill(&folder, &arguments);
        command.env(NO_DRIVER.0, NO_DRIVER.1).output().unwrap()
    };
    for (backend, told) in [
        (&["--backend", "auto"][..], 1),
        (&[], 1),
        (&["--backend", "reference"], 0),
    ] {
        let output = replay(backend);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(stdout(&output).contains("\"driver\": \"reference renderer\""));
        assert_eq!(stderr(&output).lines().count(), told, "{}", stderr(&output));
    }
    let output = replay(&["--backend", "gl"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("OpenGL"));
}

#[test]
fn what_is_no_backend_is_refused() {
    let folder = folder("what_is_no_backend_is_refused");
    fs::write(folder.join("c"), format!("{HEADER}\n{CALLS}")).unwrap();
    for arguments in [
        ["--backend", "metal"],
        ["--threads", "0"],
        ["--samples", "17"],
    ] {
        let arguments = [&["replay", "c"], &arguments[..]].concat();
        let output = molehill(&folder, &arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}
