//! Which cluster is shown, and why that one. Looks for files, but reads none.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use shared::problem::Problem;

use super::wrong;

/// The cluster to show; `because` is printed at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClusterChoice {
    Demo,
    Kubeconfig { path: Option<PathBuf>, context: Option<String>, because: String },
    InCluster,
}

const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount/token";

impl ClusterChoice {
    /// Fails with one sentence that says what to do, if there is nothing to show.
    pub(super) fn find(
        demo: bool,
        kubeconfig: Option<PathBuf>,
        context: Option<String>,
        variable: impl Fn(&str) -> Option<OsString>,
        exists: impl Fn(&Path) -> bool,
    ) -> Result<Self, Problem> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        if demo {
            return match (kubeconfig, context) {
                (None, None) => Ok(Self::Demo),
                (Some(_), _) => Err(wrong("--demo shows no cluster; leave out --kubeconfig or --demo")),
                (None, Some(_)) => Err(wrong("--demo shows no cluster; leave out --context or --demo")),
            };
        }
        if let Some(path) = kubeconfig {
            let because = format!("{}, as configured", path.display());
            return Ok(Self::Kubeconfig { path: Some(path), context, because });
        }
        if let Some(paths) = set("KUBECONFIG") {
            // Even if there is no such file: `cluster::Source` says what is wrong when it reads them.
            let because = format!("{}, as KUBECONFIG says", paths.to_string_lossy());
            return Ok(Self::Kubeconfig { path: None, context, because });
        }
        let usual = set("HOME").map(|home| Path::new(&home).join(".kube/config"));
        if let Some(path) = usual.filter(|path| exists(path)) {
            let because = format!("{}, the usual place", path.display());
            return Ok(Self::Kubeconfig { path: None, context, because });
        }
        if context.is_none() && set("KUBERNETES_SERVICE_HOST").is_some() && exists(Path::new(SERVICE_ACCOUNT))
        {
            return Ok(Self::InCluster);
        }
        Err(wrong(
            "there is no cluster to show: no kubeconfig (neither KUBECONFIG nor ~/.kube/config), and this \
             isn't a pod; name one with --kubeconfig FILE, or look at a playground with --demo",
        ))
    }

    /// Which cluster is shown and why, for the line that is printed at the start.
    pub(crate) fn explanation(&self) -> String {
        match self {
            Self::Demo => "a playground inside this process, because of --demo".to_owned(),
            Self::Kubeconfig { context: Some(context), because, .. } => {
                format!("the context {context} of {because}")
            }
            Self::Kubeconfig { context: None, because, .. } => format!("the current context of {because}"),
            Self::InCluster => "the cluster that this pod runs in, with its service account".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(demo: bool, flags: (&str, &str), variables: &[(&str, &str)], files: &[&str]) -> String {
        let flag = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        let exists = |path: &Path| files.iter().any(|file| Path::new(file) == path);
        match ClusterChoice::find(demo, flag(flags.0).map(PathBuf::from), flag(flags.1), variable, exists) {
            Ok(choice) => choice.explanation(),
            Err(problem) => problem.message,
        }
    }

    #[test]
    fn the_first_that_is_there_is_shown_and_it_says_why() {
        let home = [("HOME", "/h")];
        let pod = [("HOME", "/h"), ("KUBERNETES_SERVICE_HOST", "10.0.0.1")];
        let listed = [("HOME", "/h"), ("KUBECONFIG", "/a:/b")];
        for (demo, flags, variables, files, expected) in [
            (true, ("", ""), &listed[..], &["/h/.kube/config"][..], "because of --demo"),
            (false, ("/k", "prod"), &listed, &[], "the context prod of /k, as configured"),
            (false, ("", ""), &listed, &[], "the current context of /a:/b, as KUBECONFIG says"),
            (false, ("", ""), &home, &["/h/.kube/config"], "the current context of /h/.kube/config"),
            (false, ("", ""), &pod, &[SERVICE_ACCOUNT], "this pod"),
            (false, ("", ""), &pod, &[], "--demo"),
            (false, ("", "prod"), &pod, &[SERVICE_ACCOUNT], "no kubeconfig"),
            (false, ("", ""), &[], &[], "--kubeconfig"),
            (true, ("/k", ""), &[], &[], "leave out --kubeconfig"),
            (true, ("", "prod"), &[], &[], "leave out --context"),
        ] {
            let said = found(demo, flags, variables, files);
            assert!(said.contains(expected), "{said:?} doesn't say {expected:?}");
        }
    }
}
