//! What stands in a kubeconfig, which gateway it is of, and which files are replaced.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

fn served(clusters: &[&str]) -> ServedApi {
    let clusters: Vec<ClusterName> =
        clusters.iter().map(|name| ClusterName::parse(name).expect("a name")).collect();
    ServedApi {
        server: "https://127.0.0.1:9443".to_owned(),
        authority: "PEM\n".to_owned(),
        home: clusters[0].clone(),
        clusters,
    }
}

fn of_two(only: Option<&str>) -> Result<Kubeconfig, Problem> {
    let only = only.map(|name| ClusterName::parse(name).expect("a name"));
    let plugin = Plugin {
        command: "/opt/dog watch".to_owned(),
        args: ["credential", "--port", "8484"].map(str::to_owned).to_vec(),
        variables: variables(|name| (name == "XDG_RUNTIME_DIR").then(|| "/run/user/7".to_owned())),
        asks: false,
    };
    of_this_machine(served(&["prod", "stage"]), &plugin, only.as_ref())
}

#[test]
fn the_home_cluster_stands_at_the_root_and_the_others_below_their_names() {
    assert_eq!(
        of_two(None).expect("written").yaml(),
        "# Written by `dogwatch kubeconfig`; it holds no secret. What is read by it is masked as in the page.\n\
         apiVersion: v1\n\
         kind: Config\n\
         clusters:\n\
         - name: \"dogwatch-prod\"\n  \
           cluster:\n    \
             server: \"https://127.0.0.1:9443\"\n    \
             certificate-authority-data: \"UEVNCg==\"\n\
         - name: \"dogwatch-stage\"\n  \
           cluster:\n    \
             server: \"https://127.0.0.1:9443/k8s/stage\"\n    \
             certificate-authority-data: \"UEVNCg==\"\n\
         contexts:\n\
         - name: \"dogwatch-prod\"\n  \
           context:\n    \
             cluster: \"dogwatch-prod\"\n    \
             user: \"dogwatch-prod\"\n\
         - name: \"dogwatch-stage\"\n  \
           context:\n    \
             cluster: \"dogwatch-stage\"\n    \
             user: \"dogwatch-stage\"\n\
         current-context: \"dogwatch-prod\"\n\
         users:\n\
         - name: \"dogwatch-prod\"\n  \
           user:\n    \
             exec:\n      \
               apiVersion: client.authentication.k8s.io/v1\n      \
               command: \"/opt/dog watch\"\n      \
               args:\n      \
               - \"credential\"\n      \
               - \"--port\"\n      \
               - \"8484\"\n      \
               - \"--home-cluster\"\n      \
               - \"prod\"\n      \
               env:\n      \
               - name: \"XDG_RUNTIME_DIR\"\n        \
               value: \"/run/user/7\"\n      \
               interactiveMode: \"Never\"\n      \
               provideClusterInfo: false\n      \
               installHint: \"Dogwatch is no longer where this kubeconfig expects it: run `dogwatch kubeconfig` again.\"\n\
         - name: \"dogwatch-stage\"\n  \
           user:\n    \
             exec:\n      \
               apiVersion: client.authentication.k8s.io/v1\n      \
               command: \"/opt/dog watch\"\n      \
               args:\n      \
               - \"credential\"\n      \
               - \"--port\"\n      \
               - \"8484\"\n      \
               env:\n      \
               - name: \"XDG_RUNTIME_DIR\"\n        \
               value: \"/run/user/7\"\n      \
               interactiveMode: \"Never\"\n      \
               provideClusterInfo: false\n      \
               installHint: \"Dogwatch is no longer where this kubeconfig expects it: run `dogwatch kubeconfig` again.\"\n"
    );
}

#[test]
fn one_cluster_may_be_chosen_and_one_that_is_not_shown_is_named_with_those_that_are() {
    let one = of_two(Some("stage")).expect("shown");
    assert_eq!((one.contexts.len(), one.current.as_str()), (1, "dogwatch-stage"));
    let problem = of_two(Some("test")).map(drop).expect_err("not shown");
    assert!(
        problem.message.contains("no cluster test") && problem.message.contains("prod, stage"),
        "{problem}"
    );
}

async fn of_team(auth: &str, authority: Option<Authority>) -> String {
    team("https://dogwatch.example.org/below", auth, authority).await.yaml()
}

async fn team(url: &str, auth: &str, authority: Option<Authority>) -> Kubeconfig {
    let url = TeamUrl::parse(url).expect("a URL");
    let cluster = ClusterName::parse("prod").expect("a name");
    of_a_team(&url, cluster, authority, Some(auth)).await.expect("written")
}

#[tokio::test]
async fn a_file_that_is_written_again_keeps_a_persons_token_and_namespace_and_says_what_it_does_not_keep() {
    const URL: &str = "https://dogwatch.example.org";
    let first = team(URL, "bearer", None).await;
    assert!(written("f", &first, None).contains("`user: {token: …}`"));
    let edited = first.yaml().replace("user: {}", "user: {token: abc}");
    let edited =
        edited.replace("    user: \"dogwatch-prod\"\n", "    user: \"dogwatch-prod\"\n    namespace: shop\n");
    let former = Former::read(&edited).expect("YAML");

    let mut again = team(URL, "bearer", None).await;
    former.keep(&mut again);
    assert_eq!(former.gone(&again), None);
    let said = written("f", &again, None);
    assert!(said.contains("keeps the credential") && !said.contains("{token"), "{said}");
    let text = again.yaml();
    let read: serde_json::Value = serde_saphyr::from_str(&text).expect("YAML");
    assert_eq!(read["users"][0]["user"], serde_json::json!({"token": "abc"}));
    assert_eq!(read["contexts"][0]["context"]["namespace"], "shop");
    assert!(text.starts_with(text::MARK) && !text.contains("no secret"), "{text}");

    // Another server never gets it, and a plugin takes its place.
    for mut other in [team("https://other.example", "bearer", None).await, team(URL, "oidc", None).await] {
        former.keep(&mut other);
        assert!(!other.yaml().contains("abc"));
        assert_eq!(former.gone(&other).as_deref(), Some("the credential of user dogwatch-prod"));
    }
    let mut here = of_two(None).expect("written");
    let beside = here.yaml().replace("users:\n", "users:\n- name: mine\n  user: {token: abc}\n");
    let beside = Former::read(&beside).expect("YAML");
    beside.keep(&mut here);
    let gone = beside.gone(&here).expect("one");
    assert_eq!(gone, "user mine");
    assert!(
        written("f", &here, Some(gone))
            .starts_with("f was replaced, and this is no longer in it: user mine\n")
    );
}

#[tokio::test]
async fn a_teams_gateway_whose_people_sign_in_with_a_browser_gets_the_plugin() {
    let authority = Authority { path: "/etc/a b.pem".into(), pem: "PEM\n".to_owned() };
    let read: serde_json::Value =
        serde_saphyr::from_str(&of_team("oidc", Some(authority)).await).expect("YAML");
    let cluster = &read["clusters"][0]["cluster"];
    assert_eq!(cluster["server"], "https://dogwatch.example.org/below/k8s/prod");
    assert_eq!(cluster["certificate-authority-data"], "UEVNCg==");
    let exec = &read["users"][0]["user"]["exec"];
    assert_eq!(exec["interactiveMode"], "IfAvailable");
    let flags = [
        "credential",
        "--server",
        "https://dogwatch.example.org/below",
        "--certificate-authority",
        "/etc/a b.pem",
    ];
    assert_eq!(exec["args"], serde_json::json!(flags));
    assert!(!of_team("oidc", None).await.contains("certificate-authority"), "the system's count");
}

#[tokio::test]
async fn a_teams_gateway_gets_no_credential_and_the_text_says_where_it_goes() {
    let text = of_team("bearer", None).await;
    assert!(text.contains("server: \"https://dogwatch.example.org/below/k8s/prod\"\n"), "{text}");
    assert!(text.contains("`token: …`") && !text.contains("token: \"") && !text.contains("exec"), "{text}");
    let read: serde_json::Value = serde_saphyr::from_str(&text).expect("YAML");
    assert_eq!(read["users"][0]["user"], serde_json::json!({}));
}

#[test]
fn a_gateway_here_is_named_by_its_page_and_one_elsewhere_by_https_alone() {
    let target = |server: &str| Target::of(Some(server), None).map_err(|problem| problem.message);
    assert_eq!(Target::of(None, Some(9)), Ok(Target::Here(Some(9))));
    assert_eq!(target("http://127.0.0.1:8484/"), Ok(Target::Here(Some(8484))));
    assert_eq!(target("http://localhost"), Ok(Target::Here(Some(80))));
    let elsewhere = TeamUrl::parse("https://dogwatch.example.org/below").expect("a URL");
    assert_eq!(target("https://dogwatch.example.org/below/"), Ok(Target::Elsewhere(elsewhere)));
    assert!(target("http://dogwatch.example.org").expect_err("plain").contains("plain http"));
    for wrong in
        ["", "dogwatch.example.org", "https://", "https://a@b.example", "https://b.example?x=1", "ftp://b"]
    {
        assert!(target(wrong).expect_err(wrong).contains("is expected"), "{wrong}");
    }
}

#[test]
fn a_file_is_for_the_user_alone_and_another_programs_is_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let (own, other) = (folder.path().join("own"), folder.path().join("other"));
    let text = of_two(None).expect("written").yaml();
    for former in [None, Some(text.clone())] {
        assert_eq!(file::former(&own).expect("its own"), former);
        file::write(&own, &text).expect("written");
    }
    assert_eq!(fs::read_to_string(&own).expect("there"), text);
    assert_eq!(fs::metadata(&own).expect("there").permissions().mode() & 0o777, 0o600);
    fs::write(&other, "apiVersion: v1\n").expect("written");
    let problem = file::former(&other).expect_err("another program's");
    assert!(problem.message.contains("--output"), "{problem}");
    assert_eq!(fs::read_to_string(&other).expect("there"), "apiVersion: v1\n");
    assert!(file::write(&folder.path().join("none/file"), &text).is_err());
}
