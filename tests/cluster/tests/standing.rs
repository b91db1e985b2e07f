//! What `cargo xtask kube up` starts: it outlives the call, is found again with its data, and goes
//! when it is taken down.

use std::fs;
use std::path::Path;
use std::process::Command;

use cluster::{Binaries, Standing};

#[test]
fn a_standing_control_plane_comes_back_with_its_data_and_goes_when_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plane");
    let end = TakenDown(&path);

    let standing = Standing::up(&path, None, None).unwrap();
    let kubectl = |arguments: &[&str]| {
        let output = Command::new(Binaries::ensure().unwrap().kubectl)
            .args(arguments)
            .env("KUBECONFIG", standing.kubeconfig())
            .env("KUBECACHEDIR", path.join("kubectl-cache"))
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    kubectl(&["create", "namespace", "kept"]);
    let apiserver = pid(&path, "kube-apiserver").unwrap();

    let again = Standing::up(&path, None, None).unwrap();
    assert_eq!(again.server(), standing.server());
    assert_eq!(pid(&path, "kube-apiserver"), Some(apiserver));

    let kill = Command::new("kill").args(["-KILL", &apiserver.to_string()]).status();
    assert!(kill.unwrap().success());
    Standing::up(&path, None, None).unwrap();
    kubectl(&["get", "namespace", "kept"]);
    assert_ne!(pid(&path, "kube-apiserver"), Some(apiserver));

    assert_eq!(Standing::down(&path).unwrap(), ["kube-apiserver", "etcd"]);
    assert!(Standing::down(&path).unwrap().is_empty());
    drop(end);
}

/// Takes it down also when the test fails.
struct TakenDown<'a>(&'a Path);

impl Drop for TakenDown<'_> {
    fn drop(&mut self) {
        let _ = Standing::down(self.0);
    }
}

fn pid(folder: &Path, name: &str) -> Option<u32> {
    let text = fs::read_to_string(folder.join(format!("{name}.pid"))).ok()?;
    text.parse().ok()
}
