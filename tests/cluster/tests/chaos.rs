//! What tests do to a control plane on purpose, each seen by a client: history is lost, resourceVersions
//! go back, a credential is exchanged.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use cluster::{Binaries, ControlPlane, Options};
use serde_json::Value;

#[test]
fn after_a_compaction_older_resource_versions_are_expired() {
    let mut plane = ControlPlane::start(Options::default()).unwrap();
    plane.kubectl_output(&["create", "configmap", "first"]).unwrap();
    let first = resource_version(&plane, "configmap/first");
    plane.kubectl_output(&["create", "configmap", "second"]).unwrap();
    let at_first = format!(
        "/api/v1/namespaces/default/configmaps?resourceVersionMatch=Exact&limit=500&resourceVersion={first}"
    );
    // Without its cache the apiserver has the past from etcd alone.
    plane.kill_apiserver().unwrap();
    plane.start_apiserver().unwrap();
    let past = plane.kubectl_output(&["get", "--raw", &at_first]).unwrap();
    assert!(past.contains("first") && !past.contains("second"), "{past}");

    let revision = plane.compact_etcd().unwrap();
    assert!(revision >= resource_version(&plane, "configmap/second"));
    plane.kill_apiserver().unwrap();
    plane.start_apiserver().unwrap();
    let error = plane.kubectl_output(&["get", "--raw", &at_first]).unwrap_err().to_string();
    assert!(error.contains("too old resource version") || error.contains("Expired"), "{error}");
    plane.kubectl_output(&["get", "configmap/first", "configmap/second"]).unwrap();
}

#[test]
fn after_a_restore_the_objects_and_the_resource_versions_of_that_time_are_back() {
    let mut plane = ControlPlane::start(Options::default()).unwrap();
    plane.kubectl_output(&["create", "configmap", "before"]).unwrap();
    let snapshot = plane.snapshot_etcd().unwrap();
    plane.kubectl_output(&["create", "configmap", "after"]).unwrap();
    plane.kubectl_output(&["delete", "configmap", "before"]).unwrap();
    let lost = resource_version(&plane, "configmap/after");

    plane.restore_etcd(&snapshot).unwrap();
    plane.kill_apiserver().unwrap();
    plane.start_apiserver().unwrap();
    let before = resource_version(&plane, "configmap/before");
    assert!(plane.kubectl_output(&["get", "configmap/after"]).is_err());
    assert!(before < lost, "{before} is not older than {lost}");

    // A snapshot can be used again.
    plane.restore_etcd(&snapshot).unwrap();
    plane.kill_apiserver().unwrap();
    plane.start_apiserver().unwrap();
    assert_eq!(resource_version(&plane, "configmap/before"), before);
}

#[test]
fn a_rotated_credential_works_at_once_and_the_old_one_soon_no_more() {
    let plane = ControlPlane::start(Options::default()).unwrap();
    let mut credential = plane.credential("watcher").unwrap();
    for kubeconfig in [credential.kubeconfig(), credential.kubeconfig_exec()] {
        assert_eq!(who_am_i(&kubeconfig).unwrap(), credential.user());
    }
    let old = std::fs::read_to_string(credential.kubeconfig()).unwrap();
    let old: Value = serde_json::from_str(&old).unwrap();
    let token_file = old["users"][0]["user"]["tokenFile"].as_str().unwrap();
    let stolen = plane.folder().join("stolen");
    std::fs::copy(token_file, &stolen).unwrap();
    let old = old.to_string().replace(token_file, &stolen.display().to_string());
    let kubeconfig_of_old = plane.folder().join("kubeconfig-of-old");
    std::fs::write(&kubeconfig_of_old, old).unwrap();
    assert_eq!(who_am_i(&kubeconfig_of_old).unwrap(), credential.user());

    credential.rotate().unwrap();
    for kubeconfig in [credential.kubeconfig(), credential.kubeconfig_exec()] {
        assert_eq!(who_am_i(&kubeconfig).unwrap(), credential.user());
    }
    let start = Instant::now();
    let refused = loop {
        match who_am_i(&kubeconfig_of_old) {
            Err(refused) => break refused,
            Ok(_) => assert!(start.elapsed() < Duration::from_secs(60), "the old token is still accepted"),
        }
    };
    assert!(refused.contains("Unauthorized") || refused.contains("logged in"), "{refused}");
}

#[expect(clippy::unwrap_used, reason = "a step that fails is a failed test")]
fn resource_version(plane: &ControlPlane, object: &str) -> i64 {
    let version = plane.kubectl_output(&["get", object, "-o=jsonpath={.metadata.resourceVersion}"]).unwrap();
    version.parse().unwrap()
}

#[expect(clippy::unwrap_used, reason = "a step that fails is a failed test")]
fn who_am_i(kubeconfig: &Path) -> Result<String, String> {
    let output = Command::new(Binaries::ensure().unwrap().kubectl)
        .args(["auth", "whoami", "-o=jsonpath={.status.userInfo.username}"])
        .env("KUBECONFIG", kubeconfig)
        .env("KUBECACHEDIR", kubeconfig.with_extension("cache"))
        .output()
        .unwrap();
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}
