//! What `cargo xtask kube up` starts: it outlives the call, is found again with its data, and goes
//! when it is taken down.

use std::fs;
use std::path::Path;
use std::process::Command;

use cluster::{Binaries, Fleet, Standing};

#[test]
fn a_standing_control_plane_comes_back_with_its_data_and_goes_when_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plane");
    let end = TakenDown(&path);

    let standing = Standing::up(&path, None, None, None).unwrap();
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

    let again = Standing::up(&path, None, None, None).unwrap();
    assert_eq!(again.server(), standing.server());
    assert_eq!(pid(&path, "kube-apiserver"), Some(apiserver));

    let kill = Command::new("kill").args(["-KILL", &apiserver.to_string()]).status();
    assert!(kill.unwrap().success());
    Standing::up(&path, None, None, None).unwrap();
    kubectl(&["get", "namespace", "kept"]);
    assert_ne!(pid(&path, "kube-apiserver"), Some(apiserver));

    assert_eq!(Standing::down(&path).unwrap(), ["kube-apiserver", "etcd"]);
    assert!(Standing::down(&path).unwrap().is_empty());
    drop(end);
}

#[test]
fn a_standing_fleet_is_started_where_there_was_none_and_comes_back_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plane");
    let end = TakenDown(&path);
    Standing::up(&path, None, None, None).unwrap();
    let plain = pid(&path, "kube-apiserver");
    assert_eq!(pid(&path, "kwok"), None);

    // The apiserver must know of it as well.
    Standing::up(&path, None, None, Some(Fleet { speed: 10, ..Fleet::default() })).unwrap();
    assert_ne!(pid(&path, "kube-apiserver"), plain);
    let kwok = pid(&path, "kwok").unwrap();
    let manager = pid(&path, "kube-controller-manager").unwrap();

    let kill = Command::new("kill").args(["-KILL", &kwok.to_string()]).status();
    assert!(kill.unwrap().success());
    Standing::up(&path, None, None, None).unwrap();
    assert_ne!(pid(&path, "kwok"), Some(kwok));
    assert_eq!(pid(&path, "kube-controller-manager"), Some(manager));

    let servers = ["kwok", "kube-scheduler", "kube-controller-manager", "kube-apiserver", "etcd"];
    assert_eq!(Standing::down(&path).unwrap(), servers);
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
