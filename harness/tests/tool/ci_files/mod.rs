//! Runs the shell text of the files for CI systems and releases; what the systems do, moving files, is done here.

mod conform;
mod release;
mod scripts;

use scripts::{scripts, shell, succeeds};

#[test]
fn every_script_is_one_that_a_shell_can_read() {
    let folder = scripts::folder("syntax");
    let ci = release::workflow("ci.yml");
    let nightly = release::workflow("nightly.yml");
    let release = release::workflow("release.yml");
    let files = [
        (conform::GITHUB, 6),
        (conform::KUBERNETES, 1),
        (ci.as_str(), 7),
        (nightly.as_str(), 1),
        (release.as_str(), 7),
    ];
    for (file, count) in files {
        let scripts = scripts(file);
        assert_eq!(scripts.len(), count, "{scripts:?}");
        for script in scripts {
            // GitHub replaces its expressions before the shell runs.
            let script = script.replace("${{", "").replace("}}", "");
            succeeds(&shell(&folder, &["bash", "-n", "-c"], &script, &[]));
        }
    }
    let wrong = shell(&folder, &["sh", "-n", "-c"], "if true; then", &[]);
    assert!(!wrong.status.success());
}
