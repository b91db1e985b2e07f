//! Which clusters are shown, and why those. Looks for files, but reads no other than a kubeconfig for the names of its
//! contexts.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use shared::name::ClusterName;
use shared::problem::Problem;

use super::lists::ClusterSettings;
use super::settings::Settings;
use super::wrong;
use crate::cluster::{Source, cluster_name, contexts_of};
use crate::inventory::Entry;
use crate::limits::CLUSTERS_MAX;

/// The clusters to show; `because` is printed at the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClusterChoice {
    /// Playgrounds, so many.
    Demo(usize),
    Kubeconfig {
        path: Option<PathBuf>,
        context: Option<String>,
        because: String,
    },
    /// These contexts, and with `all` every other one of the kubeconfig.
    Contexts {
        path: Option<PathBuf>,
        contexts: Vec<String>,
        all: bool,
        because: String,
    },
    InCluster,
    /// A file of `dogwatch record`.
    Replay(PathBuf),
    /// Those of the configuration file.
    Named(Vec<(ClusterName, Source)>),
}

const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount/token";

impl ClusterChoice {
    /// Fails with one sentence that says what to do, if there is nothing to show.
    pub(super) fn find(
        settings: &Settings,
        variable: impl Fn(&str) -> Option<OsString>,
        exists: impl Fn(&Path) -> bool,
    ) -> Result<Self, Problem> {
        let Settings { kubeconfig, context, all_contexts, clusters, .. } = settings;
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let asks_for = [
            ("--kubeconfig", kubeconfig.is_some()),
            ("--context", !context.is_empty()),
            ("--all-contexts", *all_contexts),
        ];
        let asked_for = asks_for.iter().find(|(_, is_given)| *is_given).map(|(flag, _)| *flag);
        let count = settings.demo_clusters.parse().ok().filter(|count| (1..=CLUSTERS_MAX).contains(count));
        let count = count.ok_or_else(|| {
            wrong(format!(
                "--demo-clusters {} is not a number from 1 to {CLUSTERS_MAX}",
                settings.demo_clusters
            ))
        })?;
        if let Some(path) = &settings.replay {
            let other = asked_for.or(settings.demo.then_some("--demo"));
            return match other {
                None => Ok(Self::Replay(path.clone())),
                Some(flag) => Err(wrong(format!("a replay shows its file and no cluster; leave out {flag}"))),
            };
        }
        if settings.demo {
            return match asked_for.or((!clusters.is_empty()).then_some("clusters")) {
                None => Ok(Self::Demo(count)),
                Some(flag) => Err(wrong(format!("--demo shows no cluster; leave out {flag} or --demo"))),
            };
        }
        if !clusters.is_empty() {
            return match asked_for {
                None => named(clusters).map(Self::Named),
                Some(flag) => Err(wrong(format!(
                    "clusters of the configuration file says which clusters are shown; leave out {flag}, or name \
                     that one among them"
                ))),
            };
        }
        let found = |path: Option<PathBuf>, because| match (&context[..], all_contexts) {
            ([], false) => Ok(Self::Kubeconfig { path, context: None, because }),
            ([one], false) => Ok(Self::Kubeconfig { path, context: Some(one.clone()), because }),
            (several, all) => match repeated(several) {
                Some(twice) => Err(wrong(format!("--context {twice} is given twice"))),
                None => Ok(Self::Contexts { path, contexts: several.to_vec(), all: *all, because }),
            },
        };
        if let Some(path) = kubeconfig {
            let because = format!("{}, as configured", path.display());
            return found(Some(path.clone()), because);
        }
        if let Some(paths) = set("KUBECONFIG") {
            // Even if there is no such file: `cluster::Source` says what is wrong when it reads them.
            let because = format!("{}, as KUBECONFIG says", paths.to_string_lossy());
            return found(None, because);
        }
        let usual = set("HOME").map(|home| Path::new(&home).join(".kube/config"));
        if let Some(path) = usual.filter(|path| exists(path)) {
            let because = format!("{}, the usual place", path.display());
            return found(None, because);
        }
        if context.is_empty()
            && !all_contexts
            && set("KUBERNETES_SERVICE_HOST").is_some()
            && exists(Path::new(SERVICE_ACCOUNT))
        {
            return Ok(Self::InCluster);
        }
        Err(wrong(
            "there is no cluster to show: no kubeconfig (neither KUBECONFIG nor ~/.kube/config), and this \
             isn't a pod; name one with --kubeconfig FILE, or look at a playground with --demo",
        ))
    }

    /// Whether there may be another cluster than the home one.
    pub(crate) fn has_several(&self) -> bool {
        match self {
            Self::Demo(count) => *count > 1,
            Self::Kubeconfig { .. } | Self::InCluster | Self::Replay(_) => false,
            Self::Contexts { .. } => true,
            Self::Named(clusters) => clusters.len() > 1,
        }
    }

    /// The clusters by name, the home one first. `None`: it is one, whose name follows when it is reached, or the demo's.
    ///
    /// # Errors
    /// The kubeconfig can't be read.
    pub fn entries(&self) -> Result<Option<Vec<Entry>>, Problem> {
        match self {
            Self::Demo(_) | Self::Kubeconfig { .. } | Self::InCluster | Self::Replay(_) => Ok(None),
            Self::Named(clusters) => {
                let entry = |(name, source): &(ClusterName, Source)| Entry {
                    name: name.clone(),
                    access: Ok(source.clone()),
                };
                Ok(Some(clusters.iter().map(entry).collect()))
            }
            Self::Contexts { path, contexts, all, .. } => {
                let mut names = contexts.clone();
                if *all {
                    let known = contexts_of(path.clone())?;
                    if names.is_empty() {
                        names.extend(known.current);
                    }
                    let others: Vec<String> =
                        known.names.into_iter().filter(|name| !names.contains(name)).collect();
                    names.extend(others);
                }
                if names.is_empty() {
                    return Err(wrong("the kubeconfig holds no context; name another with --kubeconfig"));
                }
                let entry = |(context, name): (&String, ClusterName)| Entry {
                    name,
                    access: Ok(Source::Kubeconfig { path: path.clone(), context: Some(context.clone()) }),
                };
                Ok(Some(names.iter().zip(distinct_names(&names)).map(entry).collect()))
            }
        }
    }

    /// Which clusters are shown and why, for the line that is printed at the start.
    pub(crate) fn explanation(&self) -> String {
        match self {
            Self::Demo(1) => "a playground inside this process, because of --demo".to_owned(),
            Self::Demo(count) => format!("{count} playgrounds inside this process, because of --demo"),
            Self::Kubeconfig { context: Some(context), because, .. } => {
                format!("the context {context} of {because}")
            }
            Self::Kubeconfig { context: None, because, .. } => format!("the current context of {because}"),
            Self::Contexts { all: true, because, .. } => format!("all contexts of {because}"),
            Self::Contexts { contexts, because, .. } => {
                format!("the contexts {} of {because}", contexts.join(", "))
            }
            Self::InCluster => "the cluster that this pod runs in, with its service account".to_owned(),
            Self::Replay(path) => format!("what {} has recorded", path.display()),
            Self::Named(clusters) => {
                let names: Vec<&str> = clusters.iter().map(|(name, _)| name.as_str()).collect();
                format!("what the configuration file calls {}", names.join(", "))
            }
        }
    }
}

fn named(clusters: &[ClusterSettings]) -> Result<Vec<(ClusterName, Source)>, Problem> {
    if clusters.len() > CLUSTERS_MAX {
        return Err(wrong(format!("clusters names {} of them; it can hold {CLUSTERS_MAX}", clusters.len())));
    }
    let names: Vec<String> = clusters.iter().map(|cluster| cluster.name.clone()).collect();
    if let Some(twice) = repeated(&names) {
        return Err(wrong(format!(
            "clusters: two clusters are called {twice:?}; each needs a name of its own"
        )));
    }
    clusters.iter().map(one).collect()
}

fn one(settings: &ClusterSettings) -> Result<(ClusterName, Source), Problem> {
    let ClusterSettings { name, kubeconfig, context, in_cluster } = settings;
    let parsed = ClusterName::parse(name).map_err(|problem| wrong(format!("clusters: {problem}")))?;
    let source = match (kubeconfig, context, in_cluster) {
        (None, None, true) => Source::InCluster,
        (None, None, false) => {
            return Err(wrong(format!(
                "clusters: {name:?} doesn't say how it is reached; give it a kubeconfig, a context or in-cluster: true"
            )));
        }
        (_, _, true) => {
            return Err(wrong(format!(
                "clusters: {name:?} is the cluster of this pod by in-cluster; leave out its kubeconfig and context"
            )));
        }
        (path, context, false) => Source::Kubeconfig { path: path.clone(), context: context.clone() },
    };
    Ok((parsed, source))
}

/// A name for each context. Where several come to one, as `a_b` and `a-b` or two in Chinese do, only a context that is
/// called exactly so keeps it; the others end in digits that depend on the context alone, so that links stay valid.
fn distinct_names(contexts: &[String]) -> Vec<ClusterName> {
    let plain: Vec<ClusterName> = contexts.iter().map(|context| cluster_name(context)).collect();
    let is_shared = |name: &ClusterName| plain.iter().filter(|other| *other == name).count() > 1;
    let named = |(context, name): (&String, &ClusterName)| {
        if !is_shared(name) || context == name.as_str() {
            return name.clone();
        }
        let digest = Sha256::digest(context.as_bytes());
        let digits: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        cluster_name(&format!("{name}-{digits}"))
    };
    contexts.iter().zip(&plain).map(named).collect()
}

fn repeated(names: &[String]) -> Option<&String> {
    let mut seen = BTreeSet::new();
    names.iter().find(|name| !seen.insert(*name))
}

#[cfg(test)]
mod tests {
    use super::super::settings::tests::settings;
    use super::*;

    fn found(demo: bool, flags: (&str, &str), variables: &[(&str, &str)], files: &[&str]) -> String {
        let flag = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        let exists = |path: &Path| files.iter().any(|file| Path::new(file) == path);
        let mut settings = settings(&[], "").expect("read");
        settings.demo = demo;
        settings.kubeconfig = flag(flags.0).map(PathBuf::from);
        settings.context = flag(flags.1).into_iter().collect();
        match ClusterChoice::find(&settings, variable, exists) {
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

    /// What is shown, or why nothing is.
    fn shown(flags: &[&str], file: &str) -> String {
        let settings = settings(flags, file).expect("read");
        let found = ClusterChoice::find(&settings, |_| None, |_| false);
        let entries = found.and_then(|choice| choice.entries());
        let name = |entry: &Entry| entry.name.to_string();
        match entries {
            Ok(entries) => entries.unwrap_or_default().iter().map(name).collect::<Vec<_>>().join(" "),
            Err(problem) => problem.message,
        }
    }

    #[test]
    fn the_file_names_clusters_and_each_mistake_is_one_sentence() {
        let two = "clusters: [{name: prod, context: p}, {name: here, in-cluster: true}]";
        assert_eq!(shown(&[], two), "prod here");
        for (flags, file, words) in [
            (
                &[][..],
                "clusters: [{name: a, context: p}, {name: a, context: q}]",
                "two clusters are called \"a\"",
            ),
            (&[], "clusters: [{name: A, context: p}]", "cluster \"A\" is not valid"),
            (&[], "clusters: [{name: a}]", "\"a\" doesn't say how it is reached"),
            (
                &[],
                "clusters: [{name: a, context: p, in-cluster: true}]",
                "leave out its kubeconfig and context",
            ),
            (&["--context=p"], two, "leave out --context"),
            (&["--all-contexts"], two, "leave out --all-contexts"),
            (&["--demo"], two, "leave out clusters or --demo"),
            (&["--demo", "--all-contexts"], "", "leave out --all-contexts or --demo"),
            (&["--demo", "--demo-clusters=0"], "", "--demo-clusters 0 is not a number from 1"),
            (&["--kubeconfig=k", "--context=p", "--context=p"], "", "--context p is given twice"),
            (&["--kubeconfig=/no/such/file", "--all-contexts"], "", "/no/such/file doesn't exist"),
        ] {
            let said = shown(flags, file);
            assert!(said.contains(words), "{said:?} doesn't say {words:?}");
        }
    }

    #[test]
    fn contexts_that_come_to_one_name_are_all_shown_under_names_of_their_own() {
        let named = |contexts: &[&str]| {
            let contexts: Vec<String> = contexts.iter().map(|context| (*context).to_owned()).collect();
            distinct_names(&contexts).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(named(&["区域/生产", "区域/测试"]), ["cluster-26d74d42", "cluster-77262e9e"]);
        assert_eq!(named(&["a_b", "a-b", "c"]), ["a-b-648fa9b3", "a-b", "c"]);
        assert_eq!(named(&["a-b", "c", "a_b"]), ["a-b", "c", "a-b-648fa9b3"], "in any order");
        assert_eq!(named(&["区域/生产"]), ["cluster"]);
    }

    #[test]
    fn the_contexts_that_are_named_come_first_and_then_all_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("config");
        let context =
            |name: &str| serde_json::json!({"name": name, "context": {"cluster": "c", "user": "u"}});
        let contexts = ["a", "kind_b", "c"].map(context);
        let text = serde_json::json!({"apiVersion": "v1", "kind": "Config", "current-context": "kind_b",
            "contexts": contexts, "clusters": [], "users": []});
        std::fs::write(&file, text.to_string()).expect("written");
        let kubeconfig = format!("--kubeconfig={}", file.display());
        assert_eq!(shown(&[&kubeconfig, "--all-contexts"], ""), "kind-b a c");
        assert_eq!(shown(&[&kubeconfig, "--all-contexts", "--context=c"], ""), "c a kind-b");
        assert_eq!(shown(&[&kubeconfig, "--context=c", "--context=a"], ""), "c a");
    }
}
