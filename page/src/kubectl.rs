//! What every kubectl command of the page needs: the context of its cluster, and words that a shell takes as they are.
//! Never which command it is.

pub(crate) mod shell;

use shared::name::ClusterName;

use crate::table_view::Client;
use shell::quoted;

/// What `kubectl --context` takes for a cluster. `None`: the gateway runs in a pod, or for a team,
/// whose readers have other kubeconfigs than the gateway.
pub(crate) fn context<'a>(client: &'a Client, cluster: Option<&ClusterName>) -> Option<&'a str> {
    client.cluster_named(cluster)?.context.as_deref()
}

/// The command for that cluster. The context follows `kubectl`, because a command may end with `--` and a name.
pub(crate) fn in_context(command: &str, client: &Client, cluster: Option<&ClusterName>) -> String {
    match (command.strip_prefix("kubectl"), context(client, cluster)) {
        (Some(rest), Some(context)) => format!("kubectl --context {}{rest}", quoted(context)),
        _ => command.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages;

    #[test]
    fn no_link_and_no_name_puts_a_second_command_into_the_shell() {
        for (word, expected) in [
            ("system:node", "system:node"),
            ("a; rm -rf ~", "'a; rm -rf ~'"),
            ("it's", r"'it'\''s'"),
            ("$(x)`y`", "'$(x)`y`'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), expected);
        }
        let get = messages::kubectl_get("clusterroles", None, "x; echo $HOME");
        assert_eq!(get, "kubectl get clusterroles 'x; echo $HOME' -o yaml");
        let get = messages::kubectl_get("clusterroles", None, "--server=evil.example");
        assert_eq!(get, "kubectl get clusterroles -o yaml -- --server=evil.example");
    }
}
