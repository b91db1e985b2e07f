//! Clients of the Kubernetes API at the running binary: the kubeconfig, the plugin that it names, and kubectl with both.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use cluster::Binaries;
use http::Request;
use kube::client::Body;
use rustix::process::Signal;
use serde_json::Value;
use testkit::dogwatch::{Dogwatch, Home};
use testkit::ports::free_address;

use crate::DEMO;

fn dogwatch(home: &Home, arguments: &[&str]) -> Output {
    home.command().args(arguments).output().expect("started")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{}", said(output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The kubeconfig of the gateway in this home, as a file.
fn kubeconfig(home: &Home) -> PathBuf {
    let file = home.path().join("dogwatch.kubeconfig");
    let output = dogwatch(home, &["kubeconfig", "--output", &file.to_string_lossy()]);
    assert!(printed(&output).contains("dogwatch-playground"));
    file
}

/// The same file with this token and no plugin.
fn with_token(home: &Home, kubeconfig: &Path, token: &str) -> PathBuf {
    let text = std::fs::read_to_string(kubeconfig).expect("there");
    let (before, _) = text.split_once("users:\n").expect("users");
    let user = format!("users:\n- name: dogwatch-playground\n  user: {{token: \"{token}\"}}\n");
    let file = home.path().join("token.kubeconfig");
    std::fs::write(&file, format!("{before}{user}")).expect("written");
    file
}

/// What kubectl says of `/version`, which is read at the root.
fn kubectl(home: &Home, kubeconfig: &Path) -> Output {
    let mut command = Command::new(Binaries::kubectl().expect("kubectl"));
    command
        .args(["get", "--raw", "/version", "--kubeconfig"])
        .arg(kubeconfig)
        .env("HOME", home.path())
        // The kubeconfig says where the gateway's folders are.
        .env_remove("XDG_STATE_HOME")
        .env_remove("XDG_RUNTIME_DIR")
        .env("KUBECACHEDIR", home.path().join("kubectl"))
        .stdin(Stdio::null());
    command.output().expect("started")
}

/// Whether the gateway took kubectl for its user.
fn is_let_in(output: &Output) -> bool {
    output.status.success()
}

fn token(home: &Home) -> String {
    let credential: Value = serde_json::from_str(&printed(&dogwatch(home, &["credential"]))).expect("JSON");
    assert_eq!(credential["apiVersion"], "client.authentication.k8s.io/v1");
    assert_eq!(credential["kind"], "ExecCredential");
    assert!(credential["status"]["expirationTimestamp"].as_str().is_some_and(|time| time.ends_with('Z')));
    credential["status"]["token"].as_str().expect("a token").to_owned()
}

fn end(mut gateway: Dogwatch) -> String {
    gateway.signal(Signal::TERM).expect("it runs");
    gateway.wait().expect("it ends").1
}

#[test]
fn r_authn_16_kubectl_gets_in_by_the_plugin_of_the_kubeconfig_and_in_no_other_way() {
    let home = Home::new().expect("a folder");
    let gateway = home.serve(&DEMO).expect("it starts");
    let file = kubeconfig(&home);
    let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(&home.path().join("state/dogwatch/api/authority.pem")), 0o600);
    let text = std::fs::read_to_string(&file).expect("there");
    assert!(text.contains("server: \"https://127.0.0.1:") && !text.contains("token"), "{text}");
    let output = kubectl(&home, &file);
    assert!(is_let_in(&output), "{}", said(&output));
    let good = token(&home);
    assert!(is_let_in(&kubectl(&home, &with_token(&home, &file, &good))));
    for wrong in ["wrong", gateway.code(), &good.replace('.', "0.")] {
        let output = kubectl(&home, &with_token(&home, &file, wrong));
        assert!(
            !is_let_in(&output) && said(&output).contains("must be logged in"),
            "{wrong}: {}",
            said(&output)
        );
    }
    end(gateway);
    let gateway = home.serve(&DEMO).expect("it starts");
    let again = kubeconfig(&home);
    let output = kubectl(&home, &with_token(&home, &again, &good));
    assert!(!is_let_in(&output), "a token of the gateway before");
    end(gateway);
}

#[tokio::test]
async fn a_client_that_is_no_kubectl_gets_in_by_the_same_kubeconfig() {
    let home = Home::new().expect("a folder");
    let gateway = home.serve(&[&DEMO[..], &["--demo-clusters", "2"]].concat()).expect("it starts");
    let file = kubeconfig(&home);
    let client = testkit::api::client(&file).await.expect("a kubeconfig");
    for path in ["/version", "/k8s/playground-2/version", "/api/v1/namespaces"] {
        let request = Request::get(path).body(Body::empty()).expect("a request");
        let status = client.send(request).await.expect("answered").status();
        assert!(status.is_success(), "{path}: {status}");
    }
    let text = std::fs::read_to_string(&file).expect("there");
    assert!(
        text.contains("/k8s/playground-2\"") && text.matches("- name: \"dogwatch-").count() == 6,
        "{text}"
    );
    end(gateway);
}

#[test]
fn a_kubeconfig_goes_on_after_a_restart_and_says_what_to_do_where_its_gateway_is_gone_or_another() {
    let home = Home::new().expect("a folder");
    let listen = free_address().to_string();
    let port = listen.rsplit(':').next().expect("a port").to_owned();
    let flags = ["--demo", "--listen", &listen];
    let gateway = home.serve(&flags).expect("it starts");
    let file = kubeconfig(&home);
    end(gateway);

    let output = dogwatch(&home, &["credential", "--port", &port]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(said(&output).contains("start one with `dogwatch serve`"), "{}", said(&output));
    let output = kubectl(&home, &file);
    assert!(
        !is_let_in(&output) && said(&output).contains("no gateway of yours runs here"),
        "{}",
        said(&output)
    );
    assert!(said(&dogwatch(&home, &["kubeconfig"])).contains("no gateway of yours runs here"));

    let gateway = home.serve(&flags).expect("it starts");
    let output = kubectl(&home, &file);
    assert!(is_let_in(&output), "{}", said(&output));
    let output = dogwatch(&home, &["credential", "--port", &port, "--home-cluster", "production"]);
    assert!(
        !output.status.success() && said(&output).contains("no longer for production"),
        "{}",
        said(&output)
    );
    let output = dogwatch(&home, &["kubeconfig", "--cluster", "production"]);
    assert!(said(&output).contains("no cluster production; it shows: playground"), "{}", said(&output));
    end(gateway);

    let none = home.serve(&[&flags[..], &["--api-listen", "none"]].concat()).expect("it starts");
    for command in ["credential", "kubeconfig"] {
        let output = dogwatch(&home, &[command]);
        assert!(!output.status.success() && said(&output).contains("--api-listen none"), "{}", said(&output));
    }
    end(none);
}

#[test]
fn r_aud_1_a_token_for_clients_and_a_request_without_one_are_recorded_and_the_token_is_nowhere() {
    let home = Home::new().expect("a folder");
    let audit = home.path().join("audit.log");
    let flags = ["--audit-log", &*audit.to_string_lossy()];
    let flags = [&DEMO[..], &flags].concat();
    let gateway = home.serve_with(&flags, &[("DOGWATCH_LOG", "trace")]).expect("it starts");
    let file = kubeconfig(&home);
    let good = token(&home);
    assert!(is_let_in(&kubectl(&home, &with_token(&home, &file, &good))));
    assert!(!is_let_in(&kubectl(&home, &with_token(&home, &file, "aPlantedToken"))));
    let log = end(gateway);
    let records = std::fs::read_to_string(&audit).expect("read");
    let count = |event: &str| records.matches(&format!("\"event\":\"{event}\"")).count();
    assert!(count("login") >= 1 && count("login-refused") >= 1, "{records}");
    assert!(
        records.contains("a token of ten minutes") && records.contains("\"address\":\"unix\""),
        "{records}"
    );
    for hidden in [good.as_str(), "aPlantedToken", "PRIVATE KEY"] {
        assert!(!records.contains(hidden) && !log.contains(hidden), "{hidden}");
    }
}

#[test]
fn a_state_folder_that_keeps_no_authority_costs_kubectl_alone_its_way_in() {
    let home = Home::new().expect("a folder");
    let folder = home.path().join("state/dogwatch");
    std::fs::create_dir_all(&folder).expect("made");
    std::fs::write(folder.join("api"), "in its place").expect("written");
    let gateway = home.serve(&DEMO).expect("it starts");
    let output = dogwatch(&home, &["kubeconfig"]);
    assert!(!output.status.success() && said(&output).contains("state/dogwatch/api"), "{}", said(&output));
    assert!(end(gateway).contains("kubectl can't read through this gateway"));
    let output = dogwatch(&home, &[&["serve"], &DEMO[..], &["--api-listen", "127.0.0.1:0"]].concat());
    assert!(!output.status.success() && said(&output).contains("state/dogwatch/api"), "{}", said(&output));
}

#[test]
fn what_would_leave_loopback_or_has_no_effect_stops_the_start() {
    let home = Home::new().expect("a folder");
    for (flags, words) in [
        (&["--api-listen", "0.0.0.0:9000"][..], "must be loopback"),
        (&["--api-listen", "127.0.0.1:0", "--auth", "bearer"], "no effect without --auth local"),
    ] {
        let output = dogwatch(&home, &[&["serve"], &DEMO[..], flags].concat());
        assert!(!output.status.success() && said(&output).contains(words), "{}", said(&output));
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("bound").to_string();
    let output = dogwatch(&home, &[&["serve"], &DEMO[..], &["--api-listen", &address]].concat());
    assert!(said(&output).contains("something listens there already"), "{}", said(&output));
}
