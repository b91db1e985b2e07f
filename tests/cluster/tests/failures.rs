//! The committed list of Kubernetes' failures is what its sources say, as `failures/` reads them with Go.

use std::path::Path;
use std::process::Command;

#[test]
fn the_list_of_failures_is_what_the_sources_of_kubernetes_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new("go")
        .args(["run", "./failures"])
        .current_dir(folder)
        .envs([("GOWORK", "off"), ("GOFLAGS", "-buildvcs=false")])
        .output()
        .unwrap_or_else(|error| panic!("go, from https://go.dev/dl/, can't be run: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let written = String::from_utf8(output.stdout).unwrap();
    let committed = include_str!("../../fixtures/failures.json");
    let differs = written.lines().zip(committed.lines()).find(|(written, committed)| written != committed);
    assert!(
        written == committed,
        "tests/fixtures/failures.json differs ({differs:?}): go run ./failures > ../fixtures/failures.json"
    );
}
