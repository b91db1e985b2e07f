//! `cargo xtask run`: from a clean clone to a URL that works.

use std::env;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::build::{self, Page};
use crate::commands::{program, say};

/// Where the cluster comes from, in the order in which Kubernetes' own clients look.
#[derive(Debug, PartialEq, Eq)]
enum ClusterFrom {
    Flags,
    Demo,
    Kubeconfig(PathBuf),
    InCluster,
    Nothing,
}

/// Becomes the gateway, so that Ctrl-C and the exit code are its own.
///
/// Page and gateway are those that compile fast unless those that ship are asked for: the reader waits for the first
/// page.
pub(crate) fn run(demo: bool, release: bool, flags: Vec<String>) -> Result<()> {
    let source = ClusterFrom::find(demo, &flags, |name| env::var(name).ok(), Path::is_file);
    let gateway = if release {
        build::release(Page::Release)?
    } else {
        let gateway = build::plain()?;
        say("what ships has a smaller and faster page: cargo xtask run --release");
        gateway
    };
    say(&source.explanation());
    let mut serve = program(&gateway);
    serve.arg("serve").args(flags);
    if source.needs_demo_flag() {
        serve.arg("--demo");
    }
    // What would be relative to the folder of the user, like --kubeconfig, must stay so.
    serve.current_dir(env::current_dir()?);
    let error = serve.exec();
    Err(error).with_context(|| format!("start {}", gateway.display()))
}

impl ClusterFrom {
    fn find(
        demo: bool,
        flags: &[String],
        variable: impl Fn(&str) -> Option<String>,
        exists: impl Fn(&Path) -> bool,
    ) -> ClusterFrom {
        let named = |wanted: &str| {
            let with_value = format!("{wanted}=");
            flags.iter().any(|flag| flag == wanted || flag.starts_with(&with_value))
        };
        if demo {
            return ClusterFrom::Demo;
        }
        if ["--demo", "--kubeconfig", "--context", "--config"].into_iter().any(named) {
            return ClusterFrom::Flags;
        }
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        if let Some(paths) = set("KUBECONFIG") {
            // Also when nothing is there: the gateway says what is wrong with it.
            return ClusterFrom::Kubeconfig(PathBuf::from(paths));
        }
        let usual = set("HOME").map(|home| Path::new(&home).join(".kube/config"));
        if let Some(path) = usual.filter(|path| exists(path)) {
            return ClusterFrom::Kubeconfig(path);
        }
        if set("KUBERNETES_SERVICE_HOST").is_some() && exists(Path::new(SERVICE_ACCOUNT)) {
            return ClusterFrom::InCluster;
        }
        ClusterFrom::Nothing
    }

    fn needs_demo_flag(&self) -> bool {
        matches!(self, ClusterFrom::Demo | ClusterFrom::Nothing)
    }

    fn explanation(&self) -> String {
        match self {
            ClusterFrom::Flags => "showing what the flags say".to_owned(),
            ClusterFrom::Demo => "showing the playground, because of --demo".to_owned(),
            ClusterFrom::Kubeconfig(path) => format!(
                "showing the current context of {} (the playground instead: cargo xtask run --demo)",
                path.display()
            ),
            ClusterFrom::InCluster => "showing the cluster that this pod runs in".to_owned(),
            ClusterFrom::Nothing => "showing the playground: there is no kubeconfig (neither KUBECONFIG \
                nor ~/.kube/config) and this isn't a pod; a real cluster: cargo xtask kube up"
                .to_owned(),
        }
    }
}

const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount/token";

#[cfg(test)]
mod tests {
    use super::*;

    fn found(demo: bool, flags: &[&str], variables: &[(&str, &str)], files: &[&str]) -> ClusterFrom {
        let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let variable = |name: &str| {
            let known = variables.iter().find(|(known, _)| *known == name);
            known.map(|(_, value)| (*value).to_owned())
        };
        ClusterFrom::find(demo, &flags, variable, |path| files.iter().any(|file| Path::new(file) == path))
    }

    #[test]
    fn a_flag_comes_before_the_environment_and_nothing_means_the_playground() {
        let home = [("HOME", "/h")];
        let both = [("HOME", "/h"), ("KUBECONFIG", "/k")];
        let pod = [("HOME", "/h"), ("KUBERNETES_SERVICE_HOST", "10.0.0.1")];
        let usual = "/h/.kube/config";
        let kubeconfig = |path: &str| ClusterFrom::Kubeconfig(path.into());

        assert_eq!(found(true, &[], &both, &[usual]), ClusterFrom::Demo);
        assert_eq!(found(false, &["--context=x"], &both, &[usual]), ClusterFrom::Flags);
        assert_eq!(found(false, &["--demo"], &both, &[usual]), ClusterFrom::Flags);
        assert_eq!(found(false, &["--listen", "x"], &both, &[usual]), kubeconfig("/k"));
        assert_eq!(found(false, &[], &home, &[usual]), kubeconfig(usual));
        assert_eq!(found(false, &[], &pod, &[SERVICE_ACCOUNT]), ClusterFrom::InCluster);
        assert_eq!(found(false, &[], &pod, &[]), ClusterFrom::Nothing);
        assert!(found(false, &[], &home, &[]).needs_demo_flag());
        assert!(!found(false, &["--demo"], &home, &[]).needs_demo_flag());
    }
}
