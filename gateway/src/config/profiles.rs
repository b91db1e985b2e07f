//! The settings for ClusterProfiles: their namespace, and the file of the plugins that bring credentials. The file is read by
//! `cluster::Plugins`, not here.

use std::path::{Path, PathBuf};

use shared::name::Namespace;
use shared::problem::Problem;

use super::wrong;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileSettings {
    /// The namespace of the home cluster that has them; `None` stands for all namespaces.
    pub namespace: Option<Namespace>,
    /// The file of the plugins. Without it the clusters are listed, and none can be reached.
    pub providers: Option<PathBuf>,
}

pub(super) fn of(
    namespace: Option<&str>,
    providers: Option<&Path>,
) -> Result<Option<ProfileSettings>, Problem> {
    let Some(namespace) = namespace else {
        return match providers {
            None => Ok(None),
            Some(_) => Err(wrong(
                "--cluster-profile-providers has no effect without --cluster-profiles; name the namespace of the \
                 ClusterProfiles there, or *",
            )),
        };
    };
    let namespace = match namespace {
        "*" => None,
        name => Some(
            Namespace::parse(name)
                .map_err(|problem| wrong(format!("--cluster-profiles: {problem}; * stands for all")))?,
        ),
    };
    Ok(Some(ProfileSettings { namespace, providers: providers.map(Path::to_owned) }))
}

#[cfg(test)]
mod tests {
    use super::super::resolve::tests::resolved;

    #[test]
    fn profiles_are_of_a_namespace_or_of_all_and_a_token_is_of_one_cluster() {
        let namespace =
            |flags: &[&str]| resolved(flags, "").expect("a configuration").profiles.map(|of| of.namespace);
        assert_eq!(namespace(&[]), None);
        assert_eq!(namespace(&["--cluster-profiles=*"]), Some(None));
        let fleet = namespace(&["--cluster-profiles=fleet"]).flatten();
        assert_eq!(fleet.as_ref().map(|name| name.as_str()), Some("fleet"));
        let said = |flags: &[&str]| resolved(flags, "").map(drop).expect_err("refused").message;
        assert!(said(&["--cluster-profiles=A/b"]).contains("* stands for all"));
        assert!(said(&["--cluster-profile-providers=p"]).contains("no effect without --cluster-profiles"));
        for flag in ["--cluster-profiles=*", "--demo-clusters=2"] {
            assert!(said(&["--auth=bearer", flag]).contains("--auth bearer is for one cluster"), "{flag}");
        }
        assert!(resolved(&["--auth=bearer", "--demo-clusters=1"], "").is_ok());
    }
}
